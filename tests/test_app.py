"""The dashboard without a browser: it opens, and shows the numbers the package computes."""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import esr_core
from esr_core.evaluation import default_measures

ROOT = Path(__file__).resolve().parents[1]
STARTER = ROOT / "demo_data" / "starter"


@pytest.fixture(autouse=True)
def _at_home(monkeypatch):
    """As `streamlit run app.py` does: the app's folder is where imports start."""
    monkeypatch.syspath_prepend(str(ROOT))
    monkeypatch.delenv("ESR_STUDY", raising=False)


def open_app(**query: str | list[str]) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=30)
    for key, value in query.items():
        at.query_params[key] = value
    return at.run()


def figure(at: AppTest, number: int) -> dict:
    return json.loads(at.get("plotly_chart")[number].proto.spec)


def said(at: AppTest) -> str:
    """Everything outside tables and figures, plain text of components included."""
    parts = [e.value for kind in ("error", "warning", "info", "code", "text", "caption") for e in at.get(kind)]
    return "\n".join(map(str, parts))


@pytest.fixture(scope="module")
def study():
    return esr_core.load(STARTER)


def small_study(folder: Path, name: str = "mine", run: str = "run") -> Path:
    (folder / "runs").mkdir(parents=True)
    (folder / "study.toml").write_text(f'name = "{name}"\n')
    (folder / "assessments.csv").write_text("topic,doc,relevance\n1,a,1\n1,b,0\n2,a,0\n2,b,1\n")
    for r, order in ((run, "abba"), ("other", "baab")):
        rows = zip("1122", order, "1212", strict=True)
        quoted = r.replace('"', '""')
        (folder / "runs" / f"{len(list((folder / 'runs').iterdir()))}.csv").write_text(
            "run,topic,doc,rank\n" + "".join(f'"{quoted}",{t},{d},{k}\n' for t, d, k in rows))
    return folder


# ---------------------------------------------------------------- the demo study

def test_it_opens_on_the_starter_without_a_word_of_error():
    at = open_app()
    assert not at.exception
    assert not at.error
    assert not at.warning
    assert at.selectbox(key="study").value == "starter"
    assert len(at.get("plotly_chart")) == 2


def test_the_table_shows_what_evaluate_gives(study):
    shown = open_app().dataframe[0].value
    evaluation = study.evaluate(default_measures(study))
    assert list(shown.columns) == [s.short for s in evaluation.specs]
    expected = evaluation.means.set_axis(shown.columns, axis=1).loc[shown.index]
    pd.testing.assert_frame_equal(shown, expected, check_names=False, rtol=0, atol=1e-12)


def test_the_leaderboard_shows_what_evaluate_gives(study):
    at = open_app(measure="ANCE@10")
    assert not at.exception
    means = study.evaluate("ANCE@10").means.iloc[:, 0].sort_values()
    drawn = {t["name"]: t["x"][0] for t in figure(at, 0)["data"]}
    assert drawn == pytest.approx(means.to_dict())
    assert list(drawn) == list(means.index)  # lower is better
    assert list(at.dataframe[0].value.index) == list(means.index)


def test_the_map_shows_the_topics(study):
    heat = figure(open_app(measure="iP@0.01"), 1)["data"][0]
    values = study.evaluate("iP@0.01").values[0]
    order = study.evaluate("iP@0.01").means.iloc[:, 0].argsort()[::-1]
    drawn = np.frombuffer(base64.b64decode(heat["z"]["bdata"]), heat["z"]["dtype"]).reshape(values.shape)
    assert drawn == pytest.approx(values[order])


def test_a_measure_can_be_typed_and_wrong_ones_are_answered(study):
    at = open_app(measures=["iP@0.05", "iP(alpha=0)@0.05", "AiPP", "P@0"])
    assert not at.exception
    assert list(at.dataframe[0].value.columns) == ["iP@0.05"]  # the same measure twice is one column
    assert "did you mean 'AiP'" in said(at)
    assert "whole number from 1" in said(at)


def test_taking_the_chosen_measure_out_of_the_table_is_no_crash():
    at = open_app(measure="ANCE@10")
    at.multiselect(key="measures").set_value(["AP", "AiP"]).run()
    assert not at.exception
    assert not at.warning
    assert figure(at, 0)["layout"]["meta"]["alt"].count("AP · mean over") == 1


def test_no_measure_at_all_is_a_designed_state():
    at = open_app()
    at.multiselect(key="measures").set_value([]).run()
    assert not at.exception
    assert "Choose a measure" in said(at)
    assert not at.get("plotly_chart")


# ---------------------------------------------------------------- other studies and links

def test_a_link_to_an_unknown_study_falls_back_and_says_so():
    at = open_app(study="no-such-study")
    assert not at.exception
    assert at.selectbox(key="study").value == "starter"
    assert "not here" in said(at)
    assert "no-such-study" in said(at)


def test_a_link_to_a_measure_that_is_not_shown_falls_back_and_says_so():
    at = open_app(measure="gP@7")
    assert not at.exception
    assert "not in the table" in said(at)
    assert "gP@7" in said(at)


def test_the_folder_in_the_environment_comes_first(tmp_path, monkeypatch):
    monkeypatch.setenv("ESR_STUDY", str(small_study(tmp_path / "mine")))
    at = open_app()
    assert not at.exception
    assert at.selectbox(key="study").value == "mine"
    assert "starter" in at.selectbox(key="study").options
    assert set(at.dataframe[0].value.index) == {"run", "other"}
    assert any("cannot feed" in e.label for e in at.expander)  # AiP needs highlighted text


def test_a_given_folder_named_like_a_demo_does_not_hide_it(tmp_path, monkeypatch):
    monkeypatch.setenv("ESR_STUDY", str(small_study(tmp_path / "starter")))
    assert open_app().selectbox(key="study").options[:2] == ["starter (given)", "starter"]


def test_a_file_that_changed_is_read_again(tmp_path, monkeypatch):
    from pages.ui import session

    folder = small_study(tmp_path / "mine")
    monkeypatch.setenv("ESR_STUDY", str(folder))
    assert set(open_app().dataframe[0].value.index) == {"run", "other"}
    (folder / "runs" / "third.csv").write_text("run,topic,doc,rank\nthird,1,a,1\nthird,2,b,1\n")
    session.fingerprint.clear()  # it would look again by itself a few seconds later
    assert "third" in open_app().dataframe[0].value.index


@pytest.mark.parametrize("content", [
    None, {}, {"assessments.csv": "topic,doc,start,end\n1,a,5,x\n", "runs/r.csv": "?"}])
def test_a_bad_study_folder_is_explained_not_thrown(tmp_path, monkeypatch, content):
    folder = tmp_path / "broken"
    for name, text in (content or {}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    if content == {}:
        folder.mkdir()
    monkeypatch.setenv("ESR_STUDY", str(folder))
    at = open_app()
    assert not at.exception
    assert "cannot be opened" in at.title[0].value
    assert at.code[0].value
    assert "Traceback" not in said(at)
    at.selectbox(key="study").set_value("starter").run()
    assert not at.error
    assert len(at.get("plotly_chart")) == 2


# ---------------------------------------------------------------- data are not markup

NASTY = '=1+1 <img src=x> **bold** [x](http://evil.example)'


def test_names_from_data_never_reach_markdown(tmp_path, monkeypatch):
    monkeypatch.setenv("ESR_STUDY", str(small_study(tmp_path / "nasty", "**name** <b>x</b>", NASTY)))
    at = open_app()
    assert not at.exception
    for kind in ("markdown", "caption", "title", "header", "subheader", "error", "warning", "info"):
        for element in at.get(kind):
            assert "evil.example" not in str(element.value)
            assert "**name**" not in str(element.value)


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "\x00x"])
def test_csv_cells_that_a_spreadsheet_would_run_are_disarmed(cell):
    from pages.ui.downloads import csv_bytes

    frame = pd.DataFrame({"run": [cell, "plain"], cell: [-.5, .25]})
    text = csv_bytes(frame).decode("utf-8-sig")
    back = pd.read_csv(io.StringIO(text.replace("\x00", "")), lineterminator="\n")
    assert back.columns[1].startswith("'")
    assert back["run"][0].startswith("'")
    assert back["run"][1] == "plain"
    assert list(back.iloc[:, 1]) == [-.5, .25]  # numbers stay numbers


def test_file_names_are_harmless():
    from pages.ui.downloads import file_stem

    assert file_stem("../../etc/passwd: <x>") == "etc-passwd-x"
    assert file_stem("///") == "study"
