"""Structural relevance and Extended Structural Relevance (esr §5–§7): hits, near-misses, misses.

All measures are ratios of four expectations that change only at the ranks of results in documents with assessed
units: gain from hits (Eq 8), gain from near-misses (Eq 10), loss from misses (Eq 9), and shrinkage, what a hit loses
because it may have been seen before. Always Hits + Near + Misses + Shrinkage = Σ rel.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from esr_core.measures import esr_explain as why
from esr_core.measures.catalogue import LEVEL, RANK, Parameter, measure
from esr_core.measures.strings import Spec
from esr_core.ragged import Hits, ranges, share
from esr_core.units import Seen, UnitView, running_product, tree_reach

Array = np.ndarray
FAMILY = "ESR"
TOLERANCE = 1e-12
LEVELS = np.arange(101) / 100


def _best_navigation(study: Any) -> str:
    return "matrix" if study.navigation_rows is not None else "routes" if study.route_rows is not None else "structural"



NAV = Parameter("nav", "The navigation model: what the reader of one element sees of the others.", "auto", kind="call",
                calls="navigation", symbol=r"\tilde p", resolve=_best_navigation)
UNITS = Parameter("units", "Which elements stand for highlighted passages, where the study does not give units.",
                  "smallest", kind="choice", choices=("smallest", "inside", "leaves", "all", "document"))
QUANT = Parameter("quant", "Which graded elements are units, where the study has grades only.", "strict",
                  kind="choice", choices=("strict", "gen", "sog", "spec", "binary"))
MATCH = Parameter("match", "exact: a unit is a hit when a result is exactly its nodes; node: also when a retrieved "
                           "tree holds it.", "exact", kind="choice", choices=("exact", "node"))
EQ4 = Parameter("eq4", "Navigation between trees: paper leaves shared nodes out of the sums, full does not.", "paper",
                kind="choice", choices=("paper", "full"))
OVERLAP = Parameter("overlap", "Worth of a hit's text that higher-ranked results already showed: 1 as the paper, 0 "
                               "nothing (beyond the paper, its §7.5 asks for it).", 1.0, low=0, high=1,
                    symbol=r"\alpha", below_needs=(1.0, ("elements",)))


def _rel(default: str) -> Parameter:
    return Parameter("rel", "Relevance of a unit: 1 (binary), or its value or highlighted characters (length).",
                     default, kind="choice", choices=("binary", "length"))


SIZE = Parameter("size", "Size of a retrieved tree: the union of its text, or the sum over its nodes.", "union",
                 kind="choice", choices=("union", "sum"))
_FRAME = (NAV, UNITS, QUANT, MATCH, EQ4, OVERLAP)
_WITHOUT_HITS = (NAV, UNITS, QUANT, EQ4)  # SRP looks at results, not at hits


@dataclass(frozen=True)
class Esr:
    """What a measure of this family sees: the units with results, through one navigation model."""

    units: UnitView
    seen: Seen
    overlap: float

    @property
    def n_lists(self) -> int:
        return self.units.n_lists

    @property
    def defined(self) -> Array:
        return self.units.defined

    @property
    def changes(self) -> Hits:
        return self.seen.hits

    def moved(self, what: str, rel: str) -> Array:
        """The change of an expectation at each (list, rank) of `changes`."""
        weight = self.units.weights(rel)[self.seen.unit]
        if what == "near":
            return weight * self.seen.to_near
        kept = self._kept
        if what == "hit":
            return weight * self.seen.to_hit * kept
        return weight * (self.seen.to_shrink + self.seen.to_hit * (1 - kept))

    @cached_property
    def _kept(self) -> Array:
        """Share of a hit that counts: text already shown is worth `overlap`."""
        if self.overlap == 1:
            return np.ones(len(self.seen.case))
        return 1 - (1 - self.overlap) * self.units.shown_before[self.seen.case]

    def at(self, what: str, rel: str, ranks: Array) -> Array:
        """Hits, near-misses or shrinkage at rank cut-offs: lists × ranks."""
        found = self.changes.sum_at(self.moved(what, rel), ranks)
        return self._clean(found, self.units.total(rel)[:, None]) if what == "near" else found

    @staticmethod
    def _clean(near: Array, total: Array) -> Array:
        """What a unit loses as a near-miss when it becomes a hit is what it had gained; rounding may leave a trace."""
        return np.where(near > 1e-12 * total, near, 0.0)

    def _hit_units(self, rel: str) -> Array:
        """The relevance of units at the ranks where they become hits."""
        return np.where(self.seen.to_hit + self.seen.to_shrink > 0, self.units.weights(rel)[self.seen.unit], 0.0)

    def recall_base(self, rel: str, ranks: Array) -> Array:
        """Eq 11: what hits gain, and all units that are no hits. (Σ rel − Shrinkage would lose every digit of a hit
        that was almost surely seen before.)"""
        others = self.units.total(rel)[:, None] - self.changes.sum_at(self._hit_units(rel), ranks)
        return np.maximum(others, 0) + self.at("hit", rel, ranks)

    def text_at(self, size: str, ranks: Array) -> Array:
        """Σ size of the first k results."""
        total = self.units.text_before(size)
        lists = self.units.lists
        last = np.minimum(lists[:-1, None] + ranks.astype(np.int64), lists[1:, None])
        return total[last] - total[lists[:-1, None]]


def view(alignment: Any, values: dict[str, Any]) -> Esr:
    """The family's view for these parameters."""
    nav: Spec = values["nav"]
    units = alignment.unit_view(values["units"], values["quant"], values.get("match", "exact"))
    return Esr(units, units.seen(str(nav), lambda: alignment.model(nav), values["eq4"]), values.get("overlap", 1.0))


_COMMON: dict[str, Any] = {"family": FAMILY, "reference": "ali2012esr", "needs": ("units", "nodes"), "view": view}
_RANKED: dict[str, Any] = {**_COMMON, "at": RANK}
_SIZED: dict[str, Any] = {**_RANKED, "needs": ("units", "nodes", "lengths")}
_SIZED_AVERAGE: dict[str, Any] = {**_COMMON, "needs": ("units", "nodes", "lengths")}


# ---------------------------------------------------------------- the four expectations

@measure("Hits", title="Expected gain from hits",
         formula=r"E[Hits]=\sum_{a\in R_k\cap A} rel(a)\,(1-p(a;R_{m-1}))", equation="Eq 8",
         parameters=(_rel("binary"), *_FRAME), axes=("Rank", "Expected relevance"),
         explain=why.ranked({"hits": 1}), **_RANKED)
def hits(esr: Esr, at: Array, *, rel: str, **_: Any) -> Array:
    """Relevance of the retrieved units, each less the chance that it was seen before."""
    return esr.at("hit", rel, at)


@measure("Near", title="Expected gain from near-misses",
         formula=r"E[Near]=\sum_{a\in A\setminus R_k} rel(a)\,p(a;R_k)", equation="Eq 10",
         parameters=(_rel("binary"), *_FRAME), axes=("Rank", "Expected relevance"),
         explain=why.ranked({"near": 1}), **_RANKED)
def near(esr: Esr, at: Array, *, rel: str, **_: Any) -> Array:
    """Relevance of units that are not retrieved, times the chance that the reader navigates to them."""
    return esr.at("near", rel, at)


@measure("Misses", title="Expected loss from misses",
         formula=r"E[Misses]=\sum_{a\in A\setminus R_k} rel(a)\,(1-p(a;R_k))", equation="Eq 9", better="lower",
         parameters=(_rel("binary"), *_FRAME), axes=("Rank", "Expected relevance"),
         explain=why.ranked({"hits": -1, "near": -1, "shrinkage": -1}, whole=True), **_RANKED)
def misses(esr: Esr, at: Array, *, rel: str, **_: Any) -> Array:
    """Relevance of units that are neither retrieved nor reached."""
    return esr.recall_base(rel, at) - esr.at("hit", rel, at) - esr.at("near", rel, at)


@measure("Shrinkage", title="Expected loss from redundancy",
         formula=r"E[Shrinkage]=\sum_{a\in R_k\cap A} rel(a)\,p(a;R_{m-1})", equation="footnote 3", better="lower",
         parameters=(_rel("binary"), *_FRAME), axes=("Rank", "Expected relevance"),
         explain=why.ranked({"shrinkage": 1}), **_RANKED)
def shrinkage(esr: Esr, at: Array, *, rel: str, **_: Any) -> Array:
    """What hits lose because the reader may have seen them before."""
    return esr.at("shrink", rel, at)


@measure("RecallBase", title="Recall-base", formula=r"E[Recall\text{-}base]=E[Hits]+E[Misses]+E[Near]",
         equation="Eq 11", parameters=(_rel("binary"), *_FRAME), axes=("Rank", "Expected relevance"),
         explain=why.ranked({"shrinkage": -1}, whole=True), **_RANKED)
def recall_base(esr: Esr, at: Array, *, rel: str, **_: Any) -> Array:
    """The most a reader of these results could still gain: all relevance less shrinkage."""
    return esr.recall_base(rel, at)


# ---------------------------------------------------------------- precision and recall

@measure("ESRP", title="Structural relevance in precision", formula=r"ESRP[k]=\frac{E[Hits,R_k,A]}{k}",
         equation="Eq 13", parameters=(_rel("binary"), *_FRAME), axes=("Rank", "Precision"),
         explain=why.ranked({"hits": 1}, why.by_rank), **_RANKED)
def esrp(esr: Esr, at: Array, *, rel: str, **_: Any) -> Array:
    """Expected gain from hits per rank; without navigation it is classical precision."""
    return esr.at("hit", rel, at) / at


@measure("ESRR", title="Structural relevance in recall",
         formula=r"ESRR[k]=\frac{E[Hits]+E[Near]}{E[Recall\text{-}base]}", equation="Eq 14",
         parameters=(_rel("binary"), *_FRAME), axes=("Rank", "Recall"),
         explain=why.ranked({"hits": 1, "near": 1}, why.by_recall_base()), **_RANKED)
def esrr(esr: Esr, at: Array, *, rel: str, **_: Any) -> Array:
    """Expected gain from hits and near-misses over the recall-base; it may fall as well as rise with k."""
    return share(esr.at("hit", rel, at) + esr.at("near", rel, at), esr.recall_base(rel, at))


INFERRED = Parameter("inferred", "Relevance of a retrieved tree from its nodes' values.", "mean", kind="choice",
                     choices=("mean", "sum", "max"))


@measure("SRP", title="Structural relevance in precision, from inferred relevance",
         formula=r"SRP[k]=\frac1k\sum_{i=1}^{k} rel(t_i)\,(1-p(t_i;R_{i-1}))", equation="Eq 12",
         parameters=(_rel("binary"), INFERRED, *_WITHOUT_HITS), axes=("Rank", "Precision"),
         explain=why.from_nodes(lambda *a: _inferred_gain(*a)), pairs=True, **_RANKED)
def srp(esr: Esr, at: Array, *, rel: str, inferred: str, nav: Spec, eq4: str, **_: Any) -> Array:
    """Each result's relevance, inferred from its nodes, less the chance that it was seen before; a repeated result
    earns nothing."""
    lists, rank, gain = _inferred_gain(esr.units, rel, inferred, nav, eq4)
    return Hits(lists, rank, esr.n_lists).sum_at(gain, at) / at


def _inferred_gain(units: UnitView, rel: str, inferred: str, nav: Spec, eq4: str) -> tuple[Array, Array, Array]:
    """(list, rank, expected gain) of the results whose nodes have relevance."""
    study, results = units.study, units.results
    value_of = _node_values(units, rel)
    owner = np.repeat(np.arange(len(results)), results.count)
    topic = study.results.topic[owner].astype(np.int64)
    value = value_of(topic, results.node)
    count = np.maximum(results.count, 1)
    if inferred == "max":
        relevance = np.zeros(len(results))
        np.maximum.at(relevance, owner, value)
    else:
        relevance = np.bincount(owner, value, len(results)) / (count if inferred == "mean" else 1)
    targets = np.flatnonzero((relevance > 0) & units.fresh)
    r = study.results
    list_of = np.repeat(np.arange(study.n_lists), np.diff(r.lists))
    # Earlier results of the same list and document, repeated ones left out.
    sources = np.flatnonzero(units.fresh & (results.count > 0))
    width = max(len(study.doc_ids), 1)
    key = list_of * width + r.doc
    order = sources[np.argsort(key[sources], kind="stable")]
    low = np.searchsorted(key[order], key[targets])
    own = np.empty(len(r), np.int64)
    own[order] = np.arange(len(order))
    pair, source = ranges(low, own[targets])
    source = order[source]
    model = study.alignment.model(nav)
    reach = tree_reach(model, results, source, results, targets[pair], eq4)
    _, after = running_product(pair, 1 - reach)
    unseen = np.ones(len(targets))
    unseen[pair] = after
    return list_of[targets], targets - r.lists[list_of[targets]] + 1, relevance[targets] * unseen


def _node_values(units: UnitView, rel: str) -> Any:
    """The value of a node's single-node unit for a topic, else 0."""
    u = units.units
    single = np.flatnonzero(u.sets.count == 1)
    width = max(len(units.nodes), 1)
    key = u.topic[single].astype(np.int64) * width + u.sets.node[u.sets.offsets[single]]
    order = np.argsort(key, kind="stable")
    key, value = key[order], units.weights(rel)[single][order]

    def of(topic: Array, node: Array) -> Array:
        if not len(key):
            return np.zeros(len(node))
        wanted = topic * width + node
        at = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
        return np.where(key[at] == wanted, value[at], 0.0)

    return of


# ---------------------------------------------------------------- by length: HiXEval in ESR

BASE = Parameter("base", "What recall is divided by: all highlighted text, or the recall-base (as in Table 12).",
                 "text", kind="choice", choices=("text", "recall"))


def _gain(esr: Esr, at: Array, near_too: bool, rel: str = "length") -> Array:
    gain = esr.at("hit", rel, at)
    return gain + esr.at("near", rel, at) if near_too else gain


def _base(esr: Esr, at: Array, base: str) -> Array:
    return esr.units.text[:, None].astype(float) if base == "text" else esr.recall_base("length", at)


@measure("SRiP", title="Precision of text in ESR", formula=r"SRiP[k]=\frac{E[Hits,R_k,A]}{\sum_{i\le k} size(t_i)}",
         equation="Eq 18", parameters=(SIZE, *_FRAME), axes=("Rank", "Precision (share of text)"),
         explain=why.ranked({"hits": 1}, why.by_text, rel="length"), **_SIZED)
def srip(esr: Esr, at: Array, *, size: str, **_: Any) -> Array:
    """Expected relevant characters from hits over the characters retrieved."""
    return share(_gain(esr, at, False), esr.text_at(size, at))


@measure("SRiR", title="Recall of text in ESR", formula=r"SRiR[k]=\frac{E[Hits,R_k,A]}{T_{rel}}", equation="Eq 19",
         parameters=(BASE, *_FRAME), axes=("Rank", "Recall (share of the relevant text)"),
         explain=why.ranked({"hits": 1}, why.by_relevant_text, rel="length"), **_RANKED)
def srir(esr: Esr, at: Array, *, base: str, **_: Any) -> Array:
    """Expected relevant characters from hits over all relevant characters; may exceed 1 when units overlap."""
    return share(_gain(esr, at, False), _base(esr, at, base))


@measure("SRiP2", title="Precision of text in ESR with near-misses",
         formula=r"SRiP2[k]=\frac{E[Hits]+E[Near]}{\sum_{i\le k} size(t_i)}", equation="Eq 30",
         parameters=(SIZE, *_FRAME), axes=("Rank", "Precision (share of text)"),
         explain=why.ranked({"hits": 1, "near": 1}, why.by_text, rel="length"), **_SIZED)
def srip2(esr: Esr, at: Array, *, size: str, **_: Any) -> Array:
    """As SRiP, with what the reader reaches by navigation."""
    return share(_gain(esr, at, True), esr.text_at(size, at))


@measure("SRiR2", title="Recall of text in ESR with near-misses", formula=r"SRiR2[k]=\frac{E[Hits]+E[Near]}{T_{rel}}",
         equation="Eq 31", parameters=(BASE, *_FRAME), axes=("Rank", "Recall (share of the relevant text)"),
         explain=why.ranked({"hits": 1, "near": 1}, why.by_relevant_text, rel="length"), **_RANKED)
def srir2(esr: Esr, at: Array, *, base: str, **_: Any) -> Array:
    """As SRiR, with what the reader reaches by navigation."""
    return share(_gain(esr, at, True), _base(esr, at, base))


# ---------------------------------------------------------------- cumulated gain in ESR

L = Parameter("l", "Desired recall: the share of the recall-base the reader wants.", 1.0, above=0, high=1)
M = Parameter("m", "Desired effort: the number of ranks the reader is willing to spend on it.", 10.0, low=1)


@measure("CG", title="Cumulated gain in ESR", formula=r"CG[k]=E[Hits,R_k,A]", equation="Eq 23",
         parameters=(_rel("length"), *_FRAME), axes=("Rank", "Cumulated gain"),
         explain=why.ranked({"hits": 1}), **_RANKED)
def cg(esr: Esr, at: Array, *, rel: str, **_: Any) -> Array:
    """Expected gain from hits."""
    return _gain(esr, at, False, rel)


def _desired(esr: Esr, at: Array, rel: str, desired: float, effort: float) -> Array:
    return at * desired * esr.recall_base(rel, at) / effort


@measure("CD", title="Desired cumulated gain", formula=r"CD[k]=\frac{k\cdot l\cdot E[Recall\text{-}base,R_k,A]}{m}",
         equation="Eq 24", parameters=(_rel("length"), L, M, *_FRAME), axes=("Rank", "Cumulated gain"),
         explain=why.desired, **_RANKED)
def cd(esr: Esr, at: Array, *, rel: str, l: float, m: float, **_: Any) -> Array:  # noqa: E741
    """The gain a reader hopes for by rank k who wants recall l within m ranks."""
    return _desired(esr, at, rel, l, m)


@measure("NSRCG", title="Normalised cumulated gain in ESR", formula=r"NSRCG[k]=\frac{CG[k]}{CD[k]}", equation="Eq 25",
         parameters=(_rel("length"), L, M, *_FRAME), axes=("Rank", "Gain over desired gain"),
         explain=why.ranked({"hits": 1}, why.by_desired), **_RANKED)
def nsrcg(esr: Esr, at: Array, *, rel: str, l: float, m: float, **_: Any) -> Array:  # noqa: E741
    """Expected gain from hits over the desired gain."""
    return share(_gain(esr, at, False, rel), _desired(esr, at, rel, l, m))


@measure("NSRCG2", title="Normalised cumulated gain in ESR with near-misses",
         formula=r"NSRCG2[k]=\frac{E[Hits,R_k,A]+E[Near,R_k,A]}{CD[k]}", equation="Eq 32–34",
         parameters=(_rel("length"), L, M, *_FRAME), axes=("Rank", "Gain over desired gain"),
         explain=why.ranked({"hits": 1, "near": 1}, why.by_desired), **_RANKED)
def nsrcg2(esr: Esr, at: Array, *, rel: str, l: float, m: float, **_: Any) -> Array:  # noqa: E741
    """Expected gain from hits and near-misses over the desired gain."""
    return share(_gain(esr, at, True, rel), _desired(esr, at, rel, l, m))


# ---------------------------------------------------------------- over recall levels

def _at_changes(esr: Esr, values: Array) -> Array:
    """Running sums at every change; where several changes share a rank, all of them carry the last one's sum."""
    running = esr.changes.cumsum(values)
    key = esr.changes.list * (int(esr.changes.rank.max(initial=0)) + 1) + esr.changes.rank
    last = np.searchsorted(key, key, side="right") - 1
    return running[last] if len(running) else running


def _best_at_levels(esr: Esr, precision: Array, recall: Array, levels: Array) -> Array:
    """Best precision at ranks with at least each recall: lists × levels. ESR recall may fall, so no search.

    Between changes nothing is gained and precision only falls, so the ranks of changes are enough.
    """
    out = np.zeros((esr.n_lists, len(levels)))
    offsets = esr.changes.offsets
    for i in np.flatnonzero(np.diff(offsets)):
        low, high = offsets[i], offsets[i + 1]
        order = np.argsort(-recall[low:high], kind="stable")
        best = np.maximum.accumulate(precision[low:high][order])
        reached = np.searchsorted(-recall[low:high][order], -(levels - TOLERANCE), side="right")
        out[i] = np.where(reached > 0, best[np.maximum(reached - 1, 0)], 0)
    return out


def _recall_at_changes(esr: Esr, rel: str) -> Array:
    """ESRR at the ranks of changes."""
    hit = _at_changes(esr, esr.moved("hit", rel))
    total = esr.units.total(rel)[esr.changes.list]
    near = esr._clean(_at_changes(esr, esr.moved("near", rel)), total)
    return share(hit + near, np.maximum(total - _at_changes(esr, esr._hit_units(rel)), 0) + hit)


@measure("AESRP", title="Average structural relevance in precision",
         formula=r"AESRP=\frac1{101}\sum_{x}\max_{k:\,ESRR[k]\ge x} ESRP[k]", equation="§7", parameters=(
             _rel("binary"), *_FRAME),
         explain=why.over_levels(
             lambda e, k, v: esrp(e, k, **v), lambda e, k, v: esrr(e, k, **v), LEVELS, TOLERANCE),
         **_COMMON)
def aesrp(esr: Esr, *, rel: str, **_: Any) -> Array:
    """Mean over the recall levels 0, 0.01 … 1 of the best ESRP at ranks whose ESRR reaches the level."""
    precision = _at_changes(esr, esr.moved("hit", rel)) / np.maximum(esr.changes.rank, 1)
    return _best_at_levels(esr, precision, _recall_at_changes(esr, rel), LEVELS).mean(axis=1)


def _average_text_precision(esr: Esr, size: str, near_too: bool) -> Array:
    hit, close = _at_changes(esr, esr.moved("hit", "length")), _at_changes(esr, esr.moved("near", "length"))
    total = esr.units.text_before(size)
    start = esr.units.lists[esr.changes.list]
    text = total[start + esr.changes.rank] - total[start]
    recall = share(hit + close, esr.units.text[esr.changes.list].astype(float))
    best = _best_at_levels(esr, share(hit + close if near_too else hit, text), recall, LEVELS)
    # Precision falls between changes, unless results of no known size come first: those lists are read rank by rank.
    lists = esr.units.lists
    filled = np.flatnonzero(np.diff(lists) > 0)
    unsized = filled[total[lists[filled] + 1] == total[lists[filled]]]
    if len(unsized):
        ranks = np.arange(1, int(np.diff(lists).max()) + 1, dtype=float)
        gain, precision = _gain(esr, ranks, True), share(_gain(esr, ranks, near_too), esr.text_at(size, ranks))
        for one in unsized:
            reached = share(gain[one], np.full(len(ranks), float(esr.units.text[one])))
            best[one] = [precision[one][reached >= x - TOLERANCE].max(initial=0) for x in LEVELS]
    return best.mean(axis=1)


@measure("ASRiP", title="Average precision of text in ESR",
         formula=r"ASRiP=\frac1{101}\sum_{x}\max_{k:\,SRiR2[k]\ge x} SRiP[k]", equation="§7",
         parameters=(SIZE, *_FRAME),
         explain=why.over_levels(
             lambda e, k, v: srip(e, k, **v), lambda e, k, v: srir2(e, k, base="text", **v), LEVELS, TOLERANCE),
         **_SIZED_AVERAGE)
def asrip(esr: Esr, *, size: str, **_: Any) -> Array:
    """Mean over 101 recall levels of the best SRiP at ranks whose SRiR2 reaches the level."""
    return _average_text_precision(esr, size, near_too=False)


@measure("ASRiP2", title="Average precision of text in ESR with near-misses",
         formula=r"ASRiP2=\frac1{101}\sum_{x}\max_{k:\,SRiR2[k]\ge x} SRiP2[k]", equation="§7",
         parameters=(SIZE, *_FRAME),
         explain=why.over_levels(
             lambda e, k, v: srip2(e, k, **v), lambda e, k, v: srir2(e, k, base="text", **v), LEVELS, TOLERANCE),
         **_SIZED_AVERAGE)
def asrip2(esr: Esr, *, size: str, **_: Any) -> Array:
    """Mean over 101 recall levels of the best SRiP2 at ranks whose SRiR2 reaches the level."""
    return _average_text_precision(esr, size, near_too=True)


def _never_reached(esr: Esr, at: Array, **_: Any) -> list[str]:
    recall = _recall_at_changes(esr, "binary")
    best = np.zeros(esr.n_lists)
    np.maximum.at(best, esr.changes.list, recall)
    lists = int(((best < at[0] - TOLERANCE) & esr.defined).sum())
    return [f"recall {at[0]:g} is never reached in {lists} lists; there the whole list is consulted"] if lists else []


@measure("SRPRUM", title="PRUM in ESR", formula=r"SRPRUM=\frac{E[Hits,R_C,A]+E[Near,R_C,A]}{C},\quad "
         r"C=\min\{k: ESRR[k]\ge r\}", equation="Eq 27–29", at=LEVEL, parameters=_FRAME,
         axes=("Recall", "Precision"),
         explain=why.until_recall(
             lambda e, k, v: esrr(e, k, rel="binary", **v), TOLERANCE), notes=_never_reached, **_COMMON)
def srprum(esr: Esr, at: Array, **_: Any) -> Array:
    """Expected units seen per rank consulted until the desired recall is reached; where it never is, the whole list
    is consulted."""
    recall = _recall_at_changes(esr, "binary")
    gain = _at_changes(esr, esr.moved("hit", "binary")) + _at_changes(esr, esr.moved("near", "binary"))
    length = np.diff(esr.units.lists)
    out = np.zeros((esr.n_lists, len(at)))
    offsets = esr.changes.offsets
    for i in range(esr.n_lists):
        low, high = offsets[i], offsets[i + 1]
        own = recall[low:high]
        for j, level in enumerate(at):
            if level <= TOLERANCE:
                first = _gain_of_first(esr, i, low, high, gain)
                out[i, j] = first if length[i] else 0
                continue
            reached = np.flatnonzero(own >= level - TOLERANCE)
            if len(reached):
                out[i, j] = gain[low + reached[0]] / esr.changes.rank[low + reached[0]]
            elif length[i]:
                out[i, j] = (gain[high - 1] if high > low else 0) / length[i]
    return out


def _gain_of_first(esr: Esr, i: int, low: int, high: int, gain: Array) -> float:
    """Recall 0 is reached at rank 1."""
    at_first = np.flatnonzero(esr.changes.rank[low:high] == 1)
    return float(gain[low + at_first[0]]) if len(at_first) else 0.0
