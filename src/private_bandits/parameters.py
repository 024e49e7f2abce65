"""What a problem or a policy was made with, as a text that files and JSON keep."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from types import FunctionType
from typing import Any

import numpy as np

_LONGEST = 1000  # characters of a field


def parameters(thing: Any) -> str:
    """Return the fields of an object as JSON; a field of more than 1,000 characters is told by its SHA-256.

    Parameters
    ----------
    thing : object
        A dataclass, a NamedTuple, or anything with attributes. Those that begin with `_` are left out.

    Returns
    -------
    str

    Examples
    --------
    >>> from private_bandits.problems import Cascade
    >>> parameters(Cascade([0.5, 0.25], list_size=1))
    '{"type": "private_bandits.problems.lists.Cascade", "means": [0.5, 0.25], "list_size": 1}'
    """
    return json.dumps(_plain(thing))


def _plain(thing: Any) -> Any:
    if isinstance(thing, np.ndarray | np.generic):
        return thing.tolist()
    if isinstance(thing, type | FunctionType):
        return f"{thing.__module__}.{thing.__qualname__}"
    texts = {name: json.dumps(value, default=_plain) for name, value in _fields(thing).items() if name[:1] != "_"}
    return {"type": _plain(type(thing))} | {name: _short(text) for name, text in texts.items()}


def _fields(thing: Any) -> Mapping[str, Any]:
    if is_dataclass(thing):
        return {each.name: getattr(thing, each.name) for each in fields(thing)}
    try:
        names = thing._fields if isinstance(thing, tuple) else vars(thing)  # type: ignore[attr-defined]
    except (AttributeError, TypeError):  # a plain tuple, or of another language
        return {}
    return {name: getattr(thing, name) for name in names}


def _short(text: str) -> Any:
    return json.loads(text) if len(text) <= _LONGEST else f"sha256 {hashlib.sha256(text.encode()).hexdigest()}"
