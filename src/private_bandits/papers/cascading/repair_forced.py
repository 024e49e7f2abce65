"""Algorithm 2 and that of Theorem 8 with the exploration that their regret bounds need; ours."""

import math

from private_bandits import checks
from private_bandits.kernels import index
from private_bandits.mechanisms import laplace_scale
from private_bandits.papers.cascading.shared import SAMPLING, composition_scale, laplace_loss, local, terms
from private_bandits.policy import Policy
from private_bandits.reference_tools import Problem, Rows, Streams, click, largest


def forced_laplace(epsilon: float, *, delta: float = 0.0, list_size: int) -> Policy:
    """Algorithm 2, or that of Theorem 8, in which an item with at most 3 ln t observations has an infinite index; ours.

    U = mean + (sqrt 1.5 + sqrt(24) b) sqrt(ln t / n) for n > 3 ln t, with Lap(b) on each observed position. Without
    delta b = K/epsilon, and with delta b = sqrt(4 K ln(e + epsilon/delta)) / epsilon. Its regret is at most
    `bounds.theorem_4` (variant `corrected`), or `bounds.theorem_8`.

    Parameters
    ----------
    epsilon : float
        Nominal privacy of a user, > 0; infinity for no noise.
    delta : float
        0 for the noise of Algorithm 2; in (0, 1) for that of Theorem 8.
    list_size : int
        K >= 1, for which the noise is calibrated.

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    It mends regret and not privacy: what a user sends is what Algorithm 2 sends, and gives the click away.

    Examples
    --------
    >>> forced_laplace(0.2, list_size=4).privacy.label()
    'ε=0.2, values pay 0.1, everything ∞'
    """
    size, promised = checks.integer("list_size", list_size, at_least=1), checks.epsilon(epsilon)
    per_query = checks.real("delta", delta, at_least=0, below=1)
    if per_query == 0.0:
        scale = laplace_scale(promised, sensitivity=size)
    else:
        scale = composition_scale(promised, checks.delta(per_query), size)
    record = index.Record(
        terms(SAMPLING, (24.0 * scale**2, 0.0)), noise=index.LAPLACE, scale=scale, forced=3.0, ahead=0, list_size=size
    )
    return Policy(
        name="Laplace, forced",
        algorithm="repair, forced",
        variant="corrected",
        privacy=local(promised, per_query, laplace_loss(scale, size), 0.0, record),
        record=record,
        mechanism="laplace",
        calibration="composition" if per_query else "",
    )


def reference(
    problem: Problem, rounds: int, streams: Streams, *, epsilon: float, delta: float = 0.0, list_size: int
) -> Rows:
    """Algorithm 2, with 3 ln t observations of each item first.

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
    delta : float
        0 for b = K/epsilon, > 0 for b of Theorem 8.
    list_size : int
        K, of the problem.

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the list, and how many positions were observed.
    """
    b = list_size / epsilon
    if delta and math.isfinite(epsilon):
        b = math.sqrt(4 * list_size * math.log(math.e + epsilon / delta)) / epsilon
    means, size, items = problem.means, list_size, range(problem.n_arms)
    total = [1.0 if streams.env.random() < means[e] else 0.0 for e in items]  # w_0
    pulls = [1 for e in items]
    rows = []
    for t in range(1, rounds + 1):
        upper = [math.inf for e in items]
        for e in items:
            if pulls[e] > 3 * math.log(t):
                root = math.sqrt(math.log(t) / pulls[e])
                upper[e] = total[e] / pulls[e] + math.sqrt(1.5) * root + math.sqrt(24) * b * root
        recommended = largest(upper, size, streams.choice)
        c_t = click(means, recommended, streams.env)
        for k in range(1, int(min(c_t, size)) + 1):
            e = recommended[k - 1]
            pulls[e] += 1
            total[e] += (1.0 if c_t == k else 0.0) + (streams.noise.laplace(0.0, b) if b else 0.0)
        rows.append([*recommended, int(min(c_t, size))])
    return rows
