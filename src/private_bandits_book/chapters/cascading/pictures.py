"""What the lines of the chapter's figures are called, and what their hues say: whose noise they have."""

import math
from typing import Any

import pandas as pd

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
    """Return what a line is called: what the policy is, and whose scale its noise has.

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
    return f"{policy(row)}, {_WHOSE[_noise(row)]}"


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
