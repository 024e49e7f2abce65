"""LDP Robust SE of Tao et al. (2022), for which the slides show no algorithm: two scalings, neither a quotation.

Both take over the scheme of Algorithm 3. With the power of u of the slides' local bounds, "slide_rate" has
err = u^(-1/(1+v)) D/c, so for u > 1 the rule (c/2) err removes arms sooner than D/2.
"""

import math
from typing import Any

from private_bandits import checks
from private_bandits.kernels import elimination
from private_bandits.mechanisms import laplace_scale
from private_bandits.papers.heavy_tailed import algorithm_3, se_without_privacy
from private_bandits.papers.heavy_tailed.se_without_privacy import robust_se
from private_bandits.policy import Policy, words
from private_bandits.privacy import Guarantee
from private_bandits.reference_tools import pareto


def ldp_robust_se(
    epsilon: float, *, v: float, u: float, variant: str = "repaired", beta: float, c: float = algorithm_3.PRINTED_C
) -> Policy:
    """LDP Robust SE: every user truncates at B and adds Lap(2 B / epsilon). Neither variant is a quotation.

    The scheme of `dp_robust_se`, with L = ln(8 |S| e^2 / beta) and the R, B and err of the variant.

    Parameters
    ----------
    epsilon : float
        Privacy of a user, > 0; the theorems ask for epsilon <= 1. Infinity gives `robust_se` with this c.
    v : float
        Order of the moment less 1, in (0, 1]: E|X|^(1+v) <= u.
    u : float
        Bound on the moment, > 0, in units of reward to the power 1 + v.
    beta : float
        Probability in (0, 1) that some bound fails.
    c : float
        Constant of the epochs, > 0; 24 by analogy with Algorithm 3.
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

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> policy = ldp_robust_se(epsilon=0.5, v=0.9, u=2.0, beta=1e-3)
    >>> policy.variant, policy.privacy.trust, policy.privacy.effective_epsilon
    ('repaired', 'local', 0.5)
    """
    epsilon = checks.epsilon(epsilon)
    scale = laplace_scale(epsilon, sensitivity=1.0)
    checks.choice("variant", variant, ("repaired", "slide_rate"))
    if math.isinf(epsilon):
        return robust_se(v=v, u=u, beta=beta, c=c)
    halved = variant == "repaired"
    record = algorithm_3.elimination(v, u, beta, c, inside=8.0, samples=epsilon**2, halved=halved, u_power=2.0)
    record = record._replace(noise=elimination.ON_REWARDS, scale=scale)
    name, method = ("LDP Robust SE", "") if halved else ("LDP Robust SE, slide rate", "slide rate")
    reason = "every user truncates and adds Laplace noise of the whole range"
    privacy = Guarantee.certified(epsilon, 1.0 / record.scale, "local", reason)
    version = words(variant, "" if c == algorithm_3.PRINTED_C else f"c = {c:g}")
    return Policy(
        name=name,
        paper="tao2022",
        algorithm="none on the slides",
        variant=version,
        chosen=variant,
        privacy=privacy,
        record=record,
        mechanism="laplace",
        method=method,
    )


def reference(
    problem: Any,
    rounds: int,
    streams: Any,
    *,
    epsilon: float,
    v: float,
    u: float,
    variant: str = "repaired",
    beta: float,
    c: float = algorithm_3.PRINTED_C,
) -> list[list[int]]:
    """Algorithm 3 where every user sends x 1{|x| <= B} + Lap(2 B / epsilon) and the reports of an arm are averaged.

    Parameters
    ----------
    problem : ParetoArms
        Rewards are Pareto.
    rounds : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `streams.streams`.
    epsilon : float
        > 0; infinity gives `robust_se`.
    v : float
        Order of the moment less 1, in (0, 1].
    u : float
        Bound on the moment, > 0.
    variant : {"repaired", "slide_rate"}
        Whose lengths and thresholds.
    beta : float
        In (0, 1): with which some bound may fail.
    c : float
        Constant of the epochs, > 0.

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the arm, and 1.
    """
    if math.isinf(epsilon):
        return se_without_privacy.reference(problem, rounds, streams, v=v, u=u, beta=beta, c=c)
    viable = list(range(problem.n_arms))
    rows: list[list[int]] = []
    tau = 0
    while len(viable) > 1:
        tau += 1
        gap = 2.0**-tau
        log = math.log(8 * len(viable) * tau**2 / beta)
        if variant == "repaired":
            pulls = math.ceil(u ** (2 / v) * c ** (2 * (1 + v) / v) * log / (epsilon**2 * gap ** (2 * (1 + v) / v)) + 1)
            threshold = (u * math.sqrt(pulls) * epsilon / math.sqrt(log)) ** (1 / (1 + v))
            error = u ** (1 / (1 + v)) * (math.sqrt(log) / (math.sqrt(pulls) * epsilon)) ** (v / (1 + v))
        else:
            pulls = math.ceil(u ** (2 / v) * c ** ((1 + v) / v) * log / (epsilon**2 * gap ** ((1 + v) / v)) + 1)
            threshold = (u * pulls * epsilon**2 / log) ** (1 / (1 + v))
            error = u ** (1 / (1 + v)) * (log / (pulls * epsilon**2)) ** (v / (1 + v))
        rows += [[a, 1] for a in viable] * min(pulls, rounds)  # the rewards are drawn when the epoch ends
        if len(rows) >= rounds:
            return rows[:rounds]
        estimate = {}
        for a in viable:
            rewards = [pareto(streams.env, problem.means[a], problem.shape) for _ in range(pulls)]
            noise = [streams.noise.laplace(0.0, 2 * threshold / epsilon) for _ in rewards]
            estimate[a] = (sum(x for x in rewards if abs(x) <= threshold) + sum(noise)) / pulls
        largest = max(estimate.values())
        viable = [a for a in viable if not largest - estimate[a] > c / 2 * error]
    return rows + [[viable[0], 1]] * (rounds - len(rows))
