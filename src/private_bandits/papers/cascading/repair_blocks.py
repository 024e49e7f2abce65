"""Our central repair of Algorithm 1: one question a user, and an item's clicks released as noisy sums of blocks."""

import math
from dataclasses import replace

from private_bandits import checks
from private_bandits import reference_tools as tools
from private_bandits.kernels import releases
from private_bandits.mechanisms import laplace_scale
from private_bandits.mechanisms.concentration import chernoff_exponent, chernoff_rate
from private_bandits.papers.cascading import repair_first
from private_bandits.papers.cascading.repair_first import repaired_local
from private_bandits.policy import Mechanism, Policy, words
from private_bandits.privacy import Guarantee
from private_bandits.reference_tools import Problem, Rows, Streams

GROWTH = {"keep": 1.2, "forget": 2.0, "counter": 1.0}
_NAMES = {"keep": "Blocks, kept", "forget": "Blocks, forgotten", "counter": "Hybrid counters"}
_DESIGNS = {"keep": releases.KEEP, "forget": releases.FORGET, "counter": releases.COUNTER}


def repaired_central(epsilon: float, *, n_arms: int, list_size: int, horizon: int, design: str = "keep") -> Policy:
    """The least reported item of the list is shown first, and only its click is used, in noisy sums; ours.

    How often an item stood first is a function of the lists, so the blocks' lengths are public: `first_block` reports,
    later a fifth of the item's reports so far. A user enters the sum of one block, so epsilon goes to each sum whole.
    The index is that of `kernels.releases`, whose radius covers reports and noises at once and fails with probability
    t^-3 at each number of reports.

    Parameters
    ----------
    epsilon : float
        Pure privacy of the sequence of lists when one user's reply changes, > 0; infinity for exact sums, released at
        once: `repaired_local`.
    n_arms : int
        L >= list_size.
    list_size : int
        K >= 1.
    horizon : int
        >= 1; no design needs it.
    design : {"keep", "forget", "counter"}
        An estimate of all blocks, of the last one (each as long as all before it), or of a hybrid counter.

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    Not in the paper. No w_0. The regret is bounded by `bounds.repaired_blocks_upper`.

    Examples
    --------
    >>> policy = repaired_central(0.2, n_arms=20, list_size=4, horizon=1000)
    >>> policy.name, policy.privacy.label()
    ('Blocks, kept', 'ε=0.2')
    """
    name = _NAMES[checks.choice("design", design, tuple(_NAMES))]
    size = checks.integer("list_size", list_size, at_least=1)
    checks.integer("n_arms", n_arms, at_least=size)
    checks.integer("horizon", horizon, at_least=1)
    scale, place = laplace_scale(epsilon, sensitivity=1.0), "repair, blocks"
    version = words(design, "repaired")
    mechanism: Mechanism = "tree" if design == "counter" else "laplace"
    if scale == 0.0:
        plain_first = repaired_local(epsilon, list_size=size)
        return replace(
            plain_first, name=name, algorithm=place, variant=version, chosen=design, mechanism=mechanism, method=design
        )
    reason = "one noisy sum a user, lengths fixed by the lists"
    privacy = Guarantee.certified(epsilon, 1.0 / scale, "central", reason)
    record = releases.Record(_DESIGNS[design], scale, first_block(epsilon, design), GROWTH[design], size)
    return Policy(
        name=name,
        algorithm=place,
        variant=version,
        chosen=design,
        privacy=privacy,
        record=record,
        mechanism=mechanism,
        method=design,
    )


def first_block(epsilon: float, design: str = "keep") -> int:
    """Length of an item's first block, 8/epsilon: there a report's share of the noise is an eighth of a click.

    On B_LB(20, 4, 0.2, 0.15) at T = 10^5, epsilon from 0.1 to 2, from 8 to 16 all lose the same within 5 %, 4 up to 10
    % more.

    Parameters
    ----------
    epsilon : float
        > 0, finite.
    design : {"keep", "forget", "counter"}
        A counter takes each report alone.

    Returns
    -------
    int
    """
    return 1 if design == "counter" else math.ceil(min(8.0 / epsilon, 2.0**62))


def reference(
    problem: Problem,
    rounds: int,
    streams: Streams,
    *,
    epsilon: float,
    n_arms: int,
    list_size: int,
    horizon: int,
    design: str = "keep",
) -> Rows:
    """The click of the first item, the least reported of the list, in noisy sums.

    Parameters
    ----------
    problem : Cascade
        Its means, L and K.
    rounds : int
        Rounds to play, >= 1.
    streams : Streams
        Environment, choice and noise, as of `streams.streams`.
    epsilon : float
        > 0; infinity plays `repair_first`.
    n_arms : int
        L, of the problem.
    list_size : int
        K, of the problem.
    horizon : int
        >= 1; no design needs it.
    design : {"keep", "forget", "counter"}
        What an estimate holds.

    Returns
    -------
    list of list of int
        A row a round, as `simulation.trace` shows it: the list, and how many positions were observed.
    """
    if math.isinf(epsilon):
        return repair_first.reference(problem, rounds, streams, epsilon=epsilon, list_size=list_size)
    means, size, items = problem.means, list_size, range(n_arms)
    growth = {"keep": 1.2, "forget": 2.0, "counter": 1.0}[design]
    least = 1 if design == "counter" else math.ceil(8 / epsilon)
    counters = [tools.Hybrid(epsilon, streams.noise) for e in items]
    blocks: list[list[list[float]]] = [[[]] for e in items]  # the clicks of each; the last is open
    sums: list[list[float]] = [[] for e in items]  # of the others, as they were released
    rows = []
    for t in range(1, rounds + 1):
        upper, end = [math.inf for e in items], 3 * math.log(2 ** t.bit_length())  # of the epoch
        for e in items:
            closed, released = blocks[e][:-1], sums[e]
            if design == "forget":
                closed, released = closed[-1:], released[-1:]
            n, scales = sum(len(block) for block in closed), [1 / epsilon for block in closed]
            if design == "counter":
                released, scales = released[-1:], counters[e].scales
            if n:
                small, large = min(scales), max(scales)
                noises = (scales.count(small), small, scales.count(large) if large > small else 0, large)
                rate = chernoff_rate(end, n, *noises)
                radius = (3 * math.log(t) + chernoff_exponent(rate, n, *noises)) / (rate * n)
                upper[e] = sum(released) / n + radius
        reports = [sum(len(block) for block in blocks[e]) for e in items]
        recommended = tools.least_reported_first(tools.largest(upper, size, streams.choice), reports)
        first, c_t = recommended[0], tools.click(means, recommended, streams.env)
        block = blocks[first][-1]
        block.append(1.0 if c_t == 1 else 0.0)
        before = reports[first] + 1 - len(block)
        if len(block) == max(least, math.ceil((growth - 1) * before)):
            noisy = counters[first].add(block[0]) if design == "counter" else None
            sums[first].append(sum(block) + tools.laplace(streams.noise, 1 / epsilon) if noisy is None else noisy)
            blocks[first].append([])
        rows.append([*recommended, int(min(c_t, size))])
    return rows
