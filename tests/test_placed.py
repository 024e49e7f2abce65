"""What the build places on a chapter in ordinary Markdown, and where its links lead, in the book and in a rerun."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup

from private_bandits_book.pages import render

BOOK = Path(__file__).parents[1] / "book"
CONF = """extensions = ["myst_nb", "sphinxcontrib.bibtex", "mathml", "lab", "claims", "placed", "exercises", "folds"]
bibtex_bibfiles = ["book/references.bib"]
html_math_renderer, nb_execution_mode, nb_render_markdown_format = "mathml", "off", "myst"
myst_enable_extensions = ["dollarmath"]
nb_mime_priority_overrides = [["html", "text/markdown", 0]]
exclude_patterns = ["book/_*"]
"""
PROSE = """<a id="what-they-ask"></a>
# Cascading bandits

[Wang et al. (2021)](https://arxiv.org/abs/2105.11126) ask. The instance is
[theirs](https://arxiv.org/abs/1502.02763), of [Kveton et al., 2015](https://arxiv.org/abs/1502.02763).
Of episodes, [Wu et al. (2023)](https://arxiv.org/abs/1).

[Theorem 4](#cascading-claim-theorem-4), [Theorem 1](#cascading-claim-theorem-1), [all claims](claims.md),
[one of them](claims.md#cascading-theorem-4), [its box](api.md#the-box), [its proof](cascading_proofs.md#proof-one).

## The problem

Words.
"""
PROOFS = '# Proofs\n\n<a id="proof-one"></a>\n## One bit\n\nWords.\n'
TABLE = "| a |\n| --- |\n" + "".join(f'| <a href="#cascading-claim-theorem-{one}">{one}</a> |\n' for one in (1, 4))
LEDGER = "| Where | Verdict |\n| --- | --- |\n" + "".join(
    f"| {place} | **{came}**, exact |\n" for place, came in (("Theorem 2", "reproduced"), ("Theorem 4", "undecided"))
)
DRAWN = '<svg xmlns="http://www.w3.org/2000/svg" width="9pt" height="9pt"/>'
SOLUTION = "<details><summary>Solution</summary>"
META = {"kernelspec": {"display_name": "x", "name": "python3"}, "language_info": {"name": "python"}}


def _notebook() -> str:
    picture = render.figure("cascading", "figure-1e", svg=DRAWN, caption="Regret.", alt="A line rises.", png=b"PNG")
    line = render.verdict(
        "cascading", "theorem-4", "Theorem 4", "Order $K^2$.", "not reproduced", "exact", "It is $K$.",
        refuted_by="Order $K$ at 8 items.", closest="$K^{1.9}$ at 32, of 40.",
    )  # fmt: skip
    shown: list[dict[str, Any]] = [{"text/markdown": TABLE}, picture._repr_mimebundle_(), line._repr_mimebundle_()]
    outputs = [{"output_type": "display_data", "metadata": {}, "data": one} for one in shown]
    code = {"cell_type": "code", "id": "b", "metadata": {}, "source": "1", "execution_count": 1, "outputs": outputs}
    words = {"cell_type": "markdown", "id": "a", "metadata": {}, "source": PROSE}
    text = f"## Try this\n\n### One\n\nHow many?\n\n{SOLUTION}\n\nTwo $x$.\n\n</details>\n\n### Two\n\nHow many?"
    rest = {"cell_type": "markdown", "id": "c", "metadata": {}, "source": text}
    lines = [
        render.verdict("cascading", name, place, "Words.", came, "exact", "Words.")
        for name, place, came in (
            ("theorem-2", "Theorem 2", "reproduced"),
            ("theorem-6", "Theorem 6", "not reproduced"),
        )
    ]
    parts = [*(one._repr_mimebundle_() for one in lines), {"text/markdown": LEDGER}]
    judged = code | {"id": "e", "outputs": [outputs[0] | {"data": one} for one in parts]}
    solved = code | {"id": "d", "metadata": {"tags": ["solution"]}, "outputs": [], "source": "1 + 1"}
    return json.dumps(
        {"cells": [words, code, judged, rest, solved], "metadata": META, "nbformat": 4, "nbformat_minor": 5}
    )


def _built(folder: Path, chapter: str, pages: dict[str, str], *words: str) -> tuple[BeautifulSoup, str]:
    """Build a site, and return the chapter's page and what was said."""
    source, output = folder / "source", folder / "html"
    shutil.copytree(BOOK / "_lab", source / "book" / "_lab")
    shutil.copy(BOOK / "references.bib", source / "book")
    (source / "conf.py").write_text(CONF, encoding="utf-8")
    home = (source / chapter).parent
    for kind in ("figures", "data"):
        (home / kind / "cascading").mkdir(parents=True)
    (home / "figures" / "cascading" / "figure-1e.svg").write_text(DRAWN, encoding="utf-8")
    (home / "data" / "cascading" / "figure-1e.csv").touch()
    for name, text in {chapter: _notebook(), **pages}.items():
        (source / name).write_text(text, encoding="utf-8")
    root = chapter.removesuffix(".ipynb")
    command = [sys.executable, "-m", "sphinx", "-q", "-D", f"root_doc={root}", *words, str(source), str(output)]
    environment = os.environ | {"PYTHONPATH": str(BOOK / "_ext"), "LC_ALL": "C.UTF-8"}  # one that there is
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    assert done.returncode == 0, done.stderr
    return BeautifulSoup((output / f"{root}.html").read_text(encoding="utf-8"), "html.parser"), done.stderr


def _row(name: str) -> str:
    keys = ("locus", "paper", "statement", "number", "evidence", "command", "reason")
    entry = dict.fromkeys(keys, "x") | {"chapter": "cascading", "claim": name, "verdict": "undecided"}
    return json.dumps(entry)


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> BeautifulSoup:
    """The chapter in a book, without whose pages its links would lead nowhere, which ends the build."""
    folder = tmp_path_factory.mktemp("book")
    rows = "\n".join(map(_row, ("theorem-1", "theorem-4")))
    claims = f"# Claims\n\n```{{claims}}\n:home:\n\n{rows}\n```\n\n```{{toctree}}\napi\ncascading_proofs\n```\n"
    box = "# Library\n\n```{eval-rst}\n.. container::\n   :name: the-box\n\n   Words.\n```\n"
    pages = {
        "book/claims.md": "---\norphan: true\n---\n" + claims,
        "book/api.md": box,
        "book/cascading_proofs.md": PROOFS,
    }
    chapter, said = _built(folder, "book/cascading.ipynb", pages, "-W", "-n")
    assert said == ""
    return chapter


@pytest.fixture(scope="module")
def rerun(tmp_path_factory: pytest.TempPathFactory) -> BeautifulSoup:
    return _built(tmp_path_factory.mktemp("rerun"), "cascading.ipynb", {})[0]


def _links(page: BeautifulSoup) -> dict[str, list[str]]:
    article = page.select_one("[role=main]")
    assert article is not None
    return {one.get_text(): [str(one.get("href", ""))] for one in article.select("a:not(.headerlink)")}


@pytest.mark.parametrize("which", ["book", "rerun"])
def test_laboratory_and_bibliography_are_placed(which: str, request: pytest.FixtureRequest) -> None:
    page = request.getfixturevalue(which)
    heads = [head.get_text().strip("¶") for head in page.select("[role=main] :is(h1, h2)")]
    assert heads == ["Cascading bandits", "Run it here", "The problem", "Try this", "References"]
    panel = page.select_one("section#run-it-here [data-lab=cascading]")
    assert panel is not None and panel.select("noscript img")
    listed = sorted(one.get_text().split(",")[0].split()[-1] for one in page.select(".citation"))
    assert listed == ["Kveton", "Wang", "Wu", "Wu"]  # both that Wu et al. (2023) may be


@pytest.mark.parametrize("which", ["book", "rerun"])
def test_exercises_are_marked_and_their_solutions_folded(which: str, request: pytest.FixtureRequest) -> None:
    one, two = request.getfixturevalue(which).select("#try-this > section.exercise")
    (words,), (cell,) = one.select("details.solution"), two.select("div.cell.tag_solution > details.hide")
    assert " ".join(words.get_text().split()) == "Solution Two x." and words.select("math")
    assert "Solution in code" in cell.get_text() and "1 + 1" in cell.get_text() and not cell.has_attr("open")


@pytest.mark.parametrize("which", ["book", "rerun"])
def test_several_verdicts_of_a_cell_fold_into_one_line_that_says_what_fails(
    which: str, request: pytest.FixtureRequest
) -> None:
    lines, ledger = request.getfixturevalue(which).select("details.claim-group")
    told = [[one.get_text() for one in fold.select("summary:first-child > .claim-verdict")] for fold in (lines, ledger)]
    assert told[0][:2] == ["✗ 1 not reproduced", "✓ 1 reproduced"] and not lines.has_attr("open")
    assert [one["id"] for one in lines.select("details.verdict")] == [f"cascading-claim-theorem-{n}" for n in (2, 6)]
    assert told[1] == ["? 1 undecided", "✓ 1 reproduced"] and len(ledger.select("tbody tr")) == 2


def test_what_a_rerun_lacks_is_not_linked(rerun: BeautifulSoup) -> None:
    links = _links(rerun)
    assert links["Theorem 4"] == links["4"] == ["#cascading-claim-theorem-4"]
    assert links["1"] == [""]
    assert (
        not {"Theorem 1", "all claims", "one of them", "its box", "its proof", "In the list of all claims"}
        & links.keys()
    )
    assert "all claims" in rerun.get_text() and "In the list of all claims" not in rerun.get_text()
