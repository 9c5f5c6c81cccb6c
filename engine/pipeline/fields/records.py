"""Which records are released, and which of them may be in one group."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from engine.core.errors import ParameterError
from engine.pipeline import limits
from engine.pipeline.choices import Choice, Option
from engine.pipeline.fields.base import FEW, Choices, Names, first_repeated


def said_condition(value: str | None) -> str | None:
    """Return a condition without outer blanks.

    Raises
    ------
    ParameterError
        If it is empty.
    """
    if value is not None and not value.strip():
        raise ParameterError(
            "The condition of the records to release is empty (--only): say one, as in "
            '"region = north and age >= 18", or leave it out.'
        )
    return value and value.strip()


def disjoint_blocks(value: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
    """Return the blocks that have columns, none of which is in two of them."""
    twice = first_repeated(name for block in value for name in block)
    if twice is not None:
        raise ParameterError("Column {column!r} is in two blocks.", column=twice)
    return tuple(block for block in value if block)


class Records(Choices):
    """The records, their strata, households, blocks and weights.

    Attributes
    ----------
    only : str or None
        Condition such as ``"region = north and age >= 18"``: records that it is not
        true of are left out, as if the table did not have them; None takes all. See
        :mod:`engine.constraints.condition`.
    strata : str or None
        Column whose values are protected separately; or several by commas, whose
        combinations are.
    small_strata : {"refuse", "merge"}
        What happens to strata of fewer than k records: an error, or they are protected
        together.
    household : str or None
        Column that says which household a record is of, or which person where records
        are waves: groups are of whole households, see
        :mod:`engine.pipeline.households`.
    blocks : tuple of tuple of str
        Quasi-identifiers that are grouped together, apart from the others; those that
        no block names form the last one. k then holds in each block, not for records
        as a whole; of groups that are drawn it is expected in each block.
    weights : str or None
        Column with how many units each record stands for; None means that of the
        schema, where there is one. Means and the information loss are weighted.
    """

    only: Annotated[
        Annotated[str, Field(max_length=limits.RULE_LENGTH)] | None,
        AfterValidator(said_condition),
        Choice(
            "records to release",
            "shared",
            Option(
                "--only",
                'release the records of which this is true, as in "region = north '
                'and age >= 18", and leave all others out',
                metavar="CONDITION",
            ),
            stage="prepare",
            widget="own",
            help="A condition such as region = north and age >= 18. Records that it is "
            "not true of are left out, as if the file did not have them: groups, k and "
            "all figures are about the others alone. Empty for all records.",
        ),
    ] = None
    strata: Annotated[
        str | None,
        Choice(
            "strata",
            "shared",
            Option("--strata", "protect inside their values", metavar="A,B"),
            stage="prepare",
            widget="own",
        ),
    ] = None
    small_strata: Annotated[
        Literal["refuse", "merge"],
        Choice(
            "small strata",
            "shared",
            Option(
                "--small-strata", "of fewer than k records: refuse (default) or merge"
            ),
            stage="prepare",
            widget="own",
            out_of_core=True,
        ),
    ] = "refuse"
    household: Annotated[
        str | None,
        Choice(
            "households",
            "shared",
            Option(
                "--household",
                "column of households, or of persons over waves, to be grouped whole",
                metavar="COL",
            ),
            stage="prepare",
            widget="own",
            help="Groups are of whole households, so that k holds for households and "
            "for persons. Those of one size share values place by place, in the order "
            "of the first quasi-identifier.",
        ),
    ] = None
    blocks: Annotated[
        tuple[Names, ...],
        FEW,
        AfterValidator(disjoint_blocks),
        Choice(
            "blocks of columns",
            "shared",
            Option("--block", "group these columns apart from others", "blocks", "A,B"),
            stage="prepare",
            widget="own",
        ),
    ] = ()
    weights: Annotated[
        str | None,
        Choice(
            "weights",
            "columns",
            Option("--weights", "units that a record stands for", metavar="COL"),
            stage="prepare",
            out_of_core=True,
        ),
    ] = None
