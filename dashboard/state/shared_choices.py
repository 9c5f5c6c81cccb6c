"""Choices that all methods share: fields of a plan that a workspace has as well."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType, NoneType
from typing import Any, TypeVar, get_args

from engine.pipeline.choices import choices_of
from engine.pipeline.plan import Plan

DECLARED = {
    name: choice
    for name, choice in choices_of(Plan).items()
    if choice.shown == "shared"
}
"""What each of them declares, by name and in the order of a plan."""

BY_COLUMN = tuple(
    name for name in DECLARED if Plan.model_fields[name].default_factory is dict
)
"""Those that say something of single columns."""


def may_be_none(name: str) -> bool:
    """Return whether a choice can be left open; fields of no plan can."""
    declared = Plan.model_fields.get(name)
    return declared is None or NoneType in get_args(declared.annotation)


Class = TypeVar("Class", bound=type)


def with_shared_choices(workspace: Class) -> Class:
    """Add the choices to the fields of a class that is to be a dataclass."""
    for name in DECLARED:
        default = Plan.model_fields[name].get_default(call_default_factory=True)
        if isinstance(default, dict):
            default = field(default_factory=_nothing)
        workspace.__annotations__[name] = Any
        setattr(workspace, name, default)
    return workspace


def _nothing() -> Mapping[Any, Any]:
    return MappingProxyType({})


def frozen(value: Any) -> Any:
    """Return a choice with mappings that cannot be changed."""
    if isinstance(value, dict):
        return MappingProxyType({name: frozen(what) for name, what in value.items()})
    return value


def thawed(value: Any) -> Any:
    """Return a choice with plain dicts."""
    if isinstance(value, Mapping):
        return {str(name): thawed(what) for name, what in value.items()}
    return value
