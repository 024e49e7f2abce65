"""Our local repairs of Algorithms 2 and 3 that send the whole reply, and a ratio index of what is sent."""

import math

import numpy as np

from private_bandits import checks
from private_bandits.kernels import ratio
from private_bandits.mechanisms import gaussian_epsilon, gaussian_sigma, laplace_scale, response_probabilities
from private_bandits.papers.cascading.instances import padded_replies
from private_bandits.plain import Problem, Rows, Streams, click, largest, respond
from private_bandits.policy import Mechanism, Policy
from private_bandits.privacy import Guarantee, channel_loss, sensitivity


def repaired_reply(epsilon: float, list_size: int) -> Policy:
    """(K+1)-ary randomised response on the reply {1, ..., K, none}, with the ratio index of `kernels.ratio`; ours.

    The radius is sqrt(1.5 n ln t) / (1 - (K + 1) p), n the item's displays and p the probability of each false reply.

    Parameters
    ----------
    epsilon : float
        Pure local privacy of everything a user sends, > 0; infinity for truthful replies.
    list_size : int
        K >= 1, for which the response is calibrated.

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> repaired_reply(0.2, list_size=4).privacy.label()
    'ε=0.2'
    """
    size = checks.integer("list_size", list_size, at_least=1, at_most=checks.LONGEST)
    _, lie = response_probabilities(checks.epsilon(epsilon), size + 1)
    record = ratio.Record(ratio.RESPONSE, flip=lie, list_size=size)
    paid = channel_loss(reply_channel(lie, size))
    privacy = Guarantee.certified(epsilon, paid, "local", "randomised response on the whole reply")
    name, version = "Response, whole reply", ("", "repaired")
    return Policy(name, "", "repair, reply", version, privacy, ratio, record, "response", method="reply")


def repaired_padded(epsilon: float, list_size: int, delta: float = 0.0, over: str = "examinations") -> Policy:
    """The paper's mechanisms on a message of fixed length: all K clicks and all K examinations, each with noise; ours.

    One reply moves the 2K numbers by at most K + 1 in L1 and sqrt(K + 1) in L2 (1 at K = 1). The index is the ratio of
    `kernels.ratio`, with sqrt(1.5 ln t (N + r)) + r, r the tail of the noise; it fails in round t with probability at
    most 3 t^-2.

    Parameters
    ----------
    epsilon : float
        Local privacy of everything a user sends, > 0; infinity for exact replies.
    list_size : int
        K >= 1, for which the noise is calibrated.
    delta : float
        0 for Laplace noise; in (0, 1) for Gaussian noise of the smallest sigma.
    over : {"examinations", "displays"}
        What the clicks are divided by. Displays are no estimate of anything that the list's order leaves alone: a
        negative control.

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> repaired_padded(0.2, list_size=4).privacy.label(), repaired_padded(0.2, 4, delta=1e-3).name
    ('ε=0.2', 'Gaussian, padded')
    """
    size = checks.integer("list_size", list_size, at_least=1, at_most=checks.LONGEST)
    by_display = checks.choice("over", over, ("examinations", "displays")) == "displays"
    delta = checks.real("delta", delta, at_least=0, below=1)
    laplace, moved = delta == 0.0, [sensitivity(padded_replies(size), order=order) for order in (1, 2)]
    scale = laplace_scale(epsilon, moved[0]) if laplace else gaussian_sigma(epsilon, delta, moved[1])
    record = ratio.Record(ratio.LAPLACE if laplace else ratio.GAUSSIAN, 0.0, scale, by_display, size)
    paid = (moved[0] / scale if scale else math.inf) if laplace else gaussian_epsilon(scale, delta, moved[1])
    privacy = Guarantee.certified(epsilon, paid, "local", "noise on every click and examination", delta)
    mechanism: Mechanism = "laplace" if laplace else "gaussian"
    name = f"{mechanism.capitalize()}, {'clicks per display' if by_display else 'padded'}"
    version, method = (over if by_display else "", "repaired"), f"{mechanism}, {over}"
    return Policy(name, "", "repair, padded", version, privacy, ratio, record, mechanism, method=method)


def reply_channel(lie: float, list_size: int) -> np.ndarray:
    """Channel from the reply (click at 1, ..., K, none) to the randomised reply.

    Parameters
    ----------
    lie : float
        Probability of each false reply, in [0, 1/list_size].
    list_size : int
        K >= 1.

    Returns
    -------
    float64 array, shape (list_size + 1, list_size + 1)
        A row per reply, a column per randomised reply.
    """
    channel = np.full((list_size + 1, list_size + 1), lie)
    np.fill_diagonal(channel, 1.0 - list_size * lie)
    return channel


def reference(
    problem: Problem, horizon: int, streams: Streams, epsilon: float, delta: float | None = None, over: str = ""
) -> Rows:
    """The whole reply, by (K+1)-ary randomised response or as clicks and examinations with noise.

    If a false answer has probability `lie` each, the clicks sent have expectation lie + (1 - (K + 1) lie) P(click).

    Parameters
    ----------
    problem : Cascade
        Its means, L and K.
    horizon : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `simulate.streams`.
    epsilon : float
        > 0.
    delta : float, optional
        None for randomised response; 0 for Laplace noise, > 0 for Gaussian.
    over : {"", "displays"}
        What noisy clicks are divided by; empty for the examinations.

    Returns
    -------
    list of list of int
        A row a round, as `simulate.trace` shows it: the list, and how many positions were observed.
    """
    means, size, items = problem.means, problem.list_size, range(problem.n_items)
    lie = 1 / (math.exp(epsilon) + size) if delta is None else 0.0
    width, reach = 1 - (size + 1) * lie, size + 1 if size > 1 else 1
    scale = gaussian_sigma(epsilon, delta, math.sqrt(reach)) if delta else reach / epsilon
    clicks, examined = [0.0 for e in items], [0.0 for e in items]  # as they were sent
    positions: list[list[int]] = [[] for e in items]  # where the item has been shown
    rows = []
    for t in range(1, horizon + 1):
        upper, x = [math.inf for e in items], 3 * math.log(t)
        for e in items:
            m = len(positions[e])
            if m == 0:
                continue
            if delta is None:
                above = sum(k - 1 for k in positions[e])
                hits, seen = (clicks[e] - m * lie) / width, m - (m - examined[e] - above * lie) / width
                radius = math.sqrt(1.5 * m * math.log(t)) / width
            else:
                noise = scale * math.sqrt((x + 2 * m) / x) * (x + 2 * m * math.log1p(x / (2 * m)))
                if delta:
                    noise = scale * math.sqrt(2 * x * 2 * m)
                hits, seen = clicks[e], m if over else examined[e]
                radius = math.sqrt(max(0.0, 1.5 * math.log(t) * (m if over else seen + noise))) + noise
            if seen > 0:
                upper[e] = (hits + radius) / seen
        recommended = largest(upper, size, streams.choice)
        c_t = int(min(click(means, recommended, streams.env), size + 1))
        observed = min(c_t, size)
        if delta is None:
            c_t = 1 + respond(c_t - 1, size + 1, lie, streams.noise)
        for k in range(1, size + 1):
            e = recommended[k - 1]
            for sums, truth in ((clicks, c_t == k), (examined, k <= c_t)):
                sums[e] += truth
                if delta is not None:
                    sums[e] += streams.noise.normal(0.0, scale) if delta else streams.noise.laplace(0.0, scale)
            positions[e].append(k)
        rows.append([*recommended, observed])
    return rows
