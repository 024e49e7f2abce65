"""The chapter's findings in a few sentences."""

from __future__ import annotations

import math

import pandas as pd

from private_bandits.papers.definitions.replacements import central_lower, lai_robbins, local_lower
from private_bandits_book.definitions.claims import Evidence
from private_bandits_book.definitions.experiments import LONG_GAP, LONG_HORIZON, LONG_N_ARMS, instance
from private_bandits_book.definitions.pictures import impossible, nearest
from private_bandits_book.rules import VERDICTS


def in_short(evidence: Evidence, ledger: pd.DataFrame, disagreements: pd.DataFrame, on_long: pd.DataFrame) -> str:
    """Return the findings as MyST, from the chapter's own numbers."""
    guess = evidence.inference
    one = nearest(guess["epsilon"].unique(), 1.0)
    success = guess[guess["epsilon"] == one].groupby("guess")["success"].max()
    loss = evidence.losses.set_index("policy")
    epsilon, horizon = float(loss["epsilon"].iloc[0]), int(loss["horizon"].iloc[0])
    paid = float(loss.loc["randomised response on the best arm", "outcomes"])
    tight = evidence.tightness.groupby("claim")["ratio"].max()
    forward, backward = (tight[tight.index.str.contains(word)].max() for word in ("gives 2ε", "gives Tε"))
    low = nearest(on_long["epsilon"].unique(), 0.1)
    final = on_long[on_long["epsilon"] == low].set_index("policy")
    local, central = final.loc["LDP-UCB-B"], final.loc["AdaP-UCB"]
    plain = float(on_long.loc[on_long["policy"] == "UCB", "regret"].iloc[0])
    means = instance(LONG_N_ARMS, LONG_GAP).means
    plain_log, local_log, central_log = (
        bound / math.log(LONG_HORIZON)
        for bound in (
            lai_robbins(means, LONG_HORIZON),
            local_lower(means, LONG_HORIZON, low),
            central_lower(means, LONG_HORIZON, low),
        )
    )
    counts = ledger["verdict"].value_counts()
    verdicts = ", ".join(f"{counts[v]} {v}" for v in VERDICTS if v in counts)
    told = impossible(disagreements[disagreements["regret"] == "minimax"])
    return "\n".join(
        [
            "- **A definition is a secret and an observer.** At "
            f"$\\epsilon={one:g}$ the best guess of one private answer is right with probability "
            f"{success['one answer']:.2f}. All answers of a person who answers {horizon} times are guessed with "
            f"{success['all answers of one person']:.2f}. A learner that is private on rewards, but sees more than it "
            f"is paid, gives the rest away with {success['the answer to the ad not shown']:.0f}.",
            "- **An $\\epsilon$ a round is not an $\\epsilon$.** Randomised response on the best arm pays "
            f"{epsilon:g} a round and {paid:.3g} over {horizon} rounds, exactly. Both halves of Lemma 2 hold. The "
            f"first is reached to {forward:.4g} of what it allows; the second to {backward:.3g}, which $t-1$ in the "
            "place of $t$ makes 1.",
            "- **The local lower bounds hold; those for instantaneous and general DP do not, as printed.** "
            f"{told} The local ones are loose. Usable for DP are the bounds of {{cite:t}}`definitions-azize2022` and, "
            "on one instance, the sharper one of {cite:t}`definitions-azize2025`.",
            "- **In the worst case privacy multiplies regret where nobody is trusted, and adds a term where the "
            "learner is. On one instance both pay per** $\\ln T$**:** on the arms of the longer study at "
            f"$\\epsilon={low:g}$ at least {local_log:.3g} $\\ln T$ under local DP and {central_log:.3g} $\\ln T$ "
            f"under DP, against {plain_log:.3g} $\\ln T$ without privacy. Played there to $T=10^8$, the local "
            f"LDP-UCB-B loses {local['regret']:,.0f}, "
            f"{local['ratio']:.2g} times its lower bound; the central AdaP-UCB loses {central['regret']:,.0f}, "
            f"{central['ratio']:.2g} times its own; UCB without privacy loses {plain:,.0f}.",
            f"- **Of {len(ledger)} claims** {verdicts}. The ledger at the end says why.",
        ]
    )
