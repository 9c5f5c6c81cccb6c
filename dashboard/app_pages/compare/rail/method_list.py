"""The list of methods: ranked by what they lose, more of them by any name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from urllib.parse import quote

import streamlit as st

from dashboard.app_pages.compare.rail import forecast
from dashboard.app_pages.compare.rail.all_methods import all_methods
from dashboard.app_pages.compare.rail.parameters import parameter_widget
from dashboard.charts.inputs import Facts
from dashboard.charts.theme import NEUTRAL, method_styles
from dashboard.i18n import text
from dashboard.i18n.language import _, n_
from dashboard.i18n.markdown import plain
from dashboard.results.digits import shown
from dashboard.results.facts import with_best_bounds
from dashboard.state import session
from dashboard.state.carry_over import recommended_methods
from dashboard.ui import durations, learn_links
from engine.methods import MethodInfo, methods
from engine.methods.elsewhere import ELSEWHERE

_BAR = """\
<svg xmlns='http://www.w3.org/2000/svg' width='44' height='8'>\
<rect width='44' height='8' rx='4' fill='{faint}' fill-opacity='.25'/>\
<rect width='{width:.0f}' height='8' rx='4' fill='{colour}'/></svg>"""


def choose_methods() -> None:
    """Show the chosen and the recommended methods, ranked, and add any other."""
    ws = session.workspace()
    found = losses()
    listed = [*ws.methods, *recommended_methods(ws.table)]
    listed = sorted(
        dict.fromkeys(map(methods.resolve, listed)),
        key=lambda name: found[name].loss if name in found else float("inf"),
    )
    k = ws.looked_at
    st.markdown(
        _("**Methods** · least loss at k = {k}").format(k=k),
        help=f"{_(text.LOWER)} {_(text.METHODS_TIMES)}",
    )
    note = forecast.many_records(ws)
    if note:
        st.info(note, icon=":material/speed:")
    most = max((row.loss for row in found.values()), default=1.0)
    styles = method_styles(map(methods.resolve, ws.methods))  # as in the charts
    for name in listed:
        with st.container(
            horizontal=True,
            horizontal_alignment="distribute",
            vertical_alignment="center",
            gap="small",
            wrap=False,
            key=session.key("method line", name),
        ):
            _tick(methods.info(name))
            row = found.get(name)
            words = f":small[{_time(methods.info(name))}]"
            if row:
                colour = styles[name].colour if name in styles else NEUTRAL
                bar = _bar(row.loss / most, colour)
                words = f"{bar} :small[{shown(row.loss)}]"
            st.markdown(words, width="content")
    _add(listed)
    _quick_choices()
    _parameters(ws.methods)


def losses() -> Mapping[str, Facts]:
    """Return what is known of methods at the k that is looked at."""
    ws = session.workspace()
    rows = with_best_bounds(list(session.outcomes(ws)))
    return {row.method: row for row in rows if row.k == ws.looked_at}


def _bar(share: float, colour: str) -> str:
    """Return a bar as a picture: as Markdown has none."""
    width = 44 * min(max(share, 0.0), 1.0)
    svg = _BAR.format(width=width, colour=colour, faint=NEUTRAL)
    return f"![](data:image/svg+xml,{quote(svg)})"


def _time(info: MethodInfo) -> str:
    seconds, wrong = forecast.estimate(info, session.workspace())
    return _("not for this table") if wrong else durations.duration_words(seconds)


def _tick(info: MethodInfo) -> None:
    key = session.key("method", info.id)
    st.session_state[key] = info.id in session.workspace().methods
    st.checkbox(
        _(info.title), key=key, on_change=_toggle, args=(info.id,), help=describe(info)
    )


def describe(info: MethodInfo) -> str:
    """Return what a method does, promises and takes, and where it comes from."""
    seconds, wrong = forecast.estimate(info, session.workspace())
    words = [_(info.summary)]
    if wrong:
        words.append(_("Not for this table: {reason}").format(reason=_(wrong)))
    if info.traits.probabilistic:
        words.append(_(text.PROBABILISTIC))
    elif not info.traits.guarantees_k:
        words.append(_(text.NO_PROMISE))
    words.append(f"{durations.duration_words(seconds)} · {info.reference.link}")
    return "  \n".join(words)


def _toggle(method: str) -> None:
    chosen = session.workspace().methods
    if method in chosen:
        session.update(methods=tuple(name for name in chosen if name != method))
    else:
        session.update(methods=(*chosen, method))


def _add(listed: list[str]) -> None:
    """Show the field that finds any other method, by the names of other tools too."""
    others = [info for info in methods.infos() if info.id not in listed]
    key = session.key("add method")
    st.session_state[key] = None
    st.selectbox(
        _("Add a method"),
        [*(info.id for info in others), *ELSEWHERE],
        format_func=_names,
        placeholder=n_(
            "{count} more, by any name…", "{count} more, by any name…", len(others)
        ).format(count=len(others)),
        label_visibility="collapsed",
        help=_(text.METHODS_HELP),
        key=key,
        on_change=lambda: _chosen(st.session_state[key]),
    )
    _say_elsewhere()


_ELSEWHERE = session.key("elsewhere")


def _names(name: str) -> str:
    """Return what a method is called here and in other tools."""
    if name in ELSEWHERE:
        return _("{name} · {tool}, not here").format(
            name=name, tool=ELSEWHERE[name].tool
        )
    info = methods.info(name)
    same = _letters(info.title) == _letters(info.id)
    also = (other for one in info.parameters for other in one.also)
    return " · ".join(
        [_(info.title), *([] if same else [info.id]), *info.aliases, *also]
    )


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))


def _chosen(name: str) -> None:
    """Add a method; of another tool's, remember that it was asked for."""
    if name in ELSEWHERE:
        st.session_state[_ELSEWHERE] = name
    else:
        st.session_state.pop(_ELSEWHERE, None)
        _toggle(name)


def _say_elsewhere() -> None:
    """Say what another tool's method loses, and offer the one to take."""
    one = ELSEWHERE.get(st.session_state.get(_ELSEWHERE, ""))
    if one is None:
        return
    st.info(plain(_(one.message)), icon=":material/info:")
    if one.instead not in session.workspace().methods:
        st.button(
            _("Add {method}").format(method=_(methods.info(one.instead).title)),
            key=session.key("instead"),
            on_click=_chosen,
            args=(one.instead,),
        )


def _quick_choices() -> None:
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
                lambda: forecast.fast_methods(methods.infos()),
                _("Under two seconds here."),
            ),
        ):
            st.button(
                label,
                key=session.key("quick", name),
                type="tertiary",
                help=help_,
                on_click=_choose,
                args=(names,),
            )
        all_methods(describe, _toggle)


def _choose(names: Callable[[], tuple[str, ...]]) -> None:
    session.update(methods=names())


def _parameters(chosen: tuple[str, ...]) -> None:
    """Show the parameters of the chosen methods, folded."""
    given = session.workspace().parameters
    tuned = [info for info in map(methods.info, chosen) if info.parameters]
    if not tuned:
        return
    changed = sum(bool(given.get(info.id)) for info in tuned)
    words = (
        n_("{count} method changed", "{count} methods changed", changed).format(
            count=changed
        )
        if changed
        else _("as recommended")
    )
    place = st.expander(
        _("Parameters") + f" · {words}",
        key=session.key("rail", "parameters"),
        type="compact",
        on_change="rerun",
    )
    if not place.open:
        return
    with place:
        for info in tuned:
            st.markdown(f"**{_(info.title)}**")
            for parameter in info.parameters:
                parameter_widget(info.id, parameter)
            learn_links.method_link(info.id)
