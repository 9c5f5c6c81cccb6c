"""Analyses of runs: attacks, explanations, ledgers, models, published tables."""

from engine.analysis.experiment import Experiment
from engine.analysis.models import ModelInfo, models
from engine.analysis.preserved import Analysis, analyse
from engine.analysis.timing import MethodTiming, time_methods

__all__ = [
    "Analysis",
    "Experiment",
    "MethodTiming",
    "ModelInfo",
    "analyse",
    "models",
    "time_methods",
]
