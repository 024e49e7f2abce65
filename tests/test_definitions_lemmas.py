"""Basu, Dimitrakakis and Tossou (2019): what small policies reveal, what an observer infers, and the toy game."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.stats import norm

from private_bandits.mechanisms import response_probabilities
from private_bandits.papers.definitions import finite_policies, replacements
from private_bandits.papers.definitions.finite_policies import LocallyPrivate, OneAnswer, Response
from private_bandits.privacy import exact_loss, table_laws
from private_bandits_book.chapters.definitions import lemmas
from private_bandits_book.chapters.definitions.lemmas import LAPLACE, NOISELESS, PRIVATE, RESPONSE

close = pytest.approx


# --- losses


def test_the_table_of_losses(epsilon=1.2):
    frame = lemmas.losses(epsilon, 3).set_index("key")
    assert frame.loc[RESPONSE, ["outcomes", "instantaneous"]].tolist() == close([2 * epsilon, epsilon])
    assert frame.loc[PRIVATE, ["outcomes", "local"]].tolist() == close([epsilon, epsilon])
    assert frame.loc["retraction", "outcomes"] == close(epsilon)
    assert np.isinf(frame.loc[NOISELESS, ["outcomes", "rewards", "instantaneous", "local"]].tolist()).all()
    assert frame.loc[lemmas.SPY, ["outcomes", "rewards"]].tolist() == close([epsilon, 0.0])
    seeing = frame.drop(index=PRIVATE)["environment"]
    assert seeing.tolist() == close([3 * 2 * math.log(4)] * 7)  # T rounds, two arms of odds 4 that are exchanged


def test_what_instantaneous_privacy_composes_to():
    reached = 1 + math.log1p(-1e-3 * (1 - math.exp(-6.0))) / 6.0
    assert lemmas.lemma_2_reached(3.0) == close(reached, abs=1e-10) and reached < 1
    frame = lemmas.composition(0.6, (2, 3, 4))
    assert frame["all_arms"].tolist() == close([0.6, 1.2, 1.8])
    assert frame["instantaneous"].tolist() == close([0.6] * 3)
    assert frame["rho_allowed"].tolist() == close([0.18, 0.36, 0.54])
    assert (frame["rho"] <= frame["rho_allowed"]).all() and (frame["rho"] < frame["rho_map"]).iloc[1:].all()
    assert frame["rho"].iloc[0] == close(0.6 * math.tanh(0.3), rel=1e-5)


def test_noise_on_the_answers():
    found = lemmas.behind_responses(0.7, 3)
    assert PRIVATE not in found and max(found.values()) == found[NOISELESS] == close(0.7)
    assert found[LAPLACE] == close(exact_loss(LocallyPrivate(finite_policies.LaplaceArgmax(0.7, n_arms=2), 0.7), 3))
    assert lemmas.between_people(lemmas.noisy_answers(0.5, 3), 3) == close(0.5 * lemmas.DISTANCE)
    assert lemmas.noisy_answers(60.0, 2).epsilon == math.inf  # the bare answers have less
    assert lemmas.squeezed(0.5, 3) == (close(1.0), math.inf)


# --- guesses


def test_the_guesses_of_the_example():
    frame = lemmas.guesses([0.3, 1.0], 3).set_index(["definition", "guess", "observer", "epsilon"]).sort_index()
    keep = math.e / (1 + math.e)
    assert frame.loc[("local", "one answer", "private answers", 1.0), "success"] == close(keep)
    every = frame.loc[("local", "all answers of one person", "private answers", 1.0)]
    assert every["success"] == close(keep**3 + 3 * keep**2 * (1 - keep)) and every["changes"] == 3
    assert frame.loc[("rewards", "the answer to the ad not shown", "every ad", 0.3), "success"] == 1.0
    assert frame.loc[("rewards", "the answer to the ad shown", "every ad", 0.3), "success"] == 0.5
    assert frame.loc[["outcomes", "environment"], "kept"].all()
    assert lemmas.best_guess([[0.75, 0.25], [0.25, 0.75]]) == close(0.75) == close(lemmas.at_most(math.log(3)))


def test_watching_longer_helps_the_attacker():
    found = lemmas.best_guesses(1.0, (2, 3, 4))
    assert found[0] == close(math.e / (1 + math.e)) and found == sorted(found)
    laws = table_laws(Response(1.0, n_arms=2), 3).reshape(16, -1)
    tables = enumerate(itertools.product(range(4), repeat=2))
    pairs = itertools.combinations(tables, 2)
    near = [(a, b) for (a, one), (b, other) in pairs if sum(x != y for x, y in zip(one, other, strict=True)) == 1]
    assert found[1] == close(max(np.maximum(laws[a], laws[b]).sum() / 2 for a, b in near))


# --- counterexamples


def test_views_miss_what_tables_see():
    for horizon in (4, 5):
        assert lemmas.views(horizon) == close((2.0 ** (3 - horizon), 1.0))


def test_renyi_divergences_by_hand():
    p, q = np.array([0.7, 0.3]), np.array([0.4, 0.6])
    assert lemmas.renyi(p, q, 2.0) == close(math.log(0.49 / 0.4 + 0.09 / 0.6))
    assert lemmas.renyi(p, q, 1 + 1e-9) == close(0.7 * math.log(7 / 4) + 0.3 * math.log(0.5), rel=1e-5)
    assert lemmas.renyi(p, np.array([1.0, 0.0]), 2.0) == math.inf
    for epsilon in (0.1, 1.0, 4.0):
        keep, flip = response_probabilities(epsilon, n_values=2)
        rho = lemmas.rho(OneAnswer(lambda x, keep=keep, flip=flip: keep if x else flip))
        assert rho == close(epsilon * math.tanh(epsilon / 2), rel=1e-5) and rho <= epsilon**2 / 2


def test_what_concentrated_privacy_gives_and_what_not():
    found = lemmas.concentrated(1.0)
    one, other = (norm.sf((30 - x) * math.sqrt(0.2)) for x in (1, 0))
    assert found.far == close(math.log(one / other))
    assert found.kept <= 0.1 and found.pure <= 0.5 and found.exact < found.formula
    assert found.rare == close(1e-6) and found.rare_rho == math.inf
    assert found.formula == close(0.1 + 2 * math.sqrt(0.1 * math.log(1e6)))


# --- bounds and the toy game


def test_bounds_over_each_other():
    old, most = lemmas.threshold(3, 10**8, (0.01, 0.1))
    assert old == close(replacements.theorem_b(n_arms=3, horizon=10**8, epsilon=0.01) / (2 / (131 * 0.01)))
    assert most < 1 < old
    assert lemmas.corrupt_over_lower((0.75, 0.25, 0.25), 0.7) == close(1.0)
    assert 0.8 < lemmas.contraction((0.1, 1.0), tried=100) <= 1.0


def test_the_toy_game_by_simulation():
    frame = lemmas.toy(40, [1.0])
    rng, gaps, most = np.random.default_rng(3), (0.08, 0.1, 0.12), []
    for gap in gaps:
        steps = np.where(rng.random((20_000, 40)) < 0.5 + gap, 1, -1)
        before = np.concatenate([np.zeros((20_000, 1)), steps.cumsum(axis=1)[:, :-1]], axis=1)
        wrong = (before < 0) + 0.5 * (before == 0)
        most.append(2 * gap * wrong.sum(axis=1).mean())
    assert frame["free"].item() == close(max(most), rel=0.02)
    assert frame["local"].item() == close(frame["free"].item() / math.tanh(0.5), rel=0.05)
    assert frame["central"].item() > frame["free"].item()
