"""What does a mechanism or a policy really pay? Exactly where it can be found, else certified by runs, from below."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.privacy import deltas, enumeration
from private_bandits.privacy.accounts import account
from private_bandits.privacy.channels import stochastic
from private_bandits.privacy.curves import AddedNoise
from private_bandits.privacy.environments import channel_rows
from private_bandits.privacy.events import Event, Found, features, learn
from private_bandits.privacy.guarantee import Guarantee
from private_bandits.privacy.loss import worst_case
from private_bandits.privacy.sampled import ceiling, certified_loss, one_run_loss, one_run_p_value, p_value
from private_bandits.privacy.sufficient import LONGEST, sufficient, sufficient_loss
from private_bandits.privacy.tables import ALL_PAIRS, Compiled, Started, Streams, on_tables, streams

VIEWS = ("messages", "actions", "next", "state")
METHODS = ("auto", "exact", "sampled", "one run", "accounting")
_GIVEN = {
    "channel": (),
    "mechanism": ("neighbours", "ratio", "accounted"),
    "policy": ("neighbours", "view", "problem", "horizon", "changes", "accounted"),
}
_SLACK = 1e-9  # of exact losses
_CLOSE = 1e-6  # ends of one loss so near are exact
_LONGEST = 10**6
_LEAST = 40  # runs on each of two neighbours, from which something is learnt
FULL_SEARCH = 8 * _LEAST * ALL_PAIRS
"""Runs from which on the default neighbours are all searched."""


@dataclass(frozen=True)
class Audit:
    """What an audit found: the loss lies between `epsilon_low` and `epsilon_high`, at delta.

    Attributes
    ----------
    epsilon_low : float
        Exact, or certified by runs; infinite only where it is exact.
    epsilon_high : float
        Infinite where nothing is proved.
    high_by : {"exact", "accounting", "none"}
        Accounting proves the description of the target, not its code: so does `keeps its promise` then.
    ceiling : float
        The most that so many runs could have certified; infinite where the answer took none.
    delta : float
    exact : bool
        Whether both ends are the loss, but for rounding.
    witness : object
        Where the loss is paid: two neighbouring data, or what the exact method found.
    event : Event or None
        What runs were tested on.
    promised : float or None
    verdict : {"breaks its promise", "keeps its promise", "consistent", "no promise"}
        It keeps it only where an upper end proves so.
    method : str
        How the lower end was found.
    p_value : float
        At which level of error the promise would still be broken: 0 or 1 where the answer took no runs. For `holm`.
    """

    epsilon_low: float
    epsilon_high: float
    high_by: str
    ceiling: float
    delta: float
    exact: bool
    witness: Any = field(repr=False)
    event: Event | None
    promised: float | None
    verdict: str
    method: str
    p_value: float

    def __str__(self) -> str:
        ends = f"pays from {self.epsilon_low:.4g} to {self.epsilon_high:.4g} at delta = {self.delta:g}"
        seen = (
            "" if self.event is None else f"; {self.event}: {self.event.hits}, {self.event.others} of {self.event.runs}"
        )
        return f"{ends} ({self.method}): {self.verdict}{seen}"


def audit(
    target: Any,
    *,
    neighbours: Any = None,
    view: Any = None,
    promised: float | None = None,
    delta: float = 0.0,
    method: str = "auto",
    runs: int = 20_000,
    confidence: float = 0.95,
    seed: int = 0,
    problem: Any = None,
    horizon: int | None = None,
    changes: int = 1,
    accounted: float | None = None,
    ratio: Callable[..., Any] | None = None,
) -> Audit:
    """Find what a mechanism or a policy pays: an interval for its privacy loss, and where it is paid.

    Parameters
    ----------
    target : policy, callable or array_like
        A policy that `simulate` plays; a `FinitePolicy`; a mechanism `target(data, rng)` that returns a number, a tuple
        or an array, and keeps nothing from call to call; or a channel, with the law of the output on each input as a
        row.
    neighbours : list of (a, b), or {"table", "view"}
        Of a mechanism: pairs of data, needed. Of a policy: pairs of tables of rewards, shape (horizon, items), or of
        lists with one problem a round, that differ in one user's row. By default 18 pairs are searched: tables that are
        constant but for one of two users, the first, and the one whose reward moves the view most on random tables;
        below 5,760 runs one of them, the first user's rewards all at their least or most, before the least. Of
        a finite policy: "table" for all tables, the default, or "view" where rewards, and which one user changes, may
        depend on the arms so far; they may differ where delta > 0.
    view : {"messages", "actions", "next", "state"} or callable
        What is seen: what the changed users send, with how often; the lists or arms; the next arm, all before it being
        given; what the policy reads, round by round; or a function of the lists or arms. By default the messages of a
        local policy, and the actions of any other. What is observed before round 1 counts as sent by its user.
    promised : float, optional
        Epsilon that was promised at this delta, >= 0. By default the policy's own, where it is about this: one user
        who comes once, and no messages of a central policy.
    delta : float
        In [0, 1).
    method : {"auto", "exact", "sampled", "one run", "accounting"}
        "one run": many users of one run of a mechanism, each with a coin of its own. "accounting": no runs, an upper
        end only.
    runs : int
        On both neighbours, to learn and to test, from 400 to 1e8; at most 2,048 more choose users. For "one run", its
        users.
    confidence : float
        In (0, 1): with which a sampled lower end holds.
    seed : int
        >= 0.
    problem : Arms, Cascade, ConvexLoss, LinearContext or SemiBandit, optional
        Needed for a policy that `simulate` plays; its means are not used.
    horizon : int, optional
        Rounds, from 1 to 1e6; needed for policies.
    changes : int
        Rounds in which neighbours may differ, >= 1: one user who comes several times.
    accounted : float, optional
        An upper end that is proved elsewhere. By default that of the numbers in a `Policy`'s record, where the default
        promise is about this; what a policy written in Python says of itself is a promise only.
    ratio : callable, optional
        `ratio(rows, a, b)`: ln of the density on a over that on b, for outcomes of a mechanism as rows, where known.

    Returns
    -------
    Audit

    Raises
    ------
    ValueError
        If an argument is out of range, or they do not fit together.
    TypeError
        If the target is none of these.

    Notes
    -----
    Sampled: pair, event and threshold are learnt on one half of the runs and tested on the other, by the ends of two
    Clopper-Pearson intervals that share the error (Jagielski, Ullman and Oprea 2020). Users of one run: Steinke, Nasr
    and Jagielski (2023). Rewards are fixed, so that neighbours differ in one user; compiled loops play them.
    Events are thresholds on single entries, on two together, on sums, and on whole outcomes that come again: a leak
    behind a mask that only more entries together undo is missed. Dynamic programming is about the `law` that a policy
    states, compared with its `probabilities` on short histories and some long ones. Floating-point noise and timing are
    out of scope.

    Examples
    --------
    >>> found = audit([[0.75, 0.25], [0.25, 0.75]], promised=1.0)
    >>> round(found.epsilon_low, 4), found.exact, found.verdict
    (1.0986, True, 'breaks its promise')
    >>> halved = audit(lambda x, rng: x + rng.laplace(0, 0.5), neighbours=[(0.0, 1.0)], promised=1.0)
    >>> round(halved.epsilon_low, 1), halved.epsilon_high, halved.verdict
    (1.8, inf, 'breaks its promise')
    """
    failure = checks.real("delta", delta, at_least=0, below=1)
    checks.choice("method", method, METHODS)
    total = checks.integer("runs", runs, at_least=10 * _LEAST, at_most=10**8)
    level = checks.real("confidence", confidence, above=0, below=1)
    halves = [streams(checks.integer("seed", seed, at_least=0), half) for half in (0, 1)]
    several = checks.integer("changes", changes, at_least=1)
    promise = None if promised is None else checks.real("promised", promised, at_least=0, infinite=True)
    proved = math.inf if accounted is None else checks.real("accounted", accounted, at_least=0, infinite=True)
    kind = _kind(target)
    given = {"neighbours": neighbours, "view": view, "problem": problem, "horizon": horizon, "ratio": ratio}
    for name, value in (given | {"changes": several - 1 or None, "accounted": accounted}).items():
        if value is not None and name not in _GIVEN[kind]:
            raise ValueError(f"{name} is not for a {kind}")
    if kind == "policy":
        said = getattr(target, "privacy", None)
        stated = said if isinstance(said, Guarantee) else Guarantee.none()
        if view is None:
            view = "messages" if stated.trust == "local" else "actions"
        elif not callable(view):
            checks.choice("view", view, VIEWS)
        if several == 1 and view != "next":
            if promise is None and stated.delta <= failure and (stated.trust == "local" or view != "messages"):
                promise = stated.epsilon
            if accounted is None and isinstance(target, Compiled):
                paid, local = account(target.record, failure)
                proved = paid if local or view != "messages" else math.inf
    found = None if method in METHODS[2:] else _exact(target, kind, neighbours, view, failure, horizon, several)
    refuted: float | None = None
    if found is not None:
        (low, high), witness, how = found
        exact, most, event = high <= low + _CLOSE, math.inf, None
        by = "exact" if exact else "accounting"
    elif method == "exact":
        raise ValueError("method='exact' needs a channel, AddedNoise, or all neighbours of a small finite policy")
    else:
        low, most, witness, event, how = 0.0, math.inf, None, None, "accounting"
        if method != "accounting":
            every = total >= FULL_SEARCH
            draw, pairs = _runs(target, kind, neighbours, view, problem, horizon, several, halves[0], every)
            how = "one run" if method == "one run" else "sampled"
            certify = _one_run if method == "one run" else _sampled
            low, most, witness, event, refuted = certify(draw, pairs, total, failure, level, halves, ratio, promise)
        # an account that runs refute is none
        high, by, exact = proved if proved >= low else math.inf, "accounting", False
    verdict = "no promise"
    if promise is not None and promise < math.inf:
        slack = _SLACK * max(1.0, promise)
        kept = "keeps its promise" if high <= promise + slack else "consistent"
        verdict = "breaks its promise" if low > promise + exact * slack else kept
    if refuted is None:
        refuted = float(verdict != "breaks its promise")
    by = by if exact or high < math.inf else "none"
    return Audit(low, high, by, most, failure, exact, witness, event, promise, verdict, how, refuted)


def _kind(target: Any) -> str:
    if checks.listed(target):
        return "channel"
    if not isinstance(target, type):
        if isinstance(target, enumeration.FinitePolicy | Compiled | Started):
            return "policy"
        if callable(target):
            return "mechanism"
    raise TypeError(f"target must be a policy, a channel or a function of data and rng, got {checks.shown(target)}")


def _exact(
    target: Any, kind: str, neighbours: Any, view: Any, delta: float, horizon: Any, changes: int
) -> tuple[tuple[float, float], Any, str] | None:
    """The loss between two numbers, where it is paid and how it was found; None where it takes runs."""
    if kind == "channel":
        loss, where = deltas.channel_epsilon(stochastic(target, "target"), delta)
        return (loss, loss), where, "closed form"
    if type(target) is AddedNoise:
        pairs = _listed(neighbours)
        lows, highs = zip(*(target.loss(one, other, delta) for one, other in pairs), strict=True)
        how = "closed form" if lows == highs else "convolution"
        return (max(lows), max(highs)), pairs[int(np.argmax(lows))], how
    if not isinstance(target, enumeration.FinitePolicy) or callable(view) or not isinstance(neighbours, str | None):
        return None
    rounds = checks.integer("horizon", horizon, at_least=1)
    among = checks.choice("neighbours", neighbours or "table", ("table", "view"))
    try:
        loss, where, how = _finite(target, among, view, delta, rounds, changes)
        return (loss, loss), where, how
    except ValueError as error:
        if neighbours or "horizon must be smaller" not in str(error):
            raise
        return None


def _finite(
    policy: Any, neighbours: str, view: Any, delta: float, horizon: int, changes: int
) -> tuple[float, Any, str]:
    if delta > 0 and (view == "next" or changes > 1):
        raise ValueError("delta must be 0 for view='next' and for changes > 1 of a finite policy")
    if view == "messages":
        loss, where = deltas.channel_epsilon(channel_rows(enumeration.describe(policy)), delta)
        return loss * min(changes, horizon), where, "closed form"
    if view == "state":
        raise ValueError("view of a finite policy must be 'messages', 'actions' or 'next'")
    if delta == 0.0:
        if view == "actions" and changes == 1 and horizon <= LONGEST and sufficient(policy, horizon):
            change = sufficient_loss(policy, horizon)
            return change.loss, change, "dynamic programming"
        definition = "outcomes" if view == "actions" else "instantaneous"
        witness = worst_case(policy, horizon, definition=definition, changes=changes)
        return witness.loss, witness, "enumeration"
    if neighbours == "view":
        return deltas.adaptive_epsilon(policy, horizon, delta), None, "enumeration"
    return *deltas.table_epsilon(policy, horizon, delta), "enumeration"


def _listed(neighbours: Any) -> list[Any]:
    pairs = list(neighbours) if isinstance(neighbours, list | tuple) else []
    if not pairs or not all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in pairs):
        raise ValueError(f"neighbours must be a list of pairs of data, got {checks.shown(neighbours)}")
    return pairs


def _runs(
    target: Any,
    kind: str,
    neighbours: Any,
    view: Any,
    problem: Any,
    horizon: Any,
    changes: int,
    source: Streams,
    every: bool,
) -> tuple[Any, list[Any]]:
    """How outcomes are drawn, and the pairs of data to draw them on, each with the users in whom they differ."""
    if kind == "channel" or view == "next":
        raise ValueError("method must be 'exact' for a channel, and view='next' needs a small finite policy")
    if kind == "policy":
        tables = on_tables(target, problem, checks.integer("horizon", horizon, at_least=1, at_most=_LONGEST), view)
        pairs = tables.pairs(source, every) if neighbours is None else _listed(neighbours)
        return tables.draw, [(pair, *tables.prepared(pair, changes)) for pair in pairs]

    def draw(data: Any, _: Any, n: int, source: Streams) -> list[Any]:
        return [_called("target(data, rng)", target, data, source.noise) for _ in range(n)]

    return draw, [(pair, *pair, None) for pair in _listed(neighbours)]


def _called(name: str, function: Callable[..., Any], *given: Any) -> Any:
    try:
        return function(*given)
    except Exception as error:
        raise ValueError(f"{name} raised {type(error).__name__}: {str(error)[:100]}") from error


def _known(ratio: Any, shown: Any) -> Any:
    return ratio and (lambda rows: _called("ratio", lambda: np.reshape(ratio(rows, *shown), len(rows))))


def _learnt(draw: Any, pair: Any, n: int, delta: float, source: Streams, ratio: Any) -> tuple[Found, Any, Any]:
    """The event of a pair of data, its layout, and the pair with the likelier of the data first."""
    shown, one, other, users = pair
    rows, layout = features([*draw(one, users, n, source), *draw(other, users, n, source)])
    found = learn(rows[:n], rows[n:], delta, _known(ratio, shown))
    return found, layout, (shown[::-1], other, one, users) if found.swapped else pair


def _sampled(
    draw: Any, pairs: list[Any], runs: int, delta: float, confidence: float, halves: Any, ratio: Any, promised: Any
) -> tuple[float, float, Any, Event, float | None]:
    learning, testing = halves
    each = runs // 4
    if len(pairs) > 1:  # half of what there is to learn from goes to the search for the pair
        each //= 2
        if each // len(pairs) < _LEAST:
            raise ValueError(f"runs must be >= {8 * _LEAST * len(pairs)} to search {len(pairs)} neighbours, got {runs}")
        tried = [_learnt(draw, pair, each // len(pairs), delta, learning, ratio)[0].worth for pair in pairs]
        pairs = [pairs[int(np.argmax(tried))]]
    found, layout, (shown, one, other, users) = _learnt(draw, pairs[0], each, delta, learning, ratio)
    n = runs // 4
    hits, others = (int(found.happened(features(draw(x, users, n, testing), layout)[0]).sum()) for x in (one, other))
    low = float(certified_loss(hits, n, others, n, delta, 1 - confidence))
    refuted = None if promised is None else p_value(hits, n, others, n, delta, promised)
    event = found.event._replace(hits=hits, runs=n, others=others, other_runs=n)
    return max(0.0, low), ceiling(n, delta, confidence), shown, event, refuted


def _one_run(
    draw: Any, pairs: list[Any], users: int, delta: float, confidence: float, halves: Any, ratio: Any, promised: Any
) -> tuple[float, float, Any, Event, float | None]:
    """One pair of data, a coin for each user; half of them teach an event and how many to guess, the most likely."""
    if len(pairs) > 1 or pairs[0][3] is not None:
        raise ValueError("method='one run' needs a mechanism, and one pair of neighbours")
    shown, one, other, _ = pairs[0]
    coins = halves[0].choice.random(users) < 0.5
    rows, _ = features([draw(one if coin else other, None, 1, halves[1])[0] for coin in coins])
    half, left = users // 2, users - users // 2
    found = learn(rows[:half][coins[:half]], rows[:half][~coins[:half]], delta, _known(ratio, shown))
    guesses = min(left, max(1, int(found.happened(rows[:half]).sum())))
    guessed = np.argsort(-found.score(rows[half:]), kind="stable")[:guesses]
    correct = int((coins[half:] != found.swapped)[guessed].sum())
    low = one_run_loss(correct, guesses, left, delta, confidence)
    refuted = None if promised is None else one_run_p_value(correct, guesses, left, delta, promised)
    event = found.event._replace(hits=correct, runs=guesses, others=guesses - correct, other_runs=guesses)
    most = one_run_loss(left, left, left, delta, confidence)
    return low, most, shown[::-1] if found.swapped else shown, event, refuted
