"""What an explanation is made of: columns with one row per rank, whose `contribution` adds up to the value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from esr_core.ragged import Hits

if TYPE_CHECKING:
    from esr_core.study import Study

Array = np.ndarray


@dataclass(frozen=True)
class Parts:
    """Columns of equal length, the formula with numbers, and the order of the columns' story.

    `result` says which result each row starts with (−1: past the end of the list, or nothing to show).
    """

    columns: dict[str, Any]
    numbers: str
    result: Array
    note: str = ""
    first_rank: int = 1


def dense(hits: Hits, values: Array, length: int) -> Array:
    """The values of one list's hits, spread over its ranks 1 … length; 0 elsewhere."""
    out = np.zeros(length)
    inside = hits.rank <= length
    out[hits.rank[inside] - 1] = values[inside]
    return out


def first_results(study: Study, group: str) -> Array:
    """The result that opens each entry of the study's one list: "result", "document", "consecutive" or "merge"."""
    r = study.results
    n = len(r)
    if group == "result" or n == 0:
        return np.arange(n)
    if group == "consecutive":
        return np.flatnonzero(np.concatenate(([True], r.doc[1:] != r.doc[:-1])))
    return np.flatnonzero(study.alignment.first_of_document)


def entry_columns(study: Study, hits: Hits, retrieved: Array, found: Array, first: Array, length: int
                  ) -> dict[str, Array]:
    """What an entry holds: how many results, and, for relevant documents, how much text and relevant text."""
    ends = np.append(first[1:], len(study.results)) if len(first) else first
    gathered = np.zeros(length, np.int64)
    gathered[: min(length, len(first))] = (ends - first)[:length]
    return {"results": gathered, "retrieved": dense(hits, retrieved, length), "found": dense(hits, found, length)}


def upto(first: Array, length: int) -> Array:
    """`first` cut or filled with −1 to the given number of ranks."""
    out = np.full(length, -1, np.int64)
    out[: min(length, len(first))] = first[:length]
    return out


def terms(values: Array, most: int = 6) -> str:
    """`0.5 + 0.25 + … + 0.1`: the non-zero terms of a sum, for people."""
    shown = [f"{v:.4g}" for v in values if v]
    if not shown:
        return "0"
    if len(shown) > most:
        shown = [*shown[: most - 1], "…", shown[-1]]
    return " + ".join(shown).replace("+ -", "− ")
