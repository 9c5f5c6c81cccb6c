"""An installation says what it is, and is what was tested."""

import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

from dashboard import doctor
from tests.imports import ROOT


@pytest.mark.slow
def test_the_doctor_says_where_nothing_compiled_can_be_kept(tmp_path: Path) -> None:
    nowhere = tmp_path / "file"
    nowhere.write_text("no folder")
    folder_variables = dict.fromkeys(
        ("HOME", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR"), str(nowhere)
    )
    work = tmp_path / "work"
    work.mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "dashboard.doctor"],
        env=os.environ | folder_variables | {"TMPDIR": str(work)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "would fail: quick starts" in done.stdout
    assert done.returncode == 1
    assert not list(work.iterdir())


def test_the_doctor_says_what_would_fail(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "dashboard.doctor"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "runs at once" in done.stdout
    assert done.returncode == ("would fail:" in done.stdout)


@pytest.mark.parametrize(
    ("is_folder", "advice"),
    [
        (False, "pip install 'coterie[{extra}]'"),
        (True, "Coterie installed by pip with [{extra}]: this folder has it not"),
    ],
)
def test_the_doctor_finds_nothing_that_who_works_alone_would_miss(
    is_folder: bool,
    advice: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(doctor, "ineffective_variable_warnings", lambda: [])
    monkeypatch.setattr(doctor, "_has_sign_in", lambda: False)
    monkeypatch.setattr(doctor, "_FORMAT_EXTRAS", {"r": ("no_such_module", "r")})
    monkeypatch.setattr(doctor, "is_memory_limit_enforced", lambda: False)
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "python"))
    if is_folder:
        (tmp_path / "LICENCES.txt").touch()
    assert doctor.main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "nothing would fail"
    if doctor.sys.platform != "win32":
        assert f"for a team: --sign-in takes {advice.format(extra='auth')}" in lines
    assert f".rds .rdata .rda (takes {advice.format(extra='r')})" in "\n".join(lines)


def test_the_bill_names_what_is_installed() -> None:
    from dashboard.bill import bill_of_materials

    named = {
        component["name"]: component["version"]
        for component in bill_of_materials()["components"]
    }
    assert named["streamlit"] == version("streamlit")
    assert named["pyarrow"] == version("pyarrow")


LOCKED = {
    "": "requirements.lock",
    "auth": "requirements.lock",
    "dask": "requirements.lock",
    "postgresql": "requirements.lock",
    "sql": "requirements.lock",
    "r": "requirements-r.lock",
}
"""Where the packages of extras are locked; no server has those of tests, sites and
stores, which commands read."""


def test_every_dependency_is_locked_with_digests_and_no_address() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    needed = {"": project["dependencies"], **project["optional-dependencies"]}
    assert set(needed) - set(LOCKED) == {"cloud", "docs", "test"}
    for extra, file_name in LOCKED.items():
        versions = _locked(file_name)
        for requirement in needed[extra]:
            package, specifier = re.fullmatch(
                r"([\w-]+)(?:\[\w+\])?(.*)", requirement
            ).groups()
            locked_versions = versions[package]
            assert (
                list(SpecifierSet(specifier).filter(locked_versions)) == locked_versions
            ), requirement


def _locked(name: str) -> dict[str, list[str]]:
    """Return the versions of each package in a file, all with digests."""
    text = (ROOT / name).read_text(encoding="utf-8")
    assert "://" not in text
    versions: dict[str, list[str]] = {}
    for entry in re.split(r"\n(?=\S)", text.strip()):
        assert "--hash=sha256:" in entry, entry
        package, version_of = re.match(r"([\w.-]+)==([\w.]+)", entry).groups()
        versions.setdefault(package, []).append(version_of)
    return versions
