"""Up and down the tree, in proportion to length (prum Eq 9; esr footnote 5)."""

from __future__ import annotations

import numpy as np

from esr_core.navigation.base import NORMALISE, Array, Model, navigation
from esr_core.nodes import Nodes
from esr_core.study import Study


class Structural(Model):
    """Shorter over longer length when one element contains the other; ESR shares it out over all ways."""

    def __init__(self, study: Study, nodes: Nodes, normalise: str):
        super().__init__(study, nodes)
        self.length = np.maximum(nodes.length, 0).astype(float)
        self.total = self._totals()  # the values are symmetric: what leaves a node is what leads to it
        self.normalise = normalise

    def _totals(self) -> Array:
        """Σ over all other elements of the document that contain a node or lie in it."""
        nodes, length = self.nodes, self.length
        inside = np.concatenate(([0.0], np.cumsum(length)))
        descendants = inside[nodes.last] - inside[np.arange(len(nodes)) + 1] if len(nodes) else np.empty(0)
        total = np.divide(descendants, length, out=np.zeros(len(length)), where=length > 0)
        above = nodes.parent.copy()
        while (above >= 0).any():
            at = np.flatnonzero(above >= 0)
            longer = length[above[at]]
            total[at] += np.divide(length[at], longer, out=np.zeros(len(at)), where=longer > 0)
            above[at] = nodes.parent[above[at]]
        return total

    def raw(self, source: Array, target: Array) -> Array:
        a, b = self.length[source], self.length[target]
        longer = np.maximum(a, b)
        ratio = np.divide(np.minimum(a, b), longer, out=np.zeros(len(a)), where=longer > 0)
        return np.where(self.nodes.related(source, target), ratio, 0.0)

    def weight(self, source: Array, target: Array) -> Array:
        total = self.total[source if self.normalise == "source" else target]
        return np.divide(self.raw(source, target), total, out=np.zeros(len(source)), where=total > 0)


@navigation("structural", title="Up and down the tree",
            formula=r"P(x\to y)=\frac{\min(len(x),len(y))}{\max(len(x),len(y))}\text{ if one contains the other},"
                    r"\quad\tilde p(y;x)=\frac{P(x\to y)}{\sum_z P(x\to z)}",
            reference="piwowarski2007prum", equation="Eq 9", needs=("lengths",), parameters=(NORMALISE,))
def structural(study: Study, nodes: Nodes, *, normalise: str) -> Model:
    """Readers move between an element and those that contain it or lie in it, the likelier the closer in length. PRUM
    takes P(x → y) as it is; only ESR shares it out, so `normalise` matters for ESR alone."""
    return Structural(study, nodes, normalise)
