"""What every policy says of itself, over all algorithms of the book."""

import inspect
import math
import pickle
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest

from private_bandits import baselines
from private_bandits.kernels import linear
from private_bandits.papers import cascading, contextual, heavy_tailed, semibandits
from private_bandits.policy import Mechanism, Noise, Policy
from private_bandits_book.algorithms import listed
from private_bandits_book.figures.look import FAMILY_COLOURS
from private_bandits_book.studies import family

ROOMS = [baselines, cascading, contextual, heavy_tailed, semibandits]
METHODS = {"rewards", "sphere", "newton", "gradient", "tsallis"}
ELSEWHERE = {*get_args(Mechanism), *get_args(Noise), *METHODS} - {"", "none"}
"""Words of what protects, of its noise and of a learner: they have fields of their own."""


@pytest.mark.parametrize("epsilon", [0.5, 4.0])
def test_the_mechanism_is_none_exactly_where_nothing_protects(epsilon):
    for _, policy in listed(epsilon):
        losses = policy.privacy.epsilon, policy.privacy.value_epsilon, policy.privacy.effective_epsilon
        assert (policy.mechanism == "none") == all(loss == math.inf for loss in losses), policy
        assert not policy.noise or policy.mechanism != "none", policy


@pytest.mark.parametrize("epsilon", [0.5, math.inf])
def test_every_policy_has_a_colour_and_keeps_its_kernel_in_another_process(epsilon):
    for _, policy in listed(epsilon):
        again = pickle.loads(pickle.dumps(policy))
        assert again.kernel is policy.kernel and type(again.record) is policy.kernel.Record
        assert facts(again) == facts(policy) and family(again) == family(policy)
        assert family(policy) in FAMILY_COLOURS, policy


def test_what_protects_is_that_of_the_trust_model():
    for _, policy in listed():
        trusts = {"response": {"local"}, "gaussian": {"local"}, "tree": {"central"}, "exponential": {"central"}}
        assert policy.privacy.trust in trusts.get(policy.mechanism, {policy.privacy.trust}), policy


def test_a_variant_names_neither_noise_nor_method():
    for epsilon in (1.0, math.inf):
        for _, policy in listed(epsilon):
            assert ELSEWHERE.isdisjoint(policy.variant[:1]), policy
            assert len(policy.variant) <= 2 and policy.version == ", ".join(filter(None, policy.variant))
    by_place = {(policy.name, policy.version) for _, policy in listed() if policy.paper == "zheng2020"}
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
        variant = policy.variant[0] if policy.variant else ""
        if "variant" in given.signature.parameters:
            given.arguments["variant"] = variant
            several += 1
        else:
            assert variant in ("", given.arguments.get("design"), given.arguments.get("over"))
        again = make(*given.args, **given.kwargs)
        assert facts(again) == facts(policy) and again.variant == policy.variant
    assert (several > 0) == (room is not baselines)


def facts(policy):
    """All that is said of a policy, and its constants, to compare."""
    numbers = [np.asarray(value).tolist() for value in policy.record]
    return [policy.name, policy.algorithm, policy.version, policy.method, policy.noise, policy.privacy, numbers]


def test_without_privacy_a_policy_keeps_its_colour():
    assert family(cascading.ucb_gaussian(math.inf, delta=1e-3, list_size=3)) == "gaussian"
    assert family(cascading.ucb_composition(math.inf, delta=1e-3, list_size=3)) == "composition"
    assert family(heavy_tailed.robust_ucb(v=1.0, u=1.0)) == "tree"
    assert family(heavy_tailed.robust_se(v=1.0, u=1.0, beta=0.1)) == "elimination"


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"mechanism": "magic"}, ValueError, "mechanism must be one of 'none', .* got 'magic'"),
        ({"noise": "loud"}, ValueError, "noise must be one of '', .* got 'loud'"),
        ({"record": (0,)}, TypeError, r"record must be a Record of private_bandits.kernels.index, got \(0,\)"),
        ({"kernel": linear}, TypeError, "record must be a Record of private_bandits.kernels.linear, got Record"),
    ],
)
def test_facts_of_another_kind_are_refused(change, error, message):
    with pytest.raises(error, match=message):
        replace(cascading.uniform(), **change)
