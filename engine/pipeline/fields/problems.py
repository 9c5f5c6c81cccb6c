"""Validation errors of a plan, in this program's words."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ValidationError

from engine.core.errors import EngineError
from engine.core.message import Message
from engine.pipeline.planning.choices import choice_infos_of


def first_plan_error_message(
    plan_class: type[BaseModel], error: ValidationError
) -> Message:
    """Return a message on the first problem in a plan's `ValidationError`.

    Parameters
    ----------
    plan_class : subclass of BaseModel
        Whose fields declare choices.
    error : ValidationError
        Error of the validator of that class.
    """
    first = error.errors()[0]
    where = ".".join(map(str, first["loc"]))
    if first["type"] == "extra_forbidden":
        return Message(
            "A plan has no entry called {entry!r}; its entries are {known}.",
            entry=where,
            known=list(plan_class.model_fields),
        )
    cause = first.get("ctx", {}).get("error")
    if isinstance(cause, EngineError):
        return cause.message
    if first["type"] == "json_invalid":
        return Message("The text is no plan in JSON: give it that of a plan's file.")
    if first["type"] in ("model_type", "json_type", "model_attributes_type"):
        return Message("A plan is made from a list of its entries with their values.")
    if not first["loc"]:
        return Message(
            "A plan has an entry whose name is no text; its entries are {known}.",
            known=list(plan_class.model_fields),
        )
    name, *rest = map(str, first["loc"])
    choice = choice_infos_of(plan_class)[name]
    label = Message(choice.label, column=rest[0]) if rest else Message(choice.label)
    return Message(
        "The choice {choice!r} ({flag}) must be {what}.",
        choice=label,
        flag=choice.option.flag,
        what=_expected_value(first["type"], first.get("ctx", {})),
    )


_EXPECTED_BY_ERROR_TYPE = {
    "int": Message("a whole number"),
    "float": Message("a number"),
    "bool": Message("true or false"),
    "string": Message("text"),
    "tuple": Message("a list"),
    "dict": Message("a list of columns with a value for each"),
}
"""Value that is expected, by the first word of the type of a validator's error."""


def _expected_value(kind: str, bounds: dict[str, Any]) -> Message:
    """Return what a choice must be, as a message."""
    if "ge" in bounds:
        return Message("at least {least}", least=bounds["ge"])
    if "le" in bounds:
        return Message("at most {most}", most=bounds["le"])
    if "max_length" in bounds:
        return Message("at most {most:,} long", most=bounds["max_length"])
    if "expected" in bounds:
        return Message("one of {known}", known=bounds["expected"])
    return _EXPECTED_BY_ERROR_TYPE.get(kind.split("_")[0], Message("of another type"))
