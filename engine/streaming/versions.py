"""Versions of all libraries that decide on the bytes of a release."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version

from engine.pipeline.outcome import library_versions


@cache
def versions() -> dict[str, str]:
    """Return versions by name, Python included."""
    return {**library_versions(), "pyarrow": version("pyarrow")}
