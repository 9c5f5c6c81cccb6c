"""Plan fields for released values: aggregation, rounding, gaps, followers, rules."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from engine.core.errors import ParameterError
from engine.data.kinds import MissingPolicy
from engine.pipeline.fields.base import LIMITED_COLUMNS, PlanFields
from engine.pipeline.planning import limits
from engine.pipeline.planning.choices import ChoiceInfo, CommandOption

MAX_ROUNDING_BASE = 1e12
"""Largest number to whose multiples values are rounded."""

Rounding = Literal["types", "precision", "none"]
"""Which released numbers are rounded.

``types`` rounds every column of numbers to the decimals that it had, so that whole
numbers, and dates without a time of day, come back as such; columns that a rule binds
only where values with these decimals can keep the rules. ``precision`` does the same,
and refuses rules that no such values can keep; ``none`` leaves the groups' values as
they are.
"""


def validate_aggregation(value: str) -> str:
    """Return the identifier of an aggregation, or ``"auto"``."""
    from engine.aggregate import aggregations
    from engine.aggregate.defaults import AUTO

    return value if value == AUTO else aggregations.resolve(value)


def validate_aggregations(value: dict[str, str]) -> dict[str, str]:
    """Return the identifiers of aggregations, by column."""
    from engine.aggregate import aggregations

    return {name: aggregations.resolve(rule) for name, rule in value.items()}


def validate_rounding_bases(value: Any) -> Any:
    """Return rounding bases in a dict as floats, or another value; raise if invalid."""
    if not isinstance(value, dict):
        return value
    bases = {}
    for name, base in value.items():
        try:
            bases[name] = float(base)
        except (TypeError, ValueError):
            bases[name] = math.nan
        if not 0.0 < bases[name] <= MAX_ROUNDING_BASE:
            raise ParameterError(
                "Column {column!r} is to be rounded to multiples of {base!r}, but the "
                "base must be a number above 0, up to {most:,}.",
                column=name,
                base=base,
                most=int(MAX_ROUNDING_BASE),
            )
    return bases


class ValueFields(PlanFields):
    """Choices for released values: aggregation, rounding, gaps, followers and rules.

    Attributes
    ----------
    aggregation : str
        What a group's values become: ``"auto"`` suits the method and each column's
        kind. Any other counts for the kinds of columns that it makes sense for.
    aggregations : dict of str to str
        The same for single columns.
    interval_columns : bool
        Whether a column released as intervals also comes as two columns of numbers,
        its name with ``_from`` and ``_to``.
    rounding : {"types", "precision", "none"}
        Which released numbers are rounded; see :data:`Rounding`.
    rounding_base : dict of str to float
        Numbers to whose multiples single columns are rounded, whatever `rounding`
        says: 5 makes 12 a 10.
    missing : {"refuse", "drop", "median", "mode", "keep", "keep-or-fill"}
        What happens to a missing quasi-identifier; see
        :mod:`engine.data.missing_values.missing`.
    missing_columns : dict of str to policy
        The same for single columns.
    follows : dict of str to str
        Quasi-identifiers that say what another one says, by that other one: what is
        released of it decides what is released of them; see
        :mod:`engine.pipeline.protection.recompute_followers`.
    constraints : tuple of str
        Rules that released values satisfy, such as ``"net + tax = gross"`` and
        ``"0 <= age <= 120"``; conditions may depend on columns that leave as they are.
    """

    aggregation: Annotated[
        str,
        AfterValidator(validate_aggregation),
        ChoiceInfo(
            "common value",
            CommandOption(
                "--aggregation",
                "common value of a group: auto (default), mean, median, low-median, "
                "mode, trimmed-mean, one-step, geometric-mean, interval, generalise "
                "or ancestor",
                "overall",
                "[COL=]RULE",
            ),
            stage="group",
            widget="own",
            out_of_core=True,
            reported=False,
        ),
    ] = "auto"
    # Groups that are polished for the release are made for what values become.
    aggregations: Annotated[
        dict[str, str],
        LIMITED_COLUMNS,
        AfterValidator(validate_aggregations),
        ChoiceInfo(
            "common value of {column}",
            CommandOption("--aggregation", form="by column", example="age=median"),
            stage="group",
            widget="own",
            out_of_core=True,
            reported=False,
        ),
    ] = Field(default_factory=dict)
    interval_columns: Annotated[
        bool,
        ChoiceInfo(
            "ends of intervals as columns",
            CommandOption(
                "--interval-columns",
                "add both ends of released intervals as columns of numbers",
                "switch",
            ),
            stage="after",
            widget="own",
        ),
    ] = False
    rounding: Annotated[
        Rounding,
        ChoiceInfo(
            "rounding",
            CommandOption(
                "--rounding",
                "round released numbers: types (default: as many decimals as the "
                "column has), precision or none",
                always=True,
            ),
            stage="after",
            widget="own",
            out_of_core=True,
        ),
    ] = "types"
    rounding_base: Annotated[
        dict[str, float],
        BeforeValidator(validate_rounding_bases),
        LIMITED_COLUMNS,
        ChoiceInfo(
            "rounding base of {column}",
            CommandOption(
                "--rounding-base",
                "round columns to multiples of a number, as in income=100",
                "weights",
                "A=5,B=100",
                "income=100",
            ),
            stage="after",
            unnamed=0.0,
            numeric=True,
            help="Released values are multiples of this number, such as 5 or 100; 0 "
            "leaves the rounding to the column's own decimals.",
        ),
    ] = Field(default_factory=dict)
    missing: Annotated[
        MissingPolicy,
        ChoiceInfo(
            "missing values",
            CommandOption(
                "--missing",
                "missing values: refuse (default), keep-or-fill, drop, median, mode or "
                "keep",
                "overall",
                "[COL=]WAY",
            ),
            stage="prepare",
            widget="own",
            out_of_core=True,
            reported=False,
        ),
    ] = "refuse"
    missing_columns: Annotated[
        dict[str, MissingPolicy],
        LIMITED_COLUMNS,
        ChoiceInfo(
            "missing values of {column}",
            CommandOption("--missing", form="by column", example="age=median"),
            stage="prepare",
            widget="own",
            out_of_core=True,
            reported=False,
        ),
    ] = Field(default_factory=dict)
    follows: Annotated[
        dict[str, str],
        LIMITED_COLUMNS,
        ChoiceInfo(
            "column that {column} follows",
            CommandOption(
                "--follow",
                "derive a column from a protected column with the same content, as in "
                "year=date",
                "by column",
                "COL=COL",
                "year=date",
            ),
            stage="after",
            widget="own",
            reported=False,
        ),
    ] = Field(default_factory=dict)
    constraints: Annotated[
        tuple[Annotated[str, Field(max_length=limits.MAX_RULE_CHARS)], ...],
        Field(max_length=limits.MAX_RULES),
        ChoiceInfo(
            "rules",
            CommandOption(
                "--constraint",
                'rule that every released record keeps: "net + tax = gross", '
                '"0 <= age <= 120", "net <= gross", or '
                '"if sex = m then kids = 0"',
                "texts",
                "RULE",
            ),
            stage="group",
            widget="own",
            out_of_core=True,
            reported=False,
        ),
    ] = ()
