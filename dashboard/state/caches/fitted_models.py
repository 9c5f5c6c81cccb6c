"""Cache of regression models fitted to a table, so that reruns need not fit them."""

from __future__ import annotations

import copy
import weakref

from engine.analysis.need import ModelFormula
from engine.analysis.need.models.model_fit import RefittableModel
from engine.core.errors import EngineError
from engine.data.table import Table

MAX_REMEMBERED_MODELS = 64
"""Fits of a table, or what is wrong with them, that are remembered at once."""

MAX_FITTED_RECORDS = 200_000
"""Records up to which a page waits for a fit; beyond, the worker says what is wrong."""

_Fit = RefittableModel | EngineError

_fits: dict[str, dict[str, _Fit]] = {}
"""By the table's fingerprint and the model's text, as long as its records are held."""


def fit_or_reuse_model(model: ModelFormula, table: Table) -> RefittableModel:
    """Return a model fitted to a table, from the cache if it has been fitted before.

    Raises
    ------
    EngineError
        If it cannot be fitted.
    """
    fits = _fits.get(table.fingerprint)
    if fits is None:
        fits = _fits[table.fingerprint] = {}
        weakref.finalize(table.frame, _fits.pop, table.fingerprint, None).atexit = False
    fit = fits.get(model.text)
    if fit is None:
        try:
            fit = RefittableModel(model, table.frame)
        except EngineError as error:
            fit = copy.copy(error)  # whose traceback would hold the records
        if len(fits) >= MAX_REMEMBERED_MODELS:
            fits.clear()
        fits[model.text] = fit
    if isinstance(fit, EngineError):
        raise copy.copy(fit)
    return fit
