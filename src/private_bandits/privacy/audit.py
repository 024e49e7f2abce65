"""What does a mechanism or a policy really pay? Exactly where it can be found, else certified by runs, from below."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np

from private_bandits import checks
from private_bandits.privacy import deltas, enumeration
from private_bandits.privacy.channels import stochastic
from private_bandits.privacy.curves import AddedNoise
from private_bandits.privacy.environments import channel_rows
from private_bandits.privacy.events import Event, Found, features, learn
from private_bandits.privacy.guarantee import Guarantee
from private_bandits.privacy.loss import worst_case
from private_bandits.privacy.sampled import ceiling, certified_loss, one_run_loss, p_value
from private_bandits.privacy.sufficient import LONGEST, Sufficient, sufficient_loss
from private_bandits.privacy.tables import Asked, Recorded, Streams, Tables, on_tables, streams

VIEWS = ("messages", "actions", "next", "state")
METHODS = ("auto", "exact", "sampled", "one run")
_SLACK = 1e-9  # of exact losses
_LONGEST = 10**6
_LEAST = 40  # runs on each of two neighbours, from which something is learnt


@runtime_checkable
class _Stated(Protocol):
    privacy: Any


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
        Accounting proves the description of the target, not its code.
    ceiling : float
        The most that so many runs could have certified; infinite where the answer is exact.
    delta : float
    exact : bool
        Whether no runs were needed; both ends then are the loss, but for rounding.
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
        At which level of error the promise would still be broken: 0 or 1 where the answer is exact. For `holm`.
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
        or an array; or a channel, with the law of the output on each input as a row.
    neighbours : list of (a, b), or {"table", "view"}
        Of a mechanism: pairs of data, needed. Of a policy: pairs of tables of rewards, shape (horizon, items), or of
        lists with one problem a round, that differ in one user's row; by default they are searched. Of a finite policy:
        "table" for all tables, the default, or "view" where rewards, and what one user changes, may depend on the arms
        so far; they may differ where delta > 0.
    view : {"messages", "actions", "next", "state"} or callable
        What is seen: what one user sends, with how often; the lists or arms; the next arm, all before it being given;
        what the policy reads, round by round; or a function of the trace. By default the messages of a local policy,
        and the actions of any other. What is observed before round 1 counts as sent by its user.
    promised : float, optional
        Epsilon that was promised at this delta, >= 0; by default the policy's own.
    delta : float
        In [0, 1).
    method : {"auto", "exact", "sampled", "one run"}
        "one run": many users of one run, each with a coin of its own, of a mechanism or of a policy's messages.
    runs : int
        In all, on both neighbours, to learn and to test: >= 400. For "one run", its users.
    confidence : float
        In (0, 1): with which a sampled lower end holds.
    seed : int
        >= 0.
    problem : Arms, Cascade, ConvexLoss, LinearContext or SemiBandit, optional
        Needed for a policy that `simulate` plays; its means are not used.
    horizon : int, optional
        Rounds, >= 1; needed for policies.
    changes : int
        Rounds in which neighbours may differ, >= 1: one user who comes several times.
    accounted : float, optional
        An upper end that composition, tree depth or parallel composition proves; by default what the policy says of
        everything that it releases.
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
    Floating-point noise and timing are out of scope.

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
    checks.integer("seed", seed, at_least=0)
    several = checks.integer("changes", changes, at_least=1)
    promise = None if promised is None else checks.real("promised", promised, at_least=0, infinite=True)
    proved = math.inf if accounted is None else checks.real("accounted", accounted, at_least=0, infinite=True)
    if ratio is not None and not callable(ratio):
        raise ValueError(f"ratio must be a function of rows, a and b, got {checks.shown(ratio)}")
    guarantee = target.privacy if isinstance(target, _Stated) else None
    local = isinstance(guarantee, Guarantee) and guarantee.trust == "local"
    if view is None:
        view = "messages" if local else "actions"
    if not callable(view):
        checks.choice("view", view, VIEWS)
    if isinstance(guarantee, Guarantee):
        if promise is None and guarantee.delta <= failure:
            promise = guarantee.epsilon
        paid, slack = guarantee.effective_epsilon, guarantee.effective_delta
        covered = several == 1 and view != "next" and (local or view != "messages")
        if accounted is None and paid is not None and slack is not None and slack <= failure and covered:
            proved = paid
    if method in ("auto", "exact"):
        found = _exact(target, neighbours, view, failure, horizon, several, method)
        if found is not None:
            (low, high), witness, how = found
            return _judged(low, high, "exact", math.inf, failure, True, witness, None, promise, how, None)
    if view == "next":
        raise ValueError("view='next' needs a finite policy, whose loss is exact")
    draw, pairs = _runs(target, neighbours, view, problem, horizon, several)
    if method == "one run":
        low, most, witness, event = _one_run(draw, pairs, total, failure, level, seed, ratio)
    else:
        low, most, witness, event = _sampled(draw, pairs, total, failure, level, seed, ratio)
    sure = proved >= low  # an account that runs refute is none
    ends = (proved, "accounting") if sure and proved < math.inf else (math.inf, "none")
    refuted = None
    if promise is not None and event is not None and method != "one run":
        refuted = p_value(event.hits, event.runs, event.others, event.other_runs, failure, promise)
    how = "one run" if method == "one run" else "sampled"
    return _judged(low, *ends, most, failure, False, witness, event, promise, how, refuted)


def _judged(
    low: float,
    high: float,
    high_by: str,
    most: float,
    delta: float,
    exact: bool,
    witness: Any,
    event: Event | None,
    promised: float | None,
    method: str,
    refuted: float | None,
) -> Audit:
    verdict = "no promise"
    if promised is not None and promised < math.inf:
        slack = _SLACK * max(1.0, promised) if exact else 0.0
        kept = "keeps its promise" if high <= promised * (1 + _SLACK) + slack else "consistent"
        verdict = "breaks its promise" if low > promised + slack else kept
    if refuted is None:
        refuted = 0.0 if exact and verdict == "breaks its promise" else 1.0
    return Audit(low, high, high_by, most, delta, exact, witness, event, promised, verdict, method, refuted)


def _exact(
    target: Any, neighbours: Any, view: Any, delta: float, horizon: Any, changes: int, method: str
) -> tuple[tuple[float, float], Any, str] | None:
    """The loss between two numbers, where it is paid and how it was found; None where it takes runs."""
    if isinstance(target, AddedNoise):
        pairs = _listed(neighbours)
        lows, highs = zip(*(target.loss(one, other, delta) for one, other in pairs), strict=True)
        how = "closed form" if lows == highs else "convolution"
        return (max(lows), max(highs)), pairs[int(np.argmax(lows))], how
    if isinstance(target, enumeration.FinitePolicy) and (neighbours is None or isinstance(neighbours, str)):
        checks.choice("neighbours", neighbours or "table", ("table", "view"))
        rounds = checks.integer("horizon", horizon, at_least=1)
        try:
            loss, where, how = _finite(target, neighbours or "table", view, delta, rounds, changes)
            return (loss, loss), where, how
        except ValueError as error:
            if method == "exact" or neighbours or "horizon must be smaller" not in str(error):
                raise
            return None
    if checks.listed(target):
        loss, where = deltas.channel_epsilon(stochastic(target, "target"), delta)
        return (loss, loss), where, "closed form"
    if method == "exact":
        raise ValueError("method='exact' needs a finite policy, a channel or AddedNoise, and all its neighbours")
    return None


def _finite(
    policy: Any, neighbours: str, view: Any, delta: float, horizon: int, changes: int
) -> tuple[float, Any, str]:
    if view == "messages":
        return *deltas.channel_epsilon(channel_rows(enumeration.describe(policy)), delta), "closed form"
    if view not in ("actions", "next"):
        raise ValueError("view of a finite policy must be 'messages', 'actions' or 'next'")
    if delta == 0.0:
        if view == "actions" and changes == 1 and isinstance(policy, Sufficient) and horizon <= LONGEST:
            change = sufficient_loss(policy, horizon)
            return change.loss, change, "dynamic programming"
        definition = "outcomes" if view == "actions" else "instantaneous"
        witness = worst_case(policy, horizon, definition=definition, changes=changes)
        return witness.loss, witness, "enumeration"
    if view == "next" or changes > 1:
        raise ValueError("delta must be 0 for view='next' and for changes > 1 of a finite policy")
    if neighbours == "view":
        return deltas.adaptive_epsilon(policy, horizon, delta), None, "enumeration"
    return *deltas.table_epsilon(policy, horizon, delta), "enumeration"


def _listed(neighbours: Any) -> list[Any]:
    pairs = list(neighbours) if isinstance(neighbours, list | tuple) else []
    if not pairs or not all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in pairs):
        raise ValueError(f"neighbours must be a list of pairs of data, got {checks.shown(neighbours)}")
    return pairs


def _runs(target: Any, neighbours: Any, view: Any, problem: Any, horizon: Any, changes: int) -> tuple[Any, list[Any]]:
    """How outcomes are drawn, and the pairs of data to draw them on."""
    if isinstance(target, enumeration.FinitePolicy | Recorded | Asked) and not isinstance(target, type):
        tables = on_tables(target, problem, checks.integer("horizon", horizon, at_least=1, at_most=_LONGEST), view)
        pairs = tables.pairs() if neighbours is None else _listed(neighbours)
        return tables, [(pair, *tables.prepared(pair, changes)) for pair in pairs]
    if not callable(target) or isinstance(target, type):
        raise TypeError(f"target must be a policy, a channel or a function of data and rng, got {checks.shown(target)}")

    def draw(data: Any, _: int, n: int, source: Streams) -> list[Any]:
        try:
            return [target(data, source.noise) for _ in range(n)]
        except Exception as error:
            raise ValueError(f"target(data, rng) raised {type(error).__name__}: {str(error)[:100]}") from error

    return draw, [(pair, *pair, 0) for pair in _listed(neighbours)]


def _learnt(draw: Any, pair: Any, n: int, delta: float, source: Streams, ratio: Any) -> tuple[Found, Any, Any]:
    """The event of a pair of data, its layout, and the pair with the likelier of the data first."""
    shown, one, other, user = pair
    outcomes = [*draw(one, user, n, source), *draw(other, user, n, source)]
    rows, layout = features(outcomes)
    known = None if ratio is None else lambda rows: ratio(rows, *shown)
    found = learn(rows[:n], rows[n:], delta, known)
    return found, layout, (shown[::-1], other, one, user) if found.swapped else pair


def _sampled(
    draw: Any, pairs: list[Any], runs: int, delta: float, confidence: float, seed: int, ratio: Any
) -> tuple[float, float, Any, Event]:
    draw = draw.draw if isinstance(draw, Tables) else draw
    learning, testing = streams(seed, 0), streams(seed, 1)
    each = runs // 4
    if len(pairs) > 1:  # half of what there is to learn from goes to the search for the pair
        each //= 2
        if each // len(pairs) < _LEAST:
            raise ValueError(f"runs must be >= {8 * _LEAST * len(pairs)} to search {len(pairs)} neighbours, got {runs}")
        tried = [_learnt(draw, pair, each // len(pairs), delta, learning, ratio)[0].worth for pair in pairs]
        pairs = [pairs[int(np.argmax(tried))]]
    found, layout, (shown, one, other, user) = _learnt(draw, pairs[0], each, delta, learning, ratio)
    n = runs // 4
    hits, others = (found.count(features(draw(data, user, n, testing), layout)[0]) for data in (one, other))
    low = float(certified_loss(hits, n, others, n, delta, 1 - confidence))
    event = found.event._replace(hits=hits, runs=n, others=others, other_runs=n)
    return max(0.0, low), ceiling(n, delta, confidence), shown, event


def _one_run(
    draw: Any, pairs: list[Any], users: int, delta: float, confidence: float, seed: int, ratio: Any
) -> tuple[float, float, Any, Event]:
    """One pair of data, a coin for each user; the event is learnt on half of them, and tells the others' data."""
    if len(pairs) > 1:
        raise ValueError("neighbours must be one pair for method='one run'")
    shown, one, other, user = pairs[0]
    source = streams(seed, 0)
    coins = np.random.default_rng([seed, 1]).random(users) < 0.5
    if isinstance(draw, Tables):
        if draw.view != "messages":
            raise ValueError("view must be 'messages' for method='one run'")
        outcomes = draw.messages([one[user] if coin else other[user] for coin in coins], source)
    else:
        outcomes = [draw(one if coin else other, 0, 1, source)[0] for coin in coins]
    rows, _ = features(outcomes)
    half = users // 2
    learning, known = coins[:half], None if ratio is None else lambda rows: ratio(rows, *shown)
    found = learn(rows[:half][learning], rows[:half][~learning], delta, known)
    guessed = found.happened(rows[half:])
    told = coins[half:] != found.swapped
    guesses, correct, left = int(guessed.sum()), int((guessed & told).sum()), users - half
    low = one_run_loss(correct, guesses, left, delta, confidence) if guesses else 0.0
    event = found.event._replace(hits=correct, runs=guesses, others=guesses - correct, other_runs=guesses)
    return low, one_run_loss(left, left, left, delta, confidence), shown[::-1] if found.swapped else shown, event
