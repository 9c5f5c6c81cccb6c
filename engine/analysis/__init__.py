"""Analyses of runs: attacks, explanations, ledgers, models, published tables."""

from engine.analysis.curves.experiment import Experiment
from engine.analysis.curves.timing import MethodTiming, time_methods
from engine.analysis.modelling.models import ModelInfo, models
from engine.analysis.modelling.preserved import Analysis, analyse

__all__ = [
    "Analysis",
    "Experiment",
    "MethodTiming",
    "ModelInfo",
    "analyse",
    "models",
    "time_methods",
]
