"""What a command says on stderr while it works; stdout keeps its contract."""

from __future__ import annotations

import re
import time

from private_bandits import baselines
from private_bandits.problems import Arms
from private_bandits_book import chapter
from private_bandits_book.book import find_book
from private_bandits_book.jobs import progress

BOOK = find_book()


def test_a_long_work_says_where_it_is_now_and_then(capsys, monkeypatch):
    monkeypatch.setattr(progress, "_EVERY", 0.01)
    with progress.progress("one") as places:
        time.sleep(0.1)
        places.append("one, two")
        time.sleep(0.1)
    err = capsys.readouterr().err
    assert (
        "private-bandits: one, 0 s so far\n" in err and err.splitlines()[-1] == "private-bandits: one, two, 0 s so far"
    )
    time.sleep(0.05)
    assert capsys.readouterr().err == ""


def test_a_line_names_the_run_that_is_played_and_only_while_it_is(capsys, monkeypatch):
    monkeypatch.setattr(progress, "_EVERY", 0.02)
    real = chapter.simulate
    monkeypatch.setattr(chapter, "simulate", lambda *told, **how: time.sleep(0.3) or real(*told, **how))
    own = {name: one.default for name, one in BOOK.parameters("cascading").items()}
    page = chapter.Chapter("cascading", own | {"horizon": 2_000, "replications": 3})
    with progress.progress("figure-1"):
        page.play(Arms.bernoulli([0.7, 0.4]), [baselines.ucb()])
        played = capsys.readouterr().err
        time.sleep(0.3)
    assert "private-bandits: figure-1, UCB, 3 runs of 2,000 rounds, " in played
    assert re.fullmatch(r"private-bandits: figure-1, \d s so far", capsys.readouterr().err.splitlines()[-1])
