"""The chapter's findings in a few sentences, from its own numbers and verdicts."""

from __future__ import annotations

import pandas as pd

from private_bandits_book.figures import power
from private_bandits_book.heavy_tailed import rates, tables
from private_bandits_book.heavy_tailed.claims import Evidence
from private_bandits_book.heavy_tailed.experiments import FLUID, LOCAL_SETTING, PRINTED, last
from private_bandits_book.heavy_tailed.words import final_of, portion, ratios, short
from private_bandits_book.rules import AFTER_REPAIR, VERDICTS
from private_bandits_book.studies import find


def in_short(evidence: Evidence, ledger: pd.DataFrame) -> str:
    """The chapter's findings in a few sentences of MyST, from its own numbers."""
    counts = ledger["verdict"].value_counts()
    verdicts = ", ".join(f"{counts[one]} {one}" for one in VERDICTS if one in counts)
    found = ledger.set_index("claim")["verdict"]
    lines = [
        *_short_constants(evidence),
        f"**The central theorems:** {_both(found, 'theorem-dp-upper-dependent', 'theorem-dp-upper-independent')}. "
        f"{_power_words(found)}The lower bound: {found['theorem-dp-lower']}.",
        _short_local(evidence, found),
        _short_open(evidence),
        f"**Of {len(ledger)} claims** {verdicts}. The ledger at the end says why.",
    ]
    return "\n".join(f"- {line}" for line in lines)


def _short_constants(evidence: Evidence) -> list[str]:
    setting = evidence.setting
    panel = next(iter(evidence.central.values()))
    number, first_v, epsilon = next(iter(evidence.central))
    mine, other = (last(panel, name, PRINTED) for name in ("DP Robust SE", "DP Robust UCB"))
    uniform = final_of(panel, "uniform")
    fluid = ", in the fluid approximation" if other.kind == FLUID else ""
    shares = [float(curve.final.mean()) / uniform for curve in (mine, other)]
    needs = tables.needs(setting, evidence.vs, tables.settled(evidence))
    printed = needs[needs["constant"] == 24.0].set_index(["policy", "v"])
    spent = []
    for v in evidence.vs:
        row = printed.loc[("LDP Robust SE", v)]
        ran = f", and in runs it takes {short(row['seen'])}" if row["seen"] > 0 else ""
        spent.append(f"at $v={v:g}$ its bound allows up to {short(row['allowed'])} rounds{ran}")
    first = [f"{short(printed.loc[('DP Robust SE', v), 'first_epoch'])} ($v={v:g}$)" for v in evidence.vs]
    return [
        f"**What the printed constants ask for.** The first epoch of DP Robust SE takes {' and '.join(first)} pulls of "
        f"every arm at $\\epsilon=1$. Until LDP Robust SE with $c=24$ has told the arms of setting {LOCAL_SETTING} "
        f"apart, {'; '.join(spent)}. Epochs are drawn as sums here, so runs reach $T=$ {power(setting.horizon)}.",
        f"**DP Robust SE against DP Robust UCB**, setting {number}, $v={first_v:g}$, $\\epsilon={epsilon:g}$: at the "
        f"horizon the first has lost {portion(shares[0])} of what uniform play loses, the second {portion(shares[1])}"
        f"{fluid}.",
    ]


def _power_words(found: pd.Series) -> str:
    parts = ("theorem-dp-upper-dependent", "theorem-dp-upper-independent")
    if not all(found[part] == AFTER_REPAIR for part in parts):
        return ""
    return (
        "The printed powers of $u$ are wrong when rewards are rescaled, and too small for large $u$; $u^{1/v}$ and "
        "$u^{1/(1+v)}$ are right. "
    )


def _short_local(evidence: Evidence, found: pd.Series) -> str:
    v = evidence.vs[0]
    slide, square = (evidence.scaling_exponents[v, variant].measured for variant in ("slide_rate", "repaired"))
    gap, grown = (evidence.exponent(rates.LDP, quantity, v) for quantity in (rates.GAP, rates.WORST))
    rate = "could not be measured at these parameters"
    if gap is not None and grown is not None:
        rate = (
            f"goes as $\\Delta^{{-{gap.measured:.2f}}}$ and, at the worst gap, as $T^{{{grown.measured:.2f}}}$ "
            f"at $v={v:g}$, where the slides have $\\Delta^{{-{1 / v:.3g}}}$ and $T^{{{1 / (1 + v):.2f}}}$"
        )
    return (
        f"**The local upper bounds:** {_both(found, 'theorem-ldp-upper-dependent', 'theorem-ldp-upper-independent')}. "
        "Zhou and Zhang (2024) were first to find the flaw and to correct the rates. What is ours: lower bounds with "
        "constants that decide it for every algorithm, and the measurement. Of a mean of $R$ local reports the error "
        f"over its bound moves as $R^{{{slide:.2f}}}$ at the scaling that the slides' bounds need, and as "
        f"$R^{{{abs(round(square, 2)):.2f}}}$ at the square root. The regret of our box at the square root {rate}."
    )


def _short_open(evidence: Evidence) -> str:
    v, costs = evidence.vs[0], tables.unknown(evidence.unknown).query("policy == 'Quantile SE'").set_index("v")
    episodes = evidence.episodes[v]
    ours = float(find(episodes, "DP Robust UCB, episodes", "ours").final.mean())
    theirs = float(find(episodes, "DP Robust SE", PRINTED).final.mean())
    return (
        f"**Open problems, explored by us.** Without $u$ and $v$, private quantiles lose {ratios(costs['over_small'])} "
        f"times what DP Robust SE loses with both and $c={evidence.setting.small_c:g}$; neither constant is proven, "
        "and the quantiles' rests on a Pareto tail. An index box with doubling episodes loses "
        f"{short(ours)} at $v={v:g}$, DP Robust SE {short(theirs)}."
    )


def _both(found: pd.Series, one: str, other: str) -> str:
    if found[one] == found[other]:
        return f"{found[one]}, both parts"
    return f"the instance-dependent one {found[one]}, the instance-independent one {found[other]}"
