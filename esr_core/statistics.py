"""Is a difference between runs more than chance? Intervals, paired tests and their correction.

Topics are the sample: a run's score on a topic is one observation, and two runs are compared topic by topic.
A topic on which a measure is undefined (NaN) for one of the two is left out of that comparison. Where there
are too few topics to say anything the answer is NaN, never a guess.

`scipy.special` holds all that is needed here; it is imported inside the functions because importing it takes
longer than computing everything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]


def interval(values: ArrayLike, level: float = 0.95) -> tuple[float, float]:
    """The t-interval of a mean: mean ± t(n − 1, (1 + level) / 2) · s / √n over the values that are defined.

    One value has no spread and no interval (NaN); equal values have an interval of width 0.

    >>> low, high = interval([0.2, 0.4, 0.6])
    >>> f"{low:.3f} {high:.3f}"
    '-0.097 0.897'
    """
    low, high = intervals(np.atleast_2d(np.asarray(values, dtype=float)), level)
    return float(low[0]), float(high[0])


def intervals(rows: ArrayLike, level: float = 0.95) -> tuple[Floats, Floats]:
    """Lower and upper ends of `interval` for every row of a matrix (runs × topics)."""
    from scipy.special import stdtrit

    if not 0 < level < 1:
        raise ValueError(f"level={level}: a confidence level lies between 0 and 1")
    mean, error, count = _moments(np.asarray(rows, dtype=float))
    enough = count > 1
    reach = np.full(len(mean), np.nan)
    reach[enough] = stdtrit(count[enough] - 1, (1 + level) / 2) * error[enough]
    return mean - reach, mean + reach


def paired_t(first: ArrayLike, second: ArrayLike) -> Floats:
    """Two-sided p of the paired t-test between matching rows of two matrices (runs × topics).

    Pairs with an undefined side are dropped. Fewer than two pairs: NaN. Rows without any difference: 1.
    A difference that is the same on every topic: 0, the limit of the test.
    """
    from scipy.special import stdtr

    difference = np.atleast_2d(np.asarray(first, dtype=float) - np.asarray(second, dtype=float))
    mean, error, count = _moments(difference)
    p = np.full(len(mean), np.nan)
    enough = count > 1
    spread = enough & (error > 0)
    p[enough] = np.where(mean[enough] == 0, 1.0, 0.0)
    p[spread] = 2 * stdtr(count[spread] - 1, -np.abs(mean[spread] / error[spread]))
    return p


def holm(p: ArrayLike) -> Floats:
    """Holm's step-down correction; NaN marks a test that was not made and counts for nothing.

    >>> [round(float(p), 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    raw = np.asarray(p, dtype=float)
    corrected = np.full(raw.shape, np.nan)
    made = np.flatnonzero(~np.isnan(raw))
    order = made[np.argsort(raw[made], kind="stable")]
    factors = np.arange(len(order), 0, -1)
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(raw[order] * factors))
    return corrected


def compare_to_best(scores: pd.DataFrame, better: str = "higher", level: float = 0.95) -> pd.DataFrame:
    """Every run against the run with the best mean: paired t-test over topics, Holm-corrected.

    `scores` holds runs as rows and topics as columns; `better` is "higher" or "lower". Returns one row per run,
    best first, runs without any defined topic last, ties in the order of the rows:

    run, mean, low, high (the `level` interval of the mean), topics (how many are defined), difference (mean over
    the shared topics, this run − the best), p_raw, p (corrected); the last three are NaN for the best itself.
    """
    import pandas as pd

    if better not in ("higher", "lower"):
        raise ValueError(f"better={better!r}: expected 'higher' or 'lower'")
    values = scores.to_numpy(dtype=float, na_value=np.nan)
    mean, _, count = _moments(values)
    low, high = intervals(values, level)
    frame = pd.DataFrame({"run": list(scores.index), "mean": mean, "low": low, "high": high, "topics": count,
                          "difference": np.nan, "p_raw": np.nan, "p": np.nan})
    defined = np.flatnonzero(count > 0)
    if len(defined):
        sign = 1.0 if better == "lower" else -1.0
        # equal means may differ in their last bits when topics are added in another order
        order = defined[np.argsort(np.round(sign * mean[defined], 12), kind="stable")]
        best, others = order[0], order[1:]
        frame.loc[others, "difference"] = _moments(values[others] - values[best])[0]
        frame.loc[others, "p_raw"] = paired_t(values[others], values[best])
        frame.loc[others, "p"] = holm(frame.loc[others, "p_raw"].to_numpy())
        frame = frame.loc[[*order, *np.flatnonzero(count == 0)]]
    return frame.reset_index(drop=True)


def _moments(rows: Floats) -> tuple[Floats, Floats, NDArray[Any]]:
    """Mean, standard error of the mean and number of the defined values of each row; NaN where there are none."""
    defined = ~np.isnan(rows)
    count = defined.sum(axis=1)
    total = np.where(defined, rows, 0.0).sum(axis=1)
    mean = np.divide(total, count, out=np.full(len(rows), np.nan), where=count > 0)
    off = np.where(defined, rows - np.where(count > 0, mean, 0.0)[:, None], 0.0)
    # rounding of the mean must not look like spread among equal values
    off[np.abs(off) <= 4 * np.finfo(float).eps * np.abs(mean)[:, None]] = 0.0
    spread = np.divide((off ** 2).sum(axis=1), count - 1, out=np.full(len(rows), np.nan), where=count > 1)
    return mean, np.sqrt(spread / np.maximum(count, 1)), count
