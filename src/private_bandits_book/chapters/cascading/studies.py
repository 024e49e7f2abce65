"""The longer studies of the chapter on Wang et al. (2021), and what is read from their rows.

`private-bandits reproduce cascading --long` makes them; the rows are committed by replication.
"""

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from private_bandits.estimates import Interval, mean_interval
from private_bandits.papers import cascading as paper
from private_bandits.papers.cascading import bounds
from private_bandits.policy import Policy
from private_bandits_book.judging import rates
from private_bandits_book.judging.rates import DELTA, EPSILON, LOG, SIZE, RateFit
from private_bandits_book.runs import identity
from private_bandits_book.studies import LongRun, LongStudy

LEARNING_HORIZON, GROWTH_HORIZON, ORDER_HORIZON, KAPPA_HORIZON = 10**8, 5 * 10**7, 10**5, 10**7
SEED, ORDER_RUNS, KAPPA_RUNS, FIGURES = 20211, 400, 10, (20, 4, 0.2, 0.15)  # the last are L, K, p and gap
CHAPTER_SEED, BIT_RUNS = 2021, 160  # the notebook's seed, and eight times its runs
PUBLISHED, FAILURE, KAPPA_AT = 0.01, 1e-3, (10**5, 10**6)  # factor of the noise, delta, checkpoints
KAPPA_MOVES = (0.1, 0.2)  # p at which kappa grows with K by more than the intervals are wide


def _long(problem: Any, policy: Policy, horizon: int, runs: int = rates.LEAST_RUNS, **how: Any) -> LongRun:
    labels = {"delta": policy.privacy.delta, "n_arms": problem.n_arms, "list_size": problem.list_size}
    return LongRun(labels, problem, policy, horizon, SEED, runs, **how)


# --- when does honest privacy start to learn?


def learning_runs() -> list[LongRun]:
    """To T = 10^8 on the instance of the figures, at the noise that the theorems state."""
    n_arms, size, horizon = *FIGURES[:2], LEARNING_HORIZON
    policies = [paper.cascade_ucb1(), paper.repaired_local(math.inf, list_size=size)]
    for epsilon in (0.2, 1.0, 0.1, 0.5, 2.0):
        bit, blocks = (
            paper.repaired_local(epsilon, list_size=size),
            paper.repaired_central(epsilon, n_arms=n_arms, list_size=size, horizon=horizon),
        )
        printed = [
            paper.ucb_laplace(epsilon, list_size=size),
            paper.ucb_gaussian(epsilon, delta=FAILURE, list_size=size),
            bit,
        ]
        printed += [
            paper.ucb_hybrid(epsilon, n_arms=n_arms, horizon=horizon, variant=variant)
            for variant in ("printed", "proof")
        ]
        policies += [*(printed if epsilon in (0.2, 1.0) else [bit]), blocks]
    return [_long(paper.b_lb(*FIGURES), policy, horizon) for policy in policies]


# --- how does regret grow?

_OTHERS, _LEARNT = 8, 0.1  # items to rule out; share of uniform play's regret per round below which ln T can be seen
_MAKERS: dict[str, Callable[[float, float, int], Policy]] = {  # by epsilon, delta and list size
    "ucb_laplace": lambda epsilon, _, size: paper.ucb_laplace(epsilon, list_size=size),
    "ucb_gaussian": lambda epsilon, delta, size: paper.ucb_gaussian(epsilon, delta=delta, list_size=size),
    "ucb_composition": lambda epsilon, delta, size: paper.ucb_composition(epsilon, delta=delta, list_size=size),
    "repaired_local": lambda epsilon, _, size: paper.repaired_local(epsilon, list_size=size),
    "cucb_gaussian": lambda epsilon, delta, size: paper.cucb_gaussian(
        epsilon, delta=delta, n_arms=size + _OTHERS, list_size=size
    ),
    "ucb_hybrid": lambda _, __, size: paper.ucb_hybrid(
        20.0, n_arms=size + _OTHERS, horizon=GROWTH_HORIZON, variant="proof"
    ),
}
_SWEPT = {SIZE: (2, 4, 8), EPSILON: (0.5, 1.0, 2.0), LOG: (GROWTH_HORIZON,), DELTA: (1e-2, FAILURE, 1e-5)}
LOG_CASE: dict[str, Any] = {SIZE: 2, EPSILON: 4.0, DELTA: FAILURE}
"""Where no printed bound is vacuous, and regret is followed as ln t grows; the hybrid needs an epsilon of 20."""


def _growth(algorithm: str, quantity: str) -> list[LongRun]:
    """The runs of one sweep, with eight items to rule out whatever the list size; CUCB plays a top-K semi-bandit."""
    usual, make = LOG_CASE | ({} if quantity == LOG else {SIZE: 4, EPSILON: 1.0}), _MAKERS[algorithm]
    instance = paper.b_lb_semi if algorithm == "cucb_gaussian" else paper.b_lb
    cases = [tuple((usual | {quantity: value}).values())[:3] for value in _SWEPT[quantity]]
    return [_long(instance(k + _OTHERS, k, 0.2, 0.19), make(e, d, k), GROWTH_HORIZON, start=1000) for k, e, d in cases]


def growth_runs() -> list[LongRun]:
    """How regret grows with K, 1/epsilon and ln T, where the noise dominates and the items have been told apart."""
    sweeps = [[_growth(algorithm, quantity) for algorithm in [*_MAKERS][:-1]] for quantity in (SIZE, EPSILON, LOG)]
    made = [run for runs in sweeps for at_a_value in zip(*runs, strict=True) for run in at_a_value]
    made += _growth("ucb_gaussian", DELTA) + _growth("ucb_hybrid", LOG)
    return list({identity(run.problem, run.policy): run for run in made}.values())


def fits(growth: pd.DataFrame) -> dict[tuple[str, str], RateFit]:
    """Return every measured exponent, by algorithm and quantity.

    Parameters
    ----------
    growth : DataFrame
        Rows of the study.
    """
    found: dict[tuple[str, str], RateFit] = {}
    numbers = {identity(run.problem, run.policy): number for number, run in enumerate(growth_runs())}
    cases = [*product([*_MAKERS][:-1], (LOG, SIZE, EPSILON)), ("ucb_gaussian", DELTA), ("ucb_hybrid", LOG)]
    for algorithm, quantity in cases:
        runs = _growth(algorithm, quantity)
        parts = [growth[growth["run"] == numbers[identity(run.problem, run.policy)]] for run in runs]
        uniform = runs[0].problem.uniform_regret()
        fit = RateFit.growing(*rates.by_replication(parts[0], "t"), uniform, _LEARNT)
        if quantity != LOG:
            finals = [part.loc[part["t"] == GROWTH_HORIZON, "regret"].to_numpy() for part in parts]
            fit = RateFit.over(quantity, zip(_SWEPT[quantity], finals, strict=True), rates.PLANNED)
        found[algorithm, quantity] = fit
    return found


def name_of(algorithm: str) -> str:
    """Return what the policy of an algorithm is called.

    Parameters
    ----------
    algorithm : str
        As in the keys of `fits`.
    """
    return _growth(algorithm, LOG)[0].policy.name


# --- how much regret has one bit?


def bit_runs() -> list[LongRun]:
    """One bit at the epsilons of Figures 1(a)-(e) and without noise, with the notebook's own horizon and seed."""
    problem, size = paper.b_lb(*FIGURES), FIGURES[1]
    bits = [paper.repaired_local(e, list_size=size) for e in (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.4, 2.0, math.inf)]
    runs = [_long(problem, bit, ORDER_HORIZON, BIT_RUNS, checkpoints=()) for bit in bits]
    return [run._replace(seed=CHAPTER_SEED) for run in runs]


# --- in which order are the algorithms at the published noise?


def order_runs() -> list[LongRun]:
    """CascadeUCB1 and Algorithms 2 and 3 as published, 400 runs of each, at the settings of Figures 1(a)-(d) and 2."""
    made, (n_arms, _, p, gap) = [], FIGURES
    for size, epsilon in ((4, 0.2), (4, 0.5), (4, 1.0), (4, 2.0), (8, 0.2), (12, 0.2), (16, 0.2)):
        policies = [paper.cascade_ucb1()] if epsilon == 0.2 else []
        policies += [
            paper.ucb_laplace(epsilon, list_size=size, noise_multiplier=PUBLISHED),
            paper.ucb_gaussian(epsilon, delta=FAILURE, list_size=size, noise_multiplier=PUBLISHED),
        ]
        made += [(paper.b_lb(n_arms, size, p, gap), policy) for policy in policies]
    return [_long(*each, ORDER_HORIZON, ORDER_RUNS, checkpoints=()) for each in made]


def with_more(runs: pd.DataFrame, more: pd.DataFrame) -> pd.DataFrame:
    """Return runs at the last round, of each policy those of the longer study if it has the same on the same problem.

    Parameters
    ----------
    runs : DataFrame
        As `Chapter.play` returns.
    more : DataFrame
        The study, as `Chapter.long` returns it.
    """
    here = runs[runs["t"] == runs["t"].max()]
    stored = more[(more["t"] == here["t"].max()) & more["content"].isin(here["content"])]
    return pd.concat([here[~here["content"].isin(stored["content"])], stored], ignore_index=True)


# --- does regret grow with kappa?


def kappa_runs() -> list[LongRun]:
    """Both repairs at epsilon 1 on B_LB(K + 8, K, p, 0.95 p)."""
    made = []
    for p, size in product((0.1, 0.2, 0.5), (2, 4, 8, 16)):
        problem = paper.b_lb(size + _OTHERS, size, p, 0.95 * p)
        policies = (
            paper.repaired_local(1.0, list_size=size),
            paper.repaired_central(1.0, n_arms=size + _OTHERS, list_size=size, horizon=KAPPA_HORIZON),
        )
        made += [(p, _long(problem, policy, KAPPA_HORIZON, KAPPA_RUNS, checkpoints=KAPPA_AT)) for policy in policies]
    return [run._replace(labels={**run.labels, "p": p}) for p, run in made]


def over_lower(kappa: pd.DataFrame) -> pd.DataFrame:
    """Return the rows at the last round, with regret over the last two decades divided by the best lower bound there.

    Before, lists hold several wrong items at once. The bound is Theorem 11, `derived`, or Theorem 12, `corrected`.

    Parameters
    ----------
    kappa : DataFrame
        Rows of the study.
    """
    late, early = (kappa[kappa["t"] == t].reset_index(drop=True) for t in (KAPPA_HORIZON, KAPPA_AT[0]))
    at, span = late[["n_arms", "list_size", "p", "trust"]], KAPPA_HORIZON // KAPPA_AT[0]  # constants times ln T
    proved = [_lower(n, k, p, trust, span) for n, k, p, trust in at.to_numpy()]
    return late.assign(regret=(late["regret"] - early["regret"]) / proved)


def _lower(n_arms: int, list_size: int, p: float, trust: str, horizon: int) -> float:
    bound, variant = {
        "local": (bounds.theorem_11, "derived"),
        "central": (bounds.theorem_12, "corrected"),
    }[trust]
    return bound(n_arms=n_arms, list_size=list_size, p=p, gap=0.95 * p, epsilon=1.0, horizon=horizon, variant=variant)


def kappa_fit(kappa: pd.DataFrame, trust: str) -> tuple[Interval, float]:
    """Return the exponent of K in `over_lower`, by replication and averaged over p, and that of kappa.

    Kappa is (1 - (1 - p)^K)/p.

    Parameters
    ----------
    kappa : DataFrame
        Rows of the study, or those of some p.
    trust : str
        "local" for the one bit, "central" for the blocks.
    """
    rows, found = over_lower(kappa[kappa["trust"] == trust]), []
    rows["kappa"] = (1.0 - (1.0 - rows["p"]) ** rows["list_size"]) / rows["p"]
    for _, part in rows.groupby(["p", "replication"]):
        found.append([rates.exact_slope(part["list_size"], part[name]).measured for name in ("regret", "kappa")])
    exponents, of_kappa = np.reshape(found, (rows["p"].nunique(), -1, 2)).mean(axis=0).T
    return mean_interval(exponents), float(of_kappa[0])


def kappa_fits(kappa: pd.DataFrame, trust: str) -> list[tuple[Interval, float]]:
    """Return `kappa_fit` at each p of `KAPPA_MOVES`.

    Parameters
    ----------
    kappa : DataFrame
        Rows of the study.
    trust : str
        As for `kappa_fit`.
    """
    return [kappa_fit(kappa[kappa["p"] == p], trust) for p in KAPPA_MOVES]


def at_end(runs: pd.DataFrame, policy: str, variant: str) -> float:
    """Return the mean regret at the last round of one policy in one variant.

    Parameters
    ----------
    runs : DataFrame
        As `Chapter.play` returns, of one epsilon.
    policy, variant : str
        As in its columns.
    """
    last = runs[(runs["t"] == runs["t"].max()) & (runs["policy"] == policy) & (runs["variant"] == variant)]
    return float(last["regret"].mean())


_COLUMNS = ["policy", "epsilon", "delta", "effective_epsilon", "n_arms", "list_size"]
STUDIES = {
    "learning": LongStudy(learning_runs, _COLUMNS),
    "growth": LongStudy(growth_runs, _COLUMNS),
    "bit": LongStudy(bit_runs, _COLUMNS),
    "order": LongStudy(order_runs, _COLUMNS),
    "kappa": LongStudy(kappa_runs, [*_COLUMNS, "trust", "p"]),
}
