"""The canonical tables: one meaning in CSV, TSV, JSON lines, Parquet and frames; questions with references."""

from __future__ import annotations

import csv
import gzip
import io
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import esr_core as esr
from esr_core.errors import DataError
from esr_core.readers import read, tables
from esr_core.readers.rows import Parsed, Rows
from esr_core.readers.source import Limits, Source


def source(data: str | bytes, name: str = "f", limits: Limits | None = None) -> Source:
    return Source(name, content=data.encode() if isinstance(data, str) else data, limits=limits or Limits())


def values(column) -> list:
    return column.to_pylist() if hasattr(column, "to_pylist") else column.tolist()


def content(rows: Rows) -> dict[str, list]:
    out = {name: values(column) for name, column in rows.columns.items()}
    out["line"] = [rows.line(i) for i in range(len(rows))]
    return json.loads(json.dumps(out))  # NaN compares equal to itself as text


def only(parsed: Parsed) -> tuple[str, dict[str, list]]:
    (table, (rows,)), = parsed.tables.items()
    return table, content(rows)


def refused(data: str | bytes, role: str | None = None, limits: Limits | None = None) -> DataError:
    with pytest.raises(DataError) as caught:
        read(source(data, limits=limits), role)
    assert caught.value.file == "f"
    assert "\n" not in str(caught.value)
    return caught.value


# ---- the two ways through a CSV file

HEADERS = {
    "runs": "run topic rank doc path start end score", "highlights": "topic doc start end doc_length",
    "grades": "topic doc path exhaustivity specificity", "units": "topic doc path relevance unit",
    "judgements": "topic doc relevance", "topics": "topic title description", "nodes": "doc path start end length",
    "navigation": "doc source target probability", "routes": "route step doc path",
}
WORDS = st.sampled_from(["1", "a", "é", "/article[1]", "a b", "", " ", " a", 'say "no"', "x,y", "x\ty", "line\nbreak",
                         "0x1", "\u00a0", "NA", "nan"])
GOOD_WORDS = st.sampled_from(["1", "a", "é", "a b", 'say "no"', "x,y"])
WHOLES = st.one_of(st.integers(-2, 10**6).map(str), st.sampled_from(
    ["", "+1", "007", "3.0", " 5 ", "1e3", "1.5", "x", "0x10", "1_0", "9223372036854775808", "1" + "0" * 30]))
NUMBERS = st.one_of(st.floats(allow_nan=False).map(repr), st.sampled_from(
    ["+1.0", "1e5", ".5", "", " 2 ", "nan", "inf", "x", "1_0", "0x10", "1e400"]))


def cells(name: str) -> st.SearchStrategy[str]:
    return WHOLES if name in tables.INTEGERS else NUMBERS if name in tables.NUMBERS else WORDS


@st.composite
def delimited(draw, kind: str, ragged: bool) -> tuple[str, str]:
    """A table and its delimiter, written by Python's csv; a ragged one is then disturbed."""
    delimiter = draw(st.sampled_from([",", "\t", ";"]))
    names = draw(st.permutations([*HEADERS[kind].split(), *draw(st.sampled_from([[], ["note"]]))]))
    good = {n: st.integers(5, 9).map(str) if n in tables.INTEGERS | tables.NUMBERS else GOOD_WORDS
            for n in names}
    out = io.StringIO()
    quoting = draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])) if ragged else csv.QUOTE_MINIMAL
    writer = csv.writer(out, delimiter=delimiter, quoting=quoting, lineterminator="\n")
    writer.writerow(names)
    for _ in range(draw(st.integers(0, 5))):
        odd = draw(st.sampled_from(names)) if draw(st.booleans()) else None
        writer.writerow([draw(cells(n) if n == odd else good[n]) for n in names])
    text = out.getvalue()
    if ragged:
        at = draw(st.integers(len(text.split("\n")[0]), len(text)))
        text = text[:at] + draw(st.sampled_from(['"', '""', "\n", "\n\n", " ", delimiter, "\r", "é", ""])) + text[at:]
    return draw(st.sampled_from(["", "\n", " \n\n"])) + text, delimiter


def both_ways(text: str, delimiter: str, kind: tables.Kind):
    """(rows of the fast way or None, content or reason of the plain way)."""
    mine = source(text)
    body = mine.unix_bytes.lstrip()
    above = mine.unix_bytes.count(b"\n", 0, len(mine.unix_bytes) - len(body))
    names = tables.clean_names(next(csv.reader([body.split(b"\n")[0].decode()], delimiter=delimiter)))
    fast = tables._fast_delimited(body, names, delimiter, kind, mine, above)
    try:
        plain = content(tables._plain_delimited(mine, names, delimiter, kind, above))
    except DataError as e:
        plain = str(e)
    return fast, plain


@pytest.mark.parametrize("ragged", [False, True], ids=["regular", "ragged"])
@pytest.mark.parametrize("name", HEADERS)
def test_fast_and_plain_agree(name, ragged):
    kind = next(k for k in tables.KINDS if k.table == name)
    seen = {"fast": 0, "refused": 0}

    @settings(max_examples=60, deadline=None, derandomize=True)
    @given(delimited(name, ragged))
    def agree(file):
        fast, plain = both_ways(*file, kind)
        if fast is not None:
            seen["fast"] += 1
            assert content(fast) == plain
        seen["refused"] += isinstance(plain, str)

    agree()
    assert seen["fast"] > 2  # the generator reaches both ways
    assert seen["refused"] > 0


# ---- one study in five ways of writing

STUDY = {
    "assessments": pd.DataFrame({"topic": ["1", "1", "2", "2"], "doc": ["a", "b", "a", "c"], "start": [0, 40, 10, 0],
                                 "end": [30, 50, 20, 5], "doc_length": [100, 60, 100, 20]}),
    "bep": pd.DataFrame({"topic": ["1", "2"], "doc": ["a", "a"], "bep": [0, 10]}),
    "documents": pd.DataFrame({"doc": ["a", "a", "a", "b", "c"],
                               "path": ["/x[1]", "/x[1]/s[1]", "/x[1]/s[2]", "/x[1]", "/x[1]"],
                               "start": [0, 0, 50, 0, 0], "end": [100, 50, 100, 60, 20]}),
    "topics": pd.DataFrame({"topic": ["1", "2"], "title": ["first, one", 'the "second"']}),
    "runs": pd.DataFrame({  # elements, a tree (rank 2 of topic 1), a passage, a result without a place
        "run": ["r"] * 5 + ["q"] * 3, "topic": ["1", "1", "1", "2", "2", "1", "2", "2"],
        "rank": [1, 2, 2, 1, 2, 1, 1, 2], "doc": ["a", "b", "b", "c", "a", "b", "a", "c"],
        "path": ["/x[1]/s[1]", "", "", "/x[1]", "", "/x[1]", "", ""],
        "start": [None, 0, 42, None, 5, None, None, 0], "end": [None, 10, 60, None, 25, None, None, 20],
        "score": [3.5, 2.0, 2.0, 1e-7, 0.25, 1.0, 2.0, 1.0]}),
    "navigation": pd.DataFrame({"doc": ["a", "a"], "source": ["/x[1]", "/x[1]/s[1]"],
                                "target": ["/x[1]/s[1]", "/x[1]/s[2]"], "probability": [0.5, 0.125]}),
    "routes": pd.DataFrame({"route": ["u", "u"], "step": [1, 2], "doc": ["a", "a"], "path": ["/x[1]", "/x[1]/s[2]"]}),
}
GRADED = {
    "assessments": pd.DataFrame({"topic": ["1", "1", "2"], "doc": ["a", "b", "c"], "path": ["/x[1]", "/x[1]", "/x[1]"],
                                 "exhaustivity": [3, 0, 1], "specificity": [2, 0, 1]}),
    "runs": STUDY["runs"][["run", "topic", "rank", "doc"]].drop(index=2)}
UNITS = {
    "assessments": pd.DataFrame({"topic": ["1", "1", "2"], "doc": ["a", "a", "c"], "relevance": [3.0, 0.5, 1.0],
                                 "path": ["/x[1]", "/x[1]/s[2]", "/x"], "unit": ["u", "u", ""]}),
    "runs": GRADED["runs"]}
JUDGED = {"assessments": pd.DataFrame({"topic": ["1", "1", "2"], "doc": ["a", "b", "c"], "relevance": [0, 2, 1]}),
          "runs": GRADED["runs"]}
ALL_MEASURES = ["AP", "P@2", "R@1", "HP@2", "AiP", "iP@0.1", "IoU@2", "gP@2", "gRc@2", "AgP", "AgP(score=BEP)",
                "AgP(score=T2IF(tolerance=10))", "AgP(score=aveChP(order=worst))", "CE@3", "ANCE@2"]


def jsonl(frame: pd.DataFrame) -> str:
    """Records without the cells that are empty, as people write them."""
    records = json.loads(frame.to_json(orient="records"))
    return "".join(json.dumps({k: v for k, v in r.items() if v not in (None, "")}) + "\n" for r in records)


def parquet(frame: pd.DataFrame, **options) -> bytes:
    out = io.BytesIO()
    frame.to_parquet(out, index=False, **options)
    return out.getvalue()


def as_csv(frame: pd.DataFrame, **options) -> bytes:
    whole = {c: frame[c].astype("Int64") for c in ("start", "end") if c in frame}
    return frame.assign(**whole).to_csv(index=False, **options).encode()


WAYS = {
    "csv": as_csv, "semicolons": lambda f: as_csv(f, sep=";"), "tsv": lambda f: as_csv(f, sep="\t"),
    "crlf": lambda f: as_csv(f, lineterminator="\r\n"), "quoted": lambda f: as_csv(f, quoting=csv.QUOTE_ALL),
    "jsonl": lambda f: jsonl(f).encode(), "parquet": parquet, "frame": lambda f: f,
    "dict": lambda f: f.astype(object).where(f.notna(), None).to_dict("list"),
    "csv.gz": lambda f: gzip.compress(as_csv(f)), "utf-16": lambda f: as_csv(f).decode().encode("utf-16"),
    "numbers as floats": lambda f: f.astype({c: float for c in ("start", "end", "rank", "topic") if c in f}),
}


def loaded(parts, way: str, folder):
    """The study with every part written this way."""
    given = {}
    for name, frame in parts.items():
        written = WAYS[way](frame)
        if isinstance(written, bytes):
            (folder / f"{name}.dat").write_bytes(written)  # the extension says nothing
            written = folder / f"{name}.dat"
        given[name] = written
    return esr.load(**given)


def scores(study, measures) -> dict[str, list]:
    """By run, topic and measure; full precision."""
    table = study.evaluate(measures).scores
    return {f"{r.run} {r.topic} {r.measure}": repr(r.value) for r in table.itertuples()}


def named(study, rows) -> dict[str, list]:
    """Rows of a study with names instead of codes, which depend on the order of the files."""
    of = {"doc": study.doc_ids, "source": study.paths, "target": study.paths, "path": study.paths}
    return {name: [of[name][i] for i in column] if name in of else list(column) for name, column in rows.items()}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("parts", "measures"), [(STUDY, ALL_MEASURES), (GRADED, ["AP", "R@1"]), (UNITS, ["AP"]),
                                                 (JUDGED, ["AP", "P@2"])],
                         ids=["highlights", "grades", "units", "judgements"])
def test_every_way_of_writing_gives_the_same_study(parts, measures, way, tmp_path):
    reference = esr.load(**parts)
    study = loaded(parts, way, tmp_path)
    assert scores(study, measures) == scores(reference, measures)
    assert study.run_names == ("r", "q")
    assert study.topics.equals(reference.topics)
    for kind, frame in reference.assessments.items():
        assert study.assessments[kind].equals(frame), kind
    if parts is STUDY:
        assert study.documents.equals(reference.documents)
        assert named(study, study.navigation_rows) == named(reference, reference.navigation_rows)
        assert named(study, study.route_rows) == named(reference, reference.route_rows)


def test_what_the_example_study_means():
    """Numbers of the study above by hand, so that all ways cannot be wrong alike."""
    study = esr.load(**STUDY)
    got = scores(study, ["HP@1", "HP@2", "HR@2", "P@1"])
    assert got["r 1 HP(alpha=0)@1"] == repr(30 / 50)
    assert got["r 1 HP(alpha=0)@2"] == repr((30 + 8) / (50 + 10 + 18))  # the tree at rank 2 covers 0-10 and 42-60
    assert got["r 1 HR(alpha=0)@2"] == repr(38 / 40)
    assert got["q 2 HP(alpha=0)@1"] == "0.0"  # a result without a place covers nothing
    assert got["q 2 P@1"] == "1.0"            # but its document counts


# ---- single cells

@pytest.mark.parametrize(("cell", "meaning"), [("3", "3"), (3, "3"), (3.0, "3"), (2.5, "2.5"), (" a ", "a")])
def test_identifiers_are_text(cell, meaning):
    parsed = read(source(json.dumps({"topic": cell, "doc": "d", "rank": 1}) + "\n"))
    assert only(parsed)[1]["topic"] == [meaning]


@pytest.mark.parametrize("cell", [["a"], {"a": 1}, True, "\ud800"])
def test_what_is_no_identifier_is_refused(cell):
    error = refused(json.dumps({"topic": "1", "doc": "a", "rank": 1}) + "\n"
                    + json.dumps({"topic": "1", "doc": cell, "rank": 2}) + "\n")
    assert (error.line, error.message) == (2, "doc is neither text nor a number")


@pytest.mark.parametrize(("column", "cell", "said"), [
    ("rank", "", "rank is empty"), ("rank", "x", "rank 'x' is not a whole number"),
    ("rank", "1.5", "rank '1.5' is not a whole number"), ("rank", "-1", "rank is negative"),
    ("rank", "9" * 30, f"rank '{'9' * 30}' is too large"), ("rank", "0x1", "rank '0x1' is not a whole number"),
    ("score", "x", "score 'x' is not a number"), ("score", "nan", "score 'nan' is not a number"),
    ("topic", "", "topic is empty"), ("doc", " ", "doc is empty"),
    ("start", "-5", "start is negative"), ("start", "50", "end lies before start"),
    ("start", "", "only one of start and end is given"), ("end", "x", "end 'x' is not a whole number"),
])
def test_bad_cells_are_named(column, cell, said):
    good = {"topic": "1", "doc": "a", "rank": "1", "score": "2.5", "start": "10", "end": "20"}
    rows = [good, good | {"rank": "2"}, good | {"rank": "3"} | {column: cell}, good | {"rank": "4"}]
    text = ",".join(good) + "\n" + "".join(",".join(r.values()) + "\n" for r in rows)
    error = refused(text)
    assert (error.line, error.message) == (4, said)
    error = refused("\n\n" + text)  # lines count from the top of the file, blank ones too
    assert (error.line, error.message) == (6, said)
    error = refused("".join(json.dumps(r) + "\n" for r in rows))
    assert (error.line, error.message) == (3, said)


def test_a_score_may_be_empty_where_ranks_rule():
    _, cells = only(read(source("topic,rank,doc,score\n1,1,a,\n1,2,b,2.5\n")))
    assert np.isnan(cells["score"][0])
    assert cells["score"][1] == 2.5
    assert refused("topic,doc,score\n1,a,\n").message == "score is empty"


def test_negative_document_lengths_are_refused():
    error = refused("topic,doc,start,end,doc_length\n1,a,0,5,10\n1,a,7,9,-7\n")
    assert (error.line, error.message) == (3, "doc_length is negative")


@pytest.mark.parametrize(("header", "said"), [
    ("topic,rnk,doc", "did you mean 'rank'?"), ("topic,doc,relevence", "did you mean 'relevance'?"),
    ("topic,doc,path,exhaustivty,specificity", "did you mean 'exhaustivity'?"),
    ("doc,sorce,target,probability", "did you mean 'source'?"),
    ("topic,doc,doc,rank", "column 'doc' stands there twice"),
    ("topic,document,doc_id,rank", "column 'doc' stands there twice"),
    ("topic,rank,doc,start", "column end is missing"),
])
def test_columns_that_make_no_table(header, said):
    error = refused(header + "\n" + ",".join("1" * len(header.split(","))) + "\n")
    assert error.line == 1
    assert said in str(error)


def test_unused_columns_are_said():
    parsed = read(source("topic,rank,doc,paht\n1,1,a,/x\n"))
    assert [str(p) for p in parsed.problems] == ["f: columns not used: paht"]


@pytest.mark.parametrize("names", ["query_id,rank,doc_id", "QID,Rank,DocNo", " Topic , rank ,\tdocument"])
def test_customary_names_are_understood(names):
    table, cells = only(read(source(names + "\n1,1,a\n")))
    assert table == "runs"
    assert (cells["topic"], cells["doc"]) == (["1"], ["a"])


@pytest.mark.parametrize(("columns", "role", "table"), [
    ("topic,doc,start,end", "assessments", "highlights"), ("topic,doc,start,end,score", "runs", "runs"),
    ("topic,doc,rank,start,end", "runs", "runs"), ("topic,doc,score,start,end,rank", "runs", "runs"),
    ("topic,doc,relevance", "assessments", "judgements"), ("topic,doc,path,relevance", "assessments", "units"),
    ("topic,doc,path,exhaustiveness,specificity", "assessments", "grades"), ("topic,doc,bep", "assessments", "beps"),
    ("doc,path,length", "documents", "nodes"), ("doc,length", "documents", "lengths"),
    ("route,step,doc,path", "routes", "routes"), ("doc,source,target,probability", "navigation", "navigation"),
    ("topic,title", "topics", "topics"),
])
def test_columns_say_what_a_table_is(columns, role, table):
    """Both where its place is known and where it is not."""
    names = columns.split(",")
    line = ",".join("/a[1]" if n in tables.WORDS else "1" for n in names)
    for place in (role, None):
        assert next(iter(read(source(f"{columns}\n{line}\n"), place).tables)) == table


@pytest.mark.parametrize(("data", "role", "said"), [
    ("topic,rank,doc\n1,1,a\n", "assessments", "looks like a CSV table of runs, not like assessments; give it as runs"),
    ("topic,doc,relevance\n1,a,1\n", "runs", "not like runs; give it as assessments"),
    ('{"topic":1,"doc":"a","start":1,"end":2}\n', "runs", "looks like a JSON lines table of highlights"),
    ("1 Q0 a 1 2.5 t\n", "assessments", "looks like a TREC run, not like assessments; give it as runs"),
    ("1 Q0 a 1 2.5 t 0 9\n", "assessments", "looks like an INEX FOL run"),
    ("1 Q0 a 1 2.5 t /a[1]\n", "assessments", "looks like an INEX element run"),
    ("1 0 a 1\n", "runs", "looks like TREC qrels, not like runs; give it as assessments"),
    ("1 Q0 a 10 99 0 0:10\n", "runs", "looks like INEX FOL qrels, not like runs; give it as assessments"),
    ("doc,length\na,5\n", "topics", "looks like a CSV table of lengths, not like topics; give it as documents"),
])
def test_files_in_the_wrong_place_are_told_apart(data, role, said):
    assert said in str(refused(data, role))


# ---- whole files

@pytest.mark.parametrize(("data", "line", "said"), [
    ('{"topic": 1, "doc": "a", "rank": 1}\n{"topic": 1, "do', 2, "is not JSON"),
    ('{"topic": 1, "doc": "a", "score": NaN}\n', 1, "NaN is not a JSON number"),
    ('{"topic": 1, "doc": "a", "score": Infinity}\n', 1, "Infinity is not a JSON number"),
    ('{"topic": ' + "[" * 100_000 + "]" * 100_000 + "}\n", 1, "nested too deep"),
    ('{"topic": 1, "doc": "a", "rank": 1}\n[1]\n', 2, "is not a JSON object but list"),
    ('{"topic": 1, "Topic": 2, "doc": "a", "rank": 1}\n', 1, "two keys name the same column"),
    ('{"topic": 1, "doc": "a", "rank": 1}\n{"topic": 1, "rank": 2}\n', 2, "doc is empty"),
    ("topic,rank,doc\n1,1,a\n1,2\n", 3, "2 columns instead of 3; expected topic,rank,doc"),
    ("topic,rank,doc\n1,1,a\n1,2,b,c\n", 3, "4 columns instead of 3"),
    ('topic,rank,doc\n1,1,a\n1,2,"b\n1,3,c\n', 3, "b"),
    ("topic,rank,doc\n1,1,a\n1,2,b\xe9".encode("latin-1"), 3, "byte 0xE9 is not UTF-8"),
    ("topic,rank,doc,\xe9\n1,1,a,b\n".encode("latin-1"), 1, "byte 0xE9 is not UTF-8"),
    ("topic,rank,doc,note\n1,1,a,b\xe9\n".encode("latin-1"), 2, "byte 0xE9 is not UTF-8"),
    ("topic,rank,doc," + "x" * 200_000 + "\n1,1,a,b\n", 1, "is not sound CSV"),
    (b"PAR1 and then nothing of the kind", None, "is not sound Parquet"),
    (parquet(STUDY["runs"])[:-30], None, "is not sound Parquet"),
    (parquet(STUDY["topics"], compression="none").replace(b"first, one", b"\xff" * 10), None, "is not sound Parquet"),
])
def test_broken_files(data, line, said):
    if '"b\n1,3' in str(data):  # an open quote takes the rest of the file into one cell
        _, cells = only(read(source(data)))
        assert cells["doc"] == ["a", "b\n1,3,c"]
        return
    error = refused(data)
    assert error.line == line
    assert said in str(error)


@pytest.mark.parametrize("data", ["topic,rank,doc\n1,1," + "x" * 3000 + "\n",
                                  '{"topic": "1", "rank": 1, "doc": "' + "x" * 3000 + '"}\n'])
def test_lines_beyond_the_limit_are_refused(data):
    error = refused(data, limits=Limits(line_bytes=2000))
    assert "a line of 3,0" in str(error)
    assert error.line == data.count("\n")


def test_a_parquet_file_that_grows_in_memory_is_refused():
    """A million equal rows take a few kilobytes on disk."""
    frame = pd.DataFrame({"topic": ["1"] * 10**5, "rank": range(10**5), "doc": ["a"] * 10**5})
    assert "300,000 cells" in str(refused(parquet(frame), limits=Limits(unpacked_bytes=1 << 20)))


@pytest.mark.parametrize("header", ["topic,rank,doc", "topic,doc,relevance", "topic,doc,start,end"])
def test_a_header_alone_is_a_table_without_rows(header):
    for text in (header, header + "\n", header + "\n\n \n"):
        assert only(read(source(text)))[1]["line"] == []


def test_frames_that_are_none(tmp_path):
    runs = STUDY["runs"]
    for part, said in (({"topic": ["1"], "doc": ["a", "b"], "relevance": [1]}, "cannot be read as a table"),
                       (7, "cannot be read as a table"), (runs, "looks like a frame table of runs"),
                       (pd.DataFrame({"topic": ["1"], "doc": ["a"], "relevance": ["x"]}), "relevance 'x'")):
        with pytest.raises(DataError, match=said):
            esr.load(runs=runs, assessments=part)


# ---- questions with references

QUESTIONS = [("a", [(0, 30)]), ("b", [(5, 9), (20, 24)])]
EXPECTED = {"topic": ["1", "2", "2"], "doc": ["a", "b", "b"], "start": [0, 5, 20], "end": [30, 9, 24]}


def references(spans, start: str, end: str, **more) -> list[dict]:
    return [{start: s, end: e, **more} for s, e in spans]


def chunking_csv(**options) -> str:
    """question, references (a JSON list), corpus_id: as chunking benchmarks publish it."""
    rows = [{"question": f"What, {doc}?", "corpus_id": doc,
             "references": json.dumps(references(spans, "start_index", "end_index", content="a,\n\"b\""))}
            for doc, spans in QUESTIONS]
    return pd.DataFrame(rows).to_csv(index=False, **options)


SHAPES = {
    "csv": chunking_csv(), "csv, other order": chunking_csv(columns=["references", "corpus_id", "question"]),
    "csv with CRLF": chunking_csv(lineterminator="\r\n"), "tsv": chunking_csv(sep="\t"),
    "jsonl, doc in references": "".join(json.dumps({"question": "q", "references": references(
        spans, "start", "end", doc=doc)}) + "\n" for doc, spans in QUESTIONS),
    "jsonl, doc outside": "".join(json.dumps({"question": "q", "doc": doc, "references": references(
        spans, "start", "end")}) + "\n\n" for doc, spans in QUESTIONS),
    "jsonl, corpus_id in references": "".join(json.dumps({"question": "q", "references": references(
        spans, "start_index", "end_index", corpus_id=doc)}) + "\n" for doc, spans in QUESTIONS),
    "jsonl with topics": "".join(json.dumps({"topic": i, "question": "q", "doc": doc, "references": references(
        spans, "start", "end")}) + "\n" for i, (doc, spans) in enumerate(QUESTIONS, 1)),
    "parquet": parquet(pd.DataFrame([{"question": "q", "corpus_id": doc, "references": references(
        spans, "start_index", "end_index")} for doc, spans in QUESTIONS])),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_questions_with_references(shape):
    parsed = read(source(SHAPES[shape]), "assessments")
    table, cells = only(parsed)
    assert table == "highlights"
    assert {name: cells[name] for name in EXPECTED} == EXPECTED
    assert "questions with references" in parsed.format


def test_a_topic_called_zero_is_a_topic():
    data = '{"topic": 0, "references": [{"doc": "a", "start": 0, "end": 3}]}\n'
    assert only(read(source(data)))[1]["topic"] == ["0"]


@pytest.mark.parametrize(("cell", "said"), [
    ("[{", "references are not JSON"), ("{}", "references are not a list"), ("[1]", "a reference is not an object"),
    ('[{"start_index": 1}]', "a reference lacks doc, start or end"), ("[" * 100_000, "nested too deep"),
    ('[{"start_index": NaN, "end_index": 2}]', "NaN is not a JSON number"),
    ('[{"start_index": "x", "end_index": 2}]', "start 'x' is not a whole number"),
    ('[{"start_index": 9, "end_index": 2}]', "end lies before start"),
    ('[{"start_index": -9, "end_index": 2}]', "start is negative"),
])
def test_bad_references_are_named(cell, said):
    good = [{"question": "q", "references": '[{"start_index": 1, "end_index": 2}]', "corpus_id": "a"}]
    text = pd.DataFrame([*good, {"question": "q", "references": cell, "corpus_id": "a"}]).to_csv(index=False)
    error = refused(text)
    assert said in str(error)
    assert error.line == 3


def test_span_runs_are_ordered_by_score_and_ties_by_line():
    gold = "".join(json.dumps({"topic": "1", "doc": d, "start": 0, "end": 10}) + "\n" for d in "ab")
    run = "".join(json.dumps({"topic": "1", "doc": d, "start": 0, "end": 10, "score": s}) + "\n"
                  for d, s in (("x", 1.0), ("b", 2.0), ("y", 1.0), ("a", 3)))
    parsed = read(source(run), "runs")
    assert parsed.tables["runs"][0].order == "score, file"
    study = esr.load(assessments=Source("gold", content=gold.encode()), runs=Source("run", content=run.encode()))
    assert study.runs["doc"].tolist() == ["a", "b", "x", "y"]
