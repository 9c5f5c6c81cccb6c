"""Remarks on a release: what its promise does not cover, and what it has lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.aggregate import aggregations
from engine.core.message import Message, some_of
from engine.data.attributes import Attribute, exceed_float64
from engine.data.table import Table
from engine.measures.uniqueness import Uniqueness
from engine.pipeline.survived import MOST, Survival


def on_digits(table: Table, attributes: Sequence[Attribute]) -> tuple[Message, ...]:
    """Say which quasi-identifiers have more digits than float64 computes with."""
    inexact = table.origin.options.get("inexact", ())
    names = [
        attribute.name
        for attribute in attributes
        if attribute.words is None
        and (attribute.name in inexact or exceed_float64(table.frame[attribute.name]))
    ]
    if not names:
        return ()
    said = Message(
        "Column {columns} has numbers with more digits than can be computed with: its "
        "common values are right to 15 digits.",
        "Columns {columns} have numbers with more digits than can be computed with: "
        "their common values are right to 15 digits.",
        count=len(names),
        columns=some_of(names),
    )
    return (said.about("digits"),)


def on_uniqueness(found: Uniqueness) -> tuple[Message, ...]:
    """Say so where columns that leave as they are single records out."""
    if not found.singling_out:
        return ()
    columns = some_of(found.singling_out)
    if found.unique:
        said = Message(
            "{count:,} of {all:,} records is the only one with its values once what "
            "leaves as it is counts too: protect {columns} as well, or leave them out.",
            "{count:,} of {all:,} records are the only ones with their values once "
            "what leaves as it is counts too: protect {columns} as well, or leave them "
            "out.",
            count=found.unique,
            all=found.n_records,
            columns=columns,
        )
    else:
        said = Message(
            "{count:,} of {all:,} records shares its values with fewer than {others} "
            "others once what leaves as it is counts too: protect {columns} as well, "
            "or leave them out.",
            "{count:,} of {all:,} records share their values with fewer than {others} "
            "others once what leaves as it is counts too: protect {columns} as well, "
            "or leave them out.",
            count=found.fewer,
            all=found.n_records,
            others=found.k - 1,
            columns=columns,
        )
    return (said.about("uniqueness"),)


def on_survival(
    survived: Mapping[str, Survival], rules: Mapping[str, str]
) -> tuple[Message, ...]:
    """Say of each column that is gone or constant in most records what would help.

    Parameters
    ----------
    survived : mapping of str to Survival
    rules : mapping of str to str
        Aggregation of each column that was protected.
    """
    said = []
    for name, left in survived.items():
        if not left.lost:
            continue
        if left.gone > MOST:
            what = Message(
                "is gone (*) in {share:.0f} % of the records", share=100.0 * left.gone
            )
        else:
            what = Message(
                "has one and the same value in {share:.0f} % of the records",
                share=100.0 * left.frequent,
            )
        said.append(
            Message(
                "Column {column!r} {what}: {remedy}, protect fewer columns, or choose "
                "a smaller k.",
                column=name,
                what=what,
                remedy=_remedy(name, rules),
            ).about("lost")
        )
    return tuple(said)


def _remedy(name: str, rules: Mapping[str, str]) -> Message:
    """Return what would keep more of a column, first of all."""
    info = aggregations.info(rules[name])
    if info.hierarchy:
        return Message(
            "give its hierarchy levels between its values and the root, release the "
            "most frequent value of each group instead (aggregation = mode)"
        )
    if info.id == "mode":
        return Message(
            "join rare values beforehand, or give it a hierarchy and release what a "
            "group's values have in common (aggregation = generalise)"
        )
    return Message("leave the column out if it is not needed")
