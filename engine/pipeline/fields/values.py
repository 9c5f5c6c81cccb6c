"""What values become: groups' common values, rounded, without gaps, within rules."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from engine.core.errors import ParameterError
from engine.data.kinds import MissingPolicy
from engine.pipeline import limits
from engine.pipeline.choices import Choice, Option
from engine.pipeline.fields.base import FEW, Choices

LARGEST_BASE = 1e12
"""Largest number to whose multiples values are rounded."""

Rounding = Literal["types", "precision", "none"]
"""Which released numbers are rounded.

``types`` rounds every column of numbers to the decimals that it had, so that whole
numbers, and dates without a time of day, come back as such; columns that a rule binds
only where values with these decimals can keep the rules. ``precision`` does the same,
and refuses rules that no such values can keep; ``none`` leaves the groups' values as
they are.
"""


def known_aggregation(value: str) -> str:
    """Return the identifier of an aggregation, or ``"auto"``."""
    from engine.aggregate import aggregations
    from engine.aggregate.defaults import AUTO

    return value if value == AUTO else aggregations.resolve(value)


def known_aggregations(value: dict[str, str]) -> dict[str, str]:
    """Return the identifiers of aggregations, by column."""
    from engine.aggregate import aggregations

    return {name: aggregations.resolve(rule) for name, rule in value.items()}


def rounding_bases(value: Any) -> Any:
    """Return bases that columns are rounded to as numbers above 0, by column."""
    if not isinstance(value, dict):
        return value
    bases = {}
    for name, base in value.items():
        try:
            bases[name] = float(base)
        except (TypeError, ValueError):
            bases[name] = math.nan
        if not 0.0 < bases[name] <= LARGEST_BASE:
            raise ParameterError(
                "Column {column!r} is to be rounded to multiples of {base!r}, but the "
                "base must be a number above 0, up to {most:,}.",
                column=name,
                base=base,
                most=int(LARGEST_BASE),
            )
    return bases


class Values(Choices):
    """What released values are.

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
        What happens to a missing quasi-identifier; see :mod:`engine.data.missing`.
    missing_columns : dict of str to policy
        The same for single columns.
    follows : dict of str to str
        Quasi-identifiers that say what another one says, by that other one: what is
        released of it decides what is released of them; see
        :mod:`engine.pipeline.follow`.
    constraints : tuple of str
        Linear rules that released values satisfy, such as ``"net + tax = gross"``,
        and bounds, such as ``"0 <= age <= 120"``.
    """

    aggregation: Annotated[
        str,
        AfterValidator(known_aggregation),
        Choice(
            "common value",
            "shared",
            Option(
                "--aggregation",
                "auto (default), mean, median, mode, interval, generalise, "
                "trimmed-mean, one-step or geometric-mean",
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
        FEW,
        AfterValidator(known_aggregations),
        Choice(
            "common value of {column}",
            "shared",
            Option("--aggregation", form="by column", example="age=median"),
            stage="group",
            widget="own",
            out_of_core=True,
            reported=False,
        ),
    ] = Field(default_factory=dict)
    interval_columns: Annotated[
        bool,
        Choice(
            "ends of intervals as columns",
            "shared",
            Option(
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
        Choice(
            "rounding",
            "shared",
            Option(
                "--rounding",
                "types (default: the decimals that each column has), precision or none",
                always=True,
            ),
            stage="after",
            widget="own",
            out_of_core=True,
        ),
    ] = "types"
    rounding_base: Annotated[
        dict[str, float],
        BeforeValidator(rounding_bases),
        FEW,
        Choice(
            "rounding base of {column}",
            "shared",
            Option(
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
        Choice(
            "missing values",
            "shared",
            Option(
                "--missing",
                "refuse (default), keep-or-fill, drop, median, mode or keep: missing "
                "values",
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
        FEW,
        Choice(
            "missing values of {column}",
            "shared",
            Option("--missing", form="by column", example="age=median"),
            stage="prepare",
            widget="own",
            out_of_core=True,
            reported=False,
        ),
    ] = Field(default_factory=dict)
    follows: Annotated[
        dict[str, str],
        FEW,
        Choice(
            "column that {column} follows",
            "shared",
            Option(
                "--follow",
                "make a column anew from another one that says the same, as in "
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
        tuple[Annotated[str, Field(max_length=limits.RULE_LENGTH)], ...],
        Field(max_length=limits.RULES),
        Choice(
            "rules",
            "shared",
            Option(
                "--constraint",
                '"net + tax = gross", "0 <= age <= 120", "net <= gross", or '
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
