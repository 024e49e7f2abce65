"""The rules of the cascading chapter on given evidence, on both sides of every threshold."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from claims import between, rules_of

from private_bandits.papers import cascading as paper
from private_bandits.papers.cascading import b_lb
from private_bandits_book.chapters.cascading import rules, studies
from private_bandits_book.judging.rulings import Ruling
from private_bandits_book.judging.verdicts import AFTER_REPAIR, EXACT, NOT_REPRODUCED, REPRODUCED, UNDECIDED
from private_bandits_book.runs import facts

RULES = rules_of("cascading")
ORDER = {"sooner": REPRODUCED, "equal": UNDECIDED, "later": NOT_REPRODUCED}
CHANGE = {"sooner": -50.0, "equal": 0.0, "later": 50.0}


def world(*losses, size=4, t=1000, runs=20, **labels):
    """Runs of policies that end at these regrets, and at a tenth of them before."""
    frames = []
    for number, (policy, regret) in enumerate(losses):
        known = {**facts(policy, b_lb(20, size, 0.2, 0.15)), "replication": np.arange(runs), **labels}
        ends = np.roll(np.linspace(-1, 1, runs), 7 * number) + regret
        frames += [pd.DataFrame({**known, "t": when, "regret": share * ends}) for when, share in ((t, 1.0), (9, 0.1))]
    return pd.concat(frames, ignore_index=True)


def published(plain, gaussian, laplace, size=4, epsilon=1.0, **how):
    noise = {"list_size": size, "noise_multiplier": 0.01}
    made = [
        (paper.cascade_ucb1(), plain),
        (paper.ucb_gaussian(epsilon, delta=1e-3, **noise), gaussian),
        (paper.ucb_laplace(epsilon, **noise), laplace),
    ]
    return world(*made, size=size, list_size=size, **how)


# --- privacy


@pytest.mark.parametrize(("hidden", "verdict"), [(0.7, NOT_REPRODUCED), (1.0, UNDECIDED), (None, UNDECIDED)])
def test_a_leak_refutes_and_its_absence_proves_nothing(hidden, verdict):
    found = rules.theorem_1(hidden)
    assert (found.verdict, found.evidence) == (verdict, EXACT)


def test_theorem_9_is_repaired_by_what_is_accounted():
    assert rules.theorem_9(math.inf, 0.2, 0.2, 1e-3).verdict == AFTER_REPAIR
    assert rules.theorem_9(math.inf, 0.21, 0.2, 1e-3).verdict == NOT_REPRODUCED
    assert rules.theorem_9(0.2, 9.0, 0.2, 1e-3).verdict == REPRODUCED


def test_labels_are_judged_by_the_worst_published_curve():
    stated = (paper.ucb_laplace(1.0, list_size=1), 5)  # its values are worse than its label
    calm = world(
        (paper.ucb_hybrid(1.0, n_arms=20, horizon=1000, noise_multiplier=0.2), 5),
        (paper.ucb_laplace(0.5, list_size=256, noise_multiplier=0.01), 5),
        stated,
    )
    assert rules.experiments_privacy(calm).verdict == REPRODUCED
    found = rules.experiments_privacy(pd.concat([calm, published(1, 2, 3)]))
    assert found.verdict == NOT_REPRODUCED and found.measurement.measured == pytest.approx(232.2, abs=0.1)
    assert found.reason.startswith("Gaussian at nominal epsilon 1: ")


# --- panels


def test_runs_of_the_longer_study_stand_for_those_of_the_same_policy_on_the_same_problem_at_the_same_round():
    close, more = published(100, 200, 200), published(100, 200, 200.5, runs=400)
    most = studies.with_more(close, more)
    assert len(most) == 1200 and set(most["t"]) == {1000}
    assert most["regret"].mean() == pytest.approx(500.5 / 3)
    for other in ({"size": 5}, {"epsilon": 2.0}, {"t": 500}):
        kept = studies.with_more(close, published(100, 200, 200.5, runs=400, **other))
        assert kept.groupby("policy").size().loc[["Gaussian", "Laplace"]].tolist() == [20, 20]


@pytest.mark.parametrize("claim", ["figure-2b", "figure-2c", "figure-2d"])
@pytest.mark.parametrize("change", ORDER)
def test_a_longer_list_widens_the_factor(claim, change):
    before, now = published(100, 400, 800), published(100, 200, 400 - CHANGE[change], size=8)
    assert RULES[claim](now, before).verdict == ORDER[change]
    assert RULES[claim](published(100, 200, 150, size=8), before).verdict == NOT_REPRODUCED
    alone = now[now["algorithm"] != "Algorithm 3"]
    assert RULES[claim](alone, before).missing and RULES[claim](now, before[:0]).missing


def swept(*regrets, epsilons=(0.5, 1.0, 2.0)):
    panels = [published(100, regret, regret, epsilon=each) for each, regret in zip(epsilons, regrets, strict=True)]
    return pd.concat(panels).drop_duplicates(["policy", "epsilon", "replication", "t"])


FALLS = {(300, 148, 120): REPRODUCED, (300, 150, 120): UNDECIDED, (300, 152, 120): NOT_REPRODUCED}
RISES = dict.fromkeys([(120, 140, 110), (300, 110, 140)], NOT_REPRODUCED)


@pytest.mark.parametrize(("regrets", "verdict"), (FALLS | RISES).items())
def test_the_sweep_falls_and_soon_comes_near(regrets, verdict):
    assert rules.figure_1e(swept(*regrets)).verdict == verdict


def test_a_sweep_that_ends_early_does_not_come_near():
    assert rules.figure_1e(swept(300, 148, 120, epsilons=(0.1, 0.2, 0.4))).verdict == UNDECIDED


@pytest.mark.parametrize("claim", ["figure-1h", "figure-1i"])
@pytest.mark.parametrize("change", ORDER)
def test_cucb_is_ahead_and_the_more_the_smaller_epsilon(claim, change):
    def both(small, large):
        made = [(paper.cucb_gaussian(math.inf, delta=1e-3, n_arms=20, list_size=4), 100)]
        panels = [
            (e, [*made, (paper.cucb_gaussian(e, delta=1e-3, n_arms=20, list_size=4, noise_multiplier=0.01), at)])
            for e, at in ((0.2, small), (2.0, large))
        ]
        return pd.concat([world(*runs) for _, runs in panels])

    step = CHANGE[change]
    assert RULES[claim](both(300, 300 + step), 0.2).verdict == ORDER[change]
    assert RULES[claim](both(500, 100 - step), 2.0).verdict == ORDER[change]


# --- what this book adds


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(-0.5, 0.79, REPRODUCED), (0.1, 0.81, UNDECIDED), (0.79, 0.9, UNDECIDED), (0.81, 0.9, NOT_REPRODUCED)],
)
def test_the_ratio_grows_more_slowly_than_kappa_or_not(low, high, verdict):
    found = rules.own_kappa([(between(-0.2, 0.1), 0.8), (between(low, high), 0.8)])
    assert found.verdict == verdict and isinstance(found, Ruling) and found.about
