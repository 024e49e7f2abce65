"""Lower bounds for rewards in [0, 1]: the lower half of the summary table's bounded rows.

The slides take these rows from earlier work. `variant="printed"` is the printed expression with constant 1.
`variant="corrected"` has the constants of two Bernoulli laws of means 1/2 and 1/2 + gap, which are gap apart in total
variation: a centrally private algorithm tells n pulls apart by at most 6 epsilon n gap (Azize and Basu 2022), a locally
private one by at most C n gap^2 (Duchi et al. 2013, `bounds.local_loss`), and any by n times their divergence.
"""

from __future__ import annotations

import math

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
    (T/16) sqrt((K-1) / (2 e loss T)), by Bretagnolle and Huber's inequality, with loss C locally; centrally 4, without
    the term in epsilon, which is the smaller one from T = K ln^2 T / epsilon^2 on. 0 where T is so small that the means
    leave the range of the bounds.
    """
    if variant == "corrected":
        loss = local_loss(epsilon) if local else _CENTRAL_LOSS
        share = (n_arms - 1) / (2.0 * loss * horizon)  # the square of the distance, twice the gap
        return horizon / 16.0 * math.sqrt(share / math.e) if share <= 0.125 else 0.0
    if local:
        return math.sqrt(n_arms * horizon) / epsilon
    return math.sqrt(n_arms * horizon) + n_arms * math.log(horizon) / epsilon
