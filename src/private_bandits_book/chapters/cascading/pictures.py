"""What the lines of the chapter's figures are called, and what their hues say: whose noise they have."""

import math
from typing import Any

import pandas as pd

from private_bandits_book.chapters.cascading import studies
from private_bandits_book.figures import Note
from private_bandits_book.judging.rates import learnt
from private_bandits_book.numbers import power, short
from private_bandits_book.runs import NAMES as RUN_NAMES
from private_bandits_book.runs import last

NAMES = {
    "uniform": "uniform play",
    "Response, first item": "one bit",
    "Blocks, kept": "blocks",
    "Hybrid, log of horizon": "Algorithm 1",
    "Hybrid": "Algorithm 1",
    "printed, published": "noise of the experiments",
    "printed, stated": "noise of the theorems",
    "published": "noise of the experiments",
    "stated": "noise of the theorems",
    "keep, repaired": "repaired",
}
"""What the prose calls policies and variants."""
_WHOSE = {"published": "experiments", "stated": "theorems", "repaired": "repaired"}
_HUES = {"published": "printed"}


def policy(row: Any) -> str:
    """Return what a policy is: Algorithm 1 as printed or as in its proof, else by its name, which says its noise.

    Parameters
    ----------
    row : row of a frame of `Chapter.play`

    Returns
    -------
    str
    """
    if row.mechanism != "tree":
        return str(row.policy)
    return "as in its proof" if row.variant.startswith("proof") else "Algorithm 1"


def named(row: Any) -> str:
    """Return what a line is called: what the policy is, and whose scale its noise has, where both scales run.

    Parameters
    ----------
    row : row of a frame of `Chapter.play`

    Returns
    -------
    str
    """
    ours = not row.algorithm.startswith("Algorithm")
    if ours or math.isinf(row.epsilon):
        return str(row.policy)
    name = policy(row)
    return name if row.variant.startswith("proof") else f"{name}, {_WHOSE[_noise(row)]}"


def trusted(row: Any) -> str:
    """Return what a line is called, with whom its policy trusts.

    Parameters
    ----------
    row : row of a frame of `Chapter.play`

    Returns
    -------
    str
    """
    if row.mechanism == "uniform":
        return str(row.policy)
    trust = "no privacy" if row.trust == "none" or math.isinf(row.epsilon) else row.trust
    return f"{NAMES.get(row.policy, row.policy)}, {trust}"


def below(runs: pd.DataFrame, rival: str) -> dict[str, str]:
    """Return what stands at the lines: their names, and from which epsilon on a private one is below a rival.

    Parameters
    ----------
    runs : DataFrame
        Of `Chapter.play`, at several epsilons.
    rival : str
        A policy without privacy.
    """
    ends = last(runs)
    names = ends.apply(trusted, axis=1).replace(RUN_NAMES)
    spoken = {str(name): str(name) for name in names.unique()}
    line = ends.loc[ends["policy"] == rival, "regret"].mean()
    for name, part in ends[ends["epsilon"] < math.inf].groupby(names):
        regret = part.groupby("epsilon")["regret"].mean()
        above = regret.index[regret >= line].max()  # no number where it is nowhere above
        since = [f"{epsilon:g}" for epsilon in regret.index if not epsilon <= above]
        if since:
            spoken[name] += f": below {rival} {'only at' if len(since) == 1 else 'from'} ε = {since[0]}"
    return spoken


def merged(runs: pd.DataFrame) -> pd.DataFrame:
    """Return runs of the local algorithms in which one line stands for two that lie on each other.

    At the noise of the theorems it is that of Gaussian noise, and stands for Laplace noise as well.

    Parameters
    ----------
    runs : DataFrame
        Of `Chapter.play`.

    Returns
    -------
    DataFrame
    """
    stated = runs["variant"] == "stated"
    laplace = stated & (runs["algorithm"] == "Algorithm 2")
    return runs.assign(policy=runs["policy"].where(~stated, "both"))[~laplace]


NOISES = "Laplace, experiments", "Gaussian, experiments"
"""The lines of the paper's comparison of its two noises."""


def scaled(runs: pd.DataFrame) -> dict[str, str]:
    """Return what stands at the lines: their names, and at the noise of the experiments that it is a hundredth.

    Parameters
    ----------
    runs : DataFrame
        Of `Chapter.play`.
    """
    names = runs.apply(named, axis=1).replace(RUN_NAMES).unique()
    return {str(name): _scaled(name) for name in names}


def _scaled(name: str) -> str:
    """A line's name, and at the noise of the experiments how much it is of that of the theorems."""
    return f"{name} (1/{round(1 / studies.PUBLISHED)}\u00a0noise)" if name.endswith(_WHOSE["published"]) else name


def factors(runs: pd.DataFrame, x: str) -> dict[str, Any]:
    """Return what stands at the lines of `NOISES`, as in `scaled`, and at both ends the ratio of their regrets.

    Parameters
    ----------
    runs : DataFrame
        Of `Chapter.play`.
    x : str
        The column that is swept.

    Returns
    -------
    dict
        `spoken` and `said` of a plot.
    """
    regret = _ends(runs, x)
    times = (regret.loc[NOISES[0]] / regret.loc[NOISES[1]]).dropna()
    spoken = {name: _scaled(name) for name in NOISES}
    spoken[NOISES[0]] += f": {times.iloc[-1]:.3g}\u00a0times Gaussian"
    return {"spoken": spoken, "said": [Note(f"{times.iloc[0]:.3g} times", times.index[0], NOISES[0])]}


def of_uniform(runs: pd.DataFrame, x: str) -> dict[str, str]:
    """Return what stands at the lines of private algorithms: their regret in percent of that of uniform play.

    Parameters
    ----------
    runs : DataFrame
        Of `Chapter.play`.
    x : str
        The column that is swept.
    """
    regret = _ends(runs, x)
    part = (regret / regret.loc["uniform play"].max()).drop(index=["uniform play", "CascadeUCB1"])
    ways = {str(name): one.dropna() for name, one in part.iterrows()}
    ends = {name: (one.iloc[0], one.iloc[-1]) for name, one in ways.items()}
    words = {name: f"{_scaled(name)}: {'up from ' if a < b else ''}{a:.0%} to {b:.0%}" for name, (a, b) in ends.items()}
    return words | {"uniform play": "uniform play: 100%"}


def learning(runs: pd.DataFrame) -> dict[str, Any]:
    """Return what stands at the lines of the paper's algorithms: after how many rounds they have learnt, and how far
    they are behind the repair at the last round.

    Parameters
    ----------
    runs : DataFrame
        Of `Chapter.play`, with uniform play; a panel for each trust model and epsilon, as in "local, ε = 1".

    Returns
    -------
    dict
        `spoken` and `said` of a plot.
    """
    names = runs.apply(policy, axis=1).replace(RUN_NAMES)
    spoken: dict[str | tuple[str, str], str] = {str(name): str(name) for name in names.unique()}
    said: list[Note] = []
    mean = runs["regret"].groupby([names, runs["trust"], runs["epsilon"], runs["t"]]).mean()
    uniform = mean["uniform play"].droplevel([0, 1])
    for (trust, epsilon), part in runs[runs["variant"].str.endswith("stated")].groupby(["trust", "epsilon"]):
        panel, name = f"{trust}, ε = {epsilon:g}", str(part.apply(policy, axis=1).iloc[0])
        ours = "one bit" if trust == "local" else "blocks"
        curve = mean[name, trust, epsilon]
        times = curve.iloc[-1] / mean[ours, trust, epsilon].iloc[-1]
        shown = "Laplace or Gaussian" if name == "both" else name
        spoken[panel, name] = f"{shown}: {short(float(f'{times:.1g}'))} times {ours}"
        known = learnt(curve, uniform[curve.index])
        late = curve.index[~known if known.iloc[-1] else curve.index <= curve.index[-1] / 100][-1]
        words = f"learns after {power(10 ** int(math.log10(late)))}" if known.iloc[-1] else "has hardly learnt"
        said.append(Note(words, late, name, panel))
        spoken.pop(name, None)
    return {"spoken": spoken, "said": said}


def _ends(runs: pd.DataFrame, x: str) -> pd.DataFrame:
    """Mean regret at the last round, a row a line."""
    ends = last(runs)
    names = ends.apply(named, axis=1).replace(RUN_NAMES)
    return ends["regret"].groupby([names, ends[x]]).mean().unstack()


def hue(row: Any) -> str:
    """Return what the hue of a line says: the noise of the experiments, that of the theorems, or a repair.

    Parameters
    ----------
    row : row of a frame of `Chapter.play`

    Returns
    -------
    str
        A key of `figures.look.HUES`.
    """
    if row.mechanism == "uniform":
        return "uniform"
    return "none" if row.trust == "none" else _HUES.get(_noise(row), _noise(row))


def _noise(row: Any) -> str:
    """Whose noise a line has: published, stated or repaired."""
    return str(row.variant).rpartition(", ")[2]
