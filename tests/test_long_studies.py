"""The longer studies: their committed rows, runs played again, and what is read from rows of known truth."""

from __future__ import annotations

import math
from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import rare
from replay import committed, complete, folder, replayed

from private_bandits.papers import heavy_tailed, semibandits
from private_bandits.papers.cascading import bounds
from private_bandits_book.book import find_book
from private_bandits_book.chapter import Chapter
from private_bandits_book.chapters.cascading import studies as cascading
from private_bandits_book.chapters.contextual import studies as contextual
from private_bandits_book.chapters.convex import studies as convex
from private_bandits_book.chapters.definitions import studies as definitions
from private_bandits_book.chapters.heavy_tailed import far_horizons
from private_bandits_book.chapters.heavy_tailed import studies as tails
from private_bandits_book.chapters.semibandits import studies as sets
from private_bandits_book.judging.rates import HORIZON, RateFit
from private_bandits_book.runs import csv_text, facts

# Chapter, study, what tells its algorithms apart, and the rounds that are played again; all of them if none.
STUDIES = [
    ("cascading", "learning", ["policy"], 30_000),
    ("cascading", "growth", ["policy"], 30_000),
    ("cascading", "order", ["policy"], None),
    ("cascading", "bit", ["epsilon"], None),
    ("cascading", "kappa", ["policy"], 100_000),
    ("contextual", "worst", ["design", "sets", "dim"], None),
    ("convex", "powers", ["learner"], 10_000),
    ("convex", "steps", ["learner"], 10_000),
    ("definitions", "upper-lower", ["policy"], 30_000),
    ("definitions", "price", ["policy"], 30_000),
    ("semibandits", "powers", ["policy", "variant"], 30_000),
    ("semibandits", "blocks", ["policy", "variant"], 30_000),
]
CHAPTERS = "cascading comparison contextual convex definitions heavy_tailed replay semibandits".split()
ELSEWHERE = "comparison"  # whose runs, which take long to list, are listed once, in test_comparison


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_studies_are_those_that_are_committed(chapter):
    declared = import_module(f"private_bandits_book.chapters.{chapter}").long_studies()
    assert {f"long-{label}" for label in declared} == {path.stem for path in folder(chapter).glob("long-*.csv")}
    known = {} if chapter == ELSEWHERE else import_module(f"private_bandits_book.chapters.{chapter}.studies").STUDIES
    for label, study in known.items():
        complete(chapter, label, study.columns, study.runs())


def numbered(chapter, label):
    """The runs of a study by their numbers."""
    return dict(enumerate(import_module(f"private_bandits_book.chapters.{chapter}.studies").STUDIES[label].runs()))


@pytest.mark.parametrize(("chapter", "label", "by", "rounds"), STUDIES)
def test_a_run_of_each_algorithm_is_played_again(chapter, label, by, rounds):
    made, chosen = numbered(chapter, label), {}
    for number, run in made.items():
        known = run.known()
        chosen.setdefault(tuple(known[name] for name in by), number)
    replayed(committed(chapter, label), {number: made[number] for number in chosen.values()}, rounds)


@pytest.mark.check
@pytest.mark.parametrize(("chapter", "label", "by", "rounds"), STUDIES)
def test_every_run_is_played_again(chapter, label, by, rounds):
    made = numbered(chapter, label)
    some = {number: run for number, run in made.items() if rounds is not None or number % 97 == 0}
    replayed(committed(chapter, label), some, rounds)


def test_heavy_tailed_runs_are_played_again_with_their_ends():
    """Of every panel an elimination, and one of each law by the index algorithm, at each horizon"""
    frame, chosen = committed("heavy_tailed", "order"), {}
    for number, run in numbered("heavy_tailed", "order").items():
        if run.policy.algorithm == "Algorithm 3" or run.labels["setting"] == 1:
            chosen[run.policy.algorithm, run.labels["spare"], run.labels["horizon"]] = number, run
    for number, run in chosen.values():
        again = tails.play(run._replace(replications=2), n_jobs=1)
        stored = frame[frame["run"] == number].iloc[1]
        assert csv_text(again[["regret"]]).split()[2] == stored["regret"], number
        assert np.isclose(again["low"].iloc[1], stored["low"]) and np.isclose(again["high"].iloc[1], stored["high"])


def changed(chapter, **change):
    """The parameters of a chapter's notebook, with a change."""
    known = find_book().parameters(chapter)
    return {name: one.default for name, one in known.items()} | change


@pytest.mark.parametrize(
    ("chapter", "change", "message"),
    [
        ("cascading", {"list_size": 20}, "list_size must be below n_arms, got list_size=20 and n_arms=20"),
        ("cascading", {"arm_counts": [4]}, "arm_counts must be above list_size"),
        ("contextual", {"dim": 1}, "dim"),
        ("convex", {"epsilons": [1.0] * 5}, "at most 4"),
        ("definitions", {"n_arms": 101}, "n_arms must be"),
        ("definitions", {"exact_epsilon": 21.0}, "exact_epsilon must be"),
        ("heavy_tailed", {"vs": [1.5]}, "vs must be"),
        ("heavy_tailed", {"beta": 1.0}, "beta must be"),
        ("semibandits", {"list_size": 12}, "list_size must be .*<= 11"),
    ],
)
def test_parameters_must_fit_each_other(chapter, change, message):
    check_parameters = import_module(f"private_bandits_book.chapters.{chapter}").check_parameters
    check_parameters(**changed(chapter))
    with pytest.raises(ValueError, match=message):
        check_parameters(**changed(chapter, **change))


# --- cascading


def test_the_fit_of_kappa_finds_the_power_that_is_there():
    """Rows made by hand: the last two decades add what is proved, times a exponent of K."""
    frame, runs = [], np.arange(4)
    for p in (0.1, 0.5):
        for size in (2, 4, 8):
            game = {"n_arms": size + 8, "list_size": size, "p": p, "gap": 0.95 * p, "horizon": 100, "epsilon": 1.0}
            late = bounds.theorem_12(**game, variant="corrected") * size**0.3 * (1 + 0.1 * runs)
            labels = {"trust": "central", "p": p, "n_arms": size + 8, "list_size": size, "replication": runs}
            for t, regret in ((10**5, 7.0 + 0 * late), (10**6, 8.0), (10**7, 7.0 + late)):
                frame.append(pd.DataFrame(labels | {"t": t, "regret": regret}))
    found, of_kappa = cascading.kappa_fit(pd.concat(frame), "central")
    assert found[:3] == pytest.approx((0.3, 0.3, 0.3))
    exponents = [
        np.polyfit(np.log([2, 4, 8]), np.log([(1 - (1 - p) ** k) / p for k in (2, 4, 8)]), 1)[0] for p in (0.1, 0.5)
    ]
    assert of_kappa == pytest.approx(np.mean(exponents))


# --- heavy tails


def test_a_run_lies_between_its_ends_and_the_chapter_gets_the_middle():
    problem, horizon = heavy_tailed.setting(1, 0.9), 10**9
    policy = heavy_tailed.dp_robust_ucb(1.0, v=0.9, u=problem.moment(0.9), horizon=horizon)
    found = far_horizons.ends(problem, policy, np.array([10**8, horizon]), 3, 5, 1)
    assert len(found) == 6 and (found["low"] < found["high"]).all()
    assert found["regret"].to_numpy() == pytest.approx((found["low"] + found["high"]) / 2)
    known = {"horizon": horizon, "replications": 3, "seed": 5, "n_jobs": 1}
    runs = far_horizons.play(SimpleNamespace(parameters=known), problem, [policy], [10**8, horizon], v=0.9)
    assert runs["regret"].tolist() == found["regret"].tolist()


def test_rare_rewards_are_lost_by_a_short_first_epoch_and_found_by_a_long_one():
    assert all(rare.loses_the_best(8.0, rare.RARE, 1e-15, 3, run) for run in range(5))
    for rate, lost in ((rare.RARE, False), (rare.RARE / 2, True)):
        assert rare.loses_the_best(rare.LONG, rate, 1e-15, 3, 0) == lost


# --- convex losses


def test_a_claimed_power_with_its_logarithm_is_larger_in_the_same_fit():
    fit = RateFit.over(HORIZON, ((t, np.array([t**0.6, 1.1 * t**0.6])) for t in (1e4, 1e5, 1e6, 1e7)))
    found, claimed, wrong = convex.claimed(fit, 0.5, 0.5, 2 / 3)
    assert found.measured == pytest.approx(0.6) and wrong == pytest.approx(2 / 3)
    assert claimed == pytest.approx(0.5 + 0.5 / math.log(10**5.5), abs=1e-3)


# --- semi-bandits


def test_what_is_removed_is_measured_beside_what_the_radii_give():
    rows = Chapter("semibandits", changed("semibandits")).long("powers")
    found = sets.removals(sets.exponents(rows))
    assert len(found) == 10 and (np.abs(found["expected"] - [one.measured for one in found["removed"]]) < 0.2).all()
    one, all_arms = (found[found["instances"] == name].iloc[0] for name in ("one matters", "top-K"))
    assert one["removed"].measured > 1.6 and 0.8 < all_arms["removed"].measured < 1.0


def test_every_cell_of_table_1_is_measured_and_none_is_exceeded():
    """By a wrong cell, an algorithm would exceed it by one: the next exponent of the same quantity."""
    found = sets.table_1(sets.exponents(Chapter("semibandits", changed("semibandits")).long("powers")))
    cells = {(one.instances, one.algorithm) for one in found.itertuples()}
    assert cells == {cell[:2] for cell in sets.CELLS} and len(found) == 42
    assert found["above"].max() < 0.25 and found.groupby(["instances", "algorithm"])["above"].max().min() > -0.1


def test_reports_until_a_radius_is_small_by_hand():
    policy = semibandits.cucb_ldp2(1.0, variant="printed", horizon=1000)
    assert sets.reports(policy, 0.5, 1000) == pytest.approx(32 * math.log(1000) / 0.25)
    repaired, n = semibandits.cucb_ldp2(1.0, variant="repaired", horizon=1000), 500.0
    radius = math.sqrt(13.5 * math.log(1000) / n) + 3 * math.log(1000) / n
    assert sets.reports(repaired, radius, 1000) == pytest.approx(n)


def added(power, algorithm):
    """Rows of an algorithm with and without privacy, which adds a exponent of K per bad arm."""
    rows = []
    for size in (1, 4, 16):
        for epsilon, more in ((0.5, 3.0 * size**power), (math.inf, 0.0)):
            labels = dict.fromkeys(sets.SUBJECT, "") | {"algorithm": algorithm, "epsilon": epsilon, "list_size": size}
            labels |= {"n_arms": 5 * size, "horizon": 100, "t": 100}
            rows += [labels | {"replication": r, "regret": 4 * size * (7.0 + 0.1 * r + more)} for r in range(3)]
    return sets.added(pd.DataFrame(rows))


def test_the_power_that_privacy_adds_is_found():
    private = added(0.5, "super-arm blocks")
    assert private["regret"].tolist() == pytest.approx([3.0] * 3 + [6.0] * 3 + [12.0] * 3)
    (one,) = sets.growth(private).itertuples()
    assert one.exponent[:3] == pytest.approx((0.5, 0.5, 0.5)) and one.horizon == 100
    level = math.log(100) + math.log(7)  # 2^6 < 100: seven numbers of blocks
    levels = [level + 2 * math.sqrt(k * level) for k in (1, 4, 16)]
    assert one.expected == pytest.approx(np.polyfit(np.log([1, 4, 16]), np.log(levels), 1)[0])
    assert math.isnan(sets.growth(added(0.5, "Algorithm 3"))["expected"].item())
    line = sets.theorem_9_growth(private)
    assert line.groupby("list_size")["regret"].mean().to_dict() == pytest.approx(
        {k: 3.0 * k for k in sets.BLOCKS_SIZES}
    )


# --- definitions


def runs(*rows, gap=0.5, t=100, uniform=0.3):
    """Rows of runs: (name, epsilon, regrets)."""
    frames = []
    for name, epsilon, regrets in rows:
        known = facts(definitions.made(name, epsilon, 3, t), definitions.instance(3, gap))
        known |= {"gap": gap, "uniform": uniform}
        frames.append(pd.DataFrame({**known, "replication": range(len(regrets)), "t": t, "regret": regrets}))
    return pd.concat(frames, ignore_index=True)


def test_the_price_is_a_ratio_of_the_largest_regrets():
    name = definitions.DP_KLUCB
    easy = runs((name, 0.2, [10.0, 12.0]), (name, math.inf, [4.0, 6.0]), gap=0.8)
    hard = runs((name, 0.2, [20.0, 22.0]), (name, math.inf, [7.0, 7.0]), gap=0.1)
    (row,) = definitions.factors(pd.concat([easy, hard])).itertuples()
    assert row.regret == pytest.approx(21 / 7) and row.gap == 0.1 and row.regret_private == 21.0
    assert row.regret_se == pytest.approx(3 * 1 / 21)
    assert definitions.factors(pd.concat([easy, hard.assign(uniform=0.22)])).empty  # 21 > 0.9 of uniform play's 22
    found = definitions.hardest(pd.concat([easy, hard]))
    assert found["gap"].unique() == [0.1]


# --- contexts: exponents that are read off grids of gaps


def grid(law, horizons, ratio, at, runs=20, spread=0.02, seed=0):
    """Peaks of a law of T and the gap, on gaps in steps of a ratio about `at` of T, with lognormal runs."""
    rng, found = np.random.default_rng(seed), []
    for t in horizons:
        gaps = at(t) * ratio ** np.arange(-4.0, 5.0)
        regrets = np.array([law(t, gap) for gap in gaps])[:, None] * rng.lognormal(0, spread, (len(gaps), runs))
        found.append(contextual.Peak(t, gaps, regrets))
    return found


def smooth(power):
    """Wrong actions fall smoothly as the gap grows; the worst gap goes as T^(power - 1)."""
    return lambda t, gap: gap * t / (1.0 + (gap * t ** (1.0 - power)) ** 3)


def cliff(power):
    """Nothing is learnt below a gap, and everything above it."""
    return lambda t, gap: gap * t if gap < 0.7 * t ** (power - 1.0) else 1e-3 * gap * t


@pytest.mark.parametrize("law", [smooth, cliff])
@pytest.mark.parametrize(
    ("power", "typed", "ratio"), [(0.5, -0.5, 2**0.125), (0.75, -0.2, 2**0.25), (0.75, -0.25, 2**0.5)]
)
def test_a_known_power_lies_in_its_interval_on_a_coarse_grid(law, power, typed, ratio):
    """Whatever power the grid's own middle has, as long as the peak is on it."""
    horizons = 10.0 ** np.arange(8, 15)

    def at(t):
        middle = 0.7 * t ** (power - 1.0)
        return middle * np.clip((t / 1e11) ** (typed - (power - 1.0)), 0.8, 1.25)

    for seed in range(3):
        found = contextual.exponent(grid(law(power), horizons, ratio, at, seed=seed))
        assert found.low <= power <= found.high, found
        assert found.high - found.low < 0.25 * np.log(ratio) + 0.05


def test_a_grid_that_says_nothing_has_an_interval_that_says_so():
    """Peaks at one place of every grid have the grid's own power; the interval is as wide as a step lets it be."""
    horizons = 10.0 ** np.arange(8, 15)
    found = contextual.exponent(grid(cliff(0.75), horizons, 2**0.5, lambda t: 0.6 * t**-0.25, spread=1e-9))
    weights = np.abs(np.arange(7) - 3) / np.sum((np.arange(7) - 3) ** 2) / np.log(10)
    assert found.high - found.low == pytest.approx(weights.sum() * 0.5 * np.log(2), rel=0.01)


def test_the_gap_is_chosen_on_one_half_of_the_runs_and_measured_on_the_other():
    regrets = np.array([[9.0, 1.0] * 5, [1.0, 9.0] * 5, [2.0, 2.0] * 5])
    point = contextual.Peak(1.0, np.array([1.0, 2.0, 3.0]), regrets)
    assert point.place == 0 and point.regret.tolist() == [1.0] * 5
    rows = pd.read_csv(folder("contextual") / "long-worst.csv")
    part = rows.query("design == 'derived' and sets == 'one set' and dim == 2 and horizon == 10**10 and delta == 1e-3")
    shown = contextual.shown(part)
    (point,) = contextual.peaks(part)
    assert set(shown["replication"] % 2) == {1} and shown["regret"].tolist() == point.regret.tolist()
    with pytest.raises(LookupError, match="must name runs"):
        contextual.peaks(rows, design="nothing")


def test_powers_of_the_inverse_and_differences():
    points = grid(lambda e, gap: gap / e / (1 + (gap / e) ** 3), [0.25, 0.5, 1.0], 1.09, lambda e: 0.8 * e, spread=1e-6)
    flat = contextual.exponent(points, inverse=True)
    assert flat.low < 0.0 < flat.high
    one, other = contextual.Interval(0.5, 0.48, 0.53), contextual.Interval(0.76, 0.75, 0.77)
    assert contextual.apart(one, other)[:3] == pytest.approx((-0.26, -0.29, -0.22))
