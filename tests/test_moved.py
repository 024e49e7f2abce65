"""Names that left the library are found where they were, with a warning."""

from __future__ import annotations

import importlib

import pytest

from private_bandits._moved import MOVED
from private_bandits_book.chapters import Chapter
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
