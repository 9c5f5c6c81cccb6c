"""Widgets for a method's parameters, and for a choice among a registry's entries."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import streamlit as st

from dashboard.i18n.language import _
from dashboard.state import session
from engine.aggregate.defaults import AUTO
from engine.core.parameters import Choice, Flag, Float, Int, Parameter
from engine.core.registry import Registry


def show_parameter_widget(method_id: str, parameter: Parameter) -> None:
    """Show a widget for a method's declared parameter, bound to the workspace.

    Raises
    ------
    TypeError
        If there is no widget for this kind of declaration: a mistake in the program.
    """
    tied = session.bind_widget(
        "parameters", method_id, parameter.name, default=parameter.default
    )
    label, help_ = _(parameter.label), _(parameter.help)
    if isinstance(parameter, Int):
        st.number_input(
            label, parameter.low, parameter.high, step=1, help=help_, **tied
        )
    elif isinstance(parameter, Float) and parameter.words:
        _words_or_number(method_id, parameter)
    elif isinstance(parameter, Float):
        _show_float_input(label, parameter, help=help_, **tied)
    elif isinstance(parameter, Choice):
        st.selectbox(label, list(parameter.options), format_func=_, help=help_, **tied)
    elif isinstance(parameter, Flag):
        st.toggle(label, help=help_, **tied)
    else:
        raise TypeError(f"there is no widget for {type(parameter).__name__}")


def _words_or_number(method: str, parameter: Float) -> None:
    """Show the words as choices, and a number field where none of them is chosen."""
    number = "a number"
    value = _parameter_value(method, parameter)
    middle = (_parse_float(parameter.low) or 0.0) + _step(parameter)

    def show(current: Any) -> str:
        return current if current in parameter.words else number

    def read(word: Any) -> Any:
        return middle if word == number else word

    st.segmented_control(
        _(parameter.label),
        [*parameter.words, number],
        format_func=lambda word: _("a number") if word == number else _(word),
        required=True,
        help=_(parameter.help),
        **session.bind_widget(
            "parameters",
            method,
            parameter.name,
            default=parameter.default,
            to_widget=show,
            from_widget=read,
        ),
    )
    if value in parameter.words:
        return
    key = session.widget_key("number", method, parameter.name)
    st.session_state[key] = float(value)
    _show_float_input(
        _("{label}, as a number").format(label=_(parameter.label)),
        parameter,
        label_visibility="collapsed",
        key=key,
        on_change=_keep,
        args=(method, parameter.name, key),
    )


def _show_float_input(label: str, parameter: Float, **options: Any) -> None:
    low, high = _parse_float(parameter.low), _parse_float(parameter.high)
    st.number_input(label, low, high, step=_step(parameter), format="%g", **options)


def _parameter_value(method: str, parameter: Parameter) -> Any:
    chosen = session.workspace().parameters.get(method, {})
    return chosen.get(parameter.name, parameter.default)


def _keep(method: str, name: str, key: str) -> None:
    parameters = session.workspace().parameters
    inner = MappingProxyType(
        {**parameters.get(method, {}), name: st.session_state[key]}
    )
    session.update_workspace(parameters=MappingProxyType({**parameters, method: inner}))


def _parse_float(value: float | None) -> float | None:
    return None if value is None else float(value)


def _step(parameter: Float) -> float:
    """Return a twentieth of the range, or a tenth where there is no end."""
    if parameter.low is None or parameter.high is None:
        return 0.1
    return float(f"{(parameter.high - parameter.low) / 20:.1g}")


def show_registry_entry_picker(
    label: str,
    workspace_field: str,
    registry: Registry[Any, Any],
    help_: str,
    auto_meaning: str = "",
) -> None:
    """Show a choice among a registry's entries, and the chosen entry's summary.

    Parameters
    ----------
    label, workspace_field, help_ : str
        `workspace_field` is one of the workspace's.
    registry : Registry
    auto_meaning : str, optional
        What "auto" means, where the field can have this value too.
    """
    st.segmented_control(
        label,
        [*([AUTO] if auto_meaning else []), *registry],
        format_func=lambda name: (
            _("Automatic") if name == AUTO else _(registry.info(name).title)
        ),
        required=True,
        help=help_,
        **session.bind_widget(workspace_field),
    )
    chosen = getattr(session.workspace(), workspace_field)
    st.caption(auto_meaning if chosen == AUTO else _(registry.info(chosen).summary))
