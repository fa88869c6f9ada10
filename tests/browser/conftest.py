"""A real server and a real browser, started once for all browser tests.

The browser is ESR_BROWSER, or the first Chromium or Chrome on the path, or the one Playwright installed. If there is
none, the tests fail: a check that silently does not run is worth nothing. Leave them out with -m "not browser".
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHOTS = Path(__file__).parent / "shots"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


@pytest.fixture(scope="session")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., str]]:
    """serve() or serve(ESR_STUDY=folder) starts the app and returns its address; equal calls share a server."""
    running: dict[tuple, tuple[subprocess.Popen, str]] = {}

    def start(**environment: str) -> str:
        key = tuple(sorted(environment.items()))
        if key not in running:
            running[key] = _start(environment, tmp_path_factory.mktemp("server") / "log.txt")
        return running[key][1]

    yield start
    for process, _ in running.values():
        process.terminate()
        process.wait(20)


def _start(environment: dict[str, str], log: Path) -> tuple[subprocess.Popen, str]:
    port = free_port()
    settings = {k: v for k, v in os.environ.items() if k != "ESR_STUDY"} | environment
    with log.open("w") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)],
            cwd=ROOT, env=settings, stdout=out, stderr=subprocess.STDOUT)
    address = f"http://localhost:{port}"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if process.poll() is not None:
            pytest.fail(f"streamlit ended with {process.returncode}:\n{log.read_text()}")
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2) as answer:
                if answer.status == 200:
                    return process, address
        except OSError:
            time.sleep(.1)
    process.kill()
    pytest.fail(f"streamlit did not answer within a minute:\n{log.read_text()}")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    from playwright.sync_api import Error, sync_playwright

    names = ("chromium", "chromium-browser", "google-chrome")
    found = os.environ.get("ESR_BROWSER") or next((p for p in map(shutil.which, names) if p), None)
    with sync_playwright() as playwright:
        try:
            chromium = playwright.chromium.launch(executable_path=found, args=FLAGS)
        except Error as error:
            where = f"{found} does not start" if found else f"none of {', '.join(names)} is on the path"
            pytest.fail(f"no browser for the browser tests: {where}. Install Debian's package chromium, run "
                        f"`playwright install chromium`, or name one in ESR_BROWSER. ({str(error).splitlines()[0]})")
        yield chromium
        chromium.close()


@pytest.fixture
def visit(browser: Any) -> Iterator[Callable[..., Any]]:
    """visit(url, scheme="dark", width=1024) opens a new visitor's page; requests are kept in page.asked."""
    contexts = []

    def go(url: str, scheme: str = "light", width: int = 1440, height: int = 1000) -> Any:
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme,
                                      accept_downloads=True)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)  # a loaded machine compiles Plotly's script for many seconds
        page.asked = []
        page.on("request", lambda request: page.asked.append(request.url))
        page.goto(url)
        return page

    yield go
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def shots() -> Path:
    """Where screenshots go; not kept in git."""
    SHOTS.mkdir(exist_ok=True)
    return SHOTS
