"""`check_policy`: what is wrong with a policy is told, each failure in a line, and all policies of the book pass."""

from __future__ import annotations

import math
import os
import threading
from contextlib import nullcontext, suppress

import numpy as np
import pytest
from test_simulate import GAMES

from private_bandits import Arms, Player, check_policy
from private_bandits.baselines import replay
from private_bandits.kernels import replay as replaying
from private_bandits.kernels import weighted
from private_bandits.papers.cascading import b_lb
from private_bandits.policy import Policy
from private_bandits.privacy import Guarantee
from private_bandits.problems import ConvexLoss, LinearContext
from private_bandits.streams import streams
from private_bandits_book.chapters.audit import cases
from private_bandits_book.pages.algorithms import listed
from private_bandits_book.rivals.single_observation import OneBit

ARMS = Arms.bernoulli([0.5, 0.4])


class Good(Player):
    """A policy that states what it is and follows from its streams."""

    name, mechanism, variant, privacy = "mine", "none", "", Guarantee.none()
    seen: list[int] = []

    def start(self, problem, choice, noise):
        self.choice, self.t = choice, 0
        return self

    def ask(self):
        self.t += 1
        return [int(self.choice.integers(2))]

    def tell(self, feedback):
        pass


def late(self):
    """Keeps in its class in round 301, after what is rehearsed."""
    if self.t == 300:
        self.seen.append(1)
    return Good.ask(self)


def fails_in_round_3(self):
    return {}["no such arm"] if self.t == 2 else Good.ask(self)


class First(Good):
    """Plays arm 0."""

    def ask(self):
        return [0]


LEAKS = "a run must leave nothing to the next, got a change of "
BROKEN = {
    "privacy, a number": ({"privacy": 1.0}, ["privacy of mine must be a Guarantee or 'not stated', got 1.0"]),
    "no privacy": (
        {"privacy": "not stated"},
        ["privacy of mine must be stated: a Guarantee, Guarantee.none() without"],
    ),
    "no mechanism for noise": (
        {"privacy": Guarantee.certified(1.0, 1.0, "central", "one sum")},
        ["mechanism of mine must be what protects it, got 'none' for Guarantee(central, promised ε = 1"],
    ),
    "class, late": ({"ask": late, "seen": []}, [f"{LEAKS}what copies of Broken share"]),
    "another stream, late": (
        {"ask": lambda self: [os.urandom(1)[0] % 2] if self.t > 300 else Good.ask(self)},
        ["a run of mine must follow from its streams, however long it is, got "],
    ),
    "answer": (
        {"ask": lambda self: 0},
        ["ask() must return [arm], arm an integer from 0 to 1, of Arms.bernoulli(n_arms=2), got 0"],
    ),
    "error": ({"ask": fails_in_round_3}, ["mine must play without an error, got KeyError: 'no such arm'"]),
    "a lock": (
        {"__init__": lambda self: setattr(self, "held", threading.Lock())},
        ["Broken must be copied for each run, got", "mine must be pickled to be played in other processes, got"],
    ),
    "another once pickled": (
        {"__reduce__": lambda self: (First, ()), "__deepcopy__": lambda self, known: type(self)()},
        ["mine must play as before once it is pickled: keep all that it needs in itself"],
    ),
}


@pytest.mark.parametrize(("broken", "lines"), BROKEN.values(), ids=BROKEN)
def test_each_failure_is_told_in_a_line(broken, lines):
    with pytest.raises(ValueError) as refused:
        check_policy(type("Broken", (Good,), broken)(), ARMS)
    told = str(refused.value).split("\n")
    assert len(told) == len(lines), told
    for line, begins in zip(told, lines, strict=True):
        assert line.startswith(begins), line


@pytest.mark.parametrize(
    "policy", [Good(), replay(Good(), 1.0, horizon=1000, first=5), OneBit(1.0)], ids=["plain", "replayed", "bit"]
)
def test_policies_in_python_pass(policy):
    check_policy(policy, ARMS)
    if isinstance(policy, OneBit):
        check_policy(policy, b_lb(8, 3, 0.4, 0.3))


LINE, TABLE = [[[1.0, 0.0]]], ConvexLoss.arms([[0.1, 0.5, 0.3, 0.8]])
PROBLEMS = [
    *(problem for problem, _ in GAMES.values()),
    *(cases.SETS, cases.BLOCKS, LinearContext.table(LINE, [[0.5]], link="logistic", noise=0.0), TABLE),
    ConvexLoss.ball([[0.3]], mode="stochastic", spread=0.1),
]


def fitting(policy, rounds=20):
    """The first problem that a policy takes."""
    for problem in PROBLEMS:
        with suppress(ValueError):
            policy.check(problem, rounds)
            return problem
    raise AssertionError(policy)


def test_all_policies_of_the_book_pass():
    names = set()
    for _, policy in listed():
        check_policy(policy, fitting(policy), horizon=20)
        names.add(policy.name)
    assert len(names) > 40


def test_without_privacy_no_policy_of_the_book_draws_noise(monkeypatch):
    """But for two loops: replay rounds by chance, and weighted regression draws its matrices at scale 0."""
    monkeypatch.setattr("private_bandits.policy.used_again", nullcontext)  # the loop draws from the very streams
    played = 0
    for _, policy in listed(math.inf):
        if isinstance(policy, Policy) and policy.privacy.trust == "none" and policy.kernel not in (replaying, weighted):
            problem, source, untouched = fitting(policy, 900), streams(11, 0), streams(11, 0)
            policy.play(problem, 900, np.array([900]), source, policy.blank(problem, 0))
            assert source.noise.bit_generator.state == untouched.noise.bit_generator.state, policy
            played += 1
    assert played > 60
