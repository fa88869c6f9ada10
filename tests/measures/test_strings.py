"""Measure strings: what is written reads back the same, and what cannot be read is answered with the nearest."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from esr_core.errors import MeasureError
from esr_core.measures import MEASURES, SCORES, SECTIONS, Spec, flat_parameters, parse, same_measure
from esr_core.measures.catalogue import AMOUNT, IDEALS, LEVEL, RANK, Declaration, Parameter
from esr_core.measures.strings import MOST

# ---- random measures, from the declarations


def numbers(p: Parameter) -> st.SearchStrategy[int | float]:
    """Any value within the declared range."""
    if p.kind == "integer":
        low = math.ceil(p.low) if p.low is not None else -MOST
        return st.integers(low, math.floor(p.high) if p.high is not None else MOST)
    low = p.low if p.low is not None else p.above if p.above is not None else -MOST
    return st.floats(low, p.high if p.high is not None else MOST, exclude_min=p.above is not None)


def written_number(value: float, draw) -> str:
    """One of the ways to write a number down."""
    forms = [repr(value), f"+{value!r}" if value >= 0 else repr(value)]
    if float(value).is_integer() and abs(value) < 1e15:
        forms += [str(int(value)), f"{int(value)}.0", f"{int(value)}."]
    return draw(st.sampled_from(forms))


@st.composite
def calls(draw, declaration: Declaration) -> str:
    """The measure (or score) with some of its parameters written out, in any order, nested or flat."""
    given = []
    for p in declaration.parameters:
        if draw(st.booleans()):
            continue
        if p.kind == "choice":
            given.append(f"{p.name}={draw(st.sampled_from(p.choices))}")
        elif p.kind == "call":
            inner = draw(st.sampled_from(list(SECTIONS[p.calls].values())))
            text = draw(calls(inner))
            name, _, rest = text.partition("(")
            parts = [part.strip() for part in rest[:-1].split(",") if part.strip()]
            taken = {q.name for q in declaration.parameters} | {part.partition("=")[0] for part in given}
            if "(" not in rest and not taken & {part.partition("=")[0] for part in parts} and draw(st.booleans()):
                text, given = name, given + parts  # flat: the inner parameters beside the outer ones
            given.append(f"{p.name}={text}")
        else:
            given.append(f"{p.name}={written_number(draw(numbers(p)), draw)}")
    blank = draw(st.sampled_from(["", " "]))
    inside = f",{blank}".join(draw(st.permutations(given)))
    return declaration.name + (f"({blank}{inside}{blank})" if inside or draw(st.booleans()) else "")


@st.composite
def measures(draw) -> str:
    declaration = draw(st.sampled_from(list(MEASURES.values())))
    text = draw(calls(declaration))
    if declaration.at is None:
        return text
    if declaration.at == AMOUNT:
        at = repr(draw(st.floats(1e-3, 100)))
    elif declaration.at == IDEALS and draw(st.booleans()):
        at = str(draw(st.integers(1, MOST)))
    elif declaration.at == RANK:
        at = written_number(draw(st.integers(1, MOST)), draw)
    elif declaration.at == IDEALS:  # a level needs its decimal point: PRUM@1 is not PRUM@1.0
        at = repr(draw(st.floats(1e-4, 1)))
    else:
        at = written_number(draw(st.floats(0, 1)), draw)
    return f"{text}[{at}]" if draw(st.booleans()) else f"{text}@{at}"


@settings(max_examples=400, deadline=None)
@given(measures())
def test_reading_what_was_written_changes_nothing(text):
    spec = parse(text)
    assert parse(str(spec)) == spec
    assert str(parse(str(spec))) == str(spec)
    assert parse(spec.short) == spec
    assert parse(spec.short).short == spec.short
    assert same_measure(text, spec.short)
    assert " " not in str(spec)


@settings(max_examples=200, deadline=None)
@given(measures())
def test_a_canonical_string_names_every_parameter(text):
    spec = parse(text)

    def named(spec: Spec, written: str) -> None:
        for p in spec.declaration.parameters:
            assert f"{p.name}=" in written
            value = spec.parameters[p.name]
            if isinstance(value, Spec):
                named(value, written)

    named(spec, str(spec))
    assert (spec.at is None) == (spec.declaration.at is None)
    assert flat_parameters(spec).keys() >= {p.name for p in spec.declaration.parameters}


@settings(max_examples=200, deadline=None)
@given(measures())
def test_values_can_be_replaced_one_by_one(text):
    spec = parse(text)
    assert spec.with_values() == spec
    assert spec.with_values(**{n: v for n, v in spec.values if not isinstance(v, Spec)}) == spec
    if spec.declaration.at == RANK:
        assert spec.with_values(at=7).at == 7


@pytest.mark.parametrize(("text", "canonical", "short"), [
    ("AiP", "AiP(alpha=0)", "AiP"),
    ("AiP(alpha=0)", "AiP(alpha=0)", "AiP"),
    ("AiP(alpha=0.50)", "AiP(alpha=0.5)", "AiP(alpha=0.5)"),
    ("AiP(alpha=1.0)", "AiP(alpha=1)", "AiP(alpha=1)"),
    ("P@10", "P@10", "P@10"),
    ("P[10]", "P@10", "P@10"),
    ("P@1e1", "P@10", "P@10"),
    (" P @ 10 ", "P@10", "P@10"),
    ("P()@10", "P@10", "P@10"),
    ("iP[0.01]", "iP(alpha=0)@0.01", "iP@0.01"),
    ("iP@0", "iP(alpha=0)@0.0", "iP@0.0"),
    ("iP@1", "iP(alpha=0)@1.0", "iP@1.0"),
    ("iP(alpha=.5)[1]", "iP(alpha=0.5)@1.0", "iP(alpha=0.5)@1.0"),
    ("AgP", "AgP(score=F(beta=1),group=consecutive)", "AgP"),
    ("AgP(score=F,beta=0.25)", "AgP(score=F(beta=0.25),group=consecutive)", "AgP(score=F(beta=0.25))"),
    ("AgP(beta=0.25)", "AgP(score=F(beta=0.25),group=consecutive)", "AgP(score=F(beta=0.25))"),
    ("AgP(group=merge,score=P)", "AgP(score=P,group=merge)", "AgP(score=P,group=merge)"),
    ("AgP(order=worst,score=T2IF(beta=2),tolerance=100)",
     "AgP(score=T2IF(tolerance=100,order=worst,beta=2),group=consecutive)",
     "AgP(score=T2IF(tolerance=100,order=worst,beta=2))"),
    ("gP(score=BEP(n=1000))@5", "gP(score=BEP(n=1000),group=consecutive)@5", "gP(score=BEP(n=1000))@5"),
    ("gP(n=1000,score=BEP)[5]", "gP(score=BEP(n=1000),group=consecutive)@5", "gP(score=BEP(n=1000))@5"),
    ("Hits(normalise=target,nav=steady,of=routes)@1",  # flat, at two levels
     "Hits(rel=binary,nav=steady(of=routes(abandon=off,normalise=target)),units=smallest,quant=strict,match=exact,"
     "eq4=paper,overlap=1)@1", "Hits(nav=steady(of=routes(normalise=target)))@1"),
    ("PRUM@1", "PRUM(nav=auto,units=smallest,quant=strict,method=eq5,tail=on)@1", "PRUM@1"),
    ("PRUM@1.0", "PRUM(nav=auto,units=smallest,quant=strict,method=eq5,tail=on)@1.0", "PRUM@1.0"),
    ("CE@10", "CE(screen=300,order=natural,nr=5,steps=3,task=focused,group=consecutive)@10", "CE@10"),
])
def test_known_strings(text, canonical, short):
    spec = parse(text)
    assert (str(spec), spec.short) == (canonical, short)


def test_a_spec_is_its_own_reading():
    spec = parse("AiP")
    assert parse(spec) is spec


@pytest.mark.parametrize("declaration", [*MEASURES.values(), *SCORES.values()], ids=lambda d: f"{d.section} {d.name}")
def test_defaults_lie_in_their_ranges(declaration):
    """The usage that the catalogue shows can be read, and means the defaults."""
    usage = declaration.usage.replace("@k", "@10").replace("@x", "@0.1").replace("@r", "@0.1")
    name = declaration.name
    if declaration.section == "score":
        usage, name = f"AgP(score={usage})", f"AgP(score={name})"
    elif declaration.at:
        name += "@10" if declaration.at == RANK else "@0.1"
    assert parse(usage) == parse(name)


# ---- errors

@pytest.mark.parametrize(("text", "said"), [
    ("AiPP", "no measure 'AiPP'; did you mean 'AiP'?"),
    ("aip", "no measure 'aip'; did you mean 'AiP'?"),
    ("nonsense", "no measure 'nonsense'; "),
    ("T2IF", "'T2IF' is a document score, not a measure of lists; use it as AgP(score=T2IF)"),
    ("LE", "'LE' is the effort score of one document"),
    ("AgP(score=T2F)", "no document score 'T2F'; did you mean 'T2IF'?"),
    ("AgP(score=AiP)", "no document score 'AiP'"),
    ("AgP(score=1)", "AgP: score=1 is not one of F | P | R"),
    ("AiP(alpa=1)", "AiP has no parameter 'alpa'; did you mean 'alpha'?"),
    ("AgP(score=F(bta=1))", "F has no parameter 'bta'; did you mean 'beta'?"),
    ("AgP(score=F,bta=1)", "AgP has no parameter 'bta'; did you mean 'beta'?"),
    ("AgP(score=F(beta=2),beta=3)", "AgP: beta is given twice"),
    ("AiP(alpha=0,alpha=1)", "alpha is given twice"),
    ("AiP(alpha=2)", "AiP: alpha=2 is out of range 0 … 1; the nearest is 1"),
    ("AiP(alpha=-0.5)", "AiP: alpha=-0.5 is out of range 0 … 1; the nearest is 0"),
    ("AiP(alpha=high)", "AiP: alpha=high is not a number; expected 0 … 1"),
    ("AiP(alpha=F(beta=1))", "AiP: alpha=F(…) is not a number; expected 0 … 1"),
    ("AgP(score=F(beta=0))", "F: beta=0 is out of range; expected > 0 …"),
    ("AgP(score=ChP(n=0))", "ChP: n=0 is out of range 1 …; the nearest is 1"),
    ("AgP(score=ChP(n=2.5))", "ChP: n=2.5 is not a whole number; expected 1 …"),
    ("AgP(score=ChP(order=worse))", "ChP: order=worse is unknown; did you mean 'worst'?"),
    ("AgP(group=merged)", "AgP: group=merged is unknown; did you mean 'merge'?"),
    ("AgP(group=1)", "AgP: group=1 is unknown; known: consecutive, merge"),
    ("P", "P needs a rank cut-off, for example P@10"),
    ("iP", "iP needs a recall level, for example iP@0.1"),
    ("AiP@10", "AiP takes no cut-off; write AiP"),
    ("P@0", "P@0: a rank cut-off is a whole number from 1; the nearest is 1"),
    ("P@-3", "the nearest is 1"),
    ("P@2.5", "P@2.5: a rank cut-off is a whole number from 1; the nearest is 2"),
    ("P@1e12", "the nearest is 1000000000"),
    ("P@" + "9" * 400, "the nearest is 1000000000"),
    ("iP@1.5", "iP@1.5: a recall level lies in 0 … 1; the nearest is 1"),
    ("iP@-1", "iP@-1: a recall level lies in 0 … 1; the nearest is 0"),
    ("P@", "'P@': expected a cut-off such as 10, found the end"),
    ("P@x", "'P@x': expected a cut-off such as 10, found x"),
    ("P@1e999", "expected a cut-off such as 10, found 1e999"),
    ("P[10", "'P[10': expected ']', found the end"),
    ("P@10@20", "expected nothing more, found @"),
    ("AiP(alpha", "'AiP(alpha': expected '=', found the end"),
    ("AiP(alpha=)", "expected a value, found )"),
    ("AiP(alpha=1", "expected ',' or ')', found the end"),
    ("AiP(1)", "expected a parameter name, found 1"),
    ("", "'': expected a name, found the end"),
    ("   ", "expected a name, found the end"),
    ("10", "'10': expected a name, found 10"),
    ("AiP;P", "cannot read ';P'"),
    ("AgP(score=F(beta=1e300))", "F: beta=1e+300 is out of range > 0 …; the nearest is 1000000000"),
    ("AgP(score=ChP(n=" + "1" * 500 + "))", "the nearest is 1000000000"),
    ("AgP(score=" * 20, "too many brackets"),
    ("A" * 3000, "a measure string of 3,000 characters"),
    ("P@١٠", "cannot read '١٠'"),  # digits of another script
])
def test_errors_name_the_nearest(text, said):
    with pytest.raises(MeasureError) as caught:
        parse(text)
    assert said in str(caught.value)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("what", [None, 3, ["AiP"], b"AiP"])
def test_a_measure_is_named_by_a_string(what):
    with pytest.raises(MeasureError, match="named by a string"):
        parse(what)


@pytest.mark.parametrize("values", [{"alpha": math.nan}, {"alpha": math.inf}, {"alpha": 10**400}, {"beta": 1}])
def test_replaced_values_are_checked(values):
    with pytest.raises(MeasureError):
        parse("AiP").with_values(**values)


def line_of_error(text: str) -> str | None:
    try:
        parse(text)
    except MeasureError as e:
        return str(e)
    return None


@settings(max_examples=400, deadline=None)
@given(st.one_of(st.text(), st.text("APRFgic()[]=,@.0123456789eE+-_ \n\t\0²")))
@example("AiP\nAiP")
@example("P@10\n\nx")
@example("AiP(alpha=\x1b[31m)")
def test_any_text_is_read_or_refused_in_one_line(text):
    said = line_of_error(text)
    assert said is None or (said.isprintable() and len(said) < 1000)


@settings(max_examples=400, deadline=None)
@given(measures(), st.data())
def test_mistyped_measures_are_read_or_refused_in_one_line(text, data):
    """One character left out, doubled, exchanged or replaced."""
    at = data.draw(st.integers(0, len(text) - 1))
    other = data.draw(st.sampled_from(list("()[],=@.-+e0 \nA")))
    typed = data.draw(st.sampled_from([text[:at] + text[at + 1:], text[:at] + text[at] + text[at:],
                                       text[:at] + other + text[at + 1:], text[: at] + text[at:][::-1]]))
    said = line_of_error(typed)
    assert said is None or (said.isprintable() and said)


@pytest.mark.parametrize("declaration", MEASURES.values(), ids=lambda d: d.name)
def test_a_cut_off_stands_where_it_belongs(declaration):
    with_rank, with_level = f"{declaration.name}@10", f"{declaration.name}@0.5"
    assert (line_of_error(with_rank) is None) == (declaration.at in (RANK, IDEALS, AMOUNT))
    assert (line_of_error(with_level) is None) == (declaration.at in (LEVEL, IDEALS, AMOUNT))
    assert (line_of_error(declaration.name) is None) == (declaration.at is None)
