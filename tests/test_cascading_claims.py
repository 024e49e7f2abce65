"""The judging of the cascading chapter on given numbers: a changed threshold, window, column or name turns it red."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from synthetic import long_frame, with_regret

from private_bandits.estimates import Interval
from private_bandits.papers.cascading import b_lb, cascade_ucb1
from private_bandits_book.cascading import keys, lemmas, rules, study
from private_bandits_book.cascading.exhibits import exhibits
from private_bandits_book.cascading.study import LEARNING_HORIZON, Study
from private_bandits_book.ledger import claims_of
from private_bandits_book.rules import LONGEST_REASON
from private_bandits_book.studies import Runs
from private_bandits_book.verdicts import (
    AFTER_REPAIR,
    BY_CONSTRUCTION,
    DERIVED,
    EXACT,
    MEASURED,
    NOT_REPRODUCED,
    REPRODUCED,
    UNDECIDED,
)

PARAMETERS = {
    "horizon": 100_000, "replications": 20, "seed": 1, "n_jobs": 1, "epsilons": [0.2, 1.0],
    "central_epsilons": [0.5, 1.0], "cucb_epsilons": [0.2, 2.0],
    "items_epsilon": 1.0, "sizes_epsilon": 0.2,
    "sweep_step": 0.2, "sweep_stop": 2.0, "n_items": 20, "list_size": 4, "item_counts": [8, 20], "list_sizes": [4, 8],
    "p": 0.2, "gap": 0.15, "delta": 1e-3,
}  # fmt: skip
# a world in which the paper is right but for privacy: by policy and reading, at epsilon 1, K = 4 and L = 20
WORLD = {
    ("uniform", ""): 30_000.0,
    ("CascadeUCB1", ""): 1_000.0,
    ("CUCB", ""): 800.0,
    ("Laplace", "published"): 1_400.0,
    ("Gaussian", "published"): 1_200.0,
    ("Composition", "published"): 1_500.0,
    ("Laplace", "stated"): 25_000.0,
    ("Gaussian", "stated"): 22_000.0,
    ("Composition", "stated"): 26_000.0,
    ("Hybrid", "published"): 2_000.0,
    ("Hybrid, log of horizon", "published"): 2_100.0,
    ("Hybrid", "stated"): 20_000.0,
    ("Hybrid, log of horizon", "stated"): 21_000.0,
    ("Blocks, kept", "repaired"): 4_000.0,
    ("CUCB Gaussian", "published"): 1_100.0,
    ("CUCB Gaussian", "stated"): 18_000.0,
    ("CUCB Gaussian", "repaired"): 17_000.0,
    ("Response, first item", "repaired"): 1_350.0,
}
DESIGNS = {
    "first": 5_000.0, "padded": 20_000.0, "padded Gaussian": 19_000.0,
    "one number": 5_500.0, "examinations": 1_000.0, "displays": 2_100.0,
    "keep": 3_000.0, "forget": 3_500.0, "counter": 4_500.0, "local": 5_000.0,
}  # fmt: skip
COST = {2: 0.8, 4: 0.8**3, 8: 0.8**7}  # of one wrong item in a list of a cascade, over the gap
POWERS = {
    "Hybrid": 0.0,
    "Laplace": 2.0,
    "Gaussian": 1.0,
    "Composition": 1.0,
    "CUCB Gaussian": 1.0,
    "Response, first item": 0.5,
}


def regret(changes=()):
    world = WORLD | dict(changes)

    def of(problem, policy, variant, swept):
        known = (policy.name, variant if variant in ("published", "stated", "repaired") else "")
        if variant in DESIGNS:
            usual = DESIGNS[variant] * (1.5 if (variant, problem.list_size) == ("displays", 8) else 1.0)
            named = problem.list_size if variant == "displays" else policy.privacy.epsilon
            at = {(variant, named), variant} & world.keys()
            return world[at.pop()] if at else usual
        epsilon = policy.privacy.epsilon
        if math.isinf(epsilon):
            return 700.0 if policy.name == "Response, first item" else world[known]
        grows = problem.list_size / 4 * problem.n_items / 20
        return world[known] * epsilon**-0.1 * grows**0.2

    return of


def growth(powers=(), log=1.0, noise=2.0, error=1.0):
    powers = POWERS | dict(powers)

    def of(run, t):
        labels, privacy, name = run.labels, run.policy.privacy, run.policy.name
        scale = labels["list_size"] ** powers[name] * privacy.epsilon**-noise
        scale *= 1.0 if name == "CUCB Gaussian" else COST[labels["list_size"]]
        if name == "Gaussian":
            scale *= math.log(1.25 / privacy.delta) ** error
        return 3.0 * scale * math.log(t) ** log

    return long_frame(study.growth_runs(), of)


def learning(log=1.0, least=3_000.0, slow="Laplace"):
    def of(run, t):
        if run.policy.name == slow:
            return 0.1 * t
        return least * math.log(t) ** log

    return long_frame(study.learning_runs(), of, points=60)


LEARNING, GROWTH = learning(), growth()
CLAIMS = {claim.claim: claim for claim in claims_of("cascading")}


def made(changes=(), parameters=(), **frames) -> Study:
    one = with_regret(Study, regret(changes))(**(PARAMETERS | dict(parameters)))
    anchor = one.run(b_lb(16, 4, 0.2, 0.15), cascade_ucb1())
    one.__dict__.update({"learning": LEARNING, "growth": GROWTH, "anchor": anchor, **frames})
    return one


def verdict(claim, *arguments, **options):
    one = made(*arguments, **options)
    return rules.rules.alone[claim](one, CLAIMS[claim])


PANELS = ("1a", "1b", "1e", "1f", "1g", "1h", "1i", "2a")


def test_in_a_world_where_the_paper_is_right_but_for_privacy_its_labels_fail_and_its_curves_stand():
    for panel in PANELS:
        found = verdict(f"figure-{panel}")
        assert (found.verdict, found.evidence) == (REPRODUCED, MEASURED), (panel, found.reason)
        assert found.excludes
    for claim in ("theorem-1", "theorem-3", "theorem-5", "theorem-8-privacy", "lemma-2", "experiments-privacy"):
        assert verdict(claim).verdict == NOT_REPRODUCED, claim
    assert (verdict("theorem-9").verdict, verdict("theorem-9").evidence) == (AFTER_REPAIR, BY_CONSTRUCTION)
    for claim in ("theorem-4", "theorem-6", "theorem-8-regret", "theorem-10"):
        assert (verdict(claim).verdict, verdict(claim).evidence) == (REPRODUCED, MEASURED), verdict(claim).reason
    for claim in (name for name in CLAIMS if name.startswith("own-")):
        assert verdict(claim).verdict == REPRODUCED, verdict(claim).reason
    assert verdict("own-central-privacy").evidence == BY_CONSTRUCTION
    variants = {one.variant.split(",")[0] for one in verdict("own-central-privacy").about}
    assert variants == set(study.CENTRAL_DESIGNS)


@pytest.mark.parametrize(
    ("claim", "change", "expected"),
    [
        ("figure-1a", {("Gaussian", "published"): 1_500.0}, NOT_REPRODUCED),
        ("figure-1a", {("Gaussian", "published"): 1_399.9}, UNDECIDED),
        ("figure-1a", {("Gaussian", "published"): 1_399.86}, REPRODUCED),  # half as many runs would not tell
        ("figure-1a", {("CascadeUCB1", ""): 1_450.0}, NOT_REPRODUCED),
        ("figure-1a", {("Gaussian", "stated"): 26_000.0}, REPRODUCED),
        ("figure-1e", {("Laplace", "published"): 1.5 / 2**-0.1 * 1_000 * 0.99}, REPRODUCED),
        ("figure-1e", {("Laplace", "published"): 1.5 / 2**-0.1 * 1_000 * 1.01}, NOT_REPRODUCED),
        ("figure-1e", {("Gaussian", "published"): 1.5 / 2**-0.1 * 1_000 * 1.01}, NOT_REPRODUCED),
        ("figure-1h", {("CUCB Gaussian", "published"): 600.0}, NOT_REPRODUCED),
        ("figure-1h", {("CUCB Gaussian", "repaired"): 600.0}, REPRODUCED),
        ("figure-1i", {("CUCB", ""): 1_200.0}, NOT_REPRODUCED),
        ("own-local-regret", {("Response, first item", "repaired"): 29_000.0}, NOT_REPRODUCED),
        ("own-local-regret", {("Response, first item", "repaired"): 500.0}, NOT_REPRODUCED),
        ("own-local-regret", {("uniform", ""): 1_500.0}, NOT_REPRODUCED),
        ("own-local-designs", {("padded", 0.2): 4_990.0}, NOT_REPRODUCED),
        ("own-local-designs", {"padded Gaussian": 4_990.0}, NOT_REPRODUCED),
        ("own-local-designs", {("first", 1.0): 5_510.0}, NOT_REPRODUCED),
        ("own-local-designs", {"one number": 5_000.0}, UNDECIDED),
        ("own-local-designs", {"one number": 4_990.0}, NOT_REPRODUCED),
        ("own-local-designs", {("one number", 1.0): 4_990.0}, NOT_REPRODUCED),
        ("own-clicks-per-display", {"displays": 990.0}, NOT_REPRODUCED),
        ("own-clicks-per-display", {("displays", 8): 2_000.0}, NOT_REPRODUCED),  # the factor must grow
        ("own-clicks-per-display", {("displays", 8): 2_200.0}, REPRODUCED),
        ("own-central-over-local", {"keep": 4_990.0}, REPRODUCED),
        ("own-central-over-local", {"keep": 5_010.0}, NOT_REPRODUCED),
        ("own-central-over-local", {"keep": 5_000.0}, UNDECIDED),
        ("own-central-over-local", {("keep", 2.0): 5_010.0}, NOT_REPRODUCED),
        ("own-central-over-local", {"forget": 9_000.0, "counter": 9_000.0}, REPRODUCED),
        ("own-central-over-local", {("local", 0.2): 2_990.0}, NOT_REPRODUCED),
        ("own-one-answer", {("Gaussian", "stated"): 1_000.0}, NOT_REPRODUCED),
        ("own-one-answer", {("Gaussian", "stated"): 1_400.0}, REPRODUCED),
        ("own-one-answer", {("Gaussian", "published"): 1.0, ("Laplace", "stated"): 1.0}, REPRODUCED),
    ],
)
def test_a_panel_is_judged_by_its_own_curves(claim, change, expected):
    found = verdict(claim, change)
    assert found.verdict == expected, found.reason


def test_designs_that_were_not_run_decide_nothing():
    one = made(central_designs=Runs(), local_designs=Runs(), control=Runs())
    large = made(parameters={"epsilons": [2.5], "central_epsilons": [4.0]})
    for claim in ("own-local-designs", "own-clicks-per-display", "own-central-over-local"):
        assert rules.rules.alone[claim](one, CLAIMS[claim]).verdict == UNDECIDED
    assert rules.rules.alone["own-central-over-local"](large, CLAIMS["own-central-over-local"]).verdict == UNDECIDED
    beyond = {"parameters": {"central_epsilons": [2.0]}}  # up to 2 is claimed, and 4 is run
    assert verdict("own-central-over-local", {("keep", 4.0): 5_010.0}, **beyond).verdict == REPRODUCED
    with pytest.raises(LookupError, match="0 runs of .*local, 0.2"):
        verdict("own-central-over-local", central_designs=made().central_designs.select(keys.CENTRAL))


@pytest.mark.parametrize("policy", ["Blocks, kept", "Hybrid, log of horizon"])
@pytest.mark.parametrize("panel", ["figure-1f", "figure-1g"])
def test_the_central_panels_are_judged_by_the_printed_hybrid_and_ours_beside_them(panel, policy):
    def of(problem, played, variant, swept):
        value = regret()(problem, played, variant, swept)
        return 10_000.0 if played.name == policy else value

    one = with_regret(Study, of)(**PARAMETERS)
    claim = panel if policy == "Hybrid, log of horizon" else "own-central-regret"
    found = {name: rules.rules.alone[name](one, CLAIMS[name]).verdict for name in (panel, "own-central-regret")}
    assert found == {name: UNDECIDED if name == claim else REPRODUCED for name in found}


STUCK = {"figure-1e": 10, "figure-1a": 200, "own-central-regret": 200}


@pytest.mark.parametrize("claim", ["figure-1a", "figure-1e", "figure-2a", "figure-2-difference", "own-central-regret"])
def test_a_panel_of_which_one_run_is_stuck_is_open(claim):
    """Of twenty: its mean hardly moves, and three more in twenty that play uniformly would change the order."""
    usual, one = made(parameters={"list_sizes": [2, 4, 8]}), made(parameters={"list_sizes": [2, 4, 8]})
    play = one.run

    def stuck(problem, policy, *arguments, **named):
        run = play(problem, policy, *arguments, **named)
        run.data["regret"][3] *= 1.02  # far beyond the spread of the others
        return run

    one.run = stuck
    kept, opened = (rules.rules.alone[claim](each, CLAIMS[claim]) for each in (usual, one))
    assert kept.verdict != UNDECIDED and "stand apart" not in kept.reason
    assert opened.verdict == UNDECIDED and f"1 of {STUCK.get(claim, 20)} runs" in opened.reason


@pytest.mark.parametrize(
    ("factor", "as_factor", "as_difference"),
    [
        (1.0, REPRODUCED, REPRODUCED),
        (1.04, NOT_REPRODUCED, REPRODUCED),  # the factor is still above that of the first panel
        (1.0596, NOT_REPRODUCED, UNDECIDED),
        (1.07, NOT_REPRODUCED, NOT_REPRODUCED),  # and so is the difference
    ],
)
def test_the_gap_of_figure_2_is_held_against_the_panel_before_it(factor, as_factor, as_difference):
    """Gaussian's regret at K = 8 times the factor; the world's Laplace gains 2 % at K = 4 and 5 % there."""
    gains = {("Gaussian", 8): factor, ("Laplace", 4): 1.02, ("Laplace", 8): 1.05}

    def of(problem, policy, variant, swept):
        return regret()(problem, policy, variant, swept) * gains.get((policy.name, problem.list_size), 1.0)

    one = with_regret(Study, of)(**PARAMETERS | {"list_sizes": [2, 4, 8]})
    for claim, expected in (
        ("figure-2a", REPRODUCED), ("figure-2b", REPRODUCED), ("figure-2c", as_factor),
        ("figure-2-difference", as_difference),
    ):  # fmt: skip
        found = rules.rules.alone[claim](one, CLAIMS[claim])
        assert found.verdict == expected, found.reason


@pytest.mark.parametrize(
    ("claim", "change", "expected"),
    [
        ("theorem-4", {}, REPRODUCED),
        ("theorem-4", {"powers": {"Laplace": 2.6}}, UNDECIDED),
        ("theorem-4", {"powers": {"Laplace": 3.0}}, NOT_REPRODUCED),
        ("theorem-6", {"powers": {"Gaussian": 1.5}}, UNDECIDED),
        ("theorem-6", {"powers": {"Gaussian": 2.0}}, NOT_REPRODUCED),
        ("theorem-6", {"powers": {"Gaussian": 0.0}}, REPRODUCED),
        ("theorem-6", {"noise": 2.5}, UNDECIDED),
        ("theorem-6", {"noise": 3.0}, NOT_REPRODUCED),
        ("theorem-6", {"error": 1.5}, UNDECIDED),
        ("theorem-6", {"error": 2.0}, NOT_REPRODUCED),
        ("theorem-6", {"log": 1.5}, UNDECIDED),
        ("theorem-6", {"log": 2.0}, NOT_REPRODUCED),
        ("theorem-6", {"log": 0.9}, UNDECIDED),  # no consistent algorithm stays below ln T
        ("theorem-8-regret", {"powers": {"Composition": 2.0}}, NOT_REPRODUCED),
        ("theorem-10", {"powers": {"CUCB Gaussian": 2.0}}, NOT_REPRODUCED),
        ("theorem-10", {"powers": {"Gaussian": 3.0}}, REPRODUCED),
    ],
)
def test_a_power_is_told_from_the_nearest_wrong_one_without_slack(claim, change, expected):
    found = verdict(claim, growth=growth(**change))
    assert found.verdict == expected, found.reason
    if expected == REPRODUCED:
        assert len(found.excludes) == len(CLAIMS[claim].facts["powers"])


def test_an_interval_too_wide_decides_nothing():
    """Five runs whose logarithmic growth spreads over several units, as the committed ones do."""
    bend = (np.log(GROWTH["t"]) / math.log(study.GROWTH_HORIZON)) ** (GROWTH["replication"] - 2.0)
    frame = GROWTH.assign(regret=GROWTH["regret"] * bend)
    found = verdict("theorem-6", growth=frame)
    assert found.verdict == UNDECIDED and "too wide to tell it from (ln T)^2" in found.reason


def test_what_one_wrong_item_costs_is_in_claim_and_alternative():
    lists, top = (growth({name: 2.0}) for name in ("Gaussian", "CUCB Gaussian"))
    assert "K^2 (1.03) is not" in verdict("theorem-6", growth=lists).reason
    assert "K^2 (2) is not" in verdict("theorem-10", growth=top).reason


def test_a_study_without_the_runs_of_a_claim_is_an_error():
    with pytest.raises(LookupError, match="lacks the runs of .*'Gaussian'"):
        verdict("theorem-6", growth=GROWTH[GROWTH["policy"] != "Gaussian"])


@pytest.mark.parametrize("claim", ["theorem-4", "theorem-6", "theorem-8-regret", "theorem-10"])
def test_a_printed_constant_below_the_regret_is_refuted(claim):
    algorithm = CLAIMS[claim].facts["algorithm"]
    bound = rules._PRINTED[algorithm](study.growth_problem(algorithm, 2), study.GROWTH_HORIZON, 4.0)
    (run,) = study.growth_sweep(algorithm, "ln T").runs()
    at = {name: run.labels[name] for name in ("policy", "epsilon", "list_size")} | {"t": study.GROWTH_HORIZON}
    case = np.logical_and.reduce([GROWTH[name] == value for name, value in at.items()])
    for factor, above in ((0.99, False), (1.01, True)):
        frame = GROWTH.assign(regret=GROWTH["regret"] * factor * bound / GROWTH.loc[case, "regret"].mean())
        found = verdict(claim, growth=frame)
        assert (found.verdict == NOT_REPRODUCED and "lies above the bound" in found.reason) == above


def test_growth_is_fitted_over_the_last_two_decades_and_where_the_policy_has_learnt():
    horizon = study.GROWTH_HORIZON

    def bent(run, t):
        return 1e4 * math.log(max(t, horizon / 100)) + 5.0 * min(t, horizon / 100)

    fits = {(f.labels["policy"], f.quantity): f.fit for f in rules.growth_fits(long_frame(study.growth_runs(), bent))}
    assert fits["Laplace", "ln T"].measured == pytest.approx(1.0, abs=0.02)

    def lost(share):
        uniform = study.growth_cascade(2).uniform_regret()
        frame = long_frame(study.growth_runs(), lambda run, t: share * uniform * t)
        fits = {(f.labels["policy"], f.quantity): f.fit for f in rules.growth_fits(frame)}
        return fits["Laplace", "ln T"]

    assert lost(0.11) is None and lost(0.09) is not None


def test_growth_is_fitted_over_both_of_the_last_two_decades():
    horizon = study.GROWTH_HORIZON
    uniform = study.growth_cascade(2).uniform_regret()

    def fitted(regret):
        frame = long_frame(study.growth_runs(), lambda run, t: regret(t))
        fits = {(f.labels["policy"], f.quantity): f.fit for f in rules.growth_fits(frame)}
        return fits["Laplace", "ln T"]

    def steeper_before_the_last(t):
        return 1e4 * math.log(t) + 2e4 * math.log(min(t, horizon / 10))

    assert fitted(steeper_before_the_last).measured < 0.5
    # learnt only after a sixth of the run: over two decades, though not over one, too much is lost for a growth in ln T
    assert fitted(lambda t: uniform * min(t, horizon / 6) + 1e3 * math.log(t)) is None


@pytest.mark.parametrize(
    ("claim", "name", "made", "above"),
    [
        ("lemma-3", "classical_gaussian_excess", lambda x: lemmas.Excess(x, 0.5, 0.4), AFTER_REPAIR),
        ("theorem-7", "theorem_7_excess", lambda x: lemmas.Composed(x, 2, 0.1, 1e-3), NOT_REPRODUCED),
    ],
)
def test_a_lemma_holds_up_to_what_it_promises(claim, name, made, above, monkeypatch):
    for ratio, expected in ((1.0, REPRODUCED), (1.001, above)):
        monkeypatch.setattr(rules.lemmas, name, lambda *_, ratio=ratio, **__: made(ratio))
        assert verdict(claim).verdict == expected


@pytest.mark.parametrize(
    ("log", "expected"),
    [(1.5, REPRODUCED), (1.0, REPRODUCED), (2.0, UNDECIDED), (2.5, NOT_REPRODUCED), (0.9, UNDECIDED)],
)
def test_the_order_of_theorem_2_is_judged_by_its_rate(log, expected):
    found = verdict("theorem-2-growth", growth=growth(log=log))
    assert (found.verdict, found.evidence) == (expected, MEASURED), found.reason


def test_the_order_of_theorem_2_is_judged_where_its_algorithm_has_learnt():
    slow = GROWTH["policy"] == "Hybrid"
    lost = GROWTH.assign(regret=GROWTH["regret"].where(~slow, GROWTH["t"] * 0.1))
    assert verdict("theorem-2-growth", growth=lost).verdict == UNDECIDED
    assert verdict("theorem-2-growth", learning=learning(2.5)).verdict == REPRODUCED


def test_theorem_2_is_refuted_whatever_its_constants_and_stands_if_it_kept_the_sampling(monkeypatch):
    found = verdict("theorem-2")
    assert (found.verdict, found.evidence) == (NOT_REPRODUCED, DERIVED)
    assert "even with c_2 = 1e+06" in found.reason and found.measurement.measured == 1e15
    asked, printed = [], rules.bounds.theorem_2

    def sampled(problem, horizon, epsilon, xi, *, c_2, share=1.0):
        asked.append((epsilon, xi, c_2))
        sampling = 12.0 / float(np.ptp(problem.means)) * math.log(horizon)
        return printed(problem, horizon, epsilon, xi, c_2=c_2) + share * sampling

    monkeypatch.setattr(rules.bounds, "theorem_2", sampled)
    assert verdict("theorem-2").verdict == REPRODUCED
    assert set(asked) == {(1e12, 0.5, 1e6)}
    monkeypatch.setattr(rules.bounds, "theorem_2", lambda *at, **k: sampled(*at, **k, share=0.001))
    assert verdict("theorem-2").verdict == NOT_REPRODUCED


def apart(**powers):
    usual = {"log_t": 0.0, "noise": 0.0, "size": 0.0, "others": 0.0}
    return lambda *_: lemmas.Apart(**usual | powers)


@pytest.mark.parametrize(
    ("claim", "name", "value", "expected"),
    [
        ("matching-ldp", "bounds_apart", apart(size=0.49), REPRODUCED),
        ("matching-ldp", "bounds_apart", apart(size=0.51), NOT_REPRODUCED),
        ("matching-ldp", "bounds_apart", apart(noise=0.51), NOT_REPRODUCED),
        ("matching-dp", "bounds_apart", apart(log_t=0.5, others=2.0), REPRODUCED),
        ("matching-dp", "bounds_apart", apart(log_t=0.502), NOT_REPRODUCED),
        ("definitions-alike", "bounds_apart", apart(noise=-0.49), REPRODUCED),
        ("definitions-alike", "bounds_apart", apart(noise=0.51), NOT_REPRODUCED),
        ("theorem-11-remark", "bounds_apart", apart(size=-0.49), REPRODUCED),
        ("theorem-11-remark", "bounds_apart", apart(size=-0.51), NOT_REPRODUCED),
        ("unavoidable-log", "utility_growth", lambda: 2.26, REPRODUCED),
        ("unavoidable-log", "utility_growth", lambda: 2.24, NOT_REPRODUCED),
        ("first-polylog", "earlier_growth", lambda: 1.51, REPRODUCED),
        ("first-polylog", "earlier_growth", lambda: 1.49, NOT_REPRODUCED),
        ("k-squared", "click_growth", lambda: 0.51, REPRODUCED),
        ("k-squared", "click_growth", lambda: 0.49, NOT_REPRODUCED),
    ],
)
def test_what_is_said_of_bounds_and_setting_follows_what_is_computed(claim, name, value, expected, monkeypatch):
    monkeypatch.setattr(lemmas, name, value)
    found = verdict(claim)
    assert (found.verdict, found.evidence) == (expected, CLAIMS[claim].evidence), found.reason
    assert found.evidence == (EXACT if claim == "k-squared" else DERIVED)


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        ("matching-ldp", " 0.00 of ln T, 0.00 of 1/epsilon, 0.00 of L-K, but 1.01 of K"),
        ("definitions-alike", "the power 1 of 1/epsilon"),
        ("first-polylog", "order ln T for epsilon-DP and lists of one item (power 0.928,"),
        ("k-squared", "differ by 2 in L1, with power 0 of K"),
    ],
)
def test_what_is_said_of_bounds_and_setting_fails_by_its_own_numbers(claim, said):
    found = verdict(claim)
    assert found.verdict == NOT_REPRODUCED and said in found.reason


def test_the_remark_on_theorem_11_holds_by_total_variation():
    found = verdict("theorem-11-remark")
    assert found.verdict == AFTER_REPAIR and "power -0.988" in found.reason and "power -0.0112" in found.reason
    assert len(found.reason) <= LONGEST_REASON


def test_every_reason_of_the_ledger_has_room():
    ledger = made().ledger
    assert not ledger["reason"].str.endswith(" …").any()


@pytest.mark.parametrize(
    ("claim", "most", "holds"), [("theorem-11", 1.0, AFTER_REPAIR), ("theorem-12", 2.0, REPRODUCED)]
)
def test_a_lower_bound_is_held_against_what_is_proved_where_it_is_largest(claim, most, holds, monkeypatch):
    found = verdict(claim)
    assert (found.verdict, found.evidence) == (holds, DERIVED if most == 1.0 else BY_CONSTRUCTION)
    name, asked = claim.replace("-", "_"), []
    monkeypatch.setattr(rules.bounds, name, lambda *at, variant="printed": asked.append(at) or 1.0)
    verdict(claim)
    for worst in (asked[0], asked[-1]):
        for ratio, expected in ((most, holds), (1.001 * most, NOT_REPRODUCED)):

            def bound(*at, variant="printed", worst=worst, ratio=ratio):
                return 2.0 if variant == "corrected" else 2.0 * ratio if at == worst else 1.0

            monkeypatch.setattr(rules.bounds, name, bound)
            assert verdict(claim).verdict == expected
    _, _, weights, gaps, _, epsilons = zip(*asked, strict=True)
    assert set(weights) == {0.05, 0.2, 0.5, 0.9} and set(epsilons) == {0.01, 0.2, 1.0, 5.0}
    assert {round(gap / p, 9) for p, gap in zip(weights, gaps, strict=True)} == {0.05, 0.5, 0.95}


def test_an_interval_below_ln_t_is_open_and_one_that_reaches_it_is_not():
    def bent(least):
        powers = (np.log(GROWTH["t"]) / math.log(study.GROWTH_HORIZON)) ** ((GROWTH["replication"] - 2.0) / 40 - least)
        return verdict("theorem-6", growth=GROWTH.assign(regret=GROWTH["regret"] * powers))

    below, reached = bent(0.2), bent(0.0)
    assert below.verdict == UNDECIDED and "of every consistent algorithm, so it cannot last" in below.reason
    assert reached.verdict == REPRODUCED, reached.reason


def fails(low, high):
    return Interval((low + high) / 2, low, high)


def covers(printed, repaired):
    return lambda gamma: lemmas.Coverage(fails(*printed), 1, 0.002, fails(*repaired))


def diverges(swapped, ordered):
    return lambda: lemmas.Divergences(swapped, 0.5, 0.2, ordered)


@pytest.mark.parametrize(
    ("claim", "name", "value", "expected"),
    [
        ("lemma-1", "hybrid_coverage", covers((0.002, 0.0099), (0.9, 1.0)), REPRODUCED),
        ("lemma-1", "hybrid_coverage", covers((0.0101, 0.02), (0.002, 0.0099)), AFTER_REPAIR),
        ("lemma-1", "hybrid_coverage", covers((0.0101, 0.02), (0.002, 0.0101)), UNDECIDED),
        ("lemma-1", "hybrid_coverage", covers((0.0101, 0.02), (0.0099, 0.02)), UNDECIDED),
        ("lemma-1", "hybrid_coverage", covers((0.0101, 0.02), (0.0101, 0.02)), NOT_REPRODUCED),
        ("lemma-4", "decomposition_slack", lambda _: (0.0, 0.1), REPRODUCED),
        ("lemma-4", "decomposition_slack", lambda _: (0.1, -1e-9), NOT_REPRODUCED),
        ("theorem-11", "swapped_divergence", diverges(1.0, 1.1), REPRODUCED),
        ("theorem-11", "swapped_divergence", diverges(1.001, 1.0), AFTER_REPAIR),
        ("theorem-11", "swapped_divergence", diverges(1.001, 1.001), NOT_REPRODUCED),
    ],
)
def test_a_lemma_and_its_repair_follow_what_is_computed(claim, name, value, expected, monkeypatch):
    monkeypatch.setattr(lemmas, name, value)
    found = verdict(claim)
    assert found.verdict == expected, found.reason
    assert found.evidence == {"lemma-1": MEASURED, "theorem-11": DERIVED}.get(claim, CLAIMS[claim].evidence)


@pytest.mark.parametrize(("regret_", "expected"), [(986.8 * 1.029, REPRODUCED), (986.8 * 1.033, NOT_REPRODUCED)])
def test_the_anchor_is_known_to_three_per_cent(regret_, expected):
    baseline = {("CascadeUCB1", ""): regret_}
    assert verdict("kveton-table-1", baseline).verdict == expected
    shorter = verdict("kveton-table-1", baseline, {"horizon": 10_000})
    assert shorter.verdict == UNDECIDED


def test_a_panel_that_the_parameters_do_not_give_is_undecided():
    one = made(parameters={"epsilons": [0.2], "cucb_epsilons": [0.2], "central_epsilons": [1.0], "item_counts": [8],
                           "list_sizes": [4]})  # fmt: skip
    verdicts = one.ledger.set_index("claim")["verdict"]
    missing = ("figure-1b", "figure-1d", "figure-1f", "figure-1g", "figure-1i", "figure-2b", "figure-2-difference")
    for claim in missing:
        assert verdicts[claim] == UNDECIDED, claim


# --- what the page says


def picture(label, *arguments, **options):
    return exhibits.makers(made(*arguments, **options))[label]()


def test_a_local_panel_says_what_its_own_curves_lose():
    found = picture("figure-1a")
    factor = 0.2**-0.1
    stated, published, repaired = (f"{v * factor:,.0f}" for v in (25_000, 1_400, 1_350))
    assert f"the published Laplace curve ends at {published}, the stated one at {stated}," in found.alt
    assert f"really pays 0.2, at {repaired}; uniform play ends at 30,000." in found.alt
    assert "Without privacy the repaired rule loses 700, CascadeUCB1 1,000." in found.caption
    assert "CascadeUCB1" not in picture("figure-1b").caption
    assert found.caption.startswith("Figure 1(a): the local algorithms at nominal ε = 0.2, B_LB(20, 4, 0.2, 0.15)")
    assert picture("figure-2b").caption.startswith("Figure 2(b): ") and "B_LB(20, 8," in picture("figure-2b").caption


def test_the_sweep_says_what_each_reading_pays_and_loses():
    found = picture("figure-1e")
    assert found.caption.endswith("The published Laplace values pay 50 ε, the stated ones 0.5 ε.")
    assert "every multiple of 0.2, the others of 1." in found.caption
    stated, repaired = (f"{v * 2.0**-0.1:,.0f}" for v in (22_000, 1_350))
    assert found.alt.endswith(f"the stated algorithms still lose at least {stated}, the repaired one {repaired}.")


def test_the_findings_take_their_numbers_from_the_right_rows(monkeypatch):
    text = picture("findings")
    share = 0.2**-0.1 / 30_000
    assert f"is {25_000 * share:.0%} of uniform play's, not {1_400 * share:.0%}." in text
    assert f"regret is {1_350 * share:.0%} of uniform play's at $K=4$" in text
    assert "at $\\epsilon=1$ they lose 3,000, hybrid counters 4,500, the local repair 5,000, the" in text
    far = f"{3_000 * math.log(1e8):,.0f}"
    assert f"privacy 700, and CascadeUCB1 1,000. At $T=10^8$ and $\\epsilon=0.2$ it is {far} against" in text
    assert (
        f"- {made().verdicts}; 9 of the reproduced are panels, at the published noise. The ledger" in text
        and "**Of 28 numbered" in text
    )
    short = picture("short")
    assert short.startswith("As printed no algorithm is private: ") and "they lose 3,000, and CascadeUCB1" in short
    assert f"it loses {1_350 * share:.0%} of what random lists lose" in short


def test_the_designs_count_their_wins_and_name_the_best():
    assert "loses least at 3 of 3 settings" in picture("figure-local-designs").caption
    table = picture("table-local-designs").frame
    assert table["best"].tolist() == ["first"] * 3
    assert table.iloc[0, 2:6].tolist() == pytest.approx([5_000, 20_000, 19_000, 5_500])
    found = picture("figure-central-designs", {("keep", 1.0): 5_001.0})
    assert "loses less than the local repair at ε = 0.2, 0.5, 2." in found.caption
    assert "hybrid counters from 4,500 to 4,500, the local repair from 5,000 to 5,000" in found.alt
    assert picture("table-control").frame["ratio"].tolist() == pytest.approx([2.1, 3.15])


def test_learning_starts_where_less_than_half_of_uniform_play_is_lost_for_good():
    uniform = study.learning_problem().uniform_regret()

    def of(run, t):
        return 0.6 * uniform * min(t, 1e6) + 0.4 * uniform * max(t - 1e6, 0.0)

    frame = long_frame(study.learning_runs(), of, points=121)
    times = study.learning_times(frame).set_index(["policy", "epsilon"])
    assert times["learns_from"].between(0.9e6, 1.2e6).all()
    assert np.allclose(times["over_uniform"], 0.402, atol=1e-3)
    slow = long_frame(study.learning_runs(), lambda run, t: 0.55 * uniform * t)
    assert study.learning_times(slow)["learns_from"].isna().all()


def test_the_bounds_table_has_both_horizons():
    frame = picture("table-bounds", parameters={"horizon": 1_000}).frame.set_index(["theorem", "variant"])
    row = frame.loc[("Theorem 6", "printed, corrected")]  # alike to three digits
    assert frame.loc["Theorem 4"].index.tolist() == ["printed", "corrected"]
    assert row["at_long"] / row["at_horizon"] == pytest.approx(math.log(LEARNING_HORIZON) / math.log(1_000))
    assert (frame["epsilon"] == 1.0).all()
    assert frame.loc["Theorem 12", "kind"].tolist() == ["lower"] * 2


def test_what_is_paid_is_said_by_variant():
    frame = picture("table-privacy").frame
    assert set(frame[frame["reading"] != "repaired"]["everything"]) == {"∞"}
    assert set(frame[frame["reading"] == "repaired"]["everything"]) == {"ε"}
    laplace = frame[frame["policy"] == "Laplace"].set_index("reading")
    assert laplace.loc["published", "values_at_1"] == pytest.approx(50.0)
    assert laplace.loc["stated", "values_at_1"] == pytest.approx(0.5)


def test_every_label_is_made_and_its_data_keep_the_contract():
    makers = exhibits.makers(made())
    assert [label for label in makers if label.startswith("figure-1")] == [f"figure-1{x}" for x in "abefghi"]
    assert [label for label in makers if label.startswith("figure-2")] == ["figure-2a", "figure-2b"]
    for label in ("figure-1e", "figure-1f", "figure-1g", "figure-1h", "figure-learning-local-1"):
        found = makers[label]()
        assert {"policy", "epsilon", "t", "regret", "regret_se", "replications"} <= set(found.data)
        assert "nan" not in found.caption + found.alt
    assert isinstance(makers["table-boxes"]().frame, pd.DataFrame) and len(makers["table-boxes"]().frame) == 9
