"""What people see of a folder: launchers, licences, and its archive."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable, Iterator
from email.parser import HeaderParser
from importlib import resources
from pathlib import Path

from interpreters import Interpreter

_LAUNCHERS_PACKAGE = resources.files("distlib")

_SHELL = """\
#!/bin/sh
# Opens Coterie in the browser; with words after it, Coterie's command line.
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd -P) || exit 1
unset PYTHONHOME PYTHONPATH
export PYTHONNOUSERSITE=1 PYTHONSAFEPATH=1
[ $# -gt 0 ] || set -- --until-closed
exec "$here/python/bin/python3" -m coterie "$@"
"""

_START = """\
import sys
from coterie import main
try:
    code = main(sys.argv[1:] or ["--until-closed"])
except SystemExit as end:
    code = end.code
if code and not sys.argv[1:]:  # the window would close before anybody has read why
    input("Press Enter to close this window. ")
sys.exit(code)
"""

_LETTER = """\
Coterie

{start}: Coterie opens in your browser. Nothing is installed, and nothing
leaves this machine. To stop it, close the page, or the window that shows its address.
To remove it, delete this folder.
{first_start}
In a terminal, {command} is Coterie's command line: {command} --help.
Licences of all that is in this folder are in LICENCES.txt.
"""


def _write_letter(top: Path, start: str, command: str, first_start: str = "") -> None:
    text = _LETTER.format(start=start, command=command, first_start=first_start)
    (top / "README.txt").write_text(text, encoding="utf-8", newline="\r\n")


def _launch_windows(top: Path) -> None:
    """Make a program of distlib's launcher: it starts the Python beside it."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(zipfile.ZipInfo("__main__.py"), _START)
    # The one with a window: it shows the address, and Coterie ends when it is closed.
    python = rb"#!<launcher_dir>\python\python.exe" + b"\r\n"
    launcher = _LAUNCHERS_PACKAGE.joinpath("t64.exe").read_bytes()
    (top / "Coterie.exe").write_bytes(launcher + python + packed.getvalue())
    first = """
The first time, Windows may say that it protected your PC, because Coterie.exe is not
signed. If you know who gave you this folder, click More info, then Run anyway.
"""
    _write_letter(top, "Double-click Coterie.exe", "Coterie.exe", first)


def _launch_shell(top: Path, name: str, start: str, first_start: str = "") -> None:
    (top / name).write_text(_SHELL, encoding="utf-8", newline="\n")
    (top / name).chmod(0o755)
    _write_letter(top, start, f"./{name}", first_start)


def _launch_macos(top: Path) -> None:
    first = """
The first time, macOS may say that Coterie.command was not opened, because it is not
signed. If you know who gave you this folder, click Done, then Open Anyway in System
Settings, Privacy & Security.
"""
    start = "Double-click Coterie.command"
    _launch_shell(top, "Coterie.command", start, first)


LAUNCHERS: dict[str, Callable[[Path], None]] = {
    "windows": _launch_windows,
    "macos": _launch_macos,
    "linux": lambda top: _launch_shell(
        top, "coterie", "In a terminal, type ./coterie in this folder"
    ),
}

_LICENCE_NAME = re.compile(r"(licen[cs]e|copying|notice|authors)", re.IGNORECASE)


def write_licences(top: Path, python: Interpreter) -> None:
    """Write the licences of all that is inside into one file."""
    parts = {**python.licences}
    folders = sorted(python.site.glob("*.dist-info"))
    if (top / "Coterie.exe").exists():  # it is distlib's launcher
        folders += Path(str(_LAUNCHERS_PACKAGE)).parent.glob("distlib-*.dist-info")
    for folder in folders:
        texts = [
            path.read_text(encoding="utf-8", errors="replace").strip()
            for path in sorted(folder.rglob("*"))
            if path.is_file() and _LICENCE_NAME.search(path.name)
        ]
        headers = HeaderParser().parsestr(
            (folder / "METADATA").read_text(encoding="utf-8", errors="replace")
        )
        said = headers["License-Expression"] or headers["License"] or ""
        kinds = headers.get_all("Classifier") or []
        said = said or ", ".join(k for k in kinds if k.startswith("License"))
        name = f"{headers['Name']} {headers['Version']}"
        parts[name] = "\n\n".join(texts) or said or "no licence is named"
    line = "=" * 72
    whole = "\n\n".join(f"{line}\n{name}\n{line}\n\n{parts[name]}" for name in parts)
    (top / "LICENCES.txt").write_text(whole + "\n", encoding="utf-8")


def _files_below(top: Path) -> Iterator[Path]:
    for path in sorted(top.rglob("*")):
        if path.is_file():
            yield path


def write_zip(top: Path, archive: Path, version: str, compress_level: int) -> Path:
    """Write the folder as an archive that keeps which files are programs; return it.

    At the highest level `advzip` of AdvanceCOMP, where this machine has it, packs the
    same files again: its deflate takes 3 to 4 % less than zlib's.
    """
    part = archive.with_suffix(".part")
    with zipfile.ZipFile(part, "w") as packed:
        for path in _files_below(top):
            name = f"Coterie-{version}/{path.relative_to(top).as_posix()}"
            info = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
            mode = 0o755 if path.stat().st_mode & 0o100 else 0o644
            info.external_attr = (0o100000 | mode) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(info, path.read_bytes(), compresslevel=compress_level)
    if compress_level == 9 and shutil.which("advzip"):
        subprocess.run(["advzip", "-q", "-z", "-2", str(part)], check=True)
    part.replace(archive)
    return archive
