"""The rail: choices are kept, what will run is said, it runs and stops."""

import time
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dashboard.jobs import jobs
from dashboard.state import session
from dashboard.state.workspace import resolve_plans
from engine.data.table import Table
from engine.files import read_table
from engine.methods import default, methods
from tests.dashboard.pages import (
    button,
    charts,
    labelled,
    open_page,
    small_table,
    texts,
    with_runs,
    with_table,
    workspace,
)


def labels(page):
    return [widget.label for widget in page.button]


def test_every_method_is_ticked_or_found_by_all_its_names():
    page = open_page("compare", with_table(small_table()))
    ticks = {box.label: box.proto.help for box in page.checkbox}
    others = page.selectbox(key=session.widget_key("add method")).options
    for info in methods.infos():
        if info.title in ticks:
            assert info.summary in ticks[info.title]
            assert info.reference.markdown_link in ticks[info.title]
        else:
            (entry,) = [
                option for option in others if option.split(" · ")[0] == info.title
            ]
            assert set(info.aliases) <= set(entry.split(" · "))


def test_a_method_is_added_by_its_name_and_taken_away_by_its_tick():
    page = open_page("compare", with_table(small_table()))
    page.selectbox(key=session.widget_key("add method")).select("cbfs").run()
    assert workspace(page).methods == ("mdav", "md", "cbfs")
    page.checkbox(key=session.widget_key("method", "cbfs")).uncheck().run()
    assert workspace(page).methods == ("mdav", "md")


def test_all_methods_are_ticked_in_one_list():
    ws = with_table(small_table())
    page = open_page("compare", ws)
    page.session_state[session.widget_key("all methods")] = True
    page.run()
    for info in methods.infos():
        assert (
            page.checkbox(key=session.widget_key("any method", info.id)).label
            == info.title
        )
    page.checkbox(key=session.widget_key("any method", "cbfs")).check().run()
    assert workspace(page).methods == ("mdav", "md", "cbfs")
    assert page.checkbox(key=session.widget_key("method", "cbfs")).value
    page.checkbox(key=session.widget_key("any method", "md")).uncheck().run()
    assert workspace(page).methods == ("mdav", "cbfs")


def test_the_second_line_says_how_many_records_take_part():
    page = open_page("compare", with_table(small_table()))
    all_ = workspace(page).table.n_records
    for only, words in (
        ("sales >= 0", f"{all_} records"),
        ("region = north", f"of {all_} records"),
        ("region =", f"{all_} records"),
    ):
        page.text_input(key=session.widget_key("only")).set_value(only).run()
        assert page.text_input(key=session.widget_key("only")).value == only
        assert words in page.markdown[0].value


def test_methods_are_ranked_by_what_they_lose_at_the_k_that_is_looked_at():
    ws = with_runs(small_table(), methods=("mdav", "md", "cbfs"), sizes=(3, 5, 8))
    for k in (3, 8):
        page = open_page("compare", replace(ws, focus=k))
        losses = {
            methods.info(outcome.plan.method).title: outcome.information_loss
            for outcome in session.requested_outcomes(workspace(page))
            if outcome.plan.k == k
        }
        ticked = [box.label for box in page.checkbox if box.label in losses]
        assert ticked == sorted(losses, key=losses.get)


def test_ticking_a_method_and_adding_a_k_changes_what_will_run():
    page = open_page("compare", with_table(small_table()))
    page.selectbox(key=session.widget_key("add method")).select("cbfs").run()
    page.number_input(key=session.widget_key("another k")).set_value(7).run()
    assert workspace(page).sizes == (3, 5, 7)
    # Emptied, it takes the same k once more after it was taken from those chosen.
    assert page.number_input(key=session.widget_key("another k")).value is None
    assert "3 methods × 3 values of k = 9 runs" in " ".join(texts(page.markdown))


def test_polishing_adds_runs_where_it_is_possible():
    methods_chosen = ("mdav", "md", "individual-ranking")
    page = open_page("compare", with_table(small_table(), methods=methods_chosen))
    assert "Polish for" not in [
        button_row.label for button_row in page.get("button_group")
    ]
    page.toggle(key=session.widget_key("polish")).set_value(True).run()
    assert workspace(page).polish
    assert "Polish for" in [button_row.label for button_row in page.get("button_group")]
    page_text = " ".join(texts(page.markdown))
    assert "(3 methods + 2 of them polished) × 2 values of k = 10 runs" in page_text
    page.checkbox(key=session.widget_key("method", "mdav")).uncheck().run()
    page.checkbox(key=session.widget_key("method", "md")).uncheck().run()
    assert "None of the chosen methods can be polished" in " ".join(texts(page.caption))


def test_k_of_one_cannot_be_chosen():
    page = open_page("compare", with_table(small_table()))
    assert page.number_input(key=session.widget_key("another k")).min == 2


@pytest.mark.parametrize(
    ("choices", "says"),
    [
        ({"methods": ()}, "No method is chosen"),
        ({"sizes": ()}, "No k is chosen"),
    ],
)
def test_what_is_missing_is_said_instead_of_a_button(choices, says):
    page = open_page("compare", with_table(small_table(), **choices))
    assert says in page.warning[0].value
    assert "Run" not in labels(page)


def test_missing_values_can_be_settled_here_too():
    page = open_page("compare", with_table(small_table(missing=3)))
    assert "Run" not in labels(page)
    choice = labelled(page.button_group, "Or another way")
    choice.set_value("drop").run()
    assert "Run" in labels(page)


def test_a_method_that_cannot_take_the_table_says_why():
    page = open_page("compare", with_table(small_table()))
    assert methods.info("hansen-mukherjee").traits.univariate
    box = page.selectbox(key=session.widget_key("add method")).select(
        "hansen-mukherjee"
    )
    box.run()
    tick = labelled(page.checkbox, "Hansen")
    assert "Not for this table" in tick.proto.help


def test_a_method_of_another_tool_says_what_it_loses_and_leads_to_a_better_one():
    page = open_page("compare", with_table(small_table()))
    page.selectbox(key=session.widget_key("add method")).select("pppca").run()
    assert "loses 62.3 % of Census" in " ".join(texts(page.info))
    assert "pppca" not in workspace(page).methods
    button(page, "Add MDAV-generic").click().run()
    assert "mdav-generic" in workspace(page).methods


def test_a_run_ends_in_results_and_a_way_to_compare():
    page = open_page("compare", with_table(small_table()))
    button(page, "Run").click().run()
    assert workspace(page).job
    end = time.monotonic() + 60
    while jobs.view_job(workspace(page).job).is_running and time.monotonic() < end:
        time.sleep(0.2)
    page.run()
    assert len(session.requested_results(workspace(page))) == 4
    assert "**Recommended: " in " ".join(texts(page.markdown))
    assert charts(page)


def test_what_has_run_is_not_run_again():
    ws = with_runs(small_table())
    page = open_page("compare", ws)
    assert "Run" not in labels(page)
    page.selectbox(key=session.widget_key("add method")).select("cbfs").run()
    assert "4 of them are done already" in " ".join(texts(page.markdown))


def test_weights_and_transforms_have_a_widget_for_each_column():
    table = small_table()
    page = open_page("compare", with_table(table, methods=("mdav",)))
    name = table.schema.quasi_identifiers[0]
    page.slider(key=session.widget_key("attribute_weights", name)).set_value(2.0).run()
    assert workspace(page).attribute_weights == {name: 2.0}
    plan = resolve_plans(workspace(page))[0]
    assert plan.attribute_weights == {name: 2.0}
    page.slider(key=session.widget_key("attribute_weights", name)).set_value(1.0).run()
    assert workspace(page).attribute_weights == {}


def mixed_table():
    return small_table(n=60, missing=4).assign(roles={"region": "quasi-identifier"})


def test_methods_of_every_family_take_categories():
    table = mixed_table().assign(roles={"sales": "other"})
    page = open_page("compare", with_table(table, methods=("mdav", "md", "caat")))
    assert not page.warning
    assert "Run" in labels(page)


def test_missing_values_can_be_settled_column_by_column():
    table = mixed_table()
    frame = table.frame.copy()
    frame["size"] = frame["size"].astype("Int64")
    frame.loc[8:9, "size"] = None
    ws = with_table(Table.from_frame(frame, table.schema), methods=("caat",))
    page = open_page("compare", ws)
    page.selectbox(key=session.widget_key("missing_columns", "sales")).set_value(
        "keep"
    ).run()
    assert workspace(page).missing_columns == {"sales": "keep"}
    assert "Run" not in labels(page)
    page.selectbox(key=session.widget_key("missing_columns", "size")).set_value(
        "keep"
    ).run()
    assert "only 2 records lack exactly 'size'" in " ".join(texts(page.warning))
    assert "Run" not in labels(page)
    page.selectbox(key=session.widget_key("missing_columns", "size")).set_value(
        "drop"
    ).run()
    assert workspace(page).missing_columns == {"sales": "keep", "size": "drop"}
    assert "Run" in labels(page)
    page.switch_page("app_pages/data/view.py").run()
    box = page.selectbox(key=session.widget_key("missing_columns", "size"))
    box.set_value("as above").run()
    assert workspace(page).missing_columns == {"sales": "keep"}
    page.switch_page("app_pages/compare/view.py").run()
    assert "Run" not in labels(page)


def test_a_column_can_get_another_common_value_and_says_its_usual_one():
    table = small_table().assign(roles={"region": "quasi-identifier"})
    page = open_page("compare", with_table(table, methods=("caat", "mdav-mixed")))
    box = page.selectbox(key=session.widget_key("aggregations", "size"))
    assert box.options[0] == "As above: interval or mean"
    region = page.selectbox(key=session.widget_key("aggregations", "region"))
    assert region.options[0] == "As above: generalisation or mode"
    assert "Mean" not in region.options
    box.set_value("median").run()
    assert workspace(page).aggregations == {"size": "median"}
    for plan in resolve_plans(workspace(page)):
        assert plan.aggregations["size"] == "median"


def test_of_many_columns_only_those_asked_for_are_listed():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        rng.normal(size=(30, 40)), columns=[f"x{i}" for i in range(40)]
    )
    page = open_page("compare", with_table(read_table(frame), methods=("mdav",)))
    keys = [box.key for box in page.selectbox]
    assert session.widget_key("aggregations", "x7") not in keys
    page.multiselect(key=session.widget_key("common values", "columns")).set_value(
        ["x7"]
    ).run()
    page.selectbox(key=session.widget_key("aggregations", "x7")).set_value(
        "median"
    ).run()
    assert workspace(page).aggregations == {"x7": "median"}


def test_interval_columns_are_offered_where_there_are_intervals():
    table = small_table()
    page = open_page("compare", with_table(table, methods=("mdav",)))
    assert session.widget_key("interval_columns") not in [
        toggle.key for toggle in page.toggle
    ]
    page = open_page("compare", with_table(table, methods=("caat",)))
    page.toggle(key=session.widget_key("interval_columns")).set_value(True).run()
    assert all(plan.interval_columns for plan in resolve_plans(workspace(page)))


def test_blocks_are_assigned_and_what_they_do_to_k_is_said_before_the_run():
    page = open_page("compare", with_table(small_table()))
    assert "**Block A**: size, sales" in texts(page.markdown)
    assert not page.warning
    page.multiselect(key=session.widget_key("blocks", 0)).set_value(["sales"]).run()
    assert workspace(page).blocks == (("sales",),)
    assert "**Block A**: size" in texts(page.markdown)
    assert "no longer for whole records" in page.warning[0].value
    assert "'size' and 'sales'" in page.warning[0].value
    assert resolve_plans(workspace(page))[0].blocks == (("sales",), ("size",))
    page.multiselect(key=session.widget_key("blocks", 0)).set_value([]).run()
    assert workspace(page).blocks == ()
    assert not page.warning


def test_small_strata_are_a_choice_once_there_are_strata():
    page = open_page("compare", with_table(small_table(), strata="region"))
    choice = labelled(page.button_group, "fewer than k")
    choice.set_value("merge").run()
    assert workspace(page).small_strata == "merge"
    page.multiselect(key=session.widget_key("strata")).set_value([]).run()
    assert not any("fewer than k" in g.label for g in page.button_group)


def notes(page):
    return [note.value for note in page.info if "records" in note.value]


def test_very_many_records_get_one_method_and_are_told_why(monkeypatch):
    monkeypatch.setattr(default, "MAX_DEFAULT_RECORDS", 20)
    monkeypatch.setattr(
        "dashboard.app_pages.compare.rail.forecast.MIN_SLOW_SECONDS", 0.0
    )
    table = small_table()
    page = open_page("compare", with_table(table, methods=("blocked",)))
    assert notes(page) == [
        f"Blocked is proposed, because there are {table.n_records} records: most "
        "other methods take long with so many."
    ]
    page = open_page("compare", with_table(table, methods=("mdav", "md")))
    assert notes(page) == [
        f"MDAV, MD take long with {table.n_records} records: Blocked is made for so "
        "many, and loses less than MDAV."
    ]
    page = open_page("compare", with_table(table, methods=("mdav", "blocked")))
    assert notes(page) == []


def test_what_a_choice_excludes_is_greyed_out_and_the_reason_is_said():
    ws = replace(with_table(small_table()), household="id")
    page = open_page("compare", ws)
    page.session_state[session.widget_key("rail", "outliers")] = True
    page.run()
    budget = page.number_input(key=session.widget_key("suppress"))
    assert budget.disabled
    notes = [text for text in texts(page.caption) if "are greyed out" in text]
    (note,) = [text for text in notes if "households are grouped whole" in text]
    assert "budget for outliers" in note
    free = open_page("compare", with_table(small_table()))
    free.session_state[session.widget_key("rail", "outliers")] = True
    free.run()
    assert not free.number_input(key=session.widget_key("suppress")).disabled
