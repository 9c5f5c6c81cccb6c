"""Opens a page as Streamlit runs it, without a browser."""

import json
import secrets
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from streamlit.components.v2.bidi_component.main import _make_trigger_id
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

import sample_data
from dashboard.app_pages.release.delivery import make_checked_release
from dashboard.readers import releases
from dashboard.server.browsers import PageInTab
from dashboard.state import session
from dashboard.state.new_tables.new_table import copy_with_sample
from dashboard.state.results.job_results import copy_with_results
from dashboard.state.results.requested import requested_outcomes
from dashboard.state.workspace import Workspace, resolve_plans
from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from engine.data.table import Origin, Table
from engine.pipeline.compare import compare
from engine.pipeline.evaluate import evaluate
from engine.release.writing import WritingOptions

APP = Path(__file__).parents[2] / "dashboard" / "app.py"


def written(outcome, table, writing=None):
    """Return a release as the Release page has it, made in this process."""
    release_file = releases.make_written_release_or_refusal(
        outcome, table, writing or WritingOptions()
    )
    return make_checked_release(release_file, outcome)


FOLDS = (
    *("parameters", "scaling", "limit", "outliers", "rules", "missing"),
    *("values", "records", "strata", "more"),
)
"""Lines of the rail that somebody opens to see the choices below them."""


def open_page(name="data", ws=None, **asked):
    """Return a page of the app, run once, nothing folded in its rail.

    What is asked for stands in its address.
    """
    page = AppTest.from_file(str(APP), default_timeout=60)
    page.session_state["workspace"] = sample() if ws is None else ws
    for fold in FOLDS:
        page.session_state[session.widget_key("rail", fold)] = True
    # Its address is opened, and not that of the first page before it.
    page._page_hash = "" if name == "data" else calc_hash(name)
    for word, value in asked.items():
        page.query_params[word] = value
    page.run()
    return page


def offers_release(page):
    """Return whether the protected file can be downloaded."""
    key = session.widget_key("download release")
    return any(widget.proto.id.endswith(key) for widget in page.get("download_button"))


def drawn(place):
    """Return what is told to a browser of each chart in a place, by its key."""
    protos = [component.proto for component in place.get("bidi_component")]
    protos = [
        component for component in protos if component.component_name == "coterie_plot"
    ]
    return [
        (component.id, json.loads(json.loads(component.json))) for component in protos
    ]


def charts(place):
    """Return the figures in a place, as Plotly is given them."""
    return [json.loads(chart_data["figure"]) for _id, chart_data in drawn(place)]


def chart(place, name):
    """Return one figure by its name."""
    key = session.widget_key("chart", name)
    (chart_data,) = [
        chart_data for id_, chart_data in drawn(place) if id_.endswith(key)
    ]
    return json.loads(chart_data["figure"])


class Tabs:
    """The browser's part: says which page asks, as its cookie and script would."""

    def __init__(self, monkeypatch):
        self.browser = secrets.token_hex()
        self.place = PageInTab(self.browser, "first page", "")
        monkeypatch.setattr(
            "dashboard.server.browsers.current_page_in_tab", lambda: self.place
        )

    def loaded(self, name, before="", browser=None):
        """From now on a page asks that was loaded after another one in its tab."""
        self.place = PageInTab(
            self.browser if browser is None else browser, name, before
        )


def _column_list(page):
    """Return the list of columns as it is sent to a browser."""
    return next(
        element.proto
        for element in page._tree
        if element.type == "bidi_component"
        and element.proto.component_name == "coterie_column_list"
    )


def column_rows(page):
    """Return what the list of columns shows, a dict of strings per column."""
    data = json.loads(_column_list(page).json)
    parts = ("values", "count", "spread", "bars", "why", "label")
    return [
        dict(zip(parts, data["facts"][str(at)], strict=True))
        | {
            "name": data["name"][at],
            "fate": data["roles"][data["role"][at]]["label"],
            "kind": data["kinds"][data["kind"][at]]["label"],
        }
        for at in range(len(data["name"]))
    ]


def change_columns(page, *names, **what):
    """Give columns a role or a kind, as a browser tells what is chosen in the list."""
    states = page._tree.get_widget_states()
    trigger = states.widgets.add()
    trigger.id = _make_trigger_id(_column_list(page).id, "events")
    events = [{"event": "change", "value": {"names": list(names), **what}}]
    trigger.json_trigger_value = json.dumps(events)
    page._run(states)


def workspace(page):
    return page.session_state["workspace"]


def small_table(n=60, missing=0):
    """Return a table with every role, as if read from a file firms.csv."""
    rng = np.random.default_rng(8)
    frame = pd.DataFrame(
        {
            "name": [f"firm {number}" for number in range(n)],
            "size": rng.integers(1, 90, n),
            "sales": np.round(rng.lognormal(3, 1, n), 2),
            "region": rng.choice(["north", "south"], n),
            "debt": rng.integers(0, 900, n),
        }
    )
    frame.loc[frame.index[:missing], "sales"] = np.nan
    schema = Schema(
        (
            Column("name", Kind.NOMINAL, Role.IDENTIFIER),
            Column("size", Kind.CONTINUOUS, Role.QUASI_IDENTIFIER),
            Column("sales", Kind.CONTINUOUS, Role.QUASI_IDENTIFIER),
            Column("region", Kind.NOMINAL, Role.OTHER),
            Column("debt", Kind.CONTINUOUS, Role.CONFIDENTIAL),
        )
    )
    origin = Origin("csv", {"delimiter": ",", "header": True}, "firms.csv")
    return Table.from_frame(frame, schema, origin)


def with_table(table, **choices):
    usual = {"methods": ("mdav", "md"), "sizes": (3, 5), "automatic": False}
    choices = usual | choices
    return Workspace(table=table, **choices)


def with_runs(table, **choices):
    """Return a workspace in which all that was chosen has run."""
    ws = with_table(table, **choices)
    plans = resolve_plans(ws)
    return copy_with_results(ws, table, plans, dict(enumerate(compare(plans, table))))


def sample(name=sample_data.DEFAULT_SAMPLE):
    return copy_with_sample(Workspace(automatic=False), name)


def texts(elements):
    return [element.value for element in elements]


def button(page, label):
    return next(widget for widget in page.button if widget.label == label)


def labelled(elements, label):
    """Return the first element whose label is this one, or else has it within."""
    exact = [element for element in elements if element.label == label]
    return (exact or [element for element in elements if label in element.label])[0]


def with_measures(ws, *names):
    """Return the workspace with these measures of every result, or with all."""
    outcomes = {
        position: replace(
            outcome,
            scores={**outcome.scores, **evaluate(outcome, ws.table, names or None)},
        )
        for position, outcome in enumerate(requested_outcomes(ws))
    }
    plans = [outcome.plan for outcome in requested_outcomes(ws)]
    return copy_with_results(ws, ws.table, plans, outcomes)


def downloads(page):
    """Return the labels of the files that are offered."""
    return [widget.proto.label for widget in page.get("download_button")]


def press(page, label):
    """Press a button, which must do no harm."""
    button(page, label).click().run()


def upload(page, content, name="people.csv"):
    """Bring a file to the page's first place for one."""
    page.file_uploader[0].set_value((name, content, "text/csv"))
    page.run()
