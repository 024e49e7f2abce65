"""The chapter's parameters, and the problems and moments that they say."""

from dataclasses import dataclass

from private_bandits.papers import heavy_tailed as paper
from private_bandits.papers.heavy_tailed.instances import ParetoArms
from private_bandits_book import studies


@dataclass
class Setup(studies.Study):
    """The parameters of the notebook by name."""

    chapter = "heavy_tailed"
    local_epsilons: list[float]
    vs: list[float]
    exact_horizon: int
    beta: float
    spare_shape: float
    u_over_moment: float
    small_c: float
    small_local_c: float
    small_radius: float

    @property
    def length(self) -> int:
        """The horizon that algorithms are told, which ask for at least 2."""
        return max(self.horizon, 2)

    def problem(self, number: int, v: float) -> ParetoArms:
        """A setting of the slides, with the shape 1 + v + spare_shape."""
        return paper.setting(number, v, 1.0 + v + self.spare_shape)

    def moment(self, number: int, v: float) -> float:
        """The u that the algorithms are told."""
        return self.u_over_moment * self.problem(number, v).moment(v)
