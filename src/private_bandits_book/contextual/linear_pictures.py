"""Figures of the contextual algorithms."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandas as pd

from private_bandits.papers.contextual.digits import COMPONENTS, DIGITS
from private_bandits_book import figures, studies
from private_bandits_book.contextual.claims import LINEAR, LOGISTIC
from private_bandits_book.contextual.pictures import counted, exact, shown, without_labels
from private_bandits_book.contextual.summary import ROWS
from private_bandits_book.figures import Picture, power, rounded
from private_bandits_book.studies import Panel, Run


def contexts(panels: Mapping[tuple[str, float], Panel], link: str, dim: int) -> Picture:
    """Every reading on unit vectors and on one set of actions, a panel for each epsilon."""
    frames = []
    for (kind, epsilon), panel in panels.items():
        frame = studies.Runs(panel).curves()
        frame = pd.concat([frame, _uniform(panel[0])], ignore_index=True)
        frames.append(frame.assign(problem=kind, facet=f"{kind}, ε = {epsilon:g}"))
    frame = pd.concat(frames, ignore_index=True)
    frame["label"] = [
        r if p.startswith("LDP") else {"uniform": "uniform play"}.get(p, f"{p} {r}".strip())
        for p, r in zip(frame["policy"], frame["reading"], strict=True)
    ]
    frame["policy"] = frame["label"]
    hues = {"printed": "gaussian", "printed, small bonus": "tree", "GLOC gradient": "composition"}
    frame["family"] = [
        hues.get(label, "laplace" if label.startswith(("derived", "repaired")) else family)
        for label, family in zip(frame["label"], frame["family"], strict=True)
    ]
    fig = figures.small_multiples(frame, by="facet", yscale="log")
    box = ROWS[LINEAR if link == "linear" else LOGISTIC].box
    caption = (
        f"{box}, {link} rewards, d = {dim}: fresh unit vectors in every round, and one set of {dim} orthogonal "
        f"actions with "
        f"gap 0.5{'' if link == 'linear' else ' in the logit'}. The readings are constants and noise; a small bonus is "
        f"{_small(panels)} of it. {counted(frame)} Uniform play is exact."
    )
    said = []
    for (kind, epsilon), panel in panels.items():
        ends = ", ".join(
            f"{(run.reading or run.name) if run.name.startswith('LDP') else f'{run.name} {run.reading}'.strip()} "
            f"{_share(run)}"
            for run in panel
        )
        said.append(f"{kind}, ε = {epsilon:g}: {ends}")
    return Picture(fig, without_labels(frame), caption, f"Regret at the horizon over uniform play. {'; '.join(said)}.")


def digits(frame: pd.DataFrame, best: float) -> Picture:
    """Share of right answers against epsilon."""
    told = frame.assign(
        label=[
            (f"LinUCB{', small bonus' if r else ''}" if math.isinf(e) else r)
            for r, e in zip(frame["reading"], frame["epsilon"], strict=True)
        ],
        family=["none" if math.isinf(e) else "gaussian" for e in frame["epsilon"]],
        trust=["none" if math.isinf(e) else "local" for e in frame["epsilon"]],
    )
    drawn = told.assign(policy=told["label"], regret=told["right"], regret_se=told["right_se"])
    level = {
        "policy": "random digit",
        "label": "random digit",
        "family": "uniform",
        "trust": "none",
        "epsilon": math.inf,
    }
    drawn = pd.concat(
        [
            drawn,
            pd.DataFrame(
                [
                    level
                    | {
                        "t": drawn["t"].max(),
                        "regret": 0.1,
                        "regret_se": 0.0,
                        "replications": drawn["replications"].max(),
                    }
                ]
            ),
        ],
        ignore_index=True,
    )
    drawn["t"] = drawn["t"].astype(int)
    drawn["replications"] = drawn["replications"].astype(int)
    fig = figures.sweep_curves(drawn, "epsilon", xscale="log", ylabel="share of right answers")
    rounds = int(drawn["t"].max())
    caption = (
        f"Digits: the share of right answers over {power(rounds)} users, d = {DIGITS * COMPONENTS}, δ as for all. "
        f"{figures.caption_runs(frame)} Least squares on everybody's rewards is right for {best:.0%}."
    )
    said = ", ".join(
        f"{row.label}{'' if math.isinf(row.epsilon) else f' at ε = {row.epsilon:g}'} {row.right:.0%}"
        for row in told.itertuples()
    )
    return Picture(fig, frame, caption, f"Share of right answers: {said}; a random digit 10%.")


def published(panel: Panel) -> Picture:
    """The published setting: curves."""
    frame = studies.Runs(panel).curves()
    frame["label"] = [
        "LinUCB" if math.isinf(e) else (f"{r}, ε = {e:,.0f}" if r != "epsilon 1" else "derived, ε = 1")
        for r, e in zip(frame["reading"], frame["epsilon"], strict=True)
    ]
    frame["policy"] = frame["label"]
    frame = pd.concat([frame, _uniform(panel[0], "uniform play")], ignore_index=True)
    fig = figures.regret_curves(frame, yscale="log")
    ends = ", ".join(f"{row.label} {rounded(row.regret)}" for row in frame[frame["t"] == frame["t"].max()].itertuples())
    caption = (
        "The privacy of the authors' experiment, ε = 800,000 at δ = 0.1, on synthetic contexts: 20 unit vectors in 20 "
        f"dimensions a round. {counted(frame)} Uniform play is exact."
    )
    return Picture(fig, without_labels(frame), caption, f"Regret at the horizon: {ends}.")


def published_words(panel: Panel) -> str:
    """What the runs of the published setting lose over LinUCB, in a sentence of MyST."""
    plain = float(panel[0].final.mean())
    if plain <= 0.0:
        return "Nothing was lost without privacy at this horizon, so there is nothing to compare with."
    told = []
    for run in panel[1:]:
        at = "1" if run.reading == "epsilon 1" else "800{,}000"
        words = {"epsilon 1": "derived, analytic noise", "derived": "derived, classical noise"}.get(
            run.reading, run.reading
        )
        told.append(f"{words} at $\\epsilon={at}$ {float(run.final.mean()) / plain:.2g}")
    return f"Regret over that of LinUCB without privacy: {'; '.join(told)}."


def two_privacies(frame: pd.DataFrame, gap: float) -> Picture:
    """The least regret with private actions beside a learner with private messages."""
    rows = []
    for _, row in frame.iterrows():
        for column, label, family, trust in (
            ("dp_regret", "any policy with private actions", "tree", "central"),
            ("ldp_regret", "a learner with private messages", "response", "local"),
            ("uniform", "uniform play", "uniform", "none"),
        ):
            rows.append((label, family, trust, row["epsilon"], row["t"], row[column]))
    drawn = exact(rows, "t")
    drawn["facet"] = [f"ε = {e:g}" for e in drawn["epsilon"]]
    drawn["label"] = drawn["policy"]
    drawn = drawn[drawn["regret"] > 0]
    fig = figures.small_multiples(drawn, by="facet", start=1, yscale="log")
    last = frame[frame["t"] == frame["t"].max()]
    said = "; ".join(
        f"at ε = {row.epsilon:g}, T = {rounded(row.t)} any policy with private actions loses at least "
        f"{shown(row.dp_regret)}, "
        f"the learner with private messages {shown(row.ldp_regret)}"
        for row in last.itertuples()
    )
    caption = (
        f"Two contexts, two arms, gap {gap:g}: the least regret of a policy whose actions are ε-private, and the "
        f"regret of a "
        "learner whose users send one randomised bit. Both are computed exactly."
    )
    return Picture(fig, frame, caption, said[0].upper() + said[1:] + ".")


def _uniform(run: Run, label: str = "uniform") -> pd.DataFrame:
    t = run.data.t.values
    return pd.DataFrame({"t": t, "regret": run.uniform / t[-1] * t}).assign(
        policy=label,
        label=label,
        reading="",
        family="uniform",
        trust="none",
        epsilon=math.inf,
        regret_se=0.0,
        replications=len(run.final),
    )


def _share(run: Run) -> str:
    return f"{float(run.final.mean()) / run.uniform:.2g}"


def _small(panels: Mapping[tuple[str, float], Panel]) -> str:
    for panel in panels.values():
        for run in panel:
            record = run.policy.record
            if "small bonus" in run.reading:
                return f"{record.factor:g}"
    return "a part"
