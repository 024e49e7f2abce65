"""What runs could share: each copies what it plays, draws from its streams, and results tell it whole."""

from __future__ import annotations

import decimal
import functools
import itertools
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import threading
import types
import weakref
from collections import defaultdict, deque
from fractions import Fraction
from typing import NamedTuple

import joblib
import numba
import numpy as np
import pandas as pd
import pytest
import scipy.special
import scipy.stats

from private_bandits import baselines, simulate
from private_bandits.baselines import replay
from private_bandits.papers import cascading
from private_bandits.papers.definitions.replacements import local_minimax
from private_bandits.parameters import parameters
from private_bandits.privacy import audit
from private_bandits.privacy.sampled import lower_end
from private_bandits.problems import Arms, Cascade, ConvexLoss, LinearContext, Problem
from private_bandits.simulation import trace
from private_bandits_book.chapters.contextual.joint_privacy import wrong_guesses
from private_bandits_book.chapters.definitions.lemmas import toy

ARMS = Arms.bernoulli([0.5, 0.4])
BALL = ConvexLoss.ball([[0.3]], kind="smooth")
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


def rebinding(self, feedback):
    type(self).pulls += 1


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
    "of a class above": type("Below", (policy_with(pulls=[0], tell=counted),), {"__module__": "mine"})(),
    "bound anew": policy_with(pulls=0, tell=rebinding)(),
    "slots": policy_with(__slots__=("more",), pulls=[0], tell=counted)(),
    "replayed": replay(policy_with(pulls=[0], tell=counted)(), 1.0, horizon=100, first=1),
    "of a learner's class": policy_with(start=lambda self, problem, choice, noise: Learner())(),
    "of a part's class": policy_with(tell=lambda self, feedback: self.held.tell(feedback))(Inner()),
    "function": policy_with(tell=lambda self, feedback: self.held(feedback))(counter()),
    "method": policy_with(tell=counter())(),
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


class Counts(type):
    """Of which a class keeps something."""

    pulls = [0]


def cell(number):
    def held():
        return number

    held.of = number
    return held


FUNCTION = cell(0)
FUNCTION.pulls = [0]


def of_a_metaclass(self, feedback):
    type(type(self)).pulls[0] += 1


def of_a_method(self, feedback):
    self.held.of += 1


LEAKS |= {
    "metaclass": Counts("Held", (Arm0,), {"__module__": "mine", "tell": of_a_metaclass})(),
    "attribute of a function": policy_with(tell=of_a_method)(cell(1)),
    "sown in each run": policy_with(ask=lambda self: [np.random.seed(3)] and [np.random.randint(2)])(),  # noqa: NPY002
    "a law of SciPy": policy_with(tell=lambda self, feedback: self.held.rvs())(scipy.stats.norm()),
    "another class": policy_with(start=lambda self, problem, *streams: setattr(self, "__class__", Learner) or self)(),
}


@pytest.mark.parametrize("policy", LEAKS.values(), ids=LEAKS)
def test_a_run_that_changes_what_the_next_one_finds_is_refused(policy):
    for play_it in (play, lambda one: audit(one, problem=ARMS, horizon=3, promised=1.0, seed=1, runs=400)):
        with pytest.raises(ValueError, match="a run must leave nothing to the next, got a change of"):
            play_it(policy)


def counted_by(function):
    function.pulls[0] += 1
    return [function.pulls[0] // 7 % 2]


BOX = {"rng": [np.random.default_rng(3)]}


def bit():
    return [int(2 * BOX["rng"][0].random())]


TWICE = {
    "function": lambda self: counted_by(FUNCTION),
    "stream of a module": lambda self: bit(),
    "os": lambda self: [os.urandom(1)[0] % 2],
    "new stream": lambda self: [int(np.random.default_rng().integers(2))],
    "law without a seed": lambda self: [int(scipy.stats.bernoulli(0.5).rvs(random_state=BOX["rng"][0]))],
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


def test_a_stream_that_is_made_when_it_is_needed_is_seen():
    def ask(self):
        return [int(2 * self.held.random())]

    made = functools.cached_property(lambda self: np.random.default_rng(3))
    made.__set_name__(None, "held")
    lazy = type("Lazy", (Arm0,), {"__module__": "mine", "__init__": lambda self: None, "held": made, "ask": ask})
    with pytest.raises(ValueError, match="arm 0 must draw from the streams of its run, got one that all runs have"):
        play(lazy())


@numba.njit
def of_numba():
    return np.random.randint(0, 2)  # noqa: NPY002


class Pieces(Arm0):
    """Nothing is drawn in the rounds that are rehearsed."""

    t = 0

    def ask(self):
        self.t += 1
        return [self.held() if self.t > 250 else 0]


@pytest.mark.parametrize("replications", [10, 20])
@pytest.mark.parametrize(
    "drawn",
    [of_numba, lambda: int(np.random.default_rng().integers(2))],
    ids=["numba", "unseeded"],
)
def test_what_is_drawn_late_shows_when_the_first_run_is_played_again(drawn, replications):
    with pytest.raises(ValueError, match=r"must follow from its streams, got .* and then .* in round "):
        play(Pieces(drawn), horizon=3000, replications=replications)
    play(Pieces(lambda: 1), horizon=3000, replications=replications)


def test_a_run_that_leaves_something_later_than_it_is_rehearsed_is_refused():
    with pytest.raises(ValueError, match="got a change of what copies of Held share"):
        play(policy_with(pulls=[0], tell=late)(), horizon=300)


def test_a_law_of_scipy_may_draw_from_the_streams_of_a_run():
    def ask(self):
        return [int(self.held.rvs(random_state=self.choice) > 0)]

    laws = [scipy.stats.norm(), scipy.stats.norm(0.5), scipy.stats.t(3)]
    begun = {"start": lambda self, problem, choice, noise: setattr(self, "choice", choice) or self}
    results = [play(policy_with(**begun, ask=ask)(law), horizon=50) for law in laws]
    assert len({result.attrs["policy_parameters"] for result in results}) == 3
    assert len({*results[0].regret[:, -1].to_numpy()}) > 1
    laws[0].random_state = 3
    with pytest.raises(ValueError, match="must draw from the streams that it is given"):
        play(policy_with(**begun, ask=ask)(laws[0]))


def test_so_is_a_problem_and_constants_of_a_class_are_none():
    with pytest.raises(ValueError, match="got a change of what copies of Drifting share"):
        play(Arm0(), Drifting(), replications=1)
    play(policy_with(pulls=[0], seen={}, cached=property(lambda self: self.pulls))())


def test_what_another_thread_draws_is_its_own():
    done: list[float] = []
    other = threading.Thread(target=lambda: done.extend(play(Arm0()).regret[:, -1].to_numpy()))
    random.random(), np.random.random()  # noqa: B018, NPY002
    other.start()
    while other.is_alive():
        random.random()
    assert len(done) == 2


# --- no stream but those of the run


STREAMS = {
    "Generator": np.random.default_rng(1),
    "its method": np.random.default_rng(1).normal,
    "BitGenerator": np.random.PCG64(1),
    "RandomState": np.random.RandomState(1),
    "Random": random.Random(1),
    "SeedSequence": np.random.SeedSequence(3),
    "partial": functools.partial(np.random.default_rng(1).normal, 0.0),
    "closure": (lambda rng: lambda: rng.random())(random.Random(1)),
    "default": lambda rng=random.Random(1): rng.random(),  # noqa: B008
    "global of a lambda": lambda: NUMBERS.random(),
    "value": {(0, 1): [random.Random(1)]},
    "key": {random.Random(1).random: 0},
    "array": np.array([random.Random(1)], object),
    "iterator": itertools.cycle([random.Random(1)]),
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
    "in a loop": lambda self: [int(2 * NUMBERS.random()) for _ in range(1)],
    "keyword": lambda self, *, rng=NUMBERS: [int(2 * rng.random())],
    "by a function": lambda self: [int(2 * of_the_module())],
    "in a dict": lambda self: [int(2 * HELD["rng"].random())],
    "in a part": lambda self: [int(2 * PART.rng.random())],
}
HELD, PART = {"rng": NUMBERS}, types.SimpleNamespace(rng=NUMBERS)


@pytest.mark.parametrize("ask", NAMED.values(), ids=NAMED)
def test_a_method_that_names_a_stream_is_seen(ask):
    for members in ({"ask": ask}, {"arm": property(ask), "ask": lambda self: self.arm}):
        with pytest.raises(ValueError, match="Held must draw from the streams that it is given, got one of its own"):
            play(policy_with(**members)())


def test_a_name_that_is_no_stream_there_and_what_makes_a_policy_are_no_fault():
    members = {"NUMBERS": 0, "ask": lambda self: [self.NUMBERS], "__init__": lambda self: self.draw(DRAW())}
    play(policy_with(**members, draw=lambda self, number: None)())


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


class Rate(float):
    """A number that has a unit."""

    def __new__(cls, value, unit=""):
        made = super().__new__(cls, value)
        made.unit = unit
        return made


def of_a_session(body):
    """A function of a cell, which may be another one under its name."""
    cell: dict = {"__name__": "__main__"}
    exec(f"def rule(x):\n    return {body}", cell)
    return cell["rule"]


class Marked(set):
    """A set that has a mark."""


def kind_of_set(mark):
    made = Marked("ab")
    made.mark = mark
    return made


ONE, TWO = Inner(), Inner()
ONE.of, TWO.of = 1, 2


def naming(number):
    """A policy whose method finds a number by its name."""
    return type("Named", (Arm0,), {"__module__": "mine", "ask": types.FunctionType(NAMING.__code__, {"RATE": number})})


def NAMING(self):  # noqa: N802
    return [RATE * 0]  # noqa: F821


PAIRS = {
    "set": ({1}, {2}),
    "Fraction": (Fraction(1, 3), Fraction(2, 3)),
    "complex": (1j, 2j),
    "bytes": (b"a", b"b"),
    "its length": (deque([1], 2), deque([1], 3)),
    "partial": (functools.partial(max, 1), functools.partial(max, 2)),
    "ufunc": (np.sin, np.cos),
    "closure": (enclosing(1), enclosing(2)),
    "inside a lambda": (lambda rows: [2 * x for x in rows], lambda rows: [3 * x for x in rows]),
    "method": (Arm0(1).ask, Arm0(2).ask),
    "slots": (Slotted(1), Slotted(2)),
    "class": (Slotted, Arm0),
    "and an object": (Arm0, Arm0(None)),
    "of a class": (policy_with(means=[0.0])(), policy_with(means=[0.5])()),
    "defaultdict": (defaultdict(list, a=1), defaultdict(list, a=2)),
    "keys": ({1: 0}, {"1": 0}),
    "sets as keys": ({frozenset([1]): 0}, {frozenset([2]): 0}),
    "NumPy's keys": ({np.int64(1): 0}, {np.int64(2): 0}),
    "digits": (10**5000, 10**5000 + 1),
    "long double": (np.longdouble(1) / 3, np.longdouble(1) / 3 + np.finfo(np.longdouble).eps),
    "many numbers": (np.zeros(5000), np.eye(1, 5000)),
    "their type": (np.zeros(5000), np.zeros(5000, np.int64)),
    "masked": (np.ma.array([1.0, 2.0], mask=[0, 1]), np.ma.array([1.0, 2.0], mask=[0, 0])),
    "float32": (np.float32(0.1), float(np.float32(0.1))),
    "byte order": (np.zeros(2, ">f8"), np.zeros(2)),
    "ufunc of a function": (np.frompyfunc(lambda x: x, 1, 1), np.frompyfunc(lambda x: 2 * x, 1, 1)),
    "attributes of a function": (cell(1), cell(2)),
    "fields": (np.zeros(1, [("p", "f8")]), np.zeros(1, [("q", "f8")])),
    "units": (np.zeros(1, "m8[ns]"), np.zeros(1, "m8[ps]")),
    "date of NumPy": (np.datetime64("2026-01-01"), np.datetime64("2026-01-02")),
    "named tuples": (Laplace(1.0), Normal(1.0)),
    "number of a kind": (Rate(1.0, "a"), Rate(1.0, "b")),
    "function of a session": (of_a_session("2 * x"), of_a_session("3 * x")),
    "number that a method names": (naming(0.5), naming(0.25)),
    "mapping": (policy_with(of=types.MappingProxyType({"a": 1}))(), policy_with(of=types.MappingProxyType({"a": 2}))()),
    "kind of set": (kind_of_set(1), kind_of_set(2)),
    "weak reference": (weakref.ref(ONE), weakref.ref(TWO)),
    "series": (pd.Series([1.0]), pd.Series([2.0])),
    "view of a class": (policy_with(of=memoryview(b"a"))(), policy_with(of=memoryview(b"b"))()),
    "deep": (Slotted([{"a": Fraction(1)}]), Slotted([{"a": Fraction(2)}])),
}


@pytest.mark.parametrize(("one", "other"), PAIRS.values(), ids=PAIRS)
def test_what_differs_is_told_so_and_what_does_not_is_told_alike(one, other):
    told = parameters(Arm0(one))
    assert told != parameters(Arm0(other)) and told == parameters(Arm0(one))
    assert set(json.loads(told)) == {"type", "name", "held"} and len(told) < 5000
    attributes = play(Arm0(one), horizon=2).attrs
    assert attributes["policy_parameters"] == told != play(Arm0(other), horizon=2).attrs["policy_parameters"]


def test_it_is_told_alike_in_every_process():
    script = "import test_shared as t; print(t.parameters(t.Arm0([{'a', 'b', ('c', 1)}, lambda x: x in {'a', 'b'}])))"
    told = set()
    for seed in "123":
        there = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(pathlib.Path(__file__).parent)}
        done = subprocess.run([sys.executable, "-c", script], env=there, capture_output=True, text=True, check=True)
        told.add(done.stdout)
    assert len(told) == 1


def test_a_net_of_parts_is_told_once_each():
    nodes = [types.SimpleNamespace(number=number, near=[]) for number in range(60)]
    for one, other in itertools.product(nodes, nodes):
        one.near.append(other)
    assert len(parameters(Arm0(nodes))) < 1000


def named(name):
    return policy_with(name=name)()


DEEP: list = []
for _ in range(5000):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        (named(None), "policy must be a text, got None"),
        (named("a\0b"), "policy must be a text, got 'a"),
        (named("\udcff"), "policy must be a text, got "),
        (Arm0(x for x in "a"), "Arm0 must be copied for each run, got cannot pickle 'generator' object"),
        (Arm0(threading.Lock()), "Arm0 must be copied for each run, got cannot pickle '_thread.lock' object"),
        (Arm0(math), "Arm0 must be copied for each run, got cannot pickle 'module' object"),
        (
            policy_with(start=lambda self, *given: None)(),
            r"start\(\) of arm 0 must return what has ask\(\) and tell\(\), got None",
        ),
        (
            policy_with(start=lambda self, *given: types.SimpleNamespace(ask=self.ask))(),
            "must return what has ask.*, got namespace",
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


@pytest.mark.parametrize("form", [list, tuple, deque, np.array], ids=lambda form: form.__name__)
def test_feedback_may_be_any_sequence(form):
    policy = policy_with(tell=lambda self, feedback: LOG.append(list(feedback)))()
    LOG.clear()
    play(policy, Two(lambda: form([1.0])), replications=1, horizon=3)
    assert LOG == [[1.0]] * 12  # of which nine are rehearsed


LOG: list = []


class Once:
    """Numbers that are read once."""

    def __init__(self, numbers):
        self.numbers = numbers

    def __iter__(self):
        while self.numbers:
            yield self.numbers.pop(0)


@pytest.mark.parametrize(
    "form",
    [lambda one: np.array([one], np.int8), lambda one: np.array([one], np.float32), lambda one: Once([one])],
    ids=["int8", "float32", "once"],
)
def test_what_is_told_are_floats_so_that_no_sum_overflows(form):
    def tell(self, told):
        self.total += told[0]
        LOG.append(self.total)

    play(policy_with(total=0, tell=tell)(), Two(lambda: form(1)), replications=1, horizon=300)
    assert 300 in LOG and type(LOG[-1]) is float


@pytest.mark.parametrize(
    "lost", [None, np.array([0.5]), decimal.Decimal("0.5"), "0.5", math.inf, math.nan, -1.0, 1j, 10**400], ids=str
)
def test_a_gap_is_a_number(lost):
    with pytest.raises(ValueError, match=r"gap\(\) must return a number >= 0, got .* for \[0\] in round 1"):
        play(Arm0(), Two(lost=lost))


@pytest.mark.parametrize("said", [None, 1, "no", np.array([True]), np.array([True, False])], ids=repr)
def test_allows_says_yes_or_no(said):
    problem = type("Odd", (Two,), {"allows": lambda self, items: said})()
    with pytest.raises(ValueError, match=r"allows\(\) must be True or False, got "):
        play(Arm0(), problem)


def test_an_error_in_allows_is_the_problems():
    problem = type("Odd", (Two,), {"allows": lambda self, items: len(None)})()
    with pytest.raises(TypeError, match="object of type 'NoneType' has no len"):
        play(Arm0(), problem)


@pytest.mark.parametrize(("lost", "regret"), [(Fraction(1, 2), 10.0), (np.float32(0.5), 10.0), (-1e-17, 0.0)], ids=str)
def test_a_gap_may_be_any_real_number_and_below_0_by_rounding(lost, regret):
    np.testing.assert_allclose(play(Arm0(), Two(lost=lost)).regret[:, -1], regret, atol=1e-9)


@pytest.mark.parametrize("problem", [ARMS, Cascade([0.5], 1), BALL, Two(),
                                     LinearContext.sphere([0.6, 0.3], n_actions=2)], ids=str)  # fmt: skip
def test_an_answer_may_be_an_iterator_in_a_run_and_in_its_trace(problem):
    once = policy_with(ask=lambda self, *shown: iter([0]))()
    np.testing.assert_array_equal(play(once, problem).regret, play(Arm0(), problem).regret)
    rows = [trace(problem, each, horizon=5, seed=1) for each in (once, Arm0())]
    np.testing.assert_array_equal(*rows)


# --- the caller's settings of NumPy


@pytest.mark.parametrize(
    "work",
    [
        lambda: audit(baselines.adap_ucb(1.0), problem=ARMS, horizon=6, seed=1),
        lambda: lower_end(hits=750, others=276, runs=1500, alpha=0.05),
        lambda: [cascading.algorithms(1.0, delta=delta) for delta in (1e-6, 0.1, 0.5)],
        lambda: play(Arm0(), BALL),
        lambda: play(baselines.adap_ucb(1.0)),
        lambda: local_minimax(n_arms=3, horizon=1000, epsilon=5e-324),
        lambda: toy(1000, [1.0]),
        lambda: wrong_guesses(5.0, 1000),
    ],
    ids=["audit", "end", "calibration", "learner", "compiled", "formula", "game", "guesses"],
)
def test_an_error_for_each_underflow_that_the_caller_asks_for_is_no_fault_of_the_librarys(work):
    with np.errstate(all="raise"), scipy.special.errstate(all="raise"):
        work()


@pytest.mark.parametrize("policy", [Arm0(), baselines.ucb()], ids=["in Python", "compiled"])
@pytest.mark.parametrize("n_jobs", [-1, 2, 12])
def test_there_are_no_more_workers_than_runs(n_jobs, policy, monkeypatch):
    asked: list[int] = []

    class Parallel(joblib.Parallel):
        def __init__(self, *, n_jobs, **options):
            asked.append(n_jobs)
            super().__init__(n_jobs=1, **options)

    monkeypatch.setattr(joblib, "Parallel", Parallel)
    monkeypatch.setattr(joblib, "cpu_count", lambda: 64)
    play(policy, horizon=200_000, replications=2, n_jobs=n_jobs)
    assert asked == [2]


# --- what a stranger tried


def static(made):
    """A class whose static method is this."""
    return policy_with(move=staticmethod(made))


class Shared:
    """Something of which a default is shared."""

    @staticmethod
    def grow(held=[0]):  # noqa: B006
        held[0] += 1
        return held[0]


class GrowsStatic(Arm0):
    def ask(self):
        return [self.grow() * 0]

    grow = staticmethod(Shared.grow)


STREAM = np.random.default_rng(5)


def of_the_module():
    return STREAM.random()


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        (GrowsStatic(), "a run must leave nothing to the next, got a change of what copies of GrowsStatic share"),
        (static(random.Random(1).random)(), "must draw from the streams that it is given"),
        (static(of_the_module)(), "must draw from the streams that it is given"),
        (policy_with(move=functools.partialmethod(print, STREAM))(), "must draw from the streams that it is given"),
    ],
    ids=["default", "bound", "named", "partial"],
)
def test_what_a_static_method_holds_is_seen(policy, said):
    with pytest.raises(ValueError, match=said):
        play(policy)


class Changing(Arm0):
    """Whose methods change."""

    def ask(self):
        self.ask = lambda: [1]
        return [0]

    def tell(self, feedback):
        self.tell = lambda feedback: None


class Late(Problem):
    """Whose gap changes."""

    n_arms = 2

    def draw(self, items, t, rng):
        return [0.0]

    def gap(self, items, t):
        self.gap = lambda items, t: 0.0
        return 1.0


def test_methods_that_change_in_a_run_are_followed():
    arms = Arms.bernoulli([1.0, 0.0])
    assert simulate(arms, Changing(), horizon=10, replications=1, seed=0).regret[0, -1] == 9.0
    assert simulate(Late(), Arm0(), horizon=10, replications=1, seed=0).regret[0, -1] == 1.0


def test_more_replications_than_a_study_has_are_refused_at_once():
    with pytest.raises(ValueError, match="replications must be"):
        simulate(ARMS, Arm0(), horizon=3, replications=range(10**400), seed=0)


@pytest.mark.parametrize("depth", [150, 245, 450])
def test_a_deep_part_is_told_or_refused_in_a_line(depth):
    held: list = []
    for _ in range(depth):
        held = [held]
    try:
        play(Arm0(held))
    except ValueError as error:
        assert "\n" not in str(error) and "Arm0 must" in str(error)


def test_replay_runs_on_a_problem_of_ones_own_as_long_as_it_is_made_for():
    replayed = replay(Arm0(), 1.0, horizon=9, first=1)
    np.testing.assert_array_equal(
        play(replayed, Two(), horizon=9).regret, play(replayed, Arms.bernoulli([1.0, 1.0]), horizon=9).regret
    )
    with pytest.raises(ValueError, match="horizon must be <= 9, for which arm 0, replayed was calibrated, got 10"):
        play(replayed, Two(), horizon=10)
    with pytest.raises(ValueError, match=r"draw\(\) must return rewards in \[0, 1\] for arm 0, replayed, got \[1.5\]"):
        play(replayed, Two(lambda: [1.5]), horizon=9)


def test_a_problem_may_have_more_arms_than_can_be_listed():
    many = type("Many", (Two,), {"n_arms": 10**400})()
    assert many.allows([10**400 - 1]) and not many.allows([10**400]) and not many.allows([0, 0])
    assert play(Arm0(), many).regret.max() == 0.0
    with pytest.raises(ValueError, match="n_arms where pulls are counted must be >= 1 and <= 10000000"):
        play(Arm0(), many, pulls=True)
