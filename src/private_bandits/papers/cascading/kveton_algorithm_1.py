"""CascadeUCB1: Kveton et al. (2015), Algorithm 1 with the UCB1 radius; what every algorithm here is without privacy."""

import math

from private_bandits import checks
from private_bandits.kernels import index
from private_bandits.papers.cascading.shared import SAMPLING, terms
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee
from private_bandits.reference_tools import Problem, Rows, Streams, click, largest, least_reported_first


def cascade_ucb1(*, least_first: bool = False) -> Policy:
    """CascadeUCB1 of Kveton et al. (2015), Algorithm 1: mean + sqrt(1.5 ln t / n), no privacy.

    Parameters
    ----------
    least_first : bool
        Whether the item of the list that was observed least is shown first, which the regret of a list allows.

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If `least_first` is no bool.

    Examples
    --------
    >>> cascade_ucb1().privacy.label()
    'no privacy'
    """
    reports = index.REORDERED if checks.flag("least_first", least_first) else index.ALL
    record = index.Record(terms(SAMPLING), reports=reports)
    name, version = ("CascadeUCB1, least first", "least first") if least_first else ("CascadeUCB1", "printed")
    return Policy(
        name=name,
        paper="kveton2015",
        algorithm="Algorithm 1",
        variant=version,
        privacy=Guarantee.none(),
        record=record,
    )


def reference(problem: Problem, rounds: int, streams: Streams, *, least_first: bool = False) -> Rows:
    """Algorithm 1 of Kveton et al., with the UCB1 radius.

    Parameters
    ----------
    problem : Cascade
        Its means, L and K.
    rounds : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `streams.streams`.
    least_first : bool
        Whether the least observed item of the list is shown first.

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the list, and how many positions were observed.
    """
    means, size, items = problem.means, problem.list_size, range(problem.n_arms)
    total = [1.0 if streams.env.random() < means[e] else 0.0 for e in items]  # observe w_0; w_1(e) <- w_0(e)
    pulls = [1 for e in items]  # T_0(e) <- 1
    rows = []
    for t in range(1, rounds + 1):
        upper = [total[e] / pulls[e] + math.sqrt(1.5 * math.log(t) / pulls[e]) for e in items]
        recommended = largest(upper, size, streams.choice)  # the K items with largest UCBs
        if least_first:
            least_reported_first(recommended, pulls)
        c_t = click(means, recommended, streams.env)  # observe click C_t in {1, ..., K, infinity}
        for k in range(1, int(min(c_t, size)) + 1):
            e = recommended[k - 1]
            pulls[e] += 1
            total[e] += 1.0 if c_t == k else 0.0
        rows.append([*recommended, int(min(c_t, size))])
    return rows
