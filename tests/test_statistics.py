"""The statistics agree with SciPy's own, and stay silent and sane where there is nothing to compute."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from esr_core.statistics import compare_to_best, holm, interval, intervals, paired_t


@pytest.fixture(autouse=True)
def _no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def scores(seed: int = 0, runs: int = 5, topics: int = 12) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    ability = np.linspace(.2, .6, runs)[:, None]
    values = np.clip(ability + rng.normal(0, .15, (runs, topics)), 0, 1)
    return pd.DataFrame(values, index=[f"run{i}" for i in range(runs)], columns=[str(t) for t in range(topics)])


# ---------------------------------------------------------------- intervals

@pytest.mark.parametrize("level", [.8, .95, .99])
def test_interval_is_scipys(level):
    x = scores().to_numpy()[2]
    expected = stats.t.interval(level, len(x) - 1, loc=x.mean(), scale=stats.sem(x))
    assert interval(x, level) == pytest.approx(expected, abs=1e-12)


def test_interval_leaves_out_undefined_topics():
    assert interval([.1, np.nan, .5, .3]) == interval([.1, .5, .3])


def test_interval_of_one_value_is_undefined_and_of_equal_values_is_a_point():
    assert np.isnan(interval([.4])).all()
    assert np.isnan(interval([])).all()
    assert np.isnan(interval([np.nan, np.nan])).all()
    assert interval([.1] * 7) == (pytest.approx(.1), pytest.approx(.1))


def test_intervals_of_a_matrix_are_those_of_its_rows():
    matrix = scores(3).to_numpy()
    assert np.column_stack(intervals(matrix)) == pytest.approx(np.array([interval(row) for row in matrix]))


@pytest.mark.parametrize("level", [0, 1, 95])
def test_a_level_that_is_no_level_is_refused(level):
    with pytest.raises(ValueError, match="level"):
        interval([.1, .2], level)


# ---------------------------------------------------------------- tests

@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=30))
def test_paired_t_is_scipys(pairs):
    a, b = np.array(pairs).T
    d = a - b
    if np.ptp(d) < 1e-9:  # SciPy warns of cancellation there; the limits have their own test
        return
    assert paired_t(a, b)[0] == pytest.approx(stats.ttest_rel(a, b).pvalue, rel=1e-9, abs=1e-12)


def test_paired_t_drops_topics_undefined_for_either_run():
    a, b = np.array([.1, .5, np.nan, .4, .9]), np.array([.2, .3, .7, np.nan, .5])
    assert paired_t(a, b)[0] == pytest.approx(stats.ttest_rel([.1, .5, .9], [.2, .3, .5]).pvalue)


def test_paired_t_at_its_limits():
    assert paired_t([.3, .5], [.3, .5])[0] == 1
    assert np.isnan(paired_t([.3], [.5])[0])
    assert np.isnan(paired_t([.3, np.nan], [np.nan, .5])[0])
    assert paired_t([.25, .5, .75], [.125, .375, .625])[0] == 0  # the same difference everywhere


def test_holm_by_hand():
    assert holm([.01, .04, .03, .005]) == pytest.approx([.03, .06, .06, .02])
    assert holm([.6, .7]) == pytest.approx([1, 1])
    assert holm([]).shape == (0,)


def test_holm_counts_only_tests_that_were_made():
    assert holm([.01, np.nan, .04]) == pytest.approx([.02, np.nan, .04], nan_ok=True)


# ---------------------------------------------------------------- runs against the best

def test_compare_to_best_is_scipys_test_with_holm():
    table = scores(1)
    found = compare_to_best(table)
    assert list(found["run"]) == list(table.mean(axis=1).sort_values(ascending=False).index)
    best = table.loc[found["run"][0]]
    raw = [stats.ttest_rel(table.loc[r], best).pvalue for r in found["run"][1:]]
    assert found["p_raw"][1:].to_numpy() == pytest.approx(raw)
    assert found["p"][1:].to_numpy() == pytest.approx(holm(raw))
    assert found.loc[0, ["difference", "p_raw", "p"]].isna().all()
    assert found["difference"][1:].to_numpy() == pytest.approx(found["mean"][1:] - found["mean"][0])
    for row in found.itertuples():
        assert (row.low, row.high) == pytest.approx(interval(table.loc[row.run]))


def test_lower_is_better_turns_the_order_and_keeps_the_values():
    table = scores(2)
    up, down = compare_to_best(table), compare_to_best(table, better="lower")
    assert list(down["run"]) == list(up["run"])[::-1]
    assert set(down["mean"]) == set(up["mean"])


def test_runs_with_undefined_topics_are_compared_on_the_shared_ones():
    table = scores(4)
    table.iloc[0, :3] = np.nan
    found = compare_to_best(table).set_index("run")
    best = table.loc[found.index[0]]
    assert found.loc["run0", "topics"] == table.shape[1] - 3
    assert found.loc["run0", "p_raw"] == pytest.approx(stats.ttest_rel(table.iloc[0, 3:], best.iloc[3:]).pvalue)


def test_one_topic_gives_an_order_and_no_verdict():
    found = compare_to_best(scores(topics=1))
    assert found["mean"].is_monotonic_decreasing
    assert found[["low", "high", "p"]].isna().all(axis=None)


def test_equal_runs_are_told_apart_by_nothing():
    table = pd.DataFrame([[.2, .4], [.2, .4]], index=["b", "a"])
    found = compare_to_best(table)
    assert list(found["run"]) == ["b", "a"]
    assert found["p"][1] == 1


def test_undefined_runs_come_last_and_an_undefined_measure_is_no_crash():
    table = scores(5)
    table.iloc[4] = np.nan
    assert compare_to_best(table)["run"].iloc[-1] == "run4"
    nothing = compare_to_best(table * np.nan)
    assert list(nothing["run"]) == list(table.index)
    assert nothing["mean"].isna().all()
    assert len(compare_to_best(table.iloc[:0])) == 0


def test_direction_is_checked():
    with pytest.raises(ValueError, match="better"):
        compare_to_best(scores(), better="up")
