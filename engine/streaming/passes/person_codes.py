"""Number and hash the persons whom a batch of records is about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from engine.core.typing import Booleans, Integers
from engine.data.persons import code_persons
from engine.streaming.blocks.split import splitmix64
from engine.streaming.passes.words import (
    decode_and_normalise_column,
    encode_and_list_distinct_values,
)


def person_codes_of_batch(records: Any, columns: Sequence[str]) -> Integers:
    """Return the person code of each record: 0, 1, ..., -1 for nobody.

    Parameters
    ----------
    records : pyarrow.RecordBatch or Table
    columns : sequence of str
        Which together say who a record is about.
    """
    frame = {}
    for name in columns:
        codes, values = encode_and_list_distinct_values(
            decode_and_normalise_column(records.column(name))
        )
        frame[name] = pd.Categorical.from_codes(codes, pd.RangeIndex(len(values)))
    return code_persons(pd.DataFrame(frame), columns)


def hash_and_mask_persons(
    records: Any, columns: Sequence[str]
) -> tuple[NDArray[np.uint64], Booleans]:
    """Return a hash of each record's person, and a mask of records with a person.

    Identifiers that differ by case or surplus blanks alone have one hash.
    """
    n = records.num_rows
    hashes, is_named = np.zeros(n, dtype=np.uint64), np.ones(n, dtype=np.bool_)
    for name in columns:
        codes, values = encode_and_list_distinct_values(
            decode_and_normalise_column(records.column(name))
        )
        is_named &= codes >= 0
        value_hashes = np.append(_hash_values(values), np.uint64(0))
        hashes = splitmix64(hashes) ^ value_hashes[codes]
    return hashes, is_named


def _hash_values(values: Any) -> NDArray[np.uint64]:
    """Return a hash of each value, the same in every batch."""
    kind = values.type
    if pa.types.is_temporal(kind) or pa.types.is_integer(kind):
        whole = values.view(pa.int32()) if pa.types.is_date32(kind) else values
        numbers = whole.cast(pa.int64(), safe=False).to_numpy(zero_copy_only=False)
    elif pa.types.is_floating(kind):
        numbers = values.cast(pa.float64()).to_numpy(zero_copy_only=False)
    else:
        texts = [" ".join(str(each).split()).casefold() for each in values.to_pylist()]
        return pd.util.hash_array(np.array(texts, dtype=object), categorize=False)
    return splitmix64(np.ascontiguousarray(numbers).view(np.uint64))
