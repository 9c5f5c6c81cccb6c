"""Left rail of the Compare page, with the widgets of a run's choices."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from dashboard.app_pages.compare.rail import (
    common_values,
    field_widgets,
    method_list,
    parameters,
    records,
    sizes,
    strata,
)
from dashboard.i18n import text_choices
from dashboard.i18n.language import _, n_
from dashboard.i18n.markdown import escape_text
from dashboard.state import session
from dashboard.ui.browser_components import components
from dashboard.ui.runs import auto_run
from dashboard.ui.table import missing_values, table_health
from engine.aggregate import aggregations
from engine.aggregate.defaults import AUTO
from engine.data.table import Table
from engine.pipeline.plan import Plan
from engine.points.scaling import scalings


def show_choices_rail(table: Table) -> None:
    """Show the widgets of a run's choices: k and methods first, most others folded."""
    sizes.show_k_inputs()
    method_list.show_method_list()
    components.show_polish_inputs()
    ws = session.workspace()
    choices = ws.shared_plan
    if choices.polish:  # without it there is nothing to choose
        field_widgets.show_shared_choice_widget("polish_for")
    scaled = _(scalings.info(choices.scaling).title)
    _show_folded("scaling", _("Scaling"), scaled, _show_scaling)
    limit = _("up to {percent} %").format(percent=f"{ws.max_loss:g}")
    _show_folded("limit", _("Loss allowed"), limit, sizes.show_max_loss_input)
    budget = records.budget_text(choices.suppress)
    _show_folded(
        "outliers",
        _("Outliers left out"),
        budget,
        lambda: records.show_suppression_budget_inputs(table),
    )
    _show_folded("rules", _("Rules"), _rules_text(choices.constraints), _show_rules)
    health = table_health.cached_table_health(table)
    # What must be settled before a run stands where its results will be.
    if (
        health.missing
        and not missing_values.columns_without_policy(ws, health)
        and not missing_values.cannot_keep_reason(ws, health)
    ):
        way = text_choices.MISSING_NAMES.get(choices.missing, "")
        _show_folded(
            "missing",
            _("Missing values"),
            _(way) if way else "",
            lambda: missing_values.ask_missing_value_treatment(table, health),
        )
    rule = choices.aggregation
    usual = _("automatic") if rule == AUTO else _(aggregations.info(rule).title)
    _show_folded(
        "values",
        _("Common values"),
        usual,
        lambda: common_values.show_aggregation_inputs(table),
    )
    only = escape_text(choices.only or _("all"))
    _show_folded(
        "records", _("Records"), only, lambda: records.show_record_condition(table)
    )
    dividing_columns = ", ".join(filter(None, [choices.strata, choices.household]))
    _show_folded(
        "strata",
        _("Strata and blocks"),
        dividing_columns or _("none"),
        lambda: _show_strata(table),
    )
    _show_folded("more", _("More"), _seeds_text(choices), lambda: _show_more(table))
    field_widgets.show_excluded_choices_and_reasons()


def _show_folded(name: str, title: str, chosen: str, show: Callable[[], None]) -> None:
    """Fold some choices under a line that says what is chosen.

    They are made when somebody opens them: most of the page's widgets are here.
    """
    key = session.widget_key("rail", name)
    if key in st.session_state:
        # Streamlit takes an expander with another label for another one.
        st.session_state[key] = st.session_state[key]
    place = st.expander(
        f"{title} · {chosen}", key=key, type="compact", on_change="rerun"
    )
    if place.open:
        with place:
            show()


def _show_scaling() -> None:
    help_ = _(
        "What makes columns comparable before records are grouped. Information loss is "
        "measured on this scale, so compare losses on one scaling only."
    )
    parameters.show_registry_entry_picker(_("Scaling"), "scaling", scalings, help_)


def _show_rules() -> None:
    for rule in session.workspace().shared_plan.constraints:
        st.markdown(f"`` {rule} ``")
    st.caption(_("Write and check them on the Data page."))


def _show_strata(table: Table) -> None:
    strata.show_strata_inputs(table)
    strata.show_attribute_block_inputs(table)
    strata.show_diversity_and_k_map_inputs(table)


def _show_more(table: Table) -> None:
    field_widgets.show_generated_choice_widgets(table)
    st.toggle(
        _("Run by itself what takes under {seconds} seconds").format(
            seconds=f"{auto_run.MAX_AUTOSTART_SECONDS:.0f}"
        ),
        help=_(
            "Results of quick methods are there before you ask for them. What takes "
            "longer waits for a click."
        ),
        **session.bind_widget("automatic"),
    )


def _seeds_text(choices: Plan) -> str:
    if choices.seeds == 1:
        return _("seed {seed}").format(seed=choices.seed)
    last = choices.seed + choices.seeds - 1
    return _("seeds {first} to {last}").format(first=choices.seed, last=last)


def _rules_text(rules: tuple[str, ...]) -> str:
    if not rules:
        return _("none")
    return n_("{count} rule", "{count} rules", len(rules)).format(count=len(rules))
