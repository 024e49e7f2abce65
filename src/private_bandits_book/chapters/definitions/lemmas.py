"""What decides the claims of Basu et al. (2019) exactly: small policies enumerated, and bounds compared on a grid.

Two arms, rewards 0 or 1, few rounds: every sequence of arms under every table of outcomes. What is found refutes a
statement, or confirms it there.
"""

import math
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import pairwise, product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.spatial.distance import cdist
from scipy.special import gammaln, ndtr, xlogy
from scipy.stats import binom

from private_bandits import checks
from private_bandits.mechanisms import gaussian_epsilon, response_probabilities
from private_bandits.papers.definitions import bounds, finite_policies, replacements
from private_bandits.papers.definitions.factor import central_upper
from private_bandits.papers.definitions.finite_policies import Eavesdropper, Greedy, LocallyPrivate, Response
from private_bandits.privacy import FinitePolicy, environment_law, exact_loss, table_laws
from private_bandits.privacy.divergences import bernoulli_kl, kl_divergence, local_factor, response_kl
from private_bandits_book.package_data import tables

PREFERENCES = ((0.2, 0.8), (0.8, 0.2))
"""Chances of a click on each advertisement, for two kinds of person."""
DISTANCE = 0.6
"""Largest difference of the two."""
GRID = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
"""Epsilons at which bounds are compared, whatever the chapter's parameters are."""
N_ARMS, HORIZON = 3, 100_000_000
TINY = 1e-9  # an epsilon as good as 0
ORDERS = (1.0 + 1e-6, 1.1, 1.5, 2.0, 4.0, 16.0, 64.0, 256.0)
"""Orders of Rényi divergences that are computed."""
NAMES: dict[str, str] = tables("definitions", "map")["policies"]
"""What the small policies are called, by their keys."""
RESPONSE, EXPONENTIAL, LAPLACE, PRIVATE, RETRACTION, NOISELESS, SPY, HEDGE = NAMES


# --- small policies under every definition


def suite(epsilon: float) -> dict[str, FinitePolicy]:
    """Return policies with two arms that see their rewards, or noisy ones, by key; epsilon is that of one round."""
    return {
        RESPONSE: Response(epsilon, n_arms=2),
        EXPONENTIAL: finite_policies.Exponential(epsilon, n_arms=2),
        LAPLACE: finite_policies.LaplaceArgmax(epsilon, n_arms=2),
        PRIVATE: LocallyPrivate(Greedy(n_arms=2), epsilon),
        RETRACTION: finite_policies.Retraction(epsilon, slack=0.01),
        NOISELESS: Greedy(n_arms=2),
    }


def losses(epsilon: float, horizon: int) -> pd.DataFrame:
    """Return the exact privacy loss of small policies under every definition.

    `environment` is the loss between two people of opposite preferences. The last two policies see both outcomes.
    """
    seeing = (SPY, Eavesdropper(epsilon)), (HEDGE, finite_policies.Hedge(epsilon, n_arms=2))
    rows = []
    for sees, everyone in (("its reward", suite(epsilon).items()), ("all outcomes", seeing)):
        for key, policy in everyone:
            seen = f"{sees}, with noise" if key == PRIVATE else sees
            found = {"key": key, "policy": NAMES[key], "sees": seen, "epsilon": epsilon, "horizon": horizon}
            for definition in ("outcomes", "rewards", "instantaneous", "local"):
                found[definition] = exact_loss(policy, horizon, definition=definition)
            rows.append(found | {"environment": between_people(policy, horizon)})
    return pd.DataFrame(rows)


def between_people(policy: FinitePolicy, horizon: int) -> float:
    """Return the loss of Definition 5 between the two people, their distance counted as one."""
    between: dict[str, Any] = {"environments": PREFERENCES, "distance": lambda first, second: 1.0}
    return exact_loss(policy, horizon, definition="environment", **between)


def composition(epsilon: float, horizons: Iterable[int]) -> pd.DataFrame:
    """Return what a policy that is epsilon-private in each round reveals by all its arms: its loss, and its rho.

    `rho_map` is the rho that this loss gives, and `rho_allowed` that of adaptive composition, epsilon^2/2 a round.
    """
    rows = []
    for horizon in horizons:
        policy, most = Response(epsilon, n_arms=2), (horizon - 1) * epsilon
        found = {"horizon": horizon, "instantaneous": exact_loss(policy, horizon, definition="instantaneous")}
        found |= {"all_arms": exact_loss(policy, horizon), "rho": rho(policy, horizon)}
        rows.append(found | {"rho_allowed": epsilon * most / 2, "rho_map": most**2 / 2})
    return pd.DataFrame(rows)


def squeezed(epsilon: float, horizon: int) -> tuple[float, float]:
    """Return the loss of environment privacy over what it allows, and that on outcomes, of a policy without noise.

    The two people answer so alike that the history of all their answers reveals epsilon times their distance at most.
    """
    channel = noisy_answers(epsilon, horizon).channel
    people = [[float(channel[0, 1] + (channel[1, 1] - channel[0, 1]) * p) for p in one] for one in PREFERENCES]
    allowed: dict[str, Any] = {"environments": people, "distance": lambda first, second: DISTANCE}
    greedy = Greedy(n_arms=2)
    return exact_loss(greedy, horizon, definition="environment", **allowed) / epsilon, exact_loss(greedy, horizon)


def lemma_2_reached(epsilon: float, slacks: Sequence[float] = (0.5, 0.1, 0.01, 0.001)) -> float:
    """Return how much of 2 epsilon the next arm of an epsilon-DP policy gives away, at most."""
    made = [finite_policies.Retraction(epsilon, slack=slack) for slack in slacks]
    return max(exact_loss(one, 3, definition="instantaneous") / (2 * exact_loss(one, 3)) for one in made)


def behind_responses(epsilon: float, horizon: int) -> dict[str, float]:
    """Return the loss on outcomes of learners behind epsilon-randomised responses, by key."""
    learners: Any = suite(epsilon).items()
    return {key: exact_loss(LocallyPrivate(one, epsilon), horizon) for key, one in learners if key != PRIVATE}


# --- the observer


def best_guess(laws: Any) -> float:
    """Return how often the best guess of one of two equally likely inputs is right, from what is seen under each."""
    return float(np.max(laws, axis=0).sum() / 2)


def at_most(loss: float) -> float:
    """Return e^loss / (1 + e^loss), the most that a guess reaches where the privacy loss is `loss`."""
    return 1 / (1 + math.exp(-loss))


def noisy_answers(epsilon: float, horizon: int) -> LocallyPrivate:
    """Return a learner behind the channel under which T rounds of answers have a loss of epsilon times `DISTANCE`.

    Where the bare answers have less, the channel adds no noise.
    """
    contrast = math.tanh(epsilon * DISTANCE / (4 * horizon)) / DISTANCE
    return LocallyPrivate(Greedy(n_arms=2), 2 * math.atanh(contrast) if contrast < 1 else math.inf)


def guesses(epsilons: Iterable[float], visits: int) -> pd.DataFrame:
    """Return how often an observer is right who knows all but one bit, and the most that the definition allows.

    `changes` is the number of answers that the bit moves, 0 for the preferences of a person.
    """
    rows = []
    for epsilon in epsilons:
        every, private, one = "every ad", "private answers", "the answers of one visit"
        share, each = Response(epsilon / (visits - 1), n_arms=2), Response(epsilon, n_arms=2)
        keep = LocallyPrivate(Greedy(n_arms=2), epsilon).channel
        seen = [np.array([math.prod(keep[x, list(z)]) for z in product((0, 1), repeat=visits)]) for x in (0, 1)]
        both, spy = ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)), Eavesdropper(math.inf)
        overheard = [spy.probabilities(((0, outcome),)) for outcome in both]
        history, ads = _preferences(epsilon, visits)
        for definition, observer, guess, changes, laws in (
            ("outcomes", every, one, 1, _one_visit(share, visits)),
            ("instantaneous", every, one, 1, _one_visit(each, visits)),
            ("rewards", every, "the answer to the ad shown", 1, overheard[:2]),
            ("rewards", every, "the answer to the ad not shown", 1, overheard[::2]),
            ("local", private, "one answer", 1, keep),
            ("local", private, "all answers of one person", visits, seen),
            ("environment", private, "the preferences of a person", 0, history),
            ("environment", every, "the preferences of a person", 0, ads),
        ):
            most = at_most(epsilon * (1.0 if changes else DISTANCE))
            rows.append((definition, observer, guess, epsilon, changes, best_guess(laws), most))
    frame = pd.DataFrame(rows, columns=["definition", "observer", "guess", "epsilon", "changes", "success", "bound"])
    return frame.assign(kept=frame["success"] <= frame["bound"] + 1e-12)


def best_guesses(epsilon: float, visits: Iterable[int]) -> list[float]:
    """Return how often the best guess of one answer is right that sees all arms of a policy epsilon-private in each."""
    return [best_guess(_one_visit(Response(epsilon, n_arms=2), horizon)) for horizon in visits]


def _one_visit(policy: FinitePolicy, horizon: int) -> np.ndarray:
    """The laws of all arms under the two tables of outcomes, different in one visit, that are told apart best."""
    laws = table_laws(policy, horizon).reshape(-1, 2**horizon)
    tables = np.array(list(product(range(4), repeat=horizon - 1)))
    apart = cdist(laws, laws, "cityblock")
    apart[cdist(tables, tables, "hamming") * (horizon - 1) > 1.5] = -1.0
    return np.asarray(laws[list(np.unravel_index(np.argmax(apart >= apart.max() - 1e-12), apart.shape))])


def _preferences(epsilon: float, horizon: int) -> tuple[np.ndarray, np.ndarray]:
    """What is seen of two people under environment privacy: all noisy answers, and all advertisements."""
    policy = noisy_answers(epsilon, horizon)
    seen = [np.array([1 - p, p]) @ policy.channel for chances in PREFERENCES for p in chances]
    rounds = [np.outer(seen[0], seen[1]).ravel(), np.outer(seen[2], seen[3]).ravel()]
    history = [[math.prod(law[list(z)]) for z in product(range(4), repeat=horizon)] for law in rounds]
    return np.array(history), np.array([environment_law(policy, horizon, one).ravel() for one in PREFERENCES])


# --- what does not follow: counterexamples


def views(horizon: int) -> tuple[float, float]:
    """Return the delta of `Password` at epsilon = 0 against lists of rewards, and against tables."""
    laws = table_laws(finite_policies.Password(horizon=horizon), horizon)
    laws = laws.reshape(*laws.shape[: horizon - 1], -1)
    return delta(laws[np.ix_(*[(0, 3)] * (horizon - 1))]), delta(laws)


def delta(laws: np.ndarray) -> float:
    """Return the largest total variation of laws, along the last axis, whose place differs along one other axis."""
    turned = (np.moveaxis(laws, t, 0) for t in range(laws.ndim - 1))
    return max(float(np.abs(one[:, None] - one[None]).sum(axis=-1).max()) / 2 for one in turned)


def rho(policy: FinitePolicy, horizon: int = 2) -> float:
    """Return the least rho that the Rényi divergences of `ORDERS` allow, over tables that differ in one round."""
    laws = table_laws(policy, horizon)
    laws, found = laws.reshape(*laws.shape[: horizon - 1], -1), 0.0
    for t in range(horizon - 1):
        turned = np.moveaxis(laws, t, 0)
        for one, other in product(turned.reshape(4, -1, laws.shape[-1]), repeat=2):
            pairs = zip(one, other, strict=True)
            found = max(found, *(renyi(p, q, order) / order for p, q in pairs for order in ORDERS))
    return found


@checks.quietly()
def renyi(p: np.ndarray, q: np.ndarray, order: float) -> float:
    """Return the Rényi divergence of two finite distributions, of an order above 1."""
    seen = p > 0
    if np.any(q[seen] == 0):
        return math.inf
    exponents = order * np.log(p[seen]) + (1.0 - order) * np.log(q[seen])
    return float(np.logaddexp.reduce(exponents, keepdims=True)[0] / (order - 1.0))


def _passes(level: float, threshold: float, reward: float) -> float:
    """How often a reward with Gaussian noise of this rho is above a threshold."""
    return float(ndtr((reward - threshold) * math.sqrt(2 * level)))


class Concentrated(NamedTuple):
    """What zero-concentrated DP follows from, and what follows from it."""

    pure: float  # rho of epsilon-randomised response
    exact: float  # epsilon of Gaussian noise of rho 0.1, at delta 1e-6
    formula: float  # rho + 2 sqrt(rho ln(1/delta)) there
    kept: float  # rho of two thresholds behind that noise
    far: float  # loss at the farther one
    rare: float  # delta of a policy that pulls an arm with probability 1e-6, after one reward only
    rare_rho: float  # and its rho


def concentrated(epsilon: float) -> Concentrated:
    """Return zero-concentrated DP against its neighbours, by enumeration over two rounds."""
    keep, flip = response_probabilities(epsilon, n_values=2)
    level, at = 0.1, 1e-6
    near, far = (finite_policies.OneAnswer(partial(_passes, level, c)) for c in (1.0, 30.0))
    rare = finite_policies.OneAnswer(lambda x: at * x)
    pure, kept = rho(finite_policies.OneAnswer(lambda x: keep if x == 1 else flip)), max(rho(near), rho(far))
    exact = gaussian_epsilon(1 / math.sqrt(2 * level), delta=at, sensitivity=1.0)
    formula, found = level + 2 * math.sqrt(level * math.log(1 / at)), delta(table_laws(rare, 2).reshape(4, -1))
    return Concentrated(pure, exact, formula, kept, exact_loss(far, 2), found, rho(rare))


# --- Lemmas 3 to 7


class Pair:
    """Every history that a policy allows over T rounds, and its probability in two environments of Bernoulli arms.

    Whether it allows a history must not depend on the rewards.
    """

    def __init__(self, policy: FinitePolicy, first: Sequence[float], second: Sequence[float], horizon: int) -> None:
        self.policy, self.horizon = policy, horizon
        self.p, self.q = np.array(first), np.array(second)
        paths: list[tuple[tuple[tuple[int, int], ...], float]] = [((), 1.0)]
        self.likeliest = 0.0  # sum over rounds of the largest probability of an arm
        for _ in range(horizon):
            laws = [np.asarray(policy.probabilities(path), float) for path, _ in paths]
            self.likeliest += max(float(law.max()) for law in laws)
            grown = [(path, chance, law) for (path, chance), law in zip(paths, laws, strict=True)]
            paths = [
                ((*path, (arm, x)), chance * law[arm])
                for path, chance, law in grown for arm in np.flatnonzero(law).tolist() for x in (0, 1)
            ]  # fmt: skip
        table, chosen = np.array([path for path, _ in paths]), np.array([chance for _, chance in paths])
        self.arms, self.rewards = table[:, :, 0], table[:, :, 1]
        self._places = {path: place for place, (path, _) in enumerate(paths)}
        self.ours, self.theirs = (chosen * self._drawn(means) for means in (self.p, self.q))
        self.pulls = [self._pulls(law) for law in (self.ours, self.theirs)]

    def _drawn(self, means: np.ndarray) -> Any:
        chance = means[self.arms]
        return np.prod(np.where(self.rewards == 1, chance, 1.0 - chance), axis=1)

    def _pulls(self, law: np.ndarray) -> np.ndarray:
        return np.array([law @ (self.arms == arm).sum(axis=1) for arm in range(len(self.p))])

    @property
    def divergence(self) -> float:
        """Divergence of the histories, from their probabilities."""
        return float(self.ours @ np.log(self.ours / self.theirs))

    @property
    def reward_term(self) -> float:
        """Sum over arms of E_1[N_a] D(f_a || f'_a)."""
        pairs = zip(self.pulls[0], self.p.tolist(), self.q.tolist(), strict=True)
        return float(sum(n * bernoulli_kl(x, y) for n, x, y in pairs))

    def loss(self, definition: str = "outcomes") -> float:
        """Exact privacy loss of the policy."""
        return exact_loss(self.policy, self.horizon, definition=definition)

    def turned(self, step: int) -> np.ndarray:
        """Place of each history's neighbour, the reward of one round turned."""
        turn = ((*path[:step], (path[step][0], 1 - path[step][1]), *path[step + 1 :]) for path in self._places)
        return np.array([self._places[path] for path in turn])


MEANS = ((0.4, 0.6), (0.6, 0.4))


def pairs(epsilon: float, horizon: int) -> list[Pair]:
    """Return the histories of every policy of the suite that allows all of them."""
    return [Pair(one, *MEANS, horizon) for one in suite(epsilon).values() if not isinstance(one, Greedy)]


def lemma_5(pair: Pair) -> tuple[float, float]:
    """Return the term that Lemma 5 adds to the divergence, and what its proof claims of a sum of probabilities.

    The proof bounds ln pi(a | H, nu_1)/pi(a | H, nu_2) by privacy, but a policy sees no environment: the ratio is 1 and
    the term 0. Its last step bounds T probabilities, each at least 1/K, by a number below 1.
    """
    loss, least = pair.loss("instantaneous"), min(float(one.min()) for one in pair.pulls)
    rate = math.exp(-pair.horizon / least)
    claimed = (1.0 - 2.0 * rate) / (1.0 - rate)
    return bounds.spurious_term(epsilon=loss) * claimed, claimed


def lemma_6(pair: Pair) -> tuple[float, float, float]:
    """Return the least right side of Lemma 6, text or appendix, and both sides of a false step of its proof.

    Turning a reward is one-to-one on histories, so both divergences are one number. The step moves the factor
    e^(2 (eps + c)) out of an integral, whose integrand would have to be nonnegative.
    """
    place, paid = pair.turned(0), pair.loss() + log_odds([*pair.p, *pair.q])
    logs = np.log(pair.ours[place] / pair.theirs[place])
    near, factor = float(pair.ours[place] @ logs), math.exp(paid)
    text, appendix = 2.0 * paid + factor**2 * near, factor * (2.0 * paid + near)
    return min(text, appendix), float(pair.ours @ logs), factor**2 * near


def lemma_7(pair: Pair) -> float:
    """Return by how much the largest ln P(H)/P(H') over neighbouring histories exceeds epsilon + c."""
    ratio = max(float(np.max(np.log(pair.ours / pair.ours[pair.turned(t)]))) for t in range(pair.horizon))
    return ratio - pair.loss() - log_odds(pair.p)


def log_odds(means: Any) -> float:
    """Return the largest log-odds of a mean: L times the difference of two Bernoulli rewards."""
    chances = np.asarray(means, float)
    return float(np.max(np.abs(np.log(chances / (1.0 - chances)))))


def slopes(reach: float) -> dict[str, float]:
    """Return L times the largest difference of two rewards, by the families that the paper counts as covered.

    L is the slope of the log density: of N(0, 1) up to `reach`, Beta(2, 2) from 1/(2 reach) to 1 - 1/(2 reach), an
    exponential law up to `reach`, and Bernoulli(3/4).
    """
    edge = 0.5 / reach
    beta = (1.0 / edge - 1.0 / (1.0 - edge)) * (1.0 - 2.0 * edge)
    return {"Beta": beta, "exponential": reach, "Gaussian": 2.0 * reach**2, "Bernoulli": log_odds([0.75])}


def lemma_4(
    epsilons: Iterable[float], means: Sequence[tuple[float, float]] = ((0.5, 0.55), (0.5, 0.75), (0.1, 0.9))
) -> pd.DataFrame:
    """Return the bound of Lemma 4 over what randomised response keeps of the divergence of one reward."""
    rows = [
        (e, p, q, 2 * local_factor(e) * bernoulli_kl(p, q) / response_kl(p, q, epsilon=e))
        for e in epsilons
        for p, q in means
    ]
    return pd.DataFrame(rows, columns=["epsilon", "p", "q", "looseness"])


# --- the bounds


def threshold(n_arms: int, horizon: int, epsilons: Sequence[float]) -> tuple[float, float]:
    """Return Theorem B over its neighbours.

    At the least epsilon over (K-1)/(131 epsilon), which Azize and Basu (2022) have without a logarithm; and the most,
    over epsilons, over what is achieved.
    """
    found = {e: replacements.theorem_b(n_arms=n_arms, horizon=horizon, epsilon=e) for e in epsilons}
    old = (n_arms - 1) / (131 * epsilons[0])
    over = [value / central_upper(n_arms=n_arms, horizon=horizon, epsilon=e) for e, value in found.items()]
    return found[epsilons[0]] / old, max(over)


def contraction(epsilons: Iterable[float], seed: int = 0, tried: int = 200) -> float:
    """Return the most that random epsilon-LDP channels keep of the divergence of random laws, over tanh^2(epsilon/2).

    Four rewards. A channel answers one of three questions at random, whether the reward is in a set, by randomised
    response; laws are near each other and far apart.
    """
    rng, most = np.random.default_rng(seed), 0.0
    for epsilon in epsilons:
        keep, flip = response_probabilities(epsilon, n_values=2)
        for _ in range(tried):
            sets, shares = rng.integers(2, size=(4, 3)), rng.dirichlet(np.full(3, 0.3))
            yes = np.where(sets == 1, keep, flip)
            channel = np.hstack([yes * shares, (1 - yes) * shares])
            p, q = rng.dirichlet(np.ones(4), 2)
            near = 10.0 ** -rng.integers(5)
            q = (1 - near) * p + near * q
            kept = kl_divergence(p @ channel, q @ channel) / kl_divergence(p, q)
            most = max(most, kept / replacements.contraction(epsilon=epsilon))
    return most


def corrupt_over_lower(means: Sequence[float], epsilon: float) -> float:
    """Return the constant of ln T that Gajane et al. prove for randomised response, over that for every channel."""
    keep, flip = response_probabilities(epsilon, n_values=2)
    sent = [flip + (keep - flip) * mean for mean in means]
    upper = sum((means[0] - m) / bernoulli_kl(g, sent[0]) for m, g in zip(means[1:], sent[1:], strict=True))
    return upper * math.log(3) / replacements.local_lower(means=means, horizon=3, epsilon=epsilon)


@checks.quietly()
def toy(horizon: int, epsilons: Sequence[float]) -> pd.DataFrame:
    """Return minimax regret in a toy game: exact without privacy and under local DP, and at most so much under DP.

    Two arms of means 1/2 + Delta and 1/2 - Delta; neither Delta nor the better arm is known. Each pull of either is the
    same evidence, so the arm that the sum of evidence favours is best for every Delta at once. Behind
    epsilon-randomised responses Delta is tanh(epsilon/2) times as large. The policy under central privacy sums evidence
    in batches, adds to each sum noise of P(z) ~ e^(-epsilon |z|), and follows the sign of the total. All probabilities
    are exact sums of binomials; the ends of the batches are the best of a small grid.
    """
    root = math.sqrt(horizon)
    scaled = np.concatenate([np.geomspace(0.3, root / 2, 16), np.linspace(0.45, 0.9, 7)])
    gaps, rows = np.unique(np.append(scaled / root, np.tanh(np.array(epsilons) / 2) / 2)), []
    t = np.arange(1, horizon)[:, None]
    lost = binom.cdf((t - 1) // 2, t, 0.5 + gaps) + (t % 2 == 0) * 0.5 * binom.pmf(t // 2, t, 0.5 + gaps)
    regret = 2 * gaps * (0.5 + lost.sum(axis=0))
    for epsilon in epsilons:
        keep = math.tanh(epsilon / 2)
        found = {"horizon": horizon, "epsilon": epsilon, "free": float(regret.max())}
        found["local"] = float(regret[gaps <= keep / 2 * (1 + 1e-12)].max()) / keep
        rows.append(found | {"central": _batched(horizon, epsilon, gaps)})
    return pd.DataFrame(rows)


def _batched(horizon: int, epsilon: float, gaps: np.ndarray) -> float:
    """The least regret, at the worst gap, over ways of batching the evidence."""
    half, most, best = int(180 / epsilon), 120, math.inf
    noises = [_noise(epsilon, used, half) for used in range(most + 1)]
    for count, start, power in product((20, 10, 40, 5, most), (13, 35, 19, 7, 71, 91), (1.0, 0.5)):
        marks = np.linspace(start**power, horizon**power, count) ** (1 / power)
        ends, regret = np.unique(marks.round().astype(int)).tolist(), gaps * start
        for used, (end, last) in enumerate(pairwise(ends), start=1):
            regret = regret + 2 * gaps * (last - end) * _wrong(end, gaps, noises[used], half)
            if regret.max() > best:
                break
        best = min(best, float(regret.max()))
    return best


def _noise(epsilon: float, batches: int, half: int) -> np.ndarray:
    """P(sum of the noises < y) + P(= y)/2, for y from -half to half in steps of 1/2."""
    z = np.arange(-half, half + 1)
    law = (z == 0).astype(float)
    if batches:
        one, length = math.tanh(epsilon / 2) * np.exp(-epsilon * np.abs(z)), 8 * half
        padded = np.fft.ifftshift(np.pad(one, (length // 2 - half, length // 2 - half - 1)))
        spread = np.fft.fftshift(np.fft.irfft(np.fft.rfft(padded) ** batches, length))
        law = np.clip(spread[length // 2 - half : length // 2 + half + 1], 0.0, None)
    below, made = np.concatenate(([0.0], np.cumsum(law))), np.empty(4 * half + 1)
    made[0::2], made[1::2] = below[:-1] + law / 2, below[1:-1]
    return made


def _wrong(t: int, gaps: np.ndarray, noise: np.ndarray, half: int) -> np.ndarray:
    """P(evidence of t pulls and noise are on the wrong side), half of a tie, for every gap."""
    width = int(4.5 * math.sqrt(t)) + 5 + half // 4
    count = np.arange(max(0, t // 2 - width), min(t, t // 2 + width) + 1)
    place = np.clip(t - 2 * count, -2 * half, 2 * half) + 2 * half
    ways = gammaln(t + 1) - gammaln(count + 1) - gammaln(t - count + 1)
    chances = ways + xlogy(count, 0.5 + gaps[:, None]) + xlogy(t - count, 0.5 - gaps[:, None])
    return np.asarray(np.exp(chances) @ noise[place])
