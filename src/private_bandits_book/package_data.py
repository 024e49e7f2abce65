"""The data of a chapter's room: its tables in TOML."""

import tomllib
from functools import cache
from importlib import resources
from typing import Any


@cache
def tables(chapter: str, name: str) -> dict[str, Any]:
    """Return what `name`.toml of a chapter's room holds, read once; it is shared and not to be changed."""
    path = resources.files(f"private_bandits_book.chapters.{chapter}").joinpath(f"{name}.toml")
    return tomllib.loads(path.read_text("utf-8"))
