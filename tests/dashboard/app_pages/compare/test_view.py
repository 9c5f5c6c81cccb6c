"""The Compare page: every figure is drawn from the results, with bound and scaling."""

import pytest

from dashboard.state import session
from tests.dashboard.pages import (
    button,
    chart,
    charts,
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


def names(chart):
    return {trace.get("name") for trace in chart["data"]}


def test_before_the_first_run_it_offers_to_run():
    page = open_page("compare", with_table(small_table()))
    assert not charts(page)
    assert button(page, "Run")


def test_it_draws_losses_sizes_and_groups(ws, seen):
    for name in ("information-loss", "loss-against-k"):
        assert names(chart(seen, name)) == {"MDAV", "MD", "Lower bound"}
    at_5 = {
        entry.plan.digest()
        for entry in session.requested_outcomes(ws)
        if entry.plan.k == 5
    }
    sizes = [t for t in chart(seen, "group-sizes")["data"] if t["type"] == "bar"]
    assert {entry["meta"]["key"] for entry in sizes} == at_5
    groups = chart(seen, "groups")
    assert len({(entry["xaxis"], entry["yaxis"]) for entry in groups["data"]}) == 4
    notes = [note["text"] for note in groups["layout"]["annotations"]]
    assert notes[:2] == ["<b>MDAV</b>", "<b>MD</b>"]
    keys = {entry["meta"]["key"] for entry in groups["data"]}
    assert keys == {entry.plan.digest() for entry in session.requested_outcomes(ws)}
    assert any("of the variance" in note for note in notes)


def test_the_groups_of_the_best_result_are_drawn_before_one_is_selected(ws, seen):
    at_5 = [
        outcome for outcome in session.requested_outcomes(ws) if outcome.plan.k == 5
    ]
    best = min(at_5, key=lambda outcome: outcome.information_loss)
    points = chart(seen, "groups-of-one")["data"][-1]
    assert points["meta"]["key"] == best.plan.digest()


def test_whether_groups_can_lose_less_is_answered(ws):
    page = open_page("compare", ws)
    bounds = [entry.bound.per_cent for entry in session.requested_outcomes(ws)]
    losses = [entry.information_loss for entry in session.requested_outcomes(ws)]
    field = session.widget_key("asked_loss")
    for loss, answer in ((max(losses) + 1, "Yes:"), (min(bounds) / 2, "No:")):
        page.number_input(key=field).set_value(loss).run()
        answers = [entry for entry in texts(page.markdown) if entry.startswith(answer)]
        assert len(answers) == len(
            {entry.plan.k for entry in session.requested_outcomes(ws)}
        )


def test_no_result_above_the_loss_allowed_is_recommended(ws):
    page = open_page("compare", ws)
    field = session.widget_key("max_loss")
    assert page.number_input(key=field).value == 30.0
    losses = [outcome.information_loss for outcome in session.requested_outcomes(ws)]
    assert 2.0 < min(losses) < 30.0
    page.number_input(key=field).set_value(2.0).run()
    assert page.session_state["workspace"].max_loss == 2.0
    page_text = " ".join(texts([*page.markdown, *page.caption, *page.info]))
    assert "None is recommended" in page_text
    assert "more than 2\xa0%" in page_text


def test_polished_results_are_a_series_of_their_own():
    page = open_page("compare", with_runs(small_table(), polish=True))
    dots = chart(page, "information-loss")
    for figure in (dots, chart(page, "loss-against-k")):
        assert names(figure) == {
            "MDAV",
            "MDAV, polished",
            "MD",
            "MD, polished",
            "Lower bound",
        }
    losses = {trace["name"]: trace["x"] for trace in dots["data"]}
    for method in ("MDAV", "MD"):
        for plain, polished in zip(
            losses[method], losses[f"{method}, polished"], strict=True
        ):
            assert polished < plain


def test_every_chart_can_be_read_as_a_table(ws):
    page = open_page("compare", ws)
    before = len(page.dataframe)
    for name in (
        "information-loss",
        "loss-against-k",
        "group-sizes",
        "groups-of-one",
        "groups",
        "column-losses",
    ):
        group = page.button_group(key=session.widget_key("view", name))
        group.set_value("Table").run()
    assert not charts(page)
    assert len(page.dataframe) == before + 6


def test_the_table_has_all_results_and_names_the_scaling(seen):
    frame = seen.dataframe[-1].value
    assert len(frame) == 4
    assert set(frame["Scaling"]) == {"Z-score"}
    (heading,) = [
        subheader for subheader in seen.subheader if subheader.value == "All figures"
    ]
    assert "lower is better" in heading.proto.help.lower()
    assert "Z-score scaling" in heading.proto.help


def test_a_reason_that_several_runs_share_is_said_once():
    page = open_page("compare", with_runs(small_table(), sizes=(3, 500)))
    (warning,) = [text for text in texts(page.warning) if "MDAV, k = 500" in text]
    assert warning.count("fewer than k = 500") == 1
    assert "MDAV, k = 500; MD, k = 500: " in warning
    assert len(charts(page)) == 6  # of the others


def test_with_many_methods_six_are_drawn_and_all_are_in_the_table():
    many = ("mdav", "md", "cbfs", "mdav1", "mdav-generic", "ldf", "dba1", "vmdav")
    page = open_page("compare", with_runs(small_table(), methods=many, sizes=(3,)))
    assert len(names(chart(page, "information-loss"))) == 6 + 1
    assert len(page.dataframe[-1].value) == 8


def test_one_quasi_identifier_can_be_compared():
    table = small_table().assign(roles={"sales": "other"})
    page = open_page("compare", with_runs(table))
    assert len(charts(page)) == 6


def test_intervals_are_compared_by_loss_and_by_certainty_penalty():
    page = open_page(
        "compare",
        with_runs(small_table(), methods=("caat", "mdav"), aggregation="auto"),
    )
    for name in ("information-loss", "loss-against-k"):
        assert names(chart(page, name)) == {"CAAT", "MDAV", "Lower bound"}
    assert names(chart(page, "certainty-penalty")) == {"CAAT", "MDAV"}


def test_a_mixed_table_says_how_its_loss_takes_categories():
    table = small_table().assign(roles={"region": "quasi-identifier"})
    page = open_page("compare", with_runs(table, methods=("caat", "mdav-mixed")))
    help_text = " ".join(subheader.proto.help for subheader in page.subheader)
    assert "of numbers and categories, as points" in help_text
    assert chart(page, "certainty-penalty")["data"]


def test_a_table_without_numbers_is_compared_as_any_other():
    table = small_table().assign(
        roles={"region": "quasi-identifier", "size": "other", "sales": "other"}
    )
    page = open_page("compare", with_runs(table, methods=("caat", "kaca")))
    assert names(chart(page, "certainty-penalty")) == {"CAAT", "KACA"}
    for name in ("information-loss", "loss-against-k"):
        assert names(chart(page, name)) == {"CAAT", "KACA", "Lower bound"}
    frame = page.dataframe[-1].value
    assert frame["IL (%)"].between(0.0, 100.0).all()
    assert frame["NCP (%)"].notna().all()
    for name in ("group-sizes", "groups-of-one", "groups"):
        assert chart(page, name)["data"]


def test_before_risk_is_measured_the_map_offers_to_measure(seen):
    assert button(seen, "Measure risk and utility")
    assert "How risky is each result" in " ".join(texts(seen.caption))


def test_the_map_shows_every_result_and_the_table_its_figures(ws):
    measured = with_measures(ws, "record-linkage", "variances")
    page = open_page("compare", measured)
    traces = {trace["name"]: trace for trace in chart(page, "risk-utility")["data"]}
    assert set(traces) == {"Efficient", "MDAV", "MD", "k"}
    for name in ("MDAV", "MD"):
        assert [data[1] for data in traces[name]["customdata"]] == [3, 5]
    frame = page.dataframe[-1].value
    assert frame["Record linkage by distance (%)"].notna().all()
    risks = {x for name in ("MDAV", "MD") for x in traces[name]["x"]}
    assert risks == set(frame["Record linkage by distance (%)"])


def test_the_axes_and_the_ceiling_of_the_map_can_be_chosen(ws):
    measured = with_measures(ws, "record-linkage", "group-linkage", "variances")
    page = open_page("compare", measured)
    page.selectbox(key=session.widget_key("risk_axis")).set_value("group-linkage").run()
    page.selectbox(key=session.widget_key("loss_axis")).set_value("variances").run()
    page.number_input(key=session.widget_key("ceilings", "group-linkage")).set_value(
        100.0
    ).run()
    axes = chart(page, "risk-utility")["layout"]
    assert axes["xaxis"]["title"]["text"] == "Linkage to the own group (%)"
    assert axes["yaxis"]["title"]["text"] == "Change of variances (%)"
    assert len(axes["shapes"]) == 2
    assert "4 of 4 results keep k" in " ".join(texts(page.markdown))
    page.number_input(key=session.widget_key("ceilings", "group-linkage")).set_value(
        0.0
    ).run()
    assert "No result stays within this ceiling" in " ".join(texts(page.markdown))
