"""Navigation over many steps: the long-run share of visits to each class (esr §4.2, last paragraph)."""

from __future__ import annotations

from typing import Any

import numpy as np

from esr_core.errors import MeasureError
from esr_core.measures.catalogue import Parameter
from esr_core.navigation.base import Array, Model, navigation
from esr_core.nodes import Nodes
from esr_core.study import Study

OF = Parameter("of", "The class model whose steps are repeated: tags, summary or depth.", "tags(normalise=source)",
               kind="call", calls="navigation")


def cesaro_limit(matrix: Array) -> Array:
    """lim (1/n) Σ P^k, k = 0 … n−1: exists for every stochastic matrix, periodic or not.

    The limit is the projection onto the kernel of I − P along its range, taken class by class: recurrent classes
    have their stationary distributions, transient states reach them with their absorption probabilities.
    """
    n = len(matrix)
    step = matrix.copy()
    idle = step.sum(axis=1) == 0
    step[idle, np.flatnonzero(idle)] = 1  # a class with no way out keeps the reader
    reach = (step > 0) | np.eye(n, dtype=bool)
    for _ in range(int(np.ceil(np.log2(max(n, 2))))):
        reach = (reach.astype(np.float32) @ reach.astype(np.float32)) > 0
    recurrent = np.array([reach[reach[i], i].all() for i in range(n)], bool)
    limit = np.zeros((n, n))
    groups: list[Array] = []
    for i in np.flatnonzero(recurrent):
        group = np.flatnonzero(reach[i] & reach[:, i])
        if group[0] == i:
            groups.append(group)
    transient = np.flatnonzero(~recurrent)
    for group in groups:
        own = step[np.ix_(group, group)]
        system = np.vstack((own.T - np.eye(len(group)), np.ones(len(group))))
        stationary = np.linalg.lstsq(system, np.append(np.zeros(len(group)), 1), rcond=None)[0]
        limit[np.ix_(group, group)] = stationary
        if len(transient):
            into = step[np.ix_(transient, group)].sum(axis=1)
            absorbed = np.linalg.lstsq(np.eye(len(transient)) - step[np.ix_(transient, transient)], into,
                                       rcond=None)[0]
            limit[np.ix_(transient, group)] += np.outer(absorbed, stationary)
    return limit


class Steady(Model):
    def __init__(self, study: Study, nodes: Nodes, model: Any):
        super().__init__(study, nodes)
        self.names, self.node_class = model.names, model.node_class
        self.limit = cesaro_limit(model.matrix())

    def weight(self, source: Array, target: Array) -> Array:
        return self.limit[self.node_class[source], self.node_class[target]]

    def matrix(self) -> Array:
        return self.limit


@navigation("steady", title="Steady state of a class model",
            formula=r"\tilde p(e_i;e_j)=\lim_{n\to\infty}\frac1n\sum_{k<n}P^k(S_j,S_i)", reference="ali2012esr",
            equation="§4.2", parameters=(OF,))
def steady(study: Study, nodes: Nodes, *, of: Any) -> Model:
    """Share of a very long walk that is spent in the target's class when it starts in the source's."""
    model = of.declaration.function(study, nodes, **of.parameters)
    if not hasattr(model, "node_class") or of.parameters.get("normalise") == "target":
        raise MeasureError(f"steady(of={of.name}): a walk needs classes of elements and shares of what leaves "
                           "them; use tags, summary or depth, normalised by source")
    return Steady(study, nodes, model)
