"""Databases: what a table or a query holds comes whole, and nothing else is read."""

import sqlite3
import uuid
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from engine.core.errors import InputError
from engine.files import ReadOptions, read_table, write_table
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from engine.release.verify import release_bytes_and_checks
from engine.release.writing import WritingOptions

duckdb = pytest.importorskip("duckdb")


def people() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, 60),
            "income": rng.lognormal(8, 1, 60).round(2),
            "name": [None if i == 3 else f"p{i}" for i in range(60)],
            "day": pd.date_range("2020-01-31", periods=60, unit="us"),
        }
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    database = tmp_path / "a.duckdb"
    secret = tmp_path / "secret.csv"
    secret.write_text("a\n1\n")
    with duckdb.connect(str(database)) as connection:
        frame = people()  # noqa: F841 (DuckDB reads the variable)
        connection.execute("CREATE TABLE people AS SELECT * FROM frame")
        connection.execute("CREATE TABLE few AS SELECT 1 AS one")
        connection.execute('CREATE SCHEMA "my own"')
        connection.execute('CREATE TABLE "my own"."the ""firms""" AS SELECT 2 AS two')
        connection.execute("CREATE VIEW old AS SELECT * FROM people WHERE age > 60")
        connection.execute(f"CREATE VIEW far AS SELECT * FROM read_csv('{secret}')")
    return database


def asked(path: Path, sql: str) -> pd.DataFrame:
    return read_table(path, options=ReadOptions(sql=sql)).frame


def test_the_largest_table_is_read_unless_one_is_named(path: Path) -> None:
    table = read_table(path)
    assert table.origin.options["sheet"] == "people"
    pd.testing.assert_frame_equal(table.frame, people(), check_dtype=False)
    view_frame = read_table(path, options=ReadOptions(sheet="old")).frame
    assert view_frame["age"].tolist() == [age for age in people()["age"] if age > 60]
    other = read_table(path, options=ReadOptions(sheet='my own.the "firms"')).frame
    assert other.to_dict("list") == {"two": [2]}
    with pytest.raises(InputError, match=r"no table called 'persons'.*'few'"):
        read_table(path, options=ReadOptions(sheet="persons"))


def test_a_query_gives_what_duckdb_gives_by_itself(path: Path) -> None:
    sql = "SELECT age // 10, avg(income) AS mean FROM people GROUP BY 1 ORDER BY 1"
    answer = asked(path, sql)
    with duckdb.connect(str(path), read_only=True) as connection:
        rows = connection.execute(sql).fetchall()
    assert list(answer.itertuples(index=False, name=None)) == rows


def test_every_reading_gives_the_same_records(path: Path) -> None:
    sql = "SELECT *, random() AS draw FROM people"
    pd.testing.assert_frame_equal(asked(path, sql), asked(path, sql))


TYPES = {
    "9007199254740993::BIGINT": 9007199254740993,
    "3::UTINYINT": 3,
    "1.25::DECIMAL(9, 2)": 1.25,
    "sum(3)": 3.0,
    "true": True,
    "'x'::ENUM('x', 'y')": "x",
    "'2020-01-02'::DATE": pd.Timestamp("2020-01-02"),
    "'2020-01-02 03:04:05.000006'::TIMESTAMP": pd.Timestamp(
        "2020-01-02 03:04:05.000006"
    ),
    "'2020-01-02 03:04:05+02'::TIMESTAMPTZ": pd.Timestamp("2020-01-02 01:04:05Z"),
    "INTERVAL 3 DAY": "3 days",
    "'101'::BIT": "101",
    "'ab'::BLOB": "6162",
    "[1, 2]": "[1, 2]",
    "union_value(a := 7)": "7",
    f"'{uuid.UUID(int=7)}'::UUID": str(uuid.UUID(int=7)),
}


def test_values_of_every_type_come_as_they_are(path: Path) -> None:
    columns = ", ".join(f"{sql} AS c{j}" for j, sql in enumerate(TYPES))
    answer = asked(path, f"SELECT {columns}")
    assert [answer[name].iloc[0] for name in answer] == list(TYPES.values())


@pytest.mark.parametrize(
    "sql",
    [
        "COPY people TO '{folder}/made.csv'",
        "COPY few FROM '{folder}/secret.csv'",
        "INSERT INTO few VALUES (2)",
        "WITH a AS (INSERT INTO few VALUES (2) RETURNING one) SELECT * FROM a",
        "DROP TABLE people",
        "CREATE TEMP TABLE made AS SELECT 1",
        "ATTACH '{folder}/made.duckdb'",
        "SELECT 1; ATTACH '{folder}/made.duckdb'",
        "EXPORT DATABASE '{folder}/made'",
        "SET enable_external_access = true",
        "SET threads = 8; SELECT 1",
        "RESET lock_configuration",
        "PRAGMA database_list",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SELECT * FROM read_csv('{folder}/secret.csv')",
        "SELECT * FROM '{folder}/secret.csv'",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM glob('{folder}/*')",
        "SELECT * FROM read_csv('https://example.org/a.csv')",
        "SELECT * FROM sqlite_scan('{folder}/a.db', 'a')",
        "SELECT * FROM far",
        "SELECT * FROM query('SELECT * FROM far')",
        "SELECT * FROM path",
        "SELECT * FROM content",
        "SELECT getenv('HOME')",
        "SELECT",
        "",
        "people",
        "SELECT error('p7') FROM people",
        "SELECT name::INTEGER FROM people",
        "SELECT repeat('x', 1000000) || i AS a FROM range(100000) r(i) ORDER BY a",
    ],
)
def test_what_is_more_than_a_query_of_the_database_is_refused(
    path: Path, sql: str
) -> None:
    before = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    with pytest.raises(InputError) as refused:
        asked(path, sql.format(folder=path.parent))
    error_text = str(refused.value)
    assert error_text.endswith(".")
    assert "\n" not in error_text
    assert "p7" not in error_text
    assert "Could not convert" not in error_text
    assert {file.name: file.read_bytes() for file in path.parent.iterdir()} == before


def test_what_is_no_whole_database_is_said_in_a_sentence(path: Path) -> None:
    content = path.read_bytes()
    for broken in (b"x", content[:5000], content[: len(content) // 2], b"\0" * 20_000):
        with pytest.raises(InputError, match="is not a whole database"):
            read_table(broken, name="a.duckdb")


def test_a_database_of_sqlite_is_told_from_others(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "a.db") as connection:
        connection.execute("CREATE TABLE a (b)")
    connection.close()
    with pytest.raises(InputError, match="database of SQLite"):
        read_table(tmp_path / "a.db")


def test_changes_that_are_not_in_the_file_yet_are_missed(path: Path) -> None:
    Path(f"{path}.wal").write_bytes(b"change")
    with pytest.raises(InputError, match=r"still in 'a\.duckdb\.wal'"):
        read_table(path)


def test_a_table_and_a_query_exclude_each_other(path: Path) -> None:
    with pytest.raises(InputError, match="leave one of them out"):
        read_table(path, options=ReadOptions(sheet="few", sql="SELECT 1"))


@pytest.mark.parametrize("format_", ["parquet", "csv", "excel"])
def test_a_release_of_a_query_is_verified(path: Path, format_: str) -> None:
    sql = "SELECT *, income::DECIMAL(20, 2) AS pay, random() AS draw FROM people"
    table = read_table(
        path,
        options=ReadOptions(sql=sql),
        roles={"age": "quasi-identifier", "income": "quasi-identifier"}
        | dict.fromkeys(("name", "day", "pay", "draw"), "other"),
    )
    outcome = run(Plan(quasi_identifiers=("age", "income"), k=3), table)
    written = release_bytes_and_checks(outcome, table, WritingOptions(format=format_))
    assert not written.failed_checks
    released = read_table(written.content, name=written.origin.name).frame
    assert released["draw"].tolist() == table.frame["draw"].tolist()
    with pytest.raises(InputError, match="can be read but not written"):
        write_table(table.frame, path.parent / "b.duckdb")
