"""How private is a mechanism or a policy really? Exact where it can be found, else certified by runs, from below."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.channels import stochastic
from private_bandits.guarantee import Guarantee, whole
from private_bandits.policy import Playable, playable
from private_bandits.privacy import deltas, enumeration
from private_bandits.privacy.added_noise import AddedNoise
from private_bandits.privacy.environments import channel_rows
from private_bandits.privacy.fixed_rewards import ALL_PAIRS, on_tables
from private_bandits.privacy.loss import worst_case
from private_bandits.privacy.sampled import lower_end
from private_bandits.privacy.telling_events import Event, features, learn
from private_bandits.streams import Streams, streams

VIEWS = ("messages", "actions", "state")
_GIVEN = {
    "channel": (),
    "mechanism": ("neighbours", "accounted"),
    "finite policy": ("view", "horizon"),
    "policy": ("neighbours", "view", "problem", "horizon", "accounted"),
}
_SLACK = 1e-9  # of exact losses
_SURE = 1 / 50  # of the error of a lower end: that of an accusation
_LEAST = 40  # runs on each of two neighbours, from which something is learnt
_FINALISTS = 4  # pairs that are looked at again
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
    delta : float
    exact : bool
        Whether both ends are the loss, but for rounding.
    witness : object
        Where the loss is paid: two neighbouring data, or what the exact method found.
    event : Event or None
        What runs were tested on.
    promised : float or None
    verdict : {"breaks its promise", "suspect", "keeps its promise", "consistent", "no promise"}
        It keeps it only where an upper end proves so. Suspect is a lower end above the promise that is not sure enough
        to accuse: audit again, with another seed and more runs.
    method : str
        How the lower end was found; "accounting" where it was not.
    unprotected : str
        A line where delta is too large for the users of the audit, see `Guarantee.unprotected`; else empty.
    """

    epsilon_low: float
    epsilon_high: float
    high_by: str
    delta: float
    exact: bool
    witness: Any = field(repr=False)
    event: Event | None
    promised: float | None
    verdict: str
    method: str
    unprotected: str = ""

    def __str__(self) -> str:
        ends = f"privacy loss from {self.epsilon_low:.4g} to {self.epsilon_high:.4g} at delta = {self.delta:g}"
        said = f"{ends} ({self.method}): {self.verdict}"
        if self.event is not None:
            said = f"{said}; {self.event}: {self.event.hits}, {self.event.others} of {self.event.runs}"
        return f"{said}; {self.unprotected}" if self.unprotected else said


@checks.quietly()
def audit(
    target: Any,
    *,
    neighbours: Any = None,
    view: Any = None,
    promised: float | None = None,
    delta: float = 0.0,
    runs: int = 20_000,
    confidence: float = 0.95,
    seed: int = 0,
    problem: Any = None,
    horizon: int | None = None,
    accounted: float | None = None,
) -> Audit:
    """Find what a mechanism or a policy pays: an interval for its privacy loss, and where it is paid.

    Parameters
    ----------
    target : policy, callable or array_like
        A policy that `simulate` plays; a `FinitePolicy`; a mechanism `target(data, rng)` that returns a number, a tuple
        or an array, and keeps nothing from call to call; or a channel, with the law of the output on each input as a
        row.
    neighbours : list of (a, b), optional
        Of a mechanism: pairs of data, needed. Of a policy: pairs of tables of rewards, shape (horizon, items), or of
        lists with one problem a round, that differ in one user's row; of a policy in Python any finite rewards. By
        default 18 pairs are searched, of arms 6: tables of rewards 0 and 1 that are constant but for one of two users,
        the first, and the one whose reward moves the view most on random tables; below 5,760 runs one of them, the
        first user's rewards all at their least or most, before the least. Of a finite policy all tables are searched.
        Fewer pairs leave more runs for each.
    view : {"messages", "actions", "state"}, optional
        What is seen: what the changed user sends, and the list it is about; the lists or arms, with how often; or what
        the policy reads, from the round before that user's on. By default the messages of a local policy, and the
        actions of any other. What is observed before round 1 counts as sent by its user. A learner in Python shows its
        messages as what `tell` returns, [] for silence, and its state as what `state()` does. Noise that users share
        shows in actions and state only.
    promised : float, optional
        Epsilon that was promised at this delta, >= 0. By default the policy's own, of its epsilon or its rho, where it
        is about this: no messages of a central policy.
    delta : float
        In [0, 1).
    runs : int
        On both neighbours, to learn and to test, from 400 to 1e8; at most 2,048 more choose users. 0 for none: what is
        not found exactly then has an upper end only, by accounting.
    confidence : float
        In (0, 1): with which a sampled lower end holds. To break a promise takes a fiftieth of the error: at 0.95 one
        audit of a thousand is wrong about that.
    seed : int
        >= 0.
    problem : Arms, Cascade, LinearContext or SemiBandit, optional
        Needed for a policy that `simulate` plays; its means are not used. A LinearContext is for compiled policies.
    horizon : int, optional
        Rounds, >= 1; needed for policies. Messages need the first rounds only. Actions need a round after whatever
        noisy number decides, and few beyond it: more rounds hide it among others. The state shows that number itself.
        What is paid anew in every round, or begins late, takes as many rounds as that.
    accounted : float, optional
        An upper end that is proved elsewhere, of a rho by `concentrated_epsilon`. By default that of the numbers in a
        `Policy`'s record, where the default promise is about this; what a policy written in Python says of itself is a
        promise only.

    Returns
    -------
    Audit

    Raises
    ------
    ValueError
        If an argument is out of range, they do not fit together, or the target is none of these.

    Notes
    -----
    Sampled: pair, event and threshold are learnt on one half of the runs and tested on the other (Jagielski, Ullman and
    Oprea 2020), by a joint test of both frequencies. Rewards are fixed, so that neighbours differ in one user; compiled
    loops play them.
    Events are thresholds on single entries, on two together, on sums, and on whole outcomes that come again: a leak
    behind a mask that only more entries together undo is missed, and so is what happens once in some hundred runs, or
    beyond the twelfth digit. Floating-point noise and timing are out of scope.

    Examples
    --------
    >>> found = audit([[0.75, 0.25], [0.25, 0.75]], promised=1.0)
    >>> round(found.epsilon_low, 4), found.exact, found.verdict
    (1.0986, True, 'breaks its promise')
    >>> halved = audit(lambda x, rng: x + rng.laplace(0, 0.5), neighbours=[(0.0, 1.0)], promised=1.0)
    >>> round(halved.epsilon_low, 1), halved.epsilon_high, halved.verdict
    (1.9, inf, 'breaks its promise')
    """
    failure = checks.real("delta", delta, at_least=0, below=1)
    total = checks.integer("runs", runs, at_least=0, at_most=10**8)
    if 0 < total < 10 * _LEAST:
        raise ValueError(f"runs must be 0 or >= {10 * _LEAST}, got {total}")
    error = 1 - checks.real("confidence", confidence, above=0, below=1)
    halves = [streams(checks.integer("seed", seed, at_least=0), half) for half in (0, 1)]
    promise = None if promised is None else checks.real("promised", promised, at_least=0, infinite=True)
    proved = math.inf if accounted is None else checks.real("accounted", accounted, at_least=0, infinite=True)
    kind = _kind(target)
    played = playable(target) if kind == "policy" else None
    given = {"neighbours": neighbours, "view": view, "problem": problem, "horizon": horizon, "accounted": accounted}
    for name, value in given.items():
        if value is not None and name not in _GIVEN[kind]:
            raise ValueError(f"{name} is not for a {kind}")
    if "view" in _GIVEN[kind]:
        said = getattr(played or target, "privacy", None)  # a finite policy may say nothing
        stated = said if isinstance(said, Guarantee) else Guarantee.none()
        usual = "messages" if stated.trust == "local" else "actions"
        view = usual if view is None else checks.choice("view", view, VIEWS)
        if promise is None and (stated.trust == "local" or view != "messages"):
            promise = stated.at(failure)
        if accounted is None and played is not None:
            paid, local = played.account(failure)
            proved = paid if local or view != "messages" else math.inf
    found = _exact(target, kind, neighbours, view, failure, horizon)
    event = None
    if found is not None:
        low, witness, how = found
        sure, high, by = low * (1 - _SLACK) - _SLACK, low, "exact"
    else:
        low, sure, witness, how = 0.0, 0.0, None, "accounting"
        if total > 0:
            outcomes = _runs(target, kind, neighbours, view, problem, horizon, halves[0], total >= FULL_SEARCH)
            witness, event = _sampled(*outcomes, total, failure, halves)
            counts: dict[str, Any] = {"hits": event.hits, "others": event.others, "runs": event.runs, "delta": failure}
            low, sure = (lower_end(**counts, alpha=error * part) for part in (1.0, _SURE))
            how = "sampled"
        # an account that runs refute is none
        high, by = (proved, "accounting") if sure <= proved < math.inf else (math.inf, "none")
        low = min(low, high)
    verdict = "no promise"
    if promise is not None and promise < math.inf:
        kept = high <= promise + _SLACK * max(1.0, promise)
        verdict = "keeps its promise" if kept else "suspect" if low > promise else "consistent"
        verdict = "breaks its promise" if sure > promise else verdict
    users = 1 if horizon is None else checks.integer("horizon", horizon, at_least=1, at_most=checks.ROUNDS)
    warned = whole(failure, users)
    return Audit(low, high, by, failure, by == "exact", witness, event, promise, verdict, how, warned)


def _kind(target: Any) -> str:
    if checks.listed(target):
        return "channel"
    if not isinstance(target, type):
        if isinstance(target, enumeration.FinitePolicy):
            return "finite policy"
        if isinstance(target, Playable) or hasattr(target, "start"):
            return "policy"
        if callable(target):
            return "mechanism"
    raise ValueError(f"target must be a policy, a channel or a function of data and rng, got {checks.brief(target)}")


def _exact(
    target: Any, kind: str, neighbours: Any, view: Any, delta: float, horizon: Any
) -> tuple[float, Any, str] | None:
    """The loss, where it is paid and how it was found; None where it takes runs."""
    if kind == "channel":
        return *deltas.channel_epsilon(stochastic(target, "target"), delta), "closed form"
    if kind == "finite policy":
        return _finite(target, view, delta, checks.integer("horizon", horizon, at_least=1))
    if type(target) is AddedNoise:
        pairs = _listed(neighbours)
        losses = [target.loss(one, other, delta) for one, other in pairs]
        known = [loss for loss in losses if loss is not None]
        if len(known) == len(pairs):
            return max(known), pairs[int(np.argmax(known))], "closed form"
    return None


def _finite(policy: Any, view: str, delta: float, horizon: int) -> tuple[float, Any, str]:
    if view == "state":
        raise ValueError("view of a finite policy must be 'messages' or 'actions'")
    if view == "messages":
        return *deltas.channel_epsilon(channel_rows(enumeration.describe(policy)), delta), "closed form"
    if delta > 0:
        return *deltas.table_epsilon(policy, horizon, delta), "enumeration"
    witness = worst_case(policy, horizon)
    return witness.loss, witness, "enumeration"


def _listed(neighbours: Any) -> list[Any]:
    pairs = list(neighbours) if isinstance(neighbours, list | tuple) else []
    if not pairs or not all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in pairs):
        raise ValueError(f"neighbours must be a list of pairs of data, got {checks.brief(neighbours)}")
    return pairs


def _runs(
    target: Any, kind: str, neighbours: Any, view: Any, problem: Any, horizon: Any, source: Streams, every: bool
) -> tuple[Any, list[Any]]:
    """How outcomes are drawn, and the pairs of data to draw them on, each with the user in whom they differ."""
    if kind == "policy":
        tables = on_tables(target, problem, checks.integer("horizon", horizon, at_least=1), view)
        pairs = tables.pairs(source, every) if neighbours is None else _listed(neighbours)
        return tables.draw, [(pair, *tables.prepared(pair)) for pair in pairs]

    def draw(data: Any, _: Any, n: int, source: Streams) -> list[Any]:
        return [target(data, source.noise) for _ in range(n)]

    return draw, [(pair, *pair, None) for pair in _listed(neighbours)]


class _Candidate:
    """A pair of data whose event is learnt from more and more runs."""

    def __init__(self, draw: Any, pair: Any) -> None:
        self.draw, self.pair, self.worth = draw, pair, 0.0
        self.outcomes: tuple[list[Any], list[Any]] = [], []

    def learn(self, n: int, delta: float, source: Streams) -> None:
        _, one, other, user = self.pair
        for seen, data in zip(self.outcomes, (one, other), strict=True):
            seen += self.draw(data, user, n, source)
        rows, self.layout = features([*self.outcomes[0], *self.outcomes[1]])
        self.found = learn(rows[: len(rows) // 2], rows[len(rows) // 2 :], delta)
        self.worth = self.found.worth

    def tested(self, n: int, source: Streams) -> tuple[Any, Event]:
        """The pair, the likelier of its data first, and the event with its counts in other runs."""
        shown, *data, user = self.pair
        if self.found.swapped:
            shown, data = shown[::-1], data[::-1]
        hits, others = (
            int(self.found.happened(features(self.draw(x, user, n, source), self.layout)[0]).sum()) for x in data
        )
        return shown, self.found.event._replace(hits=hits, runs=n, others=others)


def _sampled(draw: Any, pairs: list[Any], runs: int, delta: float, halves: Any) -> tuple[Any, Event]:
    """The pair that shows most, and the event that shows it."""
    n = runs // 4
    if len(pairs) > 1 and runs < 8 * _LEAST * len(pairs):
        raise ValueError(f"runs must be >= {8 * _LEAST * len(pairs)} to search {len(pairs)} neighbours, got {runs}")
    left = [_Candidate(draw, pair) for pair in pairs]
    stages = sorted({len(pairs), min(_FINALISTS, len(pairs)), 1}, reverse=True)  # as many runs in each
    for many in stages:
        left = sorted(left, key=lambda each: -each.worth)[:many]
        for each in left:
            each.learn(n // len(stages) // many, delta, halves[0])
    return left[0].tested(n, halves[1])
