"""INEX XML runs and assessments: the shapes of the years, leniency in spelling, strictness in values."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from esr_core.errors import DataError
from esr_core.readers import inex_xml
from esr_core.readers.rows import Parsed, Rows
from esr_core.readers.source import Limits, Source


def source(content: str | bytes, name: str = "f.xml", limits: Limits | None = None) -> Source:
    return Source(name, content=content.encode() if isinstance(content, str) else content, limits=limits or Limits())


def run(content: str | bytes) -> Rows:
    parsed = inex_xml.read_run(source(content))
    assert list(parsed.tables) == ["runs"]
    return parsed.tables["runs"][0]


def results(inside: str, attributes: str = 'run-id="r"') -> Rows:
    return run(f'<inex-submission {attributes}>\n<topic topic-id="1">\n{inside}\n</topic></inex-submission>')


def values(rows: Rows, name: str) -> list:
    column = rows.columns[name]
    return column.to_pylist() if hasattr(column, "to_pylist") else column.tolist()


def assessments(content: str) -> Parsed:
    return inex_xml.read_assessments(source(content))


def kinds(parsed: Parsed) -> dict[str, int]:
    return {p.kind: p.count for p in parsed.problems}


def refused(reader, content: str | bytes, line: int | None) -> str:
    with pytest.raises(DataError) as caught:
        reader(source(content))
    assert caught.value.file == "f.xml"
    assert caught.value.line == line
    assert "\n" not in str(caught.value)
    return str(caught.value)


# ---- recognition

@pytest.mark.parametrize(("content", "kind"), [
    ('<inex-submission run-id="x"/>', "INEX XML run"),
    ('<?xml version="1.0"?>\n<!DOCTYPE inex-submission SYSTEM "s.dtd">\n<!-- c -->\n<inex-submission>', "INEX XML run"),
    ("<INEX_Submission>", "INEX XML run"),
    ('<assessments topic="1">', "INEX XML assessments"),
    ('<!DOCTYPE assessments SYSTEM "../../assessments.dtd">\n<assessments pool="1" topic="2">', "INEX XML assessments"),
    ("<relevance-assessments>", "INEX XML assessments"),
    ('<pool topic="1"><file name="a"><element path="/a[1]" exhaustivity="1" size="1" rsize="1"/>',
     "INEX XML assessments"),
    ("<article><p>exhaustivity and rsize = 3</p></article>", None),
    ("<html>", None), ("", None), ("1 Q0 d 1 1.0 t", None), ('{"a": 1}', None), ("<?xml", None), ("<!--", None),
    ("<!DOCTYPE a [", None),
])
def test_recognise(content, kind):
    assert inex_xml.recognise(content.encode()) == kind
    assert inex_xml.recognise(b"\xef\xbb\xbf" + content.encode()) == kind
    if kind:
        assert inex_xml.recognise(content.encode("utf-16")) == kind or "exhaustivity" in content


# ---- runs

ELEMENT_RUN = """<?xml version="1.0" encoding="ISO-8859-1"?>
<!DOCTYPE inex-submission SYSTEM "inex.dtd">
<inex-submission participant-id="12" run-id="Caf\u00e9_1" task="Focused" query="automatic" result-type="element">
<topic-fields title="yes" castitle="no" description="no" narrative="no"/>
<description>A run.</description>
<collections><collection>wikipedia</collection></collections>
<topic topic-id="544">
  <result><file>12345.xml</file><path>/article[1]/body[1]/p[1]</path><rank>1</rank><rsv>0.9</rsv></result>
  <result>
    <rsv>0.8</rsv> <rank> 2 </rank> <path>
      /article[1]
    </path> <file>ar/2001/x1</file>
  </result>
</topic>
<topic topic-id="545"><result><file>9.xml.xml</file><path>/article[1]</path><rank>1</rank></result></topic>
</inex-submission>
"""


def test_element_run():
    rows = run(ELEMENT_RUN.encode("latin-1"))
    assert rows.run == "Café_1"
    assert rows.order == "rank"
    assert list(rows.columns) == ["topic", "doc", "rank", "score", "path"]
    assert values(rows, "topic") == ["544", "544", "545"]
    assert values(rows, "doc") == ["12345", "ar/2001/x1", "9.xml"]
    assert values(rows, "rank") == [1, 2, 1]
    assert values(rows, "score")[:2] == [0.9, 0.8]
    assert math.isnan(values(rows, "score")[2])
    assert values(rows, "path") == ["/article[1]/body[1]/p[1]", "/article[1]", "/article[1]"]
    assert [rows.line(i) for i in range(3)] == [8, 9, 15]
    assert rows.columns["rank"].dtype == np.int64


def test_offsets_and_passages():
    rows = results('<result><file>1</file><fol offset="10" length="5"/><rank>1</rank></result>'
                   '<result><file>2</file><fol offset="X" length="X"/><rank>2</rank></result>'
                   '<result><file>3</file><passage start="/a[1]/text()[1].3" end="/a[1]/text()[2].4"/><rank>3</rank>'
                   "</result><result><file>4</file><path>/a[1]</path><rank>4</rank></result>"
                   "<result><file>5</file><rank>5</rank></result>"
                   '<result><file>6</file><path>/a[1]</path><fol offset="0" length="9"/><rank>6</rank></result>'
                   '<result><file>7</file><fol offset="-1" length="3"/><rank>7</rank></result>')
    assert values(rows, "start") == [10, -1, -1, -1, -1, 0, -1]
    assert values(rows, "end") == [15, -1, -1, -1, -1, 9, -1]
    assert values(rows, "path") == ["", "", "", "/a[1]", "", "/a[1]", ""]
    assert values(rows, "pointer_start") == ["", "", "/a[1]/text()[1].3", "", "", "", ""]
    assert values(rows, "pointer_end")[2] == "/a[1]/text()[2].4"


def test_documents_only():
    rows = results("<result><file>1</file><rank>1</rank><rsv>2</rsv></result>")
    assert list(rows.columns) == ["topic", "doc", "rank", "score"]


def test_trees():
    rows = results("<result><file>1</file><path>/a[1]/b[1]</path><path>/a[1]/b[2]</path><rank>1</rank></result>"
                   "\n<result><file>2</file><path>/a[1]</path><rank>2</rank></result>")
    assert values(rows, "rank") == [1, 1, 2]
    assert values(rows, "doc") == ["1", "1", "2"]
    assert values(rows, "path") == ["/a[1]/b[1]", "/a[1]/b[2]", "/a[1]"]
    assert [rows.line(i) for i in range(3)] == [3, 3, 4]


def test_trees_without_ranks_keep_together():
    rows = results("<result><file>1</file><path>/a[1]</path><path>/b[1]</path></result>"
                   "<result><file>2</file><path>/a[1]</path></result>")
    assert values(rows, "rank") == [1, 1, 2]
    assert rows.order == "rank"


def test_unequal_numbers_of_places_are_places_of_their_own():
    rows = results('<result><file>1</file><path>/a[1]</path><fol offset="1" length="1"/><fol offset="3" length="1"/>'
                   '<passage start="p" end="q"/><rank>1</rank></result>')
    assert values(rows, "path") == ["/a[1]", "", "", ""]
    assert values(rows, "start") == [-1, 1, 3, -1]
    assert values(rows, "pointer_end") == ["", "", "", "q"]


def test_missing_ranks_mean_file_order():
    rows = results("<result><file>1</file></result><result><file>2</file></result>")
    assert rows.order == "file"
    assert "rank" not in rows.columns
    parsed = inex_xml.read_run(source(
        '<inex-submission><topic topic-id="1"><result><file>1</file><rank>2</rank></result>'
        "\n<result><file>2</file></result></topic></inex-submission>"))
    rows = parsed.tables["runs"][0]
    assert rows.order == "file"
    assert rows.run is None
    assert [(p.kind, p.count, p.line) for p in parsed.problems] == [("no rank", 1, 2)]


def test_tied_ranks_are_results_of_their_own():
    content = ('<inex-submission run-id="r"><topic topic-id="1"><result><file>1</file><rank>7</rank></result>\n'
               "<result><file>2</file><rank>5</rank></result>\n<result><file>3</file><rank>7</rank></result></topic>"
               '<topic topic-id="2"><result><file>1</file><rank>7</rank></result></topic></inex-submission>')
    parsed = inex_xml.read_run(source(content))
    rows = parsed.tables["runs"][0]
    assert values(rows, "rank") == [2, 1, 3, 1]
    assert rows.order == "rank"
    assert [(p.kind, p.count, p.line) for p in parsed.problems] == [("tied ranks", 1, 3)]


def test_spelling_is_free():
    rows = run('<INEX-Submission Run_ID="r"><Topic TopicID="7"><Result><File>a</File><Rank>0</Rank><RSV>1e-3</RSV>'
               '</Result></Topic></INEX-Submission>')
    assert (rows.run, values(rows, "topic"), values(rows, "rank"), values(rows, "score")) == ("r", ["7"], [0], [0.001])
    rows = results('<result file="d" path="/a[1]" rank="1" rsv="2"/>')
    assert (values(rows, "doc"), values(rows, "path"), values(rows, "score")) == (["d"], ["/a[1]"], [2.0])


def test_a_run_without_results():
    parsed = inex_xml.read_run(source('<inex-submission run-id="r"><topic topic-id="1"/></inex-submission>'))
    assert len(parsed.tables["runs"][0]) == 0
    assert kinds(parsed) == {"no results": 1}


@pytest.mark.parametrize(("inside", "says"), [
    ("<result><file>1</file>\n<rank>one</rank></result>", "rank 'one' is not a whole number"),
    ("<result><file>1</file>\n<rank>1.5</rank></result>", "rank '1.5'"),
    ("<result><file>1</file>\n<rank>-1</rank></result>", "rank -1 is negative"),
    ("<result><file>1</file>\n<rank>+-1</rank></result>", "rank '+-1'"),
    ("<result><file>1</file>\n<rank>" + "9" * 30 + "</rank></result>", "is not a whole number"),
    ("<result><file>1</file>\n<rsv>high</rsv></result>", "rsv 'high' is not a number"),
    ("<result><file>1</file>\n<rsv>nan</rsv></result>", "rsv 'nan'"),
    ("<result><file>1</file>\n<rsv>1_0</rsv></result>", "rsv '1_0'"),
    ('<result><file>1</file>\n<fol offset="a" length="1"/></result>', "offset 'a'"),
    ('<result><file>1</file>\n<fol offset="1"/></result>', "has no length"),
    ('<result><file>1</file>\n<fol length="1"/></result>', "has no offset"),
    ('<result><file>1</file>\n<fol offset="1" length="-2"/></result>', "is not a place"),
    ('<result><file>1</file>\n<passage start="/a[1]"/></result>', "has no end"),
    ("<result><file>1</file>\n<file>2</file></result>", "two <file>"),
    ("<result><file>1</file>\n<result/></result>", "within a result"),
    ("\n<result><rank>1</rank></result>", "without a <file>"),
    ("\n<topic/>", "a topic within a topic"),
])
def test_malformed_runs(inside, says):
    content = f'<inex-submission run-id="r">\n<topic topic-id="1">{inside}</topic></inex-submission>'
    assert says in refused(inex_xml.read_run, content, 3)


def test_malformed_around_results():
    assert "no topic-id" in refused(inex_xml.read_run, "<inex-submission>\n<topic/></inex-submission>", 2)
    assert "outside a topic" in refused(inex_xml.read_run, "<inex-submission>\n\n<result/></inex-submission>", 3)
    assert "well-formed" in refused(inex_xml.read_run, '<inex-submission>\n<topic topic-id="1">', 2)
    assert "empty" in refused(inex_xml.read_run, "", None)
    assert "declares entities" in refused(
        inex_xml.read_run, '<!DOCTYPE inex-submission [<!ENTITY a "b">]><inex-submission/>', 1)
    assert "500 levels" in refused(inex_xml.read_run, "<inex-submission>" + "<a>" * 100_000, 1)
    with pytest.raises(DataError, match="2 elements"):
        inex_xml.read_run(source("<inex-submission><a/><b/></inex-submission>", limits=Limits(xml_nodes=2)))


def test_lines_beyond_sixteen_bits():
    content = ('<inex-submission>\n<topic topic-id="1">' + "\n<!-- <result> -->" * 70_000
               + "<result>\n<file>1</file></result>\n<result><file>2</file>\n<rank>x</rank></result>"
               "</topic></inex-submission>")
    refused(inex_xml.read_run, content, 70_005)
    rows = run(content.replace("x<", "1<"))
    assert [rows.line(0), rows.line(1)] == [70_002, 70_004]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 3), st.text(st.characters(codec="utf-8", categories=["L", "N"]), min_size=1),
                          st.integers(0, 50) | st.none(), st.floats(allow_nan=False) | st.none(),
                          st.integers(0, 3)), max_size=12))
def test_runs_round_trip(given_results):
    """Written in any order of topics, read back row by row; each result's rows share one rank of their own."""
    content = ['<inex-submission run-id="r">']
    for topic, doc, rank, score, places in given_results:
        content.append(f'<topic topic-id="{topic}"><result>' + f"<path>/a[1]/b[{doc}]</path>" * places
                       + (f"<rsv>{score!r}</rsv>" if score is not None else "") + f"<file>{doc}</file>"
                       + (f"<rank>{rank}</rank>" if rank is not None else "") + "</result></topic>")
    rows = run("\n".join([*content, "</inex-submission>"]))
    expected = [(i, r) for i, r in enumerate(given_results) for _ in range(r[4] or 1)]
    assert len(rows) == len(expected)
    assert values(rows, "topic") == [str(r[0]) for _, r in expected]
    assert values(rows, "doc") == [r[1] for _, r in expected]
    np.testing.assert_array_equal(values(rows, "score"), [math.nan if r[3] is None else r[3] for _, r in expected])
    assert [rows.line(n) for n in range(len(rows))] == [i + 2 for i, _ in expected]
    assert (rows.order == "rank") == ("rank" in rows.columns)
    if "rank" in rows.columns:
        owner: dict[tuple[int, int], int] = {}
        for (i, r), rank in zip(expected, values(rows, "rank"), strict=True):
            assert owner.setdefault((r[0], rank), i) == i
        if all(r[2] is not None for r in given_results):  # the given order, ties as in the file
            for topic in {r[0] for r in given_results}:
                by_rank = [owner[k] for k in sorted(owner) if k[0] == topic]
                wanted = sorted((i for i, r in enumerate(given_results) if r[0] == topic),
                                key=lambda i: (given_results[i][2], i))
                assert by_rank == wanted


# ---- assessments

OLD = """<?xml version="1.0"?>
<assessments topic="163" version="2004">
 <file file="co/2000/r7108">
  <path path="/article[1]/bdy[1]" exhaustiveness="2" specificity="3"/>
  <path path="/article[1]" exhaustiveness="1" specificity="0"/>
  <path path="/article[1]/fm[1]" exhaustiveness="U" specificity="U"/>
 </file>
 <file file="an/1995/a1.xml"><path path="/article[1]" exhaustiveness="0" specificity="0"/></file>
</assessments>
"""


def test_grades_of_2004():
    parsed = assessments(OLD)
    assert list(parsed.tables) == ["grades"]
    rows = parsed.tables["grades"][0]
    assert values(rows, "topic") == ["163"] * 3
    assert values(rows, "doc") == ["co/2000/r7108", "co/2000/r7108", "an/1995/a1"]
    assert values(rows, "path") == ["/article[1]/bdy[1]", "/article[1]", "/article[1]"]
    assert values(rows, "exhaustivity") == [2.0, 1.0, 0.0]
    assert values(rows, "specificity") == [3.0, 0.0, 0.0]
    assert [rows.line(i) for i in range(3)] == [4, 5, 8]
    assert [(p.kind, p.count, p.line) for p in parsed.problems] == [("unassessed", 1, 6)]


NEW = """<?xml version="1.0"?>
<!DOCTYPE assessments SYSTEM "../../assessments.dtd">
<assessments pool="9" topic="290" version="2">
<!-- Topic definition -->
<inex_topic topic_id="290" query_type="CO+S" ct_no="1"><title>q</title><description>path</description></inex_topic>
 <file collection="wikipedia" name="1234">
   <best-entry-point path="/article[1]/body[1]/p[1]/text()[1].5"/>
   <passage start="/article[1]/body[1]/p[1]/text()[1].5" end="/article[1]/body[1]/p[2]" size="40"/>
   <passage start="/article[1]/body[1]/p[4]/text()[1].0" end="/article[1]/body[1]/p[4]/text()[1].9" size="9"/>
   <element path="/article[1]" exhaustivity="2" size="200" rsize="50"/>
   <element path="/article[1]/body[1]/p[1]/it[1]" exhaustivity="?" size="8" rsize="8"/>
   <element path="/article[1]/body[1]/figure[1]" exhaustivity="1" size="0" rsize="0"/>
 </file>
 <file collection="wikipedia" name="77"></file>
</assessments>
"""


def test_highlights_of_2006():
    parsed = assessments(NEW)
    assert sorted(parsed.tables) == ["beps", "grades", "highlights", "judgements"]
    grades, passages, beps, judged = (parsed.tables[t][0] for t in ("grades", "highlights", "beps", "judgements"))
    assert values(grades, "exhaustivity") == [2.0, 0.0, 1.0]
    assert values(grades, "specificity") == [0.75, 3.0, 0.0]
    assert values(grades, "topic") == ["290"] * 3
    assert values(passages, "doc") == ["1234", "1234"]
    assert values(passages, "pointer_start")[0] == "/article[1]/body[1]/p[1]/text()[1].5"
    assert values(passages, "pointer_end") == ["/article[1]/body[1]/p[2]", "/article[1]/body[1]/p[4]/text()[1].9"]
    assert values(passages, "size") == [40, 9]
    assert [passages.line(0), passages.line(1)] == [8, 9]
    assert values(beps, "pointer") == ["/article[1]/body[1]/p[1]/text()[1].5"]
    assert (values(judged, "doc"), values(judged, "relevance")) == (["1234", "77"], [1, 0])
    assert kinds(parsed) == {"too small": 1}


def test_topics_in_other_places():
    one = '<file name="d"><element path="/a[1]" e="1" S="2"/></file>'
    several = assessments(f'<relevance-assessments><topic id="1">{one}</topic><topic topic-no="2">{one}</topic>'
                          f'<assessments topic="3">{one}</assessments></relevance-assessments>')
    assert values(several.tables["grades"][0], "topic") == ["1", "2", "3"]
    beside = assessments(f'<assessments><inex_topic topic_id="5"><title>t</title></inex_topic>{one}</assessments>')
    assert values(beside.tables["grades"][0], "topic") == ["5"]
    text = "<x><assessments topic='1'/>\n" + one + "</x>"
    assert "without a topic" in refused(inex_xml.read_assessments, text, 2)


def test_judged_and_nothing_found():
    parsed = assessments('<assessments topic="1"><file name="d"/></assessments>')
    assert len(parsed.tables["highlights"][0]) == 0
    assert values(parsed.tables["judgements"][0], "relevance") == [0]


@pytest.mark.parametrize(("inside", "says"), [
    ('<path path="/a[1]" exhaustivity="x" specificity="1"/>', "exhaustivity 'x' is not a number"),
    ('<path path="/a[1]" exhaustivity="4" specificity="1"/>', "exhaustivity 4 is out of range"),
    ('<path path="/a[1]" exhaustivity="-1" specificity="1"/>', "exhaustivity -1 is out of range"),
    ('<path path="/a[1]" exhaustivity="1" specificity="inf"/>', "specificity inf is out of range"),
    ('<path path="/a[1]" exhaustivity="1" specificity=""/>', "specificity '' is not a number"),
    ('<path path="/a[1]" exhaustivity="1"/>', "has no specificity"),
    ('<path path="/a[1]" specificity="1"/>', "has no exhaustivity"),
    ('<path exhaustivity="1" specificity="1"/>', "has no path"),
    ('<element path="/a[1]" exhaustivity="1" size="10"/>', "has no rsize"),
    ('<element path="/a[1]" exhaustivity="1" rsize="10"/>', "has no size"),
    ('<element path="/a[1]" exhaustivity="1" size="10" rsize="11"/>', "11 of 10"),
    ('<element path="/a[1]" exhaustivity="1" size="10" rsize="-1"/>', "-1 of 10"),
    ('<element path="/a[1]" exhaustivity="1" size="ten" rsize="1"/>', "size 'ten'"),
    ('<passage start="/a[1]" size="3"/>', "a passage has no end"),
    ('<passage start="/a[1]" end="/a[1]" size="x"/>', "size 'x'"),
    ('<passage start="/a[1]" end="/a[1]" size="-3"/>', "size -3 is negative"),
    ("<best-entry-point/>", "a best entry point has no path"),
    ('<file name="e"/>', "a file within a file"),
])
def test_malformed_assessments(inside, says):
    content = f'<assessments topic="1">\n<file name="d">\n{inside}\n</file></assessments>'
    assert says in refused(inex_xml.read_assessments, content, 3)


def test_malformed_around_files():
    assert "a file has no name" in refused(
        inex_xml.read_assessments, '<assessments topic="1">\n<file/></assessments>', 2)
    assert "outside a file" in refused(
        inex_xml.read_assessments, '<assessments topic="1">\n<passage start="a" end="b"/></assessments>', 2)
    assert "holds no assessments" in refused(inex_xml.read_assessments, '<assessments topic="1"/>', None)
    assert "well-formed" in refused(inex_xml.read_assessments, NEW[:-20], 14)


@settings(max_examples=200, deadline=None)
@given(st.text("<>/ =\"'\n", max_size=5).flatmap(lambda dirt: st.tuples(st.just(dirt), st.integers(0, len(NEW)))),
       st.sampled_from([OLD, NEW, ELEMENT_RUN.replace("ISO-8859-1", "UTF-8")]))
def test_dirt_is_read_or_refused(dirt, content):
    text, at = dirt
    broken = content[:at] + text + content[at + 1:]
    for reader in (inex_xml.read_run, inex_xml.read_assessments):
        try:
            parsed = reader(source(broken))
        except DataError:
            continue
        for many in parsed.tables.values():
            for rows in many:
                assert {len(c) for c in rows.columns.values()} == {len(rows)}
                assert all(1 <= rows.line(i) <= broken.count("\n") + 1 for i in range(len(rows)))
