"""Protect a table without questions: accept proposals, leave doubtful columns out."""

from engine.analysis.protect.protect import Protected, protect
from engine.analysis.protect.settle import (
    LeftOutColumn,
    SettledTable,
    UnaskedQuestion,
    settle_columns,
)

__all__ = [
    "LeftOutColumn",
    "Protected",
    "SettledTable",
    "UnaskedQuestion",
    "protect",
    "settle_columns",
]
