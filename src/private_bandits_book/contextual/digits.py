"""Handwritten digits as a contextual bandit: which of ten digits is this image?

The images are scikit-learn's bundled copy of the UCI test set (1,797 images of 8 x 8 pixels), so nothing is downloaded.
The first 500 images are public. Their principal components, and nothing else of them, make the projection; the labels
of the public part are not used. A round shows one of the other 1,297 images, uniformly drawn: a user. The user's k
components, scaled to norm 1, are z, and the action "it is digit a" has the vector with z in block a and zeros
elsewhere, so d = 10 k. The reward is 1 for the right digit and 0 for a wrong one, without noise.

All vectors of a round have the same norm, so scaling changes no user's best action under a linear rule.
"""

from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np

from private_bandits.problems import LinearContext

DIGITS = 10
PUBLIC = 500
COMPONENTS = 4


class Digits(NamedTuple):
    """The public images, and the users' images with their labels; a row is an image of 64 pixels."""

    public: np.ndarray
    images: np.ndarray
    labels: np.ndarray


class Projection(NamedTuple):
    """Principal components of the public part."""

    mean: np.ndarray  # shape (64,)
    directions: np.ndarray  # shape (components, 64)


def load() -> Digits:
    """Return the bundled images, the first `PUBLIC` of them set aside."""
    bundled = find_spec("sklearn")  # where the file is; to import the package takes as long as the rest of the page
    assert bundled is not None and bundled.origin is not None
    table = np.loadtxt(Path(bundled.origin).parent / "datasets" / "data" / "digits.csv.gz", delimiter=",")
    return Digits(table[:PUBLIC, :-1], table[PUBLIC:, :-1], table[PUBLIC:, -1].astype(np.int64))


def projection(public: np.ndarray, components: int = COMPONENTS) -> Projection:
    """Return the leading principal components of the public images, each with its largest entry positive."""
    mean = public.mean(axis=0)
    spread = public - mean
    rows = np.linalg.eigh(spread.T @ spread)[1].T[::-1][:components]
    largest = rows[np.arange(components), np.argmax(np.abs(rows), axis=1)]
    return Projection(mean, rows * np.sign(largest)[:, None])


def features(images: np.ndarray, onto: Projection) -> np.ndarray:
    """Return the images' components, scaled to norm 1."""
    scores = (images - onto.mean) @ onto.directions.T
    return np.asarray(scores / np.linalg.norm(scores, axis=1, keepdims=True))


def problem() -> LinearContext:
    """Return the bandit; its regret is the number of wrong answers."""
    digits = load()
    z = features(digits.images, projection(digits.public))
    sets = np.einsum("ni,ab->nabi", z, np.eye(DIGITS)).reshape(len(z), DIGITS, -1)
    return LinearContext.table(sets, np.eye(DIGITS)[digits.labels], link="logistic")


def best_linear() -> float:
    """The share of users for whom the linear rule with the least squares fit to everybody's rewards names the digit."""
    data = load()
    z = features(data.images, projection(data.public))
    weights = np.linalg.lstsq(z, np.eye(DIGITS)[data.labels], rcond=None)[0]
    return float(np.mean(np.argmax(z @ weights, axis=1) == data.labels))
