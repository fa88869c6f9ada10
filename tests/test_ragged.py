"""Ragged arrays against lists of lists."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from esr_core.ragged import Hits, cumsum, first_at_least, first_in_list, suffix_max

SETTINGS = settings(max_examples=300, deadline=None, derandomize=True)
FLOATS = st.floats(-1e6, 1e6, allow_nan=False)


def lists_of(values: st.SearchStrategy) -> st.SearchStrategy:
    return st.lists(st.lists(values, max_size=6), min_size=1, max_size=6)


def ragged(lists: list[list], dtype: type = float) -> tuple[np.ndarray, np.ndarray]:
    offsets = np.concatenate(([0], np.cumsum([len(own) for own in lists]))).astype(np.int64)
    return np.array([v for own in lists for v in own], dtype), offsets


def running(values: list) -> list:
    out, total = [], 0
    for v in values:
        total += v
        out.append(total)
    return out


@SETTINGS
@given(lists_of(FLOATS))
def test_cumsum_begins_anew_with_every_list(lists: list[list[float]]) -> None:
    assert cumsum(*ragged(lists)).tolist() == [v for own in lists for v in running(own)]


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint8, bool])
@SETTINGS
@given(lists=lists_of(st.integers(0, 200)))
def test_cumsum_of_whole_numbers_is_exact(lists: list[list[int]], dtype: type) -> None:
    lists = [[int(dtype(v)) for v in own] for own in lists]
    assert cumsum(*ragged(lists, dtype)).tolist() == [v for own in lists for v in running(own)]


def test_a_large_list_takes_no_digits_from_the_next() -> None:
    values, offsets = ragged([[1e17], [0.1, 0.2]])
    assert cumsum(values, offsets).tolist() == [1e17, 0.1, 0.1 + 0.2]


@SETTINGS
@given(lists_of(FLOATS))
def test_suffix_max(lists: list[list[float]]) -> None:
    assert suffix_max(*ragged(lists)).tolist() == [max(own[i:]) for own in lists for i in range(len(own))]


@SETTINGS
@given(lists_of(st.integers(0, 10)), st.lists(st.floats(-1, 11), min_size=1, max_size=5))
def test_first_at_least(lists: list[list[int]], thresholds: list[float]) -> None:
    lists = [sorted(own) for own in lists]
    values, offsets = ragged(lists)
    found = first_at_least(values, offsets, np.array(thresholds))
    for i, own in enumerate(lists):
        expected = [next((j for j, v in enumerate(own) if v >= t), len(own)) for t in thresholds]
        assert (found[i] - offsets[i]).tolist() == expected


@SETTINGS
@given(lists_of(st.integers(0, 4)))
def test_first_in_list(lists: list[list[int]]) -> None:
    codes, offsets = ragged(lists, np.int64)
    expected = [code not in own[:i] for own in lists for i, code in enumerate(own)]
    assert first_in_list(codes, offsets, 5).tolist() == expected


@SETTINGS
@given(st.lists(st.dictionaries(st.integers(1, 9), st.floats(-100, 100), max_size=6), min_size=1, max_size=6),
       st.lists(st.integers(1, 12), min_size=1, max_size=4))
def test_hits(lists: list[dict[int, float]], ranks: list[int]) -> None:
    """Each list is a dict from the ranks that hold something to its value."""
    lists = [dict(sorted(own.items())) for own in lists]
    number = np.array([i for i, own in enumerate(lists) for _ in own], np.int64)
    rank = np.array([r for own in lists for r in own], np.int64)
    values = np.array([v for own in lists for v in own.values()], float)
    hits = Hits(number, rank, len(lists))
    assert len(hits) == sum(map(len, lists))
    assert hits.number.tolist() == [i for own in lists for i in range(1, len(own) + 1)]
    assert hits.cumsum(values).tolist() == [v for own in lists for v in running(list(own.values()))]
    np.testing.assert_allclose(hits.sums(values), [sum(own.values()) for own in lists], rtol=0, atol=1e-12)
    counts = [[sum(r <= k for r in own) for k in ranks] for own in lists]
    sums = [[sum(v for r, v in own.items() if r <= k) for k in ranks] for own in lists]
    for at in (np.array(ranks), np.array(ranks, float)):  # curves ask with floats
        assert hits.count_at(at).tolist() == counts
        np.testing.assert_allclose(hits.sum_at(values, at), sums, rtol=0, atol=1e-12)
    for j in range(len(ranks)):  # one cut-off alone takes another way through the code
        assert hits.count_at(np.array(ranks[j: j + 1])).ravel().tolist() == [c[j] for c in counts]
        np.testing.assert_allclose(hits.sum_at(values, np.array(ranks[j: j + 1])).ravel(), [s[j] for s in sums],
                                   rtol=0, atol=1e-12)
