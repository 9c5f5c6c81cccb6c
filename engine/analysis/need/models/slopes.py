"""Comparison of a model's slopes before and after: interval overlap, shift, sign."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from engine.analysis.need.models.model_fit import ModelFit, RefittableModel
from engine.core.typing import Values
from engine.measures.reidentification.sampling import Z_95_PERCENT


def interval_overlap_per_slope(before: ModelFit, after: ModelFit) -> Values:
    """Return the overlap of each slope's two confidence intervals, shape (n_slopes,).

    The mean of what the intervals have in common as a share of each of them, 95 % and
    normal; 1 for equal intervals, negative where they lie apart, and not clipped. NaN
    where the release tells no slope. Source: Karr et al. 2006,
    https://doi.org/10.1198/000313006X124640.
    """
    reach_before = Z_95_PERCENT * before.errors
    reach_after = Z_95_PERCENT * after.errors
    lower = np.maximum(before.slopes - reach_before, after.slopes - reach_after)
    upper = np.minimum(before.slopes + reach_before, after.slopes + reach_after)
    width = 2.0 * Z_95_PERCENT
    common = upper - lower
    return np.asarray(
        0.5 * (common / (width * before.errors) + common / (width * after.errors))
    )


@dataclass(frozen=True)
class SlopeComparison:
    """One slope of a model, fitted to the original and to the release.

    Attributes
    ----------
    model, name : str
    before, error_before : float
        Slope and standard error in the original.
    after, error_after, overlap : float
        NaN where the release tells no slope.
    """

    model: str
    name: str
    before: float
    error_before: float
    after: float
    error_after: float
    overlap: float

    @property
    def shift(self) -> float:
        """Absolute change of the slope in standard errors of the original fit."""
        return abs(self.after - self.before) / self.error_before

    @property
    def miss(self) -> float:
        """Absolute change in standard errors of the release; infinite without them."""
        if math.isnan(self.after):
            return math.inf
        return abs(self.after - self.before) / self.error_after

    @property
    def covers_original(self) -> bool:
        """Whether the release's 95 % interval, a normal one, holds the original."""
        return self.miss <= Z_95_PERCENT

    @property
    def keeps_sign(self) -> bool:
        """Whether both slopes lie on the same side of 0."""
        return bool(np.sign(self.after) == np.sign(self.before))

    def summary(self) -> dict[str, Any]:
        """Return the comparison as plain values, ready for JSON."""
        return {
            name: None if isinstance(value, float) and math.isnan(value) else value
            for name, value in asdict(self).items()
        }


def compare_slopes(design: RefittableModel, after: ModelFit) -> list[SlopeComparison]:
    """Return comparisons of each slope of a model, fitted to original and release."""
    before = design.fit_before
    columns = (
        before.slopes,
        before.errors,
        after.slopes,
        after.errors,
        interval_overlap_per_slope(before, after),
    )
    return [
        SlopeComparison(design.model.text, name, *map(float, values))
        for name, *values in zip(design.names, *columns, strict=True)
    ]
