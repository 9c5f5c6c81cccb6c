"""Protect a table without questions: proposed roles, and safe answers to all doubts."""

from engine.analysis.protect.protect import Protected, protect
from engine.analysis.protect.settle import LeftOutColumn, SettledTable, decide_all_roles
from engine.analysis.protect.unasked_questions import UnaskedQuestion

__all__ = [
    "LeftOutColumn",
    "Protected",
    "SettledTable",
    "UnaskedQuestion",
    "decide_all_roles",
    "protect",
]
