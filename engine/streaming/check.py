"""The release as it was written: read back file by file, and k counted on it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from engine.measures.classes import class_sizes
from engine.pipeline.resolved import ResolvedPlan
from engine.release.verify import VerificationError


class PartError(VerificationError):
    """A file is not what was made for it."""

    @property
    def number(self) -> int:
        """Of the block."""
        found = self.message.values["number"]
        assert isinstance(found, int)
        return found


def check_part(
    path: Path, plan: ResolvedPlan, schema: Any, figures: Mapping[str, Any]
) -> int:
    """Read a written part back and return the k counted on it.

    Counting part by part is enough. Every group was made within a block and is whole in
    its part, so each class of equal records in a part has at least k members if the
    check passes; and records of another part that share these values can only add to
    the class. So the k of the whole release is at least the smallest k of a part.

    Parameters
    ----------
    path : Path
    plan : ResolvedPlan
    schema : pyarrow.Schema
        Of the release: identifiers are gone, types are as promised.
    figures : mapping
        Of the part, from when it was made.

    Raises
    ------
    PartError
        If the file differs from what was made.
    VerificationError
        If its records do not keep k.
    """
    number = int(figures["block"])
    damaged = PartError(
        "Part {number} as written is not what was made, so nothing was released: "
        "check the disk, and repeat the run to have this part made again.",
        number=number,
    )
    try:
        with path.open("rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
        if found != figures["sha256"]:
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
    k = int(class_sizes(frame, plan.quasi_identifiers).min())
    if k < plan.k:
        raise VerificationError(
            "Part {number} as written has a group of {smallest} records, fewer than "
            "k = {k}, so nothing was released; please report this.",
            number=number,
            smallest=k,
            k=plan.k,
        )
    return k
