"""Policies on fixed tables: the compiled loops, fed rewards that are given, so that neighbours differ in one user.

A loop takes a problem's means and plays any rounds of a run. Means of 0 and 1 leave its environment nothing to draw:
round by round, with the user's row as means, it plays the table. Loops over epochs use an epoch's rewards through
their sums only, and are given those sums: Pareto rewards of an enormous shape are their mean to the last digit.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from typing import Any

import numpy as np

from private_bandits import checks
from private_bandits.kernels import Epochs, Seen
from private_bandits.policy import Playable, Policy, playable
from private_bandits.privacy.telling_events import features
from private_bandits.problems import Cascade, LinearContext
from private_bandits.problems.families import frozen
from private_bandits.problems.lists import ListProblem
from private_bandits.streams import Streams, own_copy

EXACT_SHAPE = 2.0**1000
"""A Pareto reward of this shape is its mean: (shape - 1)/shape and U^(-1/shape) are 1."""
_LONGEST = 8192  # an epoch's rewards are drawn one by one up to here
_SCREENED = 256  # users among whom those to search are chosen
_SCREENED_RUNS, _SCREENED_ROUNDS = (48, 2048), 100_000  # runs for it: from and to, and rounds of all of them
ALL_PAIRS = 18
"""Pairs that are searched by default, at most: three constant tables, two users, three changes of a row."""
_RATES = (0.5, 0.125, 0.875)  # of the higher reward in their tables
_PAIRED = 5_000_000  # products of two numbers that are seen, in all runs: up to so many, two are looked at together
_FEW = 8  # values of a number up to which each is looked at alone
_Given = LinearContext | ListProblem


class Tables:
    """A policy with a problem and a view: it plays tables, and says what the view shows of each run.

    Parameters
    ----------
    policy : Playable
    problem : Arms, Cascade, LinearContext or SemiBandit
        Says everything but the means.
    horizon : int
        Rounds, >= 1.
    view : {"messages", "actions", "state"}
    """

    def __init__(self, policy: Playable, problem: Any, horizon: int, view: str) -> None:
        policy.check(problem, horizon)
        self.policy, self.problem, self.horizon, self.view = policy, problem, horizon, view
        self.items = problem.n_arms if isinstance(problem, ListProblem) else 0  # no numbers: rows are problems

    def pairs(self, source: Streams, every: bool = True) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return neighbours to search: constant tables, in which the row of the first user or of another one differs.

        Of arms one reward of a row is read: then all of them change.

        Parameters
        ----------
        source : Streams
            For the choice of the other user, by how far the view depends on each in runs on random tables.
        every : bool
            Otherwise the first of them only, for which no user is chosen.

        Returns
        -------
        list of (array, array), each of shape (horizon, items)

        Raises
        ------
        ValueError
            If the problem's rewards are not given by means.
        """
        if not self.items:
            raise ValueError(f"neighbours must be given for {checks.brief(self.problem)}")
        least, most, first, last = np.zeros(self.items), np.ones(self.items), *np.eye(self.items)[[0, -1]]
        bases = rows = np.array([least, most, first])
        found = []
        other = self.horizon - 1 if self.horizon <= 2 else self._screened(source, bases) if every else 0
        users = {0, other} if every else {0}
        changes: tuple[tuple[int, int], ...] = ((0, 1),)  # of arms one reward is read
        if self.problem.list_size > 1:
            rows, changes = np.array([*bases, last]), ((0, 1), (0, 2), (2, 3))
        for base, user, (i, j) in product(bases, sorted(users), changes):
            tables = np.tile(base, (2, self.horizon, 1))
            tables[:, user] = rows[i], rows[j]
            found.append((tables[0], tables[1]))
        return found if every else found[:1]

    def prepared(self, pair: Any) -> tuple[Any, Any, int]:
        """Check two tables and find the user in whom they differ.

        Parameters
        ----------
        pair : (table, table)
            Arrays of rewards, shape (horizon, items), or lists of one problem a round.

        Returns
        -------
        table, table, int
            The tables, and the row, from 0.

        Raises
        ------
        ValueError
            If the tables are of another shape, or do not differ in one row.
        """
        one, other = (self._rows(table) for table in pair)
        apart = [t for t in range(self.horizon) if not _same(one[t], other[t])]
        if len(apart) != 1:
            raise ValueError(f"neighbours must differ in one row, got {len(apart)}")
        return one, other, apart[0]

    def draw(self, rows: Any, user: int, runs: int, source: Streams) -> list[Any]:
        """Play a table again and again.

        Parameters
        ----------
        rows : table
            As from `prepared`.
        user : int
            Whose messages are shown, and before whom the state begins to be; from 0.
        runs : int
            How often, >= 0.
        source : Streams

        Returns
        -------
        list of array
            What the view shows of each.
        """
        played = self._plays(rows, [user], runs, source)
        return [seen[0] if len(seen) == 1 else np.concatenate(seen) for seen in played]

    def _screened(self, source: Streams, rows: np.ndarray) -> int:
        """The user whose reward moves most what is seen, or two numbers of it together, in runs on random tables.

        A third of them are of either reward alike, the others nearly constant: there a reward counts that another
        one must differ from.
        """
        runs = int(np.clip(_SCREENED_ROUNDS // self.horizon, *_SCREENED_RUNS))
        users = np.sort(source.choice.permutation(self.horizon)[:_SCREENED])
        users = users[users > 0]  # the first is searched anyhow
        rates = np.resize(_RATES, runs)
        picks = (source.choice.random((runs, self.horizon)) < rates[:, None]).astype(int)
        shown = users if self.view == "messages" else users[:0]
        played = [self._plays(rows[pick], shown.tolist() or [0], 1, source)[0] for pick in picks]
        if self.view == "messages":
            seen = features([sent for each in played for sent in each])[0].reshape(runs, len(users), -1)
        else:
            seen = features([np.concatenate([np.ravel(each) for each in one]) for one in played])[0][:, None]
        seen = np.clip(seen, -1e30, 1e30)
        moved = [_moved(picks[rates == rate][:, users], seen[rates == rate]) for rate in _RATES]
        return int(users[np.argmax(np.max(moved, axis=0))])

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

    def _plays(self, rows: Any, users: Sequence[int], runs: int, source: Streams) -> list[list[Any]]:
        raise NotImplementedError

    def _seen(self, played: np.ndarray) -> Any:
        """The actions, after the number of rounds in which each item was played."""
        return np.concatenate([np.bincount(played[played >= 0], minlength=self.items), played.ravel()])


class _Learner(Tables):
    """A policy written in Python: `tell` returns what its user sends, and `state()` what the policy reads."""

    def _takes(self, rows: np.ndarray) -> bool:
        return True

    def _plays(self, rows: Any, users: Sequence[int], runs: int, source: Streams) -> list[list[Any]]:
        return [self._play(rows, users, source) for _ in range(runs)]

    def _play(self, rows: Any, users: Sequence[int], source: Streams) -> list[Any]:
        learner = own_copy(self.policy.constants).start(self.problem, source.choice, source.noise)
        size, stops = self.problem.list_size, isinstance(self.problem, Cascade)
        played, seen = [], []
        for user, row in enumerate(rows.tolist()):
            order = list(learner.ask())
            if not order or min(order) < 0 or max(order) >= self.items:
                raise ValueError(f"ask() must return items from 0 to {self.items - 1}, got {checks.brief(order)}")
            feedback = [row[item] for item in order]
            if stops and any(feedback):
                feedback = feedback[: next(place for place, click in enumerate(feedback) if click) + 1]
            message = learner.tell(feedback)
            if self.view == "messages" and user in users:
                seen.append(np.concatenate([_numbers("tell()", message), order]))  # whoever reads it knows the list
            elif self.view == "state" and user >= users[0] - 1:
                seen.append(_numbers("state()", learner.state() if hasattr(learner, "state") else None))
            played.append(order + [-1] * (size - len(order)))
        return seen or [self._seen(np.array(played))]


class _Rounds(Tables):
    """A compiled loop over rounds: stretches of equal rows in one call."""

    def __init__(self, policy: Policy, problem: Any, horizon: int, view: str, seen: Seen) -> None:
        super().__init__(policy, problem, horizon, view)
        self.kernel, self.constants, self.shown = policy.kernel, policy.record, seen
        if view == "messages" and not seen.messages:
            raise ValueError(f"view={view!r} is not to be had of {policy.name}")
        self.fields = {"actions": (), "messages": seen.messages, "state": seen.state}[view]

    def _takes(self, rows: np.ndarray) -> bool:
        return super()._takes(rows) or (self.shown.unbounded and rows.min() >= 0)

    def _plays(self, rows: Any, users: Sequence[int], runs: int, source: Streams) -> list[list[Any]]:
        last = users[-1] + 1 if self.view == "messages" else self.horizon
        states = range(max(users[0] - 1, 0), last) if self.view == "state" else ()
        shown = set(users) if self.view == "messages" else set(states)
        ends = {t for t in range(1, last) if t in shown or t - 1 in shown or not _same(rows[t - 1], rows[t])} | {last}
        parts = [(self._record(rows[end - 1]), begun + 1, end) for begun, end in pairwise([0, *sorted(ends)])]
        begin = self._record(rows[0])
        return [self._run(begin, shown, lambda state: parts, source) for _ in range(runs)]

    def _run(self, begin: Any, shown: set[int], parts: Any, source: Streams) -> list[Any]:
        trace = np.asarray(self.kernel.blank(self.problem, self.constants, self.horizon))
        state, seen = self.kernel.start(begin, self.constants), []
        for record, first, end in parts(state):
            clear = np.zeros(0)
            if end == 1 and self.view == "messages" and self.shown.before:
                self._advance(record, self.constants, state, 1, 0, trace, source)
                clear = np.concatenate(_fields(state, self.shown.before))  # a message of its own, before the round
            before = _fields(state, self.fields)
            self._advance(record, self.constants, state, first, end, trace, source)
            if end - 1 in shown and self.view == "state":
                seen.append(np.concatenate([np.ravel(each) for each in _fields(state, self.fields)]))
            elif end - 1 in shown:
                seen.append(np.concatenate([clear, self._message(before, _fields(state, self.fields), trace[end - 1])]))
        return seen or [self._seen(trace[:, :-1])]

    def _record(self, row: Any) -> Any:
        if isinstance(row, _Given):
            return row.record()
        record = self.problem.record()._replace(means=frozen(row, np.float64))
        return record if np.isin(row, (0, 1)).all() else record._replace(shape=EXACT_SHAPE)

    def _advance(self, record: Any, constants: Any, state: Any, first: int, end: int, trace: Any, source: Any) -> None:
        marks, regret = np.array([self.horizon]), np.zeros(1)
        self.kernel.advance(record, constants, state, first, end, marks, regret, trace, *source)

    def _message(self, before: list[np.ndarray], after: list[np.ndarray], row: np.ndarray) -> np.ndarray:
        """What the user's round added."""
        added = [new - old for old, new in zip(before, after, strict=True)]
        return self.shown.message(added, row[:-1][row[:-1] >= 0])


class _Epochs(_Rounds):
    """A compiled loop over epochs: each in one call, its rewards by their means."""

    def __init__(self, policy: Policy, problem: Any, horizon: int, view: str, seen: Seen, epochs: Epochs) -> None:
        super().__init__(policy, problem, horizon, view, seen)
        self.epochs = epochs

    def _plays(self, rows: Any, users: Sequence[int], runs: int, source: Streams) -> list[list[Any]]:
        states = range(max(users[0] - 1, 0), self.horizon) if self.view == "state" else ()
        shown, fed = set(states), dict[Any, Any]()
        begin = self._record(rows[0])
        return [self._run(begin, shown, lambda state: self._epochs(rows, state, fed), source) for _ in range(runs)]

    def _epochs(self, rows: Any, state: Any, fed: dict[Any, Any]) -> Iterator[tuple[Any, int, int]]:
        """Each epoch as it begins; `fed` are those of this table that were found before."""
        end = 0
        while end < self.horizon:
            begun, arms = end, self.epochs.running(state)[1]
            key = (state.clock.tobytes(), arms.tobytes())
            if key not in fed:
                fed[key] = self._sums(rows, state, begun, arms)
            record, end = fed[key]
            yield record, begun + 1, end

    def _sums(self, rows: Any, state: Any, begun: int, arms: np.ndarray) -> tuple[Any, int]:
        """The record that gives the running epoch its rewards, and where the epoch ends, or the horizon."""
        blank, low, end = self.problem.record(), begun, self.horizon  # the epoch is not over after `low` rounds
        while end - low > 1:
            middle = (low + end) // 2
            over = self.epochs.running(self._tried(blank, state, begun, middle))[0] > begun
            low, end = (low, middle) if over else (middle, end)
        if end - begun > _LONGEST:
            raise ValueError(f"horizon must keep epochs below {_LONGEST} rounds, got one of {end - begun}")
        played, means = np.resize(arms, end - begun), np.zeros(self.items)
        for arm in set(arms.tolist()):
            paid = rows[begun:end][played == arm, arm]
            if self.epochs.truncated:
                for reward in set(paid.tolist()) - {0.0}:  # whether it counts, or is truncated
                    same = blank._replace(means=frozen(np.full(self.items, reward), np.float64), shape=EXACT_SHAPE)
                    if self._tried(same, state, begun, end).means.max() <= reward / 2:
                        paid = np.where(paid == reward, 0.0, paid)
            means[arm] = paid.mean() if len(paid) else 0.0
        flat = bool(np.isin(means, (0, 1)).all())
        if not flat and self.epochs.flipped:
            raise ValueError("neighbours must give equal rewards within an episode of randomised answers")
        return blank._replace(means=frozen(means, np.float64), shape=0.0 if flat else EXACT_SHAPE), end

    def _tried(self, record: Any, state: Any, begun: int, last: int) -> Any:
        """The state after some rounds, on a copy, without noise."""
        copy = type(state)(*(each.copy() for each in state))
        copy.means[:] = 0.0
        idle = (np.random.Generator(np.random.PCG64(0)) for _ in range(3))
        trace = np.asarray(self.kernel.blank(self.problem, self.constants, 0))
        self._advance(record, self.epochs.noiseless, copy, begun + 1, last, trace, idle)
        return copy


def on_tables(policy: Any, problem: Any, horizon: int, view: str) -> Tables:
    """Return what plays a policy on tables.

    Parameters
    ----------
    policy : Policy, or an object as `simulate` plays
    problem, horizon, view
        As for `Tables`.

    Returns
    -------
    Tables

    Raises
    ------
    ValueError
        If they do not fit, or the view is not to be had.
    """
    known = playable(policy)
    if not isinstance(known, Policy):
        if not isinstance(problem, ListProblem):
            raise ValueError(f"problem must be Arms, a Cascade or a SemiBandit to audit, got {checks.brief(problem)}")
        return _Learner(known, problem, horizon, view)
    if not isinstance(problem, _Given):
        raise ValueError(f"problem must be one that {known.name} plays, got {checks.brief(problem)}")
    seen = known.kernel.seen(known.record)
    if seen is None:
        raise ValueError(f"target cannot be fed tables: {known.name} on {checks.brief(problem)}")
    if seen.epochs is None:
        return _Rounds(known, problem, horizon, view, seen)
    return _Epochs(known, problem, horizon, view, seen, seen.epochs)


def _fields(state: Any, names: Sequence[str]) -> list[np.ndarray]:
    return [np.array(getattr(state, name), dtype=float) for name in names]


def _numbers(told: str, value: Any) -> np.ndarray:
    if value is None:
        raise ValueError(f"view needs a learner whose {told} returns numbers: what is sent or read, got None")
    return np.array(value, dtype=float).ravel()  # a copy: it may change with the next round


def _same(one: Any, other: Any) -> bool:
    return one is other if isinstance(one, _Given) else bool(np.array_equal(one, other))


def _moved(picks: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """How far each user's pick moves what is seen, at most: correlation, in standard errors beyond chance."""
    picks, looks = _standard(picks.astype(float)), [_standard(_marked(seen))]
    one, other = np.triu_indices(seen.shape[2], 1)
    if 0 < len(one) * seen[..., 0].size <= _PAIRED:
        seen = _standard(seen)
        looks.append(_standard(seen[..., one] * seen[..., other]))
    found = []
    for look in looks:
        apart = picks.T @ look[:, 0] if look.shape[1] == 1 else np.einsum("nu,nuw->uw", picks, look)
        found.append(np.abs(apart).max(axis=1) / np.sqrt(len(picks)) - np.sqrt(2 * np.log(apart.size + 1)))
    return np.asarray(np.max(found, axis=0))


def _marked(seen: np.ndarray) -> np.ndarray:
    """The numbers seen, each value of those that have few as a number of its own."""
    columns = []
    for place in range(seen.shape[2]):
        column, values = seen[..., place], np.unique(seen[..., place])
        columns += [column == value for value in values] if len(values) <= _FEW else [column]
    return np.stack(columns, axis=2).astype(float)


def _standard(values: np.ndarray) -> np.ndarray:
    return (values - values.mean(axis=0)) / (values.std(axis=0) + 1e-9)
