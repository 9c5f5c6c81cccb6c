"""k counts people whose records lie anywhere in the input, out of core as in memory."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import engine
from engine import Plan
from engine.core.errors import EngineError, InfeasibleError, InputError
from engine.persons import PersonGroups, group_for_k_persons
from engine.streaming.passes.person_codes import (
    hash_and_mask_persons,
    person_codes_of_batch,
)
from tests.engine.streaming.runs import run
from tests.engine.streaming.tables import content, read, written
from tests.reference.persons import k_persons

KNOWS = ("one", "all")
QUASI = ("age", "pay", "sex")
PLAN = Plan(
    k=3,
    quasi_identifiers=QUASI,
    identifiers=("patient",),
    person=("patient",),
    kinds={"age": "continuous", "pay": "continuous", "sex": "nominal"},
)


def visits(n_people: int, seed: int = 3, each: int = 6) -> pa.Table:
    """Return visits of people in random order, with ties; some are of nobody."""
    rng = np.random.default_rng(seed)
    whose = rng.permutation(
        np.repeat(np.arange(n_people), rng.integers(1, each, n_people))
    )
    n = whose.size
    names = np.array([f"P{person:04}" for person in whose], dtype=object)
    names[rng.random(n) < 0.02] = None
    names[rng.random(n) < 0.01] = " "
    person_age = rng.integers(20, 60, n_people)
    return pa.table(
        {
            "key": np.arange(n),
            "patient": pa.array(names, pa.string()),
            "age": person_age[whose] + rng.integers(0, 4, n),
            "pay": rng.integers(0, 30, n),
            "sex": pa.array(np.where(person_age[whose] % 2, "f", "m")),
        }
    )


def judge(table: pa.Table, folder: Path, knows: str) -> int:
    """Count the k of people in a release, from files alone."""
    names = table.column("patient").to_pylist()
    people = {name: number for number, name in enumerate(dict.fromkeys(names))}
    frame = read(folder)
    combinations = list(zip(*(frame[name] for name in QUASI), strict=True))
    codes = {each: number for number, each in enumerate(dict.fromkeys(combinations))}
    whose = [names[key] for key in frame["key"]]
    persons = [people[name] if name and name.strip() else -1 for name in whose]
    return k_persons([codes[each] for each in combinations], persons, knows)


@pytest.mark.parametrize("knows", KNOWS)
@pytest.mark.parametrize("method", ["mdav", "blocked"])
def test_every_group_of_every_block_has_k_people(
    knows: str, method: str, tmp_path: Path
) -> None:
    table = visits(200)
    path = written(table, tmp_path / "in.parquet", row_group_size=90)
    plan = PLAN.model_copy(update={"intruder_knows": knows, "method": method})
    outcome = run(plan, path, tmp_path / "out", records_per_block=120)
    figures = outcome.summary()
    assert figures["n_blocks"] > 2
    assert 3 <= figures["k_persons"] <= judge(table, tmp_path / "out", knows)
    names = [each.strip() for each in filter(None, table["patient"].to_pylist())]
    assert figures["n_persons"] == len({*filter(None, names)})
    assert figures["person"] == "patient"
    assert figures["group_persons"]["min"] >= 3
    if knows == "all":
        blocks = [
            pd.read_parquet(each) for each in sorted((tmp_path / "out").iterdir())
        ]
        whose = [
            {
                names
                for names in table["patient"].take(pa.array(each["key"])).to_pylist()
                if names and names.strip()
            }
            for each in blocks
        ]
        assert sum(map(len, whose)) == len(set().union(*whose))
    warning_text = " ".join(map(str, outcome.warnings))
    assert "k counts the 200 persons of 'patient'" in warning_text.replace(
        f"{figures['n_persons']} persons", "200 persons"
    )
    assert "they count for nobody" in warning_text


@pytest.mark.parametrize("knows", KNOWS)
def test_one_block_is_the_release_of_a_table_in_memory(
    knows: str, tmp_path: Path
) -> None:
    table = visits(80)
    # Without ties, which the last digit of a scale may decide.
    noise = np.random.default_rng(4).normal(size=len(table))
    table = table.set_column(3, "pay", pa.array(noise))
    path = written(table, tmp_path / "in.parquet")
    plan = PLAN.model_copy(update={"intruder_knows": knows, "method": "mdav"})
    outcome = run(plan, path, tmp_path / "out", records_per_block=5000)
    memory_outcome = engine.run(plan, engine.read_table(path))
    frame = read(tmp_path / "out")
    for name in QUASI:
        assert frame[name].tolist() == memory_outcome.release.frame[name].tolist()
    memory_figures, streamed_figures = memory_outcome.summary(), outcome.summary()
    for name in ("n_persons", "k_persons", "group_persons", "n_groups", "person"):
        assert streamed_figures[name] == memory_figures[name], name
    assert streamed_figures["information_loss"] == pytest.approx(
        memory_figures["information_loss"]
    )
    assert [str(warning) for warning in memory_outcome.warnings[:2]] == [
        str(warning) for warning in outcome.warnings[:2]
    ]


@pytest.mark.parametrize("knows", KNOWS)
def test_neither_the_batches_nor_the_threads_change_a_byte(
    knows: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = visits(150)
    path = written(table, tmp_path / "in.parquet", row_group_size=50)
    plan = PLAN.model_copy(update={"intruder_knows": knows})
    monkeypatch.setattr("engine.streaming.records.source.PART_BYTES", 1)
    run(plan, path, tmp_path / "out", records_per_block=100)
    monkeypatch.setattr("engine.streaming.records.source.MAX_BATCH_RECORDS", 37)
    monkeypatch.setattr("engine.streaming.records.source.MIN_BATCH_RECORDS", 37)
    monkeypatch.setattr("engine.streaming.memory.MIN_BUFFER_BYTES", 1)
    monkeypatch.setattr("engine.streaming.memory.MAX_BUFFER_BYTES", 1)
    monkeypatch.setattr("engine.streaming.job.max_run_threads", lambda: 1)
    run(plan, path, tmp_path / "again", records_per_block=100)
    assert content(tmp_path / "out") == content(tmp_path / "again")


def test_blocks_share_the_steps_of_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shares: list[float] = []

    def spy(*args: Any, **choices: Any) -> PersonGroups:
        shares.append(choices["share_of_table"])
        return group_for_k_persons(*args, **choices)

    monkeypatch.setattr("engine.pipeline.grouping.group.group_for_k_persons", spy)
    path = written(visits(150), tmp_path / "in.parquet")
    run(PLAN, path, tmp_path / "out", records_per_block=100)
    assert len(shares) > 2
    assert sum(shares) == pytest.approx(1.0)


def test_the_named_identifier_that_repeats_is_counted_although_the_first_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    n = 400
    rng = np.random.default_rng(1)
    table = pa.table(
        {
            "key": np.arange(n),
            "ward": np.arange(n) // 100,
            "patient": np.arange(n) % 200,
            "visit": np.arange(n),
            "age": rng.integers(0, 50, n),
            "pay": rng.integers(0, 50, n),
        }
    )
    monkeypatch.setattr("engine.streaming.records.source.HEAD_RECORDS", 100)
    path = written(table, tmp_path / "in.parquet")
    plan = Plan(
        k=3, quasi_identifiers=("age", "pay"), identifiers=("ward", "patient", "visit")
    )
    outcome = run(plan, path, tmp_path / "out", records_per_block=100)
    assert outcome.summary()["person"] == "patient"
    assert outcome.summary()["n_persons"] == 200
    assert "k counts the 200 persons of 'patient'" in str(outcome.warnings[0])
    nobody = plan.model_copy(update={"person": "none"})
    uncounted_outcome = run(nobody, path, tmp_path / "none", records_per_block=100)
    assert "n_persons" not in uncounted_outcome.summary()
    assert "No person is counted" in str(uncounted_outcome.warnings[0])
    visit_plan = plan.model_copy(update={"identifiers": ("visit",)})
    uncounted_outcome = run(visit_plan, path, tmp_path / "each", records_per_block=100)
    assert uncounted_outcome.summary()["person"] is None


def test_a_person_with_half_of_the_records_and_few_people_in_a_region(
    tmp_path: Path,
) -> None:
    rng = np.random.default_rng(2)
    whose = np.concatenate([np.zeros(300, dtype=np.int64), np.arange(1, 301)])
    table = pa.table(
        {
            "key": np.arange(600),
            "patient": pa.array([f"P{person}" for person in whose]),
            "age": np.where(whose == 0, 5, rng.integers(0, 90, 600)),
            "pay": rng.integers(0, 30, 600),
            "sex": pa.array(rng.choice(["f", "m"], 600)),
        }
    )
    path = written(table, tmp_path / "in.parquet")
    for knows in KNOWS:
        plan = PLAN.model_copy(update={"intruder_knows": knows})
        outcome = run(plan, path, tmp_path / knows, records_per_block=60)
        assert judge(table, tmp_path / knows, knows) >= 3
        warning_text = " ".join(map(str, outcome.warnings))
        assert "One person has 300 of the 600 records" in warning_text


def test_what_is_wrong_with_people_is_said_and_nothing_is_written(
    tmp_path: Path,
) -> None:
    table = visits(40)
    few = table.set_column(1, "patient", pa.array(np.arange(len(table)) % 2))
    lists = table.set_column(1, "patient", pa.array([[1]] * len(table)))
    path, other = (
        written(each, tmp_path / name)
        for each, name in ((few, "few.parquet"), (lists, "lists.parquet"))
    )
    with pytest.raises(InfeasibleError, match="2 people, k = 3"):
        run(PLAN, path, tmp_path / "out")
    with pytest.raises(EngineError, match="'patient'"):
        run(PLAN, other, tmp_path / "out")
    with pytest.raises(InputError, match="name another column") as raised:
        run(
            PLAN.model_copy(update={"person": ("patient", "sex")}),
            other,
            tmp_path / "out",
        )
    assert "\n" not in str(raised.value)
    assert sorted(tmp_path.iterdir()) == [path, other]


def test_a_pseudonym_and_an_order_that_leave_are_named(tmp_path: Path) -> None:
    table = visits(60).sort_by("patient")
    path = written(table, tmp_path / "in.parquet")
    plan = PLAN.model_copy(update={"identifiers": ()})
    link_notes = [
        str(link_note) for link_note in run(plan, path, tmp_path / "out").links.said
    ]
    assert "by 'patient'" in link_notes[0]
    assert "order of the records" in link_notes[1]
    knows_all = plan.model_copy(update={"intruder_knows": "all"})
    assert not run(knows_all, path, tmp_path / "all").links


def test_hashes_are_those_of_people_in_every_batch() -> None:
    values: dict[str, Any] = {
        "text": [" A b", "a  B", "c", None, ""],
        "whole": [2**53, 2**53 + 1, 7, None, 7],
        "real": [0.0, -0.0, 1.5, None, float("nan")],
    }
    for name, column in values.items():
        batch = pa.RecordBatch.from_pydict({name: column})
        hashes, is_named = hash_and_mask_persons(batch, [name])
        codes = person_codes_of_batch(batch, [name])
        assert is_named.tolist() == (codes >= 0).tolist()
        for start in range(5):
            single_hash, named = hash_and_mask_persons(batch.slice(start, 1), [name])
            assert named[0] == is_named[start]
            assert not named[0] or single_hash[0] == hashes[start]
    text = pa.RecordBatch.from_pydict({"text": values["text"]})
    assert person_codes_of_batch(text, ["text"]).tolist() == [0, 1, 2, -1, -1]
    assert (
        Counter(hash_and_mask_persons(text, ["text"])[0][:3].tolist()).most_common()[0][
            1
        ]
        == 2
    )
    whole = pa.RecordBatch.from_pydict({"whole": values["whole"]})
    assert person_codes_of_batch(whole, ["whole"]).tolist() == [0, 1, 2, -1, 2]


def test_identifiers_that_differ_by_case_alone_are_said(tmp_path: Path) -> None:
    table = visits(60)
    names = table["patient"].to_pylist()
    some = next(
        number for number, name in enumerate(names) if name and names.count(name) > 1
    )
    names[some] = f" {names[some].lower()}"
    path = written(
        table.set_column(1, "patient", pa.array(names)), tmp_path / "in.parquet"
    )
    warning_text = " ".join(map(str, run(PLAN, path, tmp_path / "out").warnings))
    assert (
        "1 identifier of 'patient' equals another one but for case or blanks"
        in warning_text
    )
