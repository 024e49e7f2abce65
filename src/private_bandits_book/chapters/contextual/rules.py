"""The rules that judge what Zheng et al. (2020) claim of contexts, a function for each claim.

Theorems 8 and 10 are proved here for the printed algorithms, so the rows of Table 1 are not fitted. What other
algorithms do on the same problems is decided by runs, in the notebook's cells: exponents by equivalence, 1/2 against
2/3, the nearest wrong one, and differences of exponents at worst gaps.
"""

import math

import numpy as np
import pandas as pd

from private_bandits.privacy import channel_loss
from private_bandits_book.chapters.contextual import joint_privacy, lemmas
from private_bandits_book.judging import Holds, Privacy, Ruling, after_repair, all_of
from private_bandits_book.judging.verdicts import DERIVED, EXACT

_PROVED, _EXACT = Holds(DERIVED), Holds(EXACT)
_NEAR_T, _NEAR = 1 / 48, 0.25  # a quarter of the distance to the next power, of T and of 1/epsilon


# --- privacy


def theorem_7(loss: float, epsilon: float, delta: float) -> Ruling:
    """The exact loss of both messages, at the largest epsilon for which the formula of their noise is proved."""
    return Privacy(epsilon, delta)(loss)


def theorem_9(printed: float, repaired: float, epsilon: float, delta: float) -> Ruling:
    """The losses for a link of small values: of the gradient alone, from below, and of all repaired messages."""
    stated = Privacy(epsilon, delta)
    return after_repair(stated(printed, at_least=True), stated(repaired))


# --- orders that are proved


def theorem_8() -> Ruling:
    """The bound by the public constants, whose ellipsoids hold at epsilon <= 1."""
    least, found = lemmas.printed_over_needed(), lemmas.algorithm_5()
    said = f"the public radius is at least {least:.2f} times the one that is proved; so the bound has the exponents "
    holds = least >= 1.0 and found.horizon < 0.75 + _NEAR_T and found.noise < 1 + _NEAR
    return _PROVED(
        holds, f"{said}{found.horizon:.3f} of T, claimed 0.75, and {found.noise:.2f} of 1/epsilon, claimed 1"
    )


def theorem_10() -> Ruling:
    """The bound with the printed step and the radius that is proved for it."""
    return _order(lemmas.algorithm_3(), "with the printed step")


def laplace_linear() -> Ruling:
    """Algorithm 5 with Laplace noise and the radius that is proved for it."""
    return _order(lemmas.algorithm_5("derived", "laplace"), "with Laplace noise and our radius")


def _order(found: lemmas.Exponents, how: str) -> Ruling:
    said = (
        f"{how} the bound has the exponents {found.horizon:.3f} of T, claimed 0.75, and {found.noise:.2f} of 1/epsilon"
    )
    return _PROVED(found.horizon < 0.75 + _NEAR_T and found.noise < 1 + _NEAR, f"{said}, claimed 1")


def table_1_linear_non_private() -> Ruling:
    """LinUCB's bound."""
    return _free("linear", "the theorem of Abbasi-Yadkori et al. (2011)")


def table_1_generalised_linear_non_private() -> Ruling:
    """The bound of GLOC with Newton steps."""
    return _free("logistic", "Theorem 1 of Jun et al. (2017), for GLOC")


def _free(link: str, by: str) -> Ruling:
    found = lemmas.free(link)
    return _PROVED(found < 0.5 + _NEAR_T, f"by {by}, the exponent of T is {found:.3f}, claimed 0.5")


# --- privacy of actions, and of messages


def dp_lower_bound() -> Ruling:
    """A linear programme over all policies with histories, against the formula."""
    pairs = [(joint_privacy.least_regret(e, 2, 1.0), joint_privacy.dp_regret(e, 2, 1.0)) for e in (1.0, 8.0)]
    holds = all(math.isclose(*pair, rel_tol=1e-5, abs_tol=1e-7) for pair in pairs)
    said = ", ".join(
        f"{found / 2:.3g} per round at epsilon = {e:g}" for (found, _), e in zip(pairs, (1, 8), strict=True)
    )
    return _EXACT(holds, f"a linear programme over all policies with histories gives {said}, as the formula does")


def actions_not_private(both: pd.DataFrame) -> Ruling:
    """What is sent, and an action next to the reports before it."""
    late = both[both["t"] == both["t"].max()]
    kept = bool((late["message_loss"] <= late["epsilon"] * (1 + 1e-6)).all())
    leaks = bool(np.isinf(late["joint_loss"]).all())
    said = "the reports have the loss epsilon, and an action, seen with the reports before it, has an infinite one"
    return _EXACT(kept and leaks if late["t"].min() > 1 else None, said)


def not_comparable() -> Ruling:
    """A policy whose actions are private and which sees the true context; the other way round is another row."""
    policy = joint_privacy.answers(joint_privacy.dp_regret(1.0, 1, 1.0))
    acts, sees = float(channel_loss(policy)), float(channel_loss(np.eye(len(policy))))
    said = f"a policy that sees the context and answers it at random has the loss {acts:.3g} for its actions and "
    return _EXACT(acts <= 1 + 1e-9 and math.isinf(sees), f"{said}{sees:.3g} for what it sees")


def ldp_escapes(both: pd.DataFrame) -> Ruling:
    """Exact regret with private messages, falling per round, against the least with private actions."""
    rulings = []
    for epsilon, part in both.groupby("epsilon"):
        late = part.iloc[-1]
        falls = bool((part["ldp_regret"] / part["t"]).diff().dropna().lt(0).all())
        crossed = len(part) > 1 and bool(late["ldp_regret"] < late["dp_regret"])
        said = (
            f"at epsilon = {epsilon:g}, T = {late['t']:,.0f} regret is {late['ldp_regret']:.3g} with private messages, "
        )
        said += f"at least {late['dp_regret']:.3g} with private actions"
        rulings.append(_EXACT((crossed or None) if falls else False, said))
    return all_of(*rulings)
