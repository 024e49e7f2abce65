"""The longer studies of the page on replay: the choice of its rule, and the measurement on other instances.

`private-bandits reproduce replay --long` makes them; the rows are committed by replication.
"""

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from private_bandits import baselines
from private_bandits.policy import Policy
from private_bandits.privacy.divergences import private_kl
from private_bandits.problems import Arms
from private_bandits_book.studies import LongRun

CHOOSING = {"two": (0.6, 0.5), "ladder": (0.9, 0.8, 0.7, 0.6), "one": (0.75, *[0.25] * 4), "close": (0.55, 0.5, 0.5)}
"""The instances on which the rule was chosen."""
PAPERS = {
    "C1": (0.75, 0.7, 0.7, 0.7, 0.7),
    "C2": (0.75, 0.625, 0.5, 0.375, 0.25),
    "C3": (0.75, 0.53125, 0.375, 0.28125, 0.25),
    "C4": (0.75, 0.71875, 0.625, 0.46875, 0.25),
}
"""Those of Sajed and Sheffet (2019), which Azize and Basu (2022) use too."""
SEED, RUNS, CHOICE_HORIZON, HORIZON = 44, 100, 20_000, 100_000
EPSILONS, HORIZONS, LOSSES, GROWTHS = (
    (0.05, 0.1, 0.3, 1.0, 5.0),
    (10**3, 10**4, 10**6),
    (0.5, 1.0, 2.0, 4.0),
    (0.5, 1.0, 2.0),
)


def drawn() -> dict[str, tuple[float, ...]]:
    """Return ten instances of 2 to 10 arms with uniform means, drawn once from seed 44, before any run on them."""
    rng = np.random.default_rng(44)
    sizes = rng.integers(2, 11, 10)
    return {f"R{i}": tuple(np.sort(rng.random(size))[::-1].round(3).tolist()) for i, size in enumerate(sizes)}


def instances() -> dict[str, tuple[float, ...]]:
    """Return the instances on which the rule is judged."""
    return PAPERS | drawn()


def _long(instance: str, means: Any, policy: Policy, horizon: int, **labels: Any) -> LongRun:
    known = {"policy": policy.name, "instance": instance, "horizon": horizon, "epsilon": policy.privacy.epsilon}
    return LongRun(known | labels, Arms.bernoulli(means), policy, horizon, SEED, RUNS, checkpoints=())


def private(epsilon: float, n_arms: int, horizon: int) -> list[Policy]:
    """Return the private policies that are compared: two replayed, then those of other papers."""
    return [
        baselines.replay(baselines.thompson(), epsilon, horizon),
        baselines.replay(baselines.ucb(0.5), epsilon, horizon),
        baselines.dp_klucb(epsilon),
        baselines.adap_klucb(epsilon),
        baselines.adap_ucb(epsilon),
        baselines.dp_se(epsilon, n_arms, horizon),
    ]


def choice_runs() -> list[LongRun]:
    """Thompson sampling replayed with twelve rules: loss = factor ln T / epsilon^2, and growth."""
    made = []
    for (name, means), epsilon in product(CHOOSING.items(), (0.1, 0.5, 2.0)):
        for factor, growth in product(LOSSES, GROWTHS):
            loss = factor * math.log(CHOICE_HORIZON) / epsilon**2
            first = math.ceil(0.5 + math.sqrt(0.25 + loss))
            how: dict[str, Any] = {"first": first, "growth": growth, "loss": loss}
            policy = baselines.replay(baselines.thompson(), epsilon, CHOICE_HORIZON, **how)
            made.append(_long(name, means, policy, CHOICE_HORIZON, factor=factor, growth=growth))
    return made


def measurement_runs() -> list[LongRun]:
    """Every private policy on every instance, at T = 10^5, with those without privacy."""
    made = []
    for name, means in instances().items():
        policies = [baselines.thompson(), baselines.ucb(0.5)]
        policies += [policy for epsilon in EPSILONS for policy in private(epsilon, len(means), HORIZON)]
        made += [_long(name, means, policy, HORIZON) for policy in policies]
    return made


def horizon_runs() -> list[LongRun]:
    """Other horizons, on C1 and C2 at epsilon 0.1 and 1; and KL-UCB on C2 at T = 10^5."""
    made = []
    for name, horizon in product(("C1", "C2"), HORIZONS):
        policies = [baselines.thompson(), *private(0.1, 5, horizon), *private(1.0, 5, horizon)]
        made += [_long(name, PAPERS[name], policy, horizon) for policy in policies]
    policies = [baselines.kl_ucb(), *(baselines.replay(baselines.kl_ucb(), e, HORIZON) for e in (0.1, 1.0))]
    return [*made, *(_long("C2", PAPERS["C2"], policy, HORIZON) for policy in policies)]


def lower(means: Any, horizon: int, epsilon: float) -> float:
    """Return the lower bound of Azize et al. (2025): ln T times the sum of gap / d_epsilon(mean || best)."""
    best = max(means)
    return math.log(horizon) * sum((best - m) / private_kl(m, best, epsilon) for m in means if m < best)


def linear(rows: pd.DataFrame) -> pd.Series:
    """Return which runs are linear: their regret is at least half of T times the smallest gap."""
    known = CHOOSING | instances()
    gaps = {name: min(max(means) - m for m in means if m < max(means)) for name, means in known.items()}
    return rows["regret"] >= rows["instance"].map(gaps) * rows["horizon"] / 2


STUDIES: dict[str, Callable[[], list[LongRun]]] = {"choice": choice_runs, "measurement": measurement_runs}
STUDIES |= {"horizons": horizon_runs}


COLUMNS = [f"{epsilon:g}" if epsilon < 1 else f"{epsilon:.1f}" for epsilon in EPSILONS]


def over_free(rows: pd.DataFrame) -> pd.DataFrame:
    """Return mean regret over the best without privacy, and the variance of its logarithm, by instance and policy."""
    by = ["instance", "policy", "epsilon"]
    found = rows.groupby(by, sort=False)["regret"].agg(regret="mean", se="sem").reset_index()
    best = found[np.isinf(found["epsilon"])].groupby("instance")["regret"].min()
    return found.assign(
        ratio=found["regret"] / found["instance"].map(best), variance=(found["se"] / found["regret"]) ** 2
    )


def price(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the geometric mean of `over_free` over the instances, with the facts of each policy.

    Parameters
    ----------
    rows : DataFrame
        Of the measurement, as `Chapter.long` returns them.
    """
    facts = rows.drop(columns=["instance", "replication", "regret", "problem", "uniform"]).drop_duplicates()
    parts = over_free(rows).groupby(["policy", "epsilon"], sort=False)
    found = parts.apply(
        lambda part: pd.Series(
            {
                "regret": np.exp(np.log(part["ratio"]).mean()),
                "regret_se": np.exp(np.log(part["ratio"]).mean()) * np.sqrt(part["variance"].sum()) / len(part),
                "replications": RUNS,
            }
        ),
        include_groups=False,
    )
    return facts.merge(found.reset_index(), on=["policy", "epsilon"], validate="1:1")


def choice(rows: pd.DataFrame) -> pd.DataFrame:
    """Return of each rule the geometric mean of regret over the least in its cell, and how many runs are linear."""
    cell, rule = ["instance", "epsilon"], ["factor", "growth"]
    found = rows.groupby([*cell, *rule])["regret"].mean().reset_index()
    found["ratio"] = np.log(found["regret"] / found.groupby(cell)["regret"].transform("min"))
    ratios = np.exp(found.groupby(rule)["ratio"].mean())
    return pd.concat([ratios, rows.assign(linear=linear(rows)).groupby(rule)["linear"].sum()], axis=1).reset_index()


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a row per private policy: `price` at each epsilon, linear runs, and the worst run.

    That is the largest regret over T times the largest gap.

    Parameters
    ----------
    rows : DataFrame
        Of the measurement, as `Chapter.long` returns them.
    """
    gaps = {name: max(means) - min(means) for name, means in instances().items()}
    runs = rows[rows["trust"] != "none"]
    runs = runs.assign(linear=linear(runs), worst=runs["regret"] / runs["instance"].map(gaps) / HORIZON)
    by = runs.groupby("policy", sort=False)
    told = by["linear"].sum().to_frame().join(by["worst"].max())
    ratios = price(rows).pivot(index="policy", columns="epsilon", values="regret")[list(EPSILONS)]
    return ratios.set_axis(COLUMNS, axis=1).join(told, how="right").reset_index()


def over_time(rows: pd.DataFrame, measured: pd.DataFrame) -> pd.DataFrame:
    """Return mean regret at each horizon, on C1 and C2, at epsilon 0.1 and 1 and without privacy.

    Parameters
    ----------
    rows, measured : DataFrame
        Of the horizons and of the measurement.
    """
    known = pd.concat([rows, measured])
    table = known.pivot_table(index=["instance", "epsilon", "policy"], columns="horizon", values="regret", sort=False)
    return table[sorted(table)].dropna().rename(columns=str).reset_index()


def lower_line() -> tuple[str, list[float], list[float]]:
    """Return the line of the lower bound in the figure of the price: over that without privacy, a geometric mean."""
    found = []
    for epsilon in EPSILONS:
        logs = [math.log(lower(m, HORIZON, epsilon) / lower(m, HORIZON, math.inf)) for m in instances().values()]
        found.append(math.exp(sum(logs) / len(logs)))
    return "lower bound", list(EPSILONS), found
