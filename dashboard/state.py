"""What one browser tab has chosen and found: the only file that names session keys.

Widget values vanish on page change, so every choice lives in one frozen
:class:`Workspace`. A page reads it with :func:`workspace`, changes it with
:func:`update`, and ties widgets to its fields with :func:`bound`::

    ws = state.workspace()
    st.number_input("Seed", min_value=0, **state.bound("seed"))
    st.slider("Gain", 0.0, 2.0, **state.bound("parameters", "vmdav", "gamma"))

A run is started, followed and kept like this::

    job = jobs.start(ws.table, state.plans(ws), known=state.results(ws))
    state.update(job=job)
    ...
    view = jobs.view(ws.job)      # in a fragment, every half second
    state.collect(view)           # from now on state.results(ws) has them
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import streamlit as st

import sample_data
from dashboard import sessions
from engine.compare import Failure, Result
from engine.constraints import parse_rules
from engine.errors import EngineError
from engine.methods import methods as all_methods
from engine.pipeline import Outcome
from engine.plan import Plan
from engine.table import Kind, Role, Schema, Table

if TYPE_CHECKING:
    from dashboard.jobs import JobView

_WORKSPACE = "workspace"
_TOKEN = "token"
_WIDGET = "widget"
_ADDRESS = "work"
"""Name of the address's parameter by which a reloaded page finds its workspace."""

MAX_RESULTS = 200
MAX_BYTES = 2**30
"""Results kept beyond those that the current choices ask for."""

Key = tuple[str, str]
"""Fingerprint of a table; digest of a plan and of the kinds of its columns."""


def _nothing() -> Mapping[Any, Any]:
    return MappingProxyType({})


@dataclass(frozen=True)
class Upload:
    """A file as it came in, to read again with other options.

    Attributes
    ----------
    name : str
    content : bytes
    """

    name: str
    content: bytes = field(repr=False)


@dataclass(frozen=True, eq=False)
class Workspace:
    """Everything one browser tab has chosen and found.

    Attributes
    ----------
    table : Table or None
        Roles and kinds are those of its schema.
    sample : str
        Identifier in :data:`sample_data.SAMPLES`; empty for an upload.
    upload : Upload or None
        The file that the table was read from; None for a sample.
    sizes : tuple of int
        Values of k.
    methods : tuple of str
        Identifiers in :data:`engine.methods.methods`.
    parameters : mapping of str to mapping
        By method; what is left out has its default.
    scaling, aggregation, missing, constraints, strata, seed
        As in :class:`engine.plan.Plan`.
    job : str or None
        The run in progress, or the last one; see :mod:`dashboard.jobs`.
    memo : mapping of (fingerprint, digest) to Outcome or Failure
        Use :func:`results`, which leaves out what no longer applies.
    chosen : Plan or None
        The plan whose release is looked at; use :func:`selected`.
    notes : tuple of str
        What the last new table made of earlier choices, in sentences.
    """

    table: Table | None = None
    sample: str = ""
    upload: Upload | None = None
    sizes: tuple[int, ...] = (3, 5)
    methods: tuple[str, ...] = ("mdav", "vmdav", "ldf")
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=_nothing)
    scaling: str = "zscore"
    aggregation: str = "mean"
    missing: str = "refuse"
    constraints: tuple[str, ...] = ()
    strata: str | None = None
    seed: int = 0
    job: str | None = None
    memo: Mapping[Key, Result] = field(default_factory=_nothing, repr=False)
    chosen: Plan | None = None
    notes: tuple[str, ...] = ()


def workspace() -> Workspace:
    """Return this tab's workspace: as it was, also after a reload, or a new one.

    A new one holds the default sample.
    """
    found = st.session_state.get(_WORKSPACE)
    if not isinstance(found, Workspace):
        left = sessions.shelf().find(st.query_params.get(_ADDRESS, ""))
        found = left if isinstance(left, Workspace) else _with_sample(Workspace())
        _keep(found)
    _show_address()
    return found


def update(**changes: Any) -> Workspace:
    """Change some fields of this tab's workspace and return the new one.

    Raises
    ------
    TypeError
        If the workspace has no such field: a mistake in the program.
    """
    changed = replace(workspace(), **changes)
    _keep(changed)
    return changed


def _keep(ws: Workspace) -> None:
    token = st.session_state.get(_TOKEN)
    if token is None:
        # Never the token in the address: a copied address must give a tab its own
        # workspace, not one that two tabs write to.
        token = st.session_state[_TOKEN] = sessions.new_token()
    st.session_state[_WORKSPACE] = ws
    sessions.shelf().put(token, ws)


def _show_address() -> None:
    token = st.session_state[_TOKEN]
    if st.query_params.get(_ADDRESS) != token:
        st.query_params[_ADDRESS] = token


# Tables


def open_sample(sample_id: str) -> Workspace:
    """Open a table that comes with Coterie, with the roles of its own schema.

    Raises
    ------
    ParameterError
        If there is no such sample.
    """
    changed = _with_sample(workspace(), sample_id)
    _keep(changed)
    return changed


def open_table(table: Table, upload: Upload | None = None) -> Workspace:
    """Open an uploaded table; choices that still make sense stay.

    Roles and kinds stay for columns of the same name, if the two tables have at
    least half of their columns in common; k, methods and all else stays always.
    ``notes`` of the workspace says what does not apply any more.
    """
    ws = workspace()
    schema, notes = table.schema, list[str]()
    if ws.table is not None:
        schema, notes = _carried(ws.table.schema, table)
    changed = _fitted(
        replace(ws, table=replace(table, schema=schema), sample="", upload=upload),
        notes,
    )
    _keep(changed)
    return changed


def _with_sample(
    ws: Workspace, sample_id: str = sample_data.DEFAULT_SAMPLE
) -> Workspace:
    table = sample_data.load(sample_id)
    return _fitted(replace(ws, table=table, sample=sample_id, upload=None), [])


def _carried(old: Schema, table: Table) -> tuple[Schema, list[str]]:
    """Return the new table's schema with the old one's choices, and what is lost."""
    schema = table.schema
    common = [name for name in schema.names if name in old]
    if 2 * len(common) < min(len(schema.names), len(old.names)):
        return schema, []
    notes = []
    roles = {name: old[name].role for name in common}
    kinds = {}
    for name in common:
        number = table.frame[name].dtype.kind in "iuf"
        if number or old[name].kind is not Kind.CONTINUOUS:
            kinds[name] = old[name].kind
        else:
            notes.append(
                f"Column {name!r} was {old[name].kind} and is {schema[name].kind} "
                "in the new file."
            )
    gone = [
        f"{name!r} ({old[name].role})"
        for name in old.names
        if name not in schema and old[name].role is not Role.OTHER
    ]
    if gone:
        notes.append(f"Not in the new file: {', '.join(gone)}.")
    new = [repr(name) for name in schema.names if name not in old]
    if new:
        notes.append(f"New, with a proposed role: {', '.join(new)}.")
    return schema.assign(roles, kinds), notes


def _fitted(ws: Workspace, notes: list[str]) -> Workspace:
    """Return the workspace without choices that name columns the table lacks."""
    assert ws.table is not None
    names = ws.table.schema.names
    strata, rules = ws.strata, []
    if strata is not None and strata not in names:
        notes.append(f"Not in the new file: {strata!r}, the column of the strata.")
        strata = None
    for text in ws.constraints:
        try:
            parse_rules((text,), names)
        except EngineError:
            notes.append(f"The rule {text!r} names columns that are not there.")
        else:
            rules.append(text)
    return replace(
        ws, strata=strata, constraints=tuple(rules), chosen=None, notes=tuple(notes)
    )


# Plans and results


def plans(ws: Workspace) -> tuple[Plan, ...]:
    """Return the plans asked for, methods outermost, every column spelled out.

    Empty while there is no table, method or k.

    Raises
    ------
    EngineError
        One sentence, if a choice is out of range or there is no quasi-identifier.
    """
    table = ws.table
    if table is None:
        return ()
    return tuple(
        _plan(ws, name, k).resolve(table)
        for name in dict.fromkeys(map(all_methods.resolve, ws.methods))
        for k in dict.fromkeys(ws.sizes)
    )


def _plan(ws: Workspace, name: str, k: int) -> Plan:
    return Plan(
        method=name,
        k=k,
        parameters=dict(ws.parameters.get(name, {})),
        scaling=ws.scaling,
        aggregation=ws.aggregation,
        missing=ws.missing,
        constraints=ws.constraints,
        strata=ws.strata,
        seed=ws.seed,
    )


def results(ws: Workspace) -> Mapping[Plan, Result]:
    """Return the results that the current table and choices ask for.

    In the order of :func:`plans`; what has not run, or ran on other data or
    choices, is left out.
    """
    try:
        asked = plans(ws)
    except EngineError:
        return _nothing()
    found = {}
    for plan in asked:
        assert ws.table is not None
        key = _key(ws.table, plan)
        if key in ws.memo:
            found[plan] = ws.memo[key]
    return MappingProxyType(found)


def outcomes(ws: Workspace) -> tuple[Outcome, ...]:
    """Return the results that are outcomes, in the order of :func:`plans`."""
    return tuple(
        result for result in results(ws).values() if not isinstance(result, Failure)
    )


def selected(ws: Workspace) -> Outcome | None:
    """Return the chosen plan's outcome, or the first one; None if there is none."""
    found = results(ws)
    if ws.chosen is not None:
        result = found.get(ws.chosen)
        if isinstance(result, Outcome):
            return result
    return next(iter(outcomes(ws)), None)


def collect(view: JobView) -> Workspace:
    """Keep a run's results so far in the workspace and return it.

    The oldest results that the current choices do not ask for are dropped above
    :data:`MAX_RESULTS` or :data:`MAX_BYTES`.
    """
    ws = workspace()
    fresh = {
        _key(view.table, view.plans[position]): result
        for position, result in view.results.items()
    }
    if all(ws.memo.get(key) is result for key, result in fresh.items()):
        return ws
    memo = {key: result for key, result in ws.memo.items() if key not in fresh} | fresh
    wanted = set(fresh)
    if ws.table is not None:
        wanted |= {_key(ws.table, plan) for plan in results(ws)}
    return update(memo=MappingProxyType(_bounded(memo, wanted)))


def _bounded(memo: Mapping[Key, Result], wanted: set[Key]) -> dict[Key, Result]:
    """Return the memo without its oldest results above the limits."""
    kept = dict(memo)
    size = sum(map(_bytes, kept.values()))
    for key, result in memo.items():
        if len(kept) <= MAX_RESULTS and size <= MAX_BYTES:
            break
        if key not in wanted:
            del kept[key]
            size -= _bytes(result)
    return kept


def _bytes(result: Result) -> int:
    if isinstance(result, Failure):
        return 0
    labels, rows = result.partition.labels.nbytes, result.release.rows.nbytes
    # The other columns of a release share the table's memory.
    return labels * (1 + len(result.plan.quasi_identifiers)) + rows


def _key(table: Table, plan: Plan) -> Key:
    digest = hashlib.sha256(plan.resolve(table).to_json().encode())
    for column in table.schema.columns:
        digest.update(f"{column.name}\0{column.kind}\0".encode())
    return table.fingerprint, digest.hexdigest()


# Widgets


def key(*parts: Hashable) -> str:
    """Return a session key for a widget that is not tied to a field."""
    return ":".join([_WIDGET, *map(str, parts)])


def bound(
    name: str,
    *path: str,
    default: Any = None,
    show: Callable[[Any], Any] | None = None,
    read: Callable[[Any], Any] | None = None,
) -> dict[str, Any]:
    """Return the arguments that tie a widget to a field of the workspace.

    Do not give the widget a value or default of its own.

    Parameters
    ----------
    name : str
        Field of :class:`Workspace`.
    *path : str
        Inside a mapping, as in ``bound("parameters", "vmdav", "gamma")``.
    default : object, optional
        Shown where the mapping says nothing.
    show, read : callable, optional
        From the field's value to the widget's, and back. Lists become tuples by
        themselves.

    Returns
    -------
    dict
        ``key``, ``on_change`` and ``args``, for ``st.slider("k", **bound(...))``.
    """
    if name not in {entry.name for entry in fields(Workspace)}:
        raise TypeError(f"a workspace has no field {name!r}")
    widget = key(name, *path)
    value = _field(workspace(), name, path, default)
    if show is not None:
        value = show(value)
    if isinstance(value, tuple):
        value = list(value)
    if widget not in st.session_state or st.session_state[widget] != value:
        st.session_state[widget] = value
    return {"key": widget, "on_change": _copy_back, "args": (name, path, widget, read)}


def _field(ws: Workspace, name: str, path: tuple[str, ...], default: Any) -> Any:
    value = getattr(ws, name)
    for step in path[:-1]:
        value = value.get(step, {})
    return value.get(path[-1], default) if path else value


def _copy_back(
    name: str,
    path: tuple[str, ...],
    widget: str,
    read: Callable[[Any], Any] | None,
) -> None:
    value = st.session_state[widget]
    if isinstance(value, list):
        value = tuple(value)
    if read is not None:
        value = read(value)
    update(**{name: _changed(getattr(workspace(), name), path, value)})


def _changed(whole: Any, path: tuple[str, ...], value: Any) -> Any:
    """Return a mapping with the value at `path` replaced, the rest shared."""
    if not path:
        return value
    inner = whole.get(path[0], {})
    return MappingProxyType({**whole, path[0]: _changed(inner, path[1:], value)})
