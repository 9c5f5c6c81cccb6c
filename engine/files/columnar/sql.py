"""DuckDB databases: read a table or the result of a query, read only.

A database and a query are read as programs that others have written: read-only, in one
thread, within a limit of memory, and without any file but the database itself.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

from engine.core.errors import InputError
from engine.core.platform.temporary import open_temporary_folder
from engine.files.base import FormatInfo, formats, refuse_empty_table
from engine.files.columnar.arrow import (
    adapt_column_read_from_arrow,
    arrow_backed_columns,
    arrow_to_frame_and_metadata,
)
from engine.files.input.names import fill_in_and_list_blank_names
from engine.files.input.options import ReadOptions
from engine.files.input.source import InputBytes
from engine.files.read_only import ReadOnlyFormat

_CONNECTION_SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_persistent_secrets": "false",
    "python_enable_replacements": "false",  # names of a query are no variables here
    "threads": "1",  # so that records come in the same order each time
    "memory_limit": "1GB",
    "temp_directory": "",
}

_AS_TEXT = ("INTERVAL", "UNION", "BIT", "VARIANT", "TIME WITH TIME ZONE", "GEOMETRY")
"""Types that Arrow does not know, or knows as something else."""

_BATCH_RECORDS = 2_048
"""Records that are fetched at once."""

_SQLITE_MAGIC = b"SQLite format 3\0"


@formats.register(
    FormatInfo(
        id="duckdb",
        title="DuckDB",
        suffixes=(".duckdb", ".ddb", ".db"),
        options=("sheet", "sql"),
        writable=False,
    )
)
class DuckDBFormat(ReadOnlyFormat):
    """DuckDB tables or views (the named or the largest one), or a query's result."""

    title, instead = "DuckDB", ".parquet or .csv"

    def read(
        self, source: InputBytes, options: ReadOptions
    ) -> tuple[pd.DataFrame, dict[str, Any]]:
        """Read a table, or the result of a query; see :meth:`Format.read`."""
        table, effective = _fetch_table(source, options)
        refuse_empty_table(table.num_rows, source.name)
        frame, metadata = arrow_to_frame_and_metadata(table)
        return frame, {**effective, **metadata}

    def carried(
        self, source: InputBytes, options: Mapping[str, Any], names: Sequence[str]
    ) -> Mapping[str, pd.Series]:
        """Return columns with their Arrow types; see :meth:`Format.carried`."""
        return arrow_backed_columns(read_duckdb_source_as_arrow(source, options), names)

    adapt_carried = staticmethod(adapt_column_read_from_arrow)


def read_duckdb_source_as_arrow(source: InputBytes, options: Mapping[str, Any]) -> Any:
    """Return the DuckDB table or query result that options name, as an Arrow table.

    Parameters
    ----------
    source : InputBytes
    options : mapping
        With which it was read.
    """
    used_options = ReadOptions(sheet=options.get("sheet"), sql=options.get("sql"))
    return _fetch_table(source, used_options)[0]


def _fetch_table(
    source: InputBytes, options: ReadOptions
) -> tuple[Any, dict[str, Any]]:
    if options.sql is not None and options.sheet is not None:
        raise InputError(
            "A table and a query are both given for {file!r}: leave one of them out.",
            file=source.name,
        )
    with _open_database(source, options.sql) as connection:
        tables = _table_names(connection)
        effective = {"sheets": list(tables), "sql": options.sql}
        if options.sql is not None:
            _check_query(connection, options.sql)
            return _run_query(connection, options.sql, source), effective
        table_name = options.sheet or next(iter(tables), None)
        if table_name is None:
            raise InputError(
                "Database {file!r} holds no table: choose another file.",
                file=source.name,
            )
        if table_name not in tables:
            raise InputError(
                "Database {file!r} has no table called {sheet!r}: choose one of "
                "{known!r}.",
                file=source.name,
                sheet=table_name,
                known=list(tables),
            )
        query = f"SELECT * FROM {tables[table_name]}"
        return _run_query(connection, query, source), {"sheet": table_name, **effective}


@contextmanager
def _open_database(source: InputBytes, query: str | None) -> Iterator[Any]:
    """Yield a connection that reads one database and nothing else.

    Raises InputError if the reader is not there, the bytes are no such file, or a query
    fails.
    """
    try:
        import duckdb
    except ImportError:
        raise InputError(
            "To read databases, install the package duckdb: pip install "
            "'coterie[sql]'; or save the table as .parquet or .csv."
        ) from None
    content = source.read_bytes()
    if content.startswith(_SQLITE_MAGIC):
        raise InputError(
            "File {file!r} is a database of SQLite, and those of DuckDB are read: "
            "save the table as .csv.",
            file=source.name,
        )
    _refuse_unwritten(source)
    with open_temporary_folder() as folder:
        path = folder / "table.duckdb"
        path.write_bytes(content)
        try:
            connection = duckdb.connect(
                str(path), read_only=True, config=_CONNECTION_SETTINGS
            )
        except (duckdb.Error, UnicodeDecodeError):
            raise _damaged_error(source) from None
        try:
            # The same answer at every reading, on every machine.
            connection.execute("SET TimeZone = 'UTC'; SELECT setseed(0)")
            connection.execute("SET lock_configuration = true")
            yield connection
        except (duckdb.FatalException, duckdb.InternalException, duckdb.IOException):
            raise _damaged_error(source) from None
        except (duckdb.Error, UnicodeDecodeError) as error:
            if query is None and isinstance(error, duckdb.OutOfMemoryException):
                source.refuse_bomb(sys.maxsize)  # whichever limit it meets first
            raise _query_error(error) from None
        finally:
            connection.close()


def _refuse_unwritten(source: InputBytes) -> None:
    """Refuse a database whose last changes are still in a file beside it."""
    if source.path is None:
        return
    log = Path(f"{source.path}.wal")
    if log.is_file() and log.stat().st_size:
        raise InputError(
            "Database {file!r} has changes that are still in {log!r}: close the "
            "program that writes to it, or run CHECKPOINT there.",
            file=source.name,
            log=log.name,
        )


def _table_names(connection: Any) -> dict[str, str]:
    """Return tables and views as SQL calls them, by name; the largest comes first."""
    rows = connection.execute(
        "SELECT schema_name, table_name, estimated_size * column_count "
        "FROM duckdb_tables() WHERE NOT internal UNION ALL "
        "SELECT schema_name, view_name, -1 FROM duckdb_views() WHERE NOT internal "
        "ORDER BY 3 DESC, 1, 2"
    ).fetchall()
    return {
        name if schema == "main" else f"{schema}.{name}": f"{_quote(schema)}."
        f"{_quote(name)}"
        for schema, name, _ in rows
    }


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _check_query(connection: Any, query: str) -> None:
    """Raise unless a text is one query, which writes and sets nothing."""
    import duckdb

    statements = connection.extract_statements(query)
    kinds = [statement.type for statement in statements]
    if kinds != [duckdb.StatementType.SELECT]:
        raise InputError(
            "The query must be one SELECT, which reads and does not write: as in "
            "SELECT * FROM people WHERE age >= 18."
        )


def _run_query(connection: Any, query: str, source: InputBytes) -> Any:
    """Return what a query gives, as a pyarrow.Table."""
    import pyarrow as pa

    relation = connection.sql(query)
    kinds = [str(kind) for kind in relation.types]
    if any(kind.startswith(_AS_TEXT) for kind in kinds):
        fill_in_and_list_blank_names(relation.columns)
        relation = relation.project(
            ", ".join(
                f"CAST({_quote(name)} AS VARCHAR) AS {_quote(name)}"
                if kind.startswith(_AS_TEXT)
                else _quote(name)
                for name, kind in zip(relation.columns, kinds, strict=True)
            )
        )
    reader = relation.to_arrow_reader(_BATCH_RECORDS)
    batches, size = [], 0
    for batch in reader:
        size += batch.nbytes
        source.refuse_bomb(size)
        batches.append(batch)
    return pa.Table.from_batches(batches, reader.schema)


def _damaged_error(source: InputBytes) -> InputError:
    return InputError(
        "File {file!r} is not a whole database of DuckDB, or is encrypted, or of a "
        "newer version: export the table as .parquet.",
        file=source.name,
    )


def _query_error(error: Exception) -> InputError:
    """Return why a query fails, without the values that DuckDB may say."""
    import duckdb

    if isinstance(error, duckdb.PermissionException):
        return InputError(
            "The query or view reads beyond the database, which is not done: name "
            "tables of the database alone."
        )
    if isinstance(error, duckdb.OutOfMemoryException):
        return InputError(
            "The query takes more than the {memory} of memory that it may take: ask "
            "for fewer records or columns.",
            memory=_CONNECTION_SETTINGS["memory_limit"],
        )
    errors = (duckdb.ParserException, duckdb.BinderException, duckdb.CatalogException)
    if isinstance(error, errors):
        return InputError(
            "DuckDB does not take the query or view: {reason}",
            reason=str(error).splitlines()[0].rstrip(".!") + ".",
        )
    return InputError(
        "The query or view cannot be computed on what is in the database ({error}): "
        "change it, or the values that it stops at.",
        error=type(error).__name__,
    )
