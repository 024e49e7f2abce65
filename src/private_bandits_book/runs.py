"""Frames of runs: what a policy is and how private stands in columns, and how all of it becomes a CSV file."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from functools import cached_property
from types import FunctionType
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from private_bandits import checks
from private_bandits.papers.heavy_tailed.instances import ParetoArms
from private_bandits.policy import NOT_STATED, Policy, playable
from private_bandits.privacy import Guarantee
from private_bandits.problems import Arms, Cascade, ConvexLoss, LinearContext, Problem, SemiBandit
from private_bandits.simulation import AnyProblem

FACTS = ("policy", "algorithm", "variant", "trust", "epsilon", "value_epsilon", "effective_epsilon")
"""What a policy is and how private: columns of its runs."""
NAMES = {
    "uniform": "uniform play",
    "Response, first item": "one bit",
    "Blocks, kept": "blocks",
    "Hybrid, log of horizon": "Algorithm 1",
    "Hybrid": "Algorithm 1, as in its proof",
}
"""What figures, rankings and reasons call policies of the library."""


_DRAWN = ("policy", "mechanism", "trust", "epsilon", "t", "regret")
"""Columns that a plot reads."""
_TOLD = ("policy", "paper", "algorithm", "variant", "mechanism", "method")
"""Facts that a result of `simulate` keeps by the names of the columns."""
_MADE_OF = ("problem_parameters", "policy_parameters", "horizon", "seed")
"""Attributes that results have in common whose replications belong together."""


def family(policy: Any) -> str:
    """Return the algorithms that a policy is shown with, by one colour: mostly its mechanism, without privacy too."""
    known = playable(policy)
    return _coloured(known.family, known.calibration, known.mechanism)


def _coloured(family: str, calibration: str, mechanism: str) -> str:
    if family or calibration == "composition":
        return family or calibration
    return "response" if mechanism == "exponential" else mechanism


def frame(results: Any) -> pd.DataFrame:
    """Return results as a frame that plots and comparisons read.

    Parameters
    ----------
    results : Dataset, DataFrame, or list or mapping of them
        What `simulate` or `xarray.load_dataset` returns, of one policy or of several, or `Chapter.play`. The keys of a
        mapping are what its lines are called.

    Returns
    -------
    DataFrame
        A row per policy, replication and checkpoint, with what the policy is and how private as columns.

    Raises
    ------
    ValueError
        If it is anything else.

    Examples
    --------
    >>> from private_bandits import baselines, simulate
    >>> from private_bandits.problems import Arms
    >>> result = simulate(Arms.bernoulli([0.5, 0.4]), baselines.ucb(), horizon=100, replications=2, seed=1)
    >>> frame({"mine": result})["policy"].unique().tolist()
    ['mine']
    """
    if isinstance(results, pd.DataFrame):
        missing = [name for name in _DRAWN if name not in results]
        if missing or results.empty:
            lacks = f"one without {', '.join(missing)}" if missing else "one without rows"
            raise ValueError(f"a frame of runs must be as Chapter.play returns it, got {lacks}")
        return results
    if isinstance(results, xr.Dataset):
        if "policy" not in results.dims:
            return _simulated(results)
        return join(*(_simulated(results.isel(policy=place)) for place in range(results.sizes["policy"])))
    if isinstance(results, Mapping) and results:
        return join(*(frame(result).assign(policy=str(name)) for name, result in results.items()))
    if isinstance(results, list | tuple) and results:
        return join(*map(frame, results))
    wanted = "what simulate or Chapter.play returns, or a list or a mapping of them"
    raise ValueError(f"runs must be {wanted}, got {checks.brief(results)}")


def _simulated(result: xr.Dataset) -> pd.DataFrame:
    """The rows of a result of `simulate`, whose attributes hold the facts, and coordinates those of one of several."""
    told: dict[Any, Any] = {**result.attrs, **{name: one.item() for name, one in result.coords.items() if not one.dims}}
    lost = [name for name in (*_TOLD, "problem", "family", "calibration", "privacy") if name not in told]
    if "regret" not in result or {*result["regret"].dims} != {"replication", "t"}:
        lost = ["regret by replication and t", *lost]
    if lost:
        raise ValueError(f"a Dataset of runs must be as simulate returns it, got one without {lost[0]}")
    privacy = vars(Guarantee.none())
    if told["privacy"] != NOT_STATED:
        privacy = json.loads(told["privacy"])
    known: dict[str, Any] = {name: str(told[name]) for name in _TOLD}
    known["family"] = _coloured(told["family"], told["calibration"], told["mechanism"])
    known["trust"] = privacy["trust"]
    for name in ("epsilon", "value_epsilon", "effective_epsilon"):
        known[name] = math.nan if privacy[name] is None else float(privacy[name])
    made = "".join(str(told.get(name, "")) for name in _MADE_OF)
    known |= {
        "problem": told["problem"],
        "uniform": math.nan,
        "content": hashlib.sha256(made.encode()).hexdigest()[:16],
    }
    rows = result["regret"].to_dataframe().reset_index()[["replication", "t", "regret"]]
    return rows.assign(**known)


def facts(policy: Any, problem: Any) -> dict[str, Any]:
    """Return what a policy is and how private, and what it is run on: the columns of its runs.

    Parameters
    ----------
    policy : Policy or learner
    problem : problem of the library

    Examples
    --------
    >>> from private_bandits.papers.cascading import b_lb, ucb_laplace
    >>> facts(ucb_laplace(0.2, list_size=4), b_lb(20, 4, 0.2, 0.15))["effective_epsilon"]
    inf
    """
    stated = playable(policy)
    privacy = stated.privacy if isinstance(stated.privacy, Guarantee) else Guarantee.none()
    known = {"policy": stated.name, **{name: getattr(stated, name) for name in _TOLD[1:]}}
    known |= {"family": family(stated), "trust": privacy.trust}
    known |= {"epsilon": privacy.epsilon, "value_epsilon": privacy.value_epsilon}
    known |= {"effective_epsilon": privacy.effective_epsilon}
    uniform = math.nan if isinstance(problem, Problem) else float(problem.uniform_regret())
    return known | {"problem": _instance(problem), "uniform": uniform, "content": identity(problem, policy)}


def means(runs: pd.DataFrame) -> pd.DataFrame:
    """Return mean regret, its standard error and the number of runs, a row per policy and checkpoint.

    Parameters
    ----------
    runs : DataFrame
        As `Chapter.play` returns; one without replications is returned as it is.

    Examples
    --------
    >>> means(pd.DataFrame({"policy": "a", "replication": [0, 1], "t": 9, "regret": [1.0, 3.0]}))["regret"].item()
    2.0
    """
    if "replication" not in runs:
        return runs
    by = [name for name in runs.columns if name not in ("replication", "regret")]
    regret = runs.groupby(by, sort=False, dropna=False)["regret"]
    return regret.agg(regret="mean", regret_se="sem", replications="size").reset_index()


def last(runs: pd.DataFrame) -> pd.DataFrame:
    """Return what is known at the last round of each problem.

    Parameters
    ----------
    runs : DataFrame

    Examples
    --------
    >>> last(pd.DataFrame({"problem": "a", "t": [1, 9], "regret": [1.0, 3.0]}))["regret"].item()
    3.0
    """
    ends = runs.groupby("problem")["t"].transform("max") if "problem" in runs else runs["t"].max()
    return runs[runs["t"] == ends]


def join(*runs: Any) -> pd.DataFrame:
    """Return several frames of runs as one.

    Parameters
    ----------
    *runs : DataFrame
        Or what else `frame` takes.

    Returns
    -------
    DataFrame

    Raises
    ------
    ValueError
        If one is anything else, or there is none.

    Examples
    --------
    >>> len(join(pd.DataFrame({"t": [1]}), pd.DataFrame({"t": [2]})))
    2
    """
    parts = [part if isinstance(part, pd.DataFrame) else frame(part) for part in runs]
    if not parts:
        raise ValueError("runs must be at least one frame, got none")
    return pd.concat(parts, ignore_index=True)


def uniform_play(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the exact regret of uniform play on the problem of some runs, at their checkpoints.

    Parameters
    ----------
    runs : DataFrame
        As `Chapter.play` returns, on one problem of the library.

    Returns
    -------
    DataFrame
        A row a checkpoint.

    Raises
    ------
    ValueError
        If it is none.

    Examples
    --------
    >>> uniform_play(pd.DataFrame({"t": [1, 9], "uniform": 0.5, "replication": 0}))["regret"].tolist()
    [0.5, 4.5]
    """
    if not isinstance(runs, pd.DataFrame) or "uniform" not in runs or runs["uniform"].isna().any():
        wanted = "what Chapter.play returns on a problem of the library"
        got = "no such frame" if isinstance(runs, pd.DataFrame) else checks.brief(runs)
        raise ValueError(f"runs must be {wanted}, which knows the regret of uniform play, got {got}")
    rows = runs.drop_duplicates("t").assign(policy="uniform", mechanism="uniform", family="uniform", trust="none")
    rows = rows.assign(epsilon=math.inf, value_epsilon=0.0, effective_epsilon=0.0, replication=0)
    return rows.assign(regret=rows["t"] * rows["uniform"], **dict.fromkeys(["paper", "algorithm", "method"], ""))


def identity(problem: AnyProblem, policy: Any) -> str:
    """Return what two pairs of a problem and a policy share if they give the same numbers under one label.

    Empty where content cannot tell: something in them is of a reader's own, whose state or code may have changed.
    """
    parts = [policy]
    if type(policy) is Policy and getattr(policy.kernel, "__name__", "").startswith("private_bandits."):
        parts = [policy.name, policy.algorithm, policy.variant, policy.privacy, policy.record]
    try:
        content = _content([problem, *parts])
    except TypeError:
        return ""
    return hashlib.sha256(repr(content).encode()).hexdigest()[:16]


def csv_text(frame: pd.DataFrame) -> str:
    """Return a frame as CSV: ten significant digits, no index, the same bytes on every platform."""
    return str(frame.to_csv(index=False, float_format="%.10g", lineterminator="\n"))


def _instance(problem: Any) -> str:
    """What figures are captioned with: a problem in words, with its means where few differ."""
    match problem:
        case ConvexLoss(domain="arms"):
            return f"{problem.dim} arms"
        case ConvexLoss():
            return f"{problem.kind} losses on the {problem.domain} of dimension {problem.dim}"
        case LinearContext() if len(problem.sets):
            sets = "one set" if len(problem.sets) == 1 else f"{len(problem.sets)} sets"
            return f"{sets} of {problem.n_actions} actions in dimension {problem.dim}"
        case LinearContext():
            return f"{problem.n_actions} random unit vectors of dimension {problem.dim}"
        case ParetoArms():
            return f"{problem.n_arms} Pareto arms of shape {problem.shape:.3g}"
        case Cascade():
            return f"lists of {problem.list_size} out of {problem.n_arms} items{_means(problem)}"
        case SemiBandit():
            return f"super arms of {problem.list_size} out of {problem.n_arms} arms{_means(problem)}"
        case Arms():
            return f"{problem.n_arms} arms{_means(problem)}"
    return str(problem)


def _means(problem: Any) -> str:
    """How many items have which mean, where few differ."""
    values, counts = np.unique(problem.means, return_counts=True)
    if len(values) > 3:
        return ""
    return ", " + " and ".join(f"{n} of mean {value:.3g}" for value, n in zip(values[::-1], counts[::-1], strict=True))


def _content(value: Any) -> Any:
    """What a thing of the library is made of, in plain values; a TypeError where that is not all that it is."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    kind = type(value)
    if kind in (tuple, list):
        return [_content(each) for each in value]
    if not kind.__module__.startswith(("private_bandits.", "private_bandits_book.")):
        raise TypeError(f"{kind.__name__} is not known by its content")
    methods = [each for above in kind.__mro__ for each in vars(above).values() if isinstance(each, FunctionType)]
    makers = ("private_bandits", "collections", "dataclasses", "typing")  # the third makes one from Python 3.13 on
    if not all(each.__module__.startswith(makers) for each in methods):
        raise TypeError(f"{kind.__name__} has been given methods of a reader's own")
    held = {} if isinstance(value, tuple) else vars(value)  # but for what was computed of the rest and kept
    kept = [each for name, each in held.items() if not isinstance(getattr(kind, name, 0), cached_property)]
    parts = value if isinstance(value, tuple) else kept
    return kind.__module__, kind.__qualname__, [_content(each) for each in parts]
