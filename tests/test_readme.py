"""The README's examples run as they stand."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from esr_core.cli import main

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


COMMANDS = [line[2:] for block in blocks("console") for line in block.splitlines() if line.startswith("$ ")]


@pytest.mark.parametrize("command", COMMANDS)
def test_command(command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(ROOT)
    program, *arguments = shlex.split(command)
    assert program == "esr"
    assert main(arguments) == 0
    assert capsys.readouterr().out


def test_python(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(ROOT)
    (code,) = blocks("python")
    assert len([line for line in code.splitlines() if line and not line.startswith("import")]) <= 5
    exec(compile(code, "README.md", "exec"), {})
    assert "section-bm25" in capsys.readouterr().out


def test_printed_table_is_true(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(ROOT)
    main(shlex.split(COMMANDS[0])[1:])
    out = capsys.readouterr().out
    (table,) = blocks("text")
    for line in table.splitlines():
        assert line == "…" or line in out


def test_generated_docs_are_current() -> None:
    from esr_core.listing import all_measures

    assert (ROOT / "docs/measures.md").read_text(encoding="utf-8") == all_measures("markdown"), "run make docs"


def test_names_in_the_table_are_measures() -> None:
    from esr_core.measures import MEASURES, SCORES

    table = README[README.index("| family |"):README.index("A measure string is")]
    missing = [n for n in (*MEASURES, *SCORES) if not re.search(rf"\b{n}\b", table)]
    assert not missing
