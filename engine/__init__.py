"""Coterie's engine: microaggregation from Python, without a screen.

One package per kind of task, on floors: each imports only from those below.

Examples
--------
>>> import numpy as np
>>> from engine import partition
>>> partition(np.array([[1.0], [2.0], [9.0], [8.0]]), k=2, method="mdav")
array([0, 0, 1, 1])
"""

from __future__ import annotations

import sys
from types import ModuleType

# As in `typing`, which takes longer to import than the rest: a Ctrl-C meets nothing
# of this package before the command line can answer it.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from engine.analysis import analyse as analyse
    from engine.analysis.need import Need as Need
    from engine.analysis.need import need as need
    from engine.analysis.protect import Protected as Protected
    from engine.analysis.protect import protect as protect
    from engine.core.context import RunContext as RunContext
    from engine.core.errors import Cancelled as Cancelled
    from engine.core.errors import EngineError as EngineError
    from engine.core.errors import InfeasibleError as InfeasibleError
    from engine.core.errors import InputError as InputError
    from engine.core.errors import ParameterError as ParameterError
    from engine.data.kinds import Kind as Kind
    from engine.data.kinds import Role as Role
    from engine.data.schema import Column as Column
    from engine.data.schema import Schema as Schema
    from engine.data.table import Table as Table
    from engine.files import ReadOptions as ReadOptions
    from engine.files import read_table as read_table
    from engine.files import write_table as write_table
    from engine.hierarchy import Hierarchy as Hierarchy
    from engine.hierarchy import read_hierarchy as read_hierarchy
    from engine.methods import methods as methods
    from engine.pipeline.compare import Failure as Failure
    from engine.pipeline.compare import compare as compare
    from engine.pipeline.compare import grid as grid
    from engine.pipeline.evaluate import assess as assess
    from engine.pipeline.evaluate import evaluate as evaluate
    from engine.pipeline.labels import partition as partition
    from engine.pipeline.outcome import Outcome as Outcome
    from engine.pipeline.outcome import Release as Release
    from engine.pipeline.plan import Plan as Plan
    from engine.pipeline.run import run as run

_MODULES = {
    "engine.analysis": ("analyse",),
    "engine.analysis.need": ("Need", "need"),
    "engine.analysis.protect": ("Protected", "protect"),
    "engine.core.context": ("RunContext",),
    "engine.core.errors": (
        "Cancelled",
        "EngineError",
        "InfeasibleError",
        "InputError",
        "ParameterError",
    ),
    "engine.data.kinds": ("Kind", "Role"),
    "engine.data.schema": ("Column", "Schema"),
    "engine.data.table": ("Table",),
    "engine.files": ("ReadOptions", "read_table", "write_table"),
    "engine.hierarchy": ("Hierarchy", "read_hierarchy"),
    "engine.methods": ("methods",),
    "engine.pipeline.compare": ("Failure", "compare", "grid"),
    "engine.pipeline.evaluate": ("assess", "evaluate"),
    "engine.pipeline.labels": ("partition",),
    "engine.pipeline.outcome": ("Outcome", "Release"),
    "engine.pipeline.plan": ("Plan",),
    "engine.pipeline.run": ("run",),
}
"""What each module gives; it is imported when somebody asks for one of the names."""

_HOMES = {name: module for module, names in _MODULES.items() for name in names}

__all__ = sorted(_HOMES)


class _Engine(ModuleType):
    """A module whose `methods` is the registry, and not the package of that name.

    Importing a package sets it as an attribute of the one around it.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "methods":
            value = getattr(value, name, value)
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Engine


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    attribute = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return attribute


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
