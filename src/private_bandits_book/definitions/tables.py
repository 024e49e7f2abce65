"""The tables of the chapter, and its key findings; what is said of them is in `texts.toml`."""

import math
from typing import Any

import numpy as np
import pandas as pd

from private_bandits.papers.definitions.replacements import central_lower, lai_robbins, local_lower
from private_bandits_book.definitions import entries, implications
from private_bandits_book.definitions.inference import DISTANCE, PREFERENCES
from private_bandits_book.definitions.lemmas import RESPONSE
from private_bandits_book.definitions.panels import impossible, nearest
from private_bandits_book.definitions.study import DP_KLUCB, FINE, LDP_UCB, LONG, PRICE, PRICE_HORIZON, UCB, Study
from private_bandits_book.exhibits import Exhibits, Made, pivot, tabled
from private_bandits_book.figures import power

_MEASURED = {"table-divergences": "divergences"}
tables = Exhibits(measured=_MEASURED)


@tables("short")
@tables("findings")
def findings(study: Study) -> dict[str, Any]:
    """The chapter's findings in a few sentences."""
    one = nearest(study.inference["epsilon"].unique(), 1.0)
    tight = study.tightness.groupby("half")["ratio"].max()
    low = nearest(study.on_long["epsilon"].unique(), 0.1)
    final, game = study.on_long[study.on_long["epsilon"] == low].set_index("key"), (LONG.means, LONG.horizon)
    log = math.log(LONG.horizon)
    worst = study.gap_table
    return {
        "limit": 1 / math.tanh(PRICE / 2),
        "price": PRICE,
        "rounds": power(PRICE_HORIZON),
        "hard": worst["epsilon"].iloc[0],
        "stands": worst.set_index("algorithm")["ratio"],
        "one": one,
        "success": study.inference[study.inference["epsilon"] == one].groupby("guess")["success"].max(),
        "paid": study.losses.set_index("key").loc[RESPONSE, "outcomes"],
        "forward": tight["forward"],
        "backward": tight["backward"],
        "above": impossible(study.variants[study.variants["regret"] == "minimax"]),
        "low": low,
        "local": final.loc[LDP_UCB],
        "central": final.loc[DP_KLUCB],
        "plain": study.on_long.set_index("key").loc[UCB, "regret"],
        "free": study.on_long[np.isinf(study.on_long["epsilon"])].set_index("key").loc[DP_KLUCB, "regret"],
        "plain_log": lai_robbins(*game) / log,
        "local_log": local_lower(*game, low) / log,
        "central_log": central_lower(*game, low) / log,
    }


@tables("table-implications")
def implied(study: Study) -> pd.DataFrame:
    """The arrows of the picture of the definitions."""
    return implications.table()


@tables("table-losses")
def losses(study: Study) -> Made:
    """The exact losses of small policies."""
    return tabled(study.losses, people=PREFERENCES, distance=DISTANCE)


@tables("table-gap")
def gap(study: Study) -> Made:
    """Where the gap between the central algorithms and the bound comes from."""
    frame = study.gap_table
    return tabled(frame, epsilon=frame["epsilon"].iloc[0], first=min(FINE), last=max(FINE), gaps=len(FINE))


@tables("table-mechanisms")
def mechanisms(study: Study) -> pd.DataFrame:
    """Definition 1."""
    return study.mechanisms.drop(columns="kind")


@tables("table-lemma-2")
def lemma_2(study: Study) -> pd.DataFrame:
    """How nearly Lemma 2 is reached."""
    return study.tightness.drop(columns="half")


@tables("table-1")
def table_1(study: Study) -> pd.DataFrame:
    """Table 1 in numbers."""
    return entries.table_1(study.means, study.horizon, study.epsilons)


@tables("table-2")
def table_2(study: Study) -> pd.DataFrame:
    """Table 2, and whether its results prove Table 1."""
    return entries.table_2(study.means, study.horizon, study.epsilons)


@tables("table-disagreements")
def disagreements(study: Study) -> pd.DataFrame:
    """Every entry of Table 1 in every variant, a column an epsilon."""
    return _by_epsilon(study.variants, "value", ["definition", "regret", "reading", "locus"])


@tables("table-upper-lower")
def upper_lower(study: Study) -> pd.DataFrame:
    """Upper over lower, a row per question and policy, a column an epsilon."""
    asked = {"instance": study.on_instance, "hardest": study.on_hardest, "longer study": study.on_long}
    frame = pd.concat([part.assign(question=question) for question, part in asked.items()])
    return _by_epsilon(frame[np.isfinite(frame["epsilon"])], "ratio", ["question", "policy", "trust"])


def _by_epsilon(frame: pd.DataFrame, value: str, keys: list[str]) -> pd.DataFrame:
    """A row for every combination of the keys, in their order, and a column for every epsilon."""
    return pivot((row[keys].to_dict(), f"at_{row['epsilon']:g}", row[value]) for _, row in frame.iterrows())
