"""Parameters in a YAML file, read as the command line reads them."""

from pathlib import Path
from typing import Any

import yaml

from private_bandits import checks
from private_bandits_book.parameters import UsageError, literal


class _Loader(yaml.SafeLoader):  # type: ignore[misc]
    """Reads no aliases, by which a short file may stand for an endless one."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("an alias is not read")
        return super().compose_node(parent, index)


def read(path: Path) -> dict[str, Any]:
    """Return the parameters in a file. What is not quoted is read as on the command line, not as YAML reads it."""
    try:
        node = yaml.compose(path.read_text(encoding="utf-8"), _Loader)
        if not isinstance(node, yaml.MappingNode):
            raise UsageError(f"-f must hold `name: value` lines, got {path} without any")
        names = [_value(name) if name.style else str(name.value) for name, _ in node.value]
        given = dict(zip(names, (_value(value) for _, value in node.value), strict=True))
    except OSError as error:
        raise UsageError(f"-f must be a readable file, got {path}: {error.strerror}") from None
    except (UnicodeError, RecursionError, yaml.YAMLError) as error:
        raise UsageError(f"-f must be a YAML file, got {path}: {' '.join(str(error).split()):.120}") from None
    for name in names:
        if names.count(name) > 1:
            raise UsageError(
                f"-f must name a parameter once, got {path} with {checks.brief(name)} {names.count(name)} times"
            )
    return given


def _value(node: Any) -> Any:
    if isinstance(node, yaml.SequenceNode):
        return [_value(entry) for entry in node.value]
    if isinstance(node, yaml.MappingNode) or node.tag not in _Loader.yaml_constructors:
        raise yaml.YAMLError("a value is a number, a text or a list of them")
    return node.value if node.style else literal(node.value)
