"""Models that analysts might fit to a release."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.core.message import Message
from engine.core.parallel import set_openmp_threads
from engine.core.registry import Registry


@dataclass(frozen=True)
class ModelInfo:
    """Identifier, title and target type of a model.

    Attributes
    ----------
    id, title, summary : str
    classifies : bool
        It predicts categories and its score is accuracy; otherwise it predicts
        numbers and its score is R squared.
    has_slopes : bool
        It has a slope for each input, with a sign that means something.
    """

    id: str
    title: str
    summary: str
    classifies: bool
    aliases: tuple[str, ...] = ()
    has_slopes: bool = False


Maker = Callable[[int], Any]
"""``make(seed)`` gives a scikit-learn estimator that takes numbers without NaN."""

models: Registry[ModelInfo, Maker] = Registry(Message("model"))
"""All models, by identifier."""


@models.register(
    ModelInfo(
        "linear", "Linear regression", "Ordinary least squares.", False, has_slopes=True
    )
)
def _linear_model(seed: int) -> Any:
    from sklearn.linear_model import LinearRegression

    return LinearRegression()


@models.register(
    ModelInfo(
        "boosting",
        "Boosted trees, regression",
        "Gradient boosting of regression trees.",
        False,
    )
)
def _boosting_model(seed: int) -> Any:
    set_openmp_threads()
    from sklearn.ensemble import HistGradientBoostingRegressor

    return HistGradientBoostingRegressor(
        early_stopping=False, random_state=seed % 2**32
    )


@models.register(
    ModelInfo(
        "logistic",
        "Logistic regression",
        "Linear in the log odds, without a penalty.",
        True,
        has_slopes=True,
    )
)
def _logistic_model(seed: int) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=np.inf, max_iter=1000)


@models.register(
    ModelInfo(
        "forest",
        "Random forest, classification",
        "The vote of 50 trees, each with leaves of 5 records or more.",
        True,
    )
)
def _forest_model(seed: int) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(50, min_samples_leaf=5, random_state=seed % 2**32)
