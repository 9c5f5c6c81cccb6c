"""``coterie doctor``: print facts and problems of the installation."""

from __future__ import annotations

import argparse
import importlib.util
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from dashboard.jobs.workers.environment import ineffective_variable_warnings
from dashboard.jobs.workers.resource_limits import compute_resource_limits
from dashboard.places.entrance.provider_logout import (
    provider_logout_warnings,
    read_auth_section,
    read_providers,
)
from dashboard.places.entrance.sign_in_file import require_sign_in_and_make_settings
from dashboard.server.sign_in import MAX_SIGN_IN_MINUTES
from engine.cli.parsing.answer import CommandParser, run_command
from engine.core.platform.limits import is_memory_limit_enforced, max_open_files
from engine.core.platform.memory import total_memory_bytes
from engine.files import formats
from engine.kernels.compilation.cache_cleanup import is_cache_persistent
from engine.pipeline.outcome import library_versions

_MIN_DISK_BYTES = 2 * 2**30
_MIN_MEMORY_BYTES = 2 * 2**30
_MIN_OPEN_FILES = 1024


def main(arguments: Sequence[str] | None = None) -> int:
    """Print facts and problems of the installation; return 1 if there is a problem."""
    parser = CommandParser(prog="coterie doctor", description="Look for problems.")
    parser.add_argument("--sign-in", type=Path)
    return run_command(parser, arguments, _look)


def _look(options: argparse.Namespace) -> int:
    for line in _installation_facts():
        print(line)
    for line in _missing_for_a_team(options.sign_in is not None):
        print(f"for a team: {line}")
    wrong = list(_found_problems())
    if options.sign_in is not None:
        if not _has_sign_in():
            wrong.append(f"--sign-in: it takes {_advise_extra('auth')}")
        require_sign_in_and_make_settings(options.sign_in)
        section = read_auth_section(options.sign_in)
        minutes = section.get("sign_in_minutes", MAX_SIGN_IN_MINUTES)
        wrong += provider_logout_warnings(read_providers(options.sign_in), minutes)
    for line in wrong:
        print(f"would fail: {line}")
    if not wrong:
        print("nothing would fail")
    return 1 if wrong else 0


def _installation_facts() -> Iterator[str]:
    yield f"{platform.system()} {platform.release()}"
    for name, version in library_versions().items():
        yield f"{name} {version}"
    share = compute_resource_limits(
        total_memory_bytes(), os.cpu_count() or 1, has_many_users=True
    )
    yield f"processors {os.cpu_count()}, memory {_gb(total_memory_bytes())}"
    yield f"for a team: runs at once {share.runs}, {_gb(share.run_bytes)} each"
    yield (
        f"files read at once {share.readings}, {_gb(share.reading_bytes)} and "
        f"{share.reading_seconds} s each"
    )
    yield f"tables of one person {_gb(share.person_bytes)}"
    yield f"temporary files in {tempfile.gettempdir()}, {_gb(_free())} free"
    yield f"formats {_format_list()}"
    if (open_files := max_open_files()) is not None:
        yield f"open files {open_files}"


def _found_problems() -> Iterator[str]:
    folder = Path(tempfile.gettempdir())
    try:
        with tempfile.NamedTemporaryFile(dir=folder) as file:
            file.write(b"coterie")
            file.flush()
    except OSError as error:
        yield f"opening a file: {folder} cannot be written to ({error.strerror})"
    if _free() < _MIN_DISK_BYTES:
        yield f"large files: {folder} has but {_gb(_free())} free"
    if (memory := total_memory_bytes()) < _MIN_MEMORY_BYTES:
        yield f"runs on large tables: there are but {_gb(memory)} of memory"
    for warning in ineffective_variable_warnings():
        yield f"settings: {warning}"
    if not is_cache_persistent():
        yield (
            "quick starts: what is compiled can be kept nowhere; set NUMBA_CACHE_DIR "
            "to a folder that can be written to"
        )


def _missing_for_a_team(is_sign_in_judged: bool) -> Iterator[str]:
    """Yield what a server lacks here, and nobody who works alone will miss."""
    if sys.platform == "win32":
        yield "coterie serve needs Linux or macOS"
        return
    if not (is_sign_in_judged or _has_sign_in()):
        yield f"--sign-in takes {_advise_extra('auth')}"
    if not is_memory_limit_enforced():
        yield "this system keeps no hard limits of memory, which hostile files exceed"
    if (max_open_files() or _MIN_OPEN_FILES) < _MIN_OPEN_FILES:
        yield "fewer than 1024 files may be open (ulimit -n), too few for fifty people"


def _has_sign_in() -> bool:
    return importlib.util.find_spec("authlib") is not None


def _advise_extra(extra: str) -> str:
    """Return how one gets an extra; nothing is installed into an unpacked folder."""
    if (Path(sys.prefix).parent / "LICENCES.txt").is_file():
        return f"Coterie installed by pip with [{extra}]: this folder has it not"
    return f"pip install 'coterie[{extra}]'"


_FORMAT_EXTRAS = {"r": ("pyreadr", "r"), "duckdb": ("duckdb", "sql")}
"""The package that reads a format, and the extra that brings it."""


def _format_list() -> str:
    """Return the suffixes of files that can be opened, and what others would take."""
    descriptions = []
    for info in formats.infos():
        package, extra = _FORMAT_EXTRAS.get(info.id, ("", ""))
        lacks = package and importlib.util.find_spec(package) is None
        hint = f" (takes {_advise_extra(extra)})" if lacks else ""
        descriptions.append(" ".join(info.suffixes) + hint)
    return ", ".join(descriptions)


def _free() -> int:
    return shutil.disk_usage(tempfile.gettempdir()).free


def _gb(size: int) -> str:
    return f"{size / 2**30:.1f} GB"


if __name__ == "__main__":
    sys.exit(main())
