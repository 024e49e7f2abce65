"""What the chapter on Tao et al. (2022) measures: the slides' panels, and the studies that the slides lack.

The slides name the means, v and epsilon of their panels and nothing else; the horizon, the laws' shape, u, beta and
the number of runs are the chapter's parameters. A curve is one of three kinds: *runs* (simulated), *bracketed* (runs
of an index algorithm whose regret is known between two ends, see `kernels.minima`; the curve is their middle) and
*expected* (uniform play, exact).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial, wraps
from itertools import product
from typing import Any, ClassVar, TypeVar, cast

import joblib
import numpy as np
import pandas as pd
import xarray as xr

from private_bandits import baselines
from private_bandits.estimates import Interval, fit_exponent
from private_bandits.kernels import minima, robust
from private_bandits.papers import heavy_tailed as paper
from private_bandits.papers.heavy_tailed import bounds
from private_bandits.papers.heavy_tailed import private_quantiles as quantiles
from private_bandits.papers.heavy_tailed.instances import SETTINGS, ParetoArms
from private_bandits.policy import Policy
from private_bandits.problems import Arms
from private_bandits.simulate import log_checkpoints
from private_bandits.streams import streams
from private_bandits_book import studies
from private_bandits_book.heavy_tailed import coverage, rare, rates
from private_bandits_book.heavy_tailed.setup import Setup
from private_bandits_book.studies import Run, Runs, UniformPlay
from private_bandits_book.sweep import LEAST_RUNS, RateFit

RUNS, BRACKETED, EXPECTED = "runs", "bracketed", "expected"
PRINTED, SMALLER, SLIDE_RATE = "printed", "smaller", "slide rate"
LONG = "u and v unknown, long first epoch"
UNIFORM = UniformPlay()
EVEN = studies.key(UNIFORM)
PRICED = 0.02  # an epsilon at which privacy costs more than telling the arms apart does anyway
PRICES = (PRICED, 0.05, 0.1, 0.2, 0.5, 1.0)
_LEAST_HORIZON = 100
_Made = TypeVar("_Made")


def by_v(make: Callable[[Any, float], _Made]) -> cached_property[dict[float, _Made]]:
    """Make a property of the study out of what it makes of one v: those by v, made when asked for."""
    return cached_property(wraps(make)(lambda study: {v: make(study, v) for v in study.vs}))


@dataclass
class Study(Setup):
    """The chapter's curves, exponents and checks at its parameters; equal runs are played once."""

    epsilon: ClassVar[float] = 1.0  # of the studies that have one
    # two arms and a light law, on which an index algorithm learns within the rounds that can be played
    light_means: ClassVar[tuple[float, ...]] = (0.9, 0.1)
    light_shape: ClassVar[float] = 3.0
    bounded_means: ClassVar[tuple[float, ...]] = (0.75, 0.625, 0.5, 0.375, 0.25)  # Sajed and Sheffet (2019), of DP-SE

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
        """The DP panels: two variants of either algorithm, each without privacy at the same constant, uniform play."""
        return {key: self._central(*key) for key in self.grid}

    def _central(self, number: int, v: float, epsilon: float) -> Runs:
        problem, u, panel = self.problem(number, v), self.moment(number, v), self._panel(self.problem(number, v))
        for variant, c, radius in ((PRINTED, 24.0, 18.0), (SMALLER, self.small_c, self.small_radius)):
            panel += [
                self._run(problem, paper.dp_robust_se(epsilon, v, u, self.beta, c), variant),
                self._far(problem, paper.dp_robust_ucb(epsilon, v, u, self.length, radius), variant),
                self._run(problem, paper.robust_se(v, u, self.beta, c), variant),
                self._far(problem, paper.robust_ucb(v, u, self.length, radius), variant),
            ]
        return panel

    @property
    def horizons(self) -> list[int]:
        """Horizons at which the panels are judged, the longest last."""
        found = [t for t in (self.horizon // 10**k for k in (9, 7, 6, 3, 0)) if t >= _LEAST_HORIZON]
        return found or [_LEAST_HORIZON]

    @cached_property
    def judged(self) -> dict[tuple[float, int], dict[tuple[int, float, float], Runs]]:
        """The panels with the printed constants made for each horizon, by what the shape is above v, and horizon."""
        shapes = (1.0 + self.spare_shape, 2.0)
        return {
            (spare, t): {key: self._judged(spare, t, *key) for key in self.grid}
            for spare in shapes
            for t in self.horizons
        }

    def _judged(self, spare: float, horizon: int, number: int, v: float, epsilon: float) -> Runs:
        problem, beta = paper.setting(number, v, v + spare), min(self.beta * self.horizon / horizon, 0.5)
        u, rounds = self.u_over_moment * problem.moment(v), np.array([horizon])
        made = paper.dp_robust_se(epsilon, v, u, beta), paper.dp_robust_ucb(epsilon, v, u, horizon)
        run = self.run(problem, made[0], PRINTED, {"kind": RUNS}, horizon, replications=LEAST_RUNS)
        return Runs([self._uniform(problem, rounds), run, self._far(problem, made[1], PRINTED, rounds, LEAST_RUNS)])

    @by_v
    def price(self, v: float) -> Runs:
        """Every private algorithm over epsilon on setting 1, by v, and each without privacy at the same constant."""
        problem, u, beta, runs = self.problem(1, v), self.moment(1, v), self.beta, Runs()
        for epsilon in (*PRICES, math.inf):
            radius = paper.robust_ucb(v, u, self.length, 18.0)
            if math.isfinite(epsilon):
                radius = paper.dp_robust_ucb(epsilon, v, u, self.length)
            width = 1.0 + math.sqrt(2.0) + 1.0 / 3.0 + 2.0  # at every epsilon up to 1
            # proven with the sampling error alone, and with the noise
            least = 4.0 * (coverage.dp_confidence(min(epsilon, 1.0)) - (2.0 if math.isinf(epsilon) else 0.0))
            eliminations = (
                (PRINTED, paper.dp_robust_se(epsilon, v, u, beta)),
                ("least", paper.dp_robust_se(epsilon, v, u, beta, least)),
                ("local", paper.ldp_robust_se(epsilon, v, u, beta, self.small_local_c)),
                ("episodes", paper.adap_robust_ucb(epsilon, v, u, self.length, width)),
                ("episodes, least", paper.adap_robust_ucb(epsilon, v, u, self.length)),
            )
            runs += [self._run(problem, policy, variant) for variant, policy in eliminations]
            runs.append(self._far(problem, radius, "index", np.array([max(self.horizon, _LEAST_HORIZON)]), LEAST_RUNS))
        return runs

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
    def checked(self, v: float) -> list[tuple[str, float, Run, Run]]:
        """DP Robust UCB played round by round and bracketed, by v: arms and radius of each case, and both runs.

        Setting 1 at both radii, and two arms with a light law at half the smaller one, where much is learnt.
        """
        light = paper.pareto_arms(np.array(self.light_means), self.light_shape)
        setting, rounds, found = self.problem(1, v), max(min(self.horizon, self.exact_horizon), _LEAST_HORIZON), []
        for arms, problem, u, radius, t, runs in (
            ("setting 1", setting, self.moment(1, v), 18.0, rounds, self.replications),
            ("setting 1", setting, self.moment(1, v), self.small_radius, rounds, self.replications),
            ("setting 1", setting, self.moment(1, v), self.small_radius, 10 * rounds, LEAST_RUNS),
            ("two arms", light, light.moment(v), self.small_radius / 2.0, rounds, self.replications),
        ):
            policy = paper.dp_robust_ucb(self.epsilon, v, u, t, radius)
            far = self._far(problem, policy, "", np.array([t]), 2 * self.replications)
            found.append((arms, radius, self.run(problem, policy, horizon=t, replications=runs), far))
        return found

    @by_v
    def unknown(self, v: float) -> Runs:
        """First open problem, setting 1: without u and v, with both, and with a u that is 100 times too large."""
        problem, u = self.problem(1, v), self.moment(1, v)
        shape = min(problem.shape, 1.999)
        width = bounds.quantile_width(shape / (shape - 1.0), shape / (2.0 - shape))
        least = 4.0 * coverage.dp_confidence(self.epsilon)
        return self._panel(
            problem,
            ("u and v unknown, proven width", paper.quantile_se(self.epsilon, self.beta, width)),
            ("known, least proven constant", paper.dp_robust_se(self.epsilon, v, u, self.beta, least)),
            ("u and v unknown", paper.quantile_se(self.epsilon, self.beta)),
            (LONG, paper.quantile_se(self.epsilon, self.beta, first=rare.LONG)),
            ("u and v known", paper.dp_robust_se(self.epsilon, v, u, self.beta)),
            ("known, smaller constants", paper.dp_robust_se(self.epsilon, v, u, self.beta, self.small_c)),
            ("u 100 times too large", paper.dp_robust_se(self.epsilon, v, 100.0 * u, self.beta)),
            replications=self.headline_replications,
        )

    @by_v
    def episodes(self, v: float) -> Runs:
        """Second open problem, setting 1: an index algorithm of the optimal rate beside the slides' two."""
        problem, made = self.problem(1, v), self.policies(v, self.epsilon)
        often = 5 * self.headline_replications  # a few runs in a thousand lose twice the mean
        panel = self._panel(problem, ("ours", made[rates.EPISODES]), (PRINTED, made[rates.DP]), replications=often)
        return Runs([*panel, self._far(problem, made[rates.UCB], PRINTED)])

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

    def _run(self, problem: Arms, policy: Policy, variant: str = "", horizon: int | None = None) -> Run:
        return self.run(problem, policy, variant, {"kind": RUNS}, horizon)

    def _uniform(self, problem: Arms, rounds: np.ndarray | None = None) -> Run:
        t = log_checkpoints(self.horizon) if rounds is None else rounds
        return Run(UNIFORM, "", problem, {"kind": EXPECTED}, _curve(t, problem.uniform_regret() * t.astype(float)))

    def _far(
        self, problem: ParetoArms, policy: Policy, variant: str, rounds: np.ndarray | None = None, runs: int = 0
    ) -> Run:
        """Runs of an index algorithm between two ends, from the first round that has them on."""
        t = log_checkpoints(max(self.horizon, _LEAST_HORIZON)) if rounds is None else rounds
        t, number = t[t >= min(100, t[-1])], runs or self.replications
        key = (studies.identity(problem, policy), tuple(t), number)
        if key not in self._played:
            arms, record = problem.record(), cast(robust.Record, policy.record)

            def played(replication: int) -> np.ndarray:
                source = streams(self.seed, replication)
                return minima.bracket(arms, record, t, source.env, source.noise)

            work = joblib.Parallel(n_jobs=self.n_jobs, prefer="threads")
            ends = np.array(work(joblib.delayed(played)(replication) for replication in range(number)))
            named = ("replication", "t")
            curves = {"regret": ends.mean(axis=1), "low": ends[:, 0], "high": ends[:, 1]}
            self._played[key] = xr.Dataset({name: (named, curve) for name, curve in curves.items()}, coords={"t": t})
        return Run(policy, variant, problem, {"kind": BRACKETED}, self._played[key])

    # --- exponents

    @cached_property
    def _rates(self) -> rates.Rates:
        return rates.Rates(self.length, self.replications, self.seed, self.n_jobs)

    @cached_property
    def points(self) -> dict[tuple[str, float], dict[float, np.ndarray]]:
        """Regret by gap, at every gap that settles, by policy and v."""
        return {(name, v): self._rates.by_gap(name, v) for v in self.vs for name in rates.MAKERS}

    @cached_property
    def points_by_trust(self) -> dict[tuple[str, float], dict[float, np.ndarray]]:
        """The same, at the epsilon `PRICED` with a trusted centre."""
        at = {name: 1.0 if name == rates.LDP else PRICED for name in rates.MAKERS}
        return {(name, v): self._rates.by_gap(name, v, at[name]) for v in self.vs for name in at}

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

    # --- rewards that no quantile sees

    @cached_property
    def unseen(self) -> dict[tuple[float, float], np.ndarray]:
        """Whether runs of Quantile SE lose the better arm of `rare`, by the length of the first epoch and how rare."""
        half = max(self.replications // 2, 2)
        often = {(quantiles.FIRST, rare.RARE): self.headline_replications, (rare.LONG, rare.RARE): self.replications}
        return {
            case: np.array([rare.loses_the_best(*case, self.beta, self.seed, run) for run in range(runs)])
            for case, runs in (often | {(rare.LONG, rare.RARE / 2.0): half}).items()
        }

    confidence = cached_property(coverage.confidence)
    local_confidence = cached_property(coverage.local_confidence)


def between(run: Run) -> tuple[np.ndarray, np.ndarray]:
    """Return the least and the largest regret at the horizon that the runs can have; for other runs their regret."""
    low, high = (run.data[name] if name in run.data else run.data.regret for name in ("low", "high"))
    return low.values[:, -1], high.values[:, -1]


def tidy(panel: Sequence[Run]) -> pd.DataFrame:
    """Return the mean curves of a panel, a row per curve and round, with the means of the ends of what is bracketed."""
    frame = Runs(panel).curves()
    for place, end in enumerate(("low", "high"), start=3):
        means = [run.data[end if end in run.data else "regret"].values.mean(axis=0) for run in panel]
        frame.insert(place, end, np.concatenate(means))
    frame.insert(3, "kind", frame.pop("kind"))
    return frame


def _curve(t: np.ndarray, regret: np.ndarray) -> xr.Dataset:
    """One curve without replications, as `simulate` returns several."""
    return xr.Dataset({"regret": (("replication", "t"), regret[None, :])}, coords={"t": t})
