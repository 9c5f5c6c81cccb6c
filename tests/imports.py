"""Reads every import of a source file, wherever in it, without running anything."""

import ast
from dataclasses import dataclass
from functools import cache
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
        short_path = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        return f"{short_path}, line {self.line}: imports {self.name}"


def sources(folder: Path, name: str = "*.py") -> list[Path]:
    """Return the Python files below a folder, of which there must be some."""
    paths = sorted(folder.rglob(name))
    assert paths, folder
    return paths


def imports(path: Path) -> tuple[Import, ...]:
    """Return every import of a file: lazy ones, and those for type checking, too."""
    return _imports(path, path.read_text(encoding="utf-8"))


@cache
def _imports(path: Path, text: str) -> tuple[Import, ...]:
    """Parse a file once for all that is asked about its imports."""
    return tuple(
        Import(path, node.lineno, name)  # type: ignore[attr-defined]
        for node in ast.walk(ast.parse(text))
        for name in _names(node, path)
    )


def _names(node: ast.AST, path: Path) -> list[str]:
    """Return what a node imports; ``from a import b`` may mean a, or a module a.b."""
    match node:
        case ast.Import():
            return [alias.name for alias in node.names]
        case ast.ImportFrom():
            assert node.level == 0, f"{path}, line {node.lineno}: imports relatively"
            return [f"{node.module}.{alias.name}" for alias in node.names]
        case ast.Call(
            func=ast.Name(id="import_module" | "__import__")
            | ast.Attribute(attr="import_module"),
            args=[ast.Constant(value=str(name)), *_],
        ):
            return [name]
        case _:
            return []
