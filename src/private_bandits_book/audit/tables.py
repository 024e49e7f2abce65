"""The tables of the chapter: every audit, the breaches with what shows them, and the trials of the auditor."""

from typing import Any

import numpy as np
import pandas as pd

from private_bandits_book.audit import reliability
from private_bandits_book.audit.study import BREAKS, Study
from private_bandits_book.exhibits import Exhibits, Made, names, tabled
from private_bandits_book.studies import share

tables = Exhibits()
COLUMNS = (
    *("algorithm", "paper", "variant", "trust", "view", "promised"),
    *("paid_low", "paid_high", "delta", "method", "verdict"),
)


@tables("table-audit")
def audited(study: Study) -> Made:
    """Every row of the chapter."""
    rows = []
    for case, found, verdict in zip(study.cases, study.audits, study.verdicts_held, strict=True):
        ends = found.epsilon_low, found.epsilon_high, found.delta
        method = found.method
        if found.high_by == "accounting" and method != "accounting":
            method += ", accounting"
        rows.append((*case[:5], found.promised, *ends, method, verdict))
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    methods = [found.method for found in study.audits]
    return tabled(frame, rows=len(frame), sampled=methods.count("sampled"), unplayed=methods.count("accounting"))


@tables("table-breaches")
def breaches(study: Study) -> pd.DataFrame:
    """Each breach with its neighbours, the event and the call that finds it again."""
    rows = []
    made = f"cases({study.horizon}, {study.epsilon:g}, {study.delta:g}, {study.exact_horizon})"
    judged = zip(study.cases, study.seeds, study.audits, study.verdicts_held, strict=True)
    for place, (case, seed, found, verdict) in enumerate(judged):
        if verdict == BREAKS:
            seen, counts = str(found.event or "all outcomes"), ""
            if found.event is not None:
                counts = f"{found.event.hits}, {found.event.others} of {found.event.runs}"
            replay = f"{made}[{place}].audited({study.runs}, {seed})"
            rows.append((*case[:3], case.view, in_words(found.witness), seen, counts, replay))
    columns = ["algorithm", "paper", "variant", "view", "neighbours", "event", "counts", "replay"]
    return pd.DataFrame(rows, columns=columns)


@tables("table-trials")
def trials(study: Study) -> Made:
    """What 200 seeds of each trial certify."""
    looks, rows = names(study, "trials"), []
    for (kind, epsilon, runs), group in study.trials.groupby(["kind", "epsilon", "runs"], sort=False):
        least = reliability.ANSWERS[int(epsilon)] if kind == "answers" else epsilon
        beyond, low, naive = (
            share(np.asarray(group["low"] > least))[:3],
            group["low"].quantile(0.05),
            group["naive"].dropna(),
        )
        middle = group["low"].median(), naive.median()
        rows.append((looks[kind], epsilon, runs, len(group), least, *beyond, low, *middle, (naive > least).mean()))
    columns = ["kind", "epsilon", "runs", "seeds", "beyond", "share", "share_low", "share_high", "low_5"]
    frame = pd.DataFrame(rows, columns=[*columns, "median", "naive_median", "naive_share"])
    again = study.replayed
    same = bool(np.allclose(again["low"], again["low_kept"], rtol=1e-6))
    return tabled(frame, replays=len(again), seeds=again["seed"].nunique(), same="the same" if same else "OTHER")


def in_words(witness: Any) -> str:
    """Say in what two neighbours differ."""
    if not isinstance(witness, tuple | list) or len(witness) != 2 or isinstance(witness[0], int):
        return str(witness)
    one, other = witness
    if isinstance(one, list) and not isinstance(one[0], float):
        return "other contexts or rewards of the first user"
    first, second = np.atleast_1d(np.asarray(one, dtype=float)), np.atleast_1d(np.asarray(other, dtype=float))
    if first.ndim == 1:
        return f"{_numbers(first)} against {_numbers(second)}"
    user = int(np.flatnonzero((first != second).any(axis=1))[0])
    rest = np.delete(first, user, axis=0)
    others = f"; all others {_numbers(rest[0])}" if len(rest) and (rest == rest[0]).all() else ""
    return f"user {user + 1}: {_numbers(first[user])} against {_numbers(second[user])}{others}"


def _numbers(row: np.ndarray) -> str:
    if len(row) > 1 and (row == row[0]).all():
        return f"{row[0]:g} everywhere"
    if len(row) > 1 and (row[1:] == 0).all():
        return f"{row[0]:g} first, then 0"
    return ", ".join(f"{x:g}" for x in row)
