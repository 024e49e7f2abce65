"""How problems, policies and guarantees show themselves: in a console as one line, in a notebook as a table."""

import html
from collections.abc import Mapping


class Shown:
    """Something with facts. Its `str` is its line."""

    def facts(self) -> Mapping[str, str]:
        """Return what a table of it says.

        Returns
        -------
        mapping
            Texts by their headings.
        """
        raise NotImplementedError

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        rows = [
            f"<tr><th>{html.escape(name)}</th><td>{html.escape(text)}</td></tr>" for name, text in self.facts().items()
        ]
        return f"<table>{''.join(rows)}</table>"


def loss(epsilon: float | None, delta: float | None) -> str:
    """Return a privacy loss in words.

    Parameters
    ----------
    epsilon, delta : float or None
        None where it is not certified.

    Returns
    -------
    str

    Examples
    --------
    >>> [loss(1.0, 0.0), loss(0.5, 1e-5), loss(float("inf"), 0.0), loss(None, None)]
    ['ε = 1', 'ε = 0.5, δ = 1e-05', 'ε = inf', 'not certified']
    """
    if epsilon is None:
        return "not certified"
    return f"ε = {epsilon:g}" + (f", δ = {delta:g}" if delta else "")
