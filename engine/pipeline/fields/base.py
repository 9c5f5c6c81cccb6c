"""What the fields of all subjects share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from engine.core.errors import ParameterError
from engine.pipeline import limits


class Choices(BaseModel):
    """Some of a plan's choices, which stay as they are."""

    # Checked as parts of whole plans alone: nothing is built for each subject.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


def different_names(value: tuple[str, ...]) -> tuple[str, ...]:
    """Return names of columns, none of them twice."""
    twice = first_repeated(value)
    if twice is not None:
        raise ParameterError("Column {column!r} is named twice.", column=twice)
    return value


def first_repeated(names: Iterable[str]) -> str | None:
    """Return the first name that is there more than once."""
    counts = Counter(names)
    return next((name for name, count in counts.items() if count > 1), None)


FEW = Field(max_length=limits.COLUMNS)

Names = Annotated[tuple[str, ...], FEW, AfterValidator(different_names)]
