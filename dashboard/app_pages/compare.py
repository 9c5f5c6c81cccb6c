"""Compare: what each method and each k costs, and what the groups look like."""

import streamlit as st

from dashboard import (
    choices,
    comparing,
    components,
    losses,
    result_parts,
    risk_map,
    running,
    searching,
    state,
    text,
)
from dashboard.charts.groups import group_maps
from dashboard.charts.sizes import size_histograms
from dashboard.charts.theme import method_styles
from dashboard.facts import basis, split, together
from dashboard.measured import on_request
from dashboard.tables import comparison_table, group_table, size_table

place = components.page_header("Compare", text.COMPARE_INTRO)
ws = running.caught_up()
if not components.has_table(ws):
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
    components.next_step("Choose a release", "release", state.key("to release"))
rows = together(outcomes)
result_parts.headline(rows)
result_parts.weak_results(outcomes)
titles = result_parts.drawn_methods(rows)
drawn = [row for row in rows if row.title in titles]
styles = method_styles(row.method for row in drawn)

note = f"{text.LOWER} Measured {basis(outcomes[0])}."
losses.shown(drawn, styles, note)
keys = {row.key for row in drawn}
mapped = [o for o in outcomes if o.plan.digest() in keys]
risk_map.shown(mapped, outcomes, ws.table, styles)

sizes = sorted({row.k for row in rows})
k = sizes[0]
if len(sizes) > 1:
    k = st.segmented_control(
        "Groups for k =",
        sizes,
        default=k,
        required=True,
        key=state.key("groups of k"),
        persist_state="session",
    )
of_k = [row for row in drawn if row.k == k]
components.chart(
    "group-sizes",
    "Group sizes",
    text.SIZES_SHOW,
    lambda: size_histograms(of_k, styles),
    lambda: size_table(of_k),
    f"Histograms of group sizes per method for k = {k}",
)
keys = {row.key for row in of_k}
searching.shown([o for o in outcomes if o.plan.digest() in keys])
if rows[0].has_numbers:
    shown = comparing.views([o for o in outcomes if o.plan.digest() in keys], ws.table)
    far = comparing.far_out(shown)
    components.chart(
        "groups",
        "The groups",
        f"{text.GROUPS_SHOW} {comparing.drawn_words(shown, outcomes[0].plan)}",
        lambda: group_maps(shown, styles, result_parts.middle_only(far)),
        lambda: group_table(shown),
        f"Records and group centres per method for k = {k}, on two components",
    )

with st.container(border=True):
    st.subheader("All figures", anchor=False)
    st.caption(f"{text.TABLE_SHOW} {note} Click a heading to sort.")
    result_parts.figures(comparison_table(rows, on_request(outcomes)), "comparison")
