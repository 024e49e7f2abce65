"""The longer studies of the page on replay: the choice of its rule, the measurement on other instances, and lists.

`private-bandits reproduce replay --long` makes them. The page and its rules need means, the worst run and the number
of linear ones, so a policy on an instance is one row.
"""

import math
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd

from private_bandits import baselines
from private_bandits.estimates import Interval
from private_bandits.papers import cascading, semibandits
from private_bandits.policy import Policy
from private_bandits.privacy.divergences import private_kl
from private_bandits.problems import Arms, SemiBandit
from private_bandits_book.judging import Less, Ruling, not_shown
from private_bandits_book.rivals.single_observation import OneItem
from private_bandits_book.studies import LongRun, LongStudy, play_long

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


def play(run: LongRun, n_jobs: int = -1) -> pd.DataFrame:
    """Play a run: a row of mean regret, its standard error, the worst run, and how many are linear.

    A run is linear if its regret is at least half of T times the smallest gap.
    """
    regret, means = play_long(run, n_jobs)["regret"], np.unique(run.problem.means)
    linear = int((regret >= (means[-1] - means[-2]) * run.horizon / 2).sum())
    row = {"regret": regret.mean(), "regret_se": regret.sem(), "worst": regret.max(), "linear": linear}
    return pd.DataFrame([{**row, "replications": len(regret)}])


def _long(instance: str, problem: Any, policy: Any, horizon: int, **labels: Any) -> LongRun:
    arms = Arms.bernoulli(np.array(problem)) if isinstance(problem, tuple) else problem  # means
    labels |= {"instance": instance, "horizon": horizon}
    runs = RUNS if isinstance(policy, Policy) else RUNS // 5
    return LongRun(labels, arms, policy, horizon, SEED, runs, checkpoints=())


def private(epsilon: float, n_arms: int, horizon: int) -> list[Policy]:
    """Return the private policies that are compared: two replayed, then those of other papers."""
    return [
        baselines.replay(baselines.thompson(), epsilon, horizon=horizon),
        baselines.replay(baselines.ucb(alpha=0.5), epsilon, horizon=horizon),
        baselines.dp_klucb(epsilon),
        baselines.adap_klucb(epsilon),
        baselines.adap_ucb(epsilon),
        baselines.dp_se(epsilon, n_arms=n_arms, horizon=horizon),
    ]


def choice_runs() -> list[LongRun]:
    """Thompson sampling replayed with twelve rules: loss = factor ln T / epsilon^2, and growth."""
    made = []
    for (name, means), epsilon in product(CHOOSING.items(), (0.1, 0.5, 2.0)):
        for factor, growth in product(LOSSES, GROWTHS):
            loss = factor * math.log(CHOICE_HORIZON) / epsilon**2
            policy = baselines.replay(baselines.thompson(), epsilon, horizon=CHOICE_HORIZON, growth=growth, cost=loss)
            made.append(_long(name, means, policy, CHOICE_HORIZON, factor=factor, growth=growth))
    return made


def measurement_runs() -> list[LongRun]:
    """Every private policy on every instance, at T = 10^5, with those without privacy."""
    made = []
    for name, means in instances().items():
        policies = [baselines.thompson(), baselines.ucb(alpha=0.5)]
        policies += [policy for epsilon in EPSILONS for policy in private(epsilon, len(means), HORIZON)]
        made += [_long(name, means, policy, HORIZON) for policy in policies]
    return made


def horizon_runs() -> list[LongRun]:
    """Other horizons, on C1 and C2 at epsilon 0.1 and 1; and KL-UCB on C2 at T = 10^5."""
    made = []
    for name, horizon in product(("C1", "C2"), HORIZONS):
        policies = [baselines.thompson(), *private(0.1, 5, horizon), *private(1.0, 5, horizon)]
        made += [_long(name, PAPERS[name], policy, horizon) for policy in policies]
    policies = [baselines.kl_ucb(), *(baselines.replay(baselines.kl_ucb(), e, horizon=HORIZON) for e in (0.1, 1.0))]
    return [*made, *(_long("C2", PAPERS["C2"], policy, HORIZON) for policy in policies)]


def list_runs() -> list[LongRun]:
    """Lists and super arms of the chapters on them, at T = 10^5: replay around `OneItem`, and the chapters' repairs."""
    shop, (films, size) = cascading.b_lb(20, 4, 0.2, 0.15), (np.array([0.5] * 3 + [0.2] * 9), 3)
    listed = SemiBandit.from_sets(films, [*combinations(range(len(films)), size)])
    made = []
    for epsilon in (0.2, 1.0):
        replayed = baselines.replay(OneItem(), epsilon, horizon=HORIZON)
        central = cascading.repaired_central(epsilon, n_arms=shop.n_arms, list_size=shop.list_size, horizon=HORIZON)
        made += [_long("cascade", shop, policy, HORIZON) for policy in (replayed, central)]
        made.append(_long("super arms", SemiBandit.top_k(films, size), replayed, HORIZON))
        made.append(
            _long(
                "super arms",
                listed,
                semibandits.cucb_blocks(epsilon, list_size=size, n_arms=len(films), horizon=HORIZON),
                HORIZON,
            )
        )
    return made


def lower(means: Any, horizon: int, epsilon: float) -> float:
    """Return the lower bound of Azize et al. (2025): ln T times the sum of gap / d_epsilon(mean || best)."""
    best = max(means)
    return math.log(horizon) * sum((best - m) / private_kl(m, best, epsilon) for m in means if m < best)


_STORED = ["policy", "instance", "horizon", "epsilon"]
STUDIES = {
    "choice": LongStudy(choice_runs, [*_STORED, "factor", "growth"], play),
    "measurement": LongStudy(measurement_runs, _STORED, play),
    "horizons": LongStudy(horizon_runs, _STORED, play),
    "lists": LongStudy(list_runs, _STORED, play),
}
COLUMNS = [f"{epsilon:g}" if epsilon < 1 else f"{epsilon:.1f}" for epsilon in EPSILONS]


def over_free(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with mean regret over the best without privacy, and the variance of its logarithm."""
    best = rows[np.isinf(rows["epsilon"])].groupby("instance")["regret"].min()
    error = rows["regret_se"] / rows["regret"]
    return rows.assign(ratio=rows["regret"] / rows["instance"].map(best), variance=error**2)


def less(ours: pd.DataFrame, theirs: pd.DataFrame) -> Ruling:
    """Judge whether some policies have less regret than others, in the geometric mean of the ratios over all settings.

    In each setting the best policy of either side counts.

    Parameters
    ----------
    ours, theirs : DataFrame
        Rows of the measurement, as `Chapter.long` returns them. Without a column `epsilon` theirs are compared with
        ours at every epsilon.
    """
    by = [name for name in ("instance", "epsilon") if name in theirs]
    both = _best(ours, ["instance", "epsilon"]).merge(_best(theirs, by), on=by, suffixes=("", "_other"))
    if both.empty:
        return not_shown("no setting has both")
    logs = np.log(both["regret"] / both["regret_other"])
    middle = float(logs.mean())
    half = 1.96 * float(np.sqrt((both["variance"] + both["variance_other"]).sum())) / len(both)
    runs = int(min(rows["replications"].min() for rows in (ours, theirs)))
    names = [" or ".join(rows["policy"].unique()) for rows in (ours, theirs)]
    return Less(f"ln regret of {names[0]}", f"that of {names[1]}")(
        Interval(middle, middle - half, middle + half, runs=runs)
    )


def _best(rows: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """In each setting the row with the least mean regret, with the variance of its logarithm."""
    known = rows.assign(variance=(rows["regret_se"] / rows["regret"]) ** 2)
    return known.sort_values("regret").drop_duplicates(by)


def price(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the geometric mean of `over_free` over the instances, with the facts of each policy.

    Parameters
    ----------
    rows : DataFrame
        Of the measurement, as `Chapter.long` returns them.
    """
    numbers = "run instance regret regret_se worst linear replications problem uniform content seed".split()
    parts = over_free(rows).assign(log=lambda known: np.log(known["ratio"])).groupby(["policy", "epsilon"], sort=False)
    found = parts.agg(
        log=("log", "mean"), variance=("variance", "sum"), size=("log", "size"), replications=("replications", "first")
    )
    found["regret"] = np.exp(found["log"])
    found["regret_se"] = found["regret"] * np.sqrt(found["variance"]) / found["size"]
    told = found[["regret", "regret_se", "replications"]].reset_index()
    return (
        rows.drop(columns=numbers)
        .drop_duplicates()
        .assign(t=HORIZON)
        .merge(told, on=["policy", "epsilon"], validate="1:1")
    )


def choice(rows: pd.DataFrame) -> pd.DataFrame:
    """Return of each rule the geometric mean of regret over the least in its cell, and how many runs are linear."""
    least = rows.groupby(["instance", "epsilon"])["regret"].transform("min")
    parts = rows.assign(ratio=np.log(rows["regret"] / least)).groupby(["factor", "growth"])
    return parts.agg(ratio=("ratio", lambda logs: np.exp(logs.mean())), linear=("linear", "sum")).reset_index()


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
    runs = runs.assign(worst=runs["worst"] / runs["instance"].map(gaps) / HORIZON)
    told = runs.groupby("policy", sort=False).agg(linear=("linear", "sum"), worst=("worst", "max"))
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
