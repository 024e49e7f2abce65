"""What stands at the lines of chapters' figures is computed: from runs whose answer is known by hand."""

from __future__ import annotations

import math
from importlib import import_module

import pandas as pd
import pytest

from private_bandits_book.chapters.definitions import studies
from private_bandits_book.figures import Note
from private_bandits_book.plots import join


def pictures(chapter):
    return import_module(f"private_bandits_book.chapters.{chapter}.pictures")


def rows(policy, trust, regrets, x="epsilon", **labels):
    """A run of a policy, with its regret by epsilon or by t."""
    known = {"policy": policy, "trust": trust, "t": 100, "epsilon": math.inf, "mechanism": "laplace", "family": ""}
    known |= {"algorithm": "", "variant": "", "problem": "ours", "regret_se": 0.0, "replications": 2} | labels
    return pd.DataFrame([known | {x: at, "regret": regret} for at, regret in regrets.items()])


@pytest.mark.parametrize(
    ("apart", "words", "at"),
    [
        ([], "level with others", 0.3),
        ([3.0], "to ε = 1 level with others", 0.3),
        ([1.0], "to ε = 0.3 level with others", 0.3),
        ([0.1], None, 0),
    ],
)
def test_replay_is_level_with_another_up_to_where_runs_tell_them_apart(apart, words, at):
    epsilons = [0.1, 0.3, 1.0, 3.0]
    runs = [rows("theirs", "central", dict.fromkeys(epsilons, regret)) for regret in (10.0, 12.0)]
    mine = {epsilon: 99.0 if epsilon in apart else 10.5 for epsilon in epsilons}
    runs += [rows("ours", "central", mine), rows("ours", "central", {each: one + 1 for each, one in mine.items()})]
    found = pictures("replay").level(join(*runs), "ours", "theirs", "others")
    expected = [] if words is None else [Note(words, 1.0 if not apart else at, "ours")]
    assert found == expected


@pytest.mark.parametrize(
    ("bit", "words"),
    [([9, 7, 4], ": below plain only at ε = 2"), ([9, 4, 4], ": below plain from ε = 1"), ([4, 4, 5], "")],
)
def test_one_bit_is_below_a_policy_without_privacy_from_some_epsilon_on(bit, words):
    plain = rows("plain", "none", {math.inf: 5.0})
    private = rows("Response, first item", "local", dict(zip([0.5, 1.0, 2.0], map(float, bit), strict=True)))
    spoken = pictures("cascading").below(join(plain, private), "plain")
    assert spoken == {"plain, no privacy": "plain, no privacy", "one bit, local": f"one bit, local{words}"}


@pytest.mark.parametrize(("share", "words", "late"), [(0.4, "learns after 10³", 1000), (0.6, "has hardly learnt", 100)])
def test_the_papers_algorithms_learn_after_rounds_and_are_behind_the_repair(share, words, late):
    uniform = {10**k: 10.0**k for k in range(1, 5)}
    curve = uniform | {10**4: share * 10**4}  # a half is learnt
    runs = [
        rows("uniform", "none", uniform, "t", mechanism="uniform"),
        rows("UCB", "local", curve, "t", epsilon=1.0, variant="stated"),
        rows("Response, first item", "local", {t: regret / 100 for t, regret in curve.items()}, "t", epsilon=1.0),
    ]
    found, panel = pictures("cascading").learning(join(*runs)), "local, ε = 1"
    assert found["said"] == [Note(words, late, "UCB", panel)]
    assert found["spoken"][panel, "UCB"] == "UCB: 100 times one bit"


@pytest.mark.parametrize(
    ("local", "words", "times"),
    [
        ([400, 100], "LDP-UCB-B rises as ϵ falls, the bound hardly rises", "2 to 7 times"),
        ([101, 100], "LDP-UCB-B hardly rises, like the bound", "2 times"),
    ],
)
def test_how_regret_moves_with_epsilon_is_read_next_to_its_bound(local, words, times):
    runs = [rows("UCB", "none", {math.inf: 50.0}, family="none", mechanism="none")]
    for trust, name, regrets in (("local", "LDP-UCB-B", local), ("central", "DP-KLUCB", [900, 100])):
        bound = {0.1: 60.0, 10.0: 50.0} if trust == "local" else {0.1: 45.0, 10.0: 10.0}
        runs += [rows(name, trust, dict(zip([0.1, 10.0], map(float, regrets), strict=True)))]
        runs += [rows(f"lower bound, {trust}", trust, bound, family="none", mechanism="uniform")]
    alt = pictures("definitions").above_bounds(join(*runs)).alt
    assert f"local privacy: {words}" in alt
    assert "central privacy: DP-KLUCB rises as ϵ falls, like the bound" in alt
    assert "DP-KLUCB: 10 to 20 times the bound" in alt and f"LDP-UCB-B: {times} the bound" in alt


@pytest.mark.parametrize(("least", "words"), [(0.05, "Theorem 1 holds, vacuous:"), (0.02, "Theorem 1 holds:")])
def test_a_bound_below_that_without_privacy_is_vacuous(least, words):
    """61 holds without privacy; the theorem has 38 at 0.05, and 99 at 0.02."""
    bounds = studies.readings([least, 1.0, 2.0], 3, 10**5)
    assert words in pictures("definitions").readings(bounds, 10**5).alt


@pytest.mark.parametrize(("central", "words"), [(50.0, "CUCB-DP"), (100.0, "CUCB-DP: central, and yet the most")])
def test_one_number_has_a_part_of_the_regret_of_all(central, words):
    ends = {"CUCB": 5.0, "CUCB-LDP1": 80.0, "CUCB-LDP2": 20.0, "CUCB-DP": central}
    runs = join(*(rows(name, "local", {50: 1.0, 100: end}, "t", epsilon=1.0) for name, end in ends.items()))
    written = pictures("semibandits").first(runs, 3).alt.partition("Written in it: ")[2].rstrip(".").split("; ")
    assert {words, "CUCB-LDP1, 3 numbers", "CUCB-LDP2, one number: 25\u202f% of LDP1"} <= {*written}


def test_a_price_is_that_at_the_largest_epsilon():
    runs = [
        rows("SE", "central", {0.5: 40.0, 1.0: 3.0}, c=24.0),
        rows("UCB", "central", {0.5: 80.0, 1.0: 7.0}, c=""),
        rows("uniform play", "none", {math.inf: 900.0}, c="", mechanism="uniform"),
    ]
    picture = pictures("heavy_tailed").price(join(*runs))
    names = {text.get_text().replace("\n", " ") for text in picture.fig.axes[0].texts}
    assert {"SE, central: 3 times", "UCB, central: 7 times", "uniform play"} <= names
