"""The index boxes: robust UCB of Bubeck et al. (2013), and DP Robust UCB, Algorithm 1 of the slides."""

from __future__ import annotations

import math

from private_bandits import checks
from private_bandits.kernels.robust import RobustRecord
from private_bandits.mechanisms import laplace_scale
from private_bandits.papers.heavy_tailed.instances import moment_bound, order
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee

PAPER = "tao2022"


def robust_ucb(v: float, u: float, horizon: int | None = None) -> Policy:
    """Robust UCB with truncated means, Bubeck et al. (2013), Section 3.1; no privacy.

    Index: mean + 4 u^(1/(1+v)) (l / n)^(v/(1+v)); the k-th reward of an arm counts as 0 unless |x| <= (u k /
    l)^(1/(1+v)).

    Parameters
    ----------
    v : float
        In (0, 1]; E|X|^(1+v) <= u.
    u : float
        > 0.
    horizon : int, optional
        T. Given, l = 2 ln T, so that a threshold is fixed when its reward is observed and every mean is a running sum.
        Without it l = ln(4 t^2) of the round of observation, in the radius of the current round.

    Notes
    -----
    Bubeck et al. take l = 2 ln t throughout, so every threshold moves in every round and no mean is a running sum.
    Their Lemma 1 holds for l = 2 ln T at each t <= T, with an index that differs from theirs. Without a horizon early
    thresholds are larger than the lemma's; that reading is ours and has no proof. The factor 4 is their lemma's.
    """
    order(v)
    moment_bound(u)
    if horizon is None:
        alpha, beta, variant = 2.0, 2.0 * math.log(2.0), "logarithm of the round"
    else:
        alpha, beta = 0.0, 2.0 * math.log(max(checks.integer("horizon", horizon, at_least=1), 2))
        variant = "logarithm of the horizon"
    record = RobustRecord(
        v=float(v),
        u=float(u),
        factor=4.0 * u ** (1.0 / (1.0 + v)),
        alpha=alpha,
        beta=beta,
        cut=float(u),
        cut_alpha=alpha,
        cut_beta=beta,
        horizon=horizon or 0,
    )
    return Policy("Robust UCB", "bubeck2013", "robust UCB, truncated mean", variant, Guarantee.none(), record)


def dp_robust_ucb(epsilon: float, v: float, u: float, horizon: int, c: float = 18.0) -> Policy:
    """Algorithm 1, DP Robust UCB: truncated rewards in a binary tree per arm.

    Index: S / n + c u^(1/(1+v)) (ln(2 t^4) ln^(1.5+1/v) T / (n epsilon))^(v/(1+v)), S the tree's noisy sum; the k-th
    reward of an arm counts as 0 unless |x| <= (epsilon u k / ln^1.5 T)^(1/(1+v)).

    Parameters
    ----------
    epsilon : float
        > 0; the theorems ask for epsilon <= 1. Infinity gives `robust_ucb` with the horizon.
    v : float
        In (0, 1]; E|X|^(1+v) <= u.
    u : float
        > 0.
    horizon : int
        T, >= 2.
    c : float
        Factor of the radius, > 0; 18 in the box. A smaller one is a reading of ours.

    Notes
    -----
    The slides leave the tree's noise open; ours is a choice that keeps the promise. Leaf k lies in [-B_k, B_k], B_k
    grows, and a leaf is in at most floor(log2 T) + 1 nodes, so a node over the leaves i..j carries Laplace noise of
    scale 2 B_j levels / epsilon. A reward enters one tree once and the trees' lengths are the actions themselves, so
    no budget is split among the arms. `bounds.dp_robust_ucb_error` sets this noise against the radius.
    """
    order(v)
    moment_bound(u)
    length = checks.integer("horizon", horizon, at_least=2)
    factor = checks.real("c", c, above=0)
    per_unit = laplace_scale(epsilon, 2.0)
    if math.isinf(epsilon):
        return robust_ucb(v, u, horizon)
    log = math.log(length)
    levels = length.bit_length()
    record = RobustRecord(
        v=float(v),
        u=float(u),
        factor=factor * (u * (log ** (1.5 + 1.0 / v) / epsilon) ** v) ** (1.0 / (1.0 + v)),
        alpha=4.0,
        beta=math.log(2.0),
        cut=epsilon * u,
        cut_alpha=0.0,
        cut_beta=log**1.5,
        scale=levels * per_unit,
        horizon=length,
    )
    reason = "a tree per arm, nodes scaled by their largest threshold; a reward enters one tree"
    privacy = Guarantee.certified(epsilon, 2.0 * levels / record.scale, "central", reason)
    variant = "printed" if factor == 18.0 else f"radius times {factor / 18.0:g}"
    return Policy("DP Robust UCB", PAPER, "Algorithm 1", variant, privacy, record)
