"""Who takes part in the benchmark: every policy with its constants, as a theorem has them or as they were tuned.

All are tuned alike: sixteen settings of at most two numbers, on the same calibration instances.
"""

import dataclasses
import math
from collections.abc import Callable, Mapping
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from private_bandits import baselines, checks
from private_bandits.papers import cascading, contextual, heavy_tailed, semibandits
from private_bandits.papers.contextual.accounting import LARGEST_REWARD
from private_bandits.policy import playable
from private_bandits.privacy import Guarantee
from private_bandits.problems import Arms, Cascade, LinearContext, SemiBandit
from private_bandits_book import rivals
from private_bandits_book.chapters.comparison.paying import paying
from private_bandits_book.rivals.exceedance_counts import on_bits

__all__ = ["ENTRANTS", "FREE", "TUNED", "WORDS", "Entrant", "Setting", "guarantee", "kinds", "made", "moment_of"]
__all__ += ["without_contexts"]

_PROBLEMS: Mapping[str, type] = {
    "arms": Arms,
    "lists": Cascade,
    "sets": SemiBandit,
    "contexts": LinearContext,
    "pairs": LinearContext,
    "tails": Arms,
}
WORDS: Mapping[str, str] = {
    "arms": "arms",
    "lists": "lists",
    "sets": "sets of arms",
    "contexts": "linear contexts",
    "pairs": "one set of actions for all",
    "tails": "heavy tails",
}
FIRSTS, COSTS = (1.0, 2.0, 4.0, 8.0), (0.0625, 0.125, 0.25, 0.5)


class Setting(NamedTuple):
    """What a policy may be told: the problem's sizes, the horizon, and a delta that is a tenth of one user in T."""

    problem: Any
    horizon: int

    @property
    def delta(self) -> float:
        """Return 1 / (10 T)."""
        return 0.1 / self.horizon

    def first(self, epsilon: float, factor: float) -> int:
        """Return a multiple of the pulls at which noise and sampling of a mean weigh alike, >= 1; 0 is one pull."""
        price = math.log(self.horizon) / min(epsilon, 1e6) ** 2
        return max(1, math.ceil(factor * min(0.5 + math.sqrt(0.25 + price), self.horizon)))


class Entrant(NamedTuple):
    """A policy of the benchmark.

    Attributes
    ----------
    make : callable
        Takes a setting, the nominal epsilon, and the tuned numbers, if any; returns the policy.
    proved : str
        The theorem that has its constants; empty where they were tuned.
    grid : sequence of tuples
        The numbers that were tried; one empty tuple where nothing is tuned.
    slow : bool
        Whether it is in Python, and takes part at fewer epsilons and horizons.
    fixed : bool
        Whether it has no constant that could be tuned, and so takes part in both classes.
    dear : bool
        Whether a run in Python takes a second, and there are fewer.
    range : float
        Of one that ignores contexts and plays the pair as two arms: the r with which a reward, clipped to [-r, r], is
        rounded to a bit at random, without bias; 1 stands for the sign of the reward, as the sign has that mean too
        where noise is uniform on [-1, 1]. 0 for one that reads contexts.
    """

    make: Callable[..., Any]
    proved: str = ""
    grid: tuple[tuple[float, ...], ...] = ((),)
    slow: bool = False
    fixed: bool = False
    dear: bool = False
    range: float = 0.0


def made(kind: str, name: str, setting: Setting, epsilon: float, numbers: tuple[float, ...] | None = None) -> Any:
    """Return a policy of the benchmark that pays epsilon for all that it releases.

    Parameters
    ----------
    kind, name : str
        Of `ENTRANTS`.
    setting : Setting
    epsilon : float
        > 0.
    numbers : tuple of float, optional
        Default: the tuned ones.

    Returns
    -------
    Policy or object with `name` and `start(problem, choice, noise)`

    Raises
    ------
    ValueError
        If there is no such policy for this kind of problem, or the problem is of another kind.
    """
    entrants = ENTRANTS[checks.choice("kind", kind, [*ENTRANTS])]
    entrant = entrants[checks.choice("name", name, [*entrants])]
    if kind not in (fits := kinds(setting.problem)):
        got = WORDS[fits[0]] if fits else type(setting.problem).__name__
        raise ValueError(f"{name} plays {WORDS[kind]}, and not {got}")
    chosen = TUNED.get(kind, {}).get(name, ()) if numbers is None else numbers
    return paying(lambda nominal: entrant.make(setting, nominal, *chosen), epsilon)


def kinds(problem: Any) -> list[str]:
    """Return the kinds of problems that one is of, the narrowest first.

    Parameters
    ----------
    problem : object

    Returns
    -------
    list of str
        Of `ENTRANTS`; the same actions for all are contexts, too.
    """
    fits = [kind for kind, wanted in _PROBLEMS.items() if isinstance(problem, wanted)]
    tails, several = hasattr(problem, "shape"), len(getattr(problem, "sets", ())) != 1
    apart = {"arms": tails, "tails": not tails, "pairs": several}
    return [kind for kind in reversed(fits) if not apart.get(kind)]


def guarantee(policy: Any) -> str:
    """Return what a policy guarantees, in the words by which rankings are kept apart.

    Parameters
    ----------
    policy : Policy or object with `name` and `start(problem, choice, noise)`

    Returns
    -------
    str
        "central, pure" for instance; "none" without privacy, "unknown" where nothing finite is certified.
    """
    stated = playable(policy).privacy
    if not isinstance(stated, Guarantee):
        return "unknown"
    if math.isinf(stated.epsilon) and stated.trust == "none":
        return "none"
    if stated.effective_epsilon is None or math.isinf(stated.effective_epsilon):
        return "unknown"
    kind = "approximate" if stated.effective_delta else "pure"
    return f"{stated.trust}{', joint' * stated.joint}, {kind}"


def _adap(policy: Callable[..., Any]) -> Callable[..., Any]:
    return lambda setting, epsilon, factor=1.0: policy(epsilon, alpha=3.1 * factor)


def _begun(s: Setting, epsilon: float, first: float, factor: float) -> Any:
    """AdaP-KLUCB with a longer first episode of each arm, as its later ones double whatever that is."""
    policy = baselines.adap_klucb(epsilon, alpha=3.1 * factor)
    record: Any = policy.record
    record = record._replace(first=s.first(epsilon, first))
    return dataclasses.replace(policy, record=record, variant=f"first {record.first}, alpha {3.1 * factor:g}")


def _scaled(policy: Any, **factors: float) -> Any:
    """A compiled policy with some of its record's numbers multiplied."""
    changed = {name: getattr(policy.record, name) * factor for name, factor in factors.items()}
    return dataclasses.replace(policy, record=policy.record._replace(**changed))


def _replayed_ucb(s: Setting, epsilon: float, alpha: float, cost: float) -> Any:
    inside = baselines.ucb(alpha=alpha)
    price = cost * math.log(s.horizon) / min(epsilon, 1e6) ** 2
    return baselines.replay(inside, epsilon, horizon=s.horizon, cost=price)


def _replayed_thompson(s: Setting, epsilon: float, first: float, cost: float) -> Any:
    price, begun = cost * math.log(s.horizon) / min(epsilon, 1e6) ** 2, s.first(epsilon, first)
    return baselines.replay(baselines.thompson(), epsilon, horizon=s.horizon, first=begun, cost=price)


def _theorem_2(s: Setting, epsilon: float) -> Any:
    cost = 9.0 * math.log(s.horizon) / min(epsilon, 1e6) ** 2
    return baselines.replay(baselines.ucb(alpha=3.0, horizon=s.horizon), epsilon, horizon=s.horizon, cost=cost)


def _sixteen(least: int) -> tuple[tuple[float, ...], ...]:
    """Factors of what a policy comes with that has one number to tune, over eight powers of 2."""
    return tuple((float(f"{2.0**power:.3g}"),) for power in np.linspace(least, least + 8, 16))


_ONE = _sixteen(-6)
_BY_PULLS = Entrant(
    lambda s, e, level: rivals.LevelByPulls(e, horizon=s.horizon, level=level),
    grid=_sixteen(-4),
    slow=True,
)
_IMPROVEMENT_BITS = Entrant(
    lambda s, e, first, cost: rivals.ImprovementBits(e, horizon=s.horizon, first=first, cost=cost),
    grid=tuple(product((0.5, 1.0, 2.0, 4.0), (0.5, 1.0, 1.5, 3.0))),
    slow=True,
)
_ONE_EXPLORER = Entrant(
    lambda s, e, first, cost: rivals.OneExplorer(e, horizon=s.horizon, first=first, cost=cost),
    grid=tuple(product((0.5, 1.0, 2.0, 4.0), (0.5, 1.0, 1.5, 3.0))),
    slow=True,
)
_BATCH_BY_BATCH = Entrant(
    lambda s, e, first, level: rivals.BatchByBatch(e, horizon=s.horizon, first=first, level=level),
    grid=tuple(product(FIRSTS, (0.5, 0.7, 1.0, 1.4))),
    slow=True,
)
ARMS = {
    "Thompson, replayed": Entrant(_replayed_thompson, grid=tuple(product(FIRSTS, COSTS))),
    "UCB, replayed": Entrant(_replayed_ucb, grid=tuple(product(COSTS, COSTS))),
    "DP-KLUCB": Entrant(
        lambda s, e, first, level: baselines.dp_klucb(e, first=s.first(e, first), level=level),
        grid=tuple(product(FIRSTS, (0.2, 0.3, 0.4, 0.6))),
    ),
    "DP-KLUCB, batch by batch": _BATCH_BY_BATCH,
    "Expected improvement": Entrant(
        lambda s, e, first, cost: rivals.ExpectedImprovement(e, horizon=s.horizon, first=first, cost=cost),
        grid=tuple(product((1.0, 1.5, 2.0, 3.0), (0.5, 1.0, 2.0, 4.0))),
        slow=True,
    ),
    "Expected improvement, shared prior": Entrant(
        lambda s, e, first, cost: rivals.ExpectedImprovement(e, horizon=s.horizon, first=first, cost=cost, shared=True),
        grid=tuple(product((1.0, 1.5, 2.0, 3.0), (0.5, 1.0, 2.0, 4.0))),
        slow=True,
    ),
    "DP-IMED": Entrant(
        lambda s, e, first, ratio: rivals.DPIMED(e, first=s.first(e, first), ratio=ratio),
        grid=tuple(product(FIRSTS, (1.25, 1.5, 2.0, 3.0))),
        slow=True,
    ),
    "AdaP-UCB": Entrant(_adap(baselines.adap_ucb), grid=_ONE),
    "AdaP-KLUCB": Entrant(_begun, grid=tuple(product((2.0, 4.0, 8.0, 16.0), (0.02, 0.03, 0.045, 0.07)))),
    "Lazy-DP-TS": Entrant(lambda s, e, factor: rivals.LazyDPTS(e, level=3.0 * factor), grid=_ONE, slow=True),
    "Anytime-Lazy-UCB": Entrant(
        lambda s, e, width, extra: rivals.LazyUCB(e, width=width, extra=extra),
        grid=tuple(product((0.1, 0.3, 1.0, 3.0), repeat=2)),
        slow=True,
    ),
    "Discrete elimination": Entrant(
        lambda s, e, width, extra: rivals.DiscreteSE(e, horizon=s.horizon, width=width, extra=extra),
        grid=tuple(product((0.1, 0.2, 0.5, 1.0), repeat=2)),
        slow=True,
    ),
    "UCB, replayed, as proved": Entrant(_theorem_2, "Theorem 2 of the page on replay"),
    "DP-SE, as proved": Entrant(
        lambda s, e: baselines.dp_se(e, n_arms=s.problem.n_arms, horizon=s.horizon),
        "Sajed and Sheffet (2019), Theorem 4.2",
    ),
    "AdaP-UCB, as proved": Entrant(_adap(baselines.adap_ucb), "Azize and Basu (2022), Theorem 7"),
    "AdaP-KLUCB, as proved": Entrant(_adap(baselines.adap_klucb), "Azize and Basu (2022), Theorem 8"),
    "Lazy-DP-TS, as proved": Entrant(lambda s, e: rivals.LazyDPTS(e), "Hu and Hegde (2022), Theorem 4", slow=True),
    "DP-TS, as proved": Entrant(lambda s, e: rivals.DPTS(e), "Hu and Hegde (2022), Theorem 2", slow=True, dear=True),
    "Discrete elimination, as proved": Entrant(
        lambda s, e: rivals.DiscreteSE(e, horizon=s.horizon), "Chowdhury and Zhou (2023), Theorem 1", slow=True
    ),
    "Thompson, one bit": Entrant(
        lambda s, e: rivals.OneBit(e), "Gajane et al. (2018), Theorem 5", slow=True, fixed=True, dear=True
    ),
    "KL-UCB on bits, level by pulls": _BY_PULLS,
    "Expected improvement, one bit": _IMPROVEMENT_BITS,
    "LDP-UCB-B": Entrant(lambda s, e, factor: _scaled(baselines.ldp_ucb_response(e), terms=factor), grid=_ONE),
    "kl-UCB-CF, as proved": Entrant(
        lambda s, e: baselines.kl_ucb_cf(e), "Gajane et al. (2018), Theorem 3", slow=True, dear=True
    ),
    "LDP-UCB-B, as proved": Entrant(lambda s, e: baselines.ldp_ucb_response(e), "Ren et al. (2020), Theorem 2"),
    "AdaC-UCB": Entrant(
        lambda s, e, factor: rivals.AdaCUCB(e, delta=s.delta, alpha=3.1 * factor), grid=_ONE, slow=True
    ),
    "DP-TS-UCB": Entrant(
        lambda s, e, factor: rivals.DPTSUCB(e, horizon=s.horizon, delta=s.delta, c=8.26 * factor), grid=_ONE, slow=True
    ),
    "All or nothing": Entrant(
        lambda s, e: rivals.AllOrNothing(delta=s.delta), "(0, delta)-private", slow=True, dear=True
    ),
}


def _one_item(s: Setting, epsilon: float, first: float, cost: float) -> Any:
    price, begun = cost * math.log(s.horizon) / min(epsilon, 1e6) ** 2, s.first(epsilon, first)
    return baselines.replay(rivals.OneItem(), epsilon, horizon=s.horizon, first=begun, cost=price)


def _batches(s: Setting, epsilon: float, growth: float, cost: float) -> Any:
    return rivals.ListBatches(epsilon, horizon=s.horizon, growth=growth, cost=cost)


def _sizes(s: Setting) -> dict[str, int]:
    return {"n_arms": s.problem.n_arms, "list_size": s.problem.list_size, "horizon": s.horizon}


_LEVELS = (0.2, 0.3, 0.4, 0.6)
_SQUARE = tuple(product((0.5, 1.0, 2.0, 4.0), COSTS))
_SHARED = {
    "DP-KLUCB, batch by batch": _BATCH_BY_BATCH,
    "DP-KLUCB, one item": Entrant(
        lambda s, e, first, level: rivals.OneItemIndex(e, first=s.first(e, first), level=level),
        grid=tuple(product(FIRSTS, _LEVELS)),
        slow=True,
    ),
    "Thompson, one item, replayed": Entrant(_one_item, grid=_SQUARE, slow=True),
    "Thompson, batches of lists": Entrant(_batches, grid=_SQUARE, slow=True),
    "Thompson, one bit": Entrant(lambda s, e: rivals.OneBit(e), slow=True, dear=True),
    "KL-UCB on bits, level by pulls": _BY_PULLS,
    "Expected improvement, one bit": _IMPROVEMENT_BITS,
    "Expected improvement, one explorer": _ONE_EXPLORER,
    "All or nothing": Entrant(
        lambda s, e: rivals.AllOrNothing(delta=s.delta), "(0, delta)-private", slow=True, dear=True
    ),
}
LISTS = _SHARED | {
    "Thompson, whole reply": Entrant(
        lambda s, e, factor: rivals.WholeReply(e, list_size=s.problem.list_size, noisiness=factor),
        grid=_ONE,
        slow=True,
    ),
    "one bit": Entrant(
        lambda s, e, factor: _scaled(cascading.repaired_local(e, list_size=s.problem.list_size), terms=factor),
        grid=_ONE,
    ),
    "blocks, as proved": Entrant(
        lambda s, e: cascading.repaired_central(e, **_sizes(s), design="keep"), "the chapter's bound for blocks"
    ),
    "hybrid counters, as proved": Entrant(
        lambda s, e: cascading.repaired_central(e, **_sizes(s), design="counter"), "the chapter's bound for counters"
    ),
    "one bit, as proved": Entrant(
        lambda s, e: cascading.repaired_local(e, list_size=s.problem.list_size), "the chapter's bound for one bit"
    ),
    "padded, as proved": Entrant(
        lambda s, e: cascading.repaired_padded(e, list_size=s.problem.list_size), "the chapter's bound for padding"
    ),
}
SETS = _SHARED | {
    "Thompson, all bits": Entrant(lambda s, e: rivals.AllBits(e, list_size=s.problem.list_size), slow=True),
    "blocks, as proved": Entrant(
        lambda s, e: semibandits.cucb_blocks(e, **_sizes(s)), "the chapter's bound for blocks"
    ),
    "CUCB-DP, repaired, as proved": Entrant(
        lambda s, e: semibandits.cucb_dp(e, **_sizes(s), variant="repaired"), "Chen et al. (2020), Theorem 5, repaired"
    ),
    "super-arm radius": Entrant(
        lambda s, e, factor: _scaled(semibandits.super_arm_radius(e, horizon=s.horizon), level=factor), grid=_ONE
    ),
    "blocks": Entrant(
        lambda s, e, factor: _scaled(semibandits.cucb_blocks(e, **_sizes(s)), level=factor), grid=_sixteen(-10)
    ),
    "super-arm radius, as proved": Entrant(
        lambda s, e: semibandits.super_arm_radius(e, horizon=s.horizon), "the chapter's bound for the radius"
    ),
    "CUCB-LDP2, repaired, as proved": Entrant(
        lambda s, e: semibandits.cucb_ldp2(e, variant="repaired", horizon=s.horizon),
        "Chen et al. (2020), Theorem 3, repaired",
    ),
    "hypercube, as proved": Entrant(
        lambda s, e: semibandits.cucb_hypercube(e, list_size=s.problem.list_size, horizon=s.horizon),
        "the chapter's bound for the hypercube",
    ),
}


def moment_of(setting: Setting) -> dict[str, Any]:
    """Return what policies for heavy tails are told: the order of a moment that exists, and the least bound on it.

    Parameters
    ----------
    setting : Setting
        With arms that have a shape.

    Returns
    -------
    dict
        `v`, so that the order is 1 + v, and `u`.
    """
    v = setting.problem.shape - 1.05
    return {"v": v, "u": setting.problem.moment(v)}


def _episodes(s: Setting, epsilon: float, factor: float = 1.0) -> Any:
    width = factor * (1 + math.sqrt(2) + 1 / 3 + 2 * min(1.0, 1 / epsilon))
    return heavy_tailed.adap_robust_ucb(epsilon, **moment_of(s), horizon=s.horizon, width=width)


def _ladder(s: Setting, epsilon: float, first: float, level: float, local: bool = False) -> Any:
    return rivals.threshold_ladder(epsilon, horizon=s.horizon, first=first, level=level, local=local)


_SAFE = (0.3, 0.45, 0.6, 0.9)  # with less, or shorter phases, rare runs fail, which forty do not show
_LADDERS = {
    "threshold ladder": Entrant(_ladder, grid=tuple(product((16.0, 32.0, 64.0, 128.0), _SAFE))),
    "threshold ladder, local": Entrant(
        partial(_ladder, local=True), grid=tuple(product((8.0, 16.0, 32.0, 64.0), _SAFE))
    ),
}


TAILS = _LADDERS | {
    "exceedance counts": Entrant(
        lambda s, e, threshold, level: rivals.exceedance_counts(e, horizon=s.horizon, threshold=threshold, level=level),
        grid=tuple(product((0.5, 1.0, 2.0, 4.0), (0.3, 0.6, 1.0, 2.0))),
    ),
    "DP Robust SE": Entrant(
        lambda s, e, factor: heavy_tailed.dp_robust_se(e, **moment_of(s), beta=1 / s.horizon, c=24 * factor), grid=_ONE
    ),
    "episodes": Entrant(_episodes, grid=_ONE),
    "Quantile SE": Entrant(
        lambda s, e, factor: heavy_tailed.quantile_se(e, beta=1 / s.horizon, width=16 * factor), grid=_sixteen(-10)
    ),
    "DP Robust SE, as proved": Entrant(
        lambda s, e: heavy_tailed.dp_robust_se(e, **moment_of(s), beta=1 / s.horizon), "Tao et al. (2022), slides"
    ),
    "episodes, as proved": Entrant(_episodes, "the chapter's theorem on episodes"),
    "exceedance bits": Entrant(
        lambda s, e, threshold, level: rivals.exceedance_counts(
            e, horizon=s.horizon, threshold=threshold, level=level, local=True
        ),
        grid=tuple(product((0.5, 1.0, 2.0, 4.0), (0.3, 0.6, 1.0, 2.0))),
    ),
    "LDP Robust SE": Entrant(
        lambda s, e, factor: heavy_tailed.ldp_robust_se(e, **moment_of(s), beta=1 / s.horizon, c=24 * factor), grid=_ONE
    ),
    "LDP Robust SE, as proved": Entrant(
        lambda s, e: heavy_tailed.ldp_robust_se(e, **moment_of(s), beta=1 / s.horizon), "the chapter's repair"
    ),
}


def _dims(s: Setting) -> dict[str, Any]:
    return {"delta": s.delta, "dim": s.problem.dim, "horizon": s.horizon}


def _algorithm_5(s: Setting, epsilon: float, factor: float = 1.0, **noise: Any) -> Any:
    how = {"variant": "derived", "calibration": "analytic", "bonus_factor": factor} | noise
    return contextual.by_stretches(contextual.ldp_linucb(epsilon, **(_dims(s) | how)))


def _joint(s: Setting, epsilon: float, factor: float) -> Any:
    policy = contextual.joint_linucb(epsilon, **_dims(s))
    record: Any = policy.record
    return dataclasses.replace(policy, record=record._replace(constants=record.constants._replace(factor=factor)))


_FEW_FIRST = tuple(product((4.0, 16.0, 64.0, 256.0), (0.0, 3.0, 10.0, 30.0)))


def _greedy(s: Setting, epsilon: float, first: float, radius: float, delta: float = 0.0) -> Any:
    sizes = {"dim": s.problem.dim, "horizon": s.horizon, "delta": delta}
    return rivals.greedy_epochs(epsilon, **sizes, first=first, radius=radius)


CONTEXTS = {
    "residual epochs": Entrant(
        lambda s, e, first, clip: rivals.residual_epochs(
            e, dim=s.problem.dim, horizon=s.horizon, first=first, clip=clip
        ),
        grid=tuple(product((2.0, 4.0, 8.0, 16.0), (0.5, 1.0, 1.5, 2.0))),
    ),
    "greedy epochs": Entrant(_greedy, grid=_FEW_FIRST),
    "greedy epochs, Gaussian": Entrant(
        lambda s, e, first, radius: _greedy(s, e, first, radius, s.delta), grid=_FEW_FIRST
    ),
    "LinUCB": Entrant(lambda s, e, factor: _joint(s, e, factor), grid=_ONE),
    "random lines": Entrant(
        lambda s, e, first, growth: rivals.random_lines(
            e, dim=s.problem.dim, horizon=s.horizon, first=first, growth=growth
        ),
        grid=tuple(product((2.0, 4.0, 8.0, 16.0), (0.03, 0.06, 0.12, 0.24))),
    ),
    "Algorithm 5": Entrant(_algorithm_5, grid=_ONE),
    "LinUCB, as proved": Entrant(lambda s, e: contextual.joint_linucb(e, **_dims(s)), "Shariff and Sheffet (2018)"),
    "Algorithm 5, as proved": Entrant(_algorithm_5, "Zheng et al. (2020), Theorem 8, derived"),
    "Algorithm 5, Laplace, as proved": Entrant(
        lambda s, e: _algorithm_5(s, e, noise="laplace", delta=0.0), "Zheng et al. (2020), Theorem 8, derived"
    ),
    "weighted regression, as proved": Entrant(
        lambda s, e: contextual.weighted_regression(e, **_dims(s)), "Chen et al. (2024)"
    ),
}


def without_contexts(problem: Any, largest: float) -> Arms:
    """The arms that a pair is for who ignores contexts, see `Entrant.range`."""
    return Arms.bernoulli((np.ravel(problem.means) + largest) / (2 * largest))


_LATE = tuple(product((4.0, 8.0, 16.0, 32.0), _LEVELS))
_SIGNS = tuple(product((8.0, 16.0, 32.0, 64.0), (0.45, 0.6, 0.8, 1.0)))  # as of `_SAFE`
_COUNTS = Entrant(lambda s, e, first, level: baselines.dp_klucb(e, first=s.first(e, first), level=level), grid=_LATE)
_BITS = Entrant(lambda s, e, first, level: on_bits(e, first=s.first(e, first), level=level), grid=_LATE)


def _clipped(s: Setting, epsilon: float, first: float, level: float, local: bool = False) -> Any:
    return rivals.clipped_rewards(epsilon, horizon=s.horizon, first=first, level=level, local=local)


def _by_squares(s: Setting, epsilon: float, first: float, level: float, local: bool = False) -> Any:
    return rivals.level_by_squares(epsilon, horizon=s.horizon, first=first, level=level, local=local)


_SURE = (0.4, 0.5, 0.7, 1.0)  # as of `_SAFE`
PAIRS = (
    CONTEXTS
    | _LADDERS
    | {
        "clipped rewards": Entrant(_clipped, grid=tuple(product((2.0, 4.0, 8.0, 16.0), _SAFE))),
        "clipped rewards, local": Entrant(
            partial(_clipped, local=True), grid=tuple(product((5.0, 10.0, 20.0, 40.0), _SURE))
        ),
        "clipped rewards, level by squares": Entrant(_by_squares, grid=tuple(product((2.0, 4.0, 8.0, 16.0), _SURE))),
        "clipped rewards, level by squares, local": Entrant(
            partial(_by_squares, local=True), grid=tuple(product((5.0, 10.0, 20.0, 40.0), (0.5, 0.7, 1.0, 1.4)))
        ),
        "DP-KLUCB, contexts ignored": _COUNTS._replace(range=LARGEST_REWARD),
        "DP-KLUCB on signs": _COUNTS._replace(range=1.0, grid=_SIGNS),
        "KL-UCB on bits, contexts ignored": _BITS._replace(range=LARGEST_REWARD),
        "KL-UCB on signs": _BITS._replace(range=1.0, grid=_SIGNS),
        "LinUCB": CONTEXTS["LinUCB"]._replace(grid=_sixteen(-13)),
        "Algorithm 5": CONTEXTS["Algorithm 5"]._replace(grid=_sixteen(-13)),
        "private rewards, as proved": Entrant(
            lambda s, e: contextual.private_rewards(
                e, dim=s.problem.dim, n_actions=s.problem.n_actions, horizon=s.horizon
            ),
            "Hanna et al. (2022)",
        ),
    }
)


ENTRANTS: Mapping[str, Mapping[str, Entrant]] = {
    "arms": ARMS,
    "lists": LISTS,
    "sets": SETS,
    "contexts": CONTEXTS,
    "pairs": PAIRS,
    "tails": TAILS,
}
"""By kind of problem and name; what runs with the constants of a theorem says so."""
_OBSERVED = {
    "Thompson": lambda s: rivals.AllObserved(),
    "Thompson, least first": lambda s: rivals.AllObserved(least_first=True),
}


def _linucb(s: Setting, factor: float) -> Any:
    return contextual.by_stretches(_scaled(contextual.linucb(dim=s.problem.dim), factor=factor))


_LINUCB = {
    f"LinUCB, bonus times {factor:g}": partial(_linucb, factor=factor) for factor in (1.0, 0.3, 0.2, 0.15, 0.1, 0.03)
} | {
    f"epochs, radius {radius:g}": partial(_greedy, epsilon=math.inf, first=4.0, radius=radius) for radius in (3.0, 10.0)
}


def _freed(kind: str, name: str) -> Callable[[Setting], Any]:
    """A private policy with its tuned numbers, without noise."""
    return lambda s: ENTRANTS[kind][name].make(s, math.inf, *TUNED[kind][name])


FREE: Mapping[str, Mapping[str, Callable[[Setting], Any]]] = {
    "arms": {
        "Thompson": lambda s: baselines.thompson(),
        "UCB(0.5)": lambda s: baselines.ucb(alpha=0.5),
        "DP-KLUCB, without noise": _freed("arms", "DP-KLUCB"),
        "DP-KLUCB, batch by batch, without noise": _freed("arms", "DP-KLUCB, batch by batch"),
        "KL-UCB, level by pulls": _freed("arms", "KL-UCB on bits, level by pulls"),
        "Expected improvement, without noise": _freed("arms", "Expected improvement"),
        "shared prior, without noise": _freed("arms", "Expected improvement, shared prior"),
    },
    "lists": _OBSERVED
    | {
        "CascadeUCB1": lambda s: cascading.cascade_ucb1(least_first=True),
        "DP-KLUCB, batch by batch, without noise": _freed("lists", "DP-KLUCB, batch by batch"),
        "Expected improvement, without noise": _freed("lists", "Expected improvement, one bit"),
    },
    "sets": {
        "Thompson": lambda s: rivals.AllObserved(),
        "CUCB": lambda s: semibandits.cucb(),
        "DP-KLUCB, batch by batch, without noise": _freed("sets", "DP-KLUCB, batch by batch"),
        "Expected improvement, without noise": _freed("sets", "Expected improvement, one bit"),
    },
    "contexts": _LINUCB,
    "pairs": _LINUCB,
    "tails": {
        "Robust SE": lambda s: heavy_tailed.robust_se(**moment_of(s), beta=1 / s.horizon),
        "episodes": lambda s: _episodes(s, math.inf),
        "Quantile SE": lambda s: heavy_tailed.quantile_se(math.inf, beta=1 / s.horizon),
    },
}
"""Policies without privacy, of which the one with the least regret on an instance is the base of its prices."""
TUNED: Mapping[str, Mapping[str, tuple[float, ...]]] = {
    "arms": {
        "Thompson, replayed": (4.0, 0.0625),
        "UCB, replayed": (0.125, 0.25),
        "DP-KLUCB": (4.0, 0.3),
        "DP-KLUCB, batch by batch": (2.0, 0.7),
        "Expected improvement": (1.5, 4.0),
        "Expected improvement, shared prior": (1.5, 1.0),
        "DP-IMED": (4.0, 1.5),
        "AdaP-UCB": (0.0992,),
        "AdaP-KLUCB": (4.0, 0.045),
        "Lazy-DP-TS": (0.0226,),
        "Anytime-Lazy-UCB": (0.1, 0.3),
        "Discrete elimination": (0.1, 0.1),
        "KL-UCB on bits, level by pulls": (0.574,),
        "Expected improvement, one bit": (0.5, 3.0),
        "LDP-UCB-B": (0.0474,),
        "AdaC-UCB": (0.0686,),
        "DP-TS-UCB": (0.0474,),
    },
    "lists": {
        "DP-KLUCB, batch by batch": (8.0, 0.7),
        "DP-KLUCB, one item": (8.0, 0.2),
        "Thompson, one item, replayed": (4.0, 0.0625),
        "Thompson, batches of lists": (1.0, 0.25),
        "KL-UCB on bits, level by pulls": (0.574,),
        "Expected improvement, one bit": (1.0, 1.0),
        "Expected improvement, one explorer": (2.0, 3.0),
        "Thompson, whole reply": (0.208,),
        "one bit": (0.0992,),
    },
    "sets": {
        "DP-KLUCB, batch by batch": (4.0, 0.7),
        "DP-KLUCB, one item": (4.0, 0.2),
        "Thompson, one item, replayed": (1.0, 0.125),
        "Thompson, batches of lists": (0.5, 0.5),
        "KL-UCB on bits, level by pulls": (1.2,),
        "Expected improvement, one bit": (1.0, 1.5),
        "Expected improvement, one explorer": (1.0, 1.0),
        "super-arm radius": (0.0992,),
        "blocks": (0.0188,),
    },
    "contexts": {
        "residual epochs": (4.0, 1.0),
        "random lines": (2.0, 0.12),
        "greedy epochs": (16.0, 3.0),
        "greedy epochs, Gaussian": (4.0, 10.0),
        "LinUCB": (0.144,),
        "Algorithm 5": (0.144,),
    },
    "pairs": {
        "clipped rewards": (8.0, 0.3),
        "clipped rewards, local": (20.0, 0.4),
        "clipped rewards, level by squares": (8.0, 0.4),
        "clipped rewards, level by squares, local": (5.0, 0.5),
        "residual epochs": (16.0, 2.0),
        "random lines": (2.0, 0.06),
        "threshold ladder": (32.0, 0.3),
        "threshold ladder, local": (16.0, 0.3),
        "DP-KLUCB on signs": (32.0, 0.45),
        "KL-UCB on signs": (8.0, 0.45),
        "DP-KLUCB, contexts ignored": (32.0, 0.3),
        "KL-UCB on bits, contexts ignored": (8.0, 0.3),
        "greedy epochs": (16.0, 30.0),
        "greedy epochs, Gaussian": (16.0, 30.0),
        "LinUCB": (0.0149,),
        "Algorithm 5": (0.00162,),
    },
    "tails": {
        "threshold ladder": (16.0, 0.3),
        "threshold ladder, local": (16.0, 0.3),
        "exceedance counts": (0.5, 0.6),
        "exceedance bits": (0.5, 0.3),
        "DP Robust SE": (0.0327,),
        "episodes": (0.144,),
        "Quantile SE": (0.000977,),
        "LDP Robust SE": (0.0686,),
    },
}
"""What `tuning.chosen` found on the calibration instances."""
