"""CUCB of Chen, Wang and Yuan (2013), Algorithm 1: what Chen et al. (2020) make private, without privacy."""

import math
from typing import Any

from private_bandits import checks
from private_bandits.kernels import index
from private_bandits.papers.semibandits.shared import SAMPLING, Plain, index_record
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee
from private_bandits.reference_tools import least_reported_first

_UPDATES = {"all": index.ALL, "least": index.LEAST}


def cucb(*, update: str = "all") -> Policy:
    """CUCB of Chen, Wang and Yuan (2013), Algorithm 1: min(mean + sqrt(1.5 ln t / n), 1), no privacy.

    Parameters
    ----------
    update : {"all", "least"}
        Which observations count: all of the super arm, or that of its least pulled arm only, as in CUCB-LDP2.

    Returns
    -------
    Policy
        For any SemiBandit.

    Raises
    ------
    ValueError
        If `update` is neither.

    Notes
    -----
    The original first plays a super arm around each arm; here, as in Chen et al. (2016), an arm without a report has
    index 1.

    Examples
    --------
    >>> cucb().record.terms.tolist(), cucb(update="least").name
    ([[1.5, 0.0]], 'CUCB, least pulled')
    """
    checks.choice("update", update, tuple(_UPDATES))
    record = index_record([SAMPLING], reports=_UPDATES[update])
    name, method = ("CUCB", "") if update == "all" else ("CUCB, least pulled", "least pulled")
    return Policy(
        name=name,
        paper="chen2013",
        algorithm="Algorithm 1",
        variant="printed",
        privacy=Guarantee.none(),
        record=record,
        method=method,
    )


def reference(problem: Any, rounds: int, streams: Any, *, update: str = "all") -> list[list[int]]:
    """Play the algorithm line by line; return what `simulation.trace` returns.

    Parameters
    ----------
    problem : SemiBandit
        Whose oracle is not a Python function.
    rounds : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `streams.streams`.
    update : {"all", "least"}
        Which observations count.

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the super arm, padded with -1 to K, and its size.
    """
    bandit = Plain(problem)
    base = bandit.arms
    pulls = [0 for i in base]
    total = [0.0 for i in base]
    rows = []
    for t in range(1, rounds + 1):
        wide = math.sqrt(1.5 * math.log(t))  # in the order of the compiled loop: a rounding decides a tie
        upper = [min(total[i] / pulls[i] + wide * (1 / math.sqrt(pulls[i])), 1.0) if pulls[i] else 1.0 for i in base]
        s_t = bandit.super_arm(upper, streams.choice)
        if update == "least":
            s_t = least_reported_first(s_t, pulls)
        x = bandit.outcomes(s_t, streams.env)
        for i in s_t[:1] if update == "least" else s_t:
            pulls[i] += 1
            total[i] += x[i]
        rows.append(bandit.row(s_t))
    return rows
