"""The cache of compiled code: an edit of what is compiled is never answered by an old binary."""

from __future__ import annotations

import importlib
import os
import pkgutil
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from numba import config
from numba.core.caching import IndexDataCacheFile
from numba.core.dispatcher import Dispatcher

import private_bandits
from private_bandits import compilation
from private_bandits.compilation import compiled

SOURCE = Path(private_bandits.__file__).parent
COUNT = """
import numpy
from private_bandits.mechanisms import _raw as mechanisms
print(mechanisms.hybrid_noise(numpy.random.default_rng(0), 5, 1.0, numpy.zeros(mechanisms.COUNTER_ROW)))
"""
DRAW = """
import numba, numpy
from private_bandits.mechanisms import _raw as mechanisms
mechanisms.laplace(numpy.random.default_rng(0), 1.0)
print(repr(numba.config.CACHE_DIR))
"""


def answer(script: str, root: Path, **environment: str) -> str:
    """What a script prints in a fresh interpreter that imports the package from `root`."""
    locate = "import private_bandits; print(private_bandits.__file__)"
    done = subprocess.run(
        [sys.executable, "-c", f"{locate}\n{script}"],
        env={**os.environ, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1", **environment},
        cwd=root,  # numba makes a folder here where it finds no home
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    where, printed = done.stdout.splitlines()
    assert Path(where).parent == root / SOURCE.name
    return printed


@pytest.fixture
def package(tmp_path):
    """A copy of the package without anything compiled."""
    return Path(shutil.copytree(SOURCE, tmp_path / SOURCE.name, ignore=shutil.ignore_patterns("__pycache__")))


def compiled_files(folder: Path) -> dict[Path, int]:
    """The binaries under a folder and when each was written."""
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*.nb[ci]")}


def halve(package: Path) -> None:
    """Halve the noise, in a file that others call."""
    noise = package / "mechanisms" / "noise.py"
    text = noise.read_text(encoding="utf-8")
    noise.write_text(text.replace("scale * math.log(", "0.5 * scale * math.log("), encoding="utf-8")


def test_an_edit_in_a_callee_is_not_answered_by_an_old_binary_and_one_of_plain_python_is(
    package, tmp_path, monkeypatch
):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    before = answer(COUNT, tmp_path)
    binaries = compiled_files(package)
    names = {path.name.split("-")[0] for path in binaries}
    assert names >= {"counters.hybrid_noise", "noise.laplace"}
    with (package / "checks.py").open("a", encoding="utf-8") as plain:
        plain.write("\n")
    assert answer(COUNT, tmp_path) == before
    assert compiled_files(package) == binaries  # nothing was compiled again

    halve(package)
    assert answer(COUNT, tmp_path) != before


@pytest.mark.parametrize("before", ["", "from private_bandits.mechanisms import _raw\n"], ids=["compiled", "imported"])
def test_what_a_session_that_saw_an_edit_has_compiled_is_not_kept_for_the_sources_before_it(before, package, tmp_path):
    edited = """
from pathlib import Path
from private_bandits import compilation
compilation.sources()
noise = Path(compilation.__file__).parent / "mechanisms" / "noise.py"
text = noise.read_text(encoding="utf-8")
noise.write_text(text.replace("scale * math.log(", "0.5 * scale * math.log("), encoding="utf-8")
"""
    reverted = 'noise.write_text(text, encoding="utf-8")'
    chosen = {"NUMBA_CACHE_DIR": str(tmp_path / "chosen")}
    taken_back = before and before + reverted + "\n"  # before anything is compiled
    seen = answer(edited + taken_back + COUNT + reverted, tmp_path, **chosen)
    assert seen != answer(COUNT, tmp_path, **chosen) == answer(COUNT, tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "new"))


def test_every_compiled_function_of_the_package_is_kept_there():
    functions = set()
    for module in pkgutil.walk_packages(private_bandits.__path__, "private_bandits."):
        members = vars(importlib.import_module(module.name)).values()
        functions |= {member for member in members if isinstance(member, Dispatcher)}
    assert len(functions) > 10
    for function in functions:
        assert "sources-" in (function.stats.cache_path or ""), function


def test_another_numpy_which_may_draw_other_numbers_has_a_folder_of_its_own(monkeypatch):
    monkeypatch.setattr(np, "__version__", "0.0")
    assert compilation.sources.__wrapped__() != compilation.sources()


def test_the_setting_is_restored_whatever_happens():
    before = config.CACHE_DIR
    assert "sources-" in compiled(abs_of).stats.cache_path
    assert compiled(eval("lambda x: x"))(1) == 1  # which has no file, and is not kept
    assert before == config.CACHE_DIR


def abs_of(x):
    """Something to compile."""
    return abs(x)


def test_folders_of_other_sources_are_deleted_when_nobody_used_them_for_a_week_and_nothing_else(package, tmp_path):
    root, week = tmp_path / "root", 7 * 24 * 3600
    ages = {"sources-0123456789abcdef": week + 60, "sources-1123456789abcdef": week - 60}
    ages |= dict.fromkeys(("sources-mine", "sources-0123456789abcdef0", "other"), 2 * week)
    for name, age in ages.items():
        (root / name / "within").mkdir(parents=True)
        os.utime(root / name, (0, time.time() - age))
    assert answer(DRAW, tmp_path, NUMBA_CACHE_DIR=str(root)) == repr(str(root))  # the setting is restored
    left = {path.name for path in root.iterdir()}
    (current,) = left - set(ages)
    assert left == {*ages, current} - {"sources-0123456789abcdef"}
    assert compiled_files(root / current) and not compiled_files(package)


@pytest.fixture
def unwritable(package):
    """The package, of which no folder takes binaries: a file stands where `__pycache__` would be."""
    for folder in {path.parent for path in package.rglob("*.py")}:
        (folder / "__pycache__").touch()
    return package


def test_where_the_package_cannot_be_written_the_users_folder_is_named_after_the_sources_too(unwritable, tmp_path):
    home = {"HOME": str(tmp_path), "USERPROFILE": str(tmp_path), "NUMBA_CACHE_DIR": "", "XDG_CACHE_HOME": ""}
    before = answer(COUNT, tmp_path, **home)
    kept = compiled_files(tmp_path)
    assert kept and {path.relative_to(tmp_path).parts[:2] for path in kept} == {(".cache", "private-bandits")}
    halve(unwritable)
    assert answer(COUNT, tmp_path, **home) != before


def test_where_nothing_can_be_written_nowhere_is_anything_kept_and_all_is_played(unwritable, tmp_path):
    nowhere = dict.fromkeys(("HOME", "USERPROFILE", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR"), os.devnull)
    before = answer(COUNT, tmp_path, **nowhere)
    halve(unwritable)
    # numba's own choice, the folder of the file, is not taken: its name stays when the sources change
    (unwritable / "mechanisms" / "__pycache__").unlink()
    assert answer(COUNT, tmp_path, **nowhere) != before and not compiled_files(tmp_path)


@pytest.mark.parametrize(
    "fault", [OSError(28, "No space left on device"), EOFError(), ValueError("unsupported pickle protocol: 115")]
)
@pytest.mark.parametrize("work", ["load", "save"])
def test_a_full_disk_and_a_broken_or_foreign_file_cost_only_time(work, fault, monkeypatch):
    def failing(*arguments):
        raise fault

    monkeypatch.setattr(IndexDataCacheFile, work, failing)
    assert compiled(abs_of)(-1) == 1


def test_without_compilation_the_numbers_are_the_same(tmp_path):
    script = """
import warnings
warnings.simplefilter("error")
from private_bandits import baselines, simulate
from private_bandits.papers import cascading
from private_bandits.problems import Arms, ConvexLoss
class Own:
    name, ask, tell = "own", lambda self: [0], lambda self, feedback: None
    start = lambda self, problem, choice, noise: self
arms = Arms.bernoulli([0.9, 0.5])
pairs = [
    (arms, baselines.adap_ucb(1.0)), (arms, Own()),
    (cascading.b_lb(8, 3, 0.4, 0.3), cascading.ucb_laplace(1.0, list_size=3)),
    (arms, baselines.replay(Own(), 1.0, horizon=200)),
    (ConvexLoss.ball([[0.3]], kind="smooth"), Own())]
done = [simulate(*pair, horizon=100, replications=1, seed=1).regret[0, -1].item() for pair in pairs]
print(done)
"""
    root = SOURCE.parent
    assert answer(script, root, NUMBA_DISABLE_JIT="1") == answer(script, root)
