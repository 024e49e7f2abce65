"""The sweeps of the two longer studies behind Table 1: learners, noise, problems, horizons and epsilons.

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

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import pandas as pd
from tqdm import tqdm

from private_bandits.papers import contextual as paper
from private_bandits.papers.contextual import instances
from private_bandits.papers.contextual.appendix_b2 import identifier
from private_bandits.papers.contextual.tunings import tuning
from private_bandits.policy import Policy
from private_bandits.problems import ConvexLoss
from private_bandits_book.contextual import facts
from private_bandits_book.contextual.table_1 import LINEAR, LOGISTIC, ONE_POINT, PLAYS, TWO_POINTS
from private_bandits_book.studies import LongRun, play_long
from private_bandits_book.sweep import EPSILON, HORIZON, LOG, Sweep

DELTA = 1e-3
ADVERSARIAL, STOCHASTIC, BEST_ARM, LINE = "arms, adversarial", "arms, stochastic", "best arm", "stochastic convex"
SETTLED = 0.5
"""Share of what standing still or uniform play loses, below which a run has learnt."""
_NONE = (math.inf,)  # epsilons of a sweep without privacy


# --- without contexts

SEED, REPLICATIONS = 20203, 10
EPSILONS = (0.5, 0.71, 1.0, 1.41, 2.0, 2.83)
TWO_POINT_EPSILONS = (0.25, 0.35, 0.5, 0.71, 1.0, 1.41, 2.0)
_SMOOTH_EPSILONS, _LINE_EPSILONS = (8.0, 11.3, 16.0, 22.6, 32.0), (2.0, 2.83, 4.0, 5.66, 8.0)  # with Laplace noise
_ARM_EPSILONS = (1.0, 1.41, 2.0, 2.83, 4.0)
_AT = (4.0,)  # epsilon of the runs over T
_PURE = {"saha_tewari": (16.0,), "hazan_levy": (8.0,), "stochastic": (8.0,)}  # ... of those with Laplace noise
EARLY = 10 * instances.CYCLE
"""A round whose regret is kept too, so that the beginning of a run can be played again."""
LIMIT = 20_000_000  # pulls of the search for the best arm
_SEARCH_GAP, _FAILURE = 0.8, 0.1
_LOG_GAP = 0.9  # of the stochastic arms whose regret is followed as ln t grows
_HARD = (1.0, 2.0, 4.0, 8.0)  # gaps of the adversarial arms, in units of what nobody can tell apart
_FROM = {"saha_tewari": (4.75, 0.3), "hazan_levy": (4.75, 0.3)}  # powers of ten: the first horizon, and a step
_MORE = 20  # replications over T of the learner that is judged on them: the worst gap is chosen by its mean

Make = Callable[[ConvexLoss, int, float], Policy]


@cache
def convex_sweeps() -> list[tuple[str, Sweep]]:
    """Every sweep of the study "convex", with the row of Table 1 or the other heading that it belongs to."""
    sweeps = [*_one_point(), *_two_points(), *_line(), *_arms(), _search()]
    return [(str(sweep.labels["row"]), sweep) for sweep in sweeps]


def _one_point() -> Iterator[Sweep]:
    """The learners of one point.

    Behind strong noise the learner for smooth losses explores as far as it may, whatever T is. Its rate begins where
    its tuning falls below that, so its noise is weaker than that of the others.
    """
    for row in ONE_POINT:
        kind, (learner, *_) = PLAYS[row]
        smooth = learner == "saha_tewari"
        first, step = _FROM.get(learner, (5.0, 0.35))
        horizons, problem = _horizons(first, step), instances.convex(kind)
        yield _sweep(row, "no privacy", problem, _one(learner), horizons)
        if not smooth:
            yield _sweep(row, "printed", problem, _one(learner), horizons, _AT)
        if learner in _PURE:
            later = _horizons(first + 0.5 * smooth, step)
            yield _sweep(row, "laplace", problem, _one(learner, "laplace"), later, _PURE[learner])
        variant, epsilons = ("laplace", _SMOOTH_EPSILONS) if smooth else ("printed", EPSILONS)
        yield _sweep(row, variant, problem, _one(learner, variant), horizons[-1:], epsilons)


def _two_points() -> Iterator[Sweep]:
    row, strong = TWO_POINTS
    horizons, problem = _horizons(4.25, 0.35), instances.convex(PLAYS[row][0])
    yield _sweep(row, "no privacy", problem, _two("printed"), horizons)
    for step in ("printed", "tuned"):
        yield _sweep(row, step, problem, _two(step), horizons, _AT)
        yield _sweep(row, step, problem, _two(step), [2_000_000], TWO_POINT_EPSILONS)
    problem = instances.convex(PLAYS[strong][0])
    for variant, epsilons in (("no privacy", _NONE), ("printed", _AT)):
        yield _curve(strong, variant, problem, _two("strong"), epsilons, EARLY, 1_000_000, 100)
    yield _sweep(strong, "printed", problem, _two("strong"), [2_000_000], TWO_POINT_EPSILONS)


def _line() -> Iterator[Sweep]:
    plain, pure = _one("stochastic"), _one("stochastic", "laplace")
    yield _sweep(LINE, "no privacy", instances.on_line(), plain, _horizons(4.0, 0.6))
    yield _sweep(LINE, "laplace", instances.on_line(), pure, _horizons(5.5, 0.35), _PURE["stochastic"])
    yield _sweep(LINE, "laplace", instances.on_line(), pure, [4_000_000], _LINE_EPSILONS)


def _arms() -> Iterator[Sweep]:
    stochastic, apart = (ConvexLoss.from_arms(facts.stochastic_arms(gap)) for gap in (instances.GAP, _LOG_GAP))
    same, tight = "printed, tight", _one("tsallis", sensitivity="tight")
    for learner, other, replications in (("tsallis", "", _MORE), ("exp3", ", EXP3", REPLICATIONS)):
        for variant, epsilons in (("no privacy", _NONE), (same, _AT)):
            make = _one(learner, sensitivity="tight")
            yield _hard(variant + other, make, _horizons(4.75, 0.3), epsilons, replications)
    yield _hard(same, tight, [1_000_000], _ARM_EPSILONS, REPLICATIONS)
    yield _curve(STOCHASTIC, "no privacy", apart, _one("tsallis"), _NONE, EARLY, 1_000_000, 100)
    yield _curve(STOCHASTIC, same, apart, tight, _AT, 200_000, 4_000_000, 40)
    yield _sweep(STOCHASTIC, "printed", stochastic, _one("tsallis"), [4_000_000], _ARM_EPSILONS)
    yield _sweep(STOCHASTIC, same, stochastic, tight, [4_000_000], _ARM_EPSILONS)


def _search() -> Sweep:
    """The search for the best arm: its pulls take the place of regret, and it is played by `play_search`."""
    arms = facts.stochastic_arms(_SEARCH_GAP)

    def run(epsilon: float) -> list[LongRun]:
        labels = {"epsilon": epsilon, "horizon": LIMIT, "still": LIMIT / SETTLED}
        return [LongRun(labels, arms, identifier(_FAILURE, epsilon, DELTA), LIMIT, SEED, 2 * REPLICATIONS)]

    return Sweep({"row": BEST_ARM, "policy": "lil'UCB", "reading": "printed"}, EPSILON, EPSILONS, run)


def play_search(run: LongRun, replications: int | None = None) -> pd.DataFrame:
    """Return the pulls of lil'UCB in the columns of the longer study, as `t` and as `regret`."""
    rows = []
    for replication in range(replications or run.replications):
        epsilon = run.labels["epsilon"]
        found = paper.lil_ucb(run.problem, _FAILURE, epsilon, DELTA, seed=SEED, replication=replication, limit=LIMIT)
        rows.append({**run.labels, "replication": replication, "t": LIMIT, "regret": float(sum(found.pulls))})
    return pd.DataFrame(rows)


def _one(learner: str, variant: str = "printed", sensitivity: str = "printed") -> Make:
    delta, noise = (None, "laplace") if variant == "laplace" else (DELTA, "gaussian")
    return lambda problem, horizon, epsilon: paper.one_point(
        problem, horizon, epsilon, delta, learner, noise, variant=sensitivity
    )


def _two(step: str) -> Make:
    return lambda problem, horizon, epsilon: paper.two_point(problem, horizon, epsilon, DELTA, step)


def _sweep(
    row: str,
    variant: str,
    problem: ConvexLoss,
    make: Make,
    horizons: Sequence[int],
    epsilons: Sequence[float] = _NONE,
    replications: int = REPLICATIONS,
    problems: Callable[[Policy, int], Sequence[ConvexLoss]] | None = None,
) -> Sweep:
    """A sweep of which the regret at the horizon is kept, and that of an early round; `problems` are searched."""

    def runs(horizon: int, epsilon: float) -> list[LongRun]:
        listed = [problem] if problems is None else problems(make(problem, horizon, epsilon), horizon)
        return [_run(one, make(one, horizon, epsilon), horizon, replications) for one in listed]

    def bound(horizon: int, epsilon: float) -> float:
        return proven(problem, make(problem, horizon, epsilon), horizon)

    labels = {"row": row, "policy": make(problem, horizons[0], epsilons[0]).name, "reading": variant}
    return Sweep.over(labels, horizons, epsilons, runs, None if row == STOCHASTIC else bound)


def _hard(variant: str, make: Make, horizons: Sequence[int], epsilons: Sequence[float], replications: int) -> Sweep:
    """A sweep on adversarial arms, several gaps for each value."""

    def problems(policy: Any, horizon: int) -> list[ConvexLoss]:
        level = policy.record.unit
        return [instances.switching_arms(size * level * math.sqrt(instances.N_ARMS / horizon)) for size in _HARD]

    return _sweep(ADVERSARIAL, variant, instances.switching_arms(), make, horizons, epsilons, replications, problems)


def _curve(
    row: str,
    variant: str,
    problem: ConvexLoss,
    make: Make,
    epsilons: Sequence[float],
    start: int,
    stop: int,
    replications: int,
) -> Sweep:
    """A run whose curve is kept from a start, four times a decade, at ends of a cycle of the adversary."""
    pieces = round(4 * math.log10(stop / start))
    kept = sorted({EARLY, *(_cycles(start * (stop / start) ** (k / pieces)) for k in range(pieces))})
    policy = make(problem, stop, epsilons[0])
    return Sweep(
        {"row": row, "policy": policy.name, "reading": variant},
        LOG,
        [stop],
        lambda stop: [_run(problem, policy, stop, replications)._replace(checkpoints=kept)],
        None if row == STOCHASTIC else lambda t: proven(problem, policy, t),
    )


def _run(problem: ConvexLoss, policy: Policy, horizon: int, replications: int) -> LongRun:
    still = float(f"{facts.centre_regret(problem, horizon)[0]:.6g}")  # it is a column of the study
    labels = {"epsilon": policy.privacy.epsilon, "horizon": horizon, "still": still}
    return LongRun(labels, problem, policy, horizon, SEED, replications, [EARLY])


def _horizons(first: float, step: float, number: int = 6) -> list[int]:
    """Whole cycles of the adversary, powers of ten that are a step apart."""
    return [_cycles(10 ** (first + k * step)) for k in range(number)]


def _cycles(rounds: float) -> int:
    return instances.CYCLE * round(rounds / instances.CYCLE)


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
_SMALL, _SMALLEST = 0.1, 0.05  # the printed beta_t of Algorithm 5 has a factor d ln T besides
_STEPS = (2, 1, 0, -1, -2)  # gaps are looked for at these powers of sqrt 2 around the expected worst one
_BASE = 1_000_000  # where the expected worst gap is stated
_RUNS, _MANY = 5, 10
_DECADES = (10_000, 30_000, 100_000, 300_000, 1_000_000)
_LATER = (30_000, 100_000, 300_000, 1_000_000, 3_000_000)  # with the whole bonus, little is learnt before
_LAST = (125_000, 250_000, 500_000, 1_000_000)
_BEYOND = (250_000, 500_000, 1_000_000, 2_000_000)
_HALF = (500_000,)  # of the fits over epsilon
_ONES, _LARGE = (1.0, 2.0, 4.0, 8.0, 16.0), (16.0, 32.0, 64.0, 128.0, 256.0)


class Design(NamedTuple):
    """An algorithm with its constants: what makes it and what is proven of it, from epsilon, d and T."""

    row: str
    variant: str
    make: Callable[[float, int, int], Policy]
    bound: Callable[[float, int, int], float] | None = None


def _private(row: str, variant: str, noise: str, factor: float = 1.0) -> Design:
    """Algorithm 5 or 3, named after what was changed of the printed one; a factor of beta hardly bends its bound."""
    changed = [variant]
    if variant != "printed" and noise == "classical":
        changed.append("classical noise")
    if factor != 1.0:
        changed.append(f"beta times {factor:g}")
    name, proof = ", ".join(changed), "printed" if variant == "printed" else "derived"
    algorithm, theorem = ALGORITHMS[row], _THEOREMS[row]
    return Design(
        row,
        name,
        lambda epsilon, dim, horizon: algorithm(epsilon, DELTA, dim, horizon, variant, noise, factor),
        lambda epsilon, dim, horizon: theorem(dim, horizon, epsilon, DELTA, proof, noise),
    )


@cache
def context_sweeps() -> list[tuple[str, Sweep]]:
    """Every sweep of the study "linear", with its row of Table 1."""
    plain = Design(
        LINEAR, "no privacy", lambda _, dim, t: paper.linucb(dim), lambda _, dim, t: paper.linucb_upper(dim, t)
    )
    newton = Design(LOGISTIC, "no privacy, Newton steps", lambda _, dim, horizon: paper.gloc(dim, horizon, "newton"))
    gradient = _private(LOGISTIC, "repaired", "analytic")._replace(
        variant="no privacy, gradient steps", make=lambda _, dim, horizon: paper.gloc(dim, horizon, "gradient")
    )
    derived, derived_small = (_private(LINEAR, "derived", "analytic", factor) for factor in (1.0, _SMALL))
    repaired, repaired_small = (_private(LOGISTIC, "repaired", "analytic", factor) for factor in (1.0, _SMALL))
    derived_classical = _private(LINEAR, "derived", "classical")
    repaired_classical = _private(LOGISTIC, "repaired", "classical", _SMALL)
    printed = _private(LINEAR, "printed", "classical", _SMALLEST)
    printed_glm = _private(LOGISTIC, "printed", "classical", _SMALL)
    learnt, one, eight = (LEARNT_EPSILON,), (1.0,), (8.0,)
    larger, large = (32.0, 64.0, 128.0, 256.0, 512.0), (2.0, 4.0, 8.0, 16.0, 32.0)
    sweeps = [
        _contexts(plain, 2, _DECADES, _NONE, 0.0063, -0.5, _MANY),
        _contexts(derived, 2, _LATER[1:], learnt, 0.24),
        _contexts(derived, 3, _LAST, learnt, 0.3),
        _contexts(derived, 5, _LAST, learnt, 0.4),
        _contexts(derived, 2, _LATER, one, 0.28, at_epsilon=True),
        _contexts(derived_small, 2, _LATER[:4], one, 0.055, -0.4, _MANY),
        _contexts(printed, 2, _BEYOND, learnt, 0.35),
        _contexts(derived_classical, 2, _HALF, _LARGE, 1.74),
        _contexts(printed, 2, _HALF, larger, 3.2),
        _contexts(newton, 2, _DECADES, _NONE, 0.05, -0.5),
        _contexts(gradient, 2, _DECADES, _NONE, 0.19),
        _contexts(gradient, 3, _LAST, _NONE, 0.2),
        _contexts(repaired, 2, _BEYOND, learnt, 0.45),
        _contexts(repaired_small, 2, _LATER, one, 0.14),
        _contexts(repaired_small, 3, _LAST, one, 0.14),
        _contexts(printed_glm, 2, _LATER, eight, 0.18),
        _contexts(repaired_classical, 2, _HALF, _ONES, 0.35, replications=_MANY),
        _contexts(printed_glm, 2, _HALF, large, 0.6, replications=_MANY),
    ]
    for dim in (2, 5):
        sweeps.append(_contexts(plain, dim, _DECADES, _NONE, replications=_MANY))
        sweeps += [_contexts(design, dim, _DECADES, _NONE) for design in (newton, gradient)]
        sweeps.append(_contexts(repaired, dim, _DECADES, eight))
    sweeps += [_contexts(derived, dim, _DECADES, eight) for dim in (2, 3, 4, 5)]
    sweeps.append(_contexts(derived_classical, 2, _HALF, _ONES))
    for dim, gap in ((2, 0.02), (3, 0.024), (4, 0.028), (5, 0.028)):
        sweeps.append(_contexts(derived_small, dim, _LAST, learnt, gap, -0.35, _MANY, at_epsilon=True))
    return sweeps + [_contexts(repaired_small, dim, _LAST, one, gap) for dim, gap in ((4, 0.2), (5, 0.28))]


def _contexts(
    design: Design,
    dim: int,
    horizons: Sequence[int],
    epsilons: Sequence[float],
    gap: float = math.nan,
    power: float = -0.25,
    replications: int = _RUNS,
    *,
    at_epsilon: bool = False,
) -> tuple[str, Sweep]:
    """A sweep on one set of actions or, without a gap, on unit vectors; `at_epsilon` puts epsilon into the variant.

    `gap` is the expected worst one at T = 10^6 and epsilon = 1, which goes as T to the power.
    """
    link = "linear" if design.row == LINEAR else "logistic"
    several, known = len(epsilons) > 1, design.bound is not None and not math.isnan(gap)

    def runs(horizon: int, epsilon: float) -> list[LongRun]:
        policy, found = design.make(epsilon, dim, horizon), []
        for each in _gaps(gap, power, horizon, epsilon if several else 1.0):
            problem = instances.unit_vectors(dim, link) if math.isnan(each) else instances.one_set(dim, link, each)
            uniform = problem.uniform_regret() * horizon
            labels = {"epsilon": epsilon, "horizon": horizon, "gap": each, "uniform": uniform}
            found.append(LongRun(labels, problem, policy, horizon, CONTEXT_SEED, replications, ()))
        return found

    def bound(horizon: int, epsilon: float) -> float:
        assert design.bound is not None
        return design.bound(epsilon, dim, horizon)

    labels = {
        "problem": UNIT_VECTORS if math.isnan(gap) else ONE_SET,
        "policy": design.make(epsilons[0], dim, horizons[0]).name,
        "reading": f"{design.variant}, epsilon {epsilons[0]:g}" if at_epsilon else design.variant,
        "quantity": EPSILON if several else HORIZON,
        "dim": dim,
    }
    made = Sweep.over(labels, horizons, epsilons, runs, bound if known else None)
    return design.row, made._replace(design=design.variant)


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
    if len(found) != 1:
        raise LookupError(f"{len(found)} sweeps over {quantity} of {row!r}, {variant}")
    return found[0]


def long_runs(label: str) -> list[LongRun]:
    """Return every run of a longer study, "convex" or "linear"."""
    sweeps = convex_sweeps() if label == "convex" else context_sweeps()
    return [run for _, sweep in sweeps for run in sweep.runs()]


def play(label: str, progress: bool = False) -> pd.DataFrame:
    """Play a longer study; a row per replication and horizon, or checkpoint of a curve."""
    frames = [
        play_search(run) if run.labels.get("row") == BEST_ARM else play_long(run)
        for run in tqdm(long_runs(label), desc=label, disable=not progress)
    ]
    return pd.concat(frames, ignore_index=True)
