"""What each figure of the chapter's runs draws and says: labelled frames, captions and alt texts that follow them."""

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from private_bandits.estimates import Interval
from private_bandits.papers import contextual as paper
from private_bandits.policy import Policy
from private_bandits_book import figures
from private_bandits_book.contextual import facts, messages, rates, sweeps
from private_bandits_book.contextual.digits import COMPONENTS, DIGITS, best_linear
from private_bandits_book.contextual.messages import cost
from private_bandits_book.contextual.study import Study, accuracy
from private_bandits_book.contextual.table_1 import LINEAR, ONE_POINT, OURS, ROWS, STRONG, TWO_POINTS, WEIGHTED
from private_bandits_book.contextual.words import LOOKS, at, fitted, of, power, slope
from private_bandits_book.exhibits import Exhibits, Made, drawn
from private_bandits_book.figures.captions import rounded, scientific, short
from private_bandits_book.figures.drawing import Slope
from private_bandits_book.figures.lines import computed, line
from private_bandits_book.studies import Run, family, looked, means
from private_bandits_book.sweep import EPSILON, HORIZON, RateFit

panels = Exhibits()


@panels("short")
@panels("findings")
def findings(study: Study) -> dict[str, Any]:
    """The chapter's findings, from its own numbers."""
    smallest = study.needed[study.needed["key"] == LINEAR].iloc[0]
    coded, crossings = study.setting.iloc[0], study.crossings
    pairs = {"smooth": ("convex, smooth", "analytic"), "strong": (STRONG, "printed")}
    apart = {name: study.difference(*pair, f"{pair[1]}, gradient descent") for name, pair in pairs.items()}
    plain = "no privacy", "no privacy, gradient descent"
    return {
        "apart": {name: power(one).replace("-", "−") for name, one in apart.items()},
        "plain": [power(study.exponent(STRONG, HORIZON, name)) for name in plain],
        "crossing": [rounded(end) for end in (study.crossing.low, study.crossing.high)],
        "later": _order(study.crossed(*pairs["smooth"], "analytic, gradient descent").measured),
        "printed": power(study.exponent(TWO_POINTS[0], EPSILON, "printed")),
        "tuned": power(study.exponent(TWO_POINTS[0], EPSILON, "tuned")),
        "linear": [power(study.exponent(LINEAR, HORIZON, variant)) for variant in ("printed", OURS[LINEAR])],
        "price": power(study.exponent(LINEAR, EPSILON, "printed")),
        "needed": scientific(smallest["horizon_needed"]),
        "smallest": smallest,
        "weighted": ", ".join(power(study.fit(LINEAR, HORIZON, WEIGHTED, dim=dim).fit) for dim in sweeps.DIMS),
        "skewed": power(study.exponent(LINEAR, HORIZON, f"{WEIGHTED}, skewed")),
        "rewards": power(study.exponent(LINEAR, HORIZON, "private rewards")),
        "crossings": [_crossed(crossings[dim]) for dim in sweeps.DIMS],
        "classical": messages.gaussian_pays(64.0, study.delta, "classical"),
        "link": messages.small_link(1.0, study.delta),
        "coded": coded,
        "coded_paid": scientific(coded["epsilon_paid"]),
        "verdicts": study.verdicts,
    }


# --- mechanisms


@panels("figure-calibration")
def calibration(study: Study) -> Made:
    """What the printed noise pays over what it promises, against epsilon."""
    delta, grid = study.delta, [float(epsilon) for epsilon in np.logspace(-1.0, 2.0, 25)]
    logistic = partial(paper.ldp_glm, delta=delta, dim=2, horizon=1)
    pays: dict[str, tuple[Callable[[float], Policy], Callable[[float], float] | None]] = {
        "reduced": (lambda e: paper.one_point(messages.BALL, 1, e, delta), None),
        "linear": (lambda e: paper.ldp_linucb(e, delta, 2, 1), None),
        "logistic": (logistic, None),
        "small_link": (logistic, lambda e: messages.small_link(e, delta)),
    }
    over, looks = {}, {}
    for name, (make, paid) in pays.items():
        over[name] = np.array([paid(e) if paid else cost(make(e)) for e in grid]) / grid
        looks[name] = (LOOKS["calibration"][name], family(make(1.0)), make(1.0).privacy.trust)
    frame = computed(pd.DataFrame({"nominal": grid} | over), "nominal", looks, 1.0)
    frame = frame.sort_values("nominal", kind="stable", ignore_index=True)
    certified = {name: [e for e, share in zip(grid, over[name], strict=True) if share <= 1.0] for name in over}
    missing = ", ".join(looks[name][0] for name, kept in certified.items() if not kept)
    held = ", ".join(f"{looks[name][0]} to ε = {max(kept):.2g}" for name, kept in certified.items() if kept)
    never = f"; by {missing} nowhere" if missing else ""
    fig = figures.regret_curves(
        frame, "nominal", xscale="log", yscale="log", xlabel="nominal ε", ylabel="ε paid over nominal"
    )
    columns = ["policy", "family", "trust", "epsilon", "nominal", "over_nominal"]
    frame = frame.rename(columns={"regret": "over_nominal"})[columns]
    return drawn(fig, frame, delta=short(delta), held=held, never=never)


@panels("figure-estimator")
def estimator(study: Study) -> Made:
    """How large a gradient estimate can be, along a run."""
    frame = study.estimates
    last, curves = frame.iloc[-1], computed(frame, "t", LOOKS["estimator"], math.inf)
    fig = figures.regret_curves(curves, start=1, yscale="log", ylabel="largest size")
    return drawn(fig, frame, last=last, T=rounded(last["t"]), most=frame["ellipsoid"].max())


# --- Algorithms 1 and 2


@panels("figure-one-point")
def one_point(study: Study) -> Made:
    """The four one-point rows of Table 1: regret against t."""
    runs = study.one_point
    frame = runs.curves()
    own = {row: ROWS[row].learners[0] for row in ONE_POINT}
    curves = frame[[own[row] == learner for row, learner in zip(frame["row"], frame["learner"], strict=True)]].copy()
    curves["label"] = ["the row's learner" if e == math.inf else f"at ε = {e:g}" for e in curves["epsilon"]]
    ends = []
    for row, learner in own.items():
        played = runs.select(row=row, learner=learner)
        problem, t = played[0].problem, played[0].t
        still = facts.centre_regret(problem, t)
        columns = {"row": row, "t": t, "regret": still, "epsilon": math.inf, "replications": len(played[0].final)}
        curves = pd.concat([curves, line("standing still", "uniform", columns)], ignore_index=True)
        ends.append(f"{row}: {_ends(played, at)}, standing still {rounded(float(still[-1]))}")
    fig = figures.small_multiples(curves, by="row", yscale="log")
    return drawn(fig, frame, ends="; ".join(ends))


@panels("figure-arms")
def arms(study: Study) -> Made:
    """K arms, adversarial and stochastic."""
    frame = study.arms.curves()
    frame = frame[frame["reading"] != "printed"].copy()
    frame["label"] = [f"{p}, {of(e)}" for p, e in zip(frame["policy"], frame["epsilon"], strict=True)]
    fig = figures.small_multiples(frame, by="environment", yscale="log")
    last = frame[frame["t"] == frame["t"].max()]
    ends = "; ".join(
        f"{name}: " + ", ".join(f"{row.label} {rounded(row.regret)}" for row in part.itertuples())
        for name, part in last.groupby("environment", sort=False)
    )
    return drawn(fig, frame, ends=ends)


# --- Algorithms 3 and 5


@panels("figure-digits")
def digits(study: Study) -> Made:
    """Share of right answers against epsilon."""
    frame = accuracy(study.digits)
    plain = frame["epsilon"].map(math.isinf)
    answers = frame.assign(
        label=np.where(plain, np.where(frame["reading"] == "", "LinUCB", "LinUCB, small bonus"), frame["reading"])
    )
    lines = answers.assign(policy=answers["label"], regret=answers["right"], regret_se=answers["right_se"])
    level = {"epsilon": [math.inf], "t": lines["t"].max(), "regret": 0.1, "replications": lines["replications"].max()}
    lines = pd.concat([lines, line("random digit", "uniform", level)], ignore_index=True)
    fig = figures.regret_curves(lines, "epsilon", xscale="log", ylabel="share of right answers")
    right = ", ".join(
        f"{row.label}{'' if math.isinf(row.epsilon) else f' at ε = {row.epsilon:g}'} {row.right:.0%}"
        for row in answers.itertuples()
    )
    rounds = figures.power(int(lines["t"].max()))
    return drawn(fig, frame, rounds=rounds, dim=DIGITS * COMPONENTS, best=best_linear(), right=right)


@panels("figure-published")
def published(study: Study) -> Made:
    """The published setting: curves."""
    runs = study.published
    frame = runs.curves()
    frame["label"] = frame["reading"].map(LOOKS["published"])
    frame = pd.concat([frame, _uniform(runs[0])], ignore_index=True)
    last = frame[frame["t"] == frame["t"].max()]
    ends = ", ".join(f"{row.label} {rounded(row.regret)}" for row in last.itertuples())
    return drawn(figures.regret_curves(frame, yscale="log"), frame, ends=ends)


# --- the longer studies: regret against T and against epsilon, with the claimed slope beside the fitted one


@panels("figure-rates")
def rates_of_rows(study: Study) -> Made:
    """Regret against T, a run for every horizon: the one-point rows, with plain gradient descent beside them."""
    frame = means(_finals(study, ONE_POINT, HORIZON), ["row", "policy", "reading", "family", "trust", "epsilon", "t"])
    frame = frame[frame["reading"] != "laplace"].reset_index(drop=True)
    frame["label"] = frame["reading"].map(LOOKS["rates"])
    own = {key: ROWS[key].variants[0] for key in ONE_POINT}
    lines = []
    for key, variant in own.items():
        points = frame[(frame["row"] == key) & (frame["reading"] == variant)].sort_values("t")
        claimed = points["regret"].iloc[-1] * (points["t"] / points["t"].iloc[-1]) ** ROWS[key].power
        lines.append(line("claimed power", "none", points.assign(regret=claimed)[["row", "t", "regret", "epsilon"]]))
    curves = pd.concat([frame, *(one.assign(replications=1) for one in lines)], ignore_index=True)
    fig = figures.small_multiples(curves, by="row", start=float(frame["t"].min()), yscale="log", xlabel="horizon T")
    at = "; ".join(f"{key} ε = {frame[frame['row'] == key]['epsilon'].min():g}" for key in ONE_POINT)
    return drawn(fig, frame, at=at, powers=fitted(study.fits, ONE_POINT, HORIZON))


@panels("figure-crossing")
def crossing(study: Study) -> Made:
    """Hazan and Levy's method and gradient descent behind the printed noise, over standing still."""
    frame = _finals(study, (STRONG,), HORIZON)
    frame = frame[frame["reading"].isin(LOOKS["crossing"])]
    frame = frame.assign(regret=frame["regret"] / frame["still"])
    frame = means(frame, ["policy", "reading", "family", "trust", "epsilon", "t"])
    frame["label"] = frame["reading"].map(LOOKS["crossing"])
    fig = figures.regret_curves(
        frame, start=float(frame["t"].min()), yscale="log", xlabel="horizon T", ylabel="regret over standing still"
    )
    ends = "; ".join(
        f"T = {figures.power(int(t))}: " + ", ".join(f"{one.label} {one.regret:.3f}" for one in part.itertuples())
        for t, part in frame.groupby("t")
    )
    seen = study.crossing
    first = "≤ " if seen.low == frame["t"].min() else ""
    where = f"{rounded(seen.measured)} [{first}{rounded(seen.low)}, {rounded(seen.high)}]"
    return drawn(fig, frame, ends=ends, where=where)


@panels("figure-epsilon")
def epsilons(study: Study) -> Made:
    """Regret against epsilon for the one-point rows, with the claimed slope -1."""
    part = _finals(study, ONE_POINT, EPSILON)
    frame = means(part, ["row", "policy", "family", "trust", "epsilon", "t"])
    frame["label"] = "Algorithm 1, Gaussian noise"
    lines = [slope(own, 1.0, "1/ε, as printed") for _, own in frame.groupby("row", sort=False)]
    curves = pd.concat([frame, *lines], ignore_index=True)
    fig = figures.small_multiples(curves, by="row", x="epsilon", xscale="log", yscale="log")
    derived = ", ".join(f"{key} {ROWS[key].derived:.3g}" for key in dict.fromkeys(frame["row"]))
    return drawn(fig, frame, powers=fitted(study.fits, ONE_POINT, EPSILON), derived=derived)


@panels("figure-two-points-long")
def steps(study: Study) -> Made:
    """Algorithm 2 against epsilon at the longer study's horizon: the printed step and the tuned one."""
    row = TWO_POINTS[0]
    part = _finals(study, (row,), EPSILON)
    frame = means(part, ["policy", "reading", "family", "trust", "epsilon", "t"])
    still = float(part["still"].max())
    curves = frame.assign(label=frame["reading"] + " step")
    lines = [
        slope(curves[curves["reading"] == variant], power, label)
        for variant, power, label in (("printed", 2.0, "1/ε²"), ("tuned", 1.0, "1/ε"))
    ]
    fig = figures.regret_curves(pd.concat([curves, *lines], ignore_index=True), "epsilon", xscale="log", yscale="log")
    T, powers = figures.power(int(frame["t"].max())), fitted(study.fits, [row], EPSILON)
    return drawn(fig, frame.assign(still=still), T=T, still=rounded(still), powers=powers)


@panels("figure-worst-gaps")
def worst_gaps(study: Study) -> Made:
    """Regret of Algorithm 5 at the worst gap against T, by stretches."""
    frame = _worst(study, ("derived", "laplace", "printed"), [2])
    frame["label"] = frame["reading"].map(LOOKS["worst-gaps"])
    fig = figures.regret_curves(
        frame,
        start=float(frame["t"].min()),
        yscale="log",
        slope=Slope(
            0.75, "T^(3/4), claimed", study.exponent(LINEAR, HORIZON, "derived"), LOOKS["worst-gaps"]["derived"]
        ),
        xlabel="horizon T",
    )
    shown = [one for one in _far(study.fits, 2) if one.labels["reading"] in LOOKS["worst-gaps"]]
    return drawn(fig, frame, powers=fitted(shown, [LINEAR], HORIZON))


@panels("figure-conjecture")
def conjecture(study: Study) -> Made:
    """Algorithm 5, weighted regression and others at their worst gaps, on one set by dimension and on skewed sets."""
    one_set = _worst(study, LOOKS["conjecture"], sweeps.DIMS)
    skewed = _worst(study, LOOKS["skewed"], [2])
    facets = [*(f"one set, d = {d}" for d in one_set["dim"]), *("ten skewed sets, d = 2" for _ in skewed["dim"])]
    frame = pd.concat([one_set, skewed], ignore_index=True)
    frame["label"] = frame["reading"].map(LOOKS["conjecture"] | LOOKS["skewed"])
    t = np.unique(frame["t"])
    lower = {"t": t, "regret": [paper.local_lower(int(x), 1.0) for x in t], "epsilon": 1.0, "replications": 1}
    curves = pd.concat([frame.assign(facet=facets), line("no ε-LDP algorithm below", "none", lower)], ignore_index=True)
    fig = figures.small_multiples(curves, by="facet", start=float(t[0]), yscale="log", xlabel="horizon T")
    far = {dim: _far(study.fits, dim) for dim in sweeps.DIMS}
    powers = "; ".join(
        f"d = {dim}: {fitted([one for one in far[dim] if one.labels['reading'] in wanted], [LINEAR], HORIZON)}"
        for wanted, dims in ((LOOKS["conjecture"], sweeps.DIMS), (LOOKS["skewed"], [2]))
        for dim in dims
    )
    crossed = "; ".join(f"d = {dim} T {_crossed(one, ends=True)}" for dim, one in study.crossings.items())
    return drawn(fig, frame, powers=powers, crossed=crossed)


# --- helpers


def _worst(study: Study, variants: Iterable[str], dims: Iterable[int]) -> pd.DataFrame:
    """The regrets of learners at their worst gaps, where they have learnt, by stretches."""
    rows, frame = [], study.long_study("stretches")
    for dim, variant in product(dims, variants):
        sweep = sweeps.sweep(LINEAR, HORIZON, variant, dim)
        for point in rates.points(sweep, frame):
            if point.counts:
                policy, regrets = sweep.run(point.value)[0].policy, point.regrets
                columns = {"policy": policy.name, "reading": variant, "family": family(policy), "dim": dim}
                columns |= {"trust": policy.privacy.trust, "epsilon": policy.privacy.epsilon, "t": int(point.value)}
                columns |= {"gap": point.labels["gap"], "regret": regrets.mean()}
                spread = regrets.std(ddof=1) / math.sqrt(len(regrets))
                rows.append(columns | {"regret_se": spread, "replications": len(regrets)})
    return pd.DataFrame(rows)


def _crossed(seen: Interval, ends: bool = False) -> str:
    """Where two curves cross; the first horizon at which both have learnt where they have crossed by then."""
    found = scientific(seen.measured) if ends else _order(seen.measured)
    if seen.low == seen.high:
        return f"≤ {found}" if ends else f"at most {found}"
    return f"= {found} [{scientific(seen.low)}, {scientific(seen.high)}]" if ends else f"about {found}"


def _order(rounds: float) -> str:
    return figures.power(int(float(f"{rounds:.0e}")), digit=True)


def _far(fits: Iterable[RateFit], dim: int) -> list[RateFit]:
    """The fits of one dimension of the study by stretches, where privacy is not infinite."""
    known = {(sweep.labels["reading"], sweep.labels["dim"]) for _, sweep in sweeps.stretch_sweeps()}
    return [one for one in fits if one.labels.get("dim") == dim and (one.labels["reading"], dim) in known]


def _finals(study: Study, rows: Sequence[str], quantity: str) -> pd.DataFrame:
    """The last regrets of some rows of the study without contexts, with the looks of what was played."""
    frame = study.long_study("convex")
    own = frame["row"].isin(rows) & (frame["quantity"] == quantity) & (frame["t"] == frame["horizon"])
    runs = [run for run in sweeps.long_runs("convex") if run.labels["row"] in rows]
    return looked(frame[own], runs, ["row", "reading", "quantity", "epsilon"])


def _ends(runs: Iterable[Run], name: Callable[[Run], str]) -> str:
    return ", ".join(f"{name(run)} {rounded(float(run.final.mean()))}" for run in runs)


def _uniform(run: Run) -> pd.DataFrame:
    columns = {"t": run.t, "regret": run.uniform / run.t[-1] * run.t, "reading": "", "epsilon": math.inf}
    return line("uniform play", "uniform", columns | {"replications": len(run.final)})
