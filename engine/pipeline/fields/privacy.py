"""Plan fields for privacy models other than k, and for suppression budgets."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from engine.core.errors import ParameterError
from engine.core.message import Message
from engine.pipeline.fields.base import PlanFields
from engine.pipeline.planning import limits
from engine.pipeline.planning.choices import ChoiceInfo, CommandOption, Exclusion


def parse_suppression_budget(value: Any) -> Any:
    """Return a suppression budget, text turned into a number: ``"1%"`` into 0.01.

    Raises
    ------
    ParameterError
        If it is neither a share nor a whole number of records.
    """
    text = value.strip() if isinstance(value, str) else ""
    share = text.endswith("%")
    number = value
    if isinstance(value, str):
        try:
            number = float(text.removesuffix("%"))
        except ValueError:
            number = math.nan
    elif not isinstance(value, float):
        return value
    is_budget = 0.0 <= number < (100.0 if share else math.inf)
    if not is_budget or (not share and number > 1.0 and number % 1.0):
        raise ParameterError(
            "The budget for outliers (--suppress) is {value!r}, but must be a share "
            "such as 0.01 or 1%, or a number of records such as 8.",
            value=value,
        )
    return number / 100.0 if share else number


DIVERSITY_MODELS = ("p_sensitive", "t_close", "entropy_l", "recursive_c")
"""Choices for which groups are merged for the sake of confidential columns."""

PRIVACY_MODELS = (*DIVERSITY_MODELS, "k_map")
"""Choices for which groups are merged after the method has made them."""

WHOLE_RECORDS = (
    Exclusion(
        Message("groups of at least k whole records are merged"),
        ("blocks",),
        lambda info: not info.traits.guarantees_k or info.traits.per_attribute,
    ),
)
"""What the choices in :data:`PRIVACY_MODELS` exclude."""


class PrivacyFields(PlanFields):
    """Diversity, closeness and population of groups, and the budget for outliers.

    Attributes
    ----------
    p_sensitive : int
        Groups are merged until each confidential column has so many different values
        in every group; 0 or 1 asks for nothing.
    t_close : float
        Groups are merged until each confidential column is at most so far from the
        table in every group, see :mod:`engine.measures.privacy.t_closeness`; 0 asks
        for nothing.
    entropy_l : float
        Groups are merged until the values of each confidential column are as hard to
        guess in every group as so many equally frequent ones; 0 or 1 asks for nothing.
    recursive_c : float
        Groups are merged until in every group the most frequent value of each
        confidential column has fewer than so many times the records that `recursive_l`
        compares it with; 0 asks for nothing.
    recursive_l : int
        The l that goes with `recursive_c`: the most frequent value is compared with the
        l-th most frequent one and all rarer ones together.
    k_map : int
        Groups are merged until each stands for so many people of the population; 0
        asks for nothing.
    sampling_fraction : float
        Share of the population that the records are; 0 where nobody knows, or weights
        tell.
    suppress : float
        Records that may be left out because their protection would cost the others
        most: a share below 1, or their number; as text also ``"1%"``.
    suppress_by : {"record", "person"}
        What is left out as a whole, and what the budget counts.
    suppress_cells : bool
        Whether cells of categories may be left out within that budget, too.
    """

    p_sensitive: Annotated[
        int,
        Field(ge=0, le=limits.MAX_K),
        ChoiceInfo(
            "p-sensitive groups",
            CommandOption(
                "--p-sensitive",
                "merge groups until each has P values of every confidential column",
                "whole",
                "P",
            ),
            stage="after",
            widget="own",
            out_of_core=True,
            asks=lambda least: least > 1,
            excludes=WHOLE_RECORDS,
        ),
    ] = 0
    t_close: Annotated[
        float,
        Field(ge=0.0, le=1.0),
        ChoiceInfo(
            "t-close groups",
            CommandOption(
                "--t-close",
                "merge groups until the confidential values of each differ from those "
                "of the table by a distance of at most T",
                "number",
                "T",
            ),
            stage="after",
            widget="own",
            out_of_core=True,
            excludes=WHOLE_RECORDS,
        ),
    ] = 0.0
    entropy_l: Annotated[
        float,
        Field(ge=0.0, le=float(limits.MAX_K)),
        ChoiceInfo(
            "entropy l-diverse groups",
            CommandOption(
                "--entropy-l",
                "merge groups until confidential values in each are as hard to guess "
                "as L equally frequent ones",
                "number",
                "L",
            ),
            stage="after",
            widget="own",
            out_of_core=True,
            help="Groups are merged until the values of each confidential column are "
            "as hard to guess in every group as so many equally frequent ones: entropy "
            "l-diversity. 0 asks for nothing. It costs information. Distinct "
            "l-diversity is p-sensitivity.",
            asks=lambda least: least > 1,
            excludes=WHOLE_RECORDS,
        ),
    ] = 0.0
    recursive_c: Annotated[
        float,
        Field(ge=0.0, le=float(limits.MAX_K)),
        ChoiceInfo(
            "recursive (c, l)-diverse groups: c",
            CommandOption(
                "--recursive-c",
                "merge groups until, in each, the most frequent confidential value has "
                "fewer than C times the records of the l-th and all rarer ones",
                "number",
                "C",
            ),
            stage="after",
            widget="own",
            out_of_core=True,
            help="Groups are merged until the most frequent value of each confidential "
            "column has fewer than c times the records of the l-th most frequent value "
            "and all rarer ones in every group: recursive (c, l)-diversity. 0 asks for "
            "nothing. It costs information.",
            excludes=WHOLE_RECORDS,
        ),
    ] = 0.0
    recursive_l: Annotated[
        int,
        Field(ge=2, le=limits.MAX_K),
        ChoiceInfo(
            "recursive (c, l)-diverse groups: l",
            CommandOption(
                "--recursive-l",
                "the l of --recursive-c (default 2: all but the most frequent value)",
                "whole",
                "L",
            ),
            stage="after",
            widget="own",
            out_of_core=True,
            help="The l of recursive (c, l)-diversity: whoever can rule out l - 2 "
            "values still cannot guess well. 2 compares the most frequent value with "
            "all others. It asks for nothing without c.",
        ),
    ] = 2
    k_map: Annotated[
        int,
        Field(ge=0, le=limits.MAX_K),
        ChoiceInfo(
            "people that every group stands for (k-map)",
            CommandOption(
                "--k-map",
                "merge groups until each stands for K people of the population (by "
                "--weights or --sampling-fraction)",
                "whole",
                "K",
            ),
            stage="after",
            widget="own",
            help="Groups are merged until each stands for at least so many people of "
            "the population, beside k records: k-map. How many a record stands for is "
            "told by the weights or the sampling fraction. 0 asks for nothing. It "
            "costs information.",
            excludes=WHOLE_RECORDS,
        ),
    ] = 0
    sampling_fraction: Annotated[
        float,
        Field(ge=0.0, le=1.0),
        ChoiceInfo(
            "sampling fraction",
            CommandOption(
                "--sampling-fraction",
                "share of the population that is in the file, such as 0.05; for k-map "
                "and risks in the population",
                "number",
                "F",
            ),
            stage="after",
            widget="own",
            help="The share of the population that the records are, such as 0.05. "
            "Every record then stands for 1 / 0.05 = 20 people in k-map and in the "
            "risks in the population. 0 if it is not known, or told by weights.",
            excludes=(
                Exclusion(
                    Message("both say how many people a record stands for"),
                    ("weights",),
                ),
            ),
        ),
    ] = 0.0
    suppress: Annotated[
        float,
        BeforeValidator(parse_suppression_budget),
        Field(ge=0.0, le=float(limits.MAX_K)),
        ChoiceInfo(
            "budget for outliers",
            CommandOption(
                "--suppress",
                "leave out outliers, at most this share (0.01, or a percentage) "
                "or number (8) of records (default none)",
                metavar="N",
            ),
            stage="prepare",
            widget="own",
            help="Records that may be left out because their protection would cost the "
            "others most: a share below 1, such as 0.01, or their number.",
        ),
    ] = 0.0
    suppress_by: Annotated[
        Literal["record", "person"],
        ChoiceInfo(
            "what the budget for outliers leaves out",
            CommandOption(
                "--suppress-by",
                "what --suppress leaves out: record (default), or person with all of "
                "their records; N then counts people",
            ),
            stage="prepare",
            widget="own",
            help="Single records; or people with all of their records, whose share or "
            "number the budget then is. It matters where somebody has several records.",
            asks=lambda by: by == "person",
            beside="suppress",
            excludes=(
                Exclusion(
                    Message(
                        "Coterie can leave out cells instead of single records, "
                        "but not instead of all records of a person"
                    ),
                    ("suppress_cells",),
                ),
            ),
        ),
    ] = "record"
    suppress_cells: Annotated[
        bool,
        ChoiceInfo(
            "cells of categories in place of records",
            CommandOption(
                "--suppress-cells",
                "with --suppress: leave out cells of categories if that costs less "
                "than whole records",
                "switch",
            ),
            stage="prepare",
            widget="own",
            help="Within the budget for outliers, a category may be left out of all "
            "records of a group where that saves more than leaving out whole records. "
            "As many cells as there are quasi-identifiers count as much as one record.",
            beside="suppress",
        ),
    ] = False
