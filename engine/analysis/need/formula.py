"""Model formulas: checked before anything reads them as code, and fitted."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, cast

import numpy as np
import pandas as pd

from engine.analysis.need.formula_size import (
    FormulaSizeError,
    count_columns,
    parse_formula,
)
from engine.core.errors import ParameterError
from engine.core.message import Message
from engine.core.typing import Values

Family = Literal["linear", "logit", "poisson"]
"""How the response follows from the regressors."""

FAMILIES: dict[str, Family] = {
    "linear": "linear",
    "ols": "linear",
    "logit": "logit",
    "logistic": "logit",
    "poisson": "poisson",
}
"""Families by the words that begin a model."""

FUNCTIONS = {
    "log": np.log,
    "log1p": np.log1p,
    "exp": np.exp,
    "sqrt": np.sqrt,
    "I": lambda values: values,
}
"""What a formula may apply to a column; ``C`` says that one holds categories."""

MAX_FORMULA_LENGTH = 2_000

MAX_DESIGN_COLUMNS = 2_000
"""Columns of a design matrix; its cross products have the square of that."""

_TOKEN = re.compile(
    r"\s*(?:(?P<quoted>`[^`]+`)|(?P<name>[^\W\d]\w*)|(?P<number>\d+(?:\.\d+)?)"
    r"|(?P<sign>\*\*|[-+*/:()~]))"
)


@dataclass(frozen=True)
class _Side:
    """One side of a formula: its columns, and its words, in which these are numbers."""

    names: list[str]
    words: list[str]


@dataclass(frozen=True)
class ModelFormula:
    """A regression that somebody will fit to the release.

    Attributes
    ----------
    family : {"linear", "logit", "poisson"}
    response, regressors : str
        Both sides of the formula, in Wilkinson's notation.
    """

    family: Family
    response: str
    regressors: str

    @property
    def text(self) -> str:
        """The model as it was written."""
        return f"{self.family} {self.response} ~ {self.regressors}"

    @classmethod
    def parse(cls, text: str) -> ModelFormula:
        """Read a model such as ``"logit deny ~ pirat + lvrat + C(region)"``.

        Raises
        ------
        ParameterError
            If there is no such family, or the text is no formula.
        """
        word, _, rest = text.strip().partition(" ")
        family = FAMILIES.get(word.lower())
        sides = [side.strip() for side in rest.split("~")]
        if family is None or len(sides) != 2 or not all(sides):
            raise ParameterError(
                "The model {model!r} cannot be read: write it as in "
                '"logit y ~ a + b", with {known} as the first word.',
                model=text[:80],
                known=sorted(set(FAMILIES)),
            )
        return cls(family, *sides)

    def columns(self, known: Collection[str]) -> tuple[str, ...]:
        """Return the columns that the model names, the response's first.

        Raises
        ------
        ParameterError
            If it names another, or something that is no formula: it is read as code.
            If it has too many terms, or powers of numbers.
        """
        named: dict[str, None] = {}
        for side in self._sides(known):
            named |= dict.fromkeys(side.names)
        self.count_columns(known)
        return tuple(named)

    def count_columns(
        self, known: Collection[str], levels: Mapping[str, int] | None = None
    ) -> int:
        """Return how many columns the design matrix has at most.

        Parameters
        ----------
        known : collection of str
            As :meth:`columns` takes and refuses it.
        levels : mapping of str to int, optional
            Different values of columns that hold categories, ``C(name)`` of those that
            the model takes for such; all count once without it.

        Raises
        ------
        ParameterError
            If there are too many.
        """
        counts = []
        try:
            for side in self._sides(known):
                own = {
                    word.format(place): count
                    for place, name in enumerate(side.names)
                    for word, count in (
                        ("_{}", (levels or {}).get(name, 1)),
                        ("C _{}", (levels or {}).get(f"C({name})", 1)),
                    )
                }
                counts.append(count_columns(parse_formula(side.words), own))
        except FormulaSizeError as error:
            raise self._refuse(error.why) from None
        if max(counts) > MAX_DESIGN_COLUMNS:
            raise self._refuse(
                Message(
                    "it has more than {most:,} terms, levels of categories counted: "
                    "leave interactions out",
                    most=MAX_DESIGN_COLUMNS,
                )
            )
        return counts[-1]

    def _sides(self, known: Collection[str]) -> list[_Side]:
        if len(self.text) > MAX_FORMULA_LENGTH:
            raise self._refuse(Message("it is longer than 2,000 characters"))
        found = []
        for side in (self.response, self.regressors):
            names: list[str] = []
            words: list[str] = []
            place = 0
            while place < len(side.rstrip()):
                match = _TOKEN.match(side, place)
                if match is None:
                    raise self._refuse(
                        Message(
                            "{sign!r} is not understood (a column whose name has signs "
                            "stands between backticks)",
                            sign=side[place:].strip()[:1],
                        )
                    )
                place = match.end()
                name = (match["quoted"] or match["name"] or "").strip("`")
                calls = side[place:].lstrip().startswith("(") and not match["quoted"]
                if not name or (calls and name in {*FUNCTIONS, "C"}):
                    words.append(match[0].strip())
                    continue
                if name not in known or calls:
                    raise self._refuse(
                        Message("there is no column {name!r}", name=name)
                    )
                if name not in names:
                    names.append(name)
                words.append(f"_{names.index(name)}")
            found.append(_Side(names, words))
        return found

    def _refuse(self, why: Message) -> ParameterError:
        return ParameterError(
            "The model {model!r} cannot be fitted: {why}.",
            model=self.text[:80],
            why=why,
        )


def count_levels(frame: pd.DataFrame, names: Collection[str]) -> dict[str, int]:
    """Return how many columns each name stands for in a formula, and ``C(name)``."""
    levels = {}
    for name in names:
        distinct = int(frame[name].nunique())
        levels[f"C({name})"] = distinct
        if not pd.api.types.is_numeric_dtype(frame[name].dtype):
            levels[name] = distinct
    return levels


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
    """A model fitted to the original, to be fitted again to releases of it.

    Parameters
    ----------
    model : ModelFormula
    original : pandas.DataFrame
        Holds the columns that it names.

    Attributes
    ----------
    names : tuple of str
        Of the slopes.
    fit_before : ModelFit
        To the original.

    Raises
    ------
    ParameterError
        If the model cannot be fitted to the original: its response is of another
        kind, its regressors are collinear, or they separate the response perfectly.
    """

    def __init__(self, model: ModelFormula, original: pd.DataFrame) -> None:
        self.model = model
        self._spec: Any = None
        model.count_columns(
            [str(name) for name in original.columns],
            count_levels(original, model.columns([*map(str, original.columns)])),
        )
        self._levels = self._levels_of(original)
        matrix, response = self._matrix(original)
        names = [str(name) for name in matrix.columns]
        self._slopes = [j for j, name in enumerate(names) if name != "Intercept"]
        self.names = tuple(names[j] for j in self._slopes)
        if not self.names:
            raise model._refuse(Message("it has no regressor"))
        if np.linalg.matrix_rank(matrix.to_numpy(np.float64)) < len(names):
            raise model._refuse(
                Message("its regressors are collinear, so that no slope can be told")
            )
        self.fit_before = self._fitted(matrix, response)
        if not np.isfinite(self.fit_before.errors).all():
            raise model._refuse(
                Message("the regressors separate the response perfectly, or nearly so")
            )

    def fit(self, frame: pd.DataFrame) -> ModelFit:
        """Return the ordinary fit to a release, as those who receive it make it."""
        matrix, response = self._matrix(frame)
        return self._fitted(matrix, response)

    def _levels_of(self, original: pd.DataFrame) -> list[str] | None:
        """Return the two levels of a response in words; None of one in numbers."""
        name = self.model.response.strip("`")
        if name not in original or pd.api.types.is_numeric_dtype(original[name].dtype):
            return None
        levels = sorted(original[name].dropna().astype("str").unique())
        if len(levels) != 2:
            raise self.model._refuse(
                Message("its response has {n} levels instead of two", n=len(levels))
            )
        return levels

    def _matrix(self, frame: pd.DataFrame) -> tuple[pd.DataFrame, Values]:
        """Return regressors and response of the records that lack neither."""
        take = partial(self._evaluated, frame)
        encoded = take(self._spec or self.model.regressors)
        self._spec = self._spec or encoded.model_spec
        regressors = pd.DataFrame(encoded)
        name = self.model.response.strip("`")
        if self._levels is not None:
            texts = frame[name].astype("str")
            response = (texts == self._levels[1]).astype(np.float64)
            response = response.where(frame[name].notna())
        elif name in frame:
            response = frame[name].astype(np.float64)
        else:
            side = pd.DataFrame(take(f"0 + {self.model.response}"))
            response = side.iloc[:, 0].astype(np.float64)
        y = response.to_numpy(np.float64)
        there = np.isfinite(y) & np.isfinite(regressors.to_numpy(np.float64)).all(1)
        if self.model.family == "logit" and not np.isin(y[there], (0.0, 1.0)).all():
            raise self.model._refuse(Message("its response is not 0 or 1"))
        if self.model.family == "poisson" and (y[there] < 0).any():
            raise self.model._refuse(Message("its response has negative numbers"))
        return regressors[there], y[there]

    def _evaluated(self, frame: pd.DataFrame, formula: Any) -> Any:
        from formulaic import Formula

        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                spec = Formula(formula) if isinstance(formula, str) else formula
                return spec.get_model_matrix(
                    frame, context=FUNCTIONS, na_action="ignore"
                )
            except Exception as error:  # whatever the library says of a formula
                reason = str(error).strip().splitlines()[:1] or [type(error).__name__]
                raise self.model._refuse(Message(reason[0][:120])) from None

    def _fitted(self, matrix: pd.DataFrame, response: Values) -> ModelFit:
        X = matrix.to_numpy(np.float64)
        slopes = np.full(len(self._slopes), np.nan)
        errors = slopes.copy()
        # A level that the release has lost leaves its column without a value.
        kept = [
            j for j in range(X.shape[1]) if np.ptp(X[:, j]) > 0 or (X[:, j] == 1).all()
        ]
        params, bse = _solve(X[:, kept], response, self.model.family)
        place = {j: i for i, j in enumerate(kept)}
        for i, j in enumerate(self._slopes):
            if j in place:
                slopes[i], errors[i] = params[place[j]], bse[place[j]]
        errors[~(errors > 0)] = np.nan
        return ModelFit(np.where(np.isnan(errors), np.nan, slopes), errors)


MAX_ABS_SLOPE_ERROR = 1e4
"""A standard error above this is that of a slope which goes to infinity."""


def _solve(X: Values, y: Values, family: Family) -> tuple[Values, Values]:
    """Return coefficients and standard errors by maximum likelihood; NaN without."""
    # Of all that the package's own list would load, these are a quarter.
    from statsmodels.genmod import families
    from statsmodels.genmod.generalized_linear_model import GLM
    from statsmodels.regression.linear_model import OLS

    unknown = np.full(X.shape[1], np.nan)
    if len(y) <= X.shape[1] or np.linalg.matrix_rank(X) < X.shape[1]:
        return unknown, unknown
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            if family == "linear":
                found = OLS(y, X).fit()
            else:
                kinds = {"logit": families.Binomial, "poisson": families.Poisson}
                found = GLM(y, X, family=kinds[family]()).fit(maxiter=50)
                if not found.converged:
                    return unknown, unknown
        except Exception:  # perfect separation, or a matrix that cannot be inverted
            return unknown, unknown
    errors = np.asarray(found.bse, dtype=np.float64)
    scale = np.abs(X).max(axis=0)
    errors = np.where(errors * scale < MAX_ABS_SLOPE_ERROR, errors, np.nan)
    return np.asarray(cast(Any, found.params), dtype=np.float64), errors
