"""What every policy says of itself, over all algorithms of the book."""

import inspect
import math
import pickle
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import get_args

import numpy as np
import pytest
from copied import on_a_copy

from private_bandits import Arms, audit, baselines, simulate, trace
from private_bandits.papers import cascading, contextual, heavy_tailed, semibandits
from private_bandits.policy import Calibration, Mechanism, Player, Policy, playable
from private_bandits.privacy import Guarantee, concentrated_epsilon
from private_bandits.privacy.accounts import account
from private_bandits_book.chapters.audit import cases
from private_bandits_book.pages.algorithms import listed
from private_bandits_book.runs import family

ARMS = Arms.bernoulli([0.5, 0.4])
ROOMS = [baselines, cascading, contextual, heavy_tailed, semibandits]
METHODS = {"rewards", "sphere", "newton", "gradient", "tsallis"}
ELSEWHERE = {*get_args(Mechanism), *get_args(Calibration), *METHODS} - {"", "none"}
"""Words of what protects, of its noise and of a learner: they have fields of their own."""


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


def test_a_variant_names_neither_noise_nor_method():
    for epsilon in (1.0, math.inf):
        for _, policy in listed(epsilon):
            assert policy.chosen not in ELSEWHERE, policy
            assert policy.variant == policy.chosen or policy.variant.startswith(policy.chosen and f"{policy.chosen}, ")
    by_place = {(policy.name, policy.variant) for _, policy in listed() if policy.paper == "zheng2020"}
    assert ("Tsallis-INF", "derived, gaussian, classical") in by_place
    assert ("LDP-GLOC", "repaired, analytic, bounded rewards") in by_place


@pytest.mark.parametrize("epsilon", [0.5, 3.0])
@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.__name__)
def test_a_variant_is_what_its_constructor_is_called_with(room, epsilon, monkeypatch):
    """Every row of the table of algorithms: called with the variant of the row, its constructor gives that policy."""
    made = {}

    def recorded(make):
        def call(*given, **named):
            policy = make(*given, **named)
            made[id(policy)] = make, inspect.signature(make).bind(*given, **named), policy
            return policy

        return call

    for name, make in list(vars(room).items()):
        if inspect.isfunction(make) and (make.__annotations__.get("return") in ("Policy", Policy) or name == "replay"):
            monkeypatch.setattr(room, name, recorded(make))
    rows = [policy for _, policy in room.algorithms(epsilon, delta=1e-3)]
    assert {id(policy) for policy in rows} == made.keys()
    several = 0
    for make, given, policy in made.values():
        if "variant" in given.signature.parameters:
            given.arguments["variant"] = policy.chosen
            several += 1
        else:
            assert policy.chosen in ("", given.arguments.get("design"), given.arguments.get("over"))
        again = make(*given.args, **given.kwargs)
        assert facts(again) == facts(policy)
    assert (several > 0) == (room is not baselines)


def facts(policy):
    """All that is said of a policy, and its constants, to compare."""
    numbers = [np.asarray(value).tolist() for value in policy.record]
    told = [getattr(policy, name) for name in ("name", "algorithm", "variant", "chosen", "method", "calibration")]
    return [*told, policy.privacy, numbers]


def test_without_privacy_a_policy_keeps_its_colour():
    assert family(cascading.ucb_gaussian(math.inf, delta=1e-3, list_size=3)) == "gaussian"
    assert family(cascading.ucb_composition(math.inf, delta=1e-3, list_size=3)) == "composition"
    assert family(heavy_tailed.robust_ucb(v=1.0, u=1.0)) == "tree"
    assert family(heavy_tailed.robust_se(v=1.0, u=1.0, beta=0.1)) == "elimination"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mechanism": "magic"}, "mechanism must be one of 'none', .* got 'magic'"),
        ({"calibration": "loud"}, "calibration must be one of '', .* got 'loud'"),
        ({"record": (0,)}, r"record must be the Record of a kernel, got \(0,\)"),
        ({"record": Arms.bernoulli([0.5]).record()}, "record must be the Record of a kernel, got ListRecord"),
    ],
)
def test_facts_of_another_kind_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        replace(cascading.uniform(), **change)


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
@pytest.mark.parametrize(
    ("fact", "value", "message"),
    [
        ("privacy", "1-DP", "privacy of coin must be a Guarantee or 'not stated', got '1-DP'"),
        ("privacy", 1.0, "privacy of coin must be a Guarantee or 'not stated', got 1.0"),
        ("mechanism", "magic", "mechanism of coin must be one of 'none', .* got 'magic'"),
        ("calibration", "loud", "calibration of coin must be one of '', .* got 'loud'"),
        ("paper", None, "paper of coin must be text, got None"),
        ("variant", ("printed",), r"variant of coin must be text, got \('printed',\)"),
        ("horizon", -1, "horizon of coin must be >= 0, got -1"),
    ],
)
def test_a_fact_of_a_wrong_kind_is_refused_where_the_policy_is_used(used, fact, value, message):
    with pytest.raises(ValueError, match=message):
        used(type("Coin", (Coin,), {fact: value})())


@pytest.mark.parametrize("used", PLAYED)
@pytest.mark.parametrize("thing", [3, Coin, SimpleNamespace(name="idle"), SimpleNamespace(start=print)], ids=repr)
def test_what_is_no_policy_is_a_value_error_everywhere(used, thing):
    with pytest.raises(ValueError, match=r"^(policy|target) must be a "):
        used(thing)


def test_a_horizon_that_is_too_long_is_refused_in_a_run_and_in_an_audit():
    for used in (PLAYED[0], PLAYED[2]):
        with pytest.raises(ValueError, match="horizon must be <= 1, for which coin was calibrated"):
            used(type("Coin", (Coin,), {"horizon": 1})())
