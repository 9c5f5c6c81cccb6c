"""What is installed is what is in the repository."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path, PurePath

import pytest

from tests.imports import imports, sources

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("package", ["engine", "dashboard", "sample_data"])
def test_every_file_that_is_no_module_is_packaged(package: str) -> None:
    patterns = PROJECT["tool"]["setuptools"]["package-data"][package]
    packaged = {path for pattern in patterns for path in (ROOT / package).glob(pattern)}
    data_files = {
        path
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".py"
    }
    assert data_files - packaged == set()


def test_the_licence_is_packaged_and_named() -> None:
    project = PROJECT["project"]
    (name,) = project["license-files"]
    text = (ROOT / name).read_text(encoding="utf-8")
    assert project["license"] == "BSD-3-Clause"
    assert text.startswith("BSD 3-Clause License")
    assert "Coterie contributors" in text
    # PEP 639: a licence expression and a licence classifier exclude each other.
    assert not [
        classifier
        for classifier in project["classifiers"]
        if classifier.startswith("License")
    ]


def test_whoever_imports_the_engine_gets_its_types() -> None:
    assert (ROOT / "engine" / "py.typed").is_file()
    assert "Typing :: Typed" in PROJECT["project"]["classifiers"]


NO_PACKAGES = {"engine", "dashboard", "sample_data", "tests"}


def imported(*folders: str) -> set[str]:
    """Return the distributions from which some folders import, lazily as well."""
    names = {
        statement.name.partition(".")[0]
        for folder in folders
        for path in sources(ROOT / folder)
        for statement in imports(path)
    }
    providers = packages_distributions()
    names -= NO_PACKAGES | sys.stdlib_module_names
    return {normal_name(min(providers.get(name, [name]), key=len)) for name in names}


def declared(*extras: str) -> set[str]:
    """Return the distributions that are asked for, with some extras."""
    optional_packages = PROJECT["project"]["optional-dependencies"]
    lines = [*PROJECT["project"]["dependencies"]]
    lines += [line for extra in extras for line in optional_packages[extra]]
    names = (re.match(r"[\w.-]+", line) for line in lines)
    return {normal_name(name[0]) for name in names if name is not None}


def normal_name(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


EXTRAS = ("auth", "cloud", "dask", "postgresql", "r", "sql")


def test_what_is_imported_is_declared() -> None:
    distributions = imported("engine", "dashboard", "sample_data")
    assert "streamlit" in distributions
    assert distributions - declared(*EXTRAS) == set()


BUILD = """
import sys
from setuptools import build_meta
print(getattr(build_meta, "build_" + sys.argv[1])(sys.argv[2]))
"""


def _contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return a wheel of a copy of the sources, and the wheel of its sdist."""
    folder = tmp_path_factory.mktemp("built")
    tools = folder / "tools"
    asking = [sys.executable, "-m", "pip", "install", "-q", "--target", str(tools)]
    process = subprocess.run(
        [*asking, "setuptools>=77"], check=False, capture_output=True, text=True
    )
    if process.returncode:
        pytest.skip(f"setuptools cannot be had: {process.stderr.strip()[-200:]}")
    folders = ("engine", "dashboard", "sample_data", ".ci/package")
    source = folder / "source"
    for name in folders:
        leave = shutil.ignore_patterns("__pycache__", "*.egg-info")
        shutil.copytree(ROOT / name, source / name, ignore=leave)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)

    def build(kind: str, where: Path) -> Path:
        build_process = subprocess.run(
            [sys.executable, "-c", BUILD, kind, str(folder)],
            cwd=where,
            env={**os.environ, "PYTHONPATH": str(tools)},
            check=True,
            capture_output=True,
            text=True,
        )
        return folder / build_process.stdout.splitlines()[-1]

    wheel = build("wheel", source).rename(folder / "first.whl")
    with tarfile.open(build("sdist", source)) as archive:
        archive.extractall(folder / "sdist", filter="data")
    (unpacked,) = (folder / "sdist").iterdir()
    return wheel, build("wheel", unpacked)


@pytest.mark.slow
def test_an_sdist_gives_the_same_wheel_without_tests(built: tuple[Path, Path]) -> None:
    first, second_contents = map(_contents, built)
    assert first == second_contents
    tops = {name.partition("/")[0] for name in first}
    assert {top for top in tops if not top.endswith(".dist-info")} == {
        *("coterie", "engine", "dashboard", "sample_data")
    }
    assert built[1].name.endswith("-py3-none-any.whl")
    assert not [name for name in first if "test" in PurePath(name).parts[0]]
    source_paths = {
        path.relative_to(ROOT).as_posix()
        for package in ("engine", "dashboard", "sample_data")
        for path in (ROOT / package).rglob("*.py")
    }
    assert source_paths <= set(first)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="each has a HOME of its own there")
def test_two_versions_beside_each_other_are_two(
    built: tuple[Path, Path], tmp_path: Path
) -> None:
    """They share a home, where kernels are kept, and are at work at one time."""
    columns = "a,b\n1,2\n2,3\n3,4\n4,9\n5,1\n6,2\n"
    (tmp_path / "d.csv").write_text(columns, encoding="utf-8")
    others = [path for path in sys.path if path.endswith("site-packages")]
    true_version = PROJECT["project"]["version"]
    running = {}
    for version in (true_version, "9.1.0"):
        site = tmp_path / f"site {version}"
        with zipfile.ZipFile(built[0]) as archive:
            archive.extractall(site)
        (info,) = site.glob("coterie-*.dist-info")
        metadata = (info / "METADATA").read_text(encoding="utf-8")
        metadata = metadata.replace(
            f"Version: {true_version}", f"Version: {version}", 1
        )
        (info / "METADATA").write_text(metadata, encoding="utf-8")
        info.rename(site / f"coterie-{version}.dist-info")
        words = ["run", "d.csv", "--all-numeric", "--k", "3", "--method", "md"]
        words += ["--output", f"{version}.csv", "--plan", f"{version}.json"]
        path = os.pathsep.join([str(site), *others])
        running[version] = subprocess.Popen(
            [sys.executable, "-P", "-m", "coterie", *words],
            cwd=tmp_path,
            env={"PATH": "/nowhere", "HOME": str(tmp_path), "PYTHONPATH": path},
        )
    assert [process.wait() for process in running.values()] == [0, 0]
    for version in running:
        plan = json.loads((tmp_path / f"{version}.json").read_text(encoding="utf-8"))
        assert plan["version"] == version
    files = [(tmp_path / f"{version}.csv").read_bytes() for version in running]
    assert files[0] == files[1]


INSTALLED = """
import sys
import coterie, engine
spec = engine.__spec__
import coterie.engine
from coterie.engine import Plan as same
from coterie import *
assert coterie.engine is engine and sys.modules["coterie.engine"] is engine
assert engine.__spec__ is spec and same is engine.Plan
assert coterie.dashboard.__name__ == "dashboard"
try:
    import coterie.engine.pipeline.plan
except ModuleNotFoundError as error:
    assert str(error) == "import engine.pipeline, without coterie."
assert coterie.methods is engine.methods
assert partition is engine.partition and Plan is coterie.Plan
assert set(engine.__all__) <= set(dir(coterie))
print(engine.__file__)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="folders of environments differ")
def test_a_wheel_works_anywhere(built: tuple[Path, Path], tmp_path: Path) -> None:
    place = tmp_path / "where ä blank is"
    venv.create(place, with_pip=False, symlinks=True)
    (site,) = place.glob("lib/python3*/site-packages")
    with zipfile.ZipFile(built[0]) as archive:
        archive.extractall(site)
    others = [path for path in sys.path if path.endswith("site-packages")]
    (site / "zz_others.pth").write_text("\n".join(others), encoding="utf-8")
    for path in site.rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    empty = tmp_path / "an empty folder"
    empty.mkdir()
    (empty / "d.csv").write_text(
        "a,b\n1,2\n2,3\n3,4\n4,9\n5,1\n6,2\n", encoding="utf-8"
    )
    bare = {"PATH": "/nowhere", "LANG": "C.UTF-8", "TMPDIR": str(tmp_path)}
    python = [str(place / "bin" / "python"), "-B"]

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*python, *words],
            cwd=empty,
            env=bare,
            check=False,
            capture_output=True,
            encoding="utf-8",
        )

    process = run("-c", INSTALLED)
    assert process.returncode == 0, process.stderr
    assert process.stdout.startswith(str(site))
    protecting = ("run", "d.csv", "--all-numeric", "--k", "3", "--output", "p.csv")
    process = run("-m", "coterie", *protecting)
    assert process.returncode == 0, process.stderr
    assert len((empty / "p.csv").read_text(encoding="utf-8").splitlines()) == 7
    (empty / "engine").mkdir()
    (empty / "engine" / "__init__.py").touch()
    process = run("-m", "coterie", "methods")
    assert process.returncode == 2
    assert "another package named engine stands before its own" in process.stderr
    assert "Traceback" not in process.stderr
