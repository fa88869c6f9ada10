"""Every measure against its slow version, on random small studies with everything odd in them."""

from __future__ import annotations

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


@st.composite
def highlights(draw: st.DrawFn, length: int) -> list[tuple[int, int]]:
    """Spans that may touch, overlap and, rarely, run past the stated length."""
    out = []
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, length - 1))
        end = start + draw(st.integers(0, 20))
        out.append((start, end if draw(st.integers(0, 9)) == 0 else min(end, length)))
    return out


@st.composite
def result_lists(draw: st.DrawFn, furthest: int) -> list[Result]:
    """Documents that come back, duplicates, trees, empty and unresolvable results, results past the end."""
    part = st.one_of(st.none(), st.tuples(st.integers(0, furthest), st.integers(0, 25)).map(lambda t: (t[0], sum(t))))
    one = st.builds(Result, st.sampled_from([*DOCS, "new"]), st.lists(part, min_size=1, max_size=3).map(tuple))
    out = draw(st.lists(one, max_size=8))
    if out and draw(st.booleans()):
        out.insert(draw(st.integers(0, len(out))), draw(st.sampled_from(out)))
    return out


@st.composite
def cases(draw: st.DrawFn) -> Case:
    stated = {doc: draw(st.integers(1, 60)) for doc in DOCS}
    names = [str(i) for i in range(1, draw(st.integers(1, 3)) + 1)]
    marked = {t: {doc: draw(highlights(stated[doc])) for doc in DOCS[:3]} for t in names}
    if not any(start < end for start, end in marked["1"]["d1"]):
        marked["1"]["d1"] = [(0, 1)]
    held = {t: {doc: {x for span in spans for x in range(*span)} for doc, spans in own.items()}
            for t, own in marked.items()}
    relevant = {t: {doc: own for doc, own in docs.items() if own} for t, docs in held.items()}
    length = {doc: max([stated[doc], *(max(docs[doc]) + 1 for docs in relevant.values() if doc in docs)])
              for doc in DOCS}
    beps = {(t, doc): draw(st.integers(0, 70)) for t in names for doc in DOCS if draw(st.integers(0, 3))}
    beps["1", "d1"] = beps.get(("1", "d1"), 0)
    judged = draw(st.booleans())
    topics = {t: Topic(relevant[t], length, {doc: at for (own, doc), at in beps.items() if own == t})
              for t in names if judged or relevant[t]}
    runs = {run: {t: draw(result_lists(70)) for t in [*names, "unassessed"] if draw(st.integers(0, 5))}
            for run in ("a", "b")[:draw(st.integers(1, 2))]}
    for run in runs.values():
        run.setdefault("unassessed", []).append(Result("d1", ((0, 5),)))  # so that every run has some result
    return Case(topics, runs, {
        "runs": {name: draw(run_table(lists)) for name, lists in runs.items()},
        "assessments": [pd.DataFrame(highlight_table(marked, stated)),
                        *([pd.DataFrame(judgement_table(names, relevant))] if judged else [])],
        "bep": table(("topic", "doc", "bep"), [(t, doc, at) for (t, doc), at in beps.items()])})


def table(names: tuple[str, ...], rows: list[tuple]) -> dict[str, list]:
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


@st.composite
def run_table(draw: st.DrawFn, lists: dict[str, list[Result]]) -> dict[str, list]:
    """Rows in any order: the rank column rules, with gaps; parts of one result share a rank."""
    rows = []
    for topic, results in lists.items():
        rank = 0
        for result in results:
            rank += draw(st.sampled_from((1, 1, 3)))
            rows += [(topic, rank, result.doc, *(part or (None, None))) for part in result.parts]
    return table(("topic", "rank", "doc", "start", "end"), draw(st.permutations(rows)))


def highlight_table(marked: dict, stated: dict[str, int]) -> dict[str, list]:
    rows = [(t, doc, start, end, stated[doc]) for t, own in marked.items() for doc, spans in own.items()
            for start, end in spans]
    return table(("topic", "doc", "start", "end", "doc_length"), rows)


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
    assert set(found.topic_ids) == set(case.topics)
    for i, (asked, slowly) in enumerate(measures.items()):
        for j, run in enumerate(found.run_names):
            for k, topic in enumerate(found.topic_ids):
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


def test_the_slow_side_knows_every_score() -> None:
    assert set(slow.SCORES) == set(SCORES)


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


@SETTINGS
@given(cases(), RANKS, effort_parameters())
def test_reading_effort(case: Case, i: int, how: dict[str, Any]) -> None:
    compare(case, {written("CE", how, i): lambda t, rs: slow.ce(t, rs, i, **how),
                   written("NCE", how, i): lambda t, rs: slow.nce(t, rs, i, **how),
                   written("ANCE", how, i): lambda t, rs: slow.ance(t, rs, i, **how)})


# ---------------------------------------------------------------- the same numbers wherever they are asked for

@st.composite
def all_measures(draw: st.DrawFn) -> list[str]:
    """Every measure of the catalogue, with random parameters and cut-off."""
    scores, effort = draw(score_parameters()), draw(effort_parameters())
    out = []
    for name, declaration in MEASURES.items():
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


@SETTINGS
@given(cases(), all_measures())
def test_a_curve_passes_through_the_values(case: Case, measures: list[str]) -> None:
    study = case.study()
    for asked in measures:
        open_end = asked.rsplit("@", 1)[0]
        if open_end == asked:
            with pytest.raises(esr.UsageError, match="has no curve"):
                study.curve(asked)
            continue
        run, topic = study.run_names[0], sorted(case.topics)[0]
        for curve, pick in ((study.curve(open_end), None), (study.curve(open_end, run=run, topic=topic), topic)):
            points = curve["x"].iloc[[0, len(curve) // 2, -1]].tolist()
            at = [f"{open_end}@{x:g}" for x in points]
            found = study.evaluate(at)
            for measure, x in zip(found.measures, points, strict=True):
                for name in curve["run"].unique():
                    y = curve[(curve["run"] == name) & (curve["x"] == x)]["y"].item()
                    if pick is None:
                        value = found.means.loc[name, measure]
                        value = value.iloc[0] if hasattr(value, "iloc") else value
                    else:
                        rows = found.scores.query("run == @name and topic == @pick and measure == @measure")
                        value = rows["value"].iloc[0]
                    assert same(y, None if np.isnan(value) else value), f"{measure}, run {name}: {y} is not {value}"


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
