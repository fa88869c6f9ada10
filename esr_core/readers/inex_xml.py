"""Runs and assessments in the XML of the INEX campaigns (2002 to 2014).

A run is an `<inex-submission>`: topics with `<result>`s that name an element (`<path>`), a stretch of text (`<fol>`) or
the two ends of a passage as text pointers (`<passage start="/article[1]/p[2]/text()[1].5" …/>`).

Assessments came in two shapes. 2002 to 2004: elements graded 0 to 3 for exhaustivity and specificity (Kazai and
Lalmas, "Notes on what to measure in INEX", INEX 2005 Workshop on Element Retrieval Methodology). From 2005 on:
highlighted passages, from which an element's specificity follows as the share of its text that is highlighted
(Lalmas and Piwowarski, "INEX 2005 relevance assessment guide"); exhaustivity was 1, 2 or `?` for "too small", and 2
throughout once only highlighting was asked for.

Names of elements and attributes are compared without case, hyphens and underscores: `topic-id`, `topic_id`, `TopicID`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from esr_core.errors import DataError
from esr_core.problems import Problems
from esr_core.readers import xml_safe
from esr_core.readers.rows import Parsed, Rows, encode
from esr_core.readers.source import Source

RUN = "INEX XML run"
ASSESSMENTS = "INEX XML assessments"

_RUN_ROOTS = frozenset({"inexsubmission"})
_ASSESSMENT_ROOTS = frozenset({"assessments", "assessment", "relevanceassessments", "inexassessments",
                               "inexrelevanceassessments", "relassessments"})
_GRADED = re.compile(rb"<[^<>]+\s(?:exhaustiv\w*|rsize)\s*=\s*[\"'][^<>]*>", re.I)

_TOPIC = ("topicid", "topic", "topicno", "queryid", "query")
_FILE = ("file", "name", "doc", "docid", "filename", "document", "id")
_PATH = ("path", "xpath")
_EXHAUSTIVITY = ("exhaustivity", "exhaustiveness", "exhaustivness", "exhaustivety", "exh", "e")
_SPECIFICITY = ("specificity", "specifity", "spec", "s")
_UNASSESSED = frozenset({"U", "UNASSESSED"})
_SHOWN = 60  # characters of a value that a message quotes


def recognise(data: bytes) -> str | None:
    """Which of the two a file is, by its root element or, failing that, by graded elements near its beginning."""
    root = xml_safe.opening(data).root
    if root is None:
        return None
    name = _plain(root.rpartition(":")[2])
    if name in _RUN_ROOTS:
        return RUN
    if name in _ASSESSMENT_ROOTS or _GRADED.search(data[:65536]):
        return ASSESSMENTS
    return None


def read_run(source: Source) -> Parsed:
    """A submission as one table "runs".

    Columns: topic, doc; rank if every result has one; score (NaN where there is no rsv); path ("" where none);
    start and end (−1 where unknown); pointer_start and pointer_end ("" where none), each if the file has any.
    A result that names several places is a tree: rows of the same rank. Results that tie are results of their own,
    so they get ranks of their own, in file order.
    """
    markup = xml_safe.prepare(source)
    target = _Run(source, markup)
    xml_safe.parse(markup, target)
    parsed = Parsed(RUN, problems=target.problems)
    parsed.add("runs", target.rows())
    return parsed


def read_assessments(source: Source) -> Parsed:
    """Assessments as tables "grades", and "highlights", "beps" and "judgements" if the file has passages.

    Specificity is on the scale 0 to 3 in either shape. Judgements say which documents were looked at: a `<file>`
    without a passage was, and is not relevant.
    """
    markup = xml_safe.prepare(source)
    target = _Assessments(source, markup)
    xml_safe.parse(markup, target)
    parsed = Parsed(ASSESSMENTS, problems=target.problems)
    for table, rows in target.tables():
        parsed.add(table, rows)
    if not parsed.tables:
        raise DataError("holds no assessments", source.name,
                        remedy="expected <file> elements with graded elements or passages")
    return parsed


def _plain(name: str) -> str:
    return name.replace("-", "").replace("_", "").lower()


def _document(name: str) -> str:
    """The document of a file name: `12345` for `12345.xml`, folders stay."""
    return name.removesuffix(".xml")


def _first(attributes: Mapping[str, str], names: Sequence[str]) -> str | None:
    return next((attributes[n].strip() for n in names if n in attributes), None)


class _Reader(xml_safe.Target):
    """Plain names, text of chosen elements and numbers with a place for complaints."""

    def __init__(self, source: Source, markup: xml_safe.Markup):
        super().__init__(source, markup)
        self.problems = Problems()
        self._names: dict[str, str] = {}
        self._text: list[str] | None = None

    def name(self, tag: str) -> str:
        name = self._names.get(tag)
        if name is None:
            name = self._names[tag] = _plain(xml_safe.local_name(tag))
        return name

    @staticmethod
    def attributes(given: Any) -> dict[str, str]:
        return {_plain(xml_safe.local_name(name)): value for name, value in given.items()} if given else {}

    def data(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)

    def need(self, attributes: Mapping[str, str], names: Sequence[str], what: str, said: str | None = None) -> str:
        value = _first(attributes, names)
        if not value:
            self.refuse(f"{what} has no {said or names[0]}", f"expected an attribute {said or names[0]}")
        return value

    def whole(self, text: str, what: str, element: int | None = None) -> int:
        if not (text.isascii() and text.lstrip("+-").isdigit() and len(text) <= 18):
            self.refuse(f"{what} '{text[:_SHOWN]}' is not a whole number", element=element)
        try:
            return int(text)
        except ValueError:  # two signs
            self.refuse(f"{what} '{text[:_SHOWN]}' is not a whole number", element=element)

    def number(self, text: str, what: str, element: int | None = None) -> float:
        try:
            value = float(text) if text.isascii() and "_" not in text else math.nan
        except ValueError:
            value = math.nan
        if math.isnan(value):
            self.refuse(f"{what} '{text[:_SHOWN]}' is not a number", element=element)
        return value

    def lines_of(self, elements: list[int]) -> np.ndarray:
        assert self.markup is not None
        return self.markup.lines[np.array(elements, np.int64)].astype(np.int64)

    def problem(self, kind: str, text: str) -> None:
        assert self.markup is not None
        known = any(p.kind == kind for p in self.problems)
        self.problems.add(kind, text, self.source.name, None if known else self.markup.line(self.element))


class _Run(_Reader):
    """Collects the results of a submission."""

    _TEXTS = frozenset({"file", "path", "rank", "rsv"})

    def __init__(self, source: Source, markup: xml_safe.Markup):
        super().__init__(source, markup)
        self.run: str | None = None
        self._topic: str | None = None
        self._result = -1                               # element number of the open result, -1 outside
        self._said: dict[str, tuple[str, int]] = {}     # file, rank and rsv of the open result
        self._paths: list[str] = []
        self._spans: list[tuple[int, int]] = []
        self._pointers: list[tuple[str, str]] = []
        self._text_of, self._text_at = "", -1
        self._offsets = False                           # has the file any <fol>?
        # Of results.
        self._ranks: list[int] = []                     # -1 where there is none
        self._result_topics: list[str] = []
        self._elements: list[int] = []
        # Of rows: results that name several places have several.
        self._owner: list[int] = []
        self._docs: list[str] = []
        self._scores: list[float] = []
        # One list for each column: a hundred thousand tuples would keep the garbage collector busy.
        self._path: list[str] = []
        self._start: list[int] = []
        self._end: list[int] = []
        self._first: list[str] = []
        self._last: list[str] = []

    def opened(self, tag: str, attributes: Any) -> None:
        name = self.name(tag)
        if self._result >= 0:
            if name in self._TEXTS:
                self._text, self._text_of, self._text_at = [], name, self.element
            elif name == "fol":
                self._spans.append(self._fol(self.attributes(attributes)))
            elif name == "passage":
                given = self.attributes(attributes)
                self._pointers.append((self.need(given, ("start",), "a passage"),
                                       self.need(given, ("end",), "a passage")))
            elif name == "result":
                self.refuse("a result within a result")
        elif name == "result":
            if self._topic is None:
                self.refuse("a result outside a topic", "expected <topic topic-id=…> around it")
            self._result = self.element
            for what, value in self.attributes(attributes).items():  # some wrote them so
                if what in self._TEXTS:
                    self._take(what, value.strip(), self.element)
        elif name == "topic":
            if self._topic is not None:
                self.refuse("a topic within a topic")
            self._topic = self.need(self.attributes(attributes), (*_TOPIC, "id"), "a topic", "topic-id")
        elif self.element == 0:
            self.run = _first(self.attributes(attributes), ("runid", "run", "id")) or None

    def closed(self, tag: str) -> None:
        name = self.name(tag)
        if self._text is not None and name == self._text_of:
            self._take(name, "".join(self._text).strip(), self._text_at)
            self._text = None
        elif name == "result" and self._result >= 0:
            self._close_result()
        elif name == "topic":
            self._topic = None

    def _take(self, what: str, value: str, element: int) -> None:
        if what == "path":
            if value:
                self._paths.append(value)
        elif what in self._said:
            self.refuse(f"a result has two <{what}>", element=element)
        else:
            self._said[what] = value, element

    def _fol(self, given: Mapping[str, str]) -> tuple[int, int]:
        self._offsets = True
        offset = self.need(given, ("offset",), "a <fol>")
        if offset in ("X", "x", "-1"):  # a passage that could not be placed: kept as a result that covers nothing
            return -1, -1
        start = self.whole(offset, "offset")
        length = self.whole(self.need(given, ("length",), "a <fol>"), "length")
        if start < 0 or length < 0:
            self.refuse(f"offset {start}, length {length} is not a place in a text", "expected 0 or more")
        return start, start + length

    def _close_result(self) -> None:
        doc, _ = self._said.get("file", ("", -1))
        if not doc:
            self.refuse("a result without a <file>", element=self._result)
        rank_text, at = self._said.get("rank", ("", -1))
        rank = self.whole(rank_text, "rank", at) if rank_text else -1
        if rank < 0 and rank_text:
            self.refuse(f"rank {rank} is negative", "expected 1, 2, …", at)
        score_text, at = self._said.get("rsv", ("", -1))
        score = self.number(score_text, "rsv", at) if score_text else math.nan
        assert self._topic is not None
        parts = self._add_places()
        self._owner += [len(self._ranks)] * parts
        self._docs += [_document(doc)] * parts
        self._scores += [score] * parts
        self._ranks.append(rank)
        self._result_topics.append(self._topic)
        self._elements.append(self._result)
        self._result = -1
        self._said.clear()
        self._paths.clear()
        self._spans.clear()
        self._pointers.clear()

    def _add_places(self) -> int:
        """Add the places a result names, one at least, and say how many.

        As many of one kind as of another: the same places said twice.
        """
        kinds = {len(kind) for kind in (self._paths, self._spans, self._pointers) if kind}
        if len(kinds) > 1:
            paths, spans, pointers = len(self._paths), len(self._spans), len(self._pointers)
            self._paths += [""] * (spans + pointers)
            self._spans[:] = [(-1, -1)] * paths + self._spans + [(-1, -1)] * pointers
            self._pointers[:] = [("", "")] * (paths + spans) + self._pointers
            kinds = {paths + spans + pointers}
        parts = kinds.pop() if kinds else 1
        self._path += self._paths or [""] * parts
        self._start += [start for start, _ in self._spans] or [-1] * parts
        self._end += [end for _, end in self._spans] or [-1] * parts
        self._first += [first for first, _ in self._pointers] or [""] * parts
        self._last += [last for _, last in self._pointers] or [""] * parts
        return parts

    def rows(self) -> Rows:
        owner = np.array(self._owner, np.int64)
        columns: dict[str, Any] = {
            "topic": encode([self._result_topics[i] for i in self._owner]),
            "doc": encode(self._docs),
        }
        rank = self._rank()
        if rank is not None:
            columns["rank"] = rank[owner]
        columns["score"] = np.array(self._scores, np.float64)
        if any(self._path):
            columns["path"] = encode(self._path)
        if self._offsets:
            columns["start"], columns["end"] = np.array(self._start, np.int64), np.array(self._end, np.int64)
        if any(self._first):
            columns["pointer_start"], columns["pointer_end"] = encode(self._first), encode(self._last)
        if not len(owner):
            self.problems.add("no results", "the run holds no results", self.source.name)
        return Rows(columns, self.source.name, lines=self.lines_of(self._elements)[owner],
                    order="file" if rank is None else "rank", run=self.run)

    def _rank(self) -> np.ndarray | None:
        """Ranks of the results, None if file order is to rule."""
        rank = np.array(self._ranks, np.int64)
        _, topic = np.unique(np.array(self._result_topics), return_inverse=True) if len(rank) else (0, rank)
        if (rank < 0).any() or not len(rank):
            missing = np.flatnonzero(rank < 0)
            if 0 < len(missing) < len(rank):
                self.problems.add("no rank", "some results have no rank; file order is used for all", self.source.name,
                                  int(self.lines_of([self._elements[missing[0]]])[0]), len(missing))
            if len(self._owner) == len(rank):
                return None
            rank = np.zeros_like(rank)  # rows of one result need a rank in common: their place in the file
        else:
            order = np.lexsort((rank, topic))
            tied = (np.diff(rank[order]) == 0) & (np.diff(topic[order]) == 0)
            if not tied.any():
                return rank
            again = order[1:][tied]
            self.problems.add("tied ranks", "results share a rank; they are ranked in file order", self.source.name,
                              int(self.lines_of([self._elements[again.min()]])[0]), len(again))
        order = np.lexsort((rank, topic))
        ordered = topic[order]
        first = np.searchsorted(ordered, ordered)
        rank[order] = np.arange(1, len(order) + 1) - first
        return rank


class _Assessments(_Reader):
    """Collects graded elements, passages and best entry points."""

    _ENTRY = frozenset({"bestentrypoint", "bep"})
    _TOPIC_HOLDERS = _ASSESSMENT_ROOTS | {"topic", "inextopic", "pool", "query"}
    _FILES = frozenset({"file", "doc", "document"})

    def __init__(self, source: Source, markup: xml_safe.Markup):
        super().__init__(source, markup)
        self._topics: list[str | None] = [None]      # in force, by depth
        self._topic_named: list[bool] = [False]      # by that element itself
        self._doc: str | None = None
        self._file_depth = -1
        self._grades: list[tuple[str, str, str, float, float, int]] = []
        self._passages: list[tuple[str, str, str, str, int, int]] = []
        self._entries: list[tuple[str, str, str, int]] = []
        self._judged: list[list[Any]] = []           # topic, doc, relevant, element
        self._skipped = 0                            # unassessed rows

    def opened(self, tag: str, attributes: Any) -> None:
        name = self.name(tag)
        given = self.attributes(attributes)
        topic, named = self._topics[-1], False
        if self._doc is None and (name in self._TOPIC_HOLDERS or name in self._FILES or self.depth == 1):
            own = _first(given, (*_TOPIC, "id", "no")) if name == "topic" else _first(given, _TOPIC)
            if own:
                topic, named = own, True
                # INEX put a copy of the topic, with its number, in front of the files it was assessed with.
                if name == "inextopic" and not any(self._topic_named):
                    self._topics[-1] = own
        self._topics.append(topic)
        self._topic_named.append(named)
        if self._doc is not None:
            if name in self._ENTRY:
                self._entries.append((*self._place(), self.need(given, (*_PATH, "start", "pointer"),
                                                                "a best entry point"), self.element))
            elif name == "passage":
                self._passage(given)
            elif name in self._FILES:
                self.refuse("a file within a file")
            elif _first(given, _PATH) is not None or name in ("path", "element"):
                self._grade(name, given)
        elif name in self._FILES:
            self._doc = _document(self.need(given, _FILE, "a file", "name"))
            self._file_depth = self.depth
            self._judged.append([*self._place(), 0, self.element])
        elif name in self._ENTRY or name == "passage" or (name == "element" and _first(given, _PATH) is not None):
            self.refuse(f"<{name}> outside a file", "expected <file name=…> around it")

    def closed(self, tag: str) -> None:
        self._topics.pop()
        self._topic_named.pop()
        if self.depth == self._file_depth:
            self._doc, self._file_depth = None, -1

    def data(self, text: str) -> None:
        return None

    def _place(self) -> tuple[str, str]:
        topic = self._topics[-1]
        if topic is None:
            self.refuse("assessments without a topic", "expected <assessments topic=…> or <topic topic-id=…> around")
        assert self._doc is not None
        return topic, self._doc

    def _passage(self, given: Mapping[str, str]) -> None:
        size = _first(given, ("size",))
        self._passages.append((*self._place(), self.need(given, ("start",), "a passage"),
                               self.need(given, ("end",), "a passage"), self.whole(size, "size") if size else -1,
                               self.element))
        if size and self._passages[-1][4] < 0:
            self.refuse(f"size {size} is negative")
        self._judged[-1][2] = 1

    def _grade(self, name: str, given: Mapping[str, str]) -> None:
        place = self._place()
        path = self.need(given, _PATH, f"<{name}>")
        e = _first(given, _EXHAUSTIVITY)
        s = _first(given, _SPECIFICITY)
        highlighted = s is None and ("rsize" in given or "size" in given)
        if e is None:
            self.refuse(f"<{name}> has no exhaustivity", "expected exhaustivity and specificity, or size and rsize")
        if s is None and not highlighted:
            self.refuse(f"<{name}> has no specificity", "expected specificity 0 to 3, or size and rsize")
        if e.upper() in _UNASSESSED or (s or "").upper() in _UNASSESSED:
            self.problem("unassessed", "an element is marked unassessed (U); it is left out")
            self._skipped += 1
            return
        if e == "?":
            self.problem("too small", "an element is marked too small (?); its exhaustivity is taken as 0")
            exhaustivity = 0.0
        else:
            exhaustivity = self._in_range(e, "exhaustivity")
        if highlighted:
            size = self.whole(self.need(given, ("size",), f"<{name}>"), "size")
            part = self.whole(self.need(given, ("rsize",), f"<{name}>"), "rsize")
            if not 0 <= part <= size:
                self.refuse(f"{part} of {size} characters are highlighted", "expected rsize from 0 to size")
            # A share from 0 to 1; times 3, so that one table holds the grades of all years on the scale 0 to 3.
            specificity = 3.0 * part / size if size else 0.0
        else:
            specificity = self._in_range(s or "", "specificity")
        self._grades.append((*place, path, exhaustivity, specificity, self.element))

    def _in_range(self, text: str, what: str) -> float:
        value = self.number(text, what)
        if not 0 <= value <= 3:
            self.refuse(f"{what} {text[:_SHOWN]} is out of range", "expected 0 to 3, U or ?")
        return value

    def tables(self) -> list[tuple[str, Rows]]:
        found = []
        if self._grades or (self._skipped and not self._passages):
            found.append(("grades", self._rows(self._grades, "topic doc path exhaustivity specificity")))
        if self._passages or (self._judged and not self._grades and not self._skipped):
            found.append(("highlights", self._rows(self._passages, "topic doc pointer_start pointer_end size")))
            found.append(("judgements", self._rows(self._judged, "topic doc relevance")))
        if self._entries:
            found.append(("beps", self._rows(self._entries, "topic doc pointer")))
        return found

    def _rows(self, values: Sequence[Sequence[Any]], names: str) -> Rows:
        """Columns of these names; a row's last value is its element."""
        *columns, elements = zip(*values, strict=True) if values else [()] * (len(names.split()) + 1)
        kinds: dict[str, Any] = {"exhaustivity": np.float64, "specificity": np.float64, "size": np.int64,
                                 "relevance": np.int64}
        typed = {name: np.array(column, kinds[name]) if name in kinds else encode(list(column))
                 for name, column in zip(names.split(), columns, strict=True)}
        return Rows(typed, self.source.name, lines=self.lines_of(list(elements)))
