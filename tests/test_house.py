"""The house rules that imports can break: who may know whom, and how fast the command line starts."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def imports(file: Path) -> set[str]:
    """Top-level names of everything a module imports, at any depth of its code."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add((node.module or "").split(".")[0])
    return found


def modules(folder: str) -> list[Path]:
    found = sorted((ROOT / folder).rglob("*.py"))
    assert found, f"{folder} holds no modules: is the test looking in the right place?"
    return found


@pytest.mark.parametrize("file", modules("esr_core"), ids=lambda p: str(p.relative_to(ROOT)))
def test_the_package_knows_neither_streamlit_nor_the_pages(file):
    assert not imports(file) & {"streamlit", "pages", "app"}


@pytest.mark.parametrize("file", [ROOT / "app.py", *modules("pages")], ids=lambda p: str(p.relative_to(ROOT)))
def test_pages_do_no_arithmetic(file):
    assert not imports(file) & {"numpy", "scipy"}, "computation belongs below esr_core, where it is tested"


@pytest.mark.parametrize("heavy", ["pandas", "scipy", "lxml", "plotly", "streamlit"])
def test_the_command_line_starts_without(heavy):
    code = f"import sys, esr_core.cli; print({heavy!r} in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "False", f"importing esr_core.cli imports {heavy}"
