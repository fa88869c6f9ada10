"""Extended cumulated gain (xcg §5): xCG, nxCG, effort-precision and what goes with them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from esr_core.gains import Gaining, GainView
from esr_core.measures.catalogue import LEVEL, RANK, Parameter, measure
from esr_core.measures.explanation import Parts, dense, terms, upto
from esr_core.ragged import cumsum, distinct, ranges
from esr_core.study import Study

Array = np.ndarray
FAMILY = "XCG"
TOLERANCE = 1e-12


def default_quantisation(study: Any) -> str:
    return "gen" if study.grades is not None else "spec"


QUANT = Parameter("quant", "How the grades of an element become one value: strict, generalised, specificity-oriented, "
                           "by specificity alone, or any relevance.", "auto", kind="choice",
                  choices=("strict", "gen", "sog", "spec", "binary"), resolve=default_quantisation,
                  option_needs={"strict": ("grades",), "gen": ("grades",), "sog": ("grades",)})
ALPHA = Parameter("alpha", "Intolerance to overlap: 1, text already seen earns nothing; 0, overlap is ignored.", 1.0,
                  low=0, high=1, symbol=r"\alpha")
CAP = Parameter("cap", "Never value a partly seen element above its own quantised value (off: as printed).", "on",
                kind="choice", choices=("on", "off"))
NORM = Parameter("norm", "Results that share an ideal element never earn more than it together (Eq 8).", "related",
                 kind="choice", choices=("related", "off"))
INTERP = Parameter("interp", "Positions between ranks: linear, or (k−1)+r/C[k], the rule behind the paper's Table II.",
                   "linear", kind="choice", choices=("linear", "table2"))
_GAIN = (QUANT, ALPHA, CAP, NORM)


@dataclass(frozen=True)
class Xcg:
    """The gaining results of every list, beside the ideal ranking of its topic."""

    view: GainView
    hits: Gaining

    @property
    def n_lists(self) -> int:
        return self.view.n_lists

    @property
    def defined(self) -> Array:
        return self.view.defined

    @cached_property
    def cumulated(self) -> Array:
        """xCG at every gaining result."""
        return self.hits.cumsum(self.hits.gain)

    @cached_property
    def ideal(self) -> Array:
        """xCI: running sums of the ideal values, topic by topic."""
        return cumsum(self.view.ideals.value, self.view.ideals.offsets)

    @property
    def n_ideals(self) -> Array:
        """Per list."""
        return self.view.ideals.count[self.view.list_topic]

    def ideal_at(self, lists: Array, rank: Array) -> Array:
        """xCI at whole ranks, constant past the last ideal; 0 at rank 0."""
        topic = self.view.list_topic[lists]
        count = np.minimum(rank, self.view.ideals.count[topic]).astype(np.int64)
        at = self.view.ideals.offsets[topic] + count - 1
        return np.where(count > 0, self.ideal[np.maximum(at, 0)] if len(self.ideal) else 0.0, 0.0)

    @cached_property
    def found_ideals(self) -> Array:
        """Per list: ideals to which a gaining result is related."""
        v = self.view
        own = np.flatnonzero(np.isin(v.visits.result, self.hits.result))
        low, high = (a[own] for a in v.ideal_range)
        owner, ideal = ranges(low, high)
        key = v.visits.list[own][owner] * max(len(v.ideals.node), 1) + ideal
        every = distinct(key)
        return np.bincount(every // max(len(v.ideals.node), 1), minlength=v.n_lists)

    @cached_property
    def divisor(self) -> Array:
        """For Q and MAep: ranks with gain, and ideals no gaining result is related to."""
        return np.diff(self.hits.offsets) + self.n_ideals - self.found_ideals

    def position(self, curve: Array, rank: Array, offsets: Array, lists: Array, wanted: Array, interp: str) -> Array:
        """Where a cumulated curve reaches a gain, between ranks; NaN where it never does.

        `curve` and `rank` are the points of all curves, `offsets` theirs, `lists` which curve is asked.
        """
        out = np.full(wanted.shape, np.nan)
        flat_lists, flat_wanted = lists.ravel(), wanted.ravel()
        flat = out.ravel()
        for i in distinct(flat_lists):
            ask = np.flatnonzero(flat_lists == i)
            low, high = offsets[i], offsets[i + 1]
            own = curve[low:high]
            at = np.searchsorted(own, flat_wanted[ask] - TOLERANCE)
            reached = at < len(own)
            ask, at = ask[reached], at[reached]
            here = own[at]
            before = np.where(at > 0, own[np.maximum(at - 1, 0)], 0.0)
            gain = np.minimum(flat_wanted[ask], here)
            part = (gain - before) / (here - before) if interp == "linear" else gain / here
            flat[ask] = rank[low:high][at] - 1 + np.clip(part, 0, 1)
        return flat.reshape(wanted.shape)

    def run_position(self, lists: Array, wanted: Array, interp: str) -> Array:
        return self.position(self.cumulated, self.hits.rank, self.hits.offsets, lists, wanted, interp)

    def ideal_position(self, lists: Array, wanted: Array, interp: str) -> Array:
        rank = np.arange(len(self.ideal)) - self.view.ideals.offsets[self.view.ideals.topic] + 1
        return self.position(self.ideal, rank, self.view.ideals.offsets, self.view.list_topic[lists], wanted, interp)


def view(alignment: Any, values: dict[str, Any]) -> Xcg:
    """The family's view for these parameters."""
    own = alignment.gain_view(values["quant"])
    return Xcg(own, own.gains(values["alpha"], values["cap"] == "on", values["norm"] == "related"))


_COMMON: dict[str, Any] = {"family": FAMILY, "reference": "kazai2006xcg", "needs": ("quantised", "nodes", "lengths"),
                           "view": view, "pairs": True}
_PLAIN: dict[str, Any] = {**_COMMON, "parameters": _GAIN}


def _gains(study: Study, xcg: Xcg, length: int) -> tuple[Array, Array]:
    return dense(xcg.hits, xcg.hits.gain, length), upto(np.arange(len(study.results)), length)


def _explain_xcg(study: Study, xcg: Xcg, at: Array, **_: Any) -> Parts:
    gain, result = _gains(study, xcg, int(at[0]))
    return Parts({"xG": gain, "xCG": np.cumsum(gain), "contribution": gain}, terms(gain), result)


@measure("xCG", title="Cumulated gain", formula=r"xCG[k]=\sum_{j=1}^{k} xG[j]", equation="Eq 4, 8–10", at=RANK,
         axes=("Rank", "Cumulated gain"), explain=_explain_xcg, **_PLAIN)
def xcg(x: Xcg, at: Array, **_: Any) -> Array:
    """Values of the elements retrieved so far, each reduced by what was seen before and bounded by the ideal ones it
    is related to."""
    return x.hits.sum_at(x.hits.gain, at)


def _explain_nxcg(study: Study, x: Xcg, at: Array, **_: Any) -> Parts:
    k = int(at[0])
    gain, result = _gains(study, x, k)
    ideal = float(x.ideal_at(np.zeros(1, int), at)[0])
    shown = x.ideal_at(np.zeros(k, int), np.arange(1, k + 1))
    return Parts({"xG": gain, "xCG": np.cumsum(gain), "xCI": shown, "contribution": gain / ideal},
                 f"({terms(gain)}) / {ideal:.4g}", result)


@measure("nxCG", title="Normalised cumulated gain", formula=r"nxCG[k]=\frac{xCG[k]}{xCI[k]}", equation="Eq 5", at=RANK,
         axes=("Rank", "Gain over ideal gain"), explain=_explain_nxcg, **_PLAIN)
def nxcg(x: Xcg, at: Array, **_: Any) -> Array:
    """Gain up to rank k over the gain of the ideal ranking up to the same rank."""
    lists = np.arange(x.n_lists)[:, None]
    ideal = x.ideal_at(np.broadcast_to(lists, (x.n_lists, len(at))), np.broadcast_to(at, (x.n_lists, len(at))))
    return np.divide(xcg(x, at), ideal, out=np.zeros(ideal.shape), where=ideal > 0)


def _inverse_ideal(x: Xcg, lists: Array, rank: Array) -> Array:
    """Σ_{j≤rank} 1/xCI[j], in closed form past the last ideal."""
    ideals = x.view.ideals
    inverse = np.divide(1.0, x.ideal, out=np.zeros(len(x.ideal)), where=x.ideal > 0)
    running = np.append(cumsum(inverse, ideals.offsets), 0.0)
    topic = x.view.list_topic[lists]
    count = ideals.count[topic]
    inside = np.minimum(rank, count).astype(np.int64)
    at = ideals.offsets[topic] + inside - 1
    last = np.divide(1.0, ideals.total[topic], out=np.zeros(len(topic)), where=ideals.total[topic] > 0) \
        if topic.ndim == 1 else np.divide(1.0, ideals.total[topic], out=np.zeros(topic.shape),
                                          where=ideals.total[topic] > 0)
    return np.where(inside > 0, running[at], 0.0) + np.maximum(rank - count, 0) * last


def _explain_manxcg(study: Study, x: Xcg, at: Array, **_: Any) -> Parts:
    k = int(at[0])
    gain, result = _gains(study, x, k)
    zero = np.zeros(k, int)
    after = _inverse_ideal(x, np.zeros(1, int), at.astype(float))[0] - _inverse_ideal(x, zero, np.arange(k))
    return Parts({"xG": gain, "xCI": x.ideal_at(zero, np.arange(1, k + 1)), "contribution": gain * after / k},
                 f"({terms(gain * after)}) / {k}", result,
                 "contribution: the gain over the ideal gain of this and every later rank, averaged")


@measure("MAnxCG", title="Mean normalised cumulated gain", formula=r"MAnxCG[k]=\frac1k\sum_{j=1}^{k} nxCG[j]",
         equation="Eq 6", at=RANK, axes=("Rank", "Mean gain over ideal gain"), explain=_explain_manxcg, **_PLAIN)
def manxcg(x: Xcg, at: Array, **_: Any) -> Array:
    """Mean of nxCG over the ranks 1 … k."""
    # A gain that enters at rank j counts 1/xCI at every rank from j on.
    lists = np.broadcast_to(np.arange(x.n_lists)[:, None], (x.n_lists, len(at)))
    whole = _inverse_ideal(x, lists, np.broadcast_to(at, lists.shape))
    before = _inverse_ideal(x, x.hits.list, x.hits.rank - 1)
    return (x.hits.sum_at(x.hits.gain, at) * whole - x.hits.sum_at(x.hits.gain * before, at)) / at


def _explain_gr(study: Study, x: Xcg, at: Array, **_: Any) -> Parts:
    gain, result = _gains(study, x, int(at[0]))
    total = float(x.view.total[0])
    return Parts({"xG": gain, "contribution": gain / total}, f"({terms(gain)}) / {total:.4g}", result)


@measure("gr", title="Gain-recall", formula=r"gr[k]=\frac{xCG[k]}{xCI[n]}", equation="Eq 14", at=RANK,
         axes=("Rank", "Gain-recall"), explain=_explain_gr, **_PLAIN)
def gr(x: Xcg, at: Array, **_: Any) -> Array:
    """Gain up to rank k over all the gain of the ideal ranking."""
    return xcg(x, at) / np.where(x.view.total > 0, x.view.total, 1)[:, None]


def _q_terms(x: Xcg) -> Array:
    bonus = x.cumulated + x.hits.number
    return bonus / (x.ideal_at(x.hits.list, x.hits.rank) + x.hits.rank)


def _explain_q(study: Study, x: Xcg, **_: Any) -> Parts:
    gain, result = _gains(study, x, len(study.results))
    part = dense(x.hits, _q_terms(x), len(gain))
    below = int(x.divisor[0])
    return Parts({"xG": gain, "xCG": np.cumsum(gain), "contribution": part / max(below, 1)},
                 f"({terms(part)}) / {below}", result)


@measure("Q", title="Q-measure", formula=r"Q=\frac{1}{R}\sum_{j:\,xG[j]>0}\frac{cbg(j)}{cig(j)+j}", equation="Eq 11",
         explain=_explain_q, **_PLAIN)
def q(x: Xcg, **_: Any) -> Array:
    """Mean over gaining ranks, and ideals nothing is related to, of cumulated bonus gain over ideal gain plus rank."""
    return np.divide(x.hits.sums(_q_terms(x)), x.divisor, out=np.zeros(x.n_lists), where=x.divisor > 0)


def _explain_rm(study: Study, x: Xcg, **_: Any) -> Parts:
    n = int(x.n_ideals[0])
    gain, result = _gains(study, x, n)
    below = float(x.view.total[0]) + n
    part = np.where(gain > 0, gain + 1, 0)
    return Parts({"xG": gain, "contribution": part / below}, f"({terms(part)}) / {below:.4g}", result)


@measure("Rm", title="R-measure", formula=r"R=\frac{cbg(n)}{cig(n)+n}", equation="Eq 12", explain=_explain_rm, **_PLAIN)
def rm(x: Xcg, **_: Any) -> Array:
    """Cumulated bonus gain at rank n over ideal gain plus n, where n is the number of ideal elements."""
    inside = x.hits.rank <= x.n_ideals[x.hits.list]
    bonus = x.hits.sums(np.where(inside, x.hits.gain + 1, 0))
    below = x.view.total + x.n_ideals
    return np.divide(bonus, below, out=np.zeros(x.n_lists), where=below > 0)


# ---------------------------------------------------------------- effort-precision

def _ep(x: Xcg, at: Array, interp: str) -> Array:
    wanted = x.view.total[:, None] * at
    lists = np.broadcast_to(np.arange(x.n_lists)[:, None], wanted.shape)
    run, ideal = x.run_position(lists, wanted, interp), x.ideal_position(lists, wanted, interp)
    ratio = np.divide(ideal, run, out=np.zeros(run.shape), where=run > 0)
    return np.where(np.isnan(run) | np.isnan(ideal), 0.0, ratio)


def _spread(study: Study, x: Xcg, value: float, wanted: float, interp: str) -> Parts:
    """A value that one place of the curve decides, shared out over the gains that lead there."""
    gain, result = _gains(study, x, len(study.results))
    running = np.cumsum(gain)
    before = running - gain
    used = np.clip(wanted - before, 0, gain)
    total = used.sum()
    place = float(x.run_position(np.zeros(1, int), np.array([wanted]), interp)[0])
    ideal = float(x.ideal_position(np.zeros(1, int), np.array([wanted]), interp)[0])
    reached = not np.isnan(place)
    return Parts({"xG": gain, "xCG": running, "contribution": used / total * value if total > 0 else used * 0},
                 f"{ideal:.4g} / {place:.4g}" if reached else "never reached: 0", result,
                 f"gain {wanted:.4g} is reached at position {place:.4g}; the ideal ranking reaches it at {ideal:.4g}; "
                 "contribution: shared out over the gains that lead there" if reached else "")


def _explain_ep(study: Study, x: Xcg, at: Array, *, interp: str, **_: Any) -> Parts:
    return _spread(study, x, float(_ep(x, at, interp)[0, 0]), float(x.view.total[0] * at[0]), interp)


@measure("ep", title="Effort-precision", formula=r"ep[x]=\frac{i_{ideal}}{i_{run}}", equation="Eq 13", at=LEVEL,
         parameters=(*_GAIN, INTERP), axes=("Gain-recall", "Effort-precision"), explain=_explain_ep, **_COMMON)
def ep(x: Xcg, at: Array, *, interp: str, **_: Any) -> Array:
    """The rank at which the ideal ranking reaches a share x of all gain over the rank at which the run does."""
    return _ep(x, at, interp)


TENTHS = np.arange(1, 11) / 10


def _explain_imaep(study: Study, x: Xcg, *, interp: str, **_: Any) -> Parts:
    gain, result = _gains(study, x, len(study.results))
    running = np.cumsum(gain)
    ratio = _ep(x, TENTHS, interp)[0]
    part = np.zeros(len(gain))
    for level, value in zip(TENTHS, ratio, strict=True):
        at = np.flatnonzero(running >= level * x.view.total[0] - TOLERANCE)
        if len(at):
            part[at[0]] += value / 10
    return Parts({"xG": gain, "xCG": running, "contribution": part}, f"({terms(ratio, 10)}) / 10", result,
                 "contribution: ep of the recall levels that this rank reaches")


@measure("iMAep", title="Interpolated mean effort-precision", formula=r"iMAep=\frac1{10}\sum_{x=0.1}^{1} ep[x]",
         equation="§5.4", parameters=(*_GAIN, INTERP), explain=_explain_imaep, **_COMMON)
def imaep(x: Xcg, *, interp: str, **_: Any) -> Array:
    """Mean of effort-precision at gain-recall 0.1, 0.2 … 1."""
    return _ep(x, TENTHS, interp).mean(axis=1)


def _maep_terms(x: Xcg, interp: str) -> Array:
    """i_ideal(xCG[i]) / i at every gaining rank; beyond the ideal total the position is the number of ideals."""
    place = x.ideal_position(x.hits.list, x.cumulated, interp)
    return np.where(np.isnan(place), x.n_ideals[x.hits.list], place) / x.hits.rank


def _explain_maep(study: Study, x: Xcg, *, interp: str, **_: Any) -> Parts:
    gain, result = _gains(study, x, len(study.results))
    part = dense(x.hits, _maep_terms(x, interp), len(gain))
    below = int(x.divisor[0])
    return Parts({"xG": gain, "xCG": np.cumsum(gain), "contribution": part / max(below, 1)},
                 f"({terms(part)}) / {below}", result)


@measure("MAep", title="Mean effort-precision", formula=r"MAep=\frac1R\sum_{j:\,xG[j]>0}\frac{i_{ideal}(xCG[j])}{j}",
         equation="§5.4", parameters=(*_GAIN, INTERP), explain=_explain_maep, **_COMMON)
def maep(x: Xcg, *, interp: str, **_: Any) -> Array:
    """Mean effort-precision at the ranks with gain; ideal elements that nothing is related to count 0."""
    return np.divide(x.hits.sums(_maep_terms(x, interp)), x.divisor, out=np.zeros(x.n_lists), where=x.divisor > 0)
