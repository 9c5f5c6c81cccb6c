"""Checks of one written part of a release: its content, k and unprotected columns."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from engine.core.context import RunContext
from engine.core.typing import Integers
from engine.measures.classes import smallest_class_size
from engine.pipeline.planning.resolve_plan import ResolvedPlan
from engine.release.verify import VerificationError
from engine.streaming.blocks.protect import SharedBlockInputs
from engine.streaming.blocks.spool import SpooledRecords, drain_streams_into_table
from engine.streaming.passes.person_codes import person_codes_of_batch
from engine.streaming.records.unprotected_columns import (
    ROWS_PER_DIGEST_CALL,
    LeafDigests,
)


class PartError(VerificationError):
    """Error that a written part differs from its protected block or from the input."""

    @property
    def number(self) -> int:
        """Number of the block."""
        block_number = self.message.values["number"]
        assert isinstance(block_number, int)
        return block_number


@dataclass(frozen=True, eq=False)
class PartToVerify:
    """A written part, and what is known of its block.

    Attributes
    ----------
    path : Path
    figures : mapping
        Of the part, from when it was made.
    records : SpooledRecords
        Its records as they came.
    """

    path: Path
    figures: Mapping[str, Any]
    records: SpooledRecords


def verify_part(
    block_inputs: SharedBlockInputs,
    person_columns: Sequence[str],
    part: PartToVerify,
    ctx: RunContext,
) -> int:
    """Return the k of a written part, once its content and columns are checked.

    Parameters
    ----------
    block_inputs : SharedBlockInputs
    person_columns : sequence of str
        Which together say who a record is about; empty where k counts records.
    part : PartToVerify

    Raises
    ------
    VerificationError
        As :func:`verify_part_and_count_k` and
        :func:`check_unprotected_columns_of_part`.
    """
    persons = None
    if person_columns:
        streams = part.records.read_streams()
        records = drain_streams_into_table(streams, person_columns)
        persons = person_codes_of_batch(records, person_columns)
    k = verify_part_and_count_k(
        part.path, block_inputs.plan, block_inputs.schema, part.figures, persons
    )
    check_unprotected_columns_of_part(
        part.path,
        int(part.figures["block"]),
        block_inputs.unprotected_columns,
        part.records.sizes_and_digests(),
    )
    return k


def verify_part_and_count_k(
    path: Path,
    plan: ResolvedPlan,
    schema: Any,
    figures: Mapping[str, Any],
    persons: Integers | None = None,
) -> int:
    """Return the k of a written part; raise if it is too small or the part differs.

    Counting part by part is enough. Every group was made within a block and is whole in
    its part, so each class of equal records in a part has at least k members if the
    check passes; and records of another part that share these values can only add to
    the class. The same is true of persons, and of those who have records in the same
    set of classes, as all of them are in one part. So the k of the whole release is at
    least the smallest k of a part.

    Parameters
    ----------
    path : Path
    schema : pyarrow.Schema
        Of the release: identifiers are gone, types are as promised.
    figures : mapping
        Figures of the part, from when it was made.
    persons : ndarray of int64, shape (n_records,), optional
        Who its records are about, -1 nobody, where k counts persons.

    Raises
    ------
    PartError
        If the file differs from what was made.
    VerificationError
        If its records do not keep k.
    """
    number = int(figures["block"])
    damaged = _damaged_part_error(number)
    try:
        with path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        if digest != figures["sha256"]:
            raise damaged
        with pq.ParquetFile(path) as file:
            same = file.schema_arrow.equals(schema)
            rows = file.metadata.num_rows
            names = list(plan.quasi_identifiers)
            table = file.read(columns=names)
    except (OSError, pa.ArrowException):
        raise damaged from None
    if not same or rows != figures["n_records"]:
        raise damaged
    frame = table.select(names).to_pandas(date_as_object=False)
    k = smallest_class_size(frame, plan.quasi_identifiers, persons, plan.intruder_knows)
    if k < plan.k:
        raise VerificationError(
            "Part {number} as written has a group of {smallest}, fewer than k = {k}, "
            "so nothing was released; please report this.",
            number=number,
            smallest=k,
            k=plan.k,
        )
    return k


def check_unprotected_columns_of_part(
    path: Path,
    number: int,
    names: Sequence[str],
    sizes_and_digests: Sequence[tuple[int, bytes]],
) -> None:
    """Raise if unprotected columns of a part differ from the input's.

    Parameters
    ----------
    path : Path
    number : int
        Of the block.
    names : sequence of str
        The columns.
    sizes_and_digests : sequence of tuple of int and bytes
        Of records that follow each other in the block: how many, and the digest of
        these columns when they were read, see
        :class:`engine.streaming.records.unprotected_columns.LeafDigests`.

    Raises
    ------
    PartError
        If a cell is another one.
    """
    if not names:
        return
    leaf_digests = LeafDigests()
    leaves = np.repeat(
        np.arange(len(sizes_and_digests)), [size for size, _ in sizes_and_digests]
    )
    first = 0
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(
                ROWS_PER_DIGEST_CALL, columns=list(names), use_threads=False
            ):
                after = first + batch.num_rows
                leaf_digests.add_batch(batch.select(list(names)), leaves[first:after])
                first = after
    except (OSError, pa.ArrowException):
        raise _damaged_part_error(number) from None
    if any(
        leaf_digests.digest(j) != each for j, (_, each) in enumerate(sizes_and_digests)
    ):
        raise PartError(
            "Part {number} as written differs from the input in columns that are not "
            "protected, so nothing was released; check the disk, and repeat the run to "
            "have this part made again.",
            number=number,
        )


def _damaged_part_error(number: int) -> PartError:
    return PartError(
        "Part {number} as written is not what was made, so nothing was released: "
        "check the disk, and repeat the run to have this part made again.",
        number=number,
    )
