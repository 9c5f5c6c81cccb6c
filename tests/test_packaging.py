"""What is installed is what is in the repository."""

from __future__ import annotations

import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.imports import imports, sources

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("package", ["engine", "dashboard", "sample_data"])
def test_every_file_that_is_no_module_is_packaged(package: str) -> None:
    patterns = PROJECT["tool"]["setuptools"]["package-data"][package]
    packaged = {path for pattern in patterns for path in (ROOT / package).glob(pattern)}
    here = {
        path
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".py"
    }
    assert here - packaged == set()


def test_the_licence_is_packaged_and_named() -> None:
    project = PROJECT["project"]
    (name,) = project["license-files"]
    text = (ROOT / name).read_text(encoding="utf-8")
    assert project["license"] == "BSD-3-Clause"
    assert text.startswith("BSD 3-Clause License")
    assert "Coterie contributors" in text
    # PEP 639: a licence expression and a licence classifier exclude each other.
    assert not [one for one in project["classifiers"] if one.startswith("License")]


def test_whoever_imports_the_engine_gets_its_types() -> None:
    assert (ROOT / "engine" / "py.typed").is_file()
    assert "Typing :: Typed" in PROJECT["project"]["classifiers"]


NO_PACKAGES = {"engine", "dashboard", "sample_data", "tests"}


def imported(*folders: str) -> set[str]:
    """Return the distributions from which some folders import, lazily as well."""
    names = {
        one.name.partition(".")[0]
        for folder in folders
        for path in sources(ROOT / folder)
        for one in imports(path)
    }
    providers = packages_distributions()
    names -= NO_PACKAGES | sys.stdlib_module_names
    return {_normal(min(providers.get(name, [name]), key=len)) for name in names}


def declared(*extras: str) -> set[str]:
    """Return the distributions that are asked for, with some extras."""
    asked = PROJECT["project"]["optional-dependencies"]
    lines = [*PROJECT["project"]["dependencies"]]
    lines += [line for extra in extras for line in asked[extra]]
    names = (re.match(r"[\w.-]+", line) for line in lines)
    return {_normal(name[0]) for name in names if name is not None}


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_what_is_imported_is_declared() -> None:
    theirs = imported("engine", "dashboard", "sample_data")
    assert "streamlit" in theirs
    assert theirs - declared("dask", "r", "sql") == set()
