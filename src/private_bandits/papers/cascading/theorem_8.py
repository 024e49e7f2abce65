"""Wang et al. (2021), Theorem 8: Algorithm 2 with the noise of advanced composition, in Section 5.3."""

import math

from private_bandits import checks
from private_bandits.kernels import index
from private_bandits.papers.cascading import algorithm_2
from private_bandits.papers.cascading.shared import (
    PAPER,
    SAMPLING,
    checked,
    composition_scale,
    laplace_loss,
    local,
    terms,
)
from private_bandits.policy import Policy
from private_bandits.reference_tools import Problem, Rows, Streams


def ucb_composition(epsilon: float, *, delta: float, list_size: int, noise_multiplier: float = 1.0) -> Policy:
    """Theorem 8: Laplace noise of scale b = sqrt(4 K ln(e + epsilon/delta)) / epsilon by advanced composition.

    U = mean + sqrt(1.5 ln t / n) + (4/epsilon) sqrt(6 K ln(e + epsilon/delta) ln t / n); the last term is
    b sqrt(24 ln t / n). The composition theorem it rests on asks for epsilon <= 0.9.

    Parameters
    ----------
    epsilon : float
        Nominal privacy of a user, > 0; infinity gives CascadeUCB1.
    delta : float
        Probability with which the loss may exceed epsilon, in (0, 1).
    list_size : int
        K >= 1, for which the noise is calibrated.
    noise_multiplier : float
        Multiplies the noise and its bonus, > 0; 0.01 in the published experiments.

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> ucb_composition(0.2, delta=1e-3, list_size=4).privacy.label()
    'ε=0.2, values pay 0.0434, everything ∞'
    """
    size, factor, times = checked(list_size, noise_multiplier)
    promised, per_query = checks.epsilon(epsilon), checks.delta(delta)
    scale = factor * composition_scale(promised, per_query, size)
    a = terms(SAMPLING, (24.0 * scale**2, 0.0))
    record = index.Record(a, noise=index.LAPLACE, scale=scale, list_size=size)
    privacy = local(promised, per_query, laplace_loss(scale, size), 0.0, record)
    return Policy(
        name="Composition",
        paper=PAPER,
        algorithm="Theorem 8",
        variant=times,
        privacy=privacy,
        record=record,
        mechanism="laplace",
        calibration="composition",
    )


def reference(
    problem: Problem,
    rounds: int,
    streams: Streams,
    *,
    epsilon: float,
    delta: float,
    list_size: int,
    noise_multiplier: float = 1.0,
) -> Rows:
    """Play Algorithm 2 with b for K/epsilon, in the noise and in the bonus, b sqrt(24 ln t / n).

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
        In (0, 1).
    list_size : int
        K, of the problem.
    noise_multiplier : float
        Of the noise and its bonus, > 0.

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the list, and how many positions were observed.
    """
    b = 0.0 if math.isinf(epsilon) else math.sqrt(4 * list_size * math.log(math.e + epsilon / delta)) / epsilon
    whole = list_size / b if b else math.inf
    return algorithm_2.reference(
        problem, rounds, streams, epsilon=whole, list_size=list_size, noise_multiplier=noise_multiplier
    )
