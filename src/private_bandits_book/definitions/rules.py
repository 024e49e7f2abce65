"""The rules that judge the claims of Basu et al. (2019), a function for each: of what was computed.

Statements about lemmas and bounds are decided by exact numbers on the grid of epsilons in `lemmas`, whatever the
chapter's parameters are, and by what is proved on the page of proofs. No run decides one: the bounds are lower ones, on
every algorithm. "As printed" is the statement in the main text. Rewards are in [0, 1], so that no gap exceeds 1.
"""

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd

from private_bandits.papers.definitions import bounds, replacements
from private_bandits_book.definitions import lemmas, pictures
from private_bandits_book.definitions.lemmas import DISTANCE, GRID, HORIZON, N_ARMS, TINY
from private_bandits_book.judging import Holds, Privacy, Ruling, after_repair, all_of
from private_bandits_book.rules import beyond_rounding
from private_bandits_book.verdicts import DERIVED, EXACT

_PROVED, _EXACT = Holds(DERIVED), Holds(EXACT)
_SAME = 1e-9  # relative error of two exact numbers
_FAR = 10**80  # rounds after which all constants are outgrown
_SMALL = 1e-4  # an epsilon at which local privacy is dear beyond all constants
_SLIGHT = 2.0  # times as much, which is not "slightly worse" any more
_ONE = 1.05  # a factor as good as 1
_MEANS = (0.75, 0.25, 0.25)  # of the instance on which constants of ln T are compared


# --- the definitions


def local_implies_dp(behind: Mapping[str, float], epsilon: float) -> Ruling:
    """The losses on outcomes of learners behind epsilon-randomised responses."""
    return Privacy(epsilon)(max(behind.values()))


def mishra_thakurta(losses: pd.DataFrame) -> Ruling:
    """The local loss of the policy that keeps noisy means, at its own epsilon."""
    row = losses[losses["policy"] == lemmas.LAPLACE].iloc[0]
    return Privacy(row["epsilon"])(row["local"])


def definition_5(losses: pd.DataFrame, provided: float) -> Ruling:
    """What noise made for epsilon 1 leaves between two people, and what epsilon-responses leave, against the bound."""
    row = losses[losses["policy"] == lemmas.PRIVATE].iloc[0]
    most = row["horizon"] * math.expm1(row["epsilon"]) * float(np.abs(np.subtract(*lemmas.PREFERENCES)).sum())
    said = f"noise made for epsilon 1 leaves {provided:.4g} of the allowed {DISTANCE:g}; responses of epsilon "
    said += f"{row['epsilon']:g} leave {row['environment']:.4g}, at most {most:.4g} = T (e^eps - 1) times the L1 distance"
    return _EXACT(bool(provided <= DISTANCE * (1 + _SAME) and row["environment"] <= most), said, provided)


def definition_5_algorithm(losses: pd.DataFrame) -> Ruling:
    """The same between two people, for every policy that sees rewards."""
    seeing = losses.loc[losses["policy"] != lemmas.PRIVATE, "environment"]
    said = f"the policy cancels: {len(seeing)} policies that see rewards, with noise or without, have a loss of "
    said += f"{seeing.min():.4g} or more over {losses['horizon'].iloc[0]} rounds, where epsilon 1 allows {DISTANCE:g}"
    return _EXACT(bool(seeing.min() <= DISTANCE * (1 + _SAME)), said, seeing.min())


def bounded_loss(composition: pd.DataFrame) -> Ruling:
    """What all actions reveal of a policy that is private in each round."""
    first, last = composition.iloc[0], composition.iloc[-1]
    said = f"an instantaneous-DP policy with {first['instantaneous']:.3g} a round has a loss of {first['all_arms']:.3g} at "
    said += f"T = {first['horizon']:.0f} and {last['all_arms']:.3g} at T = {last['horizon']:.0f}; each definition's own loss stays"
    grown = last["all_arms"] / first["all_arms"]
    return _EXACT(bool(grown <= 1 + _SAME), said, grown)


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
    wrong = [what for what, right in asked.items() if not right]
    said = f"{len(asked) - len(wrong)} of {len(asked)} readings hold by d-separation: {', '.join(asked)}"
    return _EXACT(not wrong, said if not wrong else f"wrong: {', '.join(wrong)}", len(asked) - len(wrong))


def example(guesses: pd.DataFrame) -> Ruling:
    """The guesses that each definition covers: one answer, and the preferences of a person."""
    covered = guesses["guess"].isin(["the answers of one visit", "one answer", "the preferences of a person"])
    return _guessed(guesses[covered & guesses["definition"].isin(["outcomes", "local", "environment"])])


def example_person(guesses: pd.DataFrame) -> Ruling:
    """The guess of all answers of one person, from the messages."""
    return _guessed(guesses[guesses["guess"] == "all answers of one person"])


def _guessed(rows: pd.DataFrame) -> Ruling:
    worst = rows.loc[(rows["success"] / rows["bound"]).idxmax()]
    said = f"the best guess of {worst['guess']} is right with probability {worst['success']:.4g} at epsilon "
    said += f"{worst['epsilon']:g}, where epsilon allows {worst['bound']:.4g}"
    return _EXACT(bool(rows["kept"].all()), said, worst["success"] / worst["bound"])


def lemma_1(losses: pd.DataFrame) -> Ruling:
    """Losses on outcomes and on rewards, under bandit feedback and under partial monitoring."""
    bandit, partial = (losses[losses["sees"] == sees] for sees in ("its reward", "all outcomes"))
    finite = bandit[np.isfinite(bandit["outcomes"])]
    ratio, first = finite["outcomes"] / finite["rewards"], partial.iloc[0]
    same = np.isinf(bandit["outcomes"]).equals(np.isinf(bandit["rewards"])) and bool((abs(ratio - 1) <= _SAME).all())
    said = f"over {losses['horizon'].iloc[0]} rounds both losses agree for {len(bandit)} policies with bandit feedback; one "
    said += f"that sees all outcomes has {first['outcomes']:.4g} on outcomes and {first['rewards']:.4g} on rewards"
    return _EXACT(same and bool((partial["outcomes"] > partial["rewards"] * (1 + _SAME)).all()), said, ratio.max())


def lemma_2(losses: pd.DataFrame, reached: float) -> Ruling:
    """Both halves for every policy with bandit feedback, and how much of the first is reached."""
    rows = losses[(losses["sees"] == "its reward") & np.isfinite(losses["outcomes"])]
    forward = max(float((rows["instantaneous"] / (2 * rows["outcomes"])).max()), reached)
    backward = float((rows["outcomes"] / (rows["horizon"] * rows["instantaneous"])).max())
    said = f"policies reach {forward:.4g} of the first half and {backward:.4g} of the second over "
    said += f"{rows['horizon'].iloc[0]} rounds, which T - 1 instead of T makes 1"
    return _EXACT(max(forward, backward) <= 1 + _SAME, said, max(forward, backward))


# --- the divergences


def lemma_3() -> Ruling:
    """Both sides on every history."""
    pairs = lemmas.pairs(1.0, 4)
    error = beyond_rounding(max(abs(one.divergence - one.reward_term) for one in pairs))
    return _EXACT(error == 0, f"on every history of {len(pairs)} policies and 4 rounds both sides differ by {error:.1g}", error)


def lemma_4() -> Ruling:
    """The bound over what randomised response keeps of one reward; rounds add up by Lemma 3."""
    loose = lemmas.lemma_4(GRID)["looseness"]
    said = f"{loose.min():.3g} to {loose.max():.2g} times too large for one reward on the grid; Pinsker's inequality in "
    return _EXACT(bool((loose >= 1).all()), f"{said}the wrong norm is a factor of 4 of it", loose.min())


def lemma_5() -> Ruling:
    """The added term is positive, where the truth is 0; a step of the proof is false."""
    pairs = lemmas.pairs(1.0, 4)
    found = [lemmas.lemma_5(one) for one in pairs]
    held = all(one.divergence <= one.reward_term + extra + 1e-12 for one, (extra, _) in zip(pairs, found, strict=True))
    extra, likeliest = min(one for one, _ in found), max(one.likeliest for one in pairs)
    said = f"holds, as the added term, {extra:.3g} or more, is positive where the truth is 0; its proof bounds a sum of "
    return _PROVED(held, f"{said}probabilities, {likeliest:.3g}, by {min(one for _, one in found):.3g}", extra)


def lemma_6() -> Ruling:
    """Both divergences are one number; a step of the proof is false."""
    pairs = lemmas.pairs(1.0, 4)
    over = [lemmas.lemma_6(one)[0] / one.divergence for one in pairs]
    _, integral, claimed = lemmas.lemma_6(lemmas.Pair(lemmas.suite(0.1)["exponential mechanism"], (0.6, 0.6), (0.65, 0.65), 2))
    said = f"holds, as the divergences of neighbouring histories are one number, for all {len(pairs)} policies; text and "
    said += f"appendix differ; the proof bounds an integral of {integral:.3g} by {claimed:.3g}"
    return _PROVED(min(over) >= 1, said, min(over))


def lemma_7() -> Ruling:
    """Log ratios of neighbouring histories against the bound."""
    pairs = lemmas.pairs(1.0, 4)
    excess = beyond_rounding(max(map(lemmas.lemma_7, pairs)))
    said = f"log ratios of Bernoulli histories of {len(pairs)} policies over 4 rounds exceed the bound by {excess:.2g}"
    return _EXACT(excess <= 0, said, excess)


def lemma_7_families() -> Ruling:
    """Whether L Delta stays as it is where the range of the rewards grows."""
    near, far = lemmas.slopes(1.0), lemmas.slopes(100.0)
    failing = [name for name, value in far.items() if value > near[name] * (1 + _SAME)]
    said = f"L Delta has no bound for {', '.join(failing)} rewards: it grows with the range, here to {max(far.values()):.3g}"
    return _PROVED(not failing, said if failing else "L Delta is bounded for all four", max(far.values()))


# --- the bounds


def theorem_1() -> Ruling:
    """The printed value against a bound that is proved; from where on it says less than the bound without privacy."""
    pairs = [(bounds.theorem_1(N_ARMS, HORIZON, e), replacements.local_minimax(N_ARMS, HORIZON, e)) for e in GRID]
    plain, share = replacements.minimax(N_ARMS, HORIZON), max(value / other for value, other in pairs)
    empty = min((e for e, (value, _) in zip(GRID, pairs, strict=True) if value <= plain), default=math.nan)
    said = f"at every epsilon of the grid it is at most {share:.3g} of a proved bound, though its own steps give half of it; "
    said += f"from epsilon {empty:g} on it says less than the bound without privacy"
    return _PROVED(share <= 1, said, share)


def theorem_2() -> Ruling:
    """What is achieved at epsilon leaves no constant c(a) for every epsilon at most a/2."""
    largest = {e: lemmas.achieved(N_ARMS, _FAR, e / 2) / bounds.theorem_2(N_ARMS, _FAR, e, "table") for e in (0.01, 1e-3, _SMALL)}
    (first, most), *_, (last, least) = largest.items()
    said = f"a DP policy at eps/2 is eps-instantaneous (Lemma 2); in long games it leaves for c(a) {most:.2g} at eps = {first:g} "
    said += f"and {least:.2g} at {last:g}: no constant serves all"
    return _PROVED(least >= most / 10, said, least)


def theorem_3() -> Ruling:
    """The printed value over T, which no regret exceeds."""
    shares = {e: bounds.theorem_3(N_ARMS, HORIZON, e) / HORIZON for e in GRID}
    above, most = [e for e, share in shares.items() if share > 1], max(shares.values())
    said = f"at T = 10^8 and c = 0 it exceeds T, which no regret does, up to epsilon {max(above, default=0):g}, by a factor of "
    return _PROVED(not above, f"{said}{most:.2g} at most; another c only moves this epsilon", most)


def theorem_3_proof() -> Ruling:
    """The line before the last of the proof over the bound without privacy."""
    plain = replacements.minimax(N_ARMS, HORIZON)
    tiny, *line = (bounds.theorem_3(N_ARMS, HORIZON, e, "proof") / plain for e in (TINY, *GRID))
    said = f"true and empty: at T = 10^8 and c = 0 it is at most {max(line):.3g} of the bound without privacy, and it goes "
    said += f"to 0 with epsilon ({tiny:.1g} of it at {TINY:g})"
    return _PROVED(max(line) <= 1, said, max(line))


def theorem_4() -> Ruling:
    """The printed constant over the proved one."""
    four = [bounds.theorem_4(_MEANS, 3, e) / replacements.local_lower(_MEANS, 3, e) for e in GRID]
    said = f"its constant is at most {max(four):.3g} of the exact one for Bernoulli arms, and {min(four):.1g} at epsilon {GRID[-1]:g}"
    return _PROVED(max(four) <= 1, said, max(four))


def table_1() -> Ruling:
    """Each entry over the theorem behind it."""
    two = lemmas.table_2(HORIZON, GRID)
    wrong = {name: ends for name, ends in two.items() if ends[1] > ends[0] * (1 + _SAME)}
    said = "; ".join(f"the entry of {name} is {low:.2g} to {high:.2g} times it as epsilon varies" for name, (low, high) in wrong.items())
    right = len(two) - len(wrong)
    return _PROVED(not wrong, f"{right} of {len(two)} agree up to a constant{'; ' if said else ''}{said}", right)


# --- what the paper says of them


def discussion_multiplicative_local() -> Ruling:
    """The proved lower end of the factor in long games, at small epsilons."""
    plain = lemmas.achieved(N_ARMS, _FAR, math.inf)
    ends = [replacements.local_minimax(N_ARMS, _FAR, e) / plain for e in (_SMALL, _SMALL / 10)]
    power = math.log10(ends[1] / ends[0])
    said = f"in long games regret is at least {ends[0]:.3g} times what is achieved without privacy at epsilon {_SMALL:g}; the "
    said += f"power of 1/epsilon is {power:.3g}, and the factor tends to coth(epsilon/2)"
    return _PROVED(ends[0] > 1 and abs(power - 1) < 0.25, said, power)


def discussion_multiplicative_central() -> Ruling:
    """The proved upper end of the factor in long games, at every epsilon of the grid."""
    return _factor("DP", [lemmas.factor(N_ARMS, _FAR, e) for e in GRID])


def discussion_multiplicative_instantaneous() -> Ruling:
    """The same at epsilon/2, which is epsilon-instantaneous."""
    return _factor("instantaneous DP", [lemmas.factor(N_ARMS, _FAR, e / 2) for e in GRID])


def _factor(name: str, most: list[float]) -> Ruling:
    said = f"proved: under {name} the factor tends to 1 as T grows, at every epsilon; at T = 10^80 it is at most "
    said += f"{max(most):.4f} from epsilon {GRID[0]:g} on"
    return _PROVED(False if max(most) < _ONE else None, said, max(most))


def discussion_limit() -> Ruling:
    """What any policy has at an epsilon as good as 0, over uniform play on the hardest instance of its bound."""
    shares = [one(N_ARMS, HORIZON, TINY / HORIZON) / (HORIZON / 2) for one in (replacements.local_minimax, replacements.central_minimax)]
    least = min(shares) / (1 - 1 / N_ARMS)
    said = f"at T = 10^8 and epsilon = {TINY / HORIZON:.0e} the proved bounds are {least:.3g} of the regret of uniform play on "
    return _PROVED(least > 0.5, f"{said}the instance that they use; the printed Theorem 3 exceeds T instead", least)


def section_5_3() -> Ruling:
    """The factor that the section states, over that of the theorem below it."""
    over = [math.exp(2 * e) / min(4.0, math.exp(2 * e)) for e in GRID]
    said = f"Theorem 4 has min(4, e^2eps) instead of e^2eps: the same up to epsilon = ln 2, {max(over):.2g} times the stated "
    return _EXACT(max(over) <= 1 + _SAME, f"{said}factor at epsilon {GRID[-1]:g}; the exact one tends to 1", max(over))


def discussion_slightly() -> Ruling:
    """What local privacy costs over DP on one instance, where both constants are reached."""
    dearer = {
        e: replacements.local_lower(_MEANS, 3, e) / replacements.central_lower(_MEANS, 3, e) for e in GRID if e <= 1.0
    }
    most = max(dearer.values())
    said = f"by the exact constants of ln T local DP costs {most:.3g} times DP at epsilon {GRID[0]:g} and {dearer[1.0]:.3g} times "
    return _PROVED(most <= _SLIGHT, f"{said}at 1, on arms of means 0.75, 0.25 and 0.25", most)


def discussion_corrupt() -> Ruling:
    """What Gajane et al. prove for randomised response, over what every channel must have."""
    claimed, over = (1 + math.exp(-1.0)) ** 2, max(lemmas.corrupt_over_lower(_MEANS, e) for e in GRID)
    said = f"with randomised response their proved constant of ln T is {over:.3g} times that of every locally private "
    said += f"algorithm; the claim at epsilon 1 is {claimed:.3g}. What exceeds it is the slack of Theorem 4"
    return _PROVED(over >= claimed, said, over)


def section_2() -> Ruling:
    """A prior on one environment, where the best arm is known."""
    regret = lemmas.point_prior(_MEANS, HORIZON)
    said = f"under a prior on one environment the best policy for it has regret {regret:g} at T = 10^8"
    return _EXACT(regret > 0.0, said, regret)


def contribution_weaker() -> Ruling:
    """The printed bounds against each other, and what is proved."""
    printed = [bounds.theorem_1(N_ARMS, HORIZON, e, "table") / (8 * bounds.theorem_3(N_ARMS, HORIZON, e)) for e in GRID]
    proved = replacements.local_minimax(N_ARMS, _FAR, _SMALL) / lemmas.achieved(N_ARMS, _FAR, _SMALL)
    said = f"by the printed bounds DP costs more than local DP up to epsilon {_last_below_one(printed):g}"
    again = f"proved: at epsilon {_SMALL:g} and T = 10^80 regret under local DP is at least {proved:.3g} times that under DP"
    return after_repair(_PROVED(min(printed) >= 1, said, min(printed)), _PROVED(proved > 1, again, proved))


def _last_below_one(ratios: list[float]) -> float:
    return max((e for e, ratio in zip(GRID, ratios, strict=True) if ratio < 1), default=math.nan)


# --- what this book adds


def own_composition(composition: pd.DataFrame) -> Ruling:
    """The enumerated rho of a policy that is private in each round, against adaptive composition."""
    over, last = (composition["rho"] / composition["rho_allowed"]).max(), composition.iloc[-1]
    said = f"by enumeration rho is {last['rho']:.3g} at T = {last['horizon']:.0f} and epsilon {last['instantaneous']:g}, at most "
    said += f"{over:.3g} of (T - 1) eps^2/2; by the loss of all actions it would be {last['rho_map']:.3g}"
    return _EXACT(bool(over <= 1 + _SAME), said, over)


def own_concentrated(found: lemmas.Concentrated, epsilon: float) -> Ruling:
    """Each implication on what is tightest, and those that fail on a counterexample."""
    held = found.pure <= epsilon**2 / 2 and found.exact <= found.formula and found.kept <= 0.1 * (1 + _SAME)
    held = held and found.far > 5 and math.isinf(found.rare_rho) and found.rare < 1.001e-6
    said = f"responses of epsilon {epsilon:g} have rho {found.pure:.3g}; Gaussian noise of rho 0.1 has epsilon {found.exact:.3g}, "
    said += f"formula {found.formula:.3g}; far thresholds have loss {found.far:.3g} at rho {found.kept:.2g}; delta {found.rare:.1g} "
    return _EXACT(bool(held), f"{said}has rho {found.rare_rho}", found.far)


def own_views(found: Mapping[int, tuple[float, float]]) -> Ruling:
    """The delta of the policy that reveals a secret to who repeats its arms, against lists and against tables."""
    held = all(abs(a * 2.0 ** (t - 3) - 1) <= _SAME and abs(b - 1) <= _SAME for t, (a, b) in found.items())
    last = max(found)
    said = f"enumerated: that policy has delta {found[last][0]:.4g} against lists of rewards and {found[last][1]:.4g} against "
    return _EXACT(held, f"{said}tables, at T = {last} and epsilon 0", found[last][0])


def own_environment(squeezed: tuple[float, float], epsilon: float) -> Ruling:
    """A policy without noise on an environment whose people are alike."""
    said = f"between two people the history has {squeezed[0]:.4g} of the allowed loss; on outcomes the policy has "
    return _EXACT(bool(squeezed[0] <= 1 + _SAME and math.isinf(squeezed[1])), f"{said}{squeezed[1]} at epsilon {epsilon:g}", squeezed[1])


def own_contraction() -> Ruling:
    """Random channels on random laws of four rewards against the bound."""
    worst = lemmas.contraction(GRID)
    said = f"over random channels and pairs of laws of four rewards the kept share is at most {worst:.4g} of tanh^2(eps/2)"
    return _EXACT(worst <= 1 + _SAME, said, worst)


def own_threshold() -> Ruling:
    """The bound with a logarithm against what is achieved, and against the one without."""
    found = lemmas.threshold(N_ARMS, HORIZON, GRID)
    said = f"at T = 10^8 it is {found.over_old:.3g} times the bound of order K/epsilon at epsilon 0.01, and at most "
    said += f"{found.over_achieved:.3g} of what is achieved at every epsilon of the grid"
    return _PROVED(found.over_achieved <= 1 and found.over_old > 1, said, found.over_old)


def own_factor_local(toy: pd.DataFrame) -> Ruling:
    """The exact factor in the toy game, at every horizon, over coth(epsilon/2)."""
    over = toy["local"] / toy["free"] * np.tanh(toy["epsilon"] / 2)
    last = float(over[toy["horizon"] == toy["horizon"].max()].min())
    said = f"proved for every T; in the toy game it is at most {over.max():.4f} times coth(epsilon/2), and {last:.4f} times it "
    return _PROVED(bool(over.max() <= 1 + _SAME), f"{said}or more at T = {toy['horizon'].max():,}", last)


def own_per_log() -> Ruling:
    """The least coefficient of ln T under DP up to epsilon 0.1, against that without privacy."""
    log = math.log(HORIZON)
    ours = min(replacements.central_lower(_MEANS, HORIZON, e) / log for e in GRID if e <= 0.1)
    plain = replacements.lai_robbins(_MEANS, HORIZON) / log
    said = f"the bound of Azize et al. (2025), with d_epsilon, has a coefficient of ln T of {ours:.4g} or more for epsilon up to "
    return _PROVED(ours > plain, f"{said}0.1, above the {plain:.4g} without privacy", ours)
