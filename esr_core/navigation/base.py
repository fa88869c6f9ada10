"""What a navigation model is: how likely a reader goes from one node to another of the same document.

One small object, two uses: ESR takes p(target; source) as it is, PRUM takes P(source → target), which is 1 for a
node and itself. Values are computed for the pairs that are asked for, never for a whole collection.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from esr_core.measures.catalogue import Parameter, declare

if TYPE_CHECKING:
    from esr_core.nodes import Nodes
    from esr_core.study import Study

Array = np.ndarray

NORMALISE = Parameter("normalise", "Weights are shared out among the ways that leave the source (as the paper's tables "
                                   "are), or among those that lead to the target (as its text says).", "source",
                      kind="choice", choices=("source", "target"))


class Model:
    """Subclasses give `weight`; the diagonal and pairs across documents never reach them."""

    def __init__(self, study: Study, nodes: Nodes):
        self.study, self.nodes = study, nodes

    def weight(self, source: Array, target: Array) -> Array:
        """p(target; source) for pairs of different nodes of one document."""
        raise AssertionError("a model gives its own weights")

    def esr(self, source: Array, target: Array) -> Array:
        """p(target; source); 0 on the diagonal and across documents."""
        out = np.zeros(len(source))
        pairs = np.flatnonzero((source != target) & (self.nodes.doc[source] == self.nodes.doc[target]))
        out[pairs] = self.weight(source[pairs], target[pairs])
        return out

    def prum(self, source: Array, target: Array) -> Array:
        """P(source → target): 1 on the diagonal, at most 1."""
        return np.where(source == target, 1.0, np.minimum(self.raw(source, target), 1.0))

    def raw(self, source: Array, target: Array) -> Array:
        """The pairs' values before any sharing out among a source's ways; the same as `esr` for most models."""
        return self.esr(source, target)


class Counted(Model):
    """A model given by a list of weighted steps (source, target, weight), normalised."""

    def __init__(self, study: Study, nodes: Nodes, source: Array, target: Array, weight: Array, n: int,
                 normalise: str):
        super().__init__(study, nodes)
        self._n = max(n, 1)
        key = source.astype(np.int64) * self._n + target
        order = np.argsort(key, kind="stable")
        fresh = np.concatenate(([True], key[order][1:] != key[order][:-1])) if len(key) else np.empty(0, bool)
        self._key = key[order][fresh]
        total = np.bincount(np.cumsum(fresh) - 1, weight[order], len(self._key)) if len(key) else np.empty(0)
        by = self._key // self._n if normalise == "source" else self._key % self._n
        whole = np.bincount(by, total, self._n) if len(key) else np.zeros(self._n)
        self.probability = np.divide(total, whole[by], out=np.zeros(len(total)), where=whole[by] > 0)

    def of(self, source: Array, target: Array) -> Array:
        """The probability of a step, by the numbers the steps were given in."""
        if not len(self._key):
            return np.zeros(len(source))
        wanted = source.astype(np.int64) * self._n + target
        at = np.minimum(np.searchsorted(self._key, wanted), len(self._key) - 1)
        return np.where(self._key[at] == wanted, self.probability[at], 0.0)

    def matrix(self) -> Array:
        """All probabilities, rows = sources; only for models of a few classes."""
        out = np.zeros((self._n, self._n))
        out[self._key // self._n, self._key % self._n] = self.probability
        return out


def steps(study: Study, nodes: Nodes) -> tuple[Array, Array, Array]:
    """Observed steps of the study's routes: (source, target, is the target the end of its route?)."""
    rows = study.route_rows
    if rows is None or len(rows["doc"]) == 0:
        none = np.empty(0, np.int64)
        return none, none, np.empty(0, bool)
    node = nodes.find(rows["doc"], rows["path"])
    same = (rows["route"][1:] == rows["route"][:-1]) & (rows["doc"][1:] == rows["doc"][:-1])
    last = np.concatenate((rows["route"][1:] != rows["route"][:-1], [True]))
    at = np.flatnonzero(same)
    return node[at], node[at + 1], last[at + 1]


def ends(study: Study, nodes: Nodes) -> Array:
    """The last node of every route: where readers gave up."""
    rows = study.route_rows
    if rows is None or len(rows["doc"]) == 0:
        return np.empty(0, np.int64)
    last = np.concatenate((rows["route"][1:] != rows["route"][:-1], [True]))
    return nodes.find(rows["doc"], rows["path"])[last]


def navigation(name: str, **facts: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare a navigation model: a function of (study, nodes, parameters) that makes one."""
    return declare("navigation", name, family="Navigation models", **facts)
