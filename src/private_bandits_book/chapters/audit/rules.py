"""How the claim of the page on the auditor is judged that is no comparison: a pure function of a frame."""

import numpy as np
import pandas as pd

from private_bandits.privacy.audit import FULL_SEARCH
from private_bandits_book.chapters.audit.rows import BREAKS
from private_bandits_book.judging import Holds, Ruling
from private_bandits_book.judging.rulings import NotShown


def own_faults(rows: pd.DataFrame, runs: int) -> Ruling:
    """The rows of the table, and the runs of each audit."""
    known = rows[rows["known"] != ""]
    if known.empty:
        raise NotShown("rows whose verdict is known")
    broken, faulty = np.array(known["verdict"] == BREAKS), np.array(known["known"] == "breaks")
    wrong = int((broken != faulty).sum())
    said = f"{wrong} of {len(known)} known rows come out wrong"
    holds: bool | None = wrong == 0
    if wrong and runs < FULL_SEARCH and not (broken & ~faulty).any():
        holds, said = None, f"{said}: with {runs:,} runs an audit may miss what {FULL_SEARCH:,} find"
    return Holds(excludes=("a known row that comes out wrong",))(holds, said, wrong)
