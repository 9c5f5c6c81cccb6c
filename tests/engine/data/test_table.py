"""Tables know their columns, and equal tables have equal fingerprints."""

import gc
import hashlib
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from engine.core.errors import InputError, ParameterError
from engine.data import table as tables
from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from engine.data.table import Table, facts_of_frame, frame_fingerprint
from engine.files import read_table
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from tests.engine.files.columns import COLUMNS


def frame() -> pd.DataFrame:
    return pd.DataFrame({"a": [1, 2], "b": [0.5, np.nan], "c": ["x", None]})


def test_equal_values_have_equal_fingerprints_whatever_the_index() -> None:
    assert frame_fingerprint(frame()) == frame_fingerprint(frame().set_axis([5, 6]))


@pytest.mark.parametrize(
    "change",
    [
        lambda f: f.assign(a=[1, 3]),
        lambda f: f.assign(b=[0.5, 0.0]),
        lambda f: f.assign(c=["x", "None"]),
        lambda f: f.rename(columns={"a": "z"}),
        lambda f: f[["b", "a", "c"]],
        lambda f: f.iloc[::-1],
        lambda f: f.astype({"a": "float64"}),
        lambda f: f.iloc[:1],
    ],
)
def test_any_change_changes_the_fingerprint(change) -> None:  # type: ignore[no-untyped-def]
    assert frame_fingerprint(change(frame())) != frame_fingerprint(frame())


def test_a_change_in_one_cell_of_a_large_table_is_seen() -> None:
    large = pd.DataFrame({"x": np.zeros(200_000)})
    other = large.copy()
    other.loc[123_456, "x"] = 1e-300
    assert frame_fingerprint(large) != frame_fingerprint(other)


def test_a_schema_survives_json() -> None:
    schema = Schema(
        (Column("a", Kind.ORDINAL, Role.CONFIDENTIAL, "größe"),),
        "title",
        "text",
        ("a = 1",),
    )
    assert Schema.from_json(schema.to_json()) == schema


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"columns": [{"name": "a", "kind": "red"}]}', "7"]
)
def test_text_that_is_no_schema_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="schema"):
        Schema.from_json(text)


def test_roles_and_kinds_are_replaced_and_checked() -> None:
    table = read_table(frame()).assign(
        roles={"a": "quasi-identifier"}, kinds={"b": Kind.ORDINAL}
    )
    assert table.schema["a"].role is Role.QUASI_IDENTIFIER
    assert table.schema["b"].kind is Kind.ORDINAL
    with pytest.raises(ParameterError, match="no column called 'z'"):
        table.assign(roles={"z": "other"})
    with pytest.raises(ParameterError, match="no role called 'secret'"):
        table.assign(roles={"a": "secret"})


def test_unusable_frames_are_refused() -> None:
    with pytest.raises(InputError, match="no columns"):
        read_table(pd.DataFrame(index=[0, 1]))
    with pytest.raises(InputError, match="no records"):
        read_table(frame().iloc[:0])
    twice = pd.DataFrame([[1, 2]], columns=["a", "a"])
    with pytest.raises(InputError, match="Two columns are called 'a'"):
        read_table(twice)
    with pytest.raises(InputError, match="no column 'z'"):
        Table.from_frame(frame(), Schema((Column("z", Kind.NOMINAL),)))


@pytest.mark.parametrize("cells", [1, 10, 1 << 20])
def test_a_fingerprint_is_that_of_every_cell_however_many_are_hashed_at_once(
    cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "CELLS_PER_HASH_CALL", cells)
    columns = [column.iloc[:4].reset_index(drop=True) for column in COLUMNS.values()]
    frame = pd.concat(columns, axis="columns")
    frame.columns = [f"v{j}" for j in range(len(columns))]
    whole = frame_fingerprint(frame)
    halves = pd.concat([frame.iloc[:2], frame.iloc[2:]])  # text is in pieces
    assert frame_fingerprint(halves) == whole
    fingerprints = {whole}
    for name in frame:
        for i in range(4):
            other = frame.copy()
            moved = other[name].iloc[[*range(i), *range(i + 1, 4), i]]
            other[name] = moved.reset_index(drop=True)
            is_same = other[name].map(repr).tolist() == frame[name].map(repr).tolist()
            fingerprint = frame_fingerprint(other)
            assert is_same == (fingerprint == whole), (name, i)
            fingerprints.add(fingerprint)
    assert len(fingerprints) > len(columns)


def told_by_hashes_of_cells(frame: pd.DataFrame) -> str:
    """Return a digest that is no proof: 64 bits of a cell, and ends that may move."""
    digest = hashlib.sha256()
    for name, column in frame.items():
        digest.update(f"{name}\0{column.dtype}\0{len(column)}\0".encode())
        hashes = pd.util.hash_pandas_object(column, index=False)
        digest.update(hashes.to_numpy().tobytes())
    return digest.hexdigest()


def colliding_pairs() -> list[tuple[pd.DataFrame, pd.DataFrame]]:
    """Return different tables that look alike to hashes of their cells."""
    mixed = pd.DataFrame({"a": pd.Series([1, "1"], dtype=object)})
    cell = pd.util.hash_pandas_object(pd.Series([0]), index=False).to_numpy().tobytes()
    long_name = f"a\0int64\x001\0{cell.decode()}b"
    return [
        (mixed, mixed.iloc[::-1].reset_index(drop=True)),
        (pd.DataFrame({"a": [0], "b": [7]}), pd.DataFrame({long_name: [7]})),
    ]


@pytest.mark.parametrize("pair", colliding_pairs())
def test_tables_of_which_short_hashes_collide_have_fingerprints_of_their_own(
    pair: tuple[pd.DataFrame, pd.DataFrame],
) -> None:
    first_frame, other = pair
    assert told_by_hashes_of_cells(first_frame) == told_by_hashes_of_cells(other)
    assert frame_fingerprint(first_frame) != frame_fingerprint(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": ["xy", "z"]}, {"a": ["x", "yz"]}),
        ({"a": ["x", ""], "b": ["", "y"]}, {"a": ["x", "y"], "b": ["", ""]}),
        ({"a": ["", None]}, {"a": [None, ""]}),
        ({"a": ["x"], "b": ["y"]}, {"a": ["xy"], "b": [""]}),
        ({"a": pd.Categorical([1, 2])}, {"a": pd.Categorical(["1", "2"])}),
        ({"a": pd.array([0, None], "Int64")}, {"a": pd.array([None, 0], "Int64")}),
    ],
)
def test_cells_whose_bytes_follow_each_other_are_told_apart(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    assert frame_fingerprint(pd.DataFrame(one)) != frame_fingerprint(
        pd.DataFrame(other)
    )


DAYS = pd.Series(pd.date_range("2020-03-28", periods=12, unit="us"))

OF_ARROW = {
    "dictionary": (pd.Series(list("bca") * 4, dtype="category"), pa.string()),
    "dictionary of numbers": (pd.Series([7, 1, 3] * 4, dtype="category"), pa.int64()),
    "dates": (DAYS, pa.date32()),
    "dates in milliseconds": (DAYS, pa.date64()),
    "moments": (DAYS, pa.timestamp("us")),
    "moments with a zone": (
        DAYS.dt.tz_localize("Europe/Berlin"),
        pa.timestamp("us", tz="Europe/Berlin"),
    ),
}


@pytest.mark.parametrize(("column", "arrow"), OF_ARROW.values(), ids=OF_ARROW)
def test_columns_of_arrow_are_protected_as_those_of_pandas_are(
    column: pd.Series, arrow: pa.DataType
) -> None:
    if isinstance(column.dtype, pd.CategoricalDtype):
        arrow = pa.dictionary(pa.int8(), arrow)
    column = column.where(column.index != 5)
    arrow_column = pd.Series(pd.arrays.ArrowExtensionArray(pa.array(column, arrow)))
    plan = Plan(k=3, quasi_identifiers=("x", "n"), missing="mode")
    of_pandas, of_arrow = (
        run(plan, read_table(pd.DataFrame({"n": range(12), "x": each})))
        for each in (column, arrow_column)
    )
    assert of_arrow.information_loss == of_pandas.information_loss
    assert [*of_arrow.release.frame["x"]] == [*of_pandas.release.frame["x"]]


def test_facts_are_kept_as_long_as_the_frame_whatever_the_roles() -> None:
    table = read_table(frame())
    assert table.n_distinct("a") == 2
    facts = facts_of_frame(table.frame)
    assert facts.n_distinct == {"a": 2}
    assert facts_of_frame(table.assign(roles={"a": "identifier"}).frame) is facts
    assert facts_of_frame(frame()).n_distinct == {}
    kept = len(tables._FACTS_BY_ID)
    del table
    gc.collect()
    assert len(tables._FACTS_BY_ID) < kept
