"""The experiments of Wang et al. (2021), Section 7 and Appendix I, in three readings, and the ones it lacks.

A reading is *published* (noise and bonus times 0.01, as the paper ran them), *stated* (the noise its theorems need) or
*repaired* (ours). Every run is kept by replication, so that a figure and a verdict come from the same numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from private_bandits.papers import cascading as boxes
from private_bandits.papers.cascading.instances import b_lb, b_lb_semi
from private_bandits.policy import Policy
from private_bandits.problems import Cascade, SemiBandit
from private_bandits.simulate import Problem
from private_bandits_book import studies
from private_bandits_book.studies import LongRun, Panel, Player, Run, long_study

PUBLISHED = 0.01
READINGS = {"published": PUBLISHED, "stated": 1.0}
_FAMILIES = {
    "CascadeUCB1": "none",
    "CUCB": "none",
    "uniform": "uniform",
    "Laplace": "laplace",
    "Laplace, whole reply": "laplace",
    "Gaussian": "gaussian",
    "CUCB Gaussian": "gaussian",
    "Composition": "composition",
    "Response, first item": "response",
    "Response, whole reply": "response",
}


@dataclass
class Experiments(Player):
    """The chapter's simulations at its parameters; equal runs are played once."""

    n_items: int
    list_size: int
    p: float
    gap: float
    delta: float

    def local(self, epsilon: float, list_size: int | None = None) -> Panel:
        """Figures 1(a)-(d) and 2(a)-(d): the local algorithms at one epsilon."""
        size = self.list_size if list_size is None else list_size
        problem = b_lb(self.n_items, size, self.p, self.gap)
        panel = self._baselines(problem, boxes.cascade_ucb1())
        for reading, factor in READINGS.items():
            for policy in (
                boxes.ucb_laplace(epsilon, size, factor),
                boxes.ucb_gaussian(epsilon, self.delta, size, factor),
                boxes.ucb_composition(epsilon, self.delta, size, factor),
            ):
                panel.append(self.run(problem, policy, reading))
        panel.append(self.run(problem, boxes.repaired_local(math.inf, size), "repaired"))
        panel.append(self.run(problem, boxes.repaired_local(epsilon, size), "repaired"))
        return panel

    def sweep(self, step: float, stop: float, coarse: int) -> Panel:
        """Figure 1(e): regret against epsilon; the others at every `coarse`-th value and the last."""
        problem = b_lb(self.n_items, self.list_size, self.p, self.gap)
        panel = self._baselines(problem, boxes.cascade_ucb1())
        steps = round(stop / step)
        for i in range(1, steps + 1):
            epsilon = round(i * step, 10)
            everywhere = i % coarse == 0 or i == steps
            for reading, factor in READINGS.items():
                if reading == "published" or everywhere:
                    panel.append(self.run(problem, boxes.ucb_laplace(epsilon, self.list_size, factor), reading))
                    gaussian = boxes.ucb_gaussian(epsilon, self.delta, self.list_size, factor)
                    panel.append(self.run(problem, gaussian, reading))
            if everywhere:
                panel.append(self.run(problem, boxes.repaired_local(epsilon, self.list_size), "repaired"))
        return panel

    def central(self, epsilons: Sequence[float]) -> Panel:
        """Figure 1(f): the central algorithms at several epsilons."""
        return self._central(self.n_items, epsilons, {})

    def items(self, counts: Sequence[int], epsilon: float) -> Panel:
        """Figure 1(g): the central algorithms against the number of items."""
        return [run for n in counts for run in self._central(n, [epsilon], {"n_items": n})]

    def cucb(self, epsilon: float) -> Panel:
        """Figures 1(h) and 1(i): CUCB on the same means as a top-K semi-bandit."""
        size, n_items = self.list_size, self.n_items
        problem = b_lb_semi(n_items, size, self.p, self.gap)
        panel = self._baselines(problem, boxes.cucb_gaussian(math.inf, self.delta, n_items, size))
        for reading, factor in READINGS.items():
            panel.append(self.run(problem, boxes.cucb_gaussian(epsilon, self.delta, n_items, size, factor), reading))
        repaired = boxes.cucb_gaussian(epsilon, self.delta, n_items, size, variant="repaired")
        panel.append(self.run(problem, repaired, "repaired"))
        return panel

    def local_designs(self, settings: Iterable[tuple[int, float]]) -> Panel:
        """The local repairs against each other, at pairs of a list size and an epsilon."""
        panel = []
        for size, epsilon in dict.fromkeys(settings):
            problem = b_lb(self.n_items, size, self.p, self.gap)
            for design in ("first", "reply", "one_hot"):
                policy = boxes.repaired_local(epsilon, size, design)
                panel.append(self.run(problem, policy, design, {"list_size": size}))
        return panel

    def central_designs(self, epsilons: Sequence[float]) -> Panel:
        """The central repairs against each other."""
        problem = b_lb(self.n_items, self.list_size, self.p, self.gap)
        arguments = (self.n_items, self.list_size, self.horizon)
        return [
            self.run(problem, boxes.repaired_central(epsilon, *arguments, design), design)
            for epsilon in epsilons
            for design in ("first", "rounds")
        ]

    def anchor(self, replications: int) -> Run:
        """CascadeUCB1 on B_LB(16, 4, 0.2, 0.15), as in Table 1 of Kveton et al. (2015)."""
        player = Player(self.horizon, replications, self.seed, self.n_jobs)
        return player.run(b_lb(16, 4, 0.2, 0.15), boxes.cascade_ucb1())

    def _central(self, n_items: int, epsilons: Sequence[float], swept: Mapping[str, float]) -> Panel:
        problem = b_lb(n_items, self.list_size, self.p, self.gap)
        panel = self._baselines(problem, boxes.cascade_ucb1(), swept)
        for epsilon in epsilons:
            for reading, factor in READINGS.items():
                for variant in ("printed", "proof"):
                    policy = boxes.ucb_hybrid(epsilon, n_items, self.horizon, factor, variant)
                    panel.append(self.run(problem, policy, reading, swept))
            repaired = boxes.repaired_central(epsilon, n_items, self.list_size, self.horizon)
            panel.append(self.run(problem, repaired, "repaired", swept))
        return panel

    def _baselines(self, problem: Problem, plain: Policy, swept: Mapping[str, float] | None = None) -> Panel:
        return [self.run(problem, policy, "", swept) for policy in (plain, boxes.uniform())]


def curves(panel: Iterable[Run]) -> pd.DataFrame:
    """Return the mean curves of a panel, with what its policies pay; see `studies.curves`."""
    return studies.curves(panel, family_of, _paid)


def finals(panel: Iterable[Run]) -> pd.DataFrame:
    """Return the mean regret at the horizon, a row per run, with what its policy pays; see `studies.finals`."""
    return studies.finals(panel, family_of, _paid)


def family_of(policy: str) -> str:
    """Return the mechanism family of a policy's name, for its colour."""
    return _FAMILIES.get(policy, "tree")


def _paid(run: Run) -> dict[str, float]:
    privacy = run.policy.privacy
    return {"value_epsilon": privacy.value_epsilon, "effective_epsilon": privacy.effective_epsilon}


# --- longer studies, run by `private-bandits reproduce cascading --long`

LEARNING_HORIZON = 100_000_000
GROWTH_HORIZON = 50_000_000
LONG_REPLICATIONS = 5
LONG_SEED = 20211
LEARNING_INSTANCE = (20, 4, 0.2, 0.15)
"""L, K, p and gap of the figures at their default parameters."""
LEARNING_DELTA = 1e-3
_GROWTH_OTHERS, _GROWTH_P, _GROWTH_GAP = 8, 0.2, 0.19


def learning_problem() -> Cascade:
    """The instance of the figures at their default parameters."""
    return b_lb(*LEARNING_INSTANCE)


def growth_cascade(list_size: int) -> Cascade:
    """Eight items to rule out, whatever the list size."""
    return b_lb(list_size + _GROWTH_OTHERS, list_size, _GROWTH_P, _GROWTH_GAP)


def growth_semi_bandit(list_size: int) -> SemiBandit:
    """The means of `growth_cascade` as a top-K semi-bandit."""
    return b_lb_semi(list_size + _GROWTH_OTHERS, list_size, _GROWTH_P, _GROWTH_GAP)


def learning_runs() -> list[LongRun]:
    """To T = 10^8 on the instance of the figures: when does honest privacy start to learn?"""
    n_items, size, *_ = LEARNING_INSTANCE
    problem, horizon = learning_problem(), LEARNING_HORIZON
    policies = [boxes.cascade_ucb1(), boxes.repaired_local(math.inf, size)]
    for epsilon in (0.2, 1.0):
        policies += [
            boxes.ucb_laplace(epsilon, size),
            boxes.ucb_gaussian(epsilon, LEARNING_DELTA, size),
            boxes.repaired_local(epsilon, size),
            boxes.ucb_hybrid(epsilon, n_items, horizon),
            boxes.ucb_hybrid(epsilon, n_items, horizon, variant="proof"),
            boxes.repaired_central(epsilon, n_items, size, horizon),
        ]
    return [_long(problem, policy, horizon) for policy in policies]


def growth_runs() -> list[LongRun]:
    """How regret grows with K and 1/epsilon, where the noise dominates and the items have been told apart."""
    runs = []
    for size, epsilon in [(2, 1.0), (4, 1.0), (8, 1.0), (4, 0.5), (4, 2.0), (2, 4.0)]:
        cascade, semi = growth_cascade(size), growth_semi_bandit(size)
        for problem, policy in (
            (cascade, boxes.ucb_laplace(epsilon, size)),
            (cascade, boxes.ucb_gaussian(epsilon, 1e-3, size)),
            (cascade, boxes.ucb_composition(epsilon, 1e-3, size)),
            (cascade, boxes.repaired_local(epsilon, size)),
            (semi, boxes.cucb_gaussian(epsilon, 1e-3, semi.n_items, size)),
        ):
            runs.append(_long(problem, policy, GROWTH_HORIZON, start=1000))
    for delta in (1e-2, 1e-5):
        policy = boxes.ucb_gaussian(1.0, delta, 4)
        runs.append(_long(growth_cascade(4), policy, GROWTH_HORIZON, start=1000))
    return runs


def long_studies() -> dict[str, Callable[..., pd.DataFrame]]:
    """Return the longer studies by name; each takes `progress`, whether to show a bar."""
    return {"learning": long_study("learning", learning_runs), "growth": long_study("growth", growth_runs)}


def _long(problem: Cascade | SemiBandit, policy: Policy, horizon: int, start: int = 1) -> LongRun:
    privacy = policy.privacy
    labels = {
        "policy": policy.name,
        "epsilon": privacy.epsilon,
        "delta": privacy.delta,
        "effective_epsilon": privacy.effective_epsilon,
        "n_items": problem.n_items,
        "list_size": problem.list_size,
    }
    return LongRun(labels, problem, policy, horizon, LONG_SEED, LONG_REPLICATIONS, start=start)
