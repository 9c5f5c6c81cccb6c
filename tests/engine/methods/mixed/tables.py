"""Small mixed tables, as the engine prepares them and as the naive twins see them."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from engine.data.table import Table
from engine.hierarchy import Hierarchy
from engine.points.base import Points
from engine.points.encode import encode_points
from tests.reference.mixed import AttributeInfo, Category, Number, Rank

STEPS = (-3, 1, 10, 11, 1000)
"""Values of ordered categories, which lie unevenly and count by their rank."""


@dataclass(frozen=True)
class Drawn:
    """A column: its kind, its values, and its hierarchy if it is nominal."""

    kind: Kind
    values: tuple[float | str, ...]
    tree: Hierarchy | None = None


@st.composite
def trees(draw: st.DrawFn) -> Hierarchy:
    """Draw a hierarchy of up to six leaves and up to three levels above them."""
    rows = [[f"leaf {i}"] for i in range(draw(st.integers(1, 6)))]
    for level in range(1, draw(st.integers(1, 3))):
        parents = draw(st.lists(st.integers(0, 2), min_size=6, max_size=6))
        names = sorted({row[-1] for row in rows})
        for row in rows:
            row.append(f"level {level}, {parents[names.index(row[-1])]}")
    return Hierarchy(tuple((*row, "*") for row in rows))


@st.composite
def columns(draw: st.DrawFn, n: int) -> Drawn:
    """Draw one column of n values with many ties."""
    kind = draw(st.sampled_from(list(Kind)))
    if kind is Kind.NOMINAL:
        tree = draw(trees())
        values = st.sampled_from(tree.leaves)
        return Drawn(kind, draw(st.tuples(*[values] * n)), tree)
    values = st.integers(0, 4) if kind is Kind.CONTINUOUS else st.sampled_from(STEPS)
    drawn = draw(st.tuples(*[values] * n))
    return Drawn(kind, tuple(map(float, drawn)))


@st.composite
def mixed_tables(draw: st.DrawFn) -> tuple[int, list[Drawn]]:
    """Draw k and the columns of a table of at least 2k records."""
    k = draw(st.integers(2, 4))
    n = draw(st.integers(2 * k, 20))
    return k, [draw(columns(n)) for _ in range(draw(st.integers(1, 4)))]


def random_table(n: int, seed: int) -> list[Drawn]:
    """Return a larger table with one column of numbers, of ranks, and two of trees."""
    rng = np.random.default_rng(seed)
    rows = [(f"{a}{b}{c}", f"{a}{b}", f"{a}", "*") for a, b, c in np.ndindex(3, 3, 4)]
    deep = Hierarchy(tuple(rows))
    flat = Hierarchy((("x", "*"), ("y", "*"), ("z", "*")))
    return [
        Drawn(Kind.NOMINAL, tuple(rng.choice(deep.leaves, n).tolist()), deep),
        Drawn(Kind.CONTINUOUS, tuple(rng.lognormal(0.0, 1.0, n).tolist())),
        Drawn(Kind.ORDINAL, tuple(map(float, rng.choice(STEPS, n)))),
        Drawn(Kind.NOMINAL, tuple(rng.choice(flat.leaves, n).tolist()), flat),
    ]


def prepared(drawn: list[Drawn], scaling: str = "zscore") -> Points:
    """Return the table as the pipeline prepares it."""
    frame = pd.DataFrame({f"c{j}": column.values for j, column in enumerate(drawn)})
    schema = Schema(
        tuple(
            Column(f"c{j}", column.kind, Role.QUASI_IDENTIFIER, hierarchy=column.tree)
            for j, column in enumerate(drawn)
        )
    )
    table = Table.from_frame(frame, schema)
    return encode_points(table, table.schema.quasi_identifiers, scaling)


def attributes(drawn: list[Drawn]) -> list[AttributeInfo]:
    """Return the table as the twins see it: numbers before categories."""
    infos: list[AttributeInfo] = []
    for column in drawn:
        if column.kind is Kind.CONTINUOUS:
            infos.append(Number([float(value) for value in column.values]))
        elif column.kind is Kind.ORDINAL:
            infos.append(Rank([float(value) for value in column.values]))
    for column in drawn:
        if column.tree is not None:
            rows = {row[0]: row for row in column.tree.rows}
            infos.append(
                Category(
                    [rows[str(value)] for value in column.values],
                    list(column.tree.leaves),
                )
            )
    return infos
