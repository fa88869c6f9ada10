"""Measure strings: `Name(param=value,…)@k`, read and written so that reading what was written changes nothing.

A `Spec` is complete: defaults are filled in, values are checked against the declarations. Its `str` is the
canonical string that travels with every value.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from esr_core.errors import MeasureError, did_you_mean
from esr_core.measures.catalogue import AMOUNT, IDEALS, LEVEL, RANK, Declaration, Parameter, find

_TOKEN = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_\-]*|[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)(?:[eE][-+]?[0-9]+)?"
                    r"|[(),=@\[\]])")
MOST = 10**9  # no cut-off and no parameter goes further; squares and sums of such numbers are safe


@dataclass(frozen=True)
class Spec:
    """A checked measure string: declaration, all parameters, cut-off."""

    declaration: Declaration
    values: tuple[tuple[str, Any], ...]
    at: int | float | None = None

    @property
    def name(self) -> str:
        return self.declaration.name

    @property
    def parameters(self) -> dict[str, Any]:
        return dict(self.values)

    def __str__(self) -> str:
        return self._write(defaults=True)

    @property
    def short(self) -> str:
        """Without parameters that have their defaults; parses to the same measure."""
        return self._write(defaults=False)

    def _write(self, defaults: bool) -> str:
        inside = []
        for name, value in self.values:
            default = self.declaration.parameter(name).default
            full = str(value) if isinstance(value, Spec) else _write_value(value)
            if defaults or full != _write_value(default):
                inside.append(f"{name}={value._write(defaults) if isinstance(value, Spec) else full}")
        cut = "" if self.at is None else f"@{_write_at(self.at)}"
        return self.name + (f"({','.join(inside)})" if inside else "") + cut

    def with_values(self, **values: Any) -> Spec:
        """The same measure with some parameters (or `at`) replaced; values are checked."""
        at = values.pop("at", self.at)
        raw = {n: _raw(v) for n, v in self.values} | {n: _Word(str(v)) if isinstance(v, str) else v
                                                     for n, v in values.items()}
        return _complete(_Raw(self.name, raw, at), self.declaration.section)


def _write_value(value: Any) -> str:
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return str(value)


def _write_at(at: int | float) -> str:
    return repr(at)


def _shown(text: str, most: int = 80) -> str:
    """A measure string fit for a message of one line."""
    line = "".join(c if c.isprintable() else "�" for c in " ".join(text[: 2 * most].split()))
    return line if len(line) <= most else line[:most] + "…"


# ---------------------------------------------------------------- reading

class _Word(str):
    """A bare name in a measure string."""


@dataclass
class _Raw:
    name: str
    values: dict[str, Any]
    at: int | float | None = None


def _raw(value: Any) -> Any:
    if isinstance(value, Spec):
        return _Raw(value.name, {n: _raw(v) for n, v in value.values}, None)
    return _Word(value) if isinstance(value, str) else value


def parse(text: str | Spec) -> Spec:
    """Read a measure string.

    >>> from esr_core.measures import parse
    >>> str(parse("AgP(score=F,beta=0.25)"))
    'AgP(score=F(beta=0.25),group=consecutive)'
    >>> parse("iP[0.01]").short
    'iP@0.01'
    """
    if isinstance(text, Spec):
        return text
    if not isinstance(text, str):
        raise MeasureError(f"a measure is named by a string such as 'AiP', not by {type(text).__name__}")
    if len(text) > 2000:
        raise MeasureError(f"a measure string of {len(text):,} characters")
    return _complete(_Reader(text).measure(), "measure")


class _Reader:
    def __init__(self, text: str):
        self.text = text
        self.tokens: list[str] = []
        at = 0
        while at < len(text.rstrip()):
            found = _TOKEN.match(text, at)
            if not found:
                raise MeasureError(f"'{_shown(text)}': cannot read '{_shown(text[at:], 20)}'; write "
                                   "Name(param=value,…)@k")
            self.tokens.append(found[1])
            at = found.end()
        self.at = 0

    def fail(self, expected: str) -> MeasureError:
        here = self.tokens[self.at] if self.at < len(self.tokens) else "the end"
        return MeasureError(f"'{_shown(self.text)}': expected {expected}, found {_shown(here, 40)}")

    def next(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, *allowed: str) -> bool:
        if self.next() in allowed and self.next():
            self.at += 1
            return True
        return False

    def word(self, what: str) -> str:
        token = self.next()
        if not token or not (token[0].isalpha() or token[0] == "_"):
            raise self.fail(what)
        self.at += 1
        return token

    def number(self, what: str) -> int | float:
        token = self.next()
        try:
            value: int | float = int(token)
        except ValueError:
            try:
                value = float(token)
            except ValueError:
                raise self.fail(what) from None
        if abs(value) == math.inf:
            raise self.fail(what)
        self.at += 1
        return value

    def measure(self) -> _Raw:
        raw = self.call(0)
        if self.take("@"):
            raw.at = self.number("a cut-off such as 10")
        elif self.take("["):
            raw.at = self.number("a cut-off such as 10")
            if not self.take("]"):
                raise self.fail("']'")
        if self.at < len(self.tokens):
            raise self.fail("nothing more")
        return raw

    def call(self, depth: int) -> _Raw:
        if depth > 8:
            raise MeasureError(f"'{_shown(self.text)}': too many brackets")
        raw = _Raw(self.word("a name"), {})
        if self.take("(") and not self.take(")"):
            while True:
                name = self.word("a parameter name")
                if not self.take("="):
                    raise self.fail("'='")
                if name in raw.values:
                    raise MeasureError(f"'{_shown(self.text)}': {name} is given twice")
                raw.values[name] = self.value(depth)
                if self.take(")"):
                    break
                if not self.take(","):
                    raise self.fail("',' or ')'")
        return raw

    def value(self, depth: int) -> Any:
        token = self.next()
        if token and (token[0].isalpha() or token[0] == "_"):
            raw = self.call(depth + 1)
            called = self.tokens[self.at - 1] == ")"
            return raw if called else _Word(raw.name)
        return self.number("a value")


# ---------------------------------------------------------------- checking and completing

def _complete(raw: _Raw, section: str) -> Spec:
    declaration = find(section, raw.name)
    given = dict(raw.values)
    own = {p.name for p in declaration.parameters}
    flat = {n: given.pop(n) for n in list(given) if n not in own}
    values: list[tuple[str, Any]] = []
    for p in declaration.parameters:
        value = given.get(p.name, _default(p))
        if p.kind == "call" and not (p.resolve and value == "auto"):
            inner = value if isinstance(value, _Raw) else _Raw(str(value), {})
            if not isinstance(value, _Raw | _Word):
                raise MeasureError(f"{declaration.name}: {p.name}={_write_value(value)} is not one of {p.range}")
            fitting = _fitting(p.calls or "", inner, flat)
            written = inner.values if p.name in given else {}  # what a default says gives way
            moved = {n: flat.pop(n) for n in list(flat) if n in fitting and n not in written}
            values.append((p.name, _complete(_Raw(inner.name, {**inner.values, **moved}), p.calls or "")))
        else:
            values.append((p.name, "auto" if p.resolve and value == "auto" else _checked(declaration, p, value)))
    if flat:
        name = next(iter(flat))
        known = [p.name for p in declaration.parameters]
        for _, v in values:
            if isinstance(v, Spec):
                known += [p.name for p in v.declaration.parameters]
        if name in known:
            raise MeasureError(f"{declaration.name}: {name} is given twice")
        raise MeasureError(f"{declaration.name} has no parameter '{name}'{did_you_mean(name, known)}")
    return Spec(declaration, tuple(values), _checked_at(declaration, raw.at))


def _fitting(section: str, raw: _Raw, flat: Mapping[str, Any]) -> set[str]:
    """Names of the parameters of a call and of the calls inside it."""
    found = set()
    for p in find(section, raw.name).parameters:
        found.add(p.name)
        inner = raw.values.get(p.name, flat.get(p.name, _default(p)))
        if p.kind == "call" and isinstance(inner, _Raw | _Word) and inner != "auto":
            rest = {name: value for name, value in flat.items() if name != p.name}  # used up here
            found |= _fitting(p.calls or "", inner if isinstance(inner, _Raw) else _Raw(inner, {}), rest)
    return found


def resolve(spec: Spec, study: Any) -> Spec:
    """Put what a study makes of them in the place of defaults that depend on it (`nav=auto`)."""
    values: list[tuple[str, Any]] = []
    for name, value in spec.values:
        p = spec.declaration.parameter(name)
        if isinstance(value, Spec):
            value = resolve(value, study)
        elif value == "auto" and p.resolve is not None:
            chosen = p.resolve(study)
            value = _complete(_Raw(chosen, {}), p.calls or "") if p.kind == "call" else chosen
        values.append((name, value))
    return Spec(spec.declaration, tuple(values), spec.at)


def _default(p: Parameter) -> Any:
    if p.kind == "call" and not p.resolve:
        return _Reader(str(p.default)).call(0)
    return _Word(p.default) if isinstance(p.default, str) else p.default


def _checked(d: Declaration, p: Parameter, value: Any) -> Any:
    shown = value.name + "(…)" if isinstance(value, _Raw) else _shown(_write_value(value), 40)
    if p.kind == "choice":
        if str(shown) not in p.choices:
            raise MeasureError(f"{d.name}: {p.name}={shown} is unknown{did_you_mean(str(shown), p.choices)}")
        return str(value)
    if isinstance(value, str | _Raw):
        raise MeasureError(f"{d.name}: {p.name}={shown} is not a number; expected {p.range}")
    if p.above is not None and not value > p.above:
        raise MeasureError(f"{d.name}: {p.name}={shown} is out of range; expected {p.range}")
    nearest = min(max(value, -MOST if p.low is None else p.low), MOST if p.high is None else p.high)
    if nearest != value:
        raise MeasureError(f"{d.name}: {p.name}={shown} is out of range {p.range}; the nearest is "
                           f"{_write_value(nearest)}")
    if p.kind == "integer":
        if not float(value).is_integer():
            raise MeasureError(f"{d.name}: {p.name}={shown} is not a whole number; expected {p.range}")
        value = int(value)
    else:
        value = float(value)
    return value


def _checked_at(d: Declaration, at: int | float | None) -> int | float | None:
    if d.at is None:
        if at is not None:
            raise MeasureError(f"{d.name} takes no cut-off; write {d.name}")
        return None
    if at is None:
        what, example = {RANK: ("rank cut-off", "@10"), LEVEL: ("recall level", "@0.1"),
                         AMOUNT: ("amount of relevance", "@1"),
                         IDEALS: ("number of ideals (1) or recall level (0.1)", "@0.1")}[d.at]
        raise MeasureError(f"{d.name} needs a {what}, for example {d.name}{example}")
    if d.at == AMOUNT:
        if not at > 0:
            raise MeasureError(f"{d.name}@{_write_at(at)}: an amount of relevance lies above 0")
        return at
    if d.at == IDEALS and isinstance(at, float):
        if not 0 < at <= 1:
            raise MeasureError(f"{d.name}@{_write_at(at)}: a recall level lies above 0 and up to 1.0; a number of "
                               "ideals has no decimal point")
        return at
    if d.at == LEVEL:
        if not 0 <= at <= 1:
            raise MeasureError(f"{d.name}@{_shown(_write_at(at), 40)}: a recall level lies in 0 … 1; the nearest is "
                               f"{0 if at < 0 else 1}")
        return float(at)
    if not 1 <= at <= MOST or not float(at).is_integer():
        raise MeasureError(f"{d.name}@{_shown(_write_at(at), 40)}: a rank cut-off is a whole number from 1; the "
                           f"nearest is {min(max(1, round(at)), MOST)}")
    return int(at)


def same_measure(a: str, b: str) -> bool:
    """Do two strings name the same measure?"""
    return parse(a) == parse(b)


def flat_parameters(spec: Spec) -> Mapping[str, Any]:
    """All parameters of a spec and of the calls inside it, by name (for labels and sliders)."""
    out: dict[str, Any] = {}
    for name, value in spec.values:
        if isinstance(value, Spec):
            out[name] = value.name
            out |= flat_parameters(value)
        else:
            out[name] = value
    return out
