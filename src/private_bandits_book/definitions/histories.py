"""Lemmas 3 to 7 of Basu et al. (2019), and what replaces Lemma 6, on every history of a small bandit.

Environments are means of Bernoulli arms, each in (0, 1). A policy has `probabilities(history)` as in `privacy`, history
being the pairs (arm, reward) so far. Nothing is sampled: each function adds up all (2 K)^T histories.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from private_bandits import checks
from private_bandits.privacy import FinitePolicy, exact_loss
from private_bandits.privacy.divergences import bernoulli_kl, local_factor, private_kl, response_kl, response_mean

_HISTORIES = 100_000
Means = Sequence[float] | np.ndarray


class Decomposition(NamedTuple):
    """Both sides of Lemma 3: divergence = policy_term + reward_term."""

    divergence: float  # of the histories, from their probabilities
    policy_term: float  # expected divergence of the next arm, 0 for a policy that does not know the environment
    reward_term: float  # sum over arms of E_1[N_a] D(f_a || f'_a)
    actions: float  # divergence of the actions alone, which is what an observer of Definition 2 sees
    pulls: tuple[float, ...]  # E_1[N_a]


class LocalBound(NamedTuple):
    """Lemma 4 for whole histories of private reports."""

    divergence: float  # of the histories, exact
    best: float  # sum over arms of E_1[N_a] `response_kl`, equal to it
    printed: float  # 2 min(4, e^2eps) (e^eps - 1)^2 times the divergence of the rewards
    looseness: float  # printed / divergence


class InstantaneousBound(NamedTuple):
    """Lemma 5: what it adds to the divergence, and the two sides of the proof's last step."""

    epsilon: float  # exact instantaneous loss of the policy
    divergence: float
    reward_term: float  # equal to the divergence: the true extra term is 0
    extra: float  # the term that Lemma 5 adds
    likeliest: float  # sum over rounds of the largest probability of an arm
    claimed: float  # what the proof says this sum is at most; below 1


class CentralBound(NamedTuple):
    """Lemma 6 and its proof."""

    epsilon: float  # exact loss of the policy, Definition 2
    c: float  # L times the difference of two rewards: the largest log-odds of a mean
    divergence: float
    neighbour: float  # divergence of the neighbouring histories, one reward turned; the same number
    text: float  # right side in the text, 2 (eps + c) + e^(2 (eps + c)) neighbour
    appendix: float  # right side in the appendix, e^(eps + c) (2 (eps + c) + neighbour)
    integral: float  # of ln P_1(H')/P_2(H') over P_1(H)
    claimed: float  # what the proof says this integral is at most, e^(2 (eps + c)) neighbour


class NeighbourRatio(NamedTuple):
    """Lemma 7: largest ln P(H)/P(H') over neighbouring histories, beside epsilon + c."""

    log_ratio: float
    bound: float
    epsilon: float
    c: float


class ActionBound(NamedTuple):
    """Divergence of the actions of an epsilon-DP policy, and what bounds it."""

    epsilon: float  # exact loss of the policy, Definition 2
    actions: float
    private: float  # sum over arms of E_1[N_a] d_epsilon
    plain: float  # sum over arms of E_1[N_a] d
    azize_basu: float  # 6 epsilon sum over arms of E_1[N_a] |p_a - q_a|


@dataclass(frozen=True)
class Histories:
    """Every history that a policy allows over T rounds.

    Attributes
    ----------
    arms, rewards : numpy.ndarray of int, shape (histories, T)
    policy : numpy.ndarray, shape (histories,)
        Probability of the arms given the rewards.
    """

    arms: np.ndarray
    rewards: np.ndarray
    policy: np.ndarray

    def law(self, means: np.ndarray) -> np.ndarray:
        """Probability of each history in an environment."""
        chance = means[self.arms]
        return np.asarray(self.policy * np.prod(np.where(self.rewards == 1, chance, 1.0 - chance), axis=1))

    def pulls(self, means: np.ndarray) -> np.ndarray:
        """Expected pulls of each arm."""
        law = self.law(means)
        return np.array([law @ (self.arms == arm).sum(axis=1) for arm in range(len(means))])


def enumerate_histories(policy: FinitePolicy, n_arms: int, horizon: int) -> Histories:
    """List every history of positive probability, (2 K)^T at most; refused above 100,000."""
    arms, rounds = checks.integer("n_arms", n_arms, at_least=1), checks.integer("horizon", horizon, at_least=1)
    if (2 * arms) ** rounds > _HISTORIES:
        raise ValueError(f"horizon must leave at most {_HISTORIES} histories, got {(2 * arms) ** rounds}")
    paths: list[tuple[tuple[tuple[int, int], ...], float]] = [((), 1.0)]
    for _ in range(rounds):
        grown = []
        for path, weight in paths:
            law = np.asarray(policy.probabilities(path), dtype=float)
            grown += [((*path, (a, x)), weight * law[a]) for a in range(arms) if law[a] > 0 for x in (0, 1)]
        paths = grown
    table = np.array([path for path, _ in paths])
    return Histories(table[:, :, 0], table[:, :, 1], np.array([weight for _, weight in paths]))


def lemma_3(
    policy: FinitePolicy, first: Means, second: Means, horizon: int, other: FinitePolicy | None = None
) -> Decomposition:
    """Lemma 3, the decomposition of the divergence of two histories.

    Parameters
    ----------
    policy : FinitePolicy
        The policy in the first environment.
    first, second : sequence of float, shape (K,)
        Means in both environments.
    horizon : int
        T >= 1.
    other : FinitePolicy, optional
        A policy that plays in the second environment, as one that knows it would; default `policy`. It must allow every
        arm that `policy` allows.

    Notes
    -----
    The text of Lemma 3 lacks the expectation around the first term, which the appendix has.
    """
    p, q = _environments(first, second)
    paths, laws = enumerate_histories(policy, len(p), horizon), [policy, other or policy]
    ours = paths.law(p)
    weights, policy_term = np.ones(len(ours)), 0.0
    cache: dict[tuple[tuple[int, int], ...], tuple[np.ndarray, float]] = {}
    for i, (arms, rewards) in enumerate(zip(paths.arms.tolist(), paths.rewards.tolist(), strict=True)):
        for t in range(horizon):
            seen = tuple(zip(arms[:t], rewards[:t], strict=True))
            if seen not in cache:
                here, there = (np.asarray(law.probabilities(seen), dtype=float) for law in laws)
                cache[seen] = there, _divergence(here, there)
            weights[i] *= cache[seen][0][arms[t]]
            policy_term += ours[i] * cache[seen][1]
    theirs = Histories(paths.arms, paths.rewards, weights).law(q)
    pulls = paths.pulls(p)
    return Decomposition(
        divergence=_divergence(ours, theirs),
        policy_term=float(policy_term),
        reward_term=_weighted(pulls, p, q),
        actions=_divergence(_by_actions(paths, ours), _by_actions(paths, theirs)),
        pulls=tuple(pulls.tolist()),
    )


def lemma_4(learner: FinitePolicy, first: Means, second: Means, horizon: int, epsilon: float) -> LocalBound:
    """Lemma 4 for histories: a learner that sees the answers of randomised response to 0/1 rewards.

    Parameters
    ----------
    learner : FinitePolicy
        Takes the answers as rewards.
    first, second, horizon
        As for `lemma_3`; means of the rewards before the response.
    epsilon : float
        > 0 and finite.
    """
    p, q = _environments(first, second)
    budget = checks.real("epsilon", epsilon, above=0)
    reports, others = ([response_mean(x, budget) for x in means.tolist()] for means in (p, q))
    paths = enumerate_histories(learner, len(p), horizon)
    ours, theirs = paths.law(np.array(reports)), paths.law(np.array(others))
    pulls = paths.pulls(np.array(reports))
    exact, printed = _divergence(ours, theirs), 2.0 * local_factor(budget) * _weighted(pulls, p, q)
    best = sum(n * response_kl(x, y, budget) for n, x, y in zip(pulls.tolist(), p.tolist(), q.tolist(), strict=True))
    return LocalBound(exact, float(best), printed, printed / exact if exact > 0 else math.nan)


def lemma_5(policy: FinitePolicy, first: Means, second: Means, horizon: int) -> InstantaneousBound:
    """Lemma 5 at the exact instantaneous loss of the policy; arguments as for `lemma_3`.

    Notes
    -----
    The proof bounds ln pi(a | H, nu_1)/pi(a | H, nu_2) by privacy, but a policy sees no environment: the ratio is 1 and
    the term 0. Its last step bounds T probabilities, each at least 1/K, by a number below 1, which is false for T > K.
    The statement holds all the same, because the term that it adds is positive.
    """
    p, q = _environments(first, second)
    paths = enumerate_histories(policy, len(p), horizon)
    ours, theirs = paths.law(p), paths.law(q)
    least = float(min(paths.pulls(p).min(), paths.pulls(q).min()))
    loss = exact_loss(policy, horizon, definition="instantaneous", n_arms=len(p))
    rate = math.exp(-horizon / least) if least > 0 else 0.0
    claimed = (1.0 - 2.0 * rate) / (1.0 - rate)
    extra = 2.0 * loss * math.expm1(2.0 * loss) * claimed if loss < 350.0 else math.inf
    likeliest = sum(
        max(float(np.max(policy.probabilities(seen))) for seen in _prefixes(paths, t)) for t in range(horizon)
    )
    reward_term = _weighted(paths.pulls(p), p, q)
    return InstantaneousBound(loss, _divergence(ours, theirs), reward_term, extra, likeliest, claimed)


def lemma_6(policy: FinitePolicy, first: Means, second: Means, horizon: int, step: int = 1) -> CentralBound:
    """Lemma 6 at the exact loss of the policy, the neighbour of a history having the reward of one round turned.

    Parameters
    ----------
    policy, first, second, horizon
        As for `lemma_3`; the policy must allow every history, so that neighbours are histories.
    step : int
        The round whose reward is turned, from 1 to T.

    Notes
    -----
    Turning a reward is one-to-one on histories, so that both divergences are the same number and both statements hold
    for a trivial reason, as 2 (eps + c) >= 0 and e^(2 (eps + c)) >= 1. The step of the proof that moves the factor
    e^(2 (eps + c)) out of an integral would need an integrand that is never negative; `integral` > `claimed` shows that
    it is false. What DP does to the divergence is in `action_bound`.
    """
    p, q = _environments(first, second)
    paths = enumerate_histories(policy, len(p), horizon)
    turned = checks.integer("step", step, at_least=1, at_most=horizon) - 1
    place = _turn(paths, turned)
    ours, theirs = paths.law(p), paths.law(q)
    loss = exact_loss(policy, horizon, n_arms=len(p))
    c = _log_odds(np.concatenate([p, q]))
    paid = loss + c
    near = _divergence(ours[place], theirs[place])
    integral = float(np.sum(ours * np.log(ours[place] / theirs[place])))
    factor = math.exp(paid) if paid < 350.0 else math.inf
    text, appendix = 2.0 * paid + factor**2 * near, factor * (2.0 * paid + near)
    return CentralBound(loss, c, _divergence(ours, theirs), near, text, appendix, integral, factor**2 * near)


def lemma_7(policy: FinitePolicy, means: Means, horizon: int) -> NeighbourRatio:
    """Lemma 7 at the exact loss of the policy: the largest ratio of two histories that differ in one reward."""
    p, _ = _environments(means, means)
    paths = enumerate_histories(policy, len(p), horizon)
    law, loss, c = paths.law(p), exact_loss(policy, horizon, n_arms=len(p)), _log_odds(p)
    ratio = max(float(np.max(np.log(law / law[_turn(paths, t)]))) for t in range(horizon))
    return NeighbourRatio(ratio, loss + c, loss, c)


def action_bound(policy: FinitePolicy, first: Means, second: Means, horizon: int) -> ActionBound:
    """Divergence of the actions beside E_1[N_a] d_epsilon of `private_kl`, at the exact loss of the policy."""
    p, q = _environments(first, second)
    paths = enumerate_histories(policy, len(p), horizon)
    ours, theirs = (_by_actions(paths, paths.law(means)) for means in (p, q))
    loss, pulls = exact_loss(policy, horizon, n_arms=len(p)), paths.pulls(p)
    arms = list(zip(pulls.tolist(), p.tolist(), q.tolist(), strict=True))
    private = sum(n * (private_kl(x, y, loss) if loss > 0 else 0.0) for n, x, y in arms)
    azize = sum(6.0 * loss * n * abs(x - y) for n, x, y in arms if x != y)
    return ActionBound(loss, _divergence(ours, theirs), float(private), _weighted(pulls, p, q), float(azize))


def lipschitz(reaches: Sequence[float] = (1.0, 10.0, 100.0)) -> pd.DataFrame:
    """Slope L of the log density and difference Delta of two rewards, whose product Lemma 7 adds to epsilon.

    Parameters
    ----------
    reaches : sequence of float
        R >= 1 each: Gaussian rewards up to R standard deviations away, Beta(2, 2) from 1/(2 R) to 1 - 1/(2 R),
        exponential ones up to R.

    Returns
    -------
    pandas.DataFrame
        Columns family, reach, slope, difference (the largest ones within the reach), bounded (whether both stay). For
        N(0, 1) both grow with the reach, for Beta(2, 2) the slope, for Exponential(1) the difference; Bernoulli(0.75)
        has L = ln 3 for a difference of 1. The paper names all four as covered.
    """
    rows = []
    for reach in reaches:
        edge = 0.5 / checks.real("reach", reach, at_least=1)
        rows += [
            ("Gaussian", reach, reach, 2.0 * reach, False),
            ("Beta", reach, 1.0 / edge - 1.0 / (1.0 - edge), 1.0 - 2.0 * edge, False),
            ("Exponential", reach, 1.0, reach, False),
            ("Bernoulli", reach, _log_odds(np.array([0.75])), 1.0, True),
        ]
    return pd.DataFrame(rows, columns=["family", "reach", "slope", "difference", "bounded"])


def _environments(first: Means, second: Means) -> tuple[np.ndarray, np.ndarray]:
    p, q = checks.vector("first", first), checks.vector("second", second)
    for name, means in (("first", p), ("second", q)):
        for x in means.tolist():
            checks.real(name, x, above=0, below=1)
    if len(p) != len(q):
        raise ValueError(f"second must have the {len(p)} arms of first, got {len(q)}")
    return p, q


def _weighted(pulls: np.ndarray, p: np.ndarray, q: np.ndarray) -> float:
    """Sum over arms of E[N_a] d(p_a || q_a)."""
    return float(sum(n * bernoulli_kl(x, y) for n, x, y in zip(pulls.tolist(), p.tolist(), q.tolist(), strict=True)))


def _divergence(p: np.ndarray, q: np.ndarray) -> float:
    seen = p > 0
    if np.any(q[seen] == 0):
        return math.inf
    return float(np.sum(p[seen] * np.log(p[seen] / q[seen])))


def _by_actions(paths: Histories, law: np.ndarray) -> np.ndarray:
    """Probability of each sequence of arms."""
    n_arms = int(paths.arms.max()) + 1
    code = paths.arms @ (n_arms ** np.arange(paths.arms.shape[1]))
    return np.bincount(code, weights=law)


def _prefixes(paths: Histories, rounds: int) -> set[tuple[tuple[int, int], ...]]:
    pairs = zip(paths.arms[:, :rounds].tolist(), paths.rewards[:, :rounds].tolist(), strict=True)
    return {tuple(zip(arms, rewards, strict=True)) for arms, rewards in pairs}


def _turn(paths: Histories, step: int) -> np.ndarray:
    """Place of each history's neighbour, the reward of one round turned."""
    entries = 2 * paths.arms + paths.rewards
    base = (int(entries.max()) + 2) ** np.arange(entries.shape[1])
    code = entries @ base
    order = np.argsort(code)
    sought = code + np.where(paths.rewards[:, step] == 1, -1, 1) * base[step]
    place = order[np.minimum(np.searchsorted(code[order], sought), len(code) - 1)]
    if np.any(code[place] != sought):
        raise ValueError("policy must allow every history, so that neighbouring histories have a ratio")
    return np.asarray(place)


def _log_odds(means: np.ndarray) -> float:
    return float(np.max(np.abs(np.log(means / (1.0 - means)))))
