"""The browser that prints and takes pictures: whichever Chromium is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

NAMES = "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge"

# What is not drawn or is cut is written at the end of the page, so that it is found in the text of the PDF.
_WATCH = """<script>addEventListener("load", () => {
  const wrong = [...document.images].filter(one => !one.naturalWidth).map(one => "not drawn " + one.src);
  for (const one of document.querySelectorAll("article *")) {
    const box = one.getBoundingClientRect();
    if (one.localName === "math" && one.checkVisibility() && !box.width) wrong.push("not drawn " + one.textContent);
    if (box.right > innerWidth + 1) wrong.push("cut " + one.localName + " " + one.textContent.trim().slice(0, 60));
  }
  for (const text of wrong) document.body.appendChild(document.createElement("p")).textContent = "Fault: " + text;
});</script>"""


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
    with tempfile.TemporaryDirectory() as home:  # that of the user may not be there to be written
        browser = [program(*NAMES), *quiet, f"--user-data-dir={home}", *words, page.as_uri()]
        done = subprocess.run(browser, capture_output=True, text=True, timeout=600, env=os.environ | {"HOME": home})
    if done.returncode:
        sys.exit(done.stderr[-2000:])


def read(name: str, *words: str) -> str:
    """Return what a program says."""
    return subprocess.run([program(name), *words], capture_output=True, encoding="utf-8", check=True).stdout


def to_pdf(text: str, pdf: Path, width: int) -> None:
    """Print a page of HTML, which is as wide as its paper without the margins."""
    words = ["--no-pdf-header-footer", "--generate-pdf-document-outline", f"--window-size={width},1000"]
    with tempfile.TemporaryDirectory() as folder:
        page, raw = Path(folder) / "page.html", Path(folder) / "page.pdf"
        page.write_text(text + _WATCH, encoding="utf-8")
        show(page, *words, f"--print-to-pdf={raw}")
        read("qpdf", "--object-streams=generate", str(raw), str(pdf))  # a third of the size, tags and all
