"""Results and assessments as sets of nodes: assessed units, and which results stand in the same documents.

A unit is a node, or a set of nodes that form a tree, with a relevance value; a result likewise is a set of nodes.
Which results can lead to which units follows from documents and ranks alone, so it is worked out once; what a
navigation model believes about each pair is then one pass over the pairs (`UnitView.seen`).
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from esr_core.nodes import Nodes, nodes_of_passages
from esr_core.ragged import Hits, distinct, expand, ranges
from esr_core.spans import Coverage, merge

if TYPE_CHECKING:
    from esr_core.alignment import Alignment
    from esr_core.navigation.base import Model
    from esr_core.study import Study

Array = np.ndarray


class NodeSets:
    """Sets of nodes, one per row: `offsets` into `node`; equal sets have equal `name` (−1: no node at all)."""

    def __init__(self, offsets: Array, node: Array, n_nodes: int, names: dict[tuple[int, ...], int]):
        self.offsets, self.node = offsets, node
        count = np.diff(offsets)
        self.count = count
        self.name = np.full(len(count), -1, np.int64)
        single = np.flatnonzero(count == 1)
        self.name[single] = node[offsets[single]]
        for row in np.flatnonzero(count > 1):  # trees of several nodes are few
            members = tuple(node[offsets[row]:offsets[row + 1]].tolist())
            self.name[row] = n_nodes + names.setdefault(members, len(names))

    def __len__(self) -> int:
        return len(self.count)


def result_sets(study: Study, nodes: Nodes, names: dict[tuple[int, ...], int]) -> NodeSets:
    """The nodes of every result; a passage stands for elements (`nodes_of_passages`)."""
    r = study.results
    if r.places is None:
        return NodeSets(np.zeros(len(r) + 1, np.int64), np.empty(0, np.int64), len(nodes), names)
    part_result = np.repeat(np.arange(len(r)), np.diff(r.places.parts))
    node = np.where(r.places.element >= 0, nodes.of_element[r.places.element], -1) if len(nodes.of_element) else \
        np.full(len(part_result), -1, np.int64)
    strange = np.flatnonzero((node < 0) & (r.places.path >= 0))
    node[strange] = nodes.find(r.doc[part_result[strange]], r.places.path[strange])
    if len(part_result) == len(r) and (node >= 0).all():  # one element per result, as in most runs
        return NodeSets(np.arange(len(r) + 1), node, len(nodes), names)
    named = np.flatnonzero(node >= 0)
    owner, found = [part_result[named]], [node[named]]
    passages = np.flatnonzero((r.places.path < 0) & (r.places.start >= 0))
    if len(passages) and study.trees is not None:
        row, node = nodes_of_passages(nodes, r.doc[part_result[passages]].astype(np.int64), r.places.start[passages],
                                      r.places.end[passages])
        owner.append(part_result[passages][row])
        found.append(node)
    key = distinct(np.concatenate(owner) * max(len(nodes), 1) + np.concatenate(found))
    row, node = key // max(len(nodes), 1), key % max(len(nodes), 1)
    return NodeSets(np.searchsorted(row, np.arange(len(r) + 1)).astype(np.int64), node, len(nodes), names)


class Units:
    """Assessed units, sorted by topic and document: node sets with a value (`value`; positive is relevant)."""

    def __init__(self, topic: Array, doc: Array, value: Array, sets: NodeSets, kind: str):
        self.topic, self.doc, self.value, self.sets, self.kind = topic, doc, value, sets, kind

    def __len__(self) -> int:
        return len(self.topic)


def make_units(study: Study, nodes: Nodes, names: dict[tuple[int, ...], int], how: str, quant: str) -> Units:
    """Units as given; else from highlights through `how`; else from grades, the elements of positive `quant`."""
    if study.units is not None:
        return _given(study, nodes, names)
    if study.highlights is not None:
        return _from_highlights(study, nodes, names, how)
    return _from_grades(study, nodes, names, quant)


def _given(study: Study, nodes: Nodes, names: dict[tuple[int, ...], int]) -> Units:
    u = study.units
    assert u is not None
    node = nodes.find(u.doc, u.path)
    number = u.unit if u.unit is not None else np.arange(len(u.topic))
    key = np.lexsort((node, number, u.topic))
    same = np.concatenate(([False], (u.topic[key][1:] == u.topic[key][:-1]) & (number[key][1:] == number[key][:-1])
                           & (node[key][1:] == node[key][:-1]))) if len(key) else np.empty(0, bool)
    key = key[~same]  # a unit is a set: a node named twice is one
    topic, doc, node, number = (a[key] for a in (u.topic, u.doc, node, number))
    value = u.values["relevance"][key]
    fresh = np.concatenate(([True], (topic[1:] != topic[:-1]) | (number[1:] != number[:-1]))) if len(topic) else \
        np.empty(0, bool)
    first = np.flatnonzero(fresh)
    order = np.lexsort((node[first], doc[first], topic[first]))
    bounds = np.append(first, len(topic))
    owner, inner = expand(bounds, order)
    offsets = np.concatenate(([0], np.cumsum(np.bincount(owner, minlength=len(order)))))
    keep = value[first][order] > 0
    sets = NodeSets(offsets, node[inner], len(nodes), names)
    return _kept(Units(topic[first][order], doc[first][order], value[first][order], sets, "units"), keep, nodes, names)


def _kept(units: Units, keep: Array, nodes: Nodes, names: dict[tuple[int, ...], int]) -> Units:
    rows = np.flatnonzero(keep)
    _, inner = expand(units.sets.offsets, rows)
    offsets = np.concatenate(([0], np.cumsum(units.sets.count[rows])))
    return Units(units.topic[rows], units.doc[rows], units.value[rows],
                 NodeSets(offsets, units.sets.node[inner], len(nodes), names), units.kind)


def _singles(topic: Array, doc: Array, node: Array, value: Array, nodes: Nodes, names: dict[tuple[int, ...], int],
             kind: str) -> Units:
    order = np.lexsort((node, doc, topic))
    sets = NodeSets(np.arange(len(node) + 1), node[order], len(nodes), names)
    return Units(topic[order], doc[order], value[order], sets, kind)


def _from_highlights(study: Study, nodes: Nodes, names: dict[tuple[int, ...], int], how: str) -> Units:
    """Distinct elements found through each highlighted passage; the value is the highlighted text inside."""
    h = study.highlights
    assert h is not None
    doc = h.doc.astype(np.int64)
    if how == "document":
        row = np.arange(len(doc))
        node = np.where(nodes.offsets[doc + 1] > nodes.offsets[doc], nodes.offsets[doc], -1)
    elif how == "smallest":
        row, node = np.arange(len(doc)), nodes.smallest_around(doc, h.start, h.end)
    elif how == "inside":
        row, node = nodes.largest_inside(doc, h.start, h.end)
    elif how == "leaves":
        row, top = nodes.largest_inside(doc, h.start, h.end)
        owner, node = _below(nodes, top)
        row = row[owner]
        leaf = nodes.is_leaf(node) & (nodes.end[node] > nodes.start[node])
        row, node = row[leaf], node[leaf]
    else:  # all: every element that holds highlighted text
        owner, node = expand(nodes.offsets, doc)
        touching = (nodes.start[node] < h.end[owner]) & (nodes.end[node] > h.start[owner]) & (nodes.start[node] >= 0)
        row, node = owner[touching], node[touching]
    found = node >= 0
    row, node = row[found], node[found]
    key = distinct(h.topic[row].astype(np.int64) * max(len(nodes), 1) + node)
    topic, node = key // max(len(nodes), 1), key % max(len(nodes), 1)
    pair = h.topic.astype(np.int64) * max(len(study.doc_ids), 1) + h.doc
    stride = int(max(h.end.max(initial=0), nodes.end.max(initial=0))) + 2
    order = np.lexsort((h.start, pair))
    held = _compact(pair[order], topic * max(len(study.doc_ids), 1) + nodes.doc[node])
    coverage = Coverage(held[0], h.start[order], h.end[order], stride)
    value = coverage.between(held[1], nodes.start[node], nodes.end[node]).astype(float)
    keep = value > 0  # an empty element, or one that only touches, is no unit
    return _singles(topic[keep], nodes.doc[node[keep]], node[keep], value[keep], nodes, names, "highlights")


def _below(nodes: Nodes, top: Array) -> tuple[Array, Array]:
    """Each node with all its descendants: (position in top, node)."""
    return ranges(top, nodes.last[top])


def _compact(known: Array, wanted: Array) -> tuple[Array, Array]:
    """Number group keys from 0, so that they fit on one line; keys that are not known get a number of their own."""
    every = distinct(np.concatenate((known, wanted)))
    return np.searchsorted(every, known), np.searchsorted(every, wanted)


def _from_grades(study: Study, nodes: Nodes, names: dict[tuple[int, ...], int], quant: str) -> Units:
    from esr_core.quantisation import quantise

    g = study.grades
    assert g is not None
    value = quantise(quant, g.values["exhaustivity"], g.values["specificity"])
    keep = value > 0
    node = nodes.find(g.doc[keep], g.path[keep])
    return _singles(g.topic[keep].astype(np.int64), g.doc[keep].astype(np.int64), node, value[keep], nodes, names,
                    "grades")


class UnitView:
    """Units of every list's topic with the results of the same document, in rank order.

    One *case* is a unit of a list's topic; `case_list`, `case_unit` name it. `pair_*` are the (result, unit) pairs of
    one document, sorted by case and rank, without results that come after the hit, and without repeated results,
    which lead nowhere. `hit_rank` is 0 for units that are never retrieved.
    """

    def __init__(self, alignment: Alignment, how: str, quant: str, match: str):
        study, nodes = alignment.study, alignment.nodes
        self.study, self.nodes = study, nodes
        self.results = alignment.result_sets
        self.units = alignment.units(how, quant)
        self.n_lists = study.n_lists
        r, u = study.results, self.units
        n_topics = len(study.topic_ids)
        self.list_topic = alignment.list_topic
        self.relevant = np.bincount(u.topic, minlength=n_topics)[self.list_topic]
        self.defined = self.relevant > 0
        list_number = np.repeat(np.arange(study.n_lists), np.diff(r.lists))
        rank = np.arange(len(r)) - np.repeat(r.lists[:-1], np.diff(r.lists)) + 1
        self.fresh = alignment.fresh_results
        key = u.topic.astype(np.int64) * max(len(study.doc_ids), 1) + u.doc
        wanted = r.topic.astype(np.int64) * max(len(study.doc_ids), 1) + r.doc
        in_units = np.zeros(len(study.doc_ids), bool)
        in_units[u.doc] = True
        rows = np.flatnonzero(in_units[r.doc] & (self.results.count > 0) & self.fresh)
        low = np.searchsorted(key, wanted[rows])
        high = np.searchsorted(key, wanted[rows], side="right")
        owner, unit = ranges(low, high)
        result = rows[owner]
        case = list_number[result] * max(len(u), 1) + unit
        order = np.lexsort((rank[result], case))
        case, result, unit = case[order], result[order], unit[order]
        is_hit = self.results.name[result] == u.sets.name[unit]
        if match == "node":
            is_hit |= self._node_in_tree(result, unit)
        # The first hit of a case ends it: later results change nothing for this unit.
        fresh = np.concatenate(([True], case[1:] != case[:-1])) if len(case) else np.empty(0, bool)
        number = np.cumsum(fresh) - 1
        n_cases = int(fresh.sum())
        place = np.arange(len(case))
        first_hit = np.full(n_cases, len(case))
        at = np.flatnonzero(is_hit)[::-1]
        first_hit[number[at]] = at
        self.case_list, self.case_unit = case[fresh] // max(len(u), 1), case[fresh] % max(len(u), 1)
        hit = first_hit < len(case)
        self.hit_rank = np.zeros(n_cases, np.int64)
        self.hit_rank[hit] = rank[result[first_hit[hit]]]
        self.hit_result = np.where(hit, result[np.minimum(first_hit, max(len(result) - 1, 0))], -1) if len(case) \
            else np.empty(0, np.int64)
        keep = np.flatnonzero(place < first_hit[number]) if len(case) else place
        self.pair_case, self.pair_result, self.pair_unit = number[keep], result[keep], unit[keep]
        self.pair_rank = rank[self.pair_result]
        self.lists = r.lists
        self._seen: dict[str, Seen] = {}

    def _node_in_tree(self, result: Array, unit: Array) -> Array:
        """Is the unit a single node that is one of the result's?"""
        out = np.zeros(len(result), bool)
        at = np.flatnonzero((self.units.sets.count[unit] == 1) & (self.results.count[result] > 1))
        owner, member = expand(self.results.offsets, result[at])
        wanted = self.units.sets.node[self.units.sets.offsets[unit[at]]]
        out[at[owner[self.results.node[member] == wanted[owner]]]] = True
        return out

    def reach(self, model: Model, eq4: str) -> Array:
        """p̃(unit; result) of every pair (esr Eq 4)."""
        return tree_reach(model, self.results, self.pair_result, self.units.sets, self.pair_unit, eq4)

    def seen(self, name: str, model: Any, eq4: str) -> Seen:
        """What the navigation model makes of the pairs; the last few answers are kept."""
        key = f"{name} {eq4}"
        if key not in self._seen:
            if len(self._seen) >= 8:
                del self._seen[next(iter(self._seen))]
            self._seen[key] = Seen(self, self.reach(model(), eq4))
        return self._seen[key]

    # ------------------------------------------------------------ sizes and text

    @cached_property
    def size(self) -> Array:
        """Characters of each result: the union of its text, or the lengths of its outermost nodes."""
        places = self.study.results.places
        if places is not None and self.study.trees is not None and self.study.trees.has_spans:
            return places.size.astype(float)
        return self._passages_as_they_are(self._lengths(outermost=True))

    def text_before(self, size: str) -> Array:
        """Characters of all results before each row; sizes are whole numbers, so sums over everything are exact."""
        return np.concatenate(([0.0], np.cumsum(self.size if size == "union" else self.size_sum)))

    @cached_property
    def size_sum(self) -> Array:
        """The sum over a result's nodes."""
        places = self.study.results.places
        if places is None:
            return np.zeros(len(self.results))
        owner = np.repeat(np.arange(len(self.results)), np.diff(places.parts))
        node = self.nodes.find(self.study.results.doc[owner], places.path)
        length = np.where(node >= 0, np.maximum(self.nodes.length[np.maximum(node, 0)], 0), 0) if len(self.nodes) else 0
        own = np.where((places.path < 0) & (places.start >= 0), places.end - places.start, length)
        named = np.flatnonzero(node >= 0)
        key = owner[named] * max(len(self.nodes), 1) + node[named]
        order = np.argsort(key, kind="stable")
        again = np.zeros(len(own), bool)  # a node named twice is one node of the set
        again[named[order[1:]]] = key[order][1:] == key[order][:-1]
        return np.bincount(owner, np.where(again, 0, own), len(self.results))

    def _passages_as_they_are(self, size: Array) -> Array:
        """A passage stands for elements, but its size stays its own."""
        places = self.study.results.places
        if places is None:
            return size
        passage = (places.path < 0) & (places.start >= 0)
        owner = np.repeat(np.arange(len(size)), np.diff(places.parts))
        own = np.zeros(len(size), bool)
        own[owner[passage]] = True
        return np.where(own, places.size, size)

    def _lengths(self, outermost: bool) -> Array:
        owner = np.repeat(np.arange(len(self.results)), self.results.count)
        node = self.results.node
        length = np.maximum(self.nodes.length[node], 0).astype(float) if len(node) else np.empty(0)
        if outermost and len(node):
            # Nodes of a set are in document order: one lies in an earlier one iff that reaches beyond it.
            reach = self.nodes.last[node]
            covered = np.zeros(len(node), bool)
            furthest, current = -1, -1
            multi = np.flatnonzero(self.results.count[owner] > 1)
            for i in multi:
                if owner[i] != current:
                    current, furthest = owner[i], -1
                covered[i] = node[i] < furthest
                furthest = max(furthest, int(reach[i]))
            length = np.where(covered, 0, length)
        return np.bincount(owner, length, len(self.results))

    @cached_property
    def text(self) -> Array:
        """T_rel per list: all highlighted characters, or the sum of unit values."""
        n_topics = len(self.study.topic_ids)
        if self.study.highlights is not None:
            h = self.study.highlights
            return np.bincount(h.topic, h.end - h.start, n_topics)[self.list_topic]
        return np.bincount(self.units.topic, self.units.value, n_topics)[self.list_topic]

    def weights(self, rel: str) -> Array:
        """Relevance value of every unit: 1, or its length or given value."""
        return np.ones(len(self.units)) if rel == "binary" else self.units.value.astype(float)

    def total(self, rel: str) -> Array:
        """Σ rel over the units of every list's topic."""
        return np.bincount(self.units.topic, self.weights(rel), len(self.study.topic_ids))[self.list_topic]

    @cached_property
    def shown_before(self) -> Array:
        """Per case with a hit: the share of the unit's (highlighted) text that higher-ranked results showed."""
        return _shown_before(self)


class Seen:
    """How much of every unit is seen after each rank, as changes: the ESR framework (esr Eq 5, 8–11).

    `hits` are (list, rank) of the changes, sorted; `to_hit`, `to_near`, `to_shrink` what moves there, per unit of
    relevance; `unit` which unit it is.
    """

    def __init__(self, view: UnitView, reach: Array):
        self.view = view
        before, after = running_product(view.pair_case, 1 - reach)
        n_cases = len(view.case_list)
        unseen = np.ones(n_cases)
        unseen[view.pair_case] = after  # pairs are in rank order: the last one stays
        self.unseen = unseen
        self.pair_reach, self.pair_before, self.pair_after = reach, before, after
        hit = np.flatnonzero(view.hit_rank > 0)
        lists = np.concatenate((view.case_list[view.pair_case], view.case_list[hit]))
        rank = np.concatenate((view.pair_rank, view.hit_rank[hit]))
        unit = np.concatenate((view.pair_unit, view.case_unit[hit]))
        near = np.concatenate((before - after, unseen[hit] - 1))
        gain = np.concatenate((np.zeros(len(before)), unseen[hit]))
        shrink = np.concatenate((np.zeros(len(before)), 1 - unseen[hit]))
        case = np.concatenate((view.pair_case, hit))
        order = np.lexsort((rank, lists))
        self.hits = Hits(lists[order], rank[order], view.n_lists)
        self.unit, self.case = unit[order], case[order]
        self.to_near, self.to_hit, self.to_shrink = near[order], gain[order], shrink[order]


def running_product(group: Array, factor: Array) -> tuple[Array, Array]:
    """Per group of consecutive rows, the product of all factors (before, up to and including) each row.

    Rows are taken position by position over all groups at once; nothing is ever divided out.
    """
    n = len(group)
    before, after = np.ones(n), factor.copy()
    if n == 0:
        return before, after
    fresh = np.concatenate(([True], group[1:] != group[:-1]))
    start = np.flatnonzero(fresh)
    length = np.diff(np.append(start, n))
    by_length = np.argsort(-length, kind="stable")
    start, length = start[by_length], length[by_length]
    for step in range(1, int(length.max())):
        here = start[: np.searchsorted(-length, -step, side="left")] + step
        before[here] = after[here - 1]
        after[here] = before[here] * factor[here]
    return before, after


def tree_reach(model: Model, sources: NodeSets, source: Array, targets: NodeSets, target: Array, eq4: str) -> Array:
    """Eq 4 for pairs of node sets: mean chance over all pairs of nodes; nodes they share do not count (`paper`)."""
    many = (sources.count[source] > 1) | (targets.count[target] > 1)
    out = np.zeros(len(source))
    single = np.flatnonzero(~many)
    out[single] = model.esr(sources.node[sources.offsets[source[single]]],
                            targets.node[targets.offsets[target[single]]])
    rest = np.flatnonzero(many)
    if len(rest):
        owner, f = expand(sources.offsets, source[rest])
        pair, e = expand(targets.offsets, target[rest][owner])
        at, f, e = owner[pair], sources.node[f[pair]], targets.node[e]
        value = model.esr(f, e)
        if eq4 == "paper":
            value = np.where(_shared(targets, target[rest], at, f) | _shared(sources, source[rest], at, e), 0, value)
        size = sources.count[source[rest]] * targets.count[target[rest]]
        out[rest] = np.bincount(at, value, len(rest)) / size
    return out


def _shared(sets: NodeSets, row: Array, at: Array, node: Array) -> Array:
    """Is `node` a member of the set of pair `at`?"""
    owner, member = expand(sets.offsets, row)
    width = int(max(sets.node.max(initial=0), node.max(initial=0))) + 1
    return np.isin(at * width + node, owner * width + sets.node[member])


def first_of_set(name: Array, list_number: Array) -> Array:
    """Is a result the first of its list with this set of nodes? (Results without nodes never repeat.)"""
    out = np.ones(len(name), bool)
    rows = np.flatnonzero(name >= 0)
    width = int(name.max(initial=0)) + 1
    key = list_number[rows].astype(np.int64) * width + name[rows]
    order = np.argsort(key, kind="stable")
    again = np.concatenate(([False], key[order][1:] == key[order][:-1])) if len(rows) else np.empty(0, bool)
    out[rows[order[again]]] = False
    return out


def _shown_before(view: UnitView) -> Array:
    """For `overlap`: text of each hit unit that results above it cover, over all its text (highlighted if known)."""
    study, nodes = view.study, view.nodes
    share = np.zeros(len(view.case_list))
    hit = np.flatnonzero(view.hit_rank > 0)
    places = study.results.places
    if not len(hit) or places is None:
        return share
    # What a unit consists of: its nodes' text, cut down to highlights where the study has any.
    owner, member = expand(view.units.sets.offsets, view.case_unit[hit])
    node = view.units.sets.node[member]
    own_case, own_start, own_end = merge(owner, np.maximum(nodes.start[node], 0), np.maximum(nodes.end[node], 0))
    h = study.highlights
    if h is not None:
        topic = view.list_topic[view.case_list[hit]]
        doc = view.units.doc[view.case_unit[hit]]
        key = topic[own_case].astype(np.int64) * len(study.doc_ids) + doc[own_case]
        pair = h.topic.astype(np.int64) * len(study.doc_ids) + h.doc
        order = np.lexsort((h.start, pair))
        low, high = np.searchsorted(pair[order], key), np.searchsorted(pair[order], key, side="right")
        piece, span = ranges(low, high)
        span = order[span]
        own_case, own_start, own_end = merge(own_case[piece], np.maximum(own_start[piece], h.start[span]),
                                             np.minimum(own_end[piece], h.end[span]))
    # The text of higher-ranked results of the list in the same document, repeated ones and those after others too.
    r = study.results
    row = view.hit_result[hit]
    lists = view.case_list[hit]
    case, above = ranges(r.lists[lists], row)
    same = r.doc[above] == r.doc[row[case]]
    case, above = case[same], above[same]
    owner, span = expand(places.spans, above)
    shown = merge(case[owner], places.span_start[span], places.span_end[span])
    stride = int(max(own_end.max(initial=0), shown[2].max(initial=0))) + 2
    covered = Coverage(*shown, stride).between(own_case, own_start, own_end)
    whole = np.bincount(own_case, own_end - own_start, len(hit))
    part = np.bincount(own_case, covered, len(hit))
    share[hit] = np.divide(part, whole, out=np.zeros(len(hit)), where=whole > 0)
    return share
