"""Which names the cells of a notebook bind, read and change: what running one again changes in another."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

_CHANGES = {"append", "extend", "insert", "pop", "remove", "clear", "update", "setdefault", "add", "sort", "reverse"}


@dataclass
class Names:
    """What one cell binds; what it reads and changes without having bound it."""

    bound: set[str] = field(default_factory=set)
    read: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)

    def of(self, node: ast.AST) -> None:
        """Follow a statement or expression in the order in which it is run."""
        match node:
            case ast.AugAssign(target=ast.Name(id=name)):
                self.of(node.value)
                self.changed |= {name} - self.bound
            case ast.Assign() | ast.AnnAssign():
                self._all([node.value] if node.value else [])
                self._all(node.targets if isinstance(node, ast.Assign) else [node.target])
            case ast.For():
                self._all([node.iter, node.target, *node.body, *node.orelse])
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                self._inner(node, {name for each in node.generators for name in _stored(each.target)})
            case ast.FunctionDef() | ast.Lambda() | ast.ClassDef():
                self.read |= _free(node)  # whatever is bound here by then, another cell may bind it before a call
                self.bound |= set() if isinstance(node, ast.Lambda) else {node.name}
            case ast.Import() | ast.ImportFrom():
                self.bound |= {(one.asname or one.name).partition(".")[0] for one in node.names}
            case ast.Name(id=name):
                if isinstance(node.ctx, ast.Load):
                    self.read |= {name} - self.bound
                else:
                    self.bound.add(name)
            case _:
                self.changed |= _owners(node) - self.bound
                self._all(ast.iter_child_nodes(node))

    def _all(self, nodes: Iterable[ast.AST]) -> None:
        for node in nodes:
            self.of(node)

    def _inner(self, node: ast.AST, own: set[str]) -> None:
        inside = Names(self.bound | own)
        inside._all(ast.iter_child_nodes(node))
        self.read |= inside.read
        self.changed |= inside.changed


def _stored(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}


def _free(node: ast.FunctionDef | ast.Lambda | ast.ClassDef) -> set[str]:
    """The names that a function reads of the notebook."""
    inside = Names(_stored(node) | {one.arg for one in ast.walk(node) if isinstance(one, ast.arg)})
    inside._all(ast.iter_child_nodes(node))
    return inside.read


def _owners(node: ast.AST) -> set[str]:
    """Names whose values a node changes in place."""
    match node:
        case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
            return {name}
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr)) if attr in _CHANGES:
            return {name}
        case ast.AugAssign(target=ast.Subscript(value=ast.Name(id=name))):
            return {name}
    return set()


def entangled(sources: Mapping[Any, str]) -> Iterator[str]:
    """Say which cell, by its name, would find other things if another one were run again.

    A name that a cell takes from another one is bound in one cell only, and nothing that another cell made is changed.
    """
    cells = {name: Names() for name in sources}
    for name, source in sources.items():
        cells[name].of(ast.parse(source))
    often = Counter(name for cell in cells.values() for name in cell.bound)
    for place, cell in cells.items():
        yield from (f"{place} takes {x}, which {often[x]} cells bind" for x in sorted(cell.read) if often[x] > 1)
        yield from (f"{place} changes {x} of another cell" for x in sorted(cell.changed))
