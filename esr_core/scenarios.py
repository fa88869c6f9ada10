"""How many ideal elements a navigating reader has seen after each rank (prum §3, Appendix A).

Given p(x seen by rank i) for every ideal x, the number seen is Poisson-binomial. A result changes the probabilities of
ideals in its document only. All lists advance together, one such change of each list per step; between changes nothing
happens, so whole stretches of ranks are counted in one go.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from esr_core.ragged import distinct, expand, ranges, share
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
        wanted = self.list_topic[list_of[owner]] * width + sets.node
        keep = nodes.known[sets.node] | np.isin(wanted, self.topic * width + self.node)
        held = distinct(list_of[owner[keep]] * width + sets.node[keep])
        inside = nodes.known
        outside = np.bincount(self.topic[~inside[self.node]], minlength=len(study.topic_ids))[self.list_topic]
        # Ideals that the documents lack are somewhere in the collection all the same.
        return int(inside.sum()) + outside - np.bincount(held // width, minlength=self.n_lists)

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
    `list`, `rank`, `increase` are the changes of the expected number seen, for GR.
    """

    def __init__(self, view: IdealView, reach: Array, method: str):
        self.view, self.method = view, method
        self.most = int(view.count.max(initial=0)) + 1
        keep = np.flatnonzero(reach > 0)
        case = view.pair_list[keep] * max(len(view.node), 1) + view.pair_ideal[keep]
        order = np.lexsort((view.pair_rank[keep], case))
        keep, case = keep[order], case[order]
        before, after = running_product(case, 1 - reach[keep])
        moved = after < before
        keep, old, new = keep[moved], 1 - before[moved], 1 - after[moved]
        order = np.lexsort((view.pair_rank[keep], view.pair_list[keep]))
        keep, self._old, self._new = keep[order], old[order], new[order]
        self.list, self.rank = view.pair_list[keep], view.pair_rank[keep]
        self.increase = self._new - self._old
        self._ideal = view.pair_ideal[keep]
        length = np.diff(view.lists)
        shape = (view.n_lists, self.most)
        self.leading, self.expected, self.final = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        self.final[:, 0] = 1
        self.consulted = np.zeros(shape)
        self.consulted[:, 0] = length  # as if nothing were ever seen; lists with events begin anew below
        self.trace: list[tuple[int, Array, Array]] = []  # (rank, leading, expected) of a single list, to explain
        fresh = np.concatenate(([True], (self.list[1:] != self.list[:-1]) | (self.rank[1:] != self.rank[:-1]))) \
            if len(self.list) else np.empty(0, bool)
        self._event = np.flatnonzero(fresh)             # the first change of every rank that changes anything
        self._bounds = np.append(self._event, len(self.list))
        own = self.list[self._event]
        offsets = np.searchsorted(own, np.arange(view.n_lists + 1))
        busy = np.flatnonzero(np.diff(offsets))
        # Few lists at a time where there are many ideals, so that memory stays bounded.
        room = max(1, (1 << 22) // max(self.most * (self._per_document() + 1), 1))
        for low in range(0, len(busy), room):
            self._run(busy[low:low + room], offsets, length)

    def _per_document(self) -> int:
        doc = self.view.topic * max(len(self.view.study.doc_ids), 1) + self.view.nodes.doc[self.view.node]
        return int(np.unique(doc, return_counts=True)[1].max(initial=1))

    def _run(self, lists: Array, offsets: Array, length: Array) -> None:
        """All events of some lists, the first of each list, then the second …

        The distribution of the number seen is the product of (1 − S + S·z) over the ideals; it is held by its
        values at roots of unity, one product per document, and never divided: documents that do not change are
        multiplied up again, which is exact enough for any probabilities and any number of ideals.
        """
        view, most = self.view, self.most
        points = most // 2 + 1
        root = np.exp(-2j * np.pi * np.arange(points) / most)
        doc = view.nodes.doc[view.node]
        fresh = np.concatenate(([True], (view.topic[1:] != view.topic[:-1]) | (doc[1:] != doc[:-1])))
        start = np.flatnonzero(fresh)
        member = np.cumsum(fresh) - 1                   # which (topic, document) an ideal belongs to
        size = np.diff(np.append(start, len(doc)))
        slot = member - member[view.offsets[view.topic]]  # the document's number within its topic
        n_docs = int(slot.max()) + 1
        block = max(int(np.sqrt(n_docs)), 1)
        n_blocks = -(-n_docs // block)
        leaf = np.ones((len(lists), n_blocks, block, points), complex)
        blocks = np.ones((len(lists), n_blocks, points), complex)
        state = np.zeros((len(lists), most))            # S of every ideal of the list's topic
        current = np.zeros((len(lists), most))
        current[:, 0] = 1
        count = np.diff(offsets)[lists]
        by_count = np.argsort(-count, kind="stable")
        r = np.arange(most, dtype=float)
        first = self.rank[self._event[offsets[lists]]]
        self.consulted[lists] = 0
        self.consulted[lists, 0] = first                # ranks consulted before anything was seen
        for step in range(int(count.max(initial=0))):
            at = by_count[: int((count > step).sum())]
            event = offsets[lists[at]] + step
            change = self._event[event]
            ideal = self._ideal[change]
            group = member[ideal]
            base, width = start[group] - view.offsets[view.topic[ideal]], size[group]
            most_here = int(width.max())
            column = base[:, None] + np.arange(most_here)
            real = np.arange(most_here) < width[:, None]
            column = np.where(real, column, 0)
            was = np.where(real, state[at[:, None], column], 0.0)
            now = was.copy()
            owner, row = ranges(self._bounds[event], self._bounds[event + 1])
            place = self._ideal[row] - start[member[self._ideal[row]]]
            now[owner, place] = self._new[row]
            b, s = slot[ideal] // block, slot[ideal] % block
            rest = leaf[at, b]
            rest[np.arange(len(at)), s] = 1
            others = rest.prod(axis=1)
            rest_blocks = blocks[at].copy()
            rest_blocks[np.arange(len(at)), b] = 1
            other = others * rest_blocks.prod(axis=1)
            factors = 1 - was[:, :, None] + was[:, :, None] * root
            after = (1 - now[:, :, None] + now[:, :, None] * root).prod(axis=1)
            before = current[at]
            current[at] = _distribution(other * after, most)
            if self.method == "exact":
                silent = (1 - now[:, :, None] + was[:, :, None] * root).prod(axis=1)
                leads = np.maximum(before - _distribution(other * silent, most), 0)
            else:
                missed = np.ones((len(at), most))
                without = _leave_one_out(factors)
                for k in range(most_here):
                    moved = np.flatnonzero(now[:, k] > was[:, k])
                    if len(moved):
                        alone = _distribution(other[moved] * without[moved, k], most)
                        found = share((now - was)[moved, k, None] * alone, before[moved])
                        missed[moved] *= 1 - np.clip(found, 0, 1)
                leads = before * (1 - missed)
            which, own = np.nonzero(real)
            state[at[which], column[which, own]] = now[which, own]
            leaf[at, b, s] = after
            blocks[at, b] = others * after
            self.leading[lists[at]] += leads
            reached = np.zeros_like(before)
            # P(F ≥ r) = 1 − Σ_{s<r}: the r-th ideal is first reached here with what that gains.
            gained = np.cumsum(before, axis=1) - np.cumsum(current[at], axis=1)
            reached[:, 1:] = np.maximum(gained, 0)[:, :-1] * r[1:] / self.rank[change][:, None]
            self.expected[lists[at]] += reached
            if view.n_lists == 1:
                self.trace.append((int(self.rank[change[0]]), leads[0], reached[0]))
            later = self.rank[self._event[np.minimum(event + 1, len(self._event) - 1)]]
            following = np.where(step + 1 < count[at], later, length[lists[at]])
            self.consulted[lists[at]] += current[at] * (following - self.rank[change])[:, None]
        self.final[lists] = current


def _distribution(values: Array, n: int) -> Array:
    """The probabilities behind values of a generating function at the n-th roots of unity; what is below the noise
    of the transform is 0."""
    found = np.fft.irfft(values, n, axis=1)
    return np.where(found < 1e-15, 0.0, np.where(found > 1 - 1e-14, 1.0, found))


def _leave_one_out(factors: Array) -> Array:
    """Products over axis 1 without each of its members, by products from both ends."""
    ahead, behind = np.ones_like(factors), np.ones_like(factors)
    for k in range(1, factors.shape[1]):
        ahead[:, k] = ahead[:, k - 1] * factors[:, k - 1]
        behind[:, -k - 1] = behind[:, -k] * factors[:, -k]
    return ahead * behind
