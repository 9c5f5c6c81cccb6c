"""Rules are checked as they are typed, kept only where they can be, and run."""

import numpy as np
import pandas as pd
import pytest

from dashboard.app_pages.data import rules
from dashboard.state import session
from dashboard.state.workspace import resolve_plans
from dashboard.ui.table.table_health import TableInspection
from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from engine.data.table import Table
from engine.pipeline.compare import compare
from tests.dashboard.pages import (
    labelled,
    open_page,
    sample,
    small_table,
    texts,
    with_table,
    workspace,
)

RULE = "net + tax = gross"


def invoices():
    """Return a table in which record 5 does not add up, and record 2 is negative."""
    rng = np.random.default_rng(1)
    net, tax = rng.integers(50, 900, 40), rng.integers(1, 50, 40)
    tax[1] = -3
    gross = net + tax
    gross[4] += 10
    frame = pd.DataFrame(
        {"net": net, "tax": tax, "gross": gross, "place": "x", "staff at work": net}
    )
    quasi = Role.QUASI_IDENTIFIER
    columns = [Column(n, Kind.CONTINUOUS, quasi) for n in ("net", "tax", "gross")]
    columns.append(Column("place", Kind.NOMINAL, quasi))
    columns.append(Column("staff at work", Kind.CONTINUOUS, Role.OTHER))
    return Table.from_frame(frame, Schema(tuple(columns)))


def editor(page):
    return labelled(page.text_input, "New rule")


def type_rule(page, text):
    editor(page).set_value(text).run()


def remove(page, text):
    page.button(key=session.widget_key("rules", "remove", text)).click().run()


def floors(page):
    return labelled(page.button_group, "negative")


def test_a_typed_rule_is_kept_and_the_records_that_break_it_are_counted():
    page = open_page(ws=with_table(invoices()))
    type_rule(page, " net +  tax = gross ")
    assert workspace(page).constraints == (RULE,)
    assert editor(page).value == ""
    assert any("1 of 40 records breaks it" in text for text in texts(page.markdown))
    worst = next(f.value for f in page.dataframe if "Off by" in f.value)
    assert worst.to_dict("records") == [{"Rule": RULE, "Record": 5, "Off by": -10}]


def test_a_rule_that_holds_everywhere_says_so():
    page = open_page(ws=with_table(invoices()))
    type_rule(page, "net <= 10000")
    assert any("holds in all 40 records" in text for text in texts(page.markdown))
    assert not any("Off by" in frame.value for frame in page.dataframe)


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("net + taxes = gross", "did you mean 'tax'?"),
        ("net + tax", "exactly one equals sign"),
        ("1,5*net = gross", "decimal point"),
        ("net = `staff at work`", "leaves as it is"),
        ("place >= 0", "holds no numbers"),
        ("gross = net + tax + 1", "contradicts 'net + tax = gross'"),
        (RULE, "already"),
    ],
)
def test_what_cannot_be_kept_is_one_sentence_and_stays_in_the_field(typed, says):
    page = open_page(ws=with_table(invoices(), constraints=(RULE,)))
    type_rule(page, typed)
    assert workspace(page).constraints == (RULE,)
    assert editor(page).value == typed
    errors = [text for text in texts(page.error) if says in text]
    assert len(errors) == 1


def test_a_rule_can_be_removed_and_the_editor_stays_open():
    page = open_page(ws=with_table(invoices(), constraints=(RULE, "tax >= 0")))
    remove(page, RULE)
    assert workspace(page).constraints == ("tax >= 0",)
    remove(page, "tax >= 0")
    panel = labelled(page.expander, "Rules")
    assert panel.proto.expanded


def test_no_negative_values_by_one_choice_and_back():
    page = open_page(ws=with_table(invoices(), constraints=(RULE,)))
    assert list(floors(page).options) == ["net", "tax", "gross"]
    floors(page).set_value(["tax", "net"]).run()
    assert workspace(page).constraints == (RULE, "net >= 0", "tax >= 0")
    assert any("1 of 40 records breaks it" in text for text in texts(page.markdown))
    floors(page).set_value(["net"]).run()
    assert workspace(page).constraints == (RULE, "net >= 0")
    remove(page, "net >= 0")
    assert floors(page).value == []


def test_a_column_whose_name_is_no_plain_word_can_be_kept_from_negative_values():
    table = invoices().assign(roles={"staff at work": "quasi-identifier"})
    numbers = rules.numeric_quasi_identifiers(table, TableInspection(table))
    possible = rules.non_negative_candidates(numbers)
    new_rules = rules.replace_non_negative_rules(possible, (RULE,), ["staff at work"])
    assert new_rules == (RULE, "`staff at work` >= 0")
    assert rules.replace_non_negative_rules(possible, new_rules, []) == (RULE,)
    page = open_page(ws=with_table(table, constraints=new_rules))
    assert any("staff at work" in text for text in texts(page.markdown))


def test_a_table_that_says_what_holds_offers_it():
    page = open_page(ws=sample("expenditure"))
    rule = "1.16*exp16 + 1.07*exp7 = total"
    assert workspace(page).constraints == ()
    page.button(key=session.widget_key("rules", "known", rule)).click().run()
    assert workspace(page).constraints == (rule,)
    assert any("holds in all 12 records" in text for text in texts(page.markdown))


def test_a_rule_of_a_column_that_is_no_longer_protected_is_named():
    page = open_page(ws=with_table(invoices(), constraints=(RULE,)))
    page.session_state["workspace"] = with_table(
        invoices().assign(roles={"tax": "other"}), constraints=(RULE,)
    )
    page.run()
    assert any("'tax', which leaves as it is" in text for text in texts(page.markdown))


def test_a_rounding_that_the_rules_rule_out_is_said_before_any_run():
    rule = "2*net + 2*tax = 1001"
    page = open_page(ws=with_table(invoices(), constraints=(rule,)))
    assert any("is rounded to whole numbers" in text for text in texts(page.error))
    rounding = labelled(page.button_group, "Round released")
    rounding.set_value("none").run()
    assert workspace(page).rounding == "none"
    assert not any("rounded" in text for text in texts(page.error))


def test_rules_and_rounding_reach_the_plan_and_the_rail_shows_them():
    table = invoices().assign(roles={"place": "other"})
    ws = with_table(table, constraints=(RULE,), rounding="precision")
    assert all(plan.constraints == (RULE,) for plan in resolve_plans(ws))
    assert all(plan.rounding == "precision" for plan in resolve_plans(ws))
    (outcome, *_) = compare(resolve_plans(ws), table)
    released = outcome.release.frame
    assert (released["net"] + released["tax"] == released["gross"]).all()
    page = open_page("compare", ws)
    assert any(RULE in text for text in texts(page.markdown))


def test_a_table_without_numbers_has_no_editor():
    table = small_table().assign(roles={"size": "other", "sales": "other"})
    page = open_page(ws=with_table(table))
    assert not any(widget.label == "New rule" for widget in page.text_input)


def test_dates_can_be_bound_but_not_kept_from_negative_values():
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(20), "D")
    frame = pd.DataFrame({"came": days, "left": days + pd.Timedelta(days=2)})
    frame["stay"] = 2
    columns = [Column(n, Kind.CONTINUOUS, Role.QUASI_IDENTIFIER) for n in frame]
    table = Table.from_frame(frame, Schema(tuple(columns)))
    numbers = rules.numeric_quasi_identifiers(table, TableInspection(table))
    assert [column.name for column in numbers] == ["came", "left", "stay"]
    assert rules.non_negative_candidates(numbers) == ("stay",)
    report = rules.make_rule_report(table, ("came + stay = left",), "types")
    assert report.rules[0].breach.records == 0
    assert report.problem == ""
