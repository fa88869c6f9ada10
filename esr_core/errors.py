"""What can go wrong, as a small family.

Every message is one line that names the file and line where known and says what to do next.
The command line prints it and exits with `exit_code`; nobody sees a traceback.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class EsrError(Exception):
    """Base of all errors that are the data's or the caller's, not ours."""

    exit_code = 1


class DataError(EsrError):
    """Input that cannot be read: `file:line: what is wrong; what was expected or what to do`."""

    def __init__(self, message: str, file: str | None = None, line: int | None = None, remedy: str | None = None):
        self.message, self.file, self.line, self.remedy = message, file, line, remedy
        place = "" if file is None else f"{file}: " if line is None else f"{file}:{line}: "
        super().__init__(f"{place}{message}" + (f"; {remedy}" if remedy else ""))

    def __reduce__(self) -> tuple:  # the four parts, not the sentence, travel between processes
        return type(self), (self.message, self.file, self.line, self.remedy)


class NotComputable(EsrError):
    """A measure that this study cannot feed, with the reason."""


class UsageError(EsrError):
    """The call is wrong, not the data."""

    exit_code = 2


class MeasureError(UsageError):
    """A measure string that names no measure, a parameter that is not there or a value out of range."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'AiP'?`, or the list of what there is when nothing is near."""
    names = list(dict.fromkeys(known))
    lowered = {name.lower(): name for name in reversed(names)}
    near = difflib.get_close_matches(word.lower(), list(lowered), n=1, cutoff=0.5)
    if near:
        return f"; did you mean '{lowered[near[0]]}'?"
    return f"; known: {', '.join(names)}" if names else "; there are none"
