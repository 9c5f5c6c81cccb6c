"""Writing a release: all of its files or none, and k counted on what was written."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path, PurePath

from engine.errors import EngineError, InputError, ParameterError
from engine.files import ReadOptions, read_table, to_bytes
from engine.files.base import formats
from engine.measures.privacy.k_anonymity import class_sizes
from engine.outcome import Outcome
from engine.table import Origin, Table


class VerificationError(EngineError):
    """What was written does not keep what was promised."""


def release_bytes(outcome: Outcome, origin: Origin) -> bytes:
    """Return the release as a file in the format of `origin`, read back and checked.

    Raises
    ------
    VerificationError
        If the file, read back, has other records or columns, or a smaller k.
    """
    origin = origin_of_release(outcome, origin)
    content = to_bytes(outcome.release.frame, origin)
    k = k_of_bytes(content, outcome, origin)
    if outcome.partition.guarantees_k and k < outcome.k_released:
        raise VerificationError(
            f"The release as written has k = {k}, fewer than {outcome.k_released}: "
            "nothing was written; please report this."
        )
    return content


def origin_of_release(outcome: Outcome, origin: Origin) -> Origin:
    """Return how to write a release of a table that came in as `origin`.

    The same way, but for two things. A format that can only be read becomes CSV. And it
    is left out why a protected value is missing: statistical packages have several
    codes for that, such as refused and unknown, which would tell records apart that
    share all other values.
    """
    if origin.format and not formats.info(origin.format).writable:
        return Origin("csv", {}, name=str(PurePath(origin.name).with_suffix(".csv")))
    codes = origin.options.get("user_missing")
    if not codes:
        return origin
    protected = outcome.plan.quasi_identifiers
    left = {name: known for name, known in codes.items() if name not in protected}
    return replace(origin, options={**origin.options, "user_missing": left})


def k_of_bytes(content: bytes, outcome: Outcome, origin: Origin) -> int:
    """Return the k counted on a written release.

    Parameters
    ----------
    content : bytes
        What :func:`engine.files.to_bytes` gave.
    outcome : Outcome
    origin : Origin
        Format and options that it was written with.
    """
    suffix = formats.info(origin.format).suffixes[0]
    written = read_table(
        content, name=f"release{suffix}", options=ReadOptions.of(origin.options)
    ).frame
    released = outcome.release.frame
    if tuple(written.columns) != tuple(released.columns) or len(written) != len(
        released
    ):
        raise VerificationError(
            "The release as written has other columns or records than planned: "
            "nothing was written; please report this."
        )
    return int(class_sizes(written, outcome.plan.quasi_identifiers).min())


def check_targets(*paths: Path | None) -> None:
    """Refuse targets that cannot be written, before any work is done.

    Raises
    ------
    ParameterError
        If a folder does not exist, a target is a folder, or one is named twice.
    """
    named = [path for path in paths if path is not None]
    for path in named:
        if path.is_dir():
            raise ParameterError(f"{path} is a folder: name a file to write.")
        if not path.absolute().parent.is_dir():
            raise ParameterError(
                f"The folder of {path} does not exist: make it first, or name another."
            )
    if len({path.absolute() for path in named}) < len(named):
        raise ParameterError("Two outputs have the same file name: give each its own.")


def origin_for(path: Path, table: Table) -> Origin:
    """Return how to write a release of `table` to `path`: its suffix decides.

    Raises
    ------
    InputError
        If no format has this suffix.
    """
    for info in formats.infos():
        if info.writable and path.suffix.lower() in info.suffixes:
            same = info.id == table.origin.format
            options = table.origin.options if same else {}
            return replace(Origin(info.id, options), name=path.name)
    known = ", ".join(
        suffix for info in formats.infos() if info.writable for suffix in info.suffixes
    )
    raise InputError(
        f"There is no format for {path.name!r}: end the name in one of {known}."
    )


def write_files(
    outcome: Outcome,
    table: Table,
    output: Path | None,
    others: Mapping[Path, bytes],
) -> None:
    """Write a release and the files that go with it: all of them or none.

    Parameters
    ----------
    outcome : Outcome
    table : Table
        What was protected; its format is kept where `output` has the same suffix.
    output : Path or None
        Where the release goes.
    others : mapping of Path to bytes
        What else to write.

    Raises
    ------
    InputError
        If a file cannot be written.
    VerificationError
        If the release does not keep its promise when read back.
    """
    contents = dict(others)
    if output is not None:
        contents[output] = release_bytes(outcome, origin_for(output, table))
    write_all(contents)


def write_all(contents: Mapping[Path, bytes]) -> None:
    """Write several files: all of them or none.

    Raises
    ------
    InputError
        If a file cannot be written; the others are then as they were.
    """
    drafts: list[tuple[str, Path]] = []
    try:
        for path, content in contents.items():
            handle, draft = tempfile.mkstemp(
                dir=path.absolute().parent, prefix=f".{path.name}."
            )
            drafts.append((draft, path))
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.chmod(draft, 0o666 & ~_umask())
        for draft, path in drafts:
            os.replace(draft, path)
    except OSError as error:
        raise InputError(
            f"{error.filename or 'A file'} cannot be written "
            f"({(error.strerror or 'unknown reason').lower()}): nothing was written."
        ) from None
    finally:
        for draft, _ in drafts:
            Path(draft).unlink(missing_ok=True)


def _umask() -> int:
    """Return the permissions that this process withholds from new files."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
