"""What each figure of the chapter's runs draws and says: labelled frames, captions and alt texts that follow them."""

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from private_bandits.papers import contextual as paper
from private_bandits.policy import Policy
from private_bandits_book import figures
from private_bandits_book.contextual import facts, messages, rates, sweeps
from private_bandits_book.contextual.digits import COMPONENTS, DIGITS, best_linear
from private_bandits_book.contextual.messages import cost
from private_bandits_book.contextual.study import LINKS, STUCK_GAP, Study, accuracy
from private_bandits_book.contextual.table_1 import LINEAR, LOGISTIC, ONE_POINT, OURS, ROWS, TWO_POINTS, slug
from private_bandits_book.contextual.words import LOOKS, at, fitted, of, plain, power, slope
from private_bandits_book.exhibits import Exhibits, Made, drawn, sentence
from private_bandits_book.figures.captions import rounded, scientific, short
from private_bandits_book.figures.drawing import Slope
from private_bandits_book.figures.lines import computed, line
from private_bandits_book.studies import Run, Runs, looked, means
from private_bandits_book.sweep import EPSILON, HORIZON, Sweep
from private_bandits_book.verdicts import REPRODUCED

panels = Exhibits()


@panels("findings")
def findings(study: Study) -> dict[str, Any]:
    """The chapter's findings, from its own numbers and verdicts."""
    ledger, needed = study.ledger, study.needed[study.needed["key"] == LINEAR]
    found = ledger.set_index("claim")["verdict"]
    least, largest, coded = min(study.epsilons), max(study.epsilons), study.setting.iloc[0]
    smallest, ours = (needed[needed["reading"] == variant].iloc[0] for variant in ("printed", OURS[LINEAR]))
    return {
        "found": found,
        **{part: ", ".join(power(study.part(row, part)) for row in ONE_POINT) for part in ("horizon", "epsilon")},
        "claimed": ", ".join(f"{ROWS[row].power:.2g}" for row in ONE_POINT),
        **{variant: power(study.exponent(TWO_POINTS[0], EPSILON, variant)) for variant in ("printed", "tuned")},
        "largest": largest,
        "classical": messages.gaussian_pays(largest, study.delta, "classical"),
        "least": least,
        "link": messages.small_link(least, study.delta),
        "smallest": smallest,
        "needed": scientific(smallest["horizon_needed"]),
        "ours": scientific(ours["horizon_needed"]),
        "linear": power(study.exponent(LINEAR, HORIZON, OURS[LINEAR])),
        "logistic": power(study.exponent(LOGISTIC, HORIZON, OURS[LOGISTIC])),
        "learnt": sweeps.LEARNT_EPSILON,
        "why": sentence(study, "why") if found["contribution-difference"] == REPRODUCED else "",
        "coded": coded,
        "coded_paid": scientific(coded["epsilon_paid"]),
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
        looks[name] = (LOOKS["calibration"][name], make(1.0).family, make(1.0).privacy.trust)
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


@panels("figure-counterexample")
def nearer_zero(study: Study) -> Made:
    """What the message of a user pays at points ever nearer to 0."""
    epsilon = study.epsilons[0]
    frame = messages.nearer_zero(epsilon, study.delta, [*np.logspace(0.0, -3.0, 13), 0.0])
    curves = computed(frame[frame["norm"] > 0], "norm", LOOKS["counterexample"], epsilon)
    fig = figures.regret_curves(curves, "norm", xscale="log", yscale="log", xlabel="|x|", ylabel="ε paid")
    smallest = curves["norm"].min()
    near = frame[np.isclose(frame["norm"], smallest)].iloc[0]
    zero = frame[frame["norm"] == 0.0].iloc[0]["constant"]
    said = {"delta": short(study.delta), "epsilon": epsilon, "smallest": smallest, "near": near}
    said |= {"constant": rounded(near["constant"]), "zero": "no finite ε" if math.isinf(zero) else f"ε = {zero:.3g}"}
    return drawn(fig, frame, **said)


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


@panels("figure-environments")
def environments(study: Study) -> Made:
    """Other losses: drawn, stochastic, on the simplex and on a line."""
    runs = study.environments
    frame = runs.curves()
    names = LOOKS["learners"]
    frame["label"] = [f"{names[one]}, {of(e)}" for one, e in zip(frame["learner"], frame["epsilon"], strict=True)]
    said = []
    for name in dict.fromkeys(frame["environment"]):
        own = runs.select(environment=name)
        ends = _ends(own, lambda run: f"{names[run.swept['learner']]} {at(run)}")
        said.append(f"{name}: {ends}, uniform play {rounded(own[0].uniform)}")
    fig = figures.small_multiples(frame, by="environment", yscale="log")
    return drawn(fig, frame, ends="; ".join(said))


@panels("figure-noises")
def noises(study: Study) -> Made:
    """One learner behind three noises."""
    runs = study.noises
    frame = runs.curves()
    frame["label"] = [
        "no privacy" if e == math.inf else f"{LOOKS['noises'][r]}, ε = {e:g}"
        for r, e in zip(frame["reading"], frame["epsilon"], strict=True)
    ]
    ends = _ends(runs, lambda run: f"{LOOKS['noises'][run.variant]} {at(run)}" if run.variant else "no privacy")
    fig = figures.regret_curves(frame, yscale="log")
    return drawn(fig, frame, ends=ends, uniform=rounded(runs[0].uniform))


@panels("figure-two-points")
def two_points(study: Study) -> Made:
    """Algorithm 2 against epsilon: the printed step and others."""
    runs = Runs(run for run in study.two_points if math.isfinite(run.epsilon))
    frame = runs.finals()
    frame["label"] = frame["reading"] + " step"
    frame = frame[frame["regret"] > 0]
    lines = []
    for row in TWO_POINTS:
        first = frame[(frame["row"] == row) & (frame["reading"] == "printed")].sort_values("epsilon")
        if len(first):
            lines.append(slope(first[["row", "epsilon", "t", "regret", "replications"]], 2.0, "1/ε², as printed"))
    curves = pd.concat([frame, *lines], ignore_index=True)
    fig = figures.small_multiples(curves, by="row", x="epsilon", xscale="log", yscale="log")
    slopes = "; ".join(
        f"{row}, {step} step {_power_between(runs.select(variant=step, row=row)):.2f}"
        for row in TWO_POINTS
        for step in ROWS[row].learners
    )
    powers = fitted(study.fits, TWO_POINTS, EPSILON)
    return drawn(fig, frame, T=figures.power(study.horizon), slopes=slopes, powers=powers)


@panels("figure-arms")
def arms(study: Study) -> Made:
    """K arms, adversarial and stochastic."""
    frame = study.arms.curves()
    frame = frame[frame["reading"] != "printed"].copy()
    frame["label"] = [f"{p}, {of(e)}" for p, e in zip(frame["policy"], frame["epsilon"], strict=True)]
    frame["environment"] = frame["environment"].replace({"fooling": "made to fool UCB"})
    fig = figures.small_multiples(frame, by="environment", yscale="log")
    last = frame[frame["t"] == frame["t"].max()]
    ends = "; ".join(
        f"{name}: " + ", ".join(f"{row.label} {rounded(row.regret)}" for row in part.itertuples())
        for name, part in last.groupby("environment", sort=False)
    )
    return drawn(fig, frame, ends=ends)


# --- Algorithms 3 and 5


@panels(
    "figure-contexts",
    each=lambda study: [(f"figure-{link}-d{dim}", (link, dim)) for link in LINKS for dim in study.dims],
)
def contexts(study: Study, label: str, case: tuple[str, int]) -> Made:
    """Every variant on unit vectors and on one set of actions, a panel for each epsilon."""
    link, dim = case
    row, frames, said = LINKS[link], [], []
    for (kind, epsilon), runs in study.contexts[case].items():
        frame = runs.curves()
        frame["label"] = [_named(*names) for names in zip(frame.policy, frame.reading, frame.trust, strict=True)]
        frame = pd.concat([frame, _uniform(runs[0])], ignore_index=True)
        frames.append(frame.assign(problem=kind, facet=f"{kind}, ε = {epsilon:g}"))
        shares = ", ".join(
            f"{_named(run.name, run.variant, run.policy.privacy.trust)} {float(run.final.mean()) / run.uniform:.2g}"
            for run in runs
        )
        said.append(f"{kind}, ε = {epsilon:g}: {shares}")
    frame = pd.concat(frames, ignore_index=True)
    fig = figures.small_multiples(frame, by="facet", yscale="log")
    words = {"algorithm": ROWS[row].algorithm, "link": link, "dim": dim, "shares": "; ".join(said)}
    return drawn(fig, frame, unit="" if row == LINEAR else " in the logit", **words)


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


@panels("published-words")
def published_words(study: Study) -> dict[str, str]:
    """What the runs of the published setting lose over LinUCB, in a sentence."""
    plain, *private = study.published
    lost = float(plain.final.mean())
    if lost <= 0.0:
        return {"words": sentence(study, "nothing_lost")}
    losses = [f"{LOOKS['over'][run.variant]} {float(run.final.mean()) / lost:.2g}" for run in private]
    return {"words": sentence(study, "lost", losses="; ".join(losses))}


@panels("figure-two-privacies")
def two_privacies(study: Study) -> Made:
    """The least regret with private actions beside a learner with private messages."""
    frame = study.privacies
    curves = computed(frame, "t", LOOKS["two-privacies"])
    curves["facet"] = [f"ε = {e:g}" for e in curves["epsilon"]]
    fig = figures.small_multiples(curves[curves["regret"] > 0], by="facet", start=1, yscale="log")
    said = "; ".join(
        f"at ε = {row.epsilon:g}, T = {rounded(row.t)} any policy with private actions loses at least "
        f"{short(row.dp_regret)}, the learner with private messages {short(row.ldp_regret)}"
        for row in frame[frame["t"] == frame["t"].max()].itertuples()
    )
    return drawn(fig, frame, gap=STUCK_GAP, losses=said[0].upper() + said[1:])


# --- the longer studies: regret against T and against epsilon, with the claimed slope beside the fitted one


@panels("figure-rate", each=lambda study: [(f"figure-rate-{slug(key)}", key) for key in (*ONE_POINT, TWO_POINTS[0])])
def rate(study: Study, label: str, key: str) -> Made:
    """Regret against T, a run for every horizon, with the claimed slope beside the fitted one: a row of Table 1."""
    row = ROWS[key]
    frame = means(_finals(study, (key,), HORIZON), ["policy", "reading", "family", "trust", "epsilon", "t"])
    frame["label"] = frame["reading"].replace(LOOKS["rate"])
    frame = frame[frame["regret"] > 0]
    along = next((LOOKS["rate"][made] for made in ("printed", "laplace") if made in set(frame["reading"])), None)
    claimed = Slope(row.power, f"{plain(row.order)}, claimed", study.part(key, "horizon"), along)
    fig = figures.regret_curves(frame, start=float(frame["t"].min()), yscale="log", slope=claimed, xlabel="horizon T")
    private = frame[frame["trust"] == "local"].drop_duplicates("label")
    at = ", ".join(f"{row.label} at ε = {row.epsilon:g}" for row in private.itertuples())
    facts = {"at": at, "problem": row.problem.capitalize(), "algorithm": row.algorithm, "claimed": row.power}
    return drawn(fig, frame, powers=fitted(study.fits, [key], HORIZON), **facts)


@panels("figure-epsilon")
def epsilons(study: Study) -> Made:
    """Regret against epsilon for the one-point rows, with the claimed slope -1."""
    part = _finals(study, ONE_POINT, EPSILON)
    frame = means(part, ["row", "policy", "family", "trust", "epsilon"]).assign(t=part["t"].max())
    frame["label"] = frame["family"].map(LOOKS["one-point"])
    lines = [slope(own, 1.0, "1/ε, as printed") for _, own in frame.groupby("row", sort=False)]
    curves = pd.concat([frame, *lines], ignore_index=True)
    fig = figures.small_multiples(curves, by="row", x="epsilon", xscale="log", yscale="log")
    derived = ", ".join(f"{key} {ROWS[key].derived:.3g}" for key in ONE_POINT)
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


@panels("figure-worst-gaps", each=lambda study: [(f"figure-rate-{slug(key)}", key) for key in (LINEAR, LOGISTIC)])
def worst_gaps(study: Study, label: str, key: str) -> Made:
    """Regret of Algorithm 5 or 3 at the worst gap against T, with the claimed slope."""
    wanted = (key, sweeps.ONE_SET, 2, HORIZON)
    own = [
        sweep
        for row, sweep in sweeps.context_sweeps()
        if (row, sweep.labels["problem"], sweep.labels["dim"], sweep.quantity) == wanted
    ]
    frame = study.long_study("linear")
    points = [(point, sweep) for sweep in own for point in rates.points(sweep, frame) if point.counts]
    frame, row = pd.DataFrame([_point(*point) for point in points]), ROWS[key]
    ours = next((_point(*point)["label"] for point in points if point[0].labels["reading"] == OURS[key]), None)
    claimed = Slope(row.power, f"{plain(row.order)}, claimed", study.exponent(key, HORIZON, OURS[key]), ours)
    fig = figures.regret_curves(
        frame, start=float(frame["t"].min()), yscale="log", slope=claimed if ours else None, xlabel="horizon T"
    )
    low, high = int(frame["replications"].min()), int(frame["replications"].max())
    facts = {"row": row, "replications": str(low) if low == high else f"{low} to {high}"}
    return drawn(fig, frame, powers=fitted(study.fits, [key], HORIZON), **facts)


# --- helpers


def _point(point: rates.Point, sweep: Sweep) -> dict[str, Any]:
    labels, regrets, policy = point.labels, point.regrets, sweep.run(point.value)[0].policy
    epsilon = labels["epsilon"]
    return {
        "policy": policy.name,
        "reading": sweep.design,
        "label": sweep.design if math.isinf(epsilon) else f"{sweep.design}, ε = {epsilon:g}",
        "family": policy.family,
        "trust": policy.privacy.trust,
        "epsilon": epsilon,
        "t": int(labels["horizon"]),
        "gap": labels["gap"],
        "regret": regrets.mean(),
        "regret_se": regrets.std(ddof=1) / math.sqrt(len(regrets)),
        "replications": len(regrets),
    }


def _finals(study: Study, rows: Sequence[str], quantity: str) -> pd.DataFrame:
    """The last regrets of some rows of the study without contexts, with the looks of what was played."""
    frame = study.long_study("convex")
    own = frame["row"].isin(rows) & (frame["quantity"] == quantity) & (frame["t"] == frame["horizon"])
    return looked(frame[own], sweeps.long_runs("convex"), ["row", "reading", "quantity", "epsilon"])


def _ends(runs: Iterable[Run], name: Callable[[Run], str]) -> str:
    return ", ".join(f"{name(run)} {rounded(float(run.final.mean()))}" for run in runs)


def _named(policy: str, variant: str, trust: str) -> str:
    return variant if trust == "local" else f"{policy} {variant}".strip()


def _uniform(run: Run) -> pd.DataFrame:
    columns = {"t": run.t, "regret": run.uniform / run.t[-1] * run.t, "reading": "", "epsilon": math.inf}
    return line("uniform play", "uniform", columns | {"replications": len(run.final)})


def _power_between(runs: Runs) -> float:
    """The power of 1/epsilon between the smallest and the largest epsilon of a sweep."""
    first, *_, last = sorted(runs, key=lambda run: run.epsilon)
    ends = [float(run.final.mean()) for run in (first, last)]
    return math.log(ends[0] / ends[1]) / math.log(last.epsilon / first.epsilon) if min(ends) > 0 else math.nan
