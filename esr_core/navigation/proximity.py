"""Nearness in the text, INEX 2006's model for best entry points (esr §7.3)."""

from __future__ import annotations

import numpy as np

from esr_core.measures.catalogue import Parameter
from esr_core.navigation.base import Array, Model, navigation
from esr_core.nodes import Nodes
from esr_core.study import Study

A = Parameter("A", "How far readers look around, in mean document lengths: INEX used 0.01 to 100.", 1.0, above=0)


class Proximity(Model):
    def __init__(self, study: Study, nodes: Nodes, reach: float):
        super().__init__(study, nodes)
        known = study.doc_length[study.doc_length >= 0]
        self.reach = reach * (float(known.mean()) if len(known) else 0.0)

    def weight(self, source: Array, target: Array) -> Array:
        start = self.nodes.start
        distance = np.abs(start[target] - start[source])
        placed = (start[source] >= 0) & (start[target] >= 0)
        whole = self.reach + distance
        return np.where(placed, np.divide(self.reach, whole, out=np.zeros(len(source)), where=whole > 0), 0.0)


@navigation("proximity", title="Nearness in the text",
            formula=r"\tilde p(e_i;e_j)=\frac{A\,L}{A\,L+|start(e_i)-start(e_j)|}", reference="ali2012esr",
            equation="§7.3", needs=("elements",), parameters=(A,))
def proximity(study: Study, nodes: Nodes, *, A: float) -> Model:
    """The nearer two elements start in the text, the likelier a reader of one sees the other."""
    return Proximity(study, nodes, A)
