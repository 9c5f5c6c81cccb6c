"""Analyses of runs: attacks, explanations, ledgers, models, published tables."""

from engine.analysis.curves.experiment import Experiment
from engine.analysis.curves.timing import MethodTiming, time_methods
from engine.analysis.modelling.models import ModelInfo, models
from engine.analysis.modelling.preserved import ModelScores, analyse

__all__ = [
    "Experiment",
    "MethodTiming",
    "ModelInfo",
    "ModelScores",
    "analyse",
    "models",
    "time_methods",
]
