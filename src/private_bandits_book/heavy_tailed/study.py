"""What the chapter on Tao et al. (2022) measures: the slides' panels, and the studies that the slides lack.

The slides name the means, v and epsilon of their panels and nothing else; the horizon, the laws' shape, u, beta and
the number of runs are the chapter's parameters. A curve is one of three kinds: *runs* (simulated), *fluid* (the
approximation of `fluid`, for rounds that cannot be played one by one) and *expected* (uniform play, exact). It reaches
the horizon, or as far as its kind goes.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial, wraps
from itertools import product
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import xarray as xr

from private_bandits import baselines
from private_bandits.estimates import Interval, fit_exponent
from private_bandits.papers import heavy_tailed as paper
from private_bandits.papers.heavy_tailed.instances import SETTINGS, ParetoArms
from private_bandits.policy import Policy
from private_bandits.problems import Arms
from private_bandits.simulate import Problem, log_checkpoints
from private_bandits_book import studies
from private_bandits_book.heavy_tailed import coverage, rates
from private_bandits_book.heavy_tailed.fluid import fluid, fluid_regret
from private_bandits_book.studies import Run, Runs, UniformPlay
from private_bandits_book.sweep import RateFit

RUNS, FLUID, EXPECTED = "runs", "fluid", "expected"
PRINTED, SMALLER, SLIDE_RATE = "printed", "smaller", "slide rate"
UNIFORM = UniformPlay()
EVEN = studies.key(UNIFORM)


def by_v(make: Callable[[Any, float], Runs]) -> cached_property[dict[float, Runs]]:
    """Make a property of the study out of what makes the panel of one v: the panels by v, played when asked for."""
    return cached_property(wraps(make)(lambda study: {v: make(study, v) for v in study.vs}))


@dataclass
class Study(studies.Study):
    """The chapter's curves, exponents and checks at its parameters; equal runs are played once."""

    chapter = "heavy_tailed"
    epsilon: ClassVar[float] = 1.0  # of the studies that have one
    # two arms and a light law, on which an index algorithm learns within the rounds that can be played
    light_means: ClassVar[tuple[float, ...]] = (0.9, 0.1)
    light_shape: ClassVar[float] = 3.0
    bounded_means: ClassVar[tuple[float, ...]] = (0.75, 0.625, 0.5, 0.375, 0.25)  # Sajed and Sheffet (2019), of DP-SE
    local_epsilons: list[float]
    vs: list[float]
    exact_horizon: int
    beta: float
    spare_shape: float
    u_over_moment: float
    small_c: float
    small_local_c: float
    small_radius: float

    @property
    def length(self) -> int:
        """The horizon that algorithms are told, which ask for at least 2."""
        return max(self.horizon, 2)

    def problem(self, number: int, v: float) -> ParetoArms:
        """A setting of the slides, with the shape 1 + v + spare_shape."""
        return paper.setting(number, v, 1.0 + v + self.spare_shape)

    def moment(self, number: int, v: float) -> float:
        """The u that the algorithms are told."""
        return self.u_over_moment * self.problem(number, v).moment(v)

    def policies(self, v: float, epsilon: float) -> dict[str, Policy]:
        """Every algorithm of the chapter on setting 1, with its printed constants."""
        u, beta = self.moment(1, v), self.beta
        made = (
            paper.robust_ucb(v, u, self.horizon),
            paper.robust_se(v, u, beta),
            paper.dp_robust_ucb(epsilon, v, u, self.length),
            paper.dp_robust_se(epsilon, v, u, beta),
            paper.ldp_robust_se(epsilon, v, u, beta),
            paper.ldp_robust_se(epsilon, v, u, beta, variant="slide_rate"),
            paper.quantile_se(epsilon, beta),
            paper.adap_robust_ucb(epsilon, v, u, self.length),
        )
        return {studies.key(policy): policy for policy in made}

    # --- curves

    @property
    def grid(self) -> list[tuple[int, float, float]]:
        """Setting, v and epsilon of the DP panels, in order."""
        return list(product(SETTINGS, self.vs, self.epsilons))

    @cached_property
    def central(self) -> dict[tuple[int, float, float], Runs]:
        """The DP panels: two variants of either algorithm, their non-private counterparts and uniform play."""
        return {key: self._central(*key) for key in self.grid}

    def _central(self, number: int, v: float, epsilon: float) -> Runs:
        problem, u = self.problem(number, v), self.moment(number, v)
        panel = self._panel(problem, ("", paper.robust_se(v, u, self.beta)))
        panel += self._index(problem, paper.robust_ucb(v, u, self.horizon))
        for variant, c, radius in ((PRINTED, 24.0, 18.0), (SMALLER, self.small_c, self.small_radius)):
            panel.append(self._run(problem, paper.dp_robust_se(epsilon, v, u, self.beta, c), variant))
            panel += self._index(problem, paper.dp_robust_ucb(epsilon, v, u, self.length, radius), variant)
        return panel

    @by_v
    def local(self, v: float) -> Runs:
        """LDP Robust SE on setting 3, by v: with c = 24, with a smaller c, and at the rate of the slides' bounds."""
        problem, u = self.problem(coverage.LOCAL_SETTING, v), self.moment(coverage.LOCAL_SETTING, v)
        played = [("", paper.robust_se(v, u, self.beta))]
        for epsilon in self.local_epsilons:
            ours = partial(paper.ldp_robust_se, epsilon, v, u, self.beta)
            played += [(PRINTED, ours()), (SMALLER, ours(self.small_local_c)), (SLIDE_RATE, ours(variant="slide_rate"))]
        return self._panel(problem, *played)

    @by_v
    def fluid(self, v: float) -> Runs:
        """DP Robust UCB on setting 1, by v: run, and in the fluid approximation over the same rounds and beyond."""
        problem, u = self.problem(1, v), self.moment(1, v)
        panel = self._panel(problem)
        for variant, radius in ((PRINTED, 18.0), (SMALLER, self.small_radius)):
            policy = paper.dp_robust_ucb(self.epsilon, v, u, self.length, radius)
            panel.append(self._run(problem, policy, variant, self.exact_horizon))
            panel += self._fluid(problem, policy, variant, log_checkpoints(self.horizon))
        return panel

    @by_v
    def learnt(self, v: float) -> Runs:
        """DP Robust UCB where it learns within the exact rounds: two arms, a light law, half the smaller radius.

        For the fluid approximation, whose error is the larger the smaller the radius is beside the noise, and the more
        has been learnt: what it is here says nothing of another radius or a later round.
        """
        problem, radius = paper.pareto_arms(np.array(self.light_means), self.light_shape), self.small_radius / 2.0
        policy = paper.dp_robust_ucb(self.epsilon, v, problem.moment(v), self.length, radius)
        run = self._run(problem, policy, f"radius {radius:g}", self.exact_horizon)
        return Runs([self._uniform(problem, run.t), run, *self._fluid(problem, policy, run.variant, run.t)])

    @by_v
    def unknown(self, v: float) -> Runs:
        """First open problem, setting 1: without u and v, with both, and with a u that is 100 times too large."""
        problem, u = self.problem(1, v), self.moment(1, v)
        return self._panel(
            problem,
            ("u and v unknown", paper.quantile_se(self.epsilon, self.beta)),
            ("u and v known", paper.dp_robust_se(self.epsilon, v, u, self.beta)),
            ("known, smaller constants", paper.dp_robust_se(self.epsilon, v, u, self.beta, self.small_c)),
            ("u 100 times too large", paper.dp_robust_se(self.epsilon, v, 100.0 * u, self.beta)),
            replications=self.often,
        )

    @by_v
    def episodes(self, v: float) -> Runs:
        """Second open problem, setting 1: an index algorithm of the optimal rate beside the slides' two."""
        problem, made = self.problem(1, v), self.policies(v, self.epsilon)
        often = 5 * self.often  # a few runs in a thousand lose twice the mean
        panel = self._panel(problem, ("ours", made[rates.EPISODES]), (PRINTED, made[rates.DP]), replications=often)
        return Runs(panel + self._index(problem, made[rates.UCB], PRINTED))

    @cached_property
    def bounded(self) -> Runs:
        """Bernoulli arms: DP-SE and AdaP-UCB, made for rewards in [0, 1], beside those for heavy tails at v = 1."""
        problem, u = Arms.bernoulli(np.array(self.bounded_means)), max(self.bounded_means)
        policies = (
            baselines.dp_se(self.epsilon, problem.n_items, self.length, self.beta),
            baselines.adap_ucb(self.epsilon),
            paper.dp_robust_se(self.epsilon, 1.0, u, self.beta),
            paper.adap_robust_ucb(self.epsilon, 1.0, u, self.length),
        )
        return self._panel(problem, *(("", policy) for policy in policies))

    def _panel(self, problem: Arms, *played: tuple[str, Policy], replications: int | None = None) -> Runs:
        """Uniform play, and the policies under their variants."""
        kind = {"kind": RUNS}
        runs = (self.run(problem, policy, variant, kind, replications=replications) for variant, policy in played)
        return Runs([self._uniform(problem), *runs])

    def _run(self, problem: Problem, policy: Policy, variant: str = "", at_most: int | None = None) -> Run:
        horizon = self.horizon if at_most is None else min(self.horizon, at_most)
        return self.run(problem, policy, variant, {"kind": RUNS}, horizon)

    def _uniform(self, problem: Arms, rounds: np.ndarray | None = None) -> Run:
        t = log_checkpoints(self.horizon) if rounds is None else rounds
        return Run(UNIFORM, "", problem, {"kind": EXPECTED}, _curve(t, problem.uniform_regret() * t.astype(float)))

    def _index(self, problem: ParetoArms, policy: Policy, variant: str = "") -> list[Run]:
        """An index algorithm: run as far as it is played, and in the fluid approximation from there."""
        run, t = self._run(problem, policy, variant, self.exact_horizon), log_checkpoints(self.horizon)
        return [run, *self._fluid(problem, policy, variant, t[t >= run.t[-1]])]

    def _fluid(self, problem: ParetoArms, policy: Policy, variant: str, t: np.ndarray) -> list[Run]:
        """The fluid approximation at those of the rounds that are late enough, where they are two or more."""
        t = t[t >= max(problem.n_items, 100)]
        if len(t) < 2:
            return []
        key = (studies.identity(problem, policy), FLUID, tuple(t))
        if key not in self._played:
            self._played[key] = _curve(t, fluid_regret(problem, policy, t.astype(float)))
        return [Run(fluid(policy), variant, problem, {"kind": FLUID}, self._played[key])]

    # --- exponents

    @cached_property
    def _rates(self) -> rates.Rates:
        return rates.Rates(self.length, self.replications, self.seed, self.n_jobs)

    @cached_property
    def points(self) -> dict[tuple[str, float], dict[float, np.ndarray]]:
        """Regret by gap, at every gap that settles, by policy and v."""
        return {(name, v): self._rates.by_gap(name, v) for v in self.vs for name in rates.MAKERS}

    @cached_property
    def exponents(self) -> list[RateFit]:
        """Every exponent, the heavy-tailed ones by v."""
        found = [one for v in self.vs for one in self._rates.exponents(v)]
        return found + self._rates.bounded()

    def rate(self, name: str, quantity: str, v: float = math.nan) -> RateFit:
        """The fit of one exponent; of a policy for bounded rewards at any v."""
        same = [one for one in self.exponents if one.labels["key"] == name and one.quantity == quantity]
        fitted = [one for one in same if math.isnan(v) or one.labels["v"] == v]
        return fitted[0] if fitted else RateFit({"key": name, "v": v}, quantity, None, 0)

    # --- coverage

    @cached_property
    def _errors(self) -> dict[tuple[float, str], np.ndarray]:
        return {(v, variant): coverage.scaling(self, v, variant) for v in self.vs for variant in coverage.SCALINGS}

    @cached_property
    def scaling(self) -> pd.DataFrame:
        """Error of a local epoch mean over its bound, against the pulls of the epoch, for both scalings."""
        tables = [coverage.scaling_table(variant, v, errors) for (v, variant), errors in self._errors.items()]
        return pd.concat(tables, ignore_index=True)

    @cached_property
    def scaling_exponents(self) -> dict[tuple[float, str], Interval]:
        """Exponents of that error in the pulls, by v and scaling: 0 where err has the right rate."""
        pulls = np.array(coverage.SCALING_PULLS, float)
        return {key: fit_exponent(pulls, np.column_stack(list(errors))) for key, errors in self._errors.items()}

    confidence = cached_property(coverage.confidence)
    local_confidence = cached_property(coverage.local_confidence)


def last(panel: Runs, name: str, variant: str = "") -> Run:
    """Return the curve of a policy that reaches farthest: its fluid approximation where it was not run to the end."""
    approximation = {rates.UCB: rates.INDEX, rates.PLAIN_UCB: rates.PLAIN_INDEX}.get(name, name)
    return max(panel.select(name, variant) + panel.select(approximation, variant), key=lambda run: int(run.t[-1]))


def tidy(panel: Sequence[Run]) -> pd.DataFrame:
    """Return the mean curves of a panel, a row per curve and round."""
    frame = Runs(panel).curves()
    frame.insert(3, "kind", frame.pop("kind"))
    return frame


def _curve(t: np.ndarray, regret: np.ndarray) -> xr.Dataset:
    """One curve without replications, as `simulate` returns several."""
    return xr.Dataset({"regret": (("replication", "t"), regret[None, :])}, coords={"t": t})
