"""A wrong call of a public name is refused in one sentence, before anything is done."""

import inspect
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import engine
from engine import EngineError, InputError, ParameterError, Plan, Table
from engine import streaming as out_of_core
from engine.certificate.write import build_certificate
from engine.core.partition import Partition
from engine.pipeline.grouping.prepare import PreparationCache
from engine.release.verify import release_bytes_and_checks
from engine.release.write import write_files
from engine.release.writing import WritingOptions
from engine.report import facts_to_file, report_facts

FRAME = pd.DataFrame(
    {
        "a": [1.0, 2, 3, 4, 5, 6, 7, 8],
        "b": [3.0, 1, 4, 1, 5, 9, 2, 6],
        "c": [*"ababbabb"],
    }
).assign(c=[*"ababbabb"])
TABLE = engine.read_table(FRAME, kinds={"c": "nominal"})
PLAN = Plan(k=3, quasi_identifiers=("a", "b"))
CALLED: tuple[Any, ...] = (
    *(getattr(engine, name) for name in engine.__all__),
    build_certificate,
    facts_to_file,
    out_of_core.run,
    report_facts,
    release_bytes_and_checks,
    write_files,
    Partition,
    Partition.members,
    Table.assign,
    Table.from_frame,
    Table.n_distinct,
    WritingOptions,
)
RETURNED = {"Failure", "Need", "Outcome", "Protected", "Release"}
"""Classes that people get, and do not make."""

ARRAYS = {"X", "attributes", "labels", "persons", "seeds"}
"""Arguments that may be any array-like; wrong ones are tried below."""


def is_called(one: Any) -> bool:
    """Return whether people call a public name with arguments of declared types."""
    if isinstance(one, type):
        is_value = issubclass(one, (Exception, str)) or one is Plan
        return not is_value and one.__name__ not in RETURNED
    return callable(one)


@pytest.mark.parametrize(
    "one", [*filter(is_called, CALLED)], ids=lambda one: str(one.__qualname__)
)
def test_an_argument_of_another_type_is_named(one: Callable[..., Any]) -> None:
    names = {
        name
        for name, each in inspect.signature(one).parameters.items()
        if each.kind is not each.VAR_KEYWORD and each.annotation is not each.empty
    }
    for name in names - ARRAYS:
        with pytest.raises(ParameterError, match=f"^'{name}' of .* type object: "):
            one(**{name: object()})


WRONG: tuple[tuple[Callable[[], Any], str], ...] = (
    (lambda: engine.run(PLAN, FRAME), "give it a Table, as engine.read_table"),  # type: ignore[arg-type]
    (lambda: engine.compare(PLAN, TABLE), "give it a list of a Plan"),  # type: ignore[arg-type]
    (lambda: engine.grid(PLAN, "mdav", [3]), "give it a list of a text"),
    (lambda: engine.grid(PLAN, ["mdav"], [2.5]), "a list of a whole number"),  # type: ignore[list-item]
    (lambda: engine.read_table(FRAME, roles={1: "other"}), "a mapping of a text"),  # type: ignore[dict-item]
    (lambda: engine.read_table("a\0.csv"), "zero byte"),
    (lambda: engine.read_hierarchy("a\0.csv"), "zero byte"),
    (lambda: engine.write_table(FRAME, "a\0.csv"), "zero byte"),
    (lambda: engine.write_table(pd.DataFrame(), "a.csv"), "no columns"),
    (
        lambda: engine.partition(FRAME[["a"]], seed=-1),
        "'seed' of partition is neg",
    ),
    (lambda: engine.partition([[1j]] * 3), "table of numbers"),
    (lambda: engine.partition([[1.0]] * 3, persons=[{}] * 3), "lists or the like"),  # type: ignore[arg-type]
    (lambda: engine.methods.get("mdav")(seed=-1).fit([[1.0]] * 9), "seed is -1"),
    (lambda: engine.methods.get(3), "no method called 3"),  # type: ignore[arg-type]
    (lambda: engine.read_table(FRAME.assign(a=[[1]] * 8)), "cells of type list"),
    (lambda: engine.read_table(FRAME.assign(a=1j)), "cells of type complex"),
    (lambda: engine.read_table(FRAME.assign(a=[1j, *"abcdefg"])), "of type complex"),
    (lambda: engine.protect(TABLE, person=[]), "No column is named"),
    (lambda: engine.protect(TABLE, max_loss=float("nan")), "must be 0 or more"),
    (lambda: Plan.model_validate_json("{"), "no plan in JSON"),
    (lambda: Plan.model_validate_json('{"k": 1}'), "k is 1"),
    (lambda: Plan.model_validate(3), "made from a list of its entries"),
    (lambda: TABLE.n_distinct("z"), "no column called 'z'"),
)


@pytest.mark.parametrize(("call", "sentence"), WRONG)
def test_a_wrong_value_is_refused_in_one_sentence(
    call: Callable[[], Any], sentence: str
) -> None:
    with pytest.raises(EngineError, match=sentence):
        call()


@pytest.mark.parametrize("suffix", [".sav", ".dta", ".xlsx", ".parquet"])
def test_columns_of_one_name_are_refused_by_formats_that_need_names(
    tmp_path: Path, suffix: str
) -> None:
    twice = pd.DataFrame([[1, 2]], columns=["a", "a"])
    with pytest.raises(InputError, match="share a name"):
        engine.write_table(twice, tmp_path / f"release{suffix}")
    assert not [*tmp_path.iterdir()]


def test_periods_are_text_in_a_workbook(tmp_path: Path) -> None:
    months = pd.DataFrame({"month": pd.period_range("2020-01", periods=3, freq="M")})
    engine.write_table(months, tmp_path / "months.xlsx")
    back = engine.read_table(tmp_path / "months.xlsx").frame
    assert [str(cell)[:7] for cell in back["month"]] == [
        "2020-01",
        "2020-02",
        "2020-03",
    ]


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        ([0] * 6 + [1] * 2, "Group 1 is too small, with 2 of at least k = 3 records"),
        ([0] * 4, "labels of 4 records, but 8 are to be grouped"),
        ([0] * 9, "labels of 9 records, but 8 are to be grouped"),
        ([0.0] * 8, "must be whole numbers"),
        ([0] * 4 + [2] * 4, "No record has the label 1"),
    ],
)
def test_own_groups_that_are_wrong_are_refused(
    labels: list[Any], sentence: str
) -> None:
    with pytest.raises(EngineError, match=sentence):
        engine.run(PLAN, TABLE, regroup=lambda _: Partition(np.array(labels), 3))


def test_own_groups_have_to_be_a_partition_by_the_plans_k_and_strata() -> None:
    small = Partition(np.array([0] * 6 + [1] * 2), 2)
    for partition in (small, replace(small, k=3, guarantees_k=False)):
        with pytest.raises(EngineError, match="at least k = 3 records"):
            engine.run(PLAN, TABLE, regroup=lambda _, partition=partition: partition)  # type: ignore[misc]
    with pytest.raises(ParameterError, match="let it return a Partition"):
        engine.run(PLAN, TABLE, regroup=lambda _: small.labels)  # type: ignore[arg-type,return-value]
    joined = Partition(np.zeros(8, dtype=np.int64), 3)
    strata = PLAN.replace(strata="c")
    with pytest.raises(ParameterError, match="records of several strata"):
        engine.run(strata, TABLE, regroup=lambda _: joined)
    by_stratum = Partition((FRAME["c"] == "b").to_numpy(dtype=np.int64), 3)
    assert engine.run(strata, TABLE, regroup=lambda _: by_stratum).k_released == 3


def test_a_finished_run_goes_with_its_own_table_only() -> None:
    outcome = engine.run(PLAN, TABLE)
    other = engine.read_table(FRAME.assign(a=FRAME["a"] + 1), schema=TABLE.schema)
    calls: tuple[Callable[[], Any], ...] = (
        lambda: engine.evaluate(outcome, other),
        lambda: engine.analyse(outcome, other, "a", "linear"),
        lambda: build_certificate(outcome, other),
        lambda: release_bytes_and_checks(outcome, other),
        lambda: report_facts(outcome, other),
        lambda: engine.run(PLAN, TABLE, preparations=PreparationCache(other)),
    )
    for call in calls:
        with pytest.raises(InputError, match="other columns or values"):
            call()
    confidential_table = TABLE.assign(roles={"c": "confidential"})
    assert engine.evaluate(outcome, confidential_table)["information-loss"].value > 0


def test_kinds_and_roles_may_be_their_names() -> None:
    assert engine.Column("a", "nominal", "other") == engine.Column(  # type: ignore[arg-type]
        "a", engine.Kind.NOMINAL, engine.Role.OTHER
    )
    with pytest.raises(ParameterError, match=r"Kind\.NOMINAL or 'nominal'"):
        engine.Column("a", "nominell")  # type: ignore[arg-type]
