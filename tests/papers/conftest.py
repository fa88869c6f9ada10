"""One line at the end of a test session: how many published numbers were checked."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest


def _claims(claims: dict) -> dict[int, str]:
    return {n: what for claim, what in claims.items() for n in (claim if isinstance(claim, range) else [claim])}


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Counts the claims of the paper tests that ran in this session; a number whose test failed is not covered."""
    failed = {(Path(report.nodeid.split("::")[0]).stem, report.nodeid.split("::")[-1].split("[")[0])
              for kind in ("failed", "error") for report in terminalreporter.stats.get(kind, []) if report.nodeid}
    ran = {Path(report.nodeid.split("::")[0]).stem for kind in ("passed", "failed", "error")
           for report in terminalreporter.stats.get(kind, []) if getattr(report, "nodeid", "")}
    covered = broken = 0
    reasons: Counter[str] = Counter()
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        module = sys.modules.get(path.stem)
        if path.stem not in ran or not hasattr(module, "COVERED"):
            continue
        for number, test in _claims(module.COVERED).items():
            if number not in module.NOT_COMPUTABLE:
                covered += (path.stem, test) not in failed
                broken += (path.stem, test) in failed
        reasons.update(reason.split(":")[0] for reason in module.NOT_COMPUTABLE.values())
    if covered or broken:
        why = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
        terminalreporter.write_line(
            f"published numbers: {covered} covered, {reasons.total()} not computable without the original data ({why})"
            + (f", {broken} in failing tests" if broken else ""))
