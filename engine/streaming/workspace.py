"""Workspace of a run: the folder of its intermediate files and finished parts.

What is here after an interruption is taken up again; what was protected appears at its
place in one step, once it is complete and checked.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from engine.core.errors import InputError, ParameterError
from engine.core.platform.files import (
    fsync_folder,
    make_private,
    move_and_replace,
    remove_file,
    remove_folder_with_retries,
    try_lock_file,
)
from engine.core.platform.system_errors import (
    TOO_MANY_FILES_CODES,
    name_file_in_errors,
    path_of_error,
    reason_of_error,
)
from engine.core.platform.temporary import DISK_FULL_CODES
from engine.storage.addresses import Address, Place
from engine.storage.transfers import check_writable, upload_folder
from engine.streaming.blocks.protect import WrittenPart

PART_FILE_PATTERN = "part-{:05}.parquet"

COPY_STATE = "input.json"
"""File that says of what the copy of the input was made, once it is whole."""

UPLOAD_STATE = "upload.json"
"""File that is there once the release is on its way to a store."""


class RunWorkspace:
    """Folder of one run's intermediate files, finished parts and their figures.

    Attributes
    ----------
    folder : Path
        Hidden, beside `target`, or beside nothing where that is in a store.
    target : Path or Address
        Where the release goes.
    spool, leaves, written, release : Path
        Folders of the records on their way, of the leaves that persons decide on, of
        parts that nobody has taken yet, and of those that are protected.
    input : Path
        Folder of the copy in Parquet of an input of text.
    """

    def __init__(self, folder: Path, target: Place) -> None:
        self.folder, self.target = folder, target
        self.spool, self.leaves = folder / "spool", folder / "leaves"
        self.written, self.release = folder / "written", folder / "release"
        self.input, self._figures = folder / "input", folder / "figures"

    def resume_or_start(self, identity: Mapping[str, Any]) -> None:
        """Resume an interrupted run of the same identity, or start a new one.

        Parameters
        ----------
        identity : mapping
            Plain values: everything that decides on what is released.

        Raises
        ------
        InputError
            If finished blocks of another run are here.
        """
        before = self.read_json("job.json")
        if before != json.loads(json.dumps(identity)):
            if before is not None and self.finished_parts():
                raise InputError(
                    "{folder} holds an unfinished run of another plan, input or "
                    "version: repeat that run to finish it, or delete this folder.",
                    folder=self.folder,
                )
            self.clear(keeps_input=True)
            self.write_json("job.json", identity)
        folders = self.spool, self.leaves, self.written, self.release, self._figures
        for folder in folders:
            folder.mkdir(exist_ok=True)

    def read_json(self, name: str) -> Any | None:
        """Return the content of a JSON file, None if the file does not exist."""
        try:
            return json.loads((self.folder / name).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (ValueError, RecursionError):
            raise InputError(
                "{file} is not what was written there: check the disk, delete the "
                "folder {folder}, and repeat the run.",
                file=self.folder / name,
                folder=self.folder,
            ) from None

    def write_json(self, name: str, content: Any) -> None:
        """Write plain values as JSON, atomically."""
        _write(self.folder / name, json.dumps(content).encode())

    def part_path(self, number: int) -> Path:
        """Return the path of a block's part before publication."""
        return self.release / PART_FILE_PATTERN.format(number)

    def save_part(self, part: WrittenPart) -> None:
        """Name a part's file, and then write its figures: its block is finished."""
        move_and_replace(part.path, self.part_path(part.number))
        content = json.dumps(dict(part.figures)).encode()
        _write(self._figures / f"{part.number}.json", content)

    def discard_part(self, number: int) -> None:
        """Delete a part's figures, so that its block is protected again."""
        (self._figures / f"{number}.json").unlink(missing_ok=True)

    def finished_parts(self) -> dict[int, dict[str, Any]]:
        """Return the figures of finished blocks by number, in order."""
        if not self._figures.is_dir():
            return {}
        numbers = sorted(int(each.stem) for each in self._figures.glob("[0-9]*.json"))
        return {each: self.read_json(f"figures/{each}.json") or {} for each in numbers}

    def clear_folder(self, folder: Path) -> None:
        """Delete a folder of the workspace, and create it anew."""
        remove_folder_with_retries(folder)
        folder.mkdir()

    def clear_input(self) -> None:
        """Delete the copy of the input, and make its folder anew."""
        (self.folder / COPY_STATE).unlink(missing_ok=True)
        self.clear_folder(self.input)

    def clear(self, keeps_input: bool = False) -> None:
        """Delete everything but the lock, and perhaps the copy of the input."""
        for each in self.folder.iterdir():
            if keeps_input and each.name in (self.input.name, COPY_STATE):
                continue
            if each.is_dir():
                remove_folder_with_retries(each)
            elif each.name != "lock":
                remove_file(each)

    def publish(self, numbers: Iterator[int] | range, poll: Callable[[], None]) -> None:
        """Move finished parts to the target, and delete the workspace.

        In one step, or to a store as :func:`~engine.storage.transfers.upload_folder`.

        Parameters
        ----------
        numbers : iterable of int
            Of the blocks.
        poll : callable
            Called often while files are copied; may raise to end the run.
        """
        file_names = {PART_FILE_PATTERN.format(number) for number in numbers}
        for path in self.release.iterdir():
            if path.name not in file_names:
                remove_file(path)
        if isinstance(self.target, Address):
            self.write_json(UPLOAD_STATE, None)
            upload_folder(self.release, self.target, poll)
        else:
            move_and_replace(self.release, self.target)
            fsync_folder(self.target.parent)
        self.remove()

    def remove(self) -> None:
        """Delete the workspace; on Windows its lock stays until it is let go."""
        with suppress(OSError):  # the release is there, or an error is raised
            self.clear()
        shutil.rmtree(self.folder, ignore_errors=True)


@contextmanager
def lock_workspace(target: Place) -> Iterator[RunWorkspace]:
    """Lock and yield the workspace of a release at `target`, which a later run resumes.

    After an error before any block was finished the folder is removed.

    Raises
    ------
    ParameterError
        If `target` cannot be made.
    InputError
        If another run is at work on it, or the system refuses something to the run.
    """
    check_release_target(target)
    target, folder = target.absolute(), _workspace_folder(target)
    if isinstance(target, Address):
        check_writable(target)
    try:
        folder.mkdir(mode=0o700, exist_ok=True)  # it will hold what is not protected
        make_private(folder)
        with _hold_lock(folder) as has_lock:
            if not has_lock:
                raise InputError(
                    "Another run is at work on {target!r}: wait until it has "
                    "ended, or name another folder.",
                    target=target.name,
                )
            workspace = RunWorkspace(folder, target)
            try:
                yield workspace
            except BaseException:
                if folder.is_dir() and not workspace.finished_parts():
                    workspace.remove()
                raise
    except OSError as error:
        raise _explain_system_error(error, folder, target) from None


def _explain_system_error(error: OSError, folder: Path, target: Place) -> InputError:
    """Return the error that says what the system refused to a run, and what to do.

    Only one about a file within the work folder is said to be of the folder.
    """
    path = path_of_error(error)
    values = {"reason": reason_of_error(error), "target": target.name}
    if error.errno in DISK_FULL_CODES:
        return InputError(
            "There is no room for {path} ({reason}): nothing was written to "
            "{target!r}; what is finished is kept, so make room on that disk and "
            "repeat the run.",
            path=folder if path is None else path,
            **values,
        )
    if error.errno in TOO_MANY_FILES_CODES:
        return InputError(
            "No more files can be opened ({reason}): nothing was written to "
            "{target!r}; what is finished is kept, so close other programs or allow "
            "more open files, and repeat the run.",
            **values,
        )
    if path is None:
        return InputError(
            "The system has refused something that the run needs ({reason}): nothing "
            "was written to {target!r}; what is finished is kept, so repeat the run "
            "once that is put right.",
            **values,
        )
    if path.absolute().is_relative_to(folder):
        return InputError(
            "The work folder {folder} cannot be used ({reason}): nothing was written "
            "to {target!r}; what is finished is kept, so repeat the run once that is "
            "put right.",
            folder=folder,
            **values,
        )
    return InputError(
        "{path} cannot be read or written ({reason}): nothing was written to "
        "{target!r}; what is finished is kept, so repeat the run once that is put "
        "right.",
        path=path,
        **values,
    )


def _workspace_folder(target: Place) -> Path:
    """Return where a release is made: beside it, or here where it goes to a store."""
    if isinstance(target, Path):
        return target.absolute().with_name(f".{target.name}.partial")
    mark = hashlib.sha256(str(target).encode()).hexdigest()
    return Path.cwd() / f".{target.name}-{mark}.partial"


def check_release_target(target: Place) -> None:
    """Raise if the target is there and not empty, or its folder does not exist.

    What an interrupted upload has left of the same release does not count.

    Raises
    ------
    ParameterError
    """
    if isinstance(target, Address):
        if "/" not in target.locate()[1]:
            raise ParameterError(
                "{target} is a whole bucket: name a folder in it, such as "
                "{target}/protected.",
                target=str(target),
            )
        begun = (_workspace_folder(target) / UPLOAD_STATE).exists()
        is_taken = not begun and target.exists()
        if is_taken and (target.is_file() or any(target.iterdir())):
            raise ParameterError(
                "{target} exists already: name a new folder for the release.",
                target=str(target),
            )
        return
    if not target.absolute().parent.is_dir():
        raise ParameterError(
            "The folder of {path} does not exist: make it first, or name another.",
            path=target,
        )
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise ParameterError(
            "{target} exists already: name a new folder for the release.", target=target
        )


def check_disk_space(workspace: RunWorkspace, needed_bytes: int) -> None:
    """Raise if the disk has fewer than `needed_bytes` free.

    Parameters
    ----------
    workspace : RunWorkspace
    needed_bytes : int

    Raises
    ------
    InputError
    """
    free = shutil.disk_usage(workspace.folder).free
    if needed_bytes > free:
        raise InputError(
            "Records on their way to blocks and the release take about "
            "{needed:.1f} GB, and the disk of {target} has "
            "{free:.1f} GB left: free some, or name a folder on another disk.",
            needed=needed_bytes / 1e9,
            target=workspace.target
            if isinstance(workspace.target, Path)
            else workspace.folder,
            free=free / 1e9,
        )


@contextmanager
def _hold_lock(folder: Path) -> Iterator[bool]:
    """Hold the folder's lock, which ends with the process at the latest."""
    try:
        with (folder / "lock").open("ab") as file:
            yield try_lock_file(file.fileno())
    finally:
        # Windows removes no file that is open: all but the lock has gone before.
        if sys.platform == "win32" and [*folder.glob("*")] == [folder / "lock"]:
            shutil.rmtree(folder, ignore_errors=True)


def _write(path: Path, content: bytes) -> None:
    part = path.with_name(f".{path.name}.part")
    with name_file_in_errors(part), part.open("wb") as stream:
        stream.write(content)
        _to_disk(stream)
    move_and_replace(part, path)


def _to_disk(stream: BinaryIO) -> None:
    stream.flush()
    os.fsync(stream.fileno())
