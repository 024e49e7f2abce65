"""What a fresh interpreter imports; time would be no test on a shared machine. Libraries come where they are used."""

from __future__ import annotations

import subprocess
import sys

import pytest

import private_bandits

HEAVY = ("numba", "scipy", "pandas", "xarray", "matplotlib", "papermill", "nbformat", "joblib", "networkx", "sklearn")


def imported(script: str) -> set[str]:
    """The modules that a fresh interpreter has imported at the end of a script."""
    ending = "import sys; print('imported:', *sys.modules)"
    words = [sys.executable, "-c", f"{script}\n{ending}"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=True)
    return set(done.stdout.rpartition("imported:")[2].split())


@pytest.mark.parametrize("words", [["list"], ["claims", "cascading"]], ids=" ".join)
def test_a_command_that_only_reads_imports_no_library_of_the_chapters(words):
    script = f"from private_bandits_book.cli import main\ntry: main({words})\nexcept SystemExit: pass"
    assert imported(script).isdisjoint(HEAVY)


def test_a_command_that_executes_leaves_what_draws_and_plays_to_the_kernel():
    script = "from private_bandits_book import book, parameters\nfrom private_bandits_book.jobs import reproduce, run\n"
    script += "known = book.find_book().parameters('cascading')\n"
    script += "parameters.validate('cascading', known, {'horizon': 2000, 'replications': 5})"
    found = imported(script)
    assert "papermill" in found and found.isdisjoint(set(HEAVY) - {"papermill", "nbformat"})


def test_the_library_is_imported_without_what_only_a_result_needs():
    found = imported("from private_bandits import simulate")
    assert "numba" in found
    later = ("scipy.stats", "scipy.optimize", "scipy.special", "pandas", "xarray", "joblib", "matplotlib", "tqdm")
    assert found.isdisjoint(later)


@pytest.mark.parametrize("first", ["", ".privacy.audit"])
def test_the_package_gives_its_names_in_whatever_order_things_are_imported(first):
    script = f"import private_bandits{first}\nimport private_bandits\n"
    script += "assert set(private_bandits.__all__) <= set(dir(private_bandits))\n"
    script += "from private_bandits import *\n"
    script += "from private_bandits.simulation import simulate as function\n"
    script += "assert simulate is function is private_bandits.simulate and callable(audit) and callable(replay)\n"
    script += "from private_bandits import policy, problems\n"
    script += "assert (Policy, Problem) == (policy.Policy, problems.Problem)\n"
    assert "private_bandits.simulate" not in imported(script)


def test_the_package_alone_imports_none_of_its_rooms():
    assert {name for name in imported("import private_bandits") if "private_bandits" in name} == {"private_bandits"}
    with pytest.raises(AttributeError, match="module 'private_bandits' has no attribute 'simulator'"):
        _ = private_bandits.simulator
