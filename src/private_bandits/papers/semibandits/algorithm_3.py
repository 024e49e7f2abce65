"""Chen et al. (2020), Algorithm 3, CUCB-DP: central privacy with a tree over rounds; Theorems 7 and 8."""

import math
from typing import Any

from private_bandits import checks
from private_bandits.kernels import index
from private_bandits.mechanisms import laplace_scale
from private_bandits.papers.semibandits.radii import node_radius
from private_bandits.papers.semibandits.shared import PAPER, SAMPLING, VARIANTS, Plain, index_record
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee
from private_bandits.reference_tools import Generator, laplace, least_reported_first


def cucb_dp(epsilon: float, *, n_arms: int, list_size: int, horizon: int, variant: str = "printed") -> Policy:
    """Algorithm 3, CUCB-DP: a vector tree over rounds, whose leaf t holds the outcomes of S_t; lines 4 to 7.

    Parameters
    ----------
    epsilon : float
        Privacy of the sequence of super arms when one user's outcomes change, > 0; infinity means no noise and no bonus
        for it.
    list_size, n_arms, horizon : int
        K >= 1, m >= K and T >= 1, for which the noise and the bonus are calibrated; T is also the longest run.
    variant : {"printed", "repaired"}
        * `printed`: Lap(2 K log2(T)/epsilon) on each node and arm, mean + sqrt(4 ln(mT)/n) + 12 K ln(T)^3/(n epsilon).
          The noise is about twice what privacy asks for (with ln in the place of log2 it is private from T of about 6
          on, and 1.4 times too noisy in the limit). The last term exceeds a tail of that noise at probability 1/T^2,
          with log2 about 9 times at T = 10^5 and 11 times at 10^6, and ever more.
        * `repaired`: Lap(b), b = K levels/epsilon, levels = floor(log2 T) + 1, and mean + sqrt(1.5 ln t / n) +
          b (2 sqrt(2 levels ln T) + 2 ln T) / n, see `radii.node_radius`.

    Returns
    -------
    Policy
        For a SemiBandit of this size and number of arms.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    Two users' leaves differ in the arms of S_t only, by at most 1 each: the sensitivity is K. A leaf lies in at most
    `levels` nodes. How often an arm was pulled is a function of the super arms, which are public. "log T" of the paper
    counts nodes, so we read it to base 2.

    Examples
    --------
    >>> sizes = {"n_arms": 12, "list_size": 3, "horizon": 1000}
    >>> printed, repaired = (cucb_dp(0.5, **sizes, variant=variant) for variant in VARIANTS)
    >>> round(printed.privacy.effective_epsilon, 3), repaired.privacy.effective_epsilon
    (0.251, 0.5)
    """
    record, paid = tree_record(epsilon, list_size, n_arms, horizon, variant)
    reason = "a tree over rounds, whose leaf is the outcomes of the public super arm"
    privacy = Guarantee.certified(epsilon, paid, "central", reason)
    return Policy(
        name="CUCB-DP",
        paper=PAPER,
        algorithm="Algorithm 3, lines 4-7",
        variant=variant,
        chosen=variant,
        privacy=privacy,
        record=record,
        mechanism="tree",
    )


def tree_record(
    epsilon: float, list_size: int, n_arms: int, horizon: int, variant: str, least: bool = False
) -> tuple[index.Record, float]:
    """Return an index on trees and what their releases pay; with `least` a leaf holds one outcome in the place of K.

    Parameters
    ----------
    epsilon : float
        > 0; infinity means no noise and no bonus for it.
    list_size, n_arms, horizon : int
        K >= 1, m >= K and T >= 1.
    variant : {"printed", "repaired"}
        As for `cucb_dp`.
    least : bool
        Whether only the least pulled arm of a super arm is reported.

    Returns
    -------
    Record, float
        The constants, and the epsilon that is paid.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    members = checks.integer("list_size", list_size, at_least=1)
    arms = checks.integer("n_arms", n_arms, at_least=members)
    checks.choice("variant", variant, VARIANTS)
    length = checks.integer("horizon", horizon, at_least=1)
    reach = 1 if least else members
    unit, log_t, levels = laplace_scale(epsilon, sensitivity=reach), math.log(length), length.bit_length()
    if variant == "printed":
        scale = 2.0 * math.log2(length) * unit
        term, bonus = (0.0, 4.0 * math.log(arms * length)), 12.0 * log_t**3 * unit
    else:
        scale = levels * unit
        term, bonus = SAMPLING, node_radius(levels, 2.0 * log_t) * scale
    record = index_record(
        [term],
        noise=index.TREE if scale else index.EXACT,
        scale=scale,
        bonus=index.FIXED_BONUS if bonus else index.NO_BONUS,
        bonus_scale=bonus,
        reports=index.LEAST if least else index.ALL,
        list_size=members,
        n_arms=arms,
        horizon=length,
    )
    return record, reach * levels / scale if scale else math.inf


class Tree:
    """A dyadic tree over rounds; the noise of a node is drawn when the node is first read, the largest node first.

    Parameters
    ----------
    scale : float
        Of the Laplace noise on a node, >= 0.
    noise : Generator
        Where it is drawn.
    """

    def __init__(self, scale: float, noise: Generator) -> None:
        self.scale, self.noise = scale, noise
        self.nodes: dict[tuple[int, int], float] = {}
        self.leaves: dict[int, float] = {}

    def prefix(self, t: int) -> float:
        """Sum of the leaves 1..t and of the noise of the nodes that make it up.

        Parameters
        ----------
        t : int
            >= 1.

        Returns
        -------
        float
        """
        start, total = 0, 0.0
        for level in reversed(range(t.bit_length())):
            if t >> level & 1:
                if (level, start) not in self.nodes:
                    self.nodes[level, start] = laplace(self.noise, self.scale)
                total += self.nodes[level, start]
                start += 1 << level
        return sum(x for s, x in self.leaves.items() if s <= t) + total


def reference(
    problem: Any,
    rounds: int,
    streams: Any,
    *,
    epsilon: float,
    n_arms: int,
    list_size: int,
    horizon: int,
    variant: str = "printed",
    least: bool = False,
) -> list[list[int]]:
    """Play Algorithm 3 line by line; with `least` a leaf holds the least pulled arm's outcome, and K is 1.

    Parameters
    ----------
    problem : SemiBandit
        Whose oracle is not a Python function.
    rounds : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `streams.streams`.
    epsilon : float
        > 0; infinity means no noise.
    n_arms : int
        m, of the problem.
    list_size : int
        K, of the problem.
    horizon : int
        T >= 1, for which the constants are made.
    variant : {"printed", "repaired"}
        Whose constants.
    least : bool
        Whether only the least pulled arm of a super arm is reported.

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the super arm, padded with -1 to K, and its size.
    """
    bandit = Plain(problem)
    base, k = range(n_arms), 1 if least else list_size
    levels, log_t = horizon.bit_length(), math.log(horizon)
    scale = k / epsilon * (2 * math.log2(horizon) if variant == "printed" else levels)

    def bonus(t: int, n: int) -> float:
        if variant == "printed":
            return math.sqrt(4 * math.log(n_arms * horizon) / n) + 12 * k * log_t**3 / (n * epsilon)
        return math.sqrt(1.5 * math.log(t) / n) + scale * (2 * math.sqrt(2 * levels * log_t) + 2 * log_t) / n

    pulls = [0 for i in base]  # line 2
    mean = [0.0 for i in base]
    trees = [Tree(scale, streams.noise) for i in base]
    rows = []
    for t in range(1, rounds + 1):  # line 3
        upper = [min(mean[i] + bonus(t, pulls[i]), 1.0) if pulls[i] else 1.0 for i in base]  # line 4
        s_t = bandit.super_arm(upper, streams.choice)  # line 5
        s_t = least_reported_first(s_t, pulls) if least else s_t
        x = bandit.outcomes(s_t, streams.env)  # line 6
        for i in s_t[:1] if least else s_t:  # line 7
            trees[i].leaves[t] = x[i]
            pulls[i] += 1
            mean[i] = trees[i].prefix(t) / pulls[i]
        rows.append(bandit.row(s_t))
    return rows
