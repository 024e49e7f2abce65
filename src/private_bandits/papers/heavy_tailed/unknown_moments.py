"""The first open problem of the slides, u and v unknown, explored. Everything here is ours."""

from __future__ import annotations

from private_bandits import checks
from private_bandits.kernels.quantile import QuantileRecord
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee

FIRST, SHARE, WIDTH = 8.0, 2.0, 16.0


def quantile_se(epsilon: float, beta: float, width: float = WIDTH) -> Policy:
    """Successive elimination that needs neither u nor v: its thresholds are private quantiles of the rewards.

    The slides' threshold B = (u R epsilon / L)^(1/(1+v)) is where Markov's inequality promises that no more than
    L / epsilon of R rewards lie beyond it. The rule "as many beyond it as L / epsilon" names neither u nor v, and the
    slides' err, u^(1/(1+v)) (L / (R epsilon))^(v/(1+v)), is B L / (R epsilon). So half of an epoch's rewards choose B,
    by the exponential mechanism over the powers of two from 2^-64 to 2^64 and with 2 L / s rewards beyond it in view,
    s = min(1, epsilon); the other half are truncated at B, and their mean gets Lap(2 B / (R epsilon)). Epochs double:
    R = ceil(8 * 2^e L / s) in each half, L = ln(4 |S| e^2 / beta). An arm leaves if its mean + w lies below another's
    mean - w, each with its own w = width B L / (R s).

    Parameters
    ----------
    epsilon : float
        > 0; infinity means no noise.
    beta : float
        In (0, 1).
    width : float
        > 0. No width holds for every law: a quantile does not see how far the rewards lie beyond it. For Pareto
        rewards of shape a and g L / s of them beyond B, the bias is g a / (a - 1), sampling adds up to
        sqrt(2 a g / (2 - a)) and the noise 2, in units of B L / (R s). In our tests 16 covers the means at the shapes
        1.35, 1.55 and 1.95, and fails more often than not at 1.1.

    Notes
    -----
    The price of not knowing: twice the pulls for the same mean at one budget, as each reward enters one of the two
    mechanisms; a bias of a few err; and a promise that rests on the tail. In return B follows the law itself where a
    moment bound only allows for the worst: for a Pareto law of shape a the pulls grow as gap^-(a/(a-1)), whatever v is.
    The thresholds' prior makes rewards of the order of 1 easiest, see `kernels.quantile.choose`.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    budget = checks.epsilon(epsilon)
    record = QuantileRecord(
        epsilon=budget,
        beta=checks.real("beta", beta, above=0, below=1),
        first=FIRST,
        share=SHARE,
        width=checks.real("width", width, above=0),
    )
    reason = "a reward enters one choice of a threshold or one noisy mean"
    privacy = Guarantee.certified(budget, record.epsilon, "central", reason)
    return Policy("Quantile SE", "", "u and v unknown", "ours", privacy, record)
