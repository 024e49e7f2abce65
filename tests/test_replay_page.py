"""The page on replay: its longer studies, its bound, its rules on both sides, and the numbers that it says."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from replay import prose
from scipy import stats

from private_bandits.baselines import replay, ucb
from private_bandits.kernels import replay as kernel
from private_bandits.problems import Arms
from private_bandits.simulation import simulate
from private_bandits_book.book import find_book
from private_bandits_book.chapters.replay import lemmas, rules, studies
from private_bandits_book.judging.rulings import Ruling
from private_bandits_book.judging.verdicts import NOT_REPRODUCED, REPRODUCED, UNDECIDED
from private_bandits_book.studies import stored

BOOK = find_book()


@pytest.mark.parametrize(
    ("label", "chosen"),
    [
        ("choice", [0, 90]),
        ("measurement", [2, 508]),
        ("horizons", [8, 31, 69, 91]),
        ("lists", [1]),
        ("tuning", [90]),
        ("untried", [11, 22]),
        ("causes", [0]),
        ("fresh", [45, 90]),
    ],
)
def test_runs_of_a_study_are_played_again(label, chosen):
    """Those that are quick: a row is the mean of a hundred runs."""
    rows = pd.read_csv(BOOK.data("replay") / f"long-{label}.csv").set_index("run")
    made = studies.STUDIES[label].runs()
    again = pd.concat([studies.play(made[place], 1) for place in chosen], ignore_index=True)
    committed = rows.loc[chosen, [*again]].reset_index(drop=True)
    pd.testing.assert_frame_equal(again, committed, check_dtype=False, rtol=1e-8)


def test_the_rule_of_the_library_is_the_one_that_was_chosen():
    table = studies.choice(pd.read_csv(BOOK.data("replay") / "long-choice.csv"))
    allowed = table[table["linear"] <= 1200 / 500]
    best = allowed.loc[allowed["ratio"].idxmin()]
    assert (best["factor"], best["growth"]) == (1.0, 1.0)
    record = replay(ucb(), 0.3, horizon=20_000).record
    assert record.cost == pytest.approx(math.log(20_000) / 0.09) and record.growth == 1.0


def test_the_bound_of_theorem_2_holds_with_its_own_policy():
    epsilon, horizon, means = 2.0, 200_000, (0.95, 0.3, 0.2)
    log = math.log(horizon)
    policy = ucb(alpha=3.0, horizon=horizon)
    inside = replay(policy, epsilon, horizon=horizon, cost=9.0 * log / epsilon**2)
    regret = simulate(Arms.bernoulli(means), inside, horizon=horizon, replications=5, seed=1).regret[:, -1]
    bound = lemmas.regret_bound(means, horizon, epsilon)
    assert bound / 12 < float(regret.max()) < bound


def test_a_tail_of_the_lemma():
    """Observations of an arm of mean 0.2 that replay gives, at the bound's loss: deviations at most the lemma's."""
    horizon, epsilon, rho, alpha = 100, 0.5, 0.3, 1.0
    log = math.log(horizon)
    loss, rng, off = 9.0 * log / epsilon**2, np.random.default_rng(1), 0
    first = math.ceil(0.5 + math.sqrt(0.25 + loss))
    for _ in range(4000):
        k, ones = 0, 0
        for size in (first, first, 2 * first, 4 * first):
            worth, paid = kernel.released(epsilon, loss, size, rng.binomial(size, 0.2), rng)
            k, ones = k + worth, ones + paid
        off += ones - 0.2 * k >= math.sqrt(alpha * log * k)
    a = rho * math.sqrt(9 * alpha) - rho**2 * 9 / 4
    assert off / 4000 <= lemmas.failure(rho) * horizon**-a


def runs(ours: float, other: float, epsilon: float = 1.0) -> pd.DataFrame:
    """A replayed policy and three others on three instances, with an error of about a tenth."""
    made = []
    for paper, level in (("", ours), ("azize2025", other), ("sajed2019", other), ("auer2002", other)):
        private = math.inf if paper == "auer2002" else epsilon
        made += [(paper, f"C{i}", private, level, 0.1 * level) for i in (1, 2, 3)]
    rows = pd.DataFrame(made, columns=["paper", "instance", "epsilon", "regret", "regret_se"])
    return rows.assign(algorithm=np.where(rows["paper"] == "", "replay", ""), variant="Thompson", replications=100)


def test_a_ratio_is_judged_on_both_sides_of_1():
    for paper in ("azize2025", "auer2002"):
        for ours, other, verdict in (
            (50.0, 100.0, REPRODUCED),
            (100.0, 100.0, UNDECIDED),
            (100.0, 50.0, NOT_REPRODUCED),
        ):
            rows = runs(ours, other).assign(policy=lambda rows: rows["paper"])
            mine, theirs = (rows[rows["paper"] == name] for name in ("", paper))
            theirs = theirs if paper == "azize2025" else theirs.drop(columns="epsilon")
            found = studies.less(mine, theirs)
            assert found.verdict == verdict and found.measurement.measured == pytest.approx(math.log(ours / other))
            assert f"that of {paper} is" in found.reason
            # of several the best counts, and what has no partner does not
            worse = theirs.assign(regret=9 * other, policy="worse")
            assert studies.less(mine, pd.concat([worse, theirs])).measurement == found.measurement
            assert studies.less(pd.concat([mine, mine.assign(epsilon=7.0)]), theirs).verdict == verdict
            assert studies.less(mine[:0], theirs).missing


def test_privacy_is_judged_by_the_largest_ratio():
    two = Fraction(2)
    assert rules.own_replay_privacy([(two, two), (Fraction(3, 2), two)]).verdict == "reproduced"
    assert rules.own_replay_privacy([(two, two), (Fraction(5, 2), two)]).verdict == "not reproduced"
    assert isinstance(rules.own_replay_bound(), Ruling)


def test_a_comparison_over_instances_holds_their_spread():
    rows = runs(50.0, 100.0).assign(policy=lambda rows: rows["paper"])
    mine, theirs = (rows[rows["paper"] == name] for name in ("", "azize2025"))
    wide = mine.assign(regret=[10.0, 90.0, 210.0], regret_se=1e-6)
    logs = np.log(wide["regret"] / 100.0)
    found, few = studies.less(wide, theirs.assign(regret_se=1e-6)), stats.t.ppf(0.975, 2)
    assert found.measurement.high == pytest.approx(logs.mean() + few * logs.std() / 3**0.5)
    assert found.verdict == UNDECIDED
    # and never less than the error of the runs
    even = studies.less(mine, theirs).measurement
    assert even.high - even.measured == pytest.approx(1.96 * (6 * 0.01) ** 0.5 / 3)


def test_the_rule_of_the_tuned_rival_is_the_one_that_was_chosen():
    """By the criterion of replay's rule; whose own, in as many runs, does not meet it surely."""
    table = studies.choice(stored("replay", "tuning", BOOK.data("replay")), ["algorithm", "factor", "level"])
    rival = table[(table["algorithm"] == "DP-KLUCB") & (table["linear"] <= 6000 / 500)]
    best = rival.loc[rival["ratio"].idxmin()]
    assert (best["factor"], best["level"]) == (studies.FIRST, studies.LEVEL)
    assert {best["factor"]} < {*studies.FIRSTS[1:-1]} and {best["level"]} < {*studies.LEVELS[1:-1]}  # not at an edge
    record = studies.tuned(0.3, 20_000).record
    assert (record.first, record.level) == (4 * replay(ucb(), 0.3, horizon=20_000).record.first, 0.6)


def test_the_numbers_of_the_findings_are_those_of_the_data():
    text, table = " ".join(prose("replay")), pd.read_csv(BOOK.data("replay") / "long-measurement.csv")
    by_policy = {name: rows.set_index(["instance", "epsilon"])["regret"] for name, rows in table.groupby("policy")}
    ours = by_policy["Thompson, replayed"]
    ratios = {name: np.exp(np.log(ours / by_policy[name]).mean()) for name in ("DP-KLUCB", "DP-KLUCB(0.6)")}
    said = {r"sampling replay has (\S+) times the regret of our version of DP": f"{ratios['DP-KLUCB(0.6)']:.2f}"}
    said[r"Before DP-KLUCB was tuned, replay had (\S+) times its regret, but"] = f"{ratios['DP-KLUCB']:.2f}"
    price = studies.over_free(table).query("epsilon == 1")
    ratio = price[price["policy"] == "Thompson, replayed"]["ratio"]
    said[r"sampling has, at \$\\epsilon=1\$, (\S+) times the regret of the best policy without"] = (
        f"{math.exp(np.log(ratio).mean()):.1f}"
    )
    draws = pd.read_csv(BOOK.data("replay") / "long-draws.csv").set_index(["instance", "epsilon"])["regret"] / ours
    for instance, words in (("C1", r"leads to (\S+) times the regret of replay"), ("C2", r"and to (\S+) times on C2")):
        said[words] = f"{draws[instance, 1.0]:.0f}"
    for words, number in said.items():
        assert re.findall(words, text) == [number], words
    lost = studies.untried(stored("replay", "untried", BOOK.data("replay")))
    assert (lost[lost["Means"] == "0.99, 0.97, 0.95, 0.9"]["Linear runs, replay"] >= 5).all()  # several in a hundred


def test_the_numbers_on_lists_are_those_of_the_data():
    text = " ".join(prose("replay"))
    lists = pd.read_csv(BOOK.data("replay") / "long-lists.csv")
    ours = lists["policy"].str.endswith("replayed")
    by = ["instance", "epsilon"]
    shares = lists[ours].set_index(by)["regret"] / lists[~ours].set_index(by)["regret"]
    assert f"between {100 * shares.min():.0f} and {100 * shares.max():.0f} % of the regret of the blocks" in text
