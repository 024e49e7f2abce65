"""The elimination boxes: DP Robust SE, Algorithm 3 of the slides, its local version, and one without privacy.

All are one scheme. Epoch e has the gap D = 2^-e in view and is as long as makes its error err = D/c; an arm leaves if
its mean lies more than (c/2) err = D/2 below the largest. So an arm of gap D is out after epoch e if every mean is
within (c/4) err of the truth. The slides have c = 24 and write the rule as 12 err. Another c is a reading of ours: a
smaller one makes shorter epochs with the same D/2, and the bound on the means, at (c/4) err, may fail. One box stands
apart: with the power of u of the slides' local bounds, "slide_rate" has err = u^(-1/(1+v)) D/c, so for u > 1 the rule
(c/2) err removes arms sooner than D/2.
"""

from __future__ import annotations

import math

import numpy as np

from private_bandits import checks
from private_bandits.kernels.elimination import ON_MEAN, ON_REWARDS, ElimRecord
from private_bandits.mechanisms import laplace_scale
from private_bandits.papers.heavy_tailed.instances import moment_bound, order
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee

PAPER = "tao2022"
PRINTED_C = 24.0
"""The constant of the slides' epoch length."""


def robust_se(v: float, u: float, beta: float, c: float = 12.0) -> Policy:
    """Successive elimination on truncated means, without privacy; ours, for comparison.

    In epoch e, with S the surviving arms and L = ln(4 |S| e^2 / beta), each is pulled

        R = ceil(u^(1/v) (c/D)^((1+v)/v) L + 1)

    times, and rewards with |x| > B = (u R / L)^(1/(1+v)) count as 0; err = u^(1/(1+v)) (L / R)^(v/(1+v)).

    Parameters
    ----------
    v : float
        In (0, 1]; E|X|^(1+v) <= u.
    u : float
        > 0.
    beta : float
        Probability in (0, 1) that some bound fails.
    c : float
        > 0. By Bernstein's inequality a mean is off by at most 2.75 err with probability 1 - 2 e^-L: the truncation
        biases it by at most err, and sampling moves it by sqrt(2) err + err/3. So 12, which allows 3 err, is proven.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    record = _record(v, u, beta, c, inside=4.0, samples=1.0, halved=False)
    variant = "ours" if c == 12.0 else f"ours, c = {c:g}"
    return Policy("Robust SE", "", "truncated means", variant, Guarantee.none(), record)


def dp_robust_se(epsilon: float, v: float, u: float, beta: float, c: float = PRINTED_C) -> Policy:
    """Algorithm 3 of the slides, DP Robust SE: Lap(2 B / (R epsilon)) on the mean of each arm and epoch.

    `robust_se` with R epsilon in the place of R, which is that many times longer:

        R = ceil(u^(1/v) (c/D)^((1+v)/v) L / epsilon + 1),    B = (u R epsilon / L)^(1/(1+v)),
        err = u^(1/(1+v)) (L / (R epsilon))^(v/(1+v)).

    Parameters
    ----------
    epsilon : float
        > 0. The theorems ask for epsilon <= 1: beyond it err no longer covers the sampling error. Infinity gives
        `robust_se` with this c.
    v, u, beta, c
        As for `robust_se`; c = 24 in the box. For epsilon <= 1 the noise adds 2 err to the 2.75, so c = 19 is proven.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    The box pulls its last arm "in all remaining rounds"; where several are left at the horizon, the run is cut there.
    """
    scale = laplace_scale(epsilon, 1.0)
    if math.isinf(epsilon):
        return robust_se(v, u, beta, c)
    record = _record(v, u, beta, c, inside=4.0, samples=epsilon, halved=False)
    record = record._replace(noise=ON_MEAN, scale=scale)
    reason = "Laplace noise on truncated means; each reward enters one mean, and all else follows from those"
    # `scale` is in units of the range 2B / R that one reward has in a mean, whatever B is
    privacy = Guarantee.certified(epsilon, 1.0 / record.scale, "central", reason)
    return Policy("DP Robust SE", PAPER, "Algorithm 3", _reading("printed", c), privacy, record)


def ldp_robust_se(
    epsilon: float, v: float, u: float, beta: float, c: float = PRINTED_C, variant: str = "repaired"
) -> Policy:
    """LDP Robust SE: every user truncates at B and adds Lap(2 B / epsilon). Neither variant is a quotation.

    The slides show no box. Both take over the scheme of Algorithm 3, with L = ln(8 |S| e^2 / beta).

    Parameters
    ----------
    epsilon : float
        > 0; the theorems ask for epsilon <= 1. Infinity gives `robust_se` with this c.
    v, u, beta, c
        As for `robust_se`.
    variant : {"repaired", "slide_rate"}
        "repaired" balances the bias of the truncation, u B^-v, with the noise of a mean of R reports, about
        B sqrt(L / R) / epsilon, which keeps the bound on the means:

            R = ceil(u^(2/v) (c/D)^(2(1+v)/v) L / epsilon^2 + 1),    B = (u epsilon sqrt(R / L))^(1/(1+v)),
            err = u^(1/(1+v)) (sqrt(L / R) / epsilon)^(v/(1+v)).

        "slide_rate" is what the slides' bounds (4) and (5) can afford, with their power of u, as if the noise fell as
        L / R:

            R = ceil(u^(2/v) (c/D)^((1+v)/v) L / epsilon^2 + 1),    B = (u R epsilon^2 / L)^(1/(1+v)),
            err = u^(1/(1+v)) (L / (R epsilon^2))^(v/(1+v)).

        The noise of its means is still about B sqrt(L / R) / epsilon, which is epsilon sqrt(R / L) times err and grows.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    scale = laplace_scale(epsilon, 1.0)
    checks.choice("variant", variant, ("repaired", "slide_rate"))
    if math.isinf(epsilon):
        return robust_se(v, u, beta, c)
    halved = variant == "repaired"
    record = _record(v, u, beta, c, inside=8.0, samples=epsilon**2, halved=halved, u_power=2.0)
    record = record._replace(noise=ON_REWARDS, scale=scale)
    name = "LDP Robust SE" if halved else "LDP Robust SE, slide rate"
    reason = "every user truncates and adds Laplace noise of the whole range"
    privacy = Guarantee.certified(epsilon, 1.0 / record.scale, "local", reason)
    return Policy(name, PAPER, "none on the slides", _reading(variant, c), privacy, record)


def _record(
    v: float, u: float, beta: float, c: float, *, inside: float, samples: float, halved: bool, u_power: float = 1.0
) -> ElimRecord:
    """The scheme with x = L / (samples R), or its square root when `halved`: B = (u / x)^(1/(1+v)), err = B x."""
    power, bound = 1.0 + order(v), moment_bound(u)
    failure = checks.real("beta", beta, above=0, below=1)
    factor = checks.real("c", c, above=0)
    half = 0.5 if halved else 1.0
    scaled = samples**half
    pulls = power_or_infinity(factor * bound ** (u_power * half / power), power / (v * half)) / samples
    width = 0.5 * factor * bound ** (1.0 / power) * scaled ** (-v / power)
    return ElimRecord(
        np.array([(pulls, inside, power / (v * half), width, half * v / power)]),
        beta=failure,
        cut=(bound * scaled) ** (1.0 / power),
        cut_power=half / power,
        v=float(v),
        u=bound,
    )


def power_or_infinity(base: float, exponent: float) -> float:
    """Return base^exponent, infinite where no float is large enough: such an epoch is never finished."""
    try:
        return base**exponent
    except OverflowError:
        return math.inf


def _reading(variant: str, c: float) -> str:
    return variant if c == PRINTED_C else f"{variant}, c = {c:g}"
