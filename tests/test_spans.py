"""Interval arithmetic against sets of positions."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from esr_core.ragged import expand, offsets_of
from esr_core.spans import Coverage, first_cover, merge

SETTINGS = settings(max_examples=300, deadline=None, derandomize=True)
FURTHEST = 30

Interval = tuple[int, int, int]  # group, start, end
INTERVALS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 22), st.integers(0, 8))
                     .map(lambda t: (t[0], t[1], t[1] + t[2])), max_size=14)


def columns(intervals: list[Interval]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    group, start, end = np.array(intervals, np.int64).reshape(-1, 3).T
    return group.astype(np.int32), start, end


def positions(intervals: list[Interval]) -> set[tuple[int, int]]:
    return {(g, x) for g, start, end in intervals for x in range(start, end)}


def stretches(held: set[tuple[int, int]]) -> list[Interval]:
    """Longest stretches of neighbouring positions, in order."""
    out: list[Interval] = []
    for g, x in sorted(held):
        if out and out[-1][0] == g and out[-1][2] == x:
            out[-1] = (g, out[-1][1], x + 1)
        else:
            out.append((g, x, x + 1))
    return out


@SETTINGS
@given(INTERVALS)
def test_merge_is_the_union_of_each_group(intervals: list[Interval]) -> None:
    merged = merge(*columns(intervals))
    assert list(zip(*(a.tolist() for a in merged), strict=True)) == stretches(positions(intervals))


@SETTINGS
@given(INTERVALS)
def test_merging_twice_changes_nothing(intervals: list[Interval]) -> None:
    once = merge(*columns(intervals))
    twice = merge(*once)
    assert all(np.array_equal(a, b) for a, b in zip(once, twice, strict=True))


def test_merge_joins_what_touches_but_never_across_groups() -> None:
    group, start, end = merge(*columns([(1, 0, 5), (0, 5, 9), (0, 0, 5), (2, 9, 9), (1, 6, 7)]))
    assert (group.tolist(), start.tolist(), end.tolist()) == ([0, 1, 1], [0, 0, 6], [9, 5, 7])


@SETTINGS
@given(INTERVALS, st.lists(st.tuples(st.integers(0, 4), st.integers(0, FURTHEST), st.integers(0, FURTHEST)),
                           min_size=1, max_size=12))
def test_coverage_counts_positions(intervals: list[Interval], asked: list[Interval]) -> None:
    held = positions(intervals)
    coverage = Coverage(*merge(*columns(intervals)), stride=FURTHEST + 2)
    asked = [(g, min(a, b), max(a, b)) for g, a, b in asked]
    group, start, end = columns(asked)
    assert coverage.between(group, start, end).tolist() == [len(held & positions([one])) for one in asked]
    assert coverage.covers(group, start).tolist() == [(g, a) in held for g, a, _ in asked]
    from_zero = coverage.before(group, end) - coverage.before(group, np.zeros_like(end))
    assert from_zero.tolist() == [len(held & positions([(g, 0, b)])) for g, _, b in asked]


def test_coverage_of_nothing() -> None:
    none = np.empty(0, np.int64)
    coverage = Coverage(none, none, none, stride=10)
    group, start, end = columns([(0, 0, 9), (3, 2, 4)])
    assert coverage.between(group, start, end).tolist() == [0, 0]
    assert coverage.covers(group, start).tolist() == [False, False]


@SETTINGS
@given(INTERVALS, st.data())
def test_first_cover_names_the_earliest_interval(intervals: list[Interval], data: st.DataObject) -> None:
    order = data.draw(st.lists(st.integers(0, 9), min_size=len(intervals), max_size=len(intervals)))
    earliest: dict[tuple[int, int], int] = {}
    for one, rank in zip(intervals, order, strict=True):
        for where in positions([one]):
            earliest[where] = min(rank, earliest.get(where, rank))
    pieces = first_cover(*columns(intervals), np.array(order, np.int64))
    found: dict[tuple[int, int], int] = {}
    for g, start, end, rank in zip(*(a.tolist() for a in pieces), strict=True):
        assert end > start
        for x in range(start, end):
            assert (g, x) not in found, "pieces must not overlap"
            found[g, x] = rank
    assert found == earliest
    edges = {(g, x) for g, start, end in intervals for x in (start, end)}
    for g, start, end in zip(*(a.tolist() for a in pieces[:3]), strict=True):
        assert not any((g, x) in edges for x in range(start + 1, end)), "a piece is cut at every interval's ends"


def test_first_cover_of_many_nested_intervals() -> None:
    """Ranges of every power of two and of the widths around them."""
    n = 300
    start, end = np.arange(n), 2 * n - np.arange(n)
    pieces = first_cover(np.zeros(n, np.int64), start, end, np.arange(n)[::-1].copy())
    by_position = {x: rank for s, e, rank in zip(*(a.tolist() for a in pieces[1:]), strict=True) for x in range(s, e)}
    assert by_position == {x: n - 1 - min(x, n - 1, 2 * n - 1 - x) for x in range(2 * n)}


@SETTINGS
@given(st.lists(st.integers(0, 4), min_size=1, max_size=8), st.data())
def test_expand_lists_all_members(sizes: list[int], data: st.DataObject) -> None:
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    rows = data.draw(st.lists(st.integers(0, len(sizes) - 1), max_size=8))
    owner, member = expand(offsets, np.array(rows, np.int64))
    expected = [(i, m) for i, row in enumerate(rows) for m in range(offsets[row], offsets[row + 1])]
    assert list(zip(owner.tolist(), member.tolist(), strict=True)) == expected


@pytest.mark.parametrize("keys", [[], [0], [0, 0, 2], [1, 1, 3, 3, 3]])
def test_offsets_of_sorted_keys(keys: list[int]) -> None:
    offsets = offsets_of(np.array(keys, np.int64), 4)
    assert [keys[a:b] for a, b in pairwise(offsets)] == [
        [k for k in keys if k == g] for g in range(4)]
