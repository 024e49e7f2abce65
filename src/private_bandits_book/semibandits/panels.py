"""The figures of the chapter, and its findings in words: what each draws and says follows the numbers."""

import itertools
import math
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle

from private_bandits.estimates import Interval
from private_bandits.kernels import index
from private_bandits.papers.semibandits import VARIANTS, cucb_dp, radii
from private_bandits_book import figures
from private_bandits_book.exhibits import Exhibits, Made, drawn, names, sentence
from private_bandits_book.figures import rounded
from private_bandits_book.figures.drawing import blank
from private_bandits_book.figures.lines import line
from private_bandits_book.figures.look import WIDTH
from private_bandits_book.semibandits import sweeps
from private_bandits_book.semibandits.study import Source, Study
from private_bandits_book.semibandits.sweeps import DP, DP_SE, HYPERCUBE, LDP1, LDP2, LEAST, RADIUS
from private_bandits_book.studies import Runs, key, looked, means
from private_bandits_book.sweep import GAP, SIZE

panels = Exhibits()

_SHORT = {LDP1: "LDP1", LDP2: "LDP2", DP: "DP", LEAST: "DP, least pulled", RADIUS: "super-arm radius"}
_CENTRAL = ("one matters", "max-path", "top-K", "K-path")
_SUMS = ("K-path", "K-path as arms", "windows", "windows as arms")
_AVERAGE = "one bit of the average"
_LOWER = ("B_inf at 1/2", "K-path at 1/2", "K-path at 1/2 as arms")
_TERMS = {"private": "#007a59", "unclear": "#a8d5c5", "sampling": "#eef6f3", "not learnt": "#d9d9d9"}


@panels("short")
@panels("findings")
def findings(study: Study) -> dict[str, Any]:
    """The chapter's findings in a few sentences, from its own numbers."""
    learnt = study.dominance[(study.dominance["variant"] == "printed") & (study.dominance["term"] != "not learnt")]
    runs = study.learning[study.epsilon]

    def power(policy: str, variant: str, family: str, quantity: str = SIZE) -> str:
        fit = study.fit(Source(policy, variant, family), quantity).fit or Interval()
        return _two_digits(fit.measured)

    def removed(sent: str, family: str, variant: str = "repaired") -> str:
        fit = study.removed(Source(sent, variant, family), Source(LDP2, variant, family)).fit or Interval()
        return _two_digits(fit.measured)

    return {
        "promises": _promises(study),
        "ruled": study.ledger.set_index("claim")["verdict"],
        "laplace": [removed(LDP1, family) for family in _CENTRAL],
        "hypercube": [removed(HYPERCUBE, family) for family in _CENTRAL],
        "as_printed": [removed(LDP1, family, "printed") for family in _CENTRAL[:3]],
        "least_one": power(LDP2, "repaired", "one matters"),
        "path": power(LDP2, "repaired", "K-path"),
        "radius": power(RADIUS, "repaired", "K-path"),
        "ratios": _over_bounds(study),
        "lower_epsilon": min(sweeps.LOWER_EPSILONS),
        "dp_se": power(DP_SE, "printed", "arms at 1/2", GAP),
        "private": int((learnt["term"] == "private").sum()),
        "learnt": len(learnt),
        "excess": _excess(study),
        "ldp1": rounded(runs.final(LDP1, "repaired")),
        "ldp2": rounded(runs.final(LDP2, "repaired")),
        "uniform": rounded(runs[0].uniform),
    }


def _over_bounds(study: Study) -> str:
    """Mean regrets of the repaired CUCB-LDP2 over the corrected Theorem 6, in the order of K."""
    frame = over_lower_bounds(study)
    chosen = frame[(frame["key"] == LDP2) & (frame["instances"] == "K-path at 1/2")]
    return ", ".join(f"{value:.3g}" for value in chosen.sort_values("size")["regret"])


def _promises(study: Study) -> str:
    """What the algorithms pay, in a sentence."""
    privacies = [(e, run.policy.privacy) for e, runs in study.learning.items() for run in runs if run.variant]
    broken = sum(not (privacy.effective_epsilon or math.inf) <= epsilon * (1 + 1e-9) for epsilon, privacy in privacies)
    return sentence(study, "broken promises" if broken else "promises", broken=broken, of=len(privacies))


def _excess(study: Study) -> str:
    """The printed bonus of CUCB-DP for its noise over a tail of the printed noise and over the repaired bonus."""
    given = (study.epsilon, study.size, study.n_arms, study.horizon)
    printed, repaired = (cucb_dp(*given, variant).record for variant in VARIANTS)
    assert isinstance(printed, index.Record) and isinstance(repaired, index.Record)
    fitting = radii.node_radius(study.horizon.bit_length(), 2.0 * math.log(study.horizon)) * printed.scale
    if not (fitting and repaired.bonus_scale):
        return ""
    bonus = printed.bonus_scale
    return sentence(study, "excess", fitting=bonus / fitting, repaired=bonus / repaired.bonus_scale)


@panels("figure-regret")
def learning(study: Study) -> Made:
    """Regret curves of every algorithm on top-K, a panel for each variant and epsilon."""
    frames, said = [], []
    for variant, epsilon in itertools.product(VARIANTS, study.epsilons):
        runs = study.learning[epsilon]
        chosen = Runs(run for run in runs if run.variant in ("", variant))
        frames.append(_with_uniform(chosen).assign(panel=f"{variant}, ε = {epsilon:g}"))
        said.append(f"{variant}, epsilon {epsilon:g}: {_ranking(chosen)}")
    frame = pd.concat(frames, ignore_index=True)
    facts = {
        "low": 0.5 - study.gap,
        "said": "; ".join(said),
        "uniform": rounded(study.learning[study.epsilon][0].uniform),
    }
    return drawn(figures.small_multiples(frame, by="panel", yscale="log"), frame, T=_power(study.horizon), **facts)


@panels("figure-sizes")
def sizes(study: Study) -> Made:
    """Regret at the chapter's horizon against K on overlapping windows."""
    frame = _labelled(study.by_size.finals())
    ends = [int(size) for size in (frame["size"].min(), frame["size"].max())]
    said = []
    for label, rows in frame.groupby("label", sort=False):
        first, last = (rounded(float(rows.loc[rows["size"] == size, "regret"].iloc[0])) for size in ends)
        said.append(f"{label} from {first} to {last}")
    fig = figures.small_multiples(frame, by="instances", x="size", xscale="log", yscale="log", xlabel="size K")
    facts = {"T": _power(study.horizon), "others": study.n_arms - study.size, "ends": ends, "epsilon": study.middle}
    return drawn(fig, frame, said="; ".join(said), **facts)


@panels("figure-removed")
def removed(study: Study) -> Made:
    """Regret a bad arm against K: all K outcomes sent in two ways, and that of the least pulled arm."""
    frame = _per_arm(study)
    plotted = frame[frame["instances"].isin(_CENTRAL) & frame["key"].isin((LDP1, LDP2, HYPERCUBE))]
    plotted = plotted[plotted["variant"] == "repaired"]
    return _against_size(study, plotted, "regret / bad arms", "panels")


@panels("figure-radius")
def radius(study: Study) -> Made:
    """Regret a bad arm against K on sums: a radius an arm or a super arm, and the average as one arm."""
    frame = _per_arm(study)
    frame = frame[frame["instances"].isin(_SUMS) & (frame["variant"] == "repaired")]
    asked = frame["key"].isin((LDP2, RADIUS)) | frame["instances"].isin(sweeps.AS_ARMS)
    return _against_size(study, frame[asked], "regret / bad arms", "sums")


@panels("figure-lower-bounds")
def lower_bounds(study: Study) -> Made:
    """Regret over the corrected lower bounds under local privacy, against K."""
    return _against_size(study, over_lower_bounds(study), "regret / lower bound", "lower")


def over_lower_bounds(study: Study) -> pd.DataFrame:
    """Return the mean regrets on the instances of Theorems 5 and 6, over these bounds."""
    frame = _per_arm(study)
    frame = frame[frame["instances"].isin(_LOWER) & frame["key"].isin((LDP2, RADIUS, HYPERCUBE))].copy()
    given = frame[["instances", "n_arms", "size", "gap", "epsilon", "t"]].itertuples(index=False, name=None)
    scale = (frame["n_arms"] - frame["size"]) / [sweeps.lower_bound(*row) for row in given]
    sources = (Source(row.key, row.variant, row.instances) for row in frame.itertuples())
    powers = pd.DataFrame([(study.over_bound(source).fit or Interval())[:3] for source in sources], index=frame.index)
    frame[["exponent", "exponent_low", "exponent_high"]] = powers
    return frame.assign(**{name: frame[name] * scale for name in ("regret", "regret_se")})


def _against_size(study: Study, plotted: pd.DataFrame, ylabel: str, of: str) -> Made:
    """Panels by family, with the fitted power of K at each line's end."""
    titles = names(study, of)
    plotted = plotted.assign(panel=plotted["instances"].map(titles))
    order = {"panel": list(titles.values()), "label": [*names(study, "lines").values(), _AVERAGE]}
    plotted = plotted.sort_values(
        list(order), key=lambda column: column.map(order[str(column.name)].index), kind="stable"
    )
    fig = figures.small_multiples(
        plotted, by="panel", x="size", xscale="log", yscale="log", xlabel="size K", ylabel=ylabel
    )
    said = []
    for axes, (title, rows) in zip(fig.axes, plotted.groupby("panel", sort=False), strict=True):
        _name_powers(axes, rows)
        powers = [f"{row.label} {_two_digits(row.exponent)}" for row in rows.drop_duplicates("label").itertuples()]
        said.append(f"{_on_a_line(title)}: {', '.join(powers)}")
    return drawn(
        fig,
        plotted,
        said="; ".join(said),
        shortest=_power(int(plotted["t"].min())),
        longest=_power(int(plotted["t"].max())),
    )


@panels("figure-central-local")
def central_local(study: Study) -> Made:
    """The map of epsilon and gap: which term of Theorem 8 dominates, and who wins, a panel per horizon and variant."""
    frame = study.dominance
    horizons = sorted(frame["t"].unique())
    with figures.style():
        fig, height = blank(), 1.0 + 2.1 * len(horizons)
        fig.set_size_inches(WIDTH, height)
        for row, horizon in enumerate(horizons):
            for column, variant in enumerate(VARIANTS):
                bottom = 1.1 + 2.1 * (len(horizons) - 1 - row)
                axes = fig.add_axes((0.1 + 0.46 * column, bottom / height, 0.42, 1.4 / height))
                _draw_map(axes, frame[(frame["t"] == horizon) & (frame["variant"] == variant)], first=column == 0)
                axes.set_title(f"{variant}, T = {_power(int(horizon))}", loc="left", pad=7)
        fig.text(0.53, 0.5 / height, "ε", ha="center", va="bottom", color="#333333")
        fig.text(0.012, 1 - 0.05 / height, "gap Δ", va="top", color="#333333")
        handles = [Patch(facecolor=colour, edgecolor="#8c8c8c", label=term) for term, colour in _TERMS.items()]
        fig.legend(handles=handles, loc="lower center", ncols=len(handles), frameon=False, columnspacing=1.4)
    played = " to ".join(str(count) for count in sorted({*map(int, frame["replications"].agg(["min", "max"]))}))
    said = []
    for variant in VARIANTS:
        terms = frame.loc[frame["variant"] == variant, "term"]
        said.append(f"{variant}: " + ", ".join(f"{term} in {int((terms == term).sum())}" for term in _TERMS))
    facts = {"arms": sweeps.MAP_ARMS, "size": sweeps.MAP_SIZE, "played": played, "said": "; ".join(said)}
    return drawn(fig, frame, wins=int((frame["over_local"] < 1).sum()), cells=len(frame), **facts)


@panels("findings-map")
def map_in_words(study: Study) -> str:
    """Say where the repaired CUCB-DP turns from the private to the sampling term, and where a trusted centre gains."""
    frame = study.dominance
    repaired = frame[frame["variant"] == "repaired"]
    turns = []
    for (horizon, gap), cells in repaired.groupby(["t", "gap"]):
        private, sampling = (cells.loc[cells["term"] == term, "epsilon"] for term in ("private", "sampling"))
        if len(private) and len(sampling) and private.max() < sampling.min():
            where = f"$\\Delta={gap:g}$, $T={int(horizon)}$"
            turns.append(f"between $\\epsilon={private.max():g}$ and ${sampling.min():g}$ at {where}")
    facts: dict[str, Any] = {"sampling": int((repaired["term"] == "sampling").sum()), "cells": len(repaired)}
    text = sentence(study, "turns" if turns else "no turns", turns="; ".join(turns), **facts)
    wins = frame[frame["over_local"] < 1]
    facts = {"wins": len(wins), "cells": len(frame), "variants": " or ".join(sorted(wins["variant"].unique()))}
    ends = {"least": wins.min(numeric_only=True), "most": wins.max(numeric_only=True)}
    return text + sentence(study, "gains" if len(wins) else "no gains", **facts, **ends)


@panels("figure-dp-lower-bound")
def dp_lower_bound(study: Study) -> Made:
    """DP-SE at K = 1 over the claimed lower bound and over the additive form of Theorem 9."""
    lower = study.long_study("lower")
    frame = _played(sweeps.final_regrets(lower).rename(columns={"horizon": "t", "measured": "regret"}), "lower")
    last = lower[lower["t"] == lower["horizon"]]
    frame["regret_se"] = last.groupby(["epsilon", "gap"], sort=False)["regret"].sem().to_numpy()
    log_t = np.log(frame["t"])
    frame["claimed"] = frame["n_arms"] * log_t / (frame["epsilon"] * frame["gap"])
    frame["additive"] = frame["n_arms"] * log_t * (1.0 / frame["gap"] + 1.0 / frame["epsilon"])
    forms = {"claimed": "over m ln T / (εΔ)", "additive": "over m ln T (1/Δ + 1/ε)"}
    over = {name: frame[["regret", "regret_se"]].div(frame[name], axis=0) for name in forms}
    parts = [frame.assign(form=title, **over[name]) for name, title in forms.items()]
    plotted = pd.concat(parts, ignore_index=True)
    fig = figures.small_multiples(
        plotted, by="form", x="gap", xscale="log", yscale="log", xlabel="gap Δ", ylabel="regret over the form"
    )
    claimed, additive = (part["regret"] for part in parts)
    facts = {"arms": sweeps.LOWER_ARMS, "T": _power(int(frame["t"].iloc[0])), "worst": frame.loc[claimed.idxmin()]}
    facts |= {"least": claimed.min(), "low": additive.min(), "high": additive.max()}
    return drawn(fig, frame, factor=additive.max() / additive.min(), **facts)


@panels("figure-graphs")
def graphs(study: Study) -> Made:
    """Regret curves on shortest paths and spanning trees."""
    frame = _with_uniform(study.graphs)
    said = []
    for name in dict.fromkeys(run.swept["problem"] for run in study.graphs):
        runs = study.graphs.select(problem=name)
        said.append(f"{name}: {_ranking(runs)}, uniform play {rounded(runs[0].uniform)}")
    fig = figures.small_multiples(frame, by="problem", yscale="log")
    return drawn(fig, frame, T=_power(study.horizon), said="; ".join(said))


def _name_powers(axes: Axes, rows: pd.DataFrame) -> None:
    """Write each line's fitted power at its end, in the colour of the line, and make room for it."""
    ends = rows.sort_values("size").groupby("label", sort=False).tail(1).sort_values("regret")
    colours = {str(line.get_label()): line.get_color() for line in axes.get_lines()}
    low, high = axes.get_xlim()
    axes.set_xlim(low, high * 1.7)
    y_low, y_high = np.log(axes.get_ylim())
    taken = -math.inf
    for row in ends.itertuples():
        taken = max((math.log(float(row.regret)) - y_low) / (y_high - y_low), taken + 0.085)
        axes.text(
            math.log(float(row.size) * 1.1 / low) / math.log(high * 1.7 / low),
            taken,
            _two_digits(row.exponent),
            transform=axes.transAxes,
            color=colours[str(row.label)],
            va="center",
            fontsize=10.5,
        )


def _draw_map(axes: Axes, part: pd.DataFrame, *, first: bool) -> None:
    """A cell per epsilon and gap, coloured by the dominating term, with the regret over the local one's."""
    epsilons, gaps = sorted(part["epsilon"].unique()), sorted(part["gap"].unique())
    for row in part.itertuples():
        x, y = epsilons.index(row.epsilon), gaps.index(row.gap)
        axes.add_patch(Rectangle((x, y), 1, 1, facecolor=_TERMS[str(row.term)], edgecolor="white", linewidth=1.5))
        ratio, ink = float(row.over_local), "white" if row.term == "private" else "#1a1a1a"
        text = "" if math.isnan(ratio) else f"{ratio:.0f}" if ratio >= 9.95 else f"{ratio:.2g}"
        axes.text(x + 0.5, y + 0.5, text, ha="center", va="center", fontsize=10, color=ink)
    axes.set(xlim=(0, len(epsilons)), ylim=(0, len(gaps)))
    axes.set_xticks(np.arange(len(epsilons)) + 0.5, [f"{value:g}" for value in epsilons])
    axes.set_yticks(np.arange(len(gaps)) + 0.5, [f"{value:g}" if first else "" for value in gaps])
    axes.tick_params(length=0)
    axes.grid(False)


def _per_arm(study: Study) -> pd.DataFrame:
    """The mean regrets of the study of K a bad arm, with the fitted power of each line."""
    keys = ["family", "policy", "variant", "epsilon", "n_arms", "size", "gap", "t"]
    frame = study.long_study("sizes")
    frame = means(frame[frame["t"] == frame["horizon"]], keys)
    others = frame["n_arms"] - frame["size"]
    frame = frame.assign(**{name: frame[name] / others for name in ("regret", "regret_se")})
    line = ["family", "policy", "variant"]
    numbers = {"measured": "exponent", "low": "exponent_low", "high": "exponent_high"}
    powers = pd.DataFrame([fit.row() for fit in study.exponents if fit.quantity == SIZE and fit.labels["noisy"]])
    powers = powers[[*line, *numbers]].rename(columns=numbers)
    frame = _played(frame.merge(powers, on=line, how="left", validate="m:1"), "sizes")
    labels = frame["key"].map(names(study, "lines"))
    return frame.assign(label=labels.where(~frame["instances"].isin(sweeps.AS_ARMS), _AVERAGE))


def _played(frame: pd.DataFrame, label: str) -> pd.DataFrame:
    """Rows of a longer study with family and trust of what was played; what it calls family is that of instances."""
    frame = frame.drop(columns="key", errors="ignore").rename(columns={"family": "instances"})
    return looked(frame, sweeps.STUDIES[label](), ["policy", "variant"])


def _with_uniform(runs: Runs) -> pd.DataFrame:
    """Labelled curves, and uniform play on every problem of a panel, exactly, in their form."""
    frames = [runs.curves()]
    for name, run in {run.swept.get("problem", ""): run for run in runs}.items():
        columns = {"reading": "", "t": run.t, "epsilon": math.inf, "regret": run.problem.uniform_regret() * run.t}
        columns |= {"n_arms": run.problem.n_items, "size": run.problem.list_size, "replications": len(run.final)}
        frame = line("uniform play", "uniform", columns)
        frames.append(frame.assign(problem=name) if name else frame)
    return _labelled(pd.concat(frames, ignore_index=True))


def _labelled(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(label=frame["key"].map(_SHORT).fillna(frame["policy"]))


def _power(rounds: int) -> str:
    return figures.power(rounds, digit=True)


def _two_digits(value: float) -> str:
    return f"{value:.2f}".replace("-0.00", "0.00")


def _ranking(runs: Runs) -> str:
    """The regrets at the horizon from least to most."""
    ranked = sorted(runs, key=lambda run: float(run.final.mean()))
    return ", ".join(f"{_SHORT.get(key(run.policy), run.name)} {rounded(float(run.final.mean()))}" for run in ranked)


def _on_a_line(title: object) -> str:
    return str(title).replace("\n", ", ")
