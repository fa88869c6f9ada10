"""Counts of observed steps between elements (esr §4.2, Table 2)."""

from __future__ import annotations

import numpy as np

from esr_core.measures.catalogue import Parameter
from esr_core.navigation.base import NORMALISE, Array, Counted, Model, ends, navigation, steps
from esr_core.nodes import Nodes
from esr_core.study import Study

ABANDON = Parameter("abandon", "Also count where routes end, as a step of the last element to itself.", "off",
                    kind="choice", choices=("off", "on"))


class Routes(Counted):
    def weight(self, source: Array, target: Array) -> Array:
        return self.of(source, target)


@navigation("routes", title="Observed routes", formula=r"\tilde p(e_i;e_j)=\frac{w(e_i;e_j)}{\sum_k w(e_k;e_j)}",
            reference="ali2012esr", equation="§4.2, Table 2", needs=("routes",), parameters=(ABANDON, NORMALISE))
def routes(study: Study, nodes: Nodes, *, abandon: str, normalise: str) -> Model:
    """Share of the observed steps from one element that lead to the other."""
    source, target, _ = steps(study, nodes)
    if abandon == "on":
        last = ends(study, nodes)
        source, target = np.concatenate((source, last)), np.concatenate((target, last))
    return Routes(study, nodes, source, target, np.ones(len(source)), len(nodes), normalise)
