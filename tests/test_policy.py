"""What every policy says of itself, over all algorithms of the book."""

import math

import pytest

from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee
from private_bandits_book.algorithms import listed
from private_bandits_book.figures import FAMILY_COLOURS

MECHANISMS = {"none", "uniform", "laplace", "gaussian", "response", "tree", "exponential"}
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
            assert policy.version in (policy.variant, f"{policy.variant}, {policy.options}")
    by_place = {(policy.name, policy.version) for _, policy in listed() if policy.paper == "zheng2020"}
    assert ("Tsallis-INF", "tight, gaussian, classical") in by_place
    assert ("LDP-GLOC", "repaired, analytic, bounded rewards") in by_place


def test_without_privacy_a_policy_keeps_its_family_and_has_no_mechanism():
    free = Policy("", "", "", "", Guarantee.none(), (), "gaussian", "classical")
    paid = Policy("", "", "", "", Guarantee.certified(1.0, 1.0, "local", "a"), (), "gaussian", "classical")
    assert (free.family, free.mechanism, free.noise) == ("gaussian", "none", "")
    assert (paid.family, paid.mechanism, paid.noise) == ("gaussian", "gaussian", "classical")
    assert Policy("", "", "", "", Guarantee.none(), (), family="tree").family == "tree"
