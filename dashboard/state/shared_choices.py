"""Choices shared by all methods: fields that plans and workspaces both have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType, NoneType
from typing import Any, TypeVar, get_args

from engine.pipeline.plan import Plan
from engine.pipeline.planning.choices import choice_infos_of

SHARED_CHOICES = {
    name: choice
    for name, choice in choice_infos_of(Plan).items()
    if choice.shown == "shared"
}
"""Declarations of the shared choices, by name in the order of a plan."""

COLUMN_CHOICES = tuple(
    name for name in SHARED_CHOICES if Plan.model_fields[name].default_factory is dict
)
"""Shared choices that hold a value for each column."""


def can_choice_be_none(choice: str) -> bool:
    """Return whether a choice may be None (unset); True for one that no plan has."""
    declared = Plan.model_fields.get(choice)
    return declared is None or NoneType in get_args(declared.annotation)


Class = TypeVar("Class", bound=type)


def add_fields_shared_by_methods(workspace_class: Class) -> Class:
    """Add the shared choices to a class's fields, in place; return the class."""
    for name in SHARED_CHOICES:
        default = Plan.model_fields[name].get_default(call_default_factory=True)
        if isinstance(default, dict):
            default = field(default_factory=empty_mapping)
        workspace_class.__annotations__[name] = Any
        setattr(workspace_class, name, default)
    return workspace_class


def empty_mapping() -> Mapping[Any, Any]:
    """Return a mapping of nothing that cannot be changed."""
    return MappingProxyType({})


def freeze_mappings(value: Any) -> Any:
    """Return a choice's value with dicts, and dicts inside dicts, made read-only."""
    if isinstance(value, dict):
        return MappingProxyType(
            {name: freeze_mappings(what) for name, what in value.items()}
        )
    return value


def thaw_mappings(value: Any) -> Any:
    """Return a choice's value with mappings, nested too, as dicts with text keys."""
    if isinstance(value, Mapping):
        return {str(name): thaw_mappings(what) for name, what in value.items()}
    return value
