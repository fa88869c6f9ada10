"""Reading on from where a result starts, up to a tolerance to irrelevance."""

from __future__ import annotations

import numpy as np

from esr_core.measures.catalogue import Parameter
from esr_core.navigation.base import Array, Model, navigation
from esr_core.nodes import Nodes
from esr_core.study import Study

TOLERANCE = Parameter("tolerance", "Characters a reader goes on from the start of a result.", 300, kind="integer",
                      low=1)
SHAPE = Parameter("shape", "step: every element that starts within the tolerance is reached; linear: the less likely "
                           "the farther.", "step", kind="choice", choices=("step", "linear"))


class ReadingOn(Model):
    def __init__(self, study: Study, nodes: Nodes, tolerance: int, shape: str):
        super().__init__(study, nodes)
        self.tolerance, self.shape = tolerance, shape

    def weight(self, source: Array, target: Array) -> Array:
        start = self.nodes.start
        distance = start[target] - start[source]
        reached = (distance >= 0) & (distance <= self.tolerance) & (start[source] >= 0) & (start[target] >= 0)
        value = 1.0 if self.shape == "step" else 1 - distance / self.tolerance
        return np.where(reached, value, 0.0)


@navigation("t2i", title="Reading on until the tolerance is used up",
            formula=r"\tilde p(e_i;e_j)=1\text{ if }0\le start(e_i)-start(e_j)\le\tau",
            reference="arvola2010effort", equation="§3.2", needs=("elements",), parameters=(TOLERANCE, SHAPE))
def t2i(study: Study, nodes: Nodes, *, tolerance: int, shape: str) -> Model:
    """A result is an entry point: what starts soon after it in the document is seen too."""
    return ReadingOn(study, nodes, tolerance, shape)
