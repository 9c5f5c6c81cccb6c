"""Run times as tables, and what their series are called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from dashboard.charts.run_time import series_of
from dashboard.i18n.language import _
from dashboard.results.facts import plan_title, series
from engine.analysis.timing import Timing
from engine.pipeline.plan import Plan


def time_titles(found: Sequence[Timing]) -> dict[str, str]:
    """Return what each series of times is called."""
    plans = (Plan(method=one.method, k=one.k, polish=one.polish) for one in found)
    return {series(plan): plan_title(plan) for plan in plans}


def time_table(found: Sequence[Timing], titles: Mapping[str, str]) -> pd.DataFrame:
    """Return one line per method and value."""
    frame = pd.DataFrame(
        {
            _("Method"): [titles[series_of(one)] for one in found],
            "k": [one.k for one in found],
            _("Records"): [one.n_records for one in found],
            _("Attributes"): [one.n_attributes for one in found],
            _("Mean (s)"): [one.counted if one.starts else None for one in found],
            _("Shortest (s)"): [one.best for one in found],
            _("Longest (s)"): [max(one.seconds, default=None) for one in found],
        }
    )
    averaged = any(one.starts for one in found)
    return frame if averaged else frame.drop(columns=_("Mean (s)"))
