"""Delivery: the bytes that leave are those that were counted."""

import io

import pandas as pd

from dashboard.delivery import file_name, groups_csv, written
from engine.pipeline import run
from engine.plan import Plan
from tests.dashboard.pages import small_table


def test_the_file_that_leaves_is_k_anonymous_by_a_plain_group_by():
    table = small_table()
    outcome = run(Plan(method="mdav", k=4), table)
    delivered = written(outcome, table)
    frame = pd.read_csv(io.BytesIO(delivered.content), dtype=str)
    assert frame.groupby(["size", "sales"]).size().min() == delivered.k >= 4
    assert not delivered.wrong


def test_groups_have_one_line_per_input_record_also_for_those_left_out():
    table = small_table(missing=4)
    outcome = run(Plan(method="mdav", k=4, missing="drop"), table)
    groups = pd.read_csv(
        io.BytesIO(groups_csv(outcome, table)), skip_blank_lines=False
    )["group"]
    assert len(groups) == 60
    assert groups[:4].isna().all()
    assert groups.value_counts().min() >= 4


def test_the_name_says_that_the_file_is_protected():
    assert file_name(small_table()) == "firms_protected.csv"
