"""Run time against k, records and attributes: what is timed, and what is refused."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from engine import Cancelled, ParameterError, Plan, RunContext, Table
from engine.analysis.curves import timing
from engine.analysis.curves.experiment import (
    Against,
    Experiment,
    default_experiment_values,
)
from engine.analysis.curves.timing import (
    MethodTiming,
    estimate_experiment_seconds,
    growth_exponent,
    time_methods,
)
from engine.cli.parsing.parser import main
from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from engine.pipeline.grouping.group import GroupedParts
from engine.pipeline.grouping.prepare import PreparedTable
from engine.pipeline.planning.resolve_plan import ResolvedPlan

MDAV, WARD = Plan(method="mdav", k=4), Plan(method="k-ward", k=4)


def table() -> Table:
    values = np.random.default_rng(5).normal(size=(200, 3)).round(3)
    frame = pd.DataFrame(values, columns=list("abc")).assign(d=list("xyzw") * 50)
    kinds = [*[Kind.CONTINUOUS] * 3, Kind.NOMINAL]
    columns = (
        Column(name, kind, Role.QUASI_IDENTIFIER)
        for name, kind in zip(frame, kinds, strict=True)
    )
    return Table.from_frame(frame, Schema(tuple(columns)))


def shapes(found: tuple[MethodTiming, ...]) -> list[tuple[str, int, int, int]]:
    return [
        (
            method_timing.method,
            method_timing.k,
            method_timing.n_records,
            method_timing.n_attributes,
        )
        for method_timing in found
    ]


def test_only_what_is_varied_changes() -> None:
    for against, values, expected in (
        ("k", (5, 3), [(3, 200, 4), (5, 200, 4)]),
        ("records", (60, 200), [(4, 60, 4), (4, 200, 4)]),
        ("attributes", (1, 4), [(4, 200, 1), (4, 200, 4)]),
    ):
        experiment = Experiment(against, values, repeats=2)
        timings = time_methods([MDAV, WARD], table(), experiment)
        both = [(name, *each) for each in expected for name in ("mdav", "k-ward")]
        assert shapes(timings) == both
        assert all(
            len(method_timing.seconds) == 2 and method_timing.best_seconds > 0.0
            for method_timing in timings
        )
        assert estimate_experiment_seconds(experiment, [MDAV, WARD], table()) > 0.0


def test_parts_are_nested_and_drawn_from_the_whole_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    value_sets: list[set[float]] = []
    prepared = timing.PreparationCache

    def watched(part: Table) -> timing.PreparationCache:
        value_sets.append(set(part.frame["a"]))
        return prepared(part)

    monkeypatch.setattr(timing, "PreparationCache", watched)
    time_methods([MDAV], table(), Experiment("records", (60, 120, 200), 1))
    assert value_sets[0] < value_sets[1] < value_sets[2]
    assert not value_sets[0] <= set(table().frame["a"].iloc[:120])


def test_choices_for_single_columns_go_with_them() -> None:
    plan = MDAV.replace(
        attribute_weights={"d": 2.0},
        blocks=(("a", "b"), ("c", "d")),
        constraints=("0 <= a <= 9",),
    )
    timings = time_methods([plan], table(), Experiment("attributes", (1, 3), 1))
    assert [method_timing.n_attributes for method_timing in timings] == [1, 3]
    assert not any(method_timing.problem for method_timing in timings)


def test_a_method_that_cannot_run_says_why_and_the_others_go_on() -> None:
    plans = [Plan(method="hansen-mukherjee", k=4), MDAV]
    timings = time_methods(plans, table(), Experiment("attributes", (1, 2), 1))
    cannot = [
        method_timing
        for method_timing in timings
        if method_timing.method == "hansen-mukherjee"
    ]
    assert [bool(method_timing.problem) for method_timing in cannot] == [False, True]
    assert all(
        method_timing.best_seconds
        for method_timing in timings
        if method_timing.method == "mdav"
    )


def test_the_mean_of_several_starts_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[int] = []
    grouped = timing.group_records

    def watched(
        plan: ResolvedPlan, prepared: PreparedTable, ctx: RunContext
    ) -> GroupedParts:
        seeds.append(plan.seed)
        return grouped(plan, prepared, ctx)

    monkeypatch.setattr(timing, "group_records", watched)
    plans = [Plan(method="caat", k=k, seed=7) for k in (3, 6)]
    timings = time_methods(plans, table(), Experiment("attributes", (2, 4), 3, True))
    assert [(method_timing.k, method_timing.value) for method_timing in timings] == [
        (3, 2),
        (6, 2),
        (3, 4),
        (6, 4),
    ]
    assert seeds == [7, 7, 8, 9] + 3 * [7, 8, 9]  # the first of all only warms up
    assert all(
        method_timing.representative_seconds
        == pytest.approx(np.mean(method_timing.seconds))
        for method_timing in timings
    )
    repeated_timings = time_methods(
        plans,
        table(),
        Experiment("attributes", (2, 4), 3, True),
        known_timings=timings,
    )
    assert repeated_timings == timings


def test_growth_is_the_power_that_made_the_times() -> None:
    timings = [
        MethodTiming("m", False, n, 3, n, 2, (0.001 * n**1.5,))
        for n in (50, 100, 200, 400)
    ]
    assert growth_exponent(timings) == pytest.approx(1.5)
    assert growth_exponent(timings[:2]) is None
    assert (
        growth_exponent(
            [MethodTiming("m", False, n, 3, n, 2, (1e-4,)) for n in (1, 2, 3)]
        )
        is None
    )


def test_usual_values_fit_the_table() -> None:
    assert default_experiment_values("records", MDAV, table()) == (50, 100, 200)
    assert default_experiment_values("attributes", MDAV, table()) == (1, 2, 3, 4)
    assert default_experiment_values("k", MDAV, table()) == (3, 5, 10, 20, 30, 50)
    small = Table.from_frame(table().frame.head(5), table().schema)
    assert default_experiment_values("k", MDAV, small) == (2,)
    assert default_experiment_values("records", MDAV, small) == (5,)


@pytest.mark.parametrize(
    ("against", "values", "words"),
    [
        ("records", (500,), "The table has 200 records, fewer than 500"),
        ("attributes", (5,), "The table has 4 attributes, fewer than 5"),
        ("k", (1,), "at least 2"),
        ("colours", (1,), "choose one of"),
    ],
)
def test_what_is_not_there_is_refused(
    against: Against, values: tuple[int, ...], words: str
) -> None:
    with pytest.raises(ParameterError, match=words):
        time_methods([MDAV], table(), Experiment(against, values))


def test_a_search_by_the_clock_is_refused() -> None:
    with pytest.raises(ParameterError, match="nothing to time"):
        time_methods([Plan(method="iterated")], table(), Experiment("k", (3,)))


def test_cancel_ends_it() -> None:
    with pytest.raises(Cancelled):
        time_methods(
            [MDAV],
            table(),
            Experiment("k", (3, 5)),
            RunContext(cancelled=lambda: True),
        )


def test_a_command_line_writes_the_times(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table().frame.to_csv(tmp_path / "t.csv", index=False)
    words = ["time", str(tmp_path / "t.csv"), "--all-numeric", "--methods"]
    words += ["mdav,vmdav", "--against", "k", "--values", "3,6", "--repeats", "2"]
    assert main([*words, "--json", str(tmp_path / "o.json")]) == 0
    rows = json.loads((tmp_path / "o.json").read_text())
    assert [(row["method"], row["k"]) for row in rows] == [
        ("mdav", 3),
        ("vmdav", 3),
        ("mdav", 6),
        ("vmdav", 6),
    ]
    assert all(row["best"] == min(row["runs"]) for row in rows)
    assert "seconds" in capsys.readouterr().out
    words = ["time", str(tmp_path / "t.csv"), "--quasi-identifiers", "a,b,d"]
    words += ["--methods", "caat,kaca", "--against", "attributes", "--starts", "2"]
    assert main([*words, "--k", "3,6", "--json", str(tmp_path / "o.json")]) == 0
    rows = json.loads((tmp_path / "o.json").read_text())
    assert [row["k"] for row in rows] == 3 * [3, 6, 3, 6]
    assert "CAAT takes less time than KACA" in capsys.readouterr().out
    with pytest.raises(SystemExit):  # no time depends on it
        main([*words, "--rounding", "none"])
