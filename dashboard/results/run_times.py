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
    plans = (Plan(method=one.method, k=one.k, polish=one.polish) for one in timings)
    return {series_id_of_plan(plan): plan_title(plan) for plan in plans}


def method_timing_table(
    timings: Sequence[MethodTiming], titles: Mapping[str, str]
) -> pd.DataFrame:
    """Return a data frame with a row per timing: method, k, sizes and seconds."""
    frame = pd.DataFrame(
        {
            _("Method"): [titles[timing_series_id(one)] for one in timings],
            "k": [one.k for one in timings],
            _("Records"): [one.n_records for one in timings],
            _("Attributes"): [one.n_attributes for one in timings],
            _("Mean (s)"): [
                one.representative_seconds if one.starts else None for one in timings
            ],
            _("Shortest (s)"): [one.best_seconds for one in timings],
            _("Longest (s)"): [max(one.seconds, default=None) for one in timings],
        }
    )
    averaged = any(one.starts for one in timings)
    return frame if averaged else frame.drop(columns=_("Mean (s)"))
