"""Unusual roles are warned of, and codes are told from numbers."""

from typing import Any

import pandas as pd

from engine.data.propose import is_code_column, role_warnings
from engine.data.schema import Column, Schema
from engine.data.table import Origin, Table
from engine.files import read_table
from tests.engine.data.propose.columns import (
    CONTINUOUS,
    DISTINCT,
    FEW,
    QUASI,
    REALS,
    WORDS,
    N,
)


def test_numbers_that_are_proposed_as_nominal_are_codes() -> None:
    table = table_of(sex=FEW, word=WORDS, x=REALS)
    assert [name for name in table.schema.names if is_code_column(table, name)] == [
        "sex"
    ]
    with_kind = table.assign(kinds={"sex": "nominal"})
    assert not is_code_column(with_kind, "sex")
    assert with_kind.schema == table.schema  # which of them was said is no difference


def table_of(**columns: Any) -> Table:
    return read_table(pd.DataFrame(columns))


def test_an_identifier_left_as_other_is_warned_of() -> None:
    table = table_of(email=DISTINCT, x=REALS)
    assert role_warnings(table) == ()
    (warning,) = role_warnings(table.assign(roles={"email": "other"}))
    assert "'email' looks like an identifier" in warning


def test_a_recognisable_trait_left_as_other_is_warned_of() -> None:
    table = table_of(sex=WORDS, x=REALS)
    assert role_warnings(table) == ()
    (warning,) = role_warnings(table.assign(roles={"sex": "other"}))
    assert "'sex' may help to recognise somebody" in warning
    assert role_warnings(table.assign(roles={"sex": "confidential"})) == ()


def test_a_constant_quasi_identifier_is_warned_of() -> None:
    table = table_of(age=[5] * N, x=REALS)
    (warning,) = role_warnings(table.assign(roles={"age": "quasi-identifier"}))
    assert "'age' is constant" in warning


def test_a_nameless_column_is_told() -> None:
    schema = Schema((Column("column 1", CONTINUOUS, QUASI),))
    origin = Origin("csv", {"nameless": [1]})
    table = Table.from_frame(pd.DataFrame({"column 1": REALS}), schema, origin)
    (warning,) = role_warnings(table)
    assert "Column 1 has no name" in warning
