"""What every policy says of itself, over all algorithms of the book."""

import inspect
import math

import numpy as np
import pytest

from private_bandits import baselines
from private_bandits.papers import cascading, contextual, heavy_tailed, semibandits
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee
from private_bandits_book.algorithms import listed
from private_bandits_book.figures.look import FAMILY_COLOURS

MECHANISMS = {"none", "uniform", "laplace", "gaussian", "response", "tree", "exponential"}
ROOMS = [baselines, cascading, contextual, heavy_tailed, semibandits]
NOISES = {"", "classical", "analytic", "laplace", "composition"}
ELSEWHERE = (MECHANISMS | NOISES | {"rewards", "sphere", "newton", "gradient", "exp3", "tsallis"}) - {"", "none"}
"""Words of what protects, of its noise and of a learner: they have fields of their own."""


@pytest.mark.parametrize("epsilon", [0.5, 4.0, math.inf])
def test_the_mechanism_is_none_exactly_where_nothing_protects(epsilon):
    for _, policy in listed(epsilon):
        losses = policy.privacy.epsilon, policy.privacy.value_epsilon, policy.privacy.effective_epsilon
        assert (policy.mechanism == "none") == all(loss == math.inf for loss in losses), policy
        assert policy.mechanism in MECHANISMS and policy.noise in NOISES, policy
        assert not policy.noise or policy.mechanism != "none", policy
        assert policy.family in FAMILY_COLOURS, policy


def test_what_protects_is_that_of_the_trust_model():
    for _, policy in listed():
        trusts = {"response": {"local"}, "gaussian": {"local"}, "tree": {"central"}, "exponential": {"central"}}
        assert policy.privacy.trust in trusts.get(policy.mechanism, {policy.privacy.trust}), policy


def test_a_variant_names_neither_noise_nor_method():
    for epsilon in (1.0, math.inf):
        for _, policy in listed(epsilon):
            assert not ELSEWHERE & set(policy.variant.replace(",", "").split()), policy
            assert policy.version == ", ".join(fact for fact in (policy.variant, policy.options) if fact)
    by_place = {(policy.name, policy.version) for _, policy in listed() if policy.paper == "zheng2020"}
    assert ("Tsallis-INF", "tight, gaussian, classical") in by_place
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
        if inspect.isfunction(make) and make.__annotations__.get("return") in ("Policy", Policy):
            monkeypatch.setattr(room, name, recorded(make))
    rows = [policy for _, policy in room.algorithms(epsilon)]
    assert {id(policy) for policy in rows} == made.keys()
    several = 0
    for make, given, policy in made.values():
        if "variant" in given.signature.parameters:
            given.arguments["variant"] = policy.variant
            several += 1
        else:
            assert policy.variant in ("", given.arguments.get("design"), given.arguments.get("over"))
        again = make(*given.args, **given.kwargs)
        assert facts(again) == facts(policy) and again.variant == policy.variant
    assert (several > 0) == (room is not baselines)


def facts(policy):
    """All that is said of a policy, and its constants, to compare."""
    numbers = [np.asarray(value).tolist() for value in policy.record]
    return [policy.name, policy.algorithm, policy.version, policy.method, policy.noise, policy.privacy, numbers]


def test_without_privacy_a_policy_keeps_its_family_and_has_no_mechanism():
    free = Policy("", "", "", "", Guarantee.none(), (), "gaussian", "classical")
    paid = Policy("", "", "", "", Guarantee.certified(1.0, 1.0, "local", "a"), (), "gaussian", "classical")
    assert (free.family, free.mechanism, free.noise) == ("gaussian", "none", "")
    assert (paid.family, paid.mechanism, paid.noise) == ("gaussian", "gaussian", "classical")
    assert Policy("", "", "", "", Guarantee.none(), (), family="tree").family == "tree"
