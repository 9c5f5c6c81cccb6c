"""Compare: what each method and each k costs, and what the groups look like."""

import streamlit as st

from dashboard import (
    beside,
    choices,
    comparing,
    components,
    losses,
    pinning,
    result_parts,
    risk_map,
    running,
    searching,
    selecting,
    state,
    text,
)
from dashboard.charts.theme import method_styles
from dashboard.facts import basis, split, together
from dashboard.language import _
from dashboard.measured import on_request

place = components.page_header(_("Compare"), _(text.COMPARE_INTRO))
ws = running.caught_up()
if not components.has_table(ws):
    st.stop()
pair = pinning.pair() if ws.beside else None
if pair is not None and ws.table is not None:
    with place:
        pinning.all_results("above")
    beside.shown(pair, ws.table)
    selecting.bar(state.outcomes(ws))
    st.stop()
choices.choose_polish()
if running.unfinished(ws):
    running.run_panel()
    ws = state.workspace()
outcomes, failures = split(list(state.results(ws).values()))
running.show_failures(failures)
if not outcomes or ws.table is None:
    st.stop()

with place:
    components.next_step(_("Choose a release"), "release", state.key("to release"))
rows = together(outcomes)
result_parts.headline(rows)
result_parts.weak_results(outcomes)
titles = result_parts.drawn_methods(rows)
drawn = [row for row in rows if row.title in titles]
keys = {row.key for row in drawn}
mapped = [outcome for outcome in outcomes if outcome.plan.digest() in keys]
styles = method_styles(row.method for row in drawn)

note = _("{direction} Measured {basis}.").format(
    direction=_(text.LOWER), basis=basis(outcomes[0])
)
losses.shown(drawn, styles, note)
risk_map.shown(mapped, outcomes, ws.table, styles)
comparing.sizes(drawn, styles)
searching.shown(mapped)
if rows[0].has_numbers:
    comparing.groups(mapped, ws.table, styles)

with st.container(border=True):
    st.subheader(_("All figures"), anchor=False)
    st.caption(
        " ".join(
            [_(text.TABLE_SHOW), note, _("Click a heading to sort, a row to select.")]
        )
    )
    result_parts.figures(rows, on_request(outcomes))
selecting.bar(outcomes)
