"""From a privacy parameter to a noise scale, and back from a scale to what it exactly pays."""

import math
from collections.abc import Callable

import scipy

from private_bandits import checks


def laplace_scale(epsilon: float, *, sensitivity: float) -> float:
    """Scale of the Laplace noise that makes a release epsilon-differentially private.

    Parameters
    ----------
    epsilon : float
        Privacy parameter, >= 1e-9; infinity means no privacy.
    sensitivity : float
        Largest L1 distance between the exact releases of neighbouring inputs, > 0.

    Returns
    -------
    float
        sensitivity / epsilon, and 0.0 at epsilon = infinity.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    Dwork, McSherry, Nissim and Smith (2006), Proposition 1.

    Examples
    --------
    >>> laplace_scale(epsilon=0.5, sensitivity=1.0)
    2.0
    """
    scale = _sensitivity(sensitivity) / checks.epsilon(epsilon)
    if math.isinf(scale):
        raise ValueError(f"sensitivity must be smaller for a finite scale, got {sensitivity}")
    return scale


def gaussian_sigma(epsilon: float, *, delta: float, sensitivity: float, calibration: str = "analytic") -> float:
    """Standard deviation of the Gaussian noise that makes a release (epsilon, delta)-private.

    Parameters
    ----------
    epsilon : float
        Privacy parameter, >= 1e-9; infinity means no privacy.
    delta : float
        Probability with which the loss may exceed epsilon, in (0, 1).
    sensitivity : float
        Largest L2 distance between the exact releases of neighbouring inputs, > 0.
    calibration : {"analytic", "classical"}
        "analytic" is the smallest sigma that keeps the promise (Balle and Wang 2018, Theorem 9), for every
        epsilon. "classical" is sensitivity * sqrt(2 ln(1.25/delta)) / epsilon, the formula most papers print;
        it is proven only for epsilon < 1 (Dwork and Roth 2014, Theorem A.1) and given here for every epsilon,
        as printed.

    Returns
    -------
    float
        The standard deviation; 0.0 at epsilon = infinity.

    Raises
    ------
    ValueError
        If a parameter is out of range, or the calibration is unknown.

    Notes
    -----
    With mu = sensitivity / sigma and u = mu/2 - epsilon/mu, the mechanism's delta grows with u, and
    mu = u + sqrt(u**2 + 2 epsilon). We solve for u, which stays of moderate size where mu does not.

    Examples
    --------
    >>> given = {"delta": 1e-5, "sensitivity": 1.0}
    >>> [round(gaussian_sigma(1.0, calibration=which, **given), 4) for which in ("analytic", "classical")]
    [3.7306, 4.8448]
    """
    epsilon = checks.epsilon(epsilon)
    delta = checks.delta(delta)
    sensitivity = _sensitivity(sensitivity)
    if checks.choice("calibration", calibration, ("analytic", "classical")) == "classical":
        ratio = 1.25 / delta
        log = math.log(ratio) if ratio < math.inf else math.log(1.25) - math.log(delta)
        return sensitivity * math.sqrt(2 * log) / epsilon
    if math.isinf(epsilon):
        return 0.0
    if epsilon < 1e-12:  # in a formula, below what plays: the arithmetic ends here
        raise ValueError(f"epsilon must be >= 1e-12 for the analytic sigma, got {epsilon}")
    root = math.sqrt(2) * math.sqrt(epsilon)

    def sum_of(u: float) -> float:
        w = math.hypot(u, root)
        return u + w if u > 0 else root * (root / (w - u))

    low = float(scipy.special.ndtri(delta)) - 1
    step = 2.0
    while _profile(low + step, sum_of(low + step)) < delta:
        step *= 2
    return sensitivity / sum_of(_root(lambda u: _profile(u, sum_of(u)) - delta, low, low + step))


def gaussian_epsilon(sigma: float, *, delta: float, sensitivity: float) -> float:
    """Exact epsilon that Gaussian noise of a given sigma pays at delta.

    Parameters
    ----------
    sigma : float
        Standard deviation of the noise, >= 0; 0 and infinity are allowed.
    delta : float
        Probability with which the loss may exceed epsilon, in (0, 1).
    sensitivity : float
        Largest L2 distance between the exact releases of neighbouring inputs, > 0.

    Returns
    -------
    float
        The smallest epsilon >= 0 for which the release is (epsilon, delta)-private: 0.0 when delta alone
        already covers the release, infinity at sigma = 0.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    Balle and Wang (2018), Theorem 8, solved for s = epsilon * sigma / sensitivity, so that neither a very
    large nor a very small epsilon loses digits.

    Examples
    --------
    >>> round(gaussian_epsilon(gaussian_sigma(1.0, delta=1e-5, sensitivity=1.0), delta=1e-5, sensitivity=1.0), 9)
    1.0
    """
    sigma = checks.real("sigma", sigma, at_least=0, infinite=True)
    delta = checks.delta(delta)
    reach = _sensitivity(sensitivity)
    mu = reach / sigma if sigma > 0 else math.inf
    if math.isinf(mu):
        return math.inf
    if _profile(mu / 2, mu) <= delta:
        return 0.0
    high = mu - float(scipy.special.ndtri(delta)) + 1
    return mu * _root(lambda s: _profile(mu / 2 - s, mu) - delta, 0.0, high)


def response_probabilities(epsilon: float, *, n_values: int) -> tuple[float, float]:
    """Probabilities of k-ary randomised response: of the true value, and of each other value.

    Parameters
    ----------
    epsilon : float
        Privacy parameter, >= 1e-9; infinity means no privacy.
    n_values : int
        Number of values, >= 2.

    Returns
    -------
    p_keep, p_other : float
        exp(epsilon) / (exp(epsilon) + n_values - 1) and 1 / (exp(epsilon) + n_values - 1); (1.0, 0.0) at
        infinity.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    Kairouz, Oh and Viswanath (2016), Section 4.1. If a share f of the true values is v, the answer is v with
    probability p_other + f (p_keep - p_other); so (1{answer = v} - p_other) / (p_keep - p_other) is an
    unbiased estimate of f, with variance at f = 0 of p_other (1 - p_other) / (p_keep - p_other)**2.

    Examples
    --------
    >>> [round(p, 4) for p in response_probabilities(epsilon=1.0, n_values=2)]
    [0.7311, 0.2689]
    """
    weight = math.exp(-checks.epsilon(epsilon))
    total = 1 + (checks.integer("n_values", n_values, at_least=2) - 1) * weight
    return 1 / total, weight / total


@checks.quietly()
def _profile(u: float, mu: float) -> float:
    """Delta of a Gaussian release with mu = sensitivity / sigma and u = mu/2 - epsilon/mu.

    It is phi(u) (R(-u) - R(mu - u)), with R the Mills ratio and R'(x) = x R(x) - 1.
    """
    if u < 0 and mu < 1e-4:  # nearly equal ratios, told by their slope between
        between = mu / 2 - u
        slope = between * math.sqrt(math.pi / 2) * float(scipy.special.erfcx(between / math.sqrt(2))) - 1
        return -mu * slope * math.exp(-u * u / 2) / math.sqrt(2 * math.pi)
    w = mu - u
    return float(scipy.special.ndtr(u) - 0.5 * scipy.special.erfcx(w / math.sqrt(2)) * math.exp(-u * u / 2))


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    return float(scipy.optimize.brentq(function, low, high, xtol=1e-30, rtol=1e-15, maxiter=500))


def _sensitivity(value: float) -> float:
    return checks.real("sensitivity", value, above=0)
