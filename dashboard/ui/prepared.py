"""The table as methods see it: prepared once in a session for all pages that ask."""

from __future__ import annotations

import streamlit as st

from engine.data.table import Table
from engine.pipeline.prepare import Preparations


def preparations(table: Table) -> Preparations:
    """Return what a table was prepared for last; results differ in k and method."""
    return _preparations(table.fingerprint, table)


@st.cache_resource(scope="session", max_entries=1, show_spinner=False)
def _preparations(fingerprint: str, _table: Table) -> Preparations:
    return Preparations(_table, most=1)
