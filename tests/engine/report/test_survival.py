"""What survived, in the words and pages of a report."""

import numpy as np
import pandas as pd

from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from engine.data.table import Table
from engine.pipeline.column_survival import ColumnSurvival
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from engine.report import facts_to_file, report_facts
from engine.report.survival import column_survival_message, format_per_cent


def table() -> Table:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(
        {
            "height (cm)": rng.normal(170, 9, 40).round(1),
            "age": rng.integers(20, 80, 40),
            "sex": rng.choice(["f", "m"], 40),
        }
    )
    roles = [Role.QUASI_IDENTIFIER, Role.QUASI_IDENTIFIER, Role.OTHER]
    kinds = [Kind.CONTINUOUS, Kind.CONTINUOUS, Kind.NOMINAL]
    columns = map(Column, frame, kinds, roles)
    return Table.from_frame(frame, Schema(tuple(columns)))


def test_both_pages_say_what_survived_and_who_is_told_apart() -> None:
    data = table()
    outcome = run(Plan(k=5), data)
    facts = report_facts(outcome, data)
    change = (outcome.release.frame["height (cm)"] - data.frame["height (cm)"]).abs()
    words = f"changed by {change.mean():.1f} cm on average"
    assert [column["name"] for column in facts["survived"]] == list(data.schema.names)
    assert facts["survived"][0]["words"] == words
    assert outcome.uniqueness.fewer
    for suffix in (".html", ".md"):
        text = facts_to_file(facts, suffix).decode()
        assert words in text
        assert "if the unchanged columns are compared, too" in text.replace("\\", "")
    for_others = report_facts(outcome, data, audience="external")
    assert for_others["survived"] == []
    assert for_others["uniqueness"]["fewer_than_k"] == outcome.uniqueness.fewer


def test_words_name_every_share_but_none_that_is_not_there() -> None:
    both = ColumnSurvival(0.0, generalised=0.93, gone=0.07)
    assert column_survival_message("zip", both) == "93 % coarser, 7 % gone"
    assert (
        column_survival_message("sex", ColumnSurvival(0.97, changed=0.03))
        == "3 % changed"
    )
    assert (
        column_survival_message("sex", ColumnSurvival(1.0)) == "all values as they were"
    )
    assert (
        column_survival_message("sex", ColumnSurvival(1.0), protected=False)
        == "as it is"
    )
    days = ColumnSurvival(
        0.1, changed=0.9, before="date", after="date", average_change=71.4
    )
    assert column_survival_message("born", days) == "changed by 71 days on average"
    wide = ColumnSurvival(
        0.0, generalised=1.0, before="number", after="text", average_change=1.26
    )
    assert (
        column_survival_message("pay", wide)
        == "middles of intervals 1.3 off on average, 100 % coarser"
    )


def test_a_share_is_all_or_nothing_only_where_it_is() -> None:
    shares = (0.0, 1e-9, 0.005, 0.5, 0.995, 1 - 1e-9, 1.0)
    few, many = ["less than 1"] * 2, ["more than 99"] * 2
    assert [format_per_cent(share) for share in shares] == [
        "0",
        *few,
        "50",
        *many,
        "100",
    ]
