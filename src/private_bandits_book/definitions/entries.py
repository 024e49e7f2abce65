"""Tables 1 and 2 of Basu et al. (2019) in numbers: as printed, as proved, and what can be used instead."""

import math
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from private_bandits.papers.definitions import bounds, replacements
from private_bandits.privacy.divergences import local_factor
from private_bandits_book.package_data import tables

_RESULTS = {"DP": 3, "instantaneous DP": 2, "local DP": 1}
"""The number of each definition's theorem, and of its corollary."""
_DATA = tables("definitions", "entries")


def table_1(means: np.ndarray, horizon: int, epsilons: Sequence[float]) -> pd.DataFrame:
    """Return Table 1 in numbers, a row per definition and epsilon; nan where the paper says "open problem"."""
    rows = []
    for (name, number), epsilon in product(_RESULTS.items(), epsilons):
        entry = _bound(f"theorem_{number}", "table", minimax=True, game=(means, horizon, epsilon))
        dependent = _dependent(means, horizon, epsilon) if name == "local DP" else math.nan
        rows.append((name, epsilon, len(means), horizon, entry, entry, dependent))
    regrets = ["minimax", "bayesian_minimax", "problem_dependent"]
    return pd.DataFrame(rows, columns=["definition", "epsilon", "n_arms", "horizon", *regrets])


def table_2(means: np.ndarray, horizon: int, epsilons: Sequence[float]) -> pd.DataFrame:
    """Return Table 2, which result proves which entry of Table 1, and whether it does.

    `low` and `high` are the extremes over epsilon of the entry over the result's bound, constants that are
    left open set to 1. The two agree if that is one number, the constant that the table drops.
    """
    rows = []
    for name, number in _RESULTS.items():
        for regret, kind in (("minimax", "theorem"), ("Bayesian minimax", "corollary")):
            said = ((f"theorem_{number}", "table"), (f"{kind}_{number}", "printed"))
            games = [(means, horizon, epsilon) for epsilon in epsilons]
            pairs = [tuple(_bound(*one, minimax=True, game=game) for one in said) for game in games]
            rows.append(_agreement(name, regret, f"{kind.capitalize()} {number}", pairs))
    pairs = [(_dependent(means, horizon, e), bounds.theorem_4(means, horizon, e)) for e in epsilons]
    return pd.DataFrame([*rows, _agreement("local DP", "problem-dependent", "Theorem 4", pairs)])


def variants(means: Sequence[float] | np.ndarray, horizon: int, epsilon: float) -> pd.DataFrame:
    """Return each entry of Table 1 as the table, the theorem and the proof have it, and what replaces it.

    Columns definition, regret ("minimax" stands for Bayesian minimax too), reading, epsilon, locus, value, plain (the
    bound without privacy), vacuous (not above plain) and impossible (above T; never for problem-dependent bounds, which
    are asymptotic). The value is nan where that variant says nothing.
    """
    rows = []
    for entry in _DATA["entries"]:
        named = {name: entry[name] for name in ("definition", "regret", "reading")} | {"epsilon": epsilon}
        value = _bound(*entry["bound"], minimax=entry["regret"] == "minimax", game=(means, horizon, epsilon))
        rows.append(named | {"locus": entry["locus"], "value": value})
    frame = pd.DataFrame(rows)
    plain = {"minimax": replacements.minimax(len(means), horizon)}
    frame["plain"] = frame["regret"].map(plain | {"problem-dependent": replacements.lai_robbins(means, horizon)})
    frame["vacuous"] = ~(frame["value"] > frame["plain"])
    frame["impossible"] = (frame["value"] > horizon) & (frame["regret"] == "minimax")
    return frame.assign(n_arms=len(means), horizon=horizon)


def usable(question: str, trust: str, means: np.ndarray, horizon: int, epsilon: float) -> dict[str, float]:
    """Return the bounds that can be used, the best first.

    `question` is "instance" (the problem-dependent ones, times ln T) or "hardest" (the minimax ones).
    """
    minimax, listed = question == "hardest", _DATA["usable"][question]["local" if trust == "local" else "central"]
    found = {name: _bound(*told, minimax=minimax, game=(means, horizon, epsilon)) for name, told in listed.items()}
    plain = replacements.minimax(len(means), horizon) if minimax else replacements.lai_robbins(means, horizon)
    return found | {"no privacy": plain}


def _bound(name: str, *variant: str, minimax: bool, game: tuple[Any, int, float]) -> float:
    arms, horizon, epsilon = game
    bound = (vars(bounds) | vars(replacements))[name]
    return float(bound(len(arms) if minimax else arms, horizon, epsilon, *variant))


def _dependent(means: np.ndarray, horizon: int, epsilon: float) -> float:
    """The problem-dependent entry of Table 1, with c(nu) the constant of Lai and Robbins."""
    return replacements.lai_robbins(means, horizon) / (2.0 * local_factor(epsilon))


def _agreement(name: str, regret: str, result: str, pairs: Sequence[tuple[float, ...]]) -> dict[str, Any]:
    ratios = [entry / bound for entry, bound in pairs if math.isfinite(entry) and 0 < bound < math.inf]
    low, high = (min(ratios), max(ratios)) if ratios else (math.nan, math.nan)
    agrees = bool(ratios) and high <= low * (1 + 1e-9)
    return {"definition": name, "regret": regret, "result": result, "low": low, "high": high, "agrees": agrees}
