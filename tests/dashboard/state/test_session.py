"""Choices survive page changes and reloads, and belong to one tab."""

import time
from dataclasses import replace
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

import sample_data
from dashboard.jobs.job_view import JobView
from dashboard.server.adapter import access
from dashboard.state import session, tab_store
from dashboard.state.tab_store import StoreByTab
from dashboard.state.workspace import Workspace, resolve_plans
from engine.pipeline.run import run
from tests.dashboard.pages import Tabs


def two_pages() -> None:
    import streamlit as st

    from dashboard.state import session

    def choices() -> None:
        st.number_input("Seed", min_value=0, **session.bind_widget("seed"))
        st.multiselect("k", [2, 3, 5, 10], **session.bind_widget("sizes"))
        st.slider(
            "Gain",
            0.0,
            2.0,
            **session.bind_widget("parameters", "vmdav", "gamma", default=0.25),
        )
        st.text_input(
            "Rules",
            **session.bind_widget(
                "constraints",
                to_widget="; ".join,
                from_widget=lambda text: tuple(text.split("; ")) if text else (),
            ),
        )
        if st.button("Reset", key=session.widget_key("reset")):
            session.update_workspace(seed=99)
            st.rerun()

    def nothing() -> None:
        st.write(f"seed {session.workspace().seed}")

    session.workspace()  # as the router does
    st.radio("page", ["choices", "nothing"], key="page")
    choices() if st.session_state["page"] == "choices" else nothing()


@pytest.fixture
def app() -> AppTest:
    return AppTest.from_function(two_pages, default_timeout=60).run()


def kept(app: AppTest) -> Workspace:
    workspace = app.session_state["workspace"]
    assert isinstance(workspace, Workspace)
    return workspace


def healthy(app: AppTest) -> AppTest:
    assert not app.warning
    return app


def test_a_new_tab_has_the_default_sample(app: AppTest) -> None:
    healthy(app)
    assert kept(app).sample == sample_data.DEFAULT_SAMPLE
    assert kept(app).table is not None


def test_widgets_show_the_workspace(app: AppTest) -> None:
    assert app.number_input[0].value == 0
    assert app.multiselect[0].value == [3, 5, 10]
    assert app.slider[0].value == 0.25
    assert app.text_input[0].value == ""


def test_what_widgets_say_is_kept(app: AppTest) -> None:
    app.number_input[0].set_value(7).run()
    app.multiselect[0].set_value([2, 10]).run()
    app.slider[0].set_value(1.5).run()
    app.text_input[0].set_value("a = b; c = d").run()
    ws = kept(healthy(app))
    assert (ws.seed, ws.sizes) == (7, (2, 10))
    assert ws.parameters == {"vmdav": {"gamma": 1.5}}
    assert ws.constraints == ("a = b", "c = d")


def test_choices_survive_a_page_change(app: AppTest) -> None:
    app.number_input[0].set_value(7).run()
    app.slider[0].set_value(1.5).run()
    app.radio[0].set_value("nothing").run()
    assert app.markdown[0].value == "seed 7"
    app.radio[0].set_value("choices").run()
    healthy(app)
    assert app.number_input[0].value == 7
    assert app.slider[0].value == 1.5


def test_widgets_follow_a_change_from_elsewhere(app: AppTest) -> None:
    app.number_input[0].set_value(7).run()
    app.button[0].click().run()
    healthy(app)
    assert app.number_input[0].value == 99
    app.number_input[0].set_value(5).run()
    assert kept(app).seed == 5


def opened_again(seed: int) -> AppTest:
    other = AppTest.from_function(two_pages, default_timeout=60)
    other.run()
    healthy(other)
    assert kept(other).seed == seed
    return other


def test_a_duplicated_tab_has_a_workspace_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tabs = Tabs(monkeypatch)
    app = opened_again(0)
    app.number_input[0].set_value(7).run()
    tabs.loaded("copy", before="first page")
    other = opened_again(7)
    other.number_input[0].set_value(8).run()
    tabs.loaded("first page")
    app.run()
    assert (kept(app).seed, kept(other).seed) == (7, 8)
    tabs.loaded("next", before="first page")
    opened_again(7)


@pytest.mark.parametrize(
    ("name", "before", "browser"),
    [
        ("second page", "first page", "another browser"),
        ("first page", "", "another browser"),
        ("second page", "first page", ""),
        ("second page", "", None),
        ("second page", "guessed", None),
        ("", "", None),
    ],
)
def test_nobody_else_finds_it(
    monkeypatch: pytest.MonkeyPatch, name: str, before: str, browser: str | None
) -> None:
    tabs = Tabs(monkeypatch)
    app = opened_again(0)
    app.number_input[0].set_value(7).run()
    tabs.loaded(name, before, browser)
    opened_again(0)


def test_no_address_says_whose_work_it_is(app: AppTest) -> None:
    assert not dict(app.query_params)


def collecting() -> None:
    import streamlit as st

    from dashboard.state import session

    view = st.session_state.get("view")
    if view is not None:
        session.merge_job_results(view)


def test_results_are_collected_as_they_arrive() -> None:
    app = AppTest.from_function(collecting, default_timeout=60)
    table = sample_data.load("expenditure")
    ws = replace(Workspace(table=table), methods=("mdav",), sizes=(3, 4))
    app.session_state["workspace"] = ws
    plans = resolve_plans(ws)
    results = {0: run(plans[0], table)}
    view = JobView("running", 0.5, "", table, plans, results, "", 0.1)
    app.session_state["view"] = view
    app.run()
    assert list(session.requested_results(kept(app)).values()) == [results[0]]
    before = kept(app)
    app.run()
    assert kept(healthy(app)) is before


def test_a_field_that_does_not_exist_is_a_mistake() -> None:
    with pytest.raises(TypeError, match="no field 'sede'"):
        session.bind_widget("sede")


def test_the_shelf_forgets_closed_tabs(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    clock = SimpleNamespace(monotonic=lambda: now, sleep=time.sleep)
    monkeypatch.setattr(tab_store, "time", clock)
    monkeypatch.setattr(access, "is_session_open", {"open"}.__contains__)
    shelf, page = StoreByTab(seconds=120.0), Tabs(monkeypatch)
    for tab in ("open", "closed"):
        monkeypatch.setattr(access, "current_session_id", lambda tab=tab: tab)
        page.loaded(tab)
        shelf.put_object(tab)
    now = 119.0
    shelf.remove_expired()
    assert shelf.find_object() == "closed"
    now = 121.0
    shelf.remove_expired()
    assert shelf.find_object() is None
    page.loaded("open")
    assert shelf.find_object() == "open"


def test_outside_a_server_no_tab_is_open() -> None:
    assert access.current_session_id() == ""
    assert not access.is_session_open("")
    assert not access.is_session_open("somebody")
