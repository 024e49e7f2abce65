"""Zheng et al. (2020), *Locally Differentially Private (Contextual) Bandits Learning*: algorithms, accounts, bounds."""

from private_bandits.papers.contextual import bounds, instances
from private_bandits.papers.contextual.algorithm_1 import one_point
from private_bandits.papers.contextual.algorithm_2 import STEPS, two_point
from private_bandits.papers.contextual.algorithm_3 import ldp_glm
from private_bandits.papers.contextual.algorithm_5 import ldp_linucb
from private_bandits.papers.contextual.chen_weighted_regression import weighted_regression
from private_bandits.papers.contextual.hanna_local import private_rewards
from private_bandits.papers.contextual.instances import convex, on_line, switching_arms
from private_bandits.papers.contextual.oful import linucb
from private_bandits.papers.contextual.online_to_confidence import gloc
from private_bandits.papers.contextual.trust_models import by_stretches, joint_linucb, linucb_private_rewards
from private_bandits.policy import Policy

__all__ = [
    "algorithms",
    "bounds",
    "by_stretches",
    "gloc",
    "instances",
    "joint_linucb",
    "ldp_glm",
    "ldp_linucb",
    "linucb",
    "linucb_private_rewards",
    "one_point",
    "private_rewards",
    "two_point",
    "weighted_regression",
]


def algorithms(epsilon: float = 1.0, delta: float = 1e-3) -> list[tuple[str, Policy]]:
    """Every algorithm of the paper and its variants, the learners without privacy last; for 1,000 rounds, d = 2.

    Parameters
    ----------
    epsilon : float
        Of a user, > 0.
    delta : float
        Of Gaussian noise, in (0, 1).

    Returns
    -------
    list of (str, Policy)
        The module that has the algorithm, and the policy.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    quadratic, arms, rounds, dim = convex("quadratic"), switching_arms(), 1000, 2
    losses = {
        "sphere": convex("distance"),
        "sphere_strong": convex("kinked"),
        "saha_tewari": convex("smooth"),
        "hazan_levy": quadratic,
        "stochastic": on_line(),
        "tsallis": arms,
    }
    noises = (("gaussian", "classical", delta), ("gaussian", "analytic", delta), ("laplace", "classical", None))
    private = (epsilon, delta, dim, rounds)
    one = [one_point(problem, rounds, epsilon, delta, name) for name, problem in losses.items()]
    two = [two_point(quadratic, rounds, epsilon, delta, step) for step in STEPS]
    for noise, method, failure in noises[1:]:
        one.append(one_point(quadratic, rounds, epsilon, failure, "hazan_levy", noise, method))
        two.append(two_point(quadratic, rounds, epsilon, failure, noise=noise, method=method))
    one.append(one_point(arms, rounds, epsilon, delta, "tsallis", variant="tight"))
    found = {
        "algorithm_1": one,
        "algorithm_2": two,
        "algorithm_3": [
            ldp_glm(*private, variant, noise, responses=responses)
            for variant, noise in (("printed", "classical"), ("repaired", "analytic"))
            for responses in ("bounded", "binary")
        ],
        "algorithm_5": [
            ldp_linucb(*private),
            *(ldp_linucb(*private, "derived", n) for n in ("classical", "analytic")),
            ldp_linucb(epsilon, None, dim, rounds, "derived", "laplace"),
        ],
        "chen_weighted_regression": [weighted_regression(*private)],
        "hanna_local": [private_rewards(epsilon, dim, dim, rounds)],
        "oful": [linucb(dim)],
        "online_to_confidence": [gloc(dim, rounds, learner) for learner in ("newton", "gradient")],
        "trust_models": [linucb_private_rewards(epsilon, delta, dim), joint_linucb(*private)],
    }
    return [(module, policy) for module, policies in found.items() for policy in policies]
