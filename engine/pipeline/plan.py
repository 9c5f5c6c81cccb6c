"""Plan: every choice of one run, as data; the same plan gives the same release.

One list of all choices, and therefore long; what they must be is in
:mod:`.plan_checks`.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Container, Iterable
from functools import cached_property
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from engine.core.errors import ParameterError
from engine.core.message import Message
from engine.core.parameters import check_parameters
from engine.data.kinds import Kind, MissingPolicy
from engine.methods import methods
from engine.pipeline import limits
from engine.pipeline.choices import Choice, Option, choices_of
from engine.pipeline.plan_checks import (
    budget,
    check_household,
    check_roles,
    checked_hierarchies,
    different_names,
    disjoint_blocks,
    finite_weights,
    group_size,
    known_aggregation,
    known_aggregations,
    known_method,
    known_scaling,
    rounding_bases,
    said_condition,
)
from engine.pipeline.plan_problems import first_problem

Rounding = Literal["types", "precision", "none"]
"""Which released numbers are rounded.

``types`` rounds every column of numbers to the decimals that it had, so that whole
numbers, and dates without a time of day, come back as such; columns that a rule binds
only where values with these decimals can keep the rules. ``precision`` does the same,
and refuses rules that no such values can keep; ``none`` leaves the groups' values as
they are.
"""


Transformed = Literal["none", "log", "box-cox"]
"""Identifiers in :data:`engine.points.transforms.transforms`."""


_FEW = Field(max_length=limits.COLUMNS)

Names = Annotated[tuple[str, ...], _FEW, AfterValidator(different_names)]


class Plan(BaseModel):
    """Every choice of one run.

    Attributes
    ----------
    method : str
        Identifier or alias in :data:`engine.methods.methods`.
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
    scaling : str
    attribute_weights : dict of str to float
        How much the squared distances of single quasi-identifiers count, 1 unless
        given; see :mod:`engine.points.space`.
    transforms : dict of str to str
        How single columns of numbers are bent before they are scaled; see
        :mod:`engine.points.transforms`.
    kinds : dict of str to Kind
        Of columns whose kind is not that of the table's schema.
    hierarchies : dict of str to rows
        Of columns whose hierarchy is not that of the table's schema: one row per
        leaf, general to the right.
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
    constraints : tuple of str
        Linear rules that released values satisfy, such as ``"net + tax = gross"``,
        and bounds, such as ``"0 <= age <= 120"``.
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
        confidential column has fewer than so many times the records of all others
        together; 0 asks for nothing.
    suppress : float
        Records that may be left out because their protection would cost the others
        most: a share below 1, or their number; as text also ``"1%"``.
    seed : int
        Seed of every random number drawn.
    seeds : int
        With how many seeds, from `seed` on, a method that draws lots is run: the
        release is that of the first, and the others say how far figures are luck.

    Raises
    ------
    ParameterError
        If a name does not exist or a value is out of range.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    method: Annotated[
        str,
        AfterValidator(known_method),
        Choice(
            "method",
            "methods",
            Option(
                "--method",
                "see `coterie methods` (default mdav; blocked above 200,000 records "
                "and out of core)",
                always=True,
            ),
            out_of_core=True,
            reported=False,
        ),
    ] = "mdav"
    k: Annotated[
        int,
        BeforeValidator(group_size),
        Field(le=limits.LARGEST_K),
        Choice(
            "k",
            "methods",
            Option("--k", "minimum group size (default 3)", "whole", always=True),
            out_of_core=True,
            reported=False,
        ),
    ] = 3
    quasi_identifiers: Annotated[
        Names,
        Choice(
            "quasi-identifiers",
            "columns",
            Option("--quasi-identifiers", "columns", "names", "A,B", always=True),
            preparation=True,
            out_of_core=True,
            reported=False,
        ),
    ] = ()
    identifiers: Annotated[
        Names | None,
        Choice(
            "identifiers",
            "columns",
            Option("--identifiers", "columns to leave out", "names", "N,M"),
            out_of_core=True,
            reported=False,
        ),
    ] = None
    confidential: Annotated[
        Names | None,
        Choice(
            "confidential columns",
            "columns",
            Option("--confidential", "columns to learn about", "names", "S,T"),
            out_of_core=True,
            reported=False,
        ),
    ] = None
    parameters: Annotated[
        dict[str, Any],
        _FEW,
        Choice(
            "parameters",
            "methods",
            Option("--param", "of the method", "parameters", "NAME=VALUE"),
            out_of_core=True,
            reported=False,
        ),
    ] = Field(default_factory=dict)
    polish: Annotated[
        bool,
        Choice(
            "polish the results",
            "shared",
            Option("--polish", "refine the groups by local search", "switch"),
            out_of_core=True,
        ),
    ] = False
    polish_for: Annotated[
        Literal["groups", "release"],
        Choice(
            "polish for",
            "shared",
            Option(
                "--polish-for",
                "groups (default) or release: what polished groups lose least in, "
                "their means or the values that are written",
            ),
            help="What polishing lowers. Groups: the loss of the groups' means, which "
            "bounds and comparisons go by. Release: after that, the loss of the values "
            "as they are written, such as the most frequent category.",
        ),
    ] = "groups"
    scaling: Annotated[
        str,
        AfterValidator(known_scaling),
        Choice(
            "scaling",
            "shared",
            Option("--scaling", "zscore (default), range or none", always=True),
            preparation=True,
            out_of_core=True,
        ),
    ] = "zscore"
    attribute_weights: Annotated[
        dict[str, float],
        BeforeValidator(finite_weights),
        _FEW,
        Choice(
            "weight of {column}",
            "shared",
            Option(
                "--attribute-weights",
                "how much each column's distances count (default 1)",
                "weights",
                "A=2,B=0.5",
                "income=2,sex=0.5",
            ),
            preparation=True,
            out_of_core=True,
            help="A column of weight 2 counts as two such columns would: groups are "
            "more alike in it, and less in the others. 0 leaves it out of the "
            "distances.",
        ),
    ] = Field(default_factory=dict)
    transforms: Annotated[
        dict[str, Transformed],
        _FEW,
        Choice(
            "transform of {column}",
            "shared",
            Option(
                "--transform",
                "log or box-cox, before scaling (default none)",
                "by column",
                "COL=WAY",
                "income=log",
            ),
            preparation=True,
            out_of_core=True,
            help="By which records are compared; what is released stays in the "
            "column's own units.",
        ),
    ] = Field(default_factory=dict)
    kinds: Annotated[
        dict[str, Kind],
        _FEW,
        Choice(
            "kind of {column}",
            "columns",
            Option(
                "--kind",
                "continuous, ordinal or nominal, where it differs",
                "by column",
                "COL=KIND",
                "region=nominal",
            ),
            preparation=True,
            out_of_core=True,
            reported=False,
        ),
    ] = Field(default_factory=dict)
    hierarchies: Annotated[
        dict[str, tuple[tuple[str, ...], ...]],
        _FEW,
        AfterValidator(checked_hierarchies),
        Choice(
            "hierarchy of {column}",
            "columns",
            Option(
                "--hierarchy",
                "CSV level file: a line per value, root last",
                "files",
                "COL=FILE",
                "diagnosis=levels.csv",
            ),
            preparation=True,
            out_of_core=True,
            reported=False,
        ),
    ] = Field(default_factory=dict)
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
            out_of_core=True,
            reported=False,
        ),
    ] = "auto"
    # Preparation says whether rules make sense for what values become.
    aggregations: Annotated[
        dict[str, str],
        _FEW,
        AfterValidator(known_aggregations),
        Choice(
            "common value of {column}",
            "shared",
            Option("--aggregation", form="by column", example="age=median"),
            preparation=True,
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
            preparation=True,
            out_of_core=True,
        ),
    ] = "types"
    rounding_base: Annotated[
        dict[str, float],
        BeforeValidator(rounding_bases),
        _FEW,
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
            preparation=True,
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
            preparation=True,
            out_of_core=True,
            reported=False,
        ),
    ] = "refuse"
    missing_columns: Annotated[
        dict[str, MissingPolicy],
        _FEW,
        Choice(
            "missing values of {column}",
            "shared",
            Option("--missing", form="by column", example="age=median"),
            preparation=True,
            out_of_core=True,
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
            preparation=True,
            out_of_core=True,
            reported=False,
        ),
    ] = ()
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
            preparation=True,
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
            preparation=True,
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
            preparation=True,
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
            preparation=True,
            help="Groups are of whole households, so that k holds for households and "
            "for persons. Those of one size share values place by place, in the order "
            "of the first quasi-identifier.",
        ),
    ] = None
    blocks: Annotated[
        tuple[Names, ...],
        _FEW,
        AfterValidator(disjoint_blocks),
        Choice(
            "blocks of columns",
            "shared",
            Option("--block", "group these columns apart from others", "blocks", "A,B"),
            preparation=True,
        ),
    ] = ()
    weights: Annotated[
        str | None,
        Choice(
            "weights",
            "columns",
            Option("--weights", "units that a record stands for", metavar="COL"),
            preparation=True,
            out_of_core=True,
        ),
    ] = None
    p_sensitive: Annotated[
        int,
        Field(ge=0, le=limits.LARGEST_K),
        Choice(
            "p-sensitive groups",
            "shared",
            Option(
                "--p-sensitive",
                "merge groups until each confidential column has P values in every one",
                "whole",
                "P",
            ),
            out_of_core=True,
        ),
    ] = 0
    t_close: Annotated[
        float,
        Field(ge=0.0, le=1.0),
        Choice(
            "t-close groups",
            "shared",
            Option(
                "--t-close",
                "merge groups until each confidential column is this close to the "
                "table",
                "number",
                "T",
            ),
            out_of_core=True,
        ),
    ] = 0.0
    entropy_l: Annotated[
        float,
        Field(ge=0.0, le=float(limits.LARGEST_K)),
        Choice(
            "entropy l-diverse groups",
            "shared",
            Option(
                "--entropy-l",
                "merge groups until confidential values are as hard to guess in every "
                "one as L equally frequent ones",
                "number",
                "L",
            ),
            out_of_core=True,
            help="Groups are merged until the values of each confidential column are "
            "as hard to guess in every group as so many equally frequent ones: entropy "
            "l-diversity. 0 asks for nothing. It costs information. Distinct "
            "l-diversity is p-sensitivity.",
        ),
    ] = 0.0
    recursive_c: Annotated[
        float,
        Field(ge=0.0, le=float(limits.LARGEST_K)),
        Choice(
            "recursive (c, l)-diverse groups: c",
            "shared",
            Option(
                "--recursive-c",
                "merge groups until the most frequent confidential value has fewer "
                "than C times the records of those from the l-th on in every one",
                "number",
                "C",
            ),
            out_of_core=True,
            help="Groups are merged until the most frequent value of each confidential "
            "column has fewer than c times the records of the l-th most frequent value "
            "and all rarer ones in every group: recursive (c, l)-diversity. 0 asks for "
            "nothing. It costs information.",
        ),
    ] = 0.0
    recursive_l: Annotated[
        int,
        Field(ge=2, le=limits.LARGEST_K),
        Choice(
            "recursive (c, l)-diverse groups: l",
            "shared",
            Option(
                "--recursive-l",
                "the l that goes with --recursive-c (default 2: all but the most "
                "frequent value)",
                "whole",
                "L",
            ),
            out_of_core=True,
            help="The l of recursive (c, l)-diversity: whoever can rule out l - 2 "
            "values still cannot guess well. 2 compares the most frequent value with "
            "all others. It asks for nothing without c.",
        ),
    ] = 2
    k_map: Annotated[
        int,
        Field(ge=0, le=limits.LARGEST_K),
        Choice(
            "people that every group stands for (k-map)",
            "shared",
            Option(
                "--k-map",
                "merge groups until every one stands for K people of the population, "
                "by weights or --sampling-fraction",
                "whole",
                "K",
            ),
            help="Groups are merged until each stands for at least so many people of "
            "the population, beside k records: k-map. How many a record stands for is "
            "told by the weights or the sampling fraction. 0 asks for nothing. It "
            "costs information.",
        ),
    ] = 0
    sampling_fraction: Annotated[
        float,
        Field(ge=0.0, le=1.0),
        Choice(
            "sampling fraction",
            "shared",
            Option(
                "--sampling-fraction",
                "share of the population that the records are, such as 0.05, for "
                "k-map and risks in the population",
                "number",
                "F",
            ),
            help="The share of the population that the records are, such as 0.05. "
            "Every record then stands for 1 / 0.05 = 20 people in k-map and in the "
            "risks in the population. 0 if it is not known, or told by weights.",
        ),
    ] = 0.0
    suppress: Annotated[
        float,
        BeforeValidator(budget),
        Field(ge=0.0, le=float(limits.LARGEST_K)),
        Choice(
            "budget for outliers",
            "shared",
            Option(
                "--suppress",
                "records that may be left out: a share such as 0.01, or a number such "
                "as 8 (default none)",
                metavar="N",
            ),
            preparation=True,
            help="Records that may be left out because their protection would cost the "
            "others most: a share below 1, such as 0.01, or their number.",
        ),
    ] = 0.0
    suppress_cells: Annotated[
        bool,
        Choice(
            "cells of categories in place of records",
            "shared",
            Option(
                "--suppress-cells",
                "within --suppress, leave out cells of categories where that costs "
                "less than whole records",
                "switch",
            ),
            preparation=True,
            help="Within the budget for outliers, a category may be left out of all "
            "records of a group where that saves more than leaving out whole records. "
            "As many cells as there are quasi-identifiers count as much as one record.",
        ),
    ] = False
    seed: Annotated[
        int,
        Field(ge=0, le=limits.LARGEST_SEED),
        Choice(
            "seed",
            "shared",
            Option("--seed", "of random numbers (default 0)", "whole", always=True),
            out_of_core=True,
            help="Methods that draw random numbers give the same groups for the same "
            "seed; the others ignore it.",
        ),
    ] = 0
    seeds: Annotated[
        int,
        Field(ge=1, le=limits.SEEDS),
        Choice(
            "number of seeds",
            "shared",
            Option(
                "--seeds",
                "run methods that draw lots with so many seeds, for mean and spread of "
                "their figures (default 1)",
                "whole",
            ),
            help="Methods that draw random numbers are run with so many seeds: charts "
            "and tables then have mean and spread. The release is that of the first "
            "seed. All other methods run once.",
        ),
    ] = 1

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise ParameterError(first_problem(type(self), error)) from None

    @model_validator(mode="after")
    def _checked_parameters(self) -> Plan:
        info = methods.info(self.method)
        checked = check_parameters(info.parameters, self.parameters, info.id)
        object.__setattr__(self, "parameters", checked)
        return self

    @model_validator(mode="after")
    def _polished_only_where_possible(self) -> Plan:
        if self.polish:
            from engine.methods.base import check_polish

            check_polish(methods.info(self.method))
        return self

    @property
    def name(self) -> str:
        """The method's identifier, and whether its groups are polished."""
        return self.method + (", polished" if self.polish else "")

    @property
    def enforces(self) -> bool:
        """Whether groups are merged after the method has made them."""
        return self.diversifies or self.k_map > 0

    @property
    def diversifies(self) -> bool:
        """Whether groups are merged for the sake of confidential columns."""
        return (
            self.p_sensitive > 1
            or self.t_close > 0.0
            or self.entropy_l > 1.0
            or self.recursive_c > 0.0
        )

    @model_validator(mode="after")
    def _enforced_only_where_possible(self) -> Plan:
        traits = methods.info(self.method).traits
        whole = traits.guarantees_k and not traits.per_attribute and not self.blocks
        if self.enforces and not whole:
            raise ParameterError(
                "p-sensitive, l-diverse, t-close and k-map groups are groups of whole "
                "records of at least k, which {what} cannot promise: choose another "
                "method, no blocks, or ask for none of these.",
                what=Message("blocks") if self.blocks else self.method,
            )
        return self

    @model_validator(mode="after")
    def _seeds_in_range(self) -> Plan:
        if self.seed + self.seeds - 1 > limits.LARGEST_SEED:
            raise ParameterError(
                "{seeds} seeds from {seed} on go beyond {most}, the largest seed: "
                "choose a smaller first seed.",
                seeds=self.seeds,
                seed=self.seed,
                most=limits.LARGEST_SEED,
            )
        return self

    @model_validator(mode="after")
    def _households_only_where_possible(self) -> Plan:
        if self.household is not None:
            info = methods.info(self.method)
            check_household(info, bool(self.blocks), self.suppress > 0, self.enforces)
        return self

    @model_validator(mode="after")
    def _one_role_each(self) -> Plan:
        check_roles(self.quasi_identifiers, self.identifiers, self.confidential)
        if self.blocks and methods.info(self.method).traits.per_attribute:
            raise ParameterError(
                "{method} groups each attribute on its own, so that blocks of them "
                "would change nothing: leave the blocks out or choose another method.",
                method=self.method,
            )
        for name in self.strata_among(self.quasi_identifiers):
            if name in self.quasi_identifiers:
                raise ParameterError(
                    "Column {column!r} cannot both divide the table into strata and be "
                    "changed as a quasi-identifier.",
                    column=name,
                )
        return self

    def strata_among(self, names: Container[str]) -> tuple[str, ...]:
        """Return the columns of the strata: one of these names, or several by commas.

        Parameters
        ----------
        names : container of str
            Columns of a table.
        """
        if self.strata is None or self.strata in names:
            return () if self.strata is None else (self.strata,)
        fields = next(csv.reader([self.strata], skipinitialspace=True), [])
        return tuple(dict.fromkeys(field.strip() for field in fields if field.strip()))

    def __eq__(self, other: object) -> bool:
        """Whether both make the same choices, resolved or not."""
        return isinstance(other, Plan) and self.digest() == other.digest()

    def __hash__(self) -> int:
        return hash(self.digest())

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Self:
        """Return the plan itself, which never changes."""
        return self

    def digest(self) -> str:
        """Return a SHA-256 of all choices."""
        return self.fixed_digest

    @cached_property
    def fixed_digest(self) -> str:
        """Work the digest out once: large hierarchies take their time."""
        # Compact and without indentation, which Python writes ten times as fast.
        content = json.dumps(self._content(), ensure_ascii=False)
        return hashlib.sha256(content.encode()).hexdigest()

    def _content(self) -> dict[str, Any]:
        content = self.model_dump(mode="json")
        content["parameters"] = dict(sorted(content["parameters"].items()))
        return content

    def to_json(self) -> str:
        """Return the plan as indented JSON, keys in a fixed order."""
        return json.dumps(self._content(), indent=2, ensure_ascii=False) + "\n"

    def reported(self) -> dict[str, Any]:
        """Return the choices that reports list, as plain values."""
        names = {name for name, one in choices_of(Plan).items() if one.reported}
        return self.model_dump(mode="json", include=names)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read what :meth:`to_json` wrote.

        Raises
        ------
        ParameterError
            If the text is not a plan, or a choice in it does not exist.
        """
        content = limits.parsed(text, Message("plan"))
        if not isinstance(content, dict):
            raise ParameterError(
                'The plan must be a JSON object with entries such as "method" and "k".'
            )
        return cls(**content)

    def replace(self, **changes: Any) -> Plan:
        """Return a plan with some choices changed, checked like a new one.

        A resolved plan gives one that is to be resolved again.
        """
        return Plan(**{**self.model_dump(), **changes})


def joined_names(names: Iterable[str]) -> str:
    """Return columns by commas, as :meth:`Plan.strata_among` reads them."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()
