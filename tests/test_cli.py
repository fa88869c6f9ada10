"""The `esr` command: what each subcommand prints, writes and returns."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import esr_core as esr
from esr_core import cli
from esr_core.measures import MEASURES, SCORES

ROOT = Path(__file__).parents[1]
DEMO = str(ROOT / "demo_data" / "starter")
RUNS = ["article-bm25", "overlap-bm25", "paragraph-bm25", "random", "section-bm25"]

QRELS = "1 Q0 a 20 100 10 10:20\n1 Q0 b 0 50\n2 Q0 c 10 40 0 0:10\n3 Q0 a 0 100\n"
RUN = "1 Q0 a 1 9 first 0 40\n1 Q0 b 2 8 first 0 10\n2 Q0 c 1 9 first 0 30\n3 Q0 a 1 9 first 0 30\n"
OTHER = "2 Q0 c 1 9 second_run 0 10\n"  # nothing for topics 1 and 3


@pytest.fixture
def esr_command(capsys):
    """Runs the command: (exit code, stdout, stderr)."""
    def run(*arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()
        try:
            code = cli.main([str(a) for a in arguments])
        except SystemExit as stop:  # argparse ends the process itself
            code = stop.code
        said = capsys.readouterr()
        return code, said.out, said.err
    return run


@pytest.fixture
def wrong_use(esr_command):
    """Exit code 2 with one line on stderr and nothing on stdout; returns the line."""
    def run(*arguments: object) -> str:
        code, out, err = esr_command(*arguments)
        assert (code, out) == (2, "")
        assert re.fullmatch(r"esr[^\n]+\n", err), err
        return err.removeprefix("esr: ").rstrip("\n")
    return run


@pytest.fixture
def small(tmp_path) -> list[str]:
    """Options that name a small study: 3 topics, the last with nothing relevant; two runs, one incomplete."""
    for name, text in (("qrels", QRELS), ("first", RUN), ("second", OTHER)):
        (tmp_path / name).write_text(text)
    return ["--qrels", str(tmp_path / "qrels"), "--runs", str(tmp_path / "first"), str(tmp_path / "second")]


# ---------------------------------------------------------------- evaluate

def test_table(esr_command, small):
    code, out, err = esr_command("evaluate", *small, "-m", "HP@1", "-m", "CE@1", "-m", "AP")
    assert code == 0
    assert out == ("run           HP@1    CE@1      AP\n"
                   "first       0.4167  0.0000  1.0000\n"
                   "second_run  0.5000  2.0000  0.5000\n"
                   "# mean over 2 topics; results ordered by file order, as INEX evaluators did\n"
                   "# lower is better: CE@1\n")
    assert err.splitlines() == [
        "esr: warning: run 'second_run' has no results for 2 assessed topics (1, 3); they are counted as empty lists",
        *(f"esr: warning: {m}: undefined for 1 topics with nothing relevant; they are left out of the means"
          for m in ("HP@1", "CE@1", "AP"))]


def test_table_per_topic(esr_command, small):
    code, out, _ = esr_command("evaluate", *small, "-m", "HP@1", "--per-topic", "--run", "first")
    assert code == 0
    assert out.splitlines()[:5] == ["run    topic    HP@1", "first  1      0.5000", "first  2      0.3333",
                                    "first  3           –", "first  all    0.4167"]


def test_csv_is_tidy_and_exact(esr_command, small):
    code, out, _ = esr_command("evaluate", *small, "-m", "HP@1", "-m", "iP[0.1]", "--format", "csv", "--per-topic")
    assert code == 0
    rows = list(csv.DictReader(io.StringIO(out)))
    assert list(rows[0]) == ["run", "topic", "measure", "asked", "value"]
    assert [(r["run"], r["topic"]) for r in rows[::2]] == [(run, t) for run in ("first", "second_run")
                                                           for t in ("1", "2", "3", "all")]
    assert {(r["measure"], r["asked"]) for r in rows} == {("HP(alpha=0)@1", "HP@1"), ("iP(alpha=0)@0.1", "iP[0.1]")}
    values = {(r["run"], r["topic"], r["asked"]): r["value"] for r in rows}
    assert values["first", "2", "HP@1"] == repr(10 / 30)
    assert values["first", "3", "HP@1"] == ""
    assert values["first", "all", "HP@1"] == repr((0.5 + 10 / 30) / 2)
    means = esr_command("evaluate", *small, "-m", "HP@1", "--format", "csv")[1]
    assert means.splitlines()[1:] == [f"first,all,HP(alpha=0)@1,HP@1,{(0.5 + 10 / 30) / 2!r}",
                                      "second_run,all,HP(alpha=0)@1,HP@1,0.5"]


def test_csv_starts_no_formula(esr_command, tmp_path):
    (tmp_path / "run").write_text('run,topic,rank,doc\n=cmd(),1,1,a\n')
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    out = esr_command("evaluate", "--qrels", tmp_path / "qrels", "--runs", tmp_path / "run", "-m", "AP", "--format",
                      "csv")[1]
    assert out.splitlines()[1] == "'=cmd(),all,AP,AP,1.0"


def test_json_has_the_documented_shape(esr_command, small):
    code, out, err = esr_command("evaluate", *small, "-m", "HP@1", "-m", "iP[0.1]", "--format", "json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert list(found) == ["study", "scores", "means", "warnings"]
    assert found["study"] == {"name": "study", "unit": "characters", "runs": 2, "topics": 3,
                              "order": dict.fromkeys(["first", "second_run"], "file order, as INEX evaluators did")}
    assert all(set(row) == {"run", "topic", "measure", "asked", "value"} for row in found["scores"])
    assert all(set(row) == {"run", "measure", "asked", "value"} for row in found["means"])
    assert len(found["scores"]) == 2 * 3 * 2
    assert len(found["means"]) == 2 * 2
    first = {"run": "first", "measure": "HP(alpha=0)@1", "asked": "HP@1"}
    assert first | {"topic": "2", "value": 10 / 30} in found["scores"]
    assert first | {"topic": "3", "value": None} in found["scores"]
    assert first | {"value": (0.5 + 10 / 30) / 2} in found["means"]
    assert [w for w in found["warnings"] if not isinstance(w, str)] == []
    assert len(found["warnings"]) == 3
    assert esr_command("evaluate", *small, "-m", "HP@1", "-m", "iP[0.1]", "--format", "json", "--per-topic")[1] == out


def by_key(rows: list[dict]) -> dict[tuple[str, str, str], float]:
    return {(row["run"], row["topic"], row["measure"]): row["value"] for row in rows}


def test_json_is_what_python_says(esr_command):
    found = json.loads(esr_command("evaluate", DEMO, "--format", "json")[1])
    result = esr.load(DEMO).evaluate()
    assert by_key(found["scores"]) == by_key(result.scores.to_dict("records"))
    assert {(m["run"], m["measure"]): m["value"] for m in found["means"]} == result.means.stack().to_dict()


def test_latex(esr_command, small):
    code, out, _ = esr_command("evaluate", *small, "-m", "HP@1", "-m", "CE@1", "--format", "latex")
    assert code == 0
    assert out.splitlines() == [
        r"\begin{tabular}{lrr}", r"\toprule", r"Run & HP@1 & CE@1 \\", r"\midrule",
        r"first & 0.4167 & \textbf{0.0000} \\",  # lower effort is better
        r"second\_run & \textbf{0.5000} & 2.0000 \\", r"\bottomrule", r"\end{tabular}"]
    per_topic = esr_command("evaluate", *small, "-m", "HP@1", "--format", "latex", "--per-topic")[1]
    assert r"\begin{tabular}{llr}" in per_topic
    assert r"first & 3 & -- \\" in per_topic


@pytest.mark.parametrize("form", ["table", "csv", "json", "latex"])
def test_output_goes_to_a_file(esr_command, small, tmp_path, form):
    arguments = ("evaluate", *small, "-m", "HP@1", "--format", form, "--per-topic")
    _, printed, warned = esr_command(*arguments)
    code, out, err = esr_command(*arguments, "-o", tmp_path / "scores")
    assert (code, out, err) == (0, "", warned)
    assert (tmp_path / "scores").read_text(encoding="utf-8") == printed


def test_output_that_cannot_be_written(esr_command, small, tmp_path):
    for target in (tmp_path, tmp_path / "no" / "such" / "folder"):
        code, out, err = esr_command("evaluate", *small, "-m", "AP", "-o", target)
        assert (code, out) == (2, "")
        assert f"{target}: cannot be written" in err


def test_missing_topics_count_as_asked(esr_command, small):
    def of_second(missing: str) -> tuple[dict, list[str]]:
        found = json.loads(esr_command("evaluate", *small, "-m", "HP@1", "--missing", missing, "--format", "json")[1])
        mean = next(m["value"] for m in found["means"] if m["run"] == "second_run")
        return {s["topic"]: s["value"] for s in found["scores"] if s["run"] == "second_run"} | {"all": mean}, \
            found["warnings"]

    zero, warned = of_second("zero")
    assert zero == {"1": 0, "2": 1, "3": None, "all": 0.5}
    assert "run 'second_run' has no results for 2 assessed topics (1, 3); they are counted as empty lists" in warned
    skip, warned = of_second("skip")
    assert skip == {"1": None, "2": 1, "3": None, "all": 1}
    assert "run 'second_run' has no results for 2 assessed topics (1, 3); they are left out of the means" in warned
    code, out, err = esr_command("evaluate", *small, "-m", "HP@1", "--missing", "error")
    assert (code, out) == (1, "")
    assert err == "esr: run 'second_run' has no results for assessed topic '1'\n"
    assert esr_command("evaluate", *small, "-m", "HP@1", "--missing", "error", "--run", "first")[0] == 0


def test_selections(esr_command):
    """Runs and topics come in the order asked for; their values are those of the whole study."""
    whole = json.loads(esr_command("evaluate", DEMO, "-m", "AiP", "--format", "json")[1])
    part = json.loads(esr_command("evaluate", DEMO, "-m", "AiP", "--format", "json", "--run", "random", "article-bm25",
                                  "--topic", "3", "1")[1])
    assert [(s["run"], s["topic"]) for s in part["scores"]] == [
        ("random", "3"), ("random", "1"), ("article-bm25", "3"), ("article-bm25", "1")]
    for score in part["scores"]:
        assert score in whole["scores"]


@pytest.mark.parametrize(("option", "name", "said"), [
    ("--run", "artcle-bm25", "no run 'artcle-bm25' in this study; did you mean 'article-bm25'?"),
    ("--run", "zzz", f"no run 'zzz' in this study; known: {', '.join(RUNS)}"),
    ("--topic", "99", "no topic '99' in this study; known: 1, 2, 3, 4, 5, 6"),
])
def test_unknown_runs_and_topics(wrong_use, option, name, said):
    assert wrong_use("evaluate", DEMO, "-m", "AiP", option, name) == said


@pytest.mark.parametrize(("measure", "said"), [
    ("AiPP", "no measure 'AiPP'; did you mean 'AiP'?"), ("P", "P needs a rank cut-off, for example P@10"),
    ("AiP(alpha=3)", "AiP: alpha=3 is out of range 0 … 1; the nearest is 1"), ("", "'': expected a name"),
    ("AiP\nAiP", "'AiP AiP': expected nothing more, found AiP"),
])
def test_measures_are_checked_before_the_data_is_read(wrong_use, measure, said):
    assert said in wrong_use("evaluate", "/no/such/study", "-m", "AP", "-m", measure)


def test_the_study_names_its_default_measures(esr_command):
    found = json.loads(esr_command("evaluate", DEMO, "--format", "json")[1])
    assert list(dict.fromkeys(m["asked"] for m in found["means"])) == ["AiP", "iP@0.01", "AgP", "ANCE@10", "AP"]


@pytest.mark.parametrize(("arguments", "said"), [
    ((), "COMMAND"), (("evaluat",), "invalid choice: 'evaluat'"),
    (("evaluate",), "name a study folder, or give --qrels and --runs"),
    (("evaluate", DEMO, "--format", "xls"), "--format: invalid choice: 'xls'"),
    (("evaluate", DEMO, "--missing", "none"), "--missing: invalid choice: 'none'"),
    (("evaluate", DEMO, "--engine", "threads"), "--engine: invalid choice: 'threads'"),
    (("evaluate", DEMO, "-m"), "expected one argument"),
    (("evaluate", DEMO, "--nonsense"), "unrecognized arguments: --nonsense"),
    (("evaluate", DEMO, "--unit", "words"), "--unit: invalid choice: 'words'"),
    (("evaluate", DEMO, "--scheduler", "tcp://here:1"), "--scheduler goes with --engine dask"),
    (("explain", DEMO), "required: -m"),
    (("explain", DEMO, "-m", "AiP"), "explain needs one --run and one --topic"),
    (("explain", DEMO, "-m", "AiP", "--run", "a", "b", "--topic", "1"), "explain needs one --run and one --topic"),
    (("convert", DEMO), "required: --to"),
    (("convert", DEMO, "--to", "x", "--tables", "xls"), "--tables: invalid choice: 'xls'"),
    (("measures", "--format", "latex"), "--format: invalid choice: 'latex'"),
    (("app", "--port", "many"), "--port: invalid int value: 'many'"),
])
def test_wrong_use(wrong_use, arguments, said):
    assert said in wrong_use(*arguments)


def test_errors_are_one_line_whatever_was_typed(wrong_use, small):
    wrong_use("evaluate", *small, "-m", "AP", "--run", "two\nlines")


def test_processes_give_the_same_output(esr_command):
    arguments = ("evaluate", DEMO, "--format", "json", "-m", "AiP", "-m", "AgP(score=T2IF)", "-m", "ANCE@10")
    assert esr_command(*arguments, "--engine", "processes") == esr_command(*arguments)


def test_dask_without_distributed_names_the_remedy(wrong_use, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)  # as if it were not installed
    said = wrong_use("evaluate", DEMO, "-m", "AP", "--engine", "dask")
    assert said == "--engine dask needs the package 'distributed': pip install 'esr-explorer[dask]'"


# ---------------------------------------------------------------- the command as a process

def process(*arguments: str, **options) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-m", "esr_core.cli", *arguments], capture_output=True, text=True, cwd=ROOT,
                          timeout=60, check=False, **options)


def test_the_installed_command():
    program = Path(sys.executable).with_name("esr")
    if not program.exists():
        pytest.skip("not installed")
    done = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, f"esr {esr.__version__}\n")


def test_exit_codes_reach_the_shell():
    assert process("evaluate", "/no/such/study", "-m", "AP").returncode == 1
    assert process("evaluate", DEMO, "-m", "nonsense").returncode == 2
    done = process("evaluate", DEMO, "-m", "AP")
    assert (done.returncode, done.stderr) == (0, "")  # no progress where nobody looks


@pytest.mark.parametrize("arguments", [["measures"], ["evaluate", DEMO, "--per-topic", "--format", "csv"],
                                       ["validate", DEMO]])
def test_a_reader_that_leaves_early_is_no_error(arguments):
    """`esr measures | head -1`: the pipe is closed before anything is written."""
    with subprocess.Popen([sys.executable, "-m", "esr_core.cli", *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, cwd=ROOT) as command:
        command.stdout.close()
        said = command.stderr.read()
        assert (command.wait(timeout=60), said) == (0, b"")


def test_a_terminal_that_knows_only_ascii(small):
    done = process("evaluate", *small, "-m", "HP@1", "--per-topic", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)


# ---------------------------------------------------------------- explain

@pytest.mark.parametrize("measure", ["AP", "P@3", "HP@2", "iP@0.01", "AiP", "IoU@2", "AgP", "gP(score=T2IF)@2", "CE@3",
                                     "ANCE@3"])
def test_an_explanation_ends_in_the_value(esr_command, measure):
    code, out, err = esr_command("explain", DEMO, "-m", measure, "--run", "section-bm25", "--topic", "2")
    assert (code, err) == (0, "")
    value = esr.load(DEMO).select(runs=["section-bm25"], topics=["2"]).evaluate(measure).values[0, 0, 0]
    head = re.match(r"(\S+) = (\S+)   \(run section-bm25, topic 2\)\n", out)
    assert head is not None
    assert head[1] == str(esr.measures.parse(measure))
    assert float(head[2]) == pytest.approx(value, rel=1e-5)
    assert "contribution" in out
    assert "  = " in out.splitlines()[2]


def test_what_cannot_be_explained(esr_command, wrong_use, small):
    options = [*small, "-m", "HP@1"]
    assert wrong_use("explain", *options, "--run", "frist", "--topic", "1").endswith("did you mean 'first'?")
    assert wrong_use("explain", *options, "--run", "first", "--topic", "12").startswith("no topic '12' in this study")
    assert wrong_use("explain", *small, "-m", "HPP@1", "--run", "first", "--topic", "1").startswith("no measure 'HPP'")
    code, out, err = esr_command("explain", *options, "--run", "first", "--topic", "3")
    assert (code, out) == (1, "")
    assert err == "esr: HP@1 is undefined for topic '3': nothing is relevant\n"


# ---------------------------------------------------------------- validate

def test_validate(esr_command):
    code, out, err = esr_command("validate", DEMO)
    assert (code, err) == (0, "")
    for line in ("study       Keepers of the light", "runs        5, ", "topics      6, 6 assessed",
                 "offsets count characters", "assessments.csv: CSV table of highlights", "warnings    none",
                 "not part of the study: build.py, judgements.toml"):
        assert line in out
    can = re.search(r"measures that can be computed \(\d+\)\n  (.*)\n", out)[1].split(", ")
    assert set(can) >= set(esr.load(DEMO).computable().query("computable")["measure"])


def test_validate_says_what_is_odd_and_what_cannot_be_computed(esr_command, tmp_path):
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 a 2\n")
    (tmp_path / "run").write_text("1 Q0 a 1 9 t\n7 Q0 a 1 9 t\n")
    code, out, err = esr_command("validate", "--qrels", tmp_path / "qrels", "--runs", tmp_path / "run")
    assert (code, err) == (0, "")
    assert "warnings    2\n" in out
    assert f"{tmp_path / 'qrels'}:2: a document is judged twice" in out
    assert "1 topics of the runs have no assessments (7)" in out
    assert "t: 1 results for 1 of 1 assessed topics, ordered by score in single precision" in out
    assert "documents   none loaded; 0 lengths known" in out
    assert "  AiP: AiP needs highlighted text; this study has judged documents\n" in out


# ---------------------------------------------------------------- convert

ARTICLE = "<article><p>{}</p><sec><st>Head</st><p>{}</p></sec></article>"
RICH = {
    "study.toml": 'name = "every \\"kind\\""\ndescription = "a\\nb\\u007f"\nunit = "characters"\n'
                  'questions = ["Why?", "é"]\n[defaults]\nmeasures = ["AiP", "AgP", "AP"]\n[classes]\nst = "section"\n',
    "topics.csv": 'topic,title,description\n1,"first, one",long\n2,"the ""second""",\n3,third,\n',
    "documents/a.xml": ARTICLE.format("lighthouse " * 10, "keeper " * 20),
    "documents/b.xml": ARTICLE.format("fog " * 10, "bell " * 20),
    "documents/c.xml": ARTICLE.format("tide " * 5, "table " * 10),
    "assessments/fol.txt": "1 Q0 a 30 254 10 10:20 150:10\n1 Q0 b 0 144\n2 Q0 c 15 89 0 0:15\n3 Q0 b 0 144\n",
    "assessments/grades.csv": "topic,doc,path,exhaustivity,specificity\n1,a,/article[1],3,1\n1,a,/article[1]/p[1],2,3\n"
                              "2,c,/article[1],0,0\n",
    "assessments/units.csv": "topic,doc,path,relevance,unit\n1,a,/article[1]/p[1],5,u\n1,a,/article[1]/sec[1],5,u\n"
                             "2,c,/article[1]/p[1],2.5,\n",
    "runs/trees.csv": "topic,rank,doc,path,start,end\n1,1,a,/article[1]/p[1],,\n1,1,a,/article[1]/sec[1]/p[1],,\n"
                      "1,2,b,/article[1],,\n2,1,c,,0,20\n2,1,c,,50,60\n2,2,c,,,\n2,3,c,/article[1]/p[9],,\n9,1,a,,0,5\n",
    "runs/passages.txt": "1 Q0 a 1 9.5 fol 0 40\n1 Q0 a 2 9.25 fol X X\n1 Q0 b 3 1e-7 fol 0 1000\n"
                         "2 Q0 c 1 3 fol 5 20\n",
    "runs/documents.txt": "2 Q0 c 1 0.1 trec\n1 Q0 b 2 0.2 trec\n1 Q0 a 1 0.2 trec\n",
    "runs/elements.xml": '<inex-submission run-id="xml run"><topic topic-id="1"><result><file>a</file>'
                         "<path>/article[1]/sec[1]</path><rank>1</rank></result></topic></inex-submission>",
    "runs/nothing.csv": "topic,rank,doc\n",
    "navigation.csv": "doc,source,target,probability\na,/article[1],/article[1]/p[1],0.1\n"
                      "a,/article[1],/article[1],0.9\nc,/article[1]/p[1],/article[1]/sec[1],0.3333333333333333\n",
    "routes.csv": "route,step,doc,path\nu1,2,a,/article[1]/p[1]\nu1,1,a,/article[1]\nu2,1,c,/article[1]\n",
}


@pytest.fixture
def rich(tmp_path) -> Path:
    """A study with every kind of assessment, run and table, and most things that are allowed to be odd."""
    for name, content in RICH.items():
        (tmp_path / "rich" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "rich" / name).write_text(content, encoding="utf-8")
    return tmp_path / "rich"


def all_scores(study: esr.Study) -> pd.DataFrame:
    """Every measure that the study can feed, and some with other parameters, by run, topic and measure."""
    frame = study.computable().query("computable")
    cut = {"rank": "@2", "level": "@0.1", "ideals": "@0.5", "amount": "@1", None: ""}
    asked = [m + cut[MEASURES[m].at if m in MEASURES else None] for m in frame["measure"]]
    assert {"AiP", "AP", "CE@2", "AgP(score=BEP)", "AgP(score=T2IF)"} <= set(asked)
    more = ["HP(alpha=1)@3", "AgP(score=aveChP(order=worst),group=merge)", "NCE(task=document)@3"]
    return study.evaluate([*asked, *more]).scores.sort_values(["run", "topic", "asked"], ignore_index=True)


def same(one: pd.DataFrame, other: pd.DataFrame) -> bool:
    """Frames of scores with the same rows and values, NaN equal to NaN."""
    keys = ["run", "topic", "measure"]
    one, other = (f.sort_values(keys, ignore_index=True)[[*keys, "value"]] for f in (one, other))
    return one[keys].equals(other[keys]) and np.array_equal(one["value"], other["value"], equal_nan=True)


@pytest.mark.parametrize("topic", ["1", "2", "3"])
def test_a_topic_alone_scores_as_among_others(rich, topic):
    whole, part = esr.load(rich), esr.load(rich).select(topics=[topic])
    assert same(all_scores(part), all_scores(whole).query("topic == @topic"))


def test_ideals_of_other_topics_are_no_part_of_a_list():
    """Document b is not among the documents; its element is an ideal of topic 2 and a result of topic 1."""
    study = esr.load(documents={"doc": ["a", "a"], "path": ["/x[1]", "/x[1]/p[1]"], "start": [0, 0], "end": [9, 5]},
                     assessments={"topic": ["1", "2"], "doc": ["a", "b"], "path": ["/x[1]", "/x[1]"],
                                  "relevance": [1, 1]},
                     runs={"topic": ["1"], "rank": [1], "doc": ["b"], "path": ["/x[1]"]})
    whole, alone = (s.evaluate("PRUM@1").scores.query("topic == '1'")["value"].item()
                    for s in (study, study.select(topics=["1"])))
    assert whole == alone


@pytest.mark.parametrize("run", ["trees", "fol", "trec", "xml run", "nothing"])
def test_a_run_alone_scores_as_among_others(rich, run):
    """What a study can feed may depend on the run, never its scores."""
    whole, part = esr.load(rich), esr.load(rich).select(runs=[run])
    measures = ["AP", "gR@2", "gRc@2", "ESRP@2", "SRP@2", "nxCG@2", "PRUM@1"]
    if run != "trec":  # which names documents only
        measures += ["AiP", "AgP", "ANCE@2", "SRiP@2"]
    assert same(part.evaluate(measures).scores, whole.evaluate(measures).scores.query("run == @run"))


def named(study: esr.Study, rows: dict) -> list[tuple]:
    names = {"doc": study.doc_ids, "source": study.paths, "target": study.paths, "path": study.paths,
             "route": rows.get("names")}
    columns = {c: [names[c][i] for i in v] if c in names else list(v) for c, v in rows.items() if c != "names"}
    return sorted(zip(*(columns[c] for c in sorted(columns)), strict=True))


@pytest.mark.parametrize("tables", ["csv", "parquet"])
def test_a_converted_study_is_the_same_study(esr_command, rich, tmp_path, tables):
    code, out, err = esr_command("convert", rich, "--to", tmp_path / "new", "--tables", tables)
    assert (code, err) == (0, "")
    written = {Path(line) for line in out.splitlines()}
    assert written == {p for p in (tmp_path / "new").rglob("*") if p.is_file()}
    assert {p.suffix for p in written} == {f".{tables}", ".toml"}
    old, new = esr.load(rich), esr.load(tmp_path / "new")
    before, after = all_scores(old), all_scores(new)
    assert set(before["run"]) == {"trees", "fol", "trec", "xml run", "nothing"}
    assert before.equals(after)
    assert np.isfinite(before["value"]).mean() > 0.5
    for kind, frame in old.assessments.items():
        keys = list(frame.columns.difference(["unit"]))
        again = new.assessments[kind]
        assert again.sort_values(keys)[keys].to_dict("list") == frame.sort_values(keys)[keys].to_dict("list"), kind
    tree = old.assessments["units"].groupby("unit").size()
    assert sorted(new.assessments["units"].groupby("unit").size()) == sorted(tree) == [1, 2]
    keys = ["run", "topic", "rank", "doc", "path", "start", "end", "score"]
    assert new.runs[keys].sort_values(keys[:6], ignore_index=True).equals(
        old.runs[keys].sort_values(keys[:6], ignore_index=True))
    elements = ["doc", "path", "start", "end", "length"]
    assert new.documents[elements].sort_values(elements, ignore_index=True).equals(
        old.documents[elements].sort_values(elements, ignore_index=True))
    assert named(new, new.navigation_rows) == named(old, old.navigation_rows)
    assert len(new.navigation_rows["doc"]) == 2  # the diagonal is dropped
    assert named(new, new.route_rows) == named(old, old.route_rows)
    assert {t: dict(v) for t, v in new.titles.items() if v["title"]} == {t: dict(v) for t, v in old.titles.items()}
    for fact in ("name", "description", "unit"):
        assert getattr(new, fact) == getattr(old, fact)
    for setting in ("questions", "defaults", "classes"):
        assert new.defaults[setting] == old.defaults[setting]


@pytest.mark.parametrize("tables", ["csv", "parquet"])
def test_the_demo_converts_to_the_same_scores(esr_command, tmp_path, tables):
    esr_command("convert", DEMO, "--to", tmp_path / "new", "--tables", tables)
    arguments = ("--format", "csv", "--per-topic")
    assert esr_command("evaluate", tmp_path / "new", *arguments)[1] == esr_command("evaluate", DEMO, *arguments)[1]


@pytest.mark.parametrize("options", [
    ["--qrels", "qrels", "--runs", "first", "second"], ["--qrels", "trec", "--runs", "trec run"],
    ["--qrels", "lengths.csv", "--runs", "first"],
], ids=["FOL", "TREC", "no documents"])
@pytest.mark.parametrize("tables", ["csv", "parquet"])
def test_plain_files_convert_too(esr_command, small, tmp_path, monkeypatch, options, tables):
    monkeypatch.chdir(tmp_path)
    Path("trec").write_text("1 0 a 1\n1 0 b 0\n2 0 c 2\n")
    Path("trec run").write_text("1 Q0 b 1 2.5 007\n1 Q0 a 2 2.5 007\n2 Q0 c 1 1 007\n")
    Path("lengths.csv").write_text("topic,doc,start,end,doc_length\n1,a,0,30,\n2,c,5,9,40\n")
    before = json.loads(esr_command("evaluate", *options, "--format", "json")[1])
    assert esr_command("convert", *options, "--to", "new", "--tables", tables)[0] == 0
    after = json.loads(esr_command("evaluate", "new", "--format", "json")[1])
    assert after["scores"] == before["scores"]
    assert len(before["scores"]) > 0


def test_part_of_a_study_converts(esr_command, rich, tmp_path):
    code, _, err = esr_command("convert", rich, "--to", tmp_path / "new", "--run", "fol", "--topic", "1")
    assert (code, err) == (0, "")
    new = esr.load(tmp_path / "new")
    assert (new.run_names, new.topic_ids) == (("fol",), ("1",))
    old = esr.load(rich).select(runs=["fol"], topics=["1"])
    assert new.evaluate().values.tolist() == old.evaluate().values.tolist()


def test_settings_survive_as_toml(esr_command, rich, tmp_path):
    esr_command("convert", rich, "--to", tmp_path / "new")
    assert tomllib.loads((tmp_path / "new" / "study.toml").read_text("utf-8")) == tomllib.loads(RICH["study.toml"])


def test_conversion_overwrites_nothing(esr_command, wrong_use, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("mine")
    (tmp_path / "file").write_text("mine")
    for target in ("full", "file"):
        assert wrong_use("convert", DEMO, "--to", tmp_path / target).endswith(
            "is there already and not empty; name a new folder")
    assert "cannot be written" in wrong_use("convert", DEMO, "--to", tmp_path / "file" / "below")
    assert [p.name for p in sorted(tmp_path.rglob("*"))] == ["file", "full", "mine"]
    (tmp_path / "empty").mkdir()
    assert esr_command("convert", DEMO, "--to", tmp_path / "empty")[0] == 0


def test_an_empty_run_whose_name_is_no_file_name(wrong_use, tmp_path):
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "run.xml").write_text('<inex-submission run-id="a/b"></inex-submission>')
    said = wrong_use("convert", "--qrels", tmp_path / "qrels", "--runs", tmp_path / "run.xml", "--to", tmp_path / "new")
    assert said.startswith("run 'a/b' has no results, and its name cannot be that of a file")
    assert not (tmp_path / "new").exists()


# ---------------------------------------------------------------- measures

def test_the_catalogue_names_every_measure(esr_command):
    code, out, err = esr_command("measures")
    assert (code, err) == (0, "")
    for declaration in (*MEASURES.values(), *SCORES.values()):
        assert f"  {declaration.usage}\n" in out
    assert out.endswith("esr measures NAME shows one in full.\n")


@pytest.mark.parametrize("name", [*MEASURES, *SCORES])
def test_one_measure_in_full(esr_command, name):
    code, out, err = esr_command("measures", name)
    assert (code, err) == (0, "")
    declaration = MEASURES.get(name) or SCORES[name]
    for part in (declaration.usage, declaration.formula, "reference", "@", declaration.reference.bibtex.split("\n")[0]):
        assert part in out
    for parameter in declaration.parameters:
        assert f"  {parameter.name} = {parameter.default}   ({parameter.range})" in out
    assert (name in MEASURES) + (name in SCORES) == out.count("  formula  ")


def test_measures_as_json(esr_command):
    everything = json.loads(esr_command("measures", "--format", "json")[1])
    assert {d["name"] for d in everything if d["section"] == "measure"} == set(MEASURES)
    one, = json.loads(esr_command("measures", "AiP", "--format", "json")[1])
    assert one in everything
    assert (one["name"], one["at"], one["better"], one["parameters"][0]["name"]) == ("AiP", None, "higher", "alpha")
    assert one["bibtex"].startswith("@")


def test_measures_as_markdown(esr_command, tmp_path):
    whole = esr_command("measures", "--format", "markdown")[1]
    one = esr_command("measures", "iP", "--format", "markdown")[1]
    assert one.startswith("### iP: ")
    assert one in whole
    code, out, _ = esr_command("measures", "--format", "markdown", "-o", tmp_path / "measures.md")
    assert (code, out) == (0, "")
    assert (tmp_path / "measures.md").read_text("utf-8") == whole


def test_an_unknown_measure(wrong_use):
    assert wrong_use("measures", "AiPP") == "no measure 'AiPP'; did you mean 'AiP'?"


# ---------------------------------------------------------------- app

def test_app_without_a_study(wrong_use):
    assert wrong_use("app", "/no/such/study") == "there is no study /no/such/study"


def test_app_without_the_dashboard(wrong_use, monkeypatch, tmp_path):
    monkeypatch.setattr(cli, "__file__", str(tmp_path / "esr_core" / "cli.py"))
    assert wrong_use("app") == "the dashboard is not here; run esr app from a checkout with 'pip install -e .'"


def test_app_starts_streamlit_on_the_study(esr_command, monkeypatch):
    called = {}

    class Server:
        def __init__(self, command, env, cwd):
            called.update(command=command, env=env, cwd=cwd)

        def poll(self):
            return 7

        wait = poll

    monkeypatch.setattr(subprocess, "Popen", Server)
    monkeypatch.delenv("ESR_STUDY", raising=False)
    assert esr_command("app", DEMO, "--port", "9", "--no-browser")[0] == 7
    assert called["command"][1:4] == ["-m", "streamlit", "run"]
    assert called["command"][-4:] == ["--server.port", "9", "--server.headless", "true"]
    assert called["env"]["ESR_STUDY"] == DEMO
    esr_command("app")
    assert "ESR_STUDY" not in called["env"]
