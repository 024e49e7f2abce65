"""Bounds for rewards in [0, 1]: the summary table's bounded rows.

The slides take these rows from earlier work. `variant="printed"` is the printed expression with constant 1.
`variant="corrected"` has the constants of two Bernoulli laws of means 1/2 and 1/2 + gap, which are gap apart in total
variation: a centrally private algorithm tells n pulls apart by at most 6 epsilon n gap (Azize and Basu 2022), a locally
private one by at most C n gap^2 (Duchi et al. 2013, `bounds.local_loss`), and any by n times their divergence.
"""

import math
from collections.abc import Iterator
from itertools import count, islice

from private_bandits.papers.heavy_tailed.bounds import local_loss

_CENTRAL_LOSS = 4.0  # the divergence of means 1/2 and 1/2 + x is at most 4 x^2 for x <= 1/sqrt 8


def bounded_lower(
    n_arms: int, gap: float, epsilon: float, horizon: int, *, local: bool, variant: str = "printed"
) -> float:
    """Instance-dependent lower bound, all n_arms - 1 bad arms with one gap in (0, 1/2), epsilon in (0, 1].

    `printed` is K ln T / epsilon + sum of ln T / gap, or locally sum of ln T / (epsilon^2 gap); `corrected` is
    (K - 1) gap ln T / min(divergence, loss of the privacy), for algorithms of regret o(T^a) for every a > 0.
    """
    log_t = math.log(horizon)
    if variant == "corrected":
        loss = local_loss(epsilon) * gap**2 if local else 6.0 * epsilon * gap
        return (n_arms - 1) * gap * log_t / min(-0.5 * math.log1p(-4.0 * gap**2), loss)
    if local:
        return (n_arms - 1) * log_t / (epsilon**2 * gap)
    return n_arms * log_t / epsilon + (n_arms - 1) * log_t / gap


def bounded_lower_independent(
    n_arms: int, epsilon: float, horizon: int, *, local: bool, variant: str = "printed"
) -> float:
    """Instance-independent lower bound, epsilon in (0, 1].

    `printed` is sqrt(K T) + K ln T / epsilon, or locally sqrt(K T) / epsilon; `corrected` is
    (T/16) sqrt((K-1) / (2 e loss T)), by Bretagnolle and Huber's inequality, with loss C locally and 4 centrally, 0
    where T is so small that the means leave the range of the bounds; centrally the larger of that and `private_lower`.
    """
    if variant == "corrected":
        loss = local_loss(epsilon) if local else _CENTRAL_LOSS
        share = (n_arms - 1) / (2.0 * loss * horizon)  # the square of the distance, twice the gap
        root = horizon / 16.0 * math.sqrt(share / math.e) if share <= 0.125 else 0.0
        return root if local else max(root, private_lower(n_arms, epsilon, horizon))
    if local:
        return math.sqrt(n_arms * horizon) / epsilon
    return math.sqrt(n_arms * horizon) + n_arms * math.log(horizon) / epsilon


def private_lower(n_arms: int, epsilon: float, horizon: int) -> float:
    """What every epsilon-DP algorithm loses on some instance, whatever its regret elsewhere: of order K ln T / epsilon.

    With c = (K - 1) / (12 epsilon) and y = T / (32 c): c (ln y - ln ln y), 0 below y = e. One arm has mean 3/4, the
    others 1/2, or one of these is raised to 1, which moves it by 1/2 in total variation. Let B bound the regret on all
    these instances. Pulling the first arm up to T/2 times costs T/8 on the former, more often T/8 on the latter, so by
    Bretagnolle and Huber 2 B >= (T/16) exp(-KL), and KL <= 6 epsilon E[n] / 2 over the n pulls of the raised arm
    (Azize and Basu 2022). So every bad arm is pulled ln(T / (32 B)) / (3 epsilon) times at least, at 1/4 each:
    B >= c ln(T / (32 B)), or x exp(x) >= y for x = B / c, and then x >= ln y - ln ln y.
    """
    scale = (n_arms - 1) / (12.0 * epsilon)
    room = horizon / (32.0 * scale)
    return scale * (math.log(room) - math.log(math.log(room))) if room >= math.e else 0.0


def dp_se_upper(n_arms: int, gap: float, epsilon: float, horizon: int) -> float:
    """Regret of DP-SE (Sajed and Sheffet 2019, beta = 1/T) where all bad arms have one gap in (0, 1).

    With the epochs of `baselines.dp_se`, an arm is gone after the first one e with 2^-e <= gap unless some confidence
    bound fails, of probability 1/T: it is pulled in all of them, beside n_arms - 1 others.
    """
    last = max(1, math.ceil(-math.log2(gap)))
    return ((n_arms - 1) * next(islice(_pulls(n_arms, epsilon, horizon), last - 1, None)) + 1.0) * gap


def _pulls(n_arms: int, epsilon: float, horizon: int) -> Iterator[float]:
    """Pulls of an arm in the first epochs of DP-SE, of one, of two, ..."""
    pulls = 0.0
    for epoch in count(1):
        log = math.log(8.0 * n_arms * epoch**2) + math.log(horizon)
        pulls += max(32.0 * log * 4.0**epoch, 8.0 * (log - math.log(2.0)) * 2.0**epoch / epsilon) + 2.0
        yield pulls


def dp_se_upper_independent(n_arms: int, epsilon: float, horizon: int) -> float:
    """Regret of DP-SE at the worst gaps, from its bound at one gap, `dp_se_upper`.

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
