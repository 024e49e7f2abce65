"""The minimal chapter of CONTRIBUTING is one, as it is printed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace

import pandas as pd

from private_bandits_book import chapter as room
from private_bandits_book.book import Book
from private_bandits_book.chapter import Chapter
from private_bandits_book.judging.claims import read_claims

TEXT = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("### A minimal chapter")[2]


def test_the_printed_chapter_has_its_parameters_plays_and_is_judged(tmp_path, monkeypatch):
    (toml,) = re.findall("```toml\n(.*?)```", TEXT, re.DOTALL)
    parameters, story = re.findall("```python\n(.*?)```", TEXT, re.DOTALL)
    cells = [
        {"cell_type": "code", "metadata": {"tags": ["parameters"]}, "source": parameters},
        {"cell_type": "code", "metadata": {}, "source": story},
    ]
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "mine.ipynb").write_text(json.dumps({"cells": cells}), encoding="utf-8")
    (tmp_path / "_toc.yml").write_text("root: book/mine\n", encoding="utf-8")
    book = Book(tmp_path)
    assert [*book.parameters("mine")] == ["horizon", "replications", "seed", "epsilons", "n_jobs", "output_dir"]
    assert '"language": "python"' in TEXT and "`chapter.ledger()`" in TEXT
    monkeypatch.setattr(room, "find_book", lambda: book)
    monkeypatch.setattr(room, "claims_of", lambda name: read_claims(toml))
    monkeypatch.setattr(room, "display", lambda *_: None)
    monkeypatch.setattr(room, "headlines", lambda *_: None)
    monkeypatch.setattr(Chapter, "_rules", lambda self: SimpleNamespace())
    monkeypatch.setenv(room.STRICT_VARIABLE, "1")
    names: dict = {}
    exec(parameters.replace('output_dir: str = ""', f"output_dir: str = {str(tmp_path / 'out')!r}"), names)
    exec(story + "chapter.ledger()\n", names)
    (row,) = pd.read_csv(tmp_path / "out" / "data" / "claims.csv").to_dict("records")
    assert (row["claim"], row["verdict"]) == ("own-less", "reproduced")
    assert max(map(len, story.splitlines())) <= 75
