"""Blank-separated lines: the columnar way and the plain way give the same rows, and the plain one judges."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from esr_core.errors import DataError
from esr_core.readers import columns, read, recognise, trec
from esr_core.readers.rows import Rows
from esr_core.readers.source import Limits, Source

LAYOUTS = (trec.TREC_RUN, trec.TREC_QRELS, trec.ELEMENT_RUN, trec.FOL_RUN)
by_layout = pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.format)


def source(data: bytes, limits: Limits | None = None) -> Source:
    return Source("f", content=data, limits=limits or Limits())


def content(rows: Rows) -> dict[str, list]:
    """Every column as plain values, and the line of every row."""
    out = {name: column.to_pylist() if hasattr(column, "to_pylist") else column.tolist()
           for name, column in rows.columns.items()}
    return out | {"line": [rows.line(i) for i in range(len(rows))]}


def outcome(read, *arguments):
    """The content, or where and why it was refused."""
    try:
        return content(read(*arguments))
    except DataError as e:
        return str(e)


# ---- random files

IDS = st.sampled_from(["1", "007", "a", "X", "-1", "Ünïcode", "日本", 'q"uote', "a\u00a0b", "a,b", "#", "nan", "/a[1]",
                       "0x1", "\u2003", "\x1c"])
WHOLES = st.one_of(st.integers(-3, 10**6).map(str),
                   st.sampled_from(["X", "+1", "007", "3.0", "1e3", "-0", "1_0", "0x10", "1.5", "", "٣", "--1",
                                    "9223372036854775807", "9223372036854775808", "1" + "0" * 30, "1e30"]))
NUMBERS = st.one_of(st.floats(allow_nan=False).map(repr), st.integers(-5, 5).map(str),
                    st.sampled_from(["+1.0", "1e5", ".5", "5.", "-.5", "1.e5", "inf", "-Infinity", "nan", "-nan",
                                     "NaN(1)", "1e400", "1e-400", "1_0", "0x10", "1e", "x", "²", "٣.٥"]))
OF_KIND = {"id": IDS, "skip": IDS, "int": WHOLES, "float": NUMBERS}


@st.composite
def files(draw, layout, ragged: bool) -> bytes:
    """Lines of this layout; ragged ones have odd spacing, blank lines, missing fields and stray bytes."""
    blanks = st.sampled_from([" ", "  ", "\t", " \t", "\x0b", "\x0c"]) if ragged else st.just(" ")
    ends = st.sampled_from(["\n", "\n", "\n\n", "\r\n", "\r", " \n", "\n \n"]) if ragged else st.just("\n")
    text = draw(st.sampled_from(["", "\n", " "])) if ragged else ""
    for _ in range(draw(st.integers(1, 6))):
        fields = [draw(OF_KIND[field.kind]) for field in layout.fields]
        if ragged and draw(st.integers(0, 19)) == 0:
            fields = fields[: draw(st.integers(0, len(fields)))]
        text += "".join(f + draw(blanks) for f in fields[:-1]) + "".join(fields[-1:]) + draw(ends)
    data = text.encode()
    if ragged and draw(st.integers(0, 9)) == 0:
        at = draw(st.integers(0, len(data)))
        data = data[:at] + draw(st.sampled_from([b"\xff", b"\xe9", b"\0", b"\xc3"])) + data[at:]
    return data if draw(st.booleans()) else data.rstrip(b"\n")


@by_layout
@pytest.mark.parametrize("ragged", [False, True], ids=["regular", "ragged"])
def test_fast_and_plain_agree(layout, ragged):
    """What Arrow accepts the plain reader accepts, with the same values on the same lines."""
    seen = {"fast": 0, "refused": 0}

    @settings(max_examples=150, deadline=None, derandomize=True)
    @given(files(layout, ragged))
    def agree(data):
        data = source(data).unix_bytes if b"\0" not in data else data
        fast = columns._fast(data, "f", layout)
        plain = outcome(columns._plain, data, source(data), layout)
        if fast is not None:
            seen["fast"] += 1
            assert content(fast) == plain
        seen["refused"] += isinstance(plain, str)

    agree()
    assert seen["refused"] > 10  # the generator reaches both ways
    assert seen["fast"] > 10 or ragged


@by_layout
def test_reading_is_what_the_plain_way_says(layout):
    """Whichever way is chosen, the caller sees what the plain reader would give, errors included."""
    @settings(max_examples=150, deadline=None, derandomize=True)
    @given(files(layout, ragged=True))
    def same(data):
        if b"\0" in data:
            return
        mine = source(data)
        assert outcome(columns.read_columns, mine, layout) == outcome(columns._plain, mine.unix_bytes, mine, layout)

    same()


@pytest.mark.parametrize("line", [
    b"1 Q0 a 1 2.5 t", b"1  Q0 a\t1 2.5   t  ", b"  1 Q0 a 1 2.5 t", b"1 Q0 a 1 +2.5 t", b"1 Q0 a 1 25e-1 t",
])
def test_spacing_and_spelling_do_not_matter(line):
    rows = columns.read_columns(source(line + b"\n" + line), trec.TREC_RUN)
    assert content(rows) == {"topic": ["1", "1"], "doc": ["a", "a"], "score": [2.5, 2.5], "tag": ["t", "t"],
                             "line": [1, 2]}


def test_clean_files_take_the_fast_way():
    clean = b"".join(b"%d Q0 d%d 1 %.3f t\n" % (i, i, i / 7) for i in range(1000))
    assert columns._fast(clean, "f", trec.TREC_RUN) is not None
    respaced = columns._one_space(clean.replace(b" ", b" \t "))
    assert respaced == clean


def test_ids_of_one_column_share_a_dictionary_over_blocks():
    """Arrow reads blocks of 16 MB; a file of several still has one dictionary."""
    data = b"1 Q0 document-%d 1 0.5 tag\n" % 10**300
    data *= (40 << 20) // len(data)
    rows = columns._fast(data, "f", trec.TREC_RUN)
    assert rows is not None
    assert len(rows) == data.count(b"\n")
    assert rows.columns["doc"].dictionary.to_pylist() == [f"document-{10**300}"]
    assert np.unique(rows.columns["score"]).tolist() == [0.5]


# ---- refusals

@pytest.mark.parametrize(("line", "said"), [
    (b"1 Q0 a 1 2.5", "5 columns instead of 6; expected 'topic Q0 doc rank score tag'"),
    (b"1 Q0 a 1 2.5 t t", "7 columns instead of 6"),
    (b"1 Q0 a 1 high t", "score 'high' is not a number"),
    (b"1 Q0 a 1 NaN t", "score 'NaN' is not a number"),
    (b"1 Q0 a 1 1_000 t", "score '1_000' is not a number"),
    (b"1 Q0 \xe9 1 2.5 t", "byte 0xE9 is not UTF-8"),
    (b"1 Q\xe9 a 1 2.5 t", "byte 0xE9 is not UTF-8"),  # in a column nobody uses
    (b"1 Q0 a 1 2.5 " + b"t" * 3000, "a line of 3,013 bytes"),
])
def test_the_first_bad_line_is_named(line, said):
    good = b"1 Q0 a 1 2.5 t\n"
    for data in (good + line, good * 2 + b"\n" + line + b"\n" + good, (good + line).replace(b"\n", b"\r")):
        at = data.replace(b"\r", b"\n").split(b"\n").index(line) + 1
        with pytest.raises(DataError) as caught:
            columns.read_columns(source(data, Limits(line_bytes=2000)), trec.TREC_RUN)
        assert (caught.value.file, caught.value.line) == ("f", at)
        assert said in str(caught.value)


@pytest.mark.parametrize("value", ["1" + "0" * 30, "1e30", "9223372036854775808"])
def test_whole_numbers_beyond_any_column_are_refused(value):
    with pytest.raises(DataError, match="is too large") as caught:
        columns.read_columns(source(f"1 Q0 a 1 2 t 0 10\n1 Q0 a 2 1 t {value} 10\n".encode()), trec.FOL_RUN)
    assert caught.value.line == 2


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(0, 30), max_size=12), st.integers(2, 20))
@example([21], 20)
@example([20, 20], 20)
def test_long_lines_are_never_overlooked(lengths, most):
    data = b"\n".join(b"x" * n for n in lengths)
    if any(n > most for n in lengths):
        assert columns.has_long_line(data, most)
    if all(n < most // 2 for n in lengths):
        assert not columns.has_long_line(data, most)


def test_shorten_makes_values_fit_for_a_message():
    assert columns.shorten("a\nb\x1b[31m") == "a�b�[31m"
    assert columns.shorten("x" * 100, 10) == "x" * 10 + "…"


# ---- recognition

RUN = "1 Q0 a 1 2.5 t\n"
FILES = {
    "TREC run": RUN,
    "TREC qrels": "1 0 a 1\n",
    "INEX element run": "1 Q0 a 1 2.5 t /article[1]/sec[2]\n",
    "INEX FOL run": "1 Q0 a 1 2.5 t 10 20\n",
    "INEX FOL qrels": "1 Q0 a 20 100 10 10:20\n1 Q0 b 0 100\n",
}


@pytest.mark.parametrize("form", FILES)
@pytest.mark.parametrize("name", ["f.txt", "f.csv", "f.xml", "f.parquet", "f"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gz"])
def test_content_says_what_a_file_is(form, name, pack):
    assert read(Source(name, content=pack(FILES[form].encode()))).format == form


@pytest.mark.parametrize("form", FILES)
@pytest.mark.parametrize("change", [
    lambda data: data.replace(b"\n", b"\r\n"), lambda data: data.replace(b"\n", b"\r"),
    lambda data: data.replace(b" ", b"\t"), lambda data: data.replace(b" ", b"   "),
    lambda data: b"\xef\xbb\xbf" + data, lambda data: data.decode().encode("utf-16"),
    lambda data: b"\n \n" + data + b"\n\n", lambda data: data.rstrip(b"\n"),
], ids=["CRLF", "CR", "tabs", "blanks", "BOM", "UTF-16", "blank lines", "no last line end"])
def test_formats_are_recognised_however_the_file_was_written(form, change):
    plain = read(Source("f", content=FILES[form].encode()))
    odd = read(Source("f", content=change(FILES[form].encode())))
    assert odd.format == form

    def cells(parsed):
        return {table: [{k: v for k, v in content(rows).items() if k != "line"} for rows in many]
                for table, many in parsed.tables.items()}

    assert cells(odd) == cells(plain)


def test_the_majority_of_lines_decides():
    """One short line in a run does not make it something else: it is refused where it stands."""
    with pytest.raises(DataError) as caught:
        read(source((RUN * 3 + "1 Q0 a 1\n" + RUN * 3).encode()))
    assert caught.value.line == 4
    assert "expected 'topic Q0 doc rank score tag'" in str(caught.value)


@pytest.mark.parametrize("text", ["hello world\n", "one\n", "a b c d e f g h i j\n", "[1, 2]\n"])
def test_other_text_is_refused(text):
    with pytest.raises(DataError, match="no line of any known format") as caught:
        recognise(source(text.encode()))
    assert caught.value.line == 1


# ---- values that mean something

def test_unresolved_passages_are_kept():
    parsed = read(source(b"1 Q0 a 1 2 t X X\n1 Q0 a 2 1 t -1 5\n1 Q0 a 3 0 t 7 5\n"))
    rows, = parsed.tables["runs"]
    assert content(rows)["start"] == [-1, -1, 7]
    assert content(rows)["end"] == [-1, -1, 12]
    assert [(p.kind, p.count, p.line) for p in parsed.problems] == [("unresolved", 2, 1)]


@pytest.mark.parametrize(("line", "said"), [
    ("1 Q0 a 20 100 10 10:x", "'10:x' is not offset:length"),
    ("1 Q0 a 20 100 10 -1:20", "'-1:20' is not offset:length"),
    ("1 Q0 a 20 100 10 ²:20", "'²:20' is not offset:length"),
    ("1 Q0 a 20 100 10 " + "9" * 5000 + ":20", "is not offset:length"),
    ("1 Q0 a 20 100 ten 10:20", "best entry point 'ten' is not a whole number"),
    ("1 Q0 a 20 100 10", "20 relevant characters, but no passage"),
    ("1 Q0 a 20 100", "20 relevant characters, but no passage"),
    ("1 Q0 a x 100", "'x 100' are not two whole numbers"),
    ("1 Q0 a -20 100", "a negative number of characters"),
    ("1 Q0 a 20", "4 columns instead of 5 or more"),
    ("1 Q0 a " + "9" * 30 + " 100 10 10:20", "are not two whole numbers"),
])
def test_fol_qrels_are_checked_field_by_field(line, said):
    data = f"{FILES['INEX FOL qrels']}{line}\n".encode()
    with pytest.raises(DataError) as caught:
        trec.read_fol_qrels(source(data))
    assert caught.value.line == 3
    assert said in str(caught.value)
    assert "expected 'topic Q0 doc relchars doclen" in str(caught.value)
