"""Algorithms 1 to 3 of Chen et al. (2020) as constants, the variant for DP that the paper only mentions, and repairs.

Every box caps its indices at 1 (no report counts as infinity), asks the oracle if all indices are >= 0 and otherwise
plays "any" super arm, for us a uniformly random one. The boxes have ln T. `horizon=None` puts ln t in its place, which
needs no horizon and is a reading of ours; a horizon gives ln T as printed. The budget delta, which the boxes list as an
input, is used nowhere.

The repairs are ours. Their radius covers its own noise at every number of reports n. A sum of n reports is sub-gamma
with variance factor n (1/4 + 2 b^2) and scale b, for noise Lap(b) on each (Hoeffding's lemma for the outcome, and
-ln(1 - s^2) <= s^2/(1 - s) for the noise), so that the mean leaves, to one side and with probability at most 1/t^3,

    sqrt((1.5 + 12 b^2) ln t / n) + 3 b ln t / n.

At epsilon = infinity this is the sqrt(1.5 ln t / n) of CUCB.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.kernels import index
from private_bandits.mechanisms import laplace_scale
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee

PAPER = "chen2020"
VARIANTS = ("printed", "repaired")
_SAMPLING = (1.5, 0.0)  # the sqrt(1.5 ln t / n) of CUCB


def cucb(update: str = "all") -> Policy:
    """CUCB of Chen, Wang and Yuan (2013), Algorithm 1: min(mean + sqrt(1.5 ln t / n), 1), no privacy.

    Parameters
    ----------
    update : {"all", "least"}
        Which observations count: all of the super arm, or that of its least pulled arm only, as in CUCB-LDP2.

    Notes
    -----
    The original first plays a super arm around each arm; here, as in Chen et al. (2016), an arm without a report has
    index 1.
    """
    checks.choice("update", update, ("all", "least"))
    record = _record([_SAMPLING], reports=_UPDATES[update])
    name = "CUCB" if update == "all" else "CUCB, least pulled"
    return Policy(name, "chen2013", "Algorithm 1", "printed", Guarantee.none(), record)


def cucb_ldp1(epsilon: float, size: int, variant: str = "printed", horizon: int | None = None) -> Policy:
    """Algorithm 1, CUCB-LDP1: the user sends all K outcomes, each with Lap(K/epsilon); lines 4 to 7.

    Parameters
    ----------
    epsilon : float
        Privacy of a user, > 0; infinity means no noise and no bonus for it.
    size : int
        K, for which the noise is calibrated.
    variant : {"printed", "repaired"}
        * `printed`: mean + 4 sqrt(2 K ln T / (epsilon^2 n)). The noise needs K^2; at epsilon = infinity no bonus is
          left.
        * `repaired`: the radius of this module with b = K/epsilon.
    horizon : int, optional
        T of ln T, and the longest run; by default ln t takes its place.
    """
    members = checks.integer("size", size, at_least=1)
    scale = laplace_scale(epsilon, members)
    printed = 32.0 * members / checks.epsilon(epsilon) ** 2
    record = _local_record(scale, printed, variant, horizon, index.ALL, members)
    paid = members / scale if scale else math.inf
    privacy = Guarantee.certified(epsilon, paid, "local", "Laplace noise on all K outcomes")
    return Policy("CUCB-LDP1", PAPER, "Algorithm 1, lines 4-7", variant, privacy, record)


def cucb_ldp2(epsilon: float, variant: str = "printed", horizon: int | None = None) -> Policy:
    """Algorithm 2, CUCB-LDP2: only the least pulled arm of the super arm is sent, with Lap(1/epsilon); lines 4 to 7.

    Which arm that is follows from the super arms played before, which are public, so the report alone is protected.

    Parameters
    ----------
    epsilon : float
        As for `cucb_ldp1`.
    variant : {"printed", "repaired"}
        * `printed`: mean + 4 sqrt(2 ln T / (epsilon^2 n)), without a term for sampling.
        * `repaired`: the radius of this module with b = 1/epsilon.
    horizon : int, optional
        As for `cucb_ldp1`.
    """
    scale = laplace_scale(epsilon, 1.0)
    printed = 32.0 / checks.epsilon(epsilon) ** 2
    record = _local_record(scale, printed, variant, horizon, index.LEAST, 0)
    reason = "Laplace noise on the one outcome sent; which one is public"
    privacy = Guarantee.certified(epsilon, 1.0 / scale if scale else math.inf, "local", reason)
    return Policy("CUCB-LDP2", PAPER, "Algorithm 2, lines 4-7", variant, privacy, record)


def cucb_dp(epsilon: float, size: int, n_arms: int, horizon: int, variant: str = "printed") -> Policy:
    """Algorithm 3, CUCB-DP: a vector tree over rounds, whose leaf t holds the outcomes of S_t; lines 4 to 7.

    Parameters
    ----------
    epsilon : float
        Privacy of the sequence of super arms when one user's outcomes change, > 0.
    size, n_arms, horizon : int
        K, m and T, for which the noise and the bonus are calibrated.
    variant : {"printed", "repaired"}
        * `printed`: Lap(2 K log2(T)/epsilon) on each node and arm, mean + sqrt(4 ln(mT)/n) + 12 K ln(T)^3/(n epsilon).
          The noise is about twice what privacy asks for (with ln in the place of log2 it is private from T of about 6
          on, and 1.4 times too noisy in the limit). The last term exceeds a tail of that noise at probability 1/T^2,
          with log2 about 9 times at T = 10^5 and 11 times at 10^6, and ever more.
        * `repaired`: Lap(b), b = K levels/epsilon, levels = floor(log2 T) + 1, and mean + sqrt(1.5 ln t / n) +
          b (2 sqrt(2 levels ln T) + 2 ln T) / n, see `node_radius`.

    Notes
    -----
    Two users' leaves differ in the arms of S_t only, by at most 1 each: the sensitivity is K. A leaf lies in at most
    `levels` nodes. How often an arm was pulled is a function of the super arms, which are public. "log T" of the box
    counts nodes, so we read it to base 2.
    """
    members = checks.integer("size", size, at_least=1)
    arms = checks.integer("n_arms", n_arms, at_least=members)
    record, paid = _tree_record(epsilon, members, arms, horizon, variant, index.ALL)
    reason = "a tree over rounds, whose leaf is the outcomes of the public super arm"
    privacy = Guarantee.certified(epsilon, paid, "central", reason)
    return Policy("CUCB-DP", PAPER, "Algorithm 3, lines 4-7", variant, privacy, record)


def cucb_dp_least_pulled(epsilon: float, size: int, n_arms: int, horizon: int, variant: str = "printed") -> Policy:
    """CUCB-DP for B_inf smoothness, which Section 3.2 only mentions: the tree takes the least pulled arm alone.

    The box is left out in print. This is Algorithm 3 with one outcome in a leaf, hence with 1 for K in the noise and in
    the bonus. Parameters and variants as for `cucb_dp`.
    """
    members = checks.integer("size", size, at_least=1)
    arms = checks.integer("n_arms", n_arms, at_least=members)
    record, paid = _tree_record(epsilon, 1, arms, horizon, variant, index.LEAST)
    record = record._replace(list_size=members)
    reason = "a tree over rounds, whose leaf is one outcome; which one is public"
    privacy = Guarantee.certified(epsilon, paid, "central", reason)
    return Policy("CUCB-DP, least pulled", PAPER, "Section 3.2", variant, privacy, record)


def report_radius(scale: float, n: int, log_term: float) -> float:
    """What the mean of n reports leaves, to one side, with probability at most exp(-log_term).

    Parameters
    ----------
    scale : float
        b >= 0, of the Laplace noise on each report.
    n : int
        Reports, >= 1.
    log_term : float
        L >= 0; 3 ln t in the boxes.

    Returns
    -------
    float
        sqrt(2 (1/4 + 2 b^2) L / n) + b L / n.
    """
    checks.integer("n", n, at_least=1)
    noise = checks.real("scale", scale, at_least=0)
    tail = checks.real("log_term", log_term, at_least=0)
    return math.sqrt((0.5 + 4.0 * noise**2) * tail / n) + noise * tail / n


def node_radius(levels: int, log_term: float) -> float:
    """What a sum of at most `levels` Laplace(1) leaves, to one side, with probability at most exp(-log_term).

    2 sqrt(levels L) + L, because the sum is sub-gamma with variance factor 2 levels and scale 1. With L = 2 ln T it
    fails for some arm and some release of a run, to either side, with probability at most 2 m / T.
    """
    nodes = checks.integer("levels", levels, at_least=1)
    tail = checks.real("log_term", log_term, at_least=0)
    return 2.0 * math.sqrt(nodes * tail) + tail


_UPDATES = {"all": index.ALL, "least": index.LEAST}


def _local_record(
    scale: float, printed: float, variant: str, horizon: int | None, reports: int, list_size: int
) -> index.IndexRecord:
    """An index on noisy reports: `printed` is the square of what multiplies sqrt(ln T / n)."""
    checks.choice("variant", variant, VARIANTS)
    length = 0 if horizon is None else checks.integer("horizon", horizon, at_least=1)
    square, linear = (printed, 0.0) if variant == "printed" else (1.5 + 12.0 * scale**2, 3.0 * scale)
    if length:
        log_t = math.log(length)
        term, bonus, linear = (0.0, square * log_t), index.FIXED_BONUS, linear * log_t
    else:
        term, bonus = (square, 0.0), index.FLAT_BONUS
    return _record(
        [term],
        noise=index.LAPLACE if scale else index.EXACT,
        scale=scale,
        bonus=bonus if linear else index.NO_BONUS,
        bonus_scale=linear,
        reports=reports,
        list_size=list_size,
        horizon=length,
    )


def _tree_record(
    epsilon: float, reach: int, n_arms: int, horizon: int, variant: str, reports: int
) -> tuple[index.IndexRecord, float]:
    """An index on trees whose leaves have sensitivity `reach`, and what their releases pay."""
    checks.choice("variant", variant, VARIANTS)
    length = checks.integer("horizon", horizon, at_least=1)
    unit, log_t, levels = laplace_scale(epsilon, reach), math.log(length), length.bit_length()
    if variant == "printed":
        scale = 2.0 * math.log2(length) * unit
        term, bonus = (0.0, 4.0 * math.log(n_arms * length)), 12.0 * log_t**3 * unit
    else:
        scale = levels * unit
        term, bonus = _SAMPLING, node_radius(levels, 2.0 * log_t) * scale
    record = _record(
        [term],
        noise=index.TREE if scale else index.EXACT,
        scale=scale,
        bonus=index.FIXED_BONUS if bonus else index.NO_BONUS,
        bonus_scale=bonus,
        reports=reports,
        list_size=reach,
        n_items=n_arms,
        horizon=length,
    )
    return record, reach * levels / scale if scale else math.inf


def _record(terms: list[tuple[float, float]], **constants: Any) -> index.IndexRecord:
    """What all boxes share: the cap, the fallback, no free observation, made for semi-bandits."""
    kept = np.array([pair for pair in terms if pair != (0.0, 0.0)]).reshape(-1, 2)
    return index.IndexRecord(kept, cap=1.0, fallback=True, observe_first=False, semi_bandit=True, **constants)
