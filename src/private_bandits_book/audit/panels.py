"""The figures of the chapter, and its findings in words."""

from typing import Any

import numpy as np
import pandas as pd

from private_bandits_book import figures
from private_bandits_book.audit import reliability
from private_bandits_book.audit.study import BREAKS, KEEPS, Study
from private_bandits_book.exhibits import Exhibits, Made, drawn, names
from private_bandits_book.studies import share

panels = Exhibits()


@panels("findings")
def findings(study: Study) -> dict[str, Any]:
    """The findings, from the chapter's own numbers."""
    pairs = list(zip(study.cases, study.audits, study.verdicts_held, strict=True))
    promising = [verdict for _, _, verdict in pairs if verdict != "no promise"]
    right = np.concatenate([study.share(kind) for kind in ("right", "policy right")])
    proved = [found for _, found, _ in pairs if found.high_by == "accounting" and found.epsilon_high > 0]
    accounted = [found for found in proved if found.method == "sampled"]
    widths = [found.epsilon_low / found.epsilon_high for found in accounted]
    known = [(case.known, verdict) for case, _, verdict in pairs if case.known]
    answers = {true: study.trials[study.trials["epsilon"] == true] for true in reliability.ANSWERS}
    return {
        "rows": len(promising),
        "breaks": promising.count(BREAKS),
        "keeps": promising.count(KEEPS),
        "by_accounting": sum(found.high_by == "accounting" and verdict == KEEPS for _, found, verdict in pairs),
        "unplayed": sum(found.method == "accounting" for found in proved),
        "open": promising.count("consistent"),
        "faults": sum(known == "breaks" for known, _ in known),
        "found": sum(known == "breaks" and verdict == BREAKS for known, verdict in known),
        "sound": sum(known == "keeps" for known, _ in known),
        "accused": sum(known == "keeps" and verdict == BREAKS for known, verdict in known),
        "alarms": share(right),
        "hidden": share(study.share("hidden")),
        "hidden_runs": reliability.HIDDEN_RUNS,
        "seeds": len(right),
        "certified": {true: rows["low"].quantile(0.05) for true, rows in answers.items()},
        "naive": {true: rows["naive"].median() for true, rows in answers.items()},
        "most": float(np.max(widths, initial=0.0)),
        "half": sum(width > 0.5 for width in widths),
        "accounted": len(widths),
    }


@panels("figure-paid")
def paid(study: Study) -> Made:
    """What messages certify against what they promise."""
    data = study.paid
    line = np.array([min(study.epsilons), max(study.epsilons)])
    fig = figures.regret_curves(
        data, "epsilon", xscale="log", yscale="log", bounds=[("promised", line, line)], ylabel="certified ε"
    )
    ratio = data["regret"] / data["epsilon"]
    shown = data.drop(columns=["regret_se", "t"]).rename(columns={"regret": "certified"})
    return drawn(fig, shown, least=ratio.min(), most=ratio.max())


@panels("figure-power")
def power(study: Study) -> Made:
    """How often what is wrong is found, against the runs."""
    looks, rows = names(study, "trials"), []
    for (kind, epsilon, runs), group in study.trials.groupby(["kind", "epsilon", "runs"], sort=False):
        ours = [(looks[kind], group["low"] > epsilon)]
        if group["naive"].notna().any():
            ours.append(("one outcome, " + looks[kind], group["naive"].dropna() > epsilon))
        if group["statdp"].notna().any():
            ours.append(("StatDP, " + looks[kind], group["statdp"].dropna() < 0.05))
        for label, hits in ours:
            found = float(hits.mean())
            spread = np.sqrt(found * (1 - found) / len(hits))
            rows.append((label, kind, f"{label}, ε = {epsilon:g}", runs, found, spread, len(hits)))
    columns = ["policy", "family", "label", "runs", "regret", "regret_se", "replications"]
    data = pd.DataFrame(rows, columns=columns)
    data = data[data.groupby("label")["runs"].transform("size") > 1].assign(
        epsilon=np.inf, family="none", t=data["runs"]
    )
    fig = figures.regret_curves(data, "runs", xscale="log", ylabel="share of seeds that find it")
    shown = data.drop(columns=["family", "t"]).rename(columns={"regret": "share", "regret_se": "share_se"})
    counts = {"seeds": reliability.SEEDS, "beside": reliability.NAIVE, "fewest": reliability.HIDDEN_RUNS}
    return drawn(fig, shown.assign(case=data["label"]), rounds=reliability.ELIMINATION, **counts)


@panels("figure-alarms")
def alarms(study: Study) -> Made:
    """How often what is right is accused, beside what is allowed."""
    trials = study.trials[study.trials["kind"].isin(["right", "policy right"])]
    rows = []
    for (kind, epsilon), group in trials.groupby(["kind", "epsilon"], sort=False):
        for quantile in (0.05, 0.5, 0.95):
            certified = float((group["low"] / epsilon).quantile(quantile))
            rows.append((f"{quantile:.0%} of seeds below", kind, epsilon, certified, 0.0, len(group)))
    columns = ["policy", "kind", "promised", "regret", "regret_se", "replications"]
    data = pd.DataFrame(rows, columns=columns)
    line = data[data["kind"] == "right"].assign(epsilon=np.inf, family="none", t=1)
    ends = np.array([line["promised"].min(), line["promised"].max()])
    fig = figures.regret_curves(
        line, "promised", xscale="log", bounds=[("false alarm", ends, np.ones(2))], ylabel="certified over promised",
        xlabel="ε promised",
    )  # fmt: skip
    found = {kind: share(study.share(kind)) for kind in ("right", "policy right")}
    shown = data.rename(columns={"regret": "certified", "regret_se": "certified_se"})
    return drawn(fig, shown, found=found, policy_runs=reliability.POLICY_NUMBERS[-1])
