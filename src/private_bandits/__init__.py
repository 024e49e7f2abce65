"""Private Bandits: a reproducible companion to five papers on what privacy costs a bandit learner."""

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from private_bandits.simulate import simulate

__all__ = ["simulate"]
__version__ = "0.3.0"


class _Package(ModuleType):
    """`private_bandits.simulate` is the function, imported when it is asked for: the command line needs none."""

    @property
    def simulate(self) -> Any:
        """The function, not the module of that name."""
        from private_bandits.simulate import simulate

        return simulate

    @simulate.setter
    def simulate(self, module: ModuleType) -> None:
        """Leave the function in its place when the import system would put the module there."""


sys.modules[__name__].__class__ = _Package
