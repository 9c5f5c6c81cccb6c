"""Words on the differences between two snapshots, and labels and values of choices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from dashboard.i18n import text
from dashboard.i18n.language import _, n_, within_sentence
from dashboard.i18n.text_session import CHOICE_NAMES
from dashboard.state.snapshots.history import iterate_differences
from dashboard.state.snapshots.snapshot import Snapshot, TableSource
from engine.aggregate import aggregations
from engine.core.registry import Registry
from engine.data.schema import Column
from engine.measures import measures
from engine.methods import methods
from engine.pipeline.plan import Plan
from engine.pipeline.planning.choices import choice_infos_of
from engine.points.scaling import scalings

MAX_VALUE_CHARS = 60
"""Characters of a value that are shown."""

_PLAN_CHOICES = choice_infos_of(Plan)

MAX_NAMED_METHODS = 3
"""Methods that are listed by name."""


def describe_changes(before: Snapshot, after: Snapshot) -> str:
    """Return words on the first change from a snapshot to another; count the rest."""
    changes = list(_iterate_changes(before, after))
    if not changes:
        return ""
    more = len(changes) - 1
    if not more:
        return changes[0]
    also = n_("and {count} more change", "and {count} more changes", more)
    return f"{changes[0]} {also.format(count=more)}"


def _iterate_changes(before: Snapshot, after: Snapshot) -> Iterator[str]:
    """Yield each change as a sentence; another table counts as one change."""
    was, is_ = before.source, after.source
    if was is None or is_ is None or was.fingerprint != is_.fingerprint:
        if was is not is_:
            yield _describe_opening(is_)
            return
    elif was.schema != is_.schema:
        yield from _column_changes(was, is_)
    for path, value, other in iterate_differences(before.choices, after.choices):
        yield _describe_choice(path, value, other)


def _describe_opening(source: TableSource | None) -> str:
    if source is None:
        return _("table closed")
    return _("opened {table}").format(table=_(source.title) or _("a table"))


def _column_changes(was: TableSource, is_: TableSource) -> Iterator[str]:
    """Yield what changed in roles, kinds and hierarchies."""
    pairs = list(zip(was.schema.columns, is_.schema.columns, strict=True))
    for attribute, singular, several in (
        ("role", _("role of {column}"), _("roles of {count} columns")),
        ("kind", _("kind of {column}"), _("kinds of {count} columns")),
    ):
        changed = [
            (a, b) for a, b in pairs if getattr(a, attribute) != getattr(b, attribute)
        ]
        if len(changed) == 1:
            a, b = changed[0]
            label = singular.format(column=a.name)
            yield _format_arrow(
                label, _column_attribute(a, attribute), _column_attribute(b, attribute)
            )
        elif changed:
            yield several.format(count=len(changed))
    trees = [a.name for a, b in pairs if a.hierarchy != b.hierarchy]
    if trees:
        yield _("hierarchy of {columns}").format(columns=", ".join(trees))


def _column_attribute(column: Column, attribute: str) -> str:
    if attribute == "role":
        return within_sentence(_(text.ROLE_NAMES[column.role]))
    return within_sentence(_(text.KIND_NAMES[column.kind]))


def _describe_choice(path: tuple[str, ...], before: Any, after: Any) -> str:
    """Describe one change in words."""
    name, *inner = path
    if name == "parameters":
        return _parameter_label(inner, before, after)
    if name in ("methods", "constraints"):
        return _describe_members(name, before or (), after or ())
    label = choice_label(name, *inner)
    if name in ("overrides", "accepted", "blocks"):
        return label
    return _format_arrow(
        label, choice_value_text(before, name), choice_value_text(after, name)
    )


def choice_label(name: str, *path: str) -> str:
    """Return the label of a choice of a workspace or plan, in the language in use.

    Parameters
    ----------
    name : str
    *path : str
        Column, or measure, where it is one for each.
    """
    declared = _PLAN_CHOICES.get(name)
    label = _(CHOICE_NAMES[name] if declared is None else declared.label)
    if path and "{column}" in label:
        column = _(measures.info(path[0]).title) if name == "ceilings" else path[0]
        label = label.format(column=column)
    return label


def _parameter_label(inner: Sequence[str], before: Any, after: Any) -> str:
    info = methods.info(inner[0])
    declared = {each.name: each for each in info.parameters}
    parameter = declared.get(inner[-1])
    if parameter is None:
        return _(info.title)
    before = parameter.default if before is None else before
    after = parameter.default if after is None else after
    label = f"{_(info.title)}, {_(parameter.label)}"
    return _format_arrow(label, choice_value_text(before), choice_value_text(after))


def _describe_members(name: str, before: Sequence[str], after: Sequence[str]) -> str:
    """Describe which items were added to a list or removed, if only one of both."""
    came = [member for member in after if member not in before]
    went = [member for member in before if member not in after]
    show = _join_titles if name == "methods" else ", ".join
    if name == "methods" and max(len(came), len(went)) > MAX_NAMED_METHODS:
        return _("{before} → {after} methods").format(
            before=len(before), after=len(after)
        )
    if came and not went:
        return _("{names} added").format(names=_shorten(show(came)))
    if went and not came:
        return _("{names} taken out").format(names=_shorten(show(went)))
    return _format_arrow(
        choice_label(name), _shorten(show(before)), _shorten(show(after))
    )


def _join_titles(names: Sequence[str]) -> str:
    return ", ".join(_(methods.info(name).title) for name in names)


def _format_arrow(label: str, before: str, after: str) -> str:
    return f"{label} {before} → {after}"


_REGISTRY_BY_CHOICE: dict[str, Registry[Any, Any]] = {
    "scaling": scalings,
    "aggregation": aggregations,
    "aggregations": aggregations,
}


def choice_value_text(value: Any, choice: str = "") -> str:
    """Return a choice's value in words, cut if long, in the language in use."""
    if value is None or value == () or value == "":
        return _("none")
    if isinstance(value, bool):
        return _("on") if value else _("off")
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, tuple):
        separator = " | " if isinstance(value[0], tuple) else ", "
        return _shorten(separator.join(map(choice_value_text, value)))
    registry = _REGISTRY_BY_CHOICE.get(choice)
    if registry is not None and value in registry:
        return within_sentence(_(registry.info(value).title))
    return _shorten(_(str(value)))


def _shorten(words: str) -> str:
    return (
        words if len(words) <= MAX_VALUE_CHARS else words[: MAX_VALUE_CHARS - 1] + "…"
    )
