"""Import of the server's and the first pages' modules before the first request."""

from __future__ import annotations

import pkgutil
from importlib import import_module

import pandas as pd
import plotly.graph_objects as go

import dashboard.server
from dashboard.charts import plotly_script
from engine.aggregate import aggregations
from engine.data.propose import suggest_columns
from engine.files import formats
from engine.methods import methods

FIRST_PAGE_MODULES = (
    "dashboard.i18n.text_help",
    "dashboard.i18n.text_lessons",
    "dashboard.i18n.text_need",
    "dashboard.ui.runs.auto_run",
    "dashboard.ui.runs.run_panel",
    "dashboard.ui.header.page_header",
    "dashboard.ui.header.sign_out",
    "dashboard.ui.header.learn_links",
    "dashboard.app_pages.data.columns.column_list",
    "dashboard.app_pages.data.hierarchy.hierarchy_editor",
    "dashboard.app_pages.data.plan_opener",
    "dashboard.app_pages.data.rule_editor",
    "dashboard.app_pages.data.summary",
    "dashboard.places.admin.administration_page",
    "dashboard.places.sharing.place_sharing",
)
"""Modules that the first page imports; those left out come with them."""

NEXT_PAGE_MODULES = (
    "dashboard.app_pages.compare.result_charts.column_charts",
    "dashboard.app_pages.compare.result_charts.suppression",
    "dashboard.app_pages.compare.overview",
    "dashboard.app_pages.compare.result_charts.panels",
    "dashboard.app_pages.compare.rail.choices",
    "dashboard.app_pages.compare.result_charts.run_time",
    "dashboard.app_pages.compare.pinned.side_by_side",
)
"""Modules of the page that the first one leads to."""


SERVER_MODULES = (
    "dashboard.places.entrance.sign_in_rate_limit",
    "dashboard.places.entrance.tenancy",
    "streamlit.web.cli",
    "streamlit.web.bootstrap",
    "streamlit.material_icon_names",
    "uvicorn.lifespan.on",
    "uvicorn.loops.auto",
    "starlette.applications",
    "starlette.middleware.sessions",
    "starlette.staticfiles",
    "PIL.Image",
    "pyarrow.csv",
    "pyarrow.pandas_compat",
)
"""Modules of the server itself."""

NAME_TABLE = pd.DataFrame({"name": ["Ann Lee", "Ben Ray"]})
"""A table that has the dictionaries of names and countries read."""


def import_first_pages() -> None:
    """Import listed modules of the two first pages, and load Plotly's script."""
    for name in FIRST_PAGE_MODULES:
        import_module(name)
    plotly_script.gzipped_plotly_script()  # it takes a moment
    for name in NEXT_PAGE_MODULES:
        import_module(name)


def import_server_and_first_pages() -> None:
    """Import the server and what its first pages need, but not what patches Streamlit.

    That is done in each process that serves, by :mod:`dashboard.serve`.
    """
    for name in SERVER_MODULES:
        import_module(name)
    for info in pkgutil.iter_modules(dashboard.server.__path__, "dashboard.server."):
        import_module(info.name)
    import_first_pages()
    for registry in (formats, methods, aggregations):
        list(registry)
    suggest_columns(NAME_TABLE)
    go.Figure(go.Scatter(x=[0.0], y=[0.0])).to_json()  # reads what figures may have
