"""``coterie propose``: roles, kinds and reasons, in words and for programs."""

import json
from pathlib import Path

import pytest

from engine.cli import main

LINES = [
    "name;born;sex;net;group",
    *(
        f"{('Miller', 'Okafor', 'Li')[i % 3]}, Anna;{1950 + i}-03-0{1 + i % 9};"
        f"{'mf'[i % 2]};{1000 + 37 * i},5;{'ABC'[i % 3]}"
        for i in range(40)
    ),
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text("\n".join(LINES) + "\n")
    return path


def test_programs_get_roles_kinds_and_reasons(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["propose", str(file), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["file"], answer["n_records"]) == ("people.csv", 40)
    columns = {column["name"]: column for column in answer["columns"]}
    assert list(columns) == ["name", "born", "sex", "net", "group"]
    roles = {name: column["role"] for name, column in columns.items()}
    assert roles == {
        "name": "identifier",
        "born": "quasi-identifier",
        "sex": "quasi-identifier",
        "net": "quasi-identifier",
        "group": "undecided",
    }
    assert {name: column["kind"] for name, column in columns.items()} == {
        "name": "nominal",
        "born": "ordinal",
        "sex": "nominal",
        "net": "continuous",
        "group": "nominal",
    }
    assert all(column["reason"].endswith(".") for column in answer["columns"])
    assert all(0 < column["confidence"] <= 1 for column in answer["columns"])
    assert {column["sure"] for column in answer["columns"]} <= {
        "certain",
        "likely",
        "unsure",
    }
    question_columns = {name for name, column in columns.items() if column["question"]}
    assert question_columns == {"group"}
    assert columns["born"]["hierarchy"]["levels"] > 2


def test_people_get_a_line_for_each_column(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["propose", str(file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1:6]] == [
        *("name", "born", "sex", "net", "group")
    ]
    assert "identifier" in lines[1]
    assert "What is 'group'?" in lines[-1]


def test_what_is_no_table_is_said_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "none.csv").write_text("")
    assert main(["propose", str(tmp_path / "none.csv"), "--json"]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert len(output.err.strip().splitlines()) == 1
