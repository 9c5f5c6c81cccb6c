"""The process that serves pages looks into no file that somebody has brought."""

import json
import sys
import tomllib
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from dashboard.projects import archive
from dashboard.projects.project import project_to_bytes as project_of
from dashboard.readers import releases, work_kinds
from dashboard.readers.readings import read_file_and_wait
from dashboard.readers.releases import make_outcome_input_writer
from dashboard.state import session
from engine.analysis.releases.ledger import Ledger
from engine.certificate import certify
from engine.certificate import write as certificates
from engine.cli import main as coterie
from engine.data.table import Origin, Table
from engine.files import formats, frame_to_bytes, read_table
from engine.files.input.source import InputBytes
from engine.hierarchy import read_hierarchy
from engine.pipeline.plan import Plan
from engine.release import verify
from tests.dashboard.app_pages.learn.lessons import open_lesson
from tests.dashboard.app_pages.learn.test_class import (
    CERTIFICATE_KEY,
    choose_own_file,
    downloads,
)
from tests.dashboard.pages import (
    labelled,
    offers_release,
    open_page,
    press,
    small_table,
    with_runs,
    with_table,
    workspace,
)
from tests.engine.analysis.need.cases import OWN_RULE_SET

LAST = b" \t \n\t "
"""At the end of JSON and TOML that is brought, and of nothing this program writes."""


def refuse(*_: Any, **__: Any) -> None:
    raise AssertionError("a file that somebody has brought is read in the server")


@pytest.fixture
def guarded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing be read here but files that come with the program."""
    original_init = InputBytes.__init__

    def source(self: InputBytes, *arguments: Any, **named: Any) -> None:
        original_init(self, *arguments, **named)
        if self.content is not None and self.path is None:
            refuse()

    def refusing(parse: Callable[..., Any]) -> Callable[..., Any]:
        def loads(content: str | bytes, **named: Any) -> Any:
            text = content if isinstance(content, str) else content.decode()
            return refuse() if LAST.decode() in text else parse(text, **named)

        return loads

    def archived(
        self: Any, file: Any, mode: str = "r", *more: Any, **named: Any
    ) -> None:
        if mode == "r":
            refuse()
        zipped(self, file, mode, *more, **named)

    zipped = zipfile.ZipFile.__init__
    monkeypatch.setattr(InputBytes, "__init__", source)
    for language in (json, tomllib):
        monkeypatch.setattr(language, "loads", refusing(language.loads))
    monkeypatch.setattr(zipfile.ZipFile, "__init__", archived)
    forbidden = (
        read_hierarchy,
        certify.parse_certificate,
        archive.unpack_archive,
        certificates.build_certificate,
        verify.release_bytes_and_checks,
        work_kinds.carry_out_file_order,
        releases.make_written_release_or_refusal,
    )
    for module in [*sys.modules.values()]:
        if getattr(module, "__name__", "").startswith(("engine", "dashboard")):
            for name, what in [*vars(module).items()]:
                if any(what is function for function in forbidden):
                    monkeypatch.setattr(module, name, refuse)


def bring(page: Any, label: str, name: str, content: bytes) -> None:
    uploader = labelled(page.file_uploader, label)
    uploader.set_value((name, content, "application/octet-stream")).run()
    assert not page.error


FORMATS = {info.suffixes[0]: info.id for info in formats.infos() if info.writable}


@pytest.mark.usefixtures("guarded")
@pytest.mark.parametrize(
    "suffix",
    [
        pytest.param(
            file_suffix, marks=[] if file_suffix == ".xlsx" else [pytest.mark.slow]
        )
        for file_suffix in FORMATS
    ],
)
def test_a_table_is_opened_and_released_elsewhere(suffix: str) -> None:
    content = frame_to_bytes(small_table().frame, Origin(FORMATS[suffix]))
    page = open_page()
    bring(page, "Another file", f"firms{suffix}", content)
    table = workspace(page).table
    assert table.carried.content == content
    table = replace(table, schema=small_table().schema)
    ws = with_runs(table, methods=("mdav",), sizes=(3, 4))
    for name in ("data", "compare", "inspect"):
        assert not open_page(name, ws).error
    first, second = session.requested_outcomes(ws)
    page = open_page("release", replace(ws, chosen=first.plan))
    assert offers_release(page)
    ledger = Ledger.new()
    ledger = ledger.with_entry(ledger.entry_for(first, table, "a", b"a"))
    bring(page, "Continue a ledger", ".coterie-ledger", ledger.to_bytes() + LAST)
    assert workspace(page).ledger.entries[0].name == "a"
    assert offers_release(page)
    page = open_page("release", replace(workspace(page), chosen=second.plan))
    assert not offers_release(page)
    proof = read_file_and_wait(
        "certificate", make_outcome_input_writer(first, table, 1.0), "certificate.json"
    )
    assert json.loads(proof)["k"] == 3


@pytest.mark.usefixtures("guarded")
def test_plans_projects_rules_and_hierarchies_are_read_elsewhere() -> None:
    plan = Plan(method="mdav", k=7).to_json()
    page = open_page("data", with_table(small_table()))
    bring(page, "Plan file", "plan.json", plan.encode() + LAST)
    assert workspace(page).sizes == (7,)
    content = project_of(workspace(page), "Spring", with_data=True)
    press(page, "Project")
    bring(page, "Open a project", "Spring.coterie", content)
    assert workspace(page).project == "Spring"
    page = open_page("need", with_table(small_table()))
    bring(page, "Rule file", "rules.toml", OWN_RULE_SET.encode() + LAST)
    assert workspace(page).need_said["own_rules"] == "k >= 7"
    tree = read_file_and_wait("hierarchy", b"4350,4,*\n4351,4,*\n", "levels.csv")
    assert tree.height == 2
    job_result = read_file_and_wait("table", b"a,b\n1,2\n", "t.csv")
    assert job_result.table.n_records == 1


@pytest.fixture
def certified(tmp_path: Path) -> tuple[Table, bytes]:
    """Return a release and its certificate."""
    frame = pd.DataFrame({"a": [0.37 * i for i in range(40)], "b": range(40)})
    frame.to_csv(tmp_path / "o.csv", index=False)
    words = ["run", str(tmp_path / "o.csv"), "--all-numeric", "--k", "4", "--output"]
    words += [str(tmp_path / "r.csv"), "--certificate", str(tmp_path / "c.json")]
    assert coterie(words) == 0
    return read_table(tmp_path / "r.csv"), (tmp_path / "c.json").read_bytes()


def test_a_class_s_certificate_is_parsed_elsewhere(
    certified: tuple[Table, bytes], guarded: None
) -> None:
    table, certificate = certified
    for content, error_texts in (
        (certificate, []),
        (b'{"a":' + b"[" * 100_000 + LAST, ["is no certificate of this version"]),
    ):
        page = open_lesson(ws=with_table(table))
        choose_own_file(page, "release")
        page.file_uploader(key=CERTIFICATE_KEY).set_value(
            ("c.json", content, "application/json")
        ).run()
        assert len(page.error) == len(error_texts)
        assert all(error_texts[0] in each.value for each in page.error)
        assert bool(downloads(page)) is not bool(error_texts)
