"""The experiments of Tao et al. (2022), and the ones that the slides lack.

The slides name the means, v and epsilon of their panels and nothing else; the horizon, the laws' shape, u, beta and
the number of runs are the chapter's parameters. A curve is one of three kinds: *runs* (simulated), *fluid* (the
approximation of `fluid`, for rounds that cannot be played one by one) and *expected* (uniform play, exact).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from private_bandits import baselines
from private_bandits.papers.heavy_tailed import (
    adap_robust_ucb,
    dp_robust_se,
    dp_robust_ucb,
    ldp_robust_se,
    pareto_arms,
    quantile_se,
    robust_se,
    robust_ucb,
    setting,
)
from private_bandits.papers.heavy_tailed.instances import ParetoArms
from private_bandits.policy import Policy
from private_bandits.problems import Arms
from private_bandits.simulate import Problem, log_checkpoints
from private_bandits_book import studies
from private_bandits_book.heavy_tailed.fluid import fluid_regret
from private_bandits_book.studies import Player

RUNS, FLUID, EXPECTED = "runs", "fluid", "expected"
PRINTED, SMALLER, SLIDE_RATE = "printed", "smaller", "slide rate"
SETTINGS = (1, 2, 3)
LOCAL_SETTING = 3
SHEFFET = (0.75, 0.625, 0.5, 0.375, 0.25)
"""Means of the bounded arms on which Sajed and Sheffet (2019) show DP-SE."""
CHECK_EPSILON = 1.0
"""Of the studies that have one epsilon."""
CHECK_MEANS, CHECK_SHAPE = (0.9, 0.1), 3.0
"""Two arms and a light law, on which an index box learns within the rounds that can be played."""


class Curve(NamedTuple):
    """One policy's regret on one problem, and how it was found."""

    name: str
    policy: Policy | None  # None for uniform play
    reading: str  # "" for what belongs to every reading
    kind: str
    t: np.ndarray
    regret: np.ndarray  # pseudo-regret, shape (replications, len(t)); one row unless simulated

    @property
    def epsilon(self) -> float:
        """Nominal epsilon."""
        return math.inf if self.policy is None else self.policy.privacy.epsilon

    @property
    def swept(self) -> dict[str, Any]:
        """Nothing is swept within a panel."""
        return {}

    @property
    def final(self) -> np.ndarray:
        """Pseudo-regret at the last round, shape (replications,)."""
        return self.regret[:, -1]


Panel = list[Curve]


@dataclass
class Experiments(Player):
    """The chapter's curves at its parameters; equal runs are played once, and equal fluids found once."""

    exact_horizon: int
    beta: float
    spare_shape: float
    u_over_moment: float
    small_c: float
    small_local_c: float
    small_radius: float
    _fluids: dict[Hashable, Curve] = field(default_factory=dict, init=False, repr=False, compare=False)

    def problem(self, number: int, v: float) -> ParetoArms:
        """A setting of the slides, with the shape 1 + v + spare_shape."""
        return setting(number, v, 1.0 + v + self.spare_shape)

    def moment(self, number: int, v: float) -> float:
        """The u that the boxes are told."""
        return self.u_over_moment * self.problem(number, v).moment(v)

    def central(self, number: int, v: float, epsilon: float) -> Panel:
        """Two readings of DP Robust UCB and DP Robust SE, with their non-private counterparts and uniform play."""
        problem, u = self.problem(number, v), self.moment(number, v)
        panel = self._baselines(number, v)
        for reading, c, radius in ((PRINTED, 24.0, 18.0), (SMALLER, self.small_c, self.small_radius)):
            panel.append(self._run(problem, dp_robust_se(epsilon, v, u, self.beta, c), reading))
            policy = dp_robust_ucb(epsilon, v, u, max(self.horizon, 2), radius)
            panel += self._index(problem, policy, reading)
        return panel

    def local(self, v: float, epsilons: Sequence[float]) -> Panel:
        """LDP Robust SE on setting 3: with c = 24, with a smaller c, and at the rate of the slides' bounds."""
        number = LOCAL_SETTING
        problem, u = self.problem(number, v), self.moment(number, v)
        panel = [self._uniform(problem), self._run(problem, robust_se(v, u, self.beta), "")]
        for epsilon in epsilons:
            for reading, policy in (
                (PRINTED, ldp_robust_se(epsilon, v, u, self.beta)),
                (SMALLER, ldp_robust_se(epsilon, v, u, self.beta, self.small_local_c)),
                (SLIDE_RATE, ldp_robust_se(epsilon, v, u, self.beta, variant="slide_rate")),
            ):
                panel.append(self._run(problem, policy, reading))
        return panel

    def fluid_check(self, v: float) -> Panel:
        """DP Robust UCB on setting 1, run and in the fluid approximation over the same rounds and beyond."""
        problem, u = self.problem(1, v), self.moment(1, v)
        panel = [self._uniform(problem)]
        for reading, radius in ((PRINTED, 18.0), (SMALLER, self.small_radius)):
            policy = dp_robust_ucb(CHECK_EPSILON, v, u, max(self.horizon, 2), radius)
            panel.append(self._run(problem, policy, reading, self.exact_horizon))
            panel += self._fluid(problem, policy, reading)
        return panel

    def learnt(self, v: float) -> Panel:
        """DP Robust UCB where it learns within the exact rounds: two arms, a light law, half the smaller radius.

        For the fluid approximation, whose error is the larger the smaller the radius is beside the noise.
        """
        problem, rounds = pareto_arms(np.array(CHECK_MEANS), CHECK_SHAPE), min(self.horizon, self.exact_horizon)
        policy = dp_robust_ucb(CHECK_EPSILON, v, problem.moment(v), max(self.horizon, 2), self.small_radius / 2.0)
        reading = f"radius {self.small_radius / 2.0:g}"
        run = self._run(problem, policy, reading, rounds)
        panel = [self._uniform(problem, run.t), run]
        times = run.t[run.t >= 100]
        if len(times):
            regret = fluid_regret(problem, policy, times.astype(float).tolist())[None, :]
            panel.append(Curve(f"{policy.name}, fluid", policy, reading, FLUID, times, regret))
        return panel

    def unknown(self, v: float) -> Panel:
        """First open problem, setting 1: without u and v, with both, and with a u that is 100 times too large."""
        problem, u = self.problem(1, v), self.moment(1, v)
        panel = [self._uniform(problem)]
        for reading, policy in (
            ("u and v unknown", quantile_se(CHECK_EPSILON, self.beta)),
            ("u and v known", dp_robust_se(CHECK_EPSILON, v, u, self.beta)),
            ("known, smaller constants", dp_robust_se(CHECK_EPSILON, v, u, self.beta, self.small_c)),
            ("u 100 times too large", dp_robust_se(CHECK_EPSILON, v, 100.0 * u, self.beta)),
        ):
            panel.append(self._run(problem, policy, reading))
        return panel

    def episodes(self, v: float) -> Panel:
        """Second open problem, setting 1: an index box of the optimal rate beside the slides' two."""
        problem, u = self.problem(1, v), self.moment(1, v)
        length = max(self.horizon, 2)
        panel = [
            self._uniform(problem),
            self._run(problem, adap_robust_ucb(CHECK_EPSILON, v, u, length), "ours"),
            self._run(problem, dp_robust_se(CHECK_EPSILON, v, u, self.beta), PRINTED),
        ]
        return panel + self._index(problem, dp_robust_ucb(CHECK_EPSILON, v, u, length), PRINTED)

    def bounded(self) -> Panel:
        """Bernoulli arms: DP-SE and AdaP-UCB, made for rewards in [0, 1], beside the boxes for heavy tails at v = 1."""
        problem = Arms.bernoulli(np.array(SHEFFET))
        u, length = max(SHEFFET), max(self.horizon, 2)
        return [
            self._uniform(problem),
            *(
                self._run(problem, policy, "")
                for policy in (
                    baselines.dp_se(CHECK_EPSILON, problem.n_items, length, self.beta),
                    baselines.adap_ucb(CHECK_EPSILON),
                    dp_robust_se(CHECK_EPSILON, 1.0, u, self.beta),
                    adap_robust_ucb(CHECK_EPSILON, 1.0, u, length),
                )
            ),
        ]

    def _baselines(self, number: int, v: float) -> Panel:
        problem, u = self.problem(number, v), self.moment(number, v)
        plain = self._run(problem, robust_se(v, u, self.beta), "")
        return [self._uniform(problem), plain, *self._index(problem, robust_ucb(v, u, self.horizon), "")]

    def _index(self, problem: ParetoArms, policy: Policy, reading: str) -> Panel:
        """An index box: run as far as it is played, and in the fluid approximation from there."""
        run = self._run(problem, policy, reading, self.exact_horizon)
        later = [
            fluid._replace(t=fluid.t[fluid.t >= run.t[-1]], regret=fluid.regret[:, fluid.t >= run.t[-1]])
            for fluid in self._fluid(problem, policy, reading)
        ]
        return [run, *(fluid for fluid in later if len(fluid.t) > 1)]

    def _fluid(self, problem: ParetoArms, policy: Policy, reading: str) -> Panel:
        t = log_checkpoints(self.horizon)
        t = t[t >= max(problem.n_items, 100)]
        if len(t) < 2:
            return []
        key = studies.identity(problem, policy)
        if key not in self._fluids:
            regret = fluid_regret(problem, policy, t.astype(float).tolist())[None, :]
            self._fluids[key] = Curve(f"{policy.name}, fluid", policy, "", FLUID, t, regret)
        return [self._fluids[key]._replace(reading=reading)]

    def _run(self, problem: Problem, policy: Policy, reading: str, at_most: int | None = None) -> Curve:
        run = self.run(problem, policy, horizon=self.horizon if at_most is None else min(self.horizon, at_most))
        return Curve(policy.name, policy, reading, RUNS, np.asarray(run.data.t.values), run.curves)

    def _uniform(self, problem: Arms, rounds: np.ndarray | None = None) -> Curve:
        t = log_checkpoints(self.horizon) if rounds is None else rounds
        return Curve("uniform", None, "", EXPECTED, t, problem.uniform_regret() * t[None, :].astype(float))


def last(panel: Iterable[Curve], name: str, reading: str = "") -> Curve:
    """Return the curve of a policy that reaches farthest: its fluid approximation where it was not run to the end."""
    found = [c for c in panel if c.name in (name, f"{name}, fluid") and c.reading == reading]
    return max(found, key=lambda curve: int(curve.t[-1]))


def tidy(panel: Iterable[Curve]) -> pd.DataFrame:
    """Return the mean curves of a panel, a row per curve and round."""
    return pd.concat([_rows(curve) for curve in panel], ignore_index=True)


def _rows(curve: Curve) -> pd.DataFrame:
    replications = len(curve.regret)
    spread = curve.regret.std(axis=0, ddof=1) / math.sqrt(replications) if curve.kind == RUNS else 0.0
    trust = "none" if curve.policy is None else curve.policy.privacy.trust
    return pd.DataFrame(
        {
            "policy": curve.name,
            "reading": curve.reading,
            "kind": curve.kind,
            "family": "uniform" if curve.policy is None else curve.policy.mechanism,
            "trust": trust,
            "epsilon": curve.epsilon,
            "t": curve.t,
            "regret": curve.regret.mean(axis=0),
            "regret_se": spread,
            "replications": replications,
        }
    )
