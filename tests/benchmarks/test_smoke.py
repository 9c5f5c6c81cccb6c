"""Every benchmark still runs."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.benchmarks import __main__ as benchmarks
from tests.benchmarks import ratios
from tests.browser.conftest import REQUIRED
from tests.browser.driver import find_browser
from tests.dashboard.places.servers import need_proxy

ROOT = Path(__file__).parents[2]
IN_A_BROWSER = ("pages",)
RUN_BY_CI = ("ratios",)
"""Tables that continuous integration prints in full, right after these tests."""


def run(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return subprocess.run(
        [sys.executable, "-m", "tests.benchmarks", *words],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({*benchmarks.TABLES} - {*RUN_BY_CI}))
def test_it_prints_its_table(name: str, tmp_path: Path) -> None:
    if name in IN_A_BROWSER and find_browser() is None and not REQUIRED:
        pytest.skip("no Chromium was found: install it, or set COTERIE_CHROMIUM")
    if name == "load":
        need_proxy("haproxy")
    done = run("--smoke", name, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert f"## {name}" in done.stdout
    assert len(done.stdout.splitlines()) > 5


def test_every_benchmark_has_a_name() -> None:
    files = Path(__file__).parent.glob("[!_]*.py")
    parts = {"data", "first_view", "smoke", "test_smoke", "visitor"}
    assert {path.stem for path in files} - parts == set(benchmarks.TABLES)


def test_what_is_slower_than_a_file_says_is_printed(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    measured = {"mdav": 1.0, "run": 4.0, "read csv": 2.0}

    def measure() -> Iterator[tuple[str, str, float]]:
        for name, ratio in measured.items():
            yield name, "sort", ratio

    monkeypatch.setattr(ratios, "measure_ratios", measure)
    path = tmp_path / "ratios.json"
    assert benchmarks.main(["--against", str(path)]) == 2
    assert "there is no file" in capsys.readouterr().out
    assert benchmarks.main(["--write", str(path)]) == 0
    measured |= {"mdav": 1.2, "run": 4.4, "new": 9.0}
    del measured["read csv"]
    assert benchmarks.main(["--against", str(path)]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == [
        "mdav: 1.2 times sort, 1.20 times as much as the 1 in ratios.json",
        "read csv: not measured any more",
    ]


def test_a_table_that_there_is_not_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert benchmarks.main(["sped"]) == 2
    assert "no table called sped" in capsys.readouterr().out
