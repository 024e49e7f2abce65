"""Policies and problems of a reader's own: their page works by copy and paste, and their faults are named."""

from __future__ import annotations

import ast
import json
import math
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from private_bandits import simulate
from private_bandits.baselines import replay
from private_bandits.problems import Arms, Problem
from private_bandits_book.pages import render

PAGE = json.loads((Path(__file__).parents[1] / "book" / "own.ipynb").read_text(encoding="utf-8"))
CELLS = [cell for cell in PAGE["cells"] if cell["cell_type"] == "code"]


def test_its_cells_are_all_shown_and_run_in_order_from_an_empty_session():
    assert not any({"hide-input", "remove-input", "hide-cell"} & {*cell["metadata"].get("tags", [])} for cell in CELLS)
    session: dict[str, object] = {"__name__": "__main__"}
    for cell in CELLS:
        exec("".join(cell["source"]).replace("10_000", "1_000"), session)
    assert [name for name, *_ in session["audited"]] == ["greedy", "greedy, replayed"]


def test_its_classes_are_short():
    classes = [node for cell in CELLS for node in ast.parse("".join(cell["source"])).body]
    lines = {each.name: each.end_lineno - each.lineno + 1 for each in classes if isinstance(each, ast.ClassDef)}
    assert {"Gaussian", "Turning", "PositionBased"} < set(lines)
    assert max(lines[name] for name in ("Gaussian", "Turning", "PositionBased")) <= 20 and max(lines.values()) <= 28


# --- what is wrong with a policy or a problem is said in a line


class Arm0:
    """A policy of one arm."""

    name = "arm 0"

    def start(self, problem, choice, noise):
        return self

    def ask(self):
        return [0]

    def tell(self, feedback):
        pass


@dataclass
class Two(Problem):
    """Two arms that pay what they are told to."""

    reward: object = 1.0
    lost: float = 0.0
    n_arms: int = 2

    def draw(self, items, t, rng):
        return [self.reward] if isinstance(self.reward, float) else self.reward

    def gap(self, items, t):
        return self.lost


class Silent(Arm0):
    """`start` returns nothing."""

    def start(self, problem, choice, noise):
        pass


class Deaf:
    """`start` returns what cannot be told."""

    name, start = "deaf", lambda self, problem, choice, noise: self
    ask = Arm0.ask


REPLAYED = replay(Arm0(), 1.0, horizon=9, first=1)


@pytest.mark.parametrize(
    ("problem", "policy", "said"),
    [
        (Two(math.nan), Arm0(), r"draw\(\) must return a sequence of finite numbers, got \[nan\] for \[0\] in round 1"),
        (Two(None), Arm0(), r"draw\(\) must return a sequence of finite numbers, got None for \[0\] in round 1"),
        (Two([Decimal("sNaN")]), Arm0(), r"draw\(\) must return a sequence of finite numbers, got \[.*sNaN"),
        (Two(lost=-1.0), Arm0(), r"gap\(\) must return a number >= 0, got -1.0 for \[0\] in round 1"),
        (Two(lost=math.nan), Arm0(), r"gap\(\) must return a number >= 0, got nan"),
        (Two(1.5), REPLAYED, r"draw\(\) must return rewards in \[0, 1\] for arm 0, replayed, got \[1.5\] for \[0\]"),
        (Two(), Silent(), r"start\(\) of arm 0 must return what has ask\(\) and tell\(\), got None"),
        (Two(), Deaf(), r"start\(\) of deaf must return what has ask\(\) and tell\(\), got <"),
    ],
)
def test_what_cannot_be_played_is_said(problem, policy, said):
    with pytest.raises(ValueError, match=said) as refused:
        simulate(problem, policy, horizon=9, replications=1, seed=0)
    assert "\n" not in str(refused.value)


def test_replay_runs_on_a_problem_of_ones_own_as_long_as_it_is_made_for():
    of_arms = simulate(Arms.bernoulli([1.0, 1.0]), REPLAYED, horizon=9, replications=2, seed=0)
    np.testing.assert_array_equal(simulate(Two(), REPLAYED, horizon=9, replications=2, seed=0).regret, of_arms.regret)
    with pytest.raises(ValueError, match="horizon must be <= 9, for which arm 0, replayed was calibrated, got 10"):
        simulate(Two(), REPLAYED, horizon=10, replications=1, seed=0)


def test_a_problem_may_have_more_arms_than_can_be_listed():
    many = Two(n_arms=10**400)
    assert many.allows([10**400 - 1]) and not many.allows([10**400]) and not many.allows([0, 0])
    assert simulate(many, Arm0(), horizon=9, replications=1, seed=0).regret.max() == 0.0
    with pytest.raises(ValueError, match="n_arms where pulls are counted must be >= 1 and <= 10000000"):
        simulate(many, Arm0(), horizon=9, replications=1, seed=0, pulls=True)


def test_a_gap_may_be_below_0_by_rounding():
    assert simulate(Two(lost=-1e-17), Arm0(), horizon=9, replications=1, seed=0).regret[0, -1] > -1e-9


def test_a_figure_shows_itself_in_a_console_by_its_name():
    shown = render.figure("own", "figure-own", svg="<svg/>", caption="A.", alt="B.")
    assert repr(shown) == "<figure figure-own>"
