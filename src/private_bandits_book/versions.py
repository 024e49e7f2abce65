"""The versions on which numbers may depend."""

import platform
from importlib.metadata import version

_PACKAGES = "private-bandits numpy scipy numba pandas xarray joblib matplotlib papermill ipykernel jupyter-book".split()


def versions() -> dict[str, str]:
    """Return the versions that are installed here, by package."""
    return {name: version(name) for name in _PACKAGES}


def python() -> str:
    """Return the version of Python that runs."""
    return platform.python_version()
