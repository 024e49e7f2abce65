"""What the figures of the chapter show of its runs, and what their lines are called."""

import numpy as np
import pandas as pd

SINGLE = 3
"""Runs at the talk's rate that are drawn one by one, as their mean shows what no run does."""


def local_panels(local: pd.DataFrame) -> pd.DataFrame:
    """Return the runs that the local panels show, with regret in percent of uniform play, and their lines' names.

    Of the repaired algorithm those at the least and the largest epsilon are shown.

    Parameters
    ----------
    local : DataFrame
        Of `Chapter.play`: LDP Robust SE at both rates, and elimination without privacy.

    Returns
    -------
    DataFrame
        With a column `said`.
    """
    astray = local["variant"].str.startswith("slide_rate")
    finite = local.loc[np.isfinite(local["epsilon"]), "epsilon"]
    shown = ~np.isfinite(local["epsilon"]) | local["epsilon"].isin([finite.min(), finite.max()])
    said = "repaired, ε = " + local["epsilon"].map("{:g}".format)
    said = said.where(local["trust"] != "none", "no privacy")
    said = said.where(~astray, "the talk's rate, run " + (local["replication"] + 1).astype(str))
    even = local["t"] * local["uniform"]
    return local.assign(said=said, regret=100 * local["regret"] / even)[
        shown & (~astray | (local["replication"] < SINGLE))
    ]
