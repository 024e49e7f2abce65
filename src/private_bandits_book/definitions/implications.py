"""What implies what among the definitions of privacy: a picture, and the counterexamples that it needs.

Beside the paper's definitions stand (epsilon, delta)-DP, which a policy may have against tables of outcomes or against
lists of rewards that are fixed beforehand (views), and zero-concentrated DP: every Renyi divergence of neighbours, of
order alpha, is at most rho alpha (Bun and Steinke 2016).
"""

import math
from collections.abc import Callable
from itertools import product

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch
from scipy.special import ndtr

from private_bandits.mechanisms import gaussian_epsilon, response_probabilities
from private_bandits.privacy import FinitePolicy, History, exact_loss, table_laws
from private_bandits_book.definitions.lemmas import suite
from private_bandits_book.figures.drawing import blank
from private_bandits_book.figures.look import FAMILY_COLOURS, WIDTH, style
from private_bandits_book.ledger import claims_of
from private_bandits_book.package_data import tables
from private_bandits_book.policies import LocallyPrivate

ORDERS = (1.0 + 1e-6, 1.1, 1.5, 2.0, 4.0, 16.0, 64.0, 256.0)
"""Orders of Renyi divergences that are computed."""
_SHOWN = tables("definitions", "implications")


class Two(FinitePolicy):
    """Two arms; the second round's arm follows `law` of the first reward, the chance of arm 1; all others are fair."""

    n_arms = 2

    def __init__(self, law: Callable[[float], float]) -> None:
        self.law = law

    def probabilities(self, history: History) -> np.ndarray:
        """Return the chances of both arms."""
        one = self.law(float(history[0][1])) if len(history) == 1 else 0.5  # type: ignore[arg-type]
        return np.array([1.0 - one, one])


class Password(FinitePolicy):
    """Two arms: the last one is the first reward, if every reward between repeats the arm that was drawn for it."""

    n_arms = 2

    def __init__(self, horizon: int) -> None:
        self.horizon = horizon

    def probabilities(self, history: History) -> np.ndarray:
        """Return 1/2 each, but arm 0 at first, and at last what is told."""
        if 0 < len(history) < self.horizon - 1:
            return np.full(2, 0.5)
        told = len(history) > 0 and history[0][1] == 1 and all(arm == reward for arm, reward in history[1:])
        return np.array([0.0, 1.0] if told else [1.0, 0.0])


def behind_responses(epsilon: float, horizon: int) -> dict[str, float]:
    """Return the exact loss of learners behind epsilon-randomised responses, by the key of the learner."""
    learners = {key: each for key, each in suite(epsilon).items() if not isinstance(each, LocallyPrivate)}
    return {key: exact_loss(LocallyPrivate(each, epsilon), horizon) for key, each in learners.items()}  # type: ignore[arg-type]


def views(horizon: int) -> tuple[float, float]:
    """Return the delta of `Password` at epsilon = 0 against lists of rewards, and against tables."""
    laws = table_laws(Password(horizon), horizon)
    laws = laws.reshape(*laws.shape[: horizon - 1], -1)
    return delta(laws[np.ix_(*[(0, 3)] * (horizon - 1))]), delta(laws)


def delta(laws: np.ndarray) -> float:
    """Return the largest total variation of laws, along the last axis, whose place differs along one other axis."""
    turned = (np.moveaxis(laws, t, 0) for t in range(laws.ndim - 1))
    return max(float(np.abs(one[:, None] - one[None]).sum(axis=-1).max()) / 2 for one in turned)


def concentration(policy: FinitePolicy, horizon: int = 2) -> float:
    """Return the least rho that the Renyi divergences of `ORDERS` allow, over neighbouring tables."""
    laws = table_laws(policy, horizon).reshape(4, -1)
    return max(renyi(p, q, order) / order for p, q in product(laws, laws) for order in ORDERS)


def renyi(p: np.ndarray, q: np.ndarray, order: float) -> float:
    """Return the Renyi divergence of two finite distributions, of an order above 1."""
    seen = p > 0
    if np.any(q[seen] == 0):
        return math.inf
    powers = order * np.log(p[seen]) + (1.0 - order) * np.log(q[seen])
    return float(np.logaddexp.reduce(powers) / (order - 1.0))


def responding(epsilon: float) -> Two:
    """Return the policy that answers by epsilon-randomised response."""
    keep, flip = response_probabilities(epsilon, 2)
    return Two(lambda reward: keep if reward == 1 else flip)


def threshold(rho: float, level: float) -> Two:
    """Return the policy that pulls arm 1 if the first reward with Gaussian noise is above the level; it is rho-zCDP."""
    return Two(lambda reward: float(ndtr((reward - level) * math.sqrt(2.0 * rho))))


def rarely(chance: float) -> Two:
    """Return the policy that pulls arm 1 with this chance, after a reward of 1 only; it is (0, chance)-DP."""
    return Two(lambda reward: chance * reward)


def converted(rho: float, at: float) -> tuple[float, float]:
    """Return the exact epsilon at delta = `at` of Gaussian noise of this rho, and rho + 2 sqrt(rho ln(1/delta))."""
    return gaussian_epsilon(1 / math.sqrt(2 * rho), at, 1.0), rho + 2 * math.sqrt(rho * math.log(1 / at))


def table() -> pd.DataFrame:
    """Return the arrows of the picture, a row each."""
    nodes, loci = _SHOWN["nodes"], {claim.claim: claim.locus for claim in claims_of("definitions")}
    rows = []
    for place, arrow in enumerate(_SHOWN["arrow"], start=1):
        one, other = (" ".join(nodes[end]["label"]) for end in arrow["ends"])
        says = f"{one} {'does not give' if arrow.get('broken') else 'gives'} {other}"
        rows.append((place, says, arrow["cost"], arrow["why"], loci[arrow["row"]], arrow["row"]))
    return pd.DataFrame(rows, columns=["arrow", "says", "cost", "why", "where", "row"])


def draw() -> Figure:
    """Draw the definitions and the arrows between them, numbered as in the table."""
    with style():
        figure = blank()
        figure.set_size_inches(WIDTH, 0.72 * WIDTH)
        axes = figure.add_axes((0, 0, 1, 1), xlim=(-0.45, 2.45), ylim=(-0.35, 2.35))
        axes.set_axis_off()
        nodes = _SHOWN["nodes"]
        box = {"boxstyle": "round,pad=0.5", "facecolor": "white", "edgecolor": "#1a1a1a"}
        for node in nodes.values():
            x, y = node["place"]
            axes.text(x, y, "\n".join(node["label"]), ha="center", va="center", fontsize=10.5, bbox=box, zorder=4)
        for number, arrow in enumerate(_SHOWN["arrow"], start=1):
            ends = [np.array(nodes[end]["place"]) for end in arrow["ends"]]
            along = (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
            aside = np.array([-along[1], along[0]])  # an arrow keeps to its left, so that two ways stand apart
            flat = abs(along[0]) > 0.5
            ways = zip(ends, (along, -along), strict=True)
            start, stop = (end + 0.075 * aside + (0.34 if flat else 0.17) * way for end, way in ways)
            broken = arrow.get("broken", False)
            patch = FancyArrowPatch(tuple(start), tuple(stop), arrowstyle="-|>", mutation_scale=12, lw=1.4)
            patch.set(color=FAMILY_COLOURS["laplace" if broken else "none"], linestyle=(0, (4, 3)) if broken else "-")
            axes.add_patch(patch)
            x, y = (start + stop) / 2 + (0.07 if flat else 0.03) * aside
            side, said = "center" if flat else "right" if aside[0] < 0 else "left", f"{number}: {arrow['cost']}"
            axes.text(x, y, said, ha=side, va="center", fontsize=9.5, color=patch.get_edgecolor())
        legend = "solid: gives, at this cost\nbroken: does not, by a counterexample"
        axes.text(-0.38, 0.0, legend, ha="left", va="center", fontsize=9.5)
    return figure
