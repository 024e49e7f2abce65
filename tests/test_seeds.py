"""Verdicts on other seeds: what is judged again, what then is undecided, and where that is said."""

from __future__ import annotations

from types import SimpleNamespace

import pandas as pd
import pytest

from private_bandits.estimates import Interval
from private_bandits_book.book import Book, find_book
from private_bandits_book.chapter import Chapter
from private_bandits_book.cli import main
from private_bandits_book.jobs import reproduce as reproducing
from private_bandits_book.jobs import seeds
from private_bandits_book.judging.claims import Claim
from private_bandits_book.judging.ledger import ledger
from private_bandits_book.judging.rulings import Holds, Less
from private_bandits_book.judging.verdicts import NOT_REPRODUCED, REPRODUCED, UNDECIDED, described

CLAIMS = [
    Claim("theorem-1", "theorem", "Theorem 1", "It is less."),
    Claim("lemma-1", "lemma", "Lemma 1", "It holds."),
    Claim("contribution", "contribution", "Abstract", "Both.", rests_on=("theorem-1", "lemma-1")),
]


def judged(difference, disagree=None):
    rulings = {"theorem-1": Less("this", "that")(difference), "lemma-1": Holds()(True, "all 4 cases", 4)}
    return ledger({claim.claim: claim for claim in CLAIMS}, rulings, "x", disagree)


def played(monkeypatch, differences):
    """The verdicts of a chapter on five other seeds, from what each seed measures; seeds start at 7."""

    def at(book, chapter, parameters):
        middle = differences[parameters["seed"] - 7]
        return judged(Interval(middle, middle - 1.0, middle + 1.0))

    monkeypatch.setattr(seeds, "ledger_at", at)
    parameters = {"seed": SimpleNamespace(default=7), "horizon": SimpleNamespace(default=10)}
    monkeypatch.setattr(Book, "parameters", lambda self, chapter: parameters)
    return seeds.played(find_book(), "tiny", 5)


@pytest.mark.parametrize(
    ("others", "disagree", "verdict"),
    [
        ([-3.0, -2.0, -5.0, -4.0, -9.0], 0, REPRODUCED),
        ([-3.0, -0.5, -5.0, -4.0, -9.0], 1, REPRODUCED),
        ([-3.0, -0.5, -5.0, 3.0, -9.0], 2, UNDECIDED),
        ([3.0, 3.0, 3.0, 3.0, 3.0], 5, UNDECIDED),
    ],
)
def test_a_row_on_which_two_other_seeds_disagree_is_undecided_and_so_is_what_rests_on_it(
    monkeypatch, others, disagree, verdict
):
    frame = played(monkeypatch, [-4.0, *others])
    assert list(frame.columns) == ["claim", "reseeded", "seed", "verdict"]
    assert frame.groupby("claim")["seed"].apply(list).tolist() == [list(range(7, 13))] * 3
    again = frame.groupby("claim")["reseeded"].first()
    assert not again["lemma-1"] and again["theorem-1"] and bool(again["contribution"]) == (disagree > 0)
    found = seeds.disagreeing(frame)
    assert found["theorem-1"] == (disagree, 5) and "lemma-1" not in found
    rows = judged(Interval(-4.0, -5.0, -3.0), found).set_index("claim")
    assert rows["verdict"].to_dict() == {"theorem-1": verdict, "lemma-1": REPRODUCED, "contribution": verdict}
    assert (f"{disagree} of 5 other seeds" in rows.loc["theorem-1", "reason"]) == (verdict == UNDECIDED)


def test_a_failure_is_no_more_certain_than_a_success(monkeypatch):
    frame = played(monkeypatch, [3.0, 3.0, -3.0, -3.0, 3.0, 3.0])
    alone, checked = (judged(Interval(3.0, 2.0, 4.0), found) for found in (None, seeds.disagreeing(frame)))
    assert [table.loc[0, "verdict"] for table in (alone, checked)] == [NOT_REPRODUCED, UNDECIDED]


def test_other_seeds_count_at_the_books_own_parameters_only(tiny):
    folder = tiny.data("tiny")
    folder.mkdir(parents=True, exist_ok=True)
    frame = pd.DataFrame([("theorem-1", True, 1, "undecided")], columns=["claim", "reseeded", "seed", "verdict"])
    frame.to_csv(folder / "seeds.csv", index=False)
    own = {name: parameter.default for name, parameter in tiny.parameters("tiny").items()}
    assert Chapter("tiny", own, tiny)._disagreeing() == {"theorem-1": (0, 0)}
    assert Chapter("tiny", own | {"n_jobs": 2}, tiny)._disagreeing() != {}
    assert Chapter("tiny", own | {"seed": own["seed"] + 1}, tiny)._disagreeing() == {}
    assert Chapter("tiny", own | {"horizon": own["horizon"] + 1}, tiny)._disagreeing() == {}


def test_reproduce_writes_and_checks_the_verdicts_on_other_seeds(published, monkeypatch, capsys):
    path = published.data("tiny") / "seeds.csv"
    frame = pd.DataFrame([("theorem-1", True, 1, "undecided")], columns=["claim", "reseeded", "seed", "verdict"])
    asked = []
    monkeypatch.setattr(reproducing, "described", lambda chapter: ("", {"theorem-1": {}}))
    monkeypatch.setattr(reproducing, "_made", lambda book, chapter: {})
    monkeypatch.setattr(seeds, "played", lambda book, chapter, number: asked.append((chapter, number)) or frame)
    assert main(["reproduce", "--seeds", "5", "--check"], book=published) == 1 and not path.exists()
    assert main(["reproduce", "--seeds", "5"], book=published) == 0
    assert path.read_text() == "claim,reseeded,seed,verdict\ntheorem-1,True,1,undecided\n"
    assert main(["reproduce", "--seeds", "5", "--check"], book=published) == 0
    assert main(["reproduce", "--check"], book=published) == 0
    assert asked == [("tiny", 5)] * 3
    assert capsys.readouterr().out.splitlines()[-1] == "no number moved"
    assert main(["reproduce", "--seeds", "-1"], book=published) == 2
    assert capsys.readouterr().err == "private-bandits: --seeds must be >= 0, got -1\n"


@pytest.mark.parametrize("chapter", [name for name in find_book().chapters() if described(name)[1]])
def test_every_committed_claim_was_judged_on_five_other_seeds(chapter):
    stale, folder = f"run private-bandits reproduce --seeds 5 {chapter}", find_book().data(chapter)
    assert (folder / "seeds.csv").is_file(), stale
    claims, rows = (pd.read_csv(folder / f"{name}.csv") for name in ("claims", "seeds"))
    assert list(rows["claim"]) == list(claims["claim"].repeat(6)), stale
    own = rows.groupby("claim", sort=False).first()
    assert all(claims["verdict"].isin([UNDECIDED]) | (claims["verdict"] == own["verdict"].to_numpy()))
