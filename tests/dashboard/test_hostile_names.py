"""Names from files are shown letter by letter: no page makes markup of them."""

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest
from google.protobuf.message import Message
from streamlit.testing.v1 import AppTest

from dashboard.charts.comparisons.pairs import (
    draw_correlation_changes,
    draw_distributions,
)
from dashboard.charts.comparisons.shares import draw_loss_share_bars
from dashboard.charts.figure import DrawableFigure
from dashboard.charts.inputs import AttributeDistribution, CorrelationChanges
from dashboard.charts.tree import draw_hierarchy
from dashboard.state.caches.memo import memo_key
from dashboard.state.results.requested import requested_outcomes
from dashboard.state.workspace import Workspace
from dashboard.ui.browser_components import plots
from engine.analysis.attacks import Knowledge
from engine.analysis.attacks.run import run_attacks_on_outcome
from engine.analysis.releases.ledger import Ledger
from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from engine.data.table import Origin, Table
from engine.hierarchy import Hierarchy
from tests.dashboard.pages import open_page, with_measures, with_runs, with_table

COLUMNS = {
    "![income](http://a.test/1.png)": (Kind.CONTINUOUS, Role.QUASI_IDENTIFIER),
    "<img src=http://a.test/2.png>": (Kind.CONTINUOUS, Role.QUASI_IDENTIFIER),
    "**sex** :red[x] $x^2$ `x`": (Kind.NOMINAL, Role.QUASI_IDENTIFIER),
    "[region](http://a.test/3)": (Kind.NOMINAL, Role.OTHER),
    "<b>debt</b> http://a.test/4": (Kind.CONTINUOUS, Role.CONFIDENTIAL),
    "<a href='http://a.test/5'>": (Kind.NOMINAL, Role.UNDECIDED),
    "_owner_ www.a.test": (Kind.NOMINAL, Role.IDENTIFIER),
}
VALUES = ("<i>m</i>", "[f](http://a.test/6)", "**d**")
FILE = "![file](a.test) <b>*x*.csv"
HOSTILE = (*COLUMNS, *VALUES, FILE)

SHOWN_AS_THEY_ARE = {
    *(("Selectbox", name) for name in ("options", "raw_value", "raw_values")),
    *(("MultiSelect", name) for name in ("options", "raw_values")),
    ("TextInput", "default"),
    ("TextInput", "value"),
    ("SelectSlider", "options"),
    ("Code", "code_text"),
    ("Arrow", "columns"),
    ("Dataframe", "columns"),
    ("BidiComponent", "json"),
}
"""Fields that Streamlit shows without reading Markdown, of each kind of element."""


def hostile_table(undecided: bool, numbers: bool) -> Table:
    """Return a table whose every name and value would like to be markup."""
    rng, n = np.random.default_rng(3), 60
    frame = pd.DataFrame(
        {
            name: rng.choice(VALUES, n)
            if kind is Kind.NOMINAL
            else rng.lognormal(3, 1, n).round(2)
            for name, (kind, _) in COLUMNS.items()
        }
    )
    columns = tuple(
        Column(
            name,
            kind,
            Role.IDENTIFIER
            if (role is Role.UNDECIDED and not undecided)
            or (role is Role.QUASI_IDENTIFIER and kind is Kind.NOMINAL and numbers)
            else role,
        )
        for name, (kind, role) in COLUMNS.items()
    )
    return Table.from_frame(
        frame, Schema(columns), Origin("csv", {"delimiter": ","}, FILE)
    )


def strings(message: Message) -> Iterator[tuple[str, str, str]]:
    """Yield kind of element, field and value of all strings in a message."""
    kind = message.DESCRIPTOR.name
    for field, value in message.ListFields():
        for field_value in value if field.is_repeated else [value]:
            if isinstance(field_value, Message):
                yield from strings(field_value)
            elif isinstance(field_value, str):
                yield kind, field.name, field_value


def written(page: AppTest) -> Iterator[tuple[str, str, str]]:
    """Yield all strings of a page that are sent to a browser."""
    for element in page._tree:
        message = getattr(element, "proto", None)
        if message is not None:
            yield from strings(message)


def markup(page: AppTest) -> set[tuple[str, str, str]]:
    """Return where a name stands as markup on a page."""
    occurrences = set()
    for kind, field, value in written(page):
        if (kind, field) in SHOWN_AS_THEY_ARE or field in ("id", "user_key"):
            continue
        if field == "spec" or kind == "Html":
            names = {json.dumps(name)[1:-1] for name in HOSTILE if "<" in name}
        else:
            names = set(HOSTILE)
        if any(name in value for name in names):
            occurrences.add((kind, field, value))
    return occurrences


@cache
def results(undecided: bool, numbers: bool) -> Workspace:
    table = hostile_table(undecided, numbers)
    methods = ("mdav", "refined") if numbers else ("mdav-mixed", "kaca")
    return with_measures(with_runs(table, methods=methods))


@pytest.mark.parametrize(
    ("undecided", "numbers"),
    [
        (True, False),
        (False, True),
        pytest.param(True, True, marks=pytest.mark.slow),
        pytest.param(False, False, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("page", ["data", "compare", "release", "inspect", "learn"])
def test_no_page_makes_markup_of_a_name(
    page: str, numbers: bool, undecided: bool
) -> None:
    app = open_page(page, results(undecided, numbers))
    assert any("a.test" in value for _, _, value in written(app))
    assert markup(app) == set()


def test_no_name_of_a_column_with_gaps_becomes_markup() -> None:
    table = hostile_table(undecided=False, numbers=False)
    frame = table.frame.copy()
    for name in table.schema.quasi_identifiers:
        frame.loc[frame.index[:3], name] = np.nan
    table = Table.from_frame(frame, table.schema, table.origin)
    page = open_page("data", with_table(table))
    assert any("single columns" in expander.label for expander in page.expander)
    assert markup(page) == set()


def test_neither_the_ledger_nor_an_attack_makes_markup_of_a_name() -> None:
    ws = results(False, True)
    outcome = requested_outcomes(ws)[0]
    ledger = Ledger.new()
    entry = ledger.entry_for(outcome, ws.table, FILE, b"another release")
    page = open_page("release", replace(ws, ledger=ledger.with_entry(entry)))
    assert "Ledger: 1 release" in [expander.label for expander in page.expander]
    assert any("a.test" in value for _, _, value in written(page))
    assert markup(page) == set()
    columns = tuple(ws.table.schema.quasi_identifiers)
    knowledge = Knowledge(columns, "exact", ws.table.n_records)
    attack_results = run_attacks_on_outcome(outcome, ws.table, knowledge)
    key = memo_key(ws.table, outcome.plan), knowledge
    attacked = replace(
        ws, attacks=MappingProxyType({key: attack_results}), part="Attack"
    )
    page = open_page("inspect", attacked)
    assert page.metric or page.dataframe or page.markdown
    assert markup(page) == set()


LINK = "<a href='http://a.test'>income</a>"


@pytest.mark.parametrize(
    "figure",
    [
        draw_loss_share_bars({LINK: 60.0, "age": 40.0}),
        draw_hierarchy(Hierarchy(((LINK, "*"), ("b", "*"))), np.array([2, 3])),
        draw_distributions(
            [AttributeDistribution(LINK, None, (LINK, "b"), (np.ones(2),) * 3)],
            ("A", "B"),
        ),
        draw_correlation_changes(
            CorrelationChanges((LINK, LINK), np.eye(2), (np.eye(2),) * 2), ("A", "B")
        ),
    ],
    ids=["shares", "tree", "spreads", "correlations"],
)
def test_no_chart_makes_markup_of_a_name(figure: DrawableFigure) -> None:
    drawn = plots.figure_to_json(figure)
    assert "<a" not in drawn
    assert "&lt;a" in drawn
