"""Documents: P, R and AP, as trec_eval computes them (focused_tasks Eq 9, 10)."""

from __future__ import annotations

import numpy as np

from esr_core.alignment import DocumentView
from esr_core.measures.catalogue import RANK, measure
from esr_core.measures.explanation import Parts, dense, first_results, terms, upto
from esr_core.study import Study

Array = np.ndarray
FAMILY = "Documents"
_COMMON = {"family": FAMILY, "reference": "pehcevski2007focused", "needs": ("documents",),
           "view": lambda alignment, values: alignment.documents}


def _ranked(study: Study, view: DocumentView, length: int) -> tuple[Array, Array]:
    """Relevance of the list's documents by rank, and the result each rank starts with."""
    return dense(view.hits, np.ones(len(view.hits)), length), upto(first_results(study, "document"), length)


def _explain_p(study: Study, view: DocumentView, at: Array) -> Parts:
    k = int(at[0])
    rel, result = _ranked(study, view, k)
    return Parts({"rel": rel, "contribution": rel / k}, f"({terms(rel)}) / {k}", result)


@measure("P", title="Precision", formula=r"P[k]=\frac{\sum_{j=1}^{k} rel(d_j)}{k}", equation="Eq 9", at=RANK,
         axes=("Rank (documents)", "Precision"), explain=_explain_p, **_COMMON)
def p(view: DocumentView, at: Array) -> Array:
    """Share of relevant documents among the first k; a later result of a document already listed is skipped."""
    return view.hits.count_at(at) / at


def _explain_r(study: Study, view: DocumentView, at: Array) -> Parts:
    n = int(view.relevant[0])
    rel, result = _ranked(study, view, int(at[0]))
    return Parts({"rel": rel, "contribution": rel / n if n else rel}, f"({terms(rel)}) / {n}", result)


@measure("R", title="Recall", formula=r"R[k]=\frac{\sum_{j=1}^{k} rel(d_j)}{N_{rel}}", equation="Eq 5", at=RANK,
         axes=("Rank (documents)", "Recall"), explain=_explain_r, **_COMMON)
def r(view: DocumentView, at: Array) -> Array:
    """Share of all relevant documents that are among the first k."""
    return view.hits.count_at(at) / np.maximum(view.relevant, 1)[:, None]


def _explain_ap(study: Study, view: DocumentView) -> Parts:
    first = first_results(study, "document")
    rel, result = _ranked(study, view, len(first))
    precision = np.cumsum(rel) / np.arange(1, len(rel) + 1)
    n = int(view.relevant[0])
    part = rel * precision / max(n, 1)
    return Parts({"rel": rel, "P": precision, "contribution": part}, f"({terms(rel * precision)}) / {n}", result)


@measure("AP", title="Average precision", formula=r"AP=\frac{1}{N_{rel}}\sum_{j=1}^{|D|} rel(d_j)\cdot P[j]",
         equation="Eq 10", explain=_explain_ap, **_COMMON)
def ap(view: DocumentView) -> Array:
    """Mean of the precision at the ranks of the relevant documents; one that is never found counts 0."""
    return view.hits.sums(view.hits.number / view.hits.rank) / np.maximum(view.relevant, 1)
