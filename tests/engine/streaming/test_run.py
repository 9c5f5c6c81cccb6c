"""A run out of core keeps every promise of a run in memory that it does not refuse."""

import os
import threading
from collections.abc import Callable
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from engine import Plan
from engine.core.context import RunContext
from engine.core.errors import Cancelled, EngineError, InfeasibleError, InputError
from engine.kernels.compilation import small_tables
from engine.measures.classes import record_classes, smallest_class_size
from engine.methods.steps import remaining
from engine.streaming import StreamedOutcome
from engine.streaming.blocks import protect
from engine.streaming.blocks.spool import drain_streams_into_table
from tests.engine.streaming.runs import PLAN, run
from tests.engine.streaming.tables import QUASI, content, numbers, people, read, written


def test_every_group_has_at_least_k_records(done: tuple[StreamedOutcome, Path]) -> None:
    outcome, target = done
    sizes = np.bincount(record_classes(read(target), QUASI))
    assert sizes.min() >= 4
    assert outcome.k_verified
    assert outcome.k_released == 4
    figures = outcome.summary()
    assert figures["n_records"] == 3000
    assert figures["n_groups"] == len(sizes)
    assert figures["group_size"]["min"] == sizes.min()
    assert figures["group_size"]["max"] == sizes.max()
    assert figures["n_blocks"] == 6 == len(content(target))


def test_records_come_once_by_block_and_in_their_order(
    done: tuple[StreamedOutcome, Path],
) -> None:
    outcome, target = done
    keys = []
    for number, block in enumerate(outcome.blocks):
        table = pq.read_table(target / f"part-{number:05}.parquet")
        assert table.num_rows == block["n_records"]
        block_keys = table["key"].to_numpy()
        assert (np.diff(block_keys) > 0).all()
        keys.append(block_keys)
    np.testing.assert_array_equal(np.sort(np.concatenate(keys)), np.arange(3000))


def test_other_columns_and_all_types_are_kept(
    done: tuple[StreamedOutcome, Path],
) -> None:
    before = people(3000)
    for path in sorted(done[1].iterdir()):
        part = pq.read_table(path)
        expected = before.drop_columns(["name"])
        assert part.schema.equals(expected.schema)
        assert part.schema.metadata == {b"made by": b"a test"}
        same = before.take(part["key"])
        for name in ("key", "word", "when"):
            assert part[name].equals(same[name])
        assert part["level"].cast("string").equals(same["level"].cast("string"))
        assert part["level"].chunk(0).dictionary.to_pylist() == [
            "low",
            "middle",
            "high",
        ]
        np.testing.assert_array_equal(part["gaps"].to_numpy(), same["gaps"].to_numpy())


def test_unprotected_columns_leave_to_the_last_bit(tmp_path: Path) -> None:
    """Seen through Arrow's own printing of values, not through the engine."""
    n = 900
    nan = float("nan")
    deep = [[1.5, nan, -0.0], None, []] * (n // 3)
    maps = pa.map_(pa.string(), pa.int64())
    words = pa.array([{"a": i, "b": None if i % 2 else "x"} for i in range(n)])
    columns = {
        "x": pa.array(np.random.default_rng(3).normal(size=n)),
        "money": pa.array(
            [Decimal("12345678901234567890.12") + i for i in range(n)],
            pa.decimal128(38, 10),
        ),
        "large": pa.array([2**64 - 1 - i for i in range(n)], pa.uint64()),
        "zero": pa.array([-0.0, 0.0, nan] * (n // 3)),
        "old": pa.array([-(10**16) + i for i in range(n)], pa.timestamp("us")),
        "fine": pa.array([10**18 + i for i in range(n)], pa.timestamp("ns", "+02:00")),
        "half": pa.array(np.arange(n).astype(np.float16)),
        "bytes": pa.array([bytes([i % 256, 0]) for i in range(n)]),
        "deep": pa.array(deep),
        "words": words,
        "map": pa.array([[("k", i)] for i in range(n)], maps),
        "nothing": pa.nulls(n),
    }
    table = pa.table(columns)
    names = tuple(columns)[1:]
    plan = Plan(method="mdav", k=3, quasi_identifiers=("x",), confidential=names)
    run(plan, written(table, tmp_path / "in.parquet"), tmp_path / "out")
    after = pq.read_table(tmp_path / "out")
    after = after.take(pc.sort_indices(after, [("large", "descending")]))
    assert after.schema.names == table.schema.names
    for name in names:
        assert after[name].type == table[name].type
        assert repr(after[name].to_pylist()) == repr(table[name].to_pylist()), name


def test_the_release_is_compared_with_the_input(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What goes wrong on the way is found, whatever the part says of itself."""
    from engine.streaming.blocks import protect

    def wrong(streams: list[bytes]) -> Any:
        table = drain_streams_into_table(streams)
        place = table.schema.get_field_index("word")
        other = pc.coalesce(table["word"], pa.scalar("?"))
        return table.set_column(place, "word", other)

    monkeypatch.setattr(protect, "drain_streams_into_table", wrong)
    with pytest.raises(EngineError, match="differs from the input"):
        run(PLAN, source, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def write_other_records(path: Path) -> None:
    written(people(900, seed=6), path)


def write_fewer_records(path: Path) -> None:
    written(people(40, seed=6), path)


def write_other_columns(path: Path) -> None:
    written(numbers(900, 1), path)


def cut_short(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def overwrite_pages(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(200)
        file.write(bytes(4000))


@pytest.mark.parametrize(
    "change",
    [
        write_other_records,
        write_fewer_records,
        write_other_columns,
        cut_short,
        overwrite_pages,
        pytest.param(Path.unlink, marks=pytest.mark.posix("an open file stays there")),
    ],
)
@pytest.mark.parametrize(
    "step", ["fingerprint", "scan_all_records", "decode_dictionaries"]
)
def test_an_input_that_changes_during_a_run_is_refused(
    change: Callable[[Path], object],
    step: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Before its fingerprint is known, before the second pass, and within it."""
    from engine.streaming import job
    from engine.streaming.passes import route
    from engine.streaming.records.source import ParquetSource

    source = written(people(900), tmp_path / "in.parquet")
    os.utime(source, (10**9, 10**9))  # so that any write is later
    owners = {"fingerprint": ParquetSource, "decode_dictionaries": route}
    owner: Any = owners.get(step, job)
    doing = getattr(owner, step)

    def changed(*arguments: Any) -> Any:
        answer = None if step == "fingerprint" else doing(*arguments)
        if source.exists() and source.stat().st_mtime == 10**9:
            change(source)
        return doing(*arguments) if step == "fingerprint" else answer

    monkeypatch.setattr(owner, step, changed)
    with pytest.raises(
        InputError, match=r"changed|not a whole Parquet file|cannot be read"
    ):
        run(PLAN, source, tmp_path / "out")
    assert {each.name for each in tmp_path.iterdir()} <= {"in.parquet"}


def test_a_type_that_cannot_be_carried_is_named_before_the_run(tmp_path: Path) -> None:
    table = numbers(300, 1).append_column(
        "view",
        pa.array([f"a rather long text {i}" for i in range(300)]).cast("string_view"),
    )
    source = written(table, tmp_path / "in.parquet")
    if pq.read_schema(source).field("view").type != pa.string_view():
        pytest.skip("this Arrow reads it as another type")
    plan = Plan(method="mdav", k=3, quasi_identifiers=("x0",), confidential=("view",))
    with pytest.raises(InputError, match="'view' is string_view"):
        run(plan, source, tmp_path / "out")
    assert {each.name for each in tmp_path.iterdir()} == {"in.parquet"}


def test_loss_is_that_of_the_files(done: tuple[StreamedOutcome, Path]) -> None:
    outcome, target = done

    def matrix(frame: pd.DataFrame) -> np.ndarray:
        days = (frame["day"] - pd.Timestamp(0)) / pd.Timedelta(days=1)
        return np.column_stack([frame["height"], frame["income"], days])

    before = matrix(people(3000).to_pandas(date_as_object=False))
    X = (before - before.mean(axis=0)) / before.std(axis=0)
    frame = read(target)
    released = (matrix(frame) - before.mean(axis=0)) / before.std(axis=0)
    sse = np.square(X[frame["key"].to_numpy()] - released).sum()
    loss = outcome.summary()["information_loss_released"]
    assert loss == pytest.approx(100 * sse / np.square(X).sum(), rel=1e-9)
    assert outcome.information_loss == pytest.approx(loss, rel=1e-3)
    parts = outcome.summary()["blocks"]
    added = sum(part["information_loss"] for part in parts)
    assert added == pytest.approx(outcome.information_loss, rel=1e-12)


def test_what_survived_is_counted_over_all_blocks(
    done: tuple[StreamedOutcome, Path],
) -> None:
    outcome, target = done
    frame = read(target)
    before = people(3000).to_pandas(date_as_object=False).iloc[frame["key"]]
    summary = outcome.summary()
    assert list(summary["survived"]) == list(frame.columns)
    for name in QUASI:
        same_share = (before[name].to_numpy() == frame[name].to_numpy()).mean()
        assert summary["survived"][name]["kept"] == pytest.approx(same_share)
        assert sum(summary["survived"][name].values()) == pytest.approx(1.0)
    assert summary["survived"]["gaps"]["kept"] == 1.0
    differences = before["income"].to_numpy() - frame["income"].to_numpy()
    change = np.abs(differences).mean()
    average_change = summary["column_changes"]["income"]["average_change"]
    assert average_change == pytest.approx(change)
    for name, reason in summary["not_measured"].items():
        assert summary[name] is None
        assert reason.endswith(".")


@pytest.mark.parametrize("method", ["mdav", "blocked", "vmdav", "mst"])
def test_methods_that_group_whole_records_serve(method: str, tmp_path: Path) -> None:
    path = written(numbers(1200, 2), tmp_path / "in.parquet")
    plan = Plan(method=method, k=3, quasi_identifiers=("x0", "x1"))
    outcome = run(plan, path, tmp_path / "out", records_per_block=300)
    assert smallest_class_size(read(tmp_path / "out"), ("x0", "x1")) >= 3
    assert outcome.summary()["method"] == method


def test_polished_blocks_lose_less(tmp_path: Path) -> None:
    path = written(numbers(1200, 3), tmp_path / "in.parquet")
    plan = Plan(k=3, quasi_identifiers=("x0", "x1", "x2"))
    plain = run(plan, path, tmp_path / "plain", records_per_block=400)
    better = run(
        plan.replace(polish=True), path, tmp_path / "better", records_per_block=400
    )
    assert better.information_loss < plain.information_loss


@pytest.mark.parametrize("distinct", [1, 2])
def test_equal_records_are_no_trouble(distinct: int, tmp_path: Path) -> None:
    values = np.arange(2000) % distinct
    table = pa.table({"a": values, "b": values * 2.0, "key": np.arange(2000)})
    path = written(table, tmp_path / "in.parquet")
    plan = Plan(k=5, quasi_identifiers=("a", "b"), identifiers=())
    outcome = run(plan, path, tmp_path / "out", records_per_block=200)
    frame = read(tmp_path / "out").sort_values("key")
    assert outcome.summary()["n_blocks"] == 10
    if distinct == 1:
        assert outcome.information_loss == 0.0
        assert any("constant" in text for text in outcome.warnings)
        np.testing.assert_array_equal(frame["a"], values)
    assert smallest_class_size(frame, ("a", "b")) >= 5


@pytest.mark.parametrize("n", [4, 7, 8])
def test_few_records_are_one_block(n: int, tmp_path: Path) -> None:
    path = written(numbers(n, 2), tmp_path / "in.parquet")
    plan = Plan(k=4, quasi_identifiers=("x0", "x1"))
    outcome = run(plan, path, tmp_path / "out")
    assert outcome.n_records == n
    assert outcome.n_groups == n // 4


def test_fewer_than_k_records_are_refused(tmp_path: Path) -> None:
    path = written(numbers(3, 1), tmp_path / "in.parquet")
    with pytest.raises(InfeasibleError, match="k = 4"):
        run(Plan(k=4, quasi_identifiers=("x0",)), path, tmp_path / "out")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["in.parquet"]


def holes() -> pa.Table:
    table = numbers(1000, 2)
    x0 = table["x0"].to_numpy().copy()
    x0[[17, 400, 999]] = np.nan
    x1 = [None if i in (17, 18) else 1.0 * i for i in range(1000)]
    return pa.table({"x0": x0, "x1": x1, "key": np.arange(1000)})


def test_missing_values_are_refused_by_column_and_record(tmp_path: Path) -> None:
    path = written(holes(), tmp_path / "in.parquet")
    with pytest.raises(InputError, match=r"'x0'.*record 18:"):
        run(Plan(k=4, quasi_identifiers=("x0", "x1")), path, tmp_path / "out")


def test_records_with_missing_values_can_be_dropped(tmp_path: Path) -> None:
    path = written(holes(), tmp_path / "in.parquet")
    plan = Plan(k=4, quasi_identifiers=("x0", "x1"), identifiers=(), missing="drop")
    outcome = run(plan, path, tmp_path / "out", records_per_block=300)
    keys = set(read(tmp_path / "out")["key"])
    assert keys == set(range(1000)) - {17, 18, 400, 999}
    assert outcome.warnings[0] == (
        "4 records with missing values dropped: 'x0' 3 (first in record 18); "
        "'x1' 2 (first in record 18)."
    )


def test_a_type_does_not_depend_on_what_a_block_holds(tmp_path: Path) -> None:
    whole = np.repeat(np.arange(10), 100)  # every group's mean is a whole number
    path = written(pa.table({"a": whole}), tmp_path / "in.parquet")
    plan = Plan(k=4, quasi_identifiers=("a",), rounding="none")
    run(plan, path, tmp_path / "out", records_per_block=100)
    types = {
        pq.read_schema(each).field("a").type for each in (tmp_path / "out").iterdir()
    }
    assert types == {pa.float64()}


def test_progress_rises_and_ends_at_one(source: Path, tmp_path: Path) -> None:
    shares: list[float] = []
    run(
        PLAN,
        source,
        tmp_path / "out",
        ctx=RunContext(lambda share, stage: shares.append(share)),
    )
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_a_group_below_k_is_never_released(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.streaming.blocks import protect

    replaced = protect.build_release

    def broken(*arguments: Any) -> Any:
        built_release = replaced(*arguments)
        built_release.written[0, 0] += 1.0
        return built_release

    monkeypatch.setattr(protect, "build_release", broken)
    with pytest.raises(EngineError, match="fewer than k = 4"):
        run(PLAN, source, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_block_looks_whether_to_go_on_after_its_groups_are_formed(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    released = threading.Event()
    build = protect.build_release

    def build_and_tell(*arguments: Any) -> Any:
        result = build(*arguments)
        released.set()
        return result

    def block_of(task: Any, block: Any, ctx: RunContext) -> Any:
        with pytest.raises(Cancelled):
            protect_block(task, block, RunContext(cancelled=released.is_set))
        stopped.append(block.number)
        raise Cancelled("The run was cancelled; nothing was written.")

    stopped: list[int] = []
    protect_block = protect.protect_spooled_block
    monkeypatch.setattr(protect, "build_release", build_and_tell)
    monkeypatch.setattr("engine.streaming.job.protect_spooled_block", block_of)
    with pytest.raises(Cancelled):
        run(PLAN, source, tmp_path / "out")
    assert stopped


@pytest.mark.usefixtures("without_kernels")
def test_what_blocks_need_is_compiled_before_there_is_a_task(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: list[bool] = []

    def should_use_numpy(*arguments: Any) -> bool:
        answers.append(small_tables.should_use_numpy(*arguments))
        return answers[-1]

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(remaining, "should_use_numpy", should_use_numpy)
    module = import_module("engine.streaming.run")  # a function has its name
    monkeypatch.setattr(module, "lock_workspace", stop)
    with pytest.raises(KeyboardInterrupt):
        run(PLAN, source, tmp_path / "out")
    assert answers
    assert not any(answers)
