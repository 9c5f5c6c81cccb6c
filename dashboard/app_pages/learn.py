"""Learn: published tables run again, printed figures beside ours."""

import streamlit as st

from dashboard import components, learning, published, state, text_learn
from dashboard.charts.published import differences, printed_against_ours, two_scalings

components.page_header("Learn", text_learn.LEARN_INTRO)
st.subheader("Published tables, reproduced", anchor=False)
st.markdown(text_learn.PUBLISHED_INTRO)
learning.open_reference()
table = state.workspace().reference
rows, pairs = ((), ()) if table is None else learning.cells(table)
if not rows and not pairs:
    with st.container(border=True):
        st.subheader("Printed values", anchor=False)
        st.caption(text_learn.PRINTED_SHOW)
        learning.printed_alone(table)
    st.stop()

if rows and table is not None:
    learning.verdicts(rows, table)
    left, right = st.columns(2)
    with left:
        components.chart(
            "printed-against-ours",
            "Printed against ours",
            text_learn.DIAGONAL_SHOW,
            lambda: printed_against_ours(rows),
            lambda: published.row_table(rows),
            "Points of printed and our information loss, with the line of equality",
        )
    with right:
        components.chart(
            "differences",
            "Differences",
            text_learn.DIFFERENCES_SHOW,
            lambda: differences(rows),
            lambda: published.row_table(rows),
            "Points of the difference from the printed value, a line per method",
        )
    with st.container(border=True):
        st.subheader("Cell by cell", anchor=False)
        st.caption(text_learn.CELLS_SHOW)
        learning.cell_table(rows)
        learning.missing_methods(table)

if pairs:
    st.subheader("One printed column on two scalings", anchor=False)
    st.markdown(text_learn.SCALING_INTRO)
    left, right = st.columns([3, 2])
    with left:
        components.chart(
            "two-scalings",
            "Pairwise systematic against k",
            text_learn.SCALING_SHOW,
            lambda: two_scalings(pairs),
            lambda: published.scaling_table(pairs),
            "Lines of printed, raw and z-scored information loss against k, with the "
            "lower bound on z-scored values as an area",
        )
    with right, st.container(border=True, height="stretch"):
        st.subheader("What the figures say", anchor=False)
        st.markdown("\n".join(f"- {one}" for one in published.findings(pairs)))
    with st.container(border=True):
        st.subheader("Both scalings", anchor=False)
        st.caption("Information loss in per cent. Lower is better.")
        learning.scaling_table(pairs)
