"""What the laboratory's panels say is promised and paid is what the library says, and the noise is the library's."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from lab import ask
from lab_policies import CHAPTERS

from private_bandits.mechanisms import gaussian_epsilon, gaussian_sigma

CASES = 12
OTHER_TEXTS = (
    "c = 4",
    "c = 8",
    "classical",
    "analytic",
    "laplace",
    "slide_rate",
    "radius times 0.0555556",
)  # of the library, which panels call repaired or printed
EXACT = {"rel": 1e-9, "abs": 0.0}


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_promised_and_paid(chapter: str) -> None:
    declared = CHAPTERS[chapter]
    rng = np.random.default_rng([ord(letter) for letter in chapter])
    cases = [declared.values(rng) for _ in range(CASES)]
    for values, offered in zip(cases, ask(*(("offered", chapter, case) for case in cases)), strict=True):
        for shown in offered:
            if not declared.fits(shown["id"], values):
                continue
            policy = declared.policies[shown["id"]](values)
            stated = policy.privacy
            assert shown["promised"] == {"epsilon": pytest.approx(stated.epsilon, **EXACT), "delta": stated.delta}
            assert shown["values"]["epsilon"] == pytest.approx(stated.value_epsilon, **EXACT)
            assert shown["values"]["delta"] == stated.value_delta
            assert shown["paid"]["epsilon"] == pytest.approx(stated.effective_epsilon, **EXACT)
            assert shown["paid"]["delta"] == stated.effective_delta
            assert shown["paid"]["reason"] == stated.reason
            assert shown["trust"] == stated.trust
            assert _text(policy) in {shown["variant"], *OTHER_TEXTS}, shown["id"]
            scale = getattr(policy.record, "scale", 0.0)
            assert shown["record"].get("scale", 0.0) == pytest.approx(scale, **EXACT)
            assert shown["record"].get("flip", 0.0) == pytest.approx(getattr(policy.record, "flip", 0.0), **EXACT)


def _text(policy: Any) -> str:
    """Which text a line follows, as its hue says."""
    return "none" if policy.privacy.trust == "none" else str(policy.variant).rpartition(", ")[2]


def test_gaussian_noise_pays_what_it_pays_in_the_library() -> None:
    rng = np.random.default_rng(1)
    questions: list[tuple[Any, ...]] = []
    expected = []
    for _ in range(200):
        epsilon, delta = math.exp(rng.uniform(-5, 4)), 10.0 ** rng.uniform(-12, -0.3)
        sensitivity = math.exp(rng.uniform(-2, 2))
        for method in ("classical", "analytic"):
            sigma = gaussian_sigma(epsilon, delta=delta, sensitivity=sensitivity, calibration=method)
            questions.append(("normal", "gaussianSigma", epsilon, delta, sensitivity, method))
            expected.append(sigma)
            questions.append(("normal", "gaussianEpsilon", sigma, delta, sensitivity))
            expected.append(gaussian_epsilon(sigma, delta=delta, sensitivity=sensitivity))
    np.testing.assert_allclose(ask(*questions), expected, rtol=1e-9, atol=1e-15)
