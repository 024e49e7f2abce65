"""The library is without the companion, and a spreadsheet reads every committed cell as it stands."""

from __future__ import annotations

import csv
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
LIBRARY = ROOT / "src" / "private_bandits"
# What a library that is imported in a study has no use for.
PUBLISHING = "private_bandits_book matplotlib papermill nbformat nbclient nbval jupyter jupyter_book IPython".split()


def test_the_library_imports_neither_the_companion_nor_what_publishes():
    """Wherever in a file: in functions and under TYPE_CHECKING, too."""
    asked = re.compile(rf"^\s*(?:from|import) (?:{'|'.join(PUBLISHING)})\b", re.MULTILINE)
    assert not {path.name for path in LIBRARY.rglob("*.py") if asked.search(path.read_text(encoding="utf-8"))}


def test_the_library_names_no_companion():
    """Neither in code, for an import by name, nor in data."""
    texts = [path for path in LIBRARY.rglob("*") if path.suffix in (".py", ".toml")]
    assert not {path.name for path in texts if PUBLISHING[0] in path.read_text(encoding="utf-8")}


FORMULA = re.compile(r"[=+@\t\r]|-(?![\d.]+($|[ ;e\d]))")
MONTH = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
DATE = re.compile(
    rf"\d{{1,4}}[-/:]\d{{1,2}}([-/:]\d{{1,4}})?|\d{{1,2}}[- ]?{MONTH}([- ]?\d+)?|{MONTH}[- ]?\d+", re.IGNORECASE
)


def misread(cell):
    """Whether a spreadsheet takes a cell for something else than it says."""
    return bool(FORMULA.match(cell) or DATE.fullmatch(cell))


def test_a_spreadsheet_reads_every_committed_cell_as_it_stands():
    found = {}
    for path in sorted((ROOT / "book" / "data").rglob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            found |= {cell: path.name for row in csv.reader(file) for cell in row if misread(cell)}
    assert found == {}
