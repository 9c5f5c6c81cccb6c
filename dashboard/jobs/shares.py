"""Shares of this machine: who may take how much, so that all together fit into it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache

from dashboard.jobs.process import physical_bytes
from dashboard.server.environment import TEAM

MEMORY = "COTERIE_MEMORY_MB"
"""Environment variable: memory that one run may take, in megabytes."""

READING = "COTERIE_READING_MB"
"""Environment variable: memory that reading one file may take, in megabytes."""

PERSON = "COTERIE_PERSON_MB"
"""Environment variable: what one person of a team may hold, in megabytes."""

_OF_MANY, _OF_ONE = (0.40, 0.20, 0.25), (0.50, 0.25, 0.10)
"""Parts of the memory: of all runs, of all files being read, of all tables held. What
is left is the server's own."""

_LEAST = 2**28


@dataclass(frozen=True)
class Shares:
    """What may be taken at once.

    Attributes
    ----------
    many : bool
        Whether more than one person is served.
    runs, readings : int
        Processes at the same time; the others wait.
    run_bytes, reading_bytes : int
        Memory of one of them.
    reading_seconds : int
        Time of one reading.
    held_bytes : int
        Uploads, tables and results that all people together hold in the server.
    person_bytes : int
        The same for one person.
    table_bytes : int
        Of one table alone.
    person_waiting : int
        Runs of one person that are carried out or wait.
    person_minutes : int
        Minutes of processor that one person's runs may take within an hour.
    """

    many: bool
    runs: int
    readings: int
    run_bytes: int
    reading_bytes: int
    reading_seconds: int
    held_bytes: int
    person_bytes: int
    table_bytes: int
    person_waiting: int
    person_minutes: int


def shared(memory: int, cores: int, many: bool) -> Shares:
    """Return the shares of a machine.

    Parameters
    ----------
    memory : int
        Bytes.
    cores : int
    many : bool
        Whether more than one person is served; one alone has larger shares.
    """
    runs, readings = (max(2, cores - 1), max(1, cores // 2)) if many else (2, 1)
    parts = _OF_MANY if many else _OF_ONE
    for_runs, for_readings, held = (int(memory * part) for part in parts)
    person = held // 4 if many else held
    return Shares(
        many=many,
        runs=runs,
        readings=readings,
        run_bytes=max(_LEAST, for_runs // runs),
        reading_bytes=max(_LEAST, for_readings // readings),
        reading_seconds=120,
        held_bytes=held,
        person_bytes=max(_LEAST, person),
        table_bytes=max(_LEAST, person) // 2,
        person_waiting=4,
        person_minutes=60 * cores // 2,
    )


@cache
def shares() -> Shares:
    """Return the shares of this machine, or of the container that it is."""
    many = TEAM in os.environ
    found = shared(physical_bytes(), os.cpu_count() or 1, many)
    return Shares(
        **{
            **vars(found),
            "run_bytes": _told(MEMORY) or found.run_bytes,
            "reading_bytes": _told(READING) or found.reading_bytes,
            "person_bytes": _told(PERSON) or found.person_bytes,
        }
    )


def _told(name: str) -> int:
    value = os.environ.get(name, "")
    return int(value) * 2**20 if value.isdigit() else 0
