"""From (exhaustivity, specificity) grades to one value in 0 … 1 (xcg Eq 1–3)."""

from __future__ import annotations

import numpy as np

Array = np.ndarray
QUANTISATIONS = ("strict", "gen", "sog", "spec", "binary")

# rows: exhaustivity 0 … 3, columns: specificity 0 … 3
_GEN = np.array([[0, 0, 0, 0], [0, .25, .25, .5], [0, .5, .5, .75], [0, .75, .75, 1]])
_SOG = np.array([[0, 0, 0, 0], [0, .1, .25, .75], [0, .1, .5, .9], [0, .25, .75, 1]])


def quantise(name: str, exhaustivity: Array, specificity: Array) -> Array:
    """The value of each graded element under a quantisation."""
    if name == "binary":
        return ((exhaustivity > 0) & (specificity > 0)).astype(float)
    if name == "spec":
        return np.where(exhaustivity > 0, specificity / 3, 0.0)
    if name == "strict":
        return ((exhaustivity == 3) & (specificity == 3)).astype(float)
    table = _GEN if name == "gen" else _SOG
    return table[np.rint(exhaustivity).astype(int), np.rint(specificity).astype(int)]
