"""Basu, Dimitrakakis and Tossou (2019): what small policies reveal, what an observer infers, and the toy game."""

from __future__ import annotations

import itertools
import math

import naive_privacy as naive
import numpy as np
import pytest
from scipy.stats import norm

from private_bandits.mechanisms import response_probabilities
from private_bandits.papers.definitions import bounds, replacements
from private_bandits.privacy import exact_loss, table_laws
from private_bandits_book import policies
from private_bandits_book.definitions import lemmas
from private_bandits_book.definitions.lemmas import LAPLACE, NOISELESS, PRIVATE, RESPONSE
from private_bandits_book.policies import Greedy, Hedge, LocallyPrivate, Response, Retraction, Two

close = pytest.approx


# --- losses


@pytest.mark.parametrize("epsilon", [0.5, 1.2])
def test_the_table_of_losses(epsilon):
    frame = lemmas.losses(epsilon, 3).set_index("key")
    seen = {"its reward": 5, "its reward, with noise": 1, "all outcomes": 2}
    assert len(frame) == 8 and frame["sees"].value_counts().to_dict() == seen
    assert frame.loc[RESPONSE, ["outcomes", "instantaneous"]].tolist() == close([2 * epsilon, epsilon])
    assert frame.loc[PRIVATE, ["outcomes", "local"]].tolist() == close([epsilon, epsilon])
    assert frame.loc["retraction", "outcomes"] == close(epsilon)
    assert np.isinf(frame.loc[NOISELESS, ["outcomes", "rewards", "instantaneous", "local"]].tolist()).all()
    assert frame.loc[lemmas.SPY, ["outcomes", "rewards"]].tolist() == close([epsilon, 0.0])
    seeing = frame.drop(index=PRIVATE)["environment"]
    assert seeing.tolist() == close([3 * 2 * math.log(4)] * 7)  # T rounds, two arms of odds 4 that are exchanged


@pytest.mark.parametrize("name", lemmas.suite(1.0))
@pytest.mark.parametrize("horizon", [2, 4])
def test_lemma_1_holds_by_every_pair_of_tables(name, horizon):
    policy = lemmas.suite(0.7)[name]
    laws = table_laws(policy, horizon)
    laws = laws.reshape(*laws.shape[: horizon - 1], -1)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(laws)
        tables = max(float(np.nanmax(logs.max(axis=t) - logs.min(axis=t))) for t in range(horizon - 1))
    assert tables == close(exact_loss(policy, horizon)) == close(exact_loss(policy, horizon, definition="rewards"))


def test_lemma_1_fails_under_partial_monitoring():
    hedge = Hedge(0.5, 2)
    assert exact_loss(hedge, 3) == close(naive.outcomes_loss(hedge, 2, 3, see=hedge.signal))
    assert exact_loss(hedge, 3) > 1.5 * exact_loss(hedge, 3, definition="rewards")


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_two_epsilon_is_nearly_reached(epsilon):
    reached = 1 + math.log1p(-1e-3 * (1 - math.exp(-2 * epsilon))) / (2 * epsilon)
    assert lemmas.lemma_2_reached(epsilon) == close(reached, abs=1e-10) and reached < 1
    assert naive.instantaneous_loss(Retraction(epsilon, 0.1), 2, 3) < 2 * epsilon


def test_composition_is_tight_at_one_round_less():
    frame = lemmas.composition(0.6, (2, 3, 4))
    assert frame["all_arms"].tolist() == close([0.6, 1.2, 1.8])
    assert frame["instantaneous"].tolist() == close([0.6] * 3)
    assert frame["rho_allowed"].tolist() == close([0.18, 0.36, 0.54])
    assert (frame["rho"] <= frame["rho_allowed"]).all() and (frame["rho"] < frame["rho_map"]).iloc[1:].all()
    assert frame["rho"].iloc[0] == close(0.6 * math.tanh(0.3), rel=1e-5)


def test_learners_behind_responses_are_private():
    found = lemmas.behind_responses(0.7, 3)
    assert len(found) == 5 and PRIVATE not in found
    assert max(found.values()) == found[NOISELESS] == close(0.7)
    assert found[LAPLACE] == close(exact_loss(LocallyPrivate(policies.LaplaceArgmax(0.7, 2), 0.7), 3))


def test_environment_privacy_is_made_by_noise_on_the_answers():
    for horizon in (2, 4):
        policy = lemmas.noisy_answers(0.5, horizon)
        assert lemmas.between_people(policy, horizon) == close(0.5 * lemmas.DISTANCE)
    assert lemmas.noisy_answers(60.0, 2).epsilon == math.inf  # the bare answers have less
    over, loss = lemmas.squeezed(0.5, 3)
    assert over == close(1.0) and loss == math.inf


# --- guesses


def test_a_guess_is_right_half_the_time_and_half_the_distance():
    assert lemmas.best_guess([[0.5, 0.5], [0.5, 0.5]]) == close(0.5)
    assert lemmas.best_guess([[1.0, 0.0], [0.0, 1.0]]) == close(1.0)
    assert lemmas.best_guess([[0.75, 0.25], [0.25, 0.75]]) == close(0.75) == close(lemmas.at_most(math.log(3)))


def test_the_guesses_of_the_example():
    frame = lemmas.guesses([0.3, 1.0], 3).set_index(["definition", "guess", "observer", "epsilon"]).sort_index()
    keep = math.e / (1 + math.e)
    assert frame.loc[("local", "one answer", "private answers", 1.0), "success"] == close(keep)
    every = frame.loc[("local", "all answers of one person", "private answers", 1.0)]
    assert every["success"] == close(keep**3 + 3 * keep**2 * (1 - keep)) and every["changes"] == 3
    assert frame.loc[("rewards", "the answer to the ad not shown", "every ad", 0.3), "success"] == 1.0
    assert frame.loc[("rewards", "the answer to the ad shown", "every ad", 0.3), "success"] == 0.5
    assert frame.loc[["outcomes", "environment"], "kept"].all()
    longer = lemmas.guesses([0.3], 4)
    assert not longer.loc[longer["definition"] == "instantaneous", "kept"].any()
    law = LocallyPrivate(Greedy(2), 1.0).channel
    assert lemmas.best_guess(law) == close(keep)


def test_watching_longer_helps_the_attacker():
    found = lemmas.best_guesses(1.0, (2, 3, 4))
    assert found[0] == close(math.e / (1 + math.e)) and found == sorted(found)
    laws = table_laws(Response(1.0, 2), 3).reshape(16, -1)
    tables = list(itertools.product(range(4), repeat=2))
    near = [
        (a, b)
        for a in range(16)
        for b in range(16)
        if sum(x != y for x, y in zip(tables[a], tables[b], strict=True)) == 1
    ]
    assert found[1] == close(max(np.maximum(laws[a], laws[b]).sum() / 2 for a, b in near))


# --- counterexamples


@pytest.mark.parametrize("horizon", [4, 5, 6])
def test_views_miss_what_tables_see(horizon):
    """By a walk through all lists and tables, apart from the library's laws."""
    policy = policies.Password(horizon)

    def law(rewards):
        found = {}
        for arms in itertools.product((0, 1), repeat=horizon):
            history = tuple((arm, float(rewards(t, arm))) for t, arm in enumerate(arms))
            found[arms] = math.prod(policy.probabilities(history[:t])[arms[t]] for t in range(horizon))
        return found

    def apart(one, other):
        return sum(max(one[arms] - other[arms], 0.0) for arms in one)

    lists = {list_: law(lambda t, a, r=(*list_, 0): r[t]) for list_ in itertools.product((0, 1), repeat=horizon - 1)}  # noqa: B008
    near = [pair for pair in itertools.permutations(lists, 2) if sum(x != y for x, y in zip(*pair, strict=True)) == 1]
    most = max(apart(lists[one], lists[other]) for one, other in near)
    table = apart(*(law(lambda t, a, s=s: s if t == 0 else a) for s in (1, 0)))
    assert (most, table) == close((2.0 ** (3 - horizon), 1.0))
    assert lemmas.views(horizon) == close((most, table))


def test_renyi_divergences_by_hand():
    p, q = np.array([0.7, 0.3]), np.array([0.4, 0.6])
    assert lemmas.renyi(p, q, 2.0) == close(math.log(0.49 / 0.4 + 0.09 / 0.6))
    assert lemmas.renyi(p, q, 1 + 1e-9) == close(0.7 * math.log(7 / 4) + 0.3 * math.log(0.5), rel=1e-5)
    assert lemmas.renyi(p, np.array([1.0, 0.0]), 2.0) == math.inf
    for epsilon in (0.1, 1.0, 4.0):
        keep, flip = response_probabilities(epsilon, 2)
        rho = lemmas.rho(Two(lambda x, keep=keep, flip=flip: keep if x else flip))
        assert rho == close(epsilon * math.tanh(epsilon / 2), rel=1e-5) and rho <= epsilon**2 / 2


def test_what_concentrated_privacy_gives_and_what_not():
    found = lemmas.concentrated(1.0)
    one, other = (norm.sf((30 - x) * math.sqrt(0.2)) for x in (1, 0))
    assert found.far == close(math.log(one / other))
    assert found.kept <= 0.1 and found.pure <= 0.5 and found.exact < found.formula
    assert found.rare == close(1e-6) and found.rare_rho == math.inf
    assert found.formula == close(0.1 + 2 * math.sqrt(0.1 * math.log(1e6)))


# --- bounds


def test_the_entries_of_table_1_are_those_of_the_theorems_but_one():
    found = lemmas.table_2(10**8, lemmas.GRID)
    assert found["Theorem 1"] == close((4 * math.e**4,) * 2) and found["Theorem 4"] == close((1.0, 1.0))
    low, high = found["Theorem 3"]
    over = [bounds.theorem_3(3, 10**8, e, "table") / bounds.theorem_3(3, 10**8, e) for e in lemmas.GRID]
    assert (low, high) == close((min(over), max(over))) and high > 10 * low


def test_the_threshold_has_a_logarithm():
    old, over = lemmas.threshold(3, 10**8, (0.01, 0.1))
    assert old == close(replacements.theorem_b(3, 10**8, 0.01) / (2 / (131 * 0.01)))
    assert over < 1 < old


def test_corrupt_bandits_meet_the_bound_and_a_point_prior_has_no_regret():
    assert lemmas.corrupt_over_lower((0.75, 0.25, 0.25), 0.7) == close(1.0)
    assert lemmas.point_prior((0.3, 0.9), 100) == 0.0


def test_random_channels_contract():
    assert 0.8 < lemmas.contraction((0.1, 1.0)) <= 1.0


# --- the toy game


def test_the_toy_game_by_simulation():
    frame = lemmas.toy(40, [1.0])
    rng, gaps, most = np.random.default_rng(3), (0.08, 0.1, 0.12), []
    for gap in gaps:
        steps = np.where(rng.random((20_000, 40)) < 0.5 + gap, 1, -1)
        before = np.concatenate([np.zeros((20_000, 1)), steps.cumsum(axis=1)[:, :-1]], axis=1)
        wrong = (before < 0) + 0.5 * (before == 0)
        most.append(2 * gap * wrong.sum(axis=1).mean())
    assert frame["free"].item() == close(max(most), rel=0.02)


def test_the_toy_game_has_the_factor_of_the_theorem():
    frame = lemmas.toy(1000, [1.0, 0.1])
    over = frame["local"] / frame["free"]
    assert over.tolist() == close((1 / np.tanh(frame["epsilon"] / 2)).tolist(), rel=2e-3)
    assert (over <= 1 / np.tanh(frame["epsilon"] / 2) + 1e-9).all()
    assert (frame["central"] > frame["free"]).all()


def test_the_noise_of_batches_is_a_law():
    one = lemmas._noise(1.0, 1, 30)
    weights = np.exp(-np.abs(np.arange(-30, 31))) * math.tanh(0.5)
    assert one[::2] == close(np.cumsum(weights) - weights / 2, abs=1e-9)
    assert lemmas._noise(1.0, 3, 60)[120] == close(0.5) and (np.diff(lemmas._noise(0.5, 4, 90)) >= -1e-12).all()
