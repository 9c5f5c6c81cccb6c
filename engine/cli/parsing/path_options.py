"""Checks on paths that options name: of a plan to run, and of files to be written."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from engine.cli.parsing.options import has_plan_choices, iterate_hierarchy_paths
from engine.core.errors import ParameterError
from engine.storage.addresses import Address

OUTPUT_OPTIONS = (
    "output",
    "groups",
    "json",
    "plan",
    "report",
    "external_report",
    "director_page",
    "ddi",
    "croissant",
    "script",
    "guide",
    "second_output",
    "ledger",
    "certificate",
)
"""Options that name a file or folder to write."""

SUFFIXES = {
    "groups": ".csv",
    "json": ".json",
    "plan": ".json",
    "director_page": ".html",
    "ddi": ".xml",
    "croissant": ".json",
    "script": ".py",
    "guide": ".md",
    "certificate": ".json",
}
"""Suffix of outputs that have one format; names without a known suffix may be given."""

_SUFFIXES_OF_OTHERS = frozenset(SUFFIXES.values()) | {
    *(".docx", ".dta", ".ipynb", ".parquet", ".pdf", ".sav", ".xlsx", ".zsav")
}
"""Suffixes by which programs choose how to open a file."""


def has_plan_to_run(options: argparse.Namespace) -> bool:
    """Return whether ``--plan`` names a plan to run rather than one to write."""
    return getattr(options, "plan", None) is not None and not has_plan_choices(options)


def check_path_options(options: argparse.Namespace) -> None:
    """Raise for output paths that are impossible, or equal to inputs or others.

    Raises
    ------
    ParameterError
        Also for an address of a store, where the command takes none.
    """
    _refuse_addresses(options)
    named = {name: getattr(options, name, None) for name in OUTPUT_OPTIONS}
    # `coterie methods --json` names no file.
    targets = {name: path for name, path in named.items() if isinstance(path, Path)}
    if not targets:
        return
    from engine.release.targets import check_output_paths

    if has_plan_to_run(options):
        del targets["plan"]
    folders = []
    if getattr(options, "out_of_core", False) and "output" in targets:
        folders = [targets.pop("output")]
    check_output_paths(targets.values(), _input_paths(options), folders)
    _check_suffixes(targets)


def _refuse_addresses(options: argparse.Namespace) -> None:
    if getattr(options, "out_of_core", False):
        return
    for name in ("file", "output"):
        if isinstance(place := getattr(options, name, None), Address):
            raise ParameterError(
                "{address} is an address, which only coterie run --out-of-core takes: "
                "name a path, or add --out-of-core to coterie run.",
                address=str(place),
            )


def _check_suffixes(targets: Mapping[str, Path]) -> None:
    """Refuse a name by which a program would take the file for one of another format.

    Raises
    ------
    ParameterError
    """
    for name, suffix in SUFFIXES.items():
        path = targets.get(name)
        if path is None or path.suffix.lower() == suffix:
            continue
        if path.suffix.lower() in _SUFFIXES_OF_OTHERS:
            raise ParameterError(
                "No {suffix} file can be written to {path} ({option}): end its name in "
                "{suffix}.",
                suffix=suffix,
                path=path,
                option=f"--{name.replace('_', '-')}",
            )


def _input_paths(options: argparse.Namespace) -> Iterator[Path]:
    """Yield the files and folders that a command reads."""
    file = getattr(options, "file", None)
    if isinstance(file, Path):
        yield file
        # A link in a folder may lead out of it.
        yield from file.iterdir() if os.path.isdir(file) else ()
    if (folder := getattr(options, "folder", None)) is not None:
        yield from folder.glob("*.csv")
    yield from getattr(options, "releases", ())
    yield from getattr(options, "group_files", ())
    if (control := getattr(options, "control", None)) is not None:
        yield control
    if has_plan_to_run(options):
        yield options.plan
    # Rule sets of one's own.
    rules = (Path(text.strip()) for text in getattr(options, "rule", ()))
    yield from (path for path in rules if path.suffix == ".toml")
    layout = getattr(options, "layout", None)
    if layout is not None and os.path.isfile(layout):
        yield Path(layout)
    yield from iterate_hierarchy_paths(options)
