"""A bound is a formula: it takes all that its theorem allows, answers a number, and says in a line what it refuses."""

from __future__ import annotations

import inspect
import math

import hostile
import pytest
from hostile import ARMS, BALL, CASCADE, LOSS, SETS, TOP

from private_bandits.problems import Cascade

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


# what once was another error than a ValueError, no number, or the wrong one, by other arguments than those above
FOUND = [
    ("papers.cascading.bounds.theorem_2", {"xi": 1e3, "epsilon": 1e-6}),
    ("papers.cascading.bounds.theorem_12", {"gap": 1e-17, "variant": "corrected"}),
    ("papers.cascading.bounds.kveton_lower", {"gap": 1e-17}),
    ("papers.contextual.bounds.theorem_3", {"horizon": 10**200, "variant": "derived"}),
    ("papers.definitions.factor.theorem_a", {"horizon": 10**200}),
    ("papers.semibandits.bounds.theorem_9", {"gap": 1e-17, "variant": "corrected"}),
]


@pytest.mark.parametrize(("path", "changed"), FOUND)
def test_what_once_broke_is_a_number(path, changed):
    assert asked(path, **changed) == "answered"


TIED, NEED_ONE = Cascade([0.5, 0.3, 0.3], 2), ("theorem_4", "repaired_first_upper", "repaired_blocks_upper")
EXCESS = {"n_arms": 2, "horizon": 100, "mixing": 0.1, "batch": 10}
# at the ends of ranges that are neither 0 nor infinity, and words and constants that a theorem does not have
REFUSED = [
    ("papers.heavy_tailed.bounds.dp_epoch", {"log": 0.0}, "log"),
    ("papers.heavy_tailed.bounds.dp_upper", {"beta": 1.0, "variant": "corrected"}, "beta"),
    ("papers.heavy_tailed.bounds.ldp_upper", {"variant": "misprinted"}, "variant must be one of"),
    ("papers.heavy_tailed.bounds.quantile_width", {"excess": 0.5}, "excess"),
    ("papers.definitions.bounds.theorem_1", {"n_arms": 1}, "n_arms must be >= 2"),
    ("papers.definitions.bounds.theorem_1", {"n_arms": 2, "c": 0.1}, "c must be > 0 and <= "),
    ("papers.definitions.bounds.horizon_1", {"variant": "derived"}, "variant must be one of"),
    ("papers.definitions.bounds.theorem_2", {"c": 0.0}, "c must be > 0"),
    ("papers.definitions.bounds.theorem_4", {"means": [0.5, 1.5]}, "means"),
    ("papers.definitions.bounds.theorem_4", {"variant": "table"}, "variant must be one of"),
    ("papers.definitions.factor.theorem_a", {"n_arms": 2, "horizon": 3}, "horizon must be >= 4"),
    ("papers.definitions.factor.theorem_a_excess", EXCESS | {"epochs": 4}, "epochs must be <= log4"),
    ("papers.definitions.replacements.asoodeh_zhang", {"gaps": [0.5], "divergences": [0.0]}, "divergences"),
    *(
        (f"papers.cascading.bounds.{name}", {"problem": TIED}, "means must have a unique best list")
        for name in NEED_ONE
    ),
]


@pytest.mark.parametrize(("path", "changed", "named"), REFUSED)
def test_what_a_bound_refuses(path, changed, named):
    with pytest.raises(ValueError, match=f"^{named}"):
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
