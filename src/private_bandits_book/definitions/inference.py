"""The web advertising example of Basu, Dimitrakakis and Tossou (2019): what an observer can infer.

Two advertisements, one shown at each visit, and the answer of a person is a click or none. An observer knows all but
one thing, which has two values of equal chance: one answer, all answers, or the person's preferences. The optimal guess
picks the value under which what was seen is more likely. It is right with probability (1 + total variation) / 2, at
most e^epsilon / (1 + e^epsilon) where the loss between the two is epsilon.
"""

import math
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.spatial.distance import cdist

from private_bandits.privacy import FinitePolicy, History, binomial_interval, environment_law, table_laws
from private_bandits_book.package_data import tables
from private_bandits_book.policies import Eavesdropper, Greedy, LocallyPrivate, Response

PREFERENCES = ((0.2, 0.8), (0.8, 0.2))
"""Chances of a click on each advertisement, for two kinds of person."""

DISTANCE = 0.6
"""Largest difference of the two."""

Split = list[tuple[float, int]]
Answer = Callable[[int, int, int, np.random.Generator], Split]
Draw = Callable[[int, int, np.random.Generator], np.ndarray]
Played = tuple[int, float, float, np.ndarray, Draw]
"""The fields of a `Game` that are no words."""


class Game(NamedTuple):
    """A guess between two inputs: the law of what is seen under each, and a way to play without that law.

    Its words are in `games.toml`. `promise` is the loss that the definition is read to allow
    between the two inputs, `paid` the loss that it does allow. `draw(which, n, rng)` plays n times on one input and
    counts what is seen, in the order of the laws.
    """

    definition: str
    observer: str
    guess: str
    policy: str
    changes: int
    promise: float
    paid: float
    laws: np.ndarray
    draw: Draw

    @property
    def success(self) -> float:
        """Exact success rate of the optimal guess."""
        return float(self.laws.max(axis=0).sum() / 2)


def bound(loss: float) -> float:
    """Return e^loss / (1 + e^loss), the most that a guess can reach; 1 where the loss is infinite."""
    return 1 / (1 + math.exp(-loss))


def inference(epsilons: Sequence[float], horizon: int = 4, replications: int = 20_000, seed: int = 0) -> pd.DataFrame:
    """Return the success rate of the optimal guess under each definition, exact and simulated, against its bound.

    Parameters
    ----------
    epsilons : sequence of float
        > 0, finite.
    horizon : int
        Visits, 2 to 6.
    replications : int
        Simulated guesses for each game and epsilon, >= 1.
    seed : int

    Returns
    -------
    DataFrame
        A row per game and epsilon: `definition, observer, guess, policy, epsilon, changes` (answers that differ; 0 for
        preferences), `success` (exact), `bound` (of the loss that the definition is read to promise), `kept` (success
        within it), `repaired_bound` (of the loss that it does promise), `simulated, low, high, replications`.
    """
    rows: list[dict[str, Any]] = []
    for epsilon, stream in zip(epsilons, np.random.SeedSequence(seed).spawn(len(epsilons)), strict=True):
        table = games(epsilon, horizon)
        for game, child in zip(table, stream.spawn(len(table)), strict=True):
            wins = _play(game, replications, np.random.default_rng(child))
            low, high = binomial_interval(wins, replications)
            found: dict[str, Any] = dict(zip(Game._fields[:4], game[:4], strict=True))
            found |= {"epsilon": float(epsilon), "changes": game.changes}
            found |= {"success": game.success, "bound": bound(game.promise)}
            found |= {"kept": game.success <= bound(game.promise) + 1e-12, "repaired_bound": bound(game.paid)}
            found |= {"simulated": wins / replications, "low": low, "high": high, "replications": replications}
            rows.append(found)
    return pd.DataFrame(rows)


def noisy_answers(epsilon: float, horizon: int) -> LocallyPrivate:
    """Return a learner behind the channel under which T rounds of answers pay epsilon times the distance.

    Where the bare answers pay less, the channel adds no noise.
    """
    contrast = math.tanh(epsilon * DISTANCE / (4 * horizon)) / DISTANCE
    return LocallyPrivate(Greedy(2), 2 * math.atanh(contrast) if contrast < 1 else math.inf)


def games(epsilon: float, visits: int) -> list[Game]:
    """Return the games of the example at one epsilon, what the definition promises, over 2 to 6 visits."""
    share = epsilon / (visits - 1)
    policies: tuple[tuple[FinitePolicy, float], ...] = (
        (Response(share, 2), epsilon),
        (Response(epsilon, 2), (visits - 1) * epsilon),
        (LocallyPrivate(Greedy(2), epsilon), epsilon),
    )
    played = [
        *(_answers_of_a_visit(*row, promise=epsilon, horizon=visits) for row in policies),
        _overheard(epsilon, own=True),
        _overheard(epsilon, own=False),
        _private_answers(epsilon, 1),
        _private_answers(epsilon, visits),
        *_preferences(epsilon, visits),
    ]
    words = ([told[name] for name in Game._fields[:4]] for told in tables("definitions", "games")["games"])
    return [Game._make((*told, *one)) for told, one in zip(words, played, strict=True)]


def _answers_of_a_visit(policy: FinitePolicy, paid: float, *, promise: float, horizon: int) -> Played:
    """Guess both answers of one visit from all advertisements: the two tables that are told apart best."""
    laws = table_laws(policy, horizon).reshape(-1, 2**horizon)
    tables = np.array(list(product(range(4), repeat=horizon - 1)))
    apart = cdist(laws, laws, "cityblock")
    apart[cdist(tables, tables, "hamming") * (horizon - 1) > 1.5] = -1.0
    pair = [int(i) for i in np.unravel_index(np.argmax(apart >= apart.max() - 1e-12), apart.shape)]
    both = list(product((0, 1), repeat=2))
    inputs = [[both[i] for i in tables[table]] for table in pair]

    def draw(which: int, n: int, rng: np.random.Generator) -> np.ndarray:
        return _counts(policy, horizon, n, rng, _from_table(inputs[which]))

    return 1, promise, paid, laws[pair], draw


def _overheard(epsilon: float, *, own: bool) -> Played:
    """Partial monitoring: the learner sees both answers, and lets the second ad follow the one that it did not show.

    It is private on rewards at every epsilon. The first ad is taken to be ad 0.
    """
    policy = Eavesdropper(math.inf)
    inputs = [(0.0, 0.0), (1.0, 0.0) if own else (0.0, 1.0)]
    laws = np.array([policy.probabilities(((0, outcome),)) for outcome in inputs])
    return 1, epsilon, 0.0 if own else math.inf, laws, _from_laws(laws)


def _private_answers(epsilon: float, changes: int) -> Played:
    """Guess one answer, or all answers of one person, from the responses that the learner gets."""
    channel = LocallyPrivate(Greedy(2), epsilon).channel
    laws = np.array([[math.prod(channel[x, list(z)]) for z in product((0, 1), repeat=changes)] for x in (0, 1)])

    def draw(which: int, n: int, rng: np.random.Generator) -> np.ndarray:
        responses = np.where(rng.random((n, changes)) < channel[which, which], which, 1 - which)
        return np.bincount(responses @ 2 ** np.arange(changes)[::-1], minlength=2**changes)

    return changes, epsilon, changes * epsilon, laws, draw


def _preferences(epsilon: float, horizon: int) -> list[Played]:
    """Guess which of two preferences a person has, from the history of Definition 5 and from the advertisements.

    The answers pass a channel under which the history of the definition (all answers; the ads cancel) pays epsilon
    times the distance of the two preferences, or less where that needs no noise.
    """
    promise = epsilon * DISTANCE
    policy = noisy_answers(epsilon, horizon)
    seen = [np.array([1 - p, p]) @ policy.channel for chances in PREFERENCES for p in chances]
    rounds = [np.outer(seen[0], seen[1]).ravel(), np.outer(seen[2], seen[3]).ravel()]
    histories = np.array([[math.prod(law[list(z)]) for z in product(range(4), repeat=horizon)] for law in rounds])

    def answers(which: int, n: int, rng: np.random.Generator) -> np.ndarray:
        clicks = rng.random((n, horizon, 2)) < PREFERENCES[which]
        true = rng.random((n, horizon, 2)) < policy.channel[0, 0]
        cells = np.where(true, clicks, ~clicks) @ np.array([2, 1])
        return np.bincount(cells @ 4 ** np.arange(horizon)[::-1], minlength=4**horizon)

    def ads(which: int, n: int, rng: np.random.Generator) -> np.ndarray:
        return _counts(policy.learner, horizon, n, rng, _from_preferences(PREFERENCES[which], policy.channel))

    every_ad = np.array([environment_law(policy, horizon, chances).ravel() for chances in PREFERENCES])
    return [(0, promise, promise, histories, answers), (0, promise, promise, every_ad, ads)]


def _play(game: Game, runs: int, rng: np.random.Generator) -> int:
    """Return how many of `runs` guesses are right, on inputs chosen by a fair coin."""
    first = int(rng.binomial(runs, 0.5))
    counts = [game.draw(which, n, rng) for which, n in enumerate((first, runs - first))]
    guess_first = game.laws[0] >= game.laws[1] * (1 - 1e-12)  # a tie, however a machine rounds, goes to the first
    return int(counts[0][guess_first].sum() + counts[1][~guess_first].sum())


def _counts(policy: FinitePolicy, horizon: int, n: int, rng: np.random.Generator, answer: Answer) -> np.ndarray:
    """Play n independent games together, as counts that split at each choice; return how often each sequence came."""
    counts = np.zeros((2,) * horizon, dtype=int)

    def play(history: History, arms: tuple[int, ...], left: int) -> None:
        if len(arms) == horizon:
            counts[arms] += left
            return
        law = np.asarray(policy.probabilities(history))
        for arm, pulled in enumerate(rng.multinomial(left, law / law.sum())):
            for signal, part in answer(len(arms), arm, int(pulled), rng):
                if part > 0:
                    play((*history, (arm, signal)), (*arms, arm), part)

    play((), (), n)
    return counts.ravel()


def _from_laws(laws: np.ndarray) -> Draw:
    """Draw from the laws themselves."""
    return lambda which, n, rng: np.asarray(rng.multinomial(n, laws[which]))


def _from_table(table: Sequence[tuple[int, int]]) -> Answer:
    """Answer from a table of outcomes; what is answered at the last visit is never used."""
    return lambda visit, arm, n, rng: [(float(table[visit][arm]) if visit < len(table) else 0.0, n)]


def _from_preferences(chances: Sequence[float], channel: np.ndarray) -> Answer:
    """Draw clicks, and pass each through the channel."""

    def answer(visit: int, arm: int, n: int, rng: np.random.Generator) -> Split:
        clicks = int(rng.binomial(n, chances[arm]))
        ones = int(rng.binomial(clicks, channel[1, 1]) + rng.binomial(n - clicks, channel[0, 1]))
        return [(1, ones), (0, n - ones)]

    return answer
