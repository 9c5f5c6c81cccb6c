"""Session caches of values computed for a table, a plan or a result.

One cache per session: nobody sees another one's table. Tables are told apart by the
digest of all their values, never by Streamlit's own hash of a frame, which looks at a
sample.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, ParamSpec, TypeVar

import streamlit as st

from dashboard.i18n.language import current
from engine.data.table import Table
from engine.pipeline.outcome import Outcome

P = ParamSpec("P")
R = TypeVar("R")

Digests = Mapping[type, Callable[[Any], Any]]
"""What tells the arguments of a type apart."""

HASH_BY_VALUES: Digests = MappingProxyType(
    {
        Table: lambda table: table.fingerprint,
        # Groups may be those of an earlier release, and not the plan's.
        Outcome: lambda outcome: (
            outcome.plan.digest(),
            hashlib.sha256(outcome.partition.labels.tobytes()).hexdigest(),
        ),
    }
)


def _column_fingerprint(table: Table) -> tuple[Any, ...]:
    """Return what sentences about a table depend on."""
    # One digest: Streamlit looks at each part of a key, and columns may be thousands.
    digest = hashlib.sha256()
    for column in table.schema.columns:
        tree = column.hierarchy and column.hierarchy.digest
        facts = column.name, str(column.role), str(column.kind), tree
        digest.update(repr(facts).encode())
    return table.fingerprint, current(), digest.hexdigest()


HASH_BY_COLUMNS: Digests = MappingProxyType({Table: _column_fingerprint})
"""Hash functions for texts: roles, kinds, hierarchies and the language."""


def cache_in_session(
    max_entries: int, hash_funcs: Digests = HASH_BY_VALUES
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator that caches a function's last results per browser session.

    Parameters
    ----------
    max_entries : int
        Results kept.
    hash_funcs : mapping of type to callable
        What the results depend on.
    """
    return st.cache_resource(
        scope="session",
        max_entries=max_entries,
        show_spinner=False,
        hash_funcs={kind: digest for kind, digest in hash_funcs.items()},
    )
