"""Write the files of a release in one step: all of them or none."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from engine.core.arguments import check_arguments
from engine.core.errors import InputError
from engine.core.message import Message
from engine.core.platform.files import move_and_replace, remove_file
from engine.data.table import Table
from engine.files.base import formats
from engine.pipeline.outcome import Outcome
from engine.release.verify import (
    VerificationError,
    WrittenRelease,
    release_bytes_and_checks,
)
from engine.release.writing import WritingOptions


def format_id_for_path(path: Path) -> str:
    """Return the id of the file format that the suffix of `path` stands for.

    Raises
    ------
    InputError
        If no format that can be written has this suffix.
    """
    for info in formats.infos():
        if info.writable and path.suffix.lower() in info.suffixes:
            return info.id
    suffixes = ", ".join(
        suffix for info in formats.infos() if info.writable for suffix in info.suffixes
    )
    raise InputError(
        "There is no format for {file!r}: end the name in one of {known}.",
        file=path.name,
        known=suffixes,
    )


def writing_options_for_path(path: Path, writing: WritingOptions) -> WritingOptions:
    """Return options with the format of a path's suffix, and the tab for .tsv.

    Raises
    ------
    InputError
        If no format that can be written has this suffix.
    """
    delimiter = "\t" if path.suffix.lower() == ".tsv" else writing.delimiter
    return replace(writing, format=format_id_for_path(path), delimiter=delimiter)


@check_arguments
def write_files(
    outcome: Outcome,
    table: Table,
    output: Path | None,
    other_files: Mapping[Path, bytes],
    writing: WritingOptions | None = None,
    checked_release: WrittenRelease | None = None,
) -> WrittenRelease | None:
    """Write a release, if asked, and other files, all or none; return bytes and checks.

    Parameters
    ----------
    outcome : Outcome
    table : Table
        What was protected; its format is kept where `output` has the same suffix.
    output : Path or None
        Where the release goes.
    other_files : mapping of Path to bytes
        What else to write.
    writing : WritingOptions, optional
        Its format is that of `output`.
    checked_release : WrittenRelease, optional
        The release in this very writing, where it has been made already.

    Returns
    -------
    WrittenRelease or None
        Checks of the release as written; None without an `output`.

    Raises
    ------
    InputError
        If a file cannot be written.
    VerificationError
        If the release does not keep a promise when read back. Where the method itself
        promises no k, a smaller one is only said.
    """
    contents = dict(other_files)
    if output is not None:
        if checked_release is None:
            how = writing_options_for_path(output, writing or WritingOptions())
            checked_release = release_bytes_and_checks(outcome, table, how)
        raise_if_promise_broken(checked_release)
        contents[output] = checked_release.content
    write_all(contents)
    return checked_release


def raise_if_promise_broken(checked_release: WrittenRelease) -> None:
    """Raise if a release does not keep a promise when read back.

    Raises
    ------
    VerificationError
    """
    for check in checked_release.broken_promises:
        raise VerificationError(
            "The release as written fails a check, so nothing was written; "
            "please report this. {title}: {detail}",
            title=check.title,
            detail=check.detail,
        )


def write_all(contents: Mapping[Path, bytes]) -> None:
    """Write several files, all of them or none.

    Raises
    ------
    InputError
        If a file cannot be written; all are then as they were.
    """
    path: Path | None = None
    with contextlib.ExitStack() as stack:
        try:
            drafts = []
            for path, content in contents.items():
                # Through links, which stay; a release is where they lead to.
                target = Path(os.path.realpath(path))
                if target.is_dir():
                    raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
                handle, draft = _make_draft(target, stack)
                with os.fdopen(handle, "wb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())  # a disk may be full only when written
                os.chmod(draft, 0o666 & ~_read_umask())
                drafts.append((draft, target))
            with contextlib.ExitStack() as former:
                for draft, path in drafts:
                    if draft != drafts[-1][0]:  # after the last one nothing can fail
                        _restore_on_exit(path, former, stack)
                    move_and_replace(draft, path)
                former.pop_all()
        except OSError as error:
            raise InputError(
                "{file} cannot be written ({reason}): nothing was written.",
                file=path if path is not None else Message("A file"),
                reason=(error.strerror or type(error).__name__).lower(),
            ) from None


def _make_draft(target: Path, stack: contextlib.ExitStack) -> tuple[int, Path]:
    """Open a file beside a target, which is removed on exit; return handle and path."""
    # No longer than the file's name, which may be as long as names and paths can be.
    name_start = target.name[: max(0, min(20, len(target.name) - 10))]
    handle, draft = tempfile.mkstemp(dir=target.parent, prefix=f".{name_start}.")
    stack.callback(_discard, Path(draft))
    return handle, Path(draft)


def _discard(draft: Path) -> None:
    """Remove a draft; one that another program will not let go of stays."""
    with contextlib.suppress(OSError):  # the release is there, or why it is not is said
        remove_file(draft)


def _restore_on_exit(
    path: Path, former: contextlib.ExitStack, stack: contextlib.ExitStack
) -> None:
    """Make `former` put a file back as it is now, unless its callbacks are dropped."""
    if not path.exists():
        former.callback(remove_file, path)
        return
    handle, copy = _make_draft(path, stack)
    os.close(handle)
    shutil.copy2(path, copy)
    former.callback(move_and_replace, copy, path)


def _read_umask() -> int:
    """Return the permissions that this process withholds from new files."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
