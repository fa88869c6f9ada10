"""Precision–recall with user modelling (prum): readers who navigate, and want a number of ideal elements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from esr_core.measures.catalogue import IDEALS, RANK, Parameter, measure
from esr_core.measures.esr import NAV, QUANT, UNITS
from esr_core.measures.explanation import Parts, terms, upto
from esr_core.measures.strings import Spec
from esr_core.ragged import Hits
from esr_core.scenarios import IdealView, Scenarios
from esr_core.study import Study

Array = np.ndarray
FAMILY = "PRUM"
TENTHS = np.arange(1, 11) / 10

METHOD = Parameter("method", "eq5: the published measure with its hypothesis 2.3; exact: without it.", "eq5",
                   kind="choice", choices=("eq5", "exact"))
TAIL = Parameter("tail", "After the list the reader goes on through the rest of the collection at random (on), or "
                         "stops (off).", "on", kind="choice", choices=("on", "off"),
                 option_needs={"on": ("collection",)})
_WHO = (NAV, UNITS, QUANT)


@dataclass(frozen=True)
class Prum:
    """The ideals with results, through one navigation model."""

    ideals: IdealView
    scenarios: Scenarios

    @property
    def n_lists(self) -> int:
        return self.ideals.n_lists

    @property
    def defined(self) -> Array:
        return self.ideals.defined


def view(alignment: Any, values: dict[str, Any]) -> Prum:
    """The family's view for these parameters."""
    nav: Spec = values["nav"]
    ideals = alignment.ideal_view(values["units"], values["quant"])
    return Prum(ideals, ideals.scenarios(str(nav), lambda: alignment.model(nav), values.get("method", "eq5")))


_COMMON: dict[str, Any] = {"family": FAMILY, "reference": "piwowarski2007prum", "needs": ("units", "nodes"),
                           "view": view}


def _parts(p: Prum, tail: str) -> tuple[Array, Array, Array]:
    """Eq 5 for every r = 1 … most: (a) + (b), (c) + (d), and (b) alone; lists × (most + 1), column 0 unused."""
    s = p.scenarios
    most = s.final.shape[1]
    found = np.cumsum(s.leading, axis=1)
    consulted = np.cumsum(s.consulted, axis=1)
    a, c, b = (np.zeros((p.n_lists, most)) for _ in range(3))
    a[:, 1:], c[:, 1:] = found[:, :-1], consulted[:, :-1]
    if tail == "on":
        # Σ_{s<r} P(F_o=s)(r−s)·w(s) = r·Σ w·P − Σ s·w·P
        number = np.arange(most, dtype=float)
        unseen = np.maximum(p.ideals.count[:, None] - number, 0)
        each = 1 + (p.ideals.unranked[:, None] - unseen) / (unseen + 1)
        for total, weight in ((b, np.ones_like(each)), (c, each)):
            mass, moment = np.cumsum(weight * s.final, axis=1), np.cumsum(number * weight * s.final, axis=1)
            total[:, 1:] += number[1:] * mass[:, :-1] - moment[:, :-1]
    return a + b, c, b


def _by_ideals(p: Prum, tail: str) -> Array:
    """PRUM for every r; NaN beyond a topic's ideals."""
    a, c, _ = _parts(p, tail)
    value = np.divide(a, c, out=np.zeros(a.shape), where=c > 0)
    return np.where(np.arange(a.shape[1]) <= p.ideals.count[:, None], value, np.nan)


def _level_to_ideals(p: Prum, level: Array) -> Array:
    """r = ⌈x·|I|⌉, at least 1: lists × levels."""
    wanted = np.ceil(level * p.ideals.count[:, None] - 1e-12).astype(np.int64)
    return np.maximum(wanted, 1)


def _at(table: Array, p: Prum, at: Array, level: bool, ceiling: bool) -> Array:
    """Values at numbers of ideals, or at recall levels (`ceiling`: the best at any recall at least as high)."""
    if not level:
        r = at.astype(np.int64)
        inside = r < table.shape[1]
        return np.where(inside, table[:, np.minimum(r, table.shape[1] - 1)], np.nan)
    if ceiling:
        filled = np.where(np.isnan(table), -np.inf, table)
        table = np.maximum.accumulate(filled[:, ::-1], axis=1)[:, ::-1]
    rows = np.arange(p.n_lists)[:, None]
    return np.where(p.ideals.count[:, None] > 0,
                    table[rows, np.minimum(_level_to_ideals(p, at), table.shape[1] - 1)], np.nan)


def _by_rank(study: Study, p: Prum, which: int) -> Array:
    """ranks × (most + 1): what every rank adds for each r; `which` 1: leading ranks of Eq 5, 2: of EPRUM."""
    out = np.zeros((len(study.results), p.scenarios.final.shape[1]))
    for entry in p.scenarios.trace:
        row = np.asarray(entry[which])
        if which == 1:
            out[entry[0] - 1, 1:] = np.cumsum(row)[:-1]
        else:
            out[entry[0] - 1] = row
    return out


def _explained(study: Study, p: Prum, numbers: list[int], tail: str | None) -> Parts:
    """The mean over some numbers r of ideals: what each rank adds; the last row is the unranked part."""
    length = len(study.results)
    seen = np.bincount(p.scenarios.rank - 1, p.scenarios.increase, length) if length else np.zeros(0)
    if tail is None:
        part, rest = _by_rank(study, p, 2)[:, numbers].mean(axis=1), 0.0
    else:
        _, c, b = (x[0, numbers] for x in _parts(p, tail))
        share = np.divide(1.0, c, out=np.zeros(len(c)), where=c > 0)
        part, rest = (_by_rank(study, p, 1)[:, numbers] * share).mean(axis=1), float((b * share).mean())
    wanted = ", ".join(map(str, dict.fromkeys(numbers)))
    return Parts({"seen": np.append(seen, 0.0), "contribution": np.append(part, rest)},
                 terms(np.append(part, rest)), np.append(np.arange(length), -1),
                 f"ideal elements wanted: {wanted} of {int(p.ideals.count[0])}; seen: how many more this rank is "
                 "expected to show; contribution: its chance to lead to a new one, over all consulted; last row: the "
                 "unranked part")


def _numbers(p: Prum, at: Array, table: Array | None) -> list[int]:
    """The numbers of ideals behind cut-offs; `table` given: the best at any recall at least as high."""
    if at.dtype.kind != "f":
        return [int(r) for r in at]
    out = []
    for r in _level_to_ideals(p, at)[0]:
        own = int(r)
        out.append(own if table is None else own + int(np.nanargmax(table[0, own:])))
    return out


def _explain_prum(study: Study, p: Prum, at: Array, *, tail: str, **_: Any) -> Parts:
    return _explained(study, p, _numbers(p, at, _by_ideals(p, tail)), tail)


@measure("PRUM", title="Precision–recall with user modelling",
         formula=r"PRUM[r]=\frac{\sum_{s<r}\sum_{i} P(F_{i-1}{=}s)\,P(F_i{>}s\mid F_{i-1}{=}s)+\dots}"
                 r"{\sum_{s<r}\sum_{i} P(F_{i-1}{=}s)+\dots}", equation="Eq 5–8", at=IDEALS,
         parameters=(*_WHO, METHOD, TAIL), axes=("Recall", "Precision"), explain=_explain_prum, **_COMMON)
def prum(p: Prum, at: Array, *, tail: str, **_: Any) -> Array:
    """The chance that a result which a reader consults, who wants r ideal elements, leads to one not seen before. At a
    recall level, the best at any recall at least as high."""
    return _at(_by_ideals(p, tail), p, at, at.dtype.kind == "f", ceiling=True)


def _explain_aprum(study: Study, p: Prum, *, tail: str, **_: Any) -> Parts:
    return _explained(study, p, _numbers(p, TENTHS, _by_ideals(p, tail)), tail)


@measure("APRUM", title="Average PRUM", formula=r"APRUM=\frac1{10}\sum_{x=0.1}^{1} PRUM[x]", equation="§3",
         parameters=(*_WHO, METHOD, TAIL), explain=_explain_aprum, **_COMMON)
def aprum(p: Prum, *, tail: str, **_: Any) -> Array:
    """Mean of PRUM at the recall levels 0.1, 0.2 … 1."""
    return _at(_by_ideals(p, tail), p, TENTHS, True, ceiling=True).mean(axis=1)


def _explain_gr(study: Study, p: Prum, at: Array, **_: Any) -> Parts:
    k = int(at[0])
    inside = p.scenarios.rank <= k
    added = np.bincount(p.scenarios.rank[inside] - 1, p.scenarios.increase[inside], k)
    n = int(p.ideals.count[0])
    return Parts({"seen": added, "contribution": added / max(n, 1)}, f"({terms(added)}) / {n}",
                 upto(np.arange(len(study.results)), k))


@measure("GR", title="Generalised recall with user modelling",
         formula=r"GR[k]=\frac{\sum_{x\in I} P(x\in S_k)}{|I|}", equation="Eq 6", at=RANK, parameters=_WHO,
         axes=("Rank", "Recall (expected share of the ideal elements seen)"), explain=_explain_gr, **_COMMON)
def gr(p: Prum, at: Array, **_: Any) -> Array:
    """Expected share of the ideal elements that the reader has seen after k ranks."""
    hits = Hits(p.scenarios.list, p.scenarios.rank, p.n_lists)
    return hits.sum_at(p.scenarios.increase, at) / np.maximum(p.ideals.count, 1)[:, None]


def _explain_eprum(study: Study, p: Prum, at: Array, **_: Any) -> Parts:
    return _explained(study, p, _numbers(p, at, None), None)


def _expected(p: Prum) -> Array:
    most = p.scenarios.expected.shape[1]
    return np.where(np.arange(most) <= p.ideals.count[:, None], p.scenarios.expected, np.nan)


@measure("EPRUM", title="Expected precision with user modelling",
         formula=r"EPRUM[r]=\sum_{k} P(\text{the }r\text{-th ideal is first reached at }k)\cdot\frac rk",
         equation="Piwowarski & Dupret 2006", at=IDEALS, parameters=_WHO, axes=("Recall", "Precision"),
         explain=_explain_eprum, **_COMMON)
def eprum(p: Prum, at: Array, **_: Any) -> Array:
    """Ideal elements wanted over the rank at which they are expected to have been seen; 0 where they never are. May
    exceed 1: a result can lead to several at once."""
    return _at(_expected(p), p, at, at.dtype.kind == "f", ceiling=False)


def _explain_aeprum(study: Study, p: Prum, **_: Any) -> Parts:
    return _explained(study, p, _numbers(p, TENTHS, None), None)


@measure("AEPRUM", title="Average EPRUM", formula=r"AEPRUM=\frac1{10}\sum_{x=0.1}^{1} EPRUM[x]",
         equation="Piwowarski & Dupret 2006", parameters=_WHO, explain=_explain_aeprum, **_COMMON)
def aeprum(p: Prum, **_: Any) -> Array:
    """Mean of EPRUM at the recall levels 0.1, 0.2 … 1."""
    return _at(_expected(p), p, TENTHS, True, ceiling=False).mean(axis=1)

