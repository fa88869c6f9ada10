"""Cases that reviewers found: each was once wrong."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import esr_core as esr

DOCS = {"doc": ["d"] * 4, "path": ["/a[1]", "/a[1]/p[1]", "/a[1]/p[2]", "/a[1]/p[3]"], "start": [0, 0, 3, 5],
        "end": [13, 3, 5, 13]}


def run(*paths: str, doc: str = "d") -> dict[str, list]:
    return {"topic": ["1"] * len(paths), "rank": list(range(1, len(paths) + 1)), "doc": [doc] * len(paths),
            "path": list(paths)}


def test_what_rounding_leaves_over_is_no_gaining_rank() -> None:
    """Gains 1/3 and 20/39, then nothing: Q and MAep divide by the ranks that really gain."""
    study = esr.load(runs={"r": run("/a[1]/p[1]", "/a[1]/p[3]", "/a[1]/p[2]", "/a[1]")}, documents=DOCS,
                     assessments={"topic": ["1"] * 3, "doc": ["d"] * 3, "start": [0, 3, 5], "end": [1, 5, 13]})
    q, maep = study.evaluate(["Q", "MAep"]).values[:, 0, 0]
    assert (q, maep) == (pytest.approx(0.8611111, abs=1e-6), pytest.approx(0.4469697, abs=1e-6))


def test_empty_elements_are_never_units() -> None:
    docs = {"doc": ["d"] * 3, "path": ["/a[1]", "/a[1]/p[1]", "/a[1]/p[1]/br[1]"], "start": [0, 0, 5],
            "end": [20, 10, 5]}
    study = esr.load(runs={"r": run("/a[1]")}, documents=docs,
                     assessments={"topic": ["1"], "doc": ["d"], "start": [0], "end": [10]})
    assert study.evaluate("RecallBase(units=all,nav=none)@1").values.item() == 2


@pytest.mark.parametrize("table", [
    {"topic": ["1", "1"], "doc": ["d", "d"], "path": ["/a[1]"] * 2, "exhaustivity": [3, 0], "specificity": [3, 0]},
    {"topic": ["1", "1"], "doc": ["d", "d"], "path": ["/a[1]"] * 2, "relevance": [1, 2]},
    {"topic": ["1", "1"], "doc": ["d", "e"], "path": ["/a[1]"] * 2, "relevance": [1, 1], "unit": ["u", "u"]}])
def test_contradicting_assessments_are_refused(table: dict) -> None:
    with pytest.raises(esr.DataError):
        esr.load(runs={"r": run("/a[1]")}, assessments=table)


def test_the_same_assessment_twice_counts_once() -> None:
    table = {"topic": ["1"] * 3, "doc": ["d"] * 3, "path": ["/a[1]/p[1]", "/a[1]/p[1]", "/a[1]/p[2]"],
             "exhaustivity": [3] * 3, "specificity": [3] * 3}
    study = esr.load(runs={"r": run("/a[1]/p[1]")}, assessments=table, documents=DOCS)
    assert study.evaluate("RecallBase(nav=none)@1").values.item() == 2
    assert any("assessed twice" in p.kind for p in study.problems)


def test_a_run_without_ranks_over_several_files_is_no_tree(tmp_path: Path) -> None:
    for name, spans in (("a", ((0, 5, .9), (10, 15, .7))), ("b", ((20, 25, .8), (30, 35, .6)))):
        (tmp_path / f"{name}.jsonl").write_text("".join(
            f'{{"run": "r", "topic": "1", "doc": "d", "start": {s}, "end": {e}, "score": {x}}}\n' for s, e, x in spans))
    study = esr.load(runs=[tmp_path / "a.jsonl", tmp_path / "b.jsonl"],
                     assessments={"topic": ["1"], "doc": ["d"], "start": [0], "end": [5]})
    assert len(study.results) == 4
    assert study.evaluate("HP@1").values.item() == 1


def test_a_topic_assessed_as_having_nothing_is_a_row_without_a_value() -> None:
    study = esr.load(runs={"r": {"topic": ["1", "2"], "rank": [1, 1], "doc": ["d", "d"], "start": [0, 0],
                                 "end": [5, 5]}},
                     assessments={"topic": ["1", "2"], "doc": ["d", "d"], "start": [0, 3], "end": [5, 3]})
    values = study.evaluate("AiP").values[0, 0]
    assert values[0] == 1
    assert np.isnan(values[1])


def test_scores_do_not_depend_on_the_engine() -> None:
    study = esr.load(Path(__file__).parents[1] / "demo_data/starter")
    measures = ["AiP", "AgP", "ANCE@5", "MAep", "PRUM@0.5", "AESRP", "SRP@5", "inexeval@0.1"]
    with ThreadPoolExecutor(2) as pool:
        assert np.array_equal(study.evaluate(measures, executor=pool).values, study.evaluate(measures).values)


def test_an_unranked_tail_needs_a_collection() -> None:
    study = esr.load(runs={"r": run("/a[1]")}, navigation={"doc": ["d"], "source": ["/a[1]"], "target": ["/a[1]/p[1]"],
                                                           "probability": [.5]},
                     assessments={"topic": ["1"], "doc": ["d"], "path": ["/a[1]/p[1]"], "relevance": [1]})
    with pytest.raises(esr.NotComputable, match="tail=off"):
        study.evaluate("PRUM@1")
    assert study.evaluate("PRUM(tail=off)@1").values.item() == pytest.approx(.5)


def test_runs_of_documents_feed_no_structural_measure() -> None:
    study = esr.load(runs={"r": {"topic": ["1"], "rank": [1], "doc": ["d"]}}, documents=DOCS,
                     assessments={"topic": ["1"], "doc": ["d"], "path": ["/a[1]"], "relevance": [1]})
    with pytest.raises(esr.NotComputable, match="name only documents"):
        study.evaluate("ESRP@1")


def test_cut_offs_of_a_curve_are_checked() -> None:
    study = esr.load(Path(__file__).parents[1] / "demo_data/starter")
    with pytest.raises(esr.MeasureError):
        study.curve("P", at=[0])
    one = study.curve("PRUM", run="section-bm25", topic="1", at=[1])["y"].item()
    assert one == study.select(runs=["section-bm25"], topics=["1"]).evaluate("PRUM@1").values.item()
