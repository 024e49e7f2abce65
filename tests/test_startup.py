"""What a fresh interpreter imports; time would be no test on a shared machine. Libraries come where they are used."""

from __future__ import annotations

import subprocess
import sys

import pytest

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
