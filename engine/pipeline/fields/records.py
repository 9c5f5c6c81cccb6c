"""Which records are released, and which of them may be in one group."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer

from engine.core.errors import ParameterError
from engine.pipeline import limits
from engine.pipeline.choices import Choice, Option
from engine.pipeline.fields.base import (
    FEW,
    Choices,
    Names,
    different_names,
    first_repeated,
)


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


NO_PERSON, EACH_RECORD = "none", "each"
"""What is said in place of columns: that records count although somebody may have
several, or that every record is of another person."""


def said_person(value: Any) -> Any:
    """Return the columns of a person as a tuple, and what is said in place of them.

    Raises
    ------
    ParameterError
        If it is neither a name nor names.
    """
    if value is None or value in (NO_PERSON, EACH_RECORD):
        return value
    names = (value,) if isinstance(value, str) else value
    texts = isinstance(names, (tuple, list)) and all(
        isinstance(name, str) and name for name in names
    )
    if not texts or not names or len(names) > limits.COLUMNS:
        raise ParameterError(
            "The choice 'person' (--person) must be a column, a list of columns, or "
            "none."
        )
    return different_names(tuple(names))


def person_as_json(value: tuple[str, ...] | str | None) -> str | list[str] | None:
    """Return what :func:`said_person` reads: the name where there is one column."""
    if not isinstance(value, tuple):
        return value
    alone = len(value) == 1 and value[0] not in (NO_PERSON, EACH_RECORD)
    return value[0] if alone else list(value)


class Records(Choices):
    """The records, their persons, strata, households, blocks and weights.

    Attributes
    ----------
    only : str or None
        Condition such as ``"region = north and age >= 18"``: records that it is not
        true of are left out, as if the table did not have them; None takes all. See
        :mod:`engine.constraints.condition`.
    person : tuple of str, {"none", "each"} or None
        Columns that together say who a record is about: k counts persons. ``"none"``
        counts records although somebody may have several, ``"each"`` says that nobody
        has; None leaves it open, so that the identifier whose values repeat is taken,
        see :func:`engine.pipeline.resolved.resolve`.
    intruder_knows : {"one", "all"}
        What k persons share: the quasi-identifiers of one record, or the set of all
        that a person has.
    strata : str or None
        Column whose values are protected separately; or several by commas, whose
        combinations are.
    small_strata : {"refuse", "merge"}
        What happens to strata of fewer than k records: an error, or they are protected
        together.
    household : str or None
        Column that says which household a record is of: groups are of whole
        households, see :mod:`engine.pipeline.households`.
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
    person: Annotated[
        tuple[str, ...] | Literal["none", "each"] | None,
        BeforeValidator(said_person),
        PlainSerializer(person_as_json, when_used="json"),
        Choice(
            "person",
            "shared",
            Option(
                "--person",
                "columns that say who a record is about: k counts persons; none to "
                "count records (default: the identifier whose values repeat)",
                "names or none",
                "COL[,COL]",
            ),
            stage="prepare",
            widget="own",
            out_of_core=True,
            help="The column that says who a record is about, where somebody has "
            "several records: k counts persons. Several columns together, such as "
            "hospital and patient, say it too.",
        ),
    ] = None
    intruder_knows: Annotated[
        Literal["one", "all"],
        Choice(
            "what an intruder knows of a person",
            "shared",
            Option(
                "--intruder-knows",
                "of a person: one record (default), or all of them",
            ),
            stage="group",
            widget="own",
            out_of_core=True,
            help="One: the quasi-identifiers of one record of a person; every group "
            "has records of at least k persons. All: the whole history; at least k "
            "persons have the same set of released values.",
        ),
    ] = "one"
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
                "column of households, to be grouped whole",
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
