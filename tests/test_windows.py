"""What Windows lacks is asked for in few places, and Coterie works without it.

Nobody has run this on Windows: `tests.windows` is like it as far as Coterie can tell.
"""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.imports import ROOT, sources
from tests.windows import HIDDEN, HIDDEN_MODULES, bad_names

POSIX_FILES = (
    "engine/core/platform/",
    # Served by Linux and macOS only.
    "dashboard/places/",
    "dashboard/jobs/workers/forked.py",
    "dashboard/jobs/workers/template.py",
)


def posix_names(text: str) -> list[str]:
    """Return what a source takes of modules that Windows does not have."""
    posix_uses = []
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Attribute(value=ast.Name(id=module), attr=name):
                if name in HIDDEN.get(module, ()):
                    posix_uses.append(f"{module}.{name}")
            case ast.ImportFrom(module=str(module)):
                names = {alias.name for alias in node.names}
                hidden_names = names & HIDDEN.get(module, frozenset())
                posix_uses += [f"{module}.{name}" for name in hidden_names]
                posix_uses += [module] * (module in HIDDEN_MODULES)
            case ast.Import():
                posix_uses += [o.name for o in node.names if o.name in HIDDEN_MODULES]
    return posix_uses


def test_what_only_posix_has_is_asked_for_in_one_room() -> None:
    offences = {}
    for folder in ("engine", "dashboard", "sample_data"):
        for path in sources(ROOT / folder):
            name = path.relative_to(ROOT).as_posix()
            if not name.startswith(POSIX_FILES):
                offences[name] = posix_names(path.read_text(encoding="utf-8"))
    assert {
        name: posix_uses for name, posix_uses in offences.items() if posix_uses
    } == {}
    assert posix_names("import os, fcntl\nos.fork()") == ["fcntl", "os.fork"]
    assert posix_names("from signal import SIGKILL") == ["signal.SIGKILL"]


@pytest.mark.posix("no such names can be written there")
def test_names_that_windows_refuses_are_found(tmp_path: Path) -> None:
    for name in ("nul.csv", "a.csv", "A.csv", "a:b", "end."):
        (tmp_path / name).touch()
    assert len(list(bad_names(tmp_path))) == 4


PROGRAM = """
import tests.windows
tests.windows.install()
import engine, sys, os, importlib, pathlib
import engine.core.platform.limits as limits
assert limits.sys.platform == "win32" and sys.platform == "linux"
assert not hasattr(limits.os if hasattr(limits, "os") else limits.signal, "SIGKILL")
from engine.cli import main
source, target = sys.argv[1:]
code = main(["run", source, "--all-numeric", "--k", "3", "--output", target])
with open(target) as held:
    try:
        os.replace(source, target)
    except PermissionError as error:
        assert error.winerror == 32
    else:
        raise SystemExit("an open file was replaced")
raise SystemExit(code)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="open files are seen on Linux only")
def test_a_file_is_protected_without_what_only_posix_has(tmp_path: Path) -> None:
    source, target = tmp_path / "a b.csv", tmp_path / "protected.csv"
    rows = "".join(f"{n},{n * n % 17}\n" for n in range(20))
    source.write_text("a,b\n" + rows, encoding="utf-8")
    subprocess.run(
        [sys.executable, "-c", PROGRAM, str(source), str(target)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    assert len(target.read_text(encoding="utf-8").splitlines()) == 21


CHOSEN = (
    "tests/engine/core/platform",
    "tests/dashboard/jobs/test_jobs.py",
    "tests/dashboard/readers/test_readings.py",
    "tests/engine/cli/parsing/test_path_options.py",
    "tests/engine/release/test_write.py",
    "tests/engine/storage",
    "tests/engine/streaming/test_interrupted.py",
    "tests/engine/streaming/test_memory.py",
)
"""Tests of what touches files, other processes and the command line.

The whole suite runs like that by ``python -m pytest -p tests.windows_plugin``.
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="open files are seen on Linux only")
def test_files_jobs_and_commands_work_without_what_only_posix_has() -> None:
    options = ["-n", "0", "-q", "-p", "tests.windows_plugin", "--no-header", "-rf"]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *CHOSEN],
        cwd=ROOT,
        check=False,
        capture_output=True,
        encoding="utf-8",
    )
    assert ran.returncode == 0, ran.stdout[-6000:]
