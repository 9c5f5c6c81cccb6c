"""k-anonymity, counted on released values and not on planned groups."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine.errors import ParameterError
from engine.measures.base import MeasureInfo, Protected, Score, measures
from engine.table import unknown_column


def record_classes(frame: pd.DataFrame, columns: tuple[str, ...]) -> NDArray[np.int64]:
    """Return the class of each record: those that share its values in `columns`.

    A missing value is a value like any other: it equals only a missing value.

    Parameters
    ----------
    frame : pandas.DataFrame, n_records rows
    columns : tuple of str
        The quasi-identifiers.

    Returns
    -------
    ndarray of int64, shape (n_records,)
        Classes are numbered 0, 1, ... by their first record.

    Raises
    ------
    ParameterError
        If there is no column, or one does not exist.
    """
    if not columns:
        raise ParameterError(
            "There is no quasi-identifier: name at least one column by which "
            "somebody could be recognised."
        )
    names = tuple(map(str, frame.columns))
    for name in columns:
        if name not in names:
            raise unknown_column(name, names)
    codes = np.zeros(len(frame), dtype=np.int64)
    for name in columns:
        found, values = pd.factorize(frame[name], use_na_sentinel=False)
        # Renumber after each column: the product of two counts below 2^31 fits.
        codes = pd.factorize(codes * len(values) + found)[0].astype(np.int64)
    return codes


def class_sizes(frame: pd.DataFrame, columns: tuple[str, ...]) -> NDArray[np.int64]:
    """Return, per record, how many records share its values in `columns`.

    Takes and raises the same as :func:`record_classes`.

    Returns
    -------
    ndarray of int64, shape (n_records,)
    """
    codes = record_classes(frame, columns)
    return np.bincount(codes)[codes].astype(np.int64)


@measures.register(
    MeasureInfo(
        id="k-anonymity",
        title="k as released",
        family="privacy",
        summary=(
            "The smallest number of records that share all quasi-identifiers in the "
            "release: nobody can be narrowed down to fewer."
        ),
        formula="k = min over records of |{records with the same quasi-identifiers}|",
        direction="higher is better",
        unit="records",
        reference="Samarati 2001, https://doi.org/10.1109/69.971193",
    )
)
def k_anonymity(protected: Protected) -> Score:
    """Return the k that the release really has."""
    sizes = class_sizes(protected.frame, protected.encoded.names)
    return Score("k-anonymity", float(sizes.min()))
