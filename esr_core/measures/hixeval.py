"""HiXEval: precision and recall of highlighted text (esr §6.2, Eq 15–17), with INEX's interpolation."""

from __future__ import annotations

import numpy as np

from esr_core.alignment import TextView
from esr_core.measures.catalogue import LEVEL, RANK, Parameter, measure
from esr_core.measures.explanation import Parts, terms, upto
from esr_core.ragged import first_at_least, share, suffix_max
from esr_core.study import Study

Array = np.ndarray
LEVELS = np.arange(101) / 100
TOLERANCE = 1e-12  # a recall of exactly 0.1 must reach the level 0.1, whatever its last bit

FAMILY = "HiXEval"
ALPHA = Parameter("alpha", "Tolerance to overlap: what relevant text that a higher-ranked result already showed earns "
                           "again (0 nothing, 1 all).", 0.0, low=0, high=1, symbol=r"\alpha")
_COMMON = {"family": FAMILY, "reference": "ali2012esr", "needs": ("highlights", "places"), "parameters": (ALPHA,),
           "view": lambda alignment, values: alignment.text}


def _gain(view: TextView, alpha: float) -> Array:
    """Σ rsize up to each hit (Eq 15); rel and rov are summed as whole numbers, so nothing is lost."""
    rel, rov = view.hits.cumsum(view.rel), view.hits.cumsum(view.rov)
    return rel - (1 - alpha) * rov


def _gain_at(view: TextView, at: Array, alpha: float) -> Array:
    return view.hits.sum_at(view.rel, at) - (1 - alpha) * view.hits.sum_at(view.rov, at)


def _columns(study: Study, view: TextView, alpha: float, length: int) -> tuple[dict[str, Array], Array]:
    """Per rank of the one list: size, rel, rov, rsize."""
    n = len(study.results)
    size, rel, rov = np.zeros(length), np.zeros(length), np.zeros(length)
    shown = min(length, n)
    places = study.results.places
    size[:shown] = places.size[:shown] if places is not None else 0
    inside = view.hits.rank <= length
    at = view.hits.rank[inside] - 1
    rel[at], rov[at] = view.rel[inside], view.rov[inside]
    return ({"size": size, "rel": rel, "rov": rov, "rsize": rel - (1 - alpha) * rov},
            upto(np.arange(n), length))


def _explain_hp(study: Study, view: TextView, at: Array, *, alpha: float) -> Parts:
    columns, result = _columns(study, view, alpha, int(at[0]))
    total = columns["size"].sum()
    return Parts(columns | {"contribution": columns["rsize"] / max(total, 1)},
                 f"({terms(columns['rsize'])}) / {total:.0f}", result)


@measure("HP", title="Precision of text", formula=r"HP[k]=\frac{\sum_{i=1}^{k} rsize(e_i)}{\sum_{i=1}^{k} size(e_i)},"
         r"\quad rsize=rel-(1-\alpha)\,rov", equation="Eq 15, 16", at=RANK, axes=("Rank", "Precision (share of text)"),
         explain=_explain_hp, **_COMMON)
def hp(view: TextView, at: Array, *, alpha: float) -> Array:
    """Share of the text of the first k results that is highlighted; sizes are full sizes, also where results
    overlap."""
    return share(_gain_at(view, at, alpha), view.text_at(at))


def _explain_hr(study: Study, view: TextView, at: Array, *, alpha: float) -> Parts:
    columns, result = _columns(study, view, alpha, int(at[0]))
    total = int(view.text[0])
    return Parts(columns | {"contribution": columns["rsize"] / max(total, 1)},
                 f"({terms(columns['rsize'])}) / {total}", result)


@measure("HR", title="Recall of text", formula=r"HR[k]=\frac{\sum_{i=1}^{k} rsize(e_i)}{T_{rel}}",
         equation="Eq 15, 17", at=RANK, axes=("Rank", "Recall (share of the relevant text)"), explain=_explain_hr,
         **_COMMON)
def hr(view: TextView, at: Array, *, alpha: float) -> Array:
    """Share of all highlighted text that the first k results show."""
    return share(_gain_at(view, at, alpha), view.text[:, None])


def _explain_iou(study: Study, view: TextView, at: Array, *, alpha: float) -> Parts:
    columns, result = _columns(study, view, alpha, int(at[0]))
    gain, size = columns["rsize"].sum(), columns["size"].sum()
    union = size + view.text[0] - gain
    return Parts(columns | {"contribution": columns["rsize"] / max(union, 1)},
                 f"({terms(columns['rsize'])}) / ({size:.0f} + {view.text[0]} − {gain:.6g})", result)


@measure("IoU", title="Intersection over union of text",
         formula=r"IoU[k]=\frac{\sum rsize(e_i)}{\sum size(e_i)+T_{rel}-\sum rsize(e_i)}", at=RANK,
         axes=("Rank", "Intersection over union"), explain=_explain_iou, **_COMMON)
def iou(view: TextView, at: Array, *, alpha: float) -> Array:
    """Text both retrieved and relevant over text retrieved or relevant: the number people who tune chunking
    report, beside HP and HR."""
    gain = _gain_at(view, at, alpha)
    return share(gain, view.text_at(at) + view.text[:, None] - gain)


def _at_levels(view: TextView, levels: Array, alpha: float) -> tuple[Array, Array]:
    """Best HP at ranks with HR ≥ level: shape lists × levels; and the hit from which on it was looked for.

    HP only falls between hits, so its maxima stand at hits; HR never falls, so a level is one place in the list.
    """
    gain = _gain(view, alpha)
    precision = share(gain, view.text_read)
    recall = share(gain, view.text[view.hits.list])
    best = np.append(suffix_max(precision, view.hits.offsets), 0)
    first = first_at_least(recall, view.hits.offsets, levels - TOLERANCE)
    reached = first < view.hits.offsets[1:, None]
    return np.where(reached, best[np.minimum(first, len(best) - 1)], 0), first


def _explain_ip(study: Study, view: TextView, at: Array, *, alpha: float) -> Parts:
    value = float(_at_levels(view, at, alpha)[0][0, 0])
    length = len(study.results)
    columns, result = _columns(study, view, alpha, length)
    precision = share(np.cumsum(columns["rsize"]), np.cumsum(columns["size"]))
    recall = np.cumsum(columns["rsize"]) / max(int(view.text[0]), 1)
    allowed = np.flatnonzero((recall >= at[0] - TOLERANCE) & (np.abs(precision - value) < 1e-15))
    best = int(allowed[0]) if value > 0 and len(allowed) else -1
    part = np.where(np.arange(length) <= best, columns["rsize"] / max(columns["size"][: best + 1].sum(), 1), 0)
    story = (f"highest at rank {best + 1}: ({terms(columns['rsize'][: best + 1])}) / "
             f"{columns['size'][: best + 1].sum():.0f}" if best >= 0 else f"recall {at[0]:g} is never reached: 0")
    return Parts(columns | {"HP": precision, "HR": recall, "contribution": part}, story, result)


@measure("iP", title="Interpolated precision at a recall level",
         formula=r"iP[x]=\max_{k:\,HR[k]\ge x} HP[k]\ \text{, 0 if no rank reaches }x", equation="Eq 15–17", at=LEVEL,
         axes=("Recall (share of the relevant text)", "Precision (share of text)"), explain=_explain_ip, **_COMMON)
def ip(view: TextView, at: Array, *, alpha: float) -> Array:
    """Highest precision of text at any rank whose recall of text is at least x; INEX's official measure of the
    Focused task was iP[0.01]."""
    return _at_levels(view, at, alpha)[0]


def _explain_aip(study: Study, view: TextView, *, alpha: float) -> Parts:
    length = len(study.results)
    columns, result = _columns(study, view, alpha, length)
    precision = share(np.cumsum(columns["rsize"]), np.cumsum(columns["size"]))
    recall = np.cumsum(columns["rsize"]) / max(int(view.text[0]), 1)
    levels = np.zeros(length)
    for x in LEVELS:
        allowed = np.flatnonzero(recall >= x - TOLERANCE)
        if len(allowed) and precision[allowed].max() > 0:
            levels[allowed[np.argmax(precision[allowed])]] += 1
    return Parts(columns | {"HP": precision, "HR": recall, "levels": levels,
                            "contribution": levels * precision / len(LEVELS)},
                 f"({terms(levels * precision)}) / {len(LEVELS)}", result,
                 "levels: recall levels 0, 0.01 … 1 for which this rank has the highest precision")


@measure("AiP", title="Average interpolated precision", formula=r"AiP=\frac{1}{101}\sum_{x\in\{0,0.01,\dots,1\}} iP[x]",
         equation="Eq 15–17", explain=_explain_aip, **_COMMON)
def aip(view: TextView, *, alpha: float) -> Array:
    """Mean of iP over the 101 recall levels 0, 0.01 … 1 (its mean over topics is INEX's MAiP)."""
    return _at_levels(view, LEVELS, alpha)[0].mean(axis=1)
