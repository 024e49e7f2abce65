"""What every policy says of itself, over all algorithms of the book."""

import math
import pickle
from pathlib import Path

import numpy as np
import pytest
from copied import on_a_copy

from private_bandits import Arms, audit, baselines, simulate, trace
from private_bandits.papers import cascading
from private_bandits.policy import Player, Policy, playable
from private_bandits.privacy import Guarantee, concentrated_epsilon
from private_bandits.privacy.accounts import account
from private_bandits_book.chapters.audit import cases
from private_bandits_book.pages.algorithms import listed
from private_bandits_book.runs import family

ARMS = Arms.bernoulli([0.5, 0.4])


@pytest.mark.parametrize("epsilon", [0.5, 4.0])
def test_the_mechanism_is_none_exactly_where_nothing_protects(epsilon):
    for _, policy in listed(epsilon):
        losses = policy.privacy.epsilon, policy.privacy.value_epsilon, policy.privacy.effective_epsilon
        assert (policy.mechanism == "none") == all(loss == math.inf for loss in losses), policy
        assert not policy.calibration or policy.mechanism != "none", policy


@pytest.mark.parametrize("epsilon", [0.5, math.inf])
def test_every_policy_has_a_colour_and_keeps_its_kernel_in_another_process(epsilon):
    for _, policy in listed(epsilon):
        again = pickle.loads(pickle.dumps(policy))
        if isinstance(policy, Policy):
            assert again.kernel is policy.kernel and type(again.record) is policy.kernel.Record
            assert facts(again) == facts(policy)
        assert family(again) == family(policy), policy


def test_what_protects_is_that_of_the_trust_model():
    for _, policy in listed():
        trusts = {"response": {"local"}, "tree": {"central"}, "exponential": {"central"}}
        assert policy.privacy.trust in trusts.get(policy.mechanism, {policy.privacy.trust}), policy


def test_central_privacy_of_contexts_is_joint():
    """And Gaussian noise has the rho of its scale."""
    assert any(policy.privacy.joint for _, policy in listed())
    for file, policy in listed(1.0, 1e-3):
        contexts = "contextual" in file and policy.privacy.trust == "central"
        assert policy.privacy.joint == contexts, policy
        if contexts:
            paid = concentrated_epsilon(policy.privacy.rho, delta=1e-3, gaussian=True)
            assert paid == pytest.approx(policy.privacy.effective_epsilon, rel=1e-9)


def facts(policy):
    """All that is said of a policy, and its constants, to compare."""
    numbers = [np.asarray(value).tolist() for value in policy.record]
    told = [getattr(policy, name) for name in ("name", "algorithm", "variant", "chosen", "method", "calibration")]
    return [*told, policy.privacy, numbers]


# --- one interface, of compiled policies and of those in Python


def test_a_kernel_is_known_by_nothing_but_what_it_holds(monkeypatch):
    """A new one is one file: a copy of each, under no name, has its account, its colour and its rows of the audit."""
    copied = 0
    compiled = ((file, policy) for file, policy in listed(1.0, 1e-3) if isinstance(policy, Policy))
    for file, policy in compiled:
        copy = on_a_copy(policy, monkeypatch)
        assert account(copy, 1e-3) == account(policy, 1e-3) and family(copy) == family(policy), policy
        rows, wanted = (list(cases._of(Path(file), one, 10)) for one in (copy, policy))
        assert [(*row[:6], row.exact) for row in rows] == [(*row[:6], row.exact) for row in wanted], policy
        copied += 1
    assert copied > 80
    sent = on_a_copy(cascading.repaired_padded(1.0, list_size=3), monkeypatch)
    assert audit(sent, problem=cases.CASCADE, horizon=1, runs=6000).verdict == "keeps its promise"


class Coin(Player):
    """A policy of arm 0, with facts."""

    name, paper, mechanism, calibration, horizon = "coin", "ours2026", "laplace", "analytic", 9
    variant, chosen, privacy = "printed, c = 4", "printed", Guarantee.certified(1.0, 1.0, "central", "one sum")

    def start(self, problem, choice, noise):
        return self

    def ask(self):
        return [0]

    def tell(self, feedback):
        return feedback


def test_a_policy_in_python_states_what_a_compiled_one_does():
    mine, compiled = playable(Coin()), playable(baselines.ucb())
    for fact in {"name", "workers", *Player.__annotations__} - {"horizon", "problems"}:
        assert isinstance(getattr(mine, fact), type(getattr(compiled, fact))), fact
    result = simulate(ARMS, Coin(), horizon=9, replications=1, seed=0).attrs
    assert (result["paper"], result["variant"]) == ("ours2026", "printed, c = 4") and "Guarantee" in result["privacy"]
    assert family(Coin()) == "laplace" and account(Coin()) == (math.inf, False)
    found = audit(Coin(), problem=ARMS, horizon=2, runs=400)
    assert (found.promised, found.high_by) == (1.0, "none")


PLAYED = [
    lambda policy: simulate(ARMS, policy, horizon=5, replications=1, seed=0),
    lambda policy: trace(ARMS, policy, horizon=5, seed=0),
    lambda policy: audit(policy, problem=ARMS, horizon=2, runs=400),
    lambda policy: baselines.replay(policy, 1.0, horizon=10),
    account,
]


@pytest.mark.parametrize("used", PLAYED)
def test_a_fact_of_a_wrong_kind_is_refused_where_the_policy_is_used(used):
    for fact, value in (("privacy", 1.0), ("mechanism", "magic"), ("paper", None), ("horizon", -1)):
        with pytest.raises(ValueError, match=f"{fact} of coin must be"):
            used(type("Coin", (Coin,), {fact: value})())


def test_a_horizon_that_is_too_long_is_refused_in_a_run_and_in_an_audit():
    for used in (PLAYED[0], PLAYED[2]):
        with pytest.raises(ValueError, match="horizon must be <= 1, for which coin was calibrated"):
            used(type("Coin", (Coin,), {"horizon": 1})())
