"""A release is compared, as it is written, with what was promised."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.data.kinds import Kind
from engine.data.propose import suggest_schema
from engine.data.table import Origin, Table
from engine.files import formats, frame_to_bytes, read_table
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from engine.release.columns import count_differences
from engine.release.formulas import (
    FORMULA_PREFIXES,
    count_formulas_by_column,
    neutralise_formulas,
)
from engine.release.verify import (
    WrittenRelease,
    release_bytes_and_checks,
    release_checks_and_k,
)
from engine.release.writing import WritingOptions, frame_and_record_order_to_write

WRITABLE = [info.id for info in formats.infos() if info.writable]


def make_table() -> Table:
    rng = np.random.default_rng(8)
    n = 40
    net, tax = rng.integers(100, 999, n), rng.integers(10, 99, n)
    frame = pd.DataFrame(
        {
            "name": [f"firm {i}" for i in range(n)],
            "net": net,
            "tax": tax,
            "gross": net + tax,
            "day": pd.date_range("2024-01-01", periods=n, freq="D").astype(
                "datetime64[us]"
            ),
            "code": [f"{i % 7:03d}" for i in range(n)],
            "note": ["=1+1", "plain", "-x", "@y"] * (n // 4),
        }
    )
    table = Table.from_frame(
        frame, suggest_schema(frame), Origin("csv", {"delimiter": ";"}, "in.csv")
    )
    roles = dict.fromkeys(("net", "tax", "gross"), "quasi-identifier")
    others = dict.fromkeys(("day", "code", "note"), "other")
    return table.assign(
        roles={"name": "identifier", **roles, **others},
        kinds=dict.fromkeys(roles, "continuous"),
    )


@pytest.fixture(scope="module")
def table() -> Table:
    return make_table()


@pytest.fixture(scope="module")
def outcome(table: Table) -> Outcome:
    return run(Plan(k=4, constraints=("net + tax = gross",)), table)


def passed(written: WrittenRelease) -> dict[str, bool]:
    return {check.id: check.passed for check in written.checks}


@pytest.mark.parametrize("format_id", WRITABLE)
@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("neutralise", [False, True])
def test_every_format_passes_every_check(
    format_id: str, shuffle: bool, neutralise: bool, outcome: Outcome, table: Table
) -> None:
    how = WritingOptions(format_id, shuffle, seed=3, neutralise=neutralise)
    written = release_bytes_and_checks(outcome, table, how)
    assert not written.failed_checks
    assert set(passed(written)) >= {"records", "values", "k", "identifiers", "rules"}
    assert written.k == outcome.k_released
    suffix = formats.info(format_id).suffixes[0]
    back = read_table(written.content, name=f"a{suffix}").frame
    assert "name" not in back
    assert (back["net"].tolist() == outcome.release.frame["net"].tolist()) != shuffle


SPOILT: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
    "records": lambda frame: frame.iloc[1:],
    "values": lambda frame: frame.assign(net=frame["net"] + (frame.index == 3)),
    "k": lambda frame: frame.assign(net=frame["net"] + (frame.index == 3)),
    "identifiers": lambda frame: frame,
    "unchanged": lambda frame: frame.assign(code="001"),
    "types": lambda frame: frame.assign(code=range(len(frame))),
    "rules": lambda frame: frame.assign(gross=frame["gross"] + 1),
}


@pytest.mark.parametrize("check", SPOILT)
def test_what_is_wrong_in_the_file_is_found(
    check: str, outcome: Outcome, table: Table
) -> None:
    frame = SPOILT[check](outcome.release.frame)
    if check == "identifiers":
        # The plan says that a column is left out which is in the file.
        outcome = replace(outcome, plan=outcome.plan.replace(identifiers=("code",)))
    content = frame_to_bytes(frame, table.origin)
    checks, _ = release_checks_and_k(
        content, table.origin, outcome, table, WritingOptions()
    )
    assert not {each.id: each.passed for each in checks}[check]


def test_records_in_another_order_are_found(outcome: Outcome, table: Table) -> None:
    content = frame_to_bytes(outcome.release.frame.iloc[::-1], table.origin)
    checks, _ = release_checks_and_k(
        content, table.origin, outcome, table, WritingOptions()
    )
    assert {"values", "unchanged"} <= {each.id for each in checks if not each.passed}


def test_the_same_seed_shuffles_alike(outcome: Outcome) -> None:
    orders = [
        frame_and_record_order_to_write(outcome, WritingOptions(shuffle=True, seed=s))[
            1
        ]
        for s in (1, 1, 2)
    ]
    np.testing.assert_array_equal(orders[0], orders[1])
    assert (orders[0] != orders[2]).any()
    np.testing.assert_array_equal(np.sort(orders[0]), np.arange(40))


def test_dropped_records_and_kept_holes_pass(table: Table) -> None:
    frame = table.frame.astype({"net": "Int64", "tax": "Int64"})
    frame.loc[[2, 5], "net"] = pd.NA
    frame.loc[[1, 3, 9, 11], "tax"] = pd.NA
    holed = Table.from_frame(frame, table.schema, table.origin)
    plan = Plan(k=4, missing="keep", missing_columns={"net": "drop"})
    assert not release_bytes_and_checks(run(plan, holed), holed).failed_checks


@pytest.mark.parametrize("cell", [f"{sign}x" for sign in FORMULA_PREFIXES])
def test_text_that_a_spreadsheet_would_run_gets_an_apostrophe(cell: str) -> None:
    column = pd.Series([cell, "x", None, "'=x"])
    assert neutralise_formulas(column).tolist()[:2] == ["'" + cell, "x"]
    assert neutralise_formulas(column).tolist()[3] == "'=x"
    assert neutralise_formulas(column.astype("category")).tolist()[0] == "'" + cell
    numbers = pd.Series([-1.0, 2.0])
    assert neutralise_formulas(numbers) is numbers


def test_numbers_ranges_and_telephones_are_no_formulas() -> None:
    frame = pd.DataFrame(
        {
            "amount": ["-5", "+3,20 %", "-1.234,50", "x"],
            "range": ["-5 - 3", "-10-0", "-", "+1e5"],
            "telephone": ["+49 30 1234567", "+1 (555) 123-4567", "none", "=1+1"],
            "other": ["+49 30 1234567", "-2+3+cmd|' /C calc'!A0", "x", "@SUM(A1)"],
            "places": pd.Categorical(["-1-A1", "x", "-1", "-5 to A1"]),
        }
    )
    assert count_formulas_by_column(frame) == {"telephone": 1, "other": 3, "places": 2}
    neutral_frame = frame.apply(neutralise_formulas)
    assert neutral_frame["telephone"].tolist()[:2] == frame["telephone"].tolist()[:2]
    assert neutral_frame["other"].str.startswith("'").tolist() == [
        True,
        True,
        False,
        True,
    ]


def test_a_format_that_is_only_read_becomes_csv(outcome: Outcome, table: Table) -> None:
    read_only = replace(table, origin=Origin("sas", {}, "in.sas7bdat"))
    written = release_bytes_and_checks(outcome, read_only)
    assert (written.origin.format, written.origin.name) == ("csv", "in.csv")
    assert not written.failed_checks


@given(st.lists(st.none() | st.integers(-3, 3), min_size=1, max_size=9), st.data())
def test_equal_columns_do_not_differ_whatever_their_type(
    cells: list[int | None], data: st.DataObject
) -> None:
    column = pd.Series(cells, dtype="Int64")
    for dtype in ("Float64", "str"):
        assert count_differences(column.astype(dtype), column) == 0
    if any(cell is not None for cell in cells):
        at = data.draw(
            st.sampled_from([i for i, c in enumerate(cells) if c is not None])
        )
        other = column.copy()
        other.iloc[at] += 7
        assert count_differences(other, column) == 1
        other.iloc[at] = None
        assert count_differences(other, column) == 1


@pytest.mark.parametrize("zone", [None, "Europe/Berlin"])
@pytest.mark.parametrize("format_id", ["csv", "excel", "parquet"])
def test_rules_between_dates_are_checked_in_days(
    zone: str | None, format_id: str
) -> None:
    rng = np.random.default_rng(2)
    stay = rng.integers(1, 30, 40)
    start = pd.Series(
        pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, 40), "D")
    ).dt.tz_localize(zone)
    end = start + pd.to_timedelta(stay, "D")
    frame = pd.DataFrame({"start": start, "stay": stay, "end": end})
    plan = Plan(
        quasi_identifiers=("start", "stay", "end"),
        kinds={"start": Kind.ORDINAL, "stay": Kind.ORDINAL, "end": Kind.ORDINAL},
        constraints=("start + stay = end",),
    )
    table = read_table(frame)
    written = release_bytes_and_checks(
        run(plan, table), table, WritingOptions(format=format_id)
    )
    assert not written.failed_checks
    assert "rules" in passed(written)


@pytest.mark.parametrize("format_id", ["csv", "excel", "parquet"])
@pytest.mark.parametrize("neutralise", [False, True])
def test_what_gets_an_apostrophe_is_counted_in_every_format(
    format_id: str, neutralise: bool
) -> None:
    frame = pd.DataFrame({"a": [1, 1, 2, 2] * 2, "t": ["=1", "x", "@y", "z"] * 2})
    table = read_table(frame).assign({"a": "quasi-identifier", "t": "other"})
    outcome = run(Plan(quasi_identifiers=("a",), k=3), table)
    writing = WritingOptions(format=format_id, neutralise=neutralise)
    written = release_bytes_and_checks(outcome, table, writing)
    assert not written.failed_checks
    assert written.formulas == ({"t": 4} if neutralise or format_id == "csv" else {})
