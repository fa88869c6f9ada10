"""TREC runs and qrels, and the two INEX formats that add a column or two to them."""

from __future__ import annotations

import numpy as np

from esr_core.errors import DataError
from esr_core.problems import Problems
from esr_core.readers.columns import Field, Layout, plain_lines, read_columns, shorten, whole
from esr_core.readers.rows import Parsed, Rows, codes, encode
from esr_core.readers.source import Source

# The second field and TREC's rank are ignored, as trec_eval does: the score rules.
TREC_RUN = Layout("TREC run", "topic Q0 doc rank score tag", (
    Field("topic"), Field("q0", "skip"), Field("doc"), Field("rank", "skip"), Field("score", "float"), Field("tag")))
TREC_QRELS = Layout("TREC qrels", "topic 0 doc relevance", (
    Field("topic"), Field("iteration", "skip"), Field("doc"), Field("relevance", "float")))
ELEMENT_RUN = Layout("INEX element run", "topic Q0 doc rank score tag path", (
    Field("topic"), Field("q0", "skip"), Field("doc"), Field("rank", "int"), Field("score", "float"), Field("tag"),
    Field("path")))
FOL_RUN = Layout("INEX FOL run", "topic Q0 doc rank score tag offset length", (
    Field("topic"), Field("q0", "skip"), Field("doc"), Field("rank", "int"), Field("score", "float"), Field("tag"),
    Field("offset", "int", missing="X"), Field("length", "int", missing="X")))


def read_trec_run(source: Source) -> Parsed:
    """Ordered by score in single precision, ties by descending document id."""
    return _run(source, read_columns(source, TREC_RUN), TREC_RUN, "score")


def read_element_run(source: Source) -> Parsed:
    """File order, as the INEX evaluators took it."""
    rows = read_columns(source, ELEMENT_RUN)
    paths = rows.columns["path"].dictionary.to_pylist()
    bad = np.array([not p.startswith("/") for p in paths], bool)
    if bad.any():
        row = int(np.flatnonzero(bad[codes(rows.columns["path"])])[0])
        raise DataError(f"'{shorten(str(rows.columns['path'][row]))}' is not a path", source.name, rows.line(row),
                        "expected a positional XPath such as /article[1]/sec[2]")
    return _run(source, rows, ELEMENT_RUN, "file")


def read_fol_run(source: Source) -> Parsed:
    """File order; `X` or −1 as offset is a passage that could not be resolved and keeps its rank."""
    rows = read_columns(source, FOL_RUN)
    offset, length = rows.columns.pop("offset"), rows.columns.pop("length")
    unresolved = offset == -1
    for wrong, what in (((offset < -1), "a negative offset"), ((length < 0) & ~unresolved, "a negative length")):
        if wrong.any():
            raise DataError(what, source.name, rows.line(int(np.argmax(wrong))), f"expected '{FOL_RUN.line}'")
    rows.columns["start"] = offset
    rows.columns["end"] = np.where(unresolved, -1, offset + length)
    parsed = _run(source, rows, FOL_RUN, "file")
    if unresolved.any():
        parsed.problems.add("unresolved", "a passage without a place in its document (X or −1) covers nothing and "
                            "keeps its rank", source.name, rows.line(int(np.argmax(unresolved))),
                            int(unresolved.sum()))
    return parsed


def _run(source: Source, rows: Rows, layout: Layout, order: str) -> Parsed:
    parsed = Parsed(layout.format)
    tags = rows.columns.pop("tag").dictionary.to_pylist()
    if len(tags) == 1:
        rows.run = tags[0]
    else:
        rows.run = source.stem
        if tags:
            parsed.problems.add("tags", f"{len(tags)} different tags in the last column; the run is named after its "
                                "file", source.name)
    rows.order = order
    if "rank" in rows.columns:
        _check_ranks(rows, parsed.problems)
        del rows.columns["rank"]
    parsed.add("runs", rows)
    return parsed


def _check_ranks(rows: Rows, problems: Problems) -> None:
    """Where the rank column contradicts the order of the lines, the lines win and it is said."""
    rank, topic = rows.columns["rank"], codes(rows.columns["topic"])
    if len(rank) < 2:
        return
    same = topic[1:] == topic[:-1]
    step = np.diff(rank)
    for wrong, kind, text in (
            (same & (step <= 0), "rank order", "the rank does not grow; file order is used, as INEX did"),
            (same & (step > 1), "rank gap", "ranks are skipped; results are counted in file order")):
        if wrong.any():
            problems.add(kind, text, rows.file, rows.line(int(np.argmax(wrong)) + 1), int(wrong.sum()))


def read_trec_qrels(source: Source) -> Parsed:
    """Documents with a relevance value; above 0 is relevant, as in trec_eval."""
    rows = read_columns(source, TREC_QRELS)
    parsed = Parsed(TREC_QRELS.format)
    parsed.add("judgements", rows)
    return parsed


FOL_QRELS_LINE = "topic Q0 doc relchars doclen [bep offset:length …]"


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 18


def read_fol_qrels(source: Source) -> Parsed:
    """INEX file-offset-length assessments: highlights, judged documents, lengths and best entry points."""
    judged: list[tuple[str, str, int, int]] = []
    beps: list[tuple[str, str, int]] = []
    spans: list[tuple[str, str, int, int]] = []
    lines, bep_lines, span_lines = [], [], []
    parsed = Parsed("INEX FOL qrels")
    for at, raw in plain_lines(source.unix_text().encode(), source):
        parts = [part.decode() for part in raw.split()]

        def fail(what: str, at: int = at) -> DataError:
            return DataError(what, source.name, at, f"expected '{FOL_QRELS_LINE}'")

        if len(parts) < 5:
            raise fail(f"{len(parts)} columns instead of 5 or more")
        topic, _, doc, *rest = parts
        try:
            relevant, length = whole(rest[0]), whole(rest[1])
        except (ValueError, OverflowError):
            raise fail(f"'{shorten(rest[0])} {shorten(rest[1])}' are not two whole numbers") from None
        if relevant < 0 or length < 0:
            raise fail("a negative number of characters")
        found = []
        for pair in rest[3:]:
            offset, _, size = pair.partition(":")
            if not (_is_count(offset) and _is_count(size)):
                raise fail(f"'{shorten(pair)}' is not offset:length")
            found.append((int(offset), int(offset) + int(size)))
        if relevant and not found:
            raise fail(f"{relevant} relevant characters, but no passage")
        if len(rest) > 2 and rest[2] not in ("X", "-1"):
            if not _is_count(rest[2]):
                raise fail(f"best entry point '{shorten(rest[2])}' is not a whole number")
            beps.append((topic, doc, int(rest[2])))
            bep_lines.append(at)
        if found and sum(end - start for start, end in found) != relevant:
            parsed.problems.add("relevant characters", "the passages do not add up to the stated number of relevant "
                                "characters; the passages are used", source.name, at)
        judged.append((topic, doc, relevant or int(bool(found)), length))
        lines.append(at)
        spans += [(topic, doc, start, end) for start, end in found]
        span_lines += [at] * len(found)

    def rows(values: list, names: str, at: list[int]) -> Rows:
        columns = dict(zip(names.split(), zip(*values, strict=True) if values else [()] * len(names.split()),
                           strict=True))
        typed = {name: encode(list(column)) if name in ("topic", "doc") else np.array(column, np.int64)
                 for name, column in columns.items()}
        return Rows(typed, source.name, lines=np.array(at, np.int64))

    documents = rows(judged, "topic doc relevance length", lines)
    lengths = documents.columns.pop("length")
    parsed.add("judgements", documents)
    parsed.add("lengths", Rows({"doc": documents.columns["doc"], "length": lengths}, source.name,
                               lines=documents.lines))
    parsed.add("highlights", rows(spans, "topic doc start end", span_lines))
    if beps:
        parsed.add("beps", rows(beps, "topic doc bep", bep_lines))
    return parsed
