"""Columns of one name are told apart where nobody can type an option."""

import io
import zipfile

import pytest

from dashboard.readers.work_kinds import read_matching_table_and_proposals
from engine.cli.parsing.parser import main
from engine.core.errors import InputError
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from engine.report.command_line import command_line
from tests.engine.files.workbooks.test_xls import PEOPLE
from tests.shells import split_command

TEXT = "age,name,name\n" + "".join(f"{20 + n},{n % 4},{n}.5\n" for n in range(40))


def zipped() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("inner.csv", TEXT)
    return content.getvalue()


@pytest.mark.parametrize(
    ("content", "name", "names"),
    [
        (TEXT.encode(), "p.csv", ("age", "name", "name (2)")),
        (zipped(), "p.zip", ("age", "name", "name (2)")),
        (PEOPLE, "p.xls", ("age", "town", "age (2)")),
    ],
)
def test_they_are_read_from_every_format(content, name, names):
    table, _ = read_matching_table_and_proposals(content, name)
    assert table.schema.names == names


def test_what_else_is_wrong_is_said_as_before():
    with pytest.raises(InputError, match="header but no records"):
        read_matching_table_and_proposals(b"a,b\n", "p.csv")


def test_the_command_reads_them_so_too(tmp_path, monkeypatch):
    (tmp_path / "p.csv").write_text(TEXT)
    table, _ = read_matching_table_and_proposals(TEXT.encode(), "p.csv")
    roles = {"age": "quasi-identifier", "name": "other", "name (2)": "other"}
    table = table.assign(roles=roles)
    words = command_line(run(Plan(method="mdav", k=4), table).plan, table)
    assert "--number-names" in words
    monkeypatch.chdir(tmp_path)
    assert main(split_command(words)[1:]) == 0
