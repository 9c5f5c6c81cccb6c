"""Model formulas, checked before they are evaluated as code."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd

from engine.analysis.need.models.formula_size import (
    InvalidFormulaError,
    column_count_upper_bound,
    parse_formula_side,
)
from engine.core.errors import ParameterError
from engine.core.message import Message

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


_WEIGHTS_PATTERN = re.compile(
    r"\s*,\s*weights\s*=\s*(?:(?P<quoted>`[^`]+`)|(?P<name>[^\W\d]\w*))\s*\Z"
)


_LOGARITHM_PATTERN = re.compile(r"\blog(?:1p)?\(([^()]+)\)")


_FAMILY_PATTERN = re.compile(r"\s*(?P<family>[^\W\d]\w*)\s+(?=[\w`])")
"""A word before the response: a family, or a mistake."""


def quote_column(name: str) -> str:
    """Return a column's name for a formula, in backticks unless an identifier.

    Raises
    ------
    ParameterError
        If the name has a backtick itself.
    """
    if "`" in name:
        raise ParameterError(
            "No model can name column {name!r}, for its name has a backtick: rename "
            "the column.",
            name=name,
        )
    return name if name.isidentifier() else f"`{name}`"


@dataclass(frozen=True)
class _Side:
    """One side of a formula: its columns, and its words, in which these are numbers."""

    names: list[str]
    words: list[str]


@dataclass(frozen=True)
class ModelFormula:
    """Family, formula and weights of a regression, to fit to original and release.

    Attributes
    ----------
    family : {"linear", "logit", "poisson"}
    response, regressors : str
        Both sides of the formula, in Wilkinson's notation.
    weights : str
        Column of the records' weights, as ``lm`` and ``glm`` of R take them; empty
        without.
    """

    family: Family
    response: str
    regressors: str
    weights: str = ""

    @property
    def text(self) -> str:
        """The model as it was written."""
        weighted = f", weights={quote_column(self.weights)}" if self.weights else ""
        return f"{self.family} {self.response} ~ {self.regressors}{weighted}"

    @classmethod
    def parse(cls, text: str) -> ModelFormula:
        """Read a model such as ``"logit deny ~ pirat + C(region), weights=w"``.

        Without a word for its family it is linear, as in ``lm`` of R.

        Raises
        ------
        ParameterError
            If there is no such family, or the text is no formula.
        """
        formula, weights = text.strip(), ""
        if weighted := _WEIGHTS_PATTERN.search(formula):
            formula = formula[: weighted.start()]
            weights = (weighted["quoted"] or weighted["name"]).strip("`")
        named = _FAMILY_PATTERN.match(formula)
        family = FAMILIES.get(named["family"].lower()) if named else "linear"
        rest = formula[named.end() :] if named else formula
        sides = [side.strip() for side in rest.split("~")]
        if family is None or len(sides) != 2 or not all(sides):
            raise ParameterError(
                "The model {model!r} cannot be read: write it as in "
                '"logit y ~ a + b" or "y ~ a, weights=w", with one of {known} or '
                "nothing before the response; without a word it is linear.",
                model=text[:80],
                known=sorted(set(FAMILIES)),
            )
        return cls(family, sides[0], sides[1], weights)

    def columns(self, known: Collection[str]) -> tuple[str, ...]:
        """Return the columns in the model's formula, those of the response first.

        Raises
        ------
        ParameterError
            If it names another, or something that is no formula: it is read as code.
            If it has too many terms, or powers of numbers.
        """
        named: dict[str, None] = {}
        for side in self._sides(known):
            named |= dict.fromkeys(side.names)
        if self.weights and self.weights not in known:
            raise self.refuse(
                Message("the release has no column {name!r}", name=self.weights)
            )
        named |= dict.fromkeys([self.weights] if self.weights else [])
        self.refuse_too_many_columns(known)
        return tuple(named)

    @property
    def logged_columns(self) -> set[str]:
        """Names between the brackets of a logarithm of a regressor."""
        return {
            name.strip(" `") for name in _LOGARITHM_PATTERN.findall(self.regressors)
        }

    def response_columns(self, known: Collection[str]) -> tuple[str, ...]:
        """Return the columns in the response of the formula."""
        return tuple(self._sides(known)[0].names)

    def without_column(self, column: str, known: Collection[str]) -> ModelFormula:
        """Return the model without the terms of a column.

        Parameters
        ----------
        column : str
        known : collection of str
            As :meth:`columns` takes it.

        Raises
        ------
        ParameterError
            If the column is the response, the weight or in every term.
        """
        from formulaic import Formula

        if column == self.weights or column in self.response_columns(known):
            raise self.refuse(Message("it is about column {name!r}", name=column))
        terms = []
        for term in Formula(self.regressors):
            parts = [str(factor) for factor in term.factors]  # without backticks
            factors = [quote_column(each) if each in known else each for each in parts]
            if not any(
                column in replace(self, regressors=each).regressor_columns(known)
                for each in factors
            ):
                terms.append(":".join(factors))
        if not [term for term in terms if term != "1"]:
            raise self.refuse(Message("it has no regressor"))
        text = " + ".join(terms if "1" in terms else ["0", *terms])
        return replace(self, regressors=text)

    def regressor_columns(self, known: Collection[str]) -> tuple[str, ...]:
        """Return the columns of the regressors, as :meth:`columns` does."""
        return tuple(self._sides(known)[1].names)

    def refuse_too_many_columns(
        self, known: Collection[str], levels: Mapping[str, int] | None = None
    ) -> None:
        """Raise if the design matrix may have too many columns, the intercept apart.

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
                n_levels = {
                    word.format(place): count
                    for place, name in enumerate(side.names)
                    for word, count in (
                        ("_{}", (levels or {}).get(name, 1)),
                        ("C _{}", (levels or {}).get(f"C({name})", 1)),
                    )
                }
                counts.append(
                    column_count_upper_bound(parse_formula_side(side.words), n_levels)
                )
        except InvalidFormulaError as error:
            raise self.refuse(error.why) from None
        if max(counts) > MAX_DESIGN_COLUMNS:
            raise self.refuse(
                Message(
                    "it has more than {most:,} terms, levels of categories counted: "
                    "leave interactions out",
                    most=MAX_DESIGN_COLUMNS,
                )
            )

    def _sides(self, known: Collection[str]) -> list[_Side]:
        if len(self.text) > MAX_FORMULA_LENGTH:
            raise self.refuse(Message("it is longer than 2,000 characters"))
        sides = []
        for side in (self.response, self.regressors):
            names: list[str] = []
            words: list[str] = []
            place = 0
            while place < len(side.rstrip()):
                match = _TOKEN.match(side, place)
                if match is None:
                    raise self.refuse(
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
                    raise self.refuse(
                        Message("the release has no column {name!r}", name=name)
                    )
                if name not in names:
                    names.append(name)
                words.append(f"_{names.index(name)}")
            sides.append(_Side(names, words))
        return sides

    def refuse(self, why: Message) -> ParameterError:
        """Return the error that says why the model cannot be fitted."""
        return ParameterError(
            "The model {model!r} cannot be fitted: {why}.",
            model=self.text[:80],
            why=why,
        )


def level_counts_by_term(
    frame: pd.DataFrame, column_names: Collection[str]
) -> dict[str, int]:
    """Return columns' numbers of values, by ``C(name)``, and by name if not numeric."""
    levels = {}
    for name in column_names:
        distinct = int(frame[name].nunique())
        levels[f"C({name})"] = distinct
        if not pd.api.types.is_numeric_dtype(frame[name].dtype):
            levels[name] = distinct
    return levels
