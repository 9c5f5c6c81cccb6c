"""Streamlit components that several pages share: charts, tables and headings."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler

from dashboard.charts.figure import DrawableFigure
from dashboard.charts.theme import ROLE_COLOURS, rgba_colour
from dashboard.i18n import text
from dashboard.i18n.language import ENGLISH, _, current
from dashboard.state import session
from dashboard.ui.browser_components.chart_tools import ClickedPoint, show_chart_tools
from dashboard.ui.browser_components.plots import figure_to_json, show_plot
from dashboard.ui.headings import show_table_with_tooltips
from dashboard.ui.table.no_table import no_table_message, table_set_aside_message
from engine.data.formats.display import format_special_columns
from engine.data.kinds import Role
from engine.data.schema import Column
from engine.data.table import Table
from engine.pipeline.outcome import Outcome

PREVIEW_RECORDS = 200
"""Records shown of a table."""

HEAD_RECORDS = 20
"""Records shown below the list of columns."""

MAX_CACHED_FIGURE_CHARS = 2**24
"""Letters of figures kept that need not be drawn again."""

MAX_SHOWN_DECIMALS = 7
"""Decimals of a column from which only the first ones are shown."""

_DRAWN_KEY = session.widget_key("drawn", "figures")

MAX_SHOWN_COLUMNS = 60
"""Columns shown with the first records: a browser draws them all."""


make_row = partial(st.container, horizontal=True, vertical_alignment="center")
"""Container whose parts stand side by side, in the middle of its height."""


def announce_page_to_screen_readers(title: str) -> None:
    """Add the page's title for screen readers only; it is not visible."""
    with st.container(key=session.widget_key("page-title")):
        st.header(title, anchor=False)


def has_table_or_explain(ws: session.Workspace) -> bool:
    """Return whether a table can be used; show why not, and a link if none is open."""
    if ws.is_set_aside:
        st.warning(table_set_aside_message(ws), icon=":material/inventory_2:")
    elif ws.table is None:
        st.info(no_table_message(ws), icon=":material/table:")
        st.page_link(
            "app_pages/data/view.py", label=_("Open one"), icon=":material/table:"
        )
    return ws.table is not None and not ws.is_set_aside


class LazyFigure(NamedTuple):
    """Function that draws a figure, and a cache key of all that it depends on.

    Attributes
    ----------
    draw : callable
    cache_key : hashable
        All that it depends on beside the language: then it is drawn once. None where
        that is not known.
    """

    draw: Callable[[], DrawableFigure]
    cache_key: Hashable = None


def show_chart(
    chart_name: str,
    title: str,
    tooltip: str,
    draw: Callable[[], DrawableFigure] | LazyFigure,
    tabulate: Callable[[], pd.DataFrame],
    alt: str,
    on_click: Callable[[ClickedPoint], None] | None = None,
    subtitle: str = "",
    show_options: Callable[[], None] | None = None,
) -> None:
    """Show a chart with title and tooltip, which can be switched to a table.

    Both can be downloaded: the figure as PNG and as SVG, the table as CSV.

    Parameters
    ----------
    chart_name : str
        Unique on the page.
    title, tooltip, alt : str
        `alt` is read out to people who do not see the figure.
    draw : callable or LazyFigure
        With a LazyFigure, what was drawn from the same is not drawn again.
    tabulate : callable
        Of the two only the one that is looked at is called.
    on_click : callable, optional
        Told what is clicked in the figure, and then the selected result stands out.
    subtitle : str
        A few words beside the title: what is drawn, in which unit.
    show_options : callable, optional
        Shows what can be chosen of the figure, behind a button.
    """
    panel = session.widget_key("panel", chart_name)
    with st.container(border=True, height="stretch", gap="xsmall", key=panel):
        with make_row(
            horizontal_alignment="distribute",
            gap="small",
            wrap=False,
            key=session.widget_key("title", chart_name),
        ):
            show_heading(title, tooltip)
            if subtitle:
                with st.container(
                    width="content", key=session.widget_key("aside", chart_name)
                ):
                    st.markdown(f":gray[:small[{subtitle}]]", width="content")
            show_chart_tools(chart_name, title, on_click)
            if show_options is not None:
                with st.popover(
                    "",
                    icon=":material/tune:",
                    key=session.widget_key("choices", chart_name),
                    type="tertiary",
                    help=_("Choose the axes"),
                ):
                    show_options()
            as_table = st.pills(
                _("{title} as a table").format(title=title),
                [TABLE_VIEW],
                format_func=lambda _name: ":material/table_rows:",
                key=session.widget_key("view", chart_name),
                label_visibility="collapsed",
                persist_state="session",
            )
        if as_table:
            frame = tabulate()
            show_table_with_tooltips(
                frame, session.widget_key("table", chart_name), alt=alt
            )
            show_table_download(frame, chart_name)
        else:
            drawing = draw if isinstance(draw, LazyFigure) else LazyFigure(draw)
            drawn = cached_figure_json(chart_name, drawing)
            show_plot(drawn, session.widget_key("chart", chart_name), alt)


def cached_figure_json(chart_name: str, figure: LazyFigure) -> str:
    """Return a figure as JSON text, cached by its key if it has one.

    Building it takes Plotly much longer than it takes us to tell that it is the same.
    """
    if figure.cache_key is None:
        return figure_to_json(figure.draw())
    # Not Streamlit's cache: to tell two keys apart it takes as long as to draw.
    drawn: dict[Hashable, str] = st.session_state.setdefault(_DRAWN_KEY, {})
    key = chart_name, figure.cache_key, current()
    drawn[key] = drawn.pop(key, "") or figure_to_json(
        figure.draw()
    )  # the last one used
    while sum(map(len, drawn.values())) > MAX_CACHED_FIGURE_CHARS and len(drawn) > 1:
        del drawn[next(iter(drawn))]
    return drawn[key]


def show_heading(title: str, tooltip: str) -> None:
    """Show a panel's heading with a tooltip."""
    st.subheader(title, anchor=False, help=tooltip, width="content")


TABLE_VIEW = "Table"
"""The other view of a chart."""


def show_table_download(frame: pd.DataFrame, file_stem: str) -> None:
    """Show a button that downloads a table of figures as CSV."""
    st.download_button(
        _("Download as CSV"),
        partial(table_to_csv, frame, current()),
        file_name=f"{file_stem}.csv",
        mime="text/csv",
        icon=":material/download:",
        key=session.widget_key("download", file_stem),
        on_click="ignore",
    )


def table_to_csv(frame: pd.DataFrame, language: str) -> bytes:
    """Return a frame as CSV bytes: UTF-8, with a byte order mark unless in English."""
    # They take a file for UTF-8 only where it says so at its beginning.
    encoding = "utf-8" if language == ENGLISH else "utf-8-sig"
    return frame.to_csv(index=False).encode(encoding)


def show_sentence_or_list(
    sentences: Sequence[str], show: Callable[..., Any], icon: str, heading: str
) -> None:
    """Show a single sentence plainly, several as a list under a heading."""
    if len(sentences) == 1:
        show(sentences[0], icon=icon)
    elif sentences:
        show("\n".join([heading, "", *(f"- {line}" for line in sentences)]), icon=icon)


def show_first_rows(
    frame: pd.DataFrame,
    columns: Sequence[Column],
    key: str,
    alt: str,
    height: int = 318,
) -> None:
    """Show a frame's first rows as a table of the given columns, tinted by role.

    `alt` is read out to people who do not see the table.
    """
    first_rows = frame.head(PREVIEW_RECORDS).reset_index(drop=True)
    first_rows.index += 1
    column_names = {column.name for column in columns}
    added = [str(name) for name in first_rows.columns if name not in column_names]
    present: dict[str, Column] = {}
    for column in columns:
        if column.name in first_rows.columns:
            # The two ends of an interval come right after it.
            ends = (f"{column.name}_from", f"{column.name}_to")
            names = [column.name, *(extra for extra in added if extra.startswith(ends))]
            present |= dict.fromkeys(names, column)
    colours = (ROLE_COLOURS[str(column.role)] for column in present.values())
    tints = [rgba_colour(colour, 0.16) for colour in colours]
    st.dataframe(
        tint_columns(first_rows[list(present)], tints),
        height=height,
        key=key,
        alt=alt,
        placeholder="",
        column_config={
            name: _column_config(column, first_rows[name])
            for name, column in present.items()
        },
    )


def show_first_records(table: Table) -> None:
    """Show a table's first records and columns, tinted by role."""
    columns = table.schema.columns[:MAX_SHOWN_COLUMNS]
    alt = _("The first records")
    names = [column.name for column in columns]
    frame = format_special_columns(
        table.frame.loc[:, names].head(HEAD_RECORDS), table.origin
    )
    show_first_rows(frame, columns, session.widget_key("preview"), alt, height=170)
    _say_left_out(columns, table.schema.columns)


def _say_left_out(shown: Sequence[Column], columns: Sequence[Column]) -> None:
    if len(shown) < len(columns):
        st.caption(
            _("The first {count} of {all} columns.").format(
                count=len(shown), all=f"{len(columns):,}"
            )
        )


def _column_config(column: Column, values: pd.Series) -> Any:
    help_ = f"**{_(text.ROLE_NAMES[column.role])}**. {_(column.description)}"
    if pd.api.types.is_float_dtype(values.dtype):
        return st.column_config.NumberColumn(help=help_, format=decimals_format(values))
    if pd.api.types.is_datetime64_any_dtype(values.dtype):
        days = values.dropna()
        if (days == days.dt.normalize()).all():
            return st.column_config.DateColumn(help=help_, format="YYYY-MM-DD")
    return st.column_config.Column(help=help_)


def decimals_format(column: pd.Series) -> str:
    """Return a printf format for a column: its decimals to a limit, or six digits.

    Examples
    --------
    >>> decimals_format(pd.Series([75798.47, 3.0, None]))
    '%.2f'
    """
    numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
    numbers = numbers[np.isfinite(numbers)]
    sizes = np.abs(numbers)
    largest = float(sizes.max()) if numbers.size else 0.0
    if largest >= 1e15 or 0.0 < largest < 1e-4:
        return "%.6g"
    for decimals in range(MAX_SHOWN_DECIMALS):
        if (np.abs(numbers.round(decimals) - numbers) <= 1e-13 * sizes).all():
            return f"%.{decimals}f"
    before = len(f"{largest:.0f}")
    return f"%.{max(2, MAX_SHOWN_DECIMALS - before)}f"


_CELL_ID = "row{}_col{}"
"""What pandas and Streamlit call a cell."""


def tint_columns(frame: pd.DataFrame, colours: Sequence[str]) -> Styler:
    """Return a frame styled with a background colour for each column.

    Streamlit asks pandas for the style of each cell, one after the other: half a second
    for two hundred records of a hundred columns. It gets those of whole columns here.
    """
    columns: dict[str, list[int]] = {}
    for at, colour in enumerate(colours):
        columns.setdefault(colour, []).append(at)
    styles = [
        {
            "props": [("background-color", colour)],
            "selectors": [
                _CELL_ID.format(row, column)
                for row in range(len(frame))
                for column in places
            ],
        }
        for colour, places in columns.items()
    ]
    # With a name made up each time the browser would take it for another table.
    style = frame.style.set_uuid("tinted")
    style._compute = lambda: style  # type: ignore[attr-defined]
    style._translate = lambda *_how: {"cellstyle": styles}  # type: ignore[attr-defined]
    return style


def show_original_and_protected(outcome: Outcome, table: Table) -> None:
    """Show the first released records before and after protection, side by side.

    Without identifiers: no release has them, and nobody need see them here.
    """
    # What was changed comes first, so that it is seen side by side.
    order = list(text.ROLE_NAMES)
    order.sort(key=lambda role: role is not Role.QUASI_IDENTIFIER)
    columns = sorted(table.schema.columns, key=lambda entry: order.index(entry.role))
    gone = outcome.plan.identifiers
    columns = [column for column in columns if column.name not in gone]
    subset = columns[:MAX_SHOWN_COLUMNS]
    names = [column.name for column in subset]
    released = outcome.release.frame
    added = [name for name in released.columns if name not in table.frame]
    left, right = st.columns(2)
    with left:
        st.caption(_("Original"))
        before = table.frame[names].iloc[outcome.release.rows[:PREVIEW_RECORDS]]
        before = format_special_columns(before, table.origin)
        show_first_rows(before, subset, session.widget_key("original"), _("Original"))
    with right:
        st.caption(_("Protected"))
        key = session.widget_key("protected")
        after = released[[*(entry for entry in names if entry in released), *added]]
        after = format_special_columns(after.head(PREVIEW_RECORDS), table.origin)
        show_first_rows(after, subset, key, _("Protected"))
    _say_left_out(subset, columns)


def show_steps_with_signs(steps: Sequence[tuple[str, str]]) -> None:
    """Show sentences on what was done, each with the icon of its sign."""
    signs = {
        "done": ":green[:material/check_circle:]",
        "info": ":blue[:material/info:]",
        "look": ":orange[:material/visibility:]",
    }
    for sign, sentence in steps:
        st.markdown(f"{signs[sign]} {sentence}")


def show_polish_inputs() -> None:
    """Show the polishing toggle; note if it is on and no chosen method allows it."""
    ws = session.workspace()
    st.toggle(
        _("Polish the results"),
        help=_(
            "Runs each method once more and then lets its groups exchange records, "
            "dissolve and divide for as long as that lowers the loss: often 8 to 15 % "
            "less, in little more time. Both results are shown."
        ),
        **session.bind_widget("polish"),
    )
    if ws.shared_plan.polish and ws.methods and not any(map(ws.is_refined, ws.methods)):
        st.caption(_(text.POLISH_NONE))
