"""The committed notebooks are whole and canonical: the holes that a comparison of outputs leaves open.

A notebook whose cells were never run has nothing to compare, and passes; so does one that stores its error.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from nbformat import from_dict

from private_bandits_book.jobs.execute import judged_twice

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "book").glob("*.ipynb"))
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
LONGEST, OWN = 15, 28  # lines of a definition, and of a policy that the pages for a reader's own show
# What Jupyter and a forge would show as it stands: {role}`words`, the fence of a directive, and a label.
MYST = re.compile(r"\{[\w:+.-]+\}`|^ *(?:`{3,}|~{3,}|:{3,}) *\{|^:{3,}|^\(\S+\)= *$", re.MULTILINE)
WIDEST, TALLEST = 75, 30  # letters of a line, lines of a cell
# A path of one machine, an object's address, a kernel's temporary file, a time of day.
PASSING = re.compile(r"(?<![\w.])/(home|root|tmp|Users|opt)/|\bat 0x[0-9a-f]+|ipykernel_\d+|\d\d:\d\d:\d\d")

# What both keep: JupyterLab's sanitiser (`apputils`, `Sanitizer`) and GitHub's (`html-pipeline`, `SanitizationFilter`).
KEPT_TAGS = frozenset(
    "a abbr b blockquote br caption cite code dd del details div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img "
    "ins kbd li mark ol p pre q s samp small span strong sub summary sup table tbody td tfoot th thead time tr ul var "
    "wbr".split()
)
KEPT_ATTRIBUTES = set("id title lang dir href src alt width height open align start colspan rowspan".split())
# Code and formulas of Markdown, which are no HTML.
NO_HTML = re.compile(
    r"^( *)(`{3,}|~{3,}).*?^\1\2`*$|(`+)(?!`).*?(?<!`)\3(?!`)|\$\$.*?\$\$|\$[^$\n]*\$", re.MULTILINE | re.DOTALL
)
CHAPTERS = [path for path in NOTEBOOKS if (ROOT / "book" / "data" / path.stem).is_dir()]

every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def faults(notebook: dict[str, Any], is_chapter: bool = True, longest: int = LONGEST) -> list[str]:
    """Return what keeps a notebook from being committed; one that is no chapter has no parameters."""
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    tags = [cell["metadata"].get("tags", []) for cell in code]
    found = []
    if not code or [cell["execution_count"] for cell in code] != list(range(1, len(code) + 1)):
        found.append("not run once from top to bottom")
    if sum("parameters" in one for one in tags) != is_chapter or any("injected-parameters" in one for one in tags):
        found.append("not as many parameters cells as it must have")
    if notebook["metadata"] != METADATA or (notebook["nbformat"], notebook["nbformat_minor"]) != (4, 5):
        found.append(
            "metadata of one run, as Jupyter saves them: git checkout book/, or private-bandits reproduce NAME"
        )
    if any(cell["id"] != f"c{place:03d}" for place, cell in enumerate(notebook["cells"])):
        found.append("cell ids not in order")
    for cell in notebook["cells"]:
        if {"papermill", "execution"} & set(cell["metadata"]):
            found.append(f"{cell['id']}: times of one run")
    for cell in code:
        for output in cell["outputs"]:
            if output["output_type"] == "error" or output.get("name") == "stderr":
                found.append(f"{cell['id']}: stored an error or a warning")
            if output.get("execution_count", cell["execution_count"]) != cell["execution_count"]:
                found.append(f"{cell['id']}: output of another run")
            if PASSING.search(_shown(output)):
                found.append(f"{cell['id']}: holds what changes from run to run")
        for node in ast.walk(ast.parse("".join(cell["source"]))):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.end_lineno is not None:
                if node.end_lineno - node.lineno >= longest:
                    found.append(f"{cell['id']}: {node.name} belongs in the library")
    return found


def _shown(output: dict[str, Any]) -> str:
    """Return the text of an output, without embedded images."""
    shown = {kind: text for kind, text in output.get("data", {}).items() if kind != "image/png"}
    text = json.dumps(output.get("text", shown), ensure_ascii=False)
    return re.sub(r"base64,[A-Za-z0-9+/=]+", "", text)


def unreadable(notebook: dict[str, Any]) -> list[str]:
    """Return what keeps a chapter from being read, and copied, as the experiment that it is."""
    found = [f"{claim}: judged in two cells" for claim in judged_twice(from_dict(notebook))]
    declared: set[str] = set()
    for cell in notebook["cells"]:
        source, tags = "".join(cell["source"]), set(cell["metadata"].get("tags", ()))
        if cell["cell_type"] == "markdown":
            found += [f"{cell['id']}: {one[0]!r} is no plain Markdown" for one in MYST.finditer(source)]
            continue
        lines = source.splitlines()
        assigned = _assigned(source)
        found += [f"{cell['id']}: {name} is a parameter, and another value here" for name in assigned & declared]
        declared |= assigned if "parameters" in tags else set()
        for output in cell["outputs"]:
            data = output.get("data", {})
            if "{figure}" in "".join(data.get("text/markdown", "")) and not {"image/png", "text/html"} <= {*data}:
                found.append(f"{cell['id']}: a figure without PNG or HTML")
        if "parameters" in tags:
            if tags & {"remove-input", "remove-cell"}:
                found.append(f"{cell['id']}: who copies the cells lacks the parameters")
        elif not tags & {"remove-input", "remove-cell", "hide-input", "hide-cell"}:
            found += [f"{cell['id']}: {len(line)} letters: {line}" for line in lines if len(line) > WIDEST]
            if len(lines) > TALLEST:
                found.append(f"{cell['id']}: {len(lines)} lines")
    return found


def _seen(cell: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    """Yield what a viewer of the notebook shows of a cell, and whether it is Markdown: HTML comes before it."""
    if cell["cell_type"] == "markdown":
        yield "".join(cell["source"]), True
    for output in cell.get("outputs", ()):
        data = output.get("data", {})
        kind = next((kind for kind in ("text/html", "text/markdown") if kind in data), None)
        if kind is not None:
            yield "".join(data[kind]), kind == "text/markdown"


def unshown(notebook: dict[str, Any]) -> list[str]:
    """Return what a viewer without our build loses: MyST, and tags and attributes that sanitisers drop."""
    found = []
    for cell in notebook["cells"]:
        for text, is_markdown in _seen(cell):
            if is_markdown:
                found += [f"{cell['id']}: {one[0]!r} is no plain Markdown" for one in MYST.finditer(text)]
                text = NO_HTML.sub("", text)
            for tag in BeautifulSoup(text, "html.parser").find_all(True):
                if tag.name not in KEPT_TAGS or not set(tag.attrs) <= KEPT_ATTRIBUTES:
                    found.append(f"{cell['id']}: sanitisers drop {tag.name} {tag.attrs}")
    return found


def _assigned(source: str) -> set[str]:
    names = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name))
    return {name.id for name in names if isinstance(name.ctx, ast.Store)}


@every_notebook
def test_stored_state_is_fit_to_commit(path: Path) -> None:
    assert faults(_read(path), path in CHAPTERS, OWN if path.stem in ("audit", "own") else LONGEST) == []


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_is_an_experiment_that_reads_whole(path: Path) -> None:
    assert unreadable(_read(path)) == []


@pytest.mark.parametrize("path", sorted((ROOT / "book").glob("*_proofs.md")), ids=lambda path: path.stem)
def test_proofs_are_plain_markdown(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert [one[0] for one in MYST.finditer(text)] == []
    targets = re.findall(r'^<a id="(proof-[\w-]+)"></a>\n##+ ', text, flags=re.MULTILINE)
    assert targets and len(targets) == text.count("<a id=")
    assert set(re.findall(r"\(#([^)]+)\)", text)) <= {*targets}


@every_notebook
def test_a_notebook_shows_all_in_jupyter_and_on_a_forge(path: Path) -> None:
    assert unshown(_read(path)) == []


@every_notebook
def test_file_is_in_canonical_form(path: Path) -> None:
    text = path.read_bytes().decode("utf-8")
    assert text == json.dumps(json.loads(text), ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _read(path: Path) -> dict[str, Any]:
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return notebook
