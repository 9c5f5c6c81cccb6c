"""Published tables: a recognised one, true progress, printed figures beside ours."""

from dataclasses import fields, replace

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from dashboard.jobs import jobs
from dashboard.jobs.job_view import JobView
from dashboard.state import session
from dashboard.state.results.job_results import copy_with_results
from engine.analysis.published import literature, reproduce
from engine.core.message import Message
from engine.data.table import Table
from engine.files import read_table
from engine.pipeline.compare import compare
from tests import casc
from tests.dashboard.pages import (
    APP,
    Tabs,
    button,
    charts,
    open_page,
    small_table,
    texts,
    with_runs,
    with_table,
    workspace,
)


def open_tables(ws=None):
    """Return the lesson on published tables, run once."""
    return open_page("learn", ws, show="published")


def go_to_tables(page):
    page.query_params["show"] = "published"
    page.switch_page("app_pages/learn/view.py").run()
    return page


def csv_of(rows, columns=13, last=None):
    values = np.random.default_rng(4).integers(0, 9_000, (rows, columns))
    frame = pd.DataFrame(values).add_prefix("v").astype(object)
    if last is not None:
        frame.iloc[-1, -1] = last
    return frame.to_csv(index=False).encode()


def upload(page, content, name="my copy.csv"):
    page.file_uploader[0].set_value((name, content, "text/csv"))
    page.run()
    return page


def labels(page):
    return [widget.label for widget in page.button]


def with_cells(table, *methods):
    """Return a workspace in which these methods' cells have run."""
    name = reproduce.recognise_dataset(table)
    plans = [
        p for p in reproduce.plans_to_reproduce(name, table) if p.method in methods
    ]
    ws = replace(with_runs(small_table()), reference=table)
    return copy_with_results(ws, table, plans, dict(enumerate(compare(plans, table))))


@pytest.fixture(scope="module")
def tarragona():
    path = casc.path("tarragona")
    table = read_table(path)
    return with_cells(
        table, *{cell.method for cell in literature.printed_cells()}, "mdav"
    )


@pytest.fixture(scope="module")
def made_up():
    """A table that is only as large as tarragona.csv."""
    table = read_table(csv_of(834), name="made up.csv")
    return with_cells(table, "mdav1", "mdav", literature.RAW_VALUES_METHOD)


def test_without_a_file_all_printed_values_are_shown_and_what_to_upload():
    page = open_tables()
    (frame,) = (element.value for element in page.dataframe)
    assert len(frame) == len(literature.printed_cells())
    assert any("Upload one of the tables" in text for text in texts(page.markdown))
    assert "Run the published cells" not in labels(page)
    assert len(charts(page)) == 1  # printed losses against the best groups


def test_a_reference_table_is_recognised_and_the_own_one_stays():
    page = open_tables(with_table(small_table()))
    before = workspace(page)
    upload(page, csv_of(1080), "my copy.csv")
    after = workspace(page)
    assert reproduce.recognise_dataset(after.reference) == "census"
    for entry in fields(after):
        if entry.name != "reference":
            assert getattr(after, entry.name) is getattr(before, entry.name)
    assert any("**Census** is open" in text for text in texts(page.markdown))
    assert "Run the published cells" in labels(page)
    assert set(page.dataframe[0].value["Table"]) == {"Census"}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (csv_of(100), "has 100 records and 13 columns, but tarragona.csv 834 and 13"),
        pytest.param(
            csv_of(1080, 12),
            "has 1,080 records and 12 columns",
            marks=pytest.mark.slow,
        ),
        (csv_of(834, last="many"), "column 'v12' does not hold a number"),
        pytest.param(
            csv_of(834, last=""),
            "column 'v12' does not hold a number",
            marks=pytest.mark.slow,
        ),
        pytest.param(b"", "empty", marks=pytest.mark.slow),
    ],
)
def test_anything_else_gets_one_sentence(content, sentence):
    page = upload(open_tables(), content)
    assert len(page.error) == 1
    assert sentence in page.error[0].value
    assert workspace(page).reference is None
    upload(page, csv_of(834))
    assert not page.error


@pytest.mark.parametrize(
    "content",
    [
        csv_of(100),
        csv_of(834),
        pytest.param(csv_of(834, last=""), marks=pytest.mark.slow),
    ],
    ids=len,
)
def test_no_name_of_a_reference_file_becomes_markup(content):
    name = "![x](a.test) <b>.csv"
    page = upload(open_tables(), content, name)
    page_texts = texts(page.markdown) + [entry.value for entry in page.error]
    assert any("a.test" in entry for entry in page_texts)
    assert not any("![x](" in entry or "<b>" in entry for entry in page_texts)


def test_a_cancelled_run_keeps_its_cells_and_says_so_on_its_own_page_only():
    page = upload(open_tables(), csv_of(834))
    button(page, "Run the published cells").click().run()
    jobs.cancel_job(workspace(page).job)
    page.run()
    assert "Cancelled." in page.info[0].value
    assert "Run the published cells" in labels(page)
    page.switch_page("app_pages/compare/view.py").run()
    assert not any("Cancelled" in text for text in texts(page.info))


@pytest.mark.parametrize(
    ("name", "job_of_cells", "said"),
    [
        ("compare", True, "runs that you started on the Learn page"),
        ("compare", False, None),
        ("learn", True, None),
        ("learn", False, "a run of the Compare page"),
    ],
)
def test_a_run_of_another_page_is_shown_as_such(monkeypatch, name, job_of_cells, said):
    table = read_table(csv_of(834), name="made up.csv")
    ws = replace(
        with_table(small_table()),
        reference=table,
        job="a job",
        reference_job="a job" if job_of_cells else None,
    )
    plans = reproduce.plans_to_reproduce("tarragona", table)
    view = JobView("running", 0.5, Message("MDAV"), table, plans, {}, "", 1.0)
    monkeypatch.setattr(jobs, "view_job", lambda job_id: view if job_id else None)
    page = open_tables(ws) if name == "learn" else open_page(name, ws)
    assert not {"Run", "Run the published cells"} & set(labels(page))
    assert "Cancel" in labels(page)
    captions = [text for text in texts(page.caption) if "can run after" in text]
    assert len(captions) == (said is not None)
    assert said is None or said in captions[0]


def test_printed_and_our_figures_are_shown_side_by_side(tarragona):
    page = open_tables(tarragona)
    cells, scalings = (element.value for element in page.dataframe)
    printed = literature.runnable_cells("tarragona")
    assert len(cells) == sum(
        cell.method != literature.RAW_VALUES_METHOD for cell in printed
    )
    assert len(scalings) == sum(
        cell.method == literature.RAW_VALUES_METHOD for cell in printed
    )
    assert {"Printed IL (%)", "Our IL (%)", "Difference (%)", "Verdict", "Source"} <= (
        set(cells.columns)
    )
    assert (cells["Least IL known (%)"] <= cells["Our IL (%)"]).all()
    assert not page.warning
    mdav1 = cells[cells["Method"] == "MDAV-1"]
    assert set(mdav1["Verdict"]) == {"equal to every printed digit"}
    counts = [int(metric.value.split()[0]) for metric in page.metric]
    assert sum(counts) == len(cells)
    assert counts[0] == (cells["Verdict"] == "equal to every printed digit").sum()
    assert len(charts(page)) == 4
    assert "Run the published cells" not in labels(page)


def test_the_finding_is_said_from_the_figures(tarragona):
    page = open_tables(tarragona)
    page_text = "\n".join(texts(page.markdown))
    assert (
        "For every k shown, the printed figure is below the lower bound on z"
        in page_text
    )
    scalings = page.dataframe[1].value
    assert (scalings["Printed IL (%)"] < scalings["Bound, z-scored"]).all()


def test_on_other_values_the_page_does_not_call_them_equal(made_up):
    page = open_tables(made_up)
    cells = page.dataframe[0].value
    assert set(cells["Method"]) == {"MDAV-1"}
    assert not cells["Verdict"].str.startswith("equal").any()
    assert page.metric[0].value == "0 of 4"
    assert any("cannot be judged" in text for text in texts(page.warning))
    assert "Least IL known (%)" not in cells
    assert any("So far 4 of " in text for text in texts(page.caption))
    assert "Run the published cells" in labels(page)


def test_every_chart_can_be_read_as_a_table(made_up):
    page = open_tables(made_up)
    before = len(page.dataframe)
    names = (
        "printed-against-ours",
        "differences",
        "two-scalings",
        "distances-to-optimum",
    )
    for name in names:
        page.button_group(key=session.widget_key("view", name)).set_value("Table").run()
    assert not charts(page)
    assert len(page.dataframe) == before + len(names)


def test_points_are_the_figures_of_the_table(made_up):
    page = open_tables(made_up)
    chart = charts(page)[0]
    drawn = [
        (x, y)
        for trace in chart["data"]
        if trace["mode"] == "markers"
        for x, y in zip(trace["x"], trace["y"], strict=True)
    ]
    cells = page.dataframe[0].value
    expected = zip(cells["Printed IL (%)"], cells["Our IL (%)"], strict=True)
    np.testing.assert_allclose(sorted(drawn), sorted(expected))


def test_a_page_change_and_a_reload_keep_the_reference_table(monkeypatch):
    tabs = Tabs(monkeypatch)
    page = upload(open_tables(), csv_of(834))
    page.switch_page("app_pages/data/view.py").run()
    go_to_tables(page)
    assert any("**Tarragona** is open" in text for text in texts(page.markdown))
    assert isinstance(workspace(page).reference, Table)
    tabs.loaded("second page", before="first page")
    reloaded = AppTest.from_file(str(APP), default_timeout=60).run()
    assert workspace(reloaded).reference is workspace(page).reference
