"""The folder that people unzip and double-click has all that it needs."""

import importlib
import io
import py_compile
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import pytest

from tests.imports import ROOT


def _module(name: str) -> ModuleType:
    folder = str(ROOT / ".ci" / "folder")
    if folder not in sys.path:
        sys.path.append(folder)
    return importlib.import_module(name)


build = _module("build")
libraries, interpreters = _module("libraries"), _module("interpreters")
launchers = _module("launchers")
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
    requirements = "".join(
        f"Requires-Dist: {requirement}\n" for requirement in required
    )
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr(
            f"{info}/METADATA",
            f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{requirements}",
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
    for phrase in ("it is LICENSE.txt", "licence of other", "licence of tzdata"):
        assert phrase in licences


def test_its_program_starts_the_python_beside_it(windows: zipfile.ZipFile) -> None:
    program = windows.read("Coterie-1.0/Coterie.exe")
    assert program.startswith(b"MZ")
    assert rb"#!<launcher_dir>\python\python.exe" in program
    with zipfile.ZipFile(io.BytesIO(program)) as packed:
        compile(packed.read("__main__.py"), "__main__.py", "exec")


@pytest.mark.parametrize(
    ("ending", "words", "waits"),
    [
        ("raise SystemExit(2)", [], True),
        ("return 2", [], True),
        ("raise SystemExit(0)", [], False),
        ("return 2", ["run"], False),
    ],
)
def test_its_window_stays_until_somebody_has_read_why_it_ended(
    windows: zipfile.ZipFile, tmp_path: Path, ending: str, words: list[str], waits: bool
) -> None:
    program = windows.read("Coterie-1.0/Coterie.exe")
    with zipfile.ZipFile(io.BytesIO(program)) as packed:
        packed.extract("__main__.py", tmp_path)
    (tmp_path / "coterie.py").write_text(f"def main(words):\n    {ending}\n")
    done = subprocess.run(
        [sys.executable, str(tmp_path / "__main__.py"), *words],
        input="\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert ("Press Enter" in done.stdout) == waits
    assert done.returncode == (0 if "0" in ending else 2)
    assert done.stderr == ""


def test_licences_of_all_libraries_are_in_one_file(windows: zipfile.ZipFile) -> None:
    text = windows.read("Coterie-1.0/LICENCES.txt").decode()
    infos = {
        name.split("/")[-2].removesuffix(".dist-info").replace("-", " ")
        for name in windows.namelist()
        if name.endswith(".dist-info/METADATA")
    }
    assert len(infos) == 4
    # Of the program that people double-click, too.
    infos.add(f"distlib {version('distlib')}")
    assert "PYTHON SOFTWARE FOUNDATION LICENSE" in text.partition("\ndistlib ")[2]
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


def test_libraries_run_without_their_sources_and_ours_keep_them(tmp_path: Path) -> None:
    site = tmp_path / "site-packages"
    for package in ("library", "engine"):
        folder = site / package
        folder.mkdir(parents=True)
        for name in ("__init__", "used", "unused"):
            (folder / f"{name}.py").write_text("def fail():\n    raise KeyError\n")
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    own_module = tmp_path / "of_python.py"
    own_module.write_text("")
    compiled = [*site.glob("*/__init__.py"), *site.glob("*/used.py"), own_module]
    for path in compiled:
        py_compile.compile(str(path), doraise=True, invalidation_mode=mode)
    libraries.remove_compiled_sources(site)
    assert [path.name for path in tmp_path.glob("*.py*")] == ["of_python.pyc"]
    file_names = {str(path.relative_to(site)) for path in site.rglob("*.py*")}
    assert {name for name in file_names if name.startswith("library/")} == {
        *("library/__init__.pyc", "library/used.pyc", "library/unused.py")
    }
    assert {
        f"engine/{name}.py" for name in ("__init__", "used", "unused")
    } <= file_names
    script = (
        "import engine.used, library.used, library.unused, pkgutil, library\n"
        "print(*sorted(each.name for each in pkgutil.iter_modules(library.__path__)))\n"
        "library.used.fail()"
    )
    words = [sys.executable, "-B", "-c", script]
    done = subprocess.run(words, cwd=site, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["unused", "used"]
    assert 'library/used.py", line 2, in fail' in done.stderr


def test_packed_modules_are_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "python3" / "site-packages"
    sources = {
        "library/__init__": "",
        "library/used": "def fail():\n    raise KeyError\n",
        "library/rare": "VALUE = 'é' * 500\n",
        "engine/__init__": "import inspect as i\nTEXT = i.getsource(i.currentframe())",
        "../encodings/rare": "A = 1\n",
        "../json/rare": "A = 1\n",
        "../rare": "A = 1\n",
    }
    for name, text in sources.items():
        path = site / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    for name in ("library/__init__", "library/used", "engine/__init__", "../warm"):
        path = site / f"{name}.py"
        path.touch()
        py_compile.compile(str(path), doraise=True, invalidation_mode=mode)
    libraries.remove_compiled_sources(site)
    libraries.pack_modules(site)
    packed = {
        str(path.relative_to(site.parent))
        for path in site.parent.rglob("*.py*")
        if path.read_bytes().startswith(b"x\xda")
    }
    cached = Path("__pycache__") / f"__init__.{sys.implementation.cache_tag}.pyc"
    assert packed == {
        *("site-packages/library/__init__.pyc", "site-packages/library/used.pyc"),
        *("site-packages/library/rare.py", f"site-packages/engine/{cached}"),
        *("json/rare.py", "rare.py"),
    }
    script = (
        "import site; site.addsitedir('.')\n"
        "import engine, library.used, library.rare, pkgutil, json\n"
        "assert engine.TEXT.startswith('import inspect as')\n"
        "assert library.rare.VALUE == 'é' * 500\n"
        "print(*sorted(each.name for each in pkgutil.iter_modules(library.__path__)))\n"
        "library.used.fail()"
    )
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    # What was a source is compiled once, and found to be up to date.
    written = []
    for _ in range(2):
        words = [sys.executable, "-S", "-c", script]  # no other hook of an editable one
        done = subprocess.run(words, cwd=site, capture_output=True, text=True)
        assert done.stdout.split() == ["rare", "used"], done.stderr
        assert 'library/used.py", line 2, in fail' in done.stderr
        (compiled,) = site.glob("library/__pycache__/rare.*")
        written.append(compiled.stat().st_mtime_ns)
    assert written[0] == written[1]


@pytest.mark.skipif(shutil.which("advzip") is None, reason="AdvanceCOMP is missing")
def test_an_archive_that_is_packed_again_has_the_same_files_and_programs(
    tmp_path: Path,
) -> None:
    top = tmp_path / "folder"
    (top / "python").mkdir(parents=True)
    program, text = top / "python" / "start", top / "Wörter.txt"
    program.write_bytes(b"\x7fELF" + bytes(range(256)) * 40)
    program.chmod(0o755)
    text.write_text("words and words\n" * 4_000, encoding="utf-8")
    zip_paths = [
        launchers.write_zip(top, tmp_path / f"{level}.zip", "0", level)
        for level in (8, 9)
    ]
    usual, small = (zipfile.ZipFile(path).infolist() for path in zip_paths)
    assert [(entry.filename, entry.external_attr, entry.CRC) for entry in small] == [
        (entry.filename, entry.external_attr, entry.CRC) for entry in usual
    ]
    assert {entry.filename: entry.external_attr >> 16 & 0o777 for entry in small} == {
        "Coterie-0/python/start": 0o755,
        "Coterie-0/Wörter.txt": 0o644,
    }
    with zipfile.ZipFile(zip_paths[1]) as packed:
        assert packed.testzip() is None
        assert packed.read("Coterie-0/Wörter.txt") == text.read_bytes()
