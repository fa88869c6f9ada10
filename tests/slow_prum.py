"""The PRUM family, slowly: every subset of the ideal elements, one by one, straight from the paper and the spec.

Nothing here is clever and nothing is shared with esr_core; tests compare its fast code with this. Nodes, documents and
results are those of slow_esr. An undefined value is None. "Eq" numbers are those of Piwowarski, Gallinari and Dupret
(2007).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from itertools import combinations

import slow_esr
from slow_esr import Documents, Navigation, Node, Result, Tree, contains

TENTHS = [i / 10 for i in range(1, 11)]
Probability = Callable[[Node, Node], float]  # P(x → y), in the paper's order: source, target


# ---------------------------------------------------------------- ideal elements

def ideals_of_units(units: dict[Tree, Fraction]) -> list[Node]:
    """Units that are single nodes; trees are not ideal elements, nor are units of no relevance."""
    return sorted(node for unit, value in units.items() if len(unit) == 1 and value > 0 for node in unit)


def ideals_of_grades(grades: dict[Node, tuple[int, int]], quant: str) -> list[Node]:
    """The ideal recall-base of the xcg paper.

    On each path to a relevant leaf the element of the highest value, the deeper on ties; those of value 0 are dropped;
    of two that overlap the ancestor stays.
    """
    values = {node: value for unit, value in slow_esr.units_of_grades(grades, quant).items() for node in unit}
    relevant = [node for node, (e, s) in grades.items() if e > 0 and s > 0]
    best = set()
    for leaf in relevant:
        if not any(contains(leaf, other) for other in relevant if other != leaf):
            path = [node for node in relevant if contains(node, leaf)]
            best.add(max(path, key=lambda node: (values.get(node, 0), slow_esr.depth(node))))
    best = {node for node in best if values.get(node, 0) > 0}
    return sorted(node for node in best if not any(contains(other, node) for other in best if other != node))


# ---------------------------------------------------------------- navigation

def navigating(model: Navigation) -> Probability:
    """P(x → y) from the p̃(y; x) of ESR: 1 from a node to itself, and never more than 1."""
    return cache(lambda x, y: 1.0 if x == y else min(float(model(y, x)), 1.0))


def structural(documents: Documents) -> Navigation:
    """Eq 9, before ESR shares it out: shorter over longer length when one contains the other."""
    def p(target: Node, source: Node) -> Fraction:
        if not (contains(source, target) or contains(target, source)):
            return Fraction(0)
        shorter, longer = sorted((documents.length(source), documents.length(target)))
        return slow_esr.ratio(Fraction(shorter), Fraction(longer))
    return p


# ---------------------------------------------------------------- what one reader meets

@lru_cache(maxsize=100_000)
def found(seen: tuple[float, ...]) -> list[float]:
    """Eq 7: P(F = s) for s = 0, 1 …, from P(x ∈ S) of every ideal x, one subset A of the ideals after the other."""
    everyone = range(len(seen))
    return [math.fsum(math.prod(seen[x] if x in chosen else 1 - seen[x] for x in everyone)
                      for chosen in map(set, combinations(everyone, s))) for s in range(len(seen) + 1)]


@dataclass(frozen=True)
class Search:
    """A list, rank by rank the nodes of a result that was not there before (else none), and what is looked for."""

    ideals: list[Node]
    ranks: list[Tree]
    p: Probability
    unranked: int

    @property
    def o(self) -> int:
        """Size of the ranked part."""
        return len(self.ranks)

    @cached_property
    def leads(self) -> list[list[float]]:
        """P(result → x) by rank and ideal; a result of several nodes leads there if any of its nodes does."""
        return [[1 - math.prod(1 - self.p(node, x) for node in tree) for x in self.ideals] for tree in self.ranks]

    @cached_property
    def seen(self) -> list[tuple[float, ...]]:
        """Eq 6: P(x ∈ S_i) for i = 0 … o and every ideal x."""
        return [tuple(1 - math.prod(1 - row[x] for row in self.leads[:i]) for x in range(len(self.ideals)))
                for i in range(self.o + 1)]

    @cached_property
    def found(self) -> list[list[float]]:
        """P(F_i = s) for i = 0 … o."""
        return [found(seen) for seen in self.seen]

    def new_with_hypothesis_2_3(self, i: int, s: int) -> float:
        """Eq 8 times P(F_{i−1} = s): P(F_{i−1} = s) P(F_i > s | F_{i−1} = s)."""
        before, after, chance = self.seen[i - 1], self.seen[i], self.found[i - 1][s]
        if chance == 0:
            return 0.0
        nothing = 1.0
        for x in range(len(self.ideals)):
            if after[x] > before[x]:
                others = found(before[:x] + before[x + 1:])
                share = (after[x] - before[x]) * (others[s] if s < len(others) else 0) / chance
                nothing *= 1 - min(share, 1)  # more than 1 by rounding only
        return chance * (1 - nothing)

    @cached_property
    def walk(self) -> list[dict[tuple[frozenset[int], frozenset[int]], float]]:
        """For i = 1 … o: all pairs (ideals seen before rank i, ideals seen after it), with their probability."""
        now = {frozenset[int](): 1.0}
        steps = []
        for row in self.leads:
            step: dict[tuple[frozenset[int], frozenset[int]], float] = {}
            for before, chance in now.items():
                ends = {before: chance}
                for x, p in enumerate(row):
                    if x not in before:
                        ends = {**{end: c * (1 - p) for end, c in ends.items() if p < 1},
                                **{end | {x}: c * p for end, c in ends.items() if p > 0}}
                step |= {(before, after): c for after, c in ends.items()}
            steps.append(step)
            now = defaultdict(float)
            for (_, after), c in step.items():
                now[after] += c
        return steps

    def new_without(self, i: int, s: int) -> float:
        """The same without hypothesis 2.3: P(F_{i−1} = s and F_i > s)."""
        return math.fsum(c for (before, after), c in self.walk[i - 1].items() if len(before) == s < len(after))


def search(ideals: Iterable[Node], results: list[Result], p: Probability, documents: Documents) -> Search:
    """A repeated result adds nothing; u is what the documents have and the list does not hold."""
    ideals, ranks = list(ideals), slow_esr.leading(results, documents)
    held = {node for tree in ranks for node in tree}
    return Search(ideals, ranks, p, len((set(documents.elements()) | set(ideals)) - held))


# ---------------------------------------------------------------- measures

def prum(own: Search, r: int, method: str, tail: str) -> float | None:
    """Eq 5, with the factor in brackets inside the sum of (d)."""
    n, o, u = len(own.ideals), own.o, own.unranked
    if not 1 <= r <= n:
        return None
    new = own.new_with_hypothesis_2_3 if method == "eq5" else own.new_without
    a = math.fsum(new(i, s) for s in range(r) for i in range(1, o + 1))
    c = math.fsum(own.found[i - 1][s] for s in range(r) for i in range(1, o + 1))
    b = math.fsum(own.found[o][s] * (r - s) for s in range(r))
    d = math.fsum(own.found[o][s] * (r - s) * (1 + (u - (n - s)) / (n - s + 1)) for s in range(r))
    if tail == "off":
        b = d = 0.0
    return (a + b) / (c + d) if c + d else 0.0


def eprum(own: Search, r: int) -> float | None:
    """Σ_k P(the r-th ideal is first reached at rank k) · r/k; never reached is 0."""
    if not 1 <= r <= len(own.ideals):
        return None
    return math.fsum(c * r / k for k, step in enumerate(own.walk, 1)
                     for (before, after), c in step.items() if len(before) < r <= len(after))


def gr(own: Search, k: int) -> float | None:
    """Expected ideals seen after k ranks / |I|."""
    return math.fsum(own.seen[min(k, own.o)]) / len(own.ideals) if own.ideals else None


def recalls(own: Search, level: float) -> range:
    """Numbers of ideals whose recall is at least the level."""
    n, least = len(own.ideals), slow_esr.exactly(level) - slow_esr.TOLERANCE
    return range(min(r for r in range(1, n + 1) if Fraction(r, n) >= least), n + 1)


def prum_at_level(own: Search, level: float, method: str, tail: str) -> float | None:
    """Ceiling interpolation: the best at any recall at least as high."""
    return max(prum(own, r, method, tail) for r in recalls(own, level)) if own.ideals else None


def eprum_at_level(own: Search, level: float) -> float | None:
    """r = ⌈x·|I|⌉."""
    return eprum(own, recalls(own, level)[0]) if own.ideals else None


def aprum(own: Search, method: str, tail: str) -> float | None:
    return math.fsum(prum_at_level(own, x, method, tail) for x in TENTHS) / 10 if own.ideals else None


def aeprum(own: Search) -> float | None:
    return math.fsum(eprum_at_level(own, x) for x in TENTHS) / 10 if own.ideals else None
