"""Analysis preserved: a model learnt from the release, tried on original records."""

from engine.analysis.models import ModelInfo, models
from engine.analysis.preserved import Analysis, analyse

__all__ = ["Analysis", "ModelInfo", "analyse", "models"]
