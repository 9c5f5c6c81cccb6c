"""Arrays and mappings come back from JSON as they were, read with distrust."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated

import numpy as np
import pytest
from pydantic import Field, TypeAdapter, ValidationError

from engine.core.text.json_types import ArrayAsList, ReadOnlyMapping
from engine.core.typing import Integers, Values


@dataclass
class Stored:
    numbers: Annotated[Values, ArrayAsList(float)]
    counts: Annotated[Integers, ArrayAsList(Annotated[int, Field(ge=0)])]
    by_name: Annotated[Mapping[str, float], ReadOnlyMapping()]


ADAPTER = TypeAdapter(Stored)


def test_what_is_read_is_what_was_written_to_the_last_bit() -> None:
    numbers = np.array([0.1, -0.0, 1e300, math.nan, math.inf])
    counts = np.array([0, 2**53 + 1], dtype=np.int64)
    original = Stored(numbers, counts, MappingProxyType({"a": math.nan, "b": 0.1}))
    text = json.dumps(ADAPTER.dump_python(original))
    loaded_copy = ADAPTER.validate_python(json.loads(text))
    assert loaded_copy.numbers.tobytes() == numbers.tobytes()
    assert (loaded_copy.counts.dtype, loaded_copy.counts.tolist()) == (
        np.int64,
        [0, 2**53 + 1],
    )
    assert isinstance(loaded_copy.by_name, MappingProxyType)
    assert math.isnan(loaded_copy.by_name["a"])
    assert loaded_copy.by_name["b"] == 0.1


@pytest.mark.parametrize(
    "wrong",
    [
        {"numbers": ["much"]},
        {"numbers": [[1.0]]},
        {"numbers": {}},
        {"counts": [-1]},
        {"counts": [2**70]},
        {"counts": [0.5]},
        {"by_name": {"a": "much"}},
        {"by_name": []},
    ],
)
def test_anything_else_is_refused(wrong: dict[str, object]) -> None:
    content = {"numbers": [1.0], "counts": [1], "by_name": {}}
    ADAPTER.validate_python(content)
    with pytest.raises(ValidationError):
        ADAPTER.validate_python({**content, **wrong})
