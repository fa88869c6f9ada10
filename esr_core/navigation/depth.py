"""The depth-weighted summary of esr §4.2 and §7: four classes of tags, weighted by how deep they lie."""

from __future__ import annotations

import numpy as np

from esr_core.errors import DataError
from esr_core.navigation.base import Array, Model, navigation
from esr_core.nodes import Nodes
from esr_core.structure import tag_of
from esr_core.study import Study

CLASSES = ("article", "section", "ss1", "other")
WEIGHTS = np.array([1, 1 / 2, 1 / 3, 1 / 4])
CLASS_OF_TAG = {"article": "article", "sec": "section", "section": "section", "ss1": "ss1", "subsection": "ss1"}


class Depth(Model):
    """What a target draws depends on its class alone. `classes` in study.toml maps further tags to classes."""

    def __init__(self, study: Study, nodes: Nodes):
        super().__init__(study, nodes)
        class_of_tag = CLASS_OF_TAG | dict(study.defaults.get("classes") or {})
        strange = [c for c in class_of_tag.values() if c not in CLASSES]
        if strange:
            raise DataError(f"'{strange[0]}' is no class of the depth model", "study.toml",
                            remedy=f"use {', '.join(CLASSES)}")
        of_path = [CLASSES.index(class_of_tag.get(tag_of(p), "other")) for p in nodes.paths]
        self.names = list(CLASSES)
        self.node_class = np.array(of_path, np.int64)[nodes.path] if len(nodes) else np.empty(0, np.int64)
        self.share = WEIGHTS / WEIGHTS.sum()

    def weight(self, source: Array, target: Array) -> Array:
        return self.share[self.node_class[target]]

    def matrix(self) -> Array:
        return np.tile(self.share, (len(CLASSES), 1))


@navigation("depth", title="Depth-weighted summary", formula=r"\tilde p(e_i;e_j)\propto\frac{1}{depth(S_i)}",
            reference="ali2012esr", equation="§4.2, §7")
def depth(study: Study, nodes: Nodes) -> Model:
    """Readers are drawn to elements high in the document: article .48, section .24, subsection .16, other .12."""
    return Depth(study, nodes)
