"""Compare: what each method and each k costs, and what the groups look like."""

import streamlit as st

from dashboard.app_pages.compare import (
    group_charts,
    loss_charts,
    overview,
    risk_map,
    side_by_side,
)
from dashboard.charts.theme import method_styles
from dashboard.i18n import text
from dashboard.i18n.language import _
from dashboard.results.facts import basis, split, with_best_bounds
from dashboard.results.scores import on_request
from dashboard.state import session
from dashboard.ui import components, pinning, run_panel, search_progress, selection

place = components.page_header(_("Compare"), _(text.COMPARE_INTRO))
ws = run_panel.collect_results()
if not components.has_table(ws):
    st.stop()
pair = pinning.pair() if ws.side_by_side else None
if pair is not None and ws.table is not None:
    with place:
        pinning.all_results("above")
    side_by_side.show(pair, ws.table)
    selection.bar(session.outcomes(ws))
    st.stop()
components.choose_polish()
if run_panel.unfinished(ws):
    run_panel.run_panel()
    ws = session.workspace()
outcomes, failures = split(list(session.results(ws).values()))
run_panel.show_failures(failures)
if not outcomes or ws.table is None:
    st.stop()

with place:
    components.next_step(_("Choose a release"), "release", session.key("to release"))
st.markdown(f":material/recommend: {run_panel.recommended_words(outcomes)}")
rows = with_best_bounds(outcomes)
overview.headline(rows)
overview.weak_results(outcomes)
titles = overview.drawn_methods(rows)
drawn = [row for row in rows if row.title in titles]
keys = {row.key for row in drawn}
mapped = [outcome for outcome in outcomes if outcome.plan.digest() in keys]
styles = method_styles(row.method for row in drawn)

note = _("{direction} Measured {basis}.").format(
    direction=_(text.LOWER), basis=basis(outcomes[0])
)
loss_charts.show(drawn, styles, note)
risk_map.show(mapped, outcomes, ws.table, styles)
group_charts.sizes(drawn, styles)
search_progress.show_curves(mapped)
if rows[0].has_numbers:
    group_charts.groups(mapped, ws.table, styles)

with st.container(border=True):
    st.subheader(_("All figures"), anchor=False)
    st.caption(
        " ".join(
            [_(text.TABLE_SHOW), note, _("Click a heading to sort, a row to select.")]
        )
    )
    overview.figures(rows, on_request(outcomes))
selection.bar(outcomes)
