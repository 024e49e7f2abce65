"""What the figures of the comparison draw and say, and its findings in words."""

import math
from typing import Any

import numpy as np
import pandas as pd

from private_bandits_book import figures
from private_bandits_book.comparison.settings import called, kept
from private_bandits_book.comparison.study import CENTRAL, LOCAL, Study, each_setting, ratio, rest
from private_bandits_book.comparison.tables import ranked, release, said
from private_bandits_book.exhibits import Exhibits, Made, drawn, names, sentence
from private_bandits_book.figures import power, short
from private_bandits_book.figures.lines import line
from private_bandits_book.studies import Run, Runs

panels = Exhibits()
UNIFORM = "uniform play"
_SHOWN = 6  # private policies in a figure of regret


# --- findings


@panels("findings")
def findings(study: Study) -> dict[str, Any]:
    """Which policy to take, what local trust costs, and what privacy does, at the epsilon of the rankings."""
    titles, takes, apart = names(study, "settings"), [], []
    leaks = [run for runs in study.runs.values() for run in runs.select(pays=study.epsilon) if not kept(run.policy)]
    for name, asked in names(study, "asked").items():
        table, central, local = ranked(study, name), study.best(name, CENTRAL), study.best(name, LOCAL)
        first, alone = (_first(study, name, table[table["trust"].isin(some)]) for some in ([CENTRAL, LOCAL], [LOCAL]))
        prices = {trust: said(study.price(one.run)) for trust, one in ((CENTRAL, central), (LOCAL, local)) if one}
        said_as = "same" if first == alone else "take"
        takes.append(sentence(study, said_as, asked=asked, first=first, alone=alone, **{CENTRAL: "none"} | prices))
        if central and local:
            over = ratio(rest(local.run.final), rest(central.run.final))
            apart.append(f"{titles[name]} {said(over)}")
    return {
        "takes": "\n".join(takes),
        "apart": "; ".join(apart),
        "leaks": len(leaks),
        "played": sum(len(runs.select(pays=study.epsilon)) for runs in study.runs.values()),
    } | horizons_of(study)


def _first(study: Study, name: str, table: pd.DataFrame) -> str:
    """The policies of a ranking that nothing beats: their names, how the library calls them, and what protects."""
    sent, protects, found = names(study, "sent"), names(study, "mechanisms"), []
    runs = {run.swept["label"]: run for run in study.runs[name].select(pays=study.epsilon)}
    for label in table.loc[table["rank"] == table["rank"].min(), "label"]:
        policy, make = runs[label].policy, study.setting(name).private[runs[label].swept["place"]]
        found.append(f"*{label}* (`{called(make)}`: {sent[release(policy)]}, {protects[policy.mechanism]})")
    return " or ".join(found)


def horizons_of(study: Study) -> dict[str, str]:
    """The horizons, in words."""
    return {"T": power(study.horizon), "long": power(study.long_horizon)}


# --- the price of privacy


@panels("figure-price")
def price(study: Study) -> Made:
    """What the best policies lose over the least without privacy, against epsilon, a panel a setting."""
    rows = []
    for name, title in _headings(study).items():
        headline = study.runs[name].select(pays=study.epsilon)
        leaking = [run for run in headline if not kept(run.policy)]
        chosen = {best.place for trust in (CENTRAL, LOCAL) if (best := study.best(name, trust))}
        chosen |= {min(leaking, key=lambda run: float(run.final.mean())).swept["place"]} if leaking else set()
        for place in sorted(chosen):
            rows += [_priced(study, run) | {"facet": title} for run in study.runs[name].select(place=place)]
        plain = study.plain(name)
        worst = {"regret": plain.uniform, "price": plain.uniform / rest(plain.final).mean(), "price_se": 0.0}
        rows.append(_facts(plain) | worst | {"regret_se": 0.0, "facet": title, "policy": "uniform", "label": UNIFORM})
        rows[-1] |= {"family": "uniform", "trust": "none", "epsilon": math.inf, "reading": ""}
    frame = pd.DataFrame(rows)
    plotted = dotted(frame.assign(regret=frame["price"], regret_se=frame["price_se"]))
    fig = figures.small_multiples(
        plotted, by="facet", x="epsilon", xscale="log", yscale="log", xlabel="ε, really paid",
        ylabel="price of privacy", same=False,
    )  # fmt: skip
    kept_rows = frame[np.isfinite(frame["epsilon"]) & np.isfinite(frame["effective_epsilon"])]
    fall = [
        f"{title}, {trust}: from {short(part['price'].iloc[0])} to {short(part['price'].iloc[-1])}"
        for (title, trust), part in kept_rows.groupby(["facet", "trust"], sort=False)
    ]
    ends = study.paid[0], study.paid[-1]
    return drawn(fig, frame, fall="; ".join(fall), ends=ends, **horizons_of(study))


def _headings(study: Study) -> dict[str, str]:
    """The settings' names as panels show them."""
    return {name: title.capitalize() for name, title in names(study, "settings").items()}


def _facts(run: Run) -> dict[str, Any]:
    """What a row says of a run, by which the rest is measured."""
    final, privacy = rest(run.final), run.policy.privacy
    return {
        "setting": run.swept["setting"],
        "policy": run.name,
        "reading": run.variant,
        "family": run.family,
        "trust": privacy.trust,
        "epsilon": run.swept["pays"],
        "nominal": run.epsilon,
        "effective_epsilon": privacy.effective_epsilon,
        "t": int(run.t[-1]),
        "regret": float(final.mean()),
        "regret_se": float(final.std(ddof=1) / math.sqrt(len(final))),
        "replications": len(final),
    }


def _mechanism(study: Study, run: Run) -> str:
    """What protects, in the words of a legend; a family has one colour and may have several."""
    words, mechanism = names(study, "families"), run.policy.mechanism
    return str(words[mechanism if mechanism == "exponential" else run.family])


def _priced(study: Study, run: Run) -> dict[str, Any]:
    found, leaks = study.price(run), "" if kept(run.policy) else ", leaks"
    label = f"{_mechanism(study, run)}, {run.policy.privacy.trust}{leaks}"
    return _facts(run) | {"price": found.measured, "price_se": found.se, "label": label}


def dotted(frame: pd.DataFrame) -> pd.DataFrame:
    """Return rows as they are drawn: dotted where what a private policy releases has no finite epsilon."""
    leaks = np.isfinite(frame["epsilon"].astype(float)) & ~np.isfinite(frame["effective_epsilon"].astype(float))
    return frame.assign(trust=frame["trust"].where(~leaks, "leaking"))


# --- a setting


@panels("figure", each=each_setting("figure"))
def regret(study: Study, label: str, name: str) -> Made:
    """Regret over rounds at one epsilon, and at the horizon against epsilon."""
    runs, rounds = study.runs[name], study.rounds(name)
    curves = Runs(run for run in runs if run.swept["pays"] in (study.epsilon, math.inf))
    across = {f"ε = {study.epsilon:g}": "t", f"T = {power(rounds)}": "epsilon"}
    over, against = across
    frame = pd.concat([_paid(curves.curves(paid=True), over), _paid(runs.finals(paid=True), against)])
    rate, how_often = float(runs[0].problem.uniform_regret()), figures.caption_runs(frame)
    even = pd.concat([_uniform(rate, curves[0].t, over), _uniform(rate, curves[0].t[-1:], against)])
    frame = pd.concat([frame, even], ignore_index=True)
    table = ranked(study, name)
    facts = {"problem": str(runs[0].problem), "uniform": short(rate * rounds), "best": table.iloc[0]["label"]}
    facts |= {"T": power(rounds), "regret": short(table.iloc[0]["regret"])}
    facts |= {"title_of": _headings(study)[name], "runs": how_often}
    headline, hidden = runs.select(pays=study.epsilon), _hidden(runs.select(pays=study.epsilon))
    facts["leaks"] = "" if all(kept(run.policy) for run in headline) else sentence(study, "dotted")
    facts["hidden"] = sentence(study, "hidden") if hidden else ""
    shown = frame[~frame["place"].isin(hidden)]
    return drawn(figures.beside(dotted(shown), across), frame.drop(columns="place"), **facts)


def _hidden(runs: Runs) -> set[int]:
    """The places of private policies that a figure with many has no room for.

    What stays is of each family and trust model what loses least, and of those that leak one.
    """
    if len(runs) <= _SHOWN:
        return set()
    ordered = sorted(runs, key=lambda run: -float(run.final.mean()))
    least = {
        (run.family, run.policy.privacy.trust) if kept(run.policy) else "leaks": run.swept["place"] for run in ordered
    }
    return {run.swept["place"] for run in runs} - set(least.values())


def _paid(frame: pd.DataFrame, panel: str) -> pd.DataFrame:
    """Rows by what is paid."""
    return frame.assign(nominal=frame["epsilon"], epsilon=frame["pays"], panel=panel).drop(columns="pays")


def _uniform(rate: float, t: np.ndarray, panel: str) -> pd.DataFrame:
    columns = {"t": t, "regret": rate * t, "epsilon": math.inf, "effective_epsilon": math.inf, "replications": 1}
    return line(UNIFORM, "uniform", columns).assign(policy="uniform", panel=panel)


# --- the price against T


@panels("figure-horizons")
def horizons(study: Study) -> Made:
    """What the best policies lose over the least without privacy, against the horizon that they are made for."""
    rows = []
    for name, title in _headings(study).items():
        for trust, runs in study.grown[name].items():
            for run, plain in zip(runs, study.grown[name]["none"], strict=True):
                found = ratio(rest(run.final), rest(plain.final))
                more = {"price": found.measured, "price_se": found.se, "part": run.t[-1] / study.rounds(name)}
                more["facet"] = title
                label = f"{_mechanism(study, run)}, {trust}"
                rows += [_facts(run) | more | {"label": label}] if trust != "none" else []
    frame = pd.DataFrame(rows)
    plotted = frame.assign(regret=frame["price"], regret_se=frame["price_se"])
    fig = figures.small_multiples(
        plotted, by="facet", x="part", xscale="log", yscale="log", xlabel="horizon, over that of the chapter",
        ylabel="price of privacy", same=False,
    )  # fmt: skip
    grows = [
        f"{title} from {short(rows[0]['price'])} to {short(rows[-1]['price'])} ({trust})"
        for (title, trust), part in frame.groupby(["facet", "trust"], sort=False)
        for rows in [part.to_dict("records")]
    ]
    return drawn(fig, frame, grows="; ".join(grows), **horizons_of(study))
