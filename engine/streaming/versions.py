"""Versions of all libraries on which the bytes of a release depend."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version

from engine.pipeline.outcome import library_versions


@cache
def byte_relevant_versions() -> dict[str, str]:
    """Return versions by name, Python included."""
    return {**library_versions(), "pyarrow": version("pyarrow")}
