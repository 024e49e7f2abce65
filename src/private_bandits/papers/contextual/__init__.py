"""Zheng et al. (2020), *Locally Differentially Private (Contextual) Bandits Learning*: algorithms, accounts, bounds."""

from typing import Any

from private_bandits.papers.contextual import bounds, instances
from private_bandits.papers.contextual.abbasi_private_rewards import linucb_private_rewards
from private_bandits.papers.contextual.algorithm_1 import one_point
from private_bandits.papers.contextual.algorithm_2 import STEPS, two_point
from private_bandits.papers.contextual.algorithm_3 import ldp_glm
from private_bandits.papers.contextual.algorithm_5 import ldp_linucb
from private_bandits.papers.contextual.chen_weighted_regression import weighted_regression
from private_bandits.papers.contextual.delta_trap import all_or_nothing
from private_bandits.papers.contextual.hanna_local import private_rewards
from private_bandits.papers.contextual.instances import convex, on_line, switching_arms
from private_bandits.papers.contextual.oful import linucb
from private_bandits.papers.contextual.online_to_confidence import gloc
from private_bandits.papers.contextual.shariff_joint import joint_linucb
from private_bandits.papers.contextual.stretched import by_stretches
from private_bandits.policy import Policy

__all__ = [
    "algorithms",
    "all_or_nothing",
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


def algorithms(epsilon: float, *, delta: float) -> list[tuple[str, Policy]]:
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
    given: dict[str, Any] = {"delta": delta, "dim": dim, "horizon": rounds}
    kinds: tuple[dict[str, Any], ...] = (
        {"delta": delta, "noise": "gaussian", "calibration": "analytic"},
        {"delta": 0.0, "noise": "laplace"},
    )
    one = [
        one_point(epsilon, problem=problem, delta=delta, horizon=rounds, learner=name)
        for name, problem in losses.items()
    ]
    one += [one_point(epsilon, problem=quadratic, horizon=rounds, learner="hazan_levy", **kind) for kind in kinds]
    one.append(one_point(epsilon, problem=arms, delta=delta, horizon=rounds, variant="derived", learner="tsallis"))
    two = [two_point(epsilon, problem=quadratic, delta=delta, horizon=rounds, step=step) for step in STEPS]
    two += [two_point(epsilon, problem=quadratic, horizon=rounds, **kind) for kind in kinds]
    found = {
        "algorithm_1": one,
        "algorithm_2": two,
        "algorithm_3": [
            ldp_glm(epsilon, **given, variant=variant, calibration=calibration, responses=responses)
            for variant, calibration in (("printed", "classical"), ("repaired", "analytic"))
            for responses in ("bounded", "binary")
        ],
        "algorithm_5": [
            ldp_linucb(epsilon, **given),
            *(ldp_linucb(epsilon, **given, variant="derived", calibration=c) for c in ("classical", "analytic")),
            ldp_linucb(epsilon, dim=dim, horizon=rounds, variant="derived", noise="laplace"),
        ],
        "chen_weighted_regression": [weighted_regression(epsilon, **given)],
        "hanna_local": [private_rewards(epsilon, n_actions=dim, dim=dim, horizon=rounds)],
        "oful": [linucb(dim=dim)],
        "online_to_confidence": [gloc(dim=dim, horizon=rounds, learner=learner) for learner in ("newton", "gradient")],
        "abbasi_private_rewards": [linucb_private_rewards(epsilon, delta=delta, dim=dim)],
        "shariff_joint": [joint_linucb(epsilon, **given)],
    }
    return [(module, policy) for module, policies in found.items() for policy in policies]
