"""Plan fields for grouping: method, k, parameters, polishing and roles of columns."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from engine.core.errors import ParameterError
from engine.core.message import Message
from engine.methods import methods
from engine.pipeline.fields.base import LIMITED_COLUMNS, Names, PlanFields
from engine.pipeline.planning import limits
from engine.pipeline.planning.choices import ChoiceInfo, CommandOption, Exclusion


def validate_k(value: Any) -> Any:
    """Return k unchanged; raise if it is a number below 2 or a Boolean."""
    if isinstance(value, bool) or (isinstance(value, (int, float)) and value < 2):
        raise ParameterError(
            "k is {k!r}, but must be a whole number of at least 2: a group of one "
            "record protects nobody.",
            k=value,
        )
    return value


class GroupingFields(PlanFields):
    """The method, its k, parameters and polishing, and the columns by their roles.

    Attributes
    ----------
    method : str
        Identifier or alias in :data:`engine.methods`.
    k : int
        Minimum group size, at least 2.
    quasi_identifiers : tuple of str
        Columns to protect; empty means those of the table's schema.
    identifiers : tuple of str or None
        Columns left out of the release; None means those of the schema.
    confidential : tuple of str or None
        Columns that somebody might want to learn, released as they are; None means
        those of the schema.
    parameters : dict
        The method's own parameters; what is left out has its default.
    polish : bool
        Whether the method's groups are refined by local search afterwards.
    polish_for : {"groups", "release"}
        What polished groups lose least in: their means, or after that the values that
        are written; see :mod:`engine.methods.search.as_written`.
    """

    method: Annotated[
        str,
        AfterValidator(methods.resolve),
        ChoiceInfo(
            "method",
            CommandOption(
                "--method",
                "see `coterie methods` (default mdav; blocked above 200,000 records "
                "and out of core)",
                always=True,
            ),
            stage="group",
            shown="methods",
            out_of_core=True,
            reported=False,
        ),
    ] = "mdav"
    k: Annotated[
        int,
        BeforeValidator(validate_k),
        Field(le=limits.MAX_K),
        ChoiceInfo(
            "k",
            CommandOption(
                "--k", "minimum group size (default 3)", "whole", always=True
            ),
            stage="group",
            shown="methods",
            out_of_core=True,
            reported=False,
        ),
    ] = 3
    quasi_identifiers: Annotated[
        Names,
        ChoiceInfo(
            "quasi-identifiers",
            CommandOption(
                "--quasi-identifiers",
                "columns that an intruder could know: they are protected",
                "names",
                "A,B",
                always=True,
            ),
            stage="prepare",
            shown="columns",
            out_of_core=True,
            reported=False,
        ),
    ] = ()
    identifiers: Annotated[
        Names | None,
        ChoiceInfo(
            "identifiers",
            CommandOption(
                "--identifiers",
                "columns that name somebody: they are removed",
                "names",
                "N,M",
            ),
            stage="after",
            shown="columns",
            out_of_core=True,
            reported=False,
        ),
    ] = None
    confidential: Annotated[
        Names | None,
        ChoiceInfo(
            "confidential columns",
            CommandOption(
                "--confidential",
                "sensitive columns, assumed unknown to intruders: released unchanged",
                "names",
                "S,T",
            ),
            stage="after",
            shown="columns",
            out_of_core=True,
            reported=False,
        ),
    ] = None
    parameters: Annotated[
        dict[str, Any],
        LIMITED_COLUMNS,
        ChoiceInfo(
            "parameters",
            CommandOption(
                "--param", "set a parameter of the method", "parameters", "NAME=VALUE"
            ),
            stage="group",
            shown="methods",
            out_of_core=True,
            reported=False,
        ),
    ] = Field(default_factory=dict)
    polish: Annotated[
        bool,
        ChoiceInfo(
            "polish the results",
            CommandOption("--polish", "improve the groups by local search", "switch"),
            stage="group",
            widget="own",
            out_of_core=True,
        ),
    ] = False
    polish_for: Annotated[
        Literal["groups", "release"],
        ChoiceInfo(
            "polish for",
            CommandOption(
                "--polish-for",
                "loss that --polish lowers: of groups' means (groups, default), "
                "or of the values as written (release)",
            ),
            stage="group",
            widget="own",
            help="What polishing lowers. Groups: the loss of the groups' means, which "
            "bounds and comparisons go by. Release: after that, the loss of the values "
            "as they are written, such as the most frequent category.",
            asks=lambda lowered: lowered == "release",
            beside="polish",
            excludes=(
                Exclusion(
                    Message("with this option, single records change groups"),
                    ("household", "person"),
                ),
            ),
        ),
    ] = "groups"
