"""What runs could share: each copies what it plays, draws from its streams, and results tell it whole."""

from __future__ import annotations

import decimal
import functools
import json
import math
import os
import random
import subprocess
import sys
import threading
import types
from collections import defaultdict
from fractions import Fraction
from typing import NamedTuple

import numba
import numpy as np
import pandas as pd
import pytest
import scipy.special
import scipy.stats

from private_bandits import simulate
from private_bandits.baselines import replay
from private_bandits.parameters import parameters
from private_bandits.privacy import audit
from private_bandits.problems import Arms, Problem
from private_bandits.simulation import trace

ARMS = Arms.bernoulli([0.5, 0.4])
NUMBERS = np.random.default_rng(5)
DRAW = NUMBERS.random


class Arm0:
    """A policy of one arm."""

    name = "arm 0"

    def __init__(self, held=None):
        self.held = held

    def start(self, problem, choice, noise):
        return self

    def ask(self, *shown):
        return [0]

    def tell(self, feedback):
        pass


class Two(Problem):
    """Two arms, of what `draw` and `gap` are to return."""

    n_arms = 2

    def __init__(self, feedback=lambda: [1.0], lost=0.0):
        self.feedback, self.lost = feedback, lost

    def draw(self, items, t, rng):
        return self.feedback()

    def gap(self, items, t):
        return self.lost


def policy_with(**members):
    """A policy whose class holds more."""
    return type("Held", (Arm0,), {"__module__": "mine", **members})


def play(policy, problem=ARMS, **changes):
    return simulate(problem, policy, **{"horizon": 20, "replications": 2, "seed": 1, **changes})


# --- a run leaves nothing to the next one


def counted(self, feedback):
    self.pulls[0] += 1


def counter():
    count = [0]

    def count_on(*given):
        count[0] += 1

    return count_on


def tell_with_default(self, feedback, seen=[]):  # noqa: B006  # the fault
    seen.append(feedback)


class Inner:
    """Held by a policy, and keeps in its class."""

    pulls = [0]
    tell = counted


class Learner(Arm0):
    """What another class's `start` returns."""

    pulls = [0]
    tell = counted


class Drifting(Two):
    """A problem that changes what its class holds."""

    means = [0.0, 0.5]

    def draw(self, items, t, rng):
        self.means[0] += 0.01
        return [rng.normal(self.means[items[0]])]


LEAKS = {
    "list": policy_with(pulls=[0], tell=counted)(),
    "array": policy_with(pulls=np.zeros(1), tell=counted)(),
    "replayed": replay(policy_with(pulls=[0], tell=counted)(), 1.0, horizon=100, first=1),
    "of a learner's class": policy_with(start=lambda self, problem, choice, noise: Learner())(),
    "of a part's class": policy_with(tell=lambda self, feedback: self.held.tell(feedback))(Inner()),
    "function": policy_with(tell=lambda self, feedback: self.held(feedback))(counter()),
    "default": policy_with(tell=tell_with_default)(),
    "np.random": policy_with(tell=lambda self, feedback: np.random.random())(),  # noqa: NPY002
    "random": policy_with(tell=lambda self, feedback: random.random())(),
}


RUNS = 0


def started_before(self, problem, choice, noise):
    self.pulls.append(0)
    return self


def late(self, feedback):
    self.t = getattr(self, "t", 0) + 1
    self.pulls[0] += self.t == 250


def counts_in_the_module(self, feedback):
    global RUNS
    RUNS += 1


LEAKS |= {
    "at the start": policy_with(pulls=[0], start=started_before)(),
    "number of a module": policy_with(tell=counts_in_the_module)(),
}


@pytest.mark.parametrize("policy", LEAKS.values(), ids=LEAKS)
def test_a_run_that_changes_what_the_next_one_finds_is_refused(policy):
    for play_it in (play, lambda one: audit(one, problem=ARMS, horizon=3, promised=1.0, seed=1, runs=400)):
        with pytest.raises(ValueError, match="a run must leave nothing to the next, got a change of"):
            play_it(policy)


BOX = {"rng": [np.random.default_rng(3)]}


def bit():
    return [int(2 * BOX["rng"][0].random())]


TWICE = {
    "stream of a module": lambda self: bit(),
    "os": lambda self: [os.urandom(1)[0] % 2],
    "new stream": lambda self: [int(np.random.default_rng().integers(2))],
}


@pytest.mark.parametrize("ask", TWICE.values(), ids=TWICE)
def test_what_cannot_be_seen_shows_when_the_first_rounds_are_played_twice(ask):
    said = "a run of arm 0 must follow from its streams, got .* and then .* in round "
    for play_it in (play, lambda one: trace(ARMS, one, horizon=60, seed=1)):
        with pytest.raises(ValueError, match=said) as refused:
            play_it(policy_with(ask=ask)(), **({"horizon": 60} if play_it is play else {}))
        assert "\n" not in str(refused.value)
    with pytest.raises(ValueError, match=said):
        play(Arm0(), Two(lambda: [float(ask(None)[0])]), horizon=60)


def started(made):
    """A policy whose learner holds what is made at its start."""

    def start(self, problem, choice, noise):
        self.held = made(choice)
        return self

    return policy_with(start=start)()


ALL_RUNS_HAVE = {
    "seeded": lambda choice: np.random.default_rng(3),
    "of Python": lambda choice: random.Random(3),
    "in a part": lambda choice: {"rng": [np.random.RandomState(3)]},
    "below another": lambda choice: types.SimpleNamespace(rng=np.random.Generator(np.random.Philox(3)), own=choice),
}


@pytest.mark.parametrize("made", ALL_RUNS_HAVE.values(), ids=ALL_RUNS_HAVE)
def test_a_stream_that_all_runs_have_is_refused(made):
    with pytest.raises(ValueError, match="arm 0 must draw from the streams of its run, got one that all runs have"):
        play(started(made))


@pytest.mark.parametrize(
    "made",
    [
        lambda choice: choice,
        lambda choice: choice.spawn(2),
        lambda choice: np.random.default_rng(choice.integers(2**60)),
        lambda choice: random.Random(int(choice.integers(2**60))),
        lambda choice: scipy.stats.norm(),
        lambda choice: (x for x in "what no copy can hold"),
        lambda choice: threading.Lock(),
    ],
)
def test_what_comes_from_the_streams_of_a_run_is_none(made):
    play(started(made))


@numba.njit
def of_numba():
    return np.random.randint(0, 2)  # noqa: NPY002


class Pieces(Arm0):
    """Nothing is drawn in the rounds that are rehearsed."""

    t = 0

    def ask(self):
        self.t += 1
        return [self.held() if self.t > 250 else 0]


@pytest.mark.parametrize(
    "drawn",
    [of_numba, lambda: int(np.random.default_rng().integers(2))],
    ids=["numba", "unseeded"],
)
def test_what_is_drawn_late_shows_when_the_first_run_is_played_again(drawn):
    with pytest.raises(ValueError, match=r"must follow from its streams, got .* and then .* in round "):
        play(Pieces(drawn), horizon=3000, replications=10)
    play(Pieces(lambda: 1), horizon=3000, replications=10)


def test_a_run_that_leaves_something_later_than_it_is_rehearsed_is_refused():
    with pytest.raises(ValueError, match="got a change of what copies of Held share"):
        play(policy_with(pulls=[0], tell=late)(), horizon=300)


def test_so_is_a_problem_and_constants_of_a_class_are_none():
    with pytest.raises(ValueError, match="got a change of what copies of Drifting share"):
        play(Arm0(), Drifting(), replications=1)
    play(policy_with(pulls=[0], seen={}, cached=property(lambda self: self.pulls))())


# --- no stream but those of the run


STREAMS = {
    "Generator": np.random.default_rng(1),
    "BitGenerator": np.random.PCG64(1),
    "RandomState": np.random.RandomState(1),
    "Random": random.Random(1),
    "SeedSequence": np.random.SeedSequence(3),
    "closure": (lambda rng: lambda: rng.random())(random.Random(1)),
    "default": lambda rng=random.Random(1): rng.random(),  # noqa: B008
    "global of a lambda": lambda: NUMBERS.random(),
    "value": {(0, 1): [random.Random(1)]},
    "array": np.array([random.Random(1)], object),
    "part": types.SimpleNamespace(of=Arm0(random.Random(1))),
    "bound": Arm0(random.Random(1)).ask,
    "class of a part": policy_with(rng=random.Random(1))(),
}


# of a cycle, from Python 3.12 on
@pytest.mark.filterwarnings("ignore:Pickle, copy, and deepcopy support will be removed:DeprecationWarning")
@pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)
def test_a_stream_is_seen_wherever_it_is(stream):
    for policy in (Arm0(stream), policy_with(stream=stream)(), replay(Arm0([stream]), 1.0, horizon=100)):
        with pytest.raises((ValueError, TypeError), match=f"{type(policy).__name__} must (draw from|be copied)"):
            play(policy)
    with pytest.raises((ValueError, TypeError), match=r"Two must (draw from|be copied)"):
        play(Arm0(), Two(stream))


NAMED = {
    "global": lambda self: [int(2 * NUMBERS.random())],
    "method": lambda self: [int(2 * DRAW())],
    "by a function": lambda self: [int(2 * of_the_module())],
    "in a dict": lambda self: [int(2 * HELD["rng"].random())],
}


def of_the_module():
    return NUMBERS.random()


HELD = {"rng": NUMBERS}


@pytest.mark.parametrize("ask", NAMED.values(), ids=NAMED)
def test_a_method_that_names_a_stream_is_seen(ask):
    for members in ({"ask": ask}, {"arm": property(ask), "ask": lambda self: self.arm}):
        with pytest.raises(ValueError, match="Held must draw from the streams that it is given, got one of its own"):
            play(policy_with(**members)())


# --- results tell what was run


class Slotted:
    """Told without a dictionary."""

    __slots__ = ("of",)

    def __init__(self, of):
        self.of = of


def enclosing(number):
    return lambda: number


class Laplace(NamedTuple):
    """A noise."""

    scale: float


class Normal(NamedTuple):
    """Another one of the same numbers."""

    scale: float


def of_a_session(body):
    """A function of a cell, which may be another one under its name."""
    cell: dict = {"__name__": "__main__"}
    exec(f"def rule(x):\n    return {body}", cell)
    return cell["rule"]


def naming(number):
    """A policy whose method finds a number by its name."""
    return type("Named", (Arm0,), {"__module__": "mine", "ask": types.FunctionType(NAMING.__code__, {"RATE": number})})


def NAMING(self):  # noqa: N802
    return [RATE * 0]  # noqa: F821


PAIRS = {
    "set": ({1}, {2}),
    "Fraction": (Fraction(1, 3), Fraction(2, 3)),
    "bytes": (b"a", b"b"),
    "partial": (functools.partial(max, 1), functools.partial(max, 2)),
    "closure": (enclosing(1), enclosing(2)),
    "method": (Arm0(1).ask, Arm0(2).ask),
    "slots": (Slotted(1), Slotted(2)),
    "class": (Slotted, Arm0),
    "of a class": (policy_with(means=[0.0])(), policy_with(means=[0.5])()),
    "defaultdict": (defaultdict(list, a=1), defaultdict(list, a=2)),
    "keys": ({1: 0}, {"1": 0}),
    "many numbers": (np.zeros(5000), np.eye(1, 5000)),
    "their type": (np.zeros(5000), np.zeros(5000, np.int64)),
    "named tuples": (Laplace(1.0), Normal(1.0)),
    "function of a session": (of_a_session("2 * x"), of_a_session("3 * x")),
    "number that a method names": (naming(0.5), naming(0.25)),
    "series": (pd.Series([1.0]), pd.Series([2.0])),
}


@pytest.mark.parametrize(("one", "other"), PAIRS.values(), ids=PAIRS)
def test_what_differs_is_told_so_and_what_does_not_is_told_alike(one, other):
    told = parameters(Arm0(one))
    assert told != parameters(Arm0(other)) and told == parameters(Arm0(one))
    assert set(json.loads(told)) == {"type", "name", "held"} and len(told) < 5000
    attributes = play(Arm0(one), horizon=2).attrs
    assert attributes["policy_parameters"] == told != play(Arm0(other), horizon=2).attrs["policy_parameters"]


TOLD = """
from private_bandits.parameters import parameters
class Mine:
    name, held = "mine", [{"a", "b", ("c", 1)}, lambda x: x in {"a", "b"}]
print(parameters(Mine()))
"""


def test_it_is_told_alike_in_every_process():
    told = set()
    for seed in "12":
        there = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run([sys.executable, "-c", TOLD], env=there, capture_output=True, text=True, check=True)
        told.add(done.stdout)
    assert len(told) == 1


def named(name):
    return policy_with(name=name)()


DEEP: list = []
for _ in range(5000):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        (named(None), "policy must be a text, got None"),
        (Arm0(x for x in "a"), "Arm0 must be copied for each run, got cannot pickle 'generator' object"),
        (Arm0(threading.Lock()), "Arm0 must be copied for each run, got cannot pickle '_thread.lock' object"),
        (
            policy_with(start=lambda self, *given: None)(),
            r"start\(\) of arm 0 must return what has ask\(\) and tell\(\), got None",
        ),
        (Arm0(DEEP), "Arm0 must hold what can be told in a text, got maximum recursion depth exceeded"),
    ],
)
def test_what_cannot_be_kept_or_copied_is_said_before_the_first_round(policy, said):
    with pytest.raises((TypeError, ValueError), match=said) as refused:
        play(policy, horizon=10**15)
    assert len(str(refused.value).splitlines()) == 1


# --- what is read once


@pytest.mark.parametrize(
    "draw",
    [
        *(lambda form=form: form([1.0]) for form in (iter, reversed, set)),
        *(lambda feedback=feedback: feedback for feedback in (None, {0: 0.5}, b"\x01", "", [10**400], [math.nan])),
        lambda: np.array([0.5]).flat,
        lambda: [decimal.Decimal("sNaN")],
    ],
)
def test_feedback_that_is_read_once_in_no_order_or_no_list_of_numbers_is_refused(draw):
    said = r"draw\(\) must return a sequence of finite numbers, got .* for \[0\] in round 1"
    with pytest.raises(ValueError, match=said) as refused:
        play(Arm0(), Two(draw))
    assert "\n" not in str(refused.value)


class Reused(Two):
    """A problem that fills one list again and again, and changes the list that it is shown."""

    def draw(self, items, t, rng):
        items.append(7)
        self.feedback[0] = float(t)
        return self.feedback


def test_what_a_problem_fills_again_is_not_what_was_told():
    def tell(self, feedback):
        self.told = [*getattr(self, "told", []), feedback]
        LOG[:] = self.told

    play(policy_with(tell=tell)(), Reused([0.0]), replications=1, horizon=3)
    assert LOG == [[1.0], [2.0], [3.0]]


@pytest.mark.parametrize("answer", [{0}, {0: 1}, frozenset([0])], ids=repr)
def test_an_answer_without_an_order_is_refused(answer):
    with pytest.raises(ValueError, match=r"ask\(\) must return what has an order, got "):
        play(policy_with(ask=lambda self: answer)(), Two())


LOG: list = []


@pytest.mark.parametrize(
    "lost", [None, np.array([0.5]), decimal.Decimal("0.5"), "0.5", math.inf, math.nan, -1.0, 1j, 10**400], ids=str
)
def test_a_gap_is_a_number(lost):
    with pytest.raises(ValueError, match=r"gap\(\) must return a number >= 0, got .* for \[0\] in round 1"):
        play(Arm0(), Two(lost=lost))
