"""No navigation: the reader sees what is retrieved and nothing else."""

from __future__ import annotations

import numpy as np

from esr_core.navigation.base import Array, Model, navigation
from esr_core.nodes import Nodes
from esr_core.study import Study


class NoNavigation(Model):
    def weight(self, source: Array, target: Array) -> Array:
        return np.zeros(len(source))


@navigation("none", title="No navigation", formula=r"\tilde p(e_i;e_j)=0", reference="ali2012esr", equation="§6.1")
def none(study: Study, nodes: Nodes) -> Model:
    """Nobody leaves a result: ESR becomes classical precision and recall."""
    return NoNavigation(study, nodes)
