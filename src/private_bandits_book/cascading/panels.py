"""What each figure of the chapter draws and says: labelled frames, captions and alt texts that follow the numbers."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from private_bandits.papers.cascading import bounds
from private_bandits.simulate import log_checkpoints
from private_bandits_book import figures
from private_bandits_book.cascading import keys, tables
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
from private_bandits_book.exhibits import Exhibits, Made, drawn, names, sentence
from private_bandits_book.figures import power, rounded
from private_bandits_book.studies import Runs
from private_bandits_book.verdicts import REPRODUCED

panels = Exhibits()

_VARIANTS = ("published", "stated", "repaired")


@panels("short")
@panels("findings")
def findings(study: Study) -> dict[str, Any]:
    """The chapter's findings in a few sentences, from its own numbers."""
    runs, epsilon = study.local[study.epsilon], study.epsilon
    uniform, at = runs.final(keys.UNIFORM), study.design_epsilons[len(study.design_epsilons) // 2]
    finals = {run.variant: run.final for run in study.central_designs.select(epsilon=at)}
    far = learning_times(study.learning).set_index(["key", "epsilon"])
    times = far["learns_from"]
    return {
        "promises": _promises(study, epsilon),
        "published_factor": PUBLISHED,
        "value_epsilon": runs.find(keys.LAPLACE, "published").policy.privacy.value_epsilon,
        "published": runs.final(keys.LAPLACE, "published", epsilon) / uniform,
        "stated": runs.final(keys.LAPLACE, "stated", epsilon) / uniform,
        "repaired": runs.final(keys.FIRST, "repaired", epsilon) / uniform,
        "at": at,
        **{design: rounded(designs.mean()) for design, designs in finals.items()},
        "plain": rounded(runs.final(keys.PLAIN)),
        "bare": rounded(runs.final(keys.FIRST, "repaired", math.inf)),
        "panels": int(((study.ledger["kind"] == "figure") & (study.ledger["verdict"] == REPRODUCED)).sum()),
        "far_central": rounded(far.loc[(keys.CENTRAL, 0.2), "regret"]),
        "far_local": rounded(far.loc[(keys.FIRST, 0.2), "regret"]),
        "learns": rounded(times[keys.FIRST, 0.2]),
        "laplace_learns": rounded(times[keys.LAPLACE, 0.2]),
    }


def _promises(study: Study, epsilon: float) -> str:
    """Which of the paper's algorithms keep their promise, in a sentence."""
    frame = tables.paid(study, [epsilon])
    broken = frame[frame["reading"] == "stated"].set_index("policy")["everything"] == "∞"
    if broken.all() or not broken.any():
        return sentence(study, "none private" if broken.all() else "all private")
    return sentence(
        study, "some private", broken=int(broken.sum()), of=len(broken), names=", ".join(broken.index[broken])
    )


@panels("figure-local-designs")
def local_designs(study: Study) -> Made:
    """The local repairs against each other; drawn at the list size of the setting, the data hold all."""
    frame = study.local_designs.finals(paid=True).assign(runs=lambda rows: rows["replications"])
    frame["label"] = frame["reading"].map(names(study, "designs"))
    plotted = frame[frame["list_size"] == study.list_size]
    best = frame.loc[frame.groupby(["list_size", "epsilon"])["regret"].idxmin(), "key"]
    ends = plotted[plotted["epsilon"] == plotted["epsilon"].max()]
    facts = {"wins": int((best == keys.FIRST).sum()), "settings": len(best), "largest": ends["epsilon"].iloc[0]}
    facts |= {"ranking": _ranking(ends), "runs": figures.caption_runs(plotted)}
    return _drawn(study, figures.regret_curves(plotted, "epsilon", xscale="log"), frame, **facts)


@panels("figure-central-designs")
def central_designs(study: Study) -> Made:
    """The central repairs against each other, and the local one."""
    frame = study.central_designs.finals(paid=True).assign(runs=lambda rows: rows["replications"])
    frame["label"] = frame["reading"].map(names(study, "designs"))
    readings = frame.groupby("reading", sort=False)["regret"]
    parts = {each: {"first": rounded(part.iloc[0]), "last": rounded(part.iloc[-1])} for each, part in readings}
    regret = frame.pivot(index="epsilon", columns="reading", values="regret")
    ahead = regret.index[regret["keep"] < regret["local"]]
    facts = {"parts": parts, "first": frame["epsilon"].min(), "last": frame["epsilon"].max()}
    facts |= {"ahead": ", ".join(f"{epsilon:g}" for epsilon in ahead) or "no ε"}
    facts |= {"runs": figures.caption_runs(frame)}
    return _drawn(study, figures.regret_curves(frame, "epsilon", xscale="log", yscale="log"), frame, **facts)


@panels("figure-1", each="epsilons", letters="abcd")
def local(study: Study, label: str, epsilon: float) -> Made:
    """Figures 1(a)-(d): the local algorithms at one epsilon."""
    runs = study.local[epsilon]
    return _local(study, runs, epsilon, study.list_size, "local panel" if epsilon == study.epsilon else "")


@panels("figure-1e")
def sweep(study: Study) -> Made:
    """Figure 1(e): regret against epsilon."""
    frame = _faceted(study, study.sweep.finals(paid=True), _everything)
    repaired = frame.loc[frame["reading"] == "repaired", "epsilon"]
    ends = frame[frame["epsilon"] == repaired.max()].groupby("reading")["regret"].min().map(rounded)
    facts = {"largest": repaired.max(), "coarse": repaired.min()}
    facts |= {variant: _slope(frame, variant) for variant in ("published", "stated")}
    facts |= {f"{variant}_end": ends[variant] for variant in ("stated", "repaired")}
    return _drawn(study, figures.small_multiples(frame, by="facet", x="epsilon"), frame, **facts)


@panels("figure-1f")
def central(study: Study) -> Made:
    """Figure 1(f): central privacy for several epsilons."""
    frame = _central_facets(study, study.central.curves(paid=True))
    private = frame["epsilon"].map(math.isfinite)
    frame.loc[private, "label"] = frame.loc[private, "epsilon"].map(lambda e: f"ε = {e:g}")
    frame.loc[private & (frame["key"] == keys.CENTRAL), "label"] = "blocks, " + frame["label"]
    ends = _ends(frame[(frame["t"] == frame["t"].max()) & private], "loses ")
    marked = frame.assign(epsilon=frame["epsilon"].where(~private, 0.0))  # four shades of a hue ask for markers too
    return _drawn(study, figures.small_multiples(marked, by="facet", yscale="log"), frame, ends=ends)


@panels("figure-1g")
def items(study: Study) -> Made:
    """Figure 1(g): central privacy against the number of items."""
    frame = _central_facets(study, study.items.finals(paid=True))
    ends = _ends(frame[frame["epsilon"].map(math.isfinite)], "from ")
    fig = figures.small_multiples(frame, by="facet", x="n_items", xlabel="items L")
    return _drawn(study, fig, frame, ends=ends, instance=_instance(study, items="L"))


@panels("figure-1", each="cucb_epsilons", letters="hi")
def cucb(study: Study, label: str, epsilon: float) -> Made:
    """Figures 1(h) and 1(i): keys.CUCB at one epsilon."""
    runs = study.cucb[epsilon]
    frame = _faceted(study, runs.curves(paid=True), _facet)
    for key, label in ((keys.FIRST, "one bit"), (keys.CUCB, "Gaussian, exact scale")):
        frame.loc[(frame["reading"] == "repaired") & (frame["key"] == key), "label"] = label
    ends = {variant: rounded(runs.final(keys.CUCB, variant, epsilon)) for variant in _VARIANTS}
    ends["bit"] = rounded(runs.final(keys.FIRST, "repaired", epsilon))
    fig = figures.small_multiples(frame, by="facet", yscale="log")
    return _drawn(study, fig, frame, epsilon=epsilon, plain=rounded(runs.final(keys.CUCB)), **ends)


@panels("figure-2", each="list_sizes", letters="abcd")
def sizes(study: Study, label: str, size: int) -> Made:
    """Figures 2(a)-(d): the local algorithms at one list size."""
    runs = study.sizes[size]
    more = "same panel" if runs is study.local.get(study.sizes_epsilon) else "size panel"
    return _local(study, runs, study.sizes_epsilon, size, more)


def _local(study: Study, runs: Runs, epsilon: float, size: int, more: str) -> Made:
    frame = _faceted(study, runs.curves(paid=True), _facet)
    plotted = frame[~((frame["reading"] == "repaired") & frame["epsilon"].map(math.isinf))]
    ends = {variant: runs.final(keys.LAPLACE, variant, epsilon) for variant in ("published", "stated")}
    ends["repaired"], ends["bare"] = (runs.final(keys.FIRST, "repaired", e) for e in (epsilon, math.inf))
    ends |= {"plain": runs.final(keys.PLAIN), "uniform": runs.final(keys.UNIFORM)}
    ends |= {"theorem_4": bounds.theorem_4(study.problem(size), study.horizon, epsilon)}
    facts = {"epsilon": epsilon, "factor": PUBLISHED, "instance": _instance(study, size)}
    facts |= {name: rounded(end) for name, end in ends.items()}
    facts["more"] = f" {sentence(study, more, **facts)}" if more else ""
    return _drawn(study, figures.small_multiples(plotted, by="facet", yscale="log"), frame, **facts)


def _learning_labels(study: Study) -> Iterable[tuple[str, tuple[str, float]]]:
    for trust in ("local", "central"):
        for place, epsilon in (("02", 0.2), ("1", 1.0)):
            yield f"figure-learning-{trust}-{place}", (trust, epsilon)


@panels("figure-learning", each=_learning_labels)
def learning(study: Study, label: str, case: tuple[str, float]) -> Made:
    """The longer study at one trust model and epsilon, with the bounds that are not vacuous."""
    trust, epsilon = case
    frame = summary(study.learning)
    frame["label"] = [_paying(*row) for row in zip(frame.key, frame.epsilon, frame.effective_epsilon, strict=True)]
    frame = frame[((frame["trust"] == trust) & (frame["epsilon"] == epsilon)) | frame["epsilon"].map(math.isinf)]
    own = keys.FIRST if trust == "local" else keys.PLAIN
    frame = frame[frame["epsilon"].map(math.isfinite) | frame["key"].isin([keys.PLAIN, keys.UNIFORM, own])]
    t = log_checkpoints(LEARNING_HORIZON)
    t = t[t >= 1000]
    lines = [(label, [bound(int(n)) for n in t]) for label, bound in _learning_bounds(trust, epsilon).items()]
    uniform = learning_problem().uniform_regret() * LEARNING_HORIZON
    informative = [(label, t, values) for label, values in lines if values[-1] < uniform]
    vacuous = ", ".join(f"{label} ({rounded(values[-1])})" for label, values in lines if values[-1] >= uniform)
    facts = {"trust": trust, "epsilon": epsilon, "T": power(LEARNING_HORIZON)}
    facts |= {"runs": figures.caption_runs(frame[frame["key"] != keys.UNIFORM])}
    facts |= {"vacuous": f" Vacuous and not drawn: {vacuous}." if vacuous else ""}
    facts |= {"ranking": _ranking(frame[frame["t"] == LEARNING_HORIZON])}
    fig = figures.regret_curves(frame, start=1000, yscale="log", bounds=informative)
    return _drawn(study, fig, frame, **facts)


def _learning_bounds(trust: str, epsilon: float) -> dict[str, Callable[[int], float]]:
    problem = learning_problem()
    if trust == "local":
        return {
            "Theorem 4": lambda t: bounds.theorem_4(problem, t, epsilon),
            "Theorem 6": lambda t: bounds.theorem_6(problem, t, epsilon, LEARNING_DELTA),
            "Theorem 11": lambda t: bounds.theorem_11(*LEARNING_INSTANCE, t, epsilon),
            "our bound": lambda t: bounds.repaired_first_upper(problem, t, epsilon),
        }
    return {
        "Theorem 2 at ξ = 0.5": lambda t: bounds.theorem_2(problem, t, epsilon),
        "Theorem 2, corrected": lambda t: bounds.theorem_2(problem, t, epsilon, variant="corrected"),
        "Theorem 12": lambda t: bounds.theorem_12(*LEARNING_INSTANCE, t, epsilon),
        "our bound": lambda t: bounds.repaired_blocks_upper(problem, t, epsilon),
    }


# --- words, labels, facets


def _paying(policy: str, epsilon: float, paid: float) -> str:
    if policy == keys.UNIFORM:
        return "uniform play"
    if math.isinf(epsilon):
        return "first item, no privacy" if policy == keys.FIRST else keys.MADE[policy].name
    name = "repaired" if policy in (keys.FIRST, keys.CENTRAL) else keys.MADE[policy].name
    return f"{name},\npays {'∞' if math.isinf(paid) else f'{paid:g}'}"


def _faceted(study: Study, frame: pd.DataFrame, facet: Callable[[str, pd.DataFrame], str]) -> pd.DataFrame:
    """Add labels, and facets named after the variant and what its curves pay."""
    finite = frame["epsilon"].map(math.isfinite)
    short = frame["key"].map(names(study, "policies")).where(finite | (frame["key"] == keys.UNIFORM))
    frame = frame.assign(label=short.fillna(frame["policy"]), facet="")
    frame.loc[frame["reading"] == "repaired", "label"] = "repaired"
    for variant in dict.fromkeys(frame["reading"]):
        if variant:
            rows = frame["reading"] == variant
            frame.loc[rows, "facet"] = facet(variant, frame[rows & finite])
    return frame


def _facet(name: str, rows: pd.DataFrame) -> str:
    everything, values = _span(rows["effective_epsilon"]), _span(rows["value_epsilon"])
    if values == everything:
        return f"{name}\neverything pays {everything}"
    return f"{name}\nvalues pay {values}\neverything pays {everything}"


def _everything(variant: str, rows: pd.DataFrame) -> str:
    return f"{variant}\neverything pays {'ε' if variant == 'repaired' else '∞'}"


def _central_facets(study: Study, frame: pd.DataFrame) -> pd.DataFrame:
    frame = _faceted(study, frame, _facet)
    for variant in ("published", "stated"):
        for policy, words in ((keys.HYBRID_PRINTED, "ln T"), (keys.HYBRID, "ln n")):
            rows = (frame["reading"] == variant) & (frame["key"] == policy)
            if rows.any():
                frame.loc[rows, "facet"] = _facet(f"{variant}, {words}", frame[rows])
    return frame


def _drawn(study: Study, fig: Figure, frame: pd.DataFrame, **facts: Any) -> Made:
    """A figure with its data, and what every caption of the chapter may say."""
    return drawn(fig, frame, **{"T": power(study.horizon), "instance": _instance(study), **facts})


def _instance(study: Study, size: int | None = None, items: str = "") -> str:
    return f"B_LB({items or study.n_items}, {size or study.list_size}, {study.p:g}, {study.gap:g})"


def _slope(frame: pd.DataFrame, variant: str) -> str:
    rows = frame[(frame["key"] == keys.LAPLACE) & (frame["reading"] == variant)]
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
    digits = 3 if math.isclose(low, high) else 2
    ends = ["∞" if math.isinf(v) else f"{float(f'{v:.{digits}g}'):g}" for v in (low, high)]
    return ends[0] if ends[0] == ends[1] else "–".join(ends)
