"""Inputs to choose methods: list by loss, search by name, and picker of all methods."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

import streamlit as st

from dashboard.app_pages.compare.rail import forecast
from dashboard.app_pages.compare.rail.parameters import show_parameter_widget
from dashboard.charts.inputs import ResultFigures
from dashboard.charts.theme import NEUTRAL, choose_method_styles
from dashboard.i18n import text
from dashboard.i18n.language import _, n_
from dashboard.i18n.markdown import escape_text
from dashboard.results.digits import format_short
from dashboard.results.figures import figures_with_best_bounds
from dashboard.state import session
from dashboard.state.new_tables.carry_over import recommended_methods
from dashboard.ui.browser_components.components import make_row
from dashboard.ui.header import learn_links
from dashboard.ui.runs import durations
from engine.methods import FAMILY_TITLES, MethodInfo, methods
from engine.methods.descriptions.elsewhere import FOREIGN_METHODS

_BAR_SVG = """\
<svg xmlns='http://www.w3.org/2000/svg' width='44' height='8'>\
<rect width='44' height='8' rx='4' fill='{faint}' fill-opacity='.25'/>\
<rect width='{width:.0f}' height='8' rx='4' fill='{colour}'/></svg>"""


def show_method_list() -> None:
    """Show chosen and recommended methods by loss, ways to add some, and parameters."""
    ws = session.workspace()
    rows = figures_by_method_at_selected_k()
    listed = [*ws.methods, *recommended_methods(ws.table)]
    listed = sorted(
        dict.fromkeys(map(methods.resolve, listed)),
        key=lambda name: rows[name].loss if name in rows else float("inf"),
    )
    st.markdown(
        _("**Methods** · least loss at k = {k}").format(k=ws.selected_k),
        help=f"{_(text.LOWER)} {_(text.METHODS_TIMES)}",
    )
    note = forecast.many_records_advice(ws)
    if note:
        st.info(note, icon=":material/speed:")
    max_loss = max((row.loss for row in rows.values()), default=1.0)
    styles = choose_method_styles(map(methods.resolve, ws.methods))  # as in the charts
    for name in listed:
        with make_row(
            horizontal_alignment="distribute",
            gap="small",
            wrap=False,
            key=session.widget_key("method line", name),
        ):
            _show_method_checkbox(name, session.widget_key("method", name))
            row = rows.get(name)
            words = f":small[{_time(methods.info(name))}]"
            if row:
                colour = styles[name].colour if name in styles else NEUTRAL
                bar = _bar_image(row.loss / max_loss, colour)
                words = f"{bar} :small[{format_short(row.loss)}]"
            st.markdown(words, width="content")
    _add(listed)
    _show_quick_choices()
    _show_parameters(ws.methods)


def figures_by_method_at_selected_k() -> Mapping[str, ResultFigures]:
    """Return the figures of current results at the selected k, by method id."""
    ws = session.workspace()
    rows = figures_with_best_bounds(list(session.requested_outcomes(ws)))
    return {row.method: row for row in rows if row.k == ws.selected_k}


def _bar_image(share: float, colour: str) -> str:
    """Return a bar as a picture: as Markdown has none."""
    width = 44 * min(max(share, 0.0), 1.0)
    svg = _BAR_SVG.format(width=width, colour=colour, faint=NEUTRAL)
    return f"![](data:image/svg+xml,{quote(svg)})"


def _time(info: MethodInfo) -> str:
    seconds, wrong = forecast.forecast_seconds_and_obstacle(info, session.workspace())
    return _("not for this table") if wrong else durations.duration_text(seconds)


def _show_method_checkbox(method: str, key: str) -> None:
    info = methods.info(method)
    st.session_state[key] = info.id in session.workspace().methods
    st.checkbox(
        _(info.title),
        key=key,
        on_change=_toggle,
        args=(info.id,),
        help=method_description(info),
    )


def method_description(info: MethodInfo) -> str:
    """Return Markdown on a method: summary, any obstacle or lack of k, time, source."""
    seconds, wrong = forecast.forecast_seconds_and_obstacle(info, session.workspace())
    words = [_(info.summary)]
    if wrong:
        words.append(_("Not for this table: {reason}").format(reason=_(wrong)))
    if info.traits.probabilistic:
        words.append(_(text.PROBABILISTIC))
    elif not info.traits.guarantees_k:
        words.append(_(text.NO_PROMISE))
    words.append(f"{durations.duration_text(seconds)} · {info.reference.markdown_link}")
    return "  \n".join(words)


def _toggle(method: str) -> None:
    chosen = session.workspace().methods
    if method in chosen:
        session.update_workspace(
            methods=tuple(name for name in chosen if name != method)
        )
    else:
        session.update_workspace(methods=(*chosen, method))


def _add(listed: list[str]) -> None:
    """Show the field that finds any other method, by the names of other tools too."""
    others = [info for info in methods.infos() if info.id not in listed]
    key = session.widget_key("add method")
    st.selectbox(
        _("Add a method"),
        [*(info.id for info in others), *FOREIGN_METHODS],
        index=None,
        format_func=_method_names,
        placeholder=n_(
            "{count} more, by any name…", "{count} more, by any name…", len(others)
        ).format(count=len(others)),
        label_visibility="collapsed",
        help=_(
            "Methods are found by their names, and by those that sdcMicro, ARX and "
            "mu-ARGUS give them."
        ),
        key=key,
        on_change=_add_chosen_and_clear,
        args=(key,),
    )
    _show_foreign_method()


def _add_chosen_and_clear(key: str) -> None:
    """Add the method of a field, and empty it: here alone, as that ends any typing."""
    name = st.session_state[key]
    st.session_state[key] = None
    if name is not None:
        _add_chosen(name)


_FOREIGN_METHOD_KEY = session.widget_key("elsewhere")


def _method_names(name: str) -> str:
    """Return what a method is called here and in other tools."""
    if name in FOREIGN_METHODS:
        return _("{name} · {tool}, not here").format(
            name=name, tool=FOREIGN_METHODS[name].tool
        )
    info = methods.info(name)
    same = _escape_letters(info.title) == _escape_letters(info.id)
    also = (other for parameter in info.parameters for other in parameter.also)
    return " · ".join(
        [_(info.title), *([] if same else [info.id]), *info.aliases, *also]
    )


def _escape_letters(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))


def _add_chosen(name: str) -> None:
    """Add a method; of another tool's, remember that it was asked for."""
    if name in FOREIGN_METHODS:
        st.session_state[_FOREIGN_METHOD_KEY] = name
    else:
        st.session_state.pop(_FOREIGN_METHOD_KEY, None)
        _toggle(name)


def _show_foreign_method() -> None:
    """Say what another tool's method loses, and offer the one to take."""
    method = FOREIGN_METHODS.get(st.session_state.get(_FOREIGN_METHOD_KEY, ""))
    if method is None:
        return
    st.info(escape_text(_(method.message)), icon=":material/info:")
    if method.instead not in session.workspace().methods:
        st.button(
            _("Add {method}").format(method=_(methods.info(method.instead).title)),
            key=session.widget_key("instead"),
            on_click=_add_chosen,
            args=(method.instead,),
        )


def _show_quick_choices() -> None:
    """Show buttons that choose several methods at once."""
    with st.container(horizontal=True, gap="small"):
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
                forecast.list_fast_method_ids,
                _("Under two seconds here."),
            ),
        ):
            st.button(
                label,
                key=session.widget_key("quick", name),
                type="tertiary",
                help=help_,
                on_click=lambda names=names: session.update_on_click(methods=names()),
            )
        _show_method_picker()


def _show_parameters(chosen: tuple[str, ...]) -> None:
    """Show the parameters of the chosen methods, folded."""
    parameters = session.workspace().parameters
    tuned = [info for info in map(methods.info, chosen) if info.parameters]
    if not tuned:
        return
    changed = sum(bool(parameters.get(info.id)) for info in tuned)
    words = (
        n_("{count} method changed", "{count} methods changed", changed).format(
            count=changed
        )
        if changed
        else _("as recommended")
    )
    place = st.expander(
        _("Parameters") + f" · {words}",
        key=session.widget_key("rail", "parameters"),
        type="compact",
        on_change="rerun",
    )
    if not place.open:
        return
    with place:
        for info in tuned:
            st.markdown(f"**{_(info.title)}**")
            for parameter in info.parameters:
                show_parameter_widget(info.id, parameter)
            learn_links.show_link_to_method(info.id)


def _show_method_picker() -> None:
    """Show a button that opens the list of all methods, to tick any of them."""
    place = st.popover(
        _("All {count}").format(count=len(methods.infos())),
        key=session.widget_key("all methods"),
        type="tertiary",
        on_change="rerun",
    )
    if not place.open:
        return
    with place:
        for family, title in FAMILY_TITLES.items():
            st.caption(f"**{_(title)}**")
            with st.container(horizontal=True, gap="small"):
                for info in methods.infos():
                    if info.family == family:
                        key = session.widget_key("any method", info.id)
                        _show_method_checkbox(info.id, key)
