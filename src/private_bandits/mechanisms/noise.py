"""The compiled samplers: a zero scale draws nothing, so the stream stays where it was."""

import math
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.compilation import compiled
from private_bandits.mechanisms.calibration import response_probabilities


@compiled
def laplace(rng: np.random.Generator, scale: float) -> float:
    """Draw from the Laplace distribution with density exp(-|x|/scale) / (2 scale).

    Compiled. The same number from the same generator state as `rng.laplace(0.0, scale)`, from one uniform by
    the inverse distribution function, written without a branch on the sign, which halves its time.

    Parameters
    ----------
    rng : numpy.random.Generator
    scale : float
        >= 0; at 0 nothing is drawn.

    Returns
    -------
    float

    Examples
    --------
    >>> round(laplace(np.random.default_rng(0), 2.0), 4), laplace(np.random.default_rng(0), 0.0)
    (0.6402, 0.0)
    """
    if scale == 0.0:
        return 0.0
    u = rng.random()
    while u == 0.0:
        u = rng.random()
    return math.copysign(scale * math.log(min(u + u, 2.0 - u - u)), u - 0.5)


@compiled
def geometric(rng: np.random.Generator, epsilon: float) -> int:
    """Draw from P(Z = z) proportional to exp(-epsilon |z|), the difference of two geometric numbers.

    Compiled. Each is exact as far as numbers go.

    Parameters
    ----------
    rng : numpy.random.Generator
    epsilon : float
        > 0; at infinity nothing is drawn.

    Returns
    -------
    int

    Examples
    --------
    >>> geometric(np.random.default_rng(0), 0.5), geometric(np.random.default_rng(0), math.inf)
    (2, 0)
    """
    if epsilon == np.inf:
        return 0
    up = math.floor(min(-math.log(1.0 - rng.random()) / epsilon, 1e18))
    return up - math.floor(min(-math.log(1.0 - rng.random()) / epsilon, 1e18))


@compiled
def gaussian(rng: np.random.Generator, sigma: float) -> float:
    """Draw from the normal distribution with mean 0.

    Compiled. The same number from the same generator state as `rng.normal(0.0, sigma)`.

    Parameters
    ----------
    rng : numpy.random.Generator
    sigma : float
        Standard deviation, >= 0; at 0 nothing is drawn.

    Returns
    -------
    float

    Examples
    --------
    >>> round(gaussian(np.random.default_rng(0), 2.0), 4), gaussian(np.random.default_rng(0), 0.0)
    (0.2515, 0.0)
    """
    if sigma == 0.0:
        return 0.0
    return sigma * rng.standard_normal()


@compiled
def respond(rng: np.random.Generator, value: int, n_values: int, p_other: float) -> int:
    """Answer a value in {0, ..., n_values - 1} by randomised response.

    Compiled. One uniform u: the true value if u >= n_values * p_other, else floor(u / p_other), which is uniform over
    all values.

    Parameters
    ----------
    rng : numpy.random.Generator
    value : int
        The true value.
    n_values : int
        >= 2.
    p_other : float
        The second number of `response_probabilities`; at 0 nothing is drawn and the value returned.

    Returns
    -------
    int

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> [respond(rng, 2, n_values=3, p_other=0.3) for _ in range(6)]
    [2, 0, 0, 0, 2, 2]
    """
    if p_other == 0.0:
        return value
    u = rng.random()
    if n_values == 2:  # the same answer without a branch on what cannot be guessed
        return int((u >= p_other) & ((u < 2.0 * p_other) | (value == 1)))
    if u >= n_values * p_other:
        return value
    return min(int(u / p_other), n_values - 1)


@compiled
def hypercube(rng: np.random.Generator, outcomes: np.ndarray, observed: int, truth: float) -> None:
    """Replace a vector of outcomes by a random corner of the hypercube that agrees with most of them, or with few.

    Compiled. Duchi, Jordan and Wainwright (2018), for the largest coordinate: of a uniformly random corner and the
    opposite one, that which agrees with more than half of the outcomes is sent with probability `truth`, else the
    other; where each agrees with half, the corner itself. One uniform for each bit and one for the choice.

    Parameters
    ----------
    rng : numpy.random.Generator
    outcomes : float64 array, written
        Each 0 or 1.
    observed : int
        How many of them there are; the rest of the vector counts as 0.
    truth : float
        In [1/2, 1]; e^epsilon / (1 + e^epsilon) pays epsilon.

    Examples
    --------
    >>> outcomes = np.ones(3)
    >>> hypercube(np.random.default_rng(2), outcomes, observed=3, truth=1.0)
    >>> outcomes
    array([1., 1., 0.])
    """
    size, agree = len(outcomes), 0
    for place in range(size):
        value = outcomes[place] if place < observed else 0.0
        outcomes[place] = 1.0 if rng.random() < 0.5 else 0.0
        agree += 1 if outcomes[place] == value else 0
    if (rng.random() < truth) == (2 * agree < size) and 2 * agree != size:
        for place in range(size):
            outcomes[place] = 1.0 - outcomes[place]


@compiled
def _respond_all(rng: np.random.Generator, values: np.ndarray, n_values: int, p_other: float) -> np.ndarray:
    answers = np.empty_like(values)
    for i in range(values.size):
        answers[i] = respond(rng, values[i], n_values, p_other)
    return answers


def randomized_response(values: Any, epsilon: float, *, n_values: int, rng: np.random.Generator) -> Any:
    """Answer each value by k-ary randomised response, independently (Warner 1965; Kairouz et al. 2015 for k values).

    Parameters
    ----------
    values : int or array_like of int
        The true values, each in {0, ..., n_values - 1}.
    epsilon : float
        Privacy parameter of each answer, > 0; infinity returns the values and draws nothing.
    n_values : int
        Number of values, >= 2.
    rng : numpy.random.Generator
        Source of the noise; one uniform is drawn per value.

    Returns
    -------
    int or numpy.ndarray of int64
        The answers, in the shape of `values`.

    Raises
    ------
    ValueError
        If a parameter is out of range or a value is not one of the n_values integers.

    See Also
    --------
    response_probabilities : the two probabilities, and the unbiased estimate they give.

    Examples
    --------
    >>> randomized_response([0, 1, 1, 1, 0], 1.0, n_values=2, rng=np.random.default_rng(0))
    array([0, 1, 0, 0, 0])
    """
    checks.integer("n_values", n_values, at_least=2, at_most=checks.ROUNDS)
    _, p_other = response_probabilities(epsilon, n_values=n_values)
    generator(rng)
    true = checks.counts("values", values, at_most=n_values - 1)
    answers = _respond_all(rng, true.astype(np.int64).ravel(), n_values, p_other).reshape(true.shape)
    return answers if true.ndim else int(answers)


def generator(rng: Any) -> np.random.Generator:
    """Return `rng` if it is a numpy Generator.

    Parameters
    ----------
    rng : numpy.random.Generator

    Returns
    -------
    numpy.random.Generator

    Raises
    ------
    ValueError
        If it is none.
    """
    if not isinstance(rng, np.random.Generator):
        raise ValueError(f"rng must be a numpy.random.Generator, got {checks.brief(rng)}")
    return rng
