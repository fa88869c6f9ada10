"""A measure that a study cannot feed is refused with the reason; what it can feed is computed."""

from __future__ import annotations

import pandas as pd
import pytest

import esr_core as esr
from esr_core.cli import main
from esr_core.errors import NotComputable
from esr_core.evaluation import default_measures, example
from esr_core.measures import MEASURES

JUDGED = pd.DataFrame({"topic": ["1", "1"], "doc": ["a", "b"], "relevance": [1, 0]})
HIGHLIGHTS = pd.DataFrame({"topic": ["1", "1", "2"], "doc": ["a", "c", "b"], "start": [0, 0, 5], "end": [10, 5, 9]})
WITH_LENGTHS = HIGHLIGHTS.assign(doc_length=[100, 50, 80])
SOME_LENGTHS = HIGHLIGHTS.assign(doc_length=[100, None, None])
GRADES = pd.DataFrame({"topic": ["1"], "doc": ["a"], "path": ["/x[1]"], "exhaustivity": [2], "specificity": [3]})
UNITS = pd.DataFrame({"topic": ["1"], "doc": ["a"], "path": ["/x[1]"], "relevance": [7]})
BEP = pd.DataFrame({"topic": ["1", "1", "2"], "doc": ["a", "c", "b"], "bep": [0, 0, 5]})

DOCUMENT_RUN = pd.DataFrame({"topic": ["1", "1", "2"], "rank": [1, 2, 1], "doc": ["a", "b", "b"]})
PASSAGE_RUN = DOCUMENT_RUN.assign(start=[0, 0, 0], end=[20, 10, 30])
ELEMENT_RUN = DOCUMENT_RUN.assign(path=["/x[1]", "/x[1]/p[1]", "/x[1]"])

PLACES = pd.DataFrame({"doc": ["a", "b", "b", "c"], "path": ["/x[1]", "/x[1]", "/x[1]/p[1]", "/x[1]"],
                       "start": [0, 0, 0, 0], "end": [100, 80, 40, 50]})
LENGTHS = PLACES.assign(length=PLACES["end"] - PLACES["start"]).drop(columns=["start", "end"])

STUDIES = {
    "judged documents": {"assessments": JUDGED, "runs": DOCUMENT_RUN},
    "judged documents, passages": {"assessments": JUDGED, "runs": PASSAGE_RUN},
    "grades": {"assessments": GRADES, "runs": ELEMENT_RUN, "documents": PLACES},
    "units": {"assessments": UNITS, "runs": ELEMENT_RUN, "documents": PLACES},
    "grades and judged documents": {"assessments": [GRADES, JUDGED], "runs": ELEMENT_RUN},
    "highlights, documents run": {"assessments": WITH_LENGTHS, "runs": DOCUMENT_RUN},
    "highlights, no documents": {"assessments": WITH_LENGTHS, "runs": ELEMENT_RUN},
    "highlights, lengths only": {"assessments": WITH_LENGTHS, "runs": ELEMENT_RUN, "documents": LENGTHS},
    "highlights, documents": {"assessments": HIGHLIGHTS, "runs": ELEMENT_RUN, "documents": PLACES},
    "highlights, no doc_length": {"assessments": HIGHLIGHTS, "runs": PASSAGE_RUN},
    "highlights, some doc_length": {"assessments": SOME_LENGTHS, "runs": PASSAGE_RUN},
    "highlights with doc_length": {"assessments": WITH_LENGTHS, "runs": PASSAGE_RUN},
    "highlights with bep": {"assessments": WITH_LENGTHS, "runs": PASSAGE_RUN, "bep": BEP},
}


def study(name: str):
    return esr.load(**STUDIES[name])


@pytest.mark.parametrize(("name", "measure", "reason"), [
    ("judged documents", "AiP", "AiP needs highlighted text; this study has judged documents"),
    ("judged documents", "iP@0.1", "needs highlighted text; this study has judged documents"),
    ("judged documents", "AgP", "AgP needs highlighted text; this study has judged documents"),
    ("judged documents", "gRc@5", "gRc needs highlighted text"),
    ("judged documents", "CE@5", "CE needs highlighted text"),
    ("judged documents, passages", "HP@5", "needs highlighted text; this study has judged documents"),
    ("grades", "AiP", "AiP needs highlighted text; this study has element grades"),
    ("units", "AiP", "AiP needs highlighted text; this study has assessed units"),
    ("grades and judged documents", "AiP", "this study has element grades and judged documents"),
    ("highlights, documents run", "AiP", "needs results with a place in the text; the runs name only documents"),
    ("highlights, documents run", "AgP(score=P)", "the runs name only documents"),
    ("highlights, documents run", "ANCE@5", "the runs name only documents"),
    ("highlights, no documents", "AiP", "needs the places of elements; load the documents too"),
    ("highlights, no documents", "gP(score=R)@5", "needs the places of elements; load the documents too"),
    ("highlights, lengths only", "AiP", "the documents table has only lengths (add start and end)"),
    ("highlights, lengths only", "NCE@5", "the documents table has only lengths (add start and end)"),
    ("highlights, no doc_length", "AgP(score=T2IP)", "needs the length of every relevant document; that of"),
    ("highlights, no doc_length", "AgP(score=ChP)", "2 others is unknown (add doc_length, or the documents)"),
    ("highlights, no doc_length", "AgP(score=aveChP)", "add doc_length"),
    ("highlights, no doc_length", "CE(order=worst)@5", "add doc_length"),
    ("highlights, some doc_length", "AgP(score=T2IF)", "1 others is unknown"),
    ("highlights, no doc_length", "AgP(score=BEP)", "needs best entry points (columns topic, doc, bep)"),
    ("highlights with doc_length", "gP(score=BEP(n=9))@3", "needs best entry points (columns topic, doc, bep)"),
])
def test_refused_with_the_reason(name, measure, reason):
    own = study(name)
    for refuse in (lambda: own.evaluate(measure), lambda: own.evaluate(["AP", measure]),
                   lambda: own.explain(measure, own.run_names[0], "1")):
        with pytest.raises(NotComputable) as caught:
            refuse()
        assert reason in str(caught.value)
        assert caught.value.exit_code == 1


@pytest.mark.parametrize(("name", "measures"), [
    ("judged documents", ["AP", "P@1", "R@2", "gP(score=binary)@2", "gR@1"]),
    ("grades", ["AP", "P@1"]), ("units", ["AP", "P@1"]),
    ("highlights, documents run", ["AP", "gR@1", "gRc@1", "AgP(score=binary)", "AgPc(score=binary)"]),
    ("highlights, lengths only", ["AP", "gRc@2"]),
    ("highlights, documents", ["AiP", "AgP", "AgP(score=T2IF)", "CE(order=worst)@2"]),  # the documents have lengths
    ("highlights, no doc_length", ["AiP", "IoU@2", "AgP", "CE@2", "CE(order=best)@2", "ANCE(task=document)@2"]),
    ("highlights with doc_length", ["AgP(score=T2IP)", "AgP(score=ChP)", "CE(order=worst)@2"]),
    ("highlights with bep", ["AgP(score=BEP)", "gP(score=BEP)@1"]),
])
def test_what_a_study_can_feed_is_computed(name, measures):
    values = study(name).evaluate(measures).scores["value"]
    assert len(values)
    assert values.notna().all()


@pytest.mark.parametrize("name", STUDIES)
def test_the_list_of_computable_measures_is_true(name):
    """Every measure marked computable is computed, every other one is refused with the reason shown."""
    own = study(name)
    frame = own.computable()
    assert set(MEASURES) <= set(frame["measure"])
    for row in frame.itertuples():
        measure = str(example(MEASURES[row.measure])) if row.measure in MEASURES else row.measure
        if row.computable:
            assert row.reason == ""
            own.evaluate(measure)
        else:
            with pytest.raises(NotComputable) as caught:
                own.evaluate(measure)
            assert row.reason in str(caught.value)


@pytest.mark.parametrize("name", STUDIES)
def test_default_measures_fit_the_study(name):
    own = study(name)
    own.evaluate()
    focused = any(m.startswith("AiP") for m in default_measures(own))
    assert focused == (name.startswith("highlights") and name not in (
        "highlights, documents run", "highlights, no documents", "highlights, lengths only"))


def test_a_run_with_places_among_runs_without():
    """One run of documents does not keep the others from being scored; its own results cover nothing."""
    own = esr.load(assessments=WITH_LENGTHS, runs={"documents": DOCUMENT_RUN, "passages": PASSAGE_RUN})
    means = own.evaluate(["HP@1", "P@1"]).means
    assert means.loc["documents"].tolist() == [0, 1]
    assert means.loc["passages", "HP(alpha=0)@1"] == pytest.approx((10 / 20 + 4 / 30) / 2)


def test_document_measures_agree_where_documents_were_judged():
    """gP of binary scores is P, gR is R; nothing was highlighted, so judgements say what is relevant."""
    means = study("judged documents").evaluate(["P@2", "gP(score=binary)@2", "R@1", "gR@1"]).means.iloc[0].tolist()
    assert means == [0.5, 0.5, 1, 1]


def test_unresolved_passages_are_scored_not_refused():
    """A run whose passages could all not be resolved covers nothing, which is a score."""
    own = esr.load(assessments=WITH_LENGTHS, runs=PASSAGE_RUN.assign(start=None, end=None))
    assert own.evaluate("HP@1").means.iloc[0, 0] == 0


def test_refusal_does_not_depend_on_the_selection():
    own = study("highlights, some doc_length")
    assert own.evaluate("HP@1").values.shape == (1, 1, 2)
    chosen = own.select(topics=["2"])
    assert chosen.evaluate("HP@1").values.tolist() == [[[4 / 30]]]


def test_curves_are_refused_alike():
    with pytest.raises(NotComputable, match="needs highlighted text"):
        study("judged documents").curve("iP")


def test_the_command_line_says_it_in_one_line(tmp_path, capsys):
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 1 t\n")
    output = tmp_path / "out.csv"
    code = main(["evaluate", "--qrels", str(tmp_path / "qrels"), "--runs", str(tmp_path / "run"), "-m", "AP",
                 "-m", "AiP", "-o", str(output)])
    said = capsys.readouterr()
    assert code == 1
    assert said.out == ""
    assert said.err.startswith("esr: AiP")
    assert said.err.endswith("AiP needs highlighted text; this study has judged documents\n")
    assert said.err.count("\n") == 1
    assert not output.exists()
