"""From the tables that readers hand on to a Study: one code per identifier, sorted arrays, places resolved.

Everything odd that shows only when tables meet (a result in an unknown document, a duplicate, a topic in
two blocks, overlapping highlights) is found here, with whole-column comparisons, and counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from esr_core.errors import DataError
from esr_core.problems import Problems
from esr_core.ragged import distinct, first_in_list, offsets_of
from esr_core.readers.columns import shorten
from esr_core.readers.rows import Rows, codes, encode
from esr_core.spans import merge
from esr_core.structure import Trees, canonical_path, parent_of
from esr_core.study import Elements, EntryPoints, Highlights, Judgements, Places, Results, Study

if TYPE_CHECKING:
    from esr_core.readers.documents import ParsedDocument


class Names(Sequence[str]):
    """Identifiers in an Arrow array; Python strings are made only when somebody reads them."""

    def __init__(self, array: Any):
        self._array = array
        self._list: list[str] | None = None

    def _all(self) -> list[str]:
        if self._list is None:
            self._list = self._array.to_pylist()
        return self._list

    def __len__(self) -> int:
        return len(self._array)

    def __getitem__(self, i: Any) -> Any:
        return self._all()[i]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def index(self, value: Any, start: int = 0, stop: int | None = None) -> int:
        return self._all().index(value, start, len(self) if stop is None else stop)


class Codes:
    """One code per distinct identifier over all columns of one kind, in the order of first appearance."""

    def __init__(self, columns: Iterable[Any]):
        columns = [c for c in columns if c is not None]
        if not columns:
            columns = [encode([])]
        united = pa.chunked_array(columns).unify_dictionaries()
        self.values: Any = united.chunk(0).dictionary
        self._codes = {id(c): codes(united.chunk(i)) for i, c in enumerate(columns)}

    def of(self, column: Any) -> np.ndarray:
        """The codes of a column's rows."""
        return self._codes[id(column)]


class PathCodes(Codes):
    """The same for element paths, after `canonical_path`: two spellings of a path have one code."""

    def __init__(self, columns: Iterable[Any]):
        code_of: dict[str, int] = {}
        self._codes = {}
        for column in (c for c in columns if c is not None):
            own = [code_of.setdefault(canonical_path(p) if p else "", len(code_of))
                   for p in column.dictionary.to_pylist()]
            self._codes[id(column)] = np.array(own, np.int32)[codes(column)]
        self.values = list(code_of)


def assemble(tables: Mapping[str, list[Rows]], documents: Sequence[ParsedDocument], problems: Problems,
             **about: Any) -> Study:
    """Build the Study from all tables and parsed documents; `about` is passed through (name, unit, defaults …)."""
    everything = [(name, rows) for name, many in tables.items() for rows in many]

    def columns(*names: str, of: Sequence[str] | None = None) -> list[Any]:
        return [rows.get(c) for table, rows in everything if of is None or table in of
                for c in names if rows.get(c) is not None]

    parsed_docs = encode([d.name for d in documents]) if documents else None
    parsed_paths = encode([p for d in documents for p in d.paths]) if documents else None
    topic_codes = Codes([*columns("topic", of=("topics",)), *columns("topic", of=_ASSESSMENTS),
                         *columns("topic", of=("runs",))])
    doc_codes = Codes([*columns("doc"), parsed_docs])
    path_codes = PathCodes([*columns("path", "source", "target"), parsed_paths])
    topics, docs = tuple(topic_codes.values.to_pylist()), Names(doc_codes.values)
    paths = tuple(path_codes.values)
    empty_path = paths.index("") if "" in paths else -2

    def path_of(rows: Rows, name: str = "path") -> np.ndarray | None:
        if rows.get(name) is None:
            return None
        codes = path_codes.of(rows.get(name))
        return np.where(codes == empty_path, -1, codes).astype(np.int32)

    by_name = {d.name: d for d in documents}
    resolve_pointers(tables, by_name, problems)
    lengths, trees = _documents(tables, documents, parsed_docs, parsed_paths, doc_codes, path_codes, paths, problems)
    highlights = _highlights(tables.get("highlights", []), topic_codes, doc_codes, lengths, problems)
    judgements = _judgements(tables.get("judgements", []), topic_codes, doc_codes, topics, docs, problems)
    grades = _elements(tables.get("grades", []), topic_codes, doc_codes, path_of, ("exhaustivity", "specificity"),
                       problems)
    units = _elements(tables.get("units", []), topic_codes, doc_codes, path_of, ("relevance",), problems)
    beps = _entry_points(tables.get("beps", []), topic_codes, doc_codes, problems)
    assessed = np.zeros(len(topics), bool)
    for table in ("highlights", "judgements", "grades", "units"):
        for rows in tables.get(table, []):
            assessed[topic_codes.of(rows.get("topic"))] = True
    run_names, order, results = _results(tables.get("runs", []), topic_codes, doc_codes, docs, path_of, trees,
                                         lengths, len(topics), problems)
    _count_strays(results, assessed, topics, problems)
    titles: dict[str, dict[str, str]] = {
        topic: {c: str(rows.columns[c][i]) for c in ("title", "description", "narrative") if c in rows.columns}
        for rows in tables.get("topics", []) for i, topic in enumerate(rows.columns["topic"].to_pylist())}
    return Study(
        run_names=run_names, topic_ids=topics, doc_ids=docs, paths=paths, results=results, order=order,
        assessed=assessed, doc_length=lengths, titles=titles, highlights=highlights, judgements=judgements,
        grades=grades, units=units, entry_points=beps, trees=trees, texts={d.name: d.text for d in documents},
        navigation_rows=_navigation(tables.get("navigation", []), doc_codes, path_of, problems),
        route_rows=_routes(tables.get("routes", []), doc_codes, path_of), problems=problems, **about)


_ASSESSMENTS = ("highlights", "judgements", "grades", "units", "beps")


def _concat(many: list[np.ndarray], dtype: Any = np.int64) -> np.ndarray:
    return np.concatenate(many) if many else np.empty(0, dtype)


# ---------------------------------------------------------------- documents

def _documents(tables: Mapping[str, list[Rows]], documents: Sequence[ParsedDocument], parsed_docs: Any,
               parsed_paths: Any, doc_codes: Codes, path_codes: Codes, paths: tuple[str, ...],
               problems: Problems) -> tuple[np.ndarray, Trees | None]:
    """Document lengths (stated ones before measured ones) and the trees of all documents whose elements are known."""
    n_docs = len(doc_codes.values)
    lengths = np.full(n_docs, -1, np.int64)
    doc, path, start, end, size = [], [], [], [], []
    if documents:
        codes = doc_codes.of(parsed_docs)
        counts = [len(d.paths) for d in documents]
        doc.append(np.repeat(codes, counts).astype(np.int32))
        path.append(path_codes.of(parsed_paths))
        start.append(_concat([d.start for d in documents]))
        end.append(_concat([d.end for d in documents]))
        size.append(end[-1] - start[-1])
        lengths[codes] = [int(d.end[0]) for d in documents]
    for rows in tables.get("nodes", []):
        n = len(rows)
        own_start, own_end, own_length = (rows.get(c) for c in ("start", "end", "length"))
        if own_start is None and own_length is None:
            raise DataError("elements without start and end and without length", rows.file, 1,
                            "add the columns start,end or length")
        doc.append(doc_codes.of(rows.get("doc")))
        path.append(path_codes.of(rows.get("path")))
        start.append(own_start if own_start is not None else np.full(n, -1))
        end.append(own_end if own_end is not None else np.full(n, -1))
        size.append(own_length if own_length is not None else own_end - own_start)
    trees = None
    if doc:
        trees = _trees(_concat(doc), _concat(path), _concat(start), _concat(end), _concat(size), paths, n_docs,
                       problems)
        roots = np.flatnonzero(trees.parent < 0)
        known = lengths[trees.doc[roots]] < 0
        np.maximum.at(lengths, trees.doc[roots][known],
                      np.where(trees.end[roots] >= 0, trees.end[roots], trees.length[roots])[known])
    stated = np.full(n_docs, -1, np.int64)
    for rows in tables.get("lengths", []):
        codes, value = doc_codes.of(rows.get("doc")), rows.get("length")
        before = stated[codes]
        np.maximum.at(stated, codes, value)
        clash = (stated[codes] != value) | ((before >= 0) & (before != value))
        if clash.any():
            problems.add("two lengths", "a document has two stated lengths; the larger is used", rows.file,
                         rows.line(int(np.argmax(clash))), int(clash.sum()))
    return np.where(stated >= 0, stated, lengths), trees


def _trees(doc: np.ndarray, path: np.ndarray, start: np.ndarray, end: np.ndarray, size: np.ndarray,
           paths: tuple[str, ...], n_docs: int, problems: Problems) -> Trees:
    depth_of = np.array([p.count("/") for p in paths], np.int32)
    code_of = {p: i for i, p in enumerate(paths)}
    parent_path = np.array([_nearest(p, code_of) for p in paths], np.int64)
    depth = depth_of[path]
    # Ancestors first: by start, then the longer, then the shallower; without places, by path depth only.
    order = np.lexsort((depth, -end, np.maximum(start, 0), doc))
    doc, path, start, end, size, depth = (a[order] for a in (doc, path, start, end, size, depth))
    key = doc.astype(np.int64) * max(len(paths), 1) + path
    _, first = np.unique(key, return_index=True)
    if len(first) < len(key):
        problems.add("element twice", "an element is listed twice; the first row is used", count=len(key) - len(first))
        first.sort()
        doc, path, start, end, size, depth = (a[first] for a in (doc, path, start, end, size, depth))
    blank = np.full(len(doc), -1, np.int64)
    trees = Trees.build(doc, path, blank, depth, start, end, size, n_docs, len(paths))
    parent = trees.find(doc, parent_path[path])
    # An outermost element that a table names without its ancestors hangs below the nearest one that is there.
    lost = np.flatnonzero((parent < 0) & (depth > 1))
    above = path.copy()
    while len(lost):
        above[lost] = parent_path[above[lost]]
        lost = lost[above[lost] >= 0]
        parent[lost] = trees.find(doc[lost], above[lost])
        lost = lost[parent[lost] < 0]
    return Trees.build(doc, path, parent, depth, start, end, size, n_docs, len(paths))


def _nearest(path: str, code_of: Mapping[str, int]) -> int:
    """The code of the nearest ancestor that anybody names, −1 if none."""
    while path := parent_of(path):
        if path in code_of:
            return code_of[path]
    return -1


def resolve_pointers(tables: Mapping[str, list[Rows]], documents: Mapping[str, ParsedDocument],
                     problems: Problems) -> None:
    """Turn INEX text pointers (/article[1]/p[2]/text()[1].10) into places, in the tables that hold any."""
    for table in ("runs", "highlights", "beps"):
        for rows in tables.get(table, []):
            names = [n for n in ("pointer_start", "pointer_end", "pointer") if rows.get(n) is not None]
            if not names:
                continue
            docs = rows.columns["doc"].to_pylist()
            found = {n: np.full(len(rows), -1, np.int64) for n in names}
            for n in names:
                at_end = n == "pointer_end"  # an end that names an element means the end of that element
                for i, (doc, pointer) in enumerate(zip(docs, rows.columns[n].to_pylist(), strict=True)):
                    place = documents[doc].resolve(pointer, at_end=at_end) if pointer and doc in documents else None
                    found[n][i] = -1 if place is None else place
                del rows.columns[n]
            if "pointer" in found:
                rows.columns["bep"] = found["pointer"]
                continue
            both = (found["pointer_start"] >= 0) & (found["pointer_end"] >= found["pointer_start"])
            for name, own in (("start", "pointer_start"), ("end", "pointer_end")):
                given = rows.columns.get(name, np.full(len(rows), -1, np.int64))
                rows.columns[name] = np.where(given >= 0, given, np.where(both, found[own], -1))
            lost = rows.columns["start"] < 0
            if rows.get("path") is not None:
                lost &= np.array([not p for p in rows.columns["path"].to_pylist()], bool)
            if lost.any() and table == "highlights":
                raise DataError("a highlighted passage cannot be placed: its document or element is not there",
                                rows.file, rows.line(int(np.argmax(lost))), "load the documents too")
            if lost.any():
                problems.add("unresolved", "a passage cannot be placed in its document; it covers nothing and keeps "
                             "its rank", rows.file, rows.line(int(np.argmax(lost))), int(lost.sum()))


# ---------------------------------------------------------------- assessments

def _highlights(many: list[Rows], topic_codes: Codes, doc_codes: Codes, lengths: np.ndarray,
                problems: Problems) -> Highlights | None:
    if not many:
        return None
    topic = _concat([topic_codes.of(r.get("topic")) for r in many], np.int32)
    doc = _concat([doc_codes.of(r.get("doc")) for r in many], np.int32)
    start, end = _concat([r.get("start") for r in many]), _concat([r.get("end") for r in many])
    n_docs = len(doc_codes.values)
    pair = topic.astype(np.int64) * n_docs + doc
    overlaps = _overlaps(pair, start, end)
    offset = 0
    for rows in many:
        own = slice(offset, offset + len(rows))
        offset += len(rows)
        nowhere = start[own] < 0
        if nowhere.any():
            raise DataError("a highlight without start and end", rows.file, rows.line(int(np.argmax(nowhere))))
        empty = end[own] == start[own]
        if empty.any():
            problems.add("empty highlight", "a highlight of no characters is left out", rows.file,
                         rows.line(int(np.argmax(empty))), int(empty.sum()))
        if overlaps[own].any():
            problems.add("overlapping highlights", "highlights overlap; their union is used", rows.file,
                         rows.line(int(np.argmax(overlaps[own]))), int(overlaps[own].sum()))
        past = (lengths[doc[own]] >= 0) & (end[own] > lengths[doc[own]])
        if past.any():
            problems.add("highlight past end", "a highlight runs past the stated length of its document; the document "
                         "is taken to be as long as its highlights", rows.file, rows.line(int(np.argmax(past))),
                         int(past.sum()))
    pair, start, end = merge(pair, start, end)
    doc = (pair % n_docs).astype(np.int32)
    known = lengths[doc] >= 0
    np.maximum.at(lengths, doc[known], end[known])
    return Highlights((pair // n_docs).astype(np.int32), doc, start, end)


def _overlaps(group: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Does a span share text with another one of its group that starts no later (of equals: stands earlier)?"""
    out = np.zeros(len(group), bool)
    order = np.lexsort((start, group))
    g, s, e = group[order], start[order], end[order]
    if len(g) > 1:
        stride = int(e.max()) + 1
        number = np.cumsum(np.concatenate(([0], g[1:] != g[:-1])))
        reach = np.maximum.accumulate(number * stride + e)
        out[order[1:]] = (number[1:] * stride + s[1:] < reach[:-1]) & (e[1:] > s[1:])
    return out


def _judgements(many: list[Rows], topic_codes: Codes, doc_codes: Codes, topics: Sequence[str], docs: Sequence[str],
                problems: Problems) -> Judgements | None:
    if not many:
        return None
    topic = _concat([topic_codes.of(r.get("topic")) for r in many], np.int32)
    doc = _concat([doc_codes.of(r.get("doc")) for r in many], np.int32)
    relevance = _concat([r.get("relevance").astype(np.float64) for r in many], np.float64)
    origin = np.repeat(np.arange(len(many)), [len(r) for r in many])
    row = _concat([np.arange(len(r)) for r in many])
    order = np.lexsort((doc, topic))
    topic, doc, relevance, origin, row = (a[order] for a in (topic, doc, relevance, origin, row))
    again = np.zeros(len(topic), bool)
    again[1:] = (topic[1:] == topic[:-1]) & (doc[1:] == doc[:-1])
    if again.any():
        clash = np.flatnonzero(again[1:] & ((relevance[1:] > 0) != (relevance[:-1] > 0))) + 1
        if len(clash):
            i = clash[0]
            rows = many[origin[i]]
            raise DataError(f"topic {shorten(topics[topic[i]])}, document {shorten(docs[doc[i]])} is judged twice, "
                            "once relevant and once not", rows.file, rows.line(row[i]), "keep one of the two lines")
        i = int(np.argmax(again))
        problems.add("judged twice", "a document is judged twice for a topic; the higher value is used",
                     many[origin[i]].file, many[origin[i]].line(row[i]), int(again.sum()))
        first = np.flatnonzero(~again)
        relevance = np.maximum.reduceat(relevance, first)
        topic, doc = topic[first], doc[first]
    return Judgements(topic, doc, relevance)


def _refuse_contradictions(many: list[Rows], topic_codes: Codes, doc_codes: Codes, path_of: Any,
                           values: tuple[str, ...], problems: Problems) -> None:
    """The same element assessed twice: counted when both rows agree, refused when they do not."""
    seen: dict[tuple[Any, ...], tuple[float, ...]] = {}
    homes: dict[tuple[int, str], int] = {}
    for rows in many:
        names = rows.get("unit").to_pylist() if rows.get("unit") is not None else [""] * len(rows)
        topic, doc, path = topic_codes.of(rows.get("topic")), doc_codes.of(rows.get("doc")), path_of(rows)
        columns = [rows.get(v).tolist() for v in values]
        for i, (t, d, p, name, *own) in enumerate(zip(topic.tolist(), doc.tolist(), path.tolist(), names, *columns,
                                                      strict=True)):
            before = seen.setdefault((t, d, p, name), tuple(own))
            if before != tuple(own):
                raise DataError("an element is assessed twice, with different values", rows.file, rows.line(i),
                                "keep one of the two rows")
            if name and homes.setdefault((t, name), d) != d:
                raise DataError(f"unit '{shorten(name)}' has nodes in two documents", rows.file, rows.line(i),
                                "a unit stands in one document")
    twice = sum(len(r) for r in many) - len(seen)
    problems.add("assessed twice", "an element is assessed twice with the same values; it counts once", many[0].file,
                 count=twice)


def _elements(many: list[Rows], topic_codes: Codes, doc_codes: Codes, path_of: Any, values: tuple[str, ...],
              problems: Problems) -> Elements | None:
    if not many:
        return None
    for rows in many:
        for name in values:
            column = rows.get(name)
            wrong = (column < 0) | (column > 3 if name != "relevance" else False)
            if wrong.any():
                raise DataError(f"{name} {column[int(np.argmax(wrong))]:g} is out of range", rows.file,
                                rows.line(int(np.argmax(wrong))), "expected 0 to 3" if name != "relevance" else
                                "expected 0 or more")
    _refuse_contradictions(many, topic_codes, doc_codes, path_of, values, problems)
    unit = None
    if any(r.get("unit") is not None for r in many):
        unit_codes = Codes([r.get("unit") for r in many if r.get("unit") is not None])
        names = unit_codes.values.to_pylist()
        # A row without a unit name is a unit of its own.
        parts, alone = [], len(names)
        for r in many:
            own = unit_codes.of(r.get("unit")).astype(np.int64) if r.get("unit") is not None else None
            single = np.ones(len(r), bool) if own is None else np.array([names[c] == "" for c in own], bool)
            fresh = alone + np.arange(len(r))
            alone += len(r)
            parts.append(np.where(single, fresh, -1 if own is None else own))
        unit = _concat(parts)
    topic = _concat([topic_codes.of(r.get("topic")) for r in many], np.int32)
    doc = _concat([doc_codes.of(r.get("doc")) for r in many], np.int32)
    path = _concat([path_of(r) for r in many], np.int32)
    named = np.concatenate([np.array(r.get("unit").to_pylist(), object) if r.get("unit") is not None else
                            np.full(len(r), "", object) for r in many]) if unit is not None else np.zeros(len(topic))
    key = list(zip(topic.tolist(), doc.tolist(), path.tolist(), named.tolist(), strict=True))
    first = np.array(list({k: i for i, k in reversed(list(enumerate(key)))}.values()), np.int64)
    first.sort()
    return Elements(topic[first], doc[first], path[first],
                    {name: _concat([r.get(name) for r in many], np.float64)[first] for name in values},
                    None if unit is None else unit[first])


def _entry_points(many: list[Rows], topic_codes: Codes, doc_codes: Codes, problems: Problems) -> EntryPoints | None:
    many = [r for r in many if r.get("bep") is not None]
    if not many:
        return None
    topic = _concat([topic_codes.of(r.get("topic")) for r in many], np.int32)
    doc = _concat([doc_codes.of(r.get("doc")) for r in many], np.int32)
    position = _concat([r.get("bep") for r in many])
    keep = position >= 0
    topic, doc, position = topic[keep], doc[keep], position[keep]
    order = np.lexsort((doc, topic))
    topic, doc, position = topic[order], doc[order], position[order]
    again = np.zeros(len(topic), bool)
    again[1:] = (topic[1:] == topic[:-1]) & (doc[1:] == doc[:-1])
    problems.add("two entry points", "a document has two best entry points for a topic; the first is used",
                 many[0].file, count=int(again.sum()))
    return EntryPoints(topic[~again], doc[~again], position[~again])


# ---------------------------------------------------------------- runs

def _results(many: list[Rows], topic_codes: Codes, doc_codes: Codes, docs: Sequence[str], path_of: Any,
             trees: Trees | None, lengths: np.ndarray, n_topics: int, problems: Problems
             ) -> tuple[tuple[str, ...], tuple[str, ...], Results]:
    names, order_of = _run_names(many, problems)
    placed = any(r.get("path") is not None or r.get("start") is not None for r in many)
    scored = any(r.get("score") is not None for r in many)
    chunks: list[dict[str, np.ndarray]] = []
    own_names = [n for r in many for n in ([r.run] if "run" not in r.columns else
                                           r.columns["run"].dictionary.to_pylist())]
    unranked = 0
    several = len(set(own_names)) < len(own_names)  # a run over several files: its rows meet again below
    for rows in many:
        topic, doc = topic_codes.of(rows.get("topic")), doc_codes.of(rows.get("doc"))
        run = names[rows.run or ""] if "run" not in rows.columns else np.array(
            [names[n] for n in rows.columns["run"].dictionary.to_pylist()],
            np.int32)[codes(rows.columns["run"])]
        chunk = _sorted_rows(rows, topic, doc, run, docs, n_topics, problems)
        n = len(rows)
        if placed:
            path, start, end = path_of(rows), rows.get("start"), rows.get("end")
            chunk |= {"path": path if path is not None else np.full(n, -1, np.int32),
                      "start": start if start is not None else np.full(n, -1),
                      "end": end if end is not None else np.full(n, -1)}
            for c in ("path", "start", "end"):
                chunk[c] = chunk[c][chunk["row"]]
            if "rank" not in chunk or (path is None and start is None):
                # Without ranks, or places, rows are results of their own; numbers go on over files.
                chunk["rank"] = -1 - unranked - np.arange(n)
                unranked += n
        else:  # without places no rows can be nodes of one tree
            chunk.pop("rank", None)
        if several:
            chunk["sort"] = _sort_key(rows)[chunk["row"]]
        if scored:
            score = rows.get("score")
            chunk["score"] = np.full(len(rows), np.nan) if score is None else score[chunk["row"]]
        if placed:
            _place(chunk, rows, trees, problems)
            past = (lengths[chunk["doc"]] >= 0) & (chunk["end"] > lengths[chunk["doc"]])
            if past.any():
                problems.add("past the end", "a result runs past the stated length of its document; it keeps its size, "
                             "and the surplus is non-relevant text", rows.file,
                             rows.line(int(chunk["row"][past].min())), int(past.sum()))
            _refuse_split_trees(chunk, rows)
        _count_duplicates(chunk, rows, placed, problems)
        chunks.append(chunk)
    if not chunks:
        empty = np.empty(0, np.int32)
        return (), (), Results(empty, empty, empty, None, np.zeros(1, np.int64))
    joined = {c: np.concatenate([k[c] for k in chunks]) for c in chunks[0] if c != "row"}
    number = joined["run"].astype(np.int64) * n_topics + joined["topic"]
    if several:
        again = np.lexsort((joined.pop("sort"), number))
        joined, number = {c: v[again] for c, v in joined.items()}, number[again]
    return tuple(names), tuple(order_of[n] for n in names), _group(joined, number, len(names) * n_topics)


def _run_names(many: list[Rows], problems: Problems) -> tuple[dict[str, int], dict[str, str]]:
    """Names by their column, or the tag; the file's stem where two files share a tag."""
    for rows in many:
        rows.run = rows.run or _stem(rows.file)
    tags = [r.run for r in many if "run" not in r.columns]
    for rows in many:
        if "run" not in rows.columns and tags.count(rows.run) > 1:
            shared = rows.run
            rows.run = _stem(rows.file)
            problems.add("shared tag", f"the tag '{shorten(str(shared))}' stands in several files; the run is named "
                         "after its file", rows.file)
    seen: dict[str, str] = {}
    order: dict[str, str] = {}
    for rows in many:
        own: list[str] = [rows.run or ""] if "run" not in rows.columns else \
            rows.columns["run"].dictionary.to_pylist()
        for name in own:
            if name in seen and (seen[name] != rows.file or "run" not in rows.columns):
                if "run" in rows.columns:
                    order[name] = rows.order
                    continue
                raise DataError(f"a second run is called '{shorten(str(name))}'", rows.file, None,
                                f"rename one; the first is in {seen[name]}")
            seen[name] = rows.file
            order[name] = rows.order
    return {n: i for i, n in enumerate(seen)}, order


def _stem(file: str) -> str:
    from esr_core.readers.source import Source

    return Source(file, content=b"").stem


def _sorted_rows(rows: Rows, topic: np.ndarray, doc: np.ndarray, run: Any, docs: Sequence[str], n_topics: int,
                 problems: Problems) -> dict[str, np.ndarray]:
    """The file's rows in list order; `row` leads back to the file."""
    number = np.asarray(run, np.int64) * n_topics + topic
    blocks = np.flatnonzero(np.diff(number) != 0) + 1
    starts = number[np.concatenate(([0], blocks))] if len(number) else number
    if len(distinct(starts)) < len(starts):
        back = np.flatnonzero(~first_in_list(starts, np.array([0, len(starts)]), int(starts.max()) + 1))
        line = rows.line(np.concatenate(([0], blocks))[back[0]])
        problems.add("topic in blocks", "a topic comes back after another one; its results are taken together",
                     rows.file, line, len(back))
    if rows.order == "rank":
        order = np.lexsort((rows.get("rank"), number))
        _check_rank_gaps(rows, number[order], rows.get("rank")[order], order, problems)
        if rows.get("path") is None and rows.get("start") is None:
            _check_tied_ranks(rows, number[order], rows.get("rank")[order], order, problems)
    elif rows.order.startswith("score"):
        order = _by_score(rows, number, doc, docs)
    elif len(number) and (np.diff(number) < 0).any():
        order = np.argsort(number, kind="stable")
    else:
        order = np.arange(len(number))
    number = number[order]
    chunk = {"row": order, "run": (number // n_topics).astype(np.int32), "topic": (number % n_topics).astype(np.int32),
             "doc": doc[order]}
    if rows.order == "rank":
        chunk["rank"] = rows.get("rank")[order]
    return chunk


def _by_score(rows: Rows, number: np.ndarray, doc: np.ndarray, docs: Sequence[str]) -> np.ndarray:
    """List, then falling score; equal scores by descending id ("score") or as in the file ("score, file")."""
    trec = rows.order == "score"
    score = rows.get("score").astype(np.float32 if trec else np.float64)
    step = number[1:] - number[:-1]
    rising = (step == 0) & (score[1:] > score[:-1])
    if (step < 0).any() or rising.any():
        order = np.lexsort((-score, number))
        n, s = number[order], score[order]
    else:  # as most files are
        order, n, s = np.arange(len(number)), number, score
    if not trec:
        return order
    equal = np.flatnonzero((s[1:] == s[:-1]) & (n[1:] == n[:-1]))
    where = distinct(np.concatenate((equal, equal + 1)))
    if len(where):
        tied = distinct(doc[order[where]])
        code = np.searchsorted(tied, doc[order[where]])
        place = np.empty(len(tied), np.int64)
        # strcmp on UTF-8 is the order of code points, which is how Python compares strings
        place[sorted(range(len(tied)), key=lambda i: docs[int(tied[i])])] = np.arange(len(tied))
        order[where] = order[where][np.lexsort((-place[code], -s[where], n[where]))]
    return order


def _check_rank_gaps(rows: Rows, number: np.ndarray, rank: np.ndarray, order: np.ndarray, problems: Problems) -> None:
    if not len(rank):
        return
    first = np.concatenate(([True], np.diff(number) != 0))
    gap = np.zeros(len(rank), bool)
    gap[1:] = ~first[1:] & (np.diff(rank) > 1)
    gap |= first & (rank > 1)
    if gap.any():
        problems.add("rank gap", "ranks are skipped; results are counted in rank order without the gap", rows.file,
                     rows.line(int(order[gap].min())), int(gap.sum()))


def _check_tied_ranks(rows: Rows, number: np.ndarray, rank: np.ndarray, order: np.ndarray, problems: Problems) -> None:
    tied = np.flatnonzero((number[1:] == number[:-1]) & (rank[1:] == rank[:-1])) + 1
    if len(tied):
        problems.add("tied ranks", "documents share a rank; they are taken in the order of the file", rows.file,
                     rows.line(int(order[tied].min())), len(tied))


def _place(chunk: dict[str, np.ndarray], rows: Rows, trees: Trees | None, problems: Problems) -> None:
    """Give results that name an element its place in the text."""
    named = chunk["path"] >= 0
    needs = (chunk["start"] < 0) & named
    chunk["element"] = np.full(len(named), -1, np.int64)
    if not named.any():
        return
    if trees is None and not needs.any():
        return
    if trees is None:
        problems.add("no documents", "results name elements, but no documents are loaded: they cover nothing",
                     rows.file, rows.line(int(chunk["row"][needs].min())), int(needs.sum()))
        return
    at = np.flatnonzero(named)
    chunk["element"][at] = trees.find(chunk["doc"][at], chunk["path"][at])
    at = np.flatnonzero(needs)
    node = chunk["element"][at]
    known_doc = trees.offsets[chunk["doc"][at] + 1] > trees.offsets[chunk["doc"][at]]
    for lost, kind, text in (
            (~known_doc, "unknown document", "a result's document is not among the documents; it covers nothing and "
             "keeps its rank"),
            (known_doc & (node < 0), "unknown element", "a result's element is not in its document; it covers nothing "
             "and keeps its rank")):
        if lost.any():
            problems.add(kind, text, rows.file, rows.line(int(chunk["row"][at[lost]].min())), int(lost.sum()))
    found = node >= 0
    chunk["start"][at[found]] = trees.start[node[found]]
    chunk["end"][at[found]] = trees.end[node[found]]


def _count_duplicates(chunk: dict[str, np.ndarray], rows: Rows, placed: bool, problems: Problems) -> None:
    """Count results that a list already holds: the same part of the same document again."""
    n = len(chunk["doc"])
    if n < 2:
        return
    list_change = (chunk["topic"][1:] != chunk["topic"][:-1]) | (chunk["run"][1:] != chunk["run"][:-1])
    bounds = np.concatenate(([0], np.flatnonzero(list_change) + 1, [n]))
    if placed:
        # Rows that agree in this hash are compared in full below.
        mixed = (chunk["doc"].astype(np.int64) + chunk["path"] * 1_000_003 + chunk["start"] * 998_244_353
                 + chunk["end"] * 1_000_000_007)
        again = np.zeros(n, bool)
        for low, high in pairwise(bounds.tolist()):
            ordered = np.sort(mixed[low:high])
            again[low] = (ordered[1:] == ordered[:-1]).any()
        again = _confirmed(chunk, bounds, again)
    else:
        again = ~first_in_list(chunk["doc"], bounds, int(chunk["doc"].max()) + 1)
    if again.any():
        problems.add("duplicate result", "a result is listed twice for a topic; document measures skip the second, "
                     "text measures count its text as seen", rows.file, rows.line(int(chunk["row"][again].min())),
                     int(again.sum()))


def _confirmed(chunk: dict[str, np.ndarray], bounds: np.ndarray, again: np.ndarray) -> np.ndarray:
    """Per row: does its list hold the same part already? Only lists marked at their first row are searched."""
    out = np.zeros(len(again), bool)
    for low, high in pairwise(bounds.tolist()):
        if again[low]:
            part = np.column_stack([chunk[c][low:high] for c in ("doc", "path", "start", "end")])
            _, first = np.unique(part, axis=0, return_index=True)
            fresh = np.zeros(high - low, bool)
            fresh[first] = True
            out[low:high] = ~fresh
    return out


def _sort_key(rows: Rows) -> np.ndarray:
    """What orders the rows of one list when they stand in several files: rank, falling score, or the file."""
    if rows.order == "rank":
        return rows.get("rank").astype(float)
    return -rows.get("score") if rows.order.startswith("score") else np.arange(len(rows), dtype=float)


def _refuse_split_trees(chunk: dict[str, np.ndarray], rows: Rows) -> None:
    """Rows of one rank are the nodes of one tree, and a tree stands in one document."""
    same = (chunk["rank"][1:] == chunk["rank"][:-1]) & (chunk["topic"][1:] == chunk["topic"][:-1]) \
        & (chunk["run"][1:] == chunk["run"][:-1])
    split = same & (chunk["doc"][1:] != chunk["doc"][:-1])
    if split.any():
        raise DataError("a result (rows with the same topic and rank) has parts in two documents", rows.file,
                        rows.line(int(chunk["row"][1:][split].min())), "give each result its own rank")


def _group(joined: dict[str, np.ndarray], number: np.ndarray, n_lists: int) -> Results:
    """Rows of one list and rank become one result with several parts; spans of a result are united."""
    n = len(number)
    if "path" not in joined:
        return Results(joined["run"], joined["topic"], joined["doc"], joined.get("score"), offsets_of(number, n_lists))
    fresh = np.ones(n, bool)
    fresh[1:] = (number[1:] != number[:-1]) | (joined["rank"][1:] != joined["rank"][:-1])
    first = np.flatnonzero(fresh)
    common: dict[str, Any] = {"run": joined["run"][first], "topic": joined["topic"][first],
                              "doc": joined["doc"][first], "lists": offsets_of(number[first], n_lists),
                              "score": joined["score"][first] if "score" in joined else None}
    owner = np.cumsum(fresh) - 1
    if len(first) < n and (joined["doc"] != common["doc"][owner]).any():
        raise DataError("a result (rows with the same topic and rank) has parts in two documents",
                        remedy="give each result its own rank")
    start, end = joined["start"], joined["end"]
    if len(first) == n:
        covers = (start >= 0) & (end > start)
        span_owner, span_start, span_end = owner[covers], start[covers], end[covers]
    else:
        placed = start >= 0
        span_owner, span_start, span_end = merge(owner[placed], start[placed], end[placed])
    spans = np.concatenate(([0], np.cumsum(np.bincount(span_owner, minlength=len(first)))))
    size = np.bincount(span_owner, span_end - span_start, len(first)).astype(np.int64)
    return Results(**common, places=Places(np.append(first, n), joined["path"], start, end, joined["element"], spans,
                                           span_start, span_end, size))


def _count_strays(results: Results, assessed: np.ndarray, topics: Sequence[str], problems: Problems) -> None:
    """Count results for topics that nobody assessed; they stay in the study but are never scored."""
    in_runs = np.zeros(len(topics), bool)
    in_runs[results.topic] = True
    strays = np.flatnonzero(in_runs & ~assessed)
    if len(strays):
        rows = int((~assessed[results.topic]).sum())
        names = ", ".join(shorten(topics[t]) for t in strays[:5]) + (", …" if len(strays) > 5 else "")
        problems.add("unassessed topics", f"{len(strays)} topics of the runs have no assessments ({names}); their "
                     f"{rows:,} results are ignored")


# ---------------------------------------------------------------- navigation

def _navigation(many: list[Rows], doc_codes: Codes, path_of: Any, problems: Problems) -> dict[str, np.ndarray] | None:
    """Rows of the navigation table as codes; the diagonal is dropped."""
    if not many:
        return None
    for rows in many:
        p = rows.get("probability")
        wrong = (p < 0) | (p > 1)
        if wrong.any():
            raise DataError(f"probability {p[int(np.argmax(wrong))]:g} is not in 0 to 1", rows.file,
                            rows.line(int(np.argmax(wrong))))
    columns = {"doc": _concat([doc_codes.of(r.get("doc")) for r in many], np.int32),
               "source": _concat([path_of(r, "source") for r in many], np.int32),
               "target": _concat([path_of(r, "target") for r in many], np.int32),
               "probability": _concat([r.get("probability") for r in many], np.float64)}
    keep = columns["source"] != columns["target"]
    key = np.column_stack([columns[c] for c in ("doc", "source", "target", "probability")])[keep]
    if len(key):
        pairs, different = len(np.unique(key[:, :3], axis=0)), len(np.unique(key, axis=0))
        if different > pairs:
            raise DataError(f"{different - pairs} pairs of elements have two probabilities", many[0].file,
                            remedy="keep one row for each doc, source and target")
        problems.add("probability twice", "a probability is given twice; it counts once", many[0].file,
                     count=len(key) - different)
    return {name: column[keep] for name, column in columns.items()}


def _routes(many: list[Rows], doc_codes: Codes, path_of: Any) -> dict[str, Any] | None:
    """Observed routes, sorted by route and step."""
    if not many:
        return None
    route_codes = Codes([r.get("route") for r in many])
    columns = {"route": _concat([route_codes.of(r.get("route")) for r in many], np.int32),
               "step": _concat([r.get("step") for r in many]),
               "doc": _concat([doc_codes.of(r.get("doc")) for r in many], np.int32),
               "path": _concat([path_of(r) for r in many], np.int32)}
    order = np.lexsort((columns["step"], columns["route"]))
    return {name: column[order] for name, column in columns.items()} | {"names": route_codes.values.to_pylist()}
