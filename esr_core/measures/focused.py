"""Focused tasks: documents in a list, each scored by what was retrieved from it (focused_tasks Eq 4–8, 11)."""

from __future__ import annotations

from typing import Any

import numpy as np

from esr_core.alignment import EntryView
from esr_core.measures.catalogue import RANK, Parameter, measure
from esr_core.measures.explanation import Parts, dense, entry_columns, first_results, terms, upto
from esr_core.measures.strings import Spec
from esr_core.ragged import share
from esr_core.study import Study

Array = np.ndarray
FAMILY = "Focused tasks"
SCORE = Parameter("score", "What a document is worth: a document score, with its own parameters.", "F(beta=1)",
                  kind="call", calls="score", symbol="S")
GROUP = Parameter("group", "consecutive: a document that comes back later is a new, non-relevant entry; merge: all its "
                           "results are gathered at its first place.", "consecutive", kind="choice",
                  choices=("consecutive", "merge"))


def _needs_text(values: dict[str, Any]) -> bool:
    """Only gR and score=binary can do without highlighted text."""
    return "score" in values and "highlights" in values["score"].declaration.needs


_COMMON = {"family": FAMILY, "reference": "pehcevski2007focused",
           "view": lambda alignment, values: alignment.entries(values["group"], by_text=_needs_text(values))}
_TEXT: dict[str, Any] = {**_COMMON, "view": lambda alignment, values: alignment.entries(values["group"])}
_SCORED: dict[str, Any] = {**_COMMON, "parameters": (SCORE, GROUP)}
_SCORED_TEXT: dict[str, Any] = {**_TEXT, "parameters": (SCORE, GROUP)}


def score_of(view: EntryView, score: Spec) -> Array:
    """The document score of every entry of a relevant document."""
    return score.declaration.function(view, **score.parameters)


def _ranks(study: Study, view: EntryView, group: str, length: int | None) -> tuple[int, Array, Array]:
    """Ranks to show, relevance by rank and the result that opens each rank, for the study's one list."""
    first = first_results(study, group)
    length = len(first) if length is None else length
    return length, dense(view.hits, np.ones(len(view.hits)), length), upto(first, length)


def _scored(study: Study, view: EntryView, score: Spec, group: str, length: int | None
            ) -> tuple[dict[str, Array], Array]:
    length, rel, result = _ranks(study, view, group, length)
    s = dense(view.hits, score_of(view, score), length)
    held = {} if group != "consecutive" or not _needs_text({"score": score}) else entry_columns(
        study, view.hits, view.retrieved, view.found, first_results(study, group), length)
    return {**held, "rel": rel, "S": s, "gP": np.cumsum(s) / np.arange(1, length + 1)}, result


def _explain_gp(study: Study, view: EntryView, at: Array, *, score: Spec, group: str) -> Parts:
    columns, result = _scored(study, view, score, group, int(at[0]))
    return Parts(columns | {"contribution": columns["S"] / at[0]}, f"({terms(columns['S'])}) / {at[0]:.0f}", result)


@measure("gP", title="Generalised precision", formula=r"gP[k]=\frac{\sum_{j=1}^{k} S(d_j)}{k}", equation="Eq 4",
         at=RANK, needs=("documents",), axes=("Rank (documents)", "Generalised precision"), explain=_explain_gp,
         **_SCORED)
def gp(view: EntryView, at: Array, *, score: Spec, group: str) -> Array:
    """Mean document score of the first k documents of the list; past its end the score is 0."""
    return view.hits.sum_at(score_of(view, score), at) / at


def _explain_gr(study: Study, view: EntryView, at: Array, *, group: str) -> Parts:
    _, rel, result = _ranks(study, view, group, int(at[0]))
    n = int(view.relevant[0])
    return Parts({"rel": rel, "contribution": rel / max(n, 1)}, f"({terms(rel)}) / {n}", result)


@measure("gR", title="Generalised recall", formula=r"gR[k]=\frac{\sum_{j=1}^{k} rel(d_j)}{N_{rel}}", equation="Eq 5",
         at=RANK, needs=("documents",), parameters=(GROUP,), axes=("Rank (documents)", "Generalised recall"),
         explain=_explain_gr, **_COMMON)
def gr(view: EntryView, at: Array, *, group: str) -> Array:
    """Share of the relevant documents found among the first k; each counts the same."""
    return view.hits.count_at(at) / np.maximum(view.relevant, 1)[:, None]


def _text(view: EntryView) -> Array:
    return view.relevant_text.astype(float)


def _explain_grc(study: Study, view: EntryView, at: Array, *, group: str) -> Parts:
    length, _, result = _ranks(study, view, group, int(at[0]))
    rsize = dense(view.hits, _text(view), length)
    total = int(view.text[0])
    return Parts({"rsize": rsize, "contribution": rsize / max(total, 1)}, f"({terms(rsize)}) / {total}", result)


@measure("gRc", title="Generalised recall by characters",
         formula=r"gR'[k]=\frac{\sum_{j=1}^{k} rsize(d_j)}{T_{rel}}", equation="Eq 6", at=RANK, needs=("highlights",),
         parameters=(GROUP,), axes=("Rank (documents)", "Generalised recall (share of the relevant text)"),
         explain=_explain_grc, **_TEXT)
def grc(view: EntryView, at: Array, *, group: str) -> Array:
    """Share of all relevant characters that lie in the documents found among the first k (gR′ in the paper)."""
    return view.hits.sum_at(view.relevant_text, at) / np.maximum(view.text, 1)[:, None]


def _gp_at_hits(view: EntryView, score: Spec) -> Array:
    """gP at the rank of every relevant document found."""
    return view.hits.cumsum(score_of(view, score)) / view.hits.rank


def _explain_agp(study: Study, view: EntryView, *, score: Spec, group: str) -> Parts:
    columns, result = _scored(study, view, score, group, None)
    n = int(view.relevant[0])
    weighted = columns["rel"] * columns["gP"]
    return Parts(columns | {"contribution": weighted / max(n, 1)}, f"({terms(weighted)}) / {n}", result)


@measure("AgP", title="Average generalised precision",
         formula=r"AgP=\frac{1}{N_{rel}}\sum_{j=1}^{|D|} rel(d_j)\cdot gP[j]", equation="Eq 7", needs=("documents",),
         explain=_explain_agp, **_SCORED)
def agp(view: EntryView, *, score: Spec, group: str) -> Array:
    """Mean of generalised precision at the ranks of the relevant documents (its mean over topics is INEX's MAgP)."""
    return view.hits.sums(_gp_at_hits(view, score)) / np.maximum(view.relevant, 1)


def _explain_agpc(study: Study, view: EntryView, *, score: Spec, group: str) -> Parts:
    columns, result = _scored(study, view, score, group, None)
    columns["rsize"] = dense(view.hits, _text(view), len(result))
    total = int(view.text[0])
    part = columns["rsize"] / max(total, 1) * columns["gP"]
    return Parts(columns | {"contribution": part}, f"({terms(columns['rsize'] * columns['gP'])}) / {total}", result)


@measure("AgPc", title="Average generalised precision by characters",
         formula=r"AgP'=\sum_{j=1}^{|D|} \frac{rsize(d_j)}{T_{rel}}\cdot rel(d_j)\cdot gP[j]", equation="Eq 8",
         needs=("highlights",), explain=_explain_agpc, **_SCORED_TEXT)
def agpc(view: EntryView, *, score: Spec, group: str) -> Array:
    """As AgP, but a document weighs as much as it holds relevant text (AgP′ in the paper)."""
    return view.hits.sums(view.relevant_text * _gp_at_hits(view, score)) / np.maximum(view.text, 1)


def _explain_agpr(study: Study, view: EntryView, *, score: Spec, group: str) -> Parts:
    columns, result = _scored(study, view, score, group, None)
    recall = dense(view.hits, _text(view), len(result)).sum() / max(int(view.text[0]), 1)
    found = columns["rel"].sum()
    weighted = columns["rel"] * columns["gP"]
    return Parts(columns | {"contribution": recall * weighted / max(found, 1)},
                 f"{recall:.4g} · ({terms(weighted)}) / {found:.0f}", result)


@measure("AgPr", title="Average generalised precision, redefined",
         formula=r"AgP'=gR'[|D|]\cdot\frac{\sum_{j} rel(d_j)\cdot gP[j]}{\sum_{j} rel(d_j)}", equation="Eq 11",
         needs=("highlights",), explain=_explain_agpr, **_SCORED_TEXT)
def agpr(view: EntryView, *, score: Spec, group: str) -> Array:
    """Recall of relevant text over the whole list times the mean generalised precision at relevant documents
    found; equals AgP when every relevant document is found."""
    recall = view.hits.sums(view.relevant_text) / np.maximum(view.text, 1)
    found = view.hits.sums(np.ones(len(view.hits)))
    return recall * share(view.hits.sums(_gp_at_hits(view, score)), found)
