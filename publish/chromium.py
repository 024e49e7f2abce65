"""The browser that prints and takes pictures: whichever Chromium is installed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

NAMES = "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge"


def program(*names: str) -> str:
    """Return the path of the first program that is installed, or stop with its name."""
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        sys.exit(f"{names[0]} is needed, and none was found")
    return found


def show(page: Path, *words: str) -> None:
    """Let the browser open a page of ours without a window, and do what `words` say."""
    # No sandbox: containers have none to give, and nothing but our own page is opened.
    quiet = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"]
    done = subprocess.run([program(*NAMES), *quiet, *words, page.as_uri()], capture_output=True, text=True, timeout=600)
    if done.returncode:
        sys.exit(done.stderr[-2000:])
