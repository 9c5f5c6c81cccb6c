"""The Compare page: every figure is drawn from the results, with bound and scaling."""

import json

import numpy as np
import pandas as pd
import pytest

from dashboard.state import session
from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from engine.data.table import Table
from tests.dashboard.pages import (
    button,
    open_page,
    small_table,
    texts,
    with_measures,
    with_runs,
    with_table,
)


@pytest.fixture(scope="module")
def ws():
    return with_runs(small_table())


@pytest.fixture(scope="module")
def seen(ws):
    """Give the page as it opens, to tests that only look at it."""
    return open_page("compare", ws)


def charts(page):
    return [json.loads(chart.proto.spec) for chart in page.get("plotly_chart")]


def names(chart):
    return {trace.get("name") for trace in chart["data"]}


def test_before_the_first_run_it_offers_to_run():
    page = open_page("compare", with_table(small_table()))
    assert not page.get("plotly_chart")
    assert button(page, "Run")


def test_it_draws_bars_lines_sizes_and_groups(ws, seen):
    bars, lines, sizes, groups = charts(seen)
    for chart in (bars, lines):
        assert names(chart) == {"MDAV", "MD", "Lower bound"}
    for chart in (sizes, groups):
        assert len({(one["xaxis"], one["yaxis"]) for one in chart["data"]}) == 4
        notes = [note["text"] for note in chart["layout"]["annotations"]]
        assert notes[:2] == ["<b>MDAV</b>", "<b>MD</b>"]
        keys = {one["meta"]["key"] for one in chart["data"]}
        assert keys == {one.plan.digest() for one in session.outcomes(ws)}
    assert any(
        "of the variance" in one["text"] for one in groups["layout"]["annotations"]
    )


def test_polished_results_are_a_series_of_their_own():
    page = open_page("compare", with_runs(small_table(), polish=True))
    bars, lines = charts(page)[:2]
    for chart in (bars, lines):
        assert names(chart) == {
            "MDAV",
            "MDAV, polished",
            "MD",
            "MD, polished",
            "Lower bound",
        }
    losses = {trace["name"]: trace["y"] for trace in bars["data"]}
    for method in ("MDAV", "MD"):
        for plain, polished in zip(
            losses[method], losses[f"{method}, polished"], strict=True
        ):
            assert polished < plain


def test_polishing_can_be_switched_on_beside_the_results(ws):
    page = open_page("compare", ws)
    assert "Run" not in [one.label for one in page.button]
    page.toggle(key=session.key("polish")).set_value(True).run()
    assert button(page, "Run")
    said = " ".join(texts(page.markdown))
    assert "(2 methods + all polished) × 2 values of k = 8 runs" in said
    assert "4 of them are done already" in said


def test_bars_show_the_losses_of_the_outcomes(ws, seen):
    bars = {trace["name"]: trace for trace in charts(seen)[0]["data"]}
    for outcome in session.outcomes(ws):
        title = {"mdav": "MDAV", "md": "MD"}[outcome.plan.method]
        place = (3, 5).index(outcome.plan.k)
        assert bars[title]["y"][place] == pytest.approx(outcome.information_loss)


def test_a_method_has_one_colour_in_all_charts(seen):
    bars, lines, sizes, groups = charts(seen)
    colour = {t["name"]: t["marker"]["color"] for t in bars["data"] if "marker" in t}
    for trace in lines["data"]:
        if trace["name"] in ("MDAV", "MD"):
            assert trace["line"]["color"] == colour[trace["name"]]
    for trace in sizes["data"]:
        assert trace["marker"]["color"] == colour[trace["meta"]["method"]]
    for trace in groups["data"]:
        assert trace["line"]["color"] == colour[trace["meta"]["method"]]


def test_charts_offer_no_way_to_send_data_away(seen):
    for chart in seen.get("plotly_chart"):
        config = json.loads(chart.proto.config)
        assert config["showSendToCloud"] is False


def test_every_chart_can_be_read_as_a_table(ws):
    page = open_page("compare", ws)
    before = len(page.dataframe)
    for name in ("information-loss", "loss-against-k", "group-sizes", "groups"):
        group = page.button_group(key=session.key("view", name))
        group.set_value("Table").run()
        assert not page.exception
    assert not page.get("plotly_chart")
    assert len(page.dataframe) == before + 4


def test_the_table_has_all_results_and_names_the_scaling(seen):
    frame = seen.dataframe[-1].value
    assert len(frame) == 4
    assert set(frame["Scaling"]) == {"Z-score"}
    assert any("lower is better" in text.lower() for text in texts(seen.caption))
    assert any("Z-score scaling" in text for text in texts(seen.caption))


def test_a_failure_is_said_beside_the_results_of_the_others():
    page = open_page("compare", with_runs(small_table(), sizes=(3, 500)))
    assert "fewer than k = 500" in page.warning[0].value
    assert len(page.get("plotly_chart")) == 4


def test_with_many_methods_six_are_drawn_and_all_are_in_the_table():
    many = ("mdav", "md", "cbfs", "mdav1", "mdav-generic", "ldf", "dba1", "vmdav")
    page = open_page("compare", with_runs(small_table(), methods=many, sizes=(3,)))
    assert len(names(charts(page)[0])) == 6 + 1
    assert len(page.dataframe[-1].value) == 8


def test_one_quasi_identifier_can_be_compared():
    table = small_table().assign(roles={"sales": "other"})
    page = open_page("compare", with_runs(table))
    assert len(charts(page)) == 4


def test_categories_are_compared_by_their_certainty_penalty():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({n: rng.choice(list("pqr"), 60) for n in "ab"})
    columns = [Column(n, Kind.NOMINAL, Role.QUASI_IDENTIFIER) for n in frame]
    table = Table.from_frame(frame, Schema(tuple(columns)))
    page = open_page("compare", with_runs(table, methods=("caat", "mdav-mixed")))
    penalties, sizes = charts(page)
    assert names(penalties) == {"CAAT", "MDAV, mixed"}
    assert len(sizes["data"]) == 4
    assert {metric.label for metric in page.metric} == {
        "Least penalty for k = 3",
        "Least penalty for k = 5",
    }
    assert "nan" not in " ".join(texts(page.metric) + texts(page.markdown))


def test_intervals_are_compared_by_loss_and_by_certainty_penalty():
    page = open_page(
        "compare",
        with_runs(small_table(), methods=("caat", "mdav"), aggregation="auto"),
    )
    bars, lines, penalties = charts(page)[:3]
    for chart in (bars, lines):
        assert names(chart) == {"CAAT", "MDAV", "Lower bound"}
    assert names(penalties) == {"CAAT", "MDAV"}


def test_a_mixed_table_says_that_its_loss_leaves_categories_out():
    table = small_table().assign(roles={"region": "quasi-identifier"})
    page = open_page("compare", with_runs(table, methods=("caat", "mdav-mixed")))
    said = " ".join(texts(page.caption))
    assert "of numbers only (categories count in the certainty penalty)" in said
    assert "categories are left out" in said
    assert len(charts(page)) == 5


def test_a_table_without_numbers_is_compared_by_its_penalty():
    table = small_table().assign(
        roles={"region": "quasi-identifier", "size": "other", "sales": "other"}
    )
    page = open_page("compare", with_runs(table, methods=("caat", "kaca")))
    penalty, sizes = charts(page)
    assert names(penalty) == {"CAAT", "KACA"}
    assert all(one.label.startswith("Least penalty") for one in page.metric)
    frame = page.dataframe[-1].value
    assert frame["IL (%)"].isna().all()
    assert frame["NCP (%)"].notna().all()
    assert len(sizes["data"]) == 4


def test_before_risk_is_measured_the_map_offers_to_measure(seen):
    assert button(seen, "Measure risk and utility")
    assert "How risky is each result" in " ".join(texts(seen.caption))


def test_the_map_shows_every_result_and_the_table_its_figures(ws):
    measured = with_measures(ws, "record-linkage", "variances")
    page = open_page("compare", measured)
    traces = {one["name"]: one for one in charts(page)[2]["data"]}
    assert set(traces) == {"Efficient", "MDAV", "MD", "k"}
    for name in ("MDAV", "MD"):
        assert [data[1] for data in traces[name]["customdata"]] == [3, 5]
    frame = page.dataframe[-1].value
    assert frame["Record linkage by distance (%)"].notna().all()
    shown = {x for name in ("MDAV", "MD") for x in traces[name]["x"]}
    assert shown == set(frame["Record linkage by distance (%)"])


def test_the_axes_and_the_ceiling_of_the_map_can_be_chosen(ws):
    measured = with_measures(ws, "record-linkage", "group-linkage", "variances")
    page = open_page("compare", measured)
    page.selectbox(key=session.key("risk_axis")).set_value("group-linkage").run()
    page.selectbox(key=session.key("loss_axis")).set_value("variances").run()
    page.number_input(key=session.key("ceilings", "group-linkage")).set_value(
        100.0
    ).run()
    assert not page.exception
    chart = charts(page)[2]
    assert chart["layout"]["xaxis"]["title"]["text"] == "Linkage to the own group (%)"
    assert chart["layout"]["yaxis"]["title"]["text"] == "Change of variances (%)"
    assert len(chart["layout"]["shapes"]) == 2
    assert "4 of 4 results keep k" in " ".join(texts(page.markdown))
    page.number_input(key=session.key("ceilings", "group-linkage")).set_value(0.0).run()
    assert "No result stays within this ceiling" in " ".join(texts(page.markdown))
