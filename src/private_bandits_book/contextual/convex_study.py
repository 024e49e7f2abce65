"""The experiments that Section 3 of Zheng et al. (2020) lacks: Algorithms 1 and 2 on the losses of `convex_instances`.

A reading says which noise a private run has: *analytic* (Gaussian, the least that keeps the promise), *printed*
(Gaussian by the classical formula) or *laplace* (pure epsilon). The runs of Algorithm 2 have the printed noise, and
their readings are the steps: *printed*, *tuned* or *strong*; those of arms have the analytic noise, for the sensitivity
2B of the box (*printed*) or for the exact 1 (*tight*). Runs without privacy are the learners themselves.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import joblib
import numpy as np
import pandas as pd
import xarray as xr
from scipy.stats import beta

from private_bandits import baselines
from private_bandits.estimates import mean_interval
from private_bandits.kernels import barrier, online
from private_bandits.papers.contextual.algorithm_1 import one_point
from private_bandits.papers.contextual.algorithm_2 import two_point
from private_bandits.papers.contextual.appendix_b2 import lil_ucb
from private_bandits.papers.contextual.bounds import corollary_4, theorem_6
from private_bandits.papers.contextual.instances import (
    Ucb,
    centre_regret,
    convex,
    fooling_arms,
    on_line,
    on_simplex,
    stochastic_arms,
    switching_arms,
)
from private_bandits.policy import Policy
from private_bandits.problems import ConvexLoss
from private_bandits.simulate import log_checkpoints, streams
from private_bandits_book.contextual import counterexample
from private_bandits_book.studies import Panel, Player, Run

PRINTED, ANALYTIC, LAPLACE, TIGHT, TUNED, STRONG = "printed", "analytic", "laplace", "tight", "tuned", "strong"
ONE_POINT = {
    "convex": ("distance", ("sphere",)),
    "convex, smooth": ("smooth", ("saha_tewari", "sphere")),
    "strongly convex": ("kinked", ("sphere_strong", "sphere")),
    "strongly convex, smooth": ("quadratic", ("hazan_levy", "sphere_strong")),
}
"""Rows of Table 1: the losses and the learners, the row's own first."""
TWO_POINTS = {
    "two points, convex": ("distance", (PRINTED, TUNED)),
    "two points, strongly convex": ("quadratic", (PRINTED, TUNED, STRONG)),
}
"""Rows of Table 1: the losses and the steps, the row's own first or, for strongly convex losses, last."""
SWEEP = (0.25, 0.5, 1.0, 2.0, 4.0)
"""Epsilons at which the steps of Algorithm 2 are compared; the printed noise keeps its promise there."""
LINE = "line, stochastic"
GAPS = (0.8, 0.4)
FAILURE = 0.1
PULLS = 2_000_000
"""Where the search for the best arm is given up."""
_MORE = 5  # runs of the search for each replication: it is short, and errors are rare
_CALIBRATED = {
    PRINTED: {"method": "classical"},
    ANALYTIC: {"method": "analytic"},
    LAPLACE: {"noise": "laplace"},
}


@dataclass
class Experiments(Player):
    """The chapter's simulations at its parameters; equal runs are played once."""

    delta: float

    def one_point(self, epsilons: Sequence[float]) -> Panel:
        """The first four rows of Table 1 against the shifting adversary, each with the learner of another row."""
        return [
            run
            for row, (kind, learners) in ONE_POINT.items()
            for learner in learners
            for run in self._reduced(convex(kind), learner, epsilons, {"row": row, "learner": learner})
        ]

    def environments(self, epsilons: Sequence[float]) -> Panel:
        """Drawn and stochastic losses, the simplex, and a line, where stochastic losses have their own learner.

        On the ball, `drawn` and `stochastic` are distances; all other names say what the losses are.
        """
        return [
            run
            for name, problem, learners in (
                ("drawn", convex("distance", "drawn"), ("sphere",)),
                ("stochastic", convex("distance", "stochastic"), ("sphere",)),
                ("stochastic, smooth", convex("smooth", "stochastic"), ("saha_tewari",)),
                ("stochastic, quadratic", convex("quadratic", "stochastic"), ("hazan_levy",)),
                ("simplex, distance", on_simplex("distance"), ("sphere",)),
                ("simplex, smooth", on_simplex("smooth"), ("saha_tewari", "sphere")),
                ("simplex, quadratic", on_simplex("quadratic"), ("hazan_levy", "sphere_strong")),
                ("simplex, stochastic", on_simplex("quadratic", "stochastic"), ("hazan_levy", "sphere_strong")),
                (LINE, on_line(), ("stochastic", "sphere")),
            )
            for learner in learners
            for run in self._reduced(problem, learner, epsilons, {"environment": name, "learner": learner})
        ]

    def noises(self, epsilons: Sequence[float]) -> Panel:
        """One learner behind the printed noise, the analytic one and Laplace's."""
        swept = {"row": "strongly convex, smooth", "learner": "hazan_levy"}
        return self._reduced(convex("quadratic"), "hazan_levy", epsilons, swept, (PRINTED, ANALYTIC, LAPLACE))

    def two_points(self, epsilons: Sequence[float]) -> Panel:
        """The rows of Table 1 with two points: every step at every epsilon and without privacy."""
        return [
            self.run(problem, two_point(problem, self.horizon, epsilon, self._delta(epsilon), step), step, {"row": row})
            for row, (kind, steps) in TWO_POINTS.items()
            for problem in [convex(kind)]
            for step in steps
            for epsilon in [math.inf, *epsilons]
        ]

    def arms(self, epsilons: Sequence[float]) -> Panel:
        """K arms, two adversaries and a stochastic environment: learners for both, and UCB, which is for the last."""
        fooling, plays = fooling_arms(self.horizon)
        stochastic = stochastic_arms()
        panel = [
            self._foreseen(fooling, plays),
            self.run(stochastic, baselines.ucb(), "", {"environment": "stochastic"}),
        ]
        for epsilon in epsilons:
            policy = baselines.ldp_ucb_laplace(epsilon)
            panel.append(self.run(stochastic, policy, LAPLACE, {"environment": "stochastic"}))
        for name, problem in (
            ("fooling", fooling),
            ("switching", switching_arms()),
            ("stochastic", ConvexLoss.from_arms(stochastic)),
        ):
            for learner in ("tsallis", "exp3"):
                panel += self._armed(problem, learner, epsilons, {"environment": name, "learner": learner})
        return panel

    def identify(self, epsilons: Sequence[float], gaps: Sequence[float] = GAPS) -> pd.DataFrame:
        """Pulls that lil'UCB needs for the best arm, and how often it is wrong.

        Returns
        -------
        DataFrame
            A row per epsilon and gap: `epsilon, gap, failure, replications, stopped, wrong, wrong_low, wrong_high,
            pulls, pulls_low, pulls_high`. `stopped` and `wrong` are numbers of runs; the error rate has Clopper and
            Pearson's interval, of all runs. A run that is given up after `PULLS` has that many pulls.
        """
        rows = []
        for epsilon in [math.inf, *epsilons]:
            for gap in gaps:
                found = joblib.Parallel(n_jobs=self.n_jobs, prefer="threads")(
                    joblib.delayed(lil_ucb)(
                        stochastic_arms(gap),
                        FAILURE,
                        epsilon,
                        self._delta(epsilon),
                        seed=self.seed,
                        replication=replication,
                        method="analytic",
                        limit=PULLS,
                    )
                    for replication in range(self.replications * _MORE)
                )
                wrong = sum(one.arm != 0 for one in found)
                pulls = mean_interval(np.array([sum(one.pulls) for one in found], float))
                low, high = rate_interval(wrong, len(found))
                rows.append(
                    {
                        "epsilon": float(epsilon),
                        "gap": float(gap),
                        "failure": FAILURE,
                        "replications": len(found),
                        "stopped": sum(one.stopped for one in found),
                        "wrong": wrong,
                        "wrong_low": low,
                        "wrong_high": high,
                        "pulls": pulls.measured,
                        "pulls_low": pulls.low,
                        "pulls_high": pulls.high,
                    }
                )
        return pd.DataFrame(rows)

    def estimator_size(self) -> pd.DataFrame:
        """The largest gradient estimate that a round could give, along one run of Saha and Tewari on a linear loss.

        Returns
        -------
        DataFrame
            Columns `t, ellipsoid, sphere, loss`: d B / radius times the norm of A^-1 where the learner stands; d B /
            rho of the sphere's estimator, tuned for the same horizon; and B, what Algorithm 1 adds noise to.
        """
        problem = ConvexLoss.ball([[1.0, 0.0]], kind="linear")
        policy, other = (one_point(problem, self.horizon, math.inf, learner=name) for name in ("saha_tewari", "sphere"))
        steps: Any = policy.record
        plain: Any = other.record
        record, source = problem.record(), streams(self.seed, 0)
        state = online.start(record, steps)
        hessian, slope = np.zeros((2, 2)), np.zeros(2)
        nothing, shown = np.zeros(0, np.int64), online.blank(problem, steps, 0)
        rows, done = [], 0
        for t in log_checkpoints(self.horizon):
            online.advance(record, steps, state, done + 1, int(t), nothing, np.zeros(0), shown, *source)
            done = int(t)
            barrier.barrier(record.domain, record.radius, state.centre, slope, hessian)
            norm = math.sqrt(float(np.linalg.eigvalsh(hessian)[-1]))
            scale = problem.dimension * problem.bound
            row = {"t": done, "ellipsoid": scale / steps.radius * norm, "sphere": scale / plain.radius}
            rows.append(row | {"loss": problem.bound})
        return pd.DataFrame(rows)

    def nearer_zero(self, epsilon: float) -> pd.DataFrame:
        """What the message f(x) + <n, x> pays as x nears 0: `counterexample.nearer_zero` at norms from 1 to 0."""
        norms = [*np.logspace(0.0, -3.0, 13), 0.0]
        return counterexample.nearer_zero(epsilon, self.delta, norms)

    def _delta(self, epsilon: float) -> float | None:
        return None if math.isinf(epsilon) else self.delta

    def _reduced(
        self,
        problem: ConvexLoss,
        learner: str,
        epsilons: Sequence[float],
        swept: Mapping[str, Any],
        readings: Sequence[str] = (ANALYTIC,),
    ) -> Panel:
        """A learner without privacy, and behind noise in some readings."""
        panel = [self.run(problem, one_point(problem, self.horizon, math.inf, learner=learner), "", swept)]
        for reading in readings:
            for epsilon in epsilons:
                policy = private(problem, self.horizon, epsilon, self.delta, learner, reading)
                panel.append(self.run(problem, policy, reading, swept))
        return panel

    def _armed(self, problem: ConvexLoss, learner: str, epsilons: Sequence[float], swept: Mapping[str, Any]) -> Panel:
        panel = [self.run(problem, one_point(problem, self.horizon, math.inf, learner=learner), "", swept)]
        for variant in (PRINTED, TIGHT):
            for epsilon in epsilons:
                policy = one_point(
                    problem, self.horizon, epsilon, self.delta, learner, method="analytic", variant=variant
                )
                panel.append(self.run(problem, policy, variant, swept))
        return panel

    def _foreseen(self, problem: ConvexLoss, plays: np.ndarray) -> Run:
        """UCB on the losses that were made for it: every replication is the same, so it is not played again."""
        t = log_checkpoints(self.horizon)
        first = np.cumsum(problem.anchors[problem.schedule, 0])
        suffered = np.cumsum(problem.anchors[problem.schedule, plays])
        others = problem.anchors[0, 1] * np.arange(1, self.horizon + 1)
        regret = (suffered - np.minimum(first, others))[t - 1]
        data = xr.Dataset(
            {"regret": (("replication", "t"), np.tile(regret, (self.replications, 1)))},
            coords={"replication": np.arange(self.replications), "t": t},
        )
        return Run(Ucb(), "", problem, {"environment": "fooling"}, data)


def private(problem: ConvexLoss, horizon: int, epsilon: float, delta: float, learner: str, reading: str) -> Policy:
    """Algorithm 1 with the noise of a reading; Laplace noise has no delta."""
    return one_point(problem, horizon, epsilon, None if reading == LAPLACE else delta, learner, **_CALIBRATED[reading])


def bounds_checked(panel: Iterable[Run]) -> pd.DataFrame:
    """Measured regret at the horizon beside the derived Corollary 4 or Theorem 6, for panels with a `row`.

    Returns
    -------
    DataFrame
        A row per run: `row, box, reading, epsilon, horizon, bound, uniform, still, measured, low, high`. `still` is the
        regret of the point where learners start.
    """
    rows = []
    for run in panel:
        found = mean_interval(run.final)
        horizon = int(run.data.t[-1])
        rows.append(
            {
                "row": run.swept["row"],
                "box": run.name,
                "reading": run.reading,
                "epsilon": run.epsilon,
                "horizon": horizon,
                "bound": derived_bound(run.problem, run.policy, horizon),
                "uniform": run.problem.uniform_regret() * horizon,
                "still": float(centre_regret(run.problem, horizon)[0]),
                "measured": found.measured,
                "low": found.low,
                "high": found.high,
            }
        )
    return pd.DataFrame(rows)


def rate_interval(events: int, runs: int, level: float = 0.95) -> tuple[float, float]:
    """Clopper and Pearson's interval for a probability."""
    low = float(beta.ppf((1.0 - level) / 2.0, events, runs - events + 1)) if events > 0 else 0.0
    high = float(beta.ppf((1.0 + level) / 2.0, events + 1, runs - events)) if events < runs else 1.0
    return low, high


def derived_bound(problem: ConvexLoss, policy: Policy, horizon: int) -> float:
    """Corollary 4 or Theorem 6 with constants, of a policy of Algorithm 1 or 2, its noise that of the printed 2B."""
    bound = theorem_6 if policy.algorithm == "Algorithm 2" else corollary_4
    noise = "laplace" if policy.noise == "laplace" else "gaussian"
    method = "analytic" if policy.noise == "analytic" else "classical"
    privacy = policy.privacy
    return bound(problem, horizon, privacy.epsilon, privacy.delta or None, policy.method, noise, method)
