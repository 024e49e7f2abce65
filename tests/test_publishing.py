"""What a published site says of itself, with the address of its repository and without; and the workflows that publish it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

ROOT = Path(__file__).parents[1]
REPOSITORY = "https://github.com/Owner/some-name"
SITE = "https://owner.github.io/some-name/"
PAGE = r"""# Small

Nothing of this is a finding.

## In short

- **One bit.** Of $\epsilon=1$ and $10^{-3}$ & what costs $K^2$ it says, in more letters than sixty. And no more.
- **Two.** No.
"""


def build(folder: Path, repository: str) -> Path:
    (folder / "book").mkdir()
    for name in (
        "_config.yml",
        "CITATION.cff",
        "CHANGELOG.md",
        "book/cite.md",
        "book/rerun.ipynb",
        "book/references.bib",
    ):
        shutil.copy(ROOT / name, folder / name)
    for part in ("_ext", "_static", "_templates", "_inventories"):
        shutil.copytree(ROOT / "book" / part, folder / "book" / part)
    (folder / "book" / "small.md").write_text(PAGE, encoding="utf-8")
    toc = "format: jb-book\nroot: book/small\nchapters:\n  - file: book/cite\n  - file: book/rerun\n"
    (folder / "_toc.yml").write_text(toc, encoding="utf-8")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["init", "-q"], ["add", "CHANGELOG.md"], ["commit", "-q", "-m", "one"]):
        subprocess.run([*git, *words], cwd=folder, check=True)
    words = [sys.executable, "-c", "from jupyter_book.cli.main import main; main()", "build", str(folder), "-W", "-n"]
    env = os.environ | {"PRIVATE_BANDITS_REPOSITORY": repository}
    done = subprocess.run(words, capture_output=True, text=True, env=env, timeout=300)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return folder / "_build" / "html"
