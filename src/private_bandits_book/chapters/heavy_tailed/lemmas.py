"""Numbers that decide claims of Tao et al. (2022): slopes of bounds, constants that are proved, bounded rewards.

An order holds if some constant makes it a bound. Against a bound with constants that comes down to a ratio, and to how
it moves far out along each axis, its `slopes`. The proofs are on the chapter's page of proofs.

For rewards in [0, 1] the bounds with constants compare two Bernoulli laws of means 1/2 and 1/2 + gap, which are gap
apart in total variation: a centrally private algorithm tells n pulls apart by at most epsilon n gap, a locally private
one by at most C n gap^2 (`bounds.local_loss`).
"""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import count, islice, product
from typing import NamedTuple

from private_bandits.papers.heavy_tailed.bounds import local_loss

CENTRAL, LOCAL, NO_PRIVACY = "central", "local", "none"
_CENTRAL_LOSS = 4.0  # the divergence of means 1/2 and 1/2 + x is at most 4 x^2 for x <= 1/sqrt 8
_AUER = 1.0 + math.pi**2 / 3.0  # pulls of UCB1 beside the logarithm
_FAILED = 7.0  # pulls of AdaP-UCB beside it, for alpha >= 3.1


def slopes(ratio: Callable[..., float], *axes: Sequence[float]) -> list[float]:
    """Return how a ratio moves far out on its axes, in exponents of them.

    Slopes of ln(ratio) between the last two values of each axis of two or more, at every value of the others.
    """
    grid = product(*(range(len(axis)) for axis in axes))
    values = {places: ratio(*(axis[at] for axis, at in zip(axes, places, strict=True))) for places in grid}
    found = []
    for number, axis in enumerate(axes):
        for places, value in values.items():
            if len(axis) > 1 and places[number] == len(axis) - 1:
                before = (*places[:number], places[number] - 1, *places[number + 1 :])
                found.append(math.log(value / values[before]) / abs(math.log(axis[-1] / axis[-2])))
    return found


def plain_lower(n_arms: int, gap: float, v: float, horizon: int) -> float:
    """Return what every algorithm has, private or not, on the instance of `bounds.dp_lower`, u = 1."""
    return (n_arms - 1) * gap * math.log(horizon) / -math.log1p(-(gap ** ((1.0 + v) / v)))


def episodes_upper(gap: float, epsilon: float, v: float, u: float, horizon: int) -> float:
    """Return the bound on the regret of `adap_robust_ucb` with one bad arm, for epsilon <= 1, v >= 0.1 and T >= 256."""
    width = 3.0 + math.sqrt(2.0) + 1.0 / 3.0
    pulls = 4.0 * (2.0 * width) ** ((1.0 + v) / v) * math.log(horizon) / epsilon
    return pulls * (u / gap) ** (1.0 / v) + 3.0 * (math.floor(math.log2(horizon)) + 1.0) * gap


# --- how far a mean is off


def dp_confidence(epsilon: float) -> float:
    """Return a bound on the error of a noisy epoch mean of DP Robust SE, in units of err: 1 - 3 e^-L.

    1 (bias) + sqrt(2 epsilon) + epsilon/3 (Bernstein) + 2 (Laplace). The rule "12 err" at c = 24 needs at most 6, and
    any c needs at most c/4.
    """
    return 3.0 + math.sqrt(2.0 * epsilon) + epsilon / 3.0


def ldp_confidence(epsilon: float, q: float) -> float:
    """Return a bound on the error of an epoch mean of LDP Robust SE, in units of err: 1 - 4 e^-L, q = sqrt(L/R).

    1 (bias) + sqrt(2 epsilon q) + epsilon q/3 (Bernstein) + 4 + 2 q (the mean of R Laplace variables, sub-gamma).
    """
    return 5.0 + 2.0 * q + math.sqrt(2.0 * epsilon * q) + epsilon * q / 3.0


def least_c(trust: str, epsilon: float = 1.0, v: float = 0.5, u: float = 1.0) -> float:
    """Return the least constant of the epochs for which a bound on the means is proved, for epsilon <= 1.

    Four times the bound on a mean's error. Locally that bound falls with c, as q = epsilon / (u^(1/v)
    (2c)^((1+v)/v)) in the first epoch and less later; its value at c = 20, from where every solution lies above.
    """
    if trust == NO_PRIVACY:
        return 4.0 * (1.0 + math.sqrt(2.0) + 1.0 / 3.0)
    if trust == CENTRAL:
        return 4.0 * dp_confidence(epsilon)
    return 4.0 * ldp_confidence(epsilon, epsilon / (u ** (1.0 / v) * 40.0 ** ((1.0 + v) / v)))


class ErrorParts(NamedTuple):
    """Bounds on the three errors of a mean, in units of reward, and the radius that is to cover their sum."""

    bias: float
    sampling: float
    noise: float
    radius: float


def dp_robust_ucb_error(pulls: int, epsilon: float, v: float, u: float, horizon: int, c: float = 18.0) -> ErrorParts:
    """Return the errors of a DP Robust UCB mean of n = `pulls` rewards in round T, each tail with probability 1/T^4.

    Bias: the mean of u B_k^-v is at most (1+v) u B_n^-v. Sampling: Bernstein, with second moment at most u B_n^(1-v)
    and rewards at most B_n. Noise: Chan, Shi and Song (2011), Corollary 2.9, for floor(log2 T) + 1
    nodes of the largest scale.
    """
    log_t, levels, power = math.log(horizon), horizon.bit_length(), v / (1.0 + v)
    tail = math.log(2.0) + 4.0 * log_t
    threshold = (epsilon * u * pulls / log_t**1.5) ** (1.0 / (1.0 + v))
    node = 2.0 * threshold * levels / epsilon
    return ErrorParts(
        bias=(1.0 + v) * u * threshold**-v,
        sampling=math.sqrt(2.0 * u * threshold ** (1.0 - v) * tail / pulls) + threshold * tail / (3.0 * pulls),
        noise=math.sqrt(8.0 * tail) * max(math.sqrt(levels) * node, node * math.sqrt(tail)) / pulls,
        radius=c * u ** (1.0 / (1.0 + v)) * (tail * log_t ** (1.5 + 1.0 / v) / (pulls * epsilon)) ** power,
    )


def radius_share() -> float:
    """Return a bound on the share of the radius of DP Robust UCB that its errors take, for T >= 200 and epsilon <= 1.

    The share is largest in round 3 or T, there at most what is computed here at v = 1 or v = 0, and that falls with T.
    """
    log_t = math.log(200.0)
    levels = log_t / math.log(2.0) + 1.0  # without rounding down
    shares = []
    for rounds, bias, least in ((3.0, 2.0, 0.5), (200.0, 1.0, 0.0)):  # least: the power of A that is left at this v
        tail = math.log(2.0 * rounds**4)
        sampling = math.sqrt(2.0 * tail / log_t**1.5) + tail / (3.0 * log_t**1.5)
        noise = 2.0 * levels * math.sqrt(8.0 * tail * max(levels, tail)) / log_t**1.5
        shares.append((bias + sampling + noise) / (18.0 * tail**least * log_t ** (1.0 - least)))
    return max(shares)


# --- rewards in [0, 1]


def bounded_lower(
    n_arms: int, gap: float, epsilon: float, horizon: int, *, local: bool, variant: str = "printed"
) -> float:
    """Return the instance-dependent lower bound, all n_arms - 1 bad arms with one gap in (0, 1/2), epsilon in (0, 1].

    `printed` is K ln T / epsilon + sum of ln T / gap, or locally sum of ln T / (epsilon^2 gap); `corrected` is
    (K - 1) gap ln T / min(divergence, loss of the privacy), for algorithms of regret o(T^a) for every a > 0.
    """
    log_t = math.log(horizon)
    if variant == "corrected":
        loss = local_loss(epsilon=epsilon) * gap**2 if local else epsilon * gap
        return (n_arms - 1) * gap * log_t / min(-0.5 * math.log1p(-4.0 * gap**2), loss)
    if local:
        return (n_arms - 1) * log_t / (epsilon**2 * gap)
    return n_arms * log_t / epsilon + (n_arms - 1) * log_t / gap


def bounded_lower_independent(
    n_arms: int, epsilon: float, horizon: int, *, local: bool, variant: str = "printed"
) -> float:
    """Return the instance-independent lower bound, epsilon in (0, 1].

    `printed` is sqrt(K T) + K ln T / epsilon, or locally sqrt(K T) / epsilon; `corrected` is
    (T/16) sqrt((K-1) / (2 e loss T)), by Bretagnolle and Huber's inequality, with loss C locally and 4 centrally, 0
    where T is so small that the means leave the range of the bounds; centrally the larger of that and `private_lower`.
    """
    if variant == "corrected":
        loss = local_loss(epsilon=epsilon) if local else _CENTRAL_LOSS
        share = (n_arms - 1) / (2.0 * loss * horizon)  # the square of the distance, twice the gap
        root = horizon / 16.0 * math.sqrt(share / math.e) if share <= 0.125 else 0.0
        return root if local else max(root, private_lower(n_arms, epsilon, horizon))
    if local:
        return math.sqrt(n_arms * horizon) / epsilon
    return math.sqrt(n_arms * horizon) + n_arms * math.log(horizon) / epsilon


def private_lower(n_arms: int, epsilon: float, horizon: int) -> float:
    """Return what every epsilon-DP algorithm has on some instance, whatever its regret elsewhere.

    With c = (K - 1) / (2 epsilon) and y = T / (32 c): c (ln y - ln ln y), of order K ln T / epsilon; 0 below y = e.
    """
    scale = (n_arms - 1) / (2.0 * epsilon)
    room = horizon / (32.0 * scale)
    return scale * (math.log(room) - math.log(math.log(room))) if room >= math.e else 0.0


def adap_ucb_upper(n_arms: int, gap: float, epsilon: float, horizon: int, alpha: float = 3.1) -> float:
    """Return a bound on the regret of AdaP-UCB (Azize and Basu 2022), all bad arms with one gap, alpha >= 3.1.

    (K - 1) (max(32 alpha ln(2T) / gap, 16 alpha ln T / epsilon) + 7 gap).
    """
    learning, private = 32.0 * alpha * math.log(2.0 * horizon) / gap, 16.0 * alpha * math.log(horizon) / epsilon
    return (n_arms - 1) * (max(learning, private) + _FAILED * gap)


def ldp_ucb_upper(n_arms: int, gap: float, epsilon: float, horizon: int) -> float:
    """Return a bound on the regret of LDP-UCB-B (Ren et al. 2020), all bad arms with one gap: UCB1 on its bits.

    (K - 1) (8 ln T / (tanh^2(epsilon/2) gap) + (1 + pi^2/3) gap).
    """
    return (n_arms - 1) * (8.0 * math.log(horizon) / (math.tanh(epsilon / 2.0) ** 2 * gap) + _AUER * gap)


def ldp_ucb_upper_independent(n_arms: int, epsilon: float, horizon: int) -> float:
    """Return the bound on LDP-UCB-B at the worst gaps, (4 sqrt(2 (K-1) T ln T) / tanh(epsilon/2)) + (1 + pi^2/3)(K-1).

    Arms with gaps up to d have at most T d, the others at most `ldp_ucb_upper` at d, and d balances the two.
    """
    bad = n_arms - 1
    return 4.0 * math.sqrt(2.0 * bad * horizon * math.log(horizon)) / math.tanh(epsilon / 2.0) + _AUER * bad


def dp_se_upper(n_arms: int, gap: float, epsilon: float, horizon: int) -> float:
    """Return a bound on the regret of DP-SE (Sajed and Sheffet 2019, beta = 1/T), all bad arms with a gap in (0, 1).

    With the epochs of `baselines.dp_se`, an arm is gone after the first one e with 2^-e <= gap unless some confidence
    bound fails, of probability 1/T: it is pulled in all of them, beside n_arms - 1 others.
    """
    last = max(1, math.ceil(-math.log2(gap)))
    return ((n_arms - 1) * next(islice(_pulls(n_arms, epsilon, horizon), last - 1, None)) + 1.0) * gap


def dp_se_upper_independent(n_arms: int, epsilon: float, horizon: int) -> float:
    """Return the regret of DP-SE at the worst gaps, from its bound at one gap, `dp_se_upper`.

    The least over m of T 2^-m for the arms with gaps up to 2^-m, and twice the largest bound at 2^-1, ..., 2^-m for the
    others: gaps between 2^-j and 2^(1-j) leave after the same epoch.
    """
    least, larger = float(horizon), 0.0
    for epoch, pulls in enumerate(_pulls(n_arms, epsilon, horizon), start=1):
        larger = max(larger, 2.0 * (((n_arms - 1) * pulls + 1.0) * 2.0**-epoch))
        least = min(least, horizon * 2.0**-epoch + larger)
        if larger >= least:
            break
    return least


def _pulls(n_arms: int, epsilon: float, horizon: int) -> Iterator[float]:
    """Pulls of an arm in the first epochs of DP-SE, of one, of two, ..."""
    pulls = 0.0
    for epoch in count(1):
        log = math.log(8.0 * n_arms * epoch**2) + math.log(horizon)
        pulls += max(32.0 * log * 4.0**epoch, 8.0 * (log - math.log(2.0)) * 2.0**epoch / epsilon) + 2.0
        yield pulls
