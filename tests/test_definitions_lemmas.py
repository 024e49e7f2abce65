"""Basu, Dimitrakakis and Tossou (2019): Lemmas 1 and 2 on concrete policies, and what an observer can infer."""

from __future__ import annotations

import math

import naive_privacy as naive
import numpy as np
import pytest

from private_bandits.privacy import FinitePolicy, exact_loss
from private_bandits_book.definitions import inference as example
from private_bandits_book.definitions import lemmas
from private_bandits_book.definitions.inference import bound, games, inference
from private_bandits_book.definitions.lemmas import (
    BARE,
    NAMES,
    eavesdroppers,
    growth,
    lemma_1,
    lemma_2,
    losses,
    suite,
)
from private_bandits_book.policies import (
    Eavesdropper,
    Greedy,
    Hedge,
    LocallyPrivate,
    Response,
    Retraction,
)

NOISY = [name for name in suite(1.0) if name != BARE]


@pytest.mark.parametrize("name", suite(1.0))
@pytest.mark.parametrize("horizon", [1, 3, 4])
def test_lemma_1_holds_under_bandit_feedback(name, horizon):
    found = lemma_1(suite(0.7)[name], horizon)
    assert found.outcomes == found.tables == found.rewards or found == pytest.approx([found.outcomes] * 3, rel=1e-12)
    assert (found.outcomes > 0.1) == (horizon > 1)


class Late(FinitePolicy):
    """Answers to the second reward alone."""

    def probabilities(self, history):
        return [0.2, 0.8] if len(history) == 2 and history[1][1] else [0.5, 0.5]


def test_lemma_1_looks_at_every_round():
    assert lemma_1(Late(), 4) == pytest.approx((math.log(2.5),) * 3, abs=1e-12)


@pytest.mark.parametrize("epsilon", [0.3, 1.5])
def test_lemma_1_fails_under_partial_monitoring(epsilon):
    assert lemma_1(Eavesdropper(epsilon), 4) == pytest.approx((epsilon, epsilon, 0.0), abs=1e-12)
    assert lemma_1(Eavesdropper(math.inf), 3) == (math.inf, math.inf, 0.0)


@pytest.mark.parametrize("epsilon", [0.3, 1.5])
def test_full_information_in_closed_form(epsilon):
    """After one round: outcomes turn the lead from 1 to -1, rewards from 1 to 0 or from 0 to -1."""
    lead = {d: 1 / (1 + math.exp(-epsilon * d / 2)) for d in (-1, 0, 1)}
    found = lemma_1(Hedge(epsilon, 2), 2)
    assert found.outcomes == pytest.approx(math.log(lead[1] / lead[-1]), abs=1e-12)
    assert found.tables == pytest.approx(found.outcomes, abs=1e-12)
    assert found.rewards == pytest.approx(math.log(lead[0] / lead[-1]), abs=1e-12)
    three = lemma_1(Hedge(epsilon, 2), 3)
    assert three.outcomes == pytest.approx(naive.outcomes_loss(Hedge(epsilon, 2), 2, 3, see=Hedge(epsilon, 2).signal))
    assert three.outcomes > 1.5 * three.rewards


@pytest.mark.parametrize("name", NOISY)
@pytest.mark.parametrize("epsilon", [0.2, 2.0])
@pytest.mark.parametrize("horizon", [2, 4])
def test_lemma_2_holds(name, epsilon, horizon):
    found = lemma_2(suite(epsilon)[name], horizon)
    assert 0 < found.forward < 1
    assert 0 < found.sharper <= 1 + 1e-12
    assert found.backward == pytest.approx(found.sharper * (horizon - 1) / horizon)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_two_epsilon_is_nearly_reached(epsilon):

    def ratio(slack):
        return 1 + math.log1p(-slack * (1 - math.exp(-2 * epsilon))) / (2 * epsilon)

    for slack in (0.5, 0.1, 1e-3, 1e-6):
        found = lemma_2(Retraction(epsilon, slack), 3)
        assert found.dp == pytest.approx(epsilon, abs=1e-10)
        assert found.forward == pytest.approx(ratio(slack), abs=1e-10)
        answer = math.log(math.exp(epsilon) * (1 - slack) + math.exp(-epsilon) * slack)
        assert found.instantaneous == pytest.approx(epsilon + answer, abs=1e-10)
    assert 1 - 1e-5 < ratio(1e-6) < 1
    assert naive.instantaneous_loss(Retraction(epsilon, 0.1), 2, 3) == pytest.approx(
        2 * epsilon * ratio(0.1), abs=1e-10
    )


@pytest.mark.parametrize("n_arms", [2, 3])
def test_composition_is_tight_at_one_round_less(n_arms):
    """T epsilon is never paid: the first arm depends on no reward. (T - 1) epsilon is."""
    for horizon in (2, 3, 4):
        found = lemma_2(Response(0.6, n_arms), horizon)
        assert found.sharper == pytest.approx(1.0, abs=1e-12)
        assert found.backward == pytest.approx((horizon - 1) / horizon, abs=1e-12)


def test_table_of_losses():
    frame = losses(0.5, 3).set_index("policy")
    assert list(frame.index) == [NAMES[name] for name in (*suite(0.5), *eavesdroppers(0.5))]
    assert frame.loc["randomised response on the best arm", "outcomes"] == pytest.approx(1.0, abs=1e-12)
    assert frame.loc["argmax of private responses", ["outcomes", "local"]].tolist() == pytest.approx([0.5, 0.5])
    assert frame.loc["retraction", "outcomes"] == pytest.approx(0.5, abs=1e-12)
    assert np.isinf(frame.loc["argmax without noise", ["outcomes", "rewards", "instantaneous", "local"]].tolist()).all()
    assert frame.loc["argmax without noise", ["lemma_1", "forward", "backward", "sharper"]].isna().all()
    bandit = frame[(frame.feedback == "bandit") & np.isfinite(frame.outcomes)]
    assert bandit.lemma_1.tolist() == pytest.approx([1.0] * len(NOISY), abs=1e-12)
    assert frame.loc["answer of the arm not pulled", "lemma_1"] == math.inf
    assert frame.loc["exponential mechanism, all outcomes", "lemma_1"] > 1.8


def test_the_ratio_of_lemma_1_compares_two_enumerations(monkeypatch):
    """Losses on outcomes and on rewards are one code path for bandit feedback; the tables are the other one."""
    whole = lemmas.table_laws
    monkeypatch.setattr(lemmas, "table_laws", lambda policy, horizon: whole(policy, horizon) ** 2)
    frame = losses(0.5, 3).set_index("key")
    assert frame.loc[NOISY, "lemma_1"].tolist() == pytest.approx([2.0] * len(NOISY), abs=1e-12)


def test_growth_with_the_horizon():
    """Only one response, and one round, are protected by a constant; a person, and a preference, are not."""
    frame = growth(0.5, (1, 2, 3, 4)).pivot(index=["policy", "definition"], columns="horizon", values="loss")
    response = frame.loc["randomised response on the best arm"]
    private = frame.loc["argmax of private responses"]
    assert response.loc["outcomes"].tolist() == pytest.approx([0.0, 0.5, 1.0, 1.5], abs=1e-12)
    assert response.loc["instantaneous"].tolist() == pytest.approx([0.0, 0.5, 0.5, 0.5], abs=1e-12)
    assert response.loc["environment, history"].tolist() == pytest.approx([math.log(4) / 0.3 * t for t in (1, 2, 3, 4)])
    assert private.loc["outcomes"].tolist() == pytest.approx([0.0, 0.5, 0.5, 0.5], abs=1e-12)
    assert private.loc["local"].tolist() == pytest.approx([0.5] * 4)
    assert private.loc["local, every response of a person"].tolist() == pytest.approx([0.5, 1.0, 1.5, 2.0])
    assert private.loc["environment, actions"].is_monotonic_increasing
    policy, ends = LocallyPrivate(Greedy(2), 0.5), [[[0.8, 0.2], [0.2, 0.8]], [[0.2, 0.8], [0.8, 0.2]]]
    expected = naive.environment_loss(policy, *ends, 3, "actions") / 0.6
    assert private.loc["environment, actions", 3] == pytest.approx(expected, rel=1e-10)


# What an observer can infer


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 6.0])
@pytest.mark.parametrize("horizon", [2, 4])
def test_success_stays_within_the_bound_of_the_loss(epsilon, horizon):
    for game in games(epsilon, horizon):
        assert game.laws.sum(axis=1) == pytest.approx([1.0, 1.0], abs=1e-12)
        assert 0.5 <= game.success <= bound(game.paid) + 1e-12
        ratio = exact_ratio(game.laws)
        assert ratio <= game.paid + 1e-9
        assert game.success <= bound(ratio) + 1e-12


def exact_ratio(laws):
    return max(naive.loss_between(float(p), float(q)) for p, q in zip(*laws, strict=True))


def found(epsilon, horizon, **which):
    frame = inference([epsilon], horizon, replications=10)
    for column, value in which.items():
        frame = frame[frame[column] == value]
    (row,) = frame.itertuples()
    return row


@pytest.mark.parametrize("epsilon", [0.3, 2.0])
def test_bounds_that_are_reached(epsilon):
    """Randomised response leaves no room: one private answer, and two visits."""
    reached = math.exp(epsilon) / (1 + math.exp(epsilon))
    assert found(epsilon, 4, observer="private answers", guess="one answer").success == pytest.approx(
        reached, abs=1e-12
    )
    two_visits = found(epsilon, 2, policy="randomised response, epsilon/(T - 1) a visit")
    assert (two_visits.success, two_visits.bound) == pytest.approx((reached, reached), abs=1e-12)


@pytest.mark.parametrize("epsilon", [0.3, 2.0])
def test_promises_that_are_misread(epsilon):
    """A person answers at every visit, and every advertisement is seen: the loss is a multiple of epsilon."""
    everything = found(epsilon, 4, guess="all answers of one person")
    reached = sum(math.comb(4, k) * max(math.exp(k * epsilon), math.exp((4 - k) * epsilon)) for k in range(5)) / (
        2 * (1 + math.exp(epsilon)) ** 4
    )
    assert everything.success == pytest.approx(reached, abs=1e-12)
    assert not everything.kept and everything.success <= everything.repaired_bound == bound(4 * epsilon)
    composed = found(epsilon, 4, definition="instantaneous", observer="every ad")
    assert not composed.kept and composed.success <= composed.repaired_bound == bound(3 * epsilon)
    assert found(epsilon, 4, guess="the answer to the ad not shown").success == 1.0
    assert found(epsilon, 4, guess="the answer to the ad shown").success == 0.5


def test_the_best_pair_of_tables_by_hand():
    policy, horizon = Response(0.5, 2), 3
    best = 0.0
    for x in naive.tables(2, horizon - 1, (0, 1)):
        for y in naive.changed(x, list(np.ndindex(2, 2))):
            laws = [
                [naive.probability(policy, arms, (*table, (0, 0))) for arms in np.ndindex(2, 2, 2)] for table in (x, y)
            ]
            best = max(best, 0.5 + sum(abs(p - q) for p, q in zip(*laws, strict=True)) / 4)
    row = found(1.0, horizon, policy="randomised response, epsilon/(T - 1) a visit")
    assert row.success == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("epsilon", [0.5, 4.0, 60.0])
def test_preferences_pay_what_the_definition_allows(epsilon):
    """The channel is set so that the history pays epsilon times the distance, unless no noise is needed."""
    horizon = 3
    history = [game for game in games(epsilon, horizon) if game.definition == "environment"][0]
    most = 2 * horizon * math.log(4)
    assert exact_ratio(history.laws) == pytest.approx(min(0.6 * epsilon, most), rel=1e-9)


@pytest.mark.parametrize("horizon", [2, 5])
def test_simulation_agrees_with_enumeration(horizon):
    runs = 40_000
    frame = inference([0.4, 2.0], horizon, replications=runs, seed=11)
    se = np.sqrt(frame.success * (1 - frame.success) / runs)
    assert (np.abs(frame.simulated - frame.success) <= 4 * se + 1e-12).all()
    assert (frame.low <= frame.simulated).all() and (frame.simulated <= frame.high).all()
    assert (frame.high - frame.low < 0.012).all()
    again = inference([0.4, 2.0], horizon, replications=runs, seed=11)
    assert again.equals(frame)
    assert not inference([0.4, 2.0], horizon, replications=runs, seed=12).simulated.equals(frame.simulated)


@pytest.mark.parametrize("index", range(9))
def test_each_draw_follows_its_law(index):
    """Every observation, not only the share of right guesses, as often as its law says."""
    n = 200_000
    game = games(1.2, 3)[index]
    for which in (0, 1):
        counts = game.draw(which, n, np.random.default_rng([index, which]))
        law = game.laws[which]
        assert counts.sum() == n and (counts[law == 0] == 0).all()
        assert (np.abs(counts / n - law) <= 5 * np.sqrt(law * (1 - law) / n) + 1e-12).all()


def test_limits_of_the_bound():
    assert bound(0.0) == 0.5 and bound(math.inf) == 1.0
    assert bound(1.0) == pytest.approx(math.e / (1 + math.e), abs=1e-15)
    nothing = inference([1e-9], 3, replications=10)
    assert (nothing[nothing.policy != "sees both answers, follows the one not shown"].success < 0.5 + 1e-8).all()


def test_preferences_are_as_far_apart_as_assumed():
    one, other = example.PREFERENCES
    loss = exact_loss(Greedy(2), 1, definition="environment", environments=example.PREFERENCES)
    assert loss * max(abs(p - q) for p, q in zip(one, other, strict=True)) == pytest.approx(2 * math.log(4))
