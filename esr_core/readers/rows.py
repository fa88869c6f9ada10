"""What a reader hands on: columns of one table, with the way back to the lines they came from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from esr_core.problems import Problems

if TYPE_CHECKING:
    import pyarrow as pa

TABLES = ("runs", "highlights", "grades", "units", "judgements", "beps", "lengths", "nodes", "navigation", "routes",
          "topics")


@dataclass
class Rows:
    """Columns by canonical name: identifiers are dictionary-encoded Arrow arrays, numbers numpy arrays.

    `order` says how rows of one topic are ranked, for runs: "rank" (a rank column rules), "file"
    (file order, as INEX did) or "score" (as trec_eval does) or "score, file" (by score, ties in file order).
    """

    columns: dict[str, Any]
    file: str
    first_line: int = 1
    lines: np.ndarray | None = None
    order: str = "file"
    run: str | None = None

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()))) if self.columns else 0

    def line(self, row: int) -> int:
        """The line on which a row stands, from 1."""
        return int(self.lines[row]) if self.lines is not None else self.first_line + int(row)

    def get(self, name: str) -> Any:
        return self.columns.get(name)


@dataclass
class Parsed:
    """Everything one file holds, by table name, with what was odd about it."""

    format: str
    tables: dict[str, list[Rows]] = field(default_factory=dict)
    problems: Problems = field(default_factory=Problems)

    def add(self, table: str, rows: Rows) -> None:
        assert table in TABLES, table
        self.tables.setdefault(table, []).append(rows)


def encode(values: Any) -> pa.DictionaryArray:
    """Strings as codes into their distinct values."""
    import pyarrow as pa

    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if isinstance(values, pa.DictionaryArray):
        return values
    array = values if isinstance(values, pa.Array) else strings(values)
    return array.dictionary_encode()


def strings(values: Sequence[str]) -> pa.Array:
    """An Arrow array of strings. `pa.array` of a list would import pandas, which is slow."""
    import pyarrow as pa

    raw = [v.encode("utf-8") for v in values]
    ends = np.zeros(len(raw) + 1, np.int32)  # Arrow strings count to 2 GB per column
    np.cumsum([len(r) for r in raw], out=ends[1:])
    return pa.StringArray.from_buffers(len(raw), pa.py_buffer(ends), pa.py_buffer(b"".join(raw)))


def numbers(array: Any) -> np.ndarray:
    """The values of an Arrow array of numbers without gaps. Arrow's own to_numpy imports pandas, which is slow."""
    import pyarrow as pa

    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    assert array.null_count == 0
    dtype = np.dtype({"double": "f8", "float": "f4"}.get(str(array.type), str(array.type)))
    if len(array) == 0:
        return np.empty(0, dtype)
    return np.frombuffer(array.buffers()[1], dtype, len(array), array.offset * dtype.itemsize)


def codes(column: Any) -> np.ndarray:
    """The codes of a dictionary-encoded column."""
    return numbers(column.indices)
