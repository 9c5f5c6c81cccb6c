"""Coterie's engine: microaggregation from Python, without a screen.

Examples
--------
>>> import numpy as np
>>> from engine import partition
>>> partition(np.array([[1.0], [2.0], [9.0], [8.0]]), k=2, method="mdav")
array([0, 0, 1, 1])
"""

from engine.analysis import analyse
from engine.core.context import RunContext
from engine.core.errors import (
    Cancelled,
    EngineError,
    InfeasibleError,
    InputError,
    ParameterError,
)
from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from engine.data.table import Table
from engine.files import ReadOptions, read_table, write_table
from engine.hierarchy import Hierarchy, read_hierarchy
from engine.methods import methods
from engine.pipeline.compare import Failure, compare, grid
from engine.pipeline.evaluate import assess
from engine.pipeline.labels import partition
from engine.pipeline.outcome import Outcome, Release
from engine.pipeline.plan import Plan
from engine.pipeline.run import run

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
