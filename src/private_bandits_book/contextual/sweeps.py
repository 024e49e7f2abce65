"""The sweeps of the two longer studies behind Table 1, from `sweeps.toml`: learners, noise, problems and epsilons.

The constants of an algorithm are set from T, so every horizon has its own runs.

*Without contexts.* The noise is the printed one or, in the variant *laplace*, Laplace's: in both it is inversely
proportional to epsilon, and at the epsilons here both keep their promise. Adversarial arms are played at several gaps
for each T and each epsilon, with the noise of the stochastic arms whose regret is followed as ln t grows, so that one
algorithm is judged in both worlds.

*With contexts.* A regret bound holds for every problem, so its exponent is that of the worst one at each T. We play one
set of orthogonal actions with theta = gap times the first of them, and look for the gap with the largest regret in
steps of a factor sqrt 2. The worst gap shrinks as T^(-1/4) once T is far above the shift c_T. With the whole bonus and
epsilon = 1 that takes 10^8 rounds, so the fits for the whole bonus are at epsilon = 64, and one at epsilon = 1 shows
what comes before. Fresh random action sets explore by themselves; their exponents say nothing about the theorems'.
Variants named "printed" or "classical noise" have the printed formula for sigma, proportional to 1/epsilon, and so do
all fits over epsilon; the others have the analytic noise, which is not proportional to 1/epsilon above about 1.
"""

import math
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

from private_bandits.papers import contextual as paper
from private_bandits.papers.contextual import instances
from private_bandits.papers.contextual.accounting import noise_reach, number_scale
from private_bandits.policy import Policy
from private_bandits.problems import ConvexLoss
from private_bandits_book.contextual import facts
from private_bandits_book.contextual.table_1 import LINEAR, LOGISTIC
from private_bandits_book.package_data import tables
from private_bandits_book.studies import LongRun, only
from private_bandits_book.sweep import HORIZON, LEAST_RUNS, Sweep

DELTA = 1e-3
ADVERSARIAL, STOCHASTIC, LINE = "arms, adversarial", "arms, stochastic", "stochastic convex"
KERNEL = "adversarial, one dimension"
_DATA = tables("contextual", "sweeps")


# --- without contexts

SEED, REPLICATIONS = 20203, 10
EARLY = 10 * instances.CYCLE
"""A round whose regret is kept too, so that the beginning of a run can be played again."""
_HARD = (1.0, 2.0, 4.0, 8.0)  # gaps of the adversarial arms, in units of what nobody can tell apart
_PROBLEMS: dict[str, Callable[[], ConvexLoss]] = {
    "line": instances.on_line,
    "switching": instances.switching_arms,
    "arms": lambda: ConvexLoss.from_arms(facts.stochastic_arms()),
    "arms, apart": lambda: ConvexLoss.from_arms(facts.stochastic_arms(0.9)),
}


@cache
def convex_sweeps() -> list[tuple[str, Sweep]]:
    """Every sweep of the study "convex", with the row of Table 1 or the other heading that it belongs to."""
    swept = [(stated["row"], _convex(**stated)) for stated in _DATA["convex"]]
    return [*swept, *((KERNEL, _kernel(epsilon)) for epsilon in (math.inf, 16.0))]


def _convex(
    row: str,
    reading: str,
    problem: str,
    epsilons: Sequence[float],
    horizons: Sequence[int],
    replications: int = REPLICATIONS,
    start: int = 0,
    **how: Any,
) -> Sweep:
    """A sweep of which the regret at the horizon is kept, and that of an early round; a gap is searched with row "arms,
    adversarial". From a start the curve is kept, four times a decade, at ends of a cycle of the adversary.
    """
    loss = _PROBLEMS[problem]() if problem in _PROBLEMS else instances.convex(problem)
    delta = None if how.get("noise") == "laplace" else DELTA
    make: Callable[..., Any] = partial(paper.two_point if "step" in how else paper.one_point, delta=delta, **how)
    first = make(loss, horizons[0], epsilons[0])
    kept = [EARLY]
    if start:
        pieces, ratio = round(4 * math.log10(horizons[0] / start)), horizons[0] / start
        cycles = [start * ratio ** (k / pieces) / instances.CYCLE for k in range(pieces)]
        kept = sorted({EARLY, *(instances.CYCLE * round(number) for number in cycles)})

    def runs(horizon: int, epsilon: float) -> list[LongRun]:
        listed = [loss]
        if row == ADVERSARIAL:
            unit = make(loss, horizon, epsilon).record.unit * math.sqrt(instances.N_ARMS / horizon)
            listed = [instances.switching_arms(size * unit) for size in _HARD]
        return [_run(one, make(one, horizon, epsilon), horizon, replications, kept) for one in listed]

    labels = {"row": row, "policy": first.name, "reading": reading}
    return Sweep.over(labels, horizons, epsilons, runs, log=bool(start))


def _run(problem: ConvexLoss, policy: Any, horizon: int, replications: int, kept: Sequence[int]) -> LongRun:
    still = float(f"{facts.centre_regret(problem, horizon)[0]:.6g}")  # it is a column of the study
    labels = {"epsilon": policy.privacy.epsilon, "horizon": horizon, "still": still}
    return LongRun(labels, problem, policy, horizon, SEED, replications, kept)


def _kernel(epsilon: float) -> Sweep:
    """The kernel method in one dimension, written in Python, behind Algorithm 1."""
    loss = instances.on_line("schedule")

    def run(horizon: int) -> list[LongRun]:
        scale = number_scale(2.0 * loss.bound, epsilon, DELTA, "gaussian", "analytic")
        learner = paper.KernelMethod(horizon, loss.bound + noise_reach(scale, "gaussian", horizon))
        policy = paper.wrap(learner, loss.bound, epsilon, DELTA, method="analytic")
        return [_run(loss, policy, horizon, LEAST_RUNS, ())]

    labels = {
        "row": KERNEL,
        "policy": "Kernel method",
        "reading": "analytic" if math.isfinite(epsilon) else "no privacy",
    }
    return Sweep(labels | {"quantity": HORIZON}, HORIZON, [16_000, 32_000, 64_000, 128_000], cache(run))


# --- with contexts

CONTEXT_SEED = 202007
SEARCHED = 20
"""Runs of each gap."""
_GLM = partial(paper.ldp_glm, responses="binary")
ALGORITHMS: dict[str, Callable[..., Policy]] = {LINEAR: paper.ldp_linucb, LOGISTIC: _GLM}
_STEPS = (
    3,
    2,
    1,
    0,
    -1,
    -2,
    -3,
)  # gaps are looked for at these powers of sqrt 2 around the expected worst one, up to 1
_BASE, _FAR = 1e6, 1e10  # where the expected worst gap is stated


class Design(NamedTuple):
    """A learner, or an algorithm with its constants; a factor of beta hardly bends its bound."""

    row: str
    variant: str = ""
    noise: str = "analytic"
    factor: float = 1.0
    learner: str = ""
    skewed: bool = False

    def policy(self, epsilon: float, dim: int, horizon: int) -> Policy:
        """Return what is played round by round."""
        if self.learner:
            return paper.linucb(dim) if self.row == LINEAR else paper.gloc(dim, horizon, self.learner)
        return ALGORITHMS[self.row](epsilon, DELTA, dim, horizon, self.variant, self.noise, self.factor)

    def in_stretches(self, epsilon: float, dim: int, horizon: int) -> Policy:
        """Return what is played by stretches."""
        if self.learner in ("weighted", "unweighted"):
            return paper.weighted_regression(epsilon, DELTA, dim, horizon, 2 if self.learner == "weighted" else 0)
        if self.learner == "joint":
            return paper.joint_linucb(epsilon, DELTA, dim, horizon)
        if self.learner:
            return paper.by_stretches(paper.linucb_private_rewards(epsilon, DELTA, dim))
        delta = None if self.noise == "laplace" else DELTA
        return paper.by_stretches(paper.ldp_linucb(epsilon, delta, dim, horizon, self.variant, self.noise))


@cache
def context_sweeps() -> list[tuple[str, Sweep]]:
    """Every sweep of the study "linear", with its row of Table 1."""
    return [_contexts(**stated) for stated in _DATA["contexts"]]


@cache
def stretch_sweeps() -> list[tuple[str, Sweep]]:
    """Every sweep of the study "stretches", with its row of Table 1."""
    return [
        _contexts(horizons=[round(10**power) for power in powers], gap=gap, dim=dim, far=True, **stated)
        for powers, gaps, dims, stated in (
            (
                one["powers"],
                one["gaps"],
                one["dims"],
                {name: one[name] for name in one.keys() - {"powers", "gaps", "dims"}},
            )
            for one in _DATA["stretches"]
        )
        for dim, gap in zip(dims, gaps, strict=True)
    ]


def _contexts(
    design: str,
    epsilons: Sequence[float],
    horizons: Sequence[int],
    gap: float,
    power: float = -0.25,
    price: float = 0.0,
    dim: int = 2,
    far: bool = False,
) -> tuple[str, Sweep]:
    """A sweep on one set of actions; `far`: by stretches."""
    played = Design(**_DATA["designs"][design])
    make = played.in_stretches if far else played.policy
    link = "linear" if played.row == LINEAR else "logistic"

    def runs(horizon: int, epsilon: float) -> list[LongRun]:
        policy, found = make(epsilon, dim, horizon), []
        middle = gap * (horizon / (_FAR if far else _BASE)) ** power * (1.0 if math.isinf(epsilon) else epsilon**-price)
        for each in searched(float(f"{middle:.3g}")) if far else searched(middle, _STEPS[:-1]):
            problem = instances.one_set(dim, link, each) if dim > 1 else instances.or_nothing(each)
            problem = instances.skewed(each) if played.skewed else problem
            uniform = float(f"{problem.uniform_regret() * horizon:.6g}")  # it is a column of the study
            labels = {"epsilon": epsilon, "horizon": horizon, "gap": each, "uniform": uniform}
            found.append(LongRun(labels, problem, policy, horizon, CONTEXT_SEED, SEARCHED, ()))
        return found

    labels: dict[str, Any] = {"policy": make(epsilons[0], dim, horizons[0]).name}
    labels |= {"reading": design, "quantity": "", "dim": dim}  # the quantity in its place
    return played.row, Sweep.over(labels, horizons, epsilons, runs)._replace(design=design)


def searched(middle: float, steps: Sequence[int] = _STEPS) -> list[float]:
    """Gaps in steps of sqrt 2 around the expected worst one; 1, the largest there is, in place of larger ones."""
    gaps = [middle * 2.0 ** (k / 2) for k in steps]
    return sorted({min(gap, 1.0) for gap in gaps}, reverse=True)


# --- all of them


def sweep(row: str, quantity: str, variant: str, dim: int = 2) -> Sweep:
    """Return the sweep that stands for a row of Table 1; with contexts it is on one set, of two actions for a row."""
    found = [
        sweep
        for key, sweep in (*convex_sweeps(), *context_sweeps(), *stretch_sweeps())
        if (key, sweep.quantity, sweep.labels["reading"]) == (row, quantity, variant)
        and sweep.labels.get("dim", dim) == dim
    ]
    return only(found, f"sweeps over {quantity} of {row!r}, {variant}")


STUDIES = {"convex": convex_sweeps, "linear": context_sweeps, "stretches": stretch_sweeps}
"""The sweeps of the longer studies, by the name of their file."""
DIMS = (1, 2, 3)
"""In which weighted regression and Algorithm 5 are compared."""


def study_of(wanted: Sweep) -> str:
    """Return the name of the longer study that a sweep is of."""
    return next(label for label, swept in STUDIES.items() if any(sweep is wanted for _, sweep in swept()))


def long_runs(label: str) -> list[LongRun]:
    """Return every run of a longer study, "convex", "linear" or "stretches"."""
    return [run for _, sweep in STUDIES[label]() for run in sweep.runs()]
