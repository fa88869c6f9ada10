"""The study's own navigation table."""

from __future__ import annotations

import numpy as np

from esr_core.navigation.base import Array, Model, navigation
from esr_core.nodes import Nodes
from esr_core.study import Study


class Table(Model):
    """Probabilities as they stand in the table; pairs that are not there are 0."""

    def __init__(self, study: Study, nodes: Nodes):
        super().__init__(study, nodes)
        rows = study.navigation_rows
        assert rows is not None
        source, target = nodes.find(rows["doc"], rows["source"]), nodes.find(rows["doc"], rows["target"])
        key = source * max(len(nodes), 1) + target
        order = np.argsort(key, kind="stable")
        self._key, self._probability = key[order], rows["probability"][order]

    def weight(self, source: Array, target: Array) -> Array:
        wanted = source.astype(np.int64) * max(len(self.nodes), 1) + target
        at = np.minimum(np.searchsorted(self._key, wanted), max(len(self._key) - 1, 0))
        if not len(self._key):
            return np.zeros(len(source))
        return np.where(self._key[at] == wanted, self._probability[at], 0.0)


@navigation("matrix", title="Navigation table", formula=r"\tilde p(e_i;e_j)\text{ from the study's table}",
            reference="ali2012esr", equation="§4.2", needs=("navigation",))
def matrix(study: Study, nodes: Nodes) -> Model:
    """Probabilities given with the study, one row per source and target."""
    return Table(study, nodes)
