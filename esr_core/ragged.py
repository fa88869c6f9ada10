"""Many lists of different lengths in one array: `offsets[i]:offsets[i+1]` are the members of list i.

Sums are taken per list, never across lists: a running total over everything would lose digits.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

Array = np.ndarray


def distinct(values: Array) -> Array:
    """Sorted, each once. np.unique does the same through a hash table, several times slower on these arrays."""
    values = np.sort(values)
    return values[np.concatenate(([True], values[1:] != values[:-1]))] if len(values) else values


def ranges(low: Array, high: Array) -> tuple[Array, Array]:
    """All whole numbers low[i] … high[i]−1: (i, number)."""
    count = high - low
    owner = np.repeat(np.arange(len(count)), count)
    return owner, np.repeat(low, count) + np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count)


def expand(offsets: Array, rows: Array) -> tuple[Array, Array]:
    """All members of the chosen lists: (position in `rows`, index of the member)."""
    return ranges(offsets[rows], offsets[rows + 1])


def offsets_of(keys: Array, n: int) -> Array:
    """Offsets of the lists 0 … n−1 whose members' sorted list numbers are `keys`."""
    return np.searchsorted(keys, np.arange(n + 1)).astype(np.int64)


def share(part: Array, whole: Array) -> Array:
    """part / whole, and 0/0 = 0."""
    return np.divide(part, whole, out=np.zeros(np.broadcast_shapes(np.shape(part), np.shape(whole))),
                     where=np.asarray(whole) > 0)


def cumsum(values: Array, offsets: Array) -> Array:
    """Running sums that begin anew with every list. Integers are exact anyway, so they take the short way."""
    if values.dtype.kind in "iub":
        total = np.concatenate(([0], np.cumsum(values, dtype=np.int64)))
        return total[1:] - np.repeat(total[offsets[:-1]], np.diff(offsets))
    out = np.empty(len(values))
    for low, high in _nonempty(offsets):
        np.cumsum(values[low:high], out=out[low:high])
    return out


def suffix_max(values: Array, offsets: Array) -> Array:
    """The largest value from each member to the end of its list."""
    out = np.empty(len(values))
    for low, high in _nonempty(offsets):
        out[low:high] = np.maximum.accumulate(values[low:high][::-1])[::-1]
    return out


def first_at_least(values: Array, offsets: Array, thresholds: Array) -> Array:
    """Per list and threshold, the index of the first member that reaches it (the list's end if none does).

    Values must not fall within a list.
    """
    out = np.repeat(offsets[1:, None], len(thresholds), axis=1)
    for i in np.flatnonzero(np.diff(offsets)):
        low, high = offsets[i], offsets[i + 1]
        out[i] = low + np.searchsorted(values[low:high], thresholds)
    return out


def first_in_list(codes: Array, offsets: Array, n_codes: int) -> Array:
    """Is this the first member of its list with this code?"""
    seen_at = np.empty(n_codes, np.int64)
    first = np.empty(len(codes), bool)
    for low, high in _nonempty(offsets):
        own = codes[low:high]
        place = np.arange(high - low)
        seen_at[own[::-1]] = place[::-1]  # written backwards, so the earliest stays
        first[low:high] = seen_at[own] == place
    return first


def _nonempty(offsets: Array) -> list[tuple[int, int]]:
    bounds = offsets.tolist()
    return [(low, high) for low, high in pairwise(bounds) if high > low]


class Hits:
    """Some ranks of each list, sorted by list and rank; ranks count from 1."""

    def __init__(self, list_number: Array, rank: Array, n_lists: int):
        self.list, self.rank, self.n_lists = list_number, rank, n_lists
        self.offsets = np.searchsorted(list_number, np.arange(n_lists + 1)).astype(np.int64)

    def __len__(self) -> int:
        return len(self.rank)

    @property
    def number(self) -> Array:
        """1 for the first hit of a list, 2 for the second …"""
        return np.arange(len(self)) - self.offsets[self.list] + 1

    def sums(self, values: Array) -> Array:
        """Per list."""
        return np.bincount(self.list, values, minlength=self.n_lists)

    def cumsum(self, values: Array) -> Array:
        return cumsum(values, self.offsets)

    def count_at(self, ranks: Array) -> Array:
        """Hits at or above each rank: shape lists × ranks."""
        if len(ranks) == 1:  # the common case of one cut-off needs no search
            return np.bincount(self.list[self.rank <= ranks[0]], minlength=self.n_lists)[:, None]
        stride = int(max(self.rank.max(initial=0), np.max(ranks, initial=0))) + 1
        key = self.list.astype(np.int64) * stride + self.rank
        wanted = np.arange(self.n_lists)[:, None] * stride + np.minimum(ranks, stride - 1).astype(np.int64)
        return np.searchsorted(key, wanted, side="right") - self.offsets[:-1, None]

    def sum_at(self, values: Array, ranks: Array) -> Array:
        """Sum of the values of the hits at or above each rank: shape lists × ranks."""
        if len(ranks) == 1:
            return self.sums(np.where(self.rank <= ranks[0], values, 0))[:, None]
        running = np.concatenate((self.cumsum(values), [0]))
        count = self.count_at(ranks)
        return np.where(count > 0, running[self.offsets[:-1, None] + count - 1], 0)
