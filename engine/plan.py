"""Plan: every choice of one run, as data; the same plan gives the same release."""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from engine.aggregate import aggregations
from engine.encode import MissingPolicy, scalings
from engine.errors import EngineError, ParameterError
from engine.methods import methods
from engine.methods.base import check_polish
from engine.parameters import check_parameters
from engine.table import Role, Table, unknown_column


def _names(value: tuple[str, ...]) -> tuple[str, ...]:
    for name in value:
        if value.count(name) > 1:
            raise ValueError(f"Column {name!r} is named twice")
    return value


Names = Annotated[tuple[str, ...], AfterValidator(_names)]


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
    scaling, aggregation : str
    missing : {"refuse", "drop", "median", "mode"}
        What happens to records with a missing quasi-identifier.
    constraints : tuple of str
        Linear rules that released values satisfy, such as ``"net + tax = gross"``.
    strata : str or None
        Column whose values are protected separately.
    seed : int
        Seed of every random number drawn.

    Raises
    ------
    ParameterError
        If a name does not exist or a value is out of range.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    method: str = "mdav"
    k: int = 3
    quasi_identifiers: Names = ()
    identifiers: Names | None = None
    confidential: Names | None = None
    parameters: dict[str, Any] = Field(default_factory=dict)
    polish: bool = False
    scaling: str = "zscore"
    aggregation: str = "mean"
    missing: MissingPolicy = "refuse"
    constraints: tuple[str, ...] = ()
    strata: str | None = None
    seed: int = Field(default=0, ge=0)

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise ParameterError(_sentence(error)) from None

    @field_validator("method")
    @classmethod
    def _known_method(cls, value: str) -> str:
        return _resolved(methods.resolve, value)

    @field_validator("scaling")
    @classmethod
    def _known_scaling(cls, value: str) -> str:
        return _resolved(scalings.resolve, value)

    @field_validator("aggregation")
    @classmethod
    def _known_aggregation(cls, value: str) -> str:
        return _resolved(aggregations.resolve, value)

    @field_validator("k", mode="before")
    @classmethod
    def _group_size(cls, value: Any) -> Any:
        if isinstance(value, bool) or (isinstance(value, (int, float)) and value < 2):
            raise ValueError(
                f"k is {value}, but must be a whole number of at least 2: a group of "
                "one record protects nobody"
            )
        return value

    @model_validator(mode="after")
    def _checked_parameters(self) -> Plan:
        info = methods.info(self.method)
        try:
            checked = check_parameters(info.parameters, self.parameters, info.id)
        except EngineError as error:
            raise ValueError(str(error).rstrip(".")) from None
        object.__setattr__(self, "parameters", checked)
        return self

    @model_validator(mode="after")
    def _polished_only_where_possible(self) -> Plan:
        if self.polish:
            try:
                check_polish(methods.info(self.method))
            except EngineError as error:
                raise ValueError(str(error)) from None
        return self

    @model_validator(mode="after")
    def _one_role_each(self) -> Plan:
        for name in self.quasi_identifiers:
            if name in (self.identifiers or ()):
                raise ValueError(
                    f"Column {name!r} is both an identifier and a quasi-identifier"
                )
        if self.strata is not None and self.strata in self.quasi_identifiers:
            raise ValueError(
                f"Column {self.strata!r} cannot both divide the table into strata "
                "and be changed as a quasi-identifier"
            )
        return self

    def __hash__(self) -> int:
        return hash(self.digest())

    def digest(self) -> str:
        """Return the SHA-256 of the plan's JSON."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()

    def to_json(self) -> str:
        """Return the plan as indented JSON, keys in a fixed order."""
        content = self.model_dump(mode="json")
        content["parameters"] = dict(sorted(content["parameters"].items()))
        return json.dumps(content, indent=2, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str | bytes) -> Plan:
        """Read what :meth:`to_json` wrote.

        Raises
        ------
        ParameterError
            If the text is not a plan, or a choice in it does not exist.
        """
        try:
            content = json.loads(text)
        except ValueError as error:
            raise ParameterError(f"The plan is not readable JSON ({error}).") from None
        if not isinstance(content, dict):
            raise ParameterError(
                'The plan must be a JSON object with entries such as "method" and "k".'
            )
        return cls(**content)

    def resolve(self, table: Table) -> Plan:
        """Return the plan with every column spelled out and known to `table`.

        Raises
        ------
        ParameterError
            If a column does not exist, or no quasi-identifier is left.
        """
        schema = table.schema
        quasi = self.quasi_identifiers or schema.quasi_identifiers
        identifiers, confidential = self.identifiers, self.confidential
        if identifiers is None:
            identifiers = tuple(
                name for name in schema.with_role(Role.IDENTIFIER) if name not in quasi
            )
        if confidential is None:
            confidential = tuple(
                name
                for name in schema.with_role(Role.CONFIDENTIAL)
                if name not in quasi and name not in identifiers
            )
        strata = () if self.strata is None else (self.strata,)
        for name in (*quasi, *identifiers, *confidential, *strata):
            if name not in schema:
                raise unknown_column(name, schema.names)
        if not quasi:
            raise ParameterError(
                "There is no quasi-identifier: name at least one column by which "
                "somebody could be recognised."
            )
        return self.replace(
            quasi_identifiers=quasi, identifiers=identifiers, confidential=confidential
        )

    def replace(self, **changes: Any) -> Plan:
        """Return a plan with some choices changed, checked like a new one."""
        return Plan(**{**self.model_dump(), **changes})


def _resolved(resolve: Any, value: str) -> str:
    try:
        return str(resolve(value))
    except EngineError as error:
        raise ValueError(str(error)) from None


def _sentence(error: ValidationError) -> str:
    """Return the first problem as one sentence."""
    first = error.errors()[0]
    where = ".".join(map(str, first["loc"]))
    if first["type"] == "extra_forbidden":
        known = ", ".join(Plan.model_fields)
        return f"A plan has no entry called {where!r}; its entries are {known}."
    if first["type"] == "value_error":
        text = str(first["ctx"]["error"]) if "ctx" in first else first["msg"]
        return text if text.endswith((".", "?")) else text + "."
    return f"The plan's entry {where!r} is wrong: {first['msg'].lower()}."
