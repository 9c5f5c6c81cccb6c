"""Copies of files from stores and to them, whole or not at all."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from engine.core.errors import InputError
from engine.storage.addresses import Address, explain_store_errors

COPY_BYTES = 1 << 22
"""Bytes that are in memory at once while a file is copied."""

PARTIAL_ENDING = ".partial"
"""Of the folder beside a release, in which its files are until all are there."""


def download_file(source: Address, path: Path, poll: Callable[[], None]) -> None:
    """Copy a file of a store to a path; `poll` is called often, and may raise.

    Raises
    ------
    InputError
    """
    with source.open() as file, path.open("wb") as stream:
        while content := file.read(COPY_BYTES):
            poll()
            stream.write(content)


def check_writable(folder: Address) -> None:
    """Raise if nothing can be written to a folder: try it, and leave nothing.

    Raises
    ------
    InputError
    """
    store, place = folder.with_ending(PARTIAL_ENDING).locate()
    with explain_store_errors(folder):
        store.pipe_file(f"{place}/probe", b"")
        _remove_folder(store, place)


def upload_folder(folder: Path, target: Address, poll: Callable[[], None]) -> None:
    """Copy all files of a folder to a folder of a store, and read them back.

    They are written beside the target first, and moved once all are there. If that
    fails, or `poll` raises, nothing of them stays at either place.

    Parameters
    ----------
    folder : Path
        Has files only.
    target : Address
    poll : callable
        Called often.

    Raises
    ------
    InputError
        If a file cannot be written, or is another one when it is read back.
    """
    (store, place), partial = target.locate(), target.with_ending(PARTIAL_ENDING)
    beside, moved = partial.locate()[1], list[str]()
    paths = sorted(folder.iterdir())
    try:
        with explain_store_errors(target):
            store.makedirs(beside, exist_ok=True)
            for path in paths:
                _upload_file(path, store, f"{beside}/{path.name}", poll)
                poll()
                _check_same(path, partial / path.name, poll)
            store.makedirs(place, exist_ok=True)
            for path in paths:
                moved.append(f"{place}/{path.name}")
                store.mv(f"{beside}/{path.name}", moved[-1])
            _remove_folder(store, beside)
    except BaseException:
        for each in moved:
            with suppress(Exception):
                store.rm_file(each)
        with suppress(Exception):
            _remove_folder(store, beside)
        raise


def _remove_folder(store: Any, place: str) -> None:
    """Remove a folder with its files; where it is empty, there may be none."""
    if store.exists(place):
        store.rm(place, recursive=True)


def _upload_file(path: Path, store: Any, place: str, poll: Callable[[], None]) -> None:
    with path.open("rb") as stream, store.open(place, "wb") as file:
        while content := stream.read(COPY_BYTES):
            poll()
            file.write(content)


def _check_same(path: Path, copy: Address, poll: Callable[[], None]) -> None:
    with path.open("rb") as stream, copy.open() as file:
        while True:
            poll()
            ours, theirs = stream.read(COPY_BYTES), b""
            while left := len(ours) - len(theirs):
                if not (some := file.read(left)):
                    break
                theirs += some
            if ours != theirs or not ours:
                break
        if ours or file.read(1):
            raise InputError(
                "{address} is not what was written there: check the store, and repeat "
                "the run.",
                address=str(copy),
            )
