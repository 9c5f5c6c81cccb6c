"""Compare: what each method and each k costs, and what the groups look like."""

import streamlit as st

from dashboard import components, state
from dashboard.charts.theme import method_styles
from dashboard.comparison import beside, comparing, losses, pinning, risk_map
from dashboard.execution import running, searching
from dashboard.plans import choices
from dashboard.results import result_parts, selecting
from dashboard.results.facts import basis, split, together
from dashboard.results.measured import on_request
from dashboard.words import text
from dashboard.words.language import _

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
