"""Versions of the libraries that the bytes of a release depend on."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version

from engine.pipeline.outcome import library_versions


@cache
def byte_relevant_versions() -> dict[str, str]:
    """Return versions of Python and libraries that affect released bytes, by name."""
    return {**library_versions(), "pyarrow": version("pyarrow")}
