"""The parts of numba that the cache of kernels builds on are as it expects them.

No release of numba promises them: another one is asked for in `pyproject.toml` once
this file has passed with it.
"""

from __future__ import annotations

import inspect
import re
import tomllib
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from numba.core.registry import cpu_target
from packaging.requirements import Requirement

from engine.kernels.compilation import _jit

ROOT = Path(__file__).parents[4]

PARAMETERS = {
    "numba.core.event:register": "kind listener",
    "numba.core.event:Listener.on_start": "self event",
    "numba.core.event:Listener.on_end": "self event",
    "numba.core.dispatcher:Dispatcher.compile": "self sig",
    "numba.core.types:unliteral": "lit_type",
    "numba.core.caching:UserProvidedCacheLocator.__init__": "self py_func py_file",
    "numba.core.caching:UserProvidedCacheLocator.get_cache_path": "self",
    "numba.np.linalg:ensure_blas": "",
}
"""Functions, by module and name, with the parameters that they are expected to take."""

ATTRIBUTES = (
    "numba:config.CACHE_DIR",
    "numba:config.CACHE_LOCATOR_CLASSES",
    "numba.core.compiler_lock:global_compiler_lock.__enter__",
    "numba.core.dispatcher:_CompileStats.cache_path",
    "numba.core.dispatcher:_CompileStats.cache_misses",
    "numba.np.arraymath:ensure_blas",
)


def _find(path: str) -> Any:
    module, _, names = path.partition(":")
    found: Any = import_module(module)
    for name in names.split("."):
        found = getattr(found, name)
    return found


@pytest.mark.parametrize(("path", "parameters"), PARAMETERS.items())
def test_a_private_function_takes_what_it_is_given(path: str, parameters: str) -> None:
    assert " ".join(inspect.signature(_find(path)).parameters) == parameters


@pytest.mark.parametrize("path", ATTRIBUTES)
def test_a_private_name_is_there(path: str) -> None:
    _find(path)


def test_kernels_are_compiled_with_flags_that_numba_knows() -> None:
    flags = {*_jit._FLAGS, "_nrt", "forceinline"} - {"cache"}
    assert flags <= {*dir(cpu_target.options)}


def test_compiling_is_an_event_that_listeners_may_ask_for() -> None:
    assert "numba:compile" in import_module("numba.core.event")._builtin_kinds


def test_the_release_that_was_looked_at_is_the_one_that_is_asked_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (asked,) = (
        requirement
        for requirement in map(Requirement, project["project"]["dependencies"])
        if requirement.name == "numba"
    )
    major, minor, *_ = map(int, re.findall(r"\d+", version("numba")))
    assert asked.specifier.contains(version("numba"))
    assert not asked.specifier.contains(f"{major}.{minor + 1}.0")
