"""The longer studies of the chapter on Basu et al. (2019), and what is read from their rows.

`private-bandits reproduce definitions --long` makes them; the rows are committed by replication.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from private_bandits import baselines
from private_bandits.papers.definitions import bounds, replacements
from private_bandits.policy import Policy
from private_bandits.problems import Arms
from private_bandits_book.judging.rates import LEAST_RUNS
from private_bandits_book.runs import last, means
from private_bandits_book.studies import LongRun, LongStudy

N_ARMS, GAP = 3, 0.5
LONG_HORIZON, LONG_EPSILONS = 10**8, (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
LDP_UCB, DP_SE, ADAP_KLUCB, DP_KLUCB, UCB = "LDP-UCB-B", "DP-SE", "AdaP-KLUCB", "DP-KLUCB", "UCB"
STATED = {(UCB, math.inf): 50, (LDP_UCB, 0.1): 50, (DP_KLUCB, 0.1): 200}
"""Runs of the policies whose regret the findings state; the numbers follow from 2,000 runs on another seed."""
PRICE, PRICE_HORIZON = 0.2, 10**7
PRICE_GAPS = (0.8, 0.4, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005)
LEFT = 0.9  # of the regret of uniform play, from which a line is not drawn


def instance(n_arms: int, gap: float) -> Arms:
    """Return one arm of mean 1/2 + gap/2 and n_arms - 1 of mean 1/2 - gap/2, Bernoulli; gap in (0, 1)."""
    return Arms.bernoulli(np.array([0.5 + gap / 2] + [0.5 - gap / 2] * (n_arms - 1)))


def made(name: str, epsilon: float, n_arms: int = N_ARMS, horizon: int = LONG_HORIZON) -> Policy:
    """Return an algorithm of another paper at epsilon, by its name."""
    makers: dict[str, Callable[[], Policy]] = {
        LDP_UCB: lambda: baselines.ldp_ucb_response(epsilon),
        DP_SE: lambda: baselines.dp_se(epsilon, n_arms=n_arms, horizon=horizon),
        ADAP_KLUCB: lambda: baselines.adap_klucb(epsilon),
        DP_KLUCB: lambda: baselines.dp_klucb(epsilon),
        UCB: baselines.ucb,
    }
    return makers[name]()


def everyone(epsilons: Iterable[float], n_arms: int, horizon: int) -> list[Policy]:
    """Return UCB without privacy, and the four algorithms of other papers at every epsilon."""
    private = product((LDP_UCB, DP_SE, ADAP_KLUCB, DP_KLUCB), epsilons)
    return [baselines.ucb(), *(made(name, epsilon, n_arms, horizon) for name, epsilon in private)]


# --- the minimax bounds, as the paper states them


def readings(epsilons: Sequence[float], n_arms: int, horizon: int) -> pd.DataFrame:
    """Return each version of a minimax bound of the paper, and what is proved here.

    Returns
    -------
    DataFrame
        Columns `definition`, `line` ("Table 1", "theorem", "paper's proof" or "proved here"), `epsilon`, `value`.
    """
    lines = {"table": "Table 1", "printed": "theorem", "proof": "paper's proof"}
    lines |= dict.fromkeys(["derived", "corrected"], "proved here")
    known: list[tuple[str, Callable[..., float], str]] = [
        ("DP", bounds.theorem_3, "table printed proof derived"),
        ("instantaneous DP", bounds.theorem_2, "table proof corrected"),
        ("local DP", bounds.theorem_1, "table printed proof derived"),
    ]
    rows = [
        (name, lines[variant], epsilon, theorem(n_arms=n_arms, epsilon=epsilon, horizon=horizon, variant=variant))
        for name, theorem, variants in known
        for variant, epsilon in product(variants.split(), epsilons)
    ]
    return pd.DataFrame(rows, columns=["definition", "line", "epsilon", "value"])


# --- one instance, for many rounds


def one_instance_runs() -> list[LongRun]:
    """Every algorithm at every epsilon to T = 10^8, and without privacy UCB and the central ones."""
    free = [(name, math.inf) for name in (UCB, DP_SE, ADAP_KLUCB, DP_KLUCB)]
    return [long_run(*each) for each in (*free, *product((LDP_UCB, DP_SE, ADAP_KLUCB, DP_KLUCB), LONG_EPSILONS))]


def long_run(name: str, epsilon: float) -> LongRun:
    """Return a run of the study on one instance."""
    least = 20 if name == DP_KLUCB else LEAST_RUNS
    problem, policy, runs = instance(N_ARMS, GAP), made(name, epsilon), STATED.get((name, epsilon), least)
    return LongRun({}, problem, policy, LONG_HORIZON, seed=20191, replications=runs, start=1000)


# --- the price of privacy, on the hardest of many instances


def price_runs() -> list[LongRun]:
    """A local and a central algorithm, with and without privacy, over gaps, to T = 10^7."""
    marks = np.unique(np.geomspace(1e3, PRICE_HORIZON, 17).round()).astype(int).tolist()
    runs = []
    for name, epsilon, gap in product((LDP_UCB, DP_KLUCB), (PRICE, math.inf), PRICE_GAPS):
        problem, policy = instance(N_ARMS, gap), made(name, epsilon, horizon=PRICE_HORIZON)
        often = 100 if name == DP_KLUCB else 20  # its runs differ most
        runs.append(LongRun({"gap": gap}, problem, policy, PRICE_HORIZON, 20192, often, marks))
    return runs


def factors(price: pd.DataFrame) -> pd.DataFrame:
    """Return the largest mean regret over the gaps at epsilon, divided by that without privacy, as `regret`.

    A row stands only where both have left uniform play.

    Parameters
    ----------
    price : DataFrame
        Rows of the study.
    """
    found = means(price)
    worst = found.loc[found.groupby(["policy", "epsilon", "t"], sort=False)["regret"].idxmax()]
    worst = worst[worst["regret"] < LEFT * worst["uniform"] * worst["t"]]
    private, plain = worst[np.isfinite(worst["epsilon"])], worst[np.isinf(worst["epsilon"])]
    both = private.merge(plain[["policy", "t", "regret", "regret_se"]], on=["policy", "t"], suffixes=("", "_plain"))
    factor = both["regret"] / both["regret_plain"]
    spread = np.hypot(both["regret_se"] / both["regret"], both["regret_se_plain"] / both["regret_plain"])
    names = {"regret": "regret_private", "regret_se": "regret_se_private"}
    return both.rename(columns=names).assign(regret=factor, regret_se=factor * spread, problem="the hardest gap")


# --- regret and the bounds below it


def hardest(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs at the last round on the gap with the most regret, for every policy and epsilon.

    Parameters
    ----------
    runs : DataFrame
        With a column `gap`.
    """
    rows, by = last(runs), ["policy", "epsilon", "gap"]
    regret = rows.groupby(by, sort=False)["regret"].mean().reset_index()
    worst = regret.loc[regret.groupby(by[:2], sort=False)["regret"].idxmax(), by]
    return worst.merge(rows, on=by)[rows.columns].assign(problem=f"the hardest of {rows['gap'].nunique()} gaps")


_Lower = Callable[..., float]


def with_bounds(runs: pd.DataFrame, game: Any) -> pd.DataFrame:
    """Return runs at the last round with a line of the best lower bound for each trust model.

    Parameters
    ----------
    runs : DataFrame
    game : int or array, shape (arms,)
        A number of arms for the minimax bounds, means for those on this instance, which are asymptotic.
    """
    minimax = isinstance(game, int)
    local: _Lower = replacements.local_minimax if minimax else replacements.local_lower
    central: _Lower = replacements.central_minimax if minimax else replacements.central_lower
    instance = {"n_arms": game} if minimax else {"means": game}
    rows, lines = last(runs), []
    if not minimax:
        rows = rows.assign(problem=f"arms of means {', '.join(f'{mean:g}' for mean in game)}")
    horizon, epsilons = int(rows["t"].iloc[0]), sorted(e for e in rows["epsilon"].unique() if math.isfinite(e))
    for (trust, bound), epsilon in product((("local", local), ("central", central)), epsilons):
        facts = {"policy": f"lower bound, {trust}", "trust": trust, "epsilon": epsilon, "mechanism": "uniform"}
        lines.append(
            facts | {"family": "none", "replication": 0, "regret": bound(**instance, epsilon=epsilon, horizon=horizon)}
        )
    bounds = rows.iloc[:1].drop(columns=[*lines[0]]).merge(pd.DataFrame(lines), how="cross")
    return pd.concat([rows, bounds[rows.columns]], ignore_index=True)


def over_lower(runs: pd.DataFrame, policy: str, lower: _Lower, instance: Any) -> tuple[float, float]:
    """Return the least and the largest mean regret of a private policy over a lower bound on an instance.

    Parameters
    ----------
    runs : DataFrame
        Of one horizon, with several epsilons.
    policy : str
    lower : callable
        Of `replacements`, by means, epsilon and horizon.
    instance : array, shape (arms,)
        The means.
    """
    at = last(runs)
    regret = at[at["policy"] == policy].groupby("epsilon")["regret"].mean()
    bounds = [lower(means=instance, epsilon=epsilon, horizon=int(at["t"].iloc[0])) for epsilon in regret.index]
    return float((regret / bounds).min()), float((regret / bounds).max())


STUDIES = {
    "upper-lower": LongStudy(one_instance_runs, ["policy", "epsilon"]),
    "price": LongStudy(price_runs, ["policy", "epsilon", "gap"]),
}
