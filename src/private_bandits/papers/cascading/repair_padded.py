"""Our local repair of Algorithms 2 and 3 that keeps their noise, and a ratio index of what is sent."""

import math

from private_bandits import checks
from private_bandits.kernels import padded
from private_bandits.mechanisms import gaussian_epsilon, gaussian_sigma, laplace_scale
from private_bandits.papers.cascading.instances import padded_replies
from private_bandits.policy import Mechanism, Policy, words
from private_bandits.privacy import Guarantee, sensitivity
from private_bandits.reference_tools import Problem, Rows, Streams, click, largest


def repaired_padded(epsilon: float, *, delta: float = 0.0, list_size: int, over: str = "examinations") -> Policy:
    """The paper's mechanisms on a message of fixed length: all K clicks and all K examinations, each with noise; ours.

    One reply moves the 2K numbers by at most K + 1 in L1 and sqrt(K + 1) in L2 (1 at K = 1). The index is the ratio of
    `kernels.padded`, with sqrt(1.5 ln t (N + r)) + r, r the tail of the noise; it fails in round t with probability at
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
    >>> repaired_padded(0.2, list_size=4).privacy.label(), repaired_padded(0.2, list_size=4, delta=1e-3).name
    ('ε=0.2', 'Gaussian, padded')
    """
    size = checks.integer("list_size", list_size, at_least=1)
    by_display = checks.choice("over", over, ("examinations", "displays")) == "displays"
    delta = checks.real("delta", delta, at_least=0, below=1)
    moved = sensitivity(padded_replies(size), order=2 if delta else 1)
    if delta:
        scale = gaussian_sigma(epsilon, delta=delta, sensitivity=moved)
        paid = gaussian_epsilon(scale, delta=delta, sensitivity=moved)
    else:
        scale = laplace_scale(epsilon, sensitivity=moved)
        paid = moved / scale if scale else math.inf
    record = padded.Record(delta > 0.0, scale, by_display, size)
    privacy = Guarantee.certified(epsilon, paid, "local", "noise on every click and examination", delta)
    mechanism: Mechanism = "gaussian" if delta else "laplace"
    name = f"{mechanism.capitalize()}, {'clicks per display' if by_display else 'padded'}"
    chosen, method = over if by_display else "", f"{mechanism}, {over}"
    return Policy(
        name=name,
        algorithm="repair, padded",
        variant=words(chosen, "repaired"),
        chosen=chosen,
        privacy=privacy,
        record=record,
        mechanism=mechanism,
        method=method,
    )


def reference(
    problem: Problem,
    rounds: int,
    streams: Streams,
    *,
    epsilon: float,
    delta: float = 0.0,
    list_size: int,
    over: str = "examinations",
) -> Rows:
    """All clicks and all examinations of a list, each with noise.

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
        0 for Laplace noise, > 0 for Gaussian.
    list_size : int
        K, of the problem.
    over : {"examinations", "displays"}
        What the clicks are divided by.

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the list, and how many positions were observed.
    """
    means, size, items = problem.means, list_size, range(problem.n_arms)
    reach = size + 1 if size > 1 else 1
    scale = gaussian_sigma(epsilon, delta=delta, sensitivity=math.sqrt(reach)) if delta else reach / epsilon
    draw = streams.noise.normal if delta else streams.noise.laplace
    clicks, examined = [0.0 for e in items], [0.0 for e in items]  # as they were sent
    displays = [0 for e in items]
    rows = []
    for t in range(1, rounds + 1):
        upper, x = [math.inf for e in items], 3 * math.log(t)
        for e in items:
            m = 2 * displays[e]  # noises in each of its two sums
            seen = displays[e] if over == "displays" else examined[e]
            if m == 0 or seen <= 0:
                continue
            if delta:
                radius = scale * math.sqrt(2 * x * m)
            else:
                radius = scale * math.sqrt((x + m) / x) * (x + m * math.log1p(x / m))
            n = seen if over == "displays" else seen + radius
            upper[e] = (clicks[e] + math.sqrt(1.5 * math.log(t) * n) + radius) / seen
        recommended = largest(upper, size, streams.choice)
        c_t = click(means, recommended, streams.env)
        for k, e in enumerate(recommended, start=1):
            clicks[e] += (k == c_t) + draw(0.0, scale)
            examined[e] += (k <= c_t) + draw(0.0, scale)
            displays[e] += 1
        rows.append([*recommended, int(min(c_t, size))])
    return rows
