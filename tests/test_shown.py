"""Texts, exhibits and cells belong together: what a room says is shown on its page, and what is shown is said."""

from __future__ import annotations

import ast
import importlib.util
import json
import math

import pandas as pd
import pytest

from private_bandits_book import exhibits
from private_bandits_book.algorithms import listed
from private_bandits_book.chapters import Chapter
from private_bandits_book.chapters.book import find_book
from private_bandits_book.package_data import tables
from private_bandits_book.studies import family

BOOK = find_book()
ROOMS = [chapter for chapter in BOOK.chapters() if importlib.util.find_spec(f"private_bandits_book.{chapter}")]
CHAPTERS = [room for room in ROOMS if importlib.util.find_spec(f"private_bandits_book.{room}.exhibits")]
SHARED = {"sentences", "names", "looks"}  # sections that makers read, and no exhibit's own
# What a page shows as its maker returns it: numbers for download, a Markdown table, words made of sentences.
BARE = {}


def cells(chapter):
    """What the cells of a chapter's page show, as (whole labels or beginnings, labels)."""
    page = json.loads((BOOK.root / "book" / f"{chapter}.ipynb").read_text(encoding="utf-8"))
    for cell in page["cells"]:
        if cell["cell_type"] == "code":
            for node in ast.walk(ast.parse("".join(cell["source"]))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                    if node.func.attr in ("show", "panels"):
                        yield node.func.attr, tuple(ast.literal_eval(one) for one in node.args)


def declared(chapter):
    """The label of each exhibit at the chapter's parameters, with the entry of its texts."""
    known = {name: parameter.default for name, parameter in BOOK.parameters(chapter).items()}
    study = Chapter(chapter, **known).study
    room = importlib.import_module(f"private_bandits_book.{chapter}.exhibits").exhibits
    return {label: one.label + one.letters for one in room._declared for label, _ in exhibits._panels(one, study)}


def astray(entries, made, shown):
    """What is said and not shown, shown and not said, declared and not shown, or shown twice."""
    counts, found = dict.fromkeys(made, 0), []
    for how, labels in shown:
        mine = [label for label in made if (label in labels if how == "show" else label.startswith(labels))]
        found += [] if mine else [f"{', '.join(labels)}: shows nothing"]
        for label in mine:
            counts[label] += 1
    found += [f"{label}: shown {count} times" for label, count in counts.items() if count != 1]
    found += [f"{entry}: said of nothing" for entry in entries if entry not in made.values()]
    return found + [f"{e}: nothing is said" for e in dict.fromkeys(made.values()) if e not in entries]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_text_is_of_an_exhibit_that_a_cell_shows_and_every_cell_shows_one(chapter):
    entries = [label for label in tables(chapter, "texts") if label not in SHARED]
    assert astray(entries, declared(chapter), list(cells(chapter))) == []


MADE = {"figure-1a": "figure-1ab", "figure-1b": "figure-1ab", "table-1": "table-1"}
CELLS = [("panels", ("figure-1",)), ("show", ("table-1",))]


@pytest.mark.parametrize(
    ("entries", "made", "shown", "found"),
    [
        (["figure-1ab", "table-1"], MADE, CELLS, []),
        (["figure-1ab", "table-1", "table-9"], MADE, CELLS, ["table-9: said of nothing"]),
        (["figure-1ab"], MADE, CELLS, ["table-1: nothing is said"]),
        (["figure-1ab", "table-1"], MADE, CELLS[:1], ["table-1: shown 0 times"]),
        (["figure-1ab", "table-1"], MADE, [*CELLS, CELLS[1]], ["table-1: shown 2 times"]),
        (["figure-1ab", "table-1"], MADE, [*CELLS, ("show", ("figure-1",))], ["figure-1: shows nothing"]),
    ],
)
def test_what_is_astray_is_found(entries, made, shown, found):
    assert astray(entries, made, shown) == found


def policies():
    """What a chapter may have played: the library's policies, with and without privacy."""
    return [policy for epsilon in (1.0, float("inf")) for _, policy in listed(epsilon)]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_drawn_family_is_that_of_the_policy_that_ran(chapter):
    looks = {}
    for policy in policies():
        looks.setdefault((policy.name, math.isfinite(policy.privacy.epsilon)), set()).add(family(policy))
    seen = 0
    for path in sorted(BOOK.data(chapter).glob("figure-*.csv")):
        frame = pd.read_csv(path, keep_default_na=False)
        if {"policy", "family", "epsilon"} <= set(frame):
            for row in frame.drop_duplicates(["policy", "family", "epsilon"]).itertuples():
                played = row.policy, math.isfinite(float(row.epsilon))
                if played in looks:
                    seen += 1
                    assert row.family in looks[played], (path.name, *played, row.family)
                elif row.policy not in COMPUTED:
                    assert row.family in ("none", "uniform"), (path.name, *played, row.family)
    assert seen


# Computed lines of a mechanism, which no policy of their name played.
COMPUTED = ("Algorithms 1, 2", "Algorithm 5", "Algorithm 3, logistic", "Algorithm 3, g(a) = a/10")
