"""The tables of the chapter, and its key findings."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from private_bandits.papers.definitions.replacements import central_lower, lai_robbins, local_lower
from private_bandits_book.definitions import discussion, entries
from private_bandits_book.definitions.lemmas import RESPONSE
from private_bandits_book.definitions.panels import impossible, nearest
from private_bandits_book.definitions.study import LONG, Study
from private_bandits_book.exhibits import Exhibits, Table
from private_bandits_book.ledger import verdicts_in_words

tables = Exhibits()


@tables("findings")
def findings(study: Study) -> str:
    """The chapter's findings in a few sentences."""
    one = nearest(study.inference["epsilon"].unique(), 1.0)
    success = study.inference[study.inference["epsilon"] == one].groupby("guess")["success"].max()
    paid = float(study.losses.set_index("policy").loc[RESPONSE, "outcomes"])
    tight = study.tightness.groupby("claim")["ratio"].max()
    forward, backward = (tight[tight.index.str.contains(word)].max() for word in ("gives 2ε", "gives Tε"))
    low = nearest(study.on_long["epsilon"].unique(), 0.1)
    final = study.on_long[study.on_long["epsilon"] == low].set_index("policy")
    local, central = final.loc["LDP-UCB-B"], final.loc["AdaP-UCB"]
    plain = float(study.on_long.set_index("policy").loc["UCB", "regret"])
    game = LONG.means, LONG.horizon
    found = lai_robbins(*game), local_lower(*game, low), central_lower(*game, low)
    plain_log, local_log, central_log = (bound / math.log(LONG.horizon) for bound in found)
    told = impossible(study.readings[study.readings["regret"] == "minimax"])
    return "\n".join(
        [
            f"- **A definition is a secret and an observer.** At $\\epsilon={one:g}$ the best guess of one private "
            f"answer is right with probability {success['one answer']:.2f}. All answers of a person who answers "
            f"{study.exact_horizon} times are guessed with {success['all answers of one person']:.2f}. A learner that "
            "is private on rewards, but sees more than it is paid, gives the rest away with "
            f"{success['the answer to the ad not shown']:.0f}.",
            "- **An $\\epsilon$ a round is not an $\\epsilon$.** Randomised response on the best arm pays "
            f"{study.exact_epsilon:g} a round and {paid:.3g} over {study.exact_horizon} rounds, exactly. Both halves "
            f"of Lemma 2 hold. The first is reached to {forward:.4g} of what it allows; the second to {backward:.3g}, "
            "which $t-1$ in the place of $t$ makes 1.",
            "- **The local lower bounds hold; those for instantaneous and general DP do not, as printed.** "
            f"{told} The local ones are loose. Usable for DP are the bounds of {{cite:t}}`definitions-azize2022` and, "
            "on one instance, the sharper one of {cite:t}`definitions-azize2025`.",
            "- **In the worst case privacy multiplies regret where nobody is trusted, and adds a term where the "
            "learner is. On one instance both pay per** $\\ln T$**:** on the arms of the longer study at "
            f"$\\epsilon={low:g}$ at least {local_log:.3g} $\\ln T$ under local DP and {central_log:.3g} $\\ln T$ "
            f"under DP, against {plain_log:.3g} $\\ln T$ without privacy. Played there to $T=10^8$, the local "
            f"LDP-UCB-B loses {local['regret']:,.0f}, {local['ratio']:.2g} times its lower bound; the central AdaP-UCB "
            f"loses {central['regret']:,.0f}, {central['ratio']:.2g} times its own; UCB without privacy loses "
            f"{plain:,.0f}.",
            f"- **Of {len(study.ledger)} claims** {verdicts_in_words(study.ledger)}. The ledger at the end says why.",
        ]
    )


@tables("table-mechanisms")
def mechanisms(study: Study) -> Table:
    """Definition 1."""
    caption = f"Exact loss of single draws built for $\\epsilon={study.exact_epsilon:g}$ (Definition 1)."
    return Table(study.mechanisms, caption, {"mechanism": "Mechanism", "loss": "Loss"}, {"loss": ".10g"})


@tables("table-losses")
def losses(study: Study) -> Table:
    """What small policies pay under every definition."""
    caption = (
        f"Exact privacy loss over {study.exact_horizon} rounds, each policy built with "
        f"$\\epsilon={study.exact_epsilon:g}$ a round or a message."
    )
    columns = {"policy": "Policy", "feedback": "Sees", "outcomes": "DP on outcomes", "rewards": "DP on rewards"}
    columns |= {"instantaneous": "Instantaneous", "local": "Local", "environment": "Environment"}
    return Table(study.losses, caption, columns)


@tables("table-lemma-2")
def lemma_2(study: Study) -> Table:
    """How nearly Lemma 2 is reached."""
    caption = (
        "How nearly policies reach Lemma 2: exact loss over what the lemma allows, at "
        f"$\\epsilon={study.exact_epsilon:g}$."
    )
    columns = {"claim": "Half of the lemma", "policy": "Policy", "horizon": "$T$", "dp": "DP"}
    columns |= {"instantaneous": "Instantaneous", "ratio": "Reached"}
    return Table(study.tightness, caption, columns)


@tables("table-divergences")
def divergences(study: Study) -> Table:
    """Lemmas 3 to 7."""
    horizon = study.exact_horizon
    caption = f"Lemmas 3 to 7 on every history of {horizon} rounds, means (0.4, 0.6) and (0.6, 0.4)."
    columns = {"policy": "Policy", "divergence": "$D$", "reward_term": "Lemma 3"}
    columns |= {"lemma_4_divergence": "$D$ of responses", "lemma_4_printed": "Lemma 4"}
    columns |= {"lemma_5_extra": "Lemma 5 adds", "lemma_6_text": "Lemma 6", "lemma_7_ratio": "Largest ratio"}
    columns |= {"lemma_7_bound": "Lemma 7", "actions": "$D$ of actions", "actions_bound": "Its bound"}
    return Table(study.divergences, caption, columns)


@tables("table-1")
def table_1(study: Study) -> Table:
    """Table 1 in numbers."""
    caption = (
        f"Table 1: the lower bounds on regret, constants dropped, at $K={study.n_arms}$, $T={study.horizon}$; the "
        f"problem-dependent one on arms of means {study.means[0]:g} and {study.means[-1]:g}. Empty: an open problem."
    )
    columns = {"definition": "Definition", "epsilon": "$\\epsilon$", "minimax": "Minimax"}
    columns |= {"bayesian_minimax": "Bayesian minimax", "problem_dependent": "Problem-dependent"}
    frame = entries.table_1(study.means, study.horizon, study.epsilons)
    return Table(frame, caption, columns, {"epsilon": "g"})


@tables("table-2")
def table_2(study: Study) -> Table:
    """Table 2, and whether its results prove Table 1."""
    caption = (
        "Table 2: the result behind each entry of Table 1, and the smallest and largest ratio of the two over "
        "$\\epsilon$."
    )
    columns = {"definition": "Definition", "regret": "Regret", "result": "Result", "low": "Smallest ratio"}
    columns |= {"high": "Largest ratio", "agrees": "Agrees"}
    return Table(entries.table_2(study.means, study.horizon, study.epsilons), caption, columns)


@tables("table-disagreements")
def disagreements(study: Study) -> Table:
    """Every entry of Table 1 in every reading, a column an epsilon."""
    caption = (
        f"Every entry of Table 1 in every reading, and what replaces it, at $K={study.n_arms}$, $T={study.horizon}$. "
        "Empty: the reading says nothing there. Problem-dependent bounds are asymptotic constants times $\\ln T$."
    )
    keys = {"definition": "Definition", "regret": "Regret", "reading": "", "locus": "Where"}
    return _by_epsilon(study, study.readings, "value", keys, caption, ".4g")


@tables("disagreements")
def all_disagreements(study: Study) -> pd.DataFrame:
    """The same, tidy."""
    return study.readings


@tables("table-upper-lower")
def upper_lower(study: Study) -> Table:
    """Upper over lower, a row per question and policy, a column an epsilon."""
    asked = {"instance": study.on_instance, "hardest": study.on_hardest, "longer study": study.on_long}
    frame = pd.concat([part.assign(question=question) for question, part in asked.items()])
    caption = (
        "Upper over lower: mean regret over the best usable bound, on the instance and on the hardest one at "
        f"$T={study.horizon}$, and on the instance of the longer study at $T=10^8$."
    )
    keys = {"question": "Question", "policy": "Policy", "trust": ""}
    return _by_epsilon(study, frame[np.isfinite(frame["epsilon"])], "ratio", keys, caption, ".3g")


@tables("table-additive")
def additive(study: Study) -> Table:
    """What privacy adds under DP."""
    frame = discussion.additive(study.means, study.epsilons, sorted({study.horizon, 10**16}))
    caption = (
        "What privacy adds under DP: the non-private bound plus $1/\\epsilon$, the bound with $d_\\epsilon$, and the "
        "guarantee of DP-SE with the part that $\\epsilon$ adds to it."
    )
    columns = {"epsilon": "$\\epsilon$", "horizon": "$T$", "conjecture": "Plain $+1/\\epsilon$"}
    columns |= {"lower": "Bound with $d_\\epsilon$", "guarantee": "DP-SE", "extra": "Added by $\\epsilon$"}
    return Table(frame, caption, columns, {"epsilon": "g", "horizon": ".0e"})


def _by_epsilon(
    study: Study, frame: pd.DataFrame, value: str, keys: dict[str, str], caption: str, number: str
) -> Table:
    """A row for every combination of the keys, shown where they have a heading, and a column for every epsilon."""
    epsilons = frame["epsilon"].unique()
    wide = frame.pivot(index=[*keys], columns="epsilon", values=value)[epsilons]
    wide = wide.set_axis([f"at_{e:g}" for e in epsilons], axis=1).reset_index()
    made = frame[[*keys]].drop_duplicates().merge(wide, on=[*keys], how="left", sort=False)
    at = {f"at_{e:g}": f"$\\epsilon={e:g}$" for e in epsilons if e in study.epsilons}
    headings = {name: heading for name, heading in keys.items() if heading}
    return Table(made, caption, headings | at, dict.fromkeys(at, number))
