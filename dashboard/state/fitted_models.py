"""Models that somebody names, fitted to a table once and not on every rerun."""

from __future__ import annotations

import threading
from collections import OrderedDict

from engine.analysis.need import ModelFormula
from engine.analysis.need.model_fit import RefittableModel
from engine.core.errors import EngineError
from engine.data.table import Table

MAX_REMEMBERED_MODELS = 64
"""Fits, or what is wrong with them, that are remembered: the latest ones."""

MAX_FITTED_RECORDS = 200_000
"""Records up to which a page waits for a fit; beyond, the worker says what is wrong."""

_Fit = RefittableModel | EngineError

_fits: OrderedDict[tuple[str, str], _Fit] = OrderedDict()
_lock = threading.Lock()


def fit_model_once(model: ModelFormula, table: Table) -> RefittableModel:
    """Return a model as it is fitted to a table; the second time without a fit.

    Raises
    ------
    EngineError
        If it cannot be fitted.
    """
    key = (table.fingerprint, model.text)
    with _lock:
        known = _fits.get(key)
    if known is None:
        try:
            known = RefittableModel(model, table.frame)
        except EngineError as error:
            known = error
        with _lock:
            _fits[key] = known
            while len(_fits) > MAX_REMEMBERED_MODELS:
                _fits.popitem(last=False)
    if isinstance(known, EngineError):
        raise known.with_traceback(None)
    return known
