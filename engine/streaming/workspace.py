"""The folder in which a run does its work, beside the one that it makes.

What is here after an interruption is taken up again; what was protected appears at its
place in one step, once it is complete and checked.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from engine.core.errors import InputError, ParameterError
from engine.streaming.protect import Part

NAME = "part-{:05}.parquet"


class Workspace:
    """The folder of one run; see :func:`open_workspace`.

    Attributes
    ----------
    folder : Path
        Hidden, beside `target`.
    target : Path
        Where the release goes.
    spool, release : Path
        Folders of the records on their way, and of the parts that are protected.
    """

    def __init__(self, folder: Path, target: Path) -> None:
        self.folder, self.target = folder, target
        self.spool, self.release = folder / "spool", folder / "release"
        self._figures = folder / "figures"

    def begin(self, identity: Mapping[str, Any]) -> None:
        """Take up what an interrupted run of the same identity left, or begin anew.

        Parameters
        ----------
        identity : mapping
            Plain values: everything that decides on what is released.

        Raises
        ------
        InputError
            If finished blocks of another run are here.
        """
        before = self.read("job.json")
        if before != json.loads(json.dumps(identity)):
            if before is not None and self.finished():
                raise InputError(
                    "{folder} holds an unfinished run of another plan, input or "
                    "version: repeat that run to finish it, or delete this folder.",
                    folder=self.folder,
                )
            self.clear()
            self.write("job.json", identity)
        for folder in (self.spool, self.release, self._figures):
            folder.mkdir(exist_ok=True)

    def read(self, name: str) -> Any | None:
        """Return a file of plain values, None if it is not there."""
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

    def write(self, name: str, content: Any) -> None:
        """Write plain values, whole or not at all."""
        _write(self.folder / name, json.dumps(content).encode())

    def path(self, number: int) -> Path:
        """Return where the part of a block is until the release is complete."""
        return self.release / NAME.format(number)

    def keep(self, part: Part) -> None:
        """Write a part and then its figures, with which the block is finished."""
        _write(self.path(part.number), part.content)
        content = json.dumps(dict(part.figures)).encode()
        _write(self._figures / f"{part.number}.json", content)

    def forget(self, number: int) -> None:
        """Have a block protected again by the next run."""
        (self._figures / f"{number}.json").unlink(missing_ok=True)

    def finished(self) -> dict[int, dict[str, Any]]:
        """Return the figures of finished blocks, by their numbers, rising."""
        if not self._figures.is_dir():
            return {}
        numbers = sorted(int(each.stem) for each in self._figures.glob("[0-9]*.json"))
        return {each: self.read(f"figures/{each}.json") or {} for each in numbers}

    def clear_spool(self) -> None:
        """Remove a spool that is not complete."""
        shutil.rmtree(self.spool, ignore_errors=True)
        self.spool.mkdir()

    def clear(self) -> None:
        """Remove all that is here but the lock."""
        for each in self.folder.iterdir():
            if each.is_dir():
                shutil.rmtree(each)
            elif each.name != "lock":
                each.unlink()

    def publish(self, numbers: Iterator[int] | range) -> None:
        """Let the release appear at its place, with nothing but the parts."""
        wanted = {NAME.format(number) for number in numbers}
        for path in self.release.iterdir():
            if path.name not in wanted:
                path.unlink()
        os.replace(self.release, self.target)
        _sync_folder(self.target.parent)
        shutil.rmtree(self.folder, ignore_errors=True)


@contextmanager
def open_workspace(target: Path) -> Iterator[Workspace]:
    """Give the folder in which a release for `target` is made, to one run at a time.

    After an error before any block was finished the folder is removed.

    Raises
    ------
    ParameterError
        If `target` cannot be made.
    InputError
        If another run is at work on it, or the disk is full.
    """
    check_target(target)
    target = target.absolute()
    folder = target.with_name(f".{target.name}.partial")
    try:
        folder.mkdir(mode=0o700, exist_ok=True)  # it will hold what is not protected
        with _locked(folder) as alone:
            if not alone:
                raise InputError(
                    "Another run is at work on {target!r}: wait until it has "
                    "ended, or name another folder.",
                    target=target.name,
                )
            workspace = Workspace(folder, target)
            try:
                yield workspace
            except BaseException:
                if folder.is_dir() and not workspace.finished():
                    shutil.rmtree(folder, ignore_errors=True)
                raise
    except OSError as error:
        raise InputError(
            "The work folder {folder} cannot be used ({reason}): nothing was written "
            "to {target!r}; what is finished is kept, so repeat the run once that is "
            "put right.",
            folder=folder,
            reason=(error.strerror or type(error).__name__).lower(),
            target=target.name,
        ) from None


def check_target(target: Path) -> None:
    """Refuse a place where no new folder can be.

    Raises
    ------
    ParameterError
    """
    if not target.absolute().parent.is_dir():
        raise ParameterError(
            "The folder of {path} does not exist: make it first, or name another.",
            path=target,
        )
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise ParameterError(
            "{target} exists already: name a new folder for the release.", target=target
        )


def check_disk(workspace: Workspace, needed: int) -> None:
    """Refuse a run for which the disk has no room.

    Parameters
    ----------
    workspace : Workspace
    needed : int
        Bytes.

    Raises
    ------
    InputError
    """
    free = shutil.disk_usage(workspace.folder).free
    if needed > free:
        raise InputError(
            "Records on their way to blocks and the release take about "
            "{needed:.1f} GB, and the disk of {target} has "
            "{free:.1f} GB left: free some, or name a folder on another disk.",
            needed=needed / 1e9,
            target=workspace.target,
            free=free / 1e9,
        )


@contextmanager
def _locked(folder: Path) -> Iterator[bool]:
    """Hold the folder's lock, which ends with the process at the latest."""
    with (folder / "lock").open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True


def _write(path: Path, content: bytes) -> None:
    part = path.with_name(f".{path.name}.part")
    with part.open("wb") as stream:
        stream.write(content)
        _to_disk(stream)
    os.replace(part, path)


def _to_disk(stream: BinaryIO) -> None:
    stream.flush()
    os.fsync(stream.fileno())


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
