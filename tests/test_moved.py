"""Names that left the library are found where they were, with a warning."""

from __future__ import annotations

import importlib

import nbformat
import papermill
import pytest

from private_bandits._moved import MOVED
from private_bandits_book.chapters.saved import Chapter
from private_bandits_book.definitions import lemmas

NAMES = [(package, name) for package, names in MOVED.items() for name in names.split()]


@pytest.mark.parametrize(("package", "name"), NAMES, ids=".".join)
def test_a_moved_name_is_found_and_says_where_it_is(package, name):
    with pytest.warns(DeprecationWarning, match=rf"{package}\.{name} is private_bandits_book\.") as caught:
        found = getattr(importlib.import_module(package), name)
    assert found is not None
    assert caught[0].filename == __file__


def test_a_saved_chapter_begins_as_it_did():
    saved: dict[str, object] = {}
    with pytest.warns(DeprecationWarning):
        exec("from private_bandits.chapters import Chapter", saved)
        exec("from private_bandits.papers.definitions import bounds, lemma_1, lemmas, theorem_1", saved)
    assert saved["Chapter"] is Chapter
    assert saved["lemma_1"] is lemmas.lemma_1 and saved["lemmas"] is lemmas


@pytest.mark.parametrize("package", MOVED)
def test_other_names_are_unknown(package):
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'nothing'"):
        importlib.import_module(package).nothing  # noqa: B018


SAVED = """
horizon: int = 50  # rounds
---
from IPython.display import Markdown
from private_bandits.chapters import Chapter
from private_bandits.papers.cascading import claims, experiments, pictures, tables

chapter = Chapter(
    "cascading", horizon=60, replications=2, seed=1, epsilons=[0.2, 1.0], central_epsilons=[0.5], cucb_epsilons=[2.0],
    items_epsilon=1.0, sizes_epsilon=0.2, sweep_step=0.5, sweep_stop=1.0, n_items=8, list_size=2, item_counts=[4, 8],
    list_sizes=[2], p=0.2, gap=0.15, delta=1e-3, n_jobs=1, output_dir="",
)
---
setting = experiments.Experiments(chapter.horizon, chapter.replications)
evidence = claims.Evidence(local={e: setting.local(e) for e in chapter.epsilons})
ledger = claims.judge(evidence)


def show(label, picture):
    return chapter.figure(picture.fig, label, caption=picture.caption, alt=picture.alt, data=picture.data)
---
chapter.table(tables.anchor(evidence.anchor), "table-anchor", caption="CascadeUCB1.")
---
if len(chapter.epsilons) > 1:
    epsilon = chapter.epsilons[1]
    display(show("figure-1b", pictures.local(evidence.local[epsilon], epsilon, chapter.list_size, setting, "1(b)")))
---
if len(chapter.epsilons) > 2:
    display(show("figure-1c", pictures.local(evidence.local[epsilon], epsilon, chapter.list_size, setting, "1(c)")))
---
for size in chapter.list_sizes:
    display(show(f"figure-2{size}", pictures.local(evidence)))
---
chapter.ledger(ledger)
"""


def test_the_notebook_of_a_saved_run_still_executes(tmp_path):
    cells = [nbformat.v4.new_code_cell(source.strip()) for source in SAVED.split("---")]
    cells[0].metadata["tags"] = ["parameters"]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "saved.ipynb")
    done = papermill.execute_notebook(
        nbformat.read(tmp_path / "saved.ipynb", as_version=4), None, kernel_name="python3", progress_bar=False
    )
    shown = [[output.data["text/plain"] for output in c.outputs if "data" in output] for c in done.cells]
    assert shown[3:] == [
        ["<table table-anchor>"],
        ["<figure figure-1b>"],
        [],
        ["<figure figure-2a>"],
        ["<table claims>"],
    ]
