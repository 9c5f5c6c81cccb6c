"""Extract the one table file of a ZIP archive or a gzip file."""

from __future__ import annotations

import gzip
import io
import zipfile
import zlib
from pathlib import PurePath

from engine.core.errors import InputError
from engine.files.base import formats
from engine.files.input.source import InputBytes

SUFFIXES = (".zip", ".gz")
"""Of files that are unpacked before they are read."""

_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError)


def unzip_if_archive(source: InputBytes) -> InputBytes:
    """Return the table file in an archive as a source; other sources unchanged.

    Raises
    ------
    InputError
        If there is no table in it or several, or it is locked, damaged or too large.
    """
    if source.suffix not in SUFFIXES:
        return source
    content = source.read_bytes()
    try:
        if source.suffix == ".gz":
            name = PurePath(source.name).stem
            with gzip.open(io.BytesIO(content)) as stream:
                table_bytes = source.read_unpacked(stream)
        else:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                member = _table_in(archive, source.name)
                name = PurePath(member.filename).name
                with archive.open(member) as stream:
                    table_bytes = source.read_unpacked(stream)
    except RuntimeError:  # an encrypted member, says zipfile
        raise InputError(
            "File {file!r} is protected by a password: unpack it first.",
            file=source.name,
        ) from None
    except _BROKEN:
        raise InputError(
            "File {file!r} is not a whole archive: pack it again, or unpack it first.",
            file=source.name,
        ) from None
    return InputBytes(name, content=table_bytes, packed_bytes=len(content))


def _table_in(archive: zipfile.ZipFile, name: str) -> zipfile.ZipInfo:
    suffixes = {suffix for info in formats.infos() for suffix in info.suffixes}
    tables = [
        member
        for member in archive.infolist()
        if PurePath(member.filename).suffix.lower() in suffixes
        and not member.is_dir()
        and not member.filename.startswith("__MACOSX")
    ]
    if len(tables) != 1:
        raise InputError(
            "File {file!r} holds {count} tables, but must hold one: unpack it and "
            "choose one of its files.",
            file=name,
            count=len(tables),
        )
    return tables[0]
