"""State shared by servers: in SQLite on one machine, in PostgreSQL on several.

Sign-outs, whom an administrator erases, processor time of people, heads of audit logs,
and servers that drain; no table that anybody brings, and nothing of one. One process of
each server uses it.
"""

from __future__ import annotations

import importlib.util
import sqlite3
import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from dashboard.server.sign_in import MAX_SIGN_OUT_SECONDS
from engine.core.errors import EngineError, ParameterError
from engine.core.message import Message

POSTGRESQL_SCHEMES = ("postgresql://", "postgres://")
"""Beginnings of the address of a PostgreSQL database."""

KEPT_SPENT_SECONDS = 3600.0
"""Seconds for which processor time counts."""

KEPT_ERASURE_SECONDS = 3600.0
"""Seconds after which no server looks any more for whom it is to erase."""

KEPT_SERVER_SECONDS = 30 * 24 * 3600.0
"""Time after which a server that was not seen is forgotten, with its log's head."""

_TABLE_STATEMENTS = (
    "begun (id INTEGER PRIMARY KEY, at DOUBLE PRECISION NOT NULL)",
    "sign_outs (sign_out TEXT PRIMARY KEY, at DOUBLE PRECISION NOT NULL)",
    "erasures (person TEXT NOT NULL, at DOUBLE PRECISION NOT NULL)",
    "spent (server TEXT NOT NULL, person TEXT NOT NULL, at DOUBLE PRECISION NOT NULL, "
    "seconds DOUBLE PRECISION NOT NULL)",
    "servers (name TEXT PRIMARY KEY, seen DOUBLE PRECISION NOT NULL, "
    "is_open INTEGER NOT NULL, places INTEGER NOT NULL, taken INTEGER NOT NULL, "
    "head TEXT NOT NULL)",
)


class SharedStateError(EngineError):
    """Error raised if the shared state cannot be read or written."""


@dataclass(frozen=True)
class SharedServer:
    """Name, last sign of life, places and log head of a server that shares the state.

    Attributes
    ----------
    name : str
        Host, port and process.
    seen : float
        When it was last there, in seconds.
    is_open : bool
        Whether it lets people in; not while it drains.
    places, taken : int
        Places that it has, and those that somebody has.
    head : str
        Number and digest of the last line of its audit log; empty without one.
    """

    name: str
    seen: float
    is_open: bool
    places: int
    taken: int
    head: str = ""


_SERVER_FIELDS = tuple(each.name for each in fields(SharedServer))


class SharedState(ABC):
    """Abstract store of sign-outs, erasures, processor seconds and servers, in SQL."""

    def _create_tables(self) -> None:
        for table in _TABLE_STATEMENTS:
            self._execute(f"CREATE TABLE IF NOT EXISTS coterie_{table}")

    @abstractmethod
    def _execute(self, statement: str, *values: object) -> Sequence[Sequence[Any]]:
        """Carry one statement out, whole or not at all; return its rows.

        Raises SharedStateError.
        """

    @abstractmethod
    def close(self) -> None:
        """Disconnect from the database, until the next statement."""

    def find_begin(self, now: float) -> float:
        """Return when the first server began, or store that this one does, at `now`."""
        self._execute(
            "INSERT INTO coterie_begun VALUES (1, ?) ON CONFLICT DO NOTHING", now
        )
        return float(self._execute("SELECT at FROM coterie_begun")[0][0])

    def add_sign_out(self, sign_out: str, now: float) -> None:
        """Store a sign-out in the form that ``dashboard.server.sign_in`` takes."""
        self._execute(
            "INSERT INTO coterie_sign_outs VALUES (?, ?) ON CONFLICT DO NOTHING",
            sign_out,
            now,
        )
        old = now - MAX_SIGN_OUT_SECONDS
        self._execute("DELETE FROM coterie_sign_outs WHERE at < ?", old)

    def list_sign_outs(self, since: float) -> list[str]:
        """Return the sign-outs since a time, the earliest first."""
        rows = self._execute(
            "SELECT sign_out FROM coterie_sign_outs WHERE at >= ? ORDER BY at", since
        )
        return [str(row[0]) for row in rows]

    def add_erasure(self, person: str, now: float) -> None:
        """Store that all servers must end a person's places."""
        self._execute("INSERT INTO coterie_erasures VALUES (?, ?)", person, now)
        old = now - KEPT_ERASURE_SECONDS
        self._execute("DELETE FROM coterie_erasures WHERE at < ?", old)

    def list_erasures(self) -> list[tuple[str, float]]:
        """Return each person whose places all servers must end, with the time."""
        rows = self._execute("SELECT person, at FROM coterie_erasures ORDER BY at")
        return [(str(person), float(at)) for person, at in rows]

    def add_spent(self, server: str, person: str, seconds: float, now: float) -> None:
        """Store the processor seconds of a person's run on a server."""
        self._execute(
            "INSERT INTO coterie_spent VALUES (?, ?, ?, ?)",
            *(server, person, now, seconds),
        )
        old = now - KEPT_SPENT_SECONDS
        self._execute("DELETE FROM coterie_spent WHERE at < ?", old)

    def spent_elsewhere(self, server: str, now: float) -> dict[str, float]:
        """Return each person's seconds within the last hour on all other servers."""
        rows = self._execute(
            "SELECT person, SUM(seconds) FROM coterie_spent "
            "WHERE at >= ? AND server <> ? GROUP BY person",
            now - KEPT_SPENT_SECONDS,
            server,
        )
        return {str(person): float(seconds) for person, seconds in rows}

    def store_server(self, server: SharedServer) -> None:
        """Store a server's description of itself in place of its earlier one."""
        names = ", ".join(_SERVER_FIELDS)
        marks = ", ".join("?" * len(_SERVER_FIELDS))
        changed = ", ".join(f"{name} = excluded.{name}" for name in _SERVER_FIELDS[1:])
        self._execute(
            f"INSERT INTO coterie_servers ({names}) VALUES ({marks}) "
            f"ON CONFLICT (name) DO UPDATE SET {changed}",
            *(asdict(server) | {"is_open": int(server.is_open)}).values(),
        )
        old = server.seen - KEPT_SERVER_SECONDS
        self._execute("DELETE FROM coterie_servers WHERE seen < ?", old)

    def list_servers(self) -> list[SharedServer]:
        """Return the descriptions of all servers, sorted by name."""
        rows = self._execute(
            f"SELECT {', '.join(_SERVER_FIELDS)} FROM coterie_servers ORDER BY name"
        )
        return [
            SharedServer(name, last_seen, bool(is_open), *rest)
            for name, last_seen, is_open, *rest in rows
        ]


class SqliteState(SharedState):
    """Shared state in an SQLite file, for the servers of one machine."""

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._create_tables()

    def _execute(self, statement: str, *values: object) -> Sequence[Sequence[Any]]:
        try:
            with self._lock:
                if self._connection is None:
                    self._connection = sqlite3.connect(
                        self._path,
                        timeout=30.0,
                        isolation_level=None,
                        check_same_thread=False,
                    )
                return self._connection.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise _unreachable(self._path, error) from None

    def close(self) -> None:
        """Leave the database."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


class PostgresqlState(SharedState):
    """Shared state in a PostgreSQL database, for servers of several machines.

    A connection that was lost is opened again.

    Parameters
    ----------
    address : str
        A URI as libpq takes it; passwords are best in its own file.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._connection: Any = None
        # Servers that begin at once must not create the same table.
        with self._connect().transaction():
            self._execute("SELECT pg_advisory_xact_lock(4410)")
            self._create_tables()

    def _connect(self) -> Any:
        import psycopg

        if self._connection is None or self._connection.closed:
            try:
                self._connection = psycopg.connect(
                    self._address, autocommit=True, connect_timeout=10
                )
            except psycopg.Error as error:
                raise self._unreachable(error) from None
        return self._connection

    def _execute(self, statement: str, *values: object) -> Sequence[Sequence[Any]]:
        import psycopg

        try:
            cursor = self._connect().execute(statement.replace("?", "%s"), values)
            return cursor.fetchall() if cursor.description else []
        except psycopg.Error as error:
            raise self._unreachable(error) from None

    def _unreachable(self, error: Exception) -> SharedStateError:
        # Without what may be a password.
        where = self._address.rpartition("@")[2].partition("?")[0]
        return _unreachable(where, error)

    def close(self) -> None:
        """Leave the database."""
        if self._connection is not None:
            self._connection.close()


def _unreachable(address: object, error: Exception) -> SharedStateError:
    return SharedStateError(
        Message(
            "The state that servers share cannot be reached at {where} ({reason}): "
            "look whether the database runs, and at what --state says.",
            where=str(address),
            reason=" ".join(str(error).split()),
        )
    )


def open_shared_state(address: str) -> SharedState:
    """Return the shared state at an address: an SQLite file, or a PostgreSQL database.

    Raises
    ------
    SharedStateError
        If it cannot be reached.
    ParameterError
        If the package that reaches it is not installed.
    """
    if not address.startswith(POSTGRESQL_SCHEMES):
        return SqliteState(Path(address))
    if importlib.util.find_spec("psycopg") is None:
        raise ParameterError(
            "State in PostgreSQL needs a further package: pip install "
            "'coterie[postgresql]'."
        )
    return PostgresqlState(address)
