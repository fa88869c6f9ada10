"""Counted warnings: what was odd in the input, said once, with the place where it first happened.

A problem never changes a score in silence: its text says what was done about it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Problem:
    """`count` cases of one kind in one file; `line` is the first."""

    kind: str
    text: str
    file: str | None = None
    line: int | None = None
    count: int = 1

    def __str__(self) -> str:
        place = "" if self.file is None else f"{self.file}: " if self.line is None else f"{self.file}:{self.line}: "
        times = f" ({self.count:,} times)" if self.count > 1 else ""
        return f"{place}{self.text}{times}"


class Problems:
    """An ordered collection in which equal kinds of one file are counted together."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str | None], Problem] = {}

    def add(self, kind: str, text: str, file: str | None = None, line: int | None = None, count: int = 1) -> None:
        if count <= 0:
            return
        old = self._found.get((kind, file))
        if old is None:
            self._found[kind, file] = Problem(kind, text, file, line, count)
        else:
            self._found[kind, file] = replace(old, count=old.count + count)

    def extend(self, other: Problems) -> None:
        for p in other:
            self.add(p.kind, p.text, p.file, p.line, p.count)

    def __iter__(self) -> Iterator[Problem]:
        return iter(self._found.values())

    def __len__(self) -> int:
        return len(self._found)
