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
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import esr_core as esr
from esr_core.evaluation import view_of
from esr_core.measures import MEASURES, parse, resolve

sys.path.insert(0, str(Path(__file__).parents[1]))
import slow_prum as slow
import test_esr_against_slow as odd
from slow_esr import Documents, Node, Result
from slow_prum import Search
from test_esr_against_slow import digits, table, written

SETTINGS = settings(max_examples=500, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow],
                    phases=(Phase.explicit, Phase.generate, Phase.shrink))
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
                for run in study.run_names for topic in assessed_topics(study)}
    asked = list(next(iter(expected.values())))
    found = study.evaluate([with_parameters(measure, how or {}) for measure in asked])
    for i, measure in enumerate(asked):
        for j, run in enumerate(found.run_names):
            for t, topic in enumerate(found.topic_ids):
                value, slow_value = float(found.values[i, j, t]), expected[run, topic][measure]
                assert same(value, slow_value), f"{measure}, {how}, run {run}, topic {topic}: {value}, not {slow_value}"


def assessed_topics(study: esr.Study) -> list[str]:
    return [t for t, assessed in zip(study.topic_ids, study.assessed, strict=True) if assessed]


def with_parameters(measure: str, how: dict[str, Any]) -> str:
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


# ---------------------------------------------------------------- ideals from grades and from highlights

KINDS = ("none", "matrix", "depth", "routes", "structural", "t2i", "proximity", "tags")
MODELS = st.sampled_from([nav for nav in odd.NAVIGATION if nav[0] in KINDS])


@st.composite
def odd_cases(draw: st.DrawFn, assessed: str) -> odd.Case:
    """Small trees, passages as results, documents that no table knows; not more than six ideals, as subsets of them
    are counted one by one."""
    n_docs, hidden, n_runs, seed = draw(digits(2, 4, 2, 1000))
    span = odd.forest(draw(st.lists(digits(2, 5, 5, 2, 3, 2), max_size=5 - n_docs)), n_docs + 1)
    nodes = list(span)
    if hidden == 0 and n_docs:  # the tables know nothing of the last document
        span = {node: where for node, where in span.items() if node[0] != odd.DOCS[n_docs]}
    highlighted = grades = None
    if assessed == "grades":
        grades = {"1": {nodes[0]: (3, 3)}}
        for t, at, e, s in draw(st.lists(digits(2, 6, 4, 4), max_size=8)):
            grades.setdefault(str(t + 1), {})[nodes[at % len(nodes)]] = (e, s) if e and s else (0, 0)
        assessments = table(("topic", "doc", "path", "exhaustivity", "specificity"), [
            (t, *node, *pair) for t, own in grades.items() for node, pair in own.items()])
    else:
        marked = [(str(t + 1), odd.DOCS[doc % (n_docs + 1)], at, at + size + 1) for t, doc, at, size in
                  [(0, 0, 0, 0), *draw(st.lists(digits(2, 2, 14, 9), max_size=5))]]
        highlighted = {t: frozenset((doc, x) for own, doc, start, end in marked if own == t for x in range(start, end))
                       for t, *_ in marked}
        assessments = table(("topic", "doc", "start", "end"), marked)
    runs = {run: {t: odd.result_list(draw(st.lists(digits(12, 3, 20, 12), max_size=7)), nodes, []) for t in "12"}
            for run in "ab"[:n_runs + 1]}
    for run in runs.values():
        run["unassessed"] = [Result("d1", ("/article[1]",))]  # so that every run has some result
    rng = random.Random(seed)
    pairs = [(x, y) for x in nodes for y in nodes if x != y and x[0] == y[0] and rng.random() < 0.7]
    steps = {pair: slow.slow_esr.exactly(rng.choice(PROBABILITIES)) for pair in pairs}
    walks = [odd.walk([rng.randrange(13) for _ in range(rng.randint(1, 5))], nodes) for _ in range(3)]
    return odd.Case(Documents(span), None, highlighted, grades, runs, steps, walks, {
        "assessments": assessments, "runs": {name: odd.run_table(lists, rng) for name, lists in runs.items()},
        "documents": table(("doc", "path", "start", "end"), [(*node, *where) for node, where in span.items()]),
        "navigation": table(("doc", "source", "target", "probability"), [
            ("d1", "/article[1]", "/article[1]", 0.5),  # the diagonal is dropped
            *((x[0], x[1], y[1], float(p)) for (x, y), p in steps.items())]),
        "routes": table(("route", "step", "doc", "path"), [
            (f"r{i}", j, *node) for i, route in enumerate(walks) for j, node in enumerate(route)])})


def odd_ideals(case: odd.Case, topic: str, units: str, quant: str) -> list[Node]:
    if case.grades is not None:
        return slow.ideals_of_grades(case.grades.get(topic, {}), quant)
    return slow.ideals_of_units(case.topic(topic, units, quant).units)


def compare_odd(case: odd.Case, nav: tuple[str, dict[str, Any]], how: dict[str, str], r: int, k: int, level: float
                ) -> None:
    name, parameters = nav
    model = slow.structural(case.documents) if name == "structural" else case.navigation(name, **parameters)
    p = slow.navigating(model)

    def search(run: str, topic: str) -> Search:
        return slow.search(odd_ideals(case, topic, **how), case.runs[run].get(topic, []), p, case.documents)
    compare(case.study(), search, written(*nav), r, k, level, how)


@SETTINGS
@given(odd_cases("grades"), MODELS, st.sampled_from(("strict", *odd.QUANTS)), NUMBERS, RANKS, LEVELS)
def test_ideals_from_grades(case: odd.Case, nav: tuple[str, dict[str, Any]], quant: str, r: int, k: int, level: float
                            ) -> None:
    """The ideal recall-base of the quantisation, strict unless told otherwise."""
    compare_odd(case, nav, {"units": "smallest", "quant": quant}, r, k, level)


@SETTINGS
@given(odd_cases("highlights"), MODELS, st.sampled_from(odd.UNITS), NUMBERS, RANKS, LEVELS)
def test_ideals_from_highlights(case: odd.Case, nav: tuple[str, dict[str, Any]], units: str, r: int, k: int,
                                level: float) -> None:
    compare_odd(case, nav, {"units": units, "quant": "strict"}, r, k, level)


# ---------------------------------------------------------------- identities

FEWER = settings(SETTINGS, max_examples=200)


@FEWER
@given(dense(singles=True))
def test_without_navigation_prum_is_classical_precision(case: Dense) -> None:
    """Appendix B: r ideals at rank l_r give r/l_r; a list that ends before is worth what it holds."""
    how = {"nav": "none", "tail": "off"}
    measures = [written("PRUM", how | {"method": method}, r) for method in ("eq5", "exact") for r in range(1, 7)]
    found = case.study().evaluate(measures + [f"EPRUM(nav=none)@{r}" for r in range(1, 7)])
    for j, run in enumerate(found.run_names):
        for t, topic in enumerate(found.topic_ids):
            results = [(result.doc, result.parts[0]) for result in case.runs[run].get(topic, [])]
            places = sorted(results.index(x) + 1 for x in case.ideals[topic] if x in results)
            for r in range(1, len(case.ideals[topic]) + 1):
                prum, exact, eprum = found.values[[r - 1, r + 5, r + 11], j, t]
                reached = len(places) >= r
                assert prum == exact == pytest.approx(
                    r / places[r - 1] if reached else len(places) / max(len(results), 1), abs=EXACT)
                assert eprum == pytest.approx(r / places[r - 1] if reached else 0, abs=EXACT)


@FEWER
@given(dense(), st.sampled_from(("on", "off")))
def test_the_published_measure_is_never_above_the_exact_one(case: Dense, tail: str) -> None:
    """Ideals seen by rank i − 1 crowd each other out once their number is known: hypothesis 2.3 can only lose."""
    how = {"nav": "matrix", "tail": tail}
    found = case.study().evaluate([written("PRUM", how | {"method": method}, r) for method in ("eq5", "exact")
                                   for r in range(1, 7)]).values
    eq5, exact = found[:6], found[6:]
    assert np.isnan(eq5).tolist() == np.isnan(exact).tolist()
    assert np.nanmin(exact - eq5) >= -EXACT
    assert np.nanmin(eq5) >= 0
    assert np.nanmax(exact) <= 1 + EXACT
    assert eq5[0] == pytest.approx(exact[0], abs=EXACT, nan_ok=True), "one ideal wanted: there is nothing to crowd out"


@FEWER
@given(dense(palettes=[(0, 1)]), NUMBERS)
def test_certain_readers(case: Dense, r: int) -> None:
    """With probabilities 0 and 1 only, PRUM counts: ranks that show something new over ranks consulted."""
    study = case.study()
    found = study.evaluate([f"PRUM(method={method},tail=off)@{r}" for method in ("eq5", "exact")])
    for j, run in enumerate(found.run_names):
        for t, topic in enumerate(found.topic_ids):
            if r > len(case.ideals[topic]):
                assert np.isnan(found.values[:, j, t]).all()
                continue
            seen: set[Node] = set()
            leading = consulted = 0
            for result in case.runs[run].get(topic, []):
                if len(seen) < r:
                    nodes = result.tree(case.documents)
                    new = {y for y in case.ideals[topic] for x in nodes if x == y or case.ways.get((x, y)) == 1} - seen
                    leading, consulted, seen = leading + bool(new), consulted + 1, seen | new
            assert found.values[:, j, t] == pytest.approx(leading / max(consulted, 1), abs=EXACT)
    final = scenarios(study, "PRUM@1").final
    assert set(np.unique(final)) <= {0, 1}
    assert (final.sum(axis=1) == 1).all()


@FEWER
@given(dense())
def test_ways_that_nobody_takes_may_be_left_out(case: Dense) -> None:
    taken = [i for i, p in enumerate(case.tables["navigation"]["probability"]) if p > 0]
    navigation = {name: [column[i] for i in taken] for name, column in case.tables["navigation"].items()}
    if not taken:
        navigation = table(("doc", "source", "target", "probability"), [("d1", ELEMENTS[0][1], ELEMENTS[0][1], 1)])
    measures = ["APRUM", "APRUM(method=exact,tail=off)", "AEPRUM", "GR@5"]
    fewer = esr.load(**(case.tables | {"navigation": navigation})).evaluate(measures)
    assert np.array_equal(fewer.values, case.study().evaluate(measures).values, equal_nan=True)


# ---------------------------------------------------------------- one number of ideals, or a share of them

def pages(n: int, ways: dict[tuple[str, str], float], lists: dict[str, list[str]], ideals: dict[str, list[str]]
          ) -> esr.Study:
    """A site of n pages 1 … n; lists and ideals by topic."""
    def path(page: str) -> str:
        return f"/a[1]/e[{page}]"
    return esr.load(
        runs={"a": table(("topic", "rank", "doc", "path"), [(t, i, "d", path(x)) for t, own in lists.items()
                                                            for i, x in enumerate(own, 1)])},
        assessments=table(("topic", "doc", "path", "relevance"), [(t, "d", path(x), 1) for t, own in ideals.items()
                                                                  for x in own]),
        documents=table(("doc", "path", "length"), [("d", path(str(i)), 10) for i in range(1, n + 1)]),
        navigation=table(("doc", "source", "target", "probability"), [("d", path(x), path(y), p)
                                                                      for (x, y), p in ways.items()]))


@pytest.fixture(scope="module")
def two_topics() -> esr.Study:
    """Two ideals for topic 1, three for topic 2; every reader of page 4 sees page 1, half of them page 2."""
    return pages(6, {("4", "1"): 1, ("4", "2"): 0.5}, {"1": ["5", "4", "2"], "2": ["4", "5", "3", "2"]},
                 {"1": ["1", "2"], "2": ["1", "2", "3"]})


@pytest.mark.parametrize("name", ["PRUM", "EPRUM"])
def test_one_ideal_is_not_all_of_them(two_topics: esr.Study, name: str) -> None:
    one, every, two, three = two_topics.evaluate([f"{name}@{at}" for at in ("1", "1.0", "2", "3")]).values[:, 0]
    assert one.tolist() != every.tolist()
    assert every.tolist() == [two[0], three[1]]


@pytest.mark.parametrize("name", ["PRUM", "EPRUM"])
def test_more_ideals_than_there_are_is_undefined(two_topics: esr.Study, name: str) -> None:
    found = two_topics.evaluate([f"{name}@{r}" for r in (2, 3, 4, 1000)])
    assert np.isnan(found.values[:, 0]).tolist() == [[False, False], [True, False], [True, True], [True, True]]
    assert found.mean_values[1, 0] == found.values[1, 0, 1], "an undefined topic is left out of the mean"


@pytest.mark.parametrize("name", ["PRUM", "EPRUM"])
def test_more_ideals_than_there_are_cannot_be_explained(two_topics: esr.Study, name: str) -> None:
    with pytest.raises(esr.NotComputable, match="undefined"):
        two_topics.explain(f"{name}@3", "a", "1")


def test_the_warning_does_not_say_that_nothing_is_relevant(two_topics: esr.Study) -> None:
    warnings = two_topics.evaluate("PRUM@3").warnings
    assert any("undefined for 1 topic" in w for w in warnings)
    assert not any("nothing relevant" in w for w in warnings), "topic 1 has two ideal elements, only not three"


def test_a_level_takes_the_best_of_all_higher_recalls() -> None:
    """The second ideal follows the first at once: precision rises from 1/3 to 2/4, and recall 0.5 has that too."""
    study = pages(4, {}, {"1": ["3", "4", "1", "2"]}, {"1": ["1", "2"]})
    one, two, half, whole = study.evaluate([f"PRUM(tail=off)@{at}" for at in ("1", "2", "0.5", "1.0")]).values.ravel()
    assert (one, two) == (pytest.approx(1 / 3, abs=1e-15), 0.5)
    assert half == whole == two
    assert study.evaluate("EPRUM@0.5").values.item() == pytest.approx(1 / 3, abs=1e-15)


# ---------------------------------------------------------------- what PRUM has from the other families

def test_a_unit_whose_rows_repeat_a_node_is_that_node() -> None:
    """Rows that share a unit id form one set of nodes: twice the same node is a single node, hence an ideal."""
    rows = [("1", "d", "/a[1]", 1, "u")] * 2
    study = esr.load(runs={"a": table(("topic", "rank", "doc", "path"), [("1", 1, "d", "/a[1]")])},
                     assessments=table(("topic", "doc", "path", "relevance", "unit"), rows),
                     documents=table(("doc", "path", "length"), [("d", "/a[1]", 10)]))
    assert study.evaluate("PRUM@1").values.item() == 1


def test_a_passage_after_an_empty_element_stands_for_what_holds_it() -> None:
    """Elements /a/i [4, 4) and /a/s [4, 8): the passage [6, 7) lies in s."""
    study = esr.load(runs={"a": table(("topic", "rank", "doc", "start", "end"), [("1", 1, "d", 6, 7)])},
                     assessments=table(("topic", "doc", "path", "relevance"), [("1", "d", "/a[1]/s[1]", 1)]),
                     documents=table(("doc", "path", "start", "end"), [
                         ("d", "/a[1]", 0, 8), ("d", "/a[1]/i[1]", 4, 4), ("d", "/a[1]/s[1]", 4, 8)]))
    assert study.evaluate("GR(nav=none)@1").values.item() == 1


def test_an_element_without_highlighted_text_is_no_unit() -> None:
    """The highlight lies beyond the end of the only element: its value would be 0, and no unit is found."""
    study = esr.load(runs={"a": table(("topic", "rank", "doc", "path"), [("1", 1, "d", "/a[1]")])},
                     assessments=table(("topic", "doc", "start", "end"), [("1", "d", 5, 6)]),
                     documents=table(("doc", "path", "start", "end"), [("d", "/a[1]", 0, 5)]))
    assert np.isnan(study.evaluate("PRUM(units=document)@1").values.item())


def test_prum_is_a_probability_also_for_ideals_that_no_table_knows() -> None:
    """Topic 2 has no results. Its two ideals are certainly among what is not ranked, whatever the documents say."""
    study = esr.load(runs={"a": table(("topic", "rank", "doc", "path"), [("1", 1, "d", "/a[1]")])},
                     assessments=table(("topic", "doc", "path", "relevance"), [
                         (t, "d", f"/a[1]/x[{i}]", 1) for t in "12" for i in (1, 2)]),
                     documents=table(("doc", "path", "length"), [("d", "/a[1]", 10)]))
    found = study.evaluate(["PRUM@1", "PRUM@2"]).values.ravel()
    assert ((found >= 0) & (found <= 1)).all(), f"{found}"


# ---------------------------------------------------------------- explanations

@settings(SETTINGS, max_examples=100)
@given(dense(), st.sampled_from(METHODS), NUMBERS, RANKS, LEVELS, st.randoms(use_true_random=False))
def test_contributions_of_an_explanation_add_up_to_the_value(case: Dense, how: tuple[str, str], r: int, k: int,
                                                             level: float, rng: random.Random) -> None:
    study = case.study()
    run, topic = rng.choice(study.run_names), rng.choice([t for t, own in case.ideals.items() if own])
    r = min(r, len(case.ideals[topic]))
    own = {"nav": "matrix", "method": how[0], "tail": how[1]}
    cut = {"rank": (k,), "ideals": (r, level), None: (None,)}
    asked = [written(name, {p.name: own[p.name] for p in MEASURES[name].parameters if p.name in own}, at)
             for name in sorted(OURS) for at in cut[MEASURES[name].at]]
    found = study.evaluate(asked)
    values = found.values[:, found.run_names.index(run), found.topic_ids.index(topic)]
    for measure, value in zip(asked, values, strict=True):
        told = study.explain(measure, run, topic)
        assert told.value == pytest.approx(value, abs=1e-12)
        assert told.table["contribution"].sum() == pytest.approx(value, abs=1e-12)
        assert (told.table["contribution"] >= 0).all()


# ---------------------------------------------------------------- large studies, against plain convolution

def scenarios(study: esr.Study, measure: str) -> Any:
    return view_of(study, resolve(parse(measure), study)).scenarios


def found_after_each_rank(seen: np.ndarray, unseen: np.ndarray) -> np.ndarray:
    """Π_x (seen_i(x)·z + unseen_i(x)) for all ranks i: coefficients of z^s, in extended precision."""
    ranks, n = seen.shape
    out = np.zeros((ranks, n + 1), np.longdouble)
    out[:, 0] = 1
    for x in range(n):
        out[:, 1:x + 2], out[:, 0] = (out[:, 1:x + 2] * unseen[:, x, None] + out[:, :x + 1] * seen[:, x, None],
                                      out[:, 0] * unseen[:, x])
    return out


def far_and_wide(pattern: str, n: int, ranks: int) -> np.ndarray:
    """P(result → ideal) by rank and ideal. Named patterns: two results that lead to all ideals, so and so likely."""
    rng = np.random.default_rng(n)
    few = np.where(rng.random((ranks, n)) < min(6 / n, 1), rng.choice(PROBABILITIES[:6], (ranks, n)), 0)
    if pattern != "here and there":
        few[::max(ranks // 2, 1)][:2] = [[float(p)] * n for p in pattern.split(" then ")]
    return few


PATTERNS = ("here and there", "0.5 then 0.5", "0.5000001 then 0.3", "0.3 then 0.8", "0.999999999 then 0.5")


@pytest.mark.parametrize(("pattern", "n", "ranks"), [
    *((pattern, n, ranks) for pattern in PATTERNS for n, ranks in ((25, 20), (80, 50))),
    *((pattern, 500, 300) for pattern in PATTERNS[:3])])
def test_many_ideals(pattern: str, n: int, ranks: int) -> None:
    """500 ideal elements and 300 results: as exact as with five."""
    p = far_and_wide(pattern, n, ranks)
    ways = {(f"{n + i + 1}", f"{x + 1}"): float(p[i, x]) for i, x in zip(*np.nonzero(p), strict=True)}
    study = pages(n + ranks, ways, {"1": [f"{n + i + 1}" for i in range(ranks)]},
                  {"1": [f"{x + 1}" for x in range(n)]})
    unseen = np.vstack((np.ones(n, np.longdouble), np.cumprod(1 - p.astype(np.longdouble), axis=0)))
    found = found_after_each_rank(1 - unseen, unseen)
    silent = found_after_each_rank(1 - unseen[:-1], unseen[1:])
    for method in ("eq5", "exact"):
        final = scenarios(study, f"PRUM(method={method})@1").final[0]
        assert np.isfinite(final).all()
        assert final.min() >= 0
        assert final.sum() == pytest.approx(1, abs=EXACT)
        assert np.abs(final - found[-1]).max() <= EXACT
    wanted = sorted({1, 2, n // 3, n // 2, int(0.8 * n), n - 1, n})
    reached = 1 - np.cumsum(found, axis=1)  # [k, s]: P(F_k > s)
    values = study.evaluate([f"{name}@{r}" for name in ("PRUM(method=exact,tail=off)", "PRUM(tail=off)", "EPRUM")
                             for r in wanted]).values.reshape(3, -1)
    for r, exact, eq5, eprum in zip(wanted, *values, strict=True):
        consulted, leading = found[:-1, :r].sum(), (found[:-1, :r] - silent[:, :r]).sum()
        assert exact == pytest.approx(float(leading / consulted), abs=EXACT)
        assert 0 <= eq5 <= exact + EXACT
        first = np.diff(reached[:, r - 1])
        assert eprum == pytest.approx(float((first * r / np.arange(1, ranks + 1)).sum()), rel=EXACT, abs=EXACT)
    averages = study.evaluate(["APRUM", "APRUM(method=exact)", f"GR@{ranks}"]).values.ravel()
    assert 0 <= averages[0] <= averages[1] + EXACT <= 1 + 2 * EXACT
    assert averages[2] == pytest.approx(float(1 - unseen[-1].mean()), abs=EXACT)
