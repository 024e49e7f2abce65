"""Policies on fixed tables: the compiled loops, fed rewards that are given, so that neighbours differ in one user.

A loop takes a problem's means and plays any rounds of a run. Means of 0 and 1 leave its environment nothing to draw:
round by round, with the user's row as means, it plays the table. Loops over epochs use an epoch's rewards through
their sums only, and are given those sums: Pareto rewards of an enormous shape are their mean to the last digit.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from private_bandits import checks
from private_bandits.kernels import kernel_of
from private_bandits.kernels.protocol import WHOLE_RUN
from private_bandits.privacy.enumeration import FinitePolicy
from private_bandits.privacy.guarantee import Guarantee
from private_bandits.problems import Cascade, ConvexLoss, LinearContext, OracleBandit
from private_bandits.problems.families import frozen
from private_bandits.problems.lists import ListProblem

EXACT_SHAPE = 2.0**1000
"""A Pareto reward of this shape is its mean: (shape - 1)/shape and U^(-1/shape) are 1."""
# what a user's round adds to, and what a policy reads: fields of a kernel's State
_SENT = {
    "index": ("pulls", "total"),
    "superarm": ("pulls", "total"),
    "ratio": ("clicks", "examinations", "displays"),
    "episodes": ("pulls", "means"),
    "linear": ("gram", "moment", "estimate"),
    "online": (),
}
_READ = _SENT | {
    "index": ("pulls", "mean"),
    "releases": ("counted", "mean"),
    "robust": ("pulls", "mean"),
    "elimination": ("pulls", "means"),
    "online": ("centre", "linear"),
}
_BEGUN = {"elimination": 2, "episodes": 0}  # where the clock of a loop over epochs has the rounds before the epoch
_HEAVY = ("robust", *_BEGUN)  # loops whose records say which moment of a reward is finite
_LONGEST = 8192  # an epoch's rewards are drawn one by one up to here
_Given = ConvexLoss | LinearContext | ListProblem


class Streams(NamedTuple):
    """Three random streams, as of `simulate.streams`; they go on from run to run."""

    env: np.random.Generator
    choice: np.random.Generator
    noise: np.random.Generator


@runtime_checkable
class Recorded(Protocol):
    """A `Policy`: its record is what a compiled loop plays."""

    name: str
    privacy: Guarantee
    record: Any


@runtime_checkable
class Asked(Protocol):
    """A policy written in Python, as for `simulate`."""

    name: str

    def start(self, problem: Any, choice: Any, noise: Any) -> Any:
        """Return a fresh learner.

        Parameters
        ----------
        problem : Arms, Cascade or SemiBandit
        choice, noise : numpy.random.Generator

        Returns
        -------
        learners.Learner
        """


def streams(seed: int, number: int) -> Streams:
    """Return the streams of a stage of an audit.

    Parameters
    ----------
    seed, number : int
        >= 0.

    Returns
    -------
    Streams
        Those of `simulate.streams`.
    """
    root = np.random.SeedSequence(seed, spawn_key=(number,))
    return Streams(*(np.random.Generator(np.random.PCG64(child)) for child in root.spawn(3)))


class Tables:
    """A policy with a problem and a view: it plays tables, and says what the view shows of each run.

    Parameters
    ----------
    policy : FinitePolicy, Recorded or Asked
    problem : Arms, Cascade, ConvexLoss, LinearContext or SemiBandit, optional
        Says everything but the means; not for a FinitePolicy.
    horizon : int
        Rounds, >= 1.
    view : {"messages", "actions", "state"} or callable
        A callable gets the trace, as of `simulate.trace`, and returns a number, tuple or array.
    items : int
        Numbers of a row; 0 where rows are problems.
    """

    def __init__(self, policy: Any, problem: Any, horizon: int, view: Any, items: int) -> None:
        self.policy, self.problem, self.horizon, self.view, self.items = policy, problem, horizon, view, items

    def pairs(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return neighbours to search: tables of 0 and 1 that differ in the row of the first or of a later user.

        Returns
        -------
        list of (array, array), each of shape (horizon, items)

        Raises
        ------
        ValueError
            If the problem's rewards are not given by means.
        """
        if not self.items:
            raise ValueError(f"neighbours must be given for {checks.shown(self.problem)}")
        rows, found = (np.zeros(self.items), np.ones(self.items), np.eye(self.items)[0]), []
        users = {0, self.horizon - 1 if self.view == "messages" else self.horizon // 2}
        for base in rows:
            for user in sorted(users):
                for i, j in ((0, 1), (0, 2), (1, 2)):
                    tables = np.tile(base, (2, self.horizon, 1))
                    tables[:, user] = rows[i], rows[j]
                    found.append((tables[0], tables[1]))
        return found

    def prepared(self, pair: Any, changes: int = 1) -> tuple[Any, Any, int]:
        """Check two tables and find the first user in whom they differ.

        Parameters
        ----------
        pair : (table, table)
            Arrays of rewards, shape (horizon, items), or lists of one problem a round.
        changes : int
            In how many rows they may differ, >= 1.

        Returns
        -------
        table, table, int
            The tables, and the row, from 0.

        Raises
        ------
        ValueError
            If the tables are of another shape, or do not differ in one to `changes` rows.
        """
        one, other = (self._rows(table) for table in pair)
        apart = [t for t in range(self.horizon) if not _same(one[t], other[t])]
        if not 1 <= len(apart) <= changes:
            raise ValueError(f"neighbours must differ in 1 to {changes} rows (changes={changes}), got {len(apart)}")
        return one, other, apart[0]

    def draw(self, rows: Any, user: int, runs: int, source: Streams) -> list[Any]:
        """Play a table again and again.

        Parameters
        ----------
        rows : table
            As from `prepared`.
        user : int
            Whose messages are shown, from 0.
        runs : int
            How often, >= 0.
        source : Streams

        Returns
        -------
        list of array
            What the view shows of each.
        """
        return [self._play(rows, user, source) for _ in range(runs)]

    def messages(self, rows: Any, source: Streams) -> list[np.ndarray]:
        """Play one run, and return what each of its users sends.

        Parameters
        ----------
        rows : sequence of rows, or of problems
            One a user.
        source : Streams

        Returns
        -------
        list of array

        Raises
        ------
        ValueError
            If the messages are not to be had.
        """
        raise ValueError("target must be a policy that is played round by round for method='one run'")

    def _rows(self, table: Any) -> Any:
        if isinstance(table, list) and len(table) == self.horizon and all(isinstance(row, _Given) for row in table):
            return table
        rows = checks.array("neighbours", table)
        if rows.shape != (self.horizon, self.items):
            wanted = f"tables of shape ({self.horizon}, {self.items or 'problems'})"
            raise ValueError(f"neighbours must hold {wanted}, got {rows.shape}")
        if not self._takes(rows):
            raise ValueError("neighbours must hold rewards 0 and 1, or any >= 0 for policies of unbounded ones")
        return rows

    def _takes(self, rows: np.ndarray) -> bool:
        return bool(np.isin(rows, (0, 1)).all())

    def _play(self, rows: Any, user: int, source: Streams) -> Any:
        raise NotImplementedError

    def _seen(self, trace: np.ndarray) -> Any:
        """The actions, with the number of rounds in which each item was played; or the caller's view."""
        if callable(self.view):
            return self.view(trace)
        played = trace[:, :-1]
        if played.dtype.kind == "f":
            return played
        return np.concatenate([np.bincount(played[played >= 0], minlength=self.items), played.ravel()])


class _Finite(Tables):
    """A finite policy, by its probabilities."""

    def __init__(self, policy: FinitePolicy, horizon: int, view: Any) -> None:
        super().__init__(policy, None, horizon, view, len(policy.probabilities(())))
        self.laws: dict[Any, np.ndarray] = {}
        self.values = {float(value): value for value in policy.rewards}

    def _takes(self, rows: np.ndarray) -> bool:
        return bool(np.isin(rows, list(self.values)).all())

    def _play(self, rows: Any, user: int, source: Streams) -> Any:
        history: tuple[Any, ...] = ()
        see = self.policy.signal
        for row in rows:
            if history not in self.laws:
                self.laws[history] = np.cumsum(self.policy.probabilities(history))
            law, outcome = self.laws[history], tuple(self.values[x] for x in row.tolist())
            arm = min(int(np.searchsorted(law, source.choice.random() * law[-1], side="right")), len(law) - 1)
            history = (*history, (arm, outcome[arm] if see is None else see(outcome, arm)))
        return self._seen(np.array([(arm, 1) for arm, _ in history]))


class _Learner(Tables):
    """A policy written in Python."""

    def _play(self, rows: Any, user: int, source: Streams) -> Any:
        learner = self.policy.start(self.problem, source.choice, source.noise)
        trace = np.full((self.horizon, self.problem.list_size + 1), -1)
        for t, row in enumerate(rows):
            order = checks.integers("ask()", learner.ask(), at_least=0, at_most=self.items - 1)
            feedback = row[order]
            if isinstance(self.problem, Cascade) and feedback.any():
                feedback = feedback[: int(np.argmax(feedback)) + 1]
            learner.tell(feedback.tolist())
            trace[t, : len(order)], trace[t, -1] = order, len(feedback)
        return self._seen(trace)


class _Rounds(Tables):
    """A compiled loop over rounds: stretches of equal rows in one call."""

    def __init__(self, policy: Recorded, problem: Any, horizon: int, view: Any) -> None:
        items = problem.n_items if isinstance(problem, ListProblem) else 0
        super().__init__(policy, problem, horizon, view, items)
        self.kernel, self.constants = kernel_of(policy.record), policy.record
        self.name = self.kernel.__name__.rpartition(".")[2]
        self.kernel.check(policy.name, problem, policy.record, horizon)
        if isinstance(problem, OracleBandit) or (self.kernel.PIECE == WHOLE_RUN) != (self.name in _BEGUN):
            raise ValueError(f"target cannot be fed tables: {policy.name} on {checks.shown(problem)}")
        shown = _SENT if view == "messages" else _READ if view == "state" else {self.name: ()}
        if self.name not in shown:
            raise ValueError(f"view={view!r} is not to be had of {policy.name}")
        self.fields = shown[self.name]

    def draw(self, rows: Any, user: int, runs: int, source: Streams) -> list[Any]:
        """Play a table again and again."""
        parts = list(self._parts(rows, user))
        return [self._play(parts, user, source) for _ in range(runs)]

    def messages(self, rows: Any, source: Streams) -> list[np.ndarray]:
        """Play one run, and return what each of its users sends."""
        records = [self._record(row) for row in rows]
        state, trace = self.kernel.start(records[0], self.constants), self._blank(len(rows))
        sent = []
        for t, record in enumerate(records):
            before = self._fields(state)
            self._advance(record, state, t + 1, t + 1, trace, source)
            sent.append(self._message(before, self._fields(state), trace[t]))
        return sent

    def _takes(self, rows: np.ndarray) -> bool:
        return super()._takes(rows) or (self.constants.v > 0 and rows.min() >= 0 if self.name in _HEAVY else False)

    def _parts(self, rows: Any, user: int) -> Iterator[tuple[Any, int, int]]:
        """The record of each stretch of equal rows; the audited round, and those whose state is shown, alone."""
        first, last = 0, user if self.view == "messages" else self.horizon - 1
        for t in range(last + 1):
            alone = (self.view == "messages" and t >= user - 1) or (self.view == "state" and t >= user)
            if t == last or alone or not _same(rows[t], rows[t + 1]):
                yield self._record(rows[t]), first + 1, t + 1
                first = t + 1

    def _record(self, row: Any) -> Any:
        if isinstance(row, _Given):
            return row.record()
        record = self.problem.record()._replace(means=frozen(row, np.float64))
        return record if np.isin(row, (0, 1)).all() else record._replace(shape=EXACT_SHAPE)

    def _play(self, parts: Any, user: int, source: Streams) -> Any:
        trace, seen = self._blank(parts[-1][2]), []
        state = self.kernel.start(parts[0][0], self.constants)
        before = self._fields(state)
        for record, first, end in parts:
            if end == user + 1:
                before = self._fields(state)
            self._advance(record, state, first, end, trace, source)
            if self.view == "state" and end > user:
                seen.append(self._read(state))
        if self.view == "messages":
            return self._message(before, self._fields(state), trace[user])
        return np.concatenate(seen) if self.view == "state" else self._seen(trace)

    def _blank(self, rounds: int) -> np.ndarray:
        return np.asarray(self.kernel.blank(self.problem, self.constants, rounds))

    def _advance(self, record: Any, state: Any, first: int, end: int, trace: np.ndarray, source: Any) -> None:
        marks, regret = np.array([self.horizon]), np.zeros(1)
        self.kernel.advance(record, self.constants, state, first, end, marks, regret, trace, *source)

    def _fields(self, state: Any) -> list[np.ndarray]:
        return [np.array(getattr(state, name), dtype=float) for name in self.fields]

    def _read(self, state: Any) -> np.ndarray:
        return np.concatenate([np.ravel(each) for each in self._fields(state)])

    def _message(self, before: list[np.ndarray], after: list[np.ndarray], row: np.ndarray) -> np.ndarray:
        """What the user's round added: of a list by position, as what is played does not depend on the user."""
        if self.name == "online":
            return np.asarray(row[-1:])
        added = [new - old for old, new in zip(before, after, strict=True)]
        if self.name == "linear":
            return np.concatenate([added[0][np.triu_indices(len(added[1]))], *added[1:]])
        order = row[:-1][row[:-1] >= 0]
        return np.concatenate([each[order] for each in added])


class _Epochs(_Rounds):
    """A compiled loop over epochs: each in one call, its rewards by their means."""

    def __init__(self, policy: Recorded, problem: Any, horizon: int, view: Any) -> None:
        super().__init__(policy, problem, horizon, view)
        self.place, self.ends = _BEGUN[self.name], dict[Any, Any]()
        self.in_turns = self.name == "elimination"

    def draw(self, rows: Any, user: int, runs: int, source: Streams) -> list[Any]:
        """Play a table again and again."""
        return [self._play(rows, user, source) for _ in range(runs)]

    def messages(self, rows: Any, source: Streams) -> list[np.ndarray]:
        """Refuse: what one user sends is not seen in the sum of an epoch."""
        return Tables.messages(self, rows, source)

    def _play(self, rows: Any, user: int, source: Streams) -> Any:
        record, trace, seen = self.problem.record(), self._blank(self.horizon), []
        state, end = self.kernel.start(record, self.constants), 0
        while end < self.horizon:
            begun = int(state.clock[self.place])
            end, arms = self._epoch(state, record, begun)
            means = np.zeros(self.items)
            for arm in set(arms.tolist()):
                paid = rows[begun:end][arms == arm, arm]
                if self.constants.truncation > 0:
                    paid = paid * np.array([self._counts(state, record, begun, end, float(x)) for x in paid])
                means[arm] = paid.mean()
            flat = bool(np.isin(means, (0, 1)).all())
            if not flat and not self.in_turns and self.constants.flip > 0:
                raise ValueError("neighbours must give equal rewards within an episode of randomised answers")
            fed = record._replace(means=frozen(means, np.float64), shape=0.0 if flat else EXACT_SHAPE)
            self._advance(fed, state, begun + 1, end, trace, source)
            if self.view == "state" and end > user:
                seen.append(self._read(state))
            if self.view == "messages" and end > user:
                arm = trace[user, 0]
                return np.array([each[arm] for each in self._fields(state)])
        return np.concatenate(seen) if self.view == "state" else self._seen(trace)

    def _epoch(self, state: Any, record: Any, begun: int) -> tuple[int, np.ndarray]:
        """Where the running epoch ends, or the horizon, and the arm of each of its rounds: tried on a copy."""
        size = int(state.clock[0]) if self.in_turns else 1
        arms = state.alive[:size] if self.in_turns else state.order
        key = (arms.tobytes(), state.clock.tobytes())
        if key not in self.ends:
            low, end = begun, self.horizon  # the epoch is not over after `low` rounds
            while end - low > 1:
                middle = (low + end) // 2
                over = self._tried(state, record, begun, middle).clock[self.place] > begun
                low, end = (low, middle) if over else (middle, end)
            if end - begun > _LONGEST:
                raise ValueError(f"horizon must keep epochs below {_LONGEST} rounds, got one of {end - begun}")
            self.ends[key] = end, arms[np.arange(end - begun) % size].copy()
        return self.ends[key]

    def _counts(self, state: Any, record: Any, begun: int, end: int, reward: float) -> bool:
        """Whether a reward counts in this epoch, or is truncated: tried on a copy, without noise."""
        key = (state.clock.tobytes(), reward)
        if key not in self.ends:
            fed = record._replace(means=frozen(np.full(self.items, reward), np.float64), shape=EXACT_SHAPE)
            self.ends[key] = reward == 0 or float(self._tried(state, fed, begun, end).means.max()) > reward / 2
        return bool(self.ends[key])

    def _tried(self, state: Any, record: Any, begun: int, last: int) -> Any:
        copy = type(state)(*(each.copy() for each in state))
        copy.means[:] = 0.0
        idle = (np.random.Generator(np.random.PCG64(0)) for _ in range(3))
        played = np.array([self.horizon]), np.zeros(1), self._blank(0)
        self.kernel.advance(record, self.constants._replace(scale=0.0), copy, begun + 1, last, *played, *idle)
        return copy


def on_tables(policy: Any, problem: Any, horizon: int, view: Any) -> Tables:
    """Return what plays a policy on tables.

    Parameters
    ----------
    policy, problem, horizon, view
        As for `Tables`.

    Returns
    -------
    Tables

    Raises
    ------
    ValueError
        If they do not fit, or the view is not to be had.
    """
    if isinstance(policy, Recorded):
        if not isinstance(problem, _Given):
            raise ValueError(f"problem must be one that {policy.name} plays, got {checks.shown(problem)}")
        epochs = kernel_of(policy.record).PIECE == WHOLE_RUN
        return (_Epochs if epochs else _Rounds)(policy, problem, horizon, view)
    if view in ("messages", "state"):
        raise ValueError(f"view={view!r} needs a Policy, whose compiled loop has them")
    if isinstance(policy, FinitePolicy):
        return _Finite(policy, horizon, view)
    if not isinstance(problem, ListProblem):
        raise ValueError(f"problem must be Arms, a Cascade or a SemiBandit for a learner, got {checks.shown(problem)}")
    return _Learner(policy, problem, horizon, view, problem.n_items)


def _same(one: Any, other: Any) -> bool:
    return one is other if isinstance(one, _Given) else bool(np.array_equal(one, other))
