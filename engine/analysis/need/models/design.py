"""Design matrices of releases by lookup; only functions of columns are evaluated."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from engine.core.typing import Values

_CATEGORIES_PATTERN = re.compile(r"C\((?P<name>.+)\)\Z")
"""What says that a column holds categories."""


class DesignMatrixBuilder:
    """Builder of design matrices by lookup; only functions of columns are evaluated.

    To evaluate a formula takes as long as to group a thousand records. Here that is
    done for functions of columns alone; numbers and levels are looked up.

    Parameters
    ----------
    matrix : formulaic.ModelMatrix
        Of the original table; its specification says the levels of each category.
    original : pandas.DataFrame
    evaluate : callable
        ``evaluate(frame, formula)`` gives a formula's matrix of a frame.
    """

    def __init__(
        self,
        matrix: Any,
        original: pd.DataFrame,
        evaluate: Callable[[pd.DataFrame, Any], Any],
    ) -> None:
        spec = matrix.model_spec
        self._evaluate = evaluate
        self.names = [str(name) for name in matrix.columns]
        self._products = [
            (part.scale, [(str(each.factor), each.reduced) for each in part.factors])
            for term in spec.structure
            for part in term.scoped_terms
        ]
        self._levels = {
            name: list(state["categories"])
            for name, (_kind, state) in spec.encoder_state.items()
            if "categories" in state
        }
        numbers = [name for name in spec.encoder_state if name not in self._levels]
        self._numbers = [name for name in numbers if name in original]
        functions = [name for name in numbers if name not in original]
        self._functions: Any = f"0 + {' + '.join(functions)}" if functions else None
        self._is_faithful = True
        try:
            own_matrix = self.matrix(original)
        except (KeyError, ValueError):  # a factor of another kind
            own_matrix = None
        self._is_faithful = own_matrix is not None and np.array_equal(
            own_matrix, matrix.to_numpy(np.float64), equal_nan=True
        )

    def fits(self, frame: pd.DataFrame) -> bool:
        """Return whether the matrix of a frame is what its formula would give.

        Not where a release has text in place of numbers, which a formula refuses.
        """
        return (
            self._is_faithful
            and all(is_numeric_dtype(frame[name].dtype) for name in self._numbers)
            and not any(
                is_numeric_dtype(frame[name].dtype) or is_bool_dtype(frame[name].dtype)
                for name in self._levels
                if name in frame
            )
        )

    def matrix(self, frame: pd.DataFrame) -> Values:
        """Return the design matrix of a frame, shape (n_records, n_columns).

        A gap, or a level that the original lacks, has no indicator.
        """
        numbers = {
            name: frame[name].to_numpy(np.float64, na_value=np.nan)
            for name in self._numbers
        }
        if self._functions is not None:
            terms = self._evaluate(frame, self._functions)
            self._functions = terms.model_spec
            numbers |= {
                str(name): terms[name].to_numpy(np.float64) for name in terms.columns
            }
        indicators = {
            name: _indicators(frame[_column_of(name, frame)], levels)
            for name, levels in self._levels.items()
        }
        columns: list[Values] = []
        for scale, factors in self._products:
            choices = [
                [numbers[name]]
                if name in numbers
                else indicators[name][1 if is_reduced else 0 :]
                for name, is_reduced in factors
            ]
            # The first factor's levels change fastest.
            columns += [
                scale * reduce(np.multiply, reversed(chosen), np.ones(len(frame)))
                for chosen in itertools.product(*reversed(choices))
            ]
        return np.column_stack(columns)


def _column_of(name: str, frame: pd.DataFrame) -> str:
    match = None if name in frame else _CATEGORIES_PATTERN.match(name)
    return match["name"].strip("`") if match else name


def _indicators(column: pd.Series, levels: list[Any]) -> list[Values]:
    """Return for each level where a column has it, as 0 and 1."""
    codes = pd.Index(levels).get_indexer_for(column)
    return [(codes == code).astype(np.float64) for code in range(len(levels))]
