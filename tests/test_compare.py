"""A reader's own policy in the benchmark: where it is ranked, what ends it, and what is left then."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from crash import tree

from private_bandits.baselines import adap_ucb, dp_se
from private_bandits.papers.contextual import joint_linucb
from private_bandits.papers.heavy_tailed import dp_robust_se
from private_bandits.policy import Player
from private_bandits.privacy import Guarantee
from private_bandits_book.book import Book
from private_bandits_book.chapters.comparison import comparing, studies
from private_bandits_book.chapters.comparison.entrants import ENTRANTS, Setting
from private_bandits_book.chapters.comparison.families import instances
from private_bandits_book.chapters.comparison.ranking import priced
from private_bandits_book.cli import main
from private_bandits_book.rivals import BatchByBatch, LazyDPTS, exceedance_counts, random_lines, threshold_ladder

ROOT = Path(__file__).parents[1]
HORIZON, RUNS, SLOW = 2000, 10, 5
OTHERS = ["DP-KLUCB", "AdaP-UCB, as proved", "DP-SE, as proved", "LDP-UCB-B"]
THEOREM = "Sajed and Sheffet (2019), Theorem 4.2"
AHEAD = r"ahead of \d, behind \d"
POLICY = """
from private_bandits.privacy import Guarantee

class Mine:
    name, mechanism, variant = "mine", "uniform", ""
    BEST, RAISES, ANSWER, RANDOM = max, 0, None, None

    def __init__(self, epsilon, horizon, delta=0.0, n_arms=2):
        assert delta == 1 / (10 * horizon)
        self.privacy = Guarantee.certified(epsilon, epsilon, "central", "it reads no reward")

    def start(self, problem, choice, noise):
        means = problem.means.tolist()
        self.t, self.n, self.arm = 0, len(means), means.index(type(self).BEST(means))
        return self

    def ask(self):
        self.t += 1
        if self.t == self.RAISES:
            raise self.ERROR("in round", self.t)
        if self.t > 150 and self.ANSWER is not None:
            return self.ANSWER
        return [self.t - 1 if self.t <= self.n else self.arm]

    def tell(self, feedback):
        pass

class Loser(Mine):
    BEST = min

class Unstated:
    def __init__(self):
        self.name = "unstated"

    start, ask, tell, BEST, RAISES, ANSWER = Mine.start, Mine.ask, Mine.tell, max, 0, None

class Leaking(Mine):
    def start(self, problem, choice, noise):
        self.sums, self.t, self.n = [0.0] * problem.n_arms, 0, problem.n_arms
        return self

    def ask(self):
        self.t += 1
        return [self.t - 1 if self.t <= self.n else self.sums.index(max(self.sums))]

    def tell(self, feedback):
        if self.t <= self.n:
            self.sums[self.t - 1] = feedback[0]
"""


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """A book whose benchmark has few others and short runs."""
    root = tmp_path_factory.mktemp("book")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(studies.SIZES, "arms", studies.Size(HORIZON, (500, 1000), RUNS, SLOW, 500, 2))
        rows = []
        for instance, problem in instances("arms").items():
            for name in ["Thompson", "UCB(0.5)", *OTHERS]:
                epsilon = 1.0 if name in OTHERS else np.inf
                how = {"numbers": ENTRANTS["arms"][name].grid[0]} if name in OTHERS else {}
                run = studies.run_of("arms", name, instance, Setting(problem, HORIZON), epsilon, RUNS, **how)
                rows.append(pd.DataFrame([run.labels]).join(studies.play(run)))
        (root / "book" / "data" / "comparison").mkdir(parents=True)
        pd.concat(rows).to_csv(root / "book" / "data" / "comparison" / "long-test-arms.csv", index=False)
        yield Book(root)


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(POLICY)
    return tmp_path


def compared(book, *words):
    return main(["compare", *words, "--problem", "arms"], book=book)


# Where it is ranked


@pytest.mark.parametrize(("policy", "place", "quick"), [("Mine", 0, []), ("Loser", -1, []), ("Loser", -1, ["--quick"])])
def test_who_is_told_the_best_arm_wins_and_who_is_told_the_worst_loses(policy, place, quick, book, here, capsys):
    assert compared(book, f"mine.py:{policy}", *quick) == 0
    out, err = capsys.readouterr()
    assert err == "" or err.endswith(" s so far\n")  # on a busy machine
    assert "neighbours look alike in actions of 30 rounds" in out and "consistent" not in out
    assert "arms (rewards 0 or 1), central, pure, tuned, epsilon = 1, T = 2,000" in out
    assert ("on so few nobody is ranked" in out) == bool(quick) == ("so ranks repeat" not in out)
    assert [line for line in out.splitlines() if line.startswith("->") and "mine (yours)" in line]
    folder = here / "runs" / f"compare-{policy}"
    assert out.splitlines()[-1] == str((folder / f"{policy}.html").relative_to(here))
    names = {"rows.csv", "ranking.csv", "provenance.json", f"{policy}.html"}
    assert {*tree(here)} == {"mine.py", "runs", f"runs/{folder.name}", *(f"runs/{folder.name}/{one}" for one in names)}
    ranking, rows = pd.read_csv(folder / "ranking.csv"), pd.read_csv(folder / "rows.csv")
    assert [*ranking["policy"]][place] == "mine (yours)" and ranking["yours"].sum() == 1
    assert {*ranking["policy"]} == {"mine (yours)", "DP-KLUCB", "LDP-UCB-B"}  # tuned, and central or more private
    assert {*ranking["guarantee"]} == {"central, pure", "local, pure"}
    if quick:
        assert "  beyond error " in out and "  rank  " not in out
        assert [*ranking.loc[ranking["yours"], "rank"]] == ["ahead of 0, behind 2"]
        assert ranking["rank"].str.fullmatch(AHEAD).all()
    else:
        assert "  rank  " in out and ranking["rank"].min() == 1
        assert (ranking.loc[ranking["yours"], "rank"] == ranking["rank"].max()).all() == (policy == "Loser")
    often, many = (2, 10) if quick else (SLOW, 30)
    assert len(rows) == many and {*rows["replications"]} == {often} and {*ranking["instances"]} == {many}
    page = (folder / f"{policy}.html").read_text()
    assert "mine (yours)" in page and "http" not in page and "<script" not in page
    assert set(json.loads((folder / "provenance.json").read_text())["contents"]) == names - {"provenance.json"}
    assert compared(book, f"mine.py:{policy}", "--quick") == 0  # in place of the earlier one
    (folder / "rows.csv").write_text("edited")
    assert compared(book, f"mine.py:{policy}", "--quick") == 2 and (folder / "rows.csv").read_text() == "edited"


def test_a_policy_of_the_benchmark_has_the_row_that_is_stored(book):
    stored = pd.read_csv(book.data("comparison") / "long-test-arms.csv")
    found = comparing.compare(adap_ucb, "arms", proved=THEOREM, rows=stored)
    columns = ["instance", "guarantee", "regret", "regret_se", "failed", "replications", "first"]
    theirs = stored.loc[stored["entrant"] == "AdaP-UCB, as proved", columns].reset_index(drop=True)
    pd.testing.assert_frame_equal(found.rows[columns], theirs, rtol=1e-12)
    assert theirs["regret_se"].median() > 0.1  # other seeds give other rows
    assert f"as proved ({THEOREM})" in found.said and {*found.ranking["class"]} == {"as proved"}
    both = found.ranking[found.ranking["yours"] | (found.ranking["policy"] == "AdaP-UCB, as proved")]
    assert len(both) == 2 and both["price"].nunique() == 1 and both["rank"].nunique() == 1


@pytest.mark.parametrize(
    ("policy", "word", "audited"),
    [
        ("Unstated", "unknown", "neighbours look alike"),
        ("Leaking", "refuted", "breaks its promise"),
        ("Open", "none", "not audited: it states that it is not private"),
        ("Silent", "not audited", "not audited: ValueError: view needs a learner whose tell() returns numbers"),
    ],
)
def test_who_is_not_private_for_all_that_is_known_stands_apart(policy, word, audited, book, here, capsys):
    more = "\nclass Open(Mine):\n    mechanism, __init__, privacy = 'none', lambda self: None, Guarantee.none()\n"
    more += "class Silent(Mine):\n    def __init__(self, epsilon):\n"
    more += "        self.privacy = Guarantee.certified(epsilon, epsilon, 'local', 'it sends nothing')\n"
    (here / "mine.py").write_text(POLICY + more)
    assert compared(book, f"mine.py:{policy}", "--quick", "-o", "out") == (word == "refuted")  # a failure of its own
    ranking = pd.read_csv(here / "out" / "ranking.csv")
    assert ranking["rank"].iloc[-1] == word and ranking["yours"].iloc[-1] and ranking["yours"].sum() == 1
    assert ranking["rank"].iloc[:-1].str.fullmatch(AHEAD).all()
    assert {*pd.read_csv(here / "out" / "rows.csv")["guarantee"]} == {word}
    assert audited in capsys.readouterr().out


def named(epsilon, n_arms, horizon):
    return dp_se(epsilon, n_arms=n_arms, horizon=horizon)


def test_who_makes_a_policy_may_name_its_theorem(book, monkeypatch):
    monkeypatch.setattr(named, "proved", THEOREM, raising=False)
    stored = pd.read_csv(book.data("comparison") / "long-test-arms.csv")
    found = comparing.compare(named, "arms", quick=True, rows=stored)
    assert f"as proved ({THEOREM})" in found.said and len(found.ranking) == 3


def test_who_states_a_delta_and_no_loss_is_shown_below_those_that_have_one(book):
    stored = pd.read_csv(book.data("comparison") / "long-test-arms.csv")
    approximate = stored["guarantee"].mask(stored["entrant"] == "LDP-UCB-B", "central, approximate")
    rows = priced(stored.assign(guarantee=approximate), "arms")
    mine = rows[rows["entrant"] == "DP-KLUCB"].assign(entrant="mine", guarantee="unknown")
    for delta, among in ((0.0, "central, pure"), (1e-6, "central, approximate")):
        policy = SimpleNamespace(
            name="mine", start=print, privacy=Guarantee(1, delta, None, None, None, None, "central", "ours")
        )
        found, told = comparing._ranking(pd.concat([rows, mine]), "unknown", False, 1.0, HORIZON, policy)
        assert told == among and found["policy"].iloc[-1] == "mine" and found["rank"].iloc[-1] == "unknown"


def counted(epsilon, horizon):
    return exceedance_counts(epsilon, horizon=horizon, threshold=0.5)


def rising(epsilon, horizon, order, moment):
    return dp_robust_se(epsilon, v=order - 1, u=moment, beta=1 / horizon)


class Fed(Player):
    """The action or arm of the largest reward so far, on two; `tell` sends it with noise, and `clip` away from 0."""

    name, mechanism, variant = "fed", "laplace", ""

    def __init__(self, epsilon, clip=1.0, noise=1.0, trust="local"):
        self.epsilon, self.clip, self.scale = epsilon, clip, noise * 2 * clip / epsilon
        self.privacy = Guarantee.certified(epsilon, epsilon, trust, "as it says", joint=trust == "central")

    def start(self, problem, choice, noise):
        self.noise, self.arm, self.best, self.last = noise, 0, 0, -np.inf
        return self

    def ask(self, actions=None):
        self.arm, self.first = 1 - self.arm, 0.0 if actions is None else float(actions[0, 0])
        return [self.best if self.last > 0 else self.arm]

    def tell(self, feedback):
        sent = min(max(feedback[0], -self.clip), self.clip) + (self.scale and self.noise.laplace(0.0, self.scale))
        if sent > self.last:
            self.best, self.last = self.arm, sent
        return [sent]


class TellsActions(Fed):
    def tell(self, feedback):
        return [*super().tell(feedback), self.first]


@pytest.mark.parametrize("kind", ["tails", "contexts"])
@pytest.mark.parametrize(
    ("make", "refuted"),
    [
        (Fed, False),
        (partial(Fed, noise=0.0), True),
        (partial(Fed, trust="central"), False),
        (partial(Fed, trust="central", noise=0.0), True),
    ],
    ids=["noisy", "clear", "curator", "clear to a curator"],
)
def test_what_reads_contexts_or_heavy_tails_is_audited(make, refuted, kind):
    word, found = comparing._audited(make, 1.0, [*instances(kind).values()][::3], True)
    fed = "rewards up to 1,000,000" if kind == "tails" else "rewards in [-2, 2]"
    assert word == "refuted" * refuted and fed in found and ("breaks its promise" in found) == refuted


def test_a_user_of_contexts_has_actions_to_hide():
    small = [*instances("contexts").values()][:1]
    assert comparing._audited(TellsActions, 1.0, small, True)[0] == "refuted"
    assert comparing._audited(TellsActions, 1.0, [*instances("pairs").values()][:1], True)[0] == ""  # all have the same


def test_messages_are_audited_at_the_delta_of_many_rounds():
    class Approximate(Fed):
        def __init__(self, epsilon, delta):
            super().__init__(epsilon)
            self.privacy = Guarantee.certified(epsilon, epsilon, "local", "as it says", delta=delta)

    _, found = comparing._audited(Approximate, 1.0, [*instances("arms").values()][:1], True)
    assert "at delta = 1e-06" in found and "messages of 2 rounds" in found


def test_rewards_far_beyond_1_must_be_hidden_on_heavy_tails():
    """Noise that is made for [0, 1] hides nothing of a Pareto reward, which rewards 0 and 1 do not show."""
    unclipped = partial(Fed, clip=1e9, noise=1e-9)
    assert comparing._audited(unclipped, 1.0, [*instances("tails").values()][3:4], True)[0] == "refuted"
    assert comparing._audited(unclipped, 1.0, [*instances("arms").values()][:1], True)[0] == ""


@pytest.mark.parametrize("make", [counted, rising], ids=["counts", "eliminates"])
def test_a_compiled_policy_of_heavy_tails_is_fed_what_its_loop_takes(make):
    word, found = comparing._audited(make, 1.0, [*instances("tails").values()][3:4], True)
    fed = "rewards up to 1,000,000" if make is rising else "of the noise in its record alone, as its loop takes no "
    assert not word and fed in found and "breaks" not in found


def test_a_compiled_policy_that_takes_no_rewards_and_of_which_nothing_is_proved_is_not_audited():
    word, found = comparing._audited(joint_linucb, 1.0, [*instances("contexts").values()][:1], True)
    assert word == "not audited" and "no rewards can be fed to it, and nothing is proved of the noise" in found


def test_a_policy_is_told_the_moment_of_heavy_tails():
    (problem,) = [*instances("tails").values()][:1]
    policy = comparing._made(rising, 1.0, Setting(problem, 100))
    assert policy.record.v == problem.shape - 1.05


EXAMPLE = (
    (ROOT / "CONTRIBUTING.md")
    .read_text(encoding="utf-8")
    .partition("## Submit a policy")[2]
    .partition("```python\n")[2]
    .partition("```")[0]
)


def test_the_example_of_the_rules_is_a_policy(book, here, capsys):
    (here / "rules.py").write_text(EXAMPLE)
    assert compared(book, "rules.py:MyPolicy", "--quick") == 0
    out = capsys.readouterr().out
    assert "->" in out and "actions of 30 rounds, rewards 0 and 1: privacy loss" in out and "consistent" in out


@pytest.mark.parametrize(("clip", "refuted"), [("min(feedback[0], 1.0)", False), ("feedback[0]", True)])
def test_the_example_hides_rewards_of_any_size(clip, refuted):
    names = {"__name__": "example"}
    exec(EXAMPLE.replace("min(feedback[0], 1.0)", clip), names)
    word, found = comparing._audited(names["MyPolicy"], 1.0, [*instances("tails").values()], True)
    assert word == "refuted" * refuted and ("consistent" in found) != refuted


# What ends it

ENDINGS = {
    "no file": (2, "none.py:Mine", "", "none.py must import, got FileNotFoundError: "),
    "raises": (
        2,
        "more.py:More",
        "1 / 0",
        "more.py must import, got ZeroDivisionError: division by zero, more.py, line ",
    ),
    "exits": (2, "more.py:More", "raise SystemExit(0)", "more.py must import, got SystemExit: 0"),
    "no class": (2, "more.py:More", "", "more.py must have More, got no such name"),
    "pays more": (2, "more.py:More", "def More(horizon): return Mine(3, horizon, 0.1 / horizon)", "More must pay at "),
    "large delta": (
        2,
        "more.py:More",
        "class More(Mine):\n    def __init__(self, epsilon):\n"
        "        self.privacy = Guarantee.certified(epsilon, epsilon, 'central', 'none', 0.5)",
        "delta of More must be at most 0.0002, got 0.5",
    ),
    "private here and there": (
        2,
        "more.py:More",
        "def More(epsilon, horizon, n_arms):\n    made = Mine(epsilon, horizon, 0.1 / horizon)\n"
        "    made.privacy = made.privacy if n_arms < 9 else Guarantee.none()\n    return made",
        "mine must have one guarantee on all instances, got central, pure and none",
    ),
    "raises in round 1900": (
        1,
        "more.py:More",
        "class More(Mine):\n    RAISES, ERROR = 1900, KeyError",
        "mine must play without an error, got KeyError: ('in round', 1900), more.py, line 20, round 1900, on uniform 1",
    ),
    "ends the process": (
        1,
        "more.py:More",
        "import os\nclass More(Mine):\n    def tell(self, feedback):\n        self.t == 900 and os._exit(0)",
        "mine must play without an error, got TerminatedWorkerError: ",
    ),
    "interrupted": (
        130,
        "more.py:More",
        "class More(Mine):\n    RAISES, ERROR = 1900, KeyboardInterrupt",
        "interrupted",
    ),
}


def counted_up(epsilon, horizon):
    return threshold_ladder(epsilon, horizon=horizon)


@pytest.mark.parametrize(
    ("make", "kind", "line"),
    [
        (counted, "arms", "Exceedance counts plays heavy tails, and not arms"),
        (counted_up, "arms", "Threshold ladder plays one set of actions for all and heavy tails, and not arms"),
        (random_lines, "sets", "Random lines plays linear contexts and one set of actions.* and not sets of arms"),
        (LazyDPTS, "tails", "Lazy-DP-TS plays arms, and not heavy tails"),
        (BatchByBatch, "contexts", ".* plays arms, lists and sets of arms, and not linear contexts"),
    ],
)
def test_a_policy_for_other_problems_is_refused_by_its_name(make, kind, line):
    with pytest.raises(ValueError, match=f"^{line}$"):
        comparing.compare(make, kind, quick=True)


@pytest.mark.parametrize(("code", "policy", "text", "line"), ENDINGS.values(), ids=ENDINGS)
def test_it_ends_in_one_line_and_leaves_nothing(code, policy, text, line, book, here, capsys):
    (here / "more.py").write_text(POLICY + text)
    before = tree(here)
    assert compared(book, policy, "--quick", "-o", "new/out") == code
    out, err = capsys.readouterr()
    assert out == "" and err.startswith(f"private-bandits: {line}") and err.count("\n") == 1
    assert tree(here) == before


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--problem", "convex"], "--problem must be one of "),
        (["--problem", "arms", "--epsilon", "0.7"], "epsilon must be one of 1 at T = 2,000, got 0.7"),
        (["--problem", "arms", "--epsilon", "nan"], "epsilon must be "),
        (["--problem", "arms", "--epsilon", "much"], "argument --epsilon: invalid float value: 'much'"),
        ([], "the following arguments are required: --problem"),
        (["--problem", "arms", "-o", "mine.py"], "the output folder must be absent, empty or byte for byte an earlier"),
    ],
)
def test_a_bad_word_is_one_line(words, line, book, here, capsys):
    before = tree(here)
    assert main(["compare", "mine.py:Mine", *words], book=book) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith(f"private-bandits: {line}") and err.count("\n") == 1
    assert tree(here) == before


def test_a_benchmark_that_is_not_there_is_one_line(here, tmp_path, capsys):
    assert compared(Book(tmp_path), "mine.py:Mine") == 1
    err = capsys.readouterr().err
    assert "long-test-arms.csv" in err and err.count("\n") == 1 and {*tree(here)} == {"mine.py"}


def test_rows_without_a_base_are_refused(book):
    stored = pd.read_csv(book.data("comparison") / "long-test-arms.csv")
    with pytest.raises(ValueError, match="rows must have policies without privacy on uniform 1 at T = 2,000"):
        comparing.compare(LazyDPTS, "arms", quick=True, rows=stored[np.isfinite(stored["pays"])])
