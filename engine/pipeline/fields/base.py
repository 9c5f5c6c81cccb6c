"""Base class of a plan's fields, and a check for repeated column names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from engine.core.errors import ParameterError
from engine.pipeline.planning import limits


class PlanFields(BaseModel):
    """Immutable base class of a plan's fields."""

    # Checked as parts of whole plans alone: nothing is built for each subject.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


def reject_repeated_names(value: tuple[str, ...]) -> tuple[str, ...]:
    """Return column names; raise if one occurs twice."""
    twice = first_repeated(value)
    if twice is not None:
        raise ParameterError("Column {column!r} is named twice.", column=twice)
    return value


def first_repeated(names: Iterable[str]) -> str | None:
    """Return the first name that occurs more than once, or None."""
    counts = Counter(names)
    return next((name for name, count in counts.items() if count > 1), None)


LIMITED_COLUMNS = Field(max_length=limits.MAX_COLUMNS)

Names = Annotated[
    tuple[str, ...], LIMITED_COLUMNS, AfterValidator(reject_repeated_names)
]
