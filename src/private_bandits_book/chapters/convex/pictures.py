"""What the chapter draws of its studies: how regret grows next to the rates that Table 1 claims."""

import math
from collections.abc import Callable, Mapping

import pandas as pd

from private_bandits_book.chapters.convex import studies
from private_bandits_book.judging import at_most
from private_bandits_book.judging.rates import RateFit
from private_bandits_book.judging.verdicts import UNDECIDED
from private_bandits_book.plots import Note, Picture, panels
from private_bandits_book.runs import means

_NAMES = {"saha_tewari": "Saha–Tewari", "hazan_levy": "Hazan–Levy"}
_LOGARITHMS: dict[str, Callable[[float], float]] = {
    "strongly convex": lambda t: (t**2 * math.log(t)) ** (1 / 3),
    "strongly convex, smooth": lambda t: math.sqrt(t * math.log(t)),
}
"""The learner's own bound, where its logarithm is seen in an exponent."""
_WRONG = {"strongly convex": 3 / 4, "strongly convex, smooth": 2 / 3}
"""The nearest wrong exponent of each, as in `rules`."""
_HUES = {"own": "local", "no privacy": "none"}


def powers(rows: pd.DataFrame, fits: Mapping[tuple[str, str, float], RateFit]) -> Picture:
    """Draw regret over the claimed rate of T, a panel a row of Table 1 with one point; what grows as claimed is level.

    Each line is divided by its first value, and ends with its exponent. Drawn are the learner of the row with noise and
    without, and, where that is another, gradient descent with noise.

    Parameters
    ----------
    rows : DataFrame
        Of the study "powers", at the last round.
    fits : mapping
        What `studies.fits` returns for it.

    Returns
    -------
    Picture
        Its data are the mean regrets.
    """
    drawn: list[pd.DataFrame] = []
    said: list[Note] = []
    spoken: dict[str | tuple[str, str], str] = {}
    known = rows[rows["row"].isin(studies.TABLE_1) & ~rows["row"].str.startswith("two")]
    for row, part in known.groupby("row", sort=False):
        claimed = studies.TABLE_1[str(row)]
        rate = float(claimed.horizon)
        epsilon = part.loc[part["epsilon"] < math.inf, "epsilon"].iloc[0]
        head, lines = f"{row}, ϵ = {epsilon:g}", {}
        if row in _WRONG and _undecided(str(row), fits[str(row), claimed.learner, epsilon]):
            at = part.loc[part["learner"] == claimed.learner, "horizon"].median()
            said.append(Note("runs do not decide", at, "own", head))
        for (learner, paid), own in part.groupby(["learner", "epsilon"], sort=False):
            line = "descent" if learner != claimed.learner else "own" if paid < math.inf else "no privacy"
            if line == "descent" and math.isinf(paid):
                continue
            start = own["horizon"].min()
            unit = own.loc[own["horizon"] == start, "regret"].mean() * (own["horizon"] / start) ** rate
            lines[line] = own.assign(regret=own["regret"] / unit, line=line, titled=head)
            if math.isinf(paid):
                lines[line]["mechanism"] = "none"
            name = _NAMES.get(learner, "descent") if line == "own" else line
            one = fits[row, learner, paid].fit
            bound = _LOGARITHMS.get(str(row))
            if bound and math.isinf(paid):
                with_log = fits[row, learner, paid].exponent(bound)
            spoken[head, line] = name if one is None else f"{name}: T^{one.measured:.2f}"
        free, own = lines["no privacy"], lines["own"]
        level = pd.concat([free, own[~own["horizon"].isin(free["horizon"])]])
        lines["claimed"] = level.assign(regret=1.0, line="claimed", epsilon=math.inf, trust="none", mechanism="none")
        spoken[head, "claimed"] = f"claimed: T^{rate:.2f}"
        if row in _LOGARITHMS:
            spoken[head, "claimed"] += f", with its log T^{with_log:.2f}"
        drawn += lines.values()
    picture = panels(
        pd.concat(drawn, ignore_index=True), by=lambda row: str(row.titled), label=lambda row: str(row.line),
        spoken=spoken, said=said,
        hue=lambda row: _HUES.get(row.line, "rival"), headed=False, xscale="log", yscale="log",
        ylabel="regret over the claimed rate (1 at the first T)",
    )  # fmt: skip
    return picture._replace(data=means(known))


def _undecided(row: str, found: RateFit) -> bool:
    """Whether runs leave open that a row grows as its bound does, or as the nearest wrong rate."""
    if found.fit is None:
        return True
    wrong = found.exponent(lambda t: t ** _WRONG[row])
    return at_most(found.fit, found.exponent(_LOGARITHMS[row]), wrong=wrong, quantity="T").verdict == UNDECIDED
