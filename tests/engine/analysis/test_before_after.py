"""Tables before and after are those that pandas makes of both files."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from engine.analysis.before_after import (
    ALL_RECORDS_LEVEL,
    MISSING_LEVEL,
    columns_with_few_values,
    compare_numeric_summaries,
    cross_tabulate,
)
from engine.cli.parsing.parser import main
from engine.core.errors import EngineError
from engine.data.table import Table
from engine.files import read_table
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from engine.report import facts_to_file, report_facts


def frame() -> pd.DataFrame:
    rng = np.random.default_rng(4)
    return pd.DataFrame(
        {
            "id": np.arange(80),
            "age": rng.integers(18, 90, 80),
            "income": rng.lognormal(8, 1, 80).round(2),
            "sex": rng.choice(["f", "m"], 80),
            "region": rng.choice(["n", "s", None], 80),
        }
    )


def protected() -> tuple[Outcome, Table]:
    roles = dict.fromkeys(("age", "income", "sex"), "quasi-identifier")
    table = read_table(frame()).assign(roles={**roles, "id": "identifier"})
    table = table.assign(roles={"region": "other"})
    return run(Plan(k=4, only="age >= 25"), table), table


def test_summaries_are_those_of_pandas_by_the_level_that_each_file_has() -> None:
    outcome, table = protected()
    before = table.frame[table.frame["age"] >= 25]
    after = outcome.release.frame
    summaries = {
        (summary.column, summary.level): summary
        for summary in compare_numeric_summaries(outcome, table, "sex")
    }
    assert set(summaries) == {
        (c, v) for c in ("age", "income") for v in (ALL_RECORDS_LEVEL, "f", "m")
    }
    for (column, level), summary in summaries.items():
        for frame_, figures in ((before, summary.before), (after, summary.after)):
            some = (
                frame_ if level == ALL_RECORDS_LEVEL else frame_[frame_["sex"] == level]
            )
            names = ["count", "mean", "std", "min", "median", "max"]
            expected = some[column].agg(names)
            actual = (figures.records, figures.mean, figures.deviation)
            actual += (figures.least, figures.median, figures.most)
            assert actual == pytest.approx(expected.tolist())
    assert summaries["age", ALL_RECORDS_LEVEL].before.mean == pytest.approx(
        before["age"].mean()
    )


def test_counts_are_those_of_pandas_missing_values_too() -> None:
    outcome, table = protected()
    cross_table = cross_tabulate(outcome, table, "sex", "region")
    assert cross_table.levels == (MISSING_LEVEL, "n", "s")
    before = table.frame[table.frame["age"] >= 25]
    for count_rows, frame_ in (
        (cross_table.before, before),
        (cross_table.after, outcome.release.frame),
    ):
        for level, line in zip(cross_table.levels, count_rows, strict=True):
            level_mask = frame_["region"].fillna(MISSING_LEVEL) == level
            for value, count in zip(cross_table.values, line, strict=True):
                assert count == int((level_mask & (frame_["sex"] == value)).sum())


def test_tables_are_made_by_columns_that_leave_and_have_few_values() -> None:
    outcome, table = protected()
    assert set(columns_with_few_values(outcome, table)) >= {"sex", "region"}
    for by, error_text in (("id", "does not leave"), ("nothing", "nothing")):
        with pytest.raises(EngineError, match=error_text):
            compare_numeric_summaries(outcome, table, by)
    wide = read_table(frame().assign(code=[f"c{i}" for i in range(80)]))
    wide = wide.assign(roles={"age": "quasi-identifier", "code": "other"})
    with pytest.raises(EngineError, match="80 values, too many for a table"):
        compare_numeric_summaries(
            run(Plan(k=4, quasi_identifiers=("age",)), wide), wide, "code"
        )


def test_the_report_for_the_house_alone_has_them() -> None:
    outcome, table = protected()
    inside = report_facts(outcome, table, by="sex")
    assert len(inside["before_after"]["summaries"]) == 6
    outside = report_facts(outcome, table, by="sex", audience="external")
    assert outside["before_after"] is None
    for suffix in (".html", ".md", ".json"):
        assert facts_to_file(inside, suffix)
        assert b"Before and after" not in facts_to_file(outside, suffix)
    for suffix in (".html", ".md"):
        assert b"Before and after" in facts_to_file(inside, suffix)


def test_the_command_line_ties_the_report_to_the_file(tmp_path: Path) -> None:
    import hashlib

    source, target, report = (tmp_path / n for n in ("a.csv", "b.csv", "r.html"))
    frame().to_csv(source, index=False)
    line = ["run", str(source), "--quasi-identifiers", "age,income", "--k", "3"]
    line += ["--identifiers", "id", "--output", str(target), "--tables-by"]
    assert main([*line, "sex"]) == 2  # there is no report to have them
    assert main([*line, "nothing", "--report", str(report)]) == 2
    assert main([*line, "income", "--report", str(report)]) == 2
    assert not target.exists()
    assert not report.exists()
    assert main([*line, "sex", "--report", str(report)]) == 0
    text = report.read_text()
    assert hashlib.sha256(target.read_bytes()).hexdigest() in text
    assert "by the values of sex" in text
