"""Check output paths: none overwrites an input, and no two files are the same."""

from __future__ import annotations

import os
import re
import sys
import unicodedata
from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path

from engine.core.errors import ParameterError
from engine.core.platform.files import max_path_chars
from engine.storage.addresses import Address, Place

_IMPOSSIBLE_ON_WINDOWS = re.compile(
    r"(con|prn|aux|nul|(com|lpt)[1-9¹²³]) *(\..*)?"  # devices, whatever the suffix
    r'|.*[<>:"|?*\x00-\x1f].*|.*[ .]',  # a colon would begin a hidden stream
    re.IGNORECASE,
)
_LONG_PATH_PREFIX = "\\\\?\\"
"""With which a path on Windows may be as long as it likes."""


def check_output_paths(
    outputs: Iterable[Path], inputs: Iterable[Place] = (), folders: Sequence[Place] = ()
) -> None:
    """Raise if outputs would overwrite inputs, or two files to write are the same.

    Two names are of the same file whether they are spelled alike or not, and through
    links of either kind.

    Parameters
    ----------
    outputs : iterable of Path
        Files to write.
    inputs : iterable of Path or Address
        What is read. Nothing is written into a folder that is read as a whole.
    folders : sequence of Path or Address
        Folders to write, in which no output file may lie.

    Raises
    ------
    ParameterError
        Also if a name is impossible, or a file has no folder, is one, or lies in one of
        `folders`. Permissions are not looked at.
    """
    files = list(outputs)
    for path in (*files, *(each for each in folders if isinstance(each, Path))):
        _check_name(path)
    for path in files:
        _check_place(path)
    read = list(inputs)
    for place in (*files, *folders):
        _check_unread(place, read)
    path_by_key: dict[Hashable, Path] = {}
    for path in files:
        keys = _file_keys(path) | {_fold_path(path)}
        for key in keys:
            if key in path_by_key:
                raise ParameterError(
                    "Two outputs would be the same file, {first} and {second}: give "
                    "each a name of its own.",
                    first=path_by_key[key],
                    second=path,
                )
        path_by_key |= dict.fromkeys(keys, path)
        for folder in folders:
            if isinstance(folder, Path) and _is_within(path, folder):
                raise ParameterError(
                    "{path} is in {folder}, which the release fills: name a place "
                    "outside of it.",
                    path=path,
                    folder=folder,
                )


def _check_name(path: Path) -> None:
    """Refuse a name that no file can have or is meant to, such as one too long."""
    if str(path) == "-":
        raise ParameterError(
            "A dash names no file, and nothing is written to standard output: name a "
            "file to write."
        )
    if sys.platform == "win32" and _IMPOSSIBLE_ON_WINDOWS.fullmatch(path.name):
        raise ParameterError(
            "Windows keeps the name {name!r} for devices, or allows none of its "
            "characters: name another file.",
            name=path.name,
        )
    try:
        path.exists()
    except OSError as error:
        raise ParameterError(
            "{path} cannot be written ({reason}): name another file.",
            path=path,
            reason=(error.strerror or type(error).__name__).lower(),
        ) from None


def _check_place(path: Path) -> None:
    """Refuse a file that cannot be there."""
    if path.is_dir():
        raise ParameterError("{path} is a folder: name a file to write.", path=path)
    if path.exists() and not path.is_file():
        # Files appear whole or not at all, which takes the place of what is there.
        raise ParameterError(
            "{path} is no file but a device or a pipe: name a file to write.", path=path
        )
    whole, max_chars = str(path.absolute()), max_path_chars()
    if max_chars and len(whole) > max_chars and not whole.startswith(_LONG_PATH_PREFIX):
        raise ParameterError(
            "{path} has more than the {most} characters that Windows takes: name a "
            "folder nearer to the drive.",
            path=path,
            most=max_chars,
        )
    if not path.absolute().parent.is_dir():
        raise ParameterError(
            "The folder of {path} does not exist: make it first, or name another.",
            path=path,
        )


def _check_unread(path: Place, inputs: Sequence[Place]) -> None:
    """Refuse a target that is read."""
    keys = _file_keys(path)
    for source in inputs:
        if keys & _file_keys(source):
            raise ParameterError(
                "Writing {path} would replace {source}, which is read: name another "
                "file to write.",
                path=path,
                source=source,
            )
        if isinstance(path, Address) or isinstance(source, Address):
            is_inside = _is_within_address(path, source)
        else:
            is_inside = os.path.isdir(source) and _is_within(path, source)
        if is_inside:
            raise ParameterError(
                "{path} is in {folder}, which is read: name a place outside of it.",
                path=path,
                folder=source,
            )


def _file_keys(path: Place) -> set[Hashable]:
    """Return keys that identify a file: its path and, if it exists, its inode.

    Links lead to the same place; hard links share the inode. Those of an address are
    its kind of store and the place in it.
    """
    if isinstance(path, Address):
        store, place = path.locate()
        return {(type(store), place.rstrip("/"))}
    keys: set[Hashable] = {os.path.realpath(path)}
    try:
        status = path.stat()
    except OSError:  # not there yet
        return keys
    return keys | {(status.st_dev, status.st_ino)}


def _fold_path(path: Path) -> str:
    """Return a place as file systems know it that fold case and accents.

    Files that do not exist yet have no inode to tell.
    """
    return unicodedata.normalize("NFC", os.path.realpath(path)).casefold()


def _is_within_address(path: Place, folder: Place) -> bool:
    """Whether an address is below another one."""
    if not (isinstance(path, Address) and isinstance(folder, Address)):
        return False
    (store, place), (other, read) = path.locate(), folder.locate()
    return type(store) is type(other) and place.startswith(f"{read.rstrip('/')}/")


def _is_within(path: Path, folder: Path) -> bool:
    """Whether a file is, or its links lead, into a folder."""
    whole = os.path.realpath(folder)
    places = (path, path.absolute().parent)
    return any(Path(os.path.realpath(place)).is_relative_to(whole) for place in places)
