"""Wang et al. (2021), Algorithm 4, CUCB under LDP with the Gaussian mechanism, in Appendix B; and our repair of it."""

import math

from private_bandits import checks
from private_bandits.kernels import index
from private_bandits.mechanisms import gaussian_epsilon, gaussian_sigma
from private_bandits.papers.cascading.shared import PAPER, SAMPLING, checked, in_clear, terms
from private_bandits.policy import Calibration, Policy, words
from private_bandits.privacy import Guarantee
from private_bandits.reference_tools import Problem, Rows, Streams, largest


def cucb_gaussian(
    epsilon: float,
    *,
    delta: float,
    n_arms: int,
    list_size: int,
    variant: str = "printed",
    noise_multiplier: float = 1.0,
) -> Policy:
    """Algorithm 4, CUCB under LDP (Gaussian), for semi-bandits; epsilon = infinity is CUCB.

    Index: mean + sqrt(1.5 ln t / n) + (2/epsilon) sqrt(2 K ln(1.25/delta) ln t / n), t from m + 1. The paper lists
    gamma before the loop although it depends on t.

    Parameters
    ----------
    epsilon : float
        Nominal privacy of a user, > 0.
    delta : float
        Probability with which the loss may exceed epsilon, in (0, 1).
    n_arms : int
        m of the paper, n_arms >= list_size.
    list_size : int
        K >= 1, the size of a super arm, for which the noise is calibrated.
    noise_multiplier : float
        Multiplies the noise and its bonus, > 0; 0.01 in the published experiments.
    variant : {"printed", "repaired"}
        `repaired` is ours: no u_0 (an item without reports has an infinite index), and sigma by the analytic formula,
        so that everything sent is (epsilon, delta)-private. The bonus is 2 sigma sqrt(ln t / n) in both.

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> for variant in ("printed", "repaired"):
    ...     print(cucb_gaussian(0.2, delta=1e-3, n_arms=20, list_size=4, variant=variant).privacy.label())
    ε=0.2, values pay 0.0903, everything ∞
    ε=0.2
    """
    size, factor, times = checked(list_size, noise_multiplier)
    items = checks.integer("n_arms", n_arms, at_least=size)
    repaired = checks.choice("variant", variant, ("printed", "repaired")) == "repaired"
    calibration: Calibration = "analytic" if repaired else "classical"
    sigma = factor * gaussian_sigma(epsilon, delta=delta, sensitivity=math.sqrt(size), calibration=calibration)
    value = gaussian_epsilon(sigma, delta=delta, sensitivity=math.sqrt(size))
    record = index.Record(
        terms(SAMPLING, (4.0 * sigma**2, 0.0)),
        noise=index.GAUSSIAN,
        scale=sigma,
        observe_first=not repaired,
        clock=items,
        semi_bandit=True,
        list_size=size,
        n_arms=items,
    )
    sent = "the values are all that is sent"
    reason = sent if repaired else f"the free report is sent without noise; after it {sent}"
    privacy = Guarantee.releasing(epsilon, delta, value, delta, in_clear(record), "local", reason)
    version = words(variant, "" if repaired and factor == 1.0 else times)
    return Policy(
        name="CUCB Gaussian" if sigma else "CUCB",
        paper=PAPER,
        algorithm="Algorithm 4",
        variant=version,
        chosen=variant,
        privacy=privacy,
        record=record,
        mechanism="gaussian" if sigma else "none",
        calibration=calibration if sigma else "",
    )


def reference(
    problem: Problem,
    rounds: int,
    streams: Streams,
    *,
    epsilon: float,
    delta: float,
    n_arms: int,
    list_size: int,
    variant: str = "printed",
    noise_multiplier: float = 1.0,
) -> Rows:
    """Play Algorithm 4; the oracle takes the K largest. Repaired without u_0, items without reports first.

    The repaired sigma is that of `mechanisms.gaussian_sigma`, which the tests hold against another library's.

    Parameters
    ----------
    problem : SemiBandit
        Any K of m arms.
    rounds : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `streams.streams`.
    epsilon : float
        > 0; infinity means no noise.
    delta : float
        In (0, 1).
    n_arms : int
        m, of the problem.
    list_size : int
        K, of the problem.
    variant : {"printed", "repaired"}
        Whose constants.
    noise_multiplier : float
        Of the noise and its bonus, > 0.

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the super arm, and K.
    """
    means, size, m, items = problem.means, list_size, n_arms, range(n_arms)
    sigma = noise_multiplier * math.sqrt(2 * size * math.log(1.25 / delta)) / epsilon
    total, pulls = [0.0 for i in items], [0 for i in items]
    if variant == "printed":
        total = [1.0 if streams.env.random() < means[i] else 0.0 for i in items]  # observe u_0; u(i) <- u_0(i)
        pulls = [1 for i in items]  # T_i <- 1
    else:
        sigma = noise_multiplier * gaussian_sigma(epsilon, delta=delta, sensitivity=math.sqrt(size))
    rows = []
    for t in range(m + 1, m + rounds + 1):  # for t = m + 1, m + 2, ...
        upper = [math.inf for i in items]
        for i in items:
            if pulls[i]:
                radius = math.sqrt(3 * math.log(t) / (2 * pulls[i]))
                upper[i] = total[i] / pulls[i] + radius + 2 * sigma * math.sqrt(math.log(t) / pulls[i])
        chosen = largest(upper, size, streams.choice, ordered=False)  # S = Oracle(u_1, ..., u_m)
        for i in chosen:  # play S and update all T_i's and u_i's
            pulls[i] += 1
            weight = 1.0 if streams.env.random() < means[i] else 0.0
            total[i] += weight + (streams.noise.normal(0.0, sigma) if sigma else 0.0)
        rows.append([*chosen, size])
    return rows
