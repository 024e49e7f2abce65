"""What each figure of the chapter draws and says: labelled frames, captions and alt texts that follow the numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from private_bandits.kernels import index
from private_bandits.papers import semibandits as paper
from private_bandits.papers.semibandits import radii
from private_bandits_book import figures
from private_bandits_book.figures import Picture, power, rounded
from private_bandits_book.rules import VERDICTS
from private_bandits_book.semibandits.experiments import MAP_ARMS, MAP_SIZE, Experiments, curves, finals
from private_bandits_book.semibandits.studies import DISTANCE, FIXED_GAP, LOWER_ARMS, LOWER_EPSILONS, final_regrets
from private_bandits_book.semibandits.tables import crossings
from private_bandits_book.studies import Panel, find

_power = partial(power, digit=True)
_LDP1, _LDP2, _DP, _LEAST = "CUCB-LDP1", "CUCB-LDP2", "CUCB-DP", "CUCB-DP, least pulled"
_SHORT = {_LDP1: "LDP1", _LDP2: "LDP2", _DP: "DP", _LEAST: "DP, least pulled"}
_PANELS = {
    ("B_inf", "item gap"): "B∞ = 1",
    ("top-K", "item gap"): "top-K",
    ("K-path", "item gap"): "K-path\nmeans held apart",
    ("K-path", "gap"): "K-path\nΔ held",
}
_TERMS = {"private": "#007a59", "unclear": "#a8d5c5", "sampling": "#eef6f3", "not learnt": "#d9d9d9"}


def learning(panel: Panel, epsilon: float, setting: Experiments) -> Picture:
    """Regret curves of every algorithm on top-K at one epsilon."""
    frame = _labelled(pd.concat([curves(panel), _uniform(panel)], ignore_index=True))
    uniform, plain = panel[0].uniform, _mean(panel, "CUCB")
    caption = (
        f"Regret on top-K at ε = {epsilon:g}: {_setting(setting)}. {figures.caption_runs(frame)} Uniform play is exact "
        f"and loses {rounded(uniform)} by the horizon. Without privacy CUCB loses {rounded(plain)}, with the outcome "
        "of "
        f"the least pulled arm alone {rounded(_mean(panel, 'CUCB, least pulled'))}."
    )
    said = []
    for reading in ("printed", "repaired"):
        ends = {_SHORT[name]: _mean(panel, name, reading, epsilon) for name in _SHORT}
        ranked = ", ".join(f"{name} {rounded(ends[name])}" for name in sorted(ends, key=ends.__getitem__))
        said.append(f"{reading}, {ranked}")
    alt = f"Regret at the horizon at epsilon {epsilon:g}: {'; '.join(said)}; uniform play {rounded(uniform)}."
    fig = figures.small_multiples(frame, by="reading", yscale="log")
    return Picture(fig, frame.drop(columns="label"), caption, alt)


def sizes(panel: Panel, epsilon: float, setting: Experiments) -> Picture:
    """Regret at the chapter's horizon against K on top-K."""
    frame = _labelled(finals(panel))
    given = sorted(frame["size"].unique())
    caption = (
        f"Regret on top-K at T = {_power(setting.horizon)} and ε = {epsilon:g} against K, with "
        f"{setting.n_arms - setting.size} other arms, {setting.gap:g} below. {figures.caption_runs(frame)}"
    )
    alt = f"From K = {given[0]} to K = {given[-1]}: " + "; ".join(
        f"{_SHORT[name]} {reading} from {rounded(_mean(panel, name, reading, epsilon, size=int(given[0])))} to "
        f"{rounded(_mean(panel, name, reading, epsilon, size=int(given[-1])))}"
        for reading in ("printed", "repaired")
        for name in (_LDP1, _LDP2)
    )
    fig = figures.small_multiples(frame, by="reading", x="size", xscale="log", yscale="log", xlabel="size K")
    return Picture(fig, frame.drop(columns="label"), caption, alt + ".")


def k_exponent(study: pd.DataFrame, exponents: pd.DataFrame) -> Picture:
    """Regret over m - K against K, from the longer study, with the fitted powers."""
    frame = _per_arm(study, exponents)
    identity = (frame["family"] == "path as arm") & (frame["held"] == "item gap")  # the same run times K
    drawn = frame[(frame["family"] != "top-K, close") & ~identity].copy()
    single = drawn["family"] == "path as arm"
    drawn["panel"] = [
        _PANELS["K-path" if one else family, held]
        for family, held, one in zip(drawn["family"], drawn["held"], single, strict=True)
    ]
    drawn["family"] = "laplace"
    drawn = drawn.assign(policy=drawn["label"], regret=drawn["per_arm"], regret_se=drawn["per_arm_se"])
    fig = figures.small_multiples(
        drawn, by="panel", x="size", xscale="log", yscale="log", xlabel="size K", ylabel="regret / (m − K)"
    )
    for axes, title in zip(fig.axes, dict.fromkeys(drawn["panel"]), strict=True):
        _name_powers(axes, drawn[drawn["panel"] == title])
    horizons = "; ".join(
        f"{str(title).replace(chr(10), ', ')}, {variant}: {_power(int(rows['t'].max()))}"
        for (title, variant), rows in drawn.groupby(["panel", "variant"], sort=False)
    )
    caption = (
        "Does sending the least pulled arm alone remove K²? Regret over m − K at ε = 1 against K, with the fitted "
        "power "
        f"of K at each line's end. Rounds: {horizons}. Means are 0.5 and {0.5 - DISTANCE:g}; in the last panel Δ is "
        "held at "
        f"{FIXED_GAP:g}, so that they come closer as K grows. On B∞ = 1 and top-K holding one holds the other. "
        f"{figures.caption_runs(frame)}"
    )
    said = []
    for title, rows in drawn.drop_duplicates(["panel", "label"]).groupby("panel", sort=False):
        powers = ", ".join(f"{row.label} {row.exponent:.2f}" for row in rows.itertuples())
        said.append(f"{str(title).replace(chr(10), ', ')}: {powers}")
    return Picture(fig, frame.drop(columns="label"), caption, f"Fitted powers of K. {'; '.join(said)}.")


def central_local(frame: pd.DataFrame) -> Picture:
    """The map of epsilon and gap: which term of Theorem 8 dominates, and who wins, a panel per horizon and reading."""
    horizons, readings = sorted(frame["t"].unique()), ("printed", "repaired")
    with figures.style():
        height = 1.0 + 2.1 * len(horizons)
        fig = Figure(figsize=(figures.WIDTH, height), dpi=72)
        FigureCanvasAgg(fig)
        for row, horizon in enumerate(horizons):
            for column, reading in enumerate(readings):
                bottom = 1.1 + 2.1 * (len(horizons) - 1 - row)
                axes = fig.add_axes((0.1 + 0.46 * column, bottom / height, 0.42, 1.4 / height))
                _draw_map(axes, frame[(frame["t"] == horizon) & (frame["variant"] == reading)], first=column == 0)
                axes.set_title(f"{reading}, T = {_power(int(horizon))}", loc="left", pad=7)
        fig.text(0.53, 0.5 / height, "ε", ha="center", va="bottom", color="#333333")
        fig.text(0.012, 1 - 0.05 / height, "gap Δ", va="top", color="#333333")
        handles = [Patch(facecolor=colour, edgecolor="#8c8c8c", label=term) for term, colour in _TERMS.items()]
        fig.legend(handles=handles, loc="lower center", ncols=len(handles), frameon=False, columnspacing=1.4)
    caption = (
        f"Which term of Theorem 8 the regret of CUCB-DP comes from, on top-K with m = {MAP_ARMS}, K = {MAP_SIZE}: "
        "private, where more than half of the regret is not lost without privacy; not learnt, where the box loses more "
        "than half of what uniform play does. The number in a cell is the regret over that of the repaired CUCB-LDP2: "
        f"below 1 the trusted centre gains. Means of {_span(frame['replications'])} runs; a term is named where the "
        "95 % "
        "confidence interval of its share lies on one side of a half."
    )
    said = []
    for reading in readings:
        terms = frame.loc[frame["variant"] == reading, "term"]
        said.append(f"{reading}: " + ", ".join(f"{term} in {int((terms == term).sum())}" for term in _TERMS))
    wins = int((frame["over_local"] < 1).sum())
    alt = f"Cells by term. {'; '.join(said)}. The centre gains in {wins} of {len(frame)} cells."
    return Picture(fig, frame, caption, alt)


def graphs(panel: Panel, epsilon: float, setting: Experiments) -> Picture:
    """Regret curves on shortest paths and spanning trees."""
    frame = _labelled(pd.concat([curves(panel), _uniform(panel)], ignore_index=True))
    names = list(dict.fromkeys(run.swept["problem"] for run in panel))
    caption = (
        f"Regret on graphs at ε = {epsilon:g}, T = {_power(setting.horizon)}, repaired algorithms: shortest paths "
        "through a grid of nine nodes, K = 4, and maximum spanning trees of the complete graph on four, K = 3. "
        f"{figures.caption_runs(frame)}"
    )
    said = []
    for name in names:
        runs = sorted((r for r in panel if r.swept["problem"] == name), key=lambda run: float(run.final.mean()))
        ends = ", ".join(f"{_SHORT.get(r.policy.name, r.policy.name)} {rounded(float(r.final.mean()))}" for r in runs)
        said.append(f"{name}: {ends}, uniform play {rounded(runs[0].uniform)}")
    fig = figures.small_multiples(frame, by="problem", yscale="log")
    return Picture(fig, frame.drop(columns="label"), caption, "Regret at the horizon. " + "; ".join(said) + ".")


def dp_lower_bound(study: pd.DataFrame) -> Picture:
    """DP-SE at K = 1 over the claimed lower bound and over the additive form of Theorem 9."""
    frame = final_regrets(study).rename(columns={"horizon": "t", "measured": "regret"})
    last = study[study["t"] == study["horizon"]]
    frame["regret_se"] = last.groupby(["epsilon", "gap"], sort=False)["regret"].sem().to_numpy()
    log_t = np.log(frame["t"])
    frame["claimed"] = frame["n_arms"] * log_t / (frame["epsilon"] * frame["gap"])
    frame["additive"] = frame["n_arms"] * log_t * (1.0 / frame["gap"] + 1.0 / frame["epsilon"])
    forms = {"claimed": "over m ln T / (εΔ)", "additive": "over m ln T (1/Δ + 1/ε)"}
    drawn = pd.concat(
        [
            frame.assign(form=title, regret=frame["regret"] / frame[name], regret_se=frame["regret_se"] / frame[name])
            for name, title in forms.items()
        ],
        ignore_index=True,
    ).assign(family="elimination", trust="central")
    fig = figures.small_multiples(
        drawn, by="form", x="gap", xscale="log", yscale="log", xlabel="gap Δ", ylabel="regret over the form"
    )
    ratios = {name: frame["regret"] / frame[name] for name in forms}
    worst = int(np.argmin(ratios["claimed"]))
    caption = (
        f"DP-SE on {LOWER_ARMS} arms (K = 1), T = {_power(int(frame['t'].iloc[0]))}, over the two forms of the lower "
        "bound. A lower bound of a form needs a positive constant below every curve. Over the claimed product the "
        "regret "
        f"falls to {ratios['claimed'].min():.2g}, further the smaller ε and Δ are together; over the sum it stays "
        "between "
        f"{ratios['additive'].min():.2g} and {ratios['additive'].max():.2g}. {figures.caption_runs(frame)}"
    )
    alt = (
        f"Over the product the ratio is least, {ratios['claimed'].min():.2g}, at epsilon {frame['epsilon'][worst]:g} "
        "and "
        f"gap {frame['gap'][worst]:g}; over the sum all curves are level within a factor of "
        f"{ratios['additive'].max() / ratios['additive'].min():.2g}."
    )
    return Picture(fig, frame, caption, alt)


def in_short(
    setting: Experiments,
    learning_panels: dict[float, Panel],
    exponents: pd.DataFrame,
    dominance: pd.DataFrame,
    ledger: pd.DataFrame,
) -> str:
    """The chapter's findings in a few sentences of MyST, from its own numbers."""
    printed = dominance[dominance["variant"] == "printed"]
    learnt = printed[printed["term"] != "not learnt"]
    private = int((learnt["term"] == "private").sum())
    counts = ledger["verdict"].value_counts()
    verdicts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if verdict in counts)
    ruled = ledger.set_index("claim")["verdict"]
    epsilon, panel = next(iter(learning_panels.items()))
    ends = {name: rounded(_mean(panel, name, "repaired", epsilon)) for name in (_LDP1, _LDP2)}
    se = _fit(exponents, "DP-SE", "printed", "arms", "1/gap")
    return "\n".join(
        [
            _kept(learning_panels),
            "- **Does the least pulled arm remove $K^2$ where the reward is $B_\\infty$-smooth? Verdict: "
            f"{ruled['least-pulled-removes-k']}.** On the $B_\\infty=1$ family regret over $m-K$ goes as "
            f"$K^{{{_fit(exponents, _LDP1, 'repaired', 'B_inf')}}}$ if all $K$ outcomes are sent, and as "
            f"$K^{{{_fit(exponents, _LDP2, 'repaired', 'B_inf')}}}$ if only the least pulled is; the claim asks for 2 "
            "and 0. The printed bonus of CUCB-LDP1 has $K$ where its noise needs $K^2$: it goes as "
            f"$K^{{{_fit(exponents, _LDP1, 'printed', 'B_inf')}}}$, at the price of a bonus that does not cover its "
            "noise.",
            "- **Does $K^2$ stay for CUCB-LDP2 on $B_1$-smooth rewards? Verdict: "
            f"{ruled['algorithm-2-on-b1']}.** On the paper's own hard instance, at a fixed $\\Delta$, it goes as "
            f"$K^{{{_fit(exponents, _LDP2, 'printed', 'K-path')}}}$ as printed and "
            f"$K^{{{_fit(exponents, _LDP2, 'repaired', 'K-path')}}}$ repaired. But that instance cannot carry the "
            "conjecture that nothing does better: who plays a path as one arm gets "
            f"$K^{{{_fit(exponents, _LDP2, 'repaired', 'path as arm')}}}$ there; the lower bound has 1.",
            "- **Is the lower bound under central privacy a product, $m\\ln T/(\\epsilon\\Delta)$? Verdict: "
            f"{ruled['central-lower']}.** DP-SE's proved upper bound at $K=1$, of order $m\\ln "
            "T\\,(1/\\Delta+1/\\epsilon)$, contradicts it when $\\epsilon$ and $\\Delta$ shrink together. At "
            f"$\\epsilon={min(LOWER_EPSILONS):g}$ its measured power of $1/\\Delta$ is {se} over these gaps; the "
            "product has 1.",
            f"- **With the printed constants the private term is most of the regret in {private} of {len(learnt)} "
            f"cells** of the map in which CUCB-DP has learnt.{_excess(setting, epsilon)}",
            f"- **On top-K at $\\epsilon={epsilon:g}$** and $T={setting.horizon}$ the repaired CUCB-LDP1 loses "
            f"{ends[_LDP1]}, "
            f"CUCB-LDP2 {ends[_LDP2]}, uniform play {rounded(panel[0].uniform)}.",
            f"- **Of {len(ledger)} claims** {verdicts}. The ledger at the end says why.",
        ]
    )


def bonuses_in_words() -> str:
    """Say from where on the printed sqrt bonuses of the local boxes are below the repaired ones."""
    size, epsilon = crossings()
    first = "no $K$" if math.isnan(size) else f"$K={size:g}$"
    second = "no $\\epsilon$" if math.isnan(epsilon) else f"$\\epsilon={epsilon:.3g}$"
    return (
        f"The printed $a$ of CUCB-LDP1 is below the repaired one from {first} on at small $\\epsilon$, that of "
        f"CUCB-LDP2 from {second} on."
    )


def map_in_words(frame: pd.DataFrame) -> str:
    """Say where the repaired CUCB-DP turns from the private to the sampling term, and where a trusted centre gains."""
    repaired = frame[frame["variant"] == "repaired"]
    turns = []
    for (horizon, gap), cells in repaired.groupby(["t", "gap"]):
        private = cells.loc[cells["term"] == "private", "epsilon"]
        sampling = cells.loc[cells["term"] == "sampling", "epsilon"]
        if len(private) and len(sampling) and private.max() < sampling.min():
            where = f"$\\Delta={gap:g}$, $T={int(horizon)}$"
            turns.append(f"between $\\epsilon={private.max():g}$ and ${sampling.min():g}$ at {where}")
    text = f"Repaired, sampling dominates in {int((repaired['term'] == 'sampling').sum())} of {len(repaired)} cells"
    text += f": regret turns from private to sampling {'; '.join(turns)}." if turns else "."
    wins = frame[frame["over_local"] < 1]
    text += f" A trusted centre gains over local noise in {len(wins)} of {len(frame)} cells"
    if len(wins) == 0:
        return f"{text}."
    epsilons, ratios = wins["epsilon"], wins["over_local"]
    readings = " or ".join(sorted(wins["variant"].unique()))
    return (
        f"{text}, {readings}: at $\\epsilon$ from {epsilons.min():g} to {epsilons.max():g}, $\\Delta$ from "
        f"{wins['gap'].min():g} to {wins['gap'].max():g} and $T$ from {int(wins['t'].min())} on, with "
        f"{ratios.min():.2g} to {ratios.max():.2g} of the local regret."
    )


def _kept(panels: dict[float, Panel]) -> str:
    """What the algorithms pay, in a sentence."""
    privacies = [(epsilon, run.policy.privacy) for epsilon, panel in panels.items() for run in panel if run.reading]
    broken = sum(not (privacy.effective_epsilon or math.inf) <= epsilon * (1 + 1e-9) for epsilon, privacy in privacies)
    if broken:
        return f"- **{broken} of {len(privacies)} algorithms pay more than they promise** at these parameters."
    return (
        "- **Every algorithm keeps its promise.** What a user sends, or what a tree releases, concerns arms that are "
        "fixed "
        "before the outcomes are drawn, so nothing but the noisy values tells of them."
    )


def _excess(setting: Experiments, epsilon: float) -> str:
    """The printed bonus of CUCB-DP for its noise over a tail of the printed noise and over the repaired bonus."""
    printed, repaired = (
        paper.cucb_dp(epsilon, setting.size, setting.n_arms, setting.horizon, reading).record
        for reading in paper.VARIANTS
    )
    assert isinstance(printed, index.Record) and isinstance(repaired, index.Record)
    fits = radii.node_radius(setting.horizon.bit_length(), 2.0 * math.log(setting.horizon)) * printed.scale
    if not (fits and repaired.bonus_scale):
        return ""
    return (
        f" The printed bonus for noise is {printed.bonus_scale / fits:.2g} times one that fits the printed noise, and "
        f"{printed.bonus_scale / repaired.bonus_scale:.2g} times the repaired one, whose noise is less."
    )


def _fit(
    exponents: pd.DataFrame, policy: str, variant: str, family: str, quantity: str = "K", held: str = "gap"
) -> str:
    """A fitted exponent as text."""
    chosen = exponents[
        (exponents["policy"] == policy)
        & (exponents["variant"] == variant)
        & (exponents["family"] == family)
        & (exponents["held"] == held)
        & (exponents["quantity"] == quantity)
    ]
    return f"{chosen['measured'].iloc[0]:.2f}".replace("-0.00", "0.00")


def _name_powers(axes: Axes, rows: pd.DataFrame) -> None:
    """Write each line's fitted power at its end, in the colour of the line, and make room for it."""
    ends = rows.sort_values("size").groupby("label", sort=False).tail(1).sort_values("per_arm")
    colours = {str(line.get_label()): line.get_color() for line in axes.get_lines()}
    low, high = axes.get_xlim()
    axes.set_xlim(low, high * 1.7)
    y_low, y_high = np.log(axes.get_ylim())
    taken = -math.inf
    for row in ends.itertuples():
        at = max((math.log(float(row.per_arm)) - y_low) / (y_high - y_low), taken + 0.085)
        taken = at
        axes.text(
            math.log(float(row.size) * 1.1 / low) / math.log(high * 1.7 / low),
            at,
            f"{row.exponent:.2f}".replace("-0.00", "0.00"),
            transform=axes.transAxes,
            color=colours[str(row.label)],
            va="center",
            fontsize=10.5,
        )


def _labelled(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(label=[_SHORT.get(policy, policy) for policy in frame["policy"]])


def _draw_map(axes: Axes, part: pd.DataFrame, *, first: bool) -> None:
    """A cell per epsilon and gap, coloured by the dominating term, with the regret over the local one's."""
    epsilons, gaps = sorted(part["epsilon"].unique()), sorted(part["gap"].unique())
    for row in part.itertuples():
        x, y = epsilons.index(row.epsilon), gaps.index(row.gap)
        axes.add_patch(Rectangle((x, y), 1, 1, facecolor=_TERMS[str(row.term)], edgecolor="white", linewidth=1.5))
        dark = row.term == "private"
        axes.text(
            x + 0.5,
            y + 0.5,
            _ratio(row.over_local),
            ha="center",
            va="center",
            fontsize=10,
            color="white" if dark else "#1a1a1a",
        )
    axes.set(xlim=(0, len(epsilons)), ylim=(0, len(gaps)))
    axes.set_xticks(np.arange(len(epsilons)) + 0.5, [f"{value:g}" for value in epsilons])
    axes.set_yticks(np.arange(len(gaps)) + 0.5, [f"{value:g}" if first else "" for value in gaps])
    axes.tick_params(length=0)
    axes.grid(False)


def _per_arm(study: pd.DataFrame, exponents: pd.DataFrame) -> pd.DataFrame:
    """The mean regrets of the study of K over m - K, with the fitted power of each line."""
    last = study[study["t"] == study["horizon"]]
    keys = ["family", "held", "policy", "variant", "epsilon", "n_arms", "size", "gap", "t"]
    frame = last.groupby(keys, sort=False)["regret"].agg(["mean", "sem", "count"]).reset_index()
    frame = frame.rename(columns={"mean": "regret", "sem": "regret_se", "count": "replications"})
    others = frame["n_arms"] - frame["size"]
    frame["per_arm"], frame["per_arm_se"] = frame["regret"] / others, frame["regret_se"] / others
    fits = exponents[exponents["quantity"] == "K"][["family", "held", "policy", "variant", "measured", "low", "high"]]
    fits = fits.rename(columns={"measured": "exponent", "low": "exponent_low", "high": "exponent_high"})
    frame = frame.merge(fits, on=["family", "held", "policy", "variant"], how="left")
    frame["trust"] = "local"
    frame["label"] = [f"{_SHORT[p]} {v}" for p, v in zip(frame["policy"], frame["variant"], strict=True)]
    frame.loc[frame["family"] == "path as arm", "label"] = "path as one arm"
    return frame


def _uniform(panel: Panel) -> pd.DataFrame:
    """Uniform play on every problem of a panel, exactly, in the form of `curves`."""
    frames = []
    for name, run in {run.swept.get("problem", ""): run for run in panel}.items():
        t = run.data.t.values
        frame = pd.DataFrame({"policy": "uniform play", "reading": "", "family": "uniform", "trust": "none", "t": t})
        frame = frame.assign(epsilon=math.inf, regret=run.problem.uniform_regret() * t, regret_se=0.0)
        frame = frame.assign(n_arms=run.problem.n_items, size=run.problem.list_size, replications=len(run.final))
        frames.append(frame.assign(problem=name) if name else frame)
    return pd.concat(frames, ignore_index=True)


def _mean(panel: Panel, name: str, reading: str = "", epsilon: float | None = None, **swept: object) -> float:
    return float(find(panel, name, reading, epsilon, **swept).final.mean())


def _setting(setting: Experiments) -> str:
    return (
        f"m = {setting.n_arms}, K = {setting.size}, means 0.5 and {0.5 - setting.gap:g}, T = {_power(setting.horizon)}"
    )


def _span(values: Iterable[int] | Sequence[int]) -> str:
    ends = sorted({int(min(values)), int(max(values))})
    return " to ".join(map(str, ends))


def _ratio(value: float) -> str:
    if math.isnan(value):
        return ""
    return f"{value:.0f}" if value >= 9.95 else f"{value:.2g}"
