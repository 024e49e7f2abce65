"""What the status page shows: how each part of the book was checked, from what the checks themselves have written."""

import csv
import re
from collections import Counter
from pathlib import Path

from IPython.display import Markdown

from private_bandits_book.book import Book, find_book
from private_bandits_book.pages.markdown import pipes

_SHOWN = ("numpy", "scipy", "numba", "xarray", "matplotlib", "papermill", "nbval", "jupyter-book")


def status(book: Book | None = None) -> Markdown:
    """Show chapters, audit, gates, hostile calls and versions, each from its committed file."""
    book = book or find_book()
    parts = {
        "Chapters": _chapters(book),
        "Tests": _tests(book.root / "tests"),
        "Audit": _audit(book),
        "Gates": _gates(_rows(book.pages / "data" / "gates.csv")),
        "Hostile calls": _hostile(_rows(book.pages / "data" / "fuzz.csv")),
        "Versions": _versions((book.root / "requirements.lock").read_text(encoding="utf-8")),
    }
    return Markdown("\n\n".join(f"## {head}\n\n{text}" for head, text in parts.items()))


def _chapters(book: Book) -> str:
    seconds, lines = {row["work"]: row["seconds"] for row in book.costs()}, []
    for name in book.chapters():
        claims, seeds = (_rows(book.data(name) / file) for file in ("claims.csv", "seeds.csv"))
        ours = {row["claim"]: row["verdict"] for row in claims}
        moved = {row["claim"] for row in seeds if row["reseeded"] == "True"}
        apart = {row["claim"] for row in seeds if row["verdict"] != ours.get(row["claim"])}
        counts = (len(claims), len(moved), len(apart)) if seeds else (len(claims), "", "")
        time = f"{seconds[name]} s" if name in seconds else ""  # one that `benchmarks/costs.py` has not measured
        lines.append((f"[{book.title(name)}]({name}.ipynb)", time, *(str(count) for count in counts)))
    said = (
        "How long `private-bandits reproduce` takes on two cores, how many claims it judges, how many of them other "
        "seeds move, and on how many one disagrees. Where two do, the claim is undecided. What no seed moves rests on "
        "exact statements or on longer studies."
    )
    return f"{said}\n\n{pipes(('Chapter', 'Time', 'Claims', 'Moved', 'Differ'), lines)}"


def _tests(folder: Path) -> str:
    files = [path.read_text(encoding="utf-8") for path in folder.glob("test_*.py")]
    functions = sum(len(re.findall("^def test_", text, flags=re.MULTILINE)) for text in files)
    return f"More than {functions // 100 * 100:,} test functions, most for many cases, beside the chapters themselves."


def _audit(book: Book) -> str:
    counts = Counter(row["verdict"] for row in _rows(book.data("audit") / "table-audit.csv"))
    listed = ", ".join(f"{count} × {verdict}" for verdict, count in counts.most_common())
    return f"{sum(counts.values())} rows of [the audit](audit.ipynb): {listed}."


def _gates(rows: list[dict[str, str]]) -> str:
    seen = {"True": "red", "False": "still green"}
    counts = Counter(seen[row["proven"]] for row in rows)
    listed = ", ".join(f"{counts[word]} {word}" for word in seen.values() if counts[word])
    lines = [(row["fault"], f"`{row['gate'].rpartition('::')[2]}`", seen[row["proven"]]) for row in rows]
    table = pipes(("Fault planted", "Test", "Then"), lines)
    said = f"{len(rows)} faults, planted one at a time by `make prove-gates`: {listed}."
    return f"{said}\n\n<details><summary>All of them</summary>\n\n{table}\n\n</details>"


def _hostile(rows: list[dict[str, str]]) -> str:
    lines = [[row[key] for key in _CALLS] for row in rows]
    said = (
        "Calls that nobody meant, of each function that [the reference pages](api/index.md) list and of the methods of "
        "problems: each is refused in a line that names the argument, or answered in numbers."
    )
    return f"{said}\n\n{pipes(tuple(_CALLS.values()), lines)}"


_CALLS = {
    "what": "What",
    "different": "Different ones",
    "cases": "Cases",
    "refused": "Refused",
    "answered": "Answered",
    "found": "Found",
}


def _versions(lock: str) -> str:
    pinned = re.findall(r"^([a-z0-9-]+)==([^\s;\\]+)", lock, flags=re.MULTILINE)
    locked = {name: " or ".join(version for one, version in pinned if one == name) for name in _SHOWN}
    return f"As locked, for Python 3.11 to 3.13: {', '.join(f'{name} {version}' for name, version in locked.items())}."


def _rows(path: Path) -> list[dict[str, str]]:
    if not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
