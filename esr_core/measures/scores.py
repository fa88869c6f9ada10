"""Document scores: how well the text retrieved from one relevant document serves its reader.

Used as `score=` of the focused measures (focused_tasks §3) and on the Topic page. Each returns one value per
entry of a relevant document; other entries score 0. The reading order behind ChP, aveChP, T2I and LE
(reading_effort §4) is a sequence of pieces of text, so everything is a closed form over pieces.
"""

from __future__ import annotations

import numpy as np

from esr_core.alignment import EntryView, Reading
from esr_core.measures.catalogue import Parameter, declare, document_score
from esr_core.ragged import share

Array = np.ndarray

FAMILY = "Document scores"
BETA = Parameter("beta", "Weight of recall against precision in F; 1 weighs both alike, INEX 2008 used 0.25.", 1.0,
                 above=0, symbol=r"\beta")
TOLERANCE_TO_IRRELEVANCE = Parameter(
    "tolerance", "Tolerance to irrelevance: non-relevant characters read before giving up the document.", 300,
    kind="integer", low=1, symbol=r"\tau")
ORDER = Parameter("order", "How the text that was not retrieved is read afterwards: in document order, non-relevant "
                           "text first, or relevant text first.", "natural", kind="choice",
                  choices=("natural", "worst", "best"))
_SET = {"family": FAMILY, "reference": "pehcevski2007focused", "needs": ("highlights", "places")}
_READ = {"family": FAMILY, "reference": "arvola2010effort", "needs": ("highlights", "places", "doc_length")}


def f_score(precision: Array, recall: Array, beta: float) -> Array:
    """(1+β²)PR / (β²P + R), 0 when both are 0."""
    return share((1 + beta**2) * precision * recall, beta**2 * precision + recall)


# ---------------------------------------------------------------- the retrieved text as a set

@document_score("F", title="F of the retrieved text", formula=r"F_\beta(d)=\frac{(1+\beta^2)\,P(d)\,R(d)}"
                r"{\beta^2 P(d)+R(d)}", equation="Eq 3", parameters=(BETA,), **_SET)
def f(view: EntryView, *, beta: float) -> Array:
    """Harmonic mean of precision and recall of the union of retrieved characters."""
    return f_score(share(view.found, view.retrieved), share(view.found, view.relevant_text), beta)


@document_score("P", title="Precision of the retrieved text", formula=r"P(d)=\frac{|rel(d)\cap ret(d)|}{|ret(d)|}",
                equation="Eq 1", **_SET)
def p(view: EntryView) -> Array:
    """Share of the retrieved characters of a document that are highlighted."""
    return share(view.found, view.retrieved)


@document_score("R", title="Recall of the retrieved text", formula=r"R(d)=\frac{|rel(d)\cap ret(d)|}{|rel(d)|}",
                equation="Eq 2", **_SET)
def r(view: EntryView) -> Array:
    """Share of a document's highlighted characters that are retrieved."""
    return share(view.found, view.relevant_text)


@document_score("binary", title="Relevant or not", formula=r"S(d)=rel(d)", equation="Eq 9", family=FAMILY,
                reference="pehcevski2007focused", needs=("documents",))
def binary(view: EntryView) -> Array:
    """1 for every relevant document: with it AgP is average precision over document entries."""
    return np.ones(len(view.hits))


@document_score("BEP", title="Distance to the best entry point",
                formula=r"BEP(d)=\frac{\max(0,\;n-|bep-start|)}{n}", family=FAMILY, reference="kamps2008inex",
                needs=("highlights", "places", "bep"),
                parameters=(Parameter("n", "Distance in characters at which an entry point is worth nothing.", 500,
                                      kind="integer", low=1),))
def bep(view: EntryView, *, n: int) -> Array:
    """How near the first listed result of a document starts to the entry point the assessor chose."""
    best = view.highlighted.position[view.pair]
    near = np.maximum(0, n - np.abs(best - view.opening)) / n
    return np.where((best >= 0) & (view.opening >= 0), near, 0.0)


# ---------------------------------------------------------------- the text in reading order

def harmonic(low: Array, count: Array) -> Array:
    """Σ 1/(low+1) + … + 1/(low+count), accurate to the last digits for any size.

    The difference of two digamma values loses what it should give when `low` is large; the asymptotic series
    is therefore taken as a difference term by term, and the first 16 terms are added one by one.
    """
    low, count = low.astype(float), count.astype(float)
    total = np.zeros(len(low))
    small = low < 16
    if small.any():
        for j in range(1, 17):
            at = small & (count >= j)
            total[at] += 1 / (low[at] + j)
        step = np.where(small, np.minimum(count, 16), 0)
        low, count = low + step, count - step
    x, y = low + 1, low + 1 + count
    rest = np.log1p(count / x) + count / (2 * x * y)
    inverse_x, inverse_y = 1 / x**2, 1 / y**2
    power_x, power_y = np.ones_like(x), np.ones_like(y)
    for bernoulli in (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760):
        power_x, power_y = power_x * inverse_x, power_y * inverse_y
        rest += bernoulli * (power_x - power_y)
    return total + np.where(count > 0, rest, 0)


@document_score("aveChP", title="Average character precision",
                formula=r"aveChP(d)=\frac{\sum_{p=1}^{|d|} P_d(p)\cdot RL_d(p)}{NRC_d}", equation="§4.1",
                parameters=(ORDER,), **_READ)
def ave_chp(view: EntryView, *, order: str) -> Array:
    """Mean over the relevant characters of the precision at the moment each is read."""
    reading = view.reading(order)
    at = reading.relevant
    size, noise = reading.size[at], (reading.read - reading.seen)[at]
    # In a relevant piece the j-th character is read at precision (seen+j)/(read+j) = 1 − noise/(read+j).
    gained = size - noise * harmonic(reading.read[at], size)
    return share(np.bincount(reading.entry[at], gained, reading.n), view.relevant_text)


@document_score("ChP", title="Character precision after n characters", formula=r"ChP(d)=\frac{|rel\text{ among the "
                r"first }\min(n,|d|)\text{ read}|}{\min(n,|d|)}", equation="§4.1",
                parameters=(Parameter("n", "Characters read.", 600, kind="integer", low=1), ORDER), **_READ)
def chp(view: EntryView, *, n: int, order: str) -> Array:
    """Precision when the first n characters in reading order (or the whole document) have been read."""
    reading = view.reading(order)
    taken = np.clip(n - reading.read, 0, reading.size)
    seen = reading.sums(np.where(reading.relevant, taken, 0))
    return share(seen, np.minimum(n, reading.length))


def t2i(reading: Reading, tolerance: int) -> tuple[Array, Array]:
    """(characters, relevant characters) read until the tolerance-th non-relevant one, which is read too."""
    noise = reading.read - reading.seen  # non-relevant characters before each piece
    seen = reading.sums(np.where(reading.relevant & (noise < tolerance), reading.size, 0))
    wasted = reading.sums(np.where(reading.relevant, 0, np.clip(tolerance - noise, 0, reading.size)))
    return seen + wasted, seen


@document_score("T2IP", title="Precision until tolerance to irrelevance",
                formula=r"T2IP(d)=\frac{|rel\cap read|}{|read|}", equation="§4.1",
                parameters=(TOLERANCE_TO_IRRELEVANCE, ORDER), **_READ)
def t2ip(view: EntryView, *, tolerance: int, order: str) -> Array:
    """Precision of what was read when reading stops right after the given number of non-relevant characters."""
    read, seen = t2i(view.reading(order), tolerance)
    return share(seen, read)


@document_score("T2IR", title="Recall until tolerance to irrelevance",
                formula=r"T2IR(d)=\frac{|rel\cap read|}{|rel|}", equation="§4.1",
                parameters=(TOLERANCE_TO_IRRELEVANCE, ORDER), **_READ)
def t2ir(view: EntryView, *, tolerance: int, order: str) -> Array:
    """Share of the relevant characters read before the tolerance to irrelevance is used up."""
    return share(t2i(view.reading(order), tolerance)[1], view.relevant_text)


@document_score("T2IF", title="F until tolerance to irrelevance",
                formula=r"T2IF_\beta(d)=\frac{(1+\beta^2)\,T2IP\cdot T2IR}{\beta^2\,T2IP+T2IR}", equation="§4.1",
                parameters=(TOLERANCE_TO_IRRELEVANCE, ORDER, BETA), **_READ)
def t2if(view: EntryView, *, tolerance: int, order: str, beta: float) -> Array:
    """F of the characters read, not of those retrieved, before the tolerance to irrelevance is used up."""
    read, seen = t2i(view.reading(order), tolerance)
    return f_score(share(seen, read), share(seen, view.relevant_text), beta)


SCREEN = Parameter("screen", "Characters of one screenful: 300 for a phone, 2000 for a laptop.", 300, kind="integer",
                   low=1)
NR = Parameter("nr", "Effort score of a non-relevant document.", 5.0, above=0, symbol="NR")
STEPS = Parameter("steps", "Screenfuls that are told apart before the highest effort score.", 3, kind="integer", low=1)
EFFORT_ORDER = Parameter(ORDER.name, ORDER.help, ORDER.default, kind="choice", choices=ORDER.choices,
                         option_needs={"worst": ("doc_length",)})


def first_relevant(view: EntryView, order: str, task: str) -> Array:
    """Position, from 1, of the first relevant character in reading order."""
    if task == "document":
        return view.highlighted.first[view.pair] + 1
    reading = view.reading(order)
    pieces = np.flatnonzero(reading.relevant)
    first = np.full(reading.n, np.iinfo(np.int64).max)
    np.minimum.at(first, reading.entry[pieces], reading.read[pieces])
    return first + 1


@declare("effort", "LE", title="Localizing effort", formula=r"LE(r)=\min(\lceil r/screen\rceil,\;steps+1)",
         family=FAMILY, reference="arvola2010effort", equation="§5.2", needs=("highlights", "places"),
         parameters=(SCREEN, EFFORT_ORDER, STEPS), better="lower")
def le(view: EntryView, *, screen: int, order: str, steps: int, task: str = "focused") -> Array:
    """The screenful, from 1, on which the reader of a relevant document meets its first relevant character;
    steps + 1 when it is none of the first ones."""
    screenful = -(-first_relevant(view, order, task) // screen)
    return np.minimum(screenful, steps + 1).astype(float)
