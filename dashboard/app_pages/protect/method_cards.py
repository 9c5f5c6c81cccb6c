"""Method cards: what a method is, and widgets for its parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import Any

import streamlit as st

from dashboard.app_pages.protect import forecast
from dashboard.i18n import text
from dashboard.i18n.language import _
from dashboard.state import session
from dashboard.state.carry_over import recommended_methods
from dashboard.ui import learn_links
from engine.aggregate.defaults import AUTO
from engine.core.parameters import Choice, Flag, Float, Int, Parameter
from engine.core.registry import Registry
from engine.methods import MethodInfo


def parameter_widget(method: str, parameter: Parameter) -> None:
    """Show the widget that a declaration asks for, tied to the workspace.

    Raises
    ------
    TypeError
        If there is no widget for this kind of declaration: a mistake in the program.
    """
    tied = session.bound(
        "parameters", method, parameter.name, default=parameter.default
    )
    label, help_ = _(parameter.label), _(parameter.help)
    if isinstance(parameter, Int):
        st.number_input(
            label, parameter.low, parameter.high, step=1, help=help_, **tied
        )
    elif isinstance(parameter, Float) and parameter.words:
        _words_or_number(method, parameter)
    elif isinstance(parameter, Float):
        st.number_input(
            label,
            _float(parameter.low),
            _float(parameter.high),
            step=_step(parameter),
            format="%g",
            help=help_,
            **tied,
        )
    elif isinstance(parameter, Choice):
        st.selectbox(label, list(parameter.options), format_func=_, help=help_, **tied)
    elif isinstance(parameter, Flag):
        st.toggle(label, help=help_, **tied)
    else:
        raise TypeError(f"there is no widget for {type(parameter).__name__}")


def _words_or_number(method: str, parameter: Float) -> None:
    """Show the words as choices, and a number field where none of them is chosen."""
    number = "a number"
    value = _value(method, parameter)
    middle = (_float(parameter.low) or 0.0) + _step(parameter)

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
        **session.bound(
            "parameters",
            method,
            parameter.name,
            default=parameter.default,
            show=show,
            read=read,
        ),
    )
    if value in parameter.words:
        return
    key = session.key("number", method, parameter.name)
    st.session_state[key] = float(value)
    st.number_input(
        _("{label}, as a number").format(label=_(parameter.label)),
        _float(parameter.low),
        _float(parameter.high),
        step=_step(parameter),
        format="%g",
        label_visibility="collapsed",
        key=key,
        on_change=_keep,
        args=(method, parameter.name, key),
    )


def _value(method: str, parameter: Parameter) -> Any:
    chosen = session.workspace().parameters.get(method, {})
    return chosen.get(parameter.name, parameter.default)


def _keep(method: str, name: str, key: str) -> None:
    parameters = session.workspace().parameters
    inner = MappingProxyType(
        {**parameters.get(method, {}), name: st.session_state[key]}
    )
    session.update(parameters=MappingProxyType({**parameters, method: inner}))


def _float(value: float | None) -> float | None:
    return None if value is None else float(value)


def _step(parameter: Float) -> float:
    """Return a twentieth of the range, or a tenth where there is no end."""
    if parameter.low is None or parameter.high is None:
        return 0.1
    return float(f"{(parameter.high - parameter.low) / 20:.1g}")


def method_card(info: MethodInfo, seconds: str, wrong: str = "") -> None:
    """Show a method: name, what it does, what it costs, where it comes from.

    Parameters
    ----------
    info : MethodInfo
    seconds : str
        How long it should take, in words.
    wrong : str
        Why it cannot run on this table; empty where it can.
    """
    with st.container(border=True, height="stretch", gap="small"):
        chosen = _method_toggle(info)
        st.markdown(_(info.summary))
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            if wrong:
                why = _(wrong)
                st.badge(_("not for this table"), color="orange", help=why)
            else:
                st.badge(seconds, icon=":material/timer:", color="gray")
            if info.traits.probabilistic:
                words = _(text.PROBABILISTIC)
                st.badge(_("probabilistic"), color="orange", help=words)
            elif not info.traits.guarantees_k:
                words = _(text.NO_PROMISE)
                st.badge(_("k not promised"), color="orange", help=words)
            if info.traits.exact:
                st.badge(_("optimal"), icon=":material/verified:", color="blue")
            # Not a caption: links in faded print are too pale to read.
            st.markdown(f":small[{info.reference.link}]", help=info.reference.text)
        learn_links.method_link(info.id)
        if chosen and info.parameters:
            with st.expander(_("Parameters"), icon=":material/tune:", type="compact"):
                for parameter in info.parameters:
                    parameter_widget(info.id, parameter)


def _method_toggle(info: MethodInfo) -> bool:
    key = session.key("method", info.id)
    st.session_state[key] = info.id in session.workspace().methods
    return st.checkbox(
        f"**{_(info.title)}**", key=key, on_change=_toggle, args=(info.id,)
    )


def _toggle(method: str) -> None:
    chosen = session.workspace().methods
    if method in chosen:
        session.update(methods=tuple(name for name in chosen if name != method))
    else:
        session.update(methods=(*chosen, method))


def quick_choices(infos: Sequence[MethodInfo]) -> None:
    """Show buttons that choose several methods at once."""
    for name, label, names, help_ in (
        (
            "recommended",
            _("Recommended"),
            lambda: recommended_methods(session.workspace().table),
            _("Fast, well known, and unlike each other."),
        ),
        (
            "fast",
            _("All fast ones"),
            lambda: forecast.fast_methods(infos),
            _("Under two seconds here."),
        ),
        ("none", _("None"), tuple, _("Untick all.")),
    ):
        st.button(
            label,
            key=session.key("quick", name),
            type="tertiary",
            help=help_,
            on_click=_choose,
            args=(names,),
        )


def _choose(names: Callable[[], tuple[str, ...]]) -> None:
    session.update(methods=names())


def choice(
    label: str, field: str, registry: Registry[Any, Any], help_: str, auto: str = ""
) -> None:
    """Show a registry's entries as one choice, with the chosen one's meaning.

    Parameters
    ----------
    label, field, help_ : str
        `field` is one of the workspace's.
    registry : Registry
    auto : str, optional
        What "auto" means, where the field can have this value too.
    """
    st.segmented_control(
        label,
        [*([AUTO] if auto else []), *registry],
        format_func=lambda name: (
            _("Automatic") if name == AUTO else _(registry.info(name).title)
        ),
        required=True,
        help=help_,
        **session.bound(field),
    )
    chosen = getattr(session.workspace(), field)
    st.caption(auto if chosen == AUTO else _(registry.info(chosen).summary))
