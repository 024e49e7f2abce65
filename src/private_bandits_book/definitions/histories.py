"""Lemmas 3 to 7 of Basu et al. (2019), and what replaces Lemma 6, on every history of a small bandit.

Environments are means of Bernoulli arms, each in (0, 1). A policy has `probabilities(history)` as in `privacy`, history
being the pairs (arm, reward) so far. Nothing is sampled: everything is added up over all (2 K)^T histories.
"""

import math
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from private_bandits.privacy import FinitePolicy, exact_loss
from private_bandits.privacy.divergences import bernoulli_kl, local_factor, private_kl, response_kl, response_mean
from private_bandits_book.definitions.lemmas import NAMES, suite
from private_bandits_book.policies import Exponential, Greedy, Response

MEANS = ((0.4, 0.6), (0.6, 0.4))
Seen = tuple[tuple[int, int], ...]


class Pair:
    """Every history that a policy allows over T rounds, and its probability in two environments.

    Attributes
    ----------
    arms, rewards : numpy.ndarray of int, shape (histories, T)
    ours, theirs : numpy.ndarray, shape (histories,)
        Probabilities in the first and in the second environment; `other`, by default the policy itself, plays in the
        second, as a policy that knows the environment would. It must allow every arm that the policy allows.
    pulls : numpy.ndarray, shape (K,)
        Expected pulls of each arm in the first environment.
    """

    def __init__(
        self, policy: FinitePolicy, first: Any, second: Any, horizon: int, other: FinitePolicy | None = None
    ) -> None:
        self.policy, self.other, self.horizon = policy, other or policy, horizon
        self.p, self.q = np.asarray(first, float), np.asarray(second, float)
        paths: list[tuple[Seen, float, float]] = [((), 1.0, 1.0)]
        for _ in range(horizon):
            paths = [grown for path in paths for grown in self._grown(*path)]
        table = np.array([path for path, _, _ in paths])
        self.arms, self.rewards = table[:, :, 0], table[:, :, 1]
        self.ours = self._law([weight for _, weight, _ in paths], self.p)
        self.theirs = self._law([weight for _, _, weight in paths], self.q)
        self.pulls = self._pulls(self.ours)

    def _grown(self, path: Seen, weight: float, other: float) -> Iterable[tuple[Seen, float, float]]:
        law, theirs = self._laws(path)
        for arm in np.flatnonzero(law > 0).tolist():
            yield from (((*path, (arm, x)), weight * law[arm], other * theirs[arm]) for x in (0, 1))

    def _laws(self, path: Seen) -> list[np.ndarray]:
        """Laws of the next arm under both policies."""
        return [np.asarray(policy.probabilities(path), dtype=float) for policy in (self.policy, self.other)]

    def _law(self, weights: Sequence[float], means: np.ndarray) -> np.ndarray:
        chance = means[self.arms]
        return np.asarray(np.array(weights) * np.prod(np.where(self.rewards == 1, chance, 1.0 - chance), axis=1))

    def _pulls(self, law: np.ndarray) -> np.ndarray:
        return np.array([law @ (self.arms == arm).sum(axis=1) for arm in range(len(self.p))])

    @cached_property
    def divergence(self) -> float:
        """Divergence of the histories, from their probabilities."""
        return _divergence(self.ours, self.theirs)

    @property
    def reward_term(self) -> float:
        """Sum over arms of E_1[N_a] D(f_a || f'_a)."""
        return float(sum(n * bernoulli_kl(x, y) for n, x, y in self.by_arm()))

    @cached_property
    def policy_term(self) -> float:
        """Expected divergence of the next arm, 0 for a policy that does not know the environment."""
        apart = {seen: _divergence(*self._laws(seen)) for t in range(self.horizon) for seen in self.prefixes(t)}
        total = 0.0
        for chance, history in zip(self.ours, self._histories(self.horizon), strict=True):
            for t in range(self.horizon):
                total += chance * apart[history[:t]]
        return float(total)

    @property
    def actions(self) -> float:
        """Divergence of the actions alone, which is what an observer of Definition 2 sees."""
        code = self.arms @ (len(self.p) ** np.arange(self.horizon))
        return _divergence(np.bincount(code, weights=self.ours), np.bincount(code, weights=self.theirs))

    def loss(self, definition: str = "outcomes") -> float:
        """Exact privacy loss of the policy."""
        return exact_loss(self.policy, self.horizon, definition=definition)

    def by_arm(self) -> Iterable[tuple[float, float, float]]:
        """Expected pulls and both means of each arm."""
        return zip(self.pulls.tolist(), self.p.tolist(), self.q.tolist(), strict=True)

    def prefixes(self, rounds: int) -> set[Seen]:
        """The different beginnings of the histories."""
        return set(self._histories(rounds))

    def _histories(self, rounds: int) -> Iterable[Seen]:
        pairs = zip(self.arms[:, :rounds].tolist(), self.rewards[:, :rounds].tolist(), strict=True)
        return (tuple(zip(arms, rewards, strict=True)) for arms, rewards in pairs)

    def turned(self, step: int) -> np.ndarray:
        """Place of each history's neighbour, the reward of one round turned; the policy must allow every history."""
        entries = 2 * self.arms + self.rewards
        base = (int(entries.max()) + 2) ** np.arange(self.horizon)
        code = entries @ base
        order = np.argsort(code)
        sought = code + np.where(self.rewards[:, step] == 1, -1, 1) * base[step]
        place = order[np.minimum(np.searchsorted(code[order], sought), len(code) - 1)]
        if np.any(code[place] != sought):
            raise ValueError("policy must allow every history, so that neighbouring histories have a ratio")
        return np.asarray(place)

    def least_pulls(self) -> float:
        """The least expected pulls of an arm in either environment."""
        return float(min(self.pulls.min(), self._pulls(self.theirs).min()))


class LocalBound(NamedTuple):
    """Lemma 4 for whole histories of private reports."""

    divergence: float  # of the histories, exact
    best: float  # sum over arms of E_1[N_a] `response_kl`, equal to it
    printed: float  # 2 min(4, e^2eps) (e^eps - 1)^2 times the divergence of the rewards


class InstantaneousBound(NamedTuple):
    """Lemma 5: what it adds to the divergence, where the truth is 0, and the two sides of the proof's last step."""

    extra: float  # the term that Lemma 5 adds
    likeliest: float  # sum over rounds of the largest probability of an arm
    claimed: float  # what the proof says this sum is at most; below 1


class CentralBound(NamedTuple):
    """Lemma 6 and its proof."""

    text: float  # right side in the text, 2 (eps + c) + e^(2 (eps + c)) neighbour
    appendix: float  # right side in the appendix, e^(eps + c) (2 (eps + c) + neighbour), of neighbouring histories
    integral: float  # of ln P_1(H')/P_2(H') over P_1(H)
    claimed: float  # what the proof says this integral is at most, e^(2 (eps + c)) neighbour


class NeighbourRatio(NamedTuple):
    """Lemma 7: largest ln P(H)/P(H') over neighbouring histories, beside epsilon + c."""

    ratio: float
    bound: float


def lemma_4(learner: FinitePolicy, first: Any, second: Any, horizon: int, epsilon: float) -> LocalBound:
    """Lemma 4 for histories: a learner that sees the answers of randomised response, of epsilon, to 0/1 rewards."""
    reports = [[response_mean(x, epsilon) for x in means] for means in (first, second)]
    sent = Pair(learner, reports[0], reports[1], horizon)
    arms = list(zip(sent.pulls.tolist(), first, second, strict=True))
    best = sum(n * response_kl(x, y, epsilon) for n, x, y in arms)
    rewards = float(sum(n * bernoulli_kl(x, y) for n, x, y in arms))
    return LocalBound(sent.divergence, float(best), 2.0 * local_factor(epsilon) * rewards)


def lemma_5(pair: Pair) -> InstantaneousBound:
    """Lemma 5 at the exact instantaneous loss of the policy.

    Notes
    -----
    The proof bounds ln pi(a | H, nu_1)/pi(a | H, nu_2) by privacy, but a policy sees no environment: the ratio is 1 and
    the term 0. Its last step bounds T probabilities, each at least 1/K, by a number below 1, which is false for T > K.
    The statement holds all the same, because the term that it adds is positive.
    """
    loss, least = pair.loss("instantaneous"), pair.least_pulls()
    rate = math.exp(-pair.horizon / least) if least > 0 else 0.0
    claimed = (1.0 - 2.0 * rate) / (1.0 - rate)
    extra = 2.0 * loss * math.expm1(2.0 * loss) * claimed if loss < 350.0 else math.inf
    likeliest = sum(
        max(float(np.max(pair.policy.probabilities(seen))) for seen in pair.prefixes(t)) for t in range(pair.horizon)
    )
    return InstantaneousBound(extra, likeliest, claimed)


def lemma_6(pair: Pair, step: int = 1) -> CentralBound:
    """Lemma 6 at the exact loss of the policy, the neighbour of a history having the reward of round `step` turned.

    Notes
    -----
    Turning a reward is one-to-one on histories, so that both divergences are the same number and both statements hold
    for a trivial reason, as 2 (eps + c) >= 0 and e^(2 (eps + c)) >= 1. The step of the proof that moves the factor
    e^(2 (eps + c)) out of an integral would need an integrand that is never negative; `integral` > `claimed` shows that
    it is false. What DP does to the divergence is in `action_bound`.
    """
    place, paid = pair.turned(step - 1), pair.loss() + log_odds([*pair.p, *pair.q])
    near = _divergence(pair.ours[place], pair.theirs[place])
    integral = float(np.sum(pair.ours * np.log(pair.ours[place] / pair.theirs[place])))
    factor = math.exp(paid) if paid < 350.0 else math.inf
    text, appendix = 2.0 * paid + factor**2 * near, factor * (2.0 * paid + near)
    return CentralBound(text, appendix, integral, factor**2 * near)


def lemma_7(pair: Pair) -> NeighbourRatio:
    """Lemma 7 at the exact loss of the policy, in the first environment: histories that differ in one reward."""
    ratio = max(float(np.max(np.log(pair.ours / pair.ours[pair.turned(t)]))) for t in range(pair.horizon))
    return NeighbourRatio(ratio, pair.loss() + log_odds(pair.p))


def action_bound(pair: Pair) -> float:
    """Sum over arms of E_1[N_a] d_epsilon of `private_kl` at the exact loss: at least the divergence of the actions."""
    loss = pair.loss()
    return float(sum(n * (private_kl(x, y, loss) if loss > 0 else 0.0) for n, x, y in pair.by_arm()))


def divergences(epsilon: float, horizon: int) -> pd.DataFrame:
    """Return Lemmas 3 to 7 on every history of small bandits: both sides of each, a row per policy."""
    rows: list[dict[str, Any]] = []
    for name, policy in suite(epsilon).items():
        if not isinstance(policy, Greedy):
            pair = Pair(policy, *MEANS, horizon)
            six = lemma_6(pair)
            found: dict[str, Any] = {"policy": NAMES[name], "epsilon": epsilon, "horizon": horizon}
            found |= {"divergence": pair.divergence, "policy_term": pair.policy_term, "reward_term": pair.reward_term}
            for number, part in ((4, lemma_4(policy, *MEANS, horizon, epsilon)), (5, lemma_5(pair))):
                found |= {f"lemma_{number}_{side}": value for side, value in part._asdict().items()}
            found |= {"lemma_6_text": six.text, "lemma_6_appendix": six.appendix}
            found |= {f"lemma_7_{side}": value for side, value in lemma_7(pair)._asdict().items()}
            rows.append(found | {"actions": pair.actions, "actions_bound": action_bound(pair)})
    return pd.DataFrame(rows)


def false_step() -> CentralBound:
    """Return Lemma 6 where a step of its proof fails: two equal arms, little privacy loss, one reward turned."""
    return lemma_6(Pair(Exponential(0.1, 2), (0.6, 0.6), (0.65, 0.65), 2))


def knowing() -> Pair:
    """Return a policy that knows the environment: the only kind for which the first term of Lemma 3 is not 0."""
    return Pair(Response(1.0, 2), *MEANS, 3, other=Response(0.5, 2))


def lipschitz(reaches: Iterable[float] = (1.0, 10.0, 100.0)) -> pd.DataFrame:
    """Slope L of the log density and difference Delta of two rewards, whose product Lemma 7 adds to epsilon.

    Parameters
    ----------
    reaches : sequence of float
        R >= 1 each, ascending: Gaussian rewards up to R standard deviations away, Beta(2, 2) from 1/(2 R) to
        1 - 1/(2 R), exponential ones up to R.

    Returns
    -------
    pandas.DataFrame
        Columns family, reach, slope, difference (the largest ones within the reach), bounded (whether their product
        stays what it is at the least reach). For N(0, 1) both grow with the reach, for Beta(2, 2) the slope, for
        Exponential(1) the difference; Bernoulli(0.75) has L = ln 3 for a difference of 1. The paper names all four as
        covered.
    """
    rows = []
    for reach in reaches:
        edge = 0.5 / reach
        rows += [
            ("Gaussian", reach, reach, 2.0 * reach),
            ("Beta", reach, 1.0 / edge - 1.0 / (1.0 - edge), 1.0 - 2.0 * edge),
            ("Exponential", reach, 1.0, reach),
            ("Bernoulli", reach, log_odds([0.75]), 1.0),
        ]
    frame = pd.DataFrame(rows, columns=["family", "reach", "slope", "difference"])
    product = (frame["slope"] * frame["difference"]).groupby(frame["family"])
    return frame.assign(bounded=product.transform("max") <= product.transform("first") * (1 + 1e-9))


def log_odds(means: Any) -> float:
    """Return the largest log-odds of a mean: L times the difference of two Bernoulli rewards."""
    chances = np.asarray(means, float)
    return float(np.max(np.abs(np.log(chances / (1.0 - chances)))))


def _divergence(p: np.ndarray, q: np.ndarray) -> float:
    seen = p > 0
    if np.any(q[seen] == 0):
        return math.inf
    return float(np.sum(p[seen] * np.log(p[seen] / q[seen])))
