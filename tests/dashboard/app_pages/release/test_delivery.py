"""Delivery: the bytes that leave are those that were counted."""

import io
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dashboard.app_pages.release.delivery import (
    hierarchy_download,
    hierarchy_level_files,
    release_file_name,
)
from dashboard.state.workspace import Workspace, resolve_plans
from engine.cli.parsing.parser import main
from engine.data.kinds import Role
from engine.files import frame_to_bytes, read_table
from engine.hierarchy import flat_hierarchy, from_prefixes, read_hierarchy
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from engine.release.writing import WritingOptions
from engine.report import to_script
from engine.report.command_line import command_line, hierarchy_file_names
from tests.dashboard.pages import small_table, written
from tests.shells import split_command


def test_the_name_says_that_the_file_is_protected():
    assert release_file_name(small_table()) == "firms_protected.csv"


def test_hierarchies_are_one_file_or_several_as_a_zip():
    table = small_table()
    tree = flat_hierarchy(table.frame["region"])
    assert hierarchy_download(Plan()) is None
    single_plan = Plan(hierarchies={"region": tree.rows})
    name, content = hierarchy_download(single_plan)
    assert name == "region_hierarchy.csv"
    assert read_hierarchy(content) == tree
    two = Plan(hierarchies={"region": tree.rows, "trade": tree.rows})
    name, content = hierarchy_download(two)
    assert name == "hierarchies.zip"
    assert hierarchy_download(two) == (name, content)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.namelist() == ["region_hierarchy.csv", "trade_hierarchy.csv"]
        assert read_hierarchy(archive.read("trade_hierarchy.csv")) == tree


def test_columns_of_like_names_have_files_of_their_own():
    names = ("age (y)", "age_y_", "Age (y)", "age_y__2", "age")
    plan = Plan(hierarchies={name: [[name, "*"]] for name in names})
    _, content = hierarchy_download(plan)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        files = archive.namelist()
        trees = [read_hierarchy(archive.read(file)) for file in files]
    assert [tree.leaves for tree in trees] == [(name,) for name in names]
    assert len({file.casefold() for file in files}) == len(names)
    assert list(hierarchy_file_names(names).values()) == files


MESSY = {
    "sex": ["f", "m", "m", "f", "f", None] * 10,
    "postcode": [f"0{i % 5}{i % 7}1" for i in range(60)],
    "day": [f"2024-0{i % 9 + 1}-1{i % 8}" for i in range(60)],
    "age": [None if i % 12 == 7 else 20 + i * 7 % 60 for i in range(60)],
    "stage": [i * i % 4 + 1 for i in range(60)],
    "region": ["N", "S"] * 29 + ["W", "W"],
    "wgt": [1.5 + i % 3 for i in range(60)],
}


@pytest.mark.parametrize(
    "choices",
    [
        {"methods": ("caat",), "missing": "drop", "interval_columns": True},
        {"methods": ("mdav-mixed",), "missing_columns": {"age": "keep"}},
        {"methods": ("kaca",), "aggregations": {"day": "median", "sex": "mode"}},
        {"methods": ("caat",), "strata": "region", "small_strata": "merge"},
        {"methods": ("caat",), "missing": "drop", "p_sensitive": 2, "t_close": 0.5},
        {"methods": ("kaca",), "blocks": (("day", "age"),), "aggregation": "mode"},
    ],
)
def test_the_printed_command_and_the_plan_give_the_same_bytes(
    choices, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    pd.DataFrame(MESSY).astype({"age": "Int64"}).to_csv("messy.csv", index=False)
    table = read_table("messy.csv")
    assert table.schema["wgt"].role is Role.WEIGHT
    table = table.assign(
        roles=dict.fromkeys(("postcode", "stage"), Role.QUASI_IDENTIFIER)
        | {"region": Role.CONFIDENTIAL if "t_close" in choices else Role.OTHER},
        kinds={"stage": "nominal"},
        hierarchies={"postcode": from_prefixes(table.frame["postcode"])},
    )
    ws = Workspace(table=table, sizes=(3,), **({"missing": "mode"} | choices))
    (plan,) = resolve_plans(ws)
    outcome = run(plan, table)
    for name, content in hierarchy_level_files(plan).items():
        Path(name).write_bytes(content)
    words = split_command(command_line(outcome.repeatable_plan, table))
    assert main([word for word in words[1:] if word.strip()]) == 0
    release = frame_to_bytes(outcome.release.frame, table.origin)
    assert Path("messy_protected.csv").read_bytes() == release
    Path("plan.json").write_text(outcome.repeatable_plan.to_json(), encoding="utf-8")
    arguments = ["run", "messy.csv", "--plan", "plan.json", "--output", "again.csv"]
    assert main(arguments) == 0
    assert Path("again.csv").read_bytes() == release


def test_the_printed_command_writes_as_the_page_does(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pd.DataFrame({"a": np.sqrt(range(40)), "b": ["=1+1", "x"] * 20}).to_csv(
        "t.csv", index=False
    )
    table = read_table("t.csv").assign(
        roles={"a": Role.QUASI_IDENTIFIER, "b": Role.OTHER}
    )
    outcome = run(Plan(), table)
    writing = WritingOptions(format="parquet", shuffle=True, seed=41, neutralise=True)
    words = split_command(command_line(outcome.plan, table, writing))
    assert main([word for word in words[1:] if word.strip()]) == 0
    delivered = written(outcome, table, writing)
    assert Path("t_protected.parquet").read_bytes() == delivered.content
    assert release_file_name(table, writing) == "t_protected.parquet"


def test_the_script_writes_under_the_name_of_its_format(tmp_path):
    table = small_table()
    outcome = run(Plan(), table)
    assert "firms_protected.xlsx" in to_script(
        outcome, table, WritingOptions(format="excel")
    )
