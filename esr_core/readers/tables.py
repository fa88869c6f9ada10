"""The canonical tables: CSV, TSV, JSON lines, Parquet and pandas frames, all with the same column names.

What a table is follows from its columns (and, where a run and an assessment look alike, from the place the
file was given): see KINDS. As for line formats there is a columnar way for clean files and a plain way that
decides what is wrong.
"""

from __future__ import annotations

import csv as plain_csv
import io
import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from esr_core.errors import DataError, did_you_mean
from esr_core.readers.columns import has_hexadecimal, has_long_line, number, shorten, whole
from esr_core.readers.rows import Parsed, Rows, encode, numbers
from esr_core.readers.source import Source

INTEGERS = {"rank", "start", "end", "doc_length", "length", "bep", "step"}
NUMBERS = {"score", "relevance", "exhaustivity", "specificity", "probability"}
WORDS = {"run", "topic", "doc", "path", "unit", "source", "target", "route", "title", "description", "narrative"}
KNOWN = INTEGERS | NUMBERS | WORDS
OPTIONAL_VALUES = {"start", "end", "path", "unit", "score", "description", "narrative", "doc_length"}
ALIASES = {"query_id": "topic", "qid": "topic", "doc_id": "doc", "docno": "doc", "document": "doc",
           "run_id": "run", "system": "run", "exhaustiveness": "exhaustivity"}


@dataclass(frozen=True)
class Kind:
    """A table: the columns it must have, those it may have, the role of files that hold it, its place in Parsed."""

    table: str
    role: str
    needs: tuple[str, ...]
    may: tuple[str, ...] = ()
    refuses: tuple[str, ...] = ()

    def spares(self, name: str) -> bool:
        """May cells of this column be empty? A title may, though without the column there is no table of topics."""
        return name == "title" or (name in OPTIONAL_VALUES and name not in self.needs)


# The first kind whose needs are met and whose role fits wins; so the more particular ones come first.
KINDS = (
    Kind("routes", "routes", ("route", "step", "doc", "path")),
    Kind("navigation", "navigation", ("doc", "source", "target", "probability")),
    Kind("grades", "assessments", ("topic", "doc", "path", "exhaustivity", "specificity")),
    Kind("units", "assessments", ("topic", "doc", "path", "relevance"), ("unit",)),
    Kind("beps", "assessments", ("topic", "doc", "bep")),
    Kind("runs", "runs", ("topic", "rank", "doc"), ("run", "path", "start", "end", "score")),
    Kind("runs", "runs", ("topic", "doc", "score"), ("run", "path", "start", "end"), ("rank",)),
    Kind("highlights", "assessments", ("topic", "doc", "start", "end"), ("doc_length",), ("rank", "score", "run")),
    Kind("judgements", "assessments", ("topic", "doc", "relevance"), (), ("rank", "score", "run")),
    Kind("nodes", "documents", ("doc", "path"), ("start", "end", "length"), ("topic",)),
    Kind("lengths", "documents", ("doc", "length"), (), ("topic",)),
    Kind("topics", "topics", ("topic", "title"), ("description", "narrative")),
)


def classify(names: list[str], role: str | None) -> Kind | None:
    """The kind of table with these columns; `role` is where the file was given (None: anywhere)."""
    have = set(names)
    fitting = [k for k in KINDS if have.issuperset(k.needs) and not have.intersection(k.refuses)]
    for kind in fitting:
        if role in (None, kind.role):
            return kind
    return fitting[0] if fitting else None


def clean_names(names: list[str]) -> list[str]:
    lowered = [n.strip().lower().lstrip("\ufeff") for n in names]
    return [ALIASES.get(n, n) for n in lowered]


def header_names(line: str, delimiter: str) -> list[str]:
    return clean_names(next(plain_csv.reader([line], delimiter=delimiter), []))


def is_header(line: str) -> str | None:
    """The delimiter, when the line is a header of a table we know; None otherwise."""
    for delimiter in (",", "\t", ";"):
        try:
            names = header_names(line, delimiter)
        except plain_csv.Error:  # a field longer than any name
            continue
        if len(names) > 1 and (classify(names, None) is not None or len(set(names) & KNOWN) >= 2
                               or {"question", "references"} <= set(names)):
            return delimiter
    return None


# ---------------------------------------------------------------- CSV and TSV

def read_delimited(source: Source, role: str | None) -> Parsed:
    data = source.unix_bytes
    body = data.lstrip()
    above = data.count(b"\n", 0, len(data) - len(body))  # blank lines above the header
    cut = body.find(b"\n")
    first = _decode(body if cut < 0 else body[:cut], source, above + 1)
    delimiter = is_header(first) or ","
    try:
        names = header_names(first, delimiter)
    except plain_csv.Error as e:
        raise DataError(f"is not sound CSV ({e})", source.name, above + 1) from None
    if {"question", "references"} <= set(names):
        return _read_questions_csv(source, names, delimiter, above)
    kind = _kind(names, role, source, above + 1)
    rows = _fast_delimited(body, names, delimiter, kind, source, above) \
        or _plain_delimited(source, names, delimiter, kind, above)
    label = {",": "CSV", "\t": "TSV", ";": "CSV (;)"}[delimiter]
    return _parsed(f"{label} table of {kind.table}", kind, rows, names)


def _decode(line: bytes, source: Source, at: int) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as e:
        raise DataError(f"byte 0x{line[e.start]:02X} is not UTF-8", source.name, at, "save it as UTF-8") from None


def _kind(names: list[str], role: str | None, source: Source, at: int = 1) -> Kind:
    name, times = Counter(names).most_common(1)[0] if names else ("", 0)
    if times > 1:
        raise DataError(f"column '{shorten(name)}' stands there twice", source.name, at)
    kind = classify(names, role)
    if kind is None or role not in (None, kind.role):
        free = sorted(KNOWN.difference(names))
        hints = [did_you_mean(n, free) for n in names[:50] if n not in KNOWN]
        near = next((hint for hint in hints if "did you mean" in hint), "")
        if kind is None or near:  # else it looks like a table of another role
            raise DataError(f"columns {', '.join(map(shorten, names[:12]))} make no table of {role or 'a study'}",
                            source.name, at, f"see docs/formats.md for the columns of each table{near}")
    return kind


def _fast_delimited(data: bytes, names: list[str], delimiter: str, kind: Kind, source: Source, above: int
                    ) -> Rows | None:
    """Arrow, when every column is complete and clean; None otherwise."""
    import pyarrow as pa
    from pyarrow import csv

    wanted = [n for n in names if n in kind.needs + kind.may]
    unused = [n for n in names if n not in wanted and not data.isascii()]  # to see that they are UTF-8
    if has_long_line(data, source.limits.line_bytes) or (has_hexadecimal(data) and INTEGERS.intersection(wanted)):
        return None
    types: dict[str, Any] = {
        n: pa.int64() if n in INTEGERS else pa.float64() if n in NUMBERS else pa.dictionary(pa.int32(), pa.string())
        for n in wanted}
    try:
        table = csv.read_csv(
            pa.py_buffer(data),
            read_options=csv.ReadOptions(column_names=names, skip_rows=1, block_size=1 << 24,
                                         use_threads=len(data) > 1 << 24),
            parse_options=csv.ParseOptions(delimiter=delimiter, ignore_empty_lines=False),
            convert_options=csv.ConvertOptions(include_columns=wanted + unused, null_values=[],
                                               column_types=types | {n: pa.string() for n in unused}))
    except (pa.ArrowInvalid, pa.ArrowKeyError):
        return None
    if table.num_rows == 0 or data.count(b'"') % 2:
        return None
    columns: dict[str, Any] = {}
    for name in wanted:
        column = table.column(name)
        if name in WORDS:
            array = column.unify_dictionaries().combine_chunks()
            texts = array.dictionary.to_pylist()
            if any(t != t.strip() or (not t and not kind.spares(name)) for t in texts):
                return None
            columns[name] = array
        else:
            values = numbers(column)
            if name in NUMBERS and np.isnan(values).any():
                return None
            columns[name] = values
    if data.count(b"\n", 0, len(data)) > table.num_rows + 1:
        return None  # quoted line breaks: rows and lines part ways
    return Rows(columns, source.name, first_line=above + 2)


def _plain_delimited(source: Source, names: list[str], delimiter: str, kind: Kind, above: int) -> Rows:
    columns: dict[str, list[Any]] = {n: [] for n in names}
    lines = []
    for line, record in _records(source, names, delimiter, above):
        for name, value in zip(names, record, strict=True):
            columns[name].append(value.strip())
        lines.append(line)
    return typed_rows(columns, kind, source.name, np.array(lines, np.int64))


def _records(source: Source, names: list[str], delimiter: str, above: int) -> Iterator[tuple[int, list[str]]]:
    """The records below the header, with the line each starts on; blank ones are passed over."""
    text = source.unix_text()
    for at, line in enumerate(text.split("\n"), 1):
        if len(line) > source.limits.line_bytes:
            raise DataError(f"a line of {len(line):,} characters", source.name, at, "expected one row of a table")
    reader = plain_csv.reader(io.StringIO(text.lstrip(), newline=""), delimiter=delimiter)
    try:
        next(reader)
        at = reader.line_num + 1
        for record in reader:
            if any(cell.strip() for cell in record):
                if len(record) != len(names):
                    raise DataError(f"{len(record)} columns instead of {len(names)}", source.name, above + at,
                                    f"expected {delimiter.join(map(shorten, names))}")
                yield above + at, record
            at = reader.line_num + 1
    except plain_csv.Error as e:
        raise DataError(f"is not sound CSV ({e})", source.name, above + reader.line_num) from None


# ---------------------------------------------------------------- JSON lines

def read_jsonl(source: Source, role: str | None) -> Parsed:
    """One object a line: a row of a table, or a question with its references."""
    records: list[dict[str, Any]] = []
    lines = []
    for at, line in enumerate(source.unix_text().split("\n"), 1):
        if len(line) > source.limits.line_bytes:
            raise DataError(f"a line of {len(line):,} characters", source.name, at, "expected one JSON object a line")
        if not line.strip():
            continue
        try:
            record = _from_json(line)
        except ValueError as e:
            raise DataError(f"is not JSON ({e})", source.name, at, "expected one JSON object a line") from None
        if not isinstance(record, dict):
            raise DataError(f"is not a JSON object but {type(record).__name__}", source.name, at)
        names = clean_names(list(record))
        if len(set(names)) < len(names):
            raise DataError("two keys name the same column", source.name, at)
        records.append(dict(zip(names, record.values(), strict=True)))
        lines.append(at)
    if records and any("references" in r for r in records):
        return _questions([(at, _question_topic(r, i), r.get("doc"), r.get("references"))
                           for i, (at, r) in enumerate(zip(lines, records, strict=True), 1)], source, "JSON lines")
    names = list(dict.fromkeys(n for r in records for n in r))
    if not records:
        raise DataError("holds no rows", source.name)
    kind = _kind(names, role, source)
    used = [n for n in names if n in kind.needs + kind.may]
    columns = {n: [r.get(n) for r in records] for n in used}
    rows = typed_rows(columns, kind, source.name, np.array(lines, np.int64))
    return _parsed(f"JSON lines table of {kind.table}", kind, rows, names)


def _from_json(text: str) -> Any:
    """What a JSON text means; ValueError when it is none, or nested beyond reading."""
    try:
        return json.loads(text, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("nested too deep") from None


def _no_constant(word: str) -> float:
    raise ValueError(f"{word} is not a JSON number")


# ---------------------------------------------------------------- Parquet and frames

def read_parquet(source: Source, role: str | None) -> Parsed:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        file = parquet.ParquetFile(pa.BufferReader(source.data))
        cells = file.metadata.num_rows * file.metadata.num_columns
        if cells * 8 > source.limits.unpacked_bytes:  # repeated values take no room in the file, but in memory
            raise DataError(f"unpacks to {cells:,} cells, more than is allowed", source.name)
        table = file.read()
        table.validate(full=True)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as e:
        raise DataError(f"is not sound Parquet ({one_line(e)})", source.name) from None
    return read_arrow(table, source.name, role, "Parquet")


def one_line(error: Exception) -> str:
    """The first line of what a library says."""
    return next(iter(str(error).splitlines()), type(error).__name__)


def read_arrow(table: Any, name: str, role: str | None, label: str) -> Parsed:
    """A table that is already in memory; `line` in messages is then the row, from 1."""
    names = clean_names([str(n) for n in table.column_names])
    source = Source(name, content=b"")
    if {"question", "references"} <= set(names):
        table = table.rename_columns(names)
        return _questions([(i, _question_topic(r, i), r.get("corpus_id") or r.get("doc"), r["references"])
                           for i, r in enumerate(table.to_pylist(), 1)], source, label)
    kind = _kind(names, role, source)
    columns = {n: table.column(i).to_pylist() for i, n in enumerate(names) if n in kind.needs + kind.may}
    return _parsed(f"{label} table of {kind.table}", kind, typed_rows(columns, kind, name, None), names)


# ---------------------------------------------------------------- typing and checks common to all

def typed_rows(columns: dict[str, list[Any]], kind: Kind, file: str, lines: np.ndarray | None) -> Rows:
    """Strings and numbers of the right kind in every cell, or an error that names the first that is not."""
    rows = Rows({}, file, lines=lines)
    for name, values in columns.items():
        if name not in kind.needs + kind.may:
            continue
        if name in WORDS:
            words = _words(name, values, rows)
            if not kind.spares(name) and "" in words:
                raise DataError(f"{name} is empty", file, rows.line(words.index("")))
            rows.columns[name] = encode(words)
            continue
        read: Callable[[str], Any] = whole if name in INTEGERS else number
        out = np.empty(len(values), np.int64 if name in INTEGERS else np.float64)
        for i, value in enumerate(values):
            if value is None or value == "" or (isinstance(value, float) and np.isnan(value) and name in INTEGERS):
                if not kind.spares(name):
                    raise DataError(f"{name} is empty", file, rows.line(int(i)))
                out[i] = -1 if name in INTEGERS else np.nan
                continue
            try:
                out[i] = read(value if isinstance(value, str) else repr(value))
            except ValueError:
                raise DataError(f"{name} '{shorten(str(value))}' is not a {'whole ' * (name in INTEGERS)}number",
                                file, rows.line(int(i))) from None
            except OverflowError:
                raise DataError(f"{name} '{shorten(str(value))}' is too large", file, rows.line(int(i))) from None
        rows.columns[name] = out
    return rows


def _words(name: str, values: list[Any], rows: Rows) -> list[str]:
    words = []
    for i, value in enumerate(values):
        word = _word(value)
        if word is None:
            raise DataError(f"{name} is neither text nor a number", rows.file, rows.line(i))
        words.append(word)
    return words


def _word(value: Any) -> str | None:
    """An identifier as text: 3 and 3.0 are '3', as people who write tables with pandas mean it. None if it is none."""
    if value is None:
        return ""
    if isinstance(value, bool | list | dict | bytes):
        return None
    if isinstance(value, float):
        return "" if np.isnan(value) else str(int(value)) if value.is_integer() else repr(value)
    text = str(value).strip()
    return None if any("\ud800" <= c <= "\udfff" for c in text) else text  # half a character, as JSON can say it


def _parsed(label: str, kind: Kind, rows: Rows, names: list[str]) -> Parsed:
    parsed = Parsed(label)
    unused = [n for n in names if n not in kind.needs + kind.may]
    if unused:
        shown = ", ".join(map(shorten, unused[:12])) + (", …" if len(unused) > 12 else "")
        parsed.problems.add("unused columns", f"columns not used: {shown}", rows.file)
    check_spans(rows)
    if kind.table == "runs":
        rows.order = "rank" if "rank" in rows.columns else "score, file"
    if kind.table == "highlights" and "doc_length" in rows.columns:
        lengths = rows.columns.pop("doc_length")
        known = lengths >= 0
        if known.any():
            import pyarrow as pa

            parsed.add("lengths", Rows({"doc": rows.columns["doc"].filter(pa.array(known)), "length": lengths[known]},
                                       rows.file, lines=_kept_lines(rows, known)))
    parsed.add(kind.table, rows)
    return parsed


def _kept_lines(rows: Rows, keep: np.ndarray) -> np.ndarray:
    return np.array([rows.line(int(i)) for i in np.flatnonzero(keep)], np.int64)


def check_spans(rows: Rows) -> None:
    """Refuse spans that cannot be: negative, or ending before they start."""
    for name in ("rank", "length", "bep"):
        values = rows.get(name)
        if values is not None and (values < 0).any():
            raise DataError(f"{name} is negative", rows.file, rows.line(int(np.argmax(values < 0))))
    lengths = rows.get("doc_length")
    if lengths is not None and (lengths < -1).any():  # −1 stands for an empty cell
        raise DataError("doc_length is negative", rows.file, rows.line(int(np.argmax(lengths < -1))))
    start, end = rows.get("start"), rows.get("end")
    if (start is None) != (end is None):
        raise DataError(f"column {'end' if end is None else 'start'} is missing", rows.file, 1,
                        "a span needs start and end")
    if start is None or end is None:
        return
    for wrong, what in ((start < -1, "start is negative"),
                        ((start < 0) != (end < 0), "only one of start and end is given"),
                        (end < start, "end lies before start")):
        if wrong.any():
            raise DataError(what, rows.file, rows.line(int(np.argmax(wrong))), "spans are half-open, 0-based")


# ---------------------------------------------------------------- questions with references

def _read_questions_csv(source: Source, names: list[str], delimiter: str, above: int) -> Parsed:
    """question, references (a JSON list), corpus_id: the shape chunking benchmarks publish."""
    found: list[tuple[int, Any, Any, Any]] = []
    for line, record in _records(source, names, delimiter, above):
        row = dict(zip(names, record, strict=True))
        try:
            references = _from_json(row["references"])
        except ValueError as e:
            raise DataError(f"references are not JSON ({e})", source.name, line) from None
        found.append((line, str(len(found) + 1), row.get("corpus_id") or row.get("doc"), references))
    return _questions(found, source, "CSV")


def _question_topic(record: dict[str, Any], position: int) -> Any:
    return next((record[key] for key in ("topic", "id") if record.get(key) not in (None, "")), str(position))


def _questions(found: list[tuple[int, Any, Any, Any]], source: Source, label: str) -> Parsed:
    """Spans from references; start_index/end_index as chunking benchmarks write them, or start/end."""
    columns: dict[str, list[Any]] = {n: [] for n in ("topic", "doc", "start", "end")}
    lines = []
    for at, topic, doc, references in found:
        if not isinstance(references, list):
            raise DataError("references are not a list", source.name, at)
        for r in references:
            if not isinstance(r, dict):
                raise DataError("a reference is not an object with doc, start and end", source.name, at)
            where = r.get("doc", r.get("corpus_id", doc))
            start, end = r.get("start", r.get("start_index")), r.get("end", r.get("end_index"))
            if where is None or start is None or end is None:
                raise DataError("a reference lacks doc, start or end", source.name, at)
            for name, value in zip(columns, (topic, where, start, end), strict=True):
                columns[name].append(value)
            lines.append(at)
    kind = next(k for k in KINDS if k.table == "highlights")
    rows = typed_rows(columns, kind, source.name, np.array(lines, np.int64))
    check_spans(rows)
    parsed = Parsed(f"{label} of questions with references")
    parsed.add("highlights", rows)
    return parsed
