"""Order for a reading process: find the certified columns of a release.

Somebody has brought the certificate, which can be anything: it is parsed there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from dashboard.class_file.own_table import find_certified_columns
from engine.data.table import Table
from engine.storage.bounded_reading import MAX_JSON_BYTES, read_validated_json
from engine.storage.outcomes import load_table, save_table, write_json

_TABLE, _FOUND = "given-table", "found.json"


def make_certificate_order_writer(
    table: Table, certificate: bytes
) -> Callable[[Path], None]:
    """Return a function that writes a table and a certificate into a given folder.

    Parameters
    ----------
    certificate : bytes
        As somebody has brought it.
    """

    def write(folder: Path) -> None:
        save_table(replace(table, carried=None), folder / _TABLE)
        (folder / "content").write_bytes(certificate)

    return write


def find_certified_columns_in_process(
    certificate: bytes, order: Mapping[str, Any], folder: Path
) -> None:
    """Find the certified columns of a table in an order's folder; write names there."""
    table = load_table(folder / _TABLE)
    write_json(
        folder / _FOUND, find_certified_columns(table, certificate, order["name"])
    )


_NAMES_ADAPTER = TypeAdapter(list[str])


def fetch_certified_columns(folder: Path) -> list[str]:
    """Return the names of certified columns that were written to an order's folder."""
    return read_validated_json(folder / _FOUND, _NAMES_ADAPTER, MAX_JSON_BYTES // 4)
