"""An aggregation is one file: all that lists, asks for and checks them reads it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from engine import streaming
from engine.aggregate import (
    AggregationInfo,
    CommonValues,
    GroupedAttribute,
    aggregations,
)
from engine.aggregate.defaults import suitable_aggregation_ids
from engine.cli.parsing.parser import main
from engine.core.errors import ParameterError
from engine.core.typing import Values
from engine.data.conversion.attributes import AttributeInfo
from engine.data.kinds import Kind
from engine.data.propose import suggest_schema
from engine.data.table import Table
from engine.files import read_table
from engine.measures.loss.information_loss import loss_of_values
from engine.pipeline.evaluate import evaluate, make_measured_release
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from engine.release.verify import release_bytes_and_checks
from engine.report import facts_to_html, report_facts
from engine.report.command_line import command_line
from engine.storage.outcomes import load_outcome, save_outcome


@dataclass(frozen=True, eq=False)
class AtLeast(CommonValues):
    """The smallest value, released as text."""

    numeric: ClassVar[bool] = False

    def group_texts(self, attribute: AttributeInfo) -> Sequence[str]:
        """Return each group's text, as in ``from 45``."""
        return [f"from {text}" for text in attribute.to_text(self.values)]


def smallest(members: GroupedAttribute) -> Values:
    minima = np.full(members.n_groups, np.inf)
    np.minimum.at(minima, members.labels, members.values)
    return minima


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Register two aggregations for as long as a test runs."""
    assert "mean" in aggregations  # and so all others are loaded
    monkeypatch.setattr(aggregations, "_entries", dict(aggregations._entries))
    monkeypatch.setattr(aggregations, "_aliases", dict(aggregations._aliases))
    aggregations.register(
        AggregationInfo(
            "at-least",
            "Lower end",
            "From the group's smallest value on.",
            became="where the group begins",
            shared="the lower end of {columns}",
            common=AtLeast,
        )
    )(lambda members: AtLeast(smallest(members)))
    aggregations.register(
        AggregationInfo(
            "smallest",
            "Smallest",
            "The group's smallest value.",
            became="the group's smallest value",
            shared="the smallest value of {columns}",
            aliases=("minimum",),
        )
    )(lambda members: CommonValues(smallest(members)))


def make_table() -> Table:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, 60),
            "income": rng.lognormal(10, 0.5, 60).round(2),
            "size": rng.normal(170, 10, 60).round(1),
        }
    )
    return Table.from_frame(frame, suggest_schema(frame)).assign(
        roles=dict.fromkeys(frame.columns, "quasi-identifier"),
        kinds=dict.fromkeys(frame.columns, "continuous"),
    )


def made() -> tuple[Table, Outcome]:
    table = make_table()
    rules = {"age": "at-least", "income": "minimum"}
    return table, run(Plan(method="mdav", k=4, aggregations=rules), table)


def test_it_is_offered_where_its_kinds_are() -> None:
    column = make_table().frame["age"]
    assert suitable_aggregation_ids(Kind.CONTINUOUS, column, False) >= {
        "at-least",
        "smallest",
    }
    assert not suitable_aggregation_ids(Kind.NOMINAL, column, True) & {
        "at-least",
        "smallest",
    }


def test_a_run_releases_what_it_writes() -> None:
    table, outcome = made()
    rules = {"age": "at-least", "income": "smallest", "size": "mean"}
    assert outcome.plan.aggregations == rules
    groups = table.frame.groupby(outcome.partition.labels)
    released = outcome.release.frame
    lowest_ages = groups["age"].transform("min").map("from {}".format)
    assert released["age"].tolist() == lowest_ages.tolist()
    assert released["income"].tolist() == groups["income"].transform("min").tolist()
    assert outcome.k_verified


def test_its_release_is_verified_measured_and_reported() -> None:
    table, outcome = made()
    written = release_bytes_and_checks(outcome, table)
    assert {check.id for check in written.checks} > {"values", "k", "types"}
    assert all(check.passed for check in written.checks)
    scores = evaluate(outcome, table)
    assert np.isfinite(scores["released-loss"].value)
    protected = make_measured_release(outcome, table)
    expected = outcome.scores["released-loss"].per_column["income"]
    loss_score = loss_of_values(protected, protected.as_written, "again")
    assert loss_score.per_column["income"] == expected
    facts = report_facts(outcome, table, scores, written.checks)
    became = {each["name"]: each["became"] for each in facts["columns"]}
    assert became["age"] == "where the group begins"
    assert became["income"] == "the group's smallest value"
    assert became["age"] in facts_to_html(facts)
    assert "--aggregation age=at-least" in command_line(outcome.plan, table)


def test_its_outcome_is_stored_and_read_again(tmp_path: Path) -> None:
    table, outcome = made()
    save_outcome(outcome, tmp_path / "outcome", table)
    loaded_outcome = load_outcome(tmp_path / "outcome", table)
    assert loaded_outcome.plan == outcome.plan
    pd.testing.assert_frame_equal(loaded_outcome.release.frame, outcome.release.frame)


def test_rules_ask_what_it_writes() -> None:
    table = make_table()
    bounded = Plan(k=4, constraints=("age >= 0",), aggregations={"age": "at-least"})
    with pytest.raises(ParameterError, match="released values are no numbers"):
        run(bounded, table)
    run(bounded.replace(aggregations={"age": "smallest"}), table)


def test_it_is_written_out_of_core(tmp_path: Path) -> None:
    make_table().frame.to_parquet(tmp_path / "in.parquet")
    plan = Plan(
        method="mdav",
        k=4,
        quasi_identifiers=("age", "income", "size"),
        aggregations={"age": "at-least", "income": "smallest", "size": "mean"},
    )
    streaming.run(plan, tmp_path / "in.parquet", tmp_path / "out")
    released = pq.read_table(tmp_path / "out").to_pandas()
    assert released["age"].str.startswith("from ").all()
    assert set(released["income"]) <= set(make_table().frame["income"])


def test_the_command_line_takes_it(tmp_path: Path) -> None:
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    make_table().frame.to_csv(source, index=False)
    options = ["--quasi-identifiers", "age,income", "--k", "4", "--output", str(target)]
    assert main(["run", str(source), *options, "--aggregation", "age=at-least"]) == 0
    assert read_table(target).frame["age"].str.startswith("from ").all()
