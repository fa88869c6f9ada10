"""The ESR family, slowly: sets of nodes, sets of characters and plain loops, straight from the paper and the spec.

Nothing here is clever and nothing is shared with esr_core; tests compare its fast code with this. A node is a
document and a path; ancestry is what path strings say. Numbers are fractions, so sums lose nothing. An undefined
value is None. "Eq" numbers are those of Ali, Consens, Lalmas (2012).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import pairwise

Node = tuple[str, str]  # document, path
Tree = frozenset[Node]
Span = tuple[int, int]
Part = str | Span | None  # an element by its path, a passage, or nothing that can be found
Navigation = Callable[[Node, Node], Fraction]  # p̃(target; source), in the paper's order
TOLERANCE = Fraction(1, 10**12)
LEVELS = [Fraction(i, 100) for i in range(101)]


def exactly(number: float) -> Fraction:
    """The decimal number that was written, not its nearest double."""
    return Fraction(str(number))


def ratio(part: Fraction, whole: Fraction) -> Fraction:
    """0/0 is 0."""
    return Fraction(part) / whole if whole else Fraction(0)


# ---------------------------------------------------------------- documents

def contains(outer: Node, inner: Node) -> bool:
    """Is one the other, or an ancestor of it?"""
    return outer[0] == inner[0] and (inner[1] == outer[1] or inner[1].startswith(outer[1] + "/"))


def depth(node: Node) -> int:
    return node[1].count("/") - 1


def tag(node: Node) -> str:
    return node[1].split("/")[-1].split("[")[0]


@dataclass(frozen=True)
class Documents:
    """The elements that the document tables know: places in the text, or lengths alone."""

    span: dict[Node, Span] = field(default_factory=dict)
    only_length: dict[Node, int] = field(default_factory=dict)

    def elements(self) -> list[Node]:
        return [*self.span, *self.only_length]

    def length(self, node: Node) -> int:
        """Elements that nobody knows have no text."""
        start, end = self.span.get(node, (0, 0))
        return self.only_length.get(node, end - start)

    def characters(self, node: Node) -> set[tuple[str, int]]:
        return {(node[0], x) for x in range(*self.span.get(node, (0, 0)))}

    def placed(self, doc: str) -> dict[Node, Span]:
        """Elements of a document that hold any text; empty ones are never what a passage stands for."""
        return {node: (start, end) for node, (start, end) in self.span.items() if node[0] == doc and start < end}

    def smallest_around(self, doc: str, start: int, end: int) -> Node | None:
        """Of the elements that hold the passage the shortest, of equal ones the deepest."""
        around = [(b - a, -depth(node), node) for node, (a, b) in self.placed(doc).items() if a <= start and end <= b]
        return min(around)[2] if around and start < end else None

    def inside(self, doc: str, start: int, end: int) -> set[Node]:
        """All elements fully inside the passage."""
        return {node for node, (a, b) in self.placed(doc).items() if start <= a and b <= end}

    def largest_inside(self, doc: str, start: int, end: int) -> set[Node]:
        """Those of them that lie in no other; of equal extents the outermost."""
        inside = self.inside(doc, start, end)
        return {node for node in inside if not any(contains(other, node) for other in inside if other != node)}

    def stands_for(self, doc: str, start: int, end: int) -> set[Node]:
        """A passage stands for the largest elements it covers, or the smallest that contains it."""
        around = self.smallest_around(doc, start, end)
        return self.largest_inside(doc, start, end) or ({around} if around else set())


# ---------------------------------------------------------------- results

@dataclass(frozen=True)
class Result:
    """One rank of a run: an element, a passage, or a tree when it has several parts."""

    doc: str
    parts: tuple[Part, ...]

    def tree(self, documents: Documents) -> Tree:
        nodes: set[Node] = set()
        for part in self.parts:
            if isinstance(part, str):
                nodes.add((self.doc, part))
            elif part is not None:
                nodes |= documents.stands_for(self.doc, *part)
        return frozenset(nodes)

    def characters(self, documents: Documents) -> set[tuple[str, int]]:
        """The text it shows: of a passage the passage, whatever it stands for."""
        held: set[tuple[str, int]] = set()
        for part in self.parts:
            if isinstance(part, str):
                held |= documents.characters((self.doc, part))
            elif part is not None:
                held |= {(self.doc, x) for x in range(*part)}
        return held

    def size(self, documents: Documents, how: str) -> int:
        """Characters of the union, or the sum over its parts; with lengths alone, the sum of its outermost nodes."""
        named = {(self.doc, part) for part in self.parts if isinstance(part, str)}
        passages = {part for part in self.parts if isinstance(part, tuple)}
        if how == "union" and not documents.only_length:
            return len(self.characters(documents))
        if how == "union":
            named = {n for n in named if not any(contains(other, n) for other in named if other != n)}
        return sum(documents.length(n) for n in named) + sum(end - start for start, end in passages)


def leading(results: Sequence[Result], documents: Documents) -> list[Tree]:
    """The node sets of a list; one that comes again, or that has no nodes, leads nowhere and is empty here."""
    out: list[Tree] = []
    for result in results:
        tree = result.tree(documents)
        out.append(frozenset() if tree in out else tree)
    return out


# ---------------------------------------------------------------- assessments

@dataclass(frozen=True)
class Topic:
    """Assessed units with their values, and the highlighted characters where the study has any."""

    units: dict[Tree, Fraction]
    highlighted: frozenset[tuple[str, int]] | None = None

    def rel(self, unit: Tree, rel: str) -> Fraction:
        return self.units[unit] if rel == "length" else Fraction(self.units[unit] > 0)

    def all_text(self) -> Fraction:
        """T_rel: all highlighted characters, or without highlights the sum of unit values."""
        return Fraction(len(self.highlighted)) if self.highlighted is not None else sum(self.units.values(), Fraction())

    def value_of_node(self, node: Node, rel: str) -> Fraction:
        """The value of the node's single-node unit, else 0."""
        unit = frozenset([node])
        return self.rel(unit, rel) if unit in self.units else Fraction(0)


def passages(highlighted: frozenset[tuple[str, int]]) -> list[tuple[str, int, int]]:
    """Longest stretches of highlighted text: touching or overlapping highlights are one passage."""
    out: list[tuple[str, int, int]] = []
    for doc, x in sorted(highlighted):
        if out and out[-1][0] == doc and out[-1][2] == x:
            out[-1] = (doc, out[-1][1], x + 1)
        else:
            out.append((doc, x, x + 1))
    return out


def units_of_highlights(documents: Documents, highlighted: frozenset[tuple[str, int]], how: str
                        ) -> dict[Tree, Fraction]:
    """Distinct elements found through the passages; the value is the highlighted text inside."""
    found: set[Node] = set()
    for doc, start, end in passages(highlighted):
        if how == "smallest":
            found |= {node for node in [documents.smallest_around(doc, start, end)] if node is not None}
        elif how == "inside":
            found |= documents.largest_inside(doc, start, end)
        elif how == "leaves":
            found |= {node for node in documents.inside(doc, start, end)
                      if not any(contains(node, other) for other in documents.span if other != node)}
        elif how == "all":
            found |= {node for node, (a, b) in documents.placed(doc).items() if a < end and start < b}
        else:
            found |= {node for node in documents.placed(doc) if depth(node) == 0}
    values = {node: len(documents.characters(node) & highlighted) for node in found}
    return {frozenset([node]): Fraction(value) for node, value in values.items() if value > 0}


def units_of_grades(grades: dict[Node, tuple[int, int]], quant: str) -> dict[Tree, Fraction]:
    """Elements whose quantised (exhaustivity, specificity) is positive (xcg Eq 1–3)."""
    tables = {"gen": {1: "(3,3)", 0.75: "(2,3) (3,2) (3,1)", 0.5: "(1,3) (2,2) (2,1)", 0.25: "(1,2) (1,1)"},
              "sog": {1: "(3,3)", 0.9: "(2,3)", 0.75: "(1,3) (3,2)", 0.5: "(2,2)", 0.25: "(1,2) (3,1)",
                      0.1: "(2,1) (1,1)"},
              "strict": {1: "(3,3)"}}
    out = {}
    for node, (e, s) in grades.items():
        if quant in tables:
            value = next((v for v, pairs in tables[quant].items() if f"({e},{s})" in pairs), 0)
        else:
            value = {"spec": Fraction(s, 3), "binary": 1}[quant] if e > 0 and s > 0 else 0
        if value:
            out[frozenset([node])] = exactly(value) if isinstance(value, float) else Fraction(value)
    return out


# ---------------------------------------------------------------- navigation models

Routes = list[list[Node]]  # every route lies in one document


def within_documents(model: Navigation) -> Navigation:
    """p̃ is 0 across documents and on the diagonal."""
    return cache(lambda target, source: model(target, source) if target[0] == source[0] and target != source
                 else Fraction(0))


def none() -> Navigation:
    return within_documents(lambda target, source: Fraction(0))


def matrix(table: dict[tuple[Node, Node], Fraction]) -> Navigation:
    """The study's table, by (source, target)."""
    return within_documents(lambda target, source: table.get((source, target), Fraction(0)))


def shared_out(weight: Counter, normalise: str) -> Callable[[object, object], Fraction]:
    """w(target; source)/W, W what leaves the source (as Table 2) or leads to the target (as Sect. 4.2 says)."""
    def p(target: object, source: object) -> Fraction:
        if normalise == "source":
            whole = sum(w for (s, _), w in weight.items() if s == source)
        else:
            whole = sum(w for (_, t), w in weight.items() if t == target)
        return ratio(Fraction(weight[source, target]), Fraction(whole))
    return p


def routes(observed: Routes, abandon: str, normalise: str) -> Navigation:
    """Counts of steps; with abandon, the end of each route counts as a step to itself (footnote 4)."""
    weight = Counter(step for route in observed for step in pairwise(route))
    if abandon == "on":
        weight.update((route[-1], route[-1]) for route in observed)
    return within_documents(shared_out(weight, normalise))


def class_by(by: str) -> Callable[[Node], object]:
    return {"tag": tag, "depth": depth, "path": lambda node: re.sub(r"\[\d+\]", "", node[1])}[by]


def class_weights(observed: Routes, by: str) -> Counter:
    of = class_by(by)
    return Counter((of(source), of(target)) for route in observed for source, target in pairwise(route))


def summary(observed: Routes, by: str, normalise: str) -> Navigation:
    """Steps between classes; a pair of nodes has the value of its classes (Table 3)."""
    p, of = shared_out(class_weights(observed, by), normalise), class_by(by)
    return within_documents(lambda target, source: p(of(target), of(source)))


DEPTH_CLASSES = ("article", "section", "ss1", "other")
CLASS_OF_TAG = {"article": "article", "sec": "section", "section": "section", "ss1": "ss1", "subsection": "ss1"}


def depth_share(node: Node, class_of_tag: dict[str, str] = CLASS_OF_TAG) -> Fraction:
    weights = [Fraction(1, i) for i in (1, 2, 3, 4)]
    return weights[DEPTH_CLASSES.index(class_of_tag.get(tag(node), "other"))] / sum(weights)


def depth_weighted() -> Navigation:
    """What a target draws depends on its class alone: .48, .24, .16, .12."""
    return within_documents(lambda target, source: depth_share(target))


def long_run(step: list[list[Fraction]]) -> list[list[float]]:
    """Shares of a very long walk from each class: 2^60 steps, taken by squaring.

    The walk stays where it is every other time, so that it has no period; that changes no share. Rows are made to
    add up to 1 again after each squaring, or rounding would grow with the walk.
    """
    n = len(step)
    walk = [[float(p + (i == j)) / 2 for j, p in enumerate(row)] for i, row in enumerate(step)]
    for _ in range(60):
        squared = [[sum(walk[i][k] * walk[k][j] for k in range(n)) for j in range(n)] for i in range(n)]
        walk = [[p / sum(row) for p in row] for row in squared]
    return walk


def steady(observed: Routes, by: str) -> Navigation:
    """Long-run share of steps in the target's class when starting in the source's; no way out: the user stays."""
    of, weights = class_by(by), class_weights(observed, by)
    classes = sorted({name for step in weights for name in step}, key=str)
    p = shared_out(weights, "source")
    step = [[p(target, source) for target in classes] for source in classes]
    for i, row in enumerate(step):
        if not any(row):
            row[i] = Fraction(1)
    share = {(source, target): Fraction(p) for source, row in zip(classes, long_run(step), strict=True)
             for target, p in zip(classes, row, strict=True)}

    def long_walk(target: Node, source: Node) -> Fraction:
        if of(source) not in classes:
            return Fraction(of(source) == of(target))
        return share.get((of(source), of(target)), Fraction(0))
    return within_documents(long_walk)


def structural(documents: Documents, normalise: str) -> Navigation:
    """Shorter over longer when one contains the other (prum Eq 9), shared out among all ways of one end."""
    def closeness(a: Node, b: Node) -> Fraction:
        if a == b or not (contains(a, b) or contains(b, a)):
            return Fraction(0)
        shorter, longer = sorted((documents.length(a), documents.length(b)))
        return ratio(Fraction(shorter), Fraction(longer))

    def p(target: Node, source: Node) -> Fraction:
        end = source if normalise == "source" else target
        return ratio(closeness(source, target), sum((closeness(end, e) for e in documents.elements()), Fraction(0)))
    return within_documents(p)


def t2i(documents: Documents, tolerance: int, shape: str) -> Navigation:
    """Reading on: what starts within the tolerance after the source is seen."""
    def p(target: Node, source: Node) -> Fraction:
        if target not in documents.span or source not in documents.span:
            return Fraction(0)
        distance = documents.span[target][0] - documents.span[source][0]
        if not 0 <= distance <= tolerance:
            return Fraction(0)
        return Fraction(1) if shape == "step" else 1 - Fraction(distance, tolerance)
    return within_documents(p)


def proximity(documents: Documents, lengths: list[int], reach: float) -> Navigation:
    """A·L/(A·L + distance of starts), L the mean document length."""
    whole = exactly(reach) * ratio(Fraction(sum(lengths)), Fraction(len(lengths)))

    def p(target: Node, source: Node) -> Fraction:
        if target not in documents.span or source not in documents.span:
            return Fraction(0)
        return ratio(whole, whole + abs(documents.span[target][0] - documents.span[source][0]))
    return within_documents(p)


# ---------------------------------------------------------------- the framework

@dataclass(frozen=True)
class View:
    """What the measures of this family have in common: documents, navigation and three ways of reading the paper."""

    documents: Documents
    nav: Navigation
    match: str = "exact"
    eq4: str = "paper"
    overlap: Fraction = Fraction(1)

    def between(self, target: Tree, source: Tree) -> Fraction:
        """Eq 4; `paper`: nodes that both have are left out of the sums, not of the sizes."""
        if not target or not source:
            return Fraction(0)
        out = Fraction(0)
        for f in source - target if self.eq4 == "paper" else source:
            for e in target - source if self.eq4 == "paper" else target:
                out += self.nav(e, f)
        return out / (len(target) * len(source))

    def seen(self, unit: Tree, trees: Sequence[Tree]) -> Fraction:
        """Eq 5: seen at least once."""
        unseen = Fraction(1)
        for tree in trees:
            unseen *= 1 - self.between(unit, tree)
        return 1 - unseen

    def is_hit(self, unit: Tree, tree: Tree) -> bool:
        return bool(tree) and (unit == tree or (self.match == "node" and len(unit) == 1 and unit <= tree))

    def worth(self, topic: Topic, unit: Tree, above: Sequence[Result]) -> Fraction:
        """Share of a hit that counts: text that higher-ranked results showed is worth `overlap`."""
        text = {x for node in unit for x in self.documents.characters(node)}
        if topic.highlighted is not None:
            text &= topic.highlighted
        shown = {x for result in above for x in result.characters(self.documents)}
        return 1 - (1 - self.overlap) * ratio(Fraction(len(text & shown)), Fraction(len(text)))


@dataclass(frozen=True)
class Expected:
    """Eq 8–10 and what hits lose, at one rank."""

    hits: Fraction
    near: Fraction
    misses: Fraction
    shrinkage: Fraction

    @property
    def recall_base(self) -> Fraction:
        """Eq 11."""
        return self.hits + self.misses + self.near


def expected(view: View, topic: Topic, results: Sequence[Result], k: int, rel: str) -> Expected:
    """The user's gains and losses after k ranks."""
    trees = leading(results, view.documents)[:k]
    hits = near = misses = shrinkage = Fraction(0)
    for unit in topic.units:
        rank = next((m for m, tree in enumerate(trees, 1) if view.is_hit(unit, tree)), None)
        value = topic.rel(unit, rel)
        if rank is not None:
            gain = value * (1 - view.seen(unit, trees[:rank - 1])) * view.worth(topic, unit, results[:rank - 1])
            hits += gain
            shrinkage += value - gain
        else:
            near += value * view.seen(unit, trees)
            misses += value * (1 - view.seen(unit, trees))
    return Expected(hits, near, misses, shrinkage)


# ---------------------------------------------------------------- measures at a rank

def esrp(view: View, topic: Topic, results: Sequence[Result], k: int, rel: str) -> Fraction:
    """Eq 13."""
    return expected(view, topic, results, k, rel).hits / k


def esrr(view: View, topic: Topic, results: Sequence[Result], k: int, rel: str) -> Fraction:
    """Eq 14."""
    e = expected(view, topic, results, k, rel)
    return ratio(e.hits + e.near, e.recall_base)


def srp(view: View, topic: Topic, results: Sequence[Result], k: int, rel: str, inferred: str) -> Fraction:
    """Eq 12 / k: relevance inferred from a result's nodes; what comes again earns nothing."""
    trees = leading(results, view.documents)
    total = Fraction(0)
    for i, tree in enumerate(trees[:k]):
        values = [topic.value_of_node(node, rel) for node in tree]
        if not values:
            continue
        inferred_value = {"sum": sum(values, Fraction(0)), "max": max(values),
                          "mean": sum(values, Fraction(0)) / len(values)}[inferred]
        total += inferred_value * (1 - view.seen(tree, trees[:i]))
    return total / k


def gain(view: View, topic: Topic, results: Sequence[Result], k: int, rel: str, near_too: bool) -> Fraction:
    e = expected(view, topic, results, k, rel)
    return e.hits + e.near if near_too else e.hits


def srip(view: View, topic: Topic, results: Sequence[Result], k: int, size: str, near_too: bool) -> Fraction:
    """Eq 18; with near-misses Eq 30."""
    text = sum(result.size(view.documents, size) for result in results[:k])
    return ratio(gain(view, topic, results, k, "length", near_too), Fraction(text))


def srir(view: View, topic: Topic, results: Sequence[Result], k: int, base: str, near_too: bool) -> Fraction:
    """Eq 19; with near-misses Eq 31."""
    whole = topic.all_text() if base == "text" else expected(view, topic, results, k, "length").recall_base
    return ratio(gain(view, topic, results, k, "length", near_too), whole)


def cd(view: View, topic: Topic, results: Sequence[Result], k: int, rel: str, l: float, m: float) -> Fraction:  # noqa: E741
    """Eq 24, 33."""
    return k * exactly(l) * expected(view, topic, results, k, rel).recall_base / exactly(m)


def nsrcg(view: View, topic: Topic, results: Sequence[Result], k: int, rel: str, l: float, m: float,  # noqa: E741
          near_too: bool) -> Fraction:
    """Eq 25; with near-misses Eq 34."""
    return ratio(gain(view, topic, results, k, rel, near_too), cd(view, topic, results, k, rel, l, m))


# ---------------------------------------------------------------- over recall levels

def over_levels(points: list[tuple[Fraction, Fraction]]) -> Fraction:
    """Mean over 0, 0.01 … 1 of the best precision at ranks with at least that recall; recall may fall."""
    total = Fraction(0)
    for level in LEVELS:
        total += max((precision for precision, recall in points if recall >= level - TOLERANCE), default=Fraction(0))
    return total / len(LEVELS)


def aesrp(view: View, topic: Topic, results: Sequence[Result], rel: str) -> Fraction:
    return over_levels([(esrp(view, topic, results, k, rel), esrr(view, topic, results, k, rel))
                        for k in range(1, len(results) + 1)])


def asrip(view: View, topic: Topic, results: Sequence[Result], size: str, near_too: bool) -> Fraction:
    """Both averages take SRiR2 for recall (Sect. 7)."""
    return over_levels([(srip(view, topic, results, k, size, near_too), srir(view, topic, results, k, "text", True))
                        for k in range(1, len(results) + 1)])


def srprum(view: View, topic: Topic, results: Sequence[Result], r: float) -> Fraction:
    """Eq 27–29; where the recall is never reached, the whole list is consulted."""
    if not results:
        return Fraction(0)
    consulted = next((m for m in range(1, len(results) + 1)
                      if esrr(view, topic, results, m, "binary") >= exactly(r) - TOLERANCE), len(results))
    return gain(view, topic, results, consulted, "binary", True) / consulted
