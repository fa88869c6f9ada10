"""Dirty files through the command line: refused in one line with file and line, or taken with a counted warning.

Scores are worked out by hand. The good study, in every format: topic 1 has 20 relevant characters (10 to 30) in
document a, topic 2 has 10 (0 to 10) in c; the run shows a 0-40 and b 0-10 for topic 1 and c 0-20 for topic 2.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import signal
import struct
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

import esr_core as esr
from esr_core.cli import main
from esr_core.errors import DataError
from esr_core.readers.source import Limits, Source

RUNS = {
    "TREC": "1 Q0 a 1 9 tag\n1 Q0 b 2 8 tag\n2 Q0 c 1 9 tag\n",
    "FOL": "1 Q0 a 1 9 tag 0 40\n1 Q0 b 2 8 tag 0 10\n2 Q0 c 1 9 tag 0 20\n",
    "CSV": "topic,rank,doc,start,end,score\n1,1,a,0,40,9\n1,2,b,0,10,8\n2,1,c,0,20,9\n",
    "JSONL": '{"topic": "1", "doc": "a", "start": 0, "end": 40, "score": 9}\n'
             '{"topic": "1", "doc": "b", "start": 0, "end": 10, "score": 8}\n'
             '{"topic": "2", "doc": "c", "start": 0, "end": 20, "score": 9}\n',
    "XML": '<inex-submission run-id="tag">\n'
           '<topic topic-id="1">\n'
           '<result><file>a</file><fol offset="0" length="40"/><rank>1</rank><rsv>9</rsv></result>\n'
           '<result><file>b</file><fol offset="0" length="10"/><rank>2</rank><rsv>8</rsv></result>\n'
           '</topic><topic topic-id="2">\n'
           '<result><file>c</file><fol offset="0" length="20"/><rank>1</rank><rsv>9</rsv></result>\n'
           '</topic></inex-submission>\n',
}
QRELS = {
    "TREC": "1 0 a 1\n1 0 b 0\n2 0 c 1\n",
    "FOL": "1 Q0 a 20 100 10 10:20\n1 Q0 b 0 50\n2 Q0 c 10 40 0 0:10\n",
    "CSV": "topic,doc,start,end,doc_length\n1,a,10,30,100\n2,c,0,10,40\n",
    "JSONL": '{"topic": "1", "doc": "a", "start": 10, "end": 30}\n{"topic": "2", "doc": "c", "start": 0, "end": 10}\n',
}
TEXT = ("FOL", "CSV", "JSONL")
MEASURES = ["-m", "P@1", "-m", "HP@1", "-m", "HR@1"]
GOOD = {"P@1": [1, 1], "HP@1": [20 / 40, 10 / 20], "HR@1": [1, 1]}


@dataclass
class Shell:
    """Runs the command in a folder of its own and checks the rules that hold for every outcome."""

    folder: Path
    capsys: pytest.CaptureFixture[str]

    def write(self, name: str, content: str | bytes) -> str:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    def run(self, *arguments: str) -> tuple[int, str, str]:
        self.capsys.readouterr()
        code = main(list(arguments))
        said = self.capsys.readouterr()
        return code, said.out, said.err

    def accept(self, *arguments: str) -> dict:
        """Exit code 0; the JSON that was printed."""
        code, out, err = self.run("evaluate", *arguments, "--format", "json")
        assert (code, err) == (0, "")
        return json.loads(out)

    def refuse(self, *arguments: str, command: str = "evaluate") -> str:
        """Exit code 1, nothing printed or written but one line on stderr; returns that line."""
        output = self.folder / "output that must not be"
        option = {"evaluate": ["-o", str(output)], "convert": ["--to", str(output)]}.get(command, [])
        for more in (option, option if command == "convert" else []):
            code, out, err = self.run(command, *arguments, *more)
            assert code == 1, err
            assert out == ""
            assert re.fullmatch(r"esr: [^\n]+\n", err), err
            assert "Traceback" not in err
            assert not output.exists()
        return err[5:-1]

    def study(self, qrels: str | bytes, run: str | bytes) -> list[str]:
        return ["--qrels", self.write("qrels", qrels), "--runs", self.write("run", run)]


@pytest.fixture
def shell(tmp_path, capsys) -> Shell:
    return Shell(tmp_path, capsys)


def values(result: dict) -> dict[str, list]:
    """Values by measure as asked, in the order of topics (of the one run there is)."""
    out: dict[str, list] = {}
    for row in result["scores"]:
        out.setdefault(row["asked"], []).append(row["value"])
    return out


def only_warning(result: dict, *parts: str) -> None:
    assert len(result["warnings"]) == 1, result["warnings"]
    for part in parts:
        assert part in result["warnings"][0]


def change(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1, (text.count(old), old)
    return text.replace(old, new)


# ---------------------------------------------------------------- the good study, however it is written

@pytest.mark.parametrize("run", [*TEXT, "XML"])
@pytest.mark.parametrize("qrels", TEXT)
def test_good_study(shell, run, qrels):
    result = shell.accept(*shell.study(QRELS[qrels], RUNS[run]), *MEASURES)
    assert values(result) == GOOD
    assert result["warnings"] == []


WRITTEN = {
    "UTF-8 BOM": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "UTF-16": lambda text: text.encode("utf-16"),
    "UTF-16 big endian": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    "CRLF": lambda text: text.replace("\n", "\r\n").encode(),
    "old Mac": lambda text: text.replace("\n", "\r").encode(),
    "blank lines": lambda text: b"\n \n" + text.replace("\n", "\n\n").encode() + b"\n\t\n",
    "trailing blanks": lambda text: text.replace("\n", "  \n").encode(),
    "no last line end": lambda text: text.rstrip("\n").encode(),
    "gzip": lambda text: gzip.compress(text.encode()),
}


@pytest.mark.parametrize("way", WRITTEN)
@pytest.mark.parametrize("form", ["TREC", *TEXT, "XML"])
def test_harmless_oddities_change_nothing(shell, form, way):
    write = WRITTEN[way]
    qrels = QRELS.get(form, QRELS["FOL"])
    measures = ["-m", "AP"] if form == "TREC" else MEASURES
    result = shell.accept(*shell.study(write(qrels), write(RUNS[form])), *measures)
    assert values(result) == ({"AP": [1, 1]} if form == "TREC" else GOOD)
    assert result["warnings"] == []


@pytest.mark.parametrize("blank", ["\t", "   ", " \t "])
@pytest.mark.parametrize("form", ["TREC", "FOL"])
def test_any_blanks_part_the_fields_of_a_line(shell, form, blank):
    study = shell.study(QRELS[form].replace(" ", blank), RUNS[form].replace(" ", blank))
    result = shell.accept(*study, *(["-m", "P@1"] if form == "TREC" else MEASURES))
    assert values(result)["P@1"] == [1, 1]
    assert result["warnings"] == []


@pytest.mark.parametrize("form", TEXT)
def test_identifiers_outside_ascii(shell, form):
    names = {'"a"': '"Ä"', " a ": " Ä ", ",a,": ",Ä,"}
    qrels, run = QRELS[form], RUNS[form]
    for old, new in names.items():
        qrels, run = qrels.replace(old, new), run.replace(old, new)
    assert "Ä" in qrels
    assert "Ä" in run
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        result = shell.accept(*shell.study(qrels.encode(encoding), run.encode(encoding)), *MEASURES)
        assert values(result) == GOOD


# ---------------------------------------------------------------- refused: lines and cells

BROKEN_RUNS = [
    # (what, format, text to change, into, line, what is said)
    ("truncated last line", "TREC", "2 Q0 c 1 9 tag\n", "2 Q0 c", 3, "3 columns instead of 6; expected 'topic Q0 doc"),
    ("truncated last line", "FOL", "tag 0 20\n", "tag 0", 3, "7 columns instead of 8; expected 'topic Q0 doc rank"),
    ("truncated last line", "CSV", "2,1,c,0,20,9\n", "2,1,c", 4, "3 columns instead of 6; expected topic,rank,doc"),
    ("truncated last line", "JSONL", ', "score": 9}\n{"topic": "1", "doc": "b"', ', "sco', 1, "is not JSON"),
    ("truncated", "XML", "</topic></inex-submission>\n", "</topic", 7, "is not well-formed XML"),
    ("one column too many", "TREC", "9 tag\n1", "9 tag more\n1", 1, "7 columns instead of 6"),
    ("one column too many", "FOL", "tag 0 10", "tag 0 10 more", 2, "9 columns instead of 8"),
    ("one column too many", "CSV", "a,0,40,9", "a,0,40,9,1", 2, "7 columns instead of 6"),
    ("score is a word", "TREC", "b 2 8", "b 2 high", 2, "score 'high' is not a number; expected 'topic Q0 doc"),
    ("score is a word", "FOL", "b 2 8", "b 2 high", 2, "score 'high' is not a number"),
    ("score is a word", "CSV", "0,10,8", "0,10,high", 3, "score 'high' is not a number"),
    ("score is a word", "JSONL", '"score": 8', '"score": "high"', 2, "score 'high' is not a number"),
    ("score is a word", "XML", "<rsv>8</rsv>", "<rsv>high</rsv>", 4, "rsv 'high' is not a number"),
    ("score is NaN", "TREC", "b 2 8", "b 2 NaN", 2, "score 'NaN' is not a number"),
    ("score is NaN", "FOL", "b 2 8", "b 2 nan", 2, "score 'nan' is not a number"),
    ("score is NaN", "CSV", "0,10,8", "0,10,nan", 3, "score 'nan' is not a number"),
    ("score is NaN", "JSONL", '"score": 8', '"score": NaN', 2, "NaN is not a JSON number"),
    ("score is NaN", "XML", "<rsv>8</rsv>", "<rsv>nan</rsv>", 4, "rsv 'nan' is not a number"),
    ("score is empty", "JSONL", ', "score": 8', "", 2, "score is empty"),
    ("rank is a word", "FOL", "b 2 8", "b two 8", 2, "rank 'two' is not a whole number"),
    ("rank is a word", "CSV", "1,2,b", "1,two,b", 3, "rank 'two' is not a whole number"),
    ("rank is a fraction", "CSV", "1,2,b", "1,2.5,b", 3, "rank '2.5' is not a whole number"),
    ("rank is negative", "CSV", "1,2,b", "1,-2,b", 3, "rank is negative"),
    ("rank is negative", "XML", "<rank>2</rank>", "<rank>-2</rank>", 4, "rank -2 is negative"),
    ("length is negative", "FOL", "tag 0 10", "tag 0 -10", 2, "a negative length; expected 'topic Q0 doc"),
    ("offset is negative", "FOL", "tag 0 10", "tag -5 10", 2, "a negative offset"),
    ("start is negative", "CSV", "b,0,10", "b,-5,10", 3, "start is negative; spans are half-open, 0-based"),
    ("start is negative", "JSONL", '"b", "start": 0', '"b", "start": -5', 2, "start is negative"),
    ("length is negative", "XML", 'length="10"', 'length="-10"', 4, "is not a place in a text"),
    ("end before start", "CSV", "b,0,10", "b,20,10", 3, "end lies before start; spans are half-open"),
    ("end before start", "JSONL", '"b", "start": 0', '"b", "start": 20', 2, "end lies before start"),
    ("only a start", "CSV", "b,0,10", "b,0,", 3, "only one of start and end is given"),
    ("offset of a word", "FOL", "tag 0 10", "tag x 10", 2, "offset 'x' is not a whole number"),
    ("offset 10**18", "FOL", "tag 0 10", f"tag {10**18} 10", 2, "is too large"),
    ("offset 10**30", "FOL", "tag 0 10", f"tag {10**30} 10", 2, "is too large"),
    ("length 10**18", "FOL", "tag 0 10", f"tag 0 {10**18}", 2, "is too large"),
    ("start and length 9e18", "FOL", "tag 0 10", f"tag {9 * 10**18} {9 * 10**18}", 2, "is too large"),
    ("end 10**18", "CSV", "b,0,10", f"b,0,{10**18}", 3, "is too large"),
    ("end 10**30", "CSV", "b,0,10", f"b,0,{10**30}", 3, "is too large"),
    ("end 10**18", "JSONL", '"b", "start": 0, "end": 10', f'"b", "start": 0, "end": {10**18}', 2, "is too large"),
    ("end 10**30", "JSONL", '"b", "start": 0, "end": 10', f'"b", "start": 0, "end": {10**30}', 2, "is too large"),
    ("end 1e400", "JSONL", '"b", "start": 0, "end": 10', '"b", "start": 0, "end": 1e400', 2, "is not a whole number"),
    ("offset 10**17", "XML", 'offset="0" length="10"', f'offset="{10**17}" length="10"', 4, "is too large"),
    ("offset 10**30", "XML", 'offset="0" length="10"', f'offset="{10**30}" length="10"', 4, "is not a whole number"),
    ("a document that is a list", "JSONL", '"b"', '["b"]', 2, "doc is neither text nor a number"),
    ("half a character", "JSONL", '"b"', '"\\ud800"', 2, "doc is neither text nor a number"),
    ("a topic that is empty", "CSV", "1,2,b", ",2,b", 3, "topic is empty"),
    ("a result without file", "XML", "<file>b</file>", "", 4, "a result without a <file>"),
    ("deep JSON", "JSONL", '"b"', "[" * 100_000 + "]" * 100_000, 2, "is not JSON (nested too deep)"),
    ("a line that is no object", "JSONL", '{"topic": "1", "doc": "b", "start": 0, "end": 10, "score": 8}', "[1]", 2,
     "is not a JSON object but list"),
]
BROKEN_QRELS = [
    ("truncated last line", "TREC", "2 0 c 1\n", "2 0 c", 3, "3 columns instead of 4; expected 'topic 0 doc relev"),
    ("truncated last line", "FOL", "2 Q0 c 10 40 0 0:10\n", "2 Q0 c", 3, "3 columns instead of 5 or more; expected"),
    ("truncated passage", "FOL", "0:10\n", "0:", 3, "'0:' is not offset:length; expected 'topic Q0 doc relchars"),
    ("truncated passages", "FOL", "40 0 0:10\n", "40 0", 3, "10 relevant characters, but no passage"),
    ("truncated last line", "CSV", "2,c,0,10,40\n", "2,c,0", 3, "3 columns instead of 5; expected topic,doc,start"),
    ("truncated last line", "JSONL", '"end": 10}\n', '"en', 2, "is not JSON"),
    ("one column too many", "TREC", "b 0", "b 0 x", 2, "5 columns instead of 4"),
    ("one column too many", "CSV", "30,100", "30,100,1", 2, "6 columns instead of 5"),
    ("relevance is a word", "TREC", "b 0", "b no", 2, "relevance 'no' is not a number"),
    ("relevance is NaN", "TREC", "b 0", "b nan", 2, "relevance 'nan' is not a number"),
    ("relevance is infinite", "TREC", "b 0", "b inf", 2, "relevance inf is too large"),
    ("length is a word", "FOL", "20 100", "20 long", 1, "'20 long' are not two whole numbers"),
    ("length is negative", "FOL", "0 50", "0 -50", 2, "a negative number of characters"),
    ("passage of negative length", "FOL", "10:20", "10:-20", 1, "'10:-20' is not offset:length"),
    ("passage of negative offset", "FOL", "10:20", "-10:20", 1, "'-10:20' is not offset:length"),
    ("entry point is a word", "FOL", "100 10 10:20", "100 top 10:20", 1, "best entry point 'top' is not a whole"),
    ("start is negative", "CSV", "a,10,30", "a,-10,30", 2, "start is negative"),
    ("start is negative", "JSONL", '"start": 10', '"start": -10', 1, "start is negative"),
    ("document length is negative", "CSV", "30,100", "30,-100", 2, "doc_length is negative"),
    ("end before start", "CSV", "a,10,30", "a,31,30", 2, "end lies before start"),
    ("end before start", "JSONL", '"start": 10', '"start": 31', 1, "end lies before start"),
    ("without a place", "CSV", "a,10,30", "a,,", 2, "start is empty"),
    ("offset 10**17", "FOL", "10:20", f"{10**17}:20", 1, "is too large"),
    ("offset 10**30", "FOL", "10:20", f"{10**30}:20", 1, "is not offset:length"),
    ("offset in other digits", "FOL", "10:20", "²:20", 1, "'²:20' is not offset:length"),
    ("document length 10**18", "FOL", "0 50", f"0 {10**18}", 2, "is too large"),
    ("document length 10**30", "FOL", "0 50", f"0 {10**30}", 2, "are not two whole numbers"),
    ("end 10**18", "CSV", "a,10,30", f"a,10,{10**18}", 2, "is too large"),
    ("end 10**30", "CSV", "a,10,30", f"a,10,{10**30}", 2, "is too large"),
    ("document length 10**18", "CSV", "30,100", f"30,{10**18}", 2, "is too large"),
    ("JSON with NaN", "JSONL", '"start": 10', '"start": NaN', 1, "NaN is not a JSON number"),
    ("deep JSON", "JSONL", '"start": 10', '"start": ' + "[" * 100_000, 1, "is not JSON (nested too deep)"),
    ("judged twice, differently", "TREC", "1 0 b 0\n", "1 0 b 0\n1 0 a 0\n", 3,
     "topic 1, document a is judged twice, once relevant and once not; keep one of the two lines"),
    ("judged twice, differently", "FOL", "1 Q0 b 0 50\n", "1 Q0 b 0 50\n1 Q0 a 0 100\n", 3, "is judged twice"),
]


def case_id(value) -> str | None:
    return value if isinstance(value, str) and len(value) < 40 else None


@pytest.mark.parametrize(("what", "form", "old", "new", "line", "said"), BROKEN_RUNS, ids=case_id)
def test_broken_runs_are_refused(shell, what, form, old, new, line, said):
    run = shell.write("the run.dat", change(RUNS[form], old, new))
    error = shell.refuse("--qrels", shell.write("q", QRELS["FOL"]), "--runs", run, "-m", "AP")
    assert error.startswith(f"{run}:{line}: ")
    assert said in error


@pytest.mark.parametrize(("what", "form", "old", "new", "line", "said"), BROKEN_QRELS, ids=case_id)
def test_broken_assessments_are_refused(shell, what, form, old, new, line, said):
    qrels = shell.write("the qrels.dat", change(QRELS[form], old, new))
    error = shell.refuse("--qrels", qrels, "--runs", shell.write("r", RUNS["FOL"]), "-m", "AP")
    assert error.startswith(f"{qrels}:{line}: ")
    assert said in error


@pytest.mark.parametrize("form", ["TREC", "FOL", "CSV", "JSONL"])
@pytest.mark.parametrize("role", ["run", "qrels"])
def test_a_latin_1_byte_is_refused_with_its_line(shell, form, role):
    """Everything before it is UTF-8, and there are two-byte characters among it."""
    good = {"run": RUNS, "qrels": QRELS}[role][form]
    *before, last, _ = good.split("\n")
    for old in ('"c"', " c ", ",c,"):
        last = last.replace(old, old.replace("c", "\xe9"))
    data = "\n".join(before).replace("a", "ä").encode() + b"\n" + last.encode("latin-1") + b"\n"
    if form in ("CSV", "JSONL"):
        data = "\n".join(before).encode() + b"\n" + last.encode("latin-1") + b"\n"
    files = {"run": RUNS["FOL"].encode(), "qrels": QRELS["FOL"].encode()} | {role: data}
    error = shell.refuse(*shell.study(files["qrels"], files["run"]), "-m", "AP")
    assert error == f"{shell.folder / role}:{len(before) + 1}: byte 0xE9 is not UTF-8; save the file as UTF-8"


# ---------------------------------------------------------------- refused: tables

@pytest.mark.parametrize(("table", "said"), [
    ("topic,doc,path,exhaustivity,specificity\n1,a,/x[1],3,3\n1,a,/x[2],4,1\n", "exhaustivity 4 is out of range"),
    ("topic,doc,path,exhaustivity,specificity\n1,a,/x[1],3,3\n1,a,/x[2],1,-1\n", "specificity -1 is out of range"),
    ("topic,doc,path,relevance\n1,a,/x[1],3\n1,a,/x[2],-1\n", "relevance -1 is out of range; expected 0 or more"),
    ("topic,doc,path,relevance\n1,a,/x[1],3\n1,a,/x[2],nan\n", "relevance 'nan' is not a number"),
    ("topic,doc,path,exhaustivity,specificity\n1,a,/x[1],3,3\n1,a,,1,1\n", "path is empty"),
    ("topic,doc,path,relevance,unit\n1,a,/x[1],3,u\n1,a,,1,\n", "path is empty"),
    ("topic,doc,relevance\n1,a,1\n1,a,0\n", "is judged twice, once relevant and once not"),
    ("topic,doc,relevance\n1,a,1\n1,a\n", "2 columns instead of 3; expected topic,doc,relevance"),
])
def test_assessment_tables_out_of_range(shell, table, said):
    qrels = shell.write("q.csv", table)
    error = shell.refuse("--qrels", qrels, "--runs", shell.write("r", RUNS["FOL"]), "-m", "AP")
    assert error.startswith(f"{qrels}:3: ")
    assert said in error


@pytest.mark.parametrize(("option", "table", "line", "said"), [
    ("--navigation", "doc,source,target,probability\na,/x[1],/x[2],1.5\n", 2, "probability 1.5 is not in 0 to 1"),
    ("--navigation", "doc,source,target,probability\na,/x[1],/x[2],0.5\na,/x[2],/x[1],-1\n", 3, "probability -1"),
    ("--navigation", "doc,source,target,probability\na,/x[1],/x[2],nan\n", 2, "probability 'nan' is not a number"),
    ("--navigation", "doc,source,target,probabilty\na,/x[1],/x[2],0.5\n", 1, "did you mean 'probability'?"),
    ("--routes", "route,step,doc,path\nu,1,a,/x[1]\nu,two,a,/x[2]\n", 3, "step 'two' is not a whole number"),
    ("--navigation", "doc,source,target,probability\na,/x[1],,0.5\n", 2, "target is empty"),
    ("--routes", "route,step,doc,path\nu,1,a,/x[1]\nu,2,a,\n", 3, "path is empty"),
    ("--documents", "doc,path,start,end\na,/x[1],0,10\na,,0,5\n", 3, "path is empty"),
    ("--topics", "topic,title\n1,one\n,two\n", 3, "topic is empty"),
    ("--bep", "topic,doc,bep\n1,a,-5\n", 2, "bep is negative"),
    ("--bep", f"topic,doc,bep\n1,a,{10**18}\n", 2, "is too large"),
    ("--documents", "doc,path,start,end\na,/x[1],0,10\na,/x[1]/p[1],8,5\n", 3, "end lies before start"),
    ("--documents", "doc,path,length\na,/x[1],-10\n", 2, "length is negative"),
    ("--documents", f"doc,length\na,{10**18}\n", 2, "is too large"),
    ("--documents", "doc,path\na,/x[1]\n", 1, "elements without start and end and without length"),
    ("--documents", "doc,path,start\na,/x[1],0\n", 1, "column end is missing; a span needs start and end"),
])
def test_other_tables_out_of_range(shell, option, table, line, said):
    file = shell.write("table.csv", table)
    error = shell.refuse(*shell.study(QRELS["FOL"], RUNS["FOL"]), option, file, "-m", "AP")
    assert error.startswith(f"{file}:{line}: ")
    assert said in error


@pytest.mark.parametrize(("header", "hint"), [
    ("topic,rnk,doc,start,end", "did you mean 'rank'?"), ("topik,rank,doc,path", "did you mean 'topic'?"),
    ("topic,rank,dco,path", "did you mean 'doc'?"), ("topic,doc,scroe", "did you mean 'score'?"),
])
def test_a_misspelt_column_is_answered_with_the_right_one(shell, header, hint):
    run = shell.write("run.csv", header + "\n" + ",".join("1" for _ in header.split(",")) + "\n")
    error = shell.refuse("--qrels", shell.write("q", QRELS["TREC"]), "--runs", run, "-m", "AP")
    assert error.startswith(f"{run}:1: columns topi")
    assert hint in error


def test_a_misspelt_optional_column_is_said(shell):
    study = shell.study(QRELS["TREC"], "topic,rank,doc,paht\n1,1,a,/x\n2,1,c,/x\n")
    result = shell.accept(*study, "-m", "AP")
    only_warning(result, "columns not used: paht")
    assert values(result) == {"AP": [1, 1]}


TWO_DOCUMENTS = "topic,rank,doc,start,end\n1,1,a,0,40\n1,1,b,0,10\n2,1,c,0,20\n"


def test_a_tree_in_two_documents_is_refused(shell):
    error = shell.refuse(*shell.study(QRELS["FOL"], TWO_DOCUMENTS), "-m", "AP")
    assert "has parts in two documents" in error
    assert "give each result its own rank" in error


def test_a_tree_in_two_documents_is_refused_where_it_stands(shell):
    error = shell.refuse(*shell.study(QRELS["FOL"], TWO_DOCUMENTS), "-m", "AP")
    assert error.startswith(f"{shell.folder / 'run'}:3: ")


# ---------------------------------------------------------------- refused: files

@pytest.mark.parametrize("role", ["--qrels", "--runs"])
@pytest.mark.parametrize(("content", "said"), [
    (b"", "is empty"), (b" \n\t\r\n  ", "is empty"), (b"\xef\xbb\xbf", "is empty"),
    (bytes(range(256)) * 20, "is a binary file; expected text, XML, JSON lines, CSV or Parquet"),
    (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is a binary file"),
    (b"\x1f\x8bgarbage, not gzip", "is not sound gzip data"),
    (gzip.compress(RUNS["TREC"].encode() * 100)[:-9], "is not sound gzip data (Compressed file ended before"),
    (gzip.compress(RUNS["TREC"].encode()) + b"trailing", "is not sound gzip data"),
    (gzip.compress(b""), "is empty"),
    (b"PAR1 is how Parquet starts", "is not sound Parquet"),
    (b"\xff\xfea", "starts like UTF-16 but is not"),
    (b"hello\n", "'hello' is no line of any known format; expected a TREC or INEX run or qrels"),
    (b"<article><p>text</p></article>", "is XML, but neither an INEX run nor INEX assessments; give documents as"),
    (b"<inex-submission", "is not well-formed XML"),
    (b"[1, 2, 3]\n", "is no line of any known format"),
    (b"{}\n", "make no table of"),
])
def test_files_that_are_nothing_of_the_kind(shell, role, content, said):
    other = {"--qrels": RUNS["FOL"], "--runs": QRELS["FOL"]}[role]
    rest = {"--qrels": "--runs", "--runs": "--qrels"}[role]
    file = shell.write("odd.dat", content)
    error = shell.refuse(role, file, rest, shell.write("good", other), "-m", "AP")
    assert error.startswith(file)
    assert said in error


@pytest.mark.parametrize("role", ["--qrels", "--runs"])
@pytest.mark.parametrize("content", [
    "x", "1 Q0 a 1 9 ", "1 0 a ", "topic,rank,doc\n1,1,", "topic,rank,doc,", '{"topic": "', "1 Q0 a 1 9 tag ",
    "1 Q0 a 20 100 10 10:",
], ids=["a word", "TREC run", "qrels", "CSV", "CSV header", "JSONL", "FOL run", "FOL qrels"])
def test_a_line_of_50_megabytes_is_refused_at_once(shell, role, content):
    other = {"--qrels": ["--runs", shell.write("good", RUNS["FOL"])],
             "--runs": ["--qrels", shell.write("good", QRELS["FOL"])]}[role]
    file = shell.write("long", content.encode() + b"1" * (50 << 20))
    began = time.perf_counter()
    code, out, err = shell.run("evaluate", role, file, *other, "-m", "AP")
    assert time.perf_counter() - began < 5
    assert (code, out) == (1, "")
    assert re.match(rf"esr: {re.escape(file)}:[12]: ", err)
    assert len(err) < len(file) + 300


@pytest.mark.parametrize(("qrels", "run", "blamed", "said"), [
    (RUNS["TREC"], RUNS["TREC"], "qrels", "looks like a TREC run, not like assessments; give it as runs"),
    (RUNS["FOL"], RUNS["FOL"], "qrels", "looks like an INEX FOL run, not like assessments; give it as runs"),
    (RUNS["CSV"], RUNS["CSV"], "qrels", "looks like a CSV table of runs, not like assessments"),
    (RUNS["JSONL"], RUNS["JSONL"], "qrels", "looks like a JSON lines table of runs, not like assessments"),
    (RUNS["XML"], RUNS["XML"], "qrels", "looks like an INEX XML run, not like assessments"),
    (QRELS["TREC"], QRELS["TREC"], "run", "looks like TREC qrels, not like runs; give it as assessments"),
    (QRELS["FOL"], QRELS["FOL"], "run", "looks like INEX FOL qrels, not like runs; give it as assessments"),
    (QRELS["CSV"], QRELS["CSV"], "run", "looks like a CSV table of highlights, not like runs"),
    (RUNS["FOL"], QRELS["FOL"], "qrels", "looks like an INEX FOL run, not like assessments"),  # the two exchanged
])
def test_a_run_is_no_assessment(shell, qrels, run, blamed, said):
    error = shell.refuse(*shell.study(qrels, run), "-m", "AP")
    assert error.startswith(f"{shell.folder / blamed}: {said}")


def test_missing_files(shell):
    good = shell.study(QRELS["TREC"], RUNS["TREC"])
    for role in ("--qrels", "--runs", "--topics", "--documents", "--navigation", "--routes", "--bep"):
        error = shell.refuse(*good, role, "/no/such/file", "-m", "AP")
        assert error == "/no/such/file: cannot be read (No such file or directory)"
    assert shell.refuse("/no/such/study", "-m", "AP").startswith("/no/such/study: there is no such study")
    assert "File name too long" in shell.refuse("x" * 5000, "-m", "AP")
    assert "File name too long" in shell.refuse(*good, "--runs", "x" * 5000, "-m", "AP")


def test_a_folder_where_a_file_is_expected(shell):
    """A folder stands for the files in it; one without files gives nothing."""
    (shell.folder / "empty").mkdir()
    qrels, run = shell.write("q/qrels", QRELS["TREC"]), shell.write("r/run", RUNS["TREC"])
    result = shell.accept("--qrels", os.path.dirname(qrels), "--runs", os.path.dirname(run), "-m", "AP")
    assert values(result) == {"AP": [1, 1]}
    empty = str(shell.folder / "empty")
    assert shell.refuse("--qrels", empty, "--runs", run, "-m", "AP").startswith("no assessments; ")
    assert shell.refuse("--qrels", qrels, "--runs", empty, "-m", "AP").startswith("no runs; ")
    with pytest.raises(DataError, match="is a folder, a file was expected"):
        esr.load(Source(empty, path=Path(empty)))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_files(shell):
    study = shell.study(QRELS["TREC"], RUNS["TREC"])
    os.chmod(study[1], 0)
    assert shell.refuse(*study, "-m", "AP") == f"{study[1]}: cannot be read (Permission denied)"


@pytest.mark.parametrize(("form", "text"), [("CSV", "topic,doc,relevance\n"), ("CSV", "topic,doc,start,end"),
                                            ("CSV", "topic,doc,path,exhaustivity,specificity\n\n")])
def test_empty_assessments_are_refused(shell, form, text):
    error = shell.refuse(*shell.study(text, RUNS["TREC"]), "-m", "AP")
    assert error == f"{shell.folder / 'qrels'}: holds no assessments; a study needs at least one judgement"


def test_an_empty_run_is_a_run_without_results(shell):
    empty = shell.study(QRELS["FOL"], "topic,rank,doc,start,end\n")
    result = shell.accept(*empty, "-m", "AP", "-m", "HP@1", "-m", "CE@1")
    only_warning(result, "run 'run' has no results for 2 assessed topics (1, 2); they are counted as empty lists")
    assert values(result) == {"AP": [0, 0], "HP@1": [0, 0], "CE@1": [4, 4]}  # the worst effort
    error = shell.refuse(*shell.study(QRELS["FOL"], "run,topic,rank,doc\n"), "-m", "AP")
    assert error.startswith(f"{shell.folder / 'run'}: holds no runs")


# ---------------------------------------------------------------- refused: bombs and hostile XML

def small(**limits: int) -> Limits:
    return Limits(**({"unpacked_bytes": 1 << 20, "unpack_ratio": 100} | limits))


@pytest.mark.parametrize("limits", [small(), small(unpacked_bytes=1 << 30), small(unpack_ratio=10**6)],
                         ids=["both", "ratio", "size"])
def test_gzip_bombs_are_refused_before_they_unfold(limits):
    bomb = Source("bomb", content=gzip.compress(b"1 Q0 a 1 9 tag\n" * 2_000_000), limits=limits)
    qrels = Source("qrels", content=QRELS["TREC"].encode())
    with pytest.raises(DataError, match=r"bomb: unpacks to more than \d+ MB") as caught:
        esr.load(runs=bomb, assessments=qrels)
    assert caught.value.file == "bomb"


LAUGHS = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">\n' if i else '<!ENTITY l0 "ha">\n' for i in range(10))


@pytest.mark.parametrize("role", ["--runs", "--qrels", "--documents"])
@pytest.mark.parametrize(("inside", "said"), [
    (f"<!DOCTYPE ROOT [\n{LAUGHS}]>\n<ROOT>&l9;</ROOT>", "declares entities, which are refused"),
    ('<!DOCTYPE ROOT [<!ENTITY x SYSTEM "file:///etc/passwd">]>\n<ROOT>&x;</ROOT>', "declares entities"),
    ("<ROOT>" + "<a>" * 100_000 + "</a>" * 100_000 + "</ROOT>", "nests elements more than 500 levels deep"),
    ("<ROOT>" + "<a>" * 100_000, "nests elements more than 500 levels deep"),
    ("<ROOT>\n<a>\n</ROOT>", "is not well-formed XML"),
    ("<ROOT>&unheard-of;</ROOT>", "unknown entity"),
], ids=["billion laughs", "external entity", "100,000 levels", "never closed", "mismatch", "unknown entity"])
def test_hostile_xml_is_refused(shell, role, inside, said):
    root = {"--runs": "inex-submission", "--qrels": "assessments", "--documents": "article"}[role]
    file = shell.write("hostile.xml", inside.replace("ROOT", root))
    options = {"--runs": shell.write("r", RUNS["TREC"]), "--qrels": shell.write("q", QRELS["TREC"])} | {role: file}
    began = time.perf_counter()
    error = shell.refuse(*(part for option in options.items() for part in option), "-m", "AP")
    assert time.perf_counter() - began < 5
    assert re.match(rf"{re.escape(file)}:\d+: ", error)
    assert said in error
    assert "root:" not in error


def test_a_doctype_is_fine(shell):
    run = '<?xml version="1.0"?>\n<!DOCTYPE inex-submission SYSTEM "http://127.0.0.1:9/inex.dtd">\n' + RUNS["XML"]
    result = shell.accept(*shell.study(QRELS["FOL"], run), *MEASURES)
    assert values(result) == GOOD
    assert result["warnings"] == []


# ---------------------------------------------------------------- study folders and zips

PARTS = {"assessments.txt": QRELS["FOL"], "runs/tag.txt": RUNS["FOL"], "study.toml": 'name = "tiny"\n'}


def folder(shell: Shell, parts: dict[str, str | bytes], name: str = "study") -> str:
    (shell.folder / name).mkdir(exist_ok=True)
    for file, content in parts.items():
        shell.write(f"{name}/{file}", content)
    return str(shell.folder / name)


def test_a_good_folder(shell):
    result = shell.accept(folder(shell, PARTS), *MEASURES)
    assert values(result) == GOOD
    assert result["study"]["name"] == "tiny"


@pytest.mark.parametrize(("parts", "said"), [
    ({}, "holds no part of a study; expected runs/ and assessments.*"),
    ({"notes.txt": "nothing"}, "holds no part of a study"),
    ({"assessments.txt": QRELS["FOL"]}, "no runs; a study needs assessments and runs"),
    ({"runs/tag.txt": RUNS["FOL"]}, "no assessments; a study needs assessments and runs"),
    ({"runs/tag.txt": RUNS["FOL"], "topics.csv": "topic,title\n1,one\n"}, "no assessments"),
    ({"runs/tag.txt": RUNS["FOL"], "bep.csv": "topic,doc,bep\n1,a,5\n"}, "no assessments"),
])
def test_folders_that_are_no_study(shell, parts, said):
    study = folder(shell, parts)
    for command in ("evaluate", "validate", "convert"):
        error = shell.refuse(study, command=command)
        assert error.startswith(f"{study}: ")
        assert said in error


@pytest.mark.parametrize(("toml", "said"), [
    ('name = "tiny', "is not sound TOML"), ("name", "is not sound TOML"), ("x = " + "[" * 100_000, "nested too deep"),
    ('nme = "tiny"', "'nme' is no setting of a study; did you mean 'name'?"),
    ('units = "characters"', "did you mean 'unit'?"),
    ('unit = "bytes"', "unit 'bytes' is unknown; did you mean 'utf-8 bytes'?"),
    ("unit = 8", "unit is a number; expected a text"), ("name = true", "name is true or false; expected a text"),
    ('outer_space = "trim"', "outer_space 'trim' is unknown; did you mean 'strip'?"),
    ("defaults = 3", "defaults is a number; expected a table"),
    ("questions = 3", "questions is a number; expected a list"), ("questions = [1]", "questions are no list of texts"),
    ('defaults = {measures = "AiP"}', "measures are no list of texts"),
    ('defaults = {measures = ["AiPP"]}', "no measure 'AiPP'; did you mean 'AiP'?"),
    ("name = 2020-01-01", "name is no text; expected a text"),
])
def test_broken_settings_are_refused(shell, toml, said):
    study = folder(shell, PARTS | {"study.toml": toml})
    for command in ("evaluate", "validate", "convert"):
        error = shell.refuse(study, command=command)
        assert error.startswith(f"{study}/study.toml: ")
        assert said in error


def test_settings_in_another_encoding_are_refused(shell):
    study = folder(shell, PARTS | {"study.toml": 'name = "tiny"\ndescription = "\xe9"\n'.encode("latin-1")})
    assert shell.refuse(study) == f"{study}/study.toml:2: byte 0xE9 is not UTF-8; save the file as UTF-8"


def test_files_that_belong_to_no_part_are_named(shell):
    study = folder(shell, PARTS | {"notes.txt": "remember", "README.md": "# hello", ".hidden": "x",
                                   "elsewhere/run.txt": "not a run"})
    code, out, _ = shell.run("validate", study)
    assert code == 0
    assert "not part of the study: README.md, elsewhere/run.txt, notes.txt\n" in out


def test_two_documents_of_one_name_are_refused(shell):
    study = folder(shell, PARTS | {"documents/x/a.xml": "<a>one</a>", "documents/y/a.txt": "two"})
    error = shell.refuse(study)
    assert error == (f"{study}/documents/y/a.txt: a second document is called 'a'; the first is "
                     f"{study}/documents/x/a.xml")


def packed(parts: dict[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


@pytest.mark.parametrize("parts", [
    PARTS, {f"tiny/{name}": content for name, content in PARTS.items()},
    {**PARTS, "../../evil.txt": "x", "/runs/evil.txt": "x", "runs/../../evil": "x", "__MACOSX/runs/x": "x"},
    {**PARTS, "C:\\evil.txt": "x", "runs/.DS_Store": b"\0\1"},
], ids=["plain", "one folder around it", "paths that lead outside", "Windows and Mac leavings"])
def test_zipped_studies(shell, parts):
    before = set(shell.folder.rglob("*"))
    study = shell.write("study.zip", packed(parts))
    assert values(shell.accept(study, *MEASURES)) == GOOD
    after = set(shell.folder.rglob("*"))
    assert {p.name for p in after - before} == {"study.zip"}  # nothing is unpacked to disk


def lying(size: int) -> bytes:
    """A zip whose directory says that the run is `size` bytes long."""
    data = bytearray(packed(PARTS))
    at = data.index(b"PK\x01\x02", data.index(b"PK\x01\x02") + 1)  # the second entry of the directory
    assert b"runs/tag.txt" in data[at:at + 100]
    data[at + 24:at + 28] = struct.pack("<I", size)
    return bytes(data)


def flipped() -> bytes:
    data = bytearray(packed(PARTS | {"runs/big.txt": "".join(f"{i} Q0 d{i * 7919} 1 {i} tag\n" for i in range(3000))}))
    for at in range(2000, 3000, 50):
        data[at] ^= 0xFF
    return bytes(data)


@pytest.mark.parametrize(("data", "said"), [
    (b"not a zip", "is neither a folder nor a sound .zip (File is not a zip file)"),
    (packed(PARTS)[:-30], "is neither a folder nor a sound .zip"),
    (b"", "is neither a folder nor a sound .zip"),
    (flipped(), "runs/big.txt: cannot be unpacked"),
    (lying(5), "runs/tag.txt: cannot be unpacked"),
    (lying(1 << 31), "unpacks to 2,048 MB, more than is allowed"),
    (packed(PARTS | {"runs/bomb.txt": b"\0" * (1 << 26)}), "unpacks to 64 MB, more than is allowed"),
    (packed({}), "holds no part of a study"),
    (packed({"../assessments.txt": QRELS["FOL"], "../runs/r": RUNS["FOL"]}), "holds no part of a study"),
    (packed(PARTS | {"runs/tag.txt": RUNS["FOL"] + "2 Q0 c 2 8 tag\n"}), "runs/tag.txt:4: 6 columns instead of 8"),
    (packed(PARTS | {"runs/inner.zip": packed(PARTS)}), "runs/inner.zip: is a binary file"),
], ids=["text", "truncated", "empty", "flipped bytes", "says too little", "says too much", "bomb", "no members",
        "all outside", "a bad line inside", "a zip inside"])
def test_bad_zips_are_refused(shell, data, said):
    study = shell.write("study.zip", data)
    error = shell.refuse(study, "-m", "AP")
    assert error.startswith(study)
    assert said in error


def test_zips_are_held_to_the_limits():
    many = Source("many.zip", content=packed({f"runs/{i}": "x" for i in range(30)}))
    with pytest.raises(DataError, match="holds more than 20 files"):
        esr.load(many, limits=small(zip_members=20))
    large = Source("large.zip", content=packed(PARTS | {"runs/big": os.urandom(2 << 20)}))
    with pytest.raises(DataError, match="unpacks to 2 MB, more than is allowed"):
        esr.load(large, limits=small())


# ---------------------------------------------------------------- taken, with a counted warning

OVERLAPPING = {
    "FOL": ("1 Q0 a 25 100 10 10:15 20:10\n1 Q0 b 0 50\n2 Q0 c 10 40 0 0:10\n", 1),
    "CSV": ("topic,doc,start,end,doc_length\n1,a,10,25,100\n1,a,20,30,100\n2,c,0,10,40\n", 3),
    "JSONL": ('{"topic": "1", "doc": "a", "start": 10, "end": 25}\n{"topic": "1", "doc": "a", "start": 20, "end": 30}\n'
              '{"topic": "2", "doc": "c", "start": 0, "end": 10}\n', 2),
}


@pytest.mark.parametrize("form", OVERLAPPING)
def test_overlapping_highlights_are_united(shell, form):
    qrels, line = OVERLAPPING[form]
    result = shell.accept(*shell.study(qrels, RUNS["FOL"]), *MEASURES)
    assert values(result) == GOOD
    only_warning(result, f"qrels:{line}: highlights overlap; their union is used")


def test_touching_highlights_need_no_warning(shell):
    qrels = "topic,doc,start,end\n1,a,10,20\n1,a,20,30\n2,c,0,10\n"
    result = shell.accept(*shell.study(qrels, RUNS["FOL"]), *MEASURES)
    assert (values(result), result["warnings"]) == (GOOD, [])


def test_nested_highlights_are_counted(shell):
    qrels = "topic,doc,start,end\n1,a,10,30\n1,a,11,12\n1,a,28,30\n2,c,0,10\n"
    result = shell.accept(*shell.study(qrels, RUNS["FOL"]), *MEASURES)
    assert values(result) == GOOD
    only_warning(result, "qrels:3: highlights overlap; their union is used")


@pytest.mark.parametrize("files", [
    ["topic,doc,start,end\n1,a,10,30\n1,a,11,12\n1,a,28,30\n2,c,0,10\n"],
    ["topic,doc,start,end\n1,a,10,30\n2,c,0,10\n", "topic,doc,start,end\n1,a,11,12\n1,a,28,30\n"],
], ids=["one file", "two files"])
def test_every_overlapping_highlight_is_counted(shell, files):
    names = [shell.write(f"q{i}", text) for i, text in enumerate(files)]
    result = shell.accept("--qrels", *names, "--runs", shell.write("r", RUNS["FOL"]), *MEASURES)
    only_warning(result, "highlights overlap; their union is used (2 times)")


def test_passages_that_do_not_add_up(shell):
    result = shell.accept(*shell.study(change(QRELS["FOL"], "a 20 100", "a 99 100"), RUNS["FOL"]), *MEASURES)
    assert values(result) == GOOD
    only_warning(result, "qrels:1: the passages do not add up to the stated number of relevant characters")


def test_a_highlight_past_the_end_lengthens_its_document(shell):
    """T2IF reads to the end of the document: 40 retrieved characters with 20 relevant, then 0 more of 30."""
    result = shell.accept(*shell.study(change(QRELS["FOL"], "20 100", "20 25"), RUNS["FOL"]), *MEASURES)
    assert values(result) == GOOD
    assert len(result["warnings"]) == 2
    assert "qrels:1: a highlight runs past the stated length of its document" in result["warnings"][0]
    assert "run:1: a result runs past the stated length" in result["warnings"][1]


PAST_THE_END = {
    "FOL": change(RUNS["FOL"], "tag 0 40", "tag 0 400"), "CSV": change(RUNS["CSV"], "a,0,40", "a,0,400"),
    "JSONL": change(RUNS["JSONL"], '"end": 40', '"end": 400'),
    "XML": change(RUNS["XML"], 'length="40"', 'length="400"'),
}


@pytest.mark.parametrize("form", PAST_THE_END)
def test_a_result_past_the_end_keeps_its_size(shell, form):
    result = shell.accept(*shell.study(QRELS["FOL"], PAST_THE_END[form]), *MEASURES)
    assert values(result) == GOOD | {"HP@1": [20 / 400, 10 / 20]}
    only_warning(result, ": a result runs past the stated length of its document; it keeps its size")
    assert f"run:{2 if form == 'CSV' else 3 if form == 'XML' else 1}: " in result["warnings"][0]


@pytest.mark.parametrize(("offset", "length"), [("X", "X"), ("X", "40"), ("-1", "40"), ("-1", "-1")])
def test_unresolvable_passages_keep_their_rank(shell, offset, length):
    run = change(RUNS["FOL"], "tag 0 40", f"tag {offset} {length}")
    result = shell.accept(*shell.study(QRELS["FOL"], run), "-m", "P@1", "-m", "HP@1", "-m", "HR@2", "-m", "AgP")
    assert values(result)["P@1"] == [1, 1]
    assert values(result)["HP@1"] == [0, 0.5]
    assert values(result)["HR@2"] == [0, 1]
    assert values(result)["AgP"][0] == 0
    only_warning(result, "run:1: a passage without a place in its document (X or −1) covers nothing and keeps its rank")


ELEMENTS = "doc,path,start,end\na,/x[1],0,100\na,/x[1]/p[1],0,40\nb,/x[1],0,50\nc,/x[1],0,40\nc,/x[1]/p[1],0,20\n"
ELEMENT_RUNS = {
    "lines": "1 Q0 DOC 1 9 tag PATH\n1 Q0 a 2 8 tag /x[1]/p[1]\n2 Q0 c 1 9 tag /x[1]/p[1]\n",
    "CSV": "topic,rank,doc,path\n1,1,DOC,PATH\n1,2,a,/x[1]/p[1]\n2,1,c,/x[1]/p[1]\n",
    "JSONL": '{"topic": 1, "rank": 1, "doc": "DOC", "path": "PATH"}\n{"topic": 1, "rank": 2, "doc": "a", "path": '
             '"/x[1]/p[1]"}\n{"topic": 2, "rank": 1, "doc": "c", "path": "/x[1]/p[1]"}\n',
}


@pytest.mark.parametrize("form", ELEMENT_RUNS)
@pytest.mark.parametrize(("doc", "path", "said"), [
    ("nowhere", "/x[1]", "a result's document is not among the documents; it covers nothing and keeps its rank"),
    ("a", "/x[1]/p[99]", "a result's element is not in its document; it covers nothing and keeps its rank"),
    ("a", "/y[1]", "a result's element is not in its document"),
    ("a", "/x[1]/p[not a number]".replace(" ", "_"), "a result's element is not in its document"),
])
def test_unknown_documents_and_elements_cover_nothing(shell, form, doc, path, said):
    run = ELEMENT_RUNS[form].replace("DOC", doc).replace("PATH", path)
    result = shell.accept(*shell.study(QRELS["FOL"], run), "--documents", shell.write("docs.csv", ELEMENTS),
                          "-m", "HP@1", "-m", "HP@2", "-m", "HR@2", "-m", "P@1")
    assert values(result) == {"HP@1": [0, 0.5], "HP@2": [20 / 40, 0.5], "HR@2": [1, 1],
                              "P@1": [float(doc == "a"), 1]}
    only_warning(result, f"run:{2 if form == 'CSV' else 1}: {said}")


def test_elements_without_documents_cover_nothing(shell):
    """Two runs, one of passages: the measure can be computed, and the other run's elements are not placed."""
    element = ELEMENT_RUNS["lines"].replace("DOC", "a").replace("PATH", "/x[1]").replace("tag", "elements")
    result = shell.accept("--qrels", shell.write("q", QRELS["FOL"]), "--runs", shell.write("r", RUNS["FOL"]),
                          shell.write("e", element), "-m", "HP@1")
    assert values(result) == {"HP@1": [0.5, 0.5, 0, 0]}
    only_warning(result, "results name elements, but no documents are loaded: they cover nothing (3 times)")


@pytest.mark.parametrize(("path", "said"), [("x[1]", "'x[1]' is not a path"), ("X", "'X' is not a path")])
def test_what_is_no_path_is_refused(shell, path, said):
    run = ELEMENT_RUNS["lines"].replace("DOC", "a").replace("PATH", path)
    error = shell.refuse(*shell.study(QRELS["FOL"], run), "-m", "AP")
    assert error.startswith(f"{shell.folder / 'run'}:1: {said}; expected a positional XPath")


def test_a_position_of_many_digits_is_no_crash(shell):
    run = ELEMENT_RUNS["lines"].replace("DOC", "a").replace("PATH", f"/x[{'9' * 5000}]/p")
    documents = shell.write("docs.csv", ELEMENTS)
    result = shell.accept(*shell.study(QRELS["FOL"], run), "--documents", documents, "-m", "HP@1")
    only_warning(result, "a result's element is not in its document")


def test_a_table_of_documents_without_their_roots(shell):
    """Elements are found by their paths; a result without path or place beside them covers nothing."""
    def stop(*_):
        raise TimeoutError

    documents = shell.write("docs.csv", "doc,path,start,end\na,/x[1]/p[1],0,40\nc,/x[1],0,40\nc,/x[1]/p[1],0,20\n")
    run = ELEMENT_RUNS["CSV"].replace("DOC", "b").replace("PATH", "")
    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(3)
    try:
        result = shell.accept(*shell.study(QRELS["FOL"], run), "--documents", documents, "-m", "HP@2", "-m", "P@1")
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    assert values(result) == {"HP@2": [20 / 40, 0.5], "P@1": [0, 1]}


DUPLICATES = {
    "TREC": ("1 Q0 b 1 9 tag\n1 Q0 b 2 8 tag\n1 Q0 a 3 7 tag\n2 Q0 c 1 9 tag\n", 2),
    "FOL": ("1 Q0 a 1 9 tag 0 40\n1 Q0 a 2 8 tag 0 40\n2 Q0 c 1 9 tag 0 20\n", 2),
    "CSV": ("topic,rank,doc,start,end\n1,1,a,0,40\n1,2,a,0,40\n2,1,c,0,20\n", 3),
    "XML": (change(RUNS["XML"], '<file>b</file><fol offset="0" length="10"/>',
                   '<file>a</file><fol offset="0" length="40"/>'), 4),
}


@pytest.mark.parametrize("form", DUPLICATES)
def test_results_listed_twice(shell, form):
    """Document measures skip the second; for text its characters have been seen, and still have to be read."""
    run, line = DUPLICATES[form]
    if form == "TREC":
        result = shell.accept(*shell.study(QRELS["TREC"], run), "-m", "P@2", "-m", "AP")
        assert values(result) == {"P@2": [1 / 2, 1 / 2], "AP": [1 / 2, 1]}
    else:
        result = shell.accept(*shell.study(QRELS["FOL"], run), "-m", "P@2", "-m", "HP@2", "-m", "HR@2",
                              "-m", "HP(alpha=1)@2")
        assert values(result) == {"P@2": [1 / 2, 1 / 2], "HP@2": [20 / 80, 1 / 2], "HR@2": [1, 1],
                                  "HP(alpha=1)@2": [40 / 80, 1 / 2]}
    only_warning(result, f"run:{line}: a result is listed twice for a topic")


BLOCKS = {
    "TREC": "1 Q0 b 1 9 tag\n2 Q0 c 1 9 tag\n1 Q0 a 2 8 tag\n",
    "FOL": "1 Q0 b 1 9 tag 0 10\n2 Q0 c 1 9 tag 0 20\n1 Q0 a 2 8 tag 0 40\n",
    "CSV": "topic,rank,doc,start,end\n1,1,b,0,10\n2,1,c,0,20\n1,2,a,0,40\n",
}


@pytest.mark.parametrize("form", BLOCKS)
def test_topics_in_two_blocks_are_put_together(shell, form):
    qrels = QRELS["TREC" if form == "TREC" else "FOL"]
    result = shell.accept(*shell.study(qrels, BLOCKS[form]), "-m", "P@1", "-m", "AP")
    assert values(result) == {"P@1": [0, 1], "AP": [1 / 2, 1]}
    line = 4 if form == "CSV" else 3
    only_warning(result, f"run:{line}: a topic comes back after another one; its results are taken together")


@pytest.mark.parametrize(("form", "run", "line"), [
    ("FOL", "1 Q0 b 1 9 tag 0 10\n1 Q0 a 7 8 tag 0 40\n2 Q0 c 1 9 tag 0 20\n", 2),
    ("CSV", "topic,rank,doc,start,end\n1,1,b,0,10\n1,7,a,0,40\n2,1,c,0,20\n", 3),
    ("CSV", "topic,rank,doc\n1,1,b\n1,7,a\n2,1,c\n", 3),
])
def test_gaps_between_ranks_are_closed(shell, form, run, line):
    result = shell.accept(*shell.study(QRELS["FOL"], run), "-m", "P@2", "-m", "AP")
    assert values(result) == {"P@2": [1 / 2, 1 / 2], "AP": [1 / 2, 1]}
    only_warning(result, f"run:{line}: ranks are skipped; results are counted in")


def test_ranks_of_trec_runs_are_ignored(shell):
    """As trec_eval does: the score rules, ties by descending document id."""
    run = "1 Q0 a 1 5 tag\n1 Q0 b 1 5 tag\n2 Q0 c 99 5 tag\n"
    result = shell.accept(*shell.study(QRELS["TREC"], run), "-m", "AP")
    assert values(result) == {"AP": [1 / 2, 1]}
    assert result["warnings"] == []
    assert result["study"]["order"] == {"tag": "score in single precision, ties by descending document id, as "
                                        "trec_eval does"}


def test_tied_ranks_in_an_inex_file_keep_file_order(shell):
    run = "1 Q0 b 1 9 tag 0 10\n1 Q0 a 1 9 tag 0 40\n2 Q0 c 1 9 tag 0 20\n"
    result = shell.accept(*shell.study(QRELS["FOL"], run), "-m", "P@1", "-m", "AP")
    assert values(result) == {"P@1": [0, 1], "AP": [1 / 2, 1]}
    only_warning(result, "run:2: the rank does not grow; file order is used, as INEX did")


def test_tied_ranks_in_xml_keep_file_order(shell):
    result = shell.accept(*shell.study(QRELS["FOL"], change(RUNS["XML"], "<rank>2<", "<rank>1<")), *MEASURES)
    assert values(result) == GOOD
    only_warning(result, "run:4: results share a rank; they are ranked in file order")


def test_rows_of_one_rank_are_one_tree(shell):
    run = "topic,rank,doc,start,end\n1,1,a,0,20\n1,1,a,10,40\n2,1,c,0,20\n"
    result = shell.accept(*shell.study(QRELS["FOL"], run), *MEASURES)
    assert values(result) == GOOD  # 0-20 and 10-40 together are 0-40
    assert result["warnings"] == []


TIED = "topic,rank,doc\n1,1,b\n1,1,a\n2,1,c\n"


def test_tied_ranks_of_documents_keep_file_order(shell):
    assert values(shell.accept(*shell.study(QRELS["TREC"], TIED), "-m", "AP")) == {"AP": [1 / 2, 1]}


def test_tied_ranks_of_documents_are_said(shell):
    only_warning(shell.accept(*shell.study(QRELS["TREC"], TIED), "-m", "AP"), "run:3: ")


@pytest.mark.parametrize("places", [False, True], ids=["documents", "passages"])
def test_a_run_over_several_files_is_one_list(shell, places):
    """Ranks 1 and 3 in one file, 2 in the other."""
    head = "run,topic,rank,doc" + ",start,end" * places
    first = shell.write("1.csv", f"{head}\nr,1,1,x{',0,5' * places}\nr,1,3,a{',0,40' * places}\n")
    second = shell.write("2.csv", f"{head}\nr,1,2,b{',0,10' * places}\nr,2,1,c{',0,20' * places}\n")
    study = esr.load(runs=[first, second], assessments=shell.write("q", QRELS["FOL"]))
    assert study.runs["doc"].tolist() == ["x", "b", "a", "c"]


def test_a_document_judged_twice_alike(shell):
    result = shell.accept(*shell.study(QRELS["TREC"] + "1 0 a 2\n", RUNS["TREC"]), "-m", "AP")
    assert values(result) == {"AP": [1, 1]}
    only_warning(result, "qrels:4: a document is judged twice for a topic; the higher value is used")


def test_topics_nobody_assessed_and_topics_nobody_answered(shell):
    run = "1 Q0 a 1 9 tag 0 40\n7 Q0 a 1 9 tag 0 40\n7 Q0 b 2 8 tag 0 40\n"
    result = shell.accept(*shell.study(QRELS["FOL"], run), *MEASURES)
    assert values(result) == {"P@1": [1, 0], "HP@1": [0.5, 0], "HR@1": [1, 0]}
    assert len(result["warnings"]) == 2
    assert "1 topics of the runs have no assessments (7); their 2 results are ignored" in result["warnings"][0]
    assert "run 'tag' has no results for 1 assessed topics (2); they are counted as empty" in result["warnings"][1]


def test_a_topic_with_nothing_relevant_has_no_value(shell):
    qrels = change(QRELS["FOL"], "2 Q0 c 10 40 0 0:10", "2 Q0 c 0 40")
    result = shell.accept(*shell.study(qrels, RUNS["FOL"]), "-m", "HP@1", "-m", "AP")
    assert values(result) == {"HP@1": [0.5, None], "AP": [1, None]}
    assert [m["value"] for m in result["means"]] == [0.5, 1]
    assert len(result["warnings"]) == 2
    assert all("undefined for 1 topics with nothing relevant" in w for w in result["warnings"])


def test_two_runs_with_one_tag_are_named_after_their_files(shell):
    files = [shell.write(f"{name}.txt", RUNS["TREC"]) for name in ("first", "second")]
    result = shell.accept("--qrels", shell.write("q", QRELS["TREC"]), "--runs", *files, "-m", "AP")
    assert [m["run"] for m in result["means"]] == ["first", "second"]
    assert len(result["warnings"]) == 2
    for warning in result["warnings"]:
        assert "the tag 'tag' stands in several files; the run is named after its file" in warning


def test_several_tags_in_one_file(shell):
    result = shell.accept(*shell.study(QRELS["TREC"], change(RUNS["TREC"], "8 tag", "8 other")), "-m", "AP")
    assert [m["run"] for m in result["means"]] == ["run"]
    only_warning(result, "2 different tags in the last column; the run is named after its file")


def test_the_same_run_twice_is_refused(shell):
    qrels, run = shell.write("q", QRELS["TREC"]), shell.write("run.txt", RUNS["TREC"])
    error = shell.refuse("--qrels", qrels, "--runs", run, run, "-m", "AP")
    assert error == f"{run}: a second run is called 'run'; rename one; the first is in {run}"
    table = shell.write("table.csv", RUNS["CSV"])
    again = shell.write("again/table.csv", RUNS["CSV"])
    error = shell.refuse("--qrels", qrels, "--runs", table, again, "-m", "AP")
    assert error.startswith(f"{again}: a second run is called 'table'")


@pytest.mark.parametrize("option", ["--run", "--topic"])
def test_what_is_asked_for_twice_is_given_once(shell, option):
    study = shell.study(QRELS["TREC"], RUNS["TREC"])
    name = {"--run": "tag", "--topic": "1"}[option]
    once, twice = (shell.accept(*study, "-m", "AP", option, *names) for names in ([name], [name, name]))
    assert once["scores"] == twice["scores"]


def test_warnings_are_counted_and_said_once(shell):
    """On stderr, one line for each kind and file, with the first place and the number of times."""
    run = "".join(f"1 Q0 d{i} {i} {100 - i} tag X X\n" for i in range(1, 51)) + "2 Q0 c 1 9 tag 0 20\n"
    code, out, err = shell.run("evaluate", *shell.study(QRELS["FOL"], run), "-m", "HP@1")
    assert code == 0
    assert "0.2500" in out
    assert err == (f"esr: warning: {shell.folder / 'run'}:1: a passage without a place in its document (X or −1) "
                   "covers nothing and keeps its rank (50 times)\n")
