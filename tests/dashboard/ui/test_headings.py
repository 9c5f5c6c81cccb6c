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
    column_configs = json.loads(table.proto.columns or "{}")
    return {
        str(name): (column_configs.get(str(name)) or {}).get("help") or ""
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
    seconds_column = st.column_config.NumberColumn(help="my own", format="%.1f")
    base_config = {
        "IL (%)": st.column_config.NumberColumn(format="%.3f"),
        "Seconds": seconds_column,
    }
    config = headings.heading_tooltips_config(frame, base_config)
    assert config["IL (%)"]["help"] == glossary.glossary_tooltip("information-loss")
    assert config["IL (%)"]["type_config"]["format"] == "%.3f"
    assert config["Seconds"]["help"] == "my own"
    assert "zxcv" not in config


@pytest.mark.parametrize("name", ["compare", "inspect", "release"])
def test_every_figure_says_what_it_means(seen, name):
    page = seen[name]
    assert [metric.label for metric in page.metric if not metric.help] == []


def test_every_column_of_the_comparison_says_what_it_means(seen):
    page = seen["compare"]
    tip_by_heading = {}
    for table in page.dataframe:
        tip_by_heading |= tips(table)
    assert {info.title for info in measures.infos() if info.on_demand} <= {
        heading.removesuffix(f" ({info.unit})") if info.unit else heading
        for heading in tip_by_heading
        for info in measures.infos()
    }
    assert [heading for heading, tip in tip_by_heading.items() if not tip] == []


@pytest.mark.parametrize(
    "chart", ["information-loss", "loss-against-k", "group-sizes", "groups"]
)
def test_every_column_of_a_chart_s_table_says_what_it_means(measured, chart):
    page = open_page("compare", measured)
    key = session.widget_key("view", chart)
    if key not in {entry.key for entry in page.button_group}:
        pytest.skip("the chart is not on this page")
    page.button_group(key=key).set_value("Table").run()
    for table in page.dataframe:
        assert [entry for entry, tip in tips(table).items() if not tip] == []


def test_measures_as_a_table_say_what_their_columns_are(seen):
    page = seen["inspect"]
    (table,) = page.dataframe
    lacking = {heading for heading, tip in tips(table).items() if not tip}
    assert lacking <= FIGURELESS


def test_every_choice_on_the_pages_has_a_tooltip(seen):
    for name in ("data", "compare", "inspect", "release"):
        page = seen[name]
        kinds = ("selectbox", "slider", "number_input", "toggle", "multiselect")
        for kind in (*kinds, "segmented_control", "pills"):
            for widget in page.get(kind):
                # Labels that are hidden belong to something that is explained.
                hidden = widget.proto.HasField("label_visibility") and (
                    widget.proto.label_visibility.value != 0
                )
                assert hidden or widget.proto.help, (name, widget.proto.label)


def about(page):
    """Where links to the glossary lead, by what they are called."""
    links = [link.proto for link in page.get("page_link")]
    return {
        link.label: link.query_string for link in links if "term=" in link.query_string
    }


def test_results_lead_to_the_descriptions_of_their_methods(seen):
    query_by_label = about(seen["compare"])
    assert set(query_by_label.values()) == {"term=mdav", "term=fuzzy", "term=vmdav"}
    query_by_label = about(seen["inspect"])
    assert query_by_label == {"About V-MDAV": "term=vmdav"}


def test_lower_is_better_is_said_below_figures(seen):
    for name in ("compare", "release"):
        page = seen[name]
        page_text = "\n".join([*texts(page.caption), *texts(page.markdown)])
        assert "lower is better" in page_text.lower()


def test_scaling_and_seed_are_seen_without_opening_anything():
    ws = with_runs(small_table(), seed=7, scaling="range")
    folds = [expander.label for expander in open_page("compare", ws).expander]
    assert "Scaling · Range" in folds
    assert "More · seed 7" in folds
