"""Coterie's engine: microaggregation from Python, without a screen.

Examples
--------
>>> import numpy as np
>>> from engine import partition
>>> partition(np.array([[1.0], [2.0], [9.0], [8.0]]), k=2, method="mdav")
array([0, 0, 1, 1])
"""

from engine.analysis import analyse
from engine.array import partition
from engine.assess import assess
from engine.compare import Failure, compare, grid
from engine.context import RunContext
from engine.errors import (
    Cancelled,
    EngineError,
    InfeasibleError,
    InputError,
    ParameterError,
)
from engine.files import ReadOptions, read_table, write_table
from engine.hierarchy import Hierarchy, read_hierarchy
from engine.methods import methods
from engine.outcome import Outcome, Release
from engine.pipeline import run
from engine.plan import Plan
from engine.table import Column, Kind, Role, Schema, Table

__all__ = [
    "Cancelled",
    "Column",
    "EngineError",
    "Failure",
    "Hierarchy",
    "InfeasibleError",
    "InputError",
    "Kind",
    "Outcome",
    "ParameterError",
    "Plan",
    "ReadOptions",
    "Release",
    "Role",
    "RunContext",
    "Schema",
    "Table",
    "analyse",
    "assess",
    "compare",
    "grid",
    "methods",
    "partition",
    "read_hierarchy",
    "read_table",
    "run",
    "write_table",
]
