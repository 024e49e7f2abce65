"""The plots of the chapters: runs as `Chapter.play` returns them, drawn in one look.

A plot returns the picture, its data, and what can be said of any such picture: an alternative text, and the end of the
caption. The author writes one sentence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from private_bandits.papers.heavy_tailed.instances import ParetoArms
from private_bandits.policy import Player, Policy
from private_bandits.privacy import Guarantee
from private_bandits.problems import Arms, Cascade, ConvexLoss, LinearContext, Problem, SemiBandit
from private_bandits_book import figures
from private_bandits_book.figures.captions import power, rounded
from private_bandits_book.figures.drawing import Slope
from private_bandits_book.studies import family

FACTS = ("policy", "algorithm", "variant", "trust", "epsilon", "value_epsilon", "effective_epsilon")
"""What a policy is and how private: columns of its runs."""
NAMES = {"uniform": "uniform play", "Response, first item": "one bit", "Blocks, kept": "blocks"}
"""What figures and rankings call policies of the library."""
_VARIANTS = {
    "printed, published": "as printed, published noise",
    "printed, stated": "as printed, stated noise",
    "proof, stated": "bonus of the proof, stated noise",
    "keep, repaired": "repaired",
}


class Picture(NamedTuple):
    """A figure with its data, an alternative text, the end of its caption, and the figure for a phone."""

    fig: Figure
    data: pd.DataFrame
    alt: str
    facts: str = ""  # instance, horizon and runs
    narrow: Figure | None = None


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
    stated = policy if isinstance(policy, Policy | Player) else Player()
    privacy = stated.privacy if isinstance(stated.privacy, Guarantee) else Guarantee.none()
    known = {"policy": policy.name, "paper": stated.paper, "algorithm": stated.algorithm, "variant": stated.version}
    known |= {"mechanism": stated.mechanism, "method": policy.method if isinstance(policy, Policy) else ""}
    known |= {"family": family(stated), "trust": privacy.trust}
    known |= {"epsilon": privacy.epsilon, "value_epsilon": privacy.value_epsilon}
    known |= {"effective_epsilon": privacy.effective_epsilon}
    uniform = math.nan if isinstance(problem, Problem) else float(problem.uniform_regret())
    return known | {"problem": _instance(problem), "uniform": uniform}


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


def join(*runs: pd.DataFrame) -> pd.DataFrame:
    """Return several frames of runs as one.

    Parameters
    ----------
    *runs : DataFrame

    Examples
    --------
    >>> len(join(pd.DataFrame({"t": [1]}), pd.DataFrame({"t": [2]})))
    2
    """
    return pd.concat(runs, ignore_index=True)


def uniform_play(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the exact regret of uniform play on the problem of some runs, at their checkpoints.

    Parameters
    ----------
    runs : DataFrame
        As `Chapter.play` returns, on one problem.

    Examples
    --------
    >>> uniform_play(pd.DataFrame({"t": [1, 9], "uniform": 0.5, "replication": 0}))["regret"].tolist()
    [0.5, 4.5]
    """
    rows = runs.drop_duplicates("t").assign(policy="uniform", mechanism="uniform", family="uniform", trust="none")
    rows = rows.assign(epsilon=math.inf, value_epsilon=0.0, effective_epsilon=0.0, replication=0)
    return rows.assign(regret=rows["t"] * rows["uniform"], **dict.fromkeys(["paper", "algorithm", "method"], ""))


def curves(
    runs: pd.DataFrame,
    x: str = "t",
    *,
    label: Callable[[Any], str] | None = None,
    slope: tuple[float, str] | None = None,
    bounds: Sequence[tuple[str, Any, Any]] = (),
    **look: Any,
) -> Picture:
    """Draw mean regret with its 95 % band against rounds, or at the last round against another column.

    Parameters
    ----------
    runs : DataFrame
        As `Chapter.play` returns.
    x : str
        "t", or the column that is swept.
    label : callable, optional
        Takes a row and returns what its line is called; by default the policy.
    slope : (power of t, words), optional
        A claimed rate, drawn beside the fitted one.
    bounds : sequence of (label, x, values)
        Bounds, thin and grey.
    **look
        As for `figures.regret_curves`: `xscale`, `yscale`, `start`, `xlabel`, `ylabel`.

    Examples
    --------
    >>> plots.curves(runs, "epsilon", xscale="log")  # doctest: +SKIP
    """
    rows = _labelled(runs, x, label)
    claimed = None if slope is None else Slope(*slope)
    return _picture(rows, x, partial(figures.regret_curves, rows, x, slope=claimed, bounds=bounds, **look))


def panels(
    runs: pd.DataFrame,
    x: str = "t",
    by: str | Callable[[Any], str] = "variant",
    *,
    label: Callable[[Any], str] | None = None,
    headed: bool = True,
    **look: Any,
) -> Picture:
    """Draw small multiples, each headed by how private its curves really are; baselines stand in each.

    Parameters
    ----------
    runs : DataFrame
        As `Chapter.play` returns.
    x : str
        As for `curves`.
    by : str or callable
        The column that names the panel of a private run, or what takes a row and returns its panel.
    label : callable, optional
        As for `curves`.
    headed : bool
        Whether the privacy of its curves stands above each panel.
    **look
        As for `figures.small_multiples`.

    Examples
    --------
    >>> plots.panels(runs, by="epsilon", yscale="log")  # doctest: +SKIP
    """
    rows = _labelled(runs, x, label)
    rows["panel"] = ""
    apart = x == "t" and rows["problem"].nunique() > 1  # a baseline for each panel
    parted = rows if apart else rows[rows["trust"] != "none"]
    names = parted.apply(by, axis=1) if callable(by) else parted[by].astype(str)
    for name, part in parted.groupby(names.replace(_VARIANTS), sort=False):
        rows.loc[part.index, "panel"] = f"{name}\n{privacy_of(part)}" if headed else str(name)
    return _picture(rows, x, partial(figures.small_multiples, rows, by="panel", x=x, **look))


def privacy_of(rows: pd.DataFrame) -> str:
    """Return the privacy loss of curves, from the least to the most: of the values released, and of everything.

    Parameters
    ----------
    rows : DataFrame
        With columns `value_epsilon` and `effective_epsilon`.

    Examples
    --------
    >>> privacy_of(pd.DataFrame({"value_epsilon": [10.0], "effective_epsilon": [math.inf]}))
    'numbers 10\\neverything ∞'
    """
    values, everything = (_span(rows[name]) for name in ("value_epsilon", "effective_epsilon"))
    return f"everything {everything}" if values == everything else f"numbers {values}\neverything {everything}"


def _instance(problem: Any) -> str:
    """What figures are captioned with: a problem in words, with its means where few differ."""
    match problem:
        case ConvexLoss(domain="arms"):
            return f"{problem.dimension} arms"
        case ConvexLoss():
            return f"{problem.kind} losses on the {problem.domain} of dimension {problem.dimension}"
        case LinearContext() if len(problem.sets):
            sets = "one set" if len(problem.sets) == 1 else f"{len(problem.sets)} sets"
            return f"{sets} of {problem.n_actions} actions in dimension {problem.dim}"
        case LinearContext():
            return f"{problem.n_actions} random unit vectors of dimension {problem.dim}"
        case ParetoArms():
            return f"{problem.n_items} Pareto arms of shape {problem.shape:.3g}"
        case Cascade():
            return f"lists of {problem.list_size} out of {problem.n_items} items{_means(problem)}"
        case SemiBandit():
            return f"super arms of {problem.list_size} out of {problem.n_items} arms{_means(problem)}"
        case Arms():
            return f"{problem.n_items} arms{_means(problem)}"
    return str(problem)


def _means(problem: Any) -> str:
    """How many items have which mean, where few differ."""
    values, counts = np.unique(problem.means, return_counts=True)
    if len(values) > 3:
        return ""
    return ", " + " and ".join(f"{n} of mean {value:.3g}" for value, n in zip(values[::-1], counts[::-1], strict=True))


def _labelled(runs: pd.DataFrame, x: str, label: Callable[[Any], str] | None) -> pd.DataFrame:
    rows = means((runs if x == "t" else last(runs)).drop_duplicates())
    freed = np.isinf(rows["epsilon"]) & ~rows["mechanism"].isin(["none", "uniform"])
    names = (rows["policy"] if label is None else rows.apply(label, axis=1)).replace(NAMES)
    return rows.assign(label=names.where(~freed, rows["policy"].replace(NAMES) + ", no privacy"))


def _picture(rows: pd.DataFrame, x: str, draw: Callable[..., Figure]) -> Picture:
    """A figure with where the lines of each panel end, or lead from and to, and with its facts."""
    lines_of = [name for name in ("panel", "label") if name in rows]
    ends = rows.sort_values("t", kind="stable").groupby(lines_of, sort=False).tail(1) if x == "t" else last(rows)
    said, ends = [], ends.sort_values("regret" if x == "t" else x)
    for name, part in ends.groupby("panel", sort=False) if "panel" in ends else [("", ends)]:
        lines = []
        for label, one in part.groupby("label", sort=False)["regret"]:
            way = dict.fromkeys([rounded(one.iloc[0]), rounded(one.iloc[-1])])
            lines.append(f"{label} {' to '.join(way)}".replace("\n", " "))
        said.append(f"{str(name).splitlines()[0]}: {', '.join(lines)}" if name else ", ".join(lines))
    problems = rows["problem"].unique() if "problem" in rows else []
    where = f" on {problems[0]}" if len(problems) == 1 else ""
    alt = f"Regret at the last round{', from the least' if x == 't' else f' along {x}'}. {'; '.join(said)}."
    runs = figures.caption_runs(rows[rows["mechanism"] != "uniform"])  # whose regret may be exact
    return Picture(draw(), rows, alt, f"T = {power(int(rows['t'].max()))}{where}. {runs}", draw(narrow=True))


def _span(losses: pd.Series) -> str:
    ends = ["∞" if math.isinf(one) else f"{float(f'{one:.2g}'):g}" for one in (losses.min(), losses.max())]
    return ends[0] if ends[0] == ends[1] else "–".join(ends)
