"""The environment of the processes that a command starts: the reader's, without what would change what they do."""

import os

# Where Python finds its modules and keeps what it has compiled; all else of its kind changes how it runs or speaks.
_KEPT = {
    "PYTHONHOME",
    "PYTHONPATH",
    "PYTHONPLATLIBDIR",
    "PYTHONUSERBASE",
    "PYTHONNOUSERSITE",
    "PYTHONSAFEPATH",
    "PYTHONPYCACHEPREFIX",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONUTF8",
}
# Of the server or the session that a terminal was opened in, of drawings on a screen, and of the clock of builds.
_OTHERS = (
    "PYTHON",
    "JUPYTER_",
    "JPY_",
    "IPYTHON",
    "IPYKERNEL_",
    "PYDEVD_",
    "MPLBACKEND",
    "MATPLOTLIBRC",
    "SOURCE_DATE_EPOCH",
)


def neutral(**given: str) -> dict[str, str]:
    """Return the environment in which a kernel runs, or a page is built.

    Parameters
    ----------
    **given : str
        Variables with a value of the command's own.

    Returns
    -------
    dict
        Warnings are shown as Python shows them by default, no file runs first, and figures are drawn on no screen.
    """
    kept = {name: value for name, value in os.environ.items() if name in _KEPT or not name.startswith(_OTHERS)}
    return kept | given
