"""A table protected as the coloured buttons do it: proposals taken, doubts left out."""

from engine.analysis.protect.protect import Protected, protect
from engine.analysis.protect.settle import LeftOut, Question, Settled, settle

__all__ = ["LeftOut", "Protected", "Question", "Settled", "protect", "settle"]
