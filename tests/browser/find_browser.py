"""Find a Chromium for the browser tests, or install one; print where it is. Used by `make test` and the tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge")
PLACES = ("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome", "/snap/bin/chromium")


def find() -> str | None:
    """ESR_BROWSER, a browser on the PATH, or the one Playwright has installed."""
    for candidate in (os.environ.get("ESR_BROWSER"), *(shutil.which(n) for n in NAMES), *PLACES):
        if candidate and os.access(candidate, os.X_OK):
            return candidate
    try:
        from playwright.sync_api import sync_playwright

        with sync_playwright() as p:
            own = p.chromium.executable_path
            return own if os.access(own, os.X_OK) else None
    except Exception:
        return None


def install() -> None:
    """Playwright's own download first; where that is blocked, the system's package, if we may."""
    if subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False,
                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300).returncode == 0 and find():
        return
    if shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0:
        subprocess.run(["apt-get", "update", "-qq"], check=False, stdout=subprocess.DEVNULL)
        subprocess.run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"], check=False,
                       stdout=subprocess.DEVNULL)


def main() -> int:
    if find() is None:
        print("no browser found; installing one (once)", file=sys.stderr)
        install()
    found = find()
    if found is None:
        print("No Chromium or Chrome found, and none could be installed. Install one, or set ESR_BROWSER to its path.",
              file=sys.stderr)
        return 1
    print(f"browser: {found}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
