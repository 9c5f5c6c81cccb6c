"""Tables, outcomes and scores: saved atomically, without pickles, and loaded."""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from pydantic import TypeAdapter
from typing_extensions import TypedDict

from engine.core.errors import InputError
from engine.core.message import message_from_json, message_to_json
from engine.core.platform.files import move_and_replace
from engine.data.schema import Schema
from engine.data.source_file import SourceFile
from engine.data.table import Origin, Table
from engine.measures import Score
from engine.measures.reidentification.uniqueness import Uniqueness
from engine.pipeline.compare import Failure, Result
from engine.pipeline.grouping.persons import person_codes
from engine.pipeline.plan import Plan
from engine.pipeline.protection.grouped_release import (
    GroupedRelease,
    all_row_numbers,
    group_release,
    is_release_of_all_rows,
)
from engine.storage.bounded_reading import (
    MAX_JSON_BYTES,
    DamagedFileError,
    read_bounded_bytes,
    read_bounded_json,
    read_frame,
    read_integer_array,
    read_validated_json,
)
from engine.storage.figures import SCORES_ADAPTER, OutcomeFigures


class _Copy(TypedDict):
    """What is known of the file that a table came in."""

    name: str
    digest: str
    path: str


class _About(TypedDict):
    """What is known of a table beside its values and its schema."""

    fingerprint: str
    format: str
    options: dict[str, Any]
    name: str
    carried: _Copy | None


_ABOUT_ADAPTER = TypeAdapter(_About)

_TOLD_APART = "uniqueness.json"
_UNIQUENESS_ADAPTER = TypeAdapter(Uniqueness)


@contextmanager
def create_folder_atomically(folder: Path) -> Iterator[Path]:
    """Yield a temporary folder that is renamed to `folder` when complete.

    Raises
    ------
    FileExistsError
        If `folder` exists already.
    """
    if folder.exists():
        raise FileExistsError(f"{folder} exists already")
    part = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}.part")
    part.mkdir(mode=0o700)
    try:
        yield part
        move_and_replace(part, folder)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise


def write_json(path: Path, content: object) -> None:
    """Write content as JSON in one step, so that readers never see half a file."""
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    part.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    move_and_replace(part, path)


def read_json(path: Path) -> Any:
    """Return JSON that :func:`write_json` wrote, within limits."""
    return read_bounded_json(path)


def save_table(table: Table, folder: Path) -> None:
    """Write a table as a folder: values, schema, origin, source file or its path.

    Raises
    ------
    InputError
        If a column mixes types that no file can hold.
    """
    with create_folder_atomically(folder) as part:
        _write_frame(table.frame, part / "values.arrow")
        (part / "schema.json").write_text(table.schema.to_json(), encoding="utf-8")
        carried = table.carried
        if carried is not None and carried.content is not None:
            (part / "carried").write_bytes(carried.content)
        write_json(
            part / "table.json",
            {
                "fingerprint": table.fingerprint,
                "format": table.origin.format,
                "options": dict(table.origin.options),
                "name": table.origin.name,
                "carried": carried
                and {
                    "name": carried.name,
                    "digest": carried.digest,
                    "path": str(carried.path or ""),
                },
            },
        )


def load_table(folder: Path) -> Table:
    """Return the table that :func:`save_table` wrote, with the same fingerprint.

    Raises
    ------
    InputError
        If that is not what is there.
    """
    content, carried = read_validated_json(folder / "table.json", _ABOUT_ADAPTER), None
    if content["carried"]:
        source_facts = content["carried"]
        path, copy = source_facts["path"], folder / "carried"
        if path:
            carried = SourceFile(
                source_facts["name"], source_facts["digest"], path=Path(path)
            )
        else:
            carried = SourceFile.from_bytes(
                source_facts["name"], read_bounded_bytes(copy)
            )
            if carried.digest != source_facts["digest"]:
                raise DamagedFileError()
    frame = read_frame(folder / "values.arrow")
    schema = read_bounded_bytes(folder / "schema.json", MAX_JSON_BYTES).decode("utf-8")
    table = Table(
        frame=frame,
        schema=Schema.from_json(schema),
        fingerprint=content["fingerprint"],
        origin=Origin(content["format"], content["options"], content["name"]),
        carried=carried,
    )
    if table.schema.names != tuple(frame.columns) or not frame.columns.is_unique:
        raise DamagedFileError()
    return table


def save_outcome(outcome: Result, folder: Path, table: Table) -> None:
    """Write an outcome, or a failure, as a folder.

    Parameters
    ----------
    outcome : Outcome or Failure
    folder : Path
    table : Table
        The table that was protected: released columns that are its own, unchanged,
        are not written again, and of the others what all records of a group share is
        written once.
    """
    with create_folder_atomically(folder) as part:
        if isinstance(outcome, Failure):
            write_json(
                part / "failure.json",
                {
                    "plan": outcome.plan.to_json(),
                    "message": message_to_json(outcome.message),
                },
            )
            return
        labels, rows = outcome.partition.labels, outcome.release.rows
        release = group_release(outcome.release, labels, table.frame)
        _write_frame(release.common, part / "common.arrow")
        if len(release.own.columns):
            _write_frame(release.own, part / "own.arrow")
        np.save(part / "labels.npy", labels, allow_pickle=False)
        if outcome.partition.seeds is not None:
            np.save(part / "seeds.npy", outcome.partition.seeds, allow_pickle=False)
        if not is_release_of_all_rows(rows, table.n_records):
            np.save(part / "rows.npy", rows, allow_pickle=False)
        write_json(
            part / "outcome.json", OutcomeFigures.from_outcome(outcome).to_json()
        )
        uniqueness = vars(outcome).get("uniqueness")
        if uniqueness is not None:  # where it has been looked at
            write_json(part / _TOLD_APART, _UNIQUENESS_ADAPTER.dump_python(uniqueness))


def load_outcome(folder: Path, table: Table) -> Result:
    """Return the outcome or failure that :func:`save_outcome` wrote.

    Parameters
    ----------
    folder : Path
    table : Table
        The table that was protected.

    Raises
    ------
    InputError
        If the outcome is that of another table, or what is stored is no outcome.
    """
    failure = folder / "failure.json"
    if failure.exists():
        content = read_json(failure)
        return Failure(
            Plan.from_json(content["plan"]), message_from_json(content["message"])
        )
    figures = OutcomeFigures.from_json(read_json(folder / "outcome.json"))
    if figures.fingerprint != table.fingerprint:
        raise InputError(
            "The stored outcome is that of another table: load it with the table "
            "that was protected."
        )
    rows = _load_if_there(folder / "rows.npy")
    if rows is None:
        rows = all_row_numbers(table.n_records)
    rows.flags.writeable = False
    labels = read_integer_array(folder / "labels.npy")
    partition = figures.to_partition(labels, _load_if_there(folder / "seeds.npy"))
    own_file = folder / "own.arrow"
    try:
        release = GroupedRelease(
            table.frame,
            figures.columns,
            read_frame(folder / "common.arrow"),
            read_frame(own_file) if own_file.exists() else pd.DataFrame(),
            partition.labels,
            rows,
            figures.rules,
        )
    except ValueError:
        raise DamagedFileError() from None
    persons = person_codes(figures.plan, table, rows)
    outcome = figures.to_outcome(partition, release, persons)
    uniqueness_file = folder / _TOLD_APART
    return outcome.with_uniqueness(
        read_validated_json(uniqueness_file, _UNIQUENESS_ADAPTER)
        if uniqueness_file.exists()
        else None
    )


def _load_if_there(path: Path) -> NDArray[np.int64] | None:
    return read_integer_array(path) if path.exists() else None


def save_scores(scores: Mapping[str, Score], path: Path) -> None:
    """Write scores of measures as JSON."""
    write_json(path, SCORES_ADAPTER.dump_python(tuple(scores.values())))


def load_scores(path: Path) -> Mapping[str, Score]:
    """Return the scores that :func:`save_scores` wrote, by measure."""
    scores = SCORES_ADAPTER.validate_python(read_json(path))
    return MappingProxyType({score.measure: score for score in scores})


def _write_frame(frame: pd.DataFrame, path: Path) -> None:
    try:
        values = pa.Table.from_pandas(frame)
    except pa.ArrowException as error:
        wrong = next((name for name in frame if _is_unstorable(frame[name])), "?")
        raise InputError(
            "Column {column!r} mixes types that no file can hold: make all of its "
            "values numbers or all of them text.",
            column=wrong,
        ) from error
    with (
        pa.OSFile(str(path), "wb") as sink,
        pa.ipc.new_file(sink, values.schema) as out,
    ):
        out.write_table(values)


def _is_unstorable(column: pd.Series) -> bool:
    try:
        pa.Array.from_pandas(column)
    except pa.ArrowException:
        return True
    return False
