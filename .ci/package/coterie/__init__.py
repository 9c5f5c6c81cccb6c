"""Coterie as it is installed: ``import coterie`` gives the engine's public names.

The engine, the dashboard and the samples stand beside this as ``engine``, ``dashboard``
and ``sample_data``, which others may call their packages as well: :func:`main` says who
stands where they should. ``import coterie.engine`` gives the same package as
``import engine``, and so for the others.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path

# As in `typing`, which takes longer to import than the rest.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType
    from typing import Any

    from engine import *  # noqa: F403

_PACKAGES = {
    "engine": "methods",
    "dashboard": "places",
    "sample_data": "ten_records.csv",
}
"""Packages of Coterie, each with something that no other of its name has."""


def describe_shadowing() -> str | None:
    """Return, in a sentence, whose package stands where one of ours should."""
    for name, part in _PACKAGES.items():
        spec = find_spec(name)
        places = list(spec.submodule_search_locations or []) if spec else []
        if not any((Path(place) / part).exists() for place in places):
            where = places[0] if places else getattr(spec, "origin", None)
            if where is None:
                return f"its package {name} is missing: install Coterie again."
            return (
                f"another package named {name} stands before its own, at {where}: "
                "install Coterie into an environment of its own, or leave that folder."
            )
    return None


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; 2 where others stand in the way."""
    if (sentence := describe_shadowing()) is not None:
        print(f"coterie: {sentence}", file=sys.stderr)
        return 2
    found: int = import_module("engine.cli").main(arguments)
    return found


class _Alias:
    """Finder and loader of our packages by the names that they have below this one."""

    def find_spec(self, name: str, *_others: Any) -> ModuleSpec | None:
        """Return how a package is found; refuse its modules, to load none twice."""
        top, _, rest = name.partition(".")
        if top != __name__ or rest.partition(".")[0] not in _PACKAGES:
            return None
        if "." in rest:
            raise ModuleNotFoundError(f"import {rest}, without {top}.", name=name)
        return ModuleSpec(name, self)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the package itself, which keeps its own name and specification."""
        if (sentence := describe_shadowing()) is not None:
            raise ImportError(f"Coterie: {sentence}")
        package = import_module(spec.name.partition(".")[2])
        spec.loader_state = package.__spec__
        return package

    def exec_module(self, package: ModuleType) -> None:
        """Give back what the import has put in the place of its specification."""
        if package.__spec__ is not None:
            package.__spec__ = package.__spec__.loader_state


sys.meta_path.insert(0, _Alias())


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"{__name__}.{name}")
    if name == "__all__":
        return import_module("engine").__all__
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if (sentence := describe_shadowing()) is not None:
        raise ImportError(f"Coterie: {sentence}")
    return getattr(import_module("engine"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *import_module("engine").__all__})
