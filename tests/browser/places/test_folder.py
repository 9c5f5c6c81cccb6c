"""The folder for Linux: unzip, open the first page, protect a file; no Python is near.

The folder is built of wheels as for a release, and used where nothing else is: no
Python on the path, no network for what is typed, a home of its own.
"""

import csv
import os
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import free_port, wait_until_healthy
from tests.browser.driver import tab, upload
from tests.children import heed_interrupts
from tests.imports import ROOT, imports, sources
from tests.test_packaging import EXTRAS, declared, normal_name

MAX_UNPACKED_MB, MAX_ZIPPED_MB = 500, 200
"""Megabytes; a third of it is LLVM, the compiler of the kernels, in one file."""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it is Linux's folder")


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("archive")
    words = [sys.executable, str(ROOT / ".ci" / "folder" / "build.py"), "linux"]
    building = subprocess.run(
        [*words, "--output", str(output), "--compress-level", "6"],  # 9 takes a minute
        check=False,
        capture_output=True,
        text=True,
    )
    assert building.returncode == 0, building.stderr
    return Path(building.stdout.strip())


@pytest.fixture(scope="module")
def folder(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder, unpacked where its path has a blank and an umlaut."""
    place = tmp_path_factory.mktemp("Eigene Wörter")
    with zipfile.ZipFile(archive) as packed:
        for info in packed.infolist():
            path = packed.extract(info, place)
            os.chmod(path, info.external_attr >> 16)
    (top,) = place.iterdir()
    return top


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """Return an environment in which a launcher finds a shell's own tools only."""
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "dirname").symlink_to(shutil.which("dirname") or "/usr/bin/dirname")
    home = tmp_path / "home"
    home.mkdir()
    return {"PATH": str(tools), "HOME": str(home), "TMPDIR": str(tmp_path)}


@contextmanager
def started(folder: Path, bare: dict[str, str], log: Path) -> Iterator[str]:
    """Start the folder's dashboard; yield its address."""
    port = free_port()
    with log.open("wb") as written:
        process = subprocess.Popen(
            [str(folder / "coterie"), "--port", str(port)],
            env=bare | {"STREAMLIT_SERVER_HEADLESS": "true"},
            stdout=written,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            preexec_fn=heed_interrupts,
        )
    try:
        wait_until_healthy(f"http://127.0.0.1:{port}", process, log)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)


def test_it_is_small_enough_to_be_sent(archive: Path, folder: Path) -> None:
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < MAX_UNPACKED_MB * 1e6
    assert archive.stat().st_size < MAX_ZIPPED_MB * 1e6


def test_it_opens_a_page_and_a_file(
    folder: Path, bare: dict[str, str], tmp_path: Path, browser: Browser
) -> None:
    sample = ROOT / "sample_data" / "business_survey.csv"
    with (
        started(folder, bare, tmp_path / "log.txt") as url,
        tab(browser, url) as page,
    ):
        upload(page, sample)
        expect(page.get_by_text("business_survey.csv").first).to_be_visible()
        expect(page.locator(".js-plotly-plot").first).to_be_visible()


def test_it_protects_a_file_without_a_network(
    folder: Path, bare: dict[str, str], tmp_path: Path
) -> None:
    protected = tmp_path / "protected.csv"
    sample = folder / "python" / "lib"
    (sample,) = sample.glob("python3*/site-packages/sample_data/business_survey.csv")
    words = [str(folder / "coterie"), "protect", str(sample)]
    unshare = shutil.which("unshare")
    if unshare is not None:
        words = [unshare, "--map-root-user", "--net", *words]
    running = subprocess.run(
        [*words, "--output", str(protected)],
        env=bare,
        check=False,
        capture_output=True,
        text=True,
    )
    assert running.returncode in (0, 3), running.stderr
    with protected.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(sample.read_text(encoding="utf-8").splitlines()) - 1


def test_what_is_left_out_is_imported_nowhere(
    folder: Path, bare: dict[str, str], tmp_path: Path
) -> None:
    """All that any module imports is there, also what it imports later or rarely.

    The same of what shared libraries take of each other, which is asked for at once.
    """
    names = {
        each.name.removesuffix(".*")
        for package in ("engine", "dashboard", "sample_data")
        for path in sources(ROOT / package)
        for each in imports(path)
    }
    names_file = tmp_path / "names"
    names_file.write_text("\n".join(sorted(names)), encoding="utf-8")

    def missing(python: str, environment: dict[str, str]) -> set[str]:
        words = [python, "-I", "-c", _IMPORT_ALL, str(names_file)]
        running = subprocess.run(
            words, env=environment, capture_output=True, text=True, cwd=tmp_path
        )
        assert running.returncode == 0, running.stderr
        return set(running.stdout.split())

    at_once = bare | {"LD_BIND_NOW": "1"}
    inside = missing(str(folder / "python" / "bin" / "python3"), at_once)
    assert len(inside) < len(names) / 10
    # Those of other systems, and those that only the checker of types reads.
    inside -= missing(sys.executable, dict(os.environ))
    extras = declared(*EXTRAS) - declared()
    providers = packages_distributions()
    of_extras = {
        top for top in providers if extras & {*map(normal_name, providers[top])}
    }
    assert {name for name in inside if name.partition(".")[0] not in of_extras} == set()


_IMPORT_ALL = """
import pkgutil, sys, warnings
from pathlib import Path
warnings.simplefilter("ignore")
for name in Path(sys.argv[1]).read_text(encoding="utf-8").split():
    try:
        pkgutil.resolve_name(name)
    except (ImportError, AttributeError):
        print(name)
"""


@pytest.mark.parametrize(
    "words", [["-W", "error"], ["-X", "dev"], ["-X", "importtime"], ["-s", "-P"]]
)
@pytest.mark.parametrize("locale", ["C", "de_DE.ISO-8859-15", "zh_CN.GB18030"])
def test_its_python_starts_however_it_is_asked(
    folder: Path, bare: dict[str, str], words: list[str], locale: str
) -> None:
    program = str(folder / "python" / "bin" / "python3")
    running = subprocess.run(
        [program, *words, "-c", "import xml.dom.minidom, sklearn; print('é')"],
        env=bare | {"LC_ALL": locale, "PYTHONIOENCODING": "iso8859_15"},
        capture_output=True,
    )
    assert running.stdout == b"\xe9\n", running.stderr.decode(errors="replace")


def test_it_needs_nothing_of_this_machine(folder: Path, bare: dict[str, str]) -> None:
    words = [str(folder / "python" / "bin" / "python3"), "-I", "-c", _LOADED]
    running = subprocess.run(words, env=bare, capture_output=True, text=True)
    assert running.returncode == 0, running.stderr
    for line in running.stdout.splitlines():
        assert line.startswith(str(folder)), line


_LOADED = """
import re, sys
from dashboard.places import preload
preload.import_server_and_first_pages()
import statsmodels.genmod.generalized_linear_model, pyreadstat
for module in list(sys.modules.values()):
    if getattr(module, "__file__", None):
        print(module.__file__)
with open("/proc/self/maps", encoding="utf-8") as maps:
    for line in maps:
        path = line.split(maxsplit=5)[-1].strip()
        system = r"/(ld-linux|lib(c|m|dl|rt|pthread|util|resolv|gcc_s|stdc|z))"
        if ".so" in path and not re.search(system + r"[^/]*$", path):
            print(path)
"""
