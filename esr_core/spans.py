"""Interval arithmetic on many small interval sets at once.

An interval is half-open [start, end). Intervals belong to groups (a document of a topic, an entry of a
result list); nothing ever crosses a group. All functions flatten the groups onto one line, group g starting
at g * stride, so that one sort or one binary search serves every group together.
"""

from __future__ import annotations

import numpy as np

from esr_core.ragged import distinct

Array = np.ndarray


def merge(group: Array, start: Array, end: Array) -> tuple[Array, Array, Array]:
    """The union of each group's intervals: disjoint, not touching, sorted. Empty intervals vanish."""
    keep = end > start
    if not keep.all():
        group, start, end = group[keep], start[keep], end[keep]
    if len(group) == 0:
        return group, start, end
    ascending = (np.diff(group) > 0) | ((np.diff(group) == 0) & (np.diff(start) >= 0))
    if not ascending.all():
        order = np.lexsort((start, group))
        group, start, end = group[order], start[order], end[order]
    stride = int(end.max()) + 1
    base = group.astype(np.int64) * stride
    reach = np.maximum.accumulate(base + end)  # furthest end so far; earlier groups lie below this one's base
    fresh = np.empty(len(group), bool)
    fresh[0] = True
    np.greater(base[1:] + start[1:], reach[:-1], out=fresh[1:])
    fresh[1:] |= group[1:] != group[:-1]
    first = np.flatnonzero(fresh)
    last = np.append(first[1:], len(group)) - 1
    return group[first], start[first], reach[last] - base[last]


class Coverage:
    """Answers "how many positions before x does this group's interval set hold?" for many (group, x) at once.

    The intervals must be disjoint and sorted, as `merge` returns them.
    """

    def __init__(self, group: Array, start: Array, end: Array, stride: int):
        self.stride = int(stride)
        base = group.astype(np.int64) * self.stride
        self._start = base + start
        self._end = base + end
        self._before = np.concatenate(([0], np.cumsum(end - start, dtype=np.int64)))

    def before(self, group: Array, position: Array) -> Array:
        """Covered positions below `position`, counted from the beginning of the line (differences matter)."""
        x = group.astype(np.int64) * self.stride + np.minimum(position, self.stride - 1)
        i = np.searchsorted(self._start, x, side="right")
        held = self._before[i]
        inside = i > 0
        over = self._end[np.maximum(i - 1, 0)] - x if len(self._end) else np.zeros(len(x), np.int64)
        return held - np.where(inside & (over > 0), over, 0)

    def between(self, group: Array, start: Array, end: Array) -> Array:
        """Covered positions in [start, end) of each group."""
        return self.before(group, end) - self.before(group, start)

    def covers(self, group: Array, position: Array) -> Array:
        """Is the character at `position` covered?"""
        x = group.astype(np.int64) * self.stride + position
        i = np.searchsorted(self._start, x, side="right")
        return (i > 0) & (self._end[np.maximum(i - 1, 0)] > x) if len(self._end) else np.zeros(len(x), bool)


def first_cover(group: Array, start: Array, end: Array, order: Array) -> tuple[Array, Array, Array, Array]:
    """Cut each group at all interval ends and name the first interval, by `order`, that covers each piece.

    Returns (piece group, piece start, piece end, order of the first cover); uncovered pieces are left out.
    A range minimum over every interval's pieces would be quadratic for nested intervals; two overlapping
    blocks of a power of two cover any range, so each interval is written twice and the minima are then
    pushed down level by level: O(n log n), no Python loop over intervals.
    """
    stride = int(end.max(initial=0)) + 1
    base = group.astype(np.int64) * stride
    points = distinct(np.concatenate((base + start, base + end)))
    low = np.searchsorted(points, base + start)
    width = np.searchsorted(points, base + end) - low
    keep = width > 0
    low, width, order = low[keep], width[keep], order[keep]
    never = np.iinfo(np.int64).max
    n = len(points)
    if len(low) == 0:
        none = np.empty(0, np.int64)
        return none, none, none, none
    level = np.frexp(width)[1] - 1  # floor(log2(width))
    late_first = np.argsort(-order, kind="stable")  # so that the earliest is written last and stays
    low, width, level, order = low[late_first], width[late_first], level[late_first], order[late_first]
    below = np.full(n, never)
    for step in range(int(level.max()), -1, -1):
        here = np.full(n, never)
        at = level == step
        here[low[at]] = order[at]
        second = low[at] + width[at] - (1 << step)
        blocks = np.full(n, never)
        blocks[second] = order[at]
        here = np.minimum(np.minimum(here, blocks), below)
        if step:
            half = 1 << (step - 1)
            below = here.copy()
            np.minimum(below[half:], here[:-half], out=below[half:])
        else:
            below = here
    piece = np.flatnonzero(below[:-1] != never)
    piece_group = points[piece] // stride
    return piece_group, points[piece] - piece_group * stride, points[piece + 1] - piece_group * stride, below[piece]
