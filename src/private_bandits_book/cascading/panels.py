"""What each figure of the chapter draws and says: labelled frames, captions and alt texts that follow the numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import pandas as pd

from private_bandits.papers.cascading import bounds
from private_bandits.simulate import log_checkpoints
from private_bandits_book import figures
from private_bandits_book.cascading import tables
from private_bandits_book.cascading.rules import growth_fits
from private_bandits_book.cascading.study import (
    LEARNING_DELTA,
    LEARNING_HORIZON,
    LEARNING_INSTANCE,
    PUBLISHED,
    Study,
    learning_problem,
    learning_times,
    summary,
)
from private_bandits_book.exhibits import Exhibits, title
from private_bandits_book.figures import Picture, power, rounded
from private_bandits_book.ledger import verdicts_in_words
from private_bandits_book.studies import Runs

panels = Exhibits()

FIRST, CENTRAL = "Response, first item", "Hybrid, first item"
_LABELS = {
    "uniform": "uniform play",
    "Composition": "Laplace by composition",
    "Hybrid, log of horizon": "hybrid",
    "Hybrid": "hybrid",
    "CUCB Gaussian": "Gaussian",
}


@panels("findings")
def findings(study: Study) -> str:
    """The chapter's findings in a few sentences of MyST, from its own numbers."""
    epsilon, runs, size = study.epsilon, study.local[study.epsilon], study.list_size
    uniform = runs.final("uniform")
    laplace = runs.find("Laplace", "published")
    share = {r: runs.final("Laplace", r, epsilon) / uniform for r in ("published", "stated")}
    repaired = runs.final(FIRST, "repaired", epsilon) / uniform
    times = learning_times(study.learning).set_index(["policy", "epsilon"])["learns_from"]
    growth = {(fit.labels["policy"], fit.quantity): fit.row()["measured"] for fit in growth_fits(study.growth)}
    return "\n".join(
        [
            _promises(study, epsilon),
            f"- **The published curves are not what their labels say.** The noise was multiplied by {PUBLISHED:g}: "
            f"at nominal $\\epsilon={epsilon:g}$ the Laplace values alone pay "
            f"{laplace.policy.privacy.value_epsilon:.3g}. At the noise "
            f"the theorem needs, regret at $T={study.horizon}$ is {share['stated']:.0%} of uniform play's, not "
            f"{share['published']:.0%}.",
            "- **A repair keeps the promise.** Show the least known item of the list first and ask only whether it was "
            f"clicked, by randomised response: everything sent pays $\\epsilon={epsilon:g}$, and regret is "
            f"{repaired:.0%} of uniform play's at $K={size}$. In the longer study at $\\epsilon=0.2$ it starts to "
            f"learn at round {rounded(times[FIRST, 0.2])}, the stated Laplace algorithm at round "
            f"{rounded(times['Laplace', 0.2])}. With longer lists its regret goes as $K^{{{growth[FIRST, 'K']:.1f}}}$, "
            f"that of Laplace as $K^{{{growth['Laplace', 'K']:.1f}}}$ (the study of growth).",
            f"- **Of {len(study.ledger)} claims** {verdicts_in_words(study.ledger)}. The ledger at the end says why.",
        ]
    )


def _promises(study: Study, epsilon: float) -> str:
    """Which of the paper's algorithms keep their promise, in a sentence."""
    frame = tables.paid_by(study, [epsilon])
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


@panels("figure-local-designs")
def local_designs(study: Study) -> Picture:
    """The local repairs against each other; drawn at the list size of the setting, the data hold all."""
    frame = study.local_designs.finals(paid=True)
    frame["label"] = frame["policy"].map(str.lower)
    drawn = frame[frame["list_size"] == study.list_size]
    best = frame.loc[frame.groupby(["list_size", "epsilon"])["regret"].idxmin(), "policy"]
    wins = int((best == FIRST).sum())
    caption = (
        f"The three local repairs at T = {power(study.horizon)}, {_setting(study)}; each pays "
        f"exactly ε. Asking about the first item loses least at {wins} of {len(best)} settings of K and ε. "
        f"{figures.caption_runs(drawn)}"
    )
    ends = drawn[drawn["epsilon"] == drawn["epsilon"].max()]
    alt = f"At the largest epsilon, {ends['epsilon'].iloc[0]:g}: " + _ranking(ends)
    return Picture(figures.sweep_curves(drawn, xscale="log"), _data(frame), caption, alt)


@panels("figure-central-designs")
def central_designs(study: Study) -> Picture:
    """The central repairs against each other."""
    frame = study.central_designs.finals(paid=True)
    frame["label"] = frame["policy"].map(str.lower)
    first, rounds = (frame[frame["reading"] == design]["regret"] for design in ("first", "rounds"))
    caption = (
        f"The two central repairs at T = {power(study.horizon)}, {_setting(study)}; each pays "
        f"exactly ε. {figures.caption_runs(frame)}"
    )
    alt = (
        "From the smallest epsilon to the largest, hybrid counters of the first item go from "
        f"{rounded(first.iloc[0])} to {rounded(first.iloc[-1])}, trees indexed by rounds from "
        f"{rounded(rounds.iloc[0])} to {rounded(rounds.iloc[-1])}."
    )
    return Picture(figures.sweep_curves(frame, xscale="log"), _data(frame), caption, alt)


@panels("figure-1", each="epsilons", letters="abcd")
def local(study: Study, label: str, epsilon: float) -> Picture:
    """Figures 1(a)-(d): the local algorithms at one epsilon."""
    return _local(study, label, study.local[epsilon], epsilon, study.list_size)


@panels("figure-1e")
def sweep(study: Study) -> Picture:
    """Figure 1(e): regret against epsilon."""
    frame = _faceted(study.sweep.finals(paid=True), lambda reading, rows: _everything(reading))
    repaired = frame.loc[frame["reading"] == "repaired", "epsilon"]
    largest, coarse = repaired.max(), repaired.min()
    caption = (
        f"Figure 1(e): regret at T = {power(study.horizon)} against nominal ε, {_setting(study)}; the published "
        f"noise at every multiple of {study.sweep_step:g}, the others of {coarse:g}. {figures.caption_runs(frame)} The "
        f"published Laplace values pay {_slope(frame, 'published')} ε, the stated ones {_slope(frame, 'stated')} ε."
    )
    ends = frame[frame["epsilon"] == largest].groupby("reading")["regret"].min()
    alt = (
        f"Regret falls with epsilon in every reading; at epsilon {largest:g} the stated algorithms still lose at least "
        f"{rounded(ends['stated'])}, the repaired one {rounded(ends['repaired'])}."
    )
    return Picture(figures.small_multiples(frame, by="facet", x="epsilon"), _data(frame), caption, alt)


@panels("figure-1f")
def central(study: Study) -> Picture:
    """Figure 1(f): central privacy for several epsilons."""
    frame = _central_facets(study.central.curves(paid=True))
    private = frame["epsilon"].map(math.isfinite)
    frame.loc[private, "label"] = frame.loc[private, "epsilon"].map(lambda e: f"ε = {e:g}")
    last = frame[(frame["t"] == frame["t"].max()) & private]
    caption = (
        f"Figure 1(f): regret under central privacy for several ε, {_setting(study)}: Algorithm 1 with ln^1.5 of "
        "the horizon (as printed) or of the pulls (as in its proof), and the repaired algorithm. "
        f"{figures.caption_runs(frame)}"
    )
    alt = f"At the horizon, from the smallest epsilon to the largest: {_ends(last, 'loses ')}."
    return Picture(figures.small_multiples(frame, by="facet", yscale="log"), _data(frame), caption, alt)


@panels("figure-1g")
def items(study: Study) -> Picture:
    """Figure 1(g): central privacy against the number of items."""
    frame = _central_facets(study.items.finals(paid=True))
    private = frame[frame["epsilon"].map(math.isfinite)]
    caption = (
        f"Figure 1(g): regret at T = {power(study.horizon)} under central privacy against the number of items L, at "
        f"nominal ε = {study.items_epsilon:g}, {_setting(study, items='L')}. {figures.caption_runs(frame)}"
    )
    alt = f"Regret grows with the number of items: {_ends(private, 'from ')}."
    fig = figures.small_multiples(frame, by="facet", x="n_items", xlabel="items L")
    return Picture(fig, _data(frame), caption, alt)


@panels("figure-1", each="cucb_epsilons", letters="hi")
def cucb(study: Study, label: str, epsilon: float) -> Picture:
    """Figures 1(h) and 1(i): CUCB at one epsilon."""
    runs = study.cucb[epsilon]
    frame = _faceted(runs.curves(paid=True), _facet)
    caption = (
        f"{title(label)}: regret of CUCB (Algorithm 4) on the same means as a top-{study.list_size} semi-bandit at "
        f"nominal ε = {epsilon:g}, {_setting(study)}. {figures.caption_runs(frame)}"
    )
    ends = {r: rounded(runs.final("CUCB Gaussian", r, epsilon)) for r in ("published", "stated", "repaired")}
    alt = (
        f"At nominal epsilon {epsilon:g} CUCB without privacy ends at {rounded(runs.final('CUCB'))}; with the Gaussian "
        f"mechanism it ends at {ends['published']} published, {ends['stated']} stated and {ends['repaired']} repaired."
    )
    return Picture(figures.small_multiples(frame, by="facet", yscale="log"), _data(frame), caption, alt)


@panels("figure-2", each="list_sizes", letters="abcd")
def sizes(study: Study, label: str, size: int) -> Picture:
    """Figures 2(a)-(d): the local algorithms at one list size."""
    return _local(study, label, study.sizes[size], study.sizes_epsilon, size)


def _local(study: Study, label: str, runs: Runs, epsilon: float, size: int) -> Picture:
    frame = _faceted(runs.curves(paid=True), _facet)
    drawn = frame[~((frame["reading"] == "repaired") & frame["epsilon"].map(math.isinf))]
    uniform = rounded(runs.final("uniform"))
    published, stated = (rounded(runs.final("Laplace", reading, epsilon)) for reading in ("published", "stated"))
    theorem_4 = rounded(bounds.theorem_4(study.problem(size), study.horizon, epsilon))
    caption = (
        f"{title(label)}: regret of the local algorithms at nominal ε = {epsilon:g}, {_setting(study, size)}. "
        f"{figures.caption_runs(frame)} Published noise is {PUBLISHED:g} times the stated one. Theorem 4's bound at "
        f"the horizon is {theorem_4}, uniform play's regret {uniform}. The repaired rule loses "
        f"{rounded(runs.final(FIRST, 'repaired', math.inf))} without privacy, CascadeUCB1 "
        f"{rounded(runs.final('CascadeUCB1'))}."
    )
    alt = (
        f"At nominal epsilon {epsilon:g} the published Laplace curve ends at {published}, the stated one at {stated}, "
        f"the repaired algorithm, which really pays {epsilon:g}, at {rounded(runs.final(FIRST, 'repaired', epsilon))}; "
        f"uniform play ends at {uniform}."
    )
    return Picture(figures.small_multiples(drawn, by="facet", yscale="log"), _data(frame), caption, alt)


def _learning_labels(study: Study) -> Iterable[tuple[str, tuple[str, float]]]:
    for trust in ("local", "central"):
        for place, epsilon in (("02", 0.2), ("1", 1.0)):
            yield f"figure-learning-{trust}-{place}", (trust, epsilon)


@panels("figure-learning", each=_learning_labels)
def learning(study: Study, label: str, case: tuple[str, float]) -> Picture:
    """The longer study at one trust model and epsilon, with the bounds that are not vacuous."""
    trust, epsilon = case
    frame = summary(study.learning)
    frame["label"] = [_paying(*row) for row in zip(frame.policy, frame.epsilon, frame.effective_epsilon, strict=True)]
    frame = frame[((frame["trust"] == trust) & (frame["epsilon"] == epsilon)) | frame["epsilon"].map(math.isinf)]
    own = FIRST if trust == "local" else "CascadeUCB1"
    frame = frame[frame["epsilon"].map(math.isfinite) | frame["policy"].isin(["CascadeUCB1", "uniform", own])]
    t = log_checkpoints(LEARNING_HORIZON)
    t = t[t >= 1000]
    lines = [(label, [bound(int(n)) for n in t]) for label, bound in _learning_bounds(trust, epsilon).items()]
    uniform = learning_problem().uniform_regret() * LEARNING_HORIZON
    drawn = [(label, t, values) for label, values in lines if values[-1] < uniform]
    left_out = [f"{label} ({rounded(values[-1])})" for label, values in lines if values[-1] >= uniform]
    caption = (
        f"Honest noise to T = {power(LEARNING_HORIZON)} at {trust} ε = {epsilon:g}, on the instance of the figures. "
        f"{figures.caption_runs(frame[frame['policy'] != 'uniform'])} Uniform play is exact."
        + (f" Vacuous and not drawn: {', '.join(left_out)}." if left_out else "")
    )
    alt = f"From least to most regret at the end: {_ranking(frame[frame['t'] == LEARNING_HORIZON])}"
    fig = figures.regret_curves(frame, start=1000, yscale="log", bounds=drawn)
    return Picture(fig, _data(frame), caption, alt)


def _learning_bounds(trust: str, epsilon: float) -> dict[str, Callable[[int], float]]:
    problem = learning_problem()
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


# --- words, labels, facets


def _paying(policy: str, epsilon: float, paid: float) -> str:
    if policy == "uniform":
        return "uniform play"
    if math.isinf(epsilon):
        return "first item, no privacy" if policy == FIRST else policy
    name = "repaired" if policy in (FIRST, CENTRAL) else policy
    return f"{name},\npays {'∞' if math.isinf(paid) else f'{paid:g}'}"


def _faceted(frame: pd.DataFrame, facet: Callable[[str, pd.DataFrame], str]) -> pd.DataFrame:
    """Add labels, and facets named after the reading and what its curves pay."""
    frame = frame.assign(label=[_LABELS.get(policy, policy) for policy in frame["policy"]], facet="")
    finite = frame["epsilon"].map(math.isfinite)
    frame.loc[frame["reading"] == "repaired", "label"] = "repaired"
    for reading in dict.fromkeys(frame["reading"]):
        if reading:
            rows = frame["reading"] == reading
            frame.loc[rows, "facet"] = facet(reading, frame[rows & finite])
    return frame


def _facet(name: str, rows: pd.DataFrame) -> str:
    everything, values = _span(rows["effective_epsilon"]), _span(rows["value_epsilon"])
    if values == everything:
        return f"{name}\neverything pays {everything}"
    return f"{name}\nvalues pay {values}\neverything pays {everything}"


def _everything(reading: str) -> str:
    return f"{reading}\neverything pays {'ε' if reading == 'repaired' else '∞'}"


def _central_facets(frame: pd.DataFrame) -> pd.DataFrame:
    frame = _faceted(frame, _facet)
    for reading in ("published", "stated"):
        for policy, words in (("Hybrid, log of horizon", "ln T"), ("Hybrid", "ln n")):
            rows = (frame["reading"] == reading) & (frame["policy"] == policy)
            if rows.any():
                frame.loc[rows, "facet"] = _facet(f"{reading}, {words}", frame[rows])
    return frame


def _data(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.drop(columns=[c for c in ("facet", "label") if c in frame])


def _setting(study: Study, size: int | None = None, items: str = "") -> str:
    return f"B_LB({items or study.n_items}, {size or study.list_size}, {study.p:g}, {study.gap:g})"


def _slope(frame: pd.DataFrame, reading: str) -> str:
    rows = frame[(frame["policy"] == "Laplace") & (frame["reading"] == reading)]
    return f"{(rows['value_epsilon'] / rows['epsilon']).mean():.3g}"


def _ranking(frame: pd.DataFrame) -> str:
    """The last regrets from least to most."""
    rows = frame.sort_values("regret").itertuples()
    return ", ".join(f"{row.label.replace(chr(10), ' ')} {rounded(row.regret)}" for row in rows) + "."


def _ends(frame: pd.DataFrame, verb: str) -> str:
    """The first and last regret of each facet."""
    return "; ".join(
        f"{str(facet).splitlines()[0]} {verb}{rounded(part['regret'].iloc[0])} to {rounded(part['regret'].iloc[-1])}"
        for facet, part in frame.groupby("facet", sort=False)
    )


def _span(values: Sequence[float] | pd.Series) -> str:
    low, high = min(values), max(values)
    digits = 3 if low == high else 2
    ends = ["∞" if math.isinf(v) else f"{float(f'{v:.{digits}g}'):g}" for v in (low, high)]
    return ends[0] if low == high else "–".join(ends)
