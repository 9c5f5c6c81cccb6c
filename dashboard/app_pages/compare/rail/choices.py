"""The rail: every choice of a comparison, what is seldom changed folded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import streamlit as st

from dashboard.app_pages.compare.rail import (
    common_values,
    method_list,
    outliers,
    parameters,
    records,
    sizes,
    strata,
)
from dashboard.app_pages.compare.rail.declared import show_choice, show_declared
from dashboard.i18n import text, text_choices
from dashboard.i18n.language import _, n_
from dashboard.i18n.markdown import plain
from dashboard.state import session
from dashboard.ui import auto_run, components, table_health
from dashboard.ui.missing_values import cannot_keep, settle_missing, unsettled
from engine.aggregate import aggregations
from engine.aggregate.defaults import AUTO
from engine.data.table import Table
from engine.pipeline.plan import Plan
from engine.points.scaling import scalings


def rail(table: Table, places: Mapping[int, str] = MappingProxyType({})) -> None:
    """Show the choices; those of methods first, then what most people leave.

    Parameters
    ----------
    table : Table
    places : mapping of int to str
        What the page is called at each k; see :mod:`dashboard.ui.ahead`.
    """
    sizes.choose_sizes(places)
    method_list.choose_methods()
    components.choose_polish()
    ws = session.workspace()
    choices = ws.choices
    if choices.polish:  # without it there is nothing to choose
        show_choice("polish_for")
    scaled = _(scalings.info(choices.scaling).title)
    _folded("scaling", _("Scaling"), scaled, _scaling)
    budget = outliers.in_words(choices.suppress)
    _folded(
        "outliers",
        _("Outliers left out"),
        budget,
        lambda: outliers.choose_outliers(table),
    )
    _folded("rules", _("Rules"), _rules(choices.constraints), _show_rules)
    health = table_health.examine(table)
    # What must be settled before a run stands where its results will be.
    if health.missing and not unsettled(ws, health) and not cannot_keep(ws, health):
        way = text_choices.MISSING_NAMES.get(choices.missing, "")
        _folded(
            "missing",
            _("Missing values"),
            _(way) if way else "",
            lambda: settle_missing(table, health),
        )
    rule = choices.aggregation
    usual = _("automatic") if rule == AUTO else _(aggregations.info(rule).title)
    _folded(
        "values",
        _("Common values"),
        usual,
        lambda: common_values.choose_common_values(table),
    )
    only = plain(choices.only or _("all"))
    _folded("records", _("Records"), only, lambda: records.choose_records(table))
    apart = ", ".join(filter(None, [choices.strata, choices.household]))
    _folded(
        "strata", _("Strata and blocks"), apart or _("none"), lambda: _strata(table)
    )
    _folded("more", _("More"), _seeds(choices), lambda: _more(table))


def _folded(name: str, title: str, chosen: str, show: Callable[[], None]) -> None:
    """Fold some choices under a line that says what is chosen.

    They are made when somebody opens them: most of the page's widgets are here.
    """
    key = session.key("rail", name)
    if key in st.session_state:
        # Streamlit takes an expander with another label for another one.
        st.session_state[key] = st.session_state[key]
    place = st.expander(
        f"{title} · {chosen}",
        key=key,
        type="compact",
        on_change="rerun",
    )
    if place.open:
        with place:
            show()


def _scaling() -> None:
    help_ = _(text_choices.SCALING_HELP)
    parameters.choice(_("Scaling"), "scaling", scalings, help_)


def _show_rules() -> None:
    for rule in session.workspace().choices.constraints:
        st.markdown(f"`` {rule} ``")
    st.caption(_(text.RULES_WHERE))


def _strata(table: Table) -> None:
    strata.choose_strata(table)
    strata.choose_blocks(table)
    strata.choose_merging(table)


def _more(table: Table) -> None:
    show_declared(table)
    st.toggle(
        _("Run by itself what takes under {seconds} seconds").format(
            seconds=f"{auto_run.SECONDS:.0f}"
        ),
        help=_(text_choices.AUTOMATIC_HELP),
        **session.bound("automatic"),
    )


def _seeds(choices: Plan) -> str:
    if choices.seeds == 1:
        return _("seed {seed}").format(seed=choices.seed)
    last = choices.seed + choices.seeds - 1
    return _("seeds {first} to {last}").format(first=choices.seed, last=last)


def _rules(rules: tuple[str, ...]) -> str:
    if not rules:
        return _("none")
    return n_("{count} rule", "{count} rules", len(rules)).format(count=len(rules))
