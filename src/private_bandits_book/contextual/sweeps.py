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

import pandas as pd

from private_bandits.papers import contextual as paper
from private_bandits.papers.contextual import instances
from private_bandits.papers.contextual.appendix_b2 import identifier
from private_bandits.papers.contextual.tunings import tuning
from private_bandits.policy import Policy
from private_bandits.problems import ConvexLoss
from private_bandits_book.contextual import facts
from private_bandits_book.contextual.table_1 import LINEAR, LOGISTIC
from private_bandits_book.rooms import tables
from private_bandits_book.studies import LongRun, only, play_long
from private_bandits_book.sweep import EPSILON, LEARNT, LEAST_RUNS, Sweep

DELTA = 1e-3
ADVERSARIAL, STOCHASTIC, BEST_ARM, LINE = "arms, adversarial", "arms, stochastic", "best arm", "stochastic convex"
_DATA = tables("contextual", "sweeps")


# --- without contexts

SEED, REPLICATIONS = 20203, 10
EPSILONS = (0.5, 0.71, 1.0, 1.41, 2.0, 2.83)
EARLY = 10 * instances.CYCLE
"""A round whose regret is kept too, so that the beginning of a run can be played again."""
LIMIT = 20_000_000  # pulls of the search for the best arm
_SEARCH_GAP, _FAILURE = 0.8, 0.1
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
    return [(stated["row"], _convex(**stated)) for stated in _DATA["convex"]] + [(BEST_ARM, _search())]


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

    def bound(horizon: int, epsilon: float) -> float:
        return proven(loss, first if start else make(loss, horizon, epsilon), horizon)

    labels = {"row": row, "policy": first.name, "reading": reading}
    return Sweep.over(labels, horizons, epsilons, runs, None if row == STOCHASTIC else bound, log=bool(start))


def _run(problem: ConvexLoss, policy: Policy, horizon: int, replications: int, kept: Sequence[int]) -> LongRun:
    still = float(f"{facts.centre_regret(problem, horizon)[0]:.6g}")  # it is a column of the study
    labels = {"epsilon": policy.privacy.epsilon, "horizon": horizon, "still": still}
    return LongRun(labels, problem, policy, horizon, SEED, replications, kept)


def _search() -> Sweep:
    """The search for the best arm: its pulls take the place of regret, and it is played by `play_search`."""
    arms = facts.stochastic_arms(_SEARCH_GAP)

    def run(epsilon: float) -> list[LongRun]:
        labels = {"epsilon": epsilon, "horizon": LIMIT, "still": LIMIT / LEARNT}
        return [LongRun(labels, arms, identifier(_FAILURE, epsilon, DELTA), LIMIT, SEED, 2 * REPLICATIONS)]

    labels = {"row": BEST_ARM, "policy": "lil'UCB", "reading": "printed", "quantity": EPSILON}
    return Sweep(labels, EPSILON, EPSILONS, run)


def play_search(run: LongRun) -> pd.DataFrame:
    """Return the pulls of lil'UCB in the columns of the longer study, as `t` and as `regret`."""
    rows = []
    for replication in range(run.replications):
        epsilon = run.labels["epsilon"]
        found = paper.lil_ucb(run.problem, _FAILURE, epsilon, DELTA, seed=SEED, replication=replication, limit=LIMIT)
        rows.append({**run.labels, "replication": replication, "t": LIMIT, "regret": float(sum(found.pulls))})
    return pd.DataFrame(rows)


def proven(problem: ConvexLoss, policy: Any, horizon: int) -> float:
    """The derived bound of Algorithm 1 or 2 after a number of rounds."""
    if problem.domain == "arms":  # the clipping as in `corollary_4`, which has the noise for 2B
        record = policy.record
        return tuning(policy.method, problem, horizon, record.unit).regret + 2.0 * record.scale / horizon
    noise = "laplace" if policy.noise == "laplace" else "gaussian"
    method = "analytic" if policy.noise == "analytic" else "classical"
    bound, privacy = (paper.theorem_6 if policy.algorithm == "Algorithm 2" else paper.corollary_4), policy.privacy
    return bound(problem, horizon, privacy.epsilon, privacy.delta or None, policy.method, noise, method)


# --- with contexts

CONTEXT_SEED = 202007
ONE_SET, UNIT_VECTORS = "one set", "unit vectors"
_GLM, _THEOREM_10 = partial(paper.ldp_glm, responses="binary"), partial(paper.theorem_10, responses="binary")
ALGORITHMS: dict[str, Callable[..., Policy]] = {LINEAR: paper.ldp_linucb, LOGISTIC: _GLM}
_THEOREMS: dict[str, Callable[..., float]] = {LINEAR: paper.theorem_8, LOGISTIC: _THEOREM_10}
LEARNT_EPSILON = 64.0
"""Where the whole bonus has learnt the worst gaps."""
_STEPS = (2, 1, 0, -1, -2)  # gaps are looked for at these powers of sqrt 2 around the expected worst one
_BASE = 1_000_000  # where the expected worst gap is stated


class Design(NamedTuple):
    """A learner without privacy, or an algorithm with its constants; a factor of beta hardly bends its bound."""

    row: str
    variant: str = ""
    noise: str = "analytic"
    factor: float = 1.0
    learner: str = ""

    def policy(self, epsilon: float, dim: int, horizon: int) -> Policy:
        """Return what is played."""
        if self.learner:
            return paper.linucb(dim) if self.row == LINEAR else paper.gloc(dim, horizon, self.learner)
        return ALGORITHMS[self.row](epsilon, DELTA, dim, horizon, self.variant, self.noise, self.factor)

    def bound(self, epsilon: float, dim: int, horizon: int) -> float:
        """Return what is proven of it; of Newton steps nothing is."""
        if self.learner and self.row == LINEAR:
            return paper.linucb_upper(dim, horizon)
        proof = "printed" if self.variant == "printed" else "derived"
        return _THEOREMS[self.row](dim, horizon, epsilon, DELTA, proof, self.noise)


@cache
def context_sweeps() -> list[tuple[str, Sweep]]:
    """Every sweep of the study "linear", with its row of Table 1."""
    return [_contexts(**stated) for stated in _DATA["contexts"]]


def _contexts(
    design: str,
    dim: int,
    epsilons: Sequence[float],
    horizons: Sequence[int],
    reading: str = "",
    gap: float = math.nan,
    power: float = -0.25,
    replications: int = LEAST_RUNS,
) -> tuple[str, Sweep]:
    """A sweep on one set of actions or, without a gap, on unit vectors."""
    played = Design(**_DATA["designs"][design])
    link = "linear" if played.row == LINEAR else "logistic"
    several, one_set = len(epsilons) > 1, not math.isnan(gap)

    def runs(horizon: int, epsilon: float) -> list[LongRun]:
        policy, found = played.policy(epsilon, dim, horizon), []
        for each in _gaps(gap, power, horizon, epsilon if several else 1.0):
            problem = instances.one_set(dim, link, each) if one_set else instances.unit_vectors(dim, link)
            uniform = problem.uniform_regret() * horizon
            labels = {"epsilon": epsilon, "horizon": horizon, "gap": each, "uniform": uniform}
            found.append(LongRun(labels, problem, policy, horizon, CONTEXT_SEED, replications, ()))
        return found

    name = played.policy(epsilons[0], dim, horizons[0]).name
    labels: dict[str, Any] = {"problem": ONE_SET if one_set else UNIT_VECTORS, "policy": name}
    labels |= {"reading": reading or design, "quantity": "", "dim": dim}  # the quantity in its place
    proved = one_set and played.learner != "newton"
    bound = (lambda horizon, epsilon: played.bound(epsilon, dim, horizon)) if proved else None
    return played.row, Sweep.over(labels, horizons, epsilons, runs, bound)._replace(design=design)


def _gaps(gap: float, power: float, horizon: int, epsilon: float) -> list[float]:
    if math.isnan(gap):
        return [math.nan]
    middle = gap * (horizon / _BASE) ** power / math.sqrt(epsilon)
    return [each for each in (middle * 2.0 ** (k / 2) for k in _STEPS) if each <= 1.0]


# --- all of them


def sweep(row: str, quantity: str, variant: str) -> Sweep:
    """Return the sweep that stands for a row of Table 1; with contexts it is on one set of two actions."""
    wanted = {"problem": ONE_SET, "dim": 2}
    found = [
        sweep
        for key, sweep in (*convex_sweeps(), *context_sweeps())
        if (key, sweep.quantity, sweep.labels["reading"]) == (row, quantity, variant)
        and wanted == {name: sweep.labels.get(name, value) for name, value in wanted.items()}
    ]
    return only(found, f"sweeps over {quantity} of {row!r}, {variant}")


def long_runs(label: str) -> list[LongRun]:
    """Return every run of a longer study, "convex" or "linear"."""
    sweeps = convex_sweeps() if label == "convex" else context_sweeps()
    return [run for _, sweep in sweeps for run in sweep.runs()]


def play(run: LongRun) -> pd.DataFrame:
    """Play a run of a longer study; a row per replication and horizon, or checkpoint of a curve."""
    return play_search(run) if run.labels.get("row") == BEST_ARM else play_long(run)
