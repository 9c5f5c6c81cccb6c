"""Remarks on a release: what its promise does not cover, and what it has lost."""

from __future__ import annotations

from engine.core.message import Message, some_of
from engine.measures.uniqueness import Uniqueness


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
