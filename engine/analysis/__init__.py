"""Analyses: attacks, explanations, ledgers, what models lose, published tables."""

from engine.analysis.experiment import Experiment
from engine.analysis.models import ModelInfo, models
from engine.analysis.preserved import Analysis, analyse
from engine.analysis.timing import Timing, time_methods

__all__ = [
    "Analysis",
    "Experiment",
    "ModelInfo",
    "Timing",
    "analyse",
    "models",
    "time_methods",
]
