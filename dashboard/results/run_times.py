"""Timings of methods as a table, and the titles of their series."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from dashboard.charts.comparisons.run_time import timing_series_id
from dashboard.i18n.language import _
from dashboard.results.figures import plan_title, series_id_of_plan
from engine.analysis.curves.timing import MethodTiming
from engine.pipeline.plan import Plan


def timing_series_titles(timings: Sequence[MethodTiming]) -> dict[str, str]:
    """Return the title of each series of timings, by the series' identifier."""
    plans = (Plan(method=run.method, k=run.k, polish=run.polish) for run in timings)
    return {series_id_of_plan(plan): plan_title(plan) for plan in plans}


def method_timing_table(
    timings: Sequence[MethodTiming], titles: Mapping[str, str]
) -> pd.DataFrame:
    """Return a data frame with a row per timing: method, k, sizes and seconds."""
    frame = pd.DataFrame(
        {
            _("Method"): [titles[timing_series_id(run)] for run in timings],
            "k": [run.k for run in timings],
            _("Records"): [run.n_records for run in timings],
            _("Attributes"): [run.n_attributes for run in timings],
            _("Mean (s)"): [
                run.representative_seconds if run.starts else None for run in timings
            ],
            _("Shortest (s)"): [run.best_seconds for run in timings],
            _("Longest (s)"): [max(run.seconds, default=None) for run in timings],
        }
    )
    averaged = any(run.starts for run in timings)
    return frame if averaged else frame.drop(columns=_("Mean (s)"))
