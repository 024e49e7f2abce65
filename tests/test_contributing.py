"""The minimal chapter of CONTRIBUTING is one, as it is printed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import build

ROOT = Path(__file__).parents[1]
TEXT = (
    (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("### A minimal chapter")[2].partition("\n## ")[0]
)


def run(root, *words):
    """Run a module in a copy of the repository."""
    environment = {**os.environ, "PYTHONPATH": str(root / "src")}
    environment = {name: value for name, value in environment.items() if not name.startswith("PYTEST_")}
    done = subprocess.run([sys.executable, *words], cwd=root, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


@pytest.mark.check
def test_the_printed_chapter_is_reproduced_built_and_passes_the_gate(tmp_path):
    """To the letter, in a copy of the repository, with the tests that ask something of every chapter."""
    passing = shutil.ignore_patterns("_build", "__pycache__", ".venv", ".git", ".*_cache", "runs")
    root = Path(shutil.copytree(ROOT, tmp_path / "copy", ignore=passing))
    (toml,) = re.findall("```toml\n(.*?)```", TEXT, re.DOTALL)
    parameters, story = re.findall("```python\n(.*?)\n```", TEXT, re.DOTALL)
    room = root / "src" / "private_bandits_book" / "chapters" / "mine"
    room.mkdir()
    for name, text in {"__init__.py": '"""Mine."""\n', "claims.toml": toml}.items():
        (room / name).write_text(text, encoding="utf-8")
    code = {"cell_type": "code", "execution_count": None, "outputs": [], "metadata": {}}
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": "# Mine"},
        code | {"metadata": {"tags": ["parameters"]}, "source": parameters},
        code | {"source": story},
        code | {"source": "chapter.ledger()"},
    ]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (root / "book" / "mine.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    for page, last, line in (
        ("_toc.yml", "      - file: book/own\n", "      - file: book/mine\n"),
        ("book/intro.md", "```{verdicts}\n", "mine: Mine\n"),
    ):
        text = (root / page).read_text(encoding="utf-8")
        assert text.count(last) == 1
        (root / page).write_text(text.replace(last, last + line), encoding="utf-8")
    command = "from private_bandits_book.cli import main; raise SystemExit(main(['reproduce', '--seeds', '5', 'mine']))"
    run(root, "-c", command)
    built = build(root, tmp_path / "built", "--all")
    assert built.returncode == 0, built.stdout[-4000:] + built.stderr[-4000:]
    asked = [f"tests/test_{name}.py" for name in ("chapters", "docstrings", "ledger", "notebooks", "seeds", "claims")]
    run(root, "-m", "pytest", "-q", "-p", "no:cacheprovider", *asked, "-k", "mine or page_of_all_chapters")
