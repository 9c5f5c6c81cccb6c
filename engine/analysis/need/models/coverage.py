"""Simulated coverage and bias of a model's slopes when it is fitted to releases.

Responses are drawn from the model as it is fitted to the original, protected as the
release was, and fitted again: a parametric bootstrap (Efron and Tibshirani 1993,
chapter 9). Errors of linear models are drawn from the model's residuals, so that no
distribution is assumed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from engine.analysis.need.models.formula import ModelFormula
from engine.analysis.need.models.model_fit import (
    RefittableModel,
    fit_coefficients_and_errors,
)
from engine.core.message import Message
from engine.core.typing import Values
from engine.data.table import Table, frame_fingerprint
from engine.measures.reidentification.sampling import Z_95_PERCENT
from engine.methods import methods
from engine.pipeline.grouping.prepare import PreparationCache
from engine.pipeline.outcome import Outcome
from engine.pipeline.run import build_grouped_parts, release_of_groups

N_DRAWS = 200
"""Responses that are drawn where they took no part in forming the groups."""

MAX_REGROUPED_RECORDS, MIN_DRAWS, MAX_REGROUPED_DRAWS = 400_000, 20, 60
"""Records of all draws together that are grouped anew, and how many draws that makes.

Where they are more than the fewest draws have, nothing is simulated.
"""

MIN_USABLE_COVERAGE, MIN_CAUTIOUS_COVERAGE = 90, 75
"""Per cent of intervals that hold the truth: fit it as it is, or take it with care."""

INVERSE_FUNCTIONS: dict[str, Callable[[Values], Values]] = {
    "log": np.exp,
    "log1p": np.expm1,
    "exp": np.log,
    "sqrt": np.square,
    "I": lambda values: values,
}
"""What turns a function of a response into the column again."""


@dataclass(frozen=True)
class SlopeCoverage:
    """Coverage and bias of one slope of a model over simulated responses.

    Attributes
    ----------
    name : str
    coverage : int
        95 % intervals of the ordinary fit that hold the truth, in per cent.
    bias : float
        Mean error in standard errors; below 0 where slopes are too near to 0.
    share : int
        The same in per cent of the slope.
    """

    name: str
    coverage: int
    bias: float
    share: int

    @property
    def advice(self) -> str:
        """What to do with the slope: ``"use"``, ``"care"`` or ``"avoid"``."""
        if self.coverage >= MIN_USABLE_COVERAGE:
            return "use"
        return "care" if self.coverage >= MIN_CAUTIOUS_COVERAGE else "avoid"


@dataclass(frozen=True)
class ModelCoverage:
    """Coverage and bias of a model's slopes over simulated responses, or why none.

    Attributes
    ----------
    model : str
    n_draws : int
    slopes : tuple of SlopeCoverage
    is_grouped : bool
        Whether the response took part in forming the groups.
    problem : Message or None
        Why nothing was simulated.
    """

    model: str
    n_draws: int = 0
    slopes: tuple[SlopeCoverage, ...] = ()
    is_grouped: bool = False
    problem: Message | None = None

    def summary(self) -> dict[str, Any]:
        """Return the simulation's figures as plain values, ready for JSON."""
        return {
            "model": self.model,
            "draws": self.n_draws,
            "response_formed_groups": self.is_grouped,
            "slopes": [vars(each) | {"advice": each.advice} for each in self.slopes],
            "problem": None if self.problem is None else str(self.problem),
        }


def simulate_coverage(
    outcome: Outcome, table: Table, model: ModelFormula, seed: int = 0
) -> ModelCoverage:
    """Return coverage and bias of a model's slopes in a release, by simulation.

    Parameters
    ----------
    table : Table
        What was protected.
    model : ModelFormula

    Raises
    ------
    ParameterError
        If the model cannot be fitted, or is of columns that did not leave.
    """
    model.columns(outcome.release.columns)
    rows = outcome.release.rows
    original = table.frame.iloc[rows].reset_index(drop=True)
    design = RefittableModel(model, original)
    source = _ResponseSource(design, original, np.random.default_rng([seed, 9]))
    plan = outcome.plan
    is_grouped = not {
        *plan.quasi_identifiers,
        *plan.strata_columns(table.frame.columns),
        *(plan.confidential if plan.p_sensitive > 1 or plan.t_close < 1 else ()),
    }.isdisjoint(model.response_columns(table.schema.names))
    if not is_grouped:
        released = design.build_matrices(outcome.release.frame.reset_index(drop=True))
        fits = [source.fit_to(released) for _ in range(N_DRAWS)]
        return _summarise(design, fits, is_grouped)
    n_draws = min(MAX_REGROUPED_DRAWS, MAX_REGROUPED_RECORDS // len(rows))
    problem = _regrouping_problem(outcome, source, n_draws)
    if problem is not None:
        return ModelCoverage(model.text, 0, (), True, problem)
    fits = []
    for _ in range(n_draws):
        drawn = table.frame[source.column].copy()
        drawn.iloc[rows] = source.draw_column(drawn.iloc[rows])
        frame = table.frame.assign(**{source.column: drawn})
        other = replace(
            table, frame=frame, fingerprint=frame_fingerprint(frame), carried=None
        )
        prepared = PreparationCache(other).get(plan)
        grouped = build_grouped_parts(plan, other, prepared).grouped
        release = release_of_groups(plan, other, prepared, grouped)
        fit = design.fit(release.frame)
        fits.append((fit.slopes, fit.errors))
    return _summarise(design, fits, is_grouped)


def _regrouping_problem(
    outcome: Outcome, source: _ResponseSource, n_draws: int
) -> Message | None:
    if methods.info(outcome.plan.method).traits.time_budget:
        return Message(
            "its response formed the groups, by a method that takes as long as it may"
        )
    if n_draws < MIN_DRAWS:
        return Message("its response formed the groups, and the file is too large")
    if source.inverse is None:
        return Message(
            "its response formed the groups, and stands in more than one function"
        )
    return None


class _ResponseSource:
    """Responses drawn from a model as it is fitted to the original."""

    def __init__(
        self, design: RefittableModel, original: pd.DataFrame, rng: np.random.Generator
    ) -> None:
        self.design, self._rng = design, rng
        self.column, *_ = design.model.response_columns([*map(str, original.columns)])
        name = rf"`?{re.escape(self.column)}`?"
        match = re.fullmatch(
            rf"(?:(?P<call>\w+)\s*\(\s*)?{name}\s*(?(call)\))", design.model.response
        )
        self.inverse = INVERSE_FUNCTIONS.get(match["call"] or "I") if match else None
        matrix, y, weights = design.build_matrices(original)
        X = matrix.to_numpy(np.float64)
        family = design.model.family
        coefficients, _ = fit_coefficients_and_errors(X, y, family, weights)
        self._places = matrix.index.to_numpy()
        self._predictor = X @ coefficients
        self._roots = np.ones(len(y)) if weights is None else np.sqrt(weights)
        spread = np.sqrt(len(y) / max(1, len(y) - X.shape[1]))
        self._residuals = (y - self._predictor) * self._roots * spread

    def draw(self) -> Values:
        """Return a response of each record that the model was fitted to."""
        family, linear = self.design.model.family, self._predictor
        if family == "logit":
            share = 1.0 / (1.0 + np.exp(-linear))
            return (self._rng.random(linear.size) < share).astype(np.float64)
        if family == "poisson":
            return self._rng.poisson(np.exp(linear)).astype(np.float64)
        errors = self._rng.choice(self._residuals, linear.size) / self._roots
        return np.asarray(linear + errors, dtype=np.float64)

    def fit_to(
        self, released: tuple[pd.DataFrame, Values, Values | None]
    ) -> tuple[Values, Values]:
        """Return the fit of a drawn response to a release's regressors."""
        matrix, _, weights = released
        drawn = pd.Series(self.draw(), index=self._places)
        y = np.asarray(drawn.reindex(matrix.index), dtype=np.float64)
        has_y = np.isfinite(y)
        fit = self.design.fit_matrices(
            matrix[has_y], y[has_y], None if weights is None else weights[has_y]
        )
        return fit.slopes, fit.errors

    def draw_column(self, column: pd.Series) -> pd.Series:
        """Return a column of the original with a drawn response in its place."""
        assert self.inverse is not None
        drawn = column.copy()
        values: Any = self.inverse(self.draw())
        if self.design.levels is not None:
            values = np.where(values > 0.5, *self.design.levels[::-1])
        elif pd.api.types.is_bool_dtype(drawn.dtype):
            values = values > 0.5
        elif not pd.api.types.is_float_dtype(drawn.dtype):
            values = np.round(values).astype(np.int64)
        drawn.iloc[self._places] = values
        return drawn


def _summarise(
    design: RefittableModel, fits: list[tuple[Values, Values]], is_grouped: bool
) -> ModelCoverage:
    """Return how often intervals held the slopes that responses were drawn with."""
    truth = design.fit_before.slopes
    slopes, errors = (np.array(each) for each in zip(*fits, strict=True))
    deviations = slopes - truth
    holds = np.abs(deviations) <= Z_95_PERCENT * errors  # never where nothing is told
    rows = []
    for j, name in enumerate(design.names):
        is_finite = np.isfinite(slopes[:, j])
        bias = share = -1.0
        if is_finite.any():
            mean = float(deviations[is_finite, j].mean()) * np.sign(truth[j])
            bias = mean / float(errors[is_finite, j].mean())
            share = mean / abs(truth[j])
        rows.append(
            SlopeCoverage(
                name,
                round(100 * float(holds[:, j].mean())),
                round(float(bias), 2),
                round(100 * float(np.clip(share, -9.99, 9.99))),
            )
        )
    return ModelCoverage(design.model.text, len(fits), tuple(rows), is_grouped)
