"""The measures, slowly: sets and lists of characters and plain loops, straight from the specification.

Nothing here is clever and nothing is shared with esr_core; tests compare its fast code with this. A result is a
document and its parts, a part is a half-open span or None (unresolvable). An undefined value is None.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

MIN_ES = 1


@dataclass(frozen=True)
class Result:
    """One rank of a run: a passage, or a tree when it has several parts."""

    doc: str
    parts: tuple[tuple[int, int] | None, ...]

    def characters(self) -> set[tuple[str, int]]:
        return {(self.doc, x) for part in self.parts if part is not None for x in range(*part)}

    def start(self) -> int | None:
        starts = [part[0] for part in self.parts if part is not None]
        return min(starts) if starts else None


@dataclass(frozen=True)
class Topic:
    """What was assessed for one topic: relevant positions of each relevant document, lengths, best entry points."""

    relevant: dict[str, set[int]]
    length: dict[str, int]
    bep: dict[str, int] = field(default_factory=dict)

    def characters(self) -> set[tuple[str, int]]:
        return {(doc, x) for doc, held in self.relevant.items() for x in held}


def ratio(part: float, whole: float) -> float:
    """0/0 is 0."""
    return part / whole if whole else 0.0


def exactly(number: float) -> Fraction:
    """The decimal number that was written, not its nearest double."""
    return Fraction(str(number))


# ---------------------------------------------------------------- documents

def ranked_documents(results: list[Result]) -> list[str]:
    """Later results of a document already listed are skipped."""
    out: list[str] = []
    for result in results:
        if result.doc not in out:
            out.append(result.doc)
    return out


def p(topic: Topic, results: list[Result], k: int) -> float | None:
    if not topic.relevant:
        return None
    return sum(doc in topic.relevant for doc in ranked_documents(results)[:k]) / k


def r(topic: Topic, results: list[Result], k: int) -> float | None:
    if not topic.relevant:
        return None
    return sum(doc in topic.relevant for doc in ranked_documents(results)[:k]) / len(topic.relevant)


def ap(topic: Topic, results: list[Result]) -> float | None:
    if not topic.relevant:
        return None
    found, total = 0, 0.0
    for rank, doc in enumerate(ranked_documents(results), 1):
        if doc in topic.relevant:
            found += 1
            total += found / rank
    return total / len(topic.relevant)


# ---------------------------------------------------------------- text

def rsizes(topic: Topic, results: list[Result], alpha: float) -> list[Fraction]:
    """Eq 15: rel − (1−α)·rov of each result; rov is relevant text that any higher-ranked result covers."""
    relevant, seen, out = topic.characters(), set(), []
    for result in results:
        rel = result.characters() & relevant
        rov = rel & seen
        out.append(len(rel) - (1 - exactly(alpha)) * len(rov))
        seen |= result.characters()
    return out


def sizes(results: list[Result]) -> list[int]:
    return [len(result.characters()) for result in results]


def hp(topic: Topic, results: list[Result], k: int, alpha: float) -> Fraction | None:
    if not topic.relevant:
        return None
    return Fraction(ratio(sum(rsizes(topic, results, alpha)[:k]), sum(sizes(results)[:k])))


def hr(topic: Topic, results: list[Result], k: int, alpha: float) -> Fraction | None:
    if not topic.relevant:
        return None
    return sum(rsizes(topic, results, alpha)[:k], Fraction(0)) / len(topic.characters())


def iou(topic: Topic, results: list[Result], k: int, alpha: float) -> float | None:
    if not topic.relevant:
        return None
    gain = sum(rsizes(topic, results, alpha)[:k], Fraction(0))
    return gain / (sum(sizes(results)[:k]) + len(topic.characters()) - gain)


def precision_and_recall(topic: Topic, results: list[Result], alpha: float) -> list[tuple[Fraction, Fraction]]:
    """HP and HR of every rank, exactly."""
    gain, size, total, out = Fraction(0), 0, len(topic.characters()), []
    for rsize, own in zip(rsizes(topic, results, alpha), sizes(results), strict=True):
        gain, size = gain + rsize, size + own
        out.append((gain / size if size else Fraction(0), gain / total))
    return out


def best_at(points: list[tuple[Fraction, Fraction]], level: Fraction) -> Fraction:
    return max((precision for precision, recall in points if recall >= level), default=Fraction(0))


def ip(topic: Topic, results: list[Result], x: float, alpha: float) -> Fraction | None:
    if not topic.relevant:
        return None
    return best_at(precision_and_recall(topic, results, alpha), exactly(x))


def aip(topic: Topic, results: list[Result], alpha: float) -> Fraction | None:
    if not topic.relevant:
        return None
    points = precision_and_recall(topic, results, alpha)
    return sum((best_at(points, Fraction(i, 100)) for i in range(101)), Fraction(0)) / 101


# ---------------------------------------------------------------- entries: documents with their results

@dataclass(frozen=True)
class Entry:
    doc: str
    results: list[Result]
    relevant: bool  # its document is, and it is the document's first entry

    def retrieved(self) -> set[int]:
        return {x for result in self.results for _, x in result.characters()}


def entries(topic: Topic, results: list[Result], group: str) -> list[Entry]:
    """Consecutive results of one document are one entry; or all its results are gathered at its first place."""
    gathered: list[tuple[str, list[Result]]] = []
    for result in results:
        if group == "merge":
            known = next((own for doc, own in gathered if doc == result.doc), None)
        else:
            known = gathered[-1][1] if gathered and gathered[-1][0] == result.doc else None
        if known is None:
            gathered.append((result.doc, [result]))
        else:
            known.append(result)
    seen: set[str] = set()
    out = []
    for doc, own in gathered:
        out.append(Entry(doc, own, doc in topic.relevant and doc not in seen))
        seen.add(doc)
    return out


def reading_order(topic: Topic, entry: Entry, order: str) -> list[int]:
    """The retrieved characters in document order, then the rest by `order`."""
    retrieved = entry.retrieved()
    rest = [x for x in range(topic.length[entry.doc]) if x not in retrieved]
    relevant = [x for x in rest if x in topic.relevant[entry.doc]]
    other = [x for x in rest if x not in topic.relevant[entry.doc]]
    return sorted(retrieved) + {"natural": rest, "worst": other + relevant, "best": relevant + other}[order]


def f_score(precision: float, recall: float, beta: float) -> float:
    return ratio((1 + beta**2) * precision * recall, beta**2 * precision + recall)


def score_p(topic: Topic, entry: Entry) -> float:
    return ratio(len(entry.retrieved() & topic.relevant[entry.doc]), len(entry.retrieved()))


def score_r(topic: Topic, entry: Entry) -> float:
    return len(entry.retrieved() & topic.relevant[entry.doc]) / len(topic.relevant[entry.doc])


def score_f(topic: Topic, entry: Entry, beta: float) -> float:
    return f_score(score_p(topic, entry), score_r(topic, entry), beta)


def score_avechp(topic: Topic, entry: Entry, order: str) -> float:
    seen, precisions = 0, []
    for read, x in enumerate(reading_order(topic, entry, order), 1):
        if x in topic.relevant[entry.doc]:
            seen += 1
            precisions.append(seen / read)
    return math.fsum(precisions) / len(precisions)


def score_chp(topic: Topic, entry: Entry, n: int, order: str) -> float:
    read = reading_order(topic, entry, order)[:n]
    return sum(x in topic.relevant[entry.doc] for x in read) / len(read)


def read_until_bored(topic: Topic, entry: Entry, tolerance: int, order: str) -> tuple[int, int]:
    """Characters and relevant characters read when reading stops right after the tolerance-th non-relevant one."""
    read = seen = wasted = 0
    for x in reading_order(topic, entry, order):
        read += 1
        if x in topic.relevant[entry.doc]:
            seen += 1
        else:
            wasted += 1
            if wasted == tolerance:
                break
    return read, seen


def score_t2ip(topic: Topic, entry: Entry, tolerance: int, order: str) -> float:
    read, seen = read_until_bored(topic, entry, tolerance, order)
    return seen / read


def score_t2ir(topic: Topic, entry: Entry, tolerance: int, order: str) -> float:
    return read_until_bored(topic, entry, tolerance, order)[1] / len(topic.relevant[entry.doc])


def score_t2if(topic: Topic, entry: Entry, tolerance: int, order: str, beta: float) -> float:
    return f_score(score_t2ip(topic, entry, tolerance, order), score_t2ir(topic, entry, tolerance, order), beta)


def score_bep(topic: Topic, entry: Entry, n: int) -> float:
    start = entry.results[0].start()
    if start is None or entry.doc not in topic.bep:
        return 0.0
    return max(0, n - abs(topic.bep[entry.doc] - start)) / n


def score_binary(topic: Topic, entry: Entry) -> float:
    return 1.0


SCORES: dict[str, Callable[..., float]] = {
    "F": score_f, "P": score_p, "R": score_r, "aveChP": score_avechp, "ChP": score_chp, "T2IP": score_t2ip,
    "T2IR": score_t2ir, "T2IF": score_t2if, "BEP": score_bep, "binary": score_binary}


@dataclass(frozen=True)
class Ranked:
    """One rank of a list of documents: is it a relevant one, its score, its relevant characters."""

    relevant: bool
    score: float
    rsize: int


def ranked(topic: Topic, results: list[Result], group: str, score: str, parameters: dict) -> list[Ranked]:
    return [Ranked(True, SCORES[score](topic, entry, **parameters), len(topic.relevant[entry.doc]))
            if entry.relevant else Ranked(False, 0.0, 0) for entry in entries(topic, results, group)]


def gp(topic: Topic, documents: list[Ranked], k: int) -> float | None:
    if not topic.relevant:
        return None
    return math.fsum(d.score for d in documents[:k]) / k


def gr(topic: Topic, documents: list[Ranked], k: int) -> float | None:
    if not topic.relevant:
        return None
    return sum(d.relevant for d in documents[:k]) / len(topic.relevant)


def grc(topic: Topic, documents: list[Ranked], k: int) -> float | None:
    if not topic.relevant:
        return None
    return sum(d.rsize for d in documents[:k]) / len(topic.characters())


def agp(topic: Topic, documents: list[Ranked]) -> float | None:
    """Eq 7."""
    if not topic.relevant:
        return None
    return math.fsum(gp(topic, documents, j) / len(topic.relevant)
                     for j, d in enumerate(documents, 1) if d.relevant)


def agpc(topic: Topic, documents: list[Ranked]) -> float | None:
    """Eq 8."""
    if not topic.relevant:
        return None
    return math.fsum(d.rsize / len(topic.characters()) * gp(topic, documents, j)
                     for j, d in enumerate(documents, 1) if d.relevant)


def agpr(topic: Topic, documents: list[Ranked]) -> float | None:
    """Eq 11."""
    if not topic.relevant:
        return None
    precisions = [gp(topic, documents, j) for j, d in enumerate(documents, 1) if d.relevant]
    return grc(topic, documents, len(documents)) * ratio(math.fsum(precisions), len(precisions))


# ---------------------------------------------------------------- reading effort

def effort(topic: Topic, entry: Entry, screen: int, order: str, steps: int, task: str) -> int:
    """The screenful on which the first relevant character stands, or one more than those told apart."""
    if task == "document":
        read = list(range(topic.length[entry.doc]))
    else:
        read = reading_order(topic, entry, order)
    position = next(i for i, x in enumerate(read, 1) if x in topic.relevant[entry.doc])
    for screenful in range(1, steps + 1):
        if position <= screenful * screen:
            return screenful
    return steps + 1


def efforts(topic: Topic, results: list[Result], i: int, *, screen: int, order: str, nr: float, steps: int, task: str,
            group: str) -> list[float]:
    """ES of the ranks 1 … i; past the end of the list NR."""
    listed = [effort(topic, entry, screen, order, steps, task) if entry.relevant else nr
              for entry in entries(topic, results, group)]
    return [listed[j] if j < len(listed) else nr for j in range(i)]


def ce(topic: Topic, results: list[Result], i: int, **how) -> float | None:
    if not topic.relevant:
        return None
    return math.fsum(es / MIN_ES - 1 for es in efforts(topic, results, i, **how))


def nce(topic: Topic, results: list[Result], i: int, **how) -> float | None:
    if not topic.relevant:
        return None
    ideal = [MIN_ES if j < len(topic.relevant) else how["nr"] for j in range(i)]
    return math.fsum(es / best - 1 for es, best in zip(efforts(topic, results, i, **how), ideal, strict=True))


def ance(topic: Topic, results: list[Result], i: int, **how) -> float | None:
    if not topic.relevant:
        return None
    return math.fsum(nce(topic, results, j, **how) for j in range(1, i + 1)) / i
