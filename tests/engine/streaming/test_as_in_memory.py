"""One block is what a run in memory gives."""

from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import engine
from engine import Plan
from engine.core.errors import ParameterError
from engine.core.message import Message, Topic
from engine.files.input.options import ReadOptions
from tests.engine.streaming.runs import PLAN, run
from tests.engine.streaming.tables import QUASI, numbers, read, written


def test_one_block_is_the_release_of_a_table_in_memory(
    source: Path, tmp_path: Path
) -> None:
    outcome = run(PLAN, source, tmp_path / "out", records_per_block=3000)
    memory_outcome = engine.run(PLAN, engine.read_table(source))
    frame = read(tmp_path / "out")
    for name in QUASI:
        pd.testing.assert_series_equal(
            frame[name], memory_outcome.release.frame[name], check_dtype=False
        )
    assert outcome.information_loss == pytest.approx(
        memory_outcome.information_loss, rel=1e-9
    )
    assert outcome.summary()["information_loss_per_column"] == pytest.approx(
        memory_outcome.summary()["information_loss_per_column"], rel=1e-9
    )
    assert outcome.n_groups == memory_outcome.partition.n_groups
    for name, shares in memory_outcome.summary()["survived"].items():
        assert outcome.summary()["survived"][name] == pytest.approx(shares)
    for name in QUASI:
        change = memory_outcome.summary()["column_changes"][name]["average_change"]
        streamed_change = outcome.summary()["column_changes"][name]["average_change"]
        assert streamed_change == pytest.approx(change, rel=1e-9)


def test_weights_count_as_in_memory(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    table = numbers(900, 2).append_column("w", pa.array(rng.integers(1, 9, 900)))
    path = written(table, tmp_path / "in.parquet")
    plan = Plan(
        k=4,
        quasi_identifiers=("x0", "x1"),
        weights="w",
        identifiers=("w",),
        person="none",
    )
    outcome = run(plan, path, tmp_path / "out", records_per_block=900)
    memory_outcome = engine.run(plan, engine.read_table(path))
    frame = read(tmp_path / "out")
    assert list(frame) == ["x0", "x1"]
    pd.testing.assert_frame_equal(frame, memory_outcome.release.frame)
    assert outcome.information_loss == pytest.approx(
        memory_outcome.information_loss, rel=1e-9
    )


def test_rules_hold_and_are_counted_as_in_memory(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    net, tax = rng.integers(0, 900, (2, 1000))
    gross = net + tax + (np.arange(1000) < 25)
    path = written(
        pa.table({"net": net, "tax": tax, "gross": gross}), tmp_path / "in.parquet"
    )
    rules = ("net + tax = gross", "tax <= 800")
    plan = Plan(k=4, quasi_identifiers=("net", "tax", "gross"), constraints=rules)
    outcome = run(plan, path, tmp_path / "out", records_per_block=250)
    frame = read(tmp_path / "out")
    assert (frame["net"] + frame["tax"] == frame["gross"]).all()
    assert frame["tax"].max() <= 800
    assert frame["net"].dtype == np.int64
    broken = outcome.summary()["rules_broken"]
    assert broken == {rules[0]: 25, rules[1]: int((tax > 800).sum())}


@pytest.mark.parametrize("rounding", ["types", "precision", "none"])
def test_rounding_is_that_of_a_table_in_memory(rounding: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    table = pa.table(
        {
            "whole": rng.integers(0, 50, 800),
            "tenths": (rng.integers(0, 900, 800) / 10).astype(np.float32),
            "cents": rng.integers(0, 900, 800) / 100,
            "free": rng.normal(size=800),
            "day": rng.integers(0, 9000, 800).astype("datetime64[D]"),
        }
    )
    path = written(table, tmp_path / "in.parquet")
    plan = Plan(k=4, quasi_identifiers=tuple(table.column_names), rounding=rounding)
    run(plan, path, tmp_path / "out", records_per_block=800)
    memory_frame = engine.run(plan, engine.read_table(path)).release.frame
    streamed_frame = read(tmp_path / "out")
    # Whole days have another type there.
    streamed_frame["day"] = streamed_frame["day"].astype("datetime64[us]")
    pd.testing.assert_frame_equal(streamed_frame, memory_frame)


def digit_warnings(messages: Iterable[Message]) -> list[str]:
    return [str(each) for each in messages if each.topic == Topic.DIGITS]


def long_numbers(n: int) -> pa.Table:
    """Return numbers that float64 does not hold, and some that it does."""
    rng = np.random.default_rng(4)
    whole = rng.integers(0, 10**9, n)
    money = [Decimal(f"{10**20 + int(i) * 10**12}.{i % 97:010}") for i in whole]
    return pa.table(
        {
            "money": pa.array(money, pa.decimal128(38, 10)),
            "large": pa.array(whole.astype(np.uint64) + np.uint64(2**63), pa.uint64()),
            "cents": pa.array([each % 1000 for each in money], pa.decimal128(20, 10)),
            "x": pa.array(rng.normal(size=n)),
            "w": pa.array([Decimal(int(i) % 9 + 1) for i in whole]),
        }
    )


def test_numbers_that_no_float_holds_are_computed_with_and_said_as_in_memory(
    tmp_path: Path,
) -> None:
    path = written(long_numbers(900), tmp_path / "in.parquet")
    plan = Plan(
        k=4,
        quasi_identifiers=("money", "large", "cents", "x"),
        weights="w",
        person="none",
    )
    outcome = run(plan, path, tmp_path / "out", records_per_block=900)
    memory_outcome = engine.run(plan, engine.read_table(path))
    said = digit_warnings(memory_outcome.warnings)
    assert len(said) == 1
    assert digit_warnings(outcome.warnings) == said
    frame = read(tmp_path / "out")
    for name in plan.quasi_identifiers:
        np.testing.assert_allclose(
            frame[name].astype(float),
            memory_outcome.release.frame[name].astype(float),
            rtol=1e-15,
        )


def test_text_of_numbers_that_no_float_holds_is_never_cut_short(
    tmp_path: Path,
) -> None:
    path = tmp_path / "in.csv"
    long_numbers(900).to_pandas().astype({"money": str}).to_csv(path, index=False)
    names = ("large", "cents", "w")
    grouped = Plan(k=4, quasi_identifiers=("money", "x"), identifiers=names)
    memory_outcome = engine.run(grouped, engine.read_table(path))
    said = digit_warnings(memory_outcome.warnings)
    outcome = run(grouped, path, tmp_path / "out")
    assert len(said) == 1
    assert digit_warnings(outcome.warnings) == said

    released = grouped.replace(quasi_identifiers=("x",))
    with pytest.raises(ParameterError, match=r"'money' would leave with fewer digits"):
        run(released, path, tmp_path / "text")
    options = ReadOptions(forms={"money": "text"})
    run(released, path, tmp_path / "text", options=options)
    written_texts = long_numbers(900).to_pandas()["money"].astype(str)
    assert sorted(read(tmp_path / "text")["money"]) == sorted(written_texts)
