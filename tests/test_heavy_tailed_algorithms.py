"""Every algorithm of the heavy-tailed room stands in its own file and in the list of the room."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from types import FrameType

import pytest

from private_bandits.papers import heavy_tailed
from private_bandits.policy import Policy


def test_every_module_with_a_reference_is_in_the_list_with_what_its_constructor_makes():
    made: dict[int, str] = {}

    def watch(frame: FrameType, event: str, value: object) -> None:
        caller = frame.f_back
        if event == "return" and isinstance(value, Policy) and caller and caller.f_code.co_name == "algorithms":
            made[id(value)] = frame.f_globals["__name__"]

    sys.setprofile(watch)
    try:
        listed = heavy_tailed.algorithms(epsilon=0.5)
    finally:
        sys.setprofile(None)
    room = heavy_tailed.__name__
    assert [made[id(policy)] for _, policy in listed] == [f"{room}.{module}" for module, _ in listed]
    names = [one.name for one in pkgutil.iter_modules(heavy_tailed.__path__)]
    with_reference = {name for name in names if hasattr(importlib.import_module(f"{room}.{name}"), "reference")}
    assert with_reference == {name for name, _ in listed}


def test_the_list_names_each_variant_once_and_passes_epsilon_on():
    listed = heavy_tailed.algorithms(epsilon=0.25)
    assert len({(policy.name, policy.variant) for _, policy in listed}) == len(listed) == 9
    paid = [policy.privacy.effective_epsilon for _, policy in listed if policy.privacy.trust != "none"]
    assert paid == pytest.approx([0.25] * 6)


def test_the_mechanism_is_the_family_that_the_figures_colour():
    found = {policy.name: policy.mechanism for _, policy in heavy_tailed.algorithms()}
    assert found == {
        "Robust UCB": "tree",
        "DP Robust UCB": "tree",
        "Robust SE": "elimination",
        "DP Robust SE": "elimination",
        "LDP Robust SE": "elimination",
        "LDP Robust SE, slide rate": "elimination",
        "Quantile SE": "response",
        "DP Robust UCB, episodes": "laplace",
    }
