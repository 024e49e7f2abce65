"""Rivals: each plays as its pseudo-code, told plainly below, has the noise that it promises, and learns."""

from __future__ import annotations

import math
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import scipy

from private_bandits.papers.cascading import b_lb
from private_bandits.policy_checks import check_policy
from private_bandits.problems import Arms, SemiBandit
from private_bandits.simulation import trace
from private_bandits.streams import streams
from private_bandits_book import rivals
from private_bandits_book.rivals import DPIMED, DPTS, DPTSUCB, AdaCUCB, AllOrNothing, DiscreteSE, LazyDPTS, LazyUCB
from private_bandits_book.rivals.replay_batches import KnownNoise, OneDraw

HORIZON, DELTA = 3000, 1e-5
ARMS = Arms.bernoulli([0.6, 0.8, 0.3])
LISTS = b_lb(6, 3, 0.4, 0.3)
SETS = SemiBandit.from_sets([0.5] * 2 + [0.2] * 3, [*combinations(range(5), 2)])


class Told:
    """Draws that follow from the parameters of the law alone, in whatever order and number they are asked for."""

    def beta(self, ones, zeros, size=()):
        return np.broadcast_to(ones / (ones + zeros) + 0.4 * np.sin(37 * ones + 91 * zeros), size or np.shape(ones))

    def integers(self, n):
        return n - 1


def told(ones, zeros):
    return float(Told().beta(ones, zeros))


def largest(values):
    return values.index(max(values))


# the pseudo-codes, an observation at a time: a generator asks for an arm and is sent its reward


def lazy_ucb(k, noise, epsilon):
    fresh, used, mean, t = [[] for _ in range(k)], [0] * k, [0.0] * k, 0
    while True:
        t += 1
        arm = t - 1
        if t > k:
            near = [math.sqrt(3 * math.log(t) / used[j]) for j in range(k)]
            arm = largest([mean[j] + near[j] + 3 * math.log(t) / (epsilon * used[j]) for j in range(k)])
        fresh[arm].append((yield arm))
        if len(fresh[arm]) == max(1, 2 * used[arm]):
            used[arm] = len(fresh[arm])
            mean[arm] = (sum(fresh[arm]) + noise.laplace(0.0, 1 / epsilon)) / used[arm]
            fresh[arm] = []


def lazy_dp_ts(k, noise, epsilon):
    psi, mean, r = [[] for _ in range(k)], [], [0] * k
    for arm in range(k):
        x = yield arm
        mean.append(x + noise.laplace(0.0, 1 / epsilon))
    t = k
    while True:
        t += 1
        theta = []
        for j in range(k):
            o = 2 ** r[j]
            mu = max(0, min(mean[j] + 3 * math.log2(t) / (epsilon * o), 1))
            theta.append(told(mu * o + 1, (1 - mu) * o + 1))
        arm = largest(theta)
        psi[arm].append((yield arm))
        if len(psi[arm]) == 2 ** (r[arm] + 1):
            r[arm] += 1
            mean[arm] = (sum(psi[arm]) + noise.laplace(0.0, 1 / epsilon)) / 2 ** r[arm]
            psi[arm] = []


def dp_ts(k, noise, epsilon):
    o, c, b, r = [1] * k, [], [0.0] * k, [0] * k
    psi, nodes = [[] for _ in range(k)], [{} for _ in range(k)]
    for arm in range(k):
        x = yield arm
        c.append(x + noise.laplace(0.0, 1 / (0.5 * epsilon)))
    t = k
    while True:
        t += 1
        theta = []
        for j in range(k):
            lift = 6 * math.sqrt(8) * math.log2(o[j] + 1) * math.log2(t) / (epsilon * o[j])
            mu = max(0, min((c[j] + b[j]) / o[j] + lift, 1))
            theta.append(told(mu * o[j] + 1, (1 - mu) * o[j] + 1))
        arm = largest(theta)
        x = yield arm
        o[arm] += 1
        psi[arm].append(x)
        if o[arm] == sum(2**s for s in range(r[arm] + 2)):
            c[arm] += sum(psi[arm]) + noise.laplace(0.0, 1 / (0.5 * epsilon))
            psi[arm], r[arm], b[arm] = [], r[arm] + 1, 0.0
        else:  # the binary mechanism for 2^(r+1) items: a node for the item's last one, the others are those before
            ones = [bit for bit in range(r[arm] + 1) if len(psi[arm]) >> bit & 1]
            nodes[arm][ones[0]] = noise.laplace(0.0, (r[arm] + 1) / (0.5 * epsilon))
            b[arm] = sum(psi[arm]) + sum(nodes[arm][bit] for bit in ones)


def dp_ts_ucb(k, noise, epsilon):
    made = DPTSUCB(epsilon, horizon=HORIZON, delta=DELTA)
    size, fresh, sampled, seen = [made.first] * k, [[] for _ in range(k)], [[] for _ in range(k)], [0] * k
    order = [arm for _ in range(made.first) for arm in range(k)]
    while True:
        if order:
            arm = order.pop(0)
        else:
            index = [each[h] if h < made.samples else max(each) for each, h in zip(sampled, seen, strict=True)]
            seen, arm = [h + 1 for h in seen], largest(index)
        fresh[arm].append((yield arm))
        if len(fresh[arm]) == size[arm]:
            mean, deviation = sum(fresh[arm]) / size[arm], math.sqrt(math.log(HORIZON) / size[arm])
            sampled[arm] = [noise.normal(mean, deviation) for _ in range(made.samples)]
            fresh[arm], seen[arm], size[arm] = [], 0, 2 * size[arm]


def adac_ucb(k, noise, epsilon):
    sigma = AdaCUCB(epsilon, delta=DELTA).sigma
    rho, pulls, mean, width, t = 1 / (2 * sigma**2), [0] * k, [0.0] * k, [0.0] * k, 1
    while True:
        arm = t - 1
        if t > k:
            arm = largest([mean[j] + math.sqrt(width[j] * 3.1 * math.log(t)) for j in range(k)])
        n, total = max(1, pulls[arm]), 0.0
        for _ in range(n):
            total += yield arm
        pulls[arm], t = pulls[arm] + n, t + n
        mean[arm] = (total + noise.normal(0.0, sigma)) / n
        width[arm] = 1 / (2 * n) + 1 / (rho * n**2)


def discrete_se(k, noise, epsilon):
    active, b = [*range(k)], 1
    while True:
        mean, length = {}, 2**b
        for arm in active:
            total = 0.0
            for _ in range(length):
                total += yield arm
            up, down = (math.floor(-math.log(1 - noise.random()) / epsilon) for _ in range(2))
            mean[arm] = (total + up - down) / length
        log = math.log(len(active) * b**2 * HORIZON)
        radius = math.sqrt(log / (2 * length)) + 2 * log / (epsilon * length)
        active = [arm for arm in active if mean[arm] + radius >= max(mean.values()) - radius]
        b += 1


def dp_imed(k, noise, epsilon):
    pulls, noisy, t = [0] * k, [0.0] * k, 0

    def against(mean, best):
        def both(z):
            kl = scipy.special.rel_entr([z, 1 - z], [best, 1 - best]).sum()
            return epsilon * (z - mean) + kl

        low, high = mean, best if best < 1 else mean  # a mean below 1 rules out a best one of 1
        while high - low > 1e-9:  # both parts are convex in z
            third = (high - low) / 3
            low, high = (low + third, high) if both(low + third) > both(high - third) else (low, high - third)
        return min(both(mean), both(best), both(low))

    while True:
        arm = t
        if t >= k:
            mean = [max(0, min(1, total / n)) for total, n in zip(noisy, pulls, strict=True)]
            index = [pulls[j] * against(mean[j], max(mean)) + math.log(pulls[j]) for j in range(k)]
            arm = [j for j in range(k) if index[j] == min(index)][-1]
        n, total = max(1, pulls[arm]), 0.0
        for _ in range(n):
            total += yield arm
        t, pulls[arm], noisy[arm] = t + 1, pulls[arm] + n, noisy[arm] + total + noise.laplace(0.0, 1 / epsilon)


def one_draw(k, noise, epsilon):
    cost = math.log(HORIZON) / epsilon**2
    first = next(n for n in range(1, HORIZON) if n**2 >= n + cost)
    pulls, ones, zeros = [0] * k, [1] * k, [1] * k
    while True:
        arm = largest([told(ones[j], zeros[j]) for j in range(k)])
        n, total = max(first, pulls[arm]), 0.0
        for _ in range(n):
            total += yield arm
        up, down = (math.floor(-math.log(1 - noise.random()) / epsilon) for _ in range(2))
        worth, pulls[arm] = max(1, math.floor(n**2 / (n + cost))), pulls[arm] + n
        of_them = min(math.floor(worth * max(0, min(n, total + up - down)) / n + noise.random()), worth)
        ones[arm], zeros[arm] = ones[arm] + of_them, zeros[arm] + worth - of_them


def all_or_nothing(k, noise, delta):
    ones, zeros = [1] * k, [1] * k
    while True:
        for _ in range(math.floor(math.log(1 - noise.random()) / math.log(1 - delta))):
            yield largest([told(ones[j], zeros[j]) for j in range(k)])
        arm = largest([told(ones[j], zeros[j]) for j in range(k)])
        x = yield arm
        ones[arm], zeros[arm] = ones[arm] + x, zeros[arm] + 1 - x


MADE = {
    "lazy ucb": (lambda e: LazyUCB(e), lazy_ucb),
    "lazy dp ts": (lambda e: LazyDPTS(e), lazy_dp_ts),
    "dp ts": (lambda e: DPTS(e), dp_ts),
    "dp ts ucb": (lambda e: DPTSUCB(e, horizon=HORIZON, delta=DELTA), dp_ts_ucb),
    "adac ucb": (lambda e: AdaCUCB(e, delta=DELTA), adac_ucb),
    "discrete se": (lambda e: DiscreteSE(e, horizon=HORIZON), discrete_se),
    "dp imed": (lambda e: DPIMED(e), dp_imed),
    "one draw": (lambda e: OneDraw(e, horizon=HORIZON), one_draw),
    "all or nothing": (lambda e: AllOrNothing(delta=e / 20), lambda k, noise, e: all_or_nothing(k, noise, e / 20)),
}
RIVALS = pytest.mark.parametrize("name", MADE)


@RIVALS
@pytest.mark.parametrize("epsilon", [0.7, 4.0])
def test_it_plays_as_its_pseudo_code(name, epsilon):
    made, plain = MADE[name]
    for replication in range(3):
        env, _, noise = streams(5, replication)
        learner = made(epsilon).start(ARMS, Told(), noise)
        other = plain(ARMS.n_arms, streams(5, replication).noise, epsilon)
        wanted = next(other)
        for t in range(HORIZON):
            (arm,) = learner.ask()
            assert arm == wanted, f"round {t + 1}"
            reward = float(env.random() < ARMS.means[arm])
            learner.tell([reward])
            wanted = other.send(reward)


PLAYED = {name: make for name, (make, _) in MADE.items()} | {"known noise": lambda e: KnownNoise(e, horizon=HORIZON)}


@pytest.mark.parametrize("make", PLAYED.values(), ids=PLAYED)
def test_it_can_be_played_repeated_and_compared_and_it_learns(make):
    policy = make(1.0)
    check_policy(policy, ARMS, horizon=700)
    assert type(policy).__name__ in rivals.__all__
    bibliography = Path(__file__).parents[1].joinpath("book", "references.bib").read_text(encoding="utf-8")
    assert not policy.paper or f"{{{policy.paper}," in bibliography
    late = trace(Arms.bernoulli([0.1, 0.9]), make(8.0), horizon=HORIZON, seed=2)[2000:, 0]
    assert late.mean() > 0.9


@RIVALS
def test_without_privacy_no_noise_is_drawn(name):
    policy = MADE[name][0](math.inf) if name != "all or nothing" else None
    if policy is None or name == "dp ts ucb":  # its samples are its exploration
        return
    noise = streams(4, 0).noise
    learner = policy.start(ARMS, streams(4, 0).choice, noise)
    for _ in range(200):
        learner.ask()
        learner.tell([1.0])
    assert noise.random() == streams(4, 0).noise.random() and math.isinf(policy.privacy.epsilon)


def _noise(policy, pulls, read, n_arms=1):
    """What `read` finds of a policy after the first pulls, whose rewards are all 0, in 2,000 runs."""
    found = []
    for run in range(2000):
        learner = policy.start(Arms.bernoulli([0.0] * n_arms), *streams(9, run)[1:])
        for _ in range(pulls):
            learner.ask()
            learner.tell([0.0])
        found.append(read(learner))
    return np.array(found)


E = 0.8
SIGMA = 1 / math.sqrt(2 * AdaCUCB(E, delta=DELTA).privacy.rho)
SCALES = {  # policy, pulls, what it released of a sum, and the law that keeps the promise
    "lazy ucb": (LazyUCB(E), 3, lambda a: 2 * a.means[0], scipy.stats.laplace, 1 / E),
    "lazy dp ts": (LazyDPTS(E), 3, lambda a: 2 * a.means[0], scipy.stats.laplace, 1 / E),
    "dp ts, sum": (DPTS(E), 1, lambda a: a.totals[0], scipy.stats.laplace, 2 / E),
    "dp ts, a node of two levels": (DPTS(E), 4, lambda a: a.nodes[0][1], scipy.stats.laplace, 4 / E),
    "dp ts, a node of three levels": (DPTS(E), 8, lambda a: a.nodes[0][1], scipy.stats.laplace, 6 / E),
    "dp imed": (DPIMED(E), 1, lambda a: a.sums[0], scipy.stats.laplace, 1 / E),
    "adac ucb": (AdaCUCB(E, delta=DELTA), 2, lambda a: a.means[0], scipy.stats.norm, SIGMA),
}


@pytest.mark.parametrize("name", SCALES)
def test_noise_has_the_scale_that_keeps_the_promise(name):
    policy, pulls, read, law, scale = SCALES[name]
    found = _noise(policy, pulls, read)
    assert scipy.stats.kstest(found, law(0.0, scale).cdf).pvalue > 1e-4
    for wrong in (scale / 2, 2 * scale):
        assert scipy.stats.kstest(found, law(0.0, wrong).cdf).pvalue < 1e-20


def test_discrete_noise_has_the_law_that_keeps_the_promise():
    found = _noise(DiscreteSE(E, horizon=9), 2, lambda a: 2 * a.means[0], n_arms=2).astype(int)
    places = np.arange(-6, 7)
    counts = [(np.clip(found, -6, 6) == z).sum() for z in places]

    def pvalue(epsilon):
        law = scipy.stats.dlaplace(epsilon)
        tail = law.cdf(-6)
        return scipy.stats.chisquare(counts, 2000 * np.array([tail, *law.pmf(places[1:-1]), tail])).pvalue

    assert pvalue(E) > 1e-4 and pvalue(2 * E) < 1e-20 and pvalue(E / 2) < 1e-20


def _delta(mu, epsilon):
    """Delta of Gaussian privacy mu: Dong, Roth and Su (2022), Corollary 1."""
    high, low = scipy.stats.norm.cdf([mu / 2 - epsilon / mu, -mu / 2 - epsilon / mu])
    return high - math.exp(epsilon) * low


def test_gaussian_guarantees_are_exact():
    policy = AdaCUCB(E, delta=DELTA)
    assert _delta(1 / policy.sigma, E) == pytest.approx(DELTA, rel=1e-9) and SIGMA == pytest.approx(policy.sigma)
    for alpha, horizon in ((1.0, 10**5), (0.5, 10**4), (0.0, 1000)):
        policy = DPTSUCB(E, horizon=horizon, delta=DELTA, alpha=alpha)
        pulls, samples = policy.first, []
        for run in range(60):
            learner = policy.start(Arms.bernoulli([0.0]), *streams(3, run)[1:])
            for _ in range(pulls):
                learner.ask()
                learner.tell([0.0])
            samples += [*learner.ahead[:-1, 0]]
        mu = math.sqrt(policy.samples) / (pulls * np.std(samples))  # a reward moves a mean by 1 / pulls
        assert len(samples) == 60 * policy.samples
        assert mu == pytest.approx(math.sqrt(2 * policy.privacy.rho), rel=0.03)
        exact, paid = math.sqrt(2 * policy.privacy.rho), policy.privacy.effective_epsilon
        assert _delta(exact, paid) == pytest.approx(DELTA, rel=1e-6) and 0.9 * E < paid <= E
        if pulls > 1:
            assert _delta(exact * math.sqrt(pulls / (pulls - 1)), E) > DELTA  # a pull fewer breaks the promise
    assert DPTSUCB(math.inf, horizon=1000, delta=DELTA).first == 1


def test_the_largest_sample_is_a_bound_as_often_as_its_constant_promises():
    """With a mean that is too small by sqrt(ln(T) / n), as of the docstring."""
    for alpha in (0.0, 0.5, 1.0):
        for horizon in (10, 1000, 10**6):
            policy, log = DPTSUCB(1.0, horizon=horizon, delta=DELTA, alpha=alpha), math.log(horizon)
            below = scipy.stats.norm.cdf(math.sqrt(log / policy.variance)) ** policy.samples
            assert below <= 1 / horizon


@pytest.mark.parametrize("problem", [ARMS, LISTS, SETS], ids=["arms", "lists", "sets"])
def test_all_or_nothing(problem):
    """As of one who is told by chance: what is sent is the feedback with probability delta, and without it nothing."""
    policy = AllOrNothing(delta=0.2)
    check_policy(policy, problem, horizon=500)
    learner, clear, ones = policy.start(problem, *streams(7, 0)[1:]), 0, np.ones(problem.n_arms)
    for t in range(5000):
        order = learner.ask()
        assert len({*order}) == problem.list_size
        feedback = [float((t + item) % 3 == 0) for item in order[: 1 + t % len(order)]]
        if (sent := learner.tell(feedback)) != -1.0:
            assert sent == feedback
            clear += 1
            for item, weight in zip(order, feedback, strict=False):
                ones[item] += weight
    assert scipy.stats.binomtest(clear, 5000, 0.2).pvalue > 1e-4
    np.testing.assert_array_equal(learner.ones, ones)
    assert (policy.privacy.epsilon, policy.privacy.delta, policy.privacy.trust) == (0.0, 0.2, "local")


@pytest.mark.parametrize("policy", [LazyDPTS(1.0), AllOrNothing(delta=0.01)], ids=["lazy dp ts", "all or nothing"])
def test_draws_of_coming_rounds_have_the_law_of_those_of_one(policy):
    """Until something is released, arms are played as often as independent draws play them."""
    problem, counts = Arms.bernoulli([0.0, 0.0, 0.0]), np.zeros(3)
    learner = policy.start(problem, *streams(2, 0)[1:])
    if isinstance(policy, LazyDPTS):
        for _ in range(3):
            learner.ask()
            learner.tell([0.0])
        learner.means, learner.used, learner.level = np.array([0.2, 0.5, 0.1]), np.array([4.0, 4.0, 8.0]), 0.0
        learner.coming = learner._coming(4)
        laws = [(1.8, 4.2), (3.0, 3.0), (1.8, 8.2)]
    else:
        learner.ones, learner.zeros = np.array([1.8, 3.0, 1.8]), np.array([4.2, 3.0, 8.2])
        laws = [*zip(learner.ones, learner.zeros, strict=True)]
    for _ in range(20_000):
        counts[learner.ask()] += 1
    rng = np.random.default_rng(1)
    draws = np.array([rng.beta(a, b, 20_000) for a, b in laws])
    again = np.bincount(draws.argmax(axis=0), minlength=3)
    assert scipy.stats.chi2_contingency([counts, again]).pvalue > 1e-4


@pytest.mark.parametrize(("epsilon", "first"), [(0.5, 60), (2.0, 12), (math.inf, 30)])
def test_known_noise_has_the_posterior_of_the_sums_that_are_released(epsilon, first):
    """Against all sums and the exact noise, whose first draw is the one of the same stream."""
    means = np.sin(np.pi * (np.arange(4000) + 0.5) / 8000) ** 2
    learner, z = KnownNoise(epsilon, horizon=HORIZON, first=first).start(ARMS, *streams(6, 1)[1:]), 0
    for t in range(first):
        learner.ask()
        learner.tell([float(t % 5 > 0)])
    if math.isfinite(epsilon):
        up, down = (math.floor(-math.log(1 - u) / epsilon) for u in streams(6, 1).noise.random(2))
        z = up - down
    sums, released = np.arange(first + 1), sum(t % 5 > 0 for t in range(first)) + z
    noise = np.exp(-epsilon * np.abs(released - sums)) if math.isfinite(epsilon) else sums == released
    exact = scipy.stats.binom.pmf(sums[:, None], first, means).T @ noise * np.sqrt(means * (1 - means))
    (arm,) = np.nonzero(learner.pulls)[0]
    found = np.diff(learner.below[arm], prepend=0.0)
    wanted = exact.reshape(400, 10).sum(axis=1) / exact.sum()
    assert np.abs(found - wanted).sum() / 2 < 0.03
    flat = np.diff(learner.below[arm - 1], prepend=0.0)  # nothing is known of another arm
    assert np.abs(flat - np.diff(np.sin(np.linspace(0, np.pi / 2, 401)) ** 2)).max() < 1e-12
