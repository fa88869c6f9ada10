"""Explanations of the ESR family: what every rank adds to the expectations, and so to the measure."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from esr_core.measures.explanation import Parts, terms, upto

if TYPE_CHECKING:
    from esr_core.measures.esr import Esr
    from esr_core.study import Study

Array = np.ndarray
Explainer = Callable[..., Parts]


def deltas(esr: Esr, rel: str, length: int) -> dict[str, Array]:
    """Change of hits, near-misses and shrinkage at each rank 1 … length of the one list."""
    inside = esr.changes.rank <= length
    at = esr.changes.rank[inside] - 1
    return {name: np.bincount(at, esr.moved(what, rel)[inside], length)
            for name, what in (("hits", "hit"), ("near", "near"), ("shrinkage", "shrink"))}


def _results(study: Study, length: int) -> Array:
    return upto(np.arange(len(study.results)), length)


def ranked(signs: dict[str, int], divisor: Callable[..., tuple[float, str]] | None = None, whole: bool = False,
           rel: str | None = None) -> Explainer:
    """A measure (whole · Σ rel + Σ sign · change) / divisor; rank 0 stands for what holds before any result."""
    def explain(study: Study, esr: Esr, at: Array, **values: Any) -> Parts:
        k = int(at[0])
        kind = rel or values["rel"]
        columns = deltas(esr, kind, k)
        change = np.sum([sign * columns[name] for name, sign in signs.items()], axis=0)
        below, shown = divisor(esr, at, values) if divisor else (1.0, "")
        part = change / below if below > 0 else np.zeros(k)
        story = terms(change)
        result = _results(study, k)
        if whole:
            base = float(esr.units.total(kind)[0])
            columns = {name: np.append(0.0, column) for name, column in columns.items()}
            part, result = np.append(base / below, part), np.append(-1, result)
            story = f"{base:.4g} + {story}".replace("+ -", "− ")
        return Parts(columns | {"contribution": part}, f"({story}) / {shown}" if shown else story, result,
                     "hits, near, shrinkage: what this rank changes", first_rank=0 if whole else 1)
    return explain


def by_rank(esr: Esr, at: Array, values: dict[str, Any]) -> tuple[float, str]:
    return float(at[0]), f"{at[0]:.0f}"


def by_recall_base(rel: str | None = None) -> Callable[..., tuple[float, str]]:
    def divisor(esr: Esr, at: Array, values: dict[str, Any]) -> tuple[float, str]:
        base = float(esr.recall_base(rel or values["rel"], at)[0, 0])
        return base, f"{base:.4g}"
    return divisor


def by_text(esr: Esr, at: Array, values: dict[str, Any]) -> tuple[float, str]:
    text = float(esr.text_at(values["size"], at)[0, 0])
    return text, f"{text:.0f}"


def by_relevant_text(esr: Esr, at: Array, values: dict[str, Any]) -> tuple[float, str]:
    text = float(esr.units.text[0]) if values["base"] == "text" else float(esr.recall_base("length", at)[0, 0])
    return text, f"{text:.4g}"


def by_desired(esr: Esr, at: Array, values: dict[str, Any]) -> tuple[float, str]:
    base = float(esr.recall_base(values["rel"], at)[0, 0])
    return float(at[0] * values["l"] * base / values["m"]), \
        f"({at[0]:.0f} · {values['l']:g} · {base:.4g} / {values['m']:g})"


def desired(study: Study, esr: Esr, at: Array, *, rel: str, l: float, m: float, **_: Any) -> Parts:  # noqa: E741
    k = int(at[0])
    columns = deltas(esr, rel, k)
    factor = k * l / m
    base = float(esr.units.total(rel)[0])
    part = np.append(base, -columns["shrinkage"]) * factor
    return Parts({name: np.append(0.0, c) for name, c in columns.items()} | {"contribution": part},
                 f"{k} · {l:g} · ({base:.4g} − {columns['shrinkage'].sum():.4g}) / {m:g}",
                 np.append(-1, _results(study, k)), "rank 0: the relevance of all units", first_rank=0)


def from_nodes(gains: Callable[..., tuple[Array, Array, Array]]) -> Explainer:
    def explain(study: Study, esr: Esr, at: Array, *, rel: str, inferred: str, nav: Any, eq4: str, **_: Any) -> Parts:
        k = int(at[0])
        rank, gain = gains(esr.units, rel, inferred, nav, eq4)[1:]
        own = np.zeros(k)
        own[rank[rank <= k] - 1] = gain[rank <= k]
        return Parts({"gain": own, "contribution": own / k}, f"({terms(own)}) / {k}", _results(study, k))
    return explain


def over_levels(precision: Callable[..., Array], recall: Callable[..., Array], levels: Array, tolerance: float
                ) -> Explainer:
    """A mean over recall levels: each rank counts for the levels at which it is the best."""
    def explain(study: Study, esr: Esr, **values: Any) -> Parts:
        length = len(study.results)
        ranks = np.arange(1, length + 1, dtype=float)
        p, r = precision(esr, ranks, values)[0], recall(esr, ranks, values)[0]
        count = np.zeros(length)
        for x in levels:
            allowed = np.flatnonzero(r >= x - tolerance)
            if len(allowed) and p[allowed].max() > 0:
                count[allowed[np.argmax(p[allowed])]] += 1
        return Parts({"precision": p, "recall": r, "levels": count, "contribution": count * p / len(levels)},
                     f"({terms(count * p)}) / {len(levels)}", np.arange(length),
                     "levels: recall levels 0, 0.01 … 1 for which this rank is the best")
    return explain


def until_recall(recall: Callable[..., Array], tolerance: float) -> Explainer:
    def explain(study: Study, esr: Esr, at: Array, **values: Any) -> Parts:
        length = len(study.results)
        if not length:
            return Parts({"contribution": np.zeros(0)}, "0", np.zeros(0, np.int64))
        reached = np.flatnonzero(recall(esr, np.arange(1, length + 1, dtype=float), values)[0] >= at[0] - tolerance)
        stop = int(reached[0]) + 1 if len(reached) else length
        columns = deltas(esr, "binary", stop)
        change = columns["hits"] + columns["near"]
        how = f"recall {at[0]:g} is reached at rank {stop}" if len(reached) else \
            f"recall {at[0]:g} is never reached: the whole list of {length} is consulted"
        return Parts(columns | {"contribution": change / stop}, f"({terms(change)}) / {stop}", _results(study, stop),
                     how)
    return explain
