"""Analyses of runs: attacks, explanations, ledgers, models, published tables."""

from engine.analysis.curves.experiment import Experiment
from engine.analysis.curves.timing import MethodTiming, time_methods
from engine.analysis.modelling.model_loss import ModelScores, analyse
from engine.analysis.modelling.models import ModelInfo, models

__all__ = [
    "Experiment",
    "MethodTiming",
    "ModelInfo",
    "ModelScores",
    "analyse",
    "models",
    "time_methods",
]
