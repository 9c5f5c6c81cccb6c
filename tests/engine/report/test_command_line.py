"""The command line of a run: typed into a shell, it gives the same release."""

from types import SimpleNamespace

import pytest

from engine.cli.parsing.parser import main
from engine.core.platform import shell
from engine.files import frame_to_bytes, read_table
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from engine.report.command_line import command_line, protected_file_name
from tests.shells import split_command


@pytest.fixture
def firms(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [
        f"{number};{number * 7 % 40},5;{number * 13 % 90};"
        f"{'ab'[number % 2]};{number % 5}"
        for number in range(60)
    ]
    (tmp_path / "our firms.csv").write_text(
        "nr;sales, home;staff;region;debt\n" + "\n".join(rows), encoding="utf-8"
    )
    return read_table(
        tmp_path / "our firms.csv",
        roles={
            "nr": "identifier",
            "sales, home": "quasi-identifier",
            "staff": "quasi-identifier",
            "region": "other",
            "debt": "confidential",
        },
    )


@pytest.mark.parametrize(
    "choices",
    [
        {},
        {"method": "vmdav", "k": 4, "parameters": {"gamma": 0.7}},
        {"scaling": "range", "aggregation": "median", "seed": 5},
        {"strata": "region"},
        {"polish": True, "k": 4},
        {"method": "iterated", "parameters": {"iterations": 300}},
        {"constraints": ("`sales, home` + staff = 50",)},
    ],
)
def test_the_command_gives_the_same_release_byte_for_byte(firms, choices, tmp_path):
    outcome = run(Plan(**choices), firms)
    words = split_command(command_line(outcome.plan, firms))
    assert words[:2] == ["coterie", "run"]
    assert main(words[1:]) == 0
    written = (tmp_path / protected_file_name("our firms.csv")).read_bytes()
    assert written == frame_to_bytes(outcome.release.frame, firms.origin)


def test_on_windows_the_command_is_one_of_powershell(firms, tmp_path, monkeypatch):
    plan = Plan(constraints=("`sales, home` + staff = 50",), strata="region")
    outcome = run(plan, firms)
    arguments = split_command(command_line(outcome.plan, firms))
    monkeypatch.setattr(shell, "sys", SimpleNamespace(platform="win32"))
    powershell_command = command_line(outcome.plan, firms)
    assert "`\n" in powershell_command
    assert "\\\n" not in powershell_command
    assert split_command(powershell_command) == arguments


def test_an_identifier_that_was_kept_on_purpose_stays_kept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"{number},{number * 7 % 20}" for number in range(30)]
    (tmp_path / "t.csv").write_text("email_id,sales\n" + "\n".join(lines))
    table = read_table(
        "t.csv", roles={"email_id": "other", "sales": "quasi-identifier"}
    )
    outcome = run(Plan(), table)
    assert "email_id" in outcome.release.frame.columns
    words = split_command(command_line(outcome.plan, table))
    assert main(words[1:]) == 0
    written = (tmp_path / "t_protected.csv").read_bytes()
    assert written == frame_to_bytes(outcome.release.frame, table.origin)
