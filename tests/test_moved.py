"""Names and modules of version 0.1 are found where they were, with a warning; what is gone says so."""

from __future__ import annotations

import importlib
import pkgutil
import sys
import textwrap
import tomllib
import warnings
from pathlib import Path

import nbformat
import papermill
import pytest

import private_bandits
from private_bandits import _moved
from private_bandits.papers.cascading import repairs
from private_bandits_book.chapters.saved import Chapter
from private_bandits_book.contextual.study import Study
from private_bandits_book.definitions import lemmas

TABLE = tomllib.loads(Path(_moved.__file__).with_name("moved.toml").read_text(encoding="utf-8"))
NAMES = [(module, name, place) for module in TABLE for name, place in _moved.places(module).items()]
FOUND, GONE = [row for row in NAMES if row[2]], [row[:2] for row in NAMES if not row[2]]
MODULES = {
    "private_bandits",
    *(each.name for each in pkgutil.walk_packages(private_bandits.__path__, "private_bandits.")),
}


def imported(module):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return importlib.import_module(module)


@pytest.mark.parametrize(("module", "name", "place"), FOUND, ids=[".".join(row[:2]) for row in FOUND])
def test_a_moved_name_is_the_one_that_the_warning_names(module, name, place):
    with pytest.warns(DeprecationWarning) as caught:
        found = getattr(imported(module), name)
    (warning,) = caught
    assert str(warning.message) == f"{module}.{name} is {place} now" and warning.filename == __file__
    home, _, there = place.rpartition(".")
    assert (home, there) != (module, name) and found is vars(importlib.import_module(home))[there]


@pytest.mark.parametrize(("module", "name"), GONE, ids=[".".join(row) for row in GONE])
def test_a_name_that_is_gone_says_so_and_that_no_saved_run_needs_it(module, name):
    with pytest.raises(AttributeError, match=rf"^{module}\.{name} is gone; no saved run needs it"):
        getattr(imported(module), name)
    with pytest.raises(ImportError):
        exec(f"from {module} import {name}", {})


@pytest.mark.parametrize("module", TABLE)
def test_other_names_are_unknown(module):
    with pytest.raises(AttributeError, match=f"module '{module}' has no attribute 'nothing'"):
        imported(module).nothing  # noqa: B018
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(f"{module}.nothing")


@pytest.mark.parametrize("module", [module for module in TABLE if module not in MODULES])
def test_a_former_module_says_where_its_names_are(module, monkeypatch):
    made = importlib.util.module_from_spec(_moved.Finder.find_spec(module))
    monkeypatch.setitem(sys.modules, module, made)
    with pytest.warns(DeprecationWarning, match=rf"^{module} is (no module any more: see|gone;)") as caught:
        _moved.Finder.exec_module(made)
    for place in str(caught[0].message).partition(": see ")[2].split(", "):
        assert not place or importlib.import_module(place)


def test_the_other_modules_of_the_table_forward():
    there = [importlib.import_module(module) for module in MODULES if not module.endswith("__main__")]
    assert {each.__name__ for each in there if "__getattr__" in vars(each)} == MODULES & TABLE.keys()


def test_names_of_former_modules_are_imported_by_hand():
    saved: dict[str, object] = {}
    with pytest.warns(DeprecationWarning):
        exec("from private_bandits.papers.cascading.boxes import repaired_local", saved)
        exec("import private_bandits.papers.semibandits.claims.evidence as evidence", saved)
    assert saved["repaired_local"] is repairs.repaired_local
    with pytest.raises(AttributeError, match="is gone"):
        saved["evidence"].Cell  # noqa: B018


def test_a_saved_chapter_begins_as_it_did():
    saved: dict[str, object] = {}
    with pytest.warns(DeprecationWarning):
        exec("from private_bandits.chapters import Chapter", saved)
        exec("from private_bandits.papers.contextual.evidence import Evidence", saved)
        exec("from private_bandits.papers.definitions import bounds, lemma_1, lemmas, theorem_1", saved)
        assert saved["lemmas"].lemma_1 is lemmas.lemma_1
    assert saved["Chapter"] is Chapter and saved["Evidence"] is Study
    assert saved["lemma_1"] is lemmas.lemma_1


def test_a_label_that_a_saved_cell_holds_in_a_variable_is_found():
    cell = """
    for (number, v) in evidence.central:
        if number == 2:
            label = f"figure-dp-setting-{number}-v{float(v)!r}"
            display(show(label, pictures.central(evidence, number, v)))
    """
    assert Chapter._rewritten(None, [textwrap.dedent(cell)]) == ["chapter.again('figure-dp-setting-2-v')"]
    assert Chapter._rewritten(None, ["Markdown(tables.formulas(evidence))"]) == ["chapter.again('formulas')"]
    assert Chapter._rewritten(None, ["show(label, picture)"]) == ["pass"]


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
        ["<claims>"],
    ]
