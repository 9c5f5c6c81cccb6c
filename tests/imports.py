"""Reads every import of a source file, wherever in it, without running anything."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Import:
    """One module that a file imports.

    Attributes
    ----------
    path : Path
    line : int
    name : str
        Dotted name of the module, or of what is taken from it.
    """

    path: Path
    line: int
    name: str

    def __str__(self) -> str:
        path = self.path
        shown = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        return f"{shown}, line {self.line}: imports {self.name}"


def sources(folder: Path, name: str = "*.py") -> list[Path]:
    """Return the Python files below a folder, of which there must be some."""
    found = sorted(folder.rglob(name))
    assert found, folder
    return found


def imports(path: Path) -> Iterator[Import]:
    """Yield every import of a file: lazy ones, and those for type checking, too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        for name in _names(node, path):
            yield Import(path, node.lineno, name)  # type: ignore[attr-defined]


def _names(node: ast.AST, path: Path) -> list[str]:
    """Return what a node imports; ``from a import b`` may mean a, or a module a.b."""
    match node:
        case ast.Import():
            return [one.name for one in node.names]
        case ast.ImportFrom():
            assert node.level == 0, f"{path}, line {node.lineno}: imports relatively"
            return [f"{node.module}.{one.name}" for one in node.names]
        case ast.Call(args=[ast.Constant(value=str(name)), *_]) if ast.unparse(
            node.func
        ) in ("import_module", "importlib.import_module", "__import__"):
            return [name]
        case _:
            return []
