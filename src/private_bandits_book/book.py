"""Where the book is, and which chapters it has."""

import csv
import difflib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from private_bandits import checks
from private_bandits_book.package_data import parsed
from private_bandits_book.parameters import Parameter, UsageError, declared, is_chapter

_PACKAGE = Path(__file__).parent
_PACKAGED = _PACKAGE / "_book"


@dataclass(frozen=True)
class Book:
    """A folder with `_config.yml`, `_toc.yml` and the pages under `book/`.

    Attributes
    ----------
    root : Path
        The repository root in a clone, a folder of the installed package otherwise.
    """

    root: Path

    @property
    def pages(self) -> Path:
        """The folder of the notebooks, their data and their figures."""
        return self.root / "book"

    @property
    def is_clone(self) -> bool:
        """Whether the pages are the committed ones, not copies in an installed package."""
        return self.root != _PACKAGED

    def chapters(self) -> list[str]:
        """Return the names of the chapters, notebooks with a parameters cell, in reading order."""
        listed = parsed(self.root / "_toc.yml", _listed)
        order = {name: place for place, name in reversed(list(enumerate(listed)))}
        found = [path.stem for path in self._notebooks() if is_chapter(_read(path))]
        return sorted(found, key=lambda name: order.get(f"book/{name}", len(order)))

    def summaries(self) -> list[str]:
        """Return the names of the notebooks without parameters, which show what the chapters committed."""
        return [path.stem for path in self._notebooks() if not is_chapter(_read(path))]

    def _notebooks(self) -> list[Path]:
        """Return the notebooks, without what an editor or a file system hides beside one."""
        return sorted(self.pages.glob("[!.]*.ipynb"))

    def path(self, chapter: str) -> Path:
        """Return the notebook of a chapter; raise a UsageError if the book has no such chapter."""
        path = self.pages / f"{chapter}.ipynb"
        if not chapter.isidentifier() or not path.is_file() or not is_chapter(_read(path)):
            known, untagged = self.chapters(), chapter.isidentifier() and path.is_file()
            close = difflib.get_close_matches(chapter.lower().replace("-", "_"), known, n=1)
            hint = f" (did you mean {close[0]}?)" if close and not untagged else ""
            lacks = f": {path.name} has no cell tagged `parameters`" if untagged else ""
            raise UsageError(f"chapter must be one of {', '.join(known)}{hint}, got {checks.brief(chapter)}{lacks}")
        return path

    def parameters(self, chapter: str) -> dict[str, Parameter]:
        """Return the parameters that a chapter declares, in order."""
        return declared(_read(self.path(chapter)))

    def title(self, chapter: str) -> str:
        """Return the first top-level heading of a chapter."""
        cells = _read(self.path(chapter))["cells"]
        prose = (cell["source"] for cell in cells if cell["cell_type"] == "markdown")
        heading = re.search(r"^# +(.+?) *$", "\n".join(prose), flags=re.MULTILINE)
        return heading[1] if heading else chapter

    def section(self, chapter: str, head: str) -> tuple[str, str]:
        """Return the first section of a chapter whose heading begins with these words, its heading and its text.

        Both are empty where there is none.
        """
        cells = _read(self.path(chapter))["cells"]
        prose = "\n\n".join(cell["source"] for cell in cells if cell["cell_type"] == "markdown")
        found = re.search(rf"^## ({re.escape(head)}[^\n]*)\n(.*?)(?=^## |\Z)", prose, flags=re.MULTILINE | re.DOTALL)
        return (found[1].strip(), found[2].strip()) if found else ("", "")

    def data(self, chapter: str) -> Path:
        """Return the folder of a chapter's committed CSV files."""
        return self.pages / "data" / chapter

    def costs(self) -> list[dict[str, str]]:
        """Return what each work takes, as `benchmarks/costs.py` has measured it; empty where it has not."""
        path = self.pages / "data" / "costs.csv"
        return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines())) if path.is_file() else []

    def figures(self, chapter: str) -> Path:
        """Return the folder of a chapter's committed SVG files."""
        return self.pages / "figures" / chapter


def find_book() -> Book:
    """Return the book that came with this package, or the one of the clone that it runs from."""
    root = _PACKAGED if _PACKAGED.is_dir() else _PACKAGE.parents[1]
    if not (root / "_toc.yml").is_file():
        raise UsageError(f"the book must come with the package, found none in {root}")
    return Book(root)


def _listed(text: str) -> list[str]:
    try:
        return list(_files(yaml.safe_load(text)))
    except yaml.YAMLError as error:
        raise ValueError(error) from None


def _files(toc: Any) -> Iterator[str]:
    """Yield the documents of a table of contents, however it nests them."""
    if isinstance(toc, dict):
        yield from (str(toc[key]).removesuffix(".ipynb") for key in ("root", "file") if key in toc)
    for child in toc.values() if isinstance(toc, dict) else toc:
        if isinstance(child, (dict, list)):
            yield from _files(child)


def _read(path: Path) -> dict[str, Any]:
    """Return a notebook as plain data, the lines of each cell joined."""
    return parsed(path, _notebook)


def _notebook(text: str) -> dict[str, Any]:
    notebook: dict[str, Any] = json.loads(text)
    for cell in notebook["cells"]:
        cell["source"], cell["metadata"] = "".join(cell["source"]), dict(cell["metadata"])
    return notebook
