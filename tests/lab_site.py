"""The pages that have a panel, built as a book of their own."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
CHAPTERS = ("definitions", "semibandits", "contextual", "cascading", "heavy_tailed")


def build(folder: Path) -> Path:
    """Build the chapters, the laboratory and the explorer in a folder, and return where their HTML is."""
    shutil.copy(ROOT / "_config.yml", folder)
    pages = [*(f"{name}.ipynb" for name in CHAPTERS), "lab.md", "explorer.md", "contextual_proofs.md", "references.bib"]
    (folder / "book").mkdir()
    for name in pages:
        shutil.copy(ROOT / "book" / name, folder / "book")
    for part in (ROOT / "book").iterdir():
        if part.is_dir() and (part.name.startswith("_") or part.name in {"figures", "data"}):
            shutil.copytree(part, folder / "book" / part.name)
    documents = [{"file": f"book/{Path(name).stem}"} for name in pages[:-1] if not name.startswith("lab.")]
    contents = {"format": "jb-book", "root": "book/lab", "chapters": documents}
    (folder / "_toc.yml").write_text(yaml.safe_dump(contents), encoding="utf-8")
    words = [sys.executable, "-c", "from jupyter_book.cli.main import main; main()", "build", str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    html = folder / "_build" / "html" / "book"
    assert (html / "lab.html").is_file(), done.stdout[-4000:] + done.stderr[-4000:]
    return html
