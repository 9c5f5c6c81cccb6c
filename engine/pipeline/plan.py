"""Plan: every choice of one run, as data.

Its fields are in :mod:`engine.pipeline.fields`, by subject.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Container
from functools import cached_property
from typing import Any, Literal, Self

from pydantic import ConfigDict, ValidationError, model_validator

from engine.core.errors import ParameterError
from engine.core.message import Message
from engine.core.parameters import validate_parameters
from engine.core.text.csv_rows import iterate_csv_rows
from engine.core.text.versions import newer_version_message, own_version
from engine.methods import methods
from engine.pipeline.fields.chance import SeedFields
from engine.pipeline.fields.checks import check_roles
from engine.pipeline.fields.distance import DistanceFields
from engine.pipeline.fields.grouping import GroupingFields
from engine.pipeline.fields.privacy import (
    DIVERSITY_MODELS,
    PRIVACY_MODELS,
    PrivacyFields,
)
from engine.pipeline.fields.problems import first_plan_error_message
from engine.pipeline.fields.records import RecordFields
from engine.pipeline.fields.values import ValueFields
from engine.pipeline.planning import limits
from engine.pipeline.planning.choices import choice_infos_of
from engine.pipeline.planning.exclusions import check_exclusions, is_choice_used


# In files and in lists of choices, the fields of the last subject come first.
class Plan(
    SeedFields, PrivacyFields, RecordFields, ValueFields, DistanceFields, GroupingFields
):
    """All choices of one run.

    Raises
    ------
    ParameterError
        If a name does not exist or a value is out of range.
    """

    model_config = ConfigDict(defer_build=False)

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise ParameterError(first_plan_error_message(type(self), error)) from None

    @classmethod
    def model_validate(cls, obj: Any, **options: Any) -> Self:
        """Return the plan of a mapping; raise ParameterError if it is none."""
        try:
            return super().model_validate(obj, **options)
        except ValidationError as error:
            raise ParameterError(first_plan_error_message(cls, error)) from None

    @classmethod
    def model_validate_json(cls, json_data: Any, **options: Any) -> Self:
        """Return the plan of the text of a plan file; raise as `model_validate`."""
        try:
            return super().model_validate_json(json_data, **options)
        except ValidationError as error:
            raise ParameterError(first_plan_error_message(cls, error)) from None

    @model_validator(mode="after")
    def _checked_parameters(self) -> Plan:
        info = methods.info(self.method)
        checked = validate_parameters(info.parameters, self.parameters, info.id)
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
        """The method's identifier, marked if its groups are polished."""
        return self.method + (", polished" if self.polish else "")

    @property
    def enforces_privacy(self) -> bool:
        """Whether groups are merged after the method, for a privacy requirement."""
        return any(is_choice_used(self, name) for name in PRIVACY_MODELS)

    @property
    def enforces_diversity(self) -> bool:
        """Whether groups are merged for diversity of confidential columns."""
        return any(is_choice_used(self, name) for name in DIVERSITY_MODELS)

    @model_validator(mode="after")
    def _without_exclusions(self) -> Plan:
        check_exclusions(self)
        return self

    @model_validator(mode="after")
    def _seeds_in_range(self) -> Plan:
        if self.seed + self.seeds - 1 > limits.MAX_SEED:
            raise ParameterError(
                "{seeds} seeds from {seed} on go beyond {most}, the largest seed: "
                "choose a smaller first seed.",
                seeds=self.seeds,
                seed=self.seed,
                most=limits.MAX_SEED,
            )
        return self

    @model_validator(mode="after")
    def _one_role_each(self) -> Plan:
        check_roles(self.quasi_identifiers, self.identifiers, self.confidential)
        for name in self.strata_columns(self.quasi_identifiers):
            if name in self.quasi_identifiers:
                raise ParameterError(
                    "Column {column!r} cannot both divide the table into strata and be "
                    "changed as a quasi-identifier.",
                    column=name,
                )
        return self

    @property
    def person_columns(self) -> tuple[str, ...]:
        """Columns that together identify a person; empty if k counts records."""
        return self.person if isinstance(self.person, tuple) else ()

    @property
    def person_knowledge(self) -> Literal["one", "all", "counts"]:
        """What an intruder knows of a person: "one", "all", or also "counts"."""
        return "counts" if self.counts else self.intruder_knows

    def strata_columns(self, names: Container[str]) -> tuple[str, ...]:
        """Return the columns that `strata` names: one, or several separated by commas.

        Parameters
        ----------
        names : container of str
            Columns of a table.
        """
        if self.strata is None or self.strata in names:
            return () if self.strata is None else (self.strata,)
        fields = next(iterate_csv_rows([self.strata], skipinitialspace=True), [])
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
        """SHA-256 of all choices, computed on first use."""
        # Compact and without indentation, which Python writes ten times as fast.
        content = json.dumps(self._content(), ensure_ascii=False)
        return hashlib.sha256(content.encode()).hexdigest()

    def _content(self) -> dict[str, Any]:
        content = self.model_dump(mode="json")
        content["parameters"] = dict(sorted(content["parameters"].items()))
        return content

    def to_json(self) -> str:
        """Return the plan as indented JSON, with the version that has written it."""
        content = {**self._content(), "version": own_version()}
        return json.dumps(content, indent=2, ensure_ascii=False) + "\n"

    def reported_choices(self) -> dict[str, Any]:
        """Return the choices that reports list, as plain values."""
        names = {
            name for name, choice in choice_infos_of(Plan).items() if choice.reported
        }
        return self.model_dump(mode="json", include=names)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Return the plan in JSON that :meth:`to_json`, or an answer to a need, has.

        Raises
        ------
        ParameterError
            If the text is not a plan, or a choice in it does not exist; if a newer
            version has written it, that says so.
        """
        content = limits.parse_untrusted_json(text, Message("plan"))
        if not isinstance(content, dict):
            raise ParameterError(
                'The plan must be a JSON object with entries such as "method" and "k".'
            )
        inner = content.get("plan")  # of `need --json`
        entries = {**inner} if isinstance(inner, dict) else content
        written = entries.pop("version", content.get("version"))
        try:
            return cls(**entries)
        except ParameterError:
            if (message := newer_version_message(written)) is None:
                raise
            raise ParameterError(message) from None

    def replace(self, **changes: Any) -> Plan:
        """Return a validated plan with some choices changed.

        A resolved plan gives one that is to be resolved again.
        """
        return Plan(**{**self.model_dump(), **changes})
