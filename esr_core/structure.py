"""Document trees as arrays: one row per element of the whole collection, in document order.

Containment and ancestry are integer comparisons; path strings are only met at the door, when results and
assessments name elements, and there they are looked up once for all rows together.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

_STEP = re.compile(r"([^/\[\]]+)(?:\[(\d{1,18})\])?")


def canonical_path(path: str) -> str:
    """`/article/sec[2]/` → `/article[1]/sec[2]`: a step without a position is the first of its name."""
    if path.count("[") == path.count("/") and path.endswith("]"):
        return path
    steps = []
    for step in path.strip("/").split("/"):
        found = _STEP.fullmatch(step)
        if not found:
            return path
        steps.append(f"{found[1]}[{int(found[2] or 1)}]")
    return "/" + "/".join(steps)


def tag_of(path: str) -> str:
    """`/article[1]/sec[2]` → `sec`."""
    return path.rsplit("/", 1)[-1].split("[", 1)[0]


def parent_of(path: str) -> str:
    """`/article[1]/sec[2]` → `/article[1]`; the root's parent is the empty string."""
    return path.rsplit("/", 1)[0]


@dataclass(frozen=True)
class Trees:
    """All elements of all documents, sorted by document and document order (ancestors first).

    `parent` is the index of the parent element (−1 for roots); `start` and `end` are −1 where only `length`
    is known. `offsets[d]:offsets[d+1]` are the elements of document d.
    """

    doc: np.ndarray
    path: np.ndarray
    parent: np.ndarray
    depth: np.ndarray
    start: np.ndarray
    end: np.ndarray
    length: np.ndarray
    offsets: np.ndarray
    _keys: np.ndarray = field(repr=False)
    _rows: np.ndarray = field(repr=False)
    _paths: int = 0

    @classmethod
    def build(cls, doc: np.ndarray, path: np.ndarray, parent: np.ndarray, depth: np.ndarray, start: np.ndarray,
              end: np.ndarray, length: np.ndarray, n_docs: int, n_paths: int) -> Trees:
        """Columns must already be sorted by document, ancestors before descendants."""
        keys = doc.astype(np.int64) * max(n_paths, 1) + path
        rows = np.argsort(keys, kind="stable")
        offsets = np.searchsorted(doc, np.arange(n_docs + 1)).astype(np.int64)
        return cls(doc, path, parent, depth, start, end, length, offsets, keys[rows], rows, max(n_paths, 1))

    def __len__(self) -> int:
        return len(self.doc)

    @property
    def has_spans(self) -> bool:
        """Are places in the text known, not only lengths?"""
        return bool(len(self.start)) and bool((self.start >= 0).all())

    def find(self, doc: np.ndarray, path: np.ndarray) -> np.ndarray:
        """The element of each (document, path) pair, −1 where there is none."""
        if len(self._keys) == 0:
            return np.full(len(doc), -1, np.int64)
        wanted = doc.astype(np.int64) * self._paths + path
        at = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        return np.where((path >= 0) & (self._keys[at] == wanted), self._rows[at], -1)
