"""What each figure of the chapter draws and says: labelled frames, captions and alt texts that follow the numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pandas as pd

from private_bandits.papers.cascading import bounds
from private_bandits.papers.cascading.instances import b_lb
from private_bandits.problems import Cascade
from private_bandits.simulate import log_checkpoints
from private_bandits_book import figures
from private_bandits_book.cascading import tables
from private_bandits_book.cascading.claims import Evidence, growth_table
from private_bandits_book.cascading.experiments import (
    LEARNING_DELTA,
    LEARNING_HORIZON,
    LEARNING_INSTANCE,
    PUBLISHED,
    Experiments,
    curves,
    finals,
    learning_problem,
)
from private_bandits_book.figures import Picture, power, rounded
from private_bandits_book.rules import VERDICTS
from private_bandits_book.studies import Panel, Run

_LABELS = {
    "uniform": "uniform play",
    "Composition": "Laplace by composition",
    "Hybrid, log of horizon": "hybrid",
    "Hybrid": "hybrid",
    "CUCB Gaussian": "Gaussian",
}


def in_short(evidence: Evidence, ledger: pd.DataFrame) -> str:
    """The chapter's findings in a few sentences of MyST, from its own numbers."""
    epsilon, setting = evidence.epsilon, evidence.setting
    panel, size = evidence.local[epsilon], setting.list_size
    uniform = _final(panel, "uniform")
    laplace = next(r for r in panel if r.policy.name == "Laplace" and r.reading == "published")
    share = {r: _final(panel, "Laplace", epsilon, r) / uniform for r in ("published", "stated")}
    repaired = _final(panel, "Response, first item", epsilon, "repaired") / uniform
    times = learning_times(evidence.learning).set_index(["policy", "epsilon"])["learns_from"]
    growth = growth_table(evidence).set_index(["policy", "quantity"])
    own, theirs = (growth.loc[(policy, "K")] for policy in ("Response, first item", "Laplace"))
    counts = ledger["verdict"].value_counts()
    verdicts = ", ".join(f"{counts[v]} {v}" for v in VERDICTS if v in counts)
    return "\n".join(
        [
            _promises(setting, epsilon),
            f"- **The published curves are not what their labels say.** The noise was multiplied by {PUBLISHED:g}: "
            f"at nominal $\\epsilon={epsilon:g}$ the Laplace values alone pay "
            f"{laplace.policy.privacy.value_epsilon:.3g}. At "
            f"the noise "
            f"the theorem needs, regret at $T={setting.horizon}$ is {share['stated']:.0%} of uniform play's, not "
            f"{share['published']:.0%}.",
            "- **A repair keeps the promise.** Show the least known item of the list first and ask only whether it was "
            f"clicked, by randomised response: everything sent pays $\\epsilon={epsilon:g}$, and regret is "
            f"{repaired:.0%} of "
            f"uniform play's at $K={size}$. In the longer study at $\\epsilon=0.2$ it starts to learn at round "
            f"{rounded(times['Response, first item', 0.2])}, the stated Laplace algorithm at round "
            f"{rounded(times['Laplace', 0.2])}. With longer lists its regret goes as $K^{{{own.measured:.1f}}}$, "
            f"that of Laplace as $K^{{{theirs.measured:.1f}}}$ (the study of growth).",
            f"- **Of {len(ledger)} claims** {verdicts}. The ledger at the end says why.",
        ]
    )


def _promises(setting: Experiments, epsilon: float) -> str:
    """Which of the paper's algorithms keep their promise, in a sentence."""
    frame = tables.paid(setting, [epsilon])
    broken = frame[frame["reading"] == "stated"].set_index("policy")["everything"] == "∞"
    leak = (
        "The local ones send one number per examined position, so the message's length is the click; all of them use "
        "$w_0$ in clear. The exact loss is infinite."
    )
    if broken.all():
        return f"- **As printed, no algorithm is private.** {leak}"
    if not broken.any():
        return "- **As printed, every algorithm is private.**"
    names = ", ".join(broken.index[broken])
    return f"- **As printed, {int(broken.sum())} of {len(broken)} algorithms are not private**: {names}."


def local(panel: Panel, epsilon: float, size: int, setting: Experiments, label: str) -> Picture:
    """Figures 1(a)-(d) and 2(a)-(d), `label` of the paper."""
    frame = _faceted(curves(panel))
    drawn = frame[~((frame["reading"] == "repaired") & frame["epsilon"].map(math.isinf))]
    bare = _final(panel, "Response, first item", reading="repaired")
    repaired = _final(panel, "Response, first item", epsilon, "repaired")
    uniform = _final(panel, "uniform")
    stated = _final(panel, "Laplace", epsilon, "stated")
    published = _final(panel, "Laplace", epsilon, "published")
    caption = (
        f"{label}: regret of the local algorithms at nominal ε = {epsilon:g}, {_setting(setting, size)}. "
        f"{figures.caption_runs(frame)} Published noise is {PUBLISHED:g} times the stated one. Theorem 4's bound at "
        f"the horizon is {rounded(_theorem_4(setting, size, epsilon))}, uniform play's regret {rounded(uniform)}. The "
        f"repaired rule "
        f"loses {rounded(bare)} without privacy, CascadeUCB1 {rounded(_final(panel, 'CascadeUCB1'))}."
    )
    alt = (
        f"At nominal epsilon {epsilon:g} the published Laplace curve ends at {rounded(published)}, the stated one at "
        f"{rounded(stated)}, the repaired algorithm, which really pays {epsilon:g}, at {rounded(repaired)}; uniform "
        f"play ends at {rounded(uniform)}."
    )
    return Picture(figures.small_multiples(drawn, by="facet", yscale="log"), _data(frame), caption, alt)


def sweep(panel: Panel, setting: Experiments, step: float) -> Picture:
    """Figure 1(e)."""
    frame = _faceted(finals(panel), names={"published": "published", "stated": "stated", "repaired": "repaired"})
    frame["facet"] = frame["facet"].map(
        lambda name: {"": "", "repaired": "repaired\neverything pays ε"}.get(name, f"{name}\neverything pays ∞")
    )
    largest = frame.loc[frame["reading"] == "repaired", "epsilon"].max()
    coarse = frame.loc[frame["reading"] == "repaired", "epsilon"].min()
    caption = (
        f"Figure 1(e): regret at T = {power(setting.horizon)} against nominal ε, "
        f"{_setting(setting, setting.list_size)}; the published "
        f"noise at every multiple of {step:g}, the others of {coarse:g}. {figures.caption_runs(frame)} The published "
        f"Laplace values pay {_slope(frame, 'Laplace', 'published')} ε, the stated ones "
        f"{_slope(frame, 'Laplace', 'stated')} ε."
    )
    ends = {
        reading: frame[(frame["reading"] == reading) & (frame["epsilon"] == largest)]["regret"].min()
        for reading in ("stated", "repaired")
    }
    alt = (
        f"Regret falls with epsilon in every reading; at epsilon {largest:g} the stated algorithms still lose at least "
        f"{rounded(ends['stated'])}, the repaired one {rounded(ends['repaired'])}."
    )
    return Picture(figures.small_multiples(frame, by="facet", x="epsilon"), _data(frame), caption, alt)


def central(panel: Panel, setting: Experiments) -> Picture:
    """Figure 1(f)."""
    frame = _central_facets(curves(panel))
    private = frame["epsilon"].map(math.isfinite)
    frame.loc[private, "label"] = frame.loc[private, "epsilon"].map(lambda e: f"ε = {e:g}")
    last = frame[(frame["t"] == frame["t"].max()) & private]
    caption = (
        f"Figure 1(f): regret under central privacy for several ε, {_setting(setting, setting.list_size)}: "
        f"Algorithm 1 with ln^1.5 of "
        f"the horizon (as printed) or of the pulls (as in its proof), and the repaired algorithm. "
        f"{figures.caption_runs(frame)}"
    )
    alt = "At the horizon, from the smallest epsilon to the largest: " + "; ".join(
        f"{str(facet).splitlines()[0]} loses {rounded(part['regret'].iloc[0])} to {rounded(part['regret'].iloc[-1])}"
        for facet, part in last.groupby("facet", sort=False)
    )
    return Picture(figures.small_multiples(frame, by="facet", yscale="log"), _data(frame), caption, alt + ".")


def items(panel: Panel, setting: Experiments, epsilon: float) -> Picture:
    """Figure 1(g)."""
    frame = _central_facets(finals(panel))
    private = frame[frame["epsilon"].map(math.isfinite)]
    caption = (
        f"Figure 1(g): regret at T = {power(setting.horizon)} under central privacy against the number of items "
        f"L, at nominal "
        f"ε = {epsilon:g}, {_setting(setting, setting.list_size, items=False)}. {figures.caption_runs(frame)}"
    )
    alt = "Regret grows with the number of items: " + "; ".join(
        f"{str(facet).splitlines()[0]} from {rounded(part['regret'].iloc[0])} to {rounded(part['regret'].iloc[-1])}"
        for facet, part in private.groupby("facet", sort=False)
    )
    fig = figures.small_multiples(frame, by="facet", x="n_items", xlabel="items L")
    return Picture(fig, _data(frame), caption, alt + ".")


def cucb(panel: Panel, epsilon: float, setting: Experiments, label: str) -> Picture:
    """Figures 1(h) and 1(i), `label` of the paper."""
    frame = _faceted(curves(panel))
    caption = (
        f"{label}: regret of CUCB (Algorithm 4) on the same means as a top-{setting.list_size} semi-bandit at nominal "
        f"ε = {epsilon:g}, {_setting(setting, setting.list_size)}. {figures.caption_runs(frame)}"
    )
    ends = {r: _final(panel, "CUCB Gaussian", epsilon, r) for r in ("published", "stated", "repaired")}
    alt = (
        f"At nominal epsilon {epsilon:g} CUCB without privacy ends at {rounded(_final(panel, 'CUCB'))}; with the "
        f"Gaussian "
        f"mechanism it ends at {rounded(ends['published'])} published, {rounded(ends['stated'])} stated and "
        f"{rounded(ends['repaired'])} repaired."
    )
    return Picture(figures.small_multiples(frame, by="facet", yscale="log"), _data(frame), caption, alt)


def local_designs(panel: Panel, setting: Experiments) -> Picture:
    """The local repairs against each other; drawn at the list size of the setting, the data hold all."""
    frame = finals(panel)
    frame["label"] = frame["policy"].map(str.lower)
    drawn = frame[frame["list_size"] == setting.list_size]
    best = frame.loc[frame.groupby(["list_size", "epsilon"])["regret"].idxmin(), "policy"]
    wins = int((best == "Response, first item").sum())
    caption = (
        f"The three local repairs at T = {power(setting.horizon)}, {_setting(setting, setting.list_size)}; each pays "
        f"exactly ε. Asking about the first item loses least at {wins} of {len(best)} settings of K and ε. "
        f"{figures.caption_runs(drawn)}"
    )
    ends = drawn[drawn["epsilon"] == drawn["epsilon"].max()]
    alt = f"At the largest epsilon, {ends['epsilon'].iloc[0]:g}: " + ", ".join(
        f"{row.label} {rounded(row.regret)}" for row in ends.sort_values("regret").itertuples()
    )
    return Picture(figures.sweep_curves(drawn, xscale="log"), _data(frame), caption, alt + ".")


def central_designs(panel: Panel, setting: Experiments) -> Picture:
    """The central repairs against each other."""
    frame = finals(panel)
    frame["label"] = frame["policy"].map(str.lower)
    first, rounds = (frame[frame["reading"] == design]["regret"] for design in ("first", "rounds"))
    caption = (
        f"The two central repairs at T = {power(setting.horizon)}, {_setting(setting, setting.list_size)}; each pays "
        f"exactly ε. {figures.caption_runs(frame)}"
    )
    alt = (
        "From the smallest epsilon to the largest, hybrid counters of the first item go from "
        f"{rounded(first.iloc[0])} to {rounded(first.iloc[-1])}, trees indexed by rounds from "
        f"{rounded(rounds.iloc[0])} to {rounded(rounds.iloc[-1])}."
    )
    return Picture(figures.sweep_curves(frame, xscale="log"), _data(frame), caption, alt)


def learning(study: pd.DataFrame, trust: str, epsilon: float) -> Picture:
    """The longer study at one trust model and epsilon, with the bounds that are not vacuous."""
    frame = summary(study)
    frame = frame[((frame["trust"] == trust) & (frame["epsilon"] == epsilon)) | frame["epsilon"].map(math.isinf)]
    own = "Response, first item" if trust == "local" else "CascadeUCB1"
    frame = frame[frame["epsilon"].map(math.isfinite) | frame["policy"].isin(["CascadeUCB1", "uniform", own])]
    problem, t = learning_problem(), log_checkpoints(LEARNING_HORIZON)
    t = t[t >= 1000]
    theorems = _learning_bounds(problem, trust, epsilon)
    lines = [(label, [bound(int(n)) for n in t]) for label, bound in theorems.items()]
    uniform = problem.uniform_regret() * LEARNING_HORIZON
    drawn = [(label, t, values) for label, values in lines if values[-1] < uniform]
    left_out = [f"{label} ({rounded(values[-1])})" for label, values in lines if values[-1] >= uniform]
    caption = (
        f"Honest noise to T = {power(LEARNING_HORIZON)} at {trust} ε = {epsilon:g}, on the instance of the figures. "
        f"{figures.caption_runs(frame[frame['policy'] != 'uniform'])} Uniform play is exact."
        + (f" Vacuous and not drawn: {', '.join(left_out)}." if left_out else "")
    )
    last = frame[frame["t"] == LEARNING_HORIZON].sort_values("regret")
    alt = "From least to most regret at the end: " + ", ".join(
        f"{row.label.replace(chr(10), ' ')} {rounded(row.regret)}" for row in last.itertuples()
    )
    fig = figures.regret_curves(frame, start=1000, yscale="log", bounds=drawn)
    return Picture(fig, _data(frame.assign(facet="")), caption, alt + ".")


def _learning_bounds(problem: Cascade, trust: str, epsilon: float) -> dict[str, Callable[[int], float]]:
    if trust == "local":
        return {
            "Theorem 4": lambda t: bounds.theorem_4(problem, t, epsilon),
            "Theorem 6": lambda t: bounds.theorem_6(problem, t, epsilon, LEARNING_DELTA),
            "Theorem 11": lambda t: bounds.theorem_11(*LEARNING_INSTANCE, t, epsilon),
        }
    return {
        "Theorem 2 at ξ = 0.5": lambda t: bounds.theorem_2(problem, t, epsilon),
        "Theorem 2, corrected": lambda t: bounds.theorem_2(problem, t, epsilon, variant="corrected"),
        "Theorem 12": lambda t: bounds.theorem_12(*LEARNING_INSTANCE, t, epsilon),
    }


def summary(study: pd.DataFrame) -> pd.DataFrame:
    """Return the mean curves of the learning study, tidy, with uniform play beside them."""
    keys = ["policy", "epsilon", "effective_epsilon", "t"]
    frame = study.groupby(keys, sort=False)["regret"].agg(["mean", "sem", "count"]).reset_index()
    frame = frame.rename(columns={"mean": "regret", "sem": "regret_se", "count": "replications"})
    t = frame["t"].unique()
    uniform = pd.DataFrame({"policy": "uniform", "epsilon": math.inf, "effective_epsilon": 0.0, "t": t})
    uniform = uniform.assign(regret=learning_problem().uniform_regret() * t, regret_se=0.0)
    frame = pd.concat([frame, uniform.assign(replications=frame["replications"].iloc[0])], ignore_index=True)
    finite = frame["epsilon"].map(math.isfinite)
    central_policies = frame["policy"].str.startswith("Hybrid")
    frame["trust"] = "none"
    frame.loc[finite, "trust"] = "local"
    frame.loc[finite & central_policies, "trust"] = "central"
    frame["family"] = [_family(policy, epsilon) for policy, epsilon in zip(frame.policy, frame.epsilon, strict=True)]
    frame["label"] = [_paying(row) for row in frame.itertuples()]
    return frame


def learning_times(study: pd.DataFrame) -> pd.DataFrame:
    """Return when each policy of the learning study starts to learn, and what it has lost by the end.

    A policy starts to learn at the first checkpoint from which it loses less than half of what uniform play loses
    per round, for good.
    """
    frame = summary(study)
    uniform = learning_problem().uniform_regret()
    rows = []
    for (policy, epsilon), part in frame.groupby(["policy", "epsilon"], sort=False):
        part = part.sort_values("t")
        t, regret = part["t"].to_numpy(), part["regret"].to_numpy()
        slow = np.diff(regret) / np.diff(t) < uniform / 2
        began = len(slow) - int(np.argmin(slow[::-1])) if not slow.all() else 0
        if policy != "uniform":
            rows.append(
                {
                    "policy": policy,
                    "epsilon": epsilon,
                    "effective_epsilon": part["effective_epsilon"].iloc[0],
                    "learns_from": float(t[began]) if began < len(slow) else math.nan,
                    "regret": regret[-1],
                    "regret_se": part["regret_se"].iloc[-1],
                    "over_uniform": regret[-1] / (uniform * t[-1]),
                    "replications": part["replications"].iloc[0],
                }
            )
    return pd.DataFrame(rows)


def _family(policy: str, epsilon: float) -> str:
    if policy == "uniform":
        return "uniform"
    if math.isinf(epsilon):
        return "none"
    first = policy.split(",")[0].lower()
    return {"hybrid": "tree"}.get(first, first)


def _paying(row: object) -> str:
    policy, paid = row.policy, row.effective_epsilon  # type: ignore[attr-defined]
    if policy == "uniform":
        return "uniform play"
    if math.isinf(row.epsilon):  # type: ignore[attr-defined]
        return "first item, no privacy" if policy.startswith("Response") else policy
    name = {"Response, first item": "repaired", "Hybrid, first item": "repaired"}.get(policy, policy)
    return f"{name},\npays {'∞' if math.isinf(paid) else f'{paid:g}'}"


def _faceted(frame: pd.DataFrame, names: dict[str, str] | None = None) -> pd.DataFrame:
    """Add labels, and facets named after the reading and what its curves pay."""
    frame = frame.copy()
    finite = frame["epsilon"].map(math.isfinite)
    frame["label"] = [_LABELS.get(policy, policy) for policy in frame["policy"]]
    repaired = frame["reading"] == "repaired"
    frame.loc[repaired, "label"] = "repaired"
    frame["facet"] = ""
    for reading in dict.fromkeys(frame["reading"]):
        if reading:
            rows = (frame["reading"] == reading) & finite
            title = names[reading] if names else _facet(reading, frame[rows])
            frame.loc[frame["reading"] == reading, "facet"] = title
    return frame


def _facet(title: str, rows: pd.DataFrame) -> str:
    everything = _span(rows["effective_epsilon"])
    values = _span(rows["value_epsilon"])
    if values == everything:
        return f"{title}\neverything pays {everything}"
    return f"{title}\nvalues pay {values}\neverything pays {everything}"


def _central_facets(frame: pd.DataFrame) -> pd.DataFrame:
    frame = _faceted(frame)
    for reading in ("published", "stated"):
        for policy, words in (("Hybrid, log of horizon", "ln T"), ("Hybrid", "ln n")):
            rows = (frame["reading"] == reading) & (frame["policy"] == policy)
            if rows.any():
                frame.loc[rows, "facet"] = _facet(f"{reading}, {words}", frame[rows])
    return frame


def _data(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.drop(columns=[c for c in ("facet", "label") if c in frame])


def _final(panel: Iterable[Run], name: str, epsilon: float = math.inf, reading: str = "") -> float:
    found = [r for r in panel if r.policy.name == name and r.reading == reading and r.policy.privacy.epsilon == epsilon]
    return float(found[0].final.mean())


def _theorem_4(setting: Experiments, size: int, epsilon: float) -> float:
    return bounds.theorem_4(b_lb(setting.n_items, size, setting.p, setting.gap), setting.horizon, epsilon)


def _setting(setting: Experiments, size: int, items: bool = True) -> str:
    means = f"{setting.p:g}, {setting.gap:g}"
    return f"B_LB({f'{setting.n_items}' if items else 'L'}, {size}, {means})"


def _slope(frame: pd.DataFrame, policy: str, reading: str) -> str:
    rows = frame[(frame["policy"] == policy) & (frame["reading"] == reading)]
    return f"{(rows['value_epsilon'] / rows['epsilon']).mean():.3g}"


def _span(values: Sequence[float] | pd.Series) -> str:
    low, high = min(values), max(values)
    digits = 3 if low == high else 2
    ends = ["∞" if math.isinf(v) else f"{float(f'{v:.{digits}g}'):g}" for v in (low, high)]
    return ends[0] if low == high else "–".join(ends)
