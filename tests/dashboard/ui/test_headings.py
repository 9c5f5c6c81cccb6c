"""Help in place: whatever is measured and shown says what it means, and how."""

import json

import pandas as pd
import pytest
import streamlit as st

from dashboard.learn import glossary
from dashboard.state import session
from dashboard.ui import headings
from engine.measures import measures
from tests.dashboard.pages import (
    open_page,
    small_table,
    texts,
    with_measures,
    with_runs,
)

FIGURELESS = {
    # What names a line, or says in words what another column counts.
    *("Measure", "Value", "Unit", "Meaning", "Family", "Before", "After"),
}


def tips(table):
    """The tooltip of every column of a table."""
    told = json.loads(table.proto.columns or "{}")
    return {
        str(name): (told.get(str(name)) or {}).get("help") or ""
        for name in table.value.columns
    }


@pytest.fixture(scope="module")
def measured():
    ws = with_runs(small_table(), methods=("mdav", "fuzzy", "vmdav"))
    return with_measures(ws)


@pytest.fixture(scope="module")
def seen(measured):
    """Give pages as they open, by name, to tests that only look at them."""
    names = ("data", "compare", "inspect", "release")
    return {name: open_page(name, measured) for name in names}


def tip_of(heading):
    """Return the tooltip that a heading of a table has."""
    return (
        headings.heading_tooltips_config(pd.DataFrame(columns=[heading]))
        .get(heading, {})
        .get("help", "")
    )


def test_headings_lead_to_entries():
    for name, explained in headings.HEADINGS_BY_ENTRY.items():
        for heading in explained:
            assert tip_of(heading) == glossary.glossary_tooltip(name)
    assert tip_of("zxcv") == ""
    assert tip_of("k = 12") == glossary.glossary_tooltip("k")


@pytest.mark.parametrize("info", measures.infos(), ids=lambda info: info.id)
def test_a_measure_in_a_heading_says_formula_and_direction(info):
    for heading in (info.title, f"{info.title} ({info.unit})"):
        tip = tip_of(heading)
        assert info.formula in tip
        assert info.direction in tip.lower()


def test_formats_and_tooltips_of_a_table_go_together():
    frame = pd.DataFrame({"IL (%)": [1.0], "zxcv": [2.0], "Seconds": [3.0]})
    own = st.column_config.NumberColumn(help="my own", format="%.1f")
    given = {"IL (%)": st.column_config.NumberColumn(format="%.3f"), "Seconds": own}
    found = headings.heading_tooltips_config(frame, given)
    assert found["IL (%)"]["help"] == glossary.glossary_tooltip("information-loss")
    assert found["IL (%)"]["type_config"]["format"] == "%.3f"
    assert found["Seconds"]["help"] == "my own"
    assert "zxcv" not in found


@pytest.mark.parametrize("name", ["compare", "inspect", "release"])
def test_every_figure_says_what_it_means(seen, name):
    page = seen[name]
    assert [one.label for one in page.metric if not one.help] == []


def test_every_column_of_the_comparison_says_what_it_means(seen):
    page = seen["compare"]
    found = {}
    for table in page.dataframe:
        found |= tips(table)
    assert {info.title for info in measures.infos() if info.on_demand} <= {
        heading.removesuffix(f" ({info.unit})") if info.unit else heading
        for heading in found
        for info in measures.infos()
    }
    assert [heading for heading, tip in found.items() if not tip] == []


@pytest.mark.parametrize(
    "chart", ["information-loss", "loss-against-k", "group-sizes", "groups"]
)
def test_every_column_of_a_chart_s_table_says_what_it_means(measured, chart):
    page = open_page("compare", measured)
    key = session.widget_key("view", chart)
    if key not in {one.key for one in page.button_group}:
        pytest.skip("the chart is not on this page")
    page.button_group(key=key).set_value("Table").run()
    assert not page.exception
    for table in page.dataframe:
        assert [one for one, tip in tips(table).items() if not tip] == []


def test_measures_as_a_table_say_what_their_columns_are(seen):
    page = seen["inspect"]
    (table,) = page.dataframe
    lacking = {one for one, tip in tips(table).items() if not tip}
    assert lacking <= FIGURELESS


def test_every_choice_on_the_pages_has_a_tooltip(seen):
    for name in ("data", "compare", "inspect", "release"):
        page = seen[name]
        kinds = ("selectbox", "slider", "number_input", "toggle", "multiselect")
        for kind in (*kinds, "segmented_control", "pills"):
            for one in page.get(kind):
                # Labels that are hidden belong to something that is explained.
                hidden = one.proto.HasField("label_visibility") and (
                    one.proto.label_visibility.value != 0
                )
                assert hidden or one.proto.help, (name, one.proto.label)


def about(page):
    """Where links to the glossary lead, by what they are called."""
    found = [one.proto for one in page.get("page_link")]
    return {one.label: one.query_string for one in found if "term=" in one.query_string}


def test_results_lead_to_the_descriptions_of_their_methods(seen):
    asked = about(seen["compare"])
    assert set(asked.values()) == {"term=mdav", "term=fuzzy", "term=vmdav"}
    asked = about(seen["inspect"])
    assert asked == {"About V-MDAV": "term=vmdav"}


def test_lower_is_better_is_said_below_figures(seen):
    for name in ("compare", "release"):
        page = seen[name]
        said = "\n".join([*texts(page.caption), *texts(page.markdown)])
        assert "lower is better" in said.lower()


def test_scaling_and_seed_are_seen_without_opening_anything():
    ws = with_runs(small_table(), seed=7, scaling="range")
    folds = [one.label for one in open_page("compare", ws).expander]
    assert "Scaling · Range" in folds
    assert "More · seed 7" in folds
