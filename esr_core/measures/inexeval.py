"""INEX's earlier measures, kept for comparison: inex-eval (xcg §6.3), GRP and GRPng (prum Appendix C), overlap."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from esr_core.gains import Values
from esr_core.measures.catalogue import AMOUNT, LEVEL, RANK, Parameter, measure
from esr_core.measures.explanation import Parts, dense, terms, upto
from esr_core.measures.xcg import QUANT, TOLERANCE
from esr_core.ragged import Hits, cumsum, distinct
from esr_core.spans import first_cover
from esr_core.study import Study

Array = np.ndarray
FAMILY = "XCG"
CENTS = np.arange(1, 101) / 100
COLLECTION = Parameter("collection_size", "Elements in the collection: what the list does not reach is then one last "
                                          "unranked block of them (0: unreached is 0).", 0, kind="integer", low=0)


@dataclass(frozen=True)
class Recalled:
    """Results with a positive quantised value, repeated elements left out; all relevance of the topic as `total`."""

    alignment: Any
    values: Values

    @property
    def n_lists(self) -> int:
        return self.alignment.study.n_lists

    @cached_property
    def total(self) -> Array:
        v = self.values
        return np.bincount(v.topic, v.value, len(self.alignment.study.topic_ids))[self.alignment.list_topic]

    @property
    def defined(self) -> Array:
        return self.total > 0

    @cached_property
    def fresh(self) -> tuple[Array, Array]:
        """(result, node) of every element a list holds for the first time."""
        study, sets = self.alignment.study, self.alignment.result_sets
        result = np.repeat(np.arange(len(sets)), sets.count)
        list_of = np.repeat(np.arange(self.n_lists), np.diff(study.results.lists))[result]
        key = list_of * max(len(self.alignment.nodes), 1) + sets.node
        order = np.argsort(key, kind="stable")
        first = np.concatenate(([True], key[order][1:] != key[order][:-1])) if len(key) else np.empty(0, bool)
        at = np.sort(order[first])
        return result[at], sets.node[at]

    @cached_property
    def hits(self) -> Hits:
        r = self.alignment.study.results
        rows = np.flatnonzero(self._value > 0)
        list_of = np.repeat(np.arange(self.n_lists), np.diff(r.lists))[rows]
        return Hits(list_of, rows - r.lists[list_of] + 1, self.n_lists)

    @cached_property
    def score(self) -> Array:
        """The value of every hit."""
        r = self.alignment.study.results
        return self._value[r.lists[self.hits.list] + self.hits.rank - 1]

    @cached_property
    def _value(self) -> Array:
        """The value of every result."""
        r = self.alignment.study.results
        result, node = self.fresh
        return np.bincount(result, self.values.of(r.topic[result].astype(np.int64), node), len(r))

    @cached_property
    def known(self) -> Array:
        """Distinct known elements of every list."""
        result, node = self.fresh
        r = self.alignment.study.results
        known = self.alignment.nodes.known[node]
        if self.alignment.study.trees is None:  # nobody says what the collection holds: all that is named
            known = np.ones(len(node), bool)
        list_of = np.repeat(np.arange(self.n_lists), np.diff(r.lists))[result[known]]
        return np.bincount(list_of, minlength=self.n_lists)

    def precall(self, wanted: Array, collection_size: int) -> Array:
        """Eq 17 / prum Eq 19: wanted over wanted plus the expected search length, lists × wanted."""
        out = np.zeros(wanted.shape)
        score, rank, offsets = self.score, self.hits.rank, self.hits.offsets
        running = self.hits.cumsum(score)
        lists = self.alignment.study.results.lists
        size = np.maximum(self.alignment.result_sets.count, 1)  # elements at every rank; one where a result has none
        upto = np.concatenate(([0], np.cumsum(size)))
        for i in range(self.n_lists):
            own = slice(offsets[i], offsets[i + 1])
            at = np.searchsorted(running[own], wanted[i] - TOLERANCE)
            for j, place in enumerate(at):
                need = wanted[i, j]
                if need <= 0:
                    continue
                if place < offsets[i + 1] - offsets[i]:
                    k = offsets[i] + place
                    before = running[k] - score[k]
                    row = lists[i] + rank[k] - 1
                    missed = upto[row] - upto[lists[i]] - before
                    relevant, other = score[k], size[row] - score[k]
                elif collection_size:
                    before = running[own][-1] if place else 0.0
                    missed = upto[lists[i + 1]] - upto[lists[i]] - before
                    relevant = self.total[i] - before
                    other = max(collection_size - self.known[i] - relevant, 0.0)
                    if relevant < need - before - TOLERANCE:
                        continue
                else:
                    continue
                out[i, j] = need / (need + missed + (need - before) * other / (relevant + 1))
        return out


def view(alignment: Any, values: dict[str, Any]) -> Recalled:
    return Recalled(alignment, alignment.gain_view(values["quant"]).values)


_COMMON: dict[str, Any] = {"family": FAMILY, "needs": ("quantised", "nodes"), "view": view,
                           "parameters": (QUANT, COLLECTION)}


def _explain(study: Study, r: Recalled, value: float, wanted: float) -> Parts:
    """One value, shared out over the relevance that leads to it."""
    score = dense(r.hits, r.score, len(study.results))
    used = np.clip(wanted - (np.cumsum(score) - score), 0, score)
    rest = value if used.sum() <= 0 else 0.0
    part = used / used.sum() * value if used.sum() > 0 else used
    return Parts({"value": np.append(score, 0.0), "contribution": np.append(part, rest)},
                 f"{wanted:.4g} relevance wanted of {float(r.total[0]):.4g}: {value:.6g}",
                 np.append(np.arange(len(score)), -1),
                 "contribution: shared out over the relevance found on the way; last row: the unranked block")


def _explain_level(study: Study, r: Recalled, at: Array, **values: Any) -> Parts:
    return _explain(study, r, float(inexeval(r, at, **values)[0, 0]), float(at[0] * r.total[0]))


@measure("inexeval", title="inex-eval precision", formula=r"P(rel|retr)[x]=\frac{x\,n}{x\,n+j+\frac{s\,i}{r+1}}",
         reference="kazai2006xcg", equation="Eq 17", at=LEVEL, axes=("Recall", "Precision"), explain=_explain_level,
         **_COMMON)
def inexeval(r: Recalled, at: Array, *, collection_size: int, **_: Any) -> Array:
    """Chance that an element is relevant which the reader sees until a share x of all graded relevance is found;
    repeated elements are worth nothing, overlap is ignored."""
    return r.precall(r.total[:, None] * at, collection_size)


def _explain_average(study: Study, r: Recalled, **values: Any) -> Parts:
    return _explain(study, r, float(ainexeval(r, **values)[0]), float(r.total[0]))


@measure("AinexEval", title="Average inex-eval precision",
         formula=r"\frac1{100}\sum_{x=0.01}^{1} P(rel|retr)[x]", reference="kazai2006xcg", equation="Eq 17",
         explain=_explain_average, **_COMMON)
def ainexeval(r: Recalled, *, collection_size: int, **_: Any) -> Array:
    """Mean of inexeval over the recall levels 0.01, 0.02 … 1: INEX's official measure until 2004."""
    return r.precall(r.total[:, None] * CENTS, collection_size).mean(axis=1)


def _explain_grp(study: Study, r: Recalled, at: Array, **values: Any) -> Parts:
    return _explain(study, r, float(grp(r, at, **values)[0, 0]), float(at[0]))


@measure("GRP", title="Generalised recall–precision", formula=r"GRP[r]=\frac{r}{r+j+\frac{i\,s}{k+1}}",
         reference="piwowarski2007prum", equation="Eq 19", at=AMOUNT, axes=("Ideal elements wanted", "Precision"),
         explain=_explain_grp, **_COMMON)
def grp(r: Recalled, at: Array, *, collection_size: int, **_: Any) -> Array:
    """Precision when a number r of ideal elements (the sum of graded values) has been found; here @ is that number."""
    return r.precall(np.broadcast_to(at.astype(float), (r.n_lists, len(at))), collection_size)


# ---------------------------------------------------------------- GRPng and overlap

@dataclass(frozen=True)
class Unseen:
    """Graded results with the text they show that no higher-ranked result did."""

    alignment: Any
    values: Values

    @property
    def n_lists(self) -> int:
        return self.alignment.study.n_lists

    @cached_property
    def total(self) -> Array:
        v = self.values
        return np.bincount(v.topic, v.exhaustivity / 3, len(self.alignment.study.topic_ids))[self.alignment.list_topic]

    @property
    def defined(self) -> Array:
        return self.total > 0

    @cached_property
    def columns(self) -> tuple[Array, Array, Array, Array]:
        """Per result: unseen text, its share, exhaustivity/3, specificity/3 (of its first node)."""
        study, sets = self.alignment.study, self.alignment.result_sets
        r, places = study.results, study.results.places
        n = len(r)
        unseen = np.zeros(n)
        if places is not None and n:
            owner = np.repeat(np.arange(n), np.diff(places.spans))
            list_of = np.repeat(np.arange(self.n_lists), np.diff(r.lists))
            group = list_of[owner].astype(np.int64) * max(len(study.doc_ids), 1) + r.doc[owner]
            number = np.searchsorted(distinct(group), group)
            _, start, end, first = first_cover(number, places.span_start, places.span_end, owner)
            unseen = np.bincount(first, end - start, n).astype(float)
        size = places.size if places is not None else np.zeros(n)
        node = np.where(sets.count > 0, sets.node[np.minimum(sets.offsets[:-1], max(len(sets.node) - 1, 0))], 0) \
            if len(sets.node) else np.zeros(n, np.int64)
        at = self.values.find(r.topic.astype(np.int64), node)
        found = (at >= 0) & (sets.count > 0)
        e = np.where(found, self.values.exhaustivity[np.maximum(at, 0)] / 3, 0.0)
        s = np.where(found, self.values.specificity[np.maximum(at, 0)] / 3, 0.0)
        return unseen, np.divide(unseen, size, out=np.zeros(n), where=size > 0), e, s

    def sums(self, value: Array, at: Array) -> Array:
        lists = self.alignment.study.results.lists
        running = np.append(cumsum(value, lists), 0.0)
        last = np.minimum(lists[:-1, None] + at.astype(np.int64), lists[1:, None]) - 1
        return np.where(last >= lists[:-1, None], running[last], 0.0)


def unseen_view(alignment: Any, values: dict[str, Any]) -> Unseen:
    return Unseen(alignment, alignment.gain_view("gen").values)


_NG: dict[str, Any] = {"family": FAMILY, "needs": ("grades", "elements"), "view": unseen_view, "at": RANK,
                       "reference": "piwowarski2007prum", "equation": "Appendix C.2"}


def _explain_ngp(study: Study, u: Unseen, at: Array) -> Parts:
    k = int(at[0])
    unseen, _, _, s = u.columns
    own, value = np.zeros(k), np.zeros(k)
    own[: len(unseen[:k])], value[: len(unseen[:k])] = unseen[:k], (s * unseen)[:k]
    below = own.sum()
    return Parts({"unseen": own, "contribution": value / max(below, 1)}, f"({terms(value)}) / {below:.0f}",
                 upto(np.arange(len(study.results)), k))


@measure("GRPngP", title="GRPng precision", formula=r"\frac{\sum_i q(spec(x_i))\cdot unseen(x_i)}{\sum_i unseen(x_i)}",
         axes=("Rank", "Precision"), explain=_explain_ngp, **_NG)
def grpngp(u: Unseen, at: Array) -> Array:
    """Specificity of the text of the first k results that was not seen before."""
    unseen, _, _, s = u.columns
    below = u.sums(unseen, at)
    return np.divide(u.sums(s * unseen, at), below, out=np.zeros(below.shape), where=below > 0)


def _explain_ngr(study: Study, u: Unseen, at: Array) -> Parts:
    k = int(at[0])
    _, share, e, _ = u.columns
    value = np.zeros(k)
    value[: len(e[:k])] = (e * share)[:k]
    return Parts({"contribution": value / float(u.total[0])}, f"({terms(value)}) / {float(u.total[0]):.4g}",
                 upto(np.arange(len(study.results)), k))


@measure("GRPngR", title="GRPng recall",
         formula=r"\frac{\sum_i q(exh(x_i))\cdot\frac{unseen(x_i)}{length(x_i)}}{\sum_x q(exh(x))}",
         axes=("Rank", "Recall"), explain=_explain_ngr, **_NG)
def grpngr(u: Unseen, at: Array) -> Array:
    """Exhaustivity of the first k results, each by the share of its text not seen before, over that of all
    elements."""
    _, share, e, _ = u.columns
    return u.sums(e * share, at) / np.where(u.total > 0, u.total, 1)[:, None]


@dataclass(frozen=True)
class Held:
    """The distinct elements of every list."""

    alignment: Any

    @property
    def defined(self) -> Array:
        return np.ones(self.alignment.study.n_lists, bool)

    @cached_property
    def overlapping(self) -> tuple[Array, Array, Array]:
        """(list, node, does it contain or lie in another one?)"""
        study, nodes, sets = self.alignment.study, self.alignment.nodes, self.alignment.result_sets
        result = np.repeat(np.arange(len(sets)), sets.count)
        width = max(len(nodes), 1)
        key = distinct(np.repeat(np.arange(study.n_lists), np.diff(study.results.lists))[result] * width + sets.node)
        lists, node = key // width, key % width
        reach = lists * (width + 1) + nodes.last[node]
        here = lists * (width + 1) + node
        touches = np.zeros(len(node), bool)
        if len(node) > 1:
            furthest = np.maximum.accumulate(reach)
            touches[1:] |= here[1:] < furthest[:-1]
            touches[:-1] |= here[1:] < reach[:-1]
        return lists, node, touches


def _explain_overlap(study: Study, held: Held) -> Parts:
    _, node, touches = held.overlapping
    sets = held.alignment.result_sets
    result = np.repeat(np.arange(len(sets)), sets.count)
    first = np.zeros(len(study.results))
    seen: set[int] = set()
    overlapping = set(node[touches].tolist())
    for row, own in zip(result.tolist(), sets.node.tolist(), strict=True):
        if own not in seen and own in overlapping:
            first[row] += 1
        seen.add(own)
    n = len(node)
    return Parts({"overlapping": first, "contribution": first / max(n, 1)}, f"{int(touches.sum())} / {n}",
                 np.arange(len(first)))


@measure("Overlap", title="Overlap of the result elements",
         formula=r"\frac{|\{x\in R:\exists y\in R,\;x\subset y\vee y\subset x\}|}{|R|}", family=FAMILY,
         reference="kazai2006xcg", equation="§6.3", better="lower", needs=("paths",), explain=_explain_overlap,
         view=lambda alignment, values: Held(alignment))
def overlap(held: Held) -> Array:
    """Share of a list's distinct elements that contain, or lie in, another one of the list."""
    lists, _, touches = held.overlapping
    n = held.alignment.study.n_lists
    count = np.bincount(lists, minlength=n)
    return np.divide(np.bincount(lists, touches, n), count, out=np.zeros(n), where=count > 0)
