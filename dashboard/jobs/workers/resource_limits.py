"""Resource limits on memory, numbers and time of processes and of persons."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from engine.core.platform.memory import total_memory_bytes

RUN_MEMORY_VARIABLE = "COTERIE_MEMORY_MB"
"""Environment variable: memory for one run of the dashboard, in megabytes."""

READING_MEMORY_VARIABLE = "COTERIE_READING_MB"
"""Environment variable: memory for reading one file in the dashboard, in megabytes."""

PERSON_MEMORY_VARIABLE = "COTERIE_PERSON_MB"
"""Environment variable: what one person of a team may hold, in megabytes."""

TEAM_VARIABLE = "COTERIE_TEAM"
"""Environment variable: set where more than one person is served."""

_OF_MANY, _OF_ONE = (0.40, 0.20, 1 / 16), (0.50, 0.25, 0.10)
"""Parts of the memory: of all runs, of all files being read, of what one person holds.
What is left is the server's own."""

_MIN_RUN_BYTES = 2**28


@dataclass(frozen=True)
class ResourceLimits:
    """Memory, numbers and seconds that processes and persons may take.

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
    person_bytes : int
        Uploads, tables and results that one person holds in their server.
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
    person_bytes: int
    table_bytes: int
    person_waiting: int
    person_minutes: int


def compute_resource_limits(
    memory_bytes: int, n_cores: int, has_many_users: bool
) -> ResourceLimits:
    """Return the limits for a machine with this memory and number of cores.

    Parameters
    ----------
    memory_bytes : int
        Bytes.
    n_cores : int
    has_many_users : bool
        Whether more than one person is served; one alone has larger shares.
    """
    runs, readings = (
        (max(2, n_cores - 1), max(1, n_cores // 2)) if has_many_users else (2, 1)
    )
    parts = _OF_MANY if has_many_users else _OF_ONE
    for_runs, for_readings, person = (int(memory_bytes * part) for part in parts)
    return ResourceLimits(
        many=has_many_users,
        runs=runs,
        readings=readings,
        run_bytes=max(_MIN_RUN_BYTES, for_runs // runs),
        reading_bytes=max(_MIN_RUN_BYTES, for_readings // readings),
        reading_seconds=120,
        person_bytes=max(_MIN_RUN_BYTES, person),
        table_bytes=max(_MIN_RUN_BYTES, person) // 2,
        person_waiting=4,
        person_minutes=60 * n_cores // 2,
    )


@cache
def resource_limits() -> ResourceLimits:
    """Return this machine's limits for processes and persons, with settings applied."""
    many = TEAM_VARIABLE in os.environ
    limits = compute_resource_limits(total_memory_bytes(), os.cpu_count() or 1, many)
    overrides: dict[str, Any] = {
        "run_bytes": bytes_from_environment(RUN_MEMORY_VARIABLE),
        "reading_bytes": bytes_from_environment(READING_MEMORY_VARIABLE),
        "person_bytes": bytes_from_environment(PERSON_MEMORY_VARIABLE),
    }
    return replace(limits, **{name: size for name, size in overrides.items() if size})


def bytes_from_environment(name: str) -> int:
    """Return a variable's megabytes as bytes; 0 if unset or no whole number."""
    value = os.environ.get(name, "")
    return int(value) * 2**20 if value.isascii() and value.isdecimal() else 0
