"""Fits last as long as the records that they are fitted to."""

import subprocess
import sys

SCRIPT = """
import gc

import numpy as np
import pandas as pd

from dashboard.state.caches import fitted_models
from dashboard.state.caches.fitted_models import fit_or_reuse_model
from engine.analysis.need import ModelFormula
from engine.core.errors import ParameterError
from engine.files import read_table

draw = np.random.default_rng(5)
table = read_table(pd.DataFrame(draw.normal(size=(40, 2)), columns=["y", "x"]))
model = ModelFormula.parse("linear y ~ x")
first = fit_or_reuse_model(model, table)
try:
    fit_or_reuse_model(ModelFormula.parse("logit y ~ x"), table)
except ParameterError as error:
    assert "0 or 1" in str(error)
else:
    raise AssertionError("numbers were taken for 0 and 1")
again = table.assign(roles={"y": "confidential"})  # the same records
del table
gc.collect()
assert fit_or_reuse_model(model, again) is first
del again
gc.collect()
assert fitted_models._fits == {}
"""
"""In a process of its own, where nothing else holds records."""


def test_fits_and_what_is_wrong_go_with_the_records():
    subprocess.run([sys.executable, "-c", SCRIPT], check=True)
