"""What the chapter draws of its studies: what one number in place of K removes."""

import pandas as pd

from private_bandits_book.chapters.semibandits import studies
from private_bandits_book.numbers import percent
from private_bandits_book.plots import Picture, curves, panels

_SENT = {"CUCB-LDP1": "all K numbers", "CUCB-LDP2": "one number", "Hypercube": "all K, less error"}
"""What a message of each holds."""


def first(runs: pd.DataFrame, list_size: int) -> Picture:
    """Draw regret, with what one number in place of K saves, and whether central CUCB-DP has the most.

    Parameters
    ----------
    runs : DataFrame
        Of `Chapter.play`, at one epsilon.
    list_size : int
        K.

    Returns
    -------
    Picture
    """
    ends = runs[runs["t"] == runs["t"].max()].groupby("policy")["regret"].mean()
    spoken = {str(name): str(name) for name in ends.index}
    spoken["CUCB-LDP1"] += f", {list_size} numbers"
    spoken["CUCB-LDP2"] += f", one number: {percent(ends['CUCB-LDP2'] / ends['CUCB-LDP1'])} of LDP1"
    spoken["CUCB"] += ", no privacy"
    if ends.idxmax() == "CUCB-DP":
        spoken["CUCB-DP"] += ": central, and yet the most"
    return curves(runs, yscale="log", spoken=spoken)


def removed(study: pd.DataFrame, exponents: pd.DataFrame) -> Picture:
    """Draw regret per bad arm of the repaired local algorithms by K, each family's panel headed by what is removed.

    Parameters
    ----------
    study : DataFrame
        Rows of the study "powers".
    exponents : DataFrame
        What `studies.exponents` returns for it.

    Returns
    -------
    Picture
    """
    local, taken = studies.local_by_size(study), studies.removals(exponents)
    taken = taken[taken["variant"].eq("repaired") & taken["mechanism"].eq("laplace")].set_index("instances")["removed"]
    heads = {name: f"{name}: one number removes K^{one.measured:.1f}" for name, one in taken.items()}
    grown = exponents[exponents["quantity"].eq("K") & exponents["best"].eq(1) & exponents["variant"].eq("repaired")]
    spoken: dict[str | tuple[str, str], str] = {
        (heads[one.instances], one.policy): f"{one.policy}, K^{one.exponent.measured:.1f}"
        for one in grown[grown["policy"].isin(local["policy"])].itertuples()
    }
    first = next(iter(heads.values()))
    for key, words in spoken.items():
        name, _, growth = words.partition(", ")
        spoken[key] = f"{name} ({_SENT[name]}), {growth}" if key[0] == first and name in _SENT else words
    drawn = panels(
        local, "list_size", by=lambda row: heads[row.instances], headed=False, spoken=spoken, xscale="log",
        yscale="log", xlabel="size K", ylabel="regret per bad arm",
        hue=lambda row: "local" if "LDP" in row.policy else "rival",
    )  # fmt: skip
    return drawn._replace(facts="5 or 10 runs, T from 3·10⁵ to 6.5·10⁶.")
