"""The auditor: exact answers against closed forms and oracles, runs against what they may certify, known breaches."""

from __future__ import annotations

import dataclasses
import math
from itertools import product

import numpy as np
import pytest
import scipy
from dp_accounting.pld import privacy_loss_distribution

from private_bandits.baselines import dp_se, kl_ucb_cf, ldp_ucb_response
from private_bandits.mechanisms import gaussian_sigma
from private_bandits.papers import cascading, heavy_tailed, semibandits
from private_bandits.papers.definitions.finite_policies import Greedy, LocallyPrivate, Response, Retraction
from private_bandits.policy import Player
from private_bandits.privacy import AddedNoise, Guarantee, audit, concentrated_epsilon, deltas, exact_loss, table_laws
from private_bandits.privacy.accounts import account
from private_bandits.privacy.audit import FULL_SEARCH
from private_bandits.privacy.fixed_rewards import on_tables
from private_bandits.privacy.sampled import _tails, certified_loss, lower_end
from private_bandits.problems import Arms, LinearContext, SemiBandit
from private_bandits.simulation import trace
from private_bandits.streams import streams
from private_bandits_book.pages.algorithms import listed

CASCADE = cascading.b_lb(8, 3, 0.4, 0.3)
ARMS = Arms.bernoulli([0.5, 0.4, 0.3])
SETS = SemiBandit.top_k([0.5, 0.4, 0.3, 0.2], 2)


def laplace(scale):
    return lambda x, rng: x + rng.laplace(0.0, scale)


# exact


@pytest.mark.parametrize("delta", [0.0, 0.05, 0.3])
def test_a_channels_loss_is_that_of_its_worst_event(delta):
    channel = np.random.default_rng(3).dirichlet(np.ones(5), size=3)
    found = audit(channel, delta=delta)
    i, j = found.witness
    events = [np.array(event, bool) for event in product((0, 1), repeat=5)]
    gaps = [channel[i][e].sum() - math.exp(found.epsilon_low) * channel[j][e].sum() for e in events]
    assert max(gaps) == pytest.approx(delta, abs=1e-12) and found.exact and found.epsilon_high == found.epsilon_low
    for i, j in product(range(3), repeat=2):
        gaps = [channel[i][e].sum() - math.exp(found.epsilon_low) * channel[j][e].sum() for e in events]
        assert max(gaps) <= delta + 1e-12


def test_a_channel_that_excludes_an_output_pays_infinity_up_to_that_delta():
    channel = [[0.9, 0.1], [1.0, 0.0]]
    assert audit(channel).epsilon_low == math.inf and audit(channel, promised=1.0).verdict == "breaks its promise"
    assert audit(channel, delta=0.1).epsilon_low == pytest.approx(0.0, abs=1e-12)
    rounded = [[0.1, 0.2, 0.7], [0.0, 0.0, 1.0]]  # 0.1 + 0.2 is above 0.3
    assert audit(rounded, delta=0.3).epsilon_low == pytest.approx(0.0, abs=1e-9)


class Drawn:
    """Random play given pulls and sums, some arms impossible."""

    rewards, signal, channel, n_arms = (0, 1), None, None, 2

    def __init__(self, seed):
        self.table = np.random.default_rng(seed).dirichlet(np.ones(2), size=(8, 8, 8, 8))
        # impossible whatever was paid: no loss is infinite, and some states are never reached
        self.table[np.random.default_rng(seed + 100).random((8, 8)) < 0.4] = (1.0, 0.0)

    def law(self, pulls, sums):
        return self.table[pulls[..., 0], pulls[..., 1], sums[..., 0], sums[..., 1]]

    def probabilities(self, history):
        state = np.zeros((2, 2), int)
        for arm, reward in history:
            state[:, arm] += 1, reward
        return self.law(*state)


def test_a_finite_policy_is_enumerated():
    found = audit(Response(1.0, n_arms=2), horizon=7, promised=5.9)
    assert found.epsilon_low == pytest.approx(6.0) == exact_loss(Response(1.0, n_arms=2), 7)
    assert (found.method, found.high_by, found.verdict) == ("enumeration", "exact", "breaks its promise")
    assert audit(Response(1.0, n_arms=2), horizon=7, promised=6.0).verdict == "keeps its promise"


@pytest.mark.parametrize("delta", [0.01, 0.1, 0.4])
def test_delta_over_tables_is_that_of_every_pair_of_tables(delta):
    policy, rounds = Drawn(1), 3
    laws = table_laws(policy, rounds).reshape(4, 4, -1)
    worst = max(
        deltas.law_loss(laws[x], laws[y], delta)
        for x, y in product(product(range(4), repeat=2), repeat=2)
        if sum(a != b for a, b in zip(x, y, strict=True)) == 1
    )
    assert audit(policy, horizon=rounds, delta=delta).epsilon_low == pytest.approx(worst, rel=1e-12)


def test_views_of_a_finite_policy():
    local = LocallyPrivate(Greedy(n_arms=2), 1.0)
    assert audit(local, horizon=3, view="messages").epsilon_low == pytest.approx(1.0)
    assert audit(Greedy(n_arms=2), horizon=3, view="messages").epsilon_low == math.inf
    retraction = Retraction(1.0, slack=0.01)
    assert audit(retraction, horizon=3, promised=1.0).verdict == "keeps its promise"


@pytest.mark.parametrize("delta", [1e-6, 1e-3, 0.1])
@pytest.mark.parametrize(("noise", "scale"), [("laplace", 0.8), ("gaussian", 2.0)])
def test_added_noise_pays_what_an_independent_accountant_says(noise, scale, delta):
    found = audit(AddedNoise(noise, scale), neighbours=[(0.0, 1.0)], delta=delta)
    make = getattr(privacy_loss_distribution, f"from_{noise}_mechanism")
    theirs = make(scale, value_discretization_interval=1e-4).get_epsilon_for_delta(delta)
    assert found.exact and theirs - 1e-3 <= found.epsilon_low <= theirs + 1e-9


def test_added_noise_has_closed_forms():
    sigma = gaussian_sigma(1.0, delta=1e-3, sensitivity=5.0)
    noise = AddedNoise("gaussian", sigma)
    assert noise.loss([0.0, 0.0], [3.0, 4.0], 1e-3) == pytest.approx(1.0)
    assert noise.loss(0.0, 1.0) == math.inf and noise.loss(1.0, 1.0) == 0.0
    noise = AddedNoise("laplace", 1.0)
    assert noise.loss(0.0, 1.0, 0.1) == noise.loss([0.0, 2.0], [1.0, 2.0], 0.1) == pytest.approx(1 + 2 * math.log(0.9))
    assert noise.loss([0.0, 0.0], [1.0, -2.0]) == 3.0


def test_what_has_no_closed_form_is_run():
    pair = [([0.0, 0.0], [1.0, 1.0])]
    found = audit(AddedNoise("laplace", 1.0), neighbours=pair, delta=1e-3, promised=2.0)
    assert AddedNoise("laplace", 1.0).loss(*pair[0], 1e-3) is None
    assert (found.method, found.exact, found.high_by) == ("sampled", False, "none") and 1.0 < found.epsilon_low < 2.0
    none = audit(AddedNoise("laplace", 1.0), neighbours=pair, delta=1e-3, runs=0, accounted=2.0)
    assert (none.method, none.epsilon_low, none.epsilon_high, none.high_by) == ("accounting", 0.0, 2.0, "accounting")
    assert audit(AddedNoise("laplace", 1.0), neighbours=pair, runs=0).epsilon_low == 2.0


# what runs certify


def test_certified_losses_are_clopper_and_pearson():
    beta = scipy.stats.beta
    low, high = beta.ppf(0.025, 160, 2500 - 160 + 1), beta.ppf(0.975, 4, 2500 - 3)
    assert certified_loss(hits=160, others=3, runs=2500, delta=0.01, alpha=0.05) == pytest.approx(
        math.log((low - 0.01) / high)
    )
    assert certified_loss(hits=5000, others=0, runs=5000, alpha=0.05) == pytest.approx(math.log(5000 / 3.69), abs=1e-3)


@pytest.mark.parametrize(("runs", "p", "loss", "delta"), [(60, 0.5, 1.0, 0.0), (60, 0.9, 0.5, 0.05)])
def test_a_lower_end_is_above_the_loss_in_one_case_of_twenty_at_most(runs, p, loss, delta):
    """By all pairs of counts, at the edge of the loss that is to be covered."""
    q, law, counts = (p - delta) / math.exp(loss), scipy.stats.binom, np.arange(runs + 1)
    first, second = law.pmf(counts, runs, p), law.pmf(counts, runs, q)
    pairs = [(k, j) for k, j in product(counts, counts) if first[k] * second[j] > 1e-6]
    seen = {"runs": runs, "delta": delta, "alpha": 0.05}
    above = [first[k] * second[j] for k, j in pairs if lower_end(hits=int(k), others=int(j), **seen) > loss]
    assert 0.01 < sum(above) < 0.05


@pytest.mark.parametrize("counts", [np.arange(300.0, 400.0), np.array([0.0, 900.0, 1501.0])], ids=["near", "far"])
def test_tails_of_binomial_laws_are_scipys(counts):
    p = np.linspace(0.0, 1.0, 9)[:, None]
    np.testing.assert_allclose(_tails(counts, 1500, p), scipy.stats.binom.sf(counts - 1, 1500, p), rtol=1e-10)


def test_one_test_of_both_counts_is_as_sharp_as_two_intervals_of_more_runs():
    few, more = {"runs": 1500, "alpha": 0.05}, {"runs": 2400, "alpha": 0.05}
    assert lower_end(hits=750, others=276, **few) > certified_loss(hits=1200, others=442, **more)
    for k, j in ((450, 15), (75, 27), (1350, 495), (1500, 0), (750, 0)):
        assert lower_end(hits=k, others=j, **few) > certified_loss(hits=k, others=j, **few) + 0.02


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 4.0])
def test_no_more_than_the_truth_is_certified_and_halved_noise_is_found(epsilon):
    right = [audit(laplace(1 / epsilon), neighbours=[(0.0, 1.0)], seed=s, promised=epsilon) for s in range(12)]
    halved = [audit(laplace(0.5 / epsilon), neighbours=[(0.0, 1.0)], seed=s, promised=epsilon) for s in range(12)]
    assert sum(found.epsilon_low > epsilon for found in right) <= 1
    assert {found.verdict for found in right} <= {"consistent", "suspect"}
    assert {found.verdict for found in halved} == {"breaks its promise"}
    assert sum(found.epsilon_low > 2 * epsilon for found in halved) <= 2
    assert np.median([found.epsilon_low for found in right]) > 0.8 * min(epsilon, math.log(5000 / 3.69) - 2) - 0.05


def test_the_pair_is_searched_and_named():
    leaky = laplace(1.0)
    pairs = [(0.0, 0.1), (0.0, 0.2), (0.5, 3.0), (0.0, 0.3)]
    found = audit(leaky, neighbours=pairs)
    assert sorted(found.witness) == [0.5, 3.0] and found.epsilon_low > 2.0 and not found.exact
    assert found.event.hits > 5 * found.event.others and found.event.runs == 5000


def test_an_upper_end_is_an_account_that_runs_do_not_refute():
    ends = audit(laplace(1.0), neighbours=[(0.0, 1.0)], promised=1.0, accounted=1.0)
    assert (ends.epsilon_high, ends.high_by, ends.verdict) == (1.0, "accounting", "keeps its promise")
    ends = audit(laplace(0.5), neighbours=[(0.0, 1.0)], promised=1.0, accounted=1.0)
    assert (ends.epsilon_high, ends.high_by, ends.verdict) == (math.inf, "none", "breaks its promise")
    ends = audit(laplace(1.0), neighbours=[(0.0, 1.0)], promised=1.0)
    assert (ends.epsilon_high, ends.high_by, ends.verdict) == (math.inf, "none", "consistent")


# policies on tables


@pytest.mark.parametrize(
    ("policy", "problem"),
    [
        (cascading.ucb_laplace(1.0, list_size=3), CASCADE),
        (semibandits.cucb_ldp1(1.0, list_size=2, variant="repaired"), SETS),
        (dp_se(1.0, n_arms=3, horizon=4000), ARMS),
        (kl_ucb_cf(1.0), ARMS),
    ],
)
def test_a_table_of_constant_rows_is_played_as_simulate_plays_those_means(policy, problem):
    row, horizon = (np.arange(problem.n_arms) % 2).astype(float), 400
    tables = on_tables(policy, problem, horizon, "actions")
    (found,) = tables.draw(np.tile(row, (horizon, 1)), 0, 1, streams(5, 0))
    same = type(problem)(row, problem.list_size) if problem is not CASCADE else type(problem)(row, 3)
    wanted = trace(same, policy, horizon=horizon, seed=5)[:, :-1]
    assert np.array_equal(found[problem.n_arms :].reshape(wanted.shape), wanted)


@pytest.mark.parametrize("policy", [ldp_ucb_response(math.inf), kl_ucb_cf(math.inf)])
def test_a_message_is_what_the_users_own_round_adds(policy):
    rows = np.random.default_rng(2).integers(0, 2, size=(30, 3)).astype(float)
    (seen,) = on_tables(policy, ARMS, 30, "actions").draw(rows, 0, 1, streams(3, 0))
    for user in range(30):
        (sent,) = on_tables(policy, ARMS, 30, "messages").draw(rows, user, 1, streams(3, 0))
        assert sent.tolist() == [1.0, rows[user, seen[ARMS.n_arms + user]]]


def test_an_epoch_gets_the_sums_of_its_rows():
    rows = np.random.default_rng(4).integers(0, 2, size=(6000, 2)).astype(float)
    tables = on_tables(dp_se(math.inf, n_arms=2, horizon=6000), Arms.bernoulli([0.5, 0.5]), 6000, "state")
    (state,) = tables.draw(rows, 0, 1, streams(3, 0))
    share = int(state[0])
    assert state[2] == pytest.approx(rows[0 : 2 * share : 2, 0].mean(), abs=1e-12)
    assert state[3] == pytest.approx(rows[1 : 2 * share : 2, 1].mean(), abs=1e-12)


@pytest.mark.parametrize("large", [0.25, 0.5, 1e6])
def test_a_reward_that_an_epoch_truncates_counts_as_nothing(large):
    problem, policy = heavy_tailed.setting(1, 0.5), heavy_tailed.adap_robust_ucb(math.inf, v=0.5, u=1.0, horizon=40)
    record = heavy_tailed.adap_robust_ucb(1.0, v=0.5, u=1.0, horizon=40).record._replace(scale=0.0)
    policy = dataclasses.replace(policy, record=record)
    rows = np.zeros((40, problem.n_arms))
    rows[0, 0] = large
    (state,) = on_tables(policy, problem, 40, "state").draw(rows, 0, 1, streams(3, 0))
    threshold = record.truncation**record.truncation_power  # of an episode of one pull
    assert state[problem.n_arms] == (large if large <= threshold else 0.0)


@pytest.mark.parametrize(
    ("policy", "problem", "horizon"),
    [
        (cascading.repaired_local(1.0, list_size=3), CASCADE, 2),
        (semibandits.cucb_dp(1.0, list_size=2, n_arms=4, horizon=1000, variant="repaired"), SETS, 12),
        (kl_ucb_cf(1.0), ARMS, 1),
    ],
)
def test_what_is_right_comes_out_right(policy, problem, horizon):
    found = audit(policy, problem=problem, horizon=horizon, runs=6000)
    assert found.epsilon_low <= 1.0 and found.verdict == "keeps its promise" and found.high_by == "accounting"


class Played:
    """Random play; the round after the leaked reward plays what `told` makes of the arms and rewards before it."""

    name, privacy = "played", Guarantee.certified(1.0, 1.0, "central", "says so")

    def __init__(self, told):
        self.told = told

    def start(self, problem, choice, noise):
        self.choice, self.seen, self.next = choice, [], None
        return self

    def ask(self):
        self.arm = int(self.choice.integers(3)) if self.next is None else int(self.next)
        return [self.arm]

    def tell(self, feedback):
        self.seen.append((self.arm, int(feedback[0])))
        self.next = self.told(self.seen)


AT_RANDOM = Played(lambda seen: None)
LEAKS = {
    "the first user": lambda seen: seen[0][1] if len(seen) == 1 else None,
    "the last round only": lambda seen: seen[-1][1] if len(seen) == 19 else None,
    "arm 3 of user 17": lambda seen: seen[-1][1] if len(seen) == 17 and seen[-1][0] == 2 else None,
    "arm 3 of user 17, ten rounds later": lambda seen: seen[16][1] if len(seen) == 26 and seen[16][0] == 2 else None,
    "a difference of two users": lambda seen: 1 if len(seen) == 10 and seen[9][1] != seen[8][1] else None,
    "behind the mask of an arm": lambda seen: seen[4][1] ^ min(seen[1][0], 1) if len(seen) == 5 else None,
    "parity of all": lambda seen: sum(reward for _, reward in seen) % 2 if len(seen) == 19 else None,
}


@pytest.mark.parametrize("told", LEAKS.values(), ids=LEAKS)
def test_a_leak_is_found_that_another_arm_or_user_hides(told):
    found = audit(Played(told), problem=ARMS, horizon=28, runs=6000)
    assert found.epsilon_low > 2.0 and found.verdict == "breaks its promise"


def test_what_is_observed_before_the_first_round_is_a_message_of_its_own():
    rows = np.random.default_rng(2).integers(0, 2, size=(4, 8)).astype(float)
    policy, problem = (
        cascading.cucb_gaussian(1.0, delta=1e-3, n_arms=8, list_size=3),
        SemiBandit.top_k(CASCADE.means, 3),
    )
    (first,) = on_tables(policy, problem, 4, "messages").draw(rows, 0, 1, streams(3, 0))
    (second,) = on_tables(policy, problem, 4, "messages").draw(rows, 1, 1, streams(3, 0))
    assert first[:8].tolist() == rows[0].tolist() and first[8:11].tolist() == [1.0] * 3 and len(first) == 14
    assert second[:3].tolist() == [1.0] * 3 and len(second) == 6
    found = audit(policy, problem=problem, horizon=2, delta=1e-3, runs=6000)  # the sum of both is private
    assert found.epsilon_low > 4.0 and found.verdict == "breaks its promise"


class Counting(Player):
    """A learner that tells how often it was told, since it was made, and never begins anew."""

    name = "counting"

    told = 0

    def start(self, problem, choice, noise):
        return self

    def ask(self):
        return [0]

    def tell(self, feedback):
        self.told += 1
        return self.told


def test_a_policy_in_python_is_played_as_a_copy_as_simulate_does():
    found = audit(Counting(), problem=ARMS, horizon=2, view="messages", promised=1.0, runs=400)
    assert (found.event.hits, found.event.others) in ((100, 100), (0, 0))


def test_an_accusation_takes_more_than_a_lower_end():
    """Noise that is a little too small: seen with a confidence of 95 %, but for an accusation only by more runs."""
    found = [audit(laplace(0.9), neighbours=[(0.0, 1.0)], promised=1.0, seed=s) for s in range(6)]
    assert {"suspect"} < {each.verdict for each in found} <= {"suspect", "consistent", "breaks its promise"}
    assert all(each.epsilon_low > 1.0 for each in found if each.verdict == "suspect")
    more = audit(laplace(0.9), neighbours=[(0.0, 1.0)], promised=1.0, runs=200_000)
    assert more.verdict == "breaks its promise"


def test_what_a_learner_says_of_itself_is_no_account():
    found = audit(AT_RANDOM, problem=ARMS, horizon=5, runs=6000)
    assert (found.promised, found.epsilon_high, found.high_by) == (1.0, math.inf, "none")
    assert found.verdict == "consistent"


class InClear(AddedNoise):
    def __call__(self, data, rng):
        return np.asarray(data, dtype=float)


def test_a_subclass_of_added_noise_is_run():
    found = audit(InClear("laplace", 1.0), neighbours=[(0.0, 1.0)], promised=1.0)
    assert found.method == "sampled" and found.verdict == "breaks its promise"


PARTS = ("LinUCB, private rewards", "Private rewards", "LinUCB, joint privacy")  # not about a user's whole message


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 4.0])
def test_an_account_is_that_of_the_records_numbers_and_is_what_the_policy_says(epsilon):
    checked = 0
    for _, policy in listed(epsilon, 1e-3):
        paid, local = account(policy, policy.privacy.delta)
        parts = policy.name in PARTS
        known = pytest.approx(math.inf if parts else policy.privacy.effective_epsilon, rel=1e-9)
        assert paid == known
        assert policy.privacy.trust == "none" or local == (policy.privacy.trust == "local")
        checked += math.isfinite(paid)
    assert checked > 30


def test_an_account_does_not_listen_to_the_policy():
    clear = ldp_ucb_response(8.0)
    clear = dataclasses.replace(clear, record=clear.record._replace(flip=0.0))
    found = audit(clear, problem=ARMS, horizon=1, runs=6000)
    assert (found.epsilon_high, found.verdict) == (math.inf, "consistent")
    less = cascading.repaired_local(1.0, list_size=3)
    less = dataclasses.replace(less, record=less.record._replace(flip=0.9 * less.record.flip))
    found = audit(less, problem=CASCADE, horizon=1, runs=0)
    assert found.epsilon_high > 1.0 and found.verdict == "consistent" and found.epsilon_low == 0.0


def test_a_promise_is_about_its_own_views_and_trust():
    central = semibandits.cucb_dp(1.0, list_size=2, n_arms=4, horizon=1000, variant="repaired")
    found = audit(central, problem=SETS, horizon=1, view="messages", runs=6000)
    assert found.epsilon_low > 1.0 and (found.promised, found.high_by) == (None, "none")
    found = audit(cascading.repaired_local(1.0, list_size=3), problem=CASCADE, horizon=2, view="actions", runs=6000)
    assert found.epsilon_low <= 1.0 and found.verdict == "keeps its promise"


def test_contextual_messages_are_those_of_the_loop():
    from private_bandits.papers import contextual

    context = LinearContext.sphere([0.6, 0.8], 1)
    users = [LinearContext.table([[[1.0, 0.0]]], [[mean]], noise=0.0) for mean in (-1.0, 1.0)]
    policy = contextual.ldp_linucb(8.0, delta=0.1, dim=2, horizon=100)
    found = audit(policy, problem=context, horizon=1, neighbours=[([users[0]], [users[1]])], delta=0.1, runs=8000)
    assert 0.5 < found.epsilon_low <= 8.0 and len(found.witness) == 2


def test_below_a_full_search_one_pair_is_searched_and_a_clear_leak_is_found():
    policy = cascading.ucb_laplace(1.0, list_size=3)  # the first observation is sent in clear
    found = audit(policy, problem=CASCADE, horizon=2, runs=400)
    assert found.verdict == "breaks its promise" and found.event.runs == 100
    right = audit(cascading.repaired_local(1.0, list_size=3), problem=CASCADE, horizon=2, runs=400)
    assert right.epsilon_low <= 1.0
    more, fewer = (len(on_tables(policy, CASCADE, 2, "messages").pairs(streams(0, 0), every)) for every in (1, 0))
    assert more > fewer == 1 and FULL_SEARCH == 5760  # as `audit` says


class Episode(Player):
    """Noisy means choose an arm; its episode ends when the exact sum of its rewards reaches 2."""

    name, privacy = "episode", Guarantee.certified(1.0, 1.0, "central", "says so")

    def start(self, problem, choice, noise):
        learner = Episode()
        learner.noise, learner.means = noise, noise.laplace(0.0, 1.0, problem.n_arms)
        learner.arm, learner.sum, learner.pulls = int(learner.means.argmax()), 0.0, 0
        return learner

    def ask(self):
        return [self.arm]

    def tell(self, feedback):
        self.sum, self.pulls = self.sum + feedback[0], self.pulls + 1
        if self.sum >= 2:
            self.means[self.arm] = (self.sum + self.noise.laplace()) / self.pulls
            self.arm, self.sum, self.pulls = int(self.means.argmax()), 0.0, 0


@pytest.mark.parametrize("seed", range(3))
def test_an_episode_that_ends_at_an_exact_sum_is_found_with_every_seed(seed):
    found = audit(Episode(), problem=ARMS, horizon=20, runs=6000, seed=seed)
    assert found.epsilon_low > 3.5 and found.verdict == "breaks its promise"


class Sends(Player):
    """Each reward is sent with Laplace noise of scale 1, after `before`."""

    name, privacy = "sends", Guarantee.certified(1.0, 1.0, "local", "says so")

    def __init__(self, before):
        self.before = before

    def start(self, problem, choice, noise):
        self.noise, self.sum = noise, 0.0
        return self

    def ask(self):
        return [0]

    def tell(self, feedback):
        message = self.before(feedback[0]) + self.noise.laplace()
        self.sum += message
        return message

    def state(self):
        return [self.sum]


class Concentrated(Sends):
    """Each reward is sent with Gaussian noise, of which a share of what rho needs."""

    def __init__(self, share, rho=0.5):
        self.scale, self.privacy = (
            share / math.sqrt(2 * rho),
            Guarantee.concentrated(rho, "local", "a reward", delta=1e-2),
        )

    def tell(self, feedback):
        return feedback[0] + self.noise.normal(0.0, self.scale)


@pytest.mark.parametrize("delta", [1e-2, 1e-3])
@pytest.mark.parametrize(("share", "verdict"), [(1.0, "consistent"), (0.2, "breaks its promise")])
def test_a_promise_of_rho_is_audited_at_its_epsilon_for_the_given_delta(share, verdict, delta):
    found = audit(Concentrated(share), problem=ARMS, horizon=1, delta=delta, runs=8000)
    assert (found.promised, found.verdict) == (concentrated_epsilon(0.5, delta=delta), verdict)
    proved = audit(Concentrated(1.0), problem=ARMS, horizon=1, delta=delta, runs=0, accounted=found.promised)
    assert proved.verdict == "keeps its promise"


def test_of_rho_nothing_is_promised_without_delta():
    found = audit(Concentrated(1.0), problem=ARMS, horizon=1, runs=400)
    assert (found.promised, found.verdict) == (None, "no promise")


@pytest.mark.parametrize("view", [None, "state"])
@pytest.mark.parametrize(
    ("policy", "reward", "breaks"),
    [
        (Sends(lambda x: min(x, 1.0)), 3.0, False),
        (Sends(lambda x: x), 3.0, True),  # not clipped
        (Sends(lambda x: x), 0.5, False),
    ],
)
def test_a_policy_in_python_shows_its_messages_and_its_state_on_any_rewards(view, policy, reward, breaks):
    tables = np.zeros((2, 2, 3))
    tables[1, 0] = reward
    asked = {"problem": ARMS, "horizon": 2, "view": view, "runs": 6000}
    found = audit(policy, neighbours=[(*tables,)], **asked)
    assert (found.verdict == "breaks its promise") == breaks and found.promised == 1.0
    assert audit(policy, **asked).verdict == "consistent"  # rewards 0 and 1


class OneNoise(Player):
    """One noisy number for all sums: the difference of two rounds has none."""

    name, privacy = "faulty", Guarantee.certified(1.0, 1.0, "local", "says so")

    def start(self, problem, choice, noise):
        self.choice, self.noise, self.sum, self.shown = choice, noise, noise.laplace(), np.zeros(1)
        return self

    def ask(self):
        return [0]

    def tell(self, feedback):
        self.sum += feedback[0]

    def state(self):
        return self.sum


class InPlace(OneNoise):
    """The first reward stands in an array that the next round clears."""

    def tell(self, feedback):
        self.shown[0] = feedback[0] if self.sum else 0.0
        self.sum = 0.0

    def state(self):
        return self.shown


class Mask(OneNoise):
    """A bit whose meaning depends on the arm."""

    def ask(self):
        self.arm = int(self.choice.integers(2))
        return [self.arm]

    def tell(self, feedback):
        return int(feedback[0]) ^ self.arm


class Clicks(OneNoise):
    """A noisy number for each place of the list, of which a click that moves changes two."""

    def ask(self):
        return [0, 1, 7]

    def tell(self, feedback):
        return np.eye(3)[len(feedback) - 1] * feedback[-1] + self.noise.laplace(0.0, 1.0, 3)


@pytest.mark.parametrize(
    ("policy", "problem", "view"),
    [(OneNoise(), ARMS, "state"), (InPlace(), ARMS, "state"), (Mask(), ARMS, None), (Clicks(), CASCADE, None)],
)
def test_what_only_two_rounds_the_arm_or_two_items_show_is_found(policy, problem, view):
    found = audit(policy, problem=problem, horizon=3, view=view, runs=12_000)
    assert found.verdict == "breaks its promise", str(found)


@pytest.mark.parametrize(
    "leaks",
    [
        lambda x, rng: math.nan if x else -math.inf,
        lambda x, rng: 1000 + 1e-6 * x + rng.integers(3),
        lambda x, rng: 1 + 1e-10 * x + rng.integers(3),
        lambda x, rng: x / 2 + np.round(rng.laplace(0.0, 50.0)),
        lambda x, rng: x / 3 + np.round(rng.laplace(0.0, 20.0)) / 10,
    ],
)
def test_nan_late_digits_and_a_lattice_of_many_atoms_are_told_apart(leaks):
    assert audit(leaks, neighbours=[(0, 1)], runs=20_000).epsilon_low > 6.5


def test_the_last_digits_of_noise_are_not_compared():
    """1 + noise has fewer digits than 0 + noise: floating point, and no fault of the mechanism."""
    found = audit(lambda x, rng: 0.1 + 0.2 if x else 0.3, neighbours=[(0, 1)], runs=4000)
    assert found.epsilon_low == 0.0
    assert audit(lambda x, rng: 1e300 * (x + rng.laplace()), neighbours=[(0.0, 1.0)]).epsilon_low <= 1.0


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"neighbours": None}, "neighbours"),
        ({"view": "letters"}, "view"),
        ({"neighbours": [(0.0, 1.0)] * 20, "runs": 4000}, "runs"),
        ({"target": lambda x, rng: "a"}, "target"),
        ({"target": heavy_tailed.quantile_se(1.0, beta=0.1), "problem": ARMS, "horizon": 5}, "target"),
        ({"target": dp_se(1.0, n_arms=3, horizon=100), "problem": ARMS, "horizon": 5, "view": "messages"}, "view"),
        ({"target": AT_RANDOM, "neighbours": None, "problem": ARMS, "horizon": 3, "view": "messages"}, "tell"),
        ({"target": Greedy(n_arms=2), "neighbours": None, "horizon": 50, "delta": 0.1}, "horizon"),
        ({"target": [[1.0, 0.0], [0.5, 0.5]], "neighbours": None, "accounted": 1.0}, "accounted"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(changed, named):
    given = {"target": laplace(1.0), "neighbours": [(0.0, 1.0)], "runs": 4000} | changed
    with pytest.raises(ValueError, match=named):
        audit(given.pop("target"), **given)
