"""Reading effort: how much must be read before relevant text is met (reading_effort §4.2).

A list's effort is that of a list of non-relevant documents, lowered at the ranks of relevant ones; past its
end everything counts as non-relevant. So sums over relevant entries are enough, for any cut-off.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from esr_core.alignment import EntryView
from esr_core.measures.catalogue import RANK, Parameter, measure
from esr_core.measures.explanation import Parts, first_results, terms, upto
from esr_core.measures.focused import GROUP
from esr_core.measures.scores import EFFORT_ORDER, NR, SCREEN, STEPS, le
from esr_core.study import Study

Array = np.ndarray
MIN_ES = 1.0  # the relevant text stands on the first screenful

FAMILY = "Reading effort"
TASK = Parameter("task", "focused: the retrieved parts are read first; document: the same documents read from their "
                         "beginning, the paper's baseline.", "focused", kind="choice", choices=("focused", "document"))
_COMMON: dict[str, Any] = {
    "family": FAMILY, "reference": "arvola2010effort", "needs": ("highlights", "places"), "at": RANK,
    "better": "lower", "parameters": (SCREEN, EFFORT_ORDER, NR, STEPS, TASK, GROUP),
    "view": lambda alignment, values: alignment.entries(values["group"])}
_ES = (r"ES(d)=\begin{cases}\min(\lceil r_{d'}/screen\rceil,\;steps+1) & d\text{ relevant}\\ "
       r"NR & \text{otherwise}\end{cases}")


def _effort(view: EntryView, screen: int, order: str, steps: int, task: str) -> Array:
    return le(view, screen=screen, order=order, steps=steps, task=task)


def _dense(study: Study, view: EntryView, length: int, screen: int, order: str, nr: float, steps: int, task: str,
           group: str) -> tuple[Array, Array, Array]:
    """ES and IE by rank of the study's one list, and the result that opens each rank."""
    es = np.full(length, nr)
    inside = view.hits.rank <= length
    es[view.hits.rank[inside] - 1] = _effort(view, screen, order, steps, task)[inside]
    ideal = np.where(np.arange(length) < int(view.relevant[0]), MIN_ES, nr)
    return es, ideal, upto(first_results(study, group), length)


def _explain_ce(study: Study, view: EntryView, at: Array, **values: Any) -> Parts:
    es, _, result = _dense(study, view, int(at[0]), **values)
    part = es / MIN_ES - 1
    return Parts({"ES": es, "CE": np.cumsum(part), "contribution": part}, terms(part), result)


@measure("CE", title="Cumulated effort", formula=r"CE[i]=\sum_{j=1}^{i}\left(\frac{ES(d_j)}{\min ES}-1\right),\quad "
         + _ES, equation="§4.2.2", axes=("Rank (documents)", "Cumulated excess effort (screenfuls)"),
         explain=_explain_ce, **_COMMON)
def ce(view: EntryView, at: Array, *, screen: int, order: str, nr: float, steps: int, task: str, group: str) -> Array:
    """Effort beyond the least possible, added up to rank i: 0 when every document shows relevant text at once."""
    saved = (_effort(view, screen, order, steps, task) - nr) / MIN_ES
    return (nr / MIN_ES - 1) * at + view.hits.sum_at(saved, at)


def _ideal_at_hits(view: EntryView, nr: float) -> Array:
    """IE at the rank of each relevant document found: minES for the first N_rel ranks, NR afterwards."""
    return np.where(view.hits.rank <= view.relevant[view.hits.list], MIN_ES, nr)


def _explain_nce(study: Study, view: EntryView, at: Array, **values: Any) -> Parts:
    es, ideal, result = _dense(study, view, int(at[0]), **values)
    part = es / ideal - 1
    return Parts({"ES": es, "IE": ideal, "NCE": np.cumsum(part), "contribution": part}, terms(part), result)


@measure("NCE", title="Normalised cumulated effort",
         formula=r"NCE[i]=\sum_{j=1}^{i}\left(\frac{ES(d_j)}{IE[j]}-1\right),\quad " + _ES, equation="§4.2.2",
         axes=("Rank (documents)", "Normalised excess effort"), explain=_explain_nce, **_COMMON)
def nce(view: EntryView, at: Array, *, screen: int, order: str, nr: float, steps: int, task: str, group: str) -> Array:
    """Effort beyond that of the ideal list, which shows all relevant documents first: 0 for the ideal list."""
    saved = (_effort(view, screen, order, steps, task) - nr) / _ideal_at_hits(view, nr)
    wasted = (nr / MIN_ES - 1) * np.minimum(at, view.relevant[:, None])
    return wasted + view.hits.sum_at(saved, at)


def _explain_ance(study: Study, view: EntryView, at: Array, **values: Any) -> Parts:
    i = int(at[0])
    es, ideal, result = _dense(study, view, i, **values)
    part = es / ideal - 1
    weight = np.arange(i, 0, -1) / i
    return Parts({"ES": es, "IE": ideal, "NCE": np.cumsum(part), "contribution": part * weight},
                 f"({terms(np.cumsum(part))}) / {i}", result,
                 "contribution: what this rank adds to NCE, times the share of ranks 1 … i that still carry it")


@measure("ANCE", title="Average normalised cumulated effort",
         formula=r"ANCE[i]=\frac{\sum_{j=1}^{i} NCE[j]}{i},\quad " + _ES, equation="§4.2.2",
         axes=("Rank (documents)", "Average normalised excess effort"), explain=_explain_ance, **_COMMON)
def ance(view: EntryView, at: Array, *, screen: int, order: str, nr: float, steps: int, task: str, group: str
         ) -> Array:
    """Mean of normalised cumulated effort over the ranks 1 … i; the paper reports i = 600."""
    # A term that enters at rank j stays in NCE for the i−j+1 ranks j … i.
    saved = (_effort(view, screen, order, steps, task) - nr) / _ideal_at_hits(view, nr)
    weighted = view.hits.sum_at(saved, at) * (at + 1) - view.hits.sum_at(saved * view.hits.rank, at)
    n = np.minimum(at, view.relevant[:, None])
    wasted = (nr / MIN_ES - 1) * (n * (at + 1) - n * (n + 1) / 2)
    return (wasted + weighted) / at
