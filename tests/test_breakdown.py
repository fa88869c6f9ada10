"""study.breakdown: by rank and by unit the same story, and the one that evaluate tells."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import esr_core

STARTER = Path(__file__).parents[1] / "demo_data/starter"
NAVIGATION = ["none", "structural", "t2i(tolerance=500,shape=linear)", "proximity(A=0.1)", "depth"]


@pytest.fixture(scope="module")
def study() -> esr_core.Study:
    return esr_core.load(STARTER)


@pytest.mark.parametrize("nav", NAVIGATION)
@pytest.mark.parametrize("rel", ["binary", "length"])
def test_everything_adds_up_to_all_relevance(study: esr_core.Study, nav: str, rel: str) -> None:
    for run in study.run_names:
        for topic in study.topic_ids:
            b = study.breakdown(run, topic, nav=nav, rel=rel)
            whole = b.units["relevance"].sum()
            by_rank = b.ranks[["hits", "near", "misses", "shrinkage"]].sum(axis=1)
            assert by_rank.to_numpy() == pytest.approx(whole)
            by_unit = b.units["gain"] + b.units["loss"] + b.units["shrinkage"]
            assert by_unit.to_numpy() == pytest.approx(b.units["relevance"].to_numpy())


@pytest.mark.parametrize("nav", NAVIGATION)
def test_the_numbers_are_those_of_evaluate(study: esr_core.Study, nav: str) -> None:
    measures = [f"{m}(nav={nav})@5" for m in ("Hits", "Near", "Misses", "Shrinkage")]
    scores = study.evaluate(measures).scores
    for run in study.run_names:
        for topic in study.topic_ids:
            row = study.breakdown(run, topic, nav=nav).ranks.set_index("rank").loc[5]
            own = scores[(scores.run == run) & (scores.topic == topic)]["value"].to_numpy()
            assert own == pytest.approx(row[["hits", "near", "misses", "shrinkage"]].to_numpy())


def test_leads_multiply_to_the_chance_of_a_near_miss(study: esr_core.Study) -> None:
    near = 0
    for topic in study.topic_ids:
        b = study.breakdown("article-bm25", topic, nav="structural")
        for unit in b.units[b.units.state == "near-miss"].itertuples():
            leads = b.leads[b.leads.unit == unit.unit]
            assert unit.probability == pytest.approx(1 - np.prod(1 - leads.probability))
            near += 1
    assert near > 0


def test_a_cut_off_turns_later_hits_into_what_they_were_before(study: esr_core.Study) -> None:
    whole = study.breakdown("paragraph-bm25", "1", nav="structural")
    late = whole.units[whole.units["rank"] > 3]
    early = study.breakdown("paragraph-bm25", "1", nav="structural", at=3)
    assert len(late)
    assert set(early.units.loc[late.index, "state"]) <= {"near-miss", "miss"}


def test_a_study_without_units_is_refused() -> None:
    plain = esr_core.load(runs={"a": {"topic": ["1"], "rank": [1], "doc": ["d"]}},
                          assessments={"topic": ["1"], "doc": ["d"], "relevance": [1]})
    with pytest.raises(esr_core.NotComputable, match="needs assessed elements"):
        plain.breakdown("a", "1")
