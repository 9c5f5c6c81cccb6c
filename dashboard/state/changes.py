"""Differences of two snapshots, in words short enough for a tooltip."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from dashboard.i18n import text
from dashboard.i18n.language import _, n_
from dashboard.i18n.text_session import CHOICE_NAMES
from dashboard.state.history import differences
from dashboard.state.snapshot import Snapshot, Source
from engine.aggregate import aggregations
from engine.core.registry import Registry
from engine.data.schema import Column
from engine.measures import measures
from engine.methods import methods
from engine.pipeline.choices import choices_of
from engine.pipeline.plan import Plan
from engine.points.scaling import scalings

LONGEST = 60
"""Characters of a value that are shown."""

_PLAN_CHOICES = choices_of(Plan)

NAMED = 3
"""Methods that are named one by one."""


def describe_changes(before: Snapshot, after: Snapshot) -> str:
    """Return what changed from one moment to another, such as ``k 3, 5 → 3``."""
    found = list(_changes(before, after))
    if not found:
        return ""
    more = len(found) - 1
    if not more:
        return found[0]
    also = n_("and {count} more change", "and {count} more changes", more)
    return f"{found[0]} {also.format(count=more)}"


def _changes(before: Snapshot, after: Snapshot) -> Iterator[str]:
    """Yield each change; another table is one, whatever came with it."""
    was, is_ = before.source, after.source
    if was is None or is_ is None or was.fingerprint != is_.fingerprint:
        if was is not is_:
            yield _opened(is_)
            return
    elif was.schema != is_.schema:
        yield from _columns(was, is_)
    for path, one, other in differences(before.choices, after.choices):
        yield _choice(path, one, other)


def _opened(source: Source | None) -> str:
    if source is None:
        return _("table closed")
    return _("opened {table}").format(table=_(source.title) or _("a table"))


def _columns(was: Source, is_: Source) -> Iterator[str]:
    """Yield what changed in roles, kinds and hierarchies."""
    pairs = list(zip(was.schema.columns, is_.schema.columns, strict=True))
    for attribute, one, several in (
        ("role", _("role of {column}"), _("roles of {count} columns")),
        ("kind", _("kind of {column}"), _("kinds of {count} columns")),
    ):
        changed = [
            (a, b) for a, b in pairs if getattr(a, attribute) != getattr(b, attribute)
        ]
        if len(changed) == 1:
            a, b = changed[0]
            label = one.format(column=a.name)
            yield _arrow(label, _member(a, attribute), _member(b, attribute))
        elif changed:
            yield several.format(count=len(changed))
    trees = [a.name for a, b in pairs if a.hierarchy != b.hierarchy]
    if trees:
        yield _("hierarchy of {columns}").format(columns=", ".join(trees))


def _member(column: Column, attribute: str) -> str:
    if attribute == "role":
        return _(text.ROLE_NAMES[column.role]).lower()
    return _(text.KIND_NAMES[column.kind]).lower()


def _choice(path: tuple[str, ...], before: Any, after: Any) -> str:
    """Return one change in words."""
    name, *inner = path
    if name == "parameters":
        return _parameter(inner, before, after)
    if name in ("methods", "constraints"):
        return _members(name, before or (), after or ())
    label = choice_label(name, *inner)
    if name in ("overrides", "accepted", "blocks"):
        return label
    return _arrow(label, choice_value(before, name), choice_value(after, name))


def choice_label(name: str, *inner: str) -> str:
    """Return what a choice is called, of a workspace or of a plan.

    Parameters
    ----------
    name : str
    *inner : str
        Column, or measure, where it is one for each.
    """
    declared = _PLAN_CHOICES.get(name)
    label = _(CHOICE_NAMES[name] if declared is None else declared.label)
    if inner and "{column}" in label:
        column = _(measures.info(inner[0]).title) if name == "ceilings" else inner[0]
        label = label.format(column=column)
    return label


def _parameter(inner: Sequence[str], before: Any, after: Any) -> str:
    info = methods.info(inner[0])
    declared = {each.name: each for each in info.parameters}
    parameter = declared.get(inner[-1])
    if parameter is None:
        return _(info.title)
    before = parameter.default if before is None else before
    after = parameter.default if after is None else after
    label = f"{_(info.title)}, {_(parameter.label)}"
    return _arrow(label, choice_value(before), choice_value(after))


def _members(name: str, before: Sequence[str], after: Sequence[str]) -> str:
    """Return what came to a list and what went, if that is all of one sort."""
    came = [one for one in after if one not in before]
    went = [one for one in before if one not in after]
    show = _titles if name == "methods" else ", ".join
    if name == "methods" and max(len(came), len(went)) > NAMED:
        return _("{before} → {after} methods").format(
            before=len(before), after=len(after)
        )
    if came and not went:
        return _("{names} added").format(names=_short(show(came)))
    if went and not came:
        return _("{names} taken out").format(names=_short(show(went)))
    return _arrow(choice_label(name), _short(show(before)), _short(show(after)))


def _titles(names: Sequence[str]) -> str:
    return ", ".join(_(methods.info(name).title) for name in names)


def _arrow(label: str, before: str, after: str) -> str:
    return f"{label} {before} → {after}"


_REGISTRIES: dict[str, Registry[Any, Any]] = {
    "scaling": scalings,
    "aggregation": aggregations,
    "aggregations": aggregations,
}


def choice_value(value: Any, name: str = "") -> str:
    """Return a value as people read it."""
    if value is None or value == () or value == "":
        return _("none")
    if isinstance(value, bool):
        return _("on") if value else _("off")
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, tuple):
        apart = " | " if isinstance(value[0], tuple) else ", "
        return _short(apart.join(map(choice_value, value)))
    known = _REGISTRIES.get(name)
    if known is not None and value in known:
        return _(known.info(value).title).lower()
    return _short(_(str(value)))


def _short(words: str) -> str:
    return words if len(words) <= LONGEST else words[: LONGEST - 1] + "…"
