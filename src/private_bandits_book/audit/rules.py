"""How the claims of the page on the auditor are judged: pure functions of frames, one per claim."""

import numpy as np
import pandas as pd

from private_bandits.estimates import Interval
from private_bandits.privacy import binomial_interval
from private_bandits.privacy.audit import FULL_SEARCH
from private_bandits_book.audit.long import RIGHT
from private_bandits_book.audit.rows import BREAKS
from private_bandits_book.judging import Holds, Less, Ruling

LEAST = {11.0: 4.5, 19.0: 5.2}
"""What repeated answers of a true loss are to certify."""


def _rare(what: str, found: pd.Series, allowed: float) -> Ruling:
    """How often something happened against what is allowed."""
    low, high = binomial_interval(int(found.sum()), len(found))
    seen = Interval(float(found.mean()) - allowed, low - allowed, high - allowed)
    return Less(f"{what}, {int(found.sum())} of {len(found):,},", f"{allowed:.0%}")(seen)


def _rarest(what: str, groups: list[pd.Series], allowed: float) -> Ruling:
    return _rare(what, max(groups, key=lambda found: float(found.mean())), allowed)


def own_alarms(trials: pd.DataFrame) -> Ruling:
    """All trials by seed."""
    return _rare("share of false accusations", trials.loc[trials["kind"].isin(RIGHT), "accused"], 0.01)


def own_power(trials: pd.DataFrame) -> Ruling:
    """All trials by seed."""
    rows = trials[(trials["kind"] == "noise halved") & (trials["runs"] == trials["runs"].max())]
    return _rarest("largest share that is missed", [~group for _, group in rows.groupby("epsilon")["accused"]], 0.05)


def own_answers(trials: pd.DataFrame) -> Ruling:
    """All trials by seed."""
    rows = trials[trials["kind"] == "answers"]
    below = rows["low"] < rows["epsilon"].map(LEAST)
    return _rarest("largest share that certifies less", [group for _, group in below.groupby(rows["epsilon"])], 0.05)


def own_sharper(trials: pd.DataFrame) -> Ruling:
    """All trials by seed."""
    seen = trials[(trials["low"] > 0) | (trials["two_intervals"] > 0)]
    return _rare("share in which two intervals certify more", seen["two_intervals"] > seen["low"], 0.05)


def own_faults(rows: pd.DataFrame, runs: int) -> Ruling:
    """The rows of the table, and the runs of each audit."""
    known = rows[rows["known"] != ""]
    if known.empty:
        raise LookupError("no row is known")
    broken, faulty = np.array(known["verdict"] == BREAKS), np.array(known["known"] == "breaks")
    wrong = int((broken != faulty).sum())
    said = f"{wrong} of {len(known)} known rows come out wrong"
    holds: bool | None = wrong == 0
    if wrong and runs < FULL_SEARCH and not (broken & ~faulty).any():
        holds, said = None, f"{said}: with {runs:,} runs an audit may miss what {FULL_SEARCH:,} find"
    return Holds(excludes=("a known row that comes out wrong",))(holds, said, wrong)
