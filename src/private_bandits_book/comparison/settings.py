"""The settings of the comparison: a problem, what learns on it without privacy, and every private policy that fits.

A private policy is a function of its nominal epsilon; `paying` finds the one at which it pays what is asked.
"""

import itertools
import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq

from private_bandits import baselines
from private_bandits.papers import cascading, contextual, heavy_tailed, semibandits
from private_bandits.policy import Policy
from private_bandits.problems import Arms, ConvexLoss, SemiBandit

MEANS = (0.75, 0.625, 0.5, 0.375, 0.25)  # of the arms: those of Sajed and Sheffet (2019)
N_ITEMS, LIST_SIZE, WEIGHT, LIST_GAP = 20, 4, 0.2, 0.15  # of the lists: as in the chapter on cascading bandits
N_ARMS, SIZE, GOOD, BAD = 6, 3, 0.5, 0.2  # of the super arms, which are all sets of that size
DIM, ACTION_GAP = 2, 0.05  # of the linear contexts: two orthogonal actions, always the same
PARETO_SETTING, V, SPARE_SHAPE = 1, 0.9, 0.05
"""The slides' first means, the moment that algorithms are told, and how far the law's shape is above 1 + v."""
_FAR = 1e3  # the factor within which nominal and paid epsilon lie
Maker = Callable[[float], Policy]


class Setting(NamedTuple):
    """A family of problems: one instance, and the policies for it."""

    problem: Any
    plain: tuple[Policy, ...]  # without privacy, as their papers print them
    private: tuple[Maker, ...]
    others: Mapping[int, Any]  # the problem in another form, by the place of the private policies that need it


def kept(policy: Policy) -> bool:
    """Return whether everything that a policy releases has a finite certified epsilon."""
    paid = policy.privacy.effective_epsilon
    return paid is not None and math.isfinite(paid)


def paying(make: Maker, epsilon: float) -> Policy:
    """Return the policy that pays epsilon for all it releases; one that leaks, or pays none, has it as its promise."""
    policy = make(epsilon)
    if not kept(policy):
        return policy

    def excess(log_nominal: float) -> float:
        paid = make(math.exp(log_nominal)).privacy.effective_epsilon
        assert paid is not None
        return math.log(max(paid, 1e-300) / epsilon)

    at = math.log(epsilon)
    if not math.isclose(math.exp(excess(at)), 1.0, rel_tol=1e-12):
        policy = make(math.exp(brentq(excess, at - math.log(_FAR), at + math.log(_FAR), xtol=1e-14, rtol=1e-14)))
    return policy


def arms(rounds: int, delta: float) -> Setting:
    """Five Bernoulli arms; the learners of Algorithm 1 see their losses in the simplex."""
    problem = Arms.bernoulli(np.array(MEANS))
    simplex = ConvexLoss.from_arms(problem)
    listed: tuple[Maker, ...] = (
        partial(baselines.dp_se, n_arms=len(MEANS), horizon=rounds),
        baselines.adap_ucb,
        baselines.adap_klucb,
        baselines.dp_klucb,
        partial(baselines.replay, baselines.thompson(), horizon=rounds),
        baselines.ldp_ucb_laplace,
        baselines.ldp_ucb_response,
        baselines.kl_ucb_cf,
    )
    wrapped = tuple(
        partial(contextual.one_point, simplex, rounds, delta=delta, learner=learner, variant=variant)
        for learner, variant in (("exp3", "printed"), ("tsallis", "printed"), ("tsallis", "tight"))
    )
    others = dict.fromkeys(range(len(listed), len(listed) + len(wrapped)), simplex)
    return Setting(problem, (baselines.ucb(),), listed + wrapped, others)


def lists(rounds: int, delta: float) -> Setting:
    """A cascade, B_LB."""
    size = LIST_SIZE
    blocks = partial(cascading.repaired_central, n_items=N_ITEMS, list_size=size, horizon=rounds)
    hybrid = partial(cascading.ucb_hybrid, n_items=N_ITEMS, horizon=rounds)
    made: list[Maker] = [partial(blocks, design=design) for design in ("keep", "forget", "counter")]
    made.append(partial(cascading.repaired_local, list_size=size))
    padded: tuple[dict[str, Any], ...] = {}, {"delta": delta}, {"over": "displays"}
    made += [partial(cascading.repaired_padded, list_size=size, **more) for more in padded]
    for factor in (1.0, 0.01):
        approximate: dict[str, Any] = {"delta": delta, "list_size": size, "noise_multiplier": factor}
        made += [
            partial(hybrid, noise_multiplier=factor),
            partial(hybrid, noise_multiplier=factor, variant="proof"),
            partial(cascading.ucb_laplace, list_size=size, noise_multiplier=factor),
            partial(cascading.ucb_gaussian, **approximate),
            partial(cascading.ucb_composition, **approximate),
        ]
    plain = cascading.cascade_ucb1(), cascading.cascade_ucb1(True)
    return Setting(cascading.b_lb(N_ITEMS, size, WEIGHT, LIST_GAP), plain, tuple(made), {})


def super_arms(rounds: int, delta: float) -> Setting:
    """All sets of three of six arms, the sum of their rewards."""
    means = np.repeat([GOOD, BAD], [SIZE, N_ARMS - SIZE])
    problem = SemiBandit.from_sets(means, list(itertools.combinations(range(N_ARMS), SIZE)))
    made: list[Maker] = [
        partial(semibandits.super_arm_radius, horizon=rounds),
        partial(semibandits.cucb_blocks, size=SIZE, n_arms=N_ARMS, horizon=rounds),
        partial(semibandits.cucb_hypercube, size=SIZE, horizon=rounds),
    ]
    for variant in semibandits.VARIANTS:
        sizes: dict[str, Any] = {"size": SIZE, "n_arms": N_ARMS, "horizon": rounds, "variant": variant}
        made += [
            partial(semibandits.cucb_ldp1, size=SIZE, variant=variant),
            partial(semibandits.cucb_ldp2, variant=variant),
            partial(semibandits.cucb_dp, **sizes),
            partial(semibandits.cucb_dp_least_pulled, **sizes),
            partial(cascading.cucb_gaussian, delta=delta, n_items=N_ARMS, list_size=SIZE, variant=variant),
        ]
    return Setting(problem, (semibandits.cucb(), semibandits.cucb("least")), tuple(made), {})


def linear(rounds: int, delta: float) -> Setting:
    """Two orthogonal actions in the plane, and policies whose server solves once a stretch of rounds."""
    sizes: dict[str, Any] = {"dim": DIM, "horizon": rounds}
    algorithm_5 = partial(contextual.ldp_linucb, **sizes)
    noises: tuple[dict[str, Any], ...] = (
        {"delta": delta},
        {"delta": delta, "variant": "derived", "noise": "analytic"},
        {"delta": None, "variant": "derived", "noise": "laplace"},
    )
    made: list[Maker] = [partial(stretched, partial(algorithm_5, **noise)) for noise in noises]
    made += [partial(make, delta=delta, **sizes) for make in (contextual.weighted_regression, contextual.joint_linucb)]
    plain = contextual.by_stretches(contextual.linucb(DIM))
    return Setting(contextual.instances.one_set(DIM, gap=ACTION_GAP), (plain,), tuple(made), {})


def stretched(make: Maker, epsilon: float) -> Policy:
    """Return the policy with a server that solves once a stretch."""
    return contextual.by_stretches(make(epsilon))


def pareto(rounds: int, delta: float) -> Setting:
    """Five Pareto arms, and the policies that play whole epochs."""
    problem = heavy_tailed.setting(PARETO_SETTING, V, 1.0 + V + SPARE_SHAPE)
    u, beta = problem.moment(V), 1.0 / rounds
    made: tuple[Maker, ...] = (
        partial(heavy_tailed.dp_robust_se, v=V, u=u, beta=beta),
        partial(heavy_tailed.adap_robust_ucb, v=V, u=u, horizon=rounds),
        partial(heavy_tailed.quantile_se, beta=beta),
        partial(heavy_tailed.ldp_robust_se, v=V, u=u, beta=beta),
        partial(heavy_tailed.ldp_robust_se, v=V, u=u, beta=beta, variant="slide_rate"),
    )
    return Setting(problem, (heavy_tailed.robust_se(V, u, beta),), made, {})


def called(make: Maker) -> str:
    """Return the library's function that makes the policy, as one calls it: `cascading.repaired_local`."""
    while isinstance(make, partial):
        make = make.args[0] if make.func is stretched else make.func
    _, package, *rest = make.__module__.split(".")
    return f"{rest[0] if package == 'papers' else package}.{make.__name__}"


SETTINGS = {"arms": arms, "lists": lists, "super_arms": super_arms, "linear": linear, "pareto": pareto}
LONG = ("linear", "pareto")  # played to the long horizon
