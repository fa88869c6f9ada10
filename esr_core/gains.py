"""What retrieved elements are worth to a reader who has seen the ones above them (xcg §4, §5.2).

Element values and ideal recall-bases depend on the quantisation only; which visit of an element finds what already
seen follows from ranks and ancestry alone. `alpha` and the switches then cost one pass (`GainView.gains`).
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from esr_core.quantisation import quantise
from esr_core.ragged import Hits, cumsum, distinct, expand, ranges
from esr_core.spans import Coverage

if TYPE_CHECKING:
    from esr_core.alignment import Alignment
    from esr_core.nodes import Nodes

Array = np.ndarray


class Values:
    """Quantised values of elements per topic: sorted keys (topic × nodes + node) with value; all others are 0.

    `relevant` are elements that hold anything relevant (by grades, not by value), `value` may be 0 for them.
    """

    def __init__(self, alignment: Alignment, quant: str):
        study, nodes = alignment.study, alignment.nodes
        self.width = max(len(nodes), 1)
        if study.grades is not None:
            g = study.grades
            node = nodes.find(g.doc, g.path)
            e, s = g.values["exhaustivity"], g.values["specificity"]
            key = g.topic.astype(np.int64) * self.width + node
            value, relevant = quantise(quant, e, s), (e > 0) & (s > 0)
            self.exhaustivity, self.specificity = e, s
        else:
            key, value, relevant = _from_highlights(alignment, quant)
            self.exhaustivity = self.specificity = value
        order = np.argsort(key, kind="stable")
        fresh = np.concatenate(([True], key[order][1:] != key[order][:-1])) if len(key) else np.empty(0, bool)
        order = order[fresh]
        self.key, self.value, self.relevant = key[order], value[order], relevant[order]
        self.exhaustivity, self.specificity = self.exhaustivity[order], self.specificity[order]
        self.topic, self.node = self.key // self.width, self.key % self.width

    def find(self, topic: Array, node: Array) -> Array:
        """The row of each (topic, node), −1 where it was not assessed."""
        if not len(self.key):
            return np.full(len(node), -1, np.int64)
        wanted = topic.astype(np.int64) * self.width + node
        at = np.minimum(np.searchsorted(self.key, wanted), len(self.key) - 1)
        return np.where(self.key[at] == wanted, at, -1)

    def of(self, topic: Array, node: Array) -> Array:
        at = self.find(topic, node)
        return np.where(at >= 0, self.value[np.maximum(at, 0)], 0.0) if len(self.key) else np.zeros(len(node))


def _from_highlights(alignment: Alignment, quant: str) -> tuple[Array, Array, Array]:
    """Every element of a relevant document: the share of its text that is highlighted, or 1 if any is (binary)."""
    h, nodes = alignment.highlighted, alignment.nodes
    owner, node = expand(nodes.offsets, h.doc)
    placed = nodes.start[node] >= 0
    owner, node = owner[placed], node[placed]
    stride = int(max(h.span_end.max(initial=0), nodes.end.max(initial=0))) + 2
    held = Coverage(h.span_pair, h.span_start, h.span_end, stride).between(owner, nodes.start[node], nodes.end[node])
    size = nodes.end[node] - nodes.start[node]
    share = np.divide(held, size, out=np.zeros(len(node)), where=size > 0)
    key = h.topic[owner].astype(np.int64) * max(len(nodes), 1) + node
    keep = held > 0
    value = share if quant != "binary" else (held > 0).astype(float)
    return key[keep], value[keep], keep[keep]


class Ideals:
    """The ideal recall-base: per topic non-overlapping elements, best value first, then document and its order."""

    def __init__(self, alignment: Alignment, values: Values):
        nodes = alignment.nodes
        rows = np.flatnonzero(values.relevant)
        topic, node, value = values.topic[rows], values.node[rows], values.value[rows]
        chosen = _on_relevant_paths(nodes.last, topic, node, value)
        topic, node, value = topic[chosen], node[chosen], value[chosen]
        keep = value > 0
        topic, node, value = topic[keep], node[keep], value[keep]
        # Rows are in document order: of two that overlap, the ancestor comes first and stays.
        keep = _outermost(nodes.last, topic, node)
        topic, node, value = topic[keep], node[keep], value[keep]
        names = np.asarray(alignment.study.doc_ids, object)
        own = distinct(nodes.doc[node]) if len(node) else np.empty(0, np.int64)
        place = np.zeros(len(alignment.study.doc_ids), np.int64)
        place[own[np.argsort(names[own].astype(str), kind="stable")]] = np.arange(len(own))
        order = np.lexsort((node, place[nodes.doc[node]] if len(node) else node, -value, topic))
        self.topic, self.node, self.value = topic[order], node[order], value[order]
        n_topics = len(alignment.study.topic_ids)
        self.offsets = np.searchsorted(self.topic, np.arange(n_topics + 1)).astype(np.int64)
        self.count = np.diff(self.offsets)
        self.total = np.bincount(self.topic, self.value, n_topics)


def _on_relevant_paths(last: Array, topic: Array, node: Array, value: Array) -> Array:
    """Rows that are the best of some path from a root to a relevant leaf; of equals on a path the deeper one.

    Rows must be sorted by topic and document order. One pass with a stack: the best so far is handed down.
    """
    n = len(node)
    best = np.full(n, -1, np.int64)
    stack: list[int] = []
    is_leaf = np.ones(n, bool)
    for i in range(n):  # a few thousand relevant elements, once per quantisation
        while stack and not (topic[stack[-1]] == topic[i] and node[i] < last[node[stack[-1]]]):
            stack.pop()
        above = best[stack[-1]] if stack else -1
        if stack:
            is_leaf[stack[-1]] = False
        best[i] = i if above < 0 or value[i] >= value[above] else above
        stack.append(i)
    return distinct(best[is_leaf])


def _outermost(last: Array, topic: Array, node: Array) -> Array:
    """Rows that no earlier row of their topic contains; sorted by topic and document order."""
    keep = np.ones(len(node), bool)
    current, end = -1, -1
    for i in range(len(node)):
        if topic[i] != current:
            current, end = topic[i], -1
        if node[i] < end:
            keep[i] = False
        else:
            end = int(last[node[i]])
    return keep


class Visits:
    """Visits of elements by the results of every list, in order, in documents where anything was assessed.

    A result of several nodes makes one visit per node, in document order. `earlier`/`later` are all pairs of visits of
    one list and document; `down` where the earlier contains the later (which is then fully seen), `up` where it
    lies in it (the later is then partly seen).
    """

    def __init__(self, alignment: Alignment):
        study, nodes = alignment.study, alignment.nodes
        sets, r = alignment.result_sets, study.results
        result = np.repeat(np.arange(len(r)), sets.count)
        topic, doc = _assessed_documents(alignment)
        key = distinct(topic.astype(np.int64) * max(len(study.doc_ids), 1) + doc)
        docs = np.zeros(len(study.doc_ids), bool)
        docs[doc] = True
        near = np.flatnonzero(docs[r.doc[result]])
        wanted = r.topic[result[near]].astype(np.int64) * max(len(study.doc_ids), 1) + r.doc[result[near]]
        at = np.minimum(np.searchsorted(key, wanted), max(len(key) - 1, 0))
        near = near[(key[at] == wanted) & nodes.known[sets.node[near]]] if len(key) else near[:0]
        result, node = result[near], sets.node[near]
        list_number = r.run[result].astype(np.int64) * len(study.topic_ids) + r.topic[result]
        order = np.lexsort((near, nodes.doc[node], list_number))  # by list, document, then rank and node
        self.result, self.node, self.list = result[order], node[order], list_number[order]
        self.topic = r.topic[self.result].astype(np.int64)
        self.rank = self.result - r.lists[self.list] + 1
        n = len(self.node)
        own = nodes.doc[self.node]
        fresh = np.concatenate(([True], (self.list[1:] != self.list[:-1]) | (own[1:] != own[:-1]))) if n else \
            np.empty(0, bool)
        start = np.flatnonzero(fresh)
        length = np.diff(np.append(start, n))
        self.place = np.arange(n) - np.repeat(start, length)  # position in its list and document
        self.later, self.earlier = ranges(np.arange(n) - self.place, np.arange(n))
        a, b = self.node[self.earlier], self.node[self.later]
        self.down = (a <= b) & (b < nodes.last[a])
        self.up = (b < a) & (a < nodes.last[b])
        self.fully = np.zeros(n, bool)
        self.fully[self.later[self.down]] = True
        self.partly = np.zeros(n, bool)
        self.partly[self.later[self.up]] = True
        self.partly &= ~self.fully
        self.touched = _touched(self, nodes)


def _assessed_documents(alignment: Alignment) -> tuple[Array, Array]:
    """(topic, document) pairs in which elements have values."""
    g = alignment.study.grades
    return (g.topic, g.doc) if g is not None else (alignment.highlighted.topic, alignment.highlighted.doc)


class GainView:
    """What the visits are worth under one quantisation."""

    def __init__(self, alignment: Alignment, quant: str):
        study = alignment.study
        self.study, self.nodes = study, alignment.nodes
        self.values = Values(alignment, quant)
        self.ideals = Ideals(alignment, self.values)
        self.n_lists = study.n_lists
        self.list_topic = alignment.list_topic
        self.total = self.ideals.total[self.list_topic]
        self.defined = self.total > 0
        self.lists = study.results.lists
        self._alignment = alignment

    @cached_property
    def visits(self) -> Visits:
        return self._alignment.visits

    @cached_property
    def value(self) -> Array:
        """Per visit."""
        return self.values.of(self.visits.topic, self.visits.node)

    @cached_property
    def _ideal_order(self) -> tuple[Array, Array, Array, Array]:
        """Ideals by topic and document order: key, value, running sums of the topic's values, ends of descendants."""
        width = max(len(self.nodes), 1)
        order = np.lexsort((self.ideals.node, self.ideals.topic))
        key = self.ideals.topic[order].astype(np.int64) * width + self.ideals.node[order]
        value = self.ideals.value[order]
        return key, value, cumsum(value, self.ideals.offsets), \
            self.ideals.topic[order] * width + self.nodes.last[self.ideals.node[order]]

    def _ideal_range(self, node: Array, topic: Array) -> tuple[Array, Array]:
        """Related ideals stand together: those inside the element, or the one that contains it."""
        key, _, _, end = self._ideal_order
        width = max(len(self.nodes), 1)
        here = topic * width + node
        low = np.searchsorted(key, here)
        high = np.searchsorted(key, topic * width + self.nodes.last[node])
        above = low - 1
        inside = (above >= 0) & (end[np.maximum(above, 0)] > here) & (key[np.maximum(above, 0)] >= topic * width) \
            if len(key) else np.zeros(len(node), bool)
        return np.where(inside, above, low), np.where(inside, above + 1, high)

    @cached_property
    def ideal_range(self) -> tuple[Array, Array]:
        """Per visit: the related ideals, as a range in topic and document order."""
        return self._ideal_range(self.visits.node, self.visits.topic)

    @cached_property
    def ideal_value(self) -> Array:
        """Per visit: Σ values of all ideals related to it."""
        low, high = self.ideal_range
        _, value, running, _ = self._ideal_order
        if not len(value):
            return np.zeros(len(low))
        first, last = np.minimum(low, len(value) - 1), np.maximum(high - 1, 0)
        return np.where(high > low, running[last] - running[first] + value[first], 0.0)

    def _seen_values(self, alpha: float, cap: bool) -> Array:
        """Eq 9 of every partly seen visit (0 elsewhere), from the deepest touched elements upwards."""
        visit, node, seen, parent = self.visits.touched
        out = np.zeros(len(self.visits.node))
        if not len(visit):
            return out
        topic, length = self.visits.topic[visit], np.maximum(self.nodes.length[node], 0).astype(float)
        quant = self.values.of(topic, node)
        fresh = self._children_value(topic, node)  # Σ quant(child)·|child| when nothing below is seen
        rv = np.where(seen, (1 - alpha) * quant, 0.0)
        lost = np.zeros(len(visit))  # Σ over touched children of (quant − rv)·|child|
        depth = self.nodes.depth[node]
        for d in range(int(depth.max()), -1, -1):
            at = np.flatnonzero(depth == d)
            open_ = at[~seen[at]]
            inner = np.divide(fresh[open_] - lost[open_], length[open_], out=np.zeros(len(open_)),
                              where=length[open_] > 0)
            rv[open_] = alpha * inner + (1 - alpha) * quant[open_]
            if cap:
                rv[open_] = np.minimum(rv[open_], quant[open_])
            up = at[parent[at] >= 0]
            np.add.at(lost, parent[up], (quant[up] - rv[up]) * length[up])
        own = parent < 0
        out[visit[own]] = rv[own]
        return out

    def _children_value(self, topic: Array, node: Array) -> Array:
        key, sums = self._child_sums
        wanted = topic * max(len(self.nodes), 1) + node
        if not len(key):
            return np.zeros(len(node))
        at = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
        return np.where(key[at] == wanted, sums[at], 0.0)

    @cached_property
    def _child_sums(self) -> tuple[Array, Array]:
        """Σ quant(child)·|child| over the assessed children of every element."""
        v = self.values
        parent = self.nodes.parent[v.node]
        at = np.flatnonzero(parent >= 0)
        key = v.topic[at] * v.width + parent[at]
        weight = v.value[at] * np.maximum(self.nodes.length[v.node[at]], 0)
        every = distinct(key)
        return every, np.bincount(np.searchsorted(every, key), weight, len(every))

    # ------------------------------------------------------------ gains

    def gains(self, alpha: float, cap: bool, norm: bool) -> Hits:
        """Results that earn anything, with `.gain` (Eq 10); every list's in rank order."""
        visits = self.visits
        rv = np.where(visits.fully, (1 - alpha) * self.value, self.value)
        rv = np.where(visits.partly, self._seen_values(alpha, cap), rv)
        gain = self._normalised(rv) if norm else rv
        gain = np.where(gain > 1e-12, gain, 0.0)  # what rounding leaves over is no gain: Q counts gaining ranks
        earning = np.flatnonzero(gain > 0)
        rows, owner = distinct_rows(visits.result[earning])
        list_number = np.empty(len(rows), np.int64)
        list_number[owner] = visits.list[earning]
        hits = Gaining(list_number, rows - self.lists[list_number] + 1, self.n_lists)
        hits.gain, hits.result, hits.visits = np.bincount(owner, gain[earning], len(rows)), rows, earning
        return hits

    def _normalised(self, rv: Array) -> Array:
        """Eq 8: never more than related ideals have left. Visit by visit, all lists and documents at once."""
        gain = np.minimum(rv, self.ideal_value)
        for at, earlier, owner in self._share_pairs:
            taken = np.bincount(owner, gain[earlier], len(at))
            gain[at] = np.minimum(rv[at], np.maximum(self.ideal_value[at] - taken, 0))
        return gain

    @cached_property
    def _share_pairs(self) -> list[tuple[Array, Array, Array]]:
        """Pairs that share an ideal, by the position of the later one, so that earlier gains are known in time:
        (visits at this position, earlier visits, which visit each belongs to)."""
        v, (low, high) = self.visits, self.ideal_range
        share = np.maximum(low[v.earlier], low[v.later]) < np.minimum(high[v.earlier], high[v.later])
        earlier, later = v.earlier[share], v.later[share]
        order = np.argsort(v.place[later], kind="stable")
        earlier, later = earlier[order], later[order]
        cuts = np.flatnonzero(np.diff(v.place[later])) + 1
        out = []
        for i, j in zip(np.split(earlier, cuts), np.split(later, cuts), strict=True):
            at = distinct(j)
            out.append((at, i, np.searchsorted(at, j)))
        return out if len(later) else []


def distinct_rows(rows: Array) -> tuple[Array, Array]:
    """Sorted distinct values, and which of them each row is."""
    every = distinct(rows)
    return every, np.searchsorted(every, rows)


def _touched(visits: Visits, nodes: Nodes) -> tuple[Array, Array, Array, Array]:
    """Elements between a partly seen visit and what was seen below it: (visit, node, is seen, row of its parent).

    The visit itself is a row too (its parent is −1); an element inside another seen one adds nothing.
    """
    up = np.flatnonzero(visits.up & visits.partly[visits.later])
    width = max(len(nodes), 1)
    key = distinct(visits.later[up] * width + visits.node[visits.earlier[up]])
    visit, seen = key // width, key % width
    inside = np.zeros(len(seen), bool)
    if len(seen):
        reach = np.maximum.accumulate(visit * (width + 1) + nodes.last[seen])
        inside[1:] = (visit[1:] * (width + 1) + seen[1:] < reach[:-1]) & (visit[1:] == visit[:-1])
    visit, seen = visit[~inside], seen[~inside]
    rows, marks = [visit * width + seen], [np.ones(len(seen), bool)]
    at, node = visit, seen
    while len(at):
        node = nodes.parent[node]
        rows.append(at * width + node)
        marks.append(np.zeros(len(at), bool))
        more = node != visits.node[at]
        at, node = at[more], node[more]
    key, mark = np.concatenate(rows), np.concatenate(marks)
    order = np.lexsort((~mark, key))
    key, mark = key[order], mark[order]
    fresh = np.concatenate(([True], key[1:] != key[:-1])) if len(key) else np.empty(0, bool)
    key, mark = key[fresh], mark[fresh]
    visit, node = key // width, key % width
    parent = np.where(node == visits.node[visit], -1,
                      np.searchsorted(key, visit * width + np.maximum(nodes.parent[node], 0)))
    return visit, node, mark, parent


class Gaining(Hits):
    """Results with a positive gain."""

    gain: Array
    result: Array
    visits: Array
