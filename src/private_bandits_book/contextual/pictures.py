"""What each figure of the chapter draws and says: labelled frames, captions and alt texts that follow the numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from private_bandits.estimates import Interval
from private_bandits.papers.contextual.algorithm_1 import one_point as algorithm_1
from private_bandits.papers.contextual.algorithm_3 import ldp_glm
from private_bandits.papers.contextual.algorithm_5 import ldp_linucb
from private_bandits.papers.contextual.instances import centre_regret
from private_bandits.problems import ConvexLoss
from private_bandits_book import figures, studies
from private_bandits_book.contextual import facts, linear_rates, tables
from private_bandits_book.contextual.claims import LINEAR, LOGISTIC, OURS, PRINTED, measured
from private_bandits_book.contextual.convex_study import ONE_POINT, SWEEP, TWO_POINTS
from private_bandits_book.contextual.evidence import Evidence
from private_bandits_book.contextual.summary import EPSILON, ROWS, Exponent, T
from private_bandits_book.figures import Picture, power, rounded
from private_bandits_book.rules import REPRODUCED, VERDICTS
from private_bandits_book.studies import Panel, Run

_SHORT = {
    "Gradient descent, one point": "gradient descent",
    "Gradient descent, one point, strongly convex": "gradient descent, steps 1/(μt)",
    "Gradient descent, two points": "two points",
}
_NOISES = {"printed": "classical Gaussian", "analytic": "analytic Gaussian", "laplace": "Laplace"}


def in_short(evidence: Evidence, ledger: pd.DataFrame, needed: pd.DataFrame, published: pd.DataFrame) -> str:
    """The chapter's findings in a few sentences of MyST, from its own numbers and verdicts.

    Parameters
    ----------
    evidence : Evidence
    ledger : DataFrame
    needed : DataFrame
        Of `linear_study.horizons`.
    published : DataFrame
        Of `accounting.published_setting`.
    """
    found = ledger.set_index("claim")["verdict"]
    counts = ledger["verdict"].value_counts()
    verdicts = ", ".join(f"{counts[one]} {one}" for one in VERDICTS if one in counts)
    powers = ", ".join(_power(measured(evidence, key, T)) for key in ONE_POINT)
    claimed = ", ".join(f"{ROWS[key].power:.2g}" for key in ONE_POINT)
    in_epsilon = ", ".join(_power(measured(evidence, key, EPSILON)) for key in ONE_POINT)
    apart = found["contribution-difference"]
    why = ""
    if apart == REPRODUCED:
        why = (
            " Private actions follow a context no better than $e^\\epsilon$ allows, so they lose in proportion to $T$."
        )
    printed, tuned = (evidence.exponent("two points, convex", EPSILON, reading) for reading in (PRINTED, "tuned"))
    grid = facts.classical_formula(evidence.epsilons, evidence.delta)
    largest = grid.iloc[int(np.argmax(grid["epsilon"]))]
    link = facts.small_link(min(evidence.epsilons), evidence.delta).printed
    smallest = needed[(needed["policy"] == "LDP-LinUCB") & (needed["reading"] == PRINTED)].iloc[0]
    ours = needed[(needed["policy"] == "LDP-LinUCB") & (needed["reading"] == OURS[LINEAR])].iloc[0]
    linear, logistic = (evidence.exponent(key, T, OURS[key]) for key in (LINEAR, LOGISTIC))
    coded = published.iloc[0]
    return "\n".join(
        [
            f"- **Noise on the one number that a learner is told.** Theorem 3: {found['theorem-3']}. The one-point "
            f"rows of "
            f"Table 1 have the powers of $T$ {powers}, where the paper has {claimed}, and of $1/\\epsilon$ "
            f"{in_epsilon}, where "
            f"it has 1. Tsallis-INF in both worlds: {found['mab-both-worlds']}. Best arm: {found['best-arm']}.",
            f"- **Privacy.** Theorem 2: {found['theorem-2']}, Theorem 5: {found['theorem-5']}; the classical Gaussian "
            f"formula pays {largest['classical']:.3g} for a promised {largest['epsilon']:g}. Theorem 7: "
            f"{found['theorem-7']}. Theorem "
            f"9: {found['theorem-9']}; for a link with small values the gradient alone pays {link:.3g} for "
            f"{min(evidence.epsilons):g}.",
            f"- **Two points.** Theorem 6: {found['theorem-6-convex']} for convex losses, "
            f"{found['theorem-6-strong']} for "
            "strongly convex ones. "
            f"The power of $1/\\epsilon$ is {_power(printed)} with the printed step and {_power(tuned)} with one "
            f"that knows the "
            "noise.",
            f"- **Contextual bandits.** Theorem 8: {found['theorem-8']}; Theorem 10: {found['theorem-10']}. With the "
            f"printed "
            f"constants a bonus falls below 0.1 after {figures.scientific(smallest['horizon_needed'])} rounds (d = "
            f"{smallest['dim']:g}, ε = {smallest['epsilon']:g}), with derived ones after "
            f"{figures.scientific(ours['horizon_needed'])}. At the worst gap our constants give $T$ the powers "
            f"{_power(linear)} (linear) and {_power(logistic)} (logistic), at "
            f"ε = {linear_rates.LEARNT_EPSILON:g}. That $3/4$ is the best "
            f"possible was a "
            f"conjecture; "
            "later papers report order $\\sqrt T$.",
            f"- **LDP against DP.** A fundamental difference: {apart}.{why}",
            f"- **The published experiment** ran at $\\epsilon=$ {coded['epsilon']:,.0f}, and its noise pays "
            f"{figures.scientific(coded['epsilon_paid'])}: {found['published-setting']}.",
            f"- **Of {len(ledger)} claims** {verdicts}. The ledger at the end says why.",
        ]
    )


def _power(seen: Interval | None) -> str:
    return "not measured" if seen is None else f"{seen.measured:.2f}"


# --- mechanisms


def counterexample(frame: pd.DataFrame, epsilon: float, delta: float) -> Picture:
    """What the message of a user pays at points ever nearer to 0."""
    lines = {
        "linear": ("⟨n, x⟩, linear losses", "gaussian", "none"),
        "constant": ("⟨n, x⟩, other losses", "tree", "local"),
        "algorithm_1": ("Algorithm 1", "laplace", "local"),
    }
    drawn = exact(
        [
            (label, family, trust, epsilon, row["norm"], row[column])
            for column, (label, family, trust) in lines.items()
            for _, row in frame.iterrows()
            if row["norm"] > 0
        ],
        "norm",
    )
    fig = figures.sweep_curves(drawn, "norm", xscale="log", yscale="log", xlabel="|x|", ylabel="ε paid")
    smallest = drawn["norm"].min()
    at = frame[np.isclose(frame["norm"], smallest)].iloc[0]
    zero = frame[frame["norm"] == 0.0].iloc[0]
    caption = (
        f"Exact ε at δ = {shown(delta)} of one message with noise calibrated for ε = {epsilon:g}, by the norm of the "
        f"point. "
        f"Two users "
        "with linear losses differ in proportion to |x|; other losses may differ by 2 everywhere. At x = 0 the last "
        "pay "
        f"{_paid(zero['constant'])} with ⟨n, x⟩."
    )
    alt = (
        f"At |x| = {smallest:.2g} noise ⟨n, x⟩ pays {at['linear']:.3g} on linear losses and "
        f"{rounded(at['constant'])} on "
        f"others; Algorithm 1 pays {at['algorithm_1']:.3g} everywhere."
    )
    return Picture(fig, frame, caption, alt)


def estimator(frame: pd.DataFrame) -> Picture:
    """How large a gradient estimate can be, along a run."""
    lines = {
        "ellipsoid": ("ellipsoidal estimator", "gaussian"),
        "sphere": ("sphere estimator", "tree"),
        "loss": ("loss", "laplace"),
    }
    drawn = exact(
        [
            (label, family, "none", math.inf, row["t"], row[column])
            for column, (label, family) in lines.items()
            for _, row in frame.iterrows()
        ],
        "t",
    )
    last = frame.iloc[-1]
    caption = (
        "The largest value that a gradient estimate could take in a round, along one run of Saha and Tewari's method "
        "on a "
        "linear loss whose best point lies on the border of the disc; the sphere's estimate, tuned for the same "
        "horizon; "
        "and the loss itself, to which Algorithm 1 adds its noise. A single run."
    )
    alt = (
        f"By T = {rounded(last['t'])} the ellipsoidal estimate could have reached {frame['ellipsoid'].max():.3g}, the "
        f"sphere's {last['sphere']:.3g}, the loss {last['loss']:.3g}."
    )
    fig = figures.regret_curves(drawn, start=1, yscale="log", ylabel="largest size")
    return Picture(fig, frame, caption, alt)


def calibration(delta: float) -> Picture:
    """What the printed noise pays over what it promises, against epsilon."""
    ball = ConvexLoss.ball([[0.5, 0.0], [-0.5, 0.0]], kind="distance")
    rows = []
    for epsilon in np.logspace(-1.0, 2.0, 25):
        e = float(epsilon)
        for label, family, value in (
            ("Algorithms 1, 2", "gaussian", algorithm_1(ball, 1, e, delta).privacy.effective_epsilon),
            ("Algorithm 5", "laplace", ldp_linucb(e, delta, 2, 1).privacy.effective_epsilon),
            ("Algorithm 3, logistic", "tree", ldp_glm(e, delta, 2, 1).privacy.effective_epsilon),
            ("Algorithm 3, g(a) = a/10", "composition", facts.small_link(e, delta).printed),
        ):
            rows.append((label, family, "local", 1.0, e, float(value or math.nan) / e))
    frame = exact(rows, "nominal").rename(columns={"regret": "over_nominal"})
    kept = frame[frame["over_nominal"] <= 1.0].groupby("policy", sort=False)["nominal"].max()
    held = ", ".join(f"{name} to ε = {value:.2g}" for name, value in kept.items())
    never = [name for name in dict.fromkeys(frame["policy"]) if name not in kept.index]
    caption = (
        f"What the printed noise pays over the nominal ε, at δ = {shown(delta)}; above 1 the promise is broken. "
        f"Exact for "
        "Algorithms 1, 2 and 5; for Algorithm 3 with the logistic link an upper bound, with g(a) = a/10 that of the "
        "gradient "
        "alone, which is a lower bound."
    )
    alt = f"On this grid the promise is kept by {held}" + (f"; by {', '.join(never)} nowhere." if never else ".")
    fig = figures.sweep_curves(
        frame.rename(columns={"over_nominal": "regret"}),
        "nominal",
        xscale="log",
        yscale="log",
        xlabel="nominal ε",
        ylabel="ε paid over nominal",
    )
    return Picture(fig, frame.drop(columns=["regret_se", "replications", "t"]), caption, alt)


# --- Algorithms 1 and 2


def one_point(panel: Panel) -> Picture:
    """The four one-point rows of Table 1: regret against t."""
    frame = _convex_curves(panel, "row")
    own = {row: learners[0] for row, (_, learners) in ONE_POINT.items()}
    drawn = frame[[own[row] == learner for row, learner in zip(frame["row"], frame["learner"], strict=True)]].copy()
    drawn["policy"] = drawn["label"] = [
        "the row's learner" if e == math.inf else f"at ε = {e:g}" for e in drawn["epsilon"]
    ]
    drawn = pd.concat([drawn, _still(panel, "row", own)], ignore_index=True)
    fig = figures.small_multiples(drawn, by="row", yscale="log")
    caption = (
        "Algorithm 1 with the learner of each row of Table 1, analytic Gaussian noise, against the shifting "
        "adversary on the "
        f"unit disc. {counted(drawn)} Standing still is the regret of the centre, where every learner starts."
    )
    said = []
    for row, learner in own.items():
        runs = [run for run in panel if run.swept == {"row": row, "learner": learner}]
        ends = ", ".join(f"{_at(run)} {rounded(float(run.final.mean()))}" for run in runs)
        said.append(
            f"{row}: {ends}, standing still {rounded(float(centre_regret(runs[0].problem, _last(runs[0]))[0]))}"
        )
    return Picture(fig, without_labels(frame), caption, f"Regret at the horizon. {'; '.join(said)}.")


def learners(panel: Panel) -> pd.DataFrame:
    """Regret at the horizon over that of standing still, for every learner of the one-point panel, by epsilon."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for run in panel:
        row, name = run.swept["row"], _SHORT.get(run.name, run.name)
        told = rows.setdefault((row, name), {"row": row, "learner": name})
        told[f"at_{run.epsilon:g}"] = float(run.final.mean() / centre_regret(run.problem, _last(run))[0])
    return pd.DataFrame(list(rows.values()))


def environments(panel: Panel) -> Picture:
    """Other losses: drawn, stochastic, on the simplex and on a line."""
    frame = _convex_curves(panel, "environment")
    names = {"saha_tewari": "Saha and Tewari", "hazan_levy": "Hazan and Levy", "stochastic": "Agarwal et al."}
    frame["policy"] = [names.get(one, "gradient descent") for one in frame["learner"]]
    frame["label"] = [f"{p}, {_eps(e)}" for p, e in zip(frame["policy"], frame["epsilon"], strict=True)]
    hues = {"Saha and Tewari": "tree", "Hazan and Levy": "response", "Agarwal et al.": "composition"}
    frame["family"] = [hues.get(policy, "gaussian") for policy in frame["policy"]]
    said = []
    for name in dict.fromkeys(frame["environment"]):
        runs = [run for run in panel if run.swept["environment"] == name]
        ends = ", ".join(
            f"{names.get(r.swept['learner'], 'gradient descent')} {_at(r)} {rounded(float(r.final.mean()))}"
            for r in runs
        )
        said.append(f"{name}: {ends}, uniform play {rounded(runs[0].uniform)}")
    fig = figures.small_multiples(frame, by="environment", yscale="log")
    caption = (
        "Other environments, analytic Gaussian noise: distances drawn at random or seen with noise, losses on the "
        "simplex, "
        f"and stochastic losses on a line, where the method of Agarwal et al. (2011) is played. {counted(frame)}"
    )
    return Picture(fig, without_labels(frame), caption, f"Regret at the horizon. {'; '.join(said)}.")


def noises(panel: Panel) -> Picture:
    """One learner behind three noises."""
    frame = _convex_curves(panel, "row")
    frame["label"] = [
        "no privacy" if e == math.inf else f"{_NOISES[r]}, ε = {e:g}"
        for r, e in zip(frame["reading"], frame["epsilon"], strict=True)
    ]
    frame["policy"] = frame["label"]
    ends = ", ".join(
        f"{'no privacy' if math.isinf(r.epsilon) else _NOISES[r.reading] + f' at ε = {r.epsilon:g}'} "
        f"{rounded(float(r.final.mean()))}"
        for r in panel
    )
    caption = (
        "Hazan and Levy's method behind the printed noise, the analytic one, and Laplace noise, which gives pure ε. "
        f"{counted(frame)}"
    )
    fig = figures.regret_curves(frame, yscale="log")
    return Picture(
        fig, without_labels(frame), caption, f"Regret at the horizon: {ends}; uniform play {rounded(panel[0].uniform)}."
    )


def two_points(panel: Panel, exponents: Sequence[Exponent]) -> Picture:
    """Algorithm 2 against epsilon: the printed step and others."""
    frame = studies.Runs([r for r in panel if r.epsilon in SWEEP]).finals()
    frame["family"] = frame["reading"].map({"printed": "gaussian", "tuned": "laplace", "strong": "tree"})
    frame["policy"] = frame["label"] = frame["reading"] + " step"
    frame = frame[frame["regret"] > 0]
    claims = []
    for row in TWO_POINTS:
        first = frame[(frame["row"] == row) & (frame["reading"] == "printed")].sort_values("epsilon")
        for e in first["epsilon"]:
            value = first["regret"].iloc[-1] * (first["epsilon"].iloc[-1] / e) ** 2
            claims.append((row, "1/ε², as printed", e, value))
    lines = pd.DataFrame(
        [
            {
                "row": row,
                "policy": label,
                "label": label,
                "family": "none",
                "trust": "none",
                "epsilon": e,
                "regret": value,
            }
            for row, label, e, value in claims
        ]
    ).assign(t=frame["t"].max(), regret_se=0.0, replications=frame["replications"].max())
    drawn = pd.concat([frame, lines], ignore_index=True)
    fig = figures.small_multiples(drawn, by="row", x="epsilon", xscale="log", yscale="log")
    slopes = tables.two_point_slopes(panel)
    fitted = fits(exponents, TWO_POINTS, EPSILON)
    caption = (
        f"Algorithm 2 against ε at T = {power(_last(panel[0]))}, printed noise; the line of slope −2 passes through "
        f"the last "
        f"point of the printed step. {counted(frame)} Powers of 1/ε fitted in the longer study: {fitted}."
    )
    said = "; ".join(f"{row}, {step} step {value:.2f}" for (row, step), value in slopes.items())
    return Picture(fig, without_labels(frame), caption, f"Power of 1/ε from the smallest ε to the largest: {said}.")


def arms(panel: Panel) -> Picture:
    """K arms, adversarial and stochastic."""
    frame = studies.Runs(panel).curves()
    frame = frame[frame["reading"] != "printed"].copy()
    names = {"UCB, lowest arm first": "UCB"}
    frame["policy"] = [names.get(p, p) for p in frame["policy"]]
    hues = {"Tsallis-INF": "gaussian", "EXP3": "tree", "LDP-UCB-L": "laplace", "UCB": "composition"}
    frame["family"] = frame["policy"].map(hues)
    frame["label"] = [f"{p}, {_eps(e)}" for p, e in zip(frame["policy"], frame["epsilon"], strict=True)]
    frame["environment"] = frame["environment"].replace({"fooling": "made to fool UCB"})
    fig = figures.small_multiples(frame, by="environment", yscale="log")
    said = []
    for name in dict.fromkeys(frame["environment"]):
        last = frame[(frame["environment"] == name) & (frame["t"] == frame["t"].max())]
        said.append(f"{name}: " + ", ".join(f"{row.label} {rounded(row.regret)}" for row in last.itertuples()))
    caption = (
        "Four arms at gap 0.5. An adversary that is built to fool UCB, one that shifts all losses in ever longer "
        "phases, and a "
        f"stochastic environment. Algorithm 1 with noise for the exact sensitivity 1. {counted(frame)}"
    )
    return Picture(fig, without_labels(frame), caption, f"Regret at the horizon. {'; '.join(said)}.")


# --- helpers


def exact(rows: Sequence[tuple[str, str, str, float, float, float]], x: str) -> pd.DataFrame:
    """Computed lines: label, family, trust, epsilon, x and value."""
    frame = pd.DataFrame(rows, columns=["policy", "family", "trust", "epsilon", x, "regret"])
    told = frame if x == "t" else frame.assign(t=1)
    return told.assign(regret_se=0.0, replications=1)


def _convex_curves(panel: Panel, facet: str) -> pd.DataFrame:
    frame = studies.Runs(panel).curves()
    frame["policy"] = [_SHORT.get(name, name) for name in frame["policy"]]
    return frame.sort_values(facet, key=lambda c: c.map({v: i for i, v in enumerate(dict.fromkeys(c))}), kind="stable")


def _still(panel: Panel, facet: str, own: Mapping[str, str]) -> pd.DataFrame:
    rows = []
    for run in panel:
        if run.swept["learner"] == own[run.swept[facet]] and math.isinf(run.epsilon):
            t = run.data.t.values
            rows.append(
                pd.DataFrame({facet: run.swept[facet], "t": t, "regret": centre_regret(run.problem, t)}).assign(
                    policy="standing still",
                    label="standing still",
                    family="uniform",
                    trust="none",
                    epsilon=math.inf,
                    regret_se=0.0,
                    replications=len(run.final),
                )
            )
    return pd.concat(rows, ignore_index=True)


def fits(exponents: Sequence[Exponent], rows: Any, quantity: str) -> str:
    """Every fitted exponent of some rows, in words."""
    keys = list(rows)
    told = []
    for one in exponents:
        if one.row in keys and one.quantity == quantity and one.fit is not None:
            name = f"{one.row}, {one.reading}" if len(keys) > 1 else one.reading
            told.append(f"{name} {one.fit.measured:.2f} [{one.fit.low:.2f}, {one.fit.high:.2f}]")
    return "; ".join(told) or "none"


def without_labels(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.drop(columns=[c for c in ("facet", "label", "family") if c in frame])


def counted(frame: pd.DataFrame) -> str:
    return figures.caption_runs(frame.astype({"replications": int}))


def _last(run: Run) -> int:
    return int(run.data.t[-1])


def _at(run: Run) -> str:
    return "without privacy" if math.isinf(run.epsilon) else f"at ε = {run.epsilon:g}"


def _eps(epsilon: float) -> str:
    return "no privacy" if math.isinf(epsilon) else f"ε = {epsilon:g}"


def _paid(value: float) -> str:
    return "no finite ε" if math.isinf(value) else f"ε = {value:.3g}"


def shown(value: float) -> str:
    if value == 0 or 1e-3 <= abs(value) < 1e6:
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return figures.scientific(value)
