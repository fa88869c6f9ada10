"""Lines of blank-separated fields, as TREC and INEX write them.

Two ways through one file that give the same rows: Arrow's columnar parser for clean files, and a plain
line-by-line reader for everything else (blank lines, ragged spacing, odd numbers). Only the plain one
decides what is an error, so every error has a line and a reason.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from esr_core.errors import DataError
from esr_core.readers.rows import Rows, encode, numbers
from esr_core.readers.source import Source


@dataclass(frozen=True)
class Field:
    """One field of a line; `kind` is "id", "int", "float" or "skip". `missing` is a word for "no value" (int: −1)."""

    name: str
    kind: str = "id"
    missing: str | None = None


@dataclass(frozen=True)
class Layout:
    """A format of fixed columns and the line people expect to see."""

    format: str
    line: str
    fields: tuple[Field, ...]


def read_columns(source: Source, layout: Layout) -> Rows:
    """The rows of a file in this layout, or a DataError that names the first line that does not fit."""
    data = source.unix_bytes
    if has_long_line(data, source.limits.line_bytes):
        return _plain(data, source, layout)
    rows = _fast(data, source.name, layout)
    if rows is None:
        rows = _fast(_one_space(data), source.name, layout) if _looks_regular(data, layout) else None
    return rows if rows is not None else _plain(data, source, layout)


def _one_space(data: bytes) -> bytes:
    data = data.replace(b"\t", b" ")
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    return data.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")


def _looks_regular(data: bytes, layout: Layout) -> bool:
    """Is respacing worth a second try? Blank lines would shift line numbers, so they go the plain way."""
    head = data[:4096].split(b"\n")[:-1] or [data[:4096]]
    return b"\n\n" not in data and all(len(line.split()) == len(layout.fields) for line in head)


def _fast(data: bytes, name: str, layout: Layout) -> Rows | None:
    """Arrow's parser; None when anything at all is unusual."""
    import pyarrow as pa
    from pyarrow import csv

    types: dict[str, Any] = {"id": pa.dictionary(pa.int32(), pa.string()), "int": pa.int64(), "float": pa.float64()}
    wanted = [f for f in layout.fields if f.kind != "skip"]
    missing = sorted({f.missing for f in wanted if f.missing is not None})
    if not data or any(blank in data for blank in (b"\t", b"\v", b"\f")):
        return None
    if any(f.kind == "int" for f in wanted) and has_hexadecimal(data):
        return None
    skipped = [f for f in layout.fields if f.kind == "skip" and not data.isascii()]  # to see that they are UTF-8
    try:
        table = csv.read_csv(
            pa.py_buffer(data),
            read_options=csv.ReadOptions(column_names=[f.name for f in layout.fields], block_size=1 << 24,
                                         use_threads=len(data) > 1 << 24),
            parse_options=csv.ParseOptions(delimiter=" ", quote_char=False, ignore_empty_lines=False),
            convert_options=csv.ConvertOptions(include_columns=[f.name for f in (*wanted, *skipped)],
                                               null_values=missing, column_types={
                                                   f.name: types.get(f.kind, pa.string()) for f in layout.fields}))
    except (pa.ArrowInvalid, pa.ArrowKeyError):
        return None
    columns: dict[str, Any] = {}
    for field in wanted:
        column = table.column(field.name)
        if field.kind == "id":
            if column.num_chunks > 1:
                column = column.unify_dictionaries()
            array = column.combine_chunks()
            if column.num_chunks == 0 or "" in array.dictionary.to_pylist()[:1] or _has_empty(array):
                return None  # an empty field: the line was short and ended in a blank
            columns[field.name] = array
        elif field.missing is not None:
            columns[field.name] = numbers(column.fill_null(-1) if column.null_count else column)
        elif column.null_count:
            return None  # another column's word for "missing" stands here
        else:
            values = numbers(column)
            if field.kind == "float" and np.isnan(values).any():
                return None
            columns[field.name] = values
    return Rows(columns, name)


def _has_empty(array: Any) -> bool:
    lengths = np.frombuffer(array.dictionary.buffers()[1], np.int32)
    return bool((np.diff(lengths[: len(array.dictionary) + 1]) == 0).any())


def plain_lines(data: bytes, source: Source) -> list[tuple[int, bytes]]:
    """Numbered lines that are not blank; a line beyond all reason is refused before anything looks into it."""
    lines = []
    for number, line in enumerate(data.split(b"\n"), 1):
        if len(line) > source.limits.line_bytes:
            raise DataError(f"a line of {len(line):,} bytes", source.name, number, "expected one result or judgement")
        if line.strip():
            lines.append((number, line))
    return lines


def has_long_line(data: bytes, most: int) -> bool:
    """May a line be longer than `most` bytes? Such a line fills a window of half its length."""
    step = max(most // 2, 1)
    return any(data.find(b"\n", at, at + step) < 0 for at in range(0, len(data) - step, step))


def has_hexadecimal(data: bytes) -> bool:
    """Arrow takes 0x10 for a whole number, nobody else does."""
    return b"0x" in data or b"0X" in data


def whole(text: str) -> int:
    """A whole number, also when written 3.0; OverflowError when no column could hold it."""
    try:
        value = int(_plain_number(text))
    except ValueError:
        real = float(_plain_number(text))
        if not real.is_integer():
            raise ValueError from None
        value = int(real)
    if not -(1 << 63) <= value < 1 << 63:
        raise OverflowError
    return value


def number(text: str) -> float:
    """A number; NaN is none."""
    value = float(_plain_number(text))
    if np.isnan(value):
        raise ValueError
    return value


def _plain_number(text: str) -> str:
    """Python also reads 1_000 and the digits of other scripts; no other tool does."""
    if "_" in text or not text.isascii():
        raise ValueError
    return text


_READ: dict[str, Callable[[str], Any]] = {"id": str, "int": whole, "float": number}
_CALLED = {"int": "a whole number", "float": "a number"}


def _plain(data: bytes, source: Source, layout: Layout) -> Rows:
    """Line by line: slow, and the judge of what is wrong."""
    wanted = [(i, f, _READ[f.kind]) for i, f in enumerate(layout.fields) if f.kind != "skip"]
    values: list[list[Any]] = [[] for _ in wanted]
    lines = []
    for line_number, raw in plain_lines(data, source):
        try:
            raw.decode("utf-8")
        except UnicodeDecodeError as e:
            raise DataError(f"byte 0x{raw[e.start]:02X} is not UTF-8", source.name, line_number,
                            "save the file as UTF-8") from None
        parts = [part.decode("utf-8") for part in raw.split()]  # a no-break space parts no fields
        if len(parts) != len(layout.fields):
            raise DataError(f"{len(parts)} columns instead of {len(layout.fields)}", source.name, line_number,
                            f"expected '{layout.line}'")
        for out, (i, field, read) in zip(values, wanted, strict=True):
            if field.missing is not None and parts[i] == field.missing:
                out.append(-1)
                continue
            try:
                out.append(read(parts[i]))
            except ValueError:
                raise DataError(f"{field.name} '{shorten(parts[i])}' is not {_CALLED[field.kind]}", source.name,
                                line_number, f"expected '{layout.line}'") from None
            except OverflowError:
                raise DataError(f"{field.name} '{shorten(parts[i])}' is too large", source.name, line_number,
                                f"expected '{layout.line}'") from None
        lines.append(line_number)
    columns: dict[str, Any] = {}
    for out, (_, field, _) in zip(values, wanted, strict=True):
        if field.kind == "id":
            columns[field.name] = encode(out)
        else:
            columns[field.name] = np.array(out, np.int64 if field.kind == "int" else np.float64)
    return Rows(columns, source.name, lines=np.array(lines, np.int64))


def shorten(text: str, most: int = 40) -> str:
    """A value from a file, safe to put into a message."""
    text = "".join(c if c.isprintable() else "�" for c in text[: most + 1])
    return text if len(text) <= most else text[:most] + "…"
