"""Steps between classes of elements: by tag, by path without positions or by depth (esr §4.2, Table 3)."""

from __future__ import annotations

import re

import numpy as np

from esr_core.measures.catalogue import Parameter
from esr_core.navigation.base import NORMALISE, Array, Counted, Model, navigation, steps
from esr_core.nodes import Nodes
from esr_core.structure import tag_of
from esr_core.study import Study

_POSITION = re.compile(r"\[\d+\]")
BY = Parameter("by", "What makes elements one class: their tag, their path without positions, or their depth.", "tag",
               kind="choice", choices=("tag", "path", "depth"))


def classes(nodes: Nodes, by: str) -> tuple[Array, list[str]]:
    """The class of every node, and the names of the classes in the order of first appearance."""
    if by == "depth":
        return nodes.depth, [str(d) for d in range(int(nodes.depth.max(initial=0)) + 1)]
    of_path = [tag_of(p) if by == "tag" else _POSITION.sub("", p) for p in nodes.paths]
    number: dict[str, int] = {}
    codes = np.array([number.setdefault(name, len(number)) for name in of_path], np.int64)
    return (codes[nodes.path] if len(nodes) else np.empty(0, np.int64)), list(number)


class Summary(Counted):
    """A pair of nodes has the value of its classes, not divided by their sizes; rows may exceed 1."""

    def __init__(self, study: Study, nodes: Nodes, by: str, normalise: str):
        self.node_class, self.names = classes(nodes, by)
        source, target, _ = steps(study, nodes)
        super().__init__(study, nodes, self.node_class[source], self.node_class[target], np.ones(len(source)),
                         len(self.names), normalise)

    def weight(self, source: Array, target: Array) -> Array:
        return self.of(self.node_class[source], self.node_class[target])


_FACTS = {"formula": r"\tilde p(e_i;e_j)\approx\frac{w(S_i;S_j)}{\sum_k w(S_k;S_j)}", "reference": "ali2012esr",
          "equation": "§4.2, Table 3", "needs": ("routes",)}


@navigation("summary", title="Summary of observed routes", parameters=(BY, NORMALISE), **_FACTS)
def summary(study: Study, nodes: Nodes, *, by: str, normalise: str) -> Model:
    """Observed steps counted between classes of elements."""
    return Summary(study, nodes, by, normalise)


@navigation("tags", title="Summary of observed routes by tag", parameters=(NORMALISE,), **_FACTS)
def tags(study: Study, nodes: Nodes, *, normalise: str) -> Model:
    """Observed steps counted between tags: summary(by=tag)."""
    return Summary(study, nodes, "tag", normalise)
