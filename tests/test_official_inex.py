"""What INEX's own evaluator printed for four runs of 2009, number by number."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import esr_core as esr
from esr_core.evaluation import Evaluation

FOLDER = Path(__file__).parents[1].parent / "shared" / "data" / "inex2009-mini"
EXACT = 1e-9
CUTS = (1, 2, 3, 5, 10, 25, 50)
FOCUSED, IN_CONTEXT_F, IN_CONTEXT_T2I = ("focused", "relevant in context, F beta 0.25", "relevant in context, T2I 300")

# (task, its name for a topic, its name for the mean) → the measure here
OFFICIAL = {
    (FOCUSED, "AiP", "MAiP"): "AiP",
    **{(FOCUSED, f"iP[{x}]", f"iP[{x}]"): f"iP[{x}]" for x in ("0.00", "0.01", "0.05", "0.10")},
    **{(task, f"gP[{k}]", f"gP[{k}]"): f"gP(score={score})@{k}" for k in CUTS for task, score in (
        (IN_CONTEXT_F, "F(beta=0.25)"), (IN_CONTEXT_T2I, "T2IP(tolerance=300)"))},
    **{(task, f"gR[{k}]", f"gR[{k}]"): f"gR@{k}" for k in CUTS for task in (IN_CONTEXT_F, IN_CONTEXT_T2I)},
    (IN_CONTEXT_F, "AgP", "MAgP"): "AgP(score=F(beta=0.25))",
    (IN_CONTEXT_T2I, "AgP", "MAgP"): "AgP(score=T2IP(tolerance=300))",
}
# Printed beside them, per topic: precision and recall of whole lists, 1500 results each.
WHOLE_LISTS = {"char_prec": "HP@1500", "char_rec": "HR@1500", "art_prec": "P@1500", "art_rec": "R@1500"}

pytestmark = [pytest.mark.inex, pytest.mark.skipif(not FOLDER.is_dir(), reason=f"no INEX 2009 slice at {FOLDER}")]

Scores = dict[tuple[str, str, str, str], float]  # task, run, topic or "all", measure → value


@pytest.fixture(scope="module")
def official() -> Scores:
    with (FOLDER / "official_scores.csv").open() as lines:
        return {(row["task"], row["run"], row["topic"], row["measure"]): float(row["value"])
                for row in csv.DictReader(lines)}


@pytest.fixture(scope="module")
def study() -> esr.Study:
    return esr.load(assessments=FOLDER / "assessments.qrels", runs=sorted((FOLDER / "runs_fol").glob("*.fol")))


@pytest.fixture(scope="module")
def found(study: esr.Study) -> Evaluation:
    return study.evaluate([*OFFICIAL.values(), *WHOLE_LISTS.values()])


def values(found: Evaluation, asked: str) -> dict[tuple[str, str], float]:
    at = found.asked.index(asked)
    out = {(run, topic): float(found.values[at, i, j]) for i, run in enumerate(found.run_names)
           for j, topic in enumerate(found.topic_ids)}
    return out | {(run, "all"): float(found.mean_values[at, i]) for i, run in enumerate(found.run_names)}


def test_the_study_is_the_whole_slice(study: esr.Study) -> None:
    assert study.run_names == ("run_21", "run_27", "run_41", "run_60")
    assert len(study.topic_ids) == 7
    assert len(study.results) == 4 * 7 * 1500


@pytest.mark.parametrize("names", OFFICIAL, ids=lambda names: f"{names[1]} {names[0]}")
def test_per_topic_and_mean(names: tuple[str, str, str], official: Scores, found: Evaluation) -> None:
    task, per_topic, mean = names
    ours = values(found, OFFICIAL[names])
    assert len(ours) == 4 * (7 + 1)
    for (run, topic), value in ours.items():
        theirs = official[task, run, topic, mean if topic == "all" else per_topic]
        assert abs(value - theirs) <= EXACT, f"run {run}, topic {topic}: {value} here, {theirs} there"


@pytest.mark.parametrize("name", WHOLE_LISTS)
def test_whole_lists(name: str, official: Scores, found: Evaluation) -> None:
    for (run, topic), value in values(found, WHOLE_LISTS[name]).items():
        if topic != "all":
            assert value == pytest.approx(official[FOCUSED, run, topic, name], abs=EXACT)


def test_all_points_of_the_recall_precision_curves(study: esr.Study, official: Scores) -> None:
    """4 runs × 101 recall levels, without exception: an evaluator that sorts recalls into bins could put one of
    exactly n/100 a bin too low, but none of these points shows it."""
    curve = study.curve("iP")
    assert len(curve) == 4 * 101
    for run, x, y in zip(curve["run"], curve["x"], curve["y"], strict=True):
        theirs = official[FOCUSED, run, "all", f"ircl_prn.{x:.2f}"]
        assert abs(y - theirs) <= EXACT, f"run {run}, recall {x:.2f}: {y} here, {theirs} there"
