"""Jiang's two figures: the experiment is offered, and its times beside the claims."""

from dataclasses import replace
from types import MappingProxyType

from dashboard.app_pages.learn import run_times_page as run_times
from dashboard.state.results.findings import STARTS_TIMING_KEY, MeasuredTimings
from engine.analysis.curves.timing import MethodTiming
from engine.analysis.published.printed_times import (
    COMPARED_METHODS,
    N_STARTS,
    PRINTED_K_VALUES,
)
from tests.dashboard.pages import charts, open_page, sample, texts


def opened(ws=None):
    return open_page("learn", ws, show="run-times")


def test_the_experiment_is_that_of_the_figures():
    plans = run_times.timed_sample_plans(COMPARED_METHODS)
    assert [(plan.method, plan.k) for plan in plans] == [
        (name, k) for name in COMPARED_METHODS for k in PRINTED_K_VALUES
    ]
    experiment = run_times.make_timing_experiment(
        plans[0], run_times.default_timing_table()
    )
    assert (experiment.against, experiment.repeats, experiment.starts) == (
        "attributes",
        N_STARTS,
        True,
    )
    assert run_times.timeable_methods()[:2] == list(COMPARED_METHODS)
    page = opened()
    assert "Measure run time" in [widget.label for widget in page.button]
    assert not charts(page)


def test_times_stand_in_a_figure_for_each_k_with_what_comes_out():
    timings = tuple(
        MethodTiming(
            name, False, p, k, 500, p, (seconds * p, 2 * seconds * p), starts=True
        )
        for p in (1, 2)
        for name, seconds in (("caat", 1.0), ("kaca", 0.5))
        for k in PRINTED_K_VALUES
    )
    timed = MeasuredTimings(run_times.default_timing_table().fingerprint, timings)
    ws = replace(sample(), timings=MappingProxyType({STARTS_TIMING_KEY: timed}))
    page = opened(ws)
    assert len(charts(page)) == 2
    page_text = " ".join(texts(page.markdown))
    assert "**otherwise than printed**: For k = 3, CAAT takes less time" in page_text
    assert "**as printed**: KACA takes longer the more" in page_text
    # Times of another table are not shown as if they were this one's.
    other = replace(timed, fingerprint="another")
    page = opened(replace(ws, timings=MappingProxyType({STARTS_TIMING_KEY: other})))
    assert not charts(page)
