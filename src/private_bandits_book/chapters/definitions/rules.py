"""The rules that judge the claims of Basu et al. (2019), a function for each: of what was computed.

Statements about lemmas and bounds are decided by exact numbers on the grid of epsilons in `lemmas`, whatever the
chapter's parameters are, and by what is proved on the page of proofs. No run decides one: the bounds are lower ones, on
every algorithm. "As printed" is the statement in the main text. Rewards are in [0, 1], so that no gap exceeds 1.
"""

import math
from typing import Any

import numpy as np
import pandas as pd

from private_bandits.papers.definitions import bounds, factor, replacements
from private_bandits_book.chapters.definitions import lemmas, pictures
from private_bandits_book.chapters.definitions.lemmas import DISTANCE, GRID, HORIZON, N_ARMS, TINY
from private_bandits_book.judging import Holds, Privacy, Ruling
from private_bandits_book.judging.rulings import beyond_rounding
from private_bandits_book.judging.verdicts import DERIVED, EXACT

_PROVED, _EXACT = Holds(DERIVED), Holds(EXACT)
_SAME = 1e-9  # relative error of two exact numbers
_FAR = 10**80  # rounds after which all constants are outgrown
_SMALL = 1e-4  # an epsilon at which local privacy is dear beyond all constants
_ONE = 1.05  # a factor as good as 1
_ON_UNIT = ("Beta", "Bernoulli")  # whose rewards are in [0, 1] as they are
_MEANS = (0.75, 0.25, 0.25)  # of the instance on which constants of ln T are compared


# --- the definitions


def local_implies_dp(behind: dict[str, float], epsilon: float) -> Ruling:
    """The losses on outcomes of learners behind epsilon-randomised responses."""
    return Privacy(epsilon)(max(behind.values()))


def definition_5(losses: pd.DataFrame, provided: float) -> Ruling:
    """What noise made for epsilon 1 leaves between two people, and what responses leave, against the bound."""
    row = losses[losses["key"] == lemmas.PRIVATE].iloc[0]
    most = row["horizon"] * math.expm1(row["epsilon"]) * float(np.abs(np.subtract(*lemmas.PREFERENCES)).sum())
    said = (
        f"noise made for it has a privacy loss of {provided:.4g}, allowed is {DISTANCE:g}; randomised responses have "
    )
    said += f"{row['environment']:.4g}, at most {most:.4g} = T (e^ε - 1) times the L1 distance"
    return _EXACT(bool(provided <= DISTANCE * (1 + _SAME) and row["environment"] <= most), said, provided)


def figure_1() -> Ruling:
    """Five readings of the graphs by d-separation."""
    plain, local, partial = pictures.bandit(), pictures.bandit(local=True), pictures.bandit(partial_monitoring=True)
    rewards, message = [pictures.REWARDS[0]], [pictures.MESSAGES[0]]
    outcome, hidden = [pictures.OUTCOMES[0]], [pictures.OUTCOMES[0], pictures.ENVIRONMENT]
    asked = {
        "actions reveal rewards without privacy": not pictures.separated(plain, rewards, []),
        "nothing but the messages": pictures.separated(local, [*rewards, *hidden], message),
        "no outcomes beyond the rewards": pictures.separated(plain, hidden, rewards),
        "but some under partial monitoring": not pictures.separated(partial, outcome, rewards),
        "the environment through the outcomes only": pictures.separated(plain, hidden[1:], outcome),
    }
    right = sum(asked.values())
    said = f"{right} of {len(asked)} readings hold by d-separation: {', '.join(asked)}"
    return _EXACT(right == len(asked), said, right)


def example(guesses: pd.DataFrame) -> Ruling:
    """The guesses that each definition covers: one answer, and the preferences of a person."""
    covered = guesses["guess"].isin(["the answers of one visit", "one answer", "the preferences of a person"])
    return _guessed(guesses[covered & guesses["definition"].isin(["outcomes", "local", "environment"])])


def example_person(guesses: pd.DataFrame) -> Ruling:
    """The guess of all answers of one person, from the messages."""
    return _guessed(guesses[guesses["guess"] == "all answers of one person"])


def _guessed(rows: pd.DataFrame) -> Ruling:
    over = rows["success"] / rows["bound"]
    worst = rows.loc[over.idxmax()]
    said = f"the best guess of {worst['guess']} is right with probability {worst['success']:.4g} at epsilon "
    said += f"{worst['epsilon']:g}, where epsilon allows {worst['bound']:.4g}"
    return _EXACT(bool(rows["kept"].all()), said, over.max())


def lemma_1(losses: pd.DataFrame) -> Ruling:
    """Losses on outcomes and on rewards, under bandit feedback and under partial monitoring."""
    everything = losses["sees"] == "all outcomes"
    bandit, partial = losses[~everything], losses[everything]
    finite, first = bandit[np.isfinite(bandit["outcomes"])], partial.iloc[0]
    ratio = finite["outcomes"] / finite["rewards"]
    same = np.isinf(bandit["outcomes"]).equals(np.isinf(bandit["rewards"])) and bool((abs(ratio - 1) <= _SAME).all())
    said = f"both privacy losses agree for {len(bandit)} policies with bandit feedback; one that sees all outcomes has "
    said += f"{first['outcomes']:.4g} on outcomes and {first['rewards']:.4g} on rewards"
    return _EXACT(same and bool((partial["outcomes"] > partial["rewards"] * (1 + _SAME)).all()), said, ratio.max())


def lemma_2(losses: pd.DataFrame, reached: float) -> Ruling:
    """Both halves for every policy with bandit feedback, and how much of the first is reached."""
    rows = losses[(losses["sees"] != "all outcomes") & np.isfinite(losses["outcomes"])]
    forward = max(float((rows["instantaneous"] / (2 * rows["outcomes"])).max()), reached)
    backward = float((rows["outcomes"] / (rows["horizon"] * rows["instantaneous"])).max())
    said = f"policies reach {forward:.4g} of the first half, and over {rows['horizon'].iloc[0]} rounds {backward:.4g} "
    most = max(forward, backward)
    return _EXACT(most <= 1 + _SAME, f"{said}of the second, which T - 1 instead of T makes 1", most)


# --- the divergences


def lemma_3() -> Ruling:
    """Both sides on every history."""
    pairs = lemmas.pairs(1.0, 4)
    error = beyond_rounding(max(abs(one.divergence - one.reward_term) for one in pairs))
    said = f"on every history of {len(pairs)} policies and 4 rounds both sides differ by {error:.1g} beyond rounding"
    return _EXACT(error == 0, said, error)


def lemma_4() -> Ruling:
    """The bound over what randomised response keeps of one reward; rounds add up by Lemma 3."""
    loose = lemmas.lemma_4(GRID)["looseness"]
    said = f"it is {loose.min():.3g} to {loose.max():.2g} times too large for one reward on the grid; a factor of 4 of "
    return _EXACT(bool((loose >= 1).all()), f"{said}that is Pinsker's inequality in the wrong norm", loose.min())


def lemma_5() -> Ruling:
    """The added term is positive, where the truth is 0; a step of the proof is false."""
    pairs = lemmas.pairs(1.0, 4)
    found = [lemmas.lemma_5(one) for one in pairs]
    held = all(one.divergence <= one.reward_term + extra + 1e-12 for one, (extra, _) in zip(pairs, found, strict=True))
    (extra, claimed), likeliest = map(min, zip(*found, strict=True)), max(one.likeliest for one in pairs)
    said = f"it adds {extra:.3g} or more where the truth is 0; its proof bounds a sum of {likeliest:.3g} by "
    return _PROVED(held, f"{said}{claimed:.3g}", extra)


def lemma_6() -> Ruling:
    """Both divergences are one number; a step of the proof is false."""
    pairs, wrong = lemmas.pairs(1.0, 4), lemmas.suite(0.1)[lemmas.EXPONENTIAL]
    over = min(lemmas.lemma_6(one)[0] / one.divergence for one in pairs)
    _, integral, claimed = lemmas.lemma_6(lemmas.Pair(wrong, (0.6, 0.6), (0.65, 0.65), 2))
    said = "the divergences of neighbouring histories are one number; text and appendix differ, and the proof bounds "
    return _PROVED(over >= 1, f"{said}an integral of {integral:.3g} by {claimed:.3g}", over)


def lemma_7() -> Ruling:
    """Log ratios of neighbouring histories against the bound."""
    pairs = lemmas.pairs(1.0, 4)
    excess = beyond_rounding(max(map(lemmas.lemma_7, pairs)))
    said = f"log ratios of Bernoulli histories of {len(pairs)} policies over 4 rounds exceed the bound by {excess:.2g}"
    return _EXACT(excess <= 0, said, excess)


def lemma_7_families() -> Ruling:
    """Whether L Delta stays as it is nearer to the ends of [0, 1]; other families are bounded on it."""
    near, far = lemmas.slopes(1.0), lemmas.slopes(100.0)
    failing = [name for name, value in far.items() if value > near[name] * (1 + _SAME)]
    worst = max(far[name] for name in _ON_UNIT if name in far)
    unit = [name for name in failing if name in _ON_UNIT]
    others = [name for name in failing if name not in _ON_UNIT]
    said = f"on [0, 1] L Delta is infinite for: {', '.join(unit) or 'none'} (here it grows to {worst:.3g}); on an "
    said += f"unbounded range also for: {', '.join(others) or 'none'}"
    return _PROVED(not unit, said, worst)


# --- the bounds


def theorem_1() -> Ruling:
    """The printed value against a bound that is proved; from where on it says less than the bound without privacy."""
    values = {e: bounds.theorem_1(n_arms=N_ARMS, horizon=HORIZON, epsilon=e) for e in GRID}
    plain = replacements.minimax(n_arms=N_ARMS, horizon=HORIZON)
    share = max(
        value / replacements.local_minimax(n_arms=N_ARMS, horizon=HORIZON, epsilon=e) for e, value in values.items()
    )
    empty = min((e for e, value in values.items() if value <= plain), default=math.nan)
    said = f"it is at most {share:.3g} of a proved bound on the grid, though its own steps give half of it; from "
    return _PROVED(share <= 1, f"{said}epsilon {empty:g} on it says less than the bound without privacy", share)


def theorem_2() -> Ruling:
    """What is achieved at epsilon leaves no constant c(a) for every epsilon at most a/2."""
    epsilons, game = (0.01, _SMALL), {"n_arms": N_ARMS, "horizon": _FAR}
    most, least = (
        factor.central_upper(epsilon=e / 2, **game) / bounds.theorem_2(epsilon=e, variant="table", **game)
        for e in epsilons
    )
    said = f"a DP policy at epsilon/2 is epsilon-instantaneous (Lemma 2), and leaves for c(a) {most:.2g} at epsilon = "
    said += f"{epsilons[0]:g} and {least:.2g} at {epsilons[1]:g} in long games: no constant serves all"
    return _PROVED(least >= most / 10, said, least)


def theorem_3() -> Ruling:
    """The printed value over T, which no regret exceeds."""
    shares = {e: bounds.theorem_3(n_arms=N_ARMS, horizon=HORIZON, epsilon=e) / HORIZON for e in GRID}
    above, most = max((e for e, share in shares.items() if share > 1), default=0.0), max(shares.values())
    said = f"at T = 10^8 and c = 0 it is {most:.2g} T at most, above T up to epsilon {above:g} "
    said += "(a larger c: at smaller ones); no cap at T mends it, "
    said += "as a DP policy has at most C sqrt(T) in long games, C free of epsilon"
    return _PROVED(most <= 1, said, most)


def theorem_3_proof() -> Ruling:
    """The line before the last of the proof over the bound without privacy."""
    plain = replacements.minimax(n_arms=N_ARMS, horizon=HORIZON)
    tiny, *line = (
        bounds.theorem_3(n_arms=N_ARMS, horizon=HORIZON, epsilon=e, variant="proof") / plain for e in (TINY, *GRID)
    )
    said = f"true and vacuous: at T = 10^8 and c = 0 it is at most {max(line):.3g} of the bound without privacy, and "
    return _PROVED(max(line) <= 1, f"{said}{tiny:.1g} of it at epsilon {TINY:g}", max(line))


def theorem_4() -> Ruling:
    """The printed constant over the proved one."""
    four = [
        bounds.theorem_4(means=_MEANS, horizon=3, epsilon=e)
        / replacements.local_lower(means=_MEANS, horizon=3, epsilon=e)
        for e in GRID
    ]
    said = f"its constant is at most {max(four):.3g} of the exact one for Bernoulli arms, {min(four):.1g} at epsilon 10"
    return _PROVED(max(four) <= 1, said, max(four))


# --- what the paper says of them


def discussion_multiplicative_local() -> Ruling:
    """The proved lower end of the factor in long games, at small epsilons."""
    plain = factor.central_upper(n_arms=N_ARMS, horizon=_FAR, epsilon=math.inf)
    end, next_end = (
        replacements.local_minimax(n_arms=N_ARMS, horizon=_FAR, epsilon=e) / plain for e in (_SMALL, _SMALL / 10)
    )
    exponent = math.log10(next_end / end)
    said = (
        f"in long games it is at least {end:.3g} at epsilon {_SMALL:g} and grows with the exponent {exponent:.3g} of "
    )
    return _PROVED(end > 1 and abs(exponent - 1) < 0.25, f"{said}1/epsilon; it tends to coth(epsilon/2)", exponent)


def discussion_multiplicative_central() -> Ruling:
    """The proved upper end of the factor in long games, at half of every epsilon of the grid: of both definitions."""
    most = max(factor.theorem_a(n_arms=N_ARMS, horizon=_FAR, epsilon=e / 2) for e in GRID)
    said = "proved: under DP, and as DP at epsilon/2 under instantaneous DP, the factor tends to 1 as T grows; at "
    said += "T = 10^80 it is at most "
    return _PROVED(False if most < _ONE else None, f"{said}{most:.4f} from epsilon {GRID[0]:g} on", most)


def discussion_limit() -> Ruling:
    """What any policy has at an epsilon as good as 0, over uniform play with gaps of 1/2."""
    proved = (replacements.local_minimax, replacements.central_minimax)
    uniform = HORIZON / 2 * (1 - 1 / N_ARMS)
    least = min(one(n_arms=N_ARMS, epsilon=TINY / HORIZON, horizon=HORIZON) / uniform for one in proved)
    said = f"at T = 10^8 and epsilon = {TINY / HORIZON:.0e} the proved bounds are {least:.3g} of uniform play's regret"
    return _PROVED(least > 0.5, f"{said} with gaps of 1/2", least)


def section_5_3() -> Ruling:
    """The stated factor over that of every locally private policy."""
    over = max(math.exp(-2 * e) * replacements.contraction(epsilon=e) / math.expm1(e) ** 2 for e in GRID)
    said = f"it is at most {over:.3g} of the proved factor coth²(ε/2) on the grid; Theorem 4 below it has "
    return _PROVED(over <= 1, f"{said}2 min(4, e^2ε) in the place of e^2ε", over)


def discussion_corrupt() -> Ruling:
    """What Gajane et al. prove for randomised response, over what every channel must have."""
    claimed, over = (1 + math.exp(-1.0)) ** 2, max(lemmas.corrupt_over_lower(_MEANS, e) for e in GRID)
    said = (
        f"with randomised response their proved constant of ln T is {over:.3g} times that which every locally private "
    )
    return _PROVED(over >= claimed, f"{said}algorithm must have; claimed at epsilon 1 is {claimed:.3g}", over)


def contribution_weaker() -> Ruling:
    """What is proved, and what the printed bounds say of each other."""
    game: dict[str, Any] = {"n_arms": N_ARMS, "horizon": HORIZON}
    local = {e: bounds.theorem_1(epsilon=e, variant="table", **game) for e in GRID}
    table = min(value / bounds.theorem_3(epsilon=e, variant="table", **game) for e, value in local.items())
    last = max((e for e, value in local.items() if value < 8 * bounds.theorem_3(epsilon=e, **game)), default=0.0)
    proved = replacements.local_minimax(n_arms=N_ARMS, horizon=_FAR, epsilon=_SMALL) / factor.central_upper(
        n_arms=N_ARMS, horizon=_FAR, epsilon=_SMALL
    )
    said = f"local regret is at least {proved:.3g} times the other at epsilon {_SMALL:g} in long games; by Table 1 "
    said += f"with B = 1/epsilon at least {table:.2g} times, but Theorem 3 says the opposite up to epsilon {last:g}"
    return _PROVED(proved > 1, said, proved)


# --- what this book adds


def own_composition() -> Ruling:
    """The enumerated rho of a policy that is private in each round, against adaptive composition."""
    composition = lemmas.composition(1.0, range(2, 6))
    over, last = (composition["rho"] / composition["rho_allowed"]).max(), composition.iloc[-1]
    said = f"by enumeration rho is {last['rho']:.3g} at T = {last['horizon']:g} and ε = {last['instantaneous']:g}, "
    said += f"of {last['rho_allowed']:.3g} allowed; over all T at most {over:.3g} of what is allowed; "
    said += f"by the privacy loss of all actions it would be {last['rho_map']:.3g}"
    return _EXACT(bool(over <= 1 + _SAME), said, over)


def own_concentrated() -> Ruling:
    """Each implication on what is tightest, and those that fail on a counterexample."""
    found = lemmas.concentrated(1.0)
    held = found.pure <= 1.0 / 2 and found.exact <= found.formula and found.kept <= 0.1 * (1 + _SAME)
    held = held and found.far > 5 and math.isinf(found.rare_rho) and found.rare < 1.001e-6
    said = (
        f"responses have rho {found.pure:.3g}; rho 0.1 gives epsilon {found.exact:.3g} at delta 1e-6, by the formula "
    )
    said += f"{found.formula:.3g}, without delta {found.far:.3g} or more; delta {found.rare:.0e} rho {found.rare_rho}"
    return _EXACT(bool(held), said, found.far)


def own_views() -> Ruling:
    """The delta of the policy that reveals a secret to who repeats its arms, against lists and against tables."""
    found = {rounds: lemmas.views(rounds) for rounds in (4, 5)}
    held = all(abs(a * 2.0 ** (t - 3) - 1) <= _SAME and abs(b - 1) <= _SAME for t, (a, b) in found.items())
    lists, tables = found[max(found)]
    said = (
        f"enumerated at T = {max(found)}: that policy has delta {lists:.4g} against lists, {tables:.4g} against tables"
    )
    return _EXACT(held, said, lists)


def own_environment(squeezed: tuple[float, float]) -> Ruling:
    """A policy without noise on an environment whose people are alike."""
    between, outcomes = squeezed
    said = f"between two people the history has {between:.4g} of the allowed privacy loss, "
    said += f"and on outcomes it has {outcomes}"
    return _EXACT(bool(between <= 1 + _SAME and math.isinf(outcomes)), said, outcomes)


def own_no_local(losses: pd.DataFrame) -> Ruling:
    """The loss of one reward before the learner, of the policy that keeps noisy means."""
    row = losses[losses["key"] == lemmas.LAPLACE].iloc[0]
    said = f"a policy with noise on its means has a privacy loss of {row['outcomes']:.4g} in its arms, "
    said += f"and {row['local']} before the learner"
    return _EXACT(bool(np.isfinite(row["outcomes"]) and np.isinf(row["local"])), said, row["local"])


def own_no_environment(losses: pd.DataFrame) -> Ruling:
    """The loss between two people, of every policy that sees exact rewards."""
    seeing = losses.loc[losses["key"] != lemmas.PRIVATE, "environment"]
    least, most, rounds = seeing.min(), seeing.max(), losses["horizon"].iloc[0]
    said = f"the policy cancels: {len(seeing)} policies have a privacy loss of {least:.4g} to {most:.4g} over "
    said += f"{rounds} rounds, where epsilon 1 allows {DISTANCE:g}"
    return _EXACT(bool(least > DISTANCE * (1 + _SAME)), said, least)


def own_contraction() -> Ruling:
    """Random channels on random laws of four rewards against the bound."""
    worst = lemmas.contraction(GRID)
    said = f"over random channels and pairs of distributions of four rewards it is at most {worst:.4g} of tanh²(ε/2)"
    return _EXACT(worst <= 1 + _SAME, said, worst)


def own_threshold() -> Ruling:
    """The bound with a logarithm against what is achieved, and against the one without."""
    old, achieved = lemmas.threshold(N_ARMS, HORIZON, GRID)
    said = f"at T = 10^8 it is {old:.3g} times (K-1)/(131 epsilon) at epsilon 0.01, at most {achieved:.2g} of "
    return _PROVED(achieved <= 1 < old, f"{said}what is achieved at every epsilon of the grid", old)


def own_factor_local(toy: pd.DataFrame) -> Ruling:
    """The exact factor in the toy game, at every horizon, over coth(epsilon/2)."""
    over, horizon = toy["local"] / toy["free"] * np.tanh(toy["epsilon"] / 2), toy["horizon"].max()
    most, late = float(over.max()), float(over[toy["horizon"] == horizon].min())
    said = f"proved; in the toy game it is at most {most:.4f} times coth(epsilon/2), and {late:.4f} times it at T = "
    return _PROVED(most <= 1 + _SAME, f"{said}{horizon:,}", late)


def own_per_log() -> Ruling:
    """The coefficient of ln T under DP over that without privacy, at epsilons below the difference of log-odds."""
    apart, plain = math.log(9.0), replacements.lai_robbins(means=_MEANS, horizon=HORIZON)
    over = {e: replacements.central_lower(means=_MEANS, horizon=HORIZON, epsilon=e) / plain for e in GRID}
    most, *_, least = (ratio for e, ratio in over.items() if e < apart)
    said = f"over that without privacy it is {most:.3g} at epsilon {GRID[0]:g} and falls to {least:.4g} at epsilon 2; "
    said += f"from the difference of log-odds on, here {apart:.2g}, it is {over[GRID[-1]]:.4g}"
    return _PROVED(least > 1, said, least)
