"""The folder that people unzip and double-click works where there is nothing else."""

from __future__ import annotations

import importlib
import io
import subprocess
import sys
import tarfile
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests.imports import ROOT

MAX_UNPACKED_BYTES, MAX_ZIPPED_BYTES = 500 * 10**6, 200 * 10**6


def _module(name: str) -> ModuleType:
    folder = str(ROOT / ".ci" / "folder")
    if folder not in sys.path:
        sys.path.append(folder)
    return importlib.import_module(name)


build = _module("build")
libraries, interpreters = _module("libraries"), _module("interpreters")
BuildError: type[Exception] = interpreters.BuildError


def embeddable(path: Path) -> Path:
    """Return an archive with the names that the embeddable package has."""
    with zipfile.ZipFile(path, "w") as packed:
        for name in ("python.exe", "python313.dll", "LICENSE.txt"):
            packed.writestr(name, f"it is {name}")
        packed.writestr("python313._pth", "python313.zip\r\n.\r\n#import site\r\n")
    return path


def wheel(folder: Path, name: str, *required: str, **files: str) -> Path:
    """Return a wheel of a library with files, of which `__` stands for a slash."""
    path = folder / f"{name}-1.0-py3-none-any.whl"
    info = f"{name}-1.0.dist-info"
    asked = "".join(f"Requires-Dist: {one}\n" for one in required)
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr(
            f"{info}/METADATA",
            f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{asked}",
        )
        packed.writestr(
            f"{info}/WHEEL",
            "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        packed.writestr(f"{info}/RECORD", "")
        packed.writestr(f"{info}/licenses/LICENSE", f"licence of {name}")
        for written, text in files.items():
            packed.writestr(written.replace("__", "/"), text)
    return path


@pytest.fixture
def windows(tmp_path: Path) -> Iterator[zipfile.ZipFile]:
    """Yield a folder for Windows, made of imitations of Python and of libraries."""
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    wheel(wheels, "coterie", "other", 'colorama; sys_platform == "win32"')
    for name in ("tzdata", "colorama"):
        wheel(wheels, name)
    wheel(wheels, "other", other__tests__a="x", other__a="y", **{"other/b.h": "z"})
    python = embeddable(tmp_path / "embed.zip")
    words = ["windows", "--interpreter", str(python), "--wheels", str(wheels)]
    assert build.main([*words, "--output", str(tmp_path / "out")]) == 0
    with zipfile.ZipFile(tmp_path / "out" / "Coterie-1.0-windows.zip") as packed:
        yield packed


def test_a_folder_for_windows_has_all_that_it_needs(windows: zipfile.ZipFile) -> None:
    home, site = "Coterie-1.0/", "Coterie-1.0/python/Lib/site-packages/"
    names = {name for name in windows.namelist() if ".dist-info" not in name}
    assert {name.removeprefix(home) for name in names} == {
        *("Coterie.exe", "README.txt", "LICENCES.txt", "python/python.exe"),
        *("python/python313.dll", "python/python313._pth", "python/LICENSE.txt"),
        "python/Lib/site-packages/other/a",
    }
    assert windows.read(f"{site}other/a") == b"y"
    path = windows.read(f"{home}python/python313._pth").split()
    assert path == [b"python313.zip", b".", rb"Lib\site-packages"]
    licences = windows.read(f"{home}LICENCES.txt").decode()
    for said in ("it is LICENSE.txt", "licence of other", "licence of tzdata"):
        assert said in licences


def test_its_program_starts_the_python_beside_it(windows: zipfile.ZipFile) -> None:
    program = windows.read("Coterie-1.0/Coterie.exe")
    assert program.startswith(b"MZ")
    assert rb"#!<launcher_dir>\python\python.exe" in program
    with zipfile.ZipFile(io.BytesIO(program)) as packed:
        compile(packed.read("__main__.py"), "__main__.py", "exec")


def test_licences_of_all_libraries_are_in_one_file(windows: zipfile.ZipFile) -> None:
    text = windows.read("Coterie-1.0/LICENCES.txt").decode()
    infos = {
        name.split("/")[-2].removesuffix(".dist-info").replace("-", " ")
        for name in windows.namelist()
        if name.endswith(".dist-info/METADATA")
    }
    assert len(infos) == 4
    assert {info for info in infos if f"\n{info}\n" not in text} == set()


def test_what_only_the_other_system_needs_is_asked_for(tmp_path: Path) -> None:
    asking = [wheel(tmp_path, "a", 'winonly; sys_platform == "win32"', "b[c]>=1")]
    both = [*asking, wheel(tmp_path, "b", 'never; extra == "c"')]
    libraries.check_requirements(both, "linux", (3, 11))
    with pytest.raises(BuildError, match="wheel of winonly is missing, which a"):
        libraries.check_requirements(both, "windows", (3, 13))
    with pytest.raises(BuildError, match="wheel of b is missing"):
        libraries.check_requirements(asking, "macos", (3, 11))


def _tar(path: Path) -> Path:
    with tarfile.open(path, "w:gz"):
        pass
    return path


MISTAKES: list[tuple[str, Callable[[Path], list[str]]]] = [
    ("name the Python for windows", lambda at: ["windows"]),
    ("no file", lambda at: ["macos", "--interpreter", str(at / "none")]),
    ("no zip archive", lambda at: ["windows", "--interpreter", __file__]),
    ("no tar archive", lambda at: ["linux", "--interpreter", __file__]),
    (
        "no relocatable Python",
        lambda at: ["linux", "--interpreter", str(_tar(at / "empty.tar.gz"))],
    ),
    (
        "no embeddable Python",
        lambda at: ["windows", "--interpreter", str(wheel(at, "no_python"))],
    ),
    ("no folder of wheels", lambda at: ["linux", "--wheels", str(at / "none")]),
]


@pytest.mark.parametrize(("said", "words"), MISTAKES, ids=[m[0] for m in MISTAKES])
def test_a_mistake_is_one_sentence_and_leaves_nothing(
    said: str,
    words: Callable[[Path], list[str]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "out"
    assert build.main([*words(tmp_path), "--output", str(out)]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert not out.exists()


def test_a_wheel_that_is_none_is_named(tmp_path: Path) -> None:
    bad = tmp_path / "bad-1.0-py3-none-any.whl"
    bad.write_bytes(b"no archive")
    with pytest.raises(BuildError, match=r"bad-1.0-py3-none-any.whl is no wheel"):
        libraries.check_requirements([bad], "windows", (3, 13))


# ---- the Linux form, as people have it ----


def unzip_folder(place: Path) -> Path:
    """Return the folder for Linux, unzipped where it was not built."""
    if sys.platform != "linux":
        pytest.skip("the Python that runs is copied on Linux only")
    try:
        archive = build.build("linux", None, None, place)
    except BuildError as error:
        if "cannot be had" not in str(error):
            raise
        pytest.skip(str(error))
    assert archive.stat().st_size < MAX_ZIPPED_BYTES
    with zipfile.ZipFile(archive) as packed:
        assert sum(one.file_size for one in packed.infolist()) < MAX_UNPACKED_BYTES
        for info in packed.infolist():
            path = Path(packed.extract(info, place))
            path.chmod(info.external_attr >> 16 & 0o777)
    archive.unlink()
    (top,) = place.iterdir()
    return top


def _start(top: Path, *words: str, home: Path) -> subprocess.Popen[str]:
    """Start the folder's program where there is neither Python nor environment."""
    tools = home / "bin"
    tools.mkdir(parents=True, exist_ok=True)
    if not (tools / "dirname").exists():
        (tools / "dirname").symlink_to("/usr/bin/dirname")
    bare = {"PATH": str(tools), "HOME": str(home), "LANG": "C.UTF-8"}
    bare["NUMBA_DEBUG_CACHE"] = "1"  # it says what it compiles
    return subprocess.Popen(
        [str(top / "coterie"), *words],
        cwd=home,
        env=bare,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def _run(top: Path, *words: str, home: Path) -> str:
    process = _start(top, *words, home=home)
    out, error = process.communicate()
    assert process.returncode == 0, error
    return out


@pytest.mark.slow
def test_the_folder_for_linux_works_where_there_is_nothing_else(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    # One test, because each worker would build the folder once more.
    top = unzip_folder(tmp_path_factory.mktemp("a blank and ä"))
    check_protected_file(top, tmp_path_factory.mktemp("run"))
    check_imports(top, tmp_path_factory.mktemp("imports"))
    check_page(top, tmp_path_factory.mktemp("page"))


def check_protected_file(unzipped: Path, tmp_path: Path) -> None:
    """Check that the folder protects as an installation does."""
    assert _run(unzipped, "--version", home=tmp_path).startswith("coterie 0.")
    sample = ROOT / "sample_data" / "business_survey.csv"
    words = ("run", str(sample), "--all-numeric", "--k", "5", "--output")
    said = _run(unzipped, *words, "theirs.csv", home=tmp_path)
    ours = tmp_path / "ours.csv"
    subprocess.run([sys.executable, "-m", "engine", *words, str(ours)], check=True)
    assert (tmp_path / "theirs.csv").read_bytes() == ours.read_bytes()
    # What was compiled beside the sources serves this processor as it is.
    assert "[cache] data loaded from" in said
    assert "[cache] data saved to" not in said


IMPORT_ALL = """
import importlib, pkgutil, sys
for name in ("engine", "dashboard", "sample_data"):
    package = importlib.import_module(name)
    for info in pkgutil.walk_packages(package.__path__, f"{name}."):
        last = info.name.rpartition(".")[2]
        if last != "__main__" and info.name not in ("dashboard.app", "engine.files.r"):
            importlib.import_module(info.name)
import streamlit.web.bootstrap, streamlit.web.cli, uvicorn, plotly.graph_objects
from engine.files import formats
assert "distributed" not in sys.modules and len(list(formats)) > 5
from coterie import *
import psutil
left = [m.path for m in psutil.Process().memory_maps() if ".so" in m.path]
print(*left, sep="\\n")
"""
"""Everything is imported, and nothing from elsewhere but what each Linux has."""


def check_imports(unzipped: Path, tmp_path: Path) -> None:
    """Check that nothing that is imported was left out."""
    python = unzipped / "python" / "bin" / "python3"
    ran = subprocess.run(
        [str(python), "-I", "-c", IMPORT_ALL],
        env={"PATH": "/nowhere", "HOME": str(tmp_path)},
        check=False,
        capture_output=True,
        encoding="utf-8",
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    loaded = {Path(line) for line in ran.stdout.splitlines()}
    elsewhere = {one.name for one in loaded if not one.is_relative_to(unzipped)}
    assert {n for n in elsewhere if not interpreters._OF_EVERY_LINUX.match(n)} == set()


def check_page(unzipped: Path, tmp_path: Path) -> None:
    """Check that the page opens, and a second start opens the same."""
    first = _start(unzipped, home=tmp_path)
    try:
        assert first.stdout is not None
        said = first.stdout.readline()
        assert said.startswith("Coterie is at http://127.0.0.1:"), said
        address = said.split()[3]
        answered = False
        while not answered:  # it has said where it will be, and is soon there
            assert first.poll() is None
            try:
                with urllib.request.urlopen(f"{address}/") as answer:
                    answered = b"<title>" in answer.read()
            except OSError:
                continue
        second = _run(unzipped, home=tmp_path)
        assert second == f"Coterie is open already, at {address}\n"
    finally:
        first.terminate()
        first.communicate()
