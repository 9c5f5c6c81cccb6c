"""Plan fields for records: selection, persons, strata, households, blocks, weights."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer

from engine.core.errors import ParameterError
from engine.core.message import Message
from engine.core.text.csv_rows import column_names_to_csv_line
from engine.pipeline.fields.base import (
    LIMITED_COLUMNS,
    Names,
    PlanFields,
    first_repeated,
    reject_repeated_names,
)
from engine.pipeline.fields.privacy import PRIVACY_MODELS
from engine.pipeline.planning import limits
from engine.pipeline.planning.choices import ChoiceInfo, CommandOption, Exclusion


def validate_condition(value: str | None) -> str | None:
    """Return a condition without outer blanks, or None; raise if it is blank.

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


def validate_column_blocks(
    value: tuple[tuple[str, ...], ...],
) -> tuple[tuple[str, ...], ...]:
    """Return the non-empty blocks of columns; raise if two share a column."""
    twice = first_repeated(name for block in value for name in block)
    if twice is not None:
        raise ParameterError("Column {column!r} is in two blocks.", column=twice)
    return tuple(block for block in value if block)


NO_PERSON, EACH_RECORD = "none", "each"
"""What is said in place of columns: that records count although somebody may have
several, or that every record is of another person."""


def parse_person(value: Any) -> Any:
    """Return person columns as a tuple; None, ``"none"`` and ``"each"`` unchanged.

    Raises
    ------
    ParameterError
        If it is neither a name nor a list of different names.
    """
    if value is None or value in (NO_PERSON, EACH_RECORD):
        return value
    names = (value,) if isinstance(value, str) else value
    texts = isinstance(names, (tuple, list)) and all(
        isinstance(name, str) and name for name in names
    )
    if not texts or not names or len(names) > limits.MAX_COLUMNS:
        raise ParameterError(
            "The choice 'person' (--person) must be a column, a list of columns, or "
            "none."
        )
    return reject_repeated_names(tuple(names))


def person_to_json(value: tuple[str, ...] | str | None) -> str | list[str] | None:
    """Return a plan's person columns for JSON: a name, a list, a keyword or null."""
    if not isinstance(value, tuple):
        return value
    has_one_column = len(value) == 1 and value[0] not in (NO_PERSON, EACH_RECORD)
    return value[0] if has_one_column else list(value)


def parse_strata(value: Any) -> Any:
    """Return a list of columns as a line of CSV, as files of plans have them."""
    if not isinstance(value, (tuple, list)) or not value:
        return value
    if not all(isinstance(name, str) for name in value):
        return value
    return value[0] if len(value) == 1 else column_names_to_csv_line(value)


class RecordFields(PlanFields):
    """The records, their persons, strata, households, column blocks and weights.

    Attributes
    ----------
    only : str or None
        Condition such as ``"region = north and age >= 18"``: records that it is not
        true of are left out, as if the table did not have them; None takes all. See
        :mod:`engine.constraints.parsing.condition`.
    person : tuple of str, {"none", "each"} or None
        Columns that together say who a record is about: k counts persons. ``"none"``
        counts records although somebody may have several, ``"each"`` says that nobody
        has; None leaves it open, so that the identifier whose values repeat is taken,
        see :func:`engine.pipeline.planning.resolve_plan.resolve_plan`.
    intruder_knows : {"one", "all"}
        What k persons share: the quasi-identifiers of one record, or the set of all
        that a person has.
    counts : bool
        Whether k persons also have each combination of quasi-identifiers equally often,
        where an intruder knows all; records of whoever has more are left out.
    strata : str or None
        Column whose values are protected separately; or several by commas, whose
        combinations are. A list or tuple of them becomes such a text.
    small_strata : {"refuse", "merge"}
        What happens to strata of fewer than k records: an error, or they are protected
        together.
    household : str or None
        Column that says which household a record is of: groups are of whole
        households, see :mod:`engine.pipeline.grouping.households`.
    blocks : tuple of tuple of str
        Quasi-identifiers that are grouped together, apart from the others; those that
        no block names form the last one. k then holds in each block, not for records
        as a whole; of groups that are drawn it is expected in each block.
    weights : str or None
        Column with how many units each record stands for; None means that of the
        schema, where there is one. Means and the information loss are weighted.
    """

    only: Annotated[
        Annotated[str, Field(max_length=limits.MAX_RULE_CHARS)] | None,
        AfterValidator(validate_condition),
        ChoiceInfo(
            "records to release",
            CommandOption(
                "--only",
                'release only records that meet this condition, as in "region = north '
                'and age >= 18"',
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
        BeforeValidator(parse_person),
        PlainSerializer(person_to_json, when_used="json"),
        ChoiceInfo(
            "person",
            CommandOption(
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
            asks=lambda person: isinstance(person, tuple),
            excludes=(
                Exclusion(
                    Message("k counts persons"),
                    ("household",),
                    lambda info: (
                        not info.traits.guarantees_k or info.traits.probabilistic
                    ),
                ),
                Exclusion(
                    Message("the whole history of a person is protected"),
                    ("blocks", "suppress_cells"),
                    when={"intruder_knows": "all"},
                ),
            ),
        ),
    ] = None
    intruder_knows: Annotated[
        Literal["one", "all"],
        ChoiceInfo(
            "what an intruder knows of a person",
            CommandOption(
                "--intruder-knows",
                "records of a person that an intruder knows: one (default) or all",
            ),
            stage="prepare",
            widget="own",
            out_of_core=True,
            help="One: the quasi-identifiers of one record of a person; every group "
            "has records of at least k persons. All: the whole history; at least k "
            "persons have the same set of released values.",
        ),
    ] = "one"
    counts: Annotated[
        bool,
        ChoiceInfo(
            "how often a person has the same values",
            CommandOption(
                "--counts",
                "with --intruder-knows all: k persons also have each combination of "
                "values equally often; records of whoever has more are left out",
                "switch",
            ),
            stage="prepare",
            widget="own",
            help="At least k persons also have each combination of released values "
            "equally often. Of persons with more records than the others of their "
            "class, records are left out.",
        ),
    ] = False
    strata: Annotated[
        str | None,
        BeforeValidator(parse_strata),
        ChoiceInfo(
            "strata",
            CommandOption(
                "--strata",
                "group records only if these columns are equal",
                metavar="A,B",
            ),
            stage="prepare",
            widget="own",
        ),
    ] = None
    small_strata: Annotated[
        Literal["refuse", "merge"],
        ChoiceInfo(
            "small strata",
            CommandOption(
                "--small-strata",
                "strata of fewer than k records: refuse (default) or merge",
            ),
            stage="prepare",
            widget="own",
            out_of_core=True,
        ),
    ] = "refuse"
    household: Annotated[
        str | None,
        ChoiceInfo(
            "households",
            CommandOption(
                "--household",
                "column that numbers households: their records stay together",
                metavar="COL",
            ),
            stage="prepare",
            widget="own",
            help="Groups are of whole households, so that k holds for households and "
            "for persons. Those of one size share values place by place, in the order "
            "of the first quasi-identifier.",
            excludes=(
                Exclusion(
                    Message("households are grouped whole"),
                    ("blocks", "suppress", *PRIVACY_MODELS),
                    lambda info: (
                        info.family == "mixed"
                        or info.traits.probabilistic
                        or info.traits.per_attribute
                        or info.traits.univariate
                    ),
                ),
            ),
        ),
    ] = None
    blocks: Annotated[
        tuple[Names, ...],
        LIMITED_COLUMNS,
        AfterValidator(validate_column_blocks),
        ChoiceInfo(
            "blocks of columns",
            CommandOption("--block", "group these columns separately", "blocks", "A,B"),
            stage="prepare",
            widget="own",
            excludes=(
                Exclusion(
                    Message("it groups each attribute on its own"),
                    methods=lambda info: info.traits.per_attribute,
                ),
            ),
        ),
    ] = ()
    weights: Annotated[
        str | None,
        ChoiceInfo(
            "weights",
            CommandOption(
                "--weights",
                "column that says how many people or firms a record stands for",
                metavar="COL",
            ),
            stage="prepare",
            shown="columns",
            out_of_core=True,
        ),
    ] = None
