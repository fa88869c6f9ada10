"""How many ideal elements a navigating reader has seen after each rank (prum §3, Appendix A).

Given p(x seen by rank i) for every ideal x, the number seen is Poisson-binomial. A result changes a few of these
probabilities; the distribution is then updated by taking a factor out and putting another in, for all lists at once,
one change of each list per step. Between changes nothing happens, so whole stretches of ranks are counted in one go.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from esr_core.ragged import distinct, expand, ranges
from esr_core.units import NodeSets, running_product

if TYPE_CHECKING:
    from esr_core.alignment import Alignment
    from esr_core.navigation.base import Model

Array = np.ndarray


class IdealView:
    """Ideal elements of every list's topic with the results that can lead to them, in rank order."""

    def __init__(self, alignment: Alignment, how: str, quant: str):
        study, nodes = alignment.study, alignment.nodes
        self.study, self.nodes, self.results = study, nodes, alignment.result_sets
        self.topic, self.node = _ideals(alignment, how, quant)
        n_topics = len(study.topic_ids)
        self.n_lists, self.list_topic, self.lists = study.n_lists, alignment.list_topic, study.results.lists
        self.offsets = np.searchsorted(self.topic, np.arange(n_topics + 1)).astype(np.int64)
        self.count = np.diff(self.offsets)[self.list_topic]
        self.defined = self.count > 0
        r = study.results
        doc = nodes.doc[self.node]
        width = max(len(study.doc_ids), 1)
        key = self.topic * width + doc
        order = np.argsort(key, kind="stable")
        known = np.zeros(len(study.doc_ids), bool)
        known[doc] = True
        rows = np.flatnonzero(known[r.doc] & alignment.fresh_results & (self.results.count > 0))
        wanted = r.topic[rows].astype(np.int64) * width + r.doc[rows]
        low, high = np.searchsorted(key[order], wanted), np.searchsorted(key[order], wanted, side="right")
        owner, ideal = ranges(low, high)
        ideal, result = order[ideal], rows[owner]
        list_of = r.run[result].astype(np.int64) * n_topics + r.topic[result]
        self.pair_list, self.pair_result, self.pair_ideal = list_of, result, ideal
        self.pair_rank = result - r.lists[list_of] + 1
        self._tables: dict[str, Scenarios] = {}

    @cached_property
    def unranked(self) -> Array:
        """u: elements of the collection that a list does not hold."""
        study, nodes, sets = self.study, self.nodes, self.results
        width = max(len(nodes), 1)
        list_of = np.repeat(np.arange(self.n_lists), np.diff(self.lists))
        owner = np.repeat(np.arange(len(sets)), sets.count)
        keep = nodes.known[sets.node] if study.trees is not None else np.ones(len(sets.node), bool)
        held = distinct(list_of[owner[keep]] * width + sets.node[keep])
        size = int(nodes.known.sum()) if study.trees is not None else len(nodes)
        return size - np.bincount(held // width, minlength=self.n_lists)

    def scenarios(self, name: str, make: Callable[[], Model], method: str) -> Scenarios:
        """What a navigation model makes of it; the last few answers are kept."""
        key = f"{name} {method}"
        if key not in self._tables:
            if len(self._tables) >= 8:
                del self._tables[next(iter(self._tables))]
            self._tables[key] = Scenarios(self, self._reach(make()), method)
        return self._tables[key]

    def _reach(self, model: Model) -> Array:
        """P(result → ideal); a result of several nodes leads there if any of its nodes does."""
        sets = self.results
        single = sets.count[self.pair_result] == 1
        out = np.zeros(len(self.pair_result))
        target = self.node[self.pair_ideal]
        at = np.flatnonzero(single)
        out[at] = model.prum(sets.node[sets.offsets[self.pair_result[at]]], target[at])
        rest = np.flatnonzero(~single)
        if len(rest):
            owner, member = expand(sets.offsets, self.pair_result[rest])
            p = model.prum(sets.node[member], target[rest][owner])
            _, after = running_product(owner, 1 - p)
            miss = np.ones(len(rest))
            miss[owner] = after
            out[rest] = 1 - miss
        return out


def _ideals(alignment: Alignment, how: str, quant: str) -> tuple[Array, Array]:
    """Single-node units; from grades the ideal recall-base of the quantisation. Sorted by topic."""
    study = alignment.study
    if study.units is None and study.highlights is None:
        ideals = alignment.gain_view(quant).ideals
        return ideals.topic.astype(np.int64), ideals.node
    units = alignment.units(how, quant)
    sets: NodeSets = units.sets
    single = np.flatnonzero(sets.count == 1)
    key = distinct(units.topic[single].astype(np.int64) * max(len(alignment.nodes), 1)
                   + sets.node[sets.offsets[single]])
    return key // max(len(alignment.nodes), 1), key % max(len(alignment.nodes), 1)


class Scenarios:
    """Per list and number s of ideals: the sums behind Eq 5 and EPRUM, for every r at once.

    `leading[l, s]` Σ_i P(F_{i−1}=s and rank i leads to a new ideal); `consulted[l, s]` Σ_i P(F_{i−1}=s);
    `final[l, s]` P(F_o=s); `expected[l, r]` Σ_k P(r-th ideal first reached at k)·r/k (column 0 unused).
    `changes` are (list, rank, increase of the expected number seen), for GR.
    """

    def __init__(self, view: IdealView, reach: Array, method: str):
        self.view = view
        n_lists, most = view.n_lists, int(view.count.max(initial=0)) + 1
        keep = np.flatnonzero(reach > 0)
        case = view.pair_list[keep] * max(len(view.node), 1) + view.pair_ideal[keep]
        order = np.lexsort((view.pair_rank[keep], case))
        keep, case = keep[order], case[order]
        before, after = running_product(case, 1 - reach[keep])
        moved = after < before
        keep, old, new = keep[moved], 1 - before[moved], 1 - after[moved]
        lists, rank = view.pair_list[keep], view.pair_rank[keep]
        order = np.lexsort((rank, lists))
        self.list, self.rank, self.increase = lists[order], rank[order], (new - old)[order]
        old, new = old[order], new[order]
        length = np.diff(view.lists)
        self.leading = np.zeros((n_lists, most))
        self.consulted = np.zeros((n_lists, most))
        self.expected = np.zeros((n_lists, most))
        self.final = np.zeros((n_lists, most))
        self.final[:, 0] = 1
        self.trace: list[tuple[int, Array, Array]] = []  # (rank, leading, expected) of a single list, to explain
        offsets = np.searchsorted(self.list, np.arange(n_lists + 1))
        count = np.diff(offsets)
        first = np.where(count > 0, self.rank[np.minimum(offsets[:-1], max(len(self.rank) - 1, 0))]
                         if len(self.rank) else 0, length)
        self.consulted[:, 0] = first  # ranks consulted before anything was seen
        by_count = np.argsort(-count, kind="stable")
        active = by_count[: int((count > 0).sum())]
        r = np.arange(most, dtype=float)
        start = self.final.copy()      # the distribution before the current rank
        silent = self.final.copy()     # P(F_{i−1}=s and nothing new at rank i), method exact
        product = np.ones_like(start)  # Π (1 − …) of Eq 8, method eq5
        for step in range(int(count.max(initial=0))):
            active = active[count[active] > step]
            event = offsets[active] + step
            p, q = old[event], new[event]
            opening = (step == 0) | (self.rank[event] != self.rank[np.maximum(event - 1, 0)])
            opening = opening | (event == offsets[active])
            begin = active[opening]
            start[begin] = self.final[begin]
            silent[begin], product[begin] = self.final[begin], 1
            without = _take(self.final[active], p)
            self.final[active] = _put(without, q, 1 - q)
            if method == "exact":
                silent[active] = _put(_take(silent[active], p), p, 1 - q)
            else:
                again = np.flatnonzero(~opening)  # a rank that changes several ideals: the others as they were
                without[again] = _take(start[active[again]], p[again])
                share = np.divide((q - p)[:, None] * without, start[active], out=np.zeros_like(without),
                                  where=start[active] > 0)
                product[active] *= 1 - np.clip(share, 0, 1)
            last = (event + 1 == offsets[active + 1]) | (self.rank[np.minimum(event + 1, len(self.rank) - 1)]
                                                         != self.rank[event])
            done, at = active[last], event[last]
            leads = np.maximum(start[done] - silent[done], 0) if method == "exact" else \
                start[done] * (1 - product[done])
            self.leading[done] += leads
            now = np.cumsum(self.final[done], axis=1)
            was = np.cumsum(start[done], axis=1)
            # P(F ≥ r) = 1 − Σ_{s<r}: the r-th ideal is first reached here with what that gains.
            reached = np.zeros_like(now)
            reached[:, 1:] = np.maximum(was - now, 0)[:, :-1] * r[1:] / self.rank[at][:, None]
            self.expected[done] += reached
            if n_lists == 1 and len(done):
                self.trace.append((int(self.rank[at[0]]), leads[0], reached[0]))
            following = np.where(at + 1 < offsets[done + 1], self.rank[np.minimum(at + 1, len(self.rank) - 1)],
                                 length[done])
            self.consulted[done] += self.final[done] * (following - self.rank[at])[:, None]


def _put(distribution: Array, seen: Array, unseen: Array) -> Array:
    """Multiply the generating function by (seen·z + unseen)."""
    out = distribution * unseen[:, None]
    out[:, 1:] += distribution[:, :-1] * seen[:, None]
    return out


def _take(distribution: Array, p: Array) -> Array:
    """Divide it by (p·z + 1 − p): from the low end where p ≤ ½, from the high end otherwise, which is stable.

    The recurrence L(s) = (D(s) − p·L(s−1)) / (1−p) is a sum over powers of −p/(1−p), added up by doubling.
    """
    out = distribution.copy()
    low, high = np.flatnonzero((p > 0) & (p <= .5)), np.flatnonzero(p > .5)
    if len(low):
        out[low] = _geometric(distribution[low] / (1 - p[low])[:, None], -p[low] / (1 - p[low]))
    if len(high):
        turned = distribution[high][:, ::-1] / p[high][:, None]
        out[high] = _shifted(_geometric(turned, -(1 - p[high]) / p[high])[:, ::-1])
    return np.maximum(out, 0)


def _geometric(values: Array, ratio: Array) -> Array:
    """Σ_j ratio^j · values(s − j), by doubling."""
    out, step, power = values, 1, ratio
    while step < values.shape[1] and np.abs(power).max() > 1e-20:  # smaller ones change nothing
        shifted = out[:, :-step] * power[:, None]
        out = out.copy()
        out[:, step:] += shifted
        power, step = power**2, step * 2
    return out


def _shifted(values: Array) -> Array:
    """From the high end, L(s−1) = (D(s) − (1−p)·L(s)) / p: what came out at s belongs to s − 1."""
    out = np.zeros_like(values)
    out[:, :-1] = values[:, 1:]
    return out
