"""A bound is a formula: it takes all that its theorem allows, answers a number, and says in a line what it refuses."""

from __future__ import annotations

import inspect
import math

import hostile
import pytest
from hostile import ARMS, BALL, CASCADE, LOSS, SETS, TOP

CALLS = {
    path: function
    for path, function in hostile.public().items()
    if path.startswith("papers.") and path.split(".")[2] in ("bounds", "factor", "replacements")
}
# epsilons of the ledger's rows, and both ends
SMALL = (1e-12, 2.0**-30, 1e-17, 1e-300, 5e-324)
LARGE = (700.0, 1e300, math.inf)
BEYOND = 10**400


def asked(path: str, **changed: object) -> str:
    return hostile.called(path, CALLS[path], changed)


def variants(path: str) -> list[dict[str, str]]:
    return [{"variant": word} for name, word in hostile.words(CALLS[path]) if name == "variant"] or [{}]


def taking(*names: str) -> list[str]:
    return [path for path, function in CALLS.items() if {*names} <= {*inspect.signature(function).parameters}]


def test_there_are_bounds_of_all_papers():
    assert len(CALLS) > 60 and len({path.split(".")[1] for path in CALLS}) == 5


@pytest.mark.parametrize("path", CALLS)
def test_everything_is_given_by_its_name(path):
    kinds = {parameter.kind for parameter in inspect.signature(CALLS[path]).parameters.values()}
    assert kinds == {inspect.Parameter.KEYWORD_ONLY}
    with pytest.raises(TypeError, match="positional"):
        CALLS[path](*hostile.meant(path, CALLS[path]).values())


@pytest.mark.parametrize("path", taking("epsilon"))
def test_every_epsilon_of_the_theorem_is_answered(path):
    local = path.startswith("papers.heavy_tailed") and not path.endswith("epoch")  # of (0, 1] in their theorems
    for variant in variants(path):
        for epsilon in SMALL + (() if local else LARGE):
            assert asked(path, epsilon=epsilon, **variant) == "answered", (epsilon, variant)
    assert asked(path, epsilon=0.0) == asked(path, epsilon=-1.0) == "refused"


@pytest.mark.parametrize("path", taking("v"))
def test_every_order_of_a_moment_is_answered(path):
    for variant in variants(path):
        for v in (1e-6, 1e-3, 1e-300, 1.0):
            for u in (1e-300, 1.0, 1e300):
                assert asked(path, v=v, u=u, **variant) == "answered", (v, u, variant)
    assert asked(path, v=0.0) == asked(path, v=1.1) == "refused"


@pytest.mark.parametrize("path", CALLS)
def test_numbers_that_no_float_holds_are_refused_or_only_their_logarithm_counts(path):
    for name, value in hostile.meant(path, CALLS[path]).items():
        if isinstance(value, float | int):
            answer = asked(path, **{name: BEYOND})
            assert answer == "refused" or name == "horizon", name
            assert asked(path, **{name: -BEYOND}) == "refused", name
        elif value is None:  # an optional constant
            assert asked(path, **{name: BEYOND}) == asked(path, **{name: math.nan}) == "refused", name


@pytest.mark.parametrize("path", taking("problem"))
def test_a_problem_of_another_kind_is_refused(path):
    own = inspect.signature(CALLS[path]).parameters["problem"].annotation
    for other in (CASCADE, ARMS, TOP, SETS, LOSS, BALL, object()):
        if not isinstance(other, own) or (path.endswith("theorem_10") and other is SETS):
            assert asked(path, problem=other) == "refused", other


# what once was another error than a ValueError, no number, or the wrong one
FOUND = [
    ("papers.cascading.bounds.repaired_first_upper", {"epsilon": 1e-200}),
    ("papers.cascading.bounds.theorem_2", {"xi": 1e3, "epsilon": 1e-6}),
    ("papers.cascading.bounds.theorem_2", {"variant": "corrected", "epsilon": 1e-300}),
    ("papers.cascading.bounds.theorem_4", {"epsilon": 1e-160}),
    ("papers.cascading.bounds.theorem_6", {"epsilon": 1e-160}),
    ("papers.cascading.bounds.theorem_8", {"epsilon": 1e-160}),
    ("papers.cascading.bounds.theorem_10", {"epsilon": 1e-200}),
    ("papers.cascading.bounds.theorem_11", {"epsilon": 1e-17, "variant": "derived"}),
    ("papers.cascading.bounds.theorem_12", {"gap": 1e-17, "variant": "corrected"}),
    ("papers.cascading.bounds.kveton_lower", {"gap": 1e-17}),
    ("papers.contextual.bounds.theorem_3", {"horizon": 10**200, "variant": "derived"}),
    ("papers.definitions.bounds.theorem_1", {"epsilon": 1e-200}),
    ("papers.definitions.bounds.theorem_2", {"epsilon": 1e-200}),
    ("papers.definitions.bounds.theorem_3", {"epsilon": 1e-300, "variant": "proof"}),
    ("papers.definitions.bounds.theorem_3", {"epsilon": 1e200}),
    ("papers.definitions.bounds.theorem_4", {"epsilon": 1e-17, "variant": "derived"}),
    ("papers.definitions.bounds.horizon_1", {"epsilon": 1e-200}),
    ("papers.definitions.bounds.horizon_3", {"epsilon": 1e200}),
    ("papers.definitions.factor.theorem_a", {"horizon": 10**200}),
    ("papers.definitions.factor.theorem_c", {"epsilon": 5e-324}),
    ("papers.definitions.factor.central_upper", {"epsilon": 1e-320}),
    ("papers.definitions.replacements.local_lower", {"epsilon": 1e-17}),
    ("papers.definitions.replacements.asoodeh_zhang", {"epsilon": 1e-200}),
    ("papers.definitions.replacements.local_minimax", {"epsilon": 5e-324}),
    ("papers.heavy_tailed.bounds.robust_ucb_upper", {"v": 1e-3, "variant": "corrected"}),
    ("papers.heavy_tailed.bounds.dp_robust_ucb_upper", {"v": 1e-3, "variant": "corrected"}),
    ("papers.heavy_tailed.bounds.dp_upper", {"v": 1e-6, "u": 1e300}),
    ("papers.heavy_tailed.bounds.dp_upper", {"v": 1e-6, "variant": "corrected"}),
    ("papers.heavy_tailed.bounds.ldp_upper", {"v": 1e-6, "variant": "corrected"}),
    ("papers.heavy_tailed.bounds.dp_upper_independent", {"v": 1e-6, "variant": "corrected"}),
    ("papers.heavy_tailed.bounds.ldp_upper_independent", {"v": 1e-6, "variant": "corrected"}),
    ("papers.heavy_tailed.bounds.dp_epoch", {"v": 1e-6}),
    ("papers.heavy_tailed.bounds.ldp_epoch", {"epsilon": 1e-200}),
    ("papers.heavy_tailed.bounds.dp_lower", {"v": 1e-6}),
    ("papers.heavy_tailed.bounds.dp_lower", {"v": 1e-6, "variant": "corrected"}),
    ("papers.heavy_tailed.bounds.ldp_lower", {"v": 1e-6, "variant": "corrected"}),
    ("papers.heavy_tailed.bounds.ldp_lower_independent", {"epsilon": 1e-200, "variant": "corrected"}),
    ("papers.semibandits.bounds.theorem_2", {"epsilon": 1e-200}),
    ("papers.semibandits.bounds.theorem_4", {"epsilon": 1e-200}),
    ("papers.semibandits.bounds.theorem_5", {"epsilon": 1e-200}),
    ("papers.semibandits.bounds.theorem_6", {"epsilon": 1e-200}),
    ("papers.semibandits.bounds.theorem_8", {"epsilon": 1e-320, "variant": "proof"}),
    ("papers.semibandits.bounds.theorem_9", {"gap": 1e-17, "variant": "corrected"}),
    ("papers.semibandits.bounds.super_arm_radius_upper", {"epsilon": 1e-200}),
]  # fmt: skip


@pytest.mark.parametrize(("path", "changed"), FOUND)
def test_what_once_broke_is_a_number(path, changed):
    assert asked(path, **changed) == "answered"


REFUSED = [
    ("papers.heavy_tailed.bounds.dp_epoch", {"c": math.nan}, "c"),
    ("papers.heavy_tailed.bounds.dp_epoch", {"log": 0.0}, "log"),
    ("papers.heavy_tailed.bounds.ldp_epoch", {"epsilon": 0.0}, "epsilon"),
    ("papers.heavy_tailed.bounds.dp_robust_ucb_upper", {"c": math.nan}, "c"),
    ("papers.heavy_tailed.bounds.dp_upper", {"beta": math.nan}, "beta"),
    ("papers.cascading.bounds.theorem_2", {"c_2": math.nan, "variant": "corrected"}, "c_2"),
    ("papers.cascading.bounds.theorem_2", {"xi": math.nan, "variant": "corrected"}, "xi"),
    ("papers.semibandits.bounds.theorem_2", {"problem": CASCADE}, "problem"),
    ("papers.cascading.bounds.theorem_10", {"problem": CASCADE}, "problem"),
    ("papers.cascading.bounds.theorem_4", {"problem": TOP}, "problem"),
]


@pytest.mark.parametrize(("path", "changed", "named"), REFUSED)
def test_what_a_bound_refuses(path, changed, named):
    with pytest.raises(ValueError, match=rf"^({named})\b"):
        CALLS[path](**hostile.meant(path, CALLS[path]) | changed)


ORDERS = [
    ("papers.cascading.bounds.theorem_11", "derived", 2.0),
    ("papers.cascading.bounds.theorem_12", "corrected", 1.0),
    ("papers.definitions.bounds.theorem_4", "derived", 2.0),
    ("papers.semibandits.bounds.theorem_5", "corrected", 2.0),
    ("papers.semibandits.bounds.theorem_9", "corrected", 1.0),
]


@pytest.mark.parametrize(("path", "variant", "power"), ORDERS)
def test_small_epsilons_have_the_order_of_the_theorem(path, variant, power):
    """Where the digits of a float are not enough for the difference of two laws."""
    given = hostile.meant(path, CALLS[path]) | {"variant": variant}
    at = {epsilon: CALLS[path](**given | {"epsilon": epsilon}) for epsilon in (1e-12, 1e-17, 1e-30)}
    assert at[1e-17] == pytest.approx(at[1e-12] * 10 ** (5 * power), rel=1e-4)
    assert at[1e-30] == pytest.approx(at[1e-17] * 10 ** (13 * power), rel=1e-4)


@pytest.mark.parametrize("variant", ["printed", "derived"])
def test_with_noise_that_drowns_all_the_contextual_bounds_are_vacuous(variant):
    for name in ("theorem_8", "theorem_10"):
        call = CALLS[f"papers.contextual.bounds.{name}"]
        assert call(dim=2, epsilon=1e-17, delta=1e-3, horizon=1000, variant=variant) > 2 * 1000, name
