"""A tooltip says what undo would take back."""

from dataclasses import replace

import pytest

from dashboard.i18n.text_session import CHOICE_NAMES
from dashboard.state.shared_choices import SHARED_CHOICES
from dashboard.state.snapshots.changes import describe_changes
from dashboard.state.snapshots.restore import take_snapshot
from dashboard.state.snapshots.snapshot import CHOICE_FIELDS
from dashboard.state.workspace import Workspace
from engine.hierarchy import flat_hierarchy
from tests.dashboard.pages import sample, small_table, with_table

TABLE = small_table()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"sizes": (3,)}, "k 3, 5 → 3"),
        ({"sizes": ()}, "k 3, 5 → none"),
        ({"methods": ("mdav", "md", "vmdav")}, "V-MDAV added"),
        ({"methods": ("md",)}, "MDAV taken out"),
        ({"methods": ("a", "b", "c", "d")}, "2 → 4 methods"),
        ({"methods": ("vmdav",)}, "methods MDAV, MD → V-MDAV"),
        ({"parameters": {"vmdav": {"gamma": 1.5}}}, "V-MDAV, Gain 0.2 → 1.5"),
        ({"polish": True}, "polish the results off → on"),
        ({"scaling": "range"}, "scaling z-score → range"),
        ({"aggregations": {"sales": "median"}}, "common value of sales none → median"),
        ({"missing_columns": {"sales": "drop"}}, "missing values of sales none → drop"),
        ({"constraints": ("size <= 9",)}, "size <= 9 added"),
        ({"strata": "region"}, "strata none → region"),
        ({"seed": 7}, "seed 0 → 7"),
        ({"accepted": {"x": True}}, "confirmed to release all the same"),
        (
            {"table": TABLE.assign(roles={"debt": "quasi-identifier"})},
            "role of debt confidential → quasi-identifier",
        ),
        (
            {"table": TABLE.assign(roles={"debt": "other", "size": "other"})},
            "roles of 2 columns",
        ),
        (
            {"table": TABLE.assign(kinds={"size": "ordinal"})},
            "kind of size continuous → ordinal",
        ),
        (
            {
                "table": TABLE.assign(
                    hierarchies={"region": flat_hierarchy(["north", "south"])}
                )
            },
            "hierarchy of region",
        ),
        ({"table": small_table(30)}, "opened firms.csv"),
        ({"seed": 7, "scaling": "range"}, "scaling z-score → range and 1 more change"),
        ({"risk_axis": "identity"}, ""),
    ],
)
def test_a_change_is_said_in_words(change, says):
    ws = with_table(TABLE)
    assert (
        describe_changes(take_snapshot(ws), take_snapshot(replace(ws, **change)))
        == says
    )


def test_a_sample_is_named():
    before = take_snapshot(with_table(TABLE))
    assert (
        describe_changes(before, take_snapshot(sample()))
        == "opened Business survey (synthetic)"
    )
    assert describe_changes(before, take_snapshot(Workspace())).startswith(
        "table closed"
    )


def test_long_values_are_cut_short():
    ws = with_table(TABLE)
    rule = " + ".join(["size"] * 60) + " <= 9"
    assert (
        len(
            describe_changes(
                take_snapshot(ws), take_snapshot(replace(ws, constraints=(rule,)))
            )
        )
        < 80
    )


def test_every_choice_has_a_name():
    assert CHOICE_NAMES.keys() | SHARED_CHOICES.keys() == set(CHOICE_FIELDS)
    assert not CHOICE_NAMES.keys() & SHARED_CHOICES.keys()
