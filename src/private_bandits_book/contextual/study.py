"""What the chapter on Zheng et al. (2020) measures: the experiments that the paper lacks, and its longer studies.

A variant says which noise or constants a private run has. *Without contexts*: *analytic* (Gaussian, the least that
keeps the promise), *printed* (Gaussian by the classical formula) or *laplace* (pure epsilon). The runs of Algorithm 2
have the printed noise, and their variants are the steps: *printed*, *tuned* or *strong*; those of arms have the
analytic noise, for the printed sensitivity 2B (*printed*) or for the exact 1 (*tight*). Runs without privacy are the
learners themselves.

*With contexts* the variants are `CONSTANTS` of Algorithms 5 and 3; in those named "small bonus" beta_t is multiplied by
`bonus_factor`, and nothing else changes. Beta_t also covers what the shift c_t takes from the estimates, so with a
small bonus the ellipsoids no longer hold: `locked` shows what that can cost.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product
from typing import Any

import joblib
import numpy as np
import pandas as pd

from private_bandits import baselines
from private_bandits.estimates import Interval, mean_interval
from private_bandits.kernels import barrier, online
from private_bandits.papers import contextual as paper
from private_bandits.papers.contextual import instances
from private_bandits.policy import Policy
from private_bandits.problems import ConvexLoss, LinearContext
from private_bandits.simulate import log_checkpoints
from private_bandits.streams import streams
from private_bandits_book import studies
from private_bandits_book.contextual import digits, facts, joint, messages, rates, sweeps
from private_bandits_book.contextual.messages import PUBLISHED_DELTA
from private_bandits_book.contextual.table_1 import LINEAR, LOGISTIC, ONE_POINT, ROWS, STRONG, WEIGHTED
from private_bandits_book.package_data import tables
from private_bandits_book.studies import Runs, only, share
from private_bandits_book.sweep import HORIZON, RateFit, Sweep

GAPS = (0.8, 0.4)
FAILURE = 0.1
PULLS = 2_000_000
"""Where the search for the best arm is given up."""
_MORE = 5  # runs of the search for each replication: it is short, and errors are rare
CLAIMED = 1.0
"""The epsilon up to which the paper claims its orders: above it 1/epsilon would ask for less than no privacy does."""
_ANALYTIC = {"analytic": {"method": "analytic"}}
_ARMED = {variant: {"method": "analytic", "variant": variant} for variant in ("printed", "tight")}
_DATA = tables("contextual", "study")
CONSTANTS = _DATA["constants"]
"""Of Algorithms 5 and 3, by row of Table 1 and variant: constants, noise, and whether the bonus is small."""
LINKS = {"linear": LINEAR, "logistic": LOGISTIC}
STUCK_GAP, STUCK_OFFSET, STUCK_ACTIONS = 0.2, 0.5, 4
DIGIT_ROUNDS = 10_000
PUBLISHED_DIM, PUBLISHED_ACTIONS = 20, 20
PUBLISHED = _DATA["published"]
"""Constants, noise and epsilon of the published setting, by variant."""
_LOCKED = 0.9  # share of the largest regret from which a run counts as locked in
_LEVEL = 0.1  # a bonus below it is small
_JUDGED = 2  # dimension of the fits with contexts that stand for rows of Table 1


@dataclass
class Study(studies.Study):
    """The chapter's parameters, and everything that is measured at them."""

    chapter = "contextual"
    delta: float
    dims: list[int]
    digit_epsilons: list[float]
    bonus_factor: float

    # --- without contexts

    @cached_property
    def one_point(self) -> Runs:
        """The first four rows of Table 1 against the shifting adversary, each with the learner of another row."""
        return Runs(
            run
            for row in ONE_POINT
            for learner in ROWS[row].learners
            for run in self._reduced(instances.convex(ROWS[row].losses), learner, {"row": row, "learner": learner})
        )

    @cached_property
    def arms(self) -> Runs:
        """K arms, an adversary and a stochastic environment: learners for both, and UCB, which is for the last."""
        stochastic = facts.stochastic_arms()
        swept = {"environment": "stochastic"}
        runs = Runs([self.run(stochastic, baselines.ucb(), "", swept)])
        for epsilon in self.epsilons:
            runs.append(self.run(stochastic, baselines.ldp_ucb_laplace(epsilon), "laplace", swept))
        for name, problem in (
            ("switching", instances.switching_arms()),
            ("stochastic", ConvexLoss.from_arms(stochastic)),
        ):
            for learner in ("tsallis", "exp3"):
                swept = {"environment": name, "learner": learner}
                runs += self._reduced(problem, learner, swept, _ARMED)
        return runs

    @cached_property
    def best_arm(self) -> pd.DataFrame:
        """Pulls that lil'UCB needs for the best arm, and how often it is wrong.

        A row per epsilon and gap: `epsilon, gap, failure, replications, stopped, wrong, wrong_low, wrong_high, pulls,
        pulls_low, pulls_high`. `stopped` and `wrong` are numbers of runs; the error rate has its exact interval, of all
        runs. A run that is given up after `PULLS` has that many pulls.
        """
        rows = []
        for epsilon, gap in product([math.inf, *self.epsilons], GAPS):
            asked = (facts.stochastic_arms(gap), FAILURE, epsilon, self._delta(epsilon))
            options: dict[str, Any] = {"seed": self.seed, "method": "analytic", "limit": PULLS}
            found = joblib.Parallel(n_jobs=self.n_jobs, prefer="threads")(
                joblib.delayed(paper.lil_ucb)(*asked, replication=replication, **options)
                for replication in range(self.replications * _MORE)
            )
            wrong = np.array([one.arm != 0 for one in found])
            often, pulls = share(wrong), mean_interval(np.array([sum(one.pulls) for one in found], float))
            labels = {"epsilon": float(epsilon), "gap": float(gap), "failure": FAILURE, "replications": len(found)}
            labels |= {"stopped": sum(one.stopped for one in found), "wrong": int(wrong.sum())}
            labels |= {"wrong_low": often.low, "wrong_high": often.high}
            rows.append(labels | {"pulls": pulls.measured, "pulls_low": pulls.low, "pulls_high": pulls.high})
        return pd.DataFrame(rows)

    @cached_property
    def estimates(self) -> pd.DataFrame:
        """The largest gradient estimate that a round could give, along one run of Saha and Tewari on a linear loss.

        Columns `t, ellipsoid, sphere, loss`: d B / radius times the norm of A^-1 where the learner stands; d B / rho of
        the sphere's estimator, tuned for the same horizon; and B, what Algorithm 1 adds noise to.
        """
        problem = ConvexLoss.ball([[1.0, 0.0]], kind="linear")
        learners = ("saha_tewari", "sphere")
        policies: list[Any] = [paper.one_point(problem, self.horizon, math.inf, learner=name) for name in learners]
        steps, plain = (policy.record for policy in policies)
        record, source = problem.record(), streams(self.seed, 0)
        state = online.start(record, steps)
        hessian, slope = np.zeros((2, 2)), np.zeros(2)
        nothing, blank = np.zeros(0, np.int64), np.zeros((0, 3))
        rows, done, scale = [], 0, problem.dimension * problem.bound
        for t in log_checkpoints(self.horizon):
            online.advance(record, steps, state, done + 1, int(t), nothing, np.zeros(0), blank, *source)
            done = int(t)
            barrier.barrier(record.domain, record.radius, state.centre, slope, hessian)
            norm = math.sqrt(float(np.linalg.eigvalsh(hessian)[-1]))
            sizes = {"ellipsoid": scale / steps.radius * norm, "sphere": scale / plain.radius, "loss": problem.bound}
            rows.append({"t": done, **sizes})
        return pd.DataFrame(rows)

    # --- with contexts

    @cached_property
    def greedy(self) -> Runs:
        """Epsilon = infinity on one set of four actions, means 0.7 and 0.5: LinUCB, and both limits of Algorithm 5."""
        given = math.inf, self.delta, STUCK_ACTIONS, self.horizon
        limits = [(paper.ldp_linucb(*given, variant), variant) for variant in ("derived", "printed")]
        return self._on_one_set(STUCK_ACTIONS, [(paper.linucb(STUCK_ACTIONS), ""), *limits])

    @cached_property
    def digits(self) -> Runs:
        """Digits: LinUCB with the whole bonus and a small one, and the derived Algorithm 5 with the small one.

        At most 10,000 rounds. Rewards are 0 or 1, so the noise is that of rewards in [-1, 1]. Ten thousand rounds are
        few for d = 40: with its whole bonus LinUCB still explores at the end, without any privacy.
        """
        problem, rounds = digits.problem(), min(self.horizon, DIGIT_ROUNDS)
        policies, dim, constants = self._linucb(problem.dim), problem.dim, ("derived", "analytic", self.bonus_factor)
        for epsilon in self.digit_epsilons:
            policy = paper.ldp_linucb(epsilon, self.delta, dim, rounds, *constants, largest_reward=1.0)
            policies.append((policy, "derived, small bonus"))
        return Runs(self.run(problem, *policy, horizon=rounds) for policy in policies)

    @cached_property
    def published(self) -> Runs:
        """The authors' epsilon = 800,000 and delta = 0.1 at d = 20, 20 unit vectors a round, beside no privacy.

        Theirs is a recommendation data set that this book does not carry; the noise, not the data, is what is tested.
        The variants are `PUBLISHED`. The classical noise at 800,000 is what is printed, and pays far more; the analytic
        one pays 800,000, which promises nobody anything either.
        """
        dim = PUBLISHED_DIM
        problem = LinearContext.sphere(instances.unit_vectors(dim).theta, PUBLISHED_ACTIONS)
        private = {
            variant: paper.ldp_linucb(epsilon, PUBLISHED_DELTA, dim, self.horizon, constants, noise)
            for variant, (constants, noise, epsilon) in PUBLISHED.items()
        }
        policies = {"": paper.linucb(dim)} | private
        return Runs(self.run(problem, policy, variant) for variant, policy in policies.items())

    @cached_property
    def stuck(self) -> pd.DataFrame:
        """How many runs at epsilon = infinity end up on a wrong action; see `lock_in`."""
        return lock_in(self.greedy)

    @cached_property
    def needed(self) -> pd.DataFrame:
        """The rounds after which the bonus of a unit vector stays below 0.1, explored alike in every direction.

        A row per algorithm, variant, dim and epsilon: `policy, reading, dim, epsilon, horizon_needed`. Only for one set
        of actions, or few, does learning have to wait for it.
        """
        rows = []
        for row, algorithm, name in ((LINEAR, paper.ldp_linucb, "LDP-LinUCB"), (LOGISTIC, paper.ldp_glm, "LDP-GLOC")):
            for variant, made in _made(row, self.bonus_factor).items():
                for dim, epsilon in product(self.dims, self.epsilons):
                    make = partial(algorithm, epsilon, self.delta, dim, **made)
                    needed = facts.horizon_needed(dim, make, _LEVEL)
                    found = {"key": row, "policy": name, "reading": variant, "dim": int(dim), "epsilon": float(epsilon)}
                    rows.append(found | {"horizon_needed": needed})
        return pd.DataFrame(rows)

    @cached_property
    def setting(self) -> pd.DataFrame:
        """What the published setting guarantees."""
        return messages.published_setting()

    @cached_property
    def privacies(self) -> pd.DataFrame:
        """Private actions beside private messages: `joint.compare` at powers of ten."""
        last = min(self.horizon, 20_000)
        rounds = sorted({*(min(self.horizon, 10**k) for k in range(5)), last})
        return joint.compare(self.epsilons, rounds, STUCK_GAP)

    # --- the longer studies

    @cached_property
    def fits(self) -> list[RateFit]:
        """Every exponent, in the order of the studies."""
        return [one for label, swept in sweeps.STUDIES.items() for one in rates.fits(swept(), self.long_study(label))]

    def fit(self, row: str, quantity: str, variant: str, dim: int = _JUDGED) -> RateFit:
        """What was fitted to the runs of a variant."""
        wanted = row, quantity, variant
        found = [
            one
            for one in self.fits
            if (one.labels["row"], one.quantity, one.labels["reading"]) == wanted and one.labels.get("dim", dim) == dim
        ]
        return only(found, f"exponents in {quantity} of {row!r}, {variant}")

    def most(self, row: str, quantity: str, variant: str, dim: int = _JUDGED) -> np.ndarray:
        """What a run that never learns loses at the points of a fit whose gap was searched; empty for any other."""
        sweep = sweeps.sweep(row, quantity, variant, dim)
        values = set(self.fit(row, quantity, variant, dim).values)
        found = rates.points(sweep, self.long_study(sweeps.study_of(sweep))) if "dim" in sweep.labels else []
        first = sweep.run(sweep.values[0])[0]
        worst = float(np.ptp(first.problem.means, axis=1).mean()) / first.labels["gap"] if found else 0.0
        return np.array([worst * p.labels["gap"] * p.labels["horizon"] for p in found if p.value in values])

    def difference(
        self, row: str, variant: str, other: str, other_row: str = "", dim: int = _JUDGED
    ) -> Interval | None:
        """The power of T of one variant minus that of another, on the seeds and horizons that they share."""
        one, two = (sweeps.sweep(key, HORIZON, name, dim) for key, name in ((row, variant), (other_row or row, other)))
        return rates.difference(one, two, self.long_study(sweeps.study_of(one)))

    def exponent(self, row: str, quantity: str, variant: str) -> Interval | None:
        """One fitted exponent, None where there is none."""
        return self.fit(row, quantity, variant).fit

    def part(self, row: str, part: str) -> Interval | None:
        """The exponent that stands for a part of a row of Table 1: "horizon", "epsilon" or "non-private"."""
        quantity, _, variant = ROWS[row].claims[part]
        return self.exponent(row, quantity, variant) if variant else None

    @cached_property
    def crossing(self) -> Interval:
        """The T from which Hazan and Levy's method loses less than gradient descent behind the printed noise."""
        return self.crossed(STRONG, "printed", "printed, gradient descent")

    def crossed(self, row: str, one: str, other: str) -> Interval:
        """The T from which one learner loses less than another, without contexts."""
        return rates.crossing(*_pair(row, one, other), self.long_study("convex"))

    @cached_property
    def crossings(self) -> dict[int, Interval]:
        """The T from which weighted regression loses less than Algorithm 5 at their worst gaps, by dimension."""
        frame = self.long_study("stretches")
        return {d: rates.crossing(*_pair(LINEAR, WEIGHTED, "derived", d), frame) for d in sweeps.DIMS}

    # --- how runs are made

    def _delta(self, epsilon: float) -> float | None:
        return None if math.isinf(epsilon) else self.delta

    def _on_one_set(self, actions: int, policies: Sequence[tuple[Policy, str]]) -> Runs:
        """Policies and variants, three times as often as others: shares of runs are what is measured."""
        problem = instances.one_set(actions, gap=STUCK_GAP, offset=STUCK_OFFSET)
        return Runs(self.run(problem, *policy, replications=3 * self.replications) for policy in policies)

    def _linucb(self, dim: int) -> list[tuple[Policy, str]]:
        return [(paper.linucb(dim), ""), (paper.linucb(dim, bonus_factor=self.bonus_factor), "small bonus")]

    def _reduced(
        self,
        problem: ConvexLoss,
        learner: str,
        swept: Mapping[str, Any],
        variants: Mapping[str, Mapping[str, str]] | None = None,
    ) -> Runs:
        """A learner without privacy, and behind the noise of some variants, by default the analytic one."""
        runs = Runs([self.run(problem, paper.one_point(problem, self.horizon, math.inf, learner=learner), "", swept)])
        for variant, noise in (variants or _ANALYTIC).items():
            for epsilon in self.epsilons:
                policy = paper.one_point(problem, self.horizon, epsilon, self.delta, learner, **noise)
                runs.append(self.run(problem, policy, variant, swept))
        return runs


def _pair(row: str, one: str, other: str, dim: int = _JUDGED) -> tuple[Sweep, Sweep]:
    first, second = (sweeps.sweep(row, HORIZON, variant, dim) for variant in (one, other))
    return first, second


def _made(row: str, bonus_factor: float) -> dict[str, dict[str, Any]]:
    """What the constructors take for the constants, by variant."""
    return {
        name: {"variant": variant, "noise": noise, "bonus_factor": bonus_factor if small else 1.0}
        for name, (variant, noise, small) in CONSTANTS[row].items()
    }


def lock_in(runs: Runs) -> pd.DataFrame:
    """How many runs on one set of actions end up on a wrong one.

    Returns
    -------
    DataFrame
        A row per run: `policy, reading, epsilon, t, replications`; `locked`, the share of replications that paid at
        least nine tenths of the largest regret there is, with its exact interval `low` and `high`; `regret` and
        `uniform`, means.
    """
    rows = []
    for run in runs:
        most, rounds = float(np.max(np.ptp(run.problem.means, axis=1))), int(run.t[-1])
        locked, low, high, *_ = share(run.final >= _LOCKED * most * rounds)
        labels = {"policy": run.name, "reading": run.variant, "epsilon": run.epsilon, "t": rounds}
        labels |= {"replications": len(run.final), "locked": locked, "low": low, "high": high}
        rows.append(labels | {"regret": float(run.final.mean()), "uniform": run.uniform})
    return pd.DataFrame(rows)


def accuracy(runs: Runs) -> pd.DataFrame:
    """Share of right digits of every run, tidy.

    Returns
    -------
    DataFrame
        `policy, reading, family, trust, epsilon, t, right, right_se, replications`.
    """
    rows = []
    for run in runs:
        right = 1.0 - run.final / run.t[-1]
        labels: dict[str, Any] = {"policy": run.name, "reading": run.variant, "family": run.family}
        labels |= {"trust": run.policy.privacy.trust, "epsilon": run.epsilon, "t": int(run.t[-1])}
        labels |= {"right": float(right.mean()), "right_se": float(right.std(ddof=1) / math.sqrt(len(right)))}
        rows.append(labels | {"replications": len(right)})
    return pd.DataFrame(rows)
