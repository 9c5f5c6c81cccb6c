"""Plan fields for distances between records."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from engine.core.errors import EngineError, ParameterError
from engine.data.kinds import Kind
from engine.pipeline.fields.base import LIMITED_COLUMNS, PlanFields
from engine.pipeline.planning import limits
from engine.pipeline.planning.choices import ChoiceInfo, CommandOption

MAX_ATTRIBUTE_WEIGHT = 1e6
"""Largest weight of an attribute: beyond it the others drown in rounding."""

Transformed = Literal["none", "log", "box-cox"]
"""Identifiers in :data:`engine.points.transforms.transforms`."""


def validate_scaling(value: str) -> str:
    """Return the identifier of a scaling; raise if it does not exist."""
    from engine.points.scaling import scalings

    return scalings.resolve(value)


def validate_attribute_weights(value: Any) -> Any:
    """Return weights in a dict as floats, or another value as is; raise if invalid."""
    if not isinstance(value, dict):
        return value
    weights = {}
    for name, weight in value.items():
        try:
            weights[name] = float(weight)
        except (TypeError, ValueError):
            weights[name] = math.nan
        if not 0.0 <= weights[name] <= MAX_ATTRIBUTE_WEIGHT:
            raise ParameterError(
                "The weight of column {column!r} is {weight!r}, but must be a "
                "number from 0 to {most:,}.",
                column=name,
                weight=weight,
                most=int(MAX_ATTRIBUTE_WEIGHT),
            )
    return weights


def validate_hierarchies(
    value: dict[str, tuple[tuple[str, ...], ...]],
) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Return rows of hierarchies by column; raise if one is too large or no tree."""
    for name, rows in value.items():
        try:
            limits.check_hierarchy_size(rows)
            _check_tree(rows)
        except EngineError as error:
            raise ParameterError(
                "Column {column!r}: {problem}", column=name, problem=error.message
            ) from None
    return value


@lru_cache(maxsize=64)
def _check_tree(rows: tuple[tuple[str, ...], ...]) -> None:
    """Raise if the rows are no hierarchy; right ones are not looked at again."""
    from engine.hierarchy import Hierarchy

    Hierarchy(rows)


class DistanceFields(PlanFields):
    """Choices that define distances between records.

    Attributes
    ----------
    scaling : str
    attribute_weights : dict of str to float
        How much the squared distances of single quasi-identifiers count, 1 unless
        given; see :mod:`engine.points.coordinate_space`.
    transforms : dict of str to str
        How single columns of numbers are bent before they are scaled; see
        :mod:`engine.points.transforms`.
    kinds : dict of str to Kind
        Of columns whose kind is not that of the table's schema.
    hierarchies : dict of str to rows
        Of columns whose hierarchy is not that of the table's schema: one row per
        leaf, general to the right.
    """

    scaling: Annotated[
        str,
        AfterValidator(validate_scaling),
        ChoiceInfo(
            "scaling",
            CommandOption(
                "--scaling",
                "make columns comparable: zscore (default), range or none",
                always=True,
            ),
            stage="prepare",
            widget="own",
            out_of_core=True,
        ),
    ] = "zscore"
    attribute_weights: Annotated[
        dict[str, float],
        BeforeValidator(validate_attribute_weights),
        LIMITED_COLUMNS,
        ChoiceInfo(
            "weight of {column}",
            CommandOption(
                "--attribute-weights",
                "weight of a column in distances (default 1)",
                "weights",
                "A=2,B=0.5",
                "income=2,sex=0.5",
            ),
            stage="prepare",
            out_of_core=True,
            unnamed=1.0,
            help="A column of weight 2 counts as two such columns would: groups are "
            "more alike in it, and less in the others. 0 leaves it out of the "
            "distances.",
        ),
    ] = Field(default_factory=dict)
    transforms: Annotated[
        dict[str, Transformed],
        LIMITED_COLUMNS,
        ChoiceInfo(
            "transform of {column}",
            CommandOption(
                "--transform",
                "transform numbers before scaling: log or box-cox (default none)",
                "by column",
                "COL=WAY",
                "income=log",
            ),
            stage="prepare",
            out_of_core=True,
            unnamed="none",
            numeric=True,
            help="By which records are compared; what is released stays in the "
            "column's own units.",
        ),
    ] = Field(default_factory=dict)
    kinds: Annotated[
        dict[str, Kind],
        LIMITED_COLUMNS,
        ChoiceInfo(
            "kind of {column}",
            CommandOption(
                "--kind",
                "set the kind of a column: continuous, ordinal or nominal",
                "by column",
                "COL=KIND",
                "region=nominal",
            ),
            stage="prepare",
            shown="columns",
            out_of_core=True,
            reported=False,
        ),
    ] = Field(default_factory=dict)
    hierarchies: Annotated[
        dict[str, tuple[tuple[str, ...], ...]],
        LIMITED_COLUMNS,
        AfterValidator(validate_hierarchies),
        ChoiceInfo(
            "hierarchy of {column}",
            CommandOption(
                "--hierarchy",
                "coarser values of categories: a CSV file, one line per value, root "
                "last",
                "files",
                "COL=FILE",
                "diagnosis=levels.csv",
            ),
            stage="prepare",
            shown="columns",
            out_of_core=True,
            reported=False,
        ),
    ] = Field(default_factory=dict)
