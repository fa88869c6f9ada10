"""The xcg family, slowly: paths, sets of characters, recursion and fractions, straight from the specification.

Nothing here is clever and nothing is shared with esr_core; tests compare its fast code with this. An element is a
document and a path, a result is a document and its parts: paths, half-open spans, or None (unresolvable). Values are
exact fractions, so no comparison with a threshold can be lost to rounding. An undefined value is None.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

Element = tuple[str, str]  # document, path
Part = str | tuple[int, int] | None
Number = Fraction | int


# ---------------------------------------------------------------- documents and results

def contains(outer: Element, inner: Element) -> bool:
    """Is `inner` the element `outer` itself or inside it?"""
    return outer[0] == inner[0] and (inner[1] == outer[1] or inner[1].startswith(outer[1] + "/"))


def related(a: Element, b: Element) -> bool:
    """Ancestor, self or descendant."""
    return contains(a, b) or contains(b, a)


@dataclass(frozen=True)
class Collection:
    """All elements with their places, in document order."""

    spans: dict[Element, tuple[int, int]]

    def length(self, element: Element) -> int:
        start, end = self.spans[element]
        return end - start

    def characters(self, element: Element) -> set[tuple[str, int]]:
        return {(element[0], x) for x in range(*self.spans[element])}

    def children(self, element: Element) -> list[Element]:
        return [e for e in self.spans if e[0] == element[0] and e[1].rpartition("/")[0] == element[1]]

    def ancestors_and_self(self, element: Element) -> list[Element]:
        """From the root down."""
        return [e for e in self.spans if contains(e, element)]

    def largest_inside(self, doc: str, start: int, end: int) -> list[Element]:
        inside = [e for e, (s, t) in self.spans.items() if e[0] == doc and start <= s < t <= end]
        return [e for e in inside if not any(o != e and contains(o, e) for o in inside)]

    def smallest_around(self, doc: str, start: int, end: int) -> list[Element]:
        around = [e for e, (s, t) in self.spans.items() if e[0] == doc and s <= start and end <= t]
        return [max(around, key=lambda e: e[1].count("/"))] if around else []


@dataclass(frozen=True)
class Result:
    """One rank of a run: an element, a passage, or several of them at once."""

    doc: str
    parts: tuple[Part, ...]

    def elements(self, collection: Collection) -> list[Element]:
        """The elements a result stands for, each once: known ones in document order, then unknown ones."""
        found: list[Element] = []
        for part in self.parts:
            if isinstance(part, str):
                found.append((self.doc, part))
            elif part is not None and part[0] < part[1]:
                found += collection.largest_inside(self.doc, *part) or collection.smallest_around(self.doc, *part)
        return [e for e in collection.spans if e in found] + sorted(e for e in set(found) if e not in collection.spans)

    def known(self, collection: Collection) -> list[Element]:
        return [e for e in self.elements(collection) if e in collection.spans]

    def characters(self, collection: Collection) -> set[tuple[str, int]]:
        """Its text: a passage keeps its own size, whatever elements it stands for."""
        out: set[tuple[str, int]] = set()
        for part in self.parts:
            if isinstance(part, str):
                out |= collection.characters((self.doc, part)) if (self.doc, part) in collection.spans else set()
            elif part is not None:
                out |= {(self.doc, x) for x in range(*part)}
        return out


# ---------------------------------------------------------------- what elements are worth

def quantise(quant: str, e: int, s: int) -> Fraction:
    """Eq 1–3 case by case, and the two of the specification."""
    if quant == "strict":
        return Fraction(e == 3 and s == 3)
    if quant == "gen":
        cases = {"1": [(3, 3)], "0.75": [(2, 3), (3, 2), (3, 1)], "0.5": [(1, 3), (2, 2), (2, 1)],
                 "0.25": [(1, 2), (1, 1)], "0": [(0, 0)]}
    elif quant == "sog":
        cases = {"1": [(3, 3)], "0.9": [(2, 3)], "0.75": [(1, 3), (3, 2)], "0.5": [(2, 2)],
                 "0.25": [(1, 2), (3, 1)], "0.1": [(2, 1), (1, 1)], "0": [(0, 0)]}
    else:
        return Fraction(s, 3) if quant == "spec" else Fraction(e > 0 and s > 0)
    return Fraction(next(value for value, pairs in cases.items() if (e, s) in pairs))


@dataclass(frozen=True)
class Topic:
    """What was assessed: (exhaustivity, specificity) of elements, or highlighted positions of documents."""

    collection: Collection
    grades: dict[Element, tuple[int, int]] = field(default_factory=dict)
    highlights: dict[str, set[int]] | None = None

    def highlighted(self, element: Element) -> int:
        assert self.highlights is not None
        return sum(x in self.highlights.get(element[0], set()) for _, x in self.collection.characters(element))

    def relevant(self, element: Element) -> bool:
        """By grades or highlighted text, not by quantised value."""
        if self.highlights is not None:
            return self.highlighted(element) > 0
        e, s = self.grades.get(element, (0, 0))
        return e > 0 and s > 0

    def value(self, element: Element, quant: str) -> Fraction:
        """quant(assess(element)); (0, 0) if nobody assessed it."""
        if self.highlights is None:
            return quantise(quant, *self.grades.get(element, (0, 0)))
        if quant == "binary":
            return Fraction(self.highlighted(element) > 0)
        length = self.collection.length(element)
        return Fraction(self.highlighted(element), length) if length else Fraction(0)


def ideals(topic: Topic, quant: str) -> list[Element]:
    """The ideal recall-base, best first."""
    relevant = [e for e in topic.collection.spans if topic.relevant(e)]
    leaves = [e for e in relevant if not any(o != e and contains(e, o) for o in relevant)]
    candidates = set()
    for leaf in leaves:
        path = topic.collection.ancestors_and_self(leaf)
        candidates.add(max(path, key=lambda e: (topic.value(e, quant), e[1].count("/"))))
    candidates = {e for e in candidates if topic.value(e, quant) > 0}
    kept = [e for e in topic.collection.spans
            if e in candidates and not any(o != e and contains(o, e) for o in candidates)]
    return sorted(kept, key=lambda e: (-topic.value(e, quant), e[0]))  # a stable sort leaves document order


# ---------------------------------------------------------------- gain of a result (Eq 8–10)

@dataclass(frozen=True)
class How:
    """The parameters of a gain."""

    quant: str
    alpha: Fraction = Fraction(1)
    cap: bool = True
    norm: bool = True


def rv(topic: Topic, element: Element, seen: Sequence[Element], how: How) -> Fraction:
    """Eq 9: not seen, fully seen or partly seen."""
    whole = topic.value(element, how.quant)
    if any(contains(s, element) for s in seen):
        return (1 - how.alpha) * whole
    if not any(contains(element, s) for s in seen):
        return whole
    length = topic.collection.length(element)
    inner = sum((rv(topic, child, seen, how) * topic.collection.length(child)
                 for child in topic.collection.children(element)), Fraction(0))
    value = how.alpha * (inner / length if length else 0) + (1 - how.alpha) * whole
    return min(value, whole) if how.cap else value


@dataclass(frozen=True)
class Curve:
    """xG and xI of one list, and the ideals to which no gaining result is related."""

    gains: list[Fraction]
    ideal: list[Fraction]
    lost: int

    def xcg(self, k: int) -> Fraction:
        return sum(self.gains[:k], Fraction(0))

    def xci(self, k: int) -> Fraction:
        return sum(self.ideal[:k], Fraction(0))

    def gaining(self) -> list[int]:
        """Ranks with gain."""
        return [j for j, gain in enumerate(self.gains, 1) if gain > 0]

    def cbg(self, k: int) -> Fraction:
        return sum((gain + 1 for gain in self.gains[:k] if gain > 0), Fraction(0))

    def divisor(self) -> int:
        return len(self.gaining()) + self.lost


def evaluate(topic: Topic, results: Sequence[Result], how: How) -> Curve | None:
    """Gains of all results, element by element in document order."""
    best = ideals(topic, how.quant)
    if not best:
        return None
    visits: list[tuple[Element, Fraction]] = []  # every element so far with what it earned
    out: list[Fraction] = []
    for result in results:
        earned = Fraction(0)
        for element in result.known(topic.collection):
            gain = rv(topic, element, [e for e, _ in visits], how)
            if how.norm:
                shared = [i for i in best if related(i, element)]
                left = sum(topic.value(i, how.quant) for i in shared) - sum(
                    own for e, own in visits if any(related(i, e) for i in shared))
                gain = min(gain, max(left, Fraction(0)))
            visits.append((element, gain))
            earned += gain
        out.append(earned)
    gaining = [e for result, gain in zip(results, out, strict=True) if gain > 0
               for e in result.known(topic.collection)]
    lost = sum(not any(related(i, e) for e in gaining) for i in best)
    return Curve(out, [topic.value(i, how.quant) for i in best], lost)


# ---------------------------------------------------------------- measures (Eq 4–6, 11–14)

def xcg(c: Curve, k: int) -> Number:
    return c.xcg(k)


def nxcg(c: Curve, k: int) -> Number:
    return c.xcg(k) / c.xci(k)


def manxcg(c: Curve, k: int) -> Number:
    return sum((nxcg(c, j) for j in range(1, k + 1)), Fraction(0)) / k


def gr(c: Curve, k: int) -> Number:
    return c.xcg(k) / sum(c.ideal)


def q(c: Curve) -> Number:
    return sum((c.cbg(j) / (c.xci(j) + j) for j in c.gaining()), Fraction(0)) / c.divisor()


def rm(c: Curve) -> Number:
    n = len(c.ideal)
    return c.cbg(n) / (c.xci(n) + n)


def position(gains: Sequence[Fraction], wanted: Fraction, interp: str) -> Fraction | None:
    """Where a cumulated curve reaches a gain: between the ranks k−1 and k when C[k] is the first that is enough."""
    before = Fraction(0)
    for k, gain in enumerate(gains, 1):
        here = before + gain
        if here >= wanted:
            if interp == "linear":
                return k - 1 + ((wanted - before) / (here - before) if here > before else 0)
            return k - 1 + (wanted / here if here else 0)
        before = here
    return None


def ep(c: Curve, x: Fraction, interp: str) -> Number:
    ideal, run = (position(gains, x * sum(c.ideal), interp) for gains in (c.ideal, c.gains))
    return ideal / run if ideal is not None and run else Fraction(0)


def imaep(c: Curve, interp: str) -> Number:
    return sum((ep(c, Fraction(i, 10), interp) for i in range(1, 11)), Fraction(0)) / 10


def maep(c: Curve, interp: str) -> Number:
    total = Fraction(0)
    for j in c.gaining():
        place = position(c.ideal, c.xcg(j), interp)
        total += (len(c.ideal) if place is None else place) / j
    return total / c.divisor()


# ---------------------------------------------------------------- inex-eval and GRP (Eq 17, prum C.1)

def full_recall_base(topic: Topic, quant: str) -> Fraction:
    return sum((topic.value(e, quant) for e in topic.collection.spans), Fraction(0))


def ranks_of(topic: Topic, results: Sequence[Result], quant: str, collection_size: int
             ) -> list[tuple[Fraction, Fraction]]:
    """Relevance, and what is not, of every rank. A rank may hold several elements; one that came before is worth
    nothing, and a result that stands for no element is one that is worth nothing."""
    listed: set[Element] = set()
    ranks: list[tuple[Fraction, Fraction]] = []
    for result in results:
        elements = result.elements(topic.collection)
        worth = [topic.value(e, quant) if e in topic.collection.spans and e not in listed else Fraction(0)
                 for e in elements] or [Fraction(0)]
        listed |= set(elements)
        ranks.append((sum(worth, Fraction(0)), sum((1 - w for w in worth), Fraction(0))))
    if collection_size:
        rest = full_recall_base(topic, quant) - sum((relevant for relevant, _ in ranks), Fraction(0))
        ranks.append((rest, max(collection_size - len(listed & topic.collection.spans.keys()) - rest, Fraction(0))))
    return ranks


def precall(ranks: Sequence[tuple[Fraction, Fraction]], wanted: Number) -> Number:
    """r / (r + j + i·s/(k+1)): j is what is not relevant before the rank where r is reached, i and k what is not and
    what is relevant there, s what is still wanted there."""
    found = missed = Fraction(0)
    for relevant, other in ranks:
        if wanted > 0 and found + relevant >= wanted:
            return wanted / (wanted + missed + other * (wanted - found) / (relevant + 1))
        found, missed = found + relevant, missed + other
    return Fraction(0)


def inexeval(topic: Topic, results: Sequence[Result], x: Fraction, quant: str, collection_size: int) -> Number | None:
    total = full_recall_base(topic, quant)
    return precall(ranks_of(topic, results, quant, collection_size), x * total) if total else None


def ainexeval(topic: Topic, results: Sequence[Result], quant: str, collection_size: int) -> Number | None:
    total = full_recall_base(topic, quant)
    ranks = ranks_of(topic, results, quant, collection_size)
    return sum((precall(ranks, Fraction(i, 100) * total) for i in range(1, 101)), Fraction(0)) / 100 if total else None


def grp(topic: Topic, results: Sequence[Result], r: Number, quant: str, collection_size: int) -> Number | None:
    return precall(ranks_of(topic, results, quant, collection_size), r) if full_recall_base(topic, quant) else None


# ---------------------------------------------------------------- GRPng (prum C.2) and overlap

@dataclass(frozen=True)
class Unseen:
    """Of one result: its unseen text, Σ q(spec)·unseen, Σ q(exh)·unseen/length."""

    text: int
    specific: Fraction
    exhaustive: Fraction


def unseen(topic: Topic, results: Sequence[Result]) -> list[Unseen]:
    """An element has the text of its result; of several elements, taken one by one, each has its own."""
    seen: set[tuple[str, int]] = set()
    out = []
    for result in results:
        shown, elements = result.characters(topic.collection), result.known(topic.collection)
        text, specific, exhaustive = len(shown - seen), Fraction(0), Fraction(0)
        for element in elements:
            e, s = topic.grades.get(element, (0, 0))
            own = shown if len(elements) == 1 else topic.collection.characters(element) & shown
            specific += Fraction(s, 3) * len(own - seen)
            exhaustive += Fraction(e, 3) * Fraction(len(own - seen), len(own)) if own else 0
            seen |= own
        seen |= shown
        out.append(Unseen(text, specific, exhaustive))
    return out


def grpngp(topic: Topic, results: Sequence[Result], k: int) -> Number | None:
    if not any(e for e, _ in topic.grades.values()):
        return None
    first = unseen(topic, results)[:k]
    text = sum(u.text for u in first)
    return sum((u.specific for u in first), Fraction(0)) / text if text else Fraction(0)


def grpngr(topic: Topic, results: Sequence[Result], k: int) -> Number | None:
    total = sum((Fraction(e, 3) for e, _ in topic.grades.values()), Fraction(0))
    return sum((u.exhaustive for u in unseen(topic, results)[:k]), Fraction(0)) / total if total else None


def overlap(topic: Topic, results: Sequence[Result]) -> Number:
    """Over distinct elements, known to the collection or not."""
    listed = {e for result in results for e in result.elements(topic.collection)}
    touching = [e for e in listed if any(o != e and related(o, e) for o in listed)]
    return Fraction(len(touching), len(listed)) if listed else Fraction(0)


GAIN_MEASURES: dict[str, Callable[..., Number]] = {
    "xCG": xcg, "nxCG": nxcg, "MAnxCG": manxcg, "gr": gr, "Q": q, "Rm": rm, "ep": ep, "iMAep": imaep, "MAep": maep}
EARLIER_MEASURES: dict[str, Callable[..., Number | None]] = {
    "inexeval": inexeval, "AinexEval": ainexeval, "GRP": grp, "GRPngP": grpngp, "GRPngR": grpngr, "Overlap": overlap}
