"""Before and after: figures of both files, and counts by a chosen column."""

from dashboard.app_pages.inspect.before_after import (
    cross_tabulation_table,
    number_comparison_table,
)
from engine.analysis.before_after import (
    compare_numeric_summaries,
    cross_tabulate_categories,
)
from engine.data.table import Table
from engine.files import read_table
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from tests.engine.analysis.test_before_after import frame


def protected() -> tuple[Outcome, Table]:
    roles = dict.fromkeys(("age", "income", "sex"), "quasi-identifier")
    table = read_table(frame()).assign(roles={**roles, "id": "identifier"})
    table = table.assign(roles={"region": "other"})
    return run(Plan(k=4), table), table


def test_each_column_has_a_line_before_and_one_after() -> None:
    outcome, table = protected()
    comparison = number_comparison_table(
        compare_numeric_summaries(outcome, table, "region"), "region"
    )
    assert comparison["Records are"].tolist() == ["before", "after"] * 8
    assert comparison["region"].unique().tolist() == [
        "all records",
        "missing",
        "n",
        "s",
    ]
    first = comparison.iloc[0]
    assert (first["Column"], first["Mean"]) == ("age", table.frame["age"].mean())


def test_counts_are_told_before_and_after() -> None:
    outcome, table = protected()
    (crosstab,) = cross_tabulate_categories(outcome, table, "region")
    crosstab_frame = cross_tabulation_table(crosstab)
    assert crosstab_frame["region"].tolist() == ["missing", "n", "s"]
    before = int(((table.frame["sex"] == "f") & (table.frame["region"] == "n")).sum())
    assert crosstab_frame.iloc[1, 1].startswith(f"{before} → ")
