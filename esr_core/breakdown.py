"""What was seen, nearly seen and missed: the ESR expectations of one list, by rank and by assessed unit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from esr_core.errors import NotComputable

if TYPE_CHECKING:
    import pandas as pd

    from esr_core.measures import Spec
    from esr_core.measures.esr import Esr
    from esr_core.study import Study


@dataclass(frozen=True)
class Breakdown:
    """Frames of one run and topic; in every one of them hits + near + misses + shrinkage = Σ rel.

    `ranks`: rank, hits, near, misses, shrinkage after each rank (rank 0: before any result).
    `units`: one row per assessed unit at the cut-off: doc, path, relevance, state (hit, near-miss or miss),
    rank of the hit, probability of being seen by navigation, gain, loss, shrinkage.
    `leads`: which results lead to which unit: unit, rank, doc, path, probability, and whether it comes before the hit.
    `measure` is the canonical string of the family with these parameters.
    """

    measure: str
    run: str
    topic: str
    at: int
    ranks: pd.DataFrame
    units: pd.DataFrame
    leads: pd.DataFrame


def breakdown(study: Study, run: str, topic: str, nav: str = "auto", at: int | None = None, **parameters: Any
              ) -> Breakdown:
    """Break one list down; `at` is the rank cut-off of `units` (None: the whole list), further parameters are those of
    the measure Hits (rel, units, quant, match, eq4, overlap)."""
    import pandas as pd

    from esr_core.evaluation import refusal, view_of

    spec = spec_of(study, nav, parameters)
    reason = refusal(study, spec)
    if reason:
        raise NotComputable(f"the breakdown {reason.split(' ', 1)[1]}")
    one = study.select(runs=[run], topics=[topic])
    view: Esr = view_of(one, spec)
    if not view.defined[0]:
        raise NotComputable(f"topic '{topic}' has no assessed units: nothing to break down")
    rel = spec.parameters["rel"]
    length = len(one.results)
    cut = length if at is None else min(int(at), length)
    cutoffs = np.arange(1, length + 1, dtype=float)
    total = float(view.units.total(rel)[0])
    parts = {name: np.append(0.0, view.at(what, rel, cutoffs)[0]) if length else np.zeros(1)
             for name, what in (("hits", "hit"), ("near", "near"), ("shrinkage", "shrink"))}
    ranks = pd.DataFrame({"rank": np.arange(length + 1), "hits": parts["hits"], "near": parts["near"],
                          "misses": total - parts["hits"] - parts["near"] - parts["shrinkage"],
                          "shrinkage": parts["shrinkage"]})
    return Breakdown(str(spec).rsplit("@", 1)[0], run, str(topic), cut, ranks, _units(one, view, rel, cut),
                     _leads(one, view))


def spec_of(study: Study, nav: str, parameters: dict[str, Any]) -> Spec:
    """The measure string behind a breakdown."""
    from esr_core.measures import parse, resolve

    inside = ",".join(f"{name}={value}" for name, value in {"nav": nav, **parameters}.items())
    return resolve(parse(f"Hits({inside})@1"), study)


def _names(study: Study, view: Esr, unit: np.ndarray) -> list[str]:
    """The path of a unit, or its paths joined for a tree of several nodes."""
    sets, paths = view.units.units.sets, view.units.nodes.paths
    return [" + ".join(paths[p] for p in view.units.nodes.path[sets.node[sets.offsets[u]:sets.offsets[u + 1]]])
            for u in unit]


def _units(study: Study, view: Esr, rel: str, cut: int) -> pd.DataFrame:
    import pandas as pd

    units, seen = view.units, view.seen
    n = len(units.units)
    weight = units.weights(rel)
    inside = seen.hits.rank <= cut
    sums = {name: np.bincount(seen.unit[inside], view.moved(what, rel)[inside], n)
            for name, what in (("hit", "hit"), ("near", "near"), ("shrink", "shrink"))}
    hit_rank = np.zeros(n, np.int64)
    hit_rank[units.case_unit] = np.where(units.hit_rank <= cut, units.hit_rank, 0)
    gain = sums["hit"] + sums["near"]
    near = (hit_rank == 0) & (sums["near"] > 0)
    state = np.where(hit_rank > 0, "hit", np.where(near, "near-miss", "miss"))
    chance = np.divide(np.where(hit_rank > 0, sums["shrink"], sums["near"]), weight, out=np.zeros(n),
                       where=weight > 0)
    return pd.DataFrame({
        "unit": np.arange(1, n + 1), "doc": [study.doc_ids[d] for d in units.units.doc],
        "path": _names(study, view, np.arange(n)), "relevance": weight, "state": state,
        "rank": pd.array([r if r else pd.NA for r in hit_rank.tolist()], dtype="Int64"), "probability": chance,
        "gain": gain, "loss": weight - gain - sums["shrink"], "shrinkage": sums["shrink"]})


def _leads(study: Study, view: Esr) -> pd.DataFrame:
    import pandas as pd

    from esr_core.evaluation import _labels

    units, seen = view.units, view.seen
    keep = np.flatnonzero(seen.pair_reach > 0)
    order = keep[np.lexsort((units.pair_rank[keep], units.pair_unit[keep]))]
    labels = _labels(study, units.pair_result[order])
    return pd.DataFrame({"unit": units.pair_unit[order] + 1, "rank": units.pair_rank[order], **labels,
                         "probability": seen.pair_reach[order], "seen_before": 1 - seen.pair_before[order],
                         "seen_after": 1 - seen.pair_after[order]})
