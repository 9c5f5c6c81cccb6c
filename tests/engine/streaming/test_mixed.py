"""Categories, ranks, weights and transforms out of core: as for a table in memory."""

import pickle
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import engine
from engine import Plan
from engine.core.context import SILENT
from engine.core.errors import EngineError, InputError, ParameterError
from engine.measures.classes import smallest_class_size
from engine.streaming import StreamedOutcome
from engine.streaming import run as streamed
from engine.streaming.workers.tasks import Task, TaskResult
from engine.streaming.workers.threads import ThreadWorkers
from tests.engine.streaming.tables import content, read, written

LEVELS = ["none", "school", "degree", "doctor"]
CODES = tuple(f"{region}{place}" for region in "ABC" for place in range(1, 5))
TREE = tuple((code, code[0], "*") for code in CODES)
KINDS = {"shift": "nominal", "level": "ordinal"}
QUASI = ("income", "day", "sex", "job", "code", "level", "shift")


def mixed(n: int, seed: int = 3) -> pa.Table:
    """Return numbers, dates, text, many jobs, coded places, ranks and coded numbers."""
    rng = np.random.default_rng(seed)
    level = rng.choice(4, n, p=[0.1, 0.4, 0.3, 0.2])
    income = np.exp(rng.normal(8 + 0.3 * level, 0.5, n)).round(2)
    days = rng.integers(0, 9000, n).astype("timedelta64[D]")
    jobs = np.minimum(79, rng.geometric(0.05, n) - 1 + 5 * level)
    return pa.table(
        {
            "key": np.arange(n),
            "income": income,
            "day": (np.datetime64("1990-01-01") + days).astype("datetime64[D]"),
            "sex": rng.choice(["f", "m", "x"], n, p=[0.5, 0.49, 0.01]),
            "job": [f"job {number}" for number in jobs],
            "code": rng.choice(CODES[:-1], n),
            "level": pa.DictionaryArray.from_arrays(
                pa.array(level.astype(np.int8)), pa.array(LEVELS), ordered=True
            ),
            "shift": rng.integers(1, 4, n),
        }
    )


def plan_for(**choices: Any) -> Plan:
    defaults = {"identifiers": ("key",), "hierarchies": {"code": TREE}, "k": 4}
    return Plan(**{"quasi_identifiers": QUASI, "kinds": KINDS} | defaults | choices)


def run(plan: Plan, source: Path, target: Path, **how: Any) -> StreamedOutcome:
    return streamed(plan, source, target, **({"keep_undecided": True} | how))


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(mixed(1200), tmp_path_factory.mktemp("in") / "mixed.parquet")


@pytest.mark.parametrize(
    "choices",
    [
        {"method": "mdav"},
        {"method": "blocked", "attribute_weights": {"income": 2.0, "sex": 0.0}},
        {"method": "mdav", "transforms": {"income": "log"}, "scaling": "range"},
        {"method": "vmdav", "transforms": {"income": "box-cox"}},
        {"method": "mdav", "polish": True, "aggregation": "median"},
        {"method": "caat"},
        {"method": "mdav", "aggregations": {"income": "interval"}},
        {"method": "mdav", "aggregation": "generalise"},
    ],
    ids=str,
)
def test_one_block_is_the_release_of_a_table_in_memory(
    choices: dict[str, Any], source: Path, tmp_path: Path
) -> None:
    plan = plan_for(**choices)
    outcome = run(plan, source, tmp_path / "out", records_per_block=1200)
    memory_outcome = engine.run(plan, engine.read_table(source))
    frame, expected = read(tmp_path / "out"), memory_outcome.release.frame
    for name in QUASI:
        streamed_column, its = frame[name], expected[name]
        if pd.api.types.is_numeric_dtype(its.dtype):
            np.testing.assert_allclose(streamed_column, its, rtol=1e-12)
        else:
            assert streamed_column.astype(str).tolist() == its.astype(str).tolist(), (
                name
            )
    assert outcome.n_groups == memory_outcome.partition.n_groups
    figures, whole = outcome.summary(), memory_outcome.summary()
    for figure in ("information_loss", "information_loss_released"):
        assert figures[figure] == pytest.approx(whole[figure], rel=1e-9)
    assert figures["information_loss_per_column"] == pytest.approx(
        whole["information_loss_per_column"], rel=1e-9
    )
    grouping_texts = [text for text in whole["warnings"] if "grouped by" in text]
    assert [
        text for text in figures["warnings"] if "grouped by" in text
    ] == grouping_texts


def test_blocks_keep_k_types_and_what_nobody_protects(
    source: Path, tmp_path: Path
) -> None:
    plan = plan_for(method="blocked", identifiers=())
    outcome = run(plan, source, tmp_path / "out", records_per_block=200)
    assert len(outcome.blocks) == 6
    before, after = mixed(1200), pq.read_table(tmp_path / "out")
    for name in before.column_names:
        assert after.schema.field(name).type == before.schema.field(name).type
    frame = read(tmp_path / "out")
    assert smallest_class_size(frame, QUASI) >= 4
    assert outcome.k_verified
    assert sorted(frame["key"]) == list(range(1200))
    original_frame = before.to_pandas().set_index("key").loc[frame["key"]]
    assert set(frame["job"]) <= set(original_frame["job"])
    assert set(frame["code"]) <= {cell for row in TREE for cell in row[:2]}
    # What is released of a group is above or at what a member has, or the group's mode.
    groups = frame.groupby(list(QUASI), observed=True).indices
    for rows in groups.values():
        some = original_frame["sex"].iloc[rows].value_counts()
        assert some[frame["sex"].iloc[rows[0]]] == some.max()


def test_loss_is_that_of_the_files(source: Path, tmp_path: Path) -> None:
    """Reckoned with pandas: squared distances on each column's own scale."""
    plan = Plan(
        k=4,
        method="mdav",
        quasi_identifiers=("income", "sex"),
        attribute_weights={"sex": 3.0},
        identifiers=(),
    )
    outcome = run(plan, source, tmp_path / "out", records_per_block=300)
    frame = read(tmp_path / "out").sort_values("key")
    before = mixed(1200).to_pandas()
    income = before["income"].to_numpy()
    numbers = np.square(income - frame["income"].to_numpy()).sum()
    share = before["sex"].value_counts(normalize=True)
    # Two categories are 2 apart and records vary by 1 - sum of squared shares.
    words = 2.0 * (before["sex"].to_numpy() != frame["sex"].to_numpy()).sum()
    column_losses = [numbers / np.square(income - income.mean()).sum() * 1200]
    column_losses.append(words / (1 - np.square(share).sum()))
    expected = 100 * (column_losses[0] + 3 * column_losses[1]) / (1200 * 4)
    loss = outcome.summary()["information_loss_released"]
    assert loss == pytest.approx(expected, rel=1e-9)


def test_memory_threads_and_files_do_not_change_a_byte(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_for(method="mdav", transforms={"income": "box-cox"})
    run(plan, source, tmp_path / "one", records_per_block=200)
    monkeypatch.setenv("COTERIE_THREADS", "1")
    monkeypatch.setattr("engine.streaming.memory.MAX_BUFFER_BYTES", 20_000)
    monkeypatch.setattr("engine.streaming.memory.MIN_BUFFER_BYTES", 20_000)
    monkeypatch.setattr("engine.streaming.records.source.MAX_BATCH_RECORDS", 97)
    folder = tmp_path / "files"
    folder.mkdir()
    written(mixed(1200).slice(0, 500), folder / "a.parquet", 64)
    written(mixed(1200).slice(500), folder / "b.pq")
    (folder / "_SUCCESS").touch()
    run(plan, folder, tmp_path / "other", records_per_block=200)
    assert content(tmp_path / "one") == content(tmp_path / "other")


@pytest.mark.parametrize("transform", ["log", "box-cox"])
def test_what_a_worker_needs_to_know_goes_with_its_task(
    transform: str, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a cluster, where other processes do the tasks and the last ends first."""
    monkeypatch.setattr("engine.streaming.records.source.PART_BYTES", 1)
    plan = plan_for(method="blocked", transforms={"income": transform})
    run(plan, source, tmp_path / "one", records_per_block=300)

    def far(
        self: ThreadWorkers, task: Task, arguments: Iterable[Any], poll: Any
    ) -> Iterator[TaskResult]:
        sent = [pickle.dumps((task, argument)) for argument in arguments]
        for place, (here, argument) in reversed([*enumerate(map(pickle.loads, sent))]):
            poll()
            value = here(argument, SILENT)
            yield TaskResult(place, pickle.loads(pickle.dumps(value)))

    monkeypatch.setattr(ThreadWorkers, "run_tasks", far)
    run(plan, source, tmp_path / "other", records_per_block=300)
    assert content(tmp_path / "one") == content(tmp_path / "other")


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (np.array([0.0, -0.0, 1.5, 2.0] * 30), "nominal"),
        (np.array([True, False] * 60), "nominal"),
        (np.array(["2020-01-05", "2021-03-01"] * 60, "datetime64[D]"), "nominal"),
        (np.array([3, 1, 2] * 40, np.int16), "ordinal"),
        (pa.array(["b", "a", "c"] * 40).dictionary_encode(), "nominal"),
        (pa.array(["b", "a", "c"] * 40, pa.large_string()), "nominal"),
    ],
    ids=["floats", "truths", "dates", "ranks", "categories", "text"],
)
def test_words_of_any_type_leave_in_it(values: Any, kind: str, tmp_path: Path) -> None:
    table = pa.table({"a": values, "x": np.arange(120.0)})
    source = written(table, tmp_path / "in.parquet", 50)
    plan = Plan(
        method="mdav",
        k=3,
        quasi_identifiers=("a", "x"),
        kinds={"a": kind},
        aggregations={"a": "mode"},
    )
    run(plan, source, tmp_path / "out", records_per_block=60)
    after = pq.read_table(tmp_path / "out")
    assert after.schema.field("a").type == table.schema.field("a").type
    assert set(after["a"].to_pylist()) <= set(table["a"].to_pylist())


def test_what_cannot_be_is_one_sentence_and_nothing_is_written(tmp_path: Path) -> None:
    table = mixed(300).append_column("id", pa.array([f"n{i}" for i in range(300)]))
    source = written(table, tmp_path / "in.parquet")
    lacking = {"hierarchies": {"code": TREE[1:]}}
    ties = {"constraints": ("sex >= 0",)}
    bend = {"transforms": {"sex": "log"}}
    cases: list[tuple[dict[str, Any], str, type[EngineError]]] = [
        (lacking, "'A1'", InputError),
        (ties, "'sex'", ParameterError),
        (bend, "'sex' holds no numbers", ParameterError),
        ({"attribute_weights": {"nobody": 2}}, "'nobody'", ParameterError),
        ({"kinds": {**KINDS, "job": "continuous"}}, "'job' holds string", InputError),
        (
            {"kinds": {**KINDS, "job": "ordinal"}},
            "'job' is declared ordinal",
            InputError,
        ),
    ]
    for choices, says, error in cases:
        with pytest.raises(error, match=says):
            run(plan_for(**choices), source, tmp_path / "out")
        assert {each.name for each in tmp_path.iterdir()} == {"in.parquet"}


def test_a_lacking_value_is_named_with_its_record(tmp_path: Path) -> None:
    table = mixed(300)
    first = table["code"].to_pylist().index("A1")
    source = written(table, tmp_path / "in.parquet", 40)
    with pytest.raises(InputError, match=rf"first in record {first + 1}\)"):
        run(plan_for(hierarchies={"code": TREE[1:]}), source, tmp_path / "out")


def test_too_many_categories_are_named_with_the_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.streaming.passes.words.MAX_CATEGORIES", 200)
    table = pa.table({"id": [f"n{i}" for i in range(300)], "x": np.arange(300.0)})
    source = written(table, tmp_path / "in.parquet")
    plan = Plan(k=3, quasi_identifiers=("id", "x"), kinds={"id": "nominal"})
    with pytest.raises(InputError, match=r"'id' has more than 200 categories.*coarser"):
        run(plan, source, tmp_path / "out")
    assert {each.name for each in tmp_path.iterdir()} == {"in.parquet"}


def test_records_that_lack_a_category_are_dropped(tmp_path: Path) -> None:
    sex = ["f", None, "m", ""] * 50
    table = pa.table({"sex": sex, "x": np.arange(1.0, 201.0), "key": np.arange(200)})
    source = written(table, tmp_path / "in.parquet", 30)
    plan = Plan(k=3, quasi_identifiers=("sex", "x"), identifiers=(), missing="drop")
    plan = plan.replace(transforms={"x": "log"})
    outcome = run(plan, source, tmp_path / "out", records_per_block=50)
    keys = read(tmp_path / "out")["key"]
    assert sorted(keys % 4) == [0] * 50 + [2] * 50  # blank text is no value either
    memory_outcome = engine.run(plan, engine.read_table(source))
    assert sorted(memory_outcome.release.frame["key"]) == sorted(keys)
    assert outcome.summary()["warnings"][0] == memory_outcome.summary()["warnings"][0]
    with pytest.raises(InputError, match=r"'sex'.*record 2:"):
        run(plan.replace(missing="refuse"), source, tmp_path / "other")
