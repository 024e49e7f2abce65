"""The chapter's key findings in a few sentences, from its own numbers and verdicts."""

from __future__ import annotations

import pandas as pd

from private_bandits_book.exhibits import Exhibits
from private_bandits_book.figures import power
from private_bandits_book.heavy_tailed import rates, tables
from private_bandits_book.heavy_tailed.coverage import LOCAL_SETTING
from private_bandits_book.heavy_tailed.study import FLUID, PRINTED, Study, last
from private_bandits_book.heavy_tailed.words import portion, ratios, short
from private_bandits_book.ledger import verdicts_in_words
from private_bandits_book.rules import AFTER_REPAIR
from private_bandits_book.sweep import GAP

findings = Exhibits()


@findings("findings")
def key_findings(study: Study) -> str:
    """The chapter's findings in a few sentences of MyST."""
    found = study.ledger.set_index("claim")["verdict"]
    lines = [
        _printed_constants(study),
        _side_by_side(study),
        f"**The central theorems:** {_both(found, 'theorem-dp-upper')}. {_powers(found)}The lower bound: "
        f"{found['theorem-dp-lower']}.",
        _local(study, found),
        _open_problems(study),
        f"**Of {len(found)} claims** {verdicts_in_words(study.ledger)}. The ledger at the end says why.",
    ]
    return "\n".join(f"- {line}" for line in lines)


def _printed_constants(study: Study) -> str:
    needs = tables.needs(study)
    printed = needs[needs["constant"] == 24.0].set_index(["policy", "v"])
    spent = []
    for v in study.vs:
        row = printed.loc[("LDP Robust SE", v)]
        ran = f", and in runs it takes {short(row['seen'])}" if row["seen"] > 0 else ""
        spent.append(f"at $v={v:g}$ its bound allows up to {short(row['allowed'])} rounds{ran}")
    first = [f"{short(printed.loc[('DP Robust SE', v), 'first_epoch'])} ($v={v:g}$)" for v in study.vs]
    return (
        f"**What the printed constants ask for.** The first epoch of DP Robust SE takes {' and '.join(first)} pulls of "
        f"every arm at $\\epsilon=1$. Until LDP Robust SE with $c=24$ has told the arms of setting {LOCAL_SETTING} "
        f"apart, {'; '.join(spent)}. Epochs are drawn as sums here, so runs reach $T=$ {power(study.horizon)}."
    )


def _side_by_side(study: Study) -> str:
    (number, v, epsilon), panel = next(iter(study.central.items()))
    mine, other = (last(panel, name, PRINTED) for name in ("DP Robust SE", "DP Robust UCB"))
    shares = [portion(float(run.final.mean()) / panel.final("uniform")) for run in (mine, other)]
    fluid = ", in the fluid approximation" if other.swept["kind"] == FLUID else ""
    return (
        f"**DP Robust SE against DP Robust UCB**, setting {number}, $v={v:g}$, $\\epsilon={epsilon:g}$: at the "
        f"horizon the first has lost {shares[0]} of what uniform play loses, the second {shares[1]}{fluid}."
    )


def _powers(found: pd.Series) -> str:
    if any(found[f"theorem-dp-upper-{part}"] != AFTER_REPAIR for part in ("dependent", "independent")):
        return ""
    return (
        "The printed powers of $u$ are wrong when rewards are rescaled, and too small for large $u$; $u^{1/v}$ and "
        "$u^{1/(1+v)}$ are right. "
    )


def _local(study: Study, found: pd.Series) -> str:
    v = study.vs[0]
    slide, square = (study.scaling_exponents[v, variant].measured for variant in ("slide_rate", "repaired"))
    gap, grown = (study.rate(rates.LDP, quantity, v).fit for quantity in (GAP, rates.WORST))
    rate = "could not be measured at these parameters"
    if gap is not None and grown is not None:
        rate = (
            f"goes as $\\Delta^{{-{gap.measured:.2f}}}$ and, at the worst gap, as $T^{{{grown.measured:.2f}}}$ "
            f"at $v={v:g}$, where the slides have $\\Delta^{{-{1 / v:.3g}}}$ and $T^{{{1 / (1 + v):.2f}}}$"
        )
    return (
        f"**The local upper bounds:** {_both(found, 'theorem-ldp-upper')}. "
        "Zhou and Zhang (2024) were first to find the flaw and to correct the rates. What is ours: lower bounds with "
        "constants that decide it for every algorithm, and the measurement. Of a mean of $R$ local reports the error "
        f"over its bound moves as $R^{{{slide:.2f}}}$ at the scaling that the slides' bounds need, and as "
        f"$R^{{{abs(round(square, 2)):.2f}}}$ at the square root. The regret of our box at the square root {rate}."
    )


def _open_problems(study: Study) -> str:
    v, costs = study.vs[0], tables.costs(study).query("policy == 'Quantile SE'").set_index("v")
    ours = short(study.episodes[v].final("DP Robust UCB, episodes", "ours"))
    theirs = short(study.episodes[v].final("DP Robust SE", PRINTED))
    return (
        f"**Open problems, explored by us.** Without $u$ and $v$, private quantiles lose {ratios(costs['over_small'])} "
        f"times what DP Robust SE loses with both and $c={study.small_c:g}$; neither constant is proven, and the "
        f"quantiles' rests on a Pareto tail. An index box with doubling episodes loses {ours} at $v={v:g}$, DP Robust "
        f"SE {theirs}."
    )


def _both(found: pd.Series, theorem: str) -> str:
    one, other = (found[f"{theorem}-{part}"] for part in ("dependent", "independent"))
    if one == other:
        return f"{one}, both parts"
    return f"the instance-dependent one {one}, the instance-independent one {other}"
