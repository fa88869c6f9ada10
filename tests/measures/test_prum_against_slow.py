"""The PRUM family against its slow version, on random small studies, and against plain convolution on large ones.

Ideal elements come from units, from grades and from highlights; results are elements, passages, trees, duplicates and
what nobody can find. The fast code works on all lists of a study at once, so that every study has several.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import esr_core as esr
from esr_core.evaluation import view_of
from esr_core.measures import MEASURES, parse, resolve

sys.path.insert(0, str(Path(__file__).parents[1]))
import slow_esr
import slow_prum as slow
import test_esr_against_slow as odd
from slow_esr import Documents, Node, Result
from slow_prum import Search
from test_esr_against_slow import digits, table, written

SETTINGS = settings(max_examples=500, deadline=None, derandomize=True,
                    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
EXACT = 1e-9
PROBABILITIES = (0, 1e-12, .3, .5, .5000001, .8, 1 - 1e-9, 1)
METHODS = [(method, tail) for method in ("eq5", "exact") for tail in ("on", "off")]
OURS = {name for name, d in MEASURES.items() if d.family == "PRUM"}

NUMBERS = st.integers(1, 7)
RANKS = st.integers(1, 12)
LEVELS = st.one_of(st.sampled_from([r / n for n in range(1, 7) for r in range(1, n + 1)]),
                   st.integers(1, 1000).map(lambda i: i / 1000))


# ---------------------------------------------------------------- comparing

def slowly(own: Search, nav: str, r: int, k: int, level: float) -> dict[str, float | None]:
    """Every measure of the family with its slow value."""
    out = {written("GR", {"nav": nav}, k): slow.gr(own, k),
           written("EPRUM", {"nav": nav}, r): slow.eprum(own, r),
           written("EPRUM", {"nav": nav}, level): slow.eprum_at_level(own, level),
           written("AEPRUM", {"nav": nav}): slow.aeprum(own)}
    for method, tail in METHODS:
        how = {"nav": nav, "method": method, "tail": tail}
        out |= {written("PRUM", how, r): slow.prum(own, r, method, tail),
                written("PRUM", how, level): slow.prum_at_level(own, level, method, tail),
                written("APRUM", how): slow.aprum(own, method, tail)}
    return out


def same(fast: float, expected: float | None) -> bool:
    return bool(np.isnan(fast)) if expected is None else abs(fast - expected) <= EXACT * max(1, expected)


def compare(study: esr.Study, search: Callable[[str, str], Search], nav: str, r: int, k: int, level: float,
            how: dict[str, Any] | None = None) -> None:
    """All measures for all runs and topics; `search` is what a run's list for a topic looks like to the slow side."""
    expected = {(run, topic): slowly(search(run, topic), nav, r, k, level)
                for run in study.run_names for topic in search_topics(study)}
    asked = list(next(iter(expected.values())))
    found = study.evaluate([with_parameters(measure, how or {}) for measure in asked])
    for i, measure in enumerate(asked):
        for j, run in enumerate(found.run_names):
            for t, topic in enumerate(found.topic_ids):
                value, slow_value = float(found.values[i, j, t]), expected[run, topic][measure]
                assert same(value, slow_value), f"{measure}, {how}, run {run}, topic {topic}: {value}, not {slow_value}"


def search_topics(study: esr.Study) -> list[str]:
    return [t for t, assessed in zip(study.topic_ids, study.assessed, strict=True) if assessed]


def with_parameters(measure: str, how: dict[str, Any]) -> str:
    """GR has no method, but all measures have `units` and `quant`."""
    return str(parse(measure).with_values(**how)) if how else measure


def test_the_slow_side_knows_every_measure() -> None:
    own = Search([("d", "/a[1]")], [], lambda x, y: 0.0, 1)
    assert {parse(measure).name for measure in slowly(own, "none", 1, 1, 0.5)} == OURS


# ---------------------------------------------------------------- ideals from units, many ways between elements

@dataclass(frozen=True)
class Dense:
    """A study in which most elements lead to most others, through a navigation table."""

    documents: Documents
    ideals: dict[str, list[Node]]
    runs: dict[str, dict[str, list[Result]]]
    ways: dict[tuple[Node, Node], float]
    tables: dict[str, Any]

    def study(self) -> esr.Study:
        return esr.load(**self.tables)

    def search(self, run: str, topic: str) -> Search:
        def p(x: Node, y: Node) -> float:
            return 1.0 if x == y else self.ways.get((x, y), 0.0)
        return slow.search(self.ideals[topic], self.runs[run].get(topic, []), p, self.documents)


ELEMENTS = [("d1", f"/a[1]/e[{i}]") for i in range(1, 9)] + [("d2", f"/a[1]/e[{i}]") for i in range(1, 4)]
PALETTES = [PROBABILITIES, PROBABILITIES, PROBABILITIES[1:], PROBABILITIES[2:6], (.5, .5000001), (0, 1),
            *((p,) for p in PROBABILITIES[1:-1])]


def dense_list(rows: list[tuple[int, ...]], singles: bool = False) -> list[Result]:
    """Elements, trees, duplicates, elements that nobody knows, and results without a place."""
    out: list[Result] = []
    for kind, first, *more in rows:
        doc, path = ELEMENTS[first]
        if kind < 5 or singles:
            out.append(Result(doc, (path,)))
        elif kind < 7:
            out.append(Result(doc, tuple({path, *(ELEMENTS[i][1] for i in more if ELEMENTS[i][0] == doc)})))
        elif kind == 7 and out:
            out.append(out[first % len(out)])
        else:
            out.append(Result(doc, ("/a[1]/unheard_of[1]",) if kind == 8 else (None,)))
    return out


@st.composite
def dense(draw: st.DrawFn, palettes: list = PALETTES, singles: bool = False) -> Dense:
    palette, seed, n_topics, n_runs = draw(st.tuples(st.sampled_from(palettes), st.integers(0, 9999),
                                                     st.integers(1, 3), st.integers(1, 2)))
    names = [str(t + 1) for t in range(n_topics)]
    wanted = {t: draw(st.sets(st.integers(0, 10), min_size=t == "1", max_size=6)) for t in names}
    ideals = {t: [ELEMENTS[i] for i in sorted(own)] for t, own in wanted.items()}
    rows = digits(10, 11, 11, 11)
    runs = {run: {t: dense_list(draw(st.lists(rows, max_size=9)), singles) for t in names} for run in "ab"[:n_runs]}
    for run in runs.values():
        run["unassessed"] = [Result("d1", (ELEMENTS[0][1],))]  # so that every run has some result
    rng = random.Random(seed)  # for what has no bearing on the shape of a failure
    ways = {(x, y): rng.choice(palette) for x in ELEMENTS for y in ELEMENTS
            if x != y and x[0] == y[0] and rng.random() < 0.8}
    units = {t: [([x], 1.0) for x in own] for t, own in ideals.items()}
    for t in names:  # what is no ideal element: a tree, and an element of no relevance
        units[t] += [(ELEMENTS[8:10], 1.0)] * (seed % 2) + [([x], 0.0) for x in ELEMENTS[:1] if x not in ideals[t]]
    documents = Documents(only_length=dict.fromkeys(ELEMENTS, 10))
    return Dense(documents, ideals, runs, ways, {
        "runs": {run: odd.run_table(lists, rng) for run, lists in runs.items()},
        "assessments": odd.units_table(units, rng),
        "documents": table(("doc", "path", "length"), [(*x, 10) for x in ELEMENTS]),
        "navigation": table(("doc", "source", "target", "probability"), odd.shuffled(
            [(x[0], x[1], y[1], p) for (x, y), p in ways.items()], rng))})


@SETTINGS
@given(dense(), NUMBERS, RANKS, LEVELS)
def test_ideals_from_units(case: Dense, r: int, k: int, level: float) -> None:
    compare(case.study(), case.search, "matrix", r, k, level)


# ---------------------------------------------------------------- ideals from anything, every navigation model

def odd_navigation(case: odd.Case, name: str, how: dict[str, Any]) -> slow.Probability:
    """P(x → y): what ESR uses, but for structural navigation before it is shared out."""
    return slow.navigating(slow.structural(case.documents) if name == "structural" else case.navigation(name, **how))


def odd_ideals(case: odd.Case, topic: str, units: str, quant: str) -> list[Node]:
    if case.units is None and case.highlighted is None:
        return slow.ideals_of_grades((case.grades or {}).get(topic, {}), quant)
    return slow.ideals_of_units(case.topic(topic, units, quant).units)


def compare_odd(case: odd.Case, nav: tuple[str, dict[str, Any]], units: str, quant: str, r: int, k: int, level: float
                ) -> None:
    p = odd_navigation(case, *nav)

    def search(run: str, topic: str) -> Search:
        return slow.search(odd_ideals(case, topic, units, quant), case.runs[run].get(topic, []), p, case.documents)
    compare(case.study(), search, written(*nav), r, k, level, {"units": units, "quant": quant})


def few_ideals(case: odd.Case) -> bool:
    """Subsets are counted one by one: not more than six ideals, whatever `units` or `quant`."""
    return all(len(odd_ideals(case, t, units, quant)) <= 6 for t in ("1", "2") for units, quant in (
        ("smallest", "gen"), ("all", "binary"), ("leaves", "spec")))


MODELS = st.sampled_from(odd.NAVIGATION)


@SETTINGS
@given(odd.cases().filter(lambda case: case.grades is not None and few_ideals(case)), MODELS,
       st.sampled_from(("strict", *odd.QUANTS)), NUMBERS, RANKS, LEVELS)
def test_ideals_from_grades(case: odd.Case, nav: tuple[str, dict[str, Any]], quant: str, r: int, k: int, level: float
                            ) -> None:
    compare_odd(case, nav, "smallest", quant, r, k, level)


@SETTINGS
@given(odd.cases().filter(lambda case: case.grades is None and few_ideals(case)), MODELS, st.sampled_from(odd.UNITS),
       NUMBERS, RANKS, LEVELS)
def test_ideals_from_highlights(case: odd.Case, nav: tuple[str, dict[str, Any]], units: str, r: int, k: int,
                                level: float) -> None:
    """Units that are given go before highlights, and `units` does not change them."""
    compare_odd(case, nav, units, "strict", r, k, level)
