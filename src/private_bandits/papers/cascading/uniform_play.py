"""Uniformly random lists: what an algorithm must beat to have learnt anything."""

from dataclasses import replace

from private_bandits.kernels import index
from private_bandits.papers.cascading.shared import SAMPLING, terms
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee
from private_bandits.reference_tools import Problem, Rows, Streams, click, largest


def uniform() -> Policy:
    """Uniformly random lists: nobody reports, so every index stays infinite and every tie is broken at random.

    Returns
    -------
    Policy
        For cascades and for top-K semi-bandits.

    Examples
    --------
    >>> uniform().privacy.effective_epsilon
    0.0
    """
    privacy = replace(Guarantee.none(), value_epsilon=0.0, effective_epsilon=0.0, reason="nobody reports anything")
    record = index.Record(terms(SAMPLING), reports=index.NOTHING, observe_first=False)
    return Policy(
        name="uniform",
        variant="reference",
        privacy=privacy,
        record=record,
        mechanism="uniform",
    )


def reference(problem: Problem, rounds: int, streams: Streams) -> Rows:
    """Uniformly random lists, in a cascade.

    Parameters
    ----------
    problem : Cascade
        Its means, L and K.
    rounds : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `streams.streams`.

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the list, and how many positions were observed.
    """
    rows = []
    for _ in range(rounds):
        recommended = largest([0.0] * problem.n_arms, problem.list_size, streams.choice)
        rows.append([*recommended, int(min(click(problem.means, recommended, streams.env), problem.list_size))])
    return rows
