"""The engine is imported at once: each part of it is loaded by whoever needs it."""

import json
import pkgutil
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

import engine

HEAVY = {
    "highspy",
    "numba",
    "numpy",
    "pandas",
    "plotly",
    "pyarrow",
    "pydantic",
    "scipy",
    "sklearn",
    "streamlit",
}
PLAN = {"pydantic"}
"""What a plan is made of."""

TABLE = {"numpy", "pandas", "pyarrow", *PLAN}
"""What a table is made of."""

PACKAGES = [found.name for found in pkgutil.iter_modules(engine.__path__)]


def python(code: str, *words: str) -> str:
    """Return what a new interpreter prints."""
    arguments = [sys.executable, "-c", code, *words]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    return done.stdout


def loaded_by(code: str) -> set[str]:
    """Return the packages that are loaded once `code` has run."""
    show = "print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    output = python(f"import json, sys\n{code}\n{show}")
    return set(json.loads(output.splitlines()[-1]))


def command(*words: str) -> str:
    """Return the code of a command that ends by itself."""
    return (
        "from engine.cli.parsing.parser import main\n"
        f"try: main({list(words)})\n"
        "except SystemExit: pass\n"
    )


@pytest.mark.parametrize(
    "code",
    [
        "import engine",
        "from engine import methods",
        command("--help"),
        command("prtect"),
        command("check", "table.csv", "--al-numeric"),
    ],
)
def test_help_and_mistakes_load_nothing_heavy(code: str) -> None:
    assert loaded_by(code) & HEAVY == set()


@pytest.mark.parametrize(
    ("code", "unneeded"),
    [
        # The choices of a plan are options of these commands.
        (command("run", "--help"), HEAVY - PLAN),
        (command("run", "table.csv", "--al-numeric", "--k", "3"), HEAVY - PLAN),
        (command("compare", "table.csv", "--k"), HEAVY - PLAN),
        (command("methods"), HEAVY - TABLE),
        (
            "from engine.measures import measures\n"
            "from engine.aggregate import aggregations\n"
            "from engine.files import formats\n"
            "assert all(map(len, (measures, aggregations, formats)))",
            HEAVY - TABLE,
        ),
        (
            "import numpy\nfrom engine import partition\n"
            "partition(numpy.ones((9, 2)), k=3, method='mdav')",
            {"highspy", "plotly", "sklearn", "streamlit"},
        ),
    ],
)
def test_what_is_listed_or_run_loads_no_more_than_it_needs(
    code: str, unneeded: set[str]
) -> None:
    assert loaded_by(code) & unneeded == set()


def test_a_run_imports_the_method_that_it_uses_alone() -> None:
    code = (
        "import numpy, sys\nfrom engine import partition\n"
        "partition(numpy.ones((9, 2)), k=3, method='mdav')\n"
        "print(*(n for n in sys.modules if n.startswith('engine.methods.fixed_size.')))"
    )
    assert python(code).split() == ["engine.methods.fixed_size.mdav"]


def test_kernels_load_no_linear_algebra_but_leave_it_to_others() -> None:
    code = (
        "import sys, numpy\nfrom engine import partition\n"
        "partition(numpy.ones((9, 2)), k=3, method='mdav')\n"
        "print('scipy.linalg' in sys.modules)\n"
        "from numba.np import arraymath, linalg\n"
        "print(arraymath._HAVE_BLAS, arraymath.ensure_blas is linalg.ensure_blas)\n"
        "arraymath.ensure_blas()\nprint('scipy.linalg' in sys.modules)"
    )
    assert python(code).split() == ["False", "True", "True", "True"]


FORKED = """
import os, sys
import numba, numpy, pandas, pyarrow, pydantic, scipy, sklearn.base
assert "engine" not in sys.modules
for code in sys.argv[1:]:
    child = os.fork()
    if not child:
        exec(code, {})
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        print(code)
"""
"""Runs each code in a process of its own, where only other libraries are loaded."""


BROKEN = "assert False"
"""What must be noticed."""


def every_public_name() -> Iterator[str]:
    yield (
        "import engine\nfrom engine import *\n"
        "assert all(globals()[name] is getattr(engine, name) and name in dir(engine)"
        " for name in engine.__all__)"
    )
    for name in engine.__all__:
        yield (
            f"from engine import {name} as found\nimport engine\n"
            f"assert found is engine.{name}"
        )


def packages_of_the_same_name() -> Iterator[str]:
    for name in sorted({*PACKAGES} & {*engine.__all__}):
        package = f"import engine.{name}; from engine.{name} import base"
        public = f"from engine import {name} as found; engine.{name}"
        for first, second in ((package, public), (public, package)):
            yield f"import engine\n{first}\n{second}\nassert found is engine.{name}"
        yield (
            f"import engine\n{package}\nfrom types import ModuleType\n"
            f"assert not isinstance(engine.{name}, ModuleType)"
        )


def lists_of_methods() -> Iterator[str]:
    for first in (
        "import engine.methods.search.refined",
        "import engine.methods.variable_size.vmdav",
        "import engine.methods.search.starts",
        "pass",
    ):
        yield (
            f"{first}\nfrom engine import methods\n"
            f"assert list(methods) == {list(engine.methods)}"
        )


@pytest.fixture(scope="module")
def failing() -> str:
    """Return the codes that end in an error where nothing of ours was imported."""
    codes = (*every_public_name(), *packages_of_the_same_name(), *lists_of_methods())
    return python(FORKED, BROKEN, *codes)


@pytest.mark.slow
def test_an_error_where_nothing_was_imported_is_noticed(failing: str) -> None:
    assert failing.startswith(f"{BROKEN}\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    "codes", [every_public_name, packages_of_the_same_name, lists_of_methods]
)
def test_what_is_imported_first_does_not_matter(
    failing: str, codes: Callable[[], Iterator[str]]
) -> None:
    all_codes = list(codes())
    assert all_codes
    assert [code for code in all_codes if f"{code}\n" in failing] == []


def test_names_that_are_not_there_are_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'partiton'"):
        engine.partiton  # noqa: B018
