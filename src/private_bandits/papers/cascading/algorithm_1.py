"""Wang et al. (2021), Algorithm 1, Cascading-UCB under DP: a hybrid counter for each item, in Section 4."""

import math

from private_bandits import checks
from private_bandits.kernels import index
from private_bandits.mechanisms import laplace_scale, lemma_1_constant
from private_bandits.papers.cascading.shared import PAPER, SAMPLING, checked, in_clear, terms
from private_bandits.policy import Policy, words
from private_bandits.privacy import Guarantee
from private_bandits.reference_tools import Hybrid, Problem, Rows, Streams, click, largest


def ucb_hybrid(
    epsilon: float,
    *,
    n_arms: int,
    horizon: int,
    variant: str = "printed",
    noise_multiplier: float = 1.0,
    c_1: float | None = None,
) -> Policy:
    """Algorithm 1, Cascading-UCB under DP: a hybrid counter of epsilon/L for each item.

    U = mean + sqrt(1.5 ln t / n) + 3 c_1 L ln^1.5(m) ln t / (epsilon n), with m the horizon (`variant="printed"`) or
    the pulls n of the item (`variant="proof"`, as in Appendix C).

    Parameters
    ----------
    epsilon : float
        Nominal privacy, > 0; infinity gives CascadeUCB1.
    n_arms : int
        L >= 1; epsilon is split among the items. (The paper instantiates K counters; every item needs one.)
    horizon : int
        n of the paper, >= 1.
    noise_multiplier : float
        Multiplies the noise and its bonus, > 0; 0.01 in the published experiments.
    variant : {"printed", "proof"}
        Whose logarithm the bonus has.
    c_1 : float, optional
        Constant of Lemma 1, > 0, which the paper leaves open; default `mechanisms.lemma_1_constant()`.

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> ucb_hybrid(1.0, n_arms=20, horizon=100_000).privacy.label()
    'ε=1, values pay 0.1, everything ∞'
    """
    items, factor, times = checked(n_arms, noise_multiplier, "n_arms")
    length = checks.integer("horizon", horizon, at_least=1)
    proof = checks.choice("variant", variant, ("printed", "proof")) == "proof"
    constant = lemma_1_constant() if c_1 is None else checks.real("c_1", c_1, above=0)
    scale = factor * laplace_scale(epsilon, sensitivity=items)
    logs = 1.0 if proof else math.log(length) ** 1.5
    # a user moves at most two click counters (one at K = 1) by one each, epsilon/L apiece
    value = 2.0 / scale if scale else math.inf
    leak = (
        "the free reports and the pulls are used without noise, "
        "and a click moves the later leaves of other items' trees"
    )
    record = index.Record(
        terms(SAMPLING),
        noise=index.HYBRID,
        scale=scale,
        bonus=index.PULLS_BONUS if proof else index.FLAT_BONUS,
        bonus_scale=3.0 * constant * scale * logs,
        n_arms=items,
        horizon=0 if proof else length,
    )
    # whose w_0 is 1 leads the first list: no noise is drawn before it
    privacy = Guarantee.releasing(epsilon, 0.0, value, 0.0, in_clear(record), "central", leak)
    name, method = ("Hybrid", "log of pulls") if proof else ("Hybrid, log of horizon", "log of horizon")
    return Policy(
        name=name,
        paper=PAPER,
        algorithm="Algorithm 1",
        variant=words(variant, times),
        chosen=variant,
        privacy=privacy,
        record=record,
        mechanism="tree",
        method=method,
    )


def reference(
    problem: Problem,
    rounds: int,
    streams: Streams,
    *,
    epsilon: float,
    n_arms: int,
    horizon: int,
    variant: str = "printed",
    noise_multiplier: float = 1.0,
    c_1: float | None = None,
) -> Rows:
    """Algorithm 1; w_0 stays outside the mechanisms.

    Parameters
    ----------
    problem : Cascade
        Its means, L and K.
    rounds : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `streams.streams`.
    epsilon : float
        > 0; infinity means no noise.
    n_arms : int
        L, of the problem.
    horizon : int
        n of the paper, >= 1.
    variant : {"printed", "proof"}
        Whose logarithm the bonus has.
    noise_multiplier : float
        Of the noise and its bonus, > 0.
    c_1 : float, optional
        Constant of Lemma 1, > 0; default `mechanisms.lemma_1_constant()`.

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the list, and how many positions were observed.
    """
    means, size, items = problem.means, problem.list_size, range(n_arms)
    c_1 = lemma_1_constant() if c_1 is None else c_1
    mechanisms = [Hybrid(epsilon / n_arms / noise_multiplier, streams.noise) for e in items]  # instantiate
    w_0 = [1.0 if streams.env.random() < means[e] else 0.0 for e in items]  # observe w_0
    pulls = [1 for e in items]  # T_0(e) <- 1
    released = [0.0 for e in items]
    rows = []
    for t in range(1, rounds + 1):
        upper = []
        for e in items:
            log_n = math.log(horizon if variant == "printed" else pulls[e])
            bonus = noise_multiplier * 3 * c_1 * n_arms * log_n**1.5 * math.log(t) / (epsilon * pulls[e])
            upper.append((w_0[e] + released[e]) / pulls[e] + math.sqrt(1.5 * math.log(t) / pulls[e]) + bonus)
        recommended = largest(upper, size, streams.choice)  # the K items with largest private UCBs
        c_t = click(means, recommended, streams.env)  # observe click C_t in {1, ..., K, infinity}
        for k in range(1, int(min(c_t, size)) + 1):
            e = recommended[k - 1]
            pulls[e] += 1
            released[e] = mechanisms[e].add(1.0 if c_t == k else 0.0)  # insert w_t(e)
        rows.append([*recommended, int(min(c_t, size))])
    return rows
