"""Regression models fitted to an original table and refitted to its releases."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pandas as pd

from engine.analysis.need.models.design import DesignMatrixBuilder
from engine.analysis.need.models.formula import (
    FUNCTIONS,
    Family,
    ModelFormula,
    level_counts_by_term,
)
from engine.core.message import Message
from engine.core.typing import Values


@dataclass(frozen=True, eq=False)
class ModelFit:
    """Slopes of a model and their standard errors.

    Attributes
    ----------
    slopes, errors : ndarray of float64, shape (n_slopes,)
        Without the intercept; NaN where a slope cannot be told.
    """

    slopes: Values
    errors: Values


class RefittableModel:
    """A model fitted to the original table that can be refitted to its releases.

    Parameters
    ----------
    model : ModelFormula
    original : pandas.DataFrame
        Holds the columns that it names.

    Attributes
    ----------
    names : tuple of str
        Of the slopes.
    levels : list of str or None
        The two levels of a response in words; None of one in numbers.
    fit_before : ModelFit
        To the original.

    Raises
    ------
    ParameterError
        If the model cannot be fitted to the original. Its response may be of another
        kind, or its regressors collinear, or they separate the response perfectly.
    """

    def __init__(self, model: ModelFormula, original: pd.DataFrame) -> None:
        self.model = model
        self._layout: DesignMatrixBuilder | None = None
        self._spec: Any = None
        model.refuse_too_many_columns(
            [str(name) for name in original.columns],
            level_counts_by_term(
                original, model.columns([*map(str, original.columns)])
            ),
        )
        self.levels = self._levels_of(original)
        regressors, y = self._regressors_of(original), self._response_of(original)
        self._check_terms_have_values(original, regressors, y)
        matrix, response, weights = self._complete_records(original, regressors, y)
        names = [str(name) for name in matrix.columns]
        self._slopes = [j for j, name in enumerate(names) if name != "Intercept"]
        self.names = tuple(names[j] for j in self._slopes)
        if not self.names:
            raise model.refuse(Message("it has no regressor"))
        if len(np.unique(response)) == 1:
            raise model.refuse(Message("its response has one value in all records"))
        if np.linalg.matrix_rank(matrix.to_numpy(np.float64)) < len(names):
            raise model.refuse(
                Message("its regressors are collinear, so that no slope can be told")
            )
        self.fit_before = self.fit_matrices(matrix, response, weights)
        slopes, errors = self.fit_before.slopes, self.fit_before.errors
        if not (np.abs(slopes) < MAX_SLOPE_IN_ERRORS * errors).all():  # or NaN
            raise model.refuse(
                Message("it has too few records, or fits them without any error")
                if model.family == "linear"
                else Message(
                    "the regressors separate the response perfectly, or nearly so"
                )
            )

    def fit(self, frame: pd.DataFrame) -> ModelFit:
        """Return the ordinary maximum-likelihood fit to a release."""
        return self.fit_matrices(*self.build_matrices(frame))

    def _levels_of(self, original: pd.DataFrame) -> list[str] | None:
        """Return the two levels of a response in words; None of one in numbers."""
        name = self.model.response.strip("`")
        if name not in original or pd.api.types.is_numeric_dtype(original[name].dtype):
            return None
        if self.model.family == "poisson":
            raise self.model.refuse(
                Message(
                    "its response is in words, but a Poisson model counts: name a "
                    "column of numbers, or take logit"
                )
            )
        levels = sorted(original[name].dropna().astype("str").unique())
        if len(levels) != 2:
            raise self.model.refuse(
                Message(
                    "its response has {count} level instead of two",
                    "its response has {count} levels instead of two",
                    count=len(levels),
                )
            )
        return levels

    def build_matrices(
        self, frame: pd.DataFrame
    ) -> tuple[pd.DataFrame, Values, Values | None]:
        """Return regressors, response and weights of the complete records."""
        return self._complete_records(
            frame, self._regressors_of(frame), self._response_of(frame)
        )

    def _complete_records(
        self, frame: pd.DataFrame, regressors: pd.DataFrame, y: Values
    ) -> tuple[pd.DataFrame, Values, Values | None]:
        valid = np.isfinite(y) & np.isfinite(regressors.to_numpy(np.float64)).all(1)
        weights = self._weights_of(frame)
        if weights is not None:
            valid &= weights > 0.0  # neither 0 nor a gap
        if self.model.family == "logit" and not np.isin(y[valid], (0.0, 1.0)).all():
            raise self.model.refuse(Message("its response is not 0 or 1"))
        if self.model.family == "poisson" and (y[valid] < 0).any():
            raise self.model.refuse(Message("its response has negative numbers"))
        return regressors[valid], y[valid], None if weights is None else weights[valid]

    def _check_terms_have_values(
        self, original: pd.DataFrame, regressors: pd.DataFrame, y: Values
    ) -> None:
        """Raise if a function has no value in a record, as a logarithm of 0."""
        named = self.model.columns([str(name) for name in original.columns])
        is_complete = original[list(named)].notna().all(axis=1).to_numpy()
        for term, values in {self.model.response: y, **regressors}.items():
            lacking = is_complete & ~np.isfinite(np.asarray(values, np.float64))
            if lacking.any():
                raise self.model.refuse(
                    Message(
                        "{term} has no value in {count} record, as a logarithm of 0",
                        "{term} has no value in {count} records, as a logarithm of 0",
                        term=term,
                        count=int(lacking.sum()),
                    )
                )

    def _response_of(self, frame: pd.DataFrame) -> Values:
        """Return the response of each record, NaN where it has none."""
        name = self.model.response.strip("`")
        if self.levels is not None:
            texts = frame[name].astype("str")
            response = (texts == self.levels[1]).astype(np.float64)
            response = response.where(frame[name].notna())
        elif name in frame:
            response = frame[name].astype(np.float64)
        else:
            side = pd.DataFrame(self._evaluated(frame, f"0 + {self.model.response}"))
            if side.shape[1] != 1:
                raise self.model.refuse(
                    Message(
                        "its response is not one column of numbers: write a sum as "
                        "I(a + b)"
                    )
                )
            response = side.iloc[:, 0].astype(np.float64)
        return cast(Values, response.to_numpy(np.float64))

    def _regressors_of(self, frame: pd.DataFrame) -> pd.DataFrame:
        if self._layout is not None and self._layout.fits(frame):
            return pd.DataFrame(
                self._layout.matrix(frame), frame.index, self._layout.names
            )
        encoded = self._evaluated(frame, self._spec or self.model.regressors)
        if self._layout is None:
            self._spec = encoded.model_spec
            self._layout = DesignMatrixBuilder(encoded, frame, self._evaluated)
        return pd.DataFrame(encoded)

    def _weights_of(self, frame: pd.DataFrame) -> Values | None:
        name = self.model.weights
        if not name:
            return None
        try:
            weights = frame[name].to_numpy(np.float64, na_value=np.nan)
        except (TypeError, ValueError):
            weights = np.array([-1.0])
        if (weights < 0.0).any() or np.isinf(weights).any():
            raise self.model.refuse(
                Message(
                    "the weights in column {name!r} are not numbers of at least 0",
                    name=name,
                )
            )
        return weights

    def _evaluated(self, frame: pd.DataFrame, formula: Any) -> Any:
        from formulaic import Formula
        from formulaic.errors import FormulaSyntaxError

        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                spec = Formula(formula) if isinstance(formula, str) else formula
                return spec.get_model_matrix(
                    frame, context=FUNCTIONS, na_action="ignore"
                )
            except (FormulaSyntaxError, SyntaxError):
                raise self.model.refuse(
                    Message(
                        "it is no formula (write 2:a and not 2*a, and the name of a "
                        "column such as `class` between backticks)"
                    )
                ) from None
            except Exception as error:  # whatever the library says of a formula
                reason = str(error).strip().splitlines()[:1] or [type(error).__name__]
                raise self.model.refuse(Message(reason[0][:120])) from None

    def fit_matrices(
        self, matrix: pd.DataFrame, response: Values, weights: Values | None
    ) -> ModelFit:
        """Return the fit to matrices that :meth:`build_matrices` returned."""
        X = matrix.to_numpy(np.float64)
        slopes = np.full(len(self._slopes), np.nan)
        errors = slopes.copy()
        if len(np.unique(response)) < 2:  # or rounding would tell slopes
            return ModelFit(slopes, errors)
        # A level that the release has lost leaves its column without a value.
        columns = [
            j for j in range(X.shape[1]) if np.ptp(X[:, j]) > 0 or (X[:, j] == 1).all()
        ]
        params, bse = fit_coefficients_and_errors(
            X[:, columns], response, self.model.family, weights
        )
        place = {j: i for i, j in enumerate(columns)}
        for i, j in enumerate(self._slopes):
            if j in place:
                slopes[i], errors[i] = params[place[j]], bse[place[j]]
        errors[~(errors > 0)] = np.nan
        return ModelFit(np.where(np.isnan(errors), np.nan, slopes), errors)


MAX_SLOPE_IN_ERRORS = 1e9
"""A slope of more standard errors is told by rounding alone: nothing is left over."""

MAX_ABS_SLOPE_ERROR = 1e4
"""A standard error above this, on a link's scale, is that of an infinite slope."""


def fit_coefficients_and_errors(
    X: Values, y: Values, family: Family, weights: Values | None
) -> tuple[Values, Values]:
    """Return maximum-likelihood coefficients and standard errors; NaN if undefined."""
    # Of all that the package's own list would load, these are a quarter.
    from statsmodels.genmod import families
    from statsmodels.genmod.generalized_linear_model import GLM
    from statsmodels.regression.linear_model import WLS

    unknown = np.full(X.shape[1], np.nan)
    if len(y) <= X.shape[1] or np.linalg.matrix_rank(X) < X.shape[1]:
        return unknown, unknown
    weights = np.ones(len(y)) if weights is None else weights
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            if family == "linear":
                fit = WLS(y, X, weights=weights).fit()
            else:
                kinds = {"logit": families.Binomial, "poisson": families.Poisson}
                kind = kinds[family]()
                fit = GLM(y, X, family=kind, var_weights=weights).fit(maxiter=50)
                if not fit.converged:
                    return unknown, unknown
        except Exception:  # perfect separation, or a matrix that cannot be inverted
            return unknown, unknown
    errors = np.asarray(fit.bse, dtype=np.float64)
    if family != "linear":  # whose slopes have the response's unit
        scale = np.abs(X).max(axis=0)
        errors = np.where(errors * scale < MAX_ABS_SLOPE_ERROR, errors, np.nan)
    return np.asarray(cast(Any, fit.params), dtype=np.float64), errors
