"""The tables of the comparison: rankings, where local meets central, and what every algorithm is made of."""

import math
from typing import Any

import numpy as np
import pandas as pd

from private_bandits.estimates import Interval
from private_bandits.kernels import index, stretches
from private_bandits.policy import Policy
from private_bandits_book.algorithms import listed
from private_bandits_book.algorithms import rows as algorithm_rows
from private_bandits_book.comparison.settings import kept
from private_bandits_book.comparison.study import CENTRAL, LOCAL, Study, each_setting, ranking, ratio, rest
from private_bandits_book.exhibits import Exhibits, Made, names, tabled
from private_bandits_book.figures import power, short
from private_bandits_book.studies import Run, key

tables = Exhibits()


def said(found: Interval) -> str:
    """Return a number with its interval in words; "none" where there is no number."""
    if math.isnan(found.measured):
        return "none"
    ends = "" if found.low == found.high else f" [{short(found.low)}, {short(found.high)}]"
    return f"{short(found.measured)}{ends}"


def ranked(study: Study, name: str) -> pd.DataFrame:
    """The certified policies of a setting, ranked at one epsilon that all pay, with facts about them."""
    headline = [run for run in study.runs[name].select(pays=study.epsilon) if kept(run.policy)]
    frame = ranking([run.swept["label"] for run in headline], [run.final for run in headline])
    facts = pd.DataFrame([_about(run) for run in headline])
    return frame.merge(facts, on="label", validate="1:1")


def _about(run: Run) -> dict[str, Any]:
    privacy = run.policy.privacy
    return {
        "label": run.swept["label"],
        "policy": run.name,
        "reading": run.variant,
        "trust": privacy.trust,
        "epsilon": privacy.effective_epsilon,
        "delta": privacy.effective_delta,
        "nominal": privacy.epsilon,
        "share": float(run.final.mean()) / run.uniform,
        "replications": len(run.final),
    }


@tables("table-ranking", each=each_setting("table-ranking"))
def rankings(study: Study, label: str, name: str) -> Made:
    """The ranking of a setting."""
    frame = ranked(study, name)
    frame["loses"] = [
        said(Interval(row["regret"], row["regret_low"], row["regret_high"])) for row in frame.to_dict("records")
    ]
    over = [Interval(row["over_best"], row["over_low"], row["over_high"]) for row in frame.to_dict("records")]
    frame["over"] = ["" if place == 0 else said(one) for place, one in enumerate(over)]
    frame["shown"] = frame["label"]  # `label` is no column of a file
    facts = {"title_of": names(study, "settings")[name].capitalize(), "T": power(study.rounds(name))}
    return tabled(frame.drop(columns="label"), runs=study.replications, **facts)


@tables("table-leaks")
def leaks(study: Study) -> pd.DataFrame:
    """What is played and never ranked, by the reason, and the regret of each over that of uniform play."""
    rows: dict[tuple[str, str], list[str]] = {}
    for name, title in names(study, "settings").items():
        for run in study.runs[name].select(pays=study.epsilon):
            if not kept(run.policy):
                said_of = f"{run.swept['label']} ({float(run.final.mean()) / run.uniform:.2g})"
                rows.setdefault((title, run.policy.privacy.reason), []).append(said_of)
    return pd.DataFrame(
        [(title, reason, "; ".join(each)) for (title, reason), each in rows.items()],
        columns=["setting", "reason", "policies"],
    )


@tables("table-meets")
def meets(study: Study) -> Made:
    """Where the best local policy of a setting loses what the best central one does."""
    rows = []
    for name, title in names(study, "settings").items():
        central, local = study.best(name, CENTRAL), study.best(name, LOCAL)
        if central is None or local is None:
            continue
        places = dict.fromkeys((CENTRAL, LOCAL)) | {CENTRAL: central.place, LOCAL: local.place}
        row: dict[str, Any] = {"setting": title, "central": central.run.swept["label"]}
        row |= {"local": local.run.swept["label"]}
        for column, epsilon in (("at_least", study.paid[0]), ("at_one", study.epsilon), ("at_most", study.paid[-1])):
            runs = study.runs[name].select(pays=epsilon)
            lost = {trust: rest(runs.select(place=place)[0].final) for trust, place in places.items()}
            row[column] = said(ratio(lost[LOCAL], lost[CENTRAL]))
        for column, found in zip(("epsilon", "horizon"), study.meets(name), strict=True):
            row |= {f"in_{column}": said(found)}
            row |= {f"{column}_{end}": value for end, value in found.columns().items()}
        rows.append(row)
    facts = {"least": study.paid[0], "most": study.paid[-1]}
    return tabled(pd.DataFrame(rows), runs=len(rest(np.zeros(study.replications))), **facts)


# --- the anatomy


@tables("table-anatomy")
def anatomy(study: Study) -> pd.DataFrame:
    """Every algorithm of the book, made from the code; those that differ in nothing but a name share a row."""
    sent, protects, rows = names(study, "sent"), names(study, "mechanisms"), []
    at = study.epsilon, study.delta
    for (_, policy), facts in zip(listed(*at), algorithm_rows(*at), strict=True):
        paper, place, variant, options, name, trust, promised, pays, file = facts
        said_of = ", ".join(part for part in (name, variant, options) if part != "-")
        rows.append(
            {
                "paper": paper,
                "place": place,
                "policy": said_of,
                "sent": sent[release(policy)],
                "mechanism": protects[policy.mechanism],
                "bonus": bonus(policy.record),
                "trust": trust,
                "promised": promised.replace("inf", "∞"),
                "pays": pays.replace("inf", "∞"),
                "file": file,
            }
        )
    frame = pd.DataFrame(rows)
    alike = frame.groupby(list(frame.columns.drop("policy")), sort=False)["policy"].agg("; ".join)
    return alike.reset_index()[list(frame.columns)]


def release(policy: Policy) -> str:
    """What is sent or released: the kernel, for an index algorithm with whose reports, for stretches with the noise."""
    record, kernel = policy.record, policy.kernel.__name__.split(".")[-1]
    if isinstance(record, stretches.Record):
        return "linear-tree" if record.levels else "linear-reward" if record.reward_sigma else "linear"
    return f"{kernel}-{record.reports}" if isinstance(record, index.Record) else kernel


def bonus(record: Any) -> str:
    """Return the bonus of an index algorithm as a formula in L = ln t: a(t)/sqrt(n) and b(t, n)/n; else nothing."""
    if not isinstance(record, index.Record) or record.reports == index.NOTHING:
        return ""
    parts = [f"√(({alpha:.3g}L + {beta:.3g})/n)" if beta else f"√({alpha:.3g}L/n)" for alpha, beta in record.terms]
    scale = short(record.bonus_scale)
    more = {
        index.FLAT_BONUS: f"{scale}L/n",
        index.PULLS_BONUS: f"{scale}L·ln(n)¹·⁵/n",
        index.FIXED_BONUS: f"{scale}/n",
    }
    return " + ".join([*parts, *([more[record.bonus]] if record.bonus in more else [])])


@tables("table-elsewhere")
def elsewhere(study: Study) -> pd.DataFrame:
    """What of the book is not played here, and why."""
    played = {identity(run.policy) for runs in study.runs.values() for run in runs}
    reasons, rows = names(study, "elsewhere"), dict[str, list[str]]()
    for _, policy in listed(study.epsilon, study.delta):
        if identity(policy) not in played:
            reason = reasons.get(identity(policy)) or reasons[key(policy)]
            rows.setdefault(reason, []).append(policy.name)
    return pd.DataFrame({"policies": [", ".join(dict.fromkeys(each)) for each in rows.values()], "reason": list(rows)})


def identity(policy: Policy) -> str:
    """Return what tells a listed algorithm and variant from others: its key and version."""
    return "; ".join(filter(None, (key(policy), policy.version)))
