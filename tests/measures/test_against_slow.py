"""Every measure against its slow version, on random small studies with everything odd in them."""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import esr_core as esr
from esr_core.evaluation import Evaluation
from esr_core.measures import MEASURES, SCORES

sys.path.insert(0, str(Path(__file__).parents[1]))
import slow
from slow import Result, Topic

SETTINGS = settings(max_examples=300, deadline=None, derandomize=True)
EXACT = 1e-12
DOCS = ("d1", "d2", "d3", "d4")  # d4 may have relevant text for no topic; "new" was never judged
GROUPS = ("consecutive", "merge")
ORDERS = ("natural", "worst", "best")
OURS = {name: d for name, d in MEASURES.items() if d.family in (
    "Documents", "HiXEval", "Focused tasks", "Reading effort")}

Slow = Callable[[Topic, list[Result]], "float | None"]


# ---------------------------------------------------------------- random studies

@dataclass(frozen=True)
class Case:
    """A random study: as the slow measures see it, and as a user would load it."""

    topics: dict[str, Topic]
    runs: dict[str, dict[str, list[Result]]]
    tables: dict[str, Any]

    def study(self) -> esr.Study:
        return esr.load(**self.tables)

    def results(self, run: str, topic: str) -> list[Result]:
        return self.runs[run].get(topic, [])


def digits(*ranges: int) -> st.SearchStrategy[tuple[int, ...]]:
    """One draw for several small numbers, the i-th below ranges[i]: a third of the time of st.tuples."""
    def split(number: int) -> tuple[int, ...]:
        out = []
        for size in ranges:
            number, digit = divmod(number, size)
            out.append(digit)
        return tuple(out)
    return st.integers(0, math.prod(ranges) - 1).map(split)


def result_list(rows: list[tuple[int, ...]]) -> list[Result]:
    """Consecutive results, documents that come back, duplicates, trees, empty and unresolvable results, and results
    that run past the end of their document or lie beyond it."""
    out: list[Result] = []
    for kind, doc, start, size in rows:
        span = (start, start + size)
        if kind == 0 and out:
            out.append(out[start % len(out)])
        elif kind in (1, 2) and out:  # one more part of a tree
            out[-1] = Result(out[-1].doc, (*out[-1].parts, span if size else None))
        else:
            name = out[-1].doc if kind in (4, 5) and out else [*DOCS, "new"][doc]
            out.append(Result(name, (None if kind == 3 else span,)))
    return out


@st.composite
def cases(draw: st.DrawFn) -> Case:
    stated = dict(zip(DOCS, (n + 1 for n in draw(digits(60, 60, 60, 60))), strict=True))
    names = [str(i) for i in range(1, draw(st.integers(1, 3)) + 1)]
    marked: dict[str, list[tuple[str, int, int]]] = {}
    for t in names:  # highlights touch, overlap, may be empty and, if long, run past the stated length
        marked[t] = []
        for doc, at, size in draw(st.lists(digits(3, 60, 22), max_size=6)):
            start = at % stated[DOCS[doc]]
            end = start + size if size > 19 else min(start + size, stated[DOCS[doc]])
            marked[t].append((DOCS[doc], start, end))
    marked["1"].append(("d1", 0, 1))
    held = {t: {doc: {x for own, *span in spans if own == doc for x in range(*span)} for doc in DOCS}
            for t, spans in marked.items()}
    relevant = {t: {doc: own for doc, own in docs.items() if own} for t, docs in held.items()}
    length = {doc: max([stated[doc], *(max(docs[doc]) + 1 for docs in relevant.values() if doc in docs)])
              for doc in DOCS}
    rows = digits(9, 5, 71, 26)  # kind, document, start, size
    runs = {run: {t: result_list(draw(st.lists(rows, max_size=10))) for t in names}
            for run in ("a", "b")[:draw(st.integers(1, 2))]}
    for run in runs.values():
        run["unassessed"] = [Result("d1", ((0, 5),))]  # so that every run has some result
    judged = draw(st.booleans())
    rng = random.Random(draw(st.integers(0, 999)))  # for what has no bearing on the shape of a failure
    beps = {(t, doc): rng.randrange(71) for t in names for doc in DOCS if rng.random() < 0.8 or (t, doc) == ("1", "d1")}
    topics = {t: Topic(relevant[t], length, {doc: at for (own, doc), at in beps.items() if own == t})
              for t in names if judged or relevant[t]}
    highlights = [(t, doc, start, end, stated[doc]) for t, own in marked.items() for doc, start, end in own]
    return Case(topics, runs, {
        "runs": {name: run_table(lists, rng) for name, lists in runs.items()},
        "assessments": [pd.DataFrame(table(("topic", "doc", "start", "end", "doc_length"), highlights)),
                        *([pd.DataFrame(judgement_table(names, relevant))] if judged else [])],
        "bep": table(("topic", "doc", "bep"), [(t, doc, at) for (t, doc), at in beps.items()])})


def table(names: tuple[str, ...], rows: list[tuple]) -> dict[str, list]:
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


def run_table(lists: dict[str, list[Result]], rng: random.Random) -> dict[str, list]:
    """Rows in any order: the rank column rules, with gaps; parts of one result share a rank."""
    rows = []
    for topic, results in lists.items():
        rank = 0
        for result in results:
            rank += rng.choice((1, 1, 3))
            rows += [(topic, rank, result.doc, *(part or (None, None))) for part in result.parts]
    rng.shuffle(rows)
    return table(("topic", "rank", "doc", "start", "end"), rows)


def judgement_table(names: list[str], relevant: dict[str, dict[str, set[int]]]) -> dict[str, list]:
    """Judged, not relevant: such a topic counts as assessed, with nothing to find."""
    return table(("topic", "doc", "relevance"), [(t, doc, int(doc in relevant[t])) for t in names for doc in DOCS])


# ---------------------------------------------------------------- comparing

def written(name: str, parameters: dict[str, Any] | None = None, at: float | None = None) -> str:
    inside = ",".join(f"{k}={v}" for k, v in (parameters or {}).items())
    return name + (f"({inside})" if inside else "") + ("" if at is None else f"@{at}")


def same(fast: float, expected: float | None) -> bool:
    if expected is None:
        return bool(np.isnan(fast))
    return abs(fast - float(expected)) <= EXACT * max(1, abs(expected))


def compare(case: Case, measures: dict[str, Slow]) -> None:
    found = case.study().evaluate(list(measures))
    assert set(found.topic_ids) >= set(case.topics)
    empty = [i for i, topic in enumerate(found.topic_ids) if topic not in case.topics]
    assert np.isnan(found.values[:, :, empty]).all()  # assessed, with nothing relevant: undefined
    for i, (asked, slowly) in enumerate(measures.items()):
        for j, run in enumerate(found.run_names):
            for k, topic in enumerate(found.topic_ids):
                if topic not in case.topics:
                    continue
                expected = slowly(case.topics[topic], case.results(run, topic))
                value = float(found.values[i, j, k])
                assert same(value, expected), f"{asked}, run {run}, topic {topic}: {value} is not {expected}"


RANKS = st.integers(1, 12)
LEVELS = st.one_of(st.sampled_from((0, 0.01, 0.05, 0.1, 0.2, 0.25, 0.5, 0.75, 1)),
                   st.integers(0, 1000).map(lambda i: i / 1000))
ALPHAS = st.one_of(st.sampled_from((0, 1, 0.5)), st.integers(0, 1000).map(lambda i: i / 1000))
BETAS = st.sampled_from((0.1, 0.25, 0.5, 1, 2, 3.7))


@st.composite
def score_parameters(draw: st.DrawFn) -> dict[str, dict[str, Any]]:
    """Random parameters for every document score."""
    reading = {"tolerance": draw(st.integers(1, 70)), "order": draw(st.sampled_from(ORDERS))}
    return {"F": {"beta": draw(BETAS)}, "P": {}, "R": {}, "binary": {},
            "aveChP": {"order": draw(st.sampled_from(ORDERS))},
            "ChP": {"n": draw(st.integers(1, 90)), "order": draw(st.sampled_from(ORDERS))},
            "T2IP": reading, "T2IR": reading, "T2IF": {**reading, "beta": draw(BETAS)},
            "BEP": {"n": draw(st.integers(1, 80))}}


@st.composite
def effort_parameters(draw: st.DrawFn) -> dict[str, Any]:
    return {"screen": draw(st.integers(1, 40)), "order": draw(st.sampled_from(ORDERS)),
            "nr": draw(st.sampled_from((5, 0.5, 2.25, 9))), "steps": draw(st.integers(1, 6)),
            "task": draw(st.sampled_from(("focused", "document"))), "group": draw(st.sampled_from(GROUPS))}


def test_the_slow_side_knows_every_score_and_measure() -> None:
    assert set(slow.SCORES) == set(SCORES)
    assert set(OURS) == {"P", "R", "AP", "HP", "HR", "IoU", "iP", "AiP", "gP", "gR", "gRc", "AgP", "AgPc", "AgPr", "CE",
                         "NCE", "ANCE"}


@SETTINGS
@given(cases(), RANKS)
def test_documents(case: Case, k: int) -> None:
    compare(case, {f"P@{k}": lambda t, rs: slow.p(t, rs, k), f"R@{k}": lambda t, rs: slow.r(t, rs, k), "AP": slow.ap})


@SETTINGS
@given(cases(), RANKS, LEVELS, ALPHAS)
def test_text(case: Case, k: int, x: float, alpha: float) -> None:
    own = {"alpha": alpha}
    compare(case, {
        written("HP", own, k): lambda t, rs: slow.hp(t, rs, k, alpha),
        written("HR", own, k): lambda t, rs: slow.hr(t, rs, k, alpha),
        written("IoU", own, k): lambda t, rs: slow.iou(t, rs, k, alpha),
        written("iP", own, x): lambda t, rs: slow.ip(t, rs, x, alpha),
        written("AiP", own): lambda t, rs: slow.aip(t, rs, alpha)})


@pytest.mark.parametrize("alpha", [0, 0.1, 0.3, 0.7, 0.9])
def test_a_recall_level_that_is_reached_exactly(alpha: float) -> None:
    """Ten relevant characters; the first a are retrieved, then the first b of them again: recall is (a + αb)/10,
    in doubles often a little less."""
    seen = {f"{a} {b}": [Result("d", ((0, a),)), Result("d", ((0, b),))] for a in range(1, 11) for b in range(1, a + 1)}
    topic = Topic({"d": {*range(10)}}, {"d": 12})
    case = Case(dict.fromkeys(seen, topic), {"a": seen}, {
        "runs": {"a": run_table(seen, random.Random(0))},
        "assessments": table(("topic", "doc", "start", "end"), [(t, "d", 0, 10) for t in seen])})
    reached = {float(slow.hr(topic, results, 2, alpha)) for results in seen.values()}
    compare(case, {written("iP", {"alpha": alpha}, x): lambda t, rs, x=x: slow.ip(t, rs, x, alpha)
                   for x in reached if x <= 1})


@SETTINGS
@given(cases(), RANKS, score_parameters())
def test_focused_tasks_with_every_document_score(case: Case, k: int, scores: dict[str, dict[str, Any]]) -> None:
    measures: dict[str, Slow] = {}
    for group in GROUPS:
        for name, own in scores.items():
            def ranked(t: Topic, rs: list[Result], group: str = group, name: str = name, own: dict = own) -> list:
                return slow.ranked(t, rs, group, name, own)
            how = {"score": written(name, own), "group": group}
            measures |= {
                written("gP", how, k): lambda t, rs, ranked=ranked: slow.gp(t, ranked(t, rs), k),
                written("AgP", how): lambda t, rs, ranked=ranked: slow.agp(t, ranked(t, rs)),
                written("AgPc", how): lambda t, rs, ranked=ranked: slow.agpc(t, ranked(t, rs)),
                written("AgPr", how): lambda t, rs, ranked=ranked: slow.agpr(t, ranked(t, rs))}
        how = {"group": group}
        measures |= {written("gR", how, k): lambda t, rs, ranked=ranked: slow.gr(t, ranked(t, rs), k),
                     written("gRc", how, k): lambda t, rs, ranked=ranked: slow.grc(t, ranked(t, rs), k)}
    compare(case, measures)


@pytest.mark.parametrize("order", ORDERS)
def test_reading_a_long_document(order: str) -> None:
    """Sums of a hundred thousand fractions keep twelve digits; places in the list of characters stay exact."""
    length = 150_000
    relevant = [(5, 6), (20, 40), (30_000, 31_003), (60_000, 120_001), (149_990, 150_000)]
    found = [Result("d", ((100_000, 100_777),)), Result("d", ((1, 25), (149_000, 149_999))), Result("d", ((7, 8),))]
    topic = Topic({"d": {x for span in relevant for x in range(*span)}}, {"d": length})
    case = Case({"1": topic}, {"a": {"1": found}}, {
        "runs": {"a": run_table({"1": found}, random.Random(0))},
        "assessments": table(("topic", "doc", "start", "end", "doc_length"),
                             [("1", "d", *span, length) for span in relevant])})
    scores = {"aveChP": {"order": order}, "ChP": {"n": 90_000, "order": order},
              "T2IF": {"tolerance": 2000, "order": order, "beta": 1}}
    compare(case, {f"gP(score={written(name, own)})@1": lambda t, rs, name=name, own=own: slow.gp(
        t, slow.ranked(t, rs, "consecutive", name, own), 1) for name, own in scores.items()})


@SETTINGS
@given(cases(), RANKS, effort_parameters())
def test_reading_effort(case: Case, i: int, how: dict[str, Any]) -> None:
    compare(case, {written("CE", how, i): lambda t, rs: slow.ce(t, rs, i, **how),
                   written("NCE", how, i): lambda t, rs: slow.nce(t, rs, i, **how),
                   written("ANCE", how, i): lambda t, rs: slow.ance(t, rs, i, **how)})


@settings(SETTINGS, max_examples=100)
@given(cases(), RANKS, effort_parameters())
def test_reading_effort_needs_lengths_only_for_the_worst_order(case: Case, i: int, how: dict[str, Any]) -> None:
    """In the other orders what follows the first relevant character does not matter, nor how much it is."""
    highlights, *judged = case.tables["assessments"]
    without = [highlights.drop(columns="doc_length"), *judged]
    unknown = Case(case.topics, case.runs, case.tables | {"assessments": without})
    if how["order"] == "worst":
        with pytest.raises(esr.NotComputable, match="needs the length"):
            unknown.study().evaluate(written("CE", how, i))
    else:
        compare(unknown, {written("CE", how, i): lambda t, rs: slow.ce(t, rs, i, **how)})


@settings(SETTINGS, max_examples=100)
@given(st.lists(st.lists(st.sampled_from([*DOCS, "new"]), max_size=9), min_size=1, max_size=3),
       st.lists(st.dictionaries(st.sampled_from(DOCS), st.integers(-1, 2), min_size=1), min_size=3, max_size=3), RANKS)
def test_judged_documents_alone(lists: list[list[str]], judged: list[dict[str, int]], k: int) -> None:
    """Runs and assessments that know nothing smaller than a document."""
    topics = {str(i): Topic({doc: {0} for doc, grade in own.items() if grade > 0}, {}) for i, own in enumerate(judged)}
    runs = {str(i): [Result(doc, (None,)) for doc in own] for i, own in enumerate(lists)} | {"x": [Result("d1", ())]}
    rows = [(t, i, result.doc) for t, own in runs.items() for i, result in enumerate(own)]
    grades = [(t, doc, grade) for t, own in enumerate(judged) for doc, grade in own.items()]
    case = Case(topics, {"a": runs}, {"runs": {"a": table(("topic", "rank", "doc"), rows)},
                                      "assessments": table(("topic", "doc", "relevance"), grades)})
    measures: dict[str, Slow] = {f"P@{k}": lambda t, rs: slow.p(t, rs, k), f"R@{k}": lambda t, rs: slow.r(t, rs, k),
                                 "AP": slow.ap}
    for group in GROUPS:
        def ranked(t: Topic, rs: list[Result], group: str = group) -> list:
            return slow.ranked(t, rs, group, "binary", {})
        how = {"score": "binary", "group": group}
        measures |= {written("gP", how, k): lambda t, rs, ranked=ranked: slow.gp(t, ranked(t, rs), k),
                     written("AgP", how): lambda t, rs, ranked=ranked: slow.agp(t, ranked(t, rs)),
                     written("gR", {"group": group}, k): lambda t, rs, ranked=ranked: slow.gr(t, ranked(t, rs), k)}
    compare(case, measures)


# ---------------------------------------------------------------- the same numbers wherever they are asked for

@st.composite
def all_measures(draw: st.DrawFn) -> list[str]:
    """Every measure of documents, text and effort, with random parameters and cut-off."""
    scores, effort = draw(score_parameters()), draw(effort_parameters())
    out = []
    for name, declaration in OURS.items():
        own: dict[str, Any] = {}
        for parameter in declaration.parameters:
            if parameter.name == "score":
                own["score"] = written(*draw(st.sampled_from(sorted(scores.items()))))
            elif parameter.name == "alpha":
                own["alpha"] = draw(ALPHAS)
            else:
                own[parameter.name] = effort[parameter.name]
        out.append(written(name, own, {"rank": draw(RANKS), "level": draw(LEVELS), None: None}[declaration.at]))
    return out


def cells(found: Evaluation) -> list[tuple[str, str, str, float]]:
    """measure as asked, run, topic, value."""
    return list(zip(found.scores["asked"], found.scores["run"], found.scores["topic"], found.scores["value"],
                    strict=True))


@SETTINGS
@given(cases(), all_measures(), st.data())
def test_contributions_of_an_explanation_add_up_to_the_value(case: Case, measures: list[str], data: st.DataObject
                                                             ) -> None:
    study = case.study()
    topic = data.draw(st.sampled_from(sorted(case.topics)))
    run = data.draw(st.sampled_from(study.run_names))
    for asked, run_, topic_, value in cells(study.evaluate(measures)):
        if (run_, topic_) != (run, topic):
            continue
        if np.isnan(value):
            with pytest.raises(esr.NotComputable, match="nothing is relevant"):
                study.explain(asked, run, topic)
            continue
        told = study.explain(asked, run, topic)
        assert told.value == pytest.approx(value, rel=0, abs=EXACT), asked
        total = float(told.table["contribution"].sum())
        assert abs(total - value) <= EXACT * max(1, abs(value)), f"{asked}: {total} is not {value}\n{told}"


@settings(SETTINGS, max_examples=100)
@given(cases(), all_measures())
def test_a_curve_passes_through_the_values(case: Case, measures: list[str]) -> None:
    study = case.study()
    run, topic = study.run_names[-1], sorted(case.topics)[-1]
    curves = dict.fromkeys(m.rsplit("@", 1)[0] for m in measures if "@" in m)
    points: list[tuple[str, float, float, float]] = []  # measure, x, y of the topic, mean y of the run
    for name in curves:
        own, mean = study.curve(name, run=run, topic=topic), study.curve(name)
        mean = mean[mean["run"] == run]
        for x in {0, len(own) // 3, len(own) - 1}:
            at = own["x"].iloc[x]
            points.append((f"{name}@{at:g}", at, own["y"].iloc[x], mean[mean["x"] == at]["y"].item()))
    found = study.evaluate([m for m, *_ in points])
    j, k = found.run_names.index(run), found.topic_ids.index(topic)
    np.testing.assert_allclose(found.values[:, j, k], [p[2] for p in points], rtol=0, atol=EXACT)
    np.testing.assert_allclose(found.mean_values[:, j], [p[3] for p in points], rtol=0, atol=EXACT)


@pytest.mark.parametrize("name", [name for name, d in OURS.items() if d.at is None])
def test_one_number_has_no_curve(name: str) -> None:
    case = {"runs": {"a": {"topic": ["1"], "rank": [1], "doc": ["d"], "start": [0], "end": [1]}},
            "assessments": {"topic": ["1"], "doc": ["d"], "start": [0], "end": [1], "doc_length": [9]}}
    with pytest.raises(esr.UsageError, match="has no curve"):
        esr.load(**case).curve(name)


@SETTINGS
@given(cases(), all_measures(), st.data())
def test_a_part_of_a_study_has_the_scores_of_the_whole(case: Case, measures: list[str], data: st.DataObject) -> None:
    study = case.study()
    whole = {key[:3]: key[3] for key in cells(study.evaluate(measures))}
    runs = data.draw(st.lists(st.sampled_from(study.run_names), min_size=1, unique=True))
    topics = data.draw(st.lists(st.sampled_from(sorted(case.topics)), min_size=1, unique=True))
    found = study.select(runs=runs, topics=topics).evaluate(measures)
    assert (list(found.run_names), list(found.topic_ids)) == (runs, topics)
    for asked, run, topic, value in cells(found):
        np.testing.assert_equal(value, whole[asked, run, topic], err_msg=f"{asked}, run {run}, topic {topic}")


def test_a_part_whose_results_are_all_unresolvable_has_the_scores_of_the_whole() -> None:
    """What a measure needs is a property of the study, not of the rows that happen to be selected."""
    study = esr.load(
        runs={"a": {"topic": ["1", "2"], "rank": [1, 1], "doc": ["d", "d"], "start": [0, None], "end": [5, None]}},
        assessments={"topic": ["1", "2"], "doc": ["d", "d"], "start": [0, 0], "end": [5, 5], "doc_length": [9, 9]})
    measures = ["AgP", "AiP", "CE@1"]
    whole = study.evaluate(measures)
    assert whole.values[:, 0].tolist() == [[1, 0], [1, 0], [0, 0]]
    assert study.select(topics=["2"]).evaluate(measures).values[:, 0].tolist() == [[0], [0], [0]]


@pytest.mark.parametrize("order", ORDERS)
def test_only_the_surplus_of_a_result_past_the_end_is_read(order: str) -> None:
    """The document ends at 10 and a result lies at 20–25: nobody knows of any text between the two."""
    topic, result = Topic({"d": {*range(5)}}, {"d": 10}), Result("d", ((20, 25),))
    case = Case({"1": topic}, {"a": {"1": [result]}}, {
        "runs": {"a": {"topic": ["1"], "rank": [1], "doc": ["d"], "start": [20], "end": [25]}},
        "assessments": {"topic": ["1"], "doc": ["d"], "start": [0], "end": [5], "doc_length": [10]}})
    scores = {"aveChP": {"order": order}, "ChP": {"n": 100, "order": order}, "T2IP": {"tolerance": 100, "order": order}}
    assert len(slow.reading_order(topic, slow.entries(topic, [result], "merge")[0], order)) == 10 + 5
    compare(case, {f"gP(score={written(name, own)})@1": lambda t, rs, name=name, own=own: slow.gp(
        t, slow.ranked(t, rs, "merge", name, own), 1) for name, own in scores.items()})


def test_a_part_may_be_a_list_of_dicts_of_columns() -> None:
    """load: "A part is a path, a pandas frame, a dict of columns, or a list of these"."""
    study = esr.load(runs={"a": {"topic": ["1"], "rank": [1], "doc": ["d"], "start": [0], "end": [5]}},
                     assessments=[{"topic": ["1"], "doc": ["d"], "start": [0], "end": [5]},
                                  {"topic": ["1", "2"], "doc": ["d", "e"], "relevance": [1, 0]}])
    assert study.evaluate("AgP").values.ravel().tolist() == pytest.approx([1, np.nan], nan_ok=True)


def half_judged_half_highlighted() -> esr.Study:
    """Topic 1 has highlighted text, topic 2 a judged document; the run finds both."""
    return esr.load(
        runs={"a": {"topic": ["1", "2"], "rank": [1, 1], "doc": ["d", "e"], "start": [0, 0], "end": [5, 5]}},
        assessments=[pd.DataFrame({"topic": ["1"], "doc": ["d"], "start": [0], "end": [5]}),
                     pd.DataFrame({"topic": ["2"], "doc": ["e"], "relevance": [1]})])


def test_relevant_documents_follow_from_highlights_where_nobody_judged_documents() -> None:
    """Documents were judged for topic 2 only: those of topic 1 are relevant because something in them is."""
    found = half_judged_half_highlighted().evaluate(["P@1", "R@1", "AP"])
    assert found.values[:, 0].tolist() == [[1, 1]] * 3


def test_relevant_documents_are_found_where_nobody_highlighted_text() -> None:
    """Text was highlighted for topic 1 only: gR and the binary score of topic 2 need no more than judged documents."""
    found = half_judged_half_highlighted().evaluate(["gR@1", "gP(score=binary)@1", "AgP(score=binary)"])
    assert found.values[:, 0].tolist() == [[1, 1]] * 3


def test_a_run_of_documents_is_read_the_same_beside_a_run_of_passages() -> None:
    """Tied ranks of a run that names only documents are no trees, whatever other runs name."""
    assessments = {"topic": ["1"], "doc": ["d"], "start": [0], "end": [5]}
    documents = {"topic": ["1", "1"], "rank": [1, 1], "doc": ["d", "e"]}
    passages = {"topic": ["1"], "rank": [1], "doc": ["d"], "start": [0], "end": [5]}
    alone = esr.load(runs={"documents": documents}, assessments=assessments)
    beside = esr.load(runs={"documents": documents, "passages": passages}, assessments=assessments)
    assert beside.evaluate("P@2").means.loc["documents"].item() == alone.evaluate("P@2").means.loc["documents"].item()


def test_processes_give_identical_scores() -> None:
    rng = np.random.default_rng(7)

    def spans(n: int) -> tuple[list[int], list[int]]:
        start = rng.integers(0, 900, n)
        return start.tolist(), (start + rng.integers(1, 300, n)).tolist()

    def docs(n: int) -> list[str]:
        return [f"d{i}" for i in rng.integers(0, 30, n)]

    runs = {}
    for run in "abcde":
        start, end = spans(200)
        runs[run] = {"topic": [t for t in "1234" for _ in range(50)], "rank": [*range(1, 51)] * 4, "doc": docs(200),
                     "start": start, "end": end}
    start, end = spans(60)
    study = esr.load(runs=runs, assessments={"topic": [t for t in "1234" for _ in range(15)], "doc": docs(60),
                                             "start": start, "end": end, "doc_length": [1200] * 60})
    measures = ["AP", "P@5", "AiP", "iP@0.1", "HP(alpha=0.5)@10", "AgP(score=T2IF(order=worst))", "gP(score=aveChP)@10",
                "AgPc", "ANCE@20", "CE(task=document,group=merge)@10"]
    here, there = study.evaluate(measures), study.evaluate(measures, executor="processes")
    assert np.array_equal(here.values, there.values)
    assert here.scores.equals(there.scores)
    assert here.warnings == there.warnings
    assert len(np.unique(here.values.round(12))) > 150  # scores differ, so equal ones mean something
