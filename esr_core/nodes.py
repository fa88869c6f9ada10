"""Every element anyone names, as one forest in document order: those of the documents, and those that only
results, assessments or navigation tables mention.

A node is an integer; the descendants of node n are n+1 … last[n]−1, so ancestry is two comparisons. Nodes that no
document table knows have `known` False: they keep their place among their ancestors by path, and have no text.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from esr_core.ragged import cumsum, distinct, expand

if TYPE_CHECKING:
    from esr_core.study import Study

Array = np.ndarray


class Nodes:
    """The forest. `key` is doc × paths + path, the identity of a node before it has a number."""

    def __init__(self, study: Study):
        n_paths = max(len(study.paths), 1)
        trees = study.trees
        named = distinct(np.concatenate([np.empty(0, np.int64), *_named(study, n_paths)]))
        if trees is not None:
            own = trees.doc.astype(np.int64) * n_paths + trees.path
            extra = named[~np.isin(named, own)] if len(named) else named
        else:
            own, extra = np.empty(0, np.int64), named
        extra_key, extra_doc, extra_parent, paths = _with_ancestors(extra, own, study.paths, n_paths)
        self._n_paths = max(len(paths), 1)
        self.paths = paths
        if self._n_paths != n_paths:  # ancestors that nobody names have new paths
            own = own // n_paths * self._n_paths + own % n_paths
        n_own, n_extra = len(own), len(extra_key)
        blank = np.full(n_extra, -1, np.int64)
        key = np.concatenate((own, extra_key))
        doc = np.concatenate((own // self._n_paths, extra_doc)).astype(np.int64)
        start = np.concatenate((trees.start if trees is not None else np.empty(0, np.int64), blank))
        end = np.concatenate((trees.end if trees is not None else np.empty(0, np.int64), blank))
        length = np.concatenate((trees.length if trees is not None else np.empty(0, np.int64), blank))
        order = np.argsort(key, kind="stable")
        parent = np.concatenate((trees.parent if trees is not None else np.empty(0, np.int64),
                                 np.full(n_extra, -1, np.int64)))
        has_parent = np.flatnonzero(extra_parent >= 0)
        parent[n_own + has_parent] = order[np.searchsorted(key[order], extra_parent[has_parent])]
        if n_extra:
            self._hang_below_extras(parent, key, order, n_own)
        # By start; an empty element that starts where another does stands before it. Unplaced ones come last.
        key_of_place = np.where(start >= 0, 2 * start + (end > start), np.iinfo(np.int64).max // 2)
        arrange = _preorder(doc, parent, key_of_place)
        number = np.empty(len(arrange), np.int64)
        number[arrange] = np.arange(len(arrange))
        self.doc, self.key = doc[arrange], key[arrange]
        self.start, self.end, self.length = start[arrange], end[arrange], length[arrange]
        self.known = arrange < n_own
        self.of_element = number[:n_own]  # the node of every row of Trees
        moved = parent[arrange]
        self.parent = np.where(moved >= 0, number[np.maximum(moved, 0)], -1)
        self.path = self.key % self._n_paths
        self.offsets = np.searchsorted(self.doc, np.arange(len(study.doc_ids) + 1)).astype(np.int64)
        self.depth, self.last = _depth_and_last(self.parent)
        by_key = np.argsort(self.key, kind="stable")
        self._sorted, self._number = self.key[by_key], by_key

    def _hang_below_extras(self, parent: Array, key: Array, order: Array, n_own: int) -> None:
        """A document table may leave elements out that others name: those come between a node and its parent."""
        depth = np.array([p.count("/") for p in self.paths], np.int64)[key[:n_own] % self._n_paths]
        above = np.where(parent[:n_own] >= 0, depth[np.minimum(np.maximum(parent[:n_own], 0), n_own - 1)], 0) \
            if n_own else depth
        code_of = {p: i for i, p in enumerate(self.paths)}
        for node in np.flatnonzero(depth - above > 1):
            doc, path = divmod(int(key[node]), self._n_paths)
            name = self.paths[path]
            while name := name.rpartition("/")[0]:
                wanted = doc * self._n_paths + code_of.get(name, -1)
                at = np.searchsorted(key[order], wanted)
                if name in code_of and at < len(key) and key[order[at]] == wanted:
                    parent[node] = order[at]
                    break

    def __len__(self) -> int:
        return len(self.doc)

    def find(self, doc: Array, path: Array) -> Array:
        """The node of each (document, path) pair, −1 where the path is −1 or nobody names it."""
        if len(self._sorted) == 0:
            return np.full(len(doc), -1, np.int64)
        wanted = doc.astype(np.int64) * self._n_paths + path
        at = np.minimum(np.searchsorted(self._sorted, wanted), len(self._sorted) - 1)
        return np.where((path >= 0) & (self._sorted[at] == wanted), self._number[at], -1)

    def contains(self, outer: Array, inner: Array) -> Array:
        """Is `outer` the same node as `inner` or an ancestor of it?"""
        return (outer <= inner) & (inner < self.last[outer])

    def related(self, a: Array, b: Array) -> Array:
        """Is one of the two the other, or an ancestor of it?"""
        return self.contains(a, b) | self.contains(b, a)

    # ------------------------------------------------------------ from text to nodes

    def smallest_around(self, doc: Array, start: Array, end: Array) -> Array:
        """The deepest element that holds [start, end); −1 where the document has none.

        Empty elements hold nothing and are passed over; among the rest, the last that starts at or before a place
        lies inside every element that holds it.
        """
        at = self._last_start(doc, start)
        climbing = np.flatnonzero(at >= 0)
        while len(climbing):
            here = at[climbing]
            outside = self.end[here] < end[climbing]
            at[climbing[outside]] = self.parent[here[outside]]
            climbing = climbing[outside]
            climbing = climbing[at[climbing] >= 0]
        return at

    def largest_inside(self, doc: Array, start: Array, end: Array) -> tuple[Array, Array]:
        """The outermost non-empty elements fully inside [start, end): (row, node), sorted."""
        at = self._first_start(doc, start)
        stop = self.offsets[doc + 1]
        active = np.flatnonzero((at < stop) & (end > start))
        rows, nodes = [], []
        while len(active):
            here = at[active]
            beyond = (here >= stop[active]) | (self.start[np.minimum(here, len(self) - 1)] >= end[active])
            active, here = active[~beyond], here[~beyond]
            inside = (self.end[here] <= end[active]) & (self.end[here] > self.start[here]) & self.known[here]
            rows.append(active[inside])
            nodes.append(here[inside])
            at[active] = np.where(inside, self.last[here], here + 1)
        row = np.concatenate(rows) if rows else np.empty(0, np.int64)
        node = np.concatenate(nodes) if nodes else np.empty(0, np.int64)
        order = np.lexsort((node, row))
        return row[order], node[order]

    def is_leaf(self, node: Array) -> Array:
        """Has it no elements in its document? (What only a run names makes no element less of a leaf.)"""
        child = self.parent[self.known & (self.parent >= 0)]
        return np.bincount(child, minlength=len(self))[node] == 0

    def _last_start(self, doc: Array, position: Array) -> Array:
        """The last placed element of the document, in document order, that starts at or before the position."""
        line, stride = self._line(position)
        if not len(line):
            return np.full(len(doc), -1, np.int64)
        at = np.searchsorted(line, doc.astype(np.int64) * stride + position, side="right") - 1
        node = self._placed[np.maximum(at, 0)]
        return np.where((at >= 0) & (self.doc[node] == doc), node, -1)

    def _first_start(self, doc: Array, position: Array) -> Array:
        line, stride = self._line(position)
        if not len(line):
            return self.offsets[doc + 1].copy()
        at = np.searchsorted(line, doc.astype(np.int64) * stride + position, side="left")
        node = self._placed[np.minimum(at, len(line) - 1)]
        return np.where((at < len(line)) & (self.doc[node] == doc), node, self.offsets[doc + 1])

    def _line(self, position: Array) -> tuple[Array, int]:
        """Starts of all placed elements on one line, document after document."""
        if not hasattr(self, "_placed"):
            self._placed = np.flatnonzero((self.start >= 0) & (self.end > self.start))
        stride = int(max(self.end.max(initial=0), np.max(position, initial=0))) + 2
        return self.doc[self._placed] * stride + self.start[self._placed], stride


def _named(study: Study, n_paths: int) -> Iterable[Array]:
    """Keys of all elements that results, assessments and navigation name."""
    r = study.results
    if r.places is not None:
        strange = np.flatnonzero((r.places.path >= 0) & (r.places.element < 0))
        doc = np.repeat(r.doc, np.diff(r.places.parts))[strange].astype(np.int64)
        yield doc * n_paths + r.places.path[strange]
    for part in (study.grades, study.units):
        if part is not None:
            yield part.doc.astype(np.int64) * n_paths + part.path
    if study.navigation_rows is not None:
        for end in ("source", "target"):
            yield study.navigation_rows["doc"].astype(np.int64) * n_paths + study.navigation_rows[end]
    if study.route_rows is not None:
        yield study.route_rows["doc"].astype(np.int64) * n_paths + study.route_rows["path"]


def _with_ancestors(extra: Array, own: Array, paths: tuple[str, ...], n_paths: int
                    ) -> tuple[Array, Array, Array, tuple[str, ...]]:
    """The extra nodes with all their ancestors: (keys, documents, keys of parents or −1, all paths)."""
    if not len(extra):
        none = np.empty(0, np.int64)
        return none, none, none, paths
    code_of = {p: i for i, p in enumerate(paths)}
    names = list(paths)
    parent_code: list[int] = []

    def parent(code: int) -> int:
        while len(parent_code) <= code:
            above = names[len(parent_code)].rpartition("/")[0]
            if above and above not in code_of:
                code_of[above] = len(names)
                names.append(above)
            parent_code.append(code_of[above] if above else -1)
        return parent_code[code]

    inside = set(own.tolist()) if len(own) else set()
    found: dict[tuple[int, int], tuple[int, int] | None] = {}
    for key in extra.tolist():
        node: tuple[int, int] | None = divmod(key, n_paths)
        while node is not None and node not in found:
            above = parent(node[1])
            up = (node[0], above) if above >= 0 else None
            found[node] = up
            node = up if up is None or not (up[1] < n_paths and up[0] * n_paths + up[1] in inside) else None
    width = max(len(names), 1)
    keys = np.array([d * width + p for d, p in found], np.int64)
    above_keys = np.array([-1 if up is None else up[0] * width + up[1] for up in found.values()], np.int64)
    return keys, keys // width, above_keys, tuple(names)


def _depths(parent: Array) -> Array:
    """From 0 for roots."""
    depth = np.zeros(len(parent), np.int64)
    above = parent.copy()
    while (above >= 0).any():
        depth += above >= 0
        above = np.where(above >= 0, parent[np.maximum(above, 0)], -1)
    return depth


def _preorder(doc: Array, parent: Array, key: Array) -> Array:
    """An order in which every node is followed by its descendants: by document, then `key`, then input order."""
    n = len(doc)
    depth = _depths(parent)
    deepest = int(depth.max(initial=0))
    levels = [np.flatnonzero(depth == d) for d in range(deepest + 1)]
    size = np.ones(n, np.int64)
    for level in reversed(levels[1:]):
        np.add.at(size, parent[level], size[level])
    place = np.zeros(n, np.int64)
    roots = levels[0][np.lexsort((levels[0], key[levels[0]], doc[levels[0]]))] if n else np.empty(0, np.int64)
    place[roots] = np.cumsum(size[roots]) - size[roots]
    for level in levels[1:]:
        siblings = level[np.lexsort((level, key[level], parent[level]))]
        own = size[siblings]
        bounds = np.flatnonzero(np.concatenate(([True], parent[siblings][1:] != parent[siblings][:-1], [True])))
        place[siblings] = place[parent[siblings]] + 1 + cumsum(own, bounds) - own
    order = np.empty(n, np.int64)
    order[place] = np.arange(n)
    return order


def _depth_and_last(parent: Array) -> tuple[Array, Array]:
    """Depth from 0 and the end of each node's descendants, for nodes in preorder."""
    n = len(parent)
    depth = _depths(parent)
    last = np.arange(1, n + 1)
    for d in range(int(depth.max(initial=0)), 0, -1):
        level = np.flatnonzero(depth == d)
        np.maximum.at(last, parent[level], last[level])
    return depth, last


def nodes_of_passages(nodes: Nodes, doc: Array, start: Array, end: Array) -> tuple[Array, Array]:
    """What passages stand for: the largest elements they cover, else the smallest around them: (row, node)."""
    row, node = nodes.largest_inside(doc, start, end)
    bare = np.ones(len(doc), bool)
    bare[row] = False
    bare &= end > start
    rest = np.flatnonzero(bare)
    around = nodes.smallest_around(doc[rest], start[rest], end[rest])
    found = around >= 0
    row, node = np.concatenate((row, rest[found])), np.concatenate((node, around[found]))
    order = np.lexsort((node, row))
    return row[order], node[order]


def members(nodes: Nodes, docs: Array) -> tuple[Array, Array]:
    """All nodes of the given documents: (position in docs, node)."""
    return expand(nodes.offsets, docs)
