"""What the chapter draws of its runs: what privacy costs at each epsilon."""

import pandas as pd

from private_bandits_book.numbers import short
from private_bandits_book.plots import Picture, curves


def price(over: pd.DataFrame) -> Picture:
    """Draw regret over that without privacy against epsilon, each line with its trust model and its last value.

    The eliminations, which have a constant c, are spoken of; the index algorithm is grey.

    Parameters
    ----------
    over : DataFrame
        Of `Chapter.play`, divided by the regret of elimination without privacy.

    Returns
    -------
    Picture
    """
    eliminates = over["c"] != ""
    spoken, grey = {"uniform play": "uniform play"}, dict[str, str]()
    for (name, trust, ours), part in over[over["trust"] != "none"].groupby(["policy", "trust", eliminates]):
        last = part.loc[part["epsilon"].idxmax(), "regret"]
        (spoken if ours else grey)[str(name)] = f"{name}, {trust}: {short(float(f'{last:.3g}'))} times"
    return curves(
        over, "epsilon", spoken=spoken, label=lambda row: grey.get(row.policy, row.policy),
        hue=lambda row: "uniform" if row.mechanism == "uniform" else row.trust if row.c else "rival",
        xscale="log", yscale="log", ylabel="regret over that without privacy",
    )  # fmt: skip
