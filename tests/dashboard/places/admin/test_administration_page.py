"""Administrators see who is there on a page, and end what has to end; nobody else."""

import json
from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.places.admin import administration_page
from dashboard.places.admin.administration_page import administration_pages
from dashboard.places.sharing.shared_state import SharedServer
from tests.dashboard.places.admin.test_control import ANN, STATUS


class Link:
    """A supervisor that notes what it is asked."""

    def __init__(self) -> None:
        self.acts: list[tuple[str, str]] = []
        self.places = STATUS.places

    def ask(self, what: str, method: str, target: str, who: str) -> dict[str, Any]:
        assert (what, who) == ("administer", "us eve")
        if method == "POST":
            self.acts.append((method, target))
        event = {"number": 7, "event": "administer", "who": "us eve"}
        start = {"number": 1, "event": "start", "places": 4}
        servers = [SharedServer("b:1/2", 0.0, False, 4, 3, "7 ab")]
        status = replace(STATUS, places=self.places, servers=servers)
        contents = {"/places": status.to_json(), "/events": [event, start]}
        return {"status": 200, "body": json.dumps(contents.get(target, {}))}


def page() -> None:
    from dashboard.places.admin import administration_page

    administration_page._show_administration()


@pytest.fixture
def link(monkeypatch: pytest.MonkeyPatch) -> Link:
    fake_link = Link()
    monkeypatch.setattr(administration_page, "supervisor_link", lambda: fake_link)
    who = administration_page.sign_in
    monkeypatch.setattr(who, "signed_in_person_id", lambda: "us eve")
    return fake_link


def test_who_is_there_is_shown_and_ended(link: Link) -> None:
    app = AppTest.from_function(page, default_timeout=60).run()
    table, servers, log = (element.value for element in app.dataframe)
    assert table["Place of a person"].tolist() == ["p1", "p2"]
    assert table["Signed in as"].tolist() == [ANN.person, ""]
    assert table["Minutes of processor"].tolist() == [2, 0]
    assert servers["Places that are taken"].tolist() == [3]
    assert servers["Last seen"].tolist() == ["1970-01-01 00:00:00 UTC"]
    assert log["number"].tolist() == ["7", "1"]
    assert log["places"].tolist() == ["", "4"]
    assert any("1 of 2 places are taken" in element.value for element in app.markdown)
    assert link.acts == []
    buttons = [element.key for element in app.button]
    assert len(buttons) == 4
    for key in buttons:
        app.button(key).click().run()
    assert [target for _, target in link.acts] == [
        "/places/p1/end-runs",
        "/places/p1/end",
        f"/people/{'us%20ann%1B%5B2J'}/erase",
        "/drain",
    ]


def test_an_act_is_on_whom_it_was_confirmed_for_whoever_comes_and_goes(
    link: Link,
) -> None:
    who = [replace(ANN, place=f"p{i}", person=f"us {i}") for i in range(1, 4)]
    link.places = who
    app = AppTest.from_function(page, default_timeout=60).run()
    app.selectbox(key="administered_place").select("p2").run()
    link.places = who[1:]
    app.button("places/p2/end-runs").click().run()
    assert [target for _, target in link.acts] == ["/places/p2/end-runs"]
    confirm = app.button("places/p2/end")
    link.places = who[2:]
    confirm.click().run()
    assert len(link.acts) == 1


@pytest.mark.parametrize(
    ("named", "claims", "is_shown"),
    [
        (["group:it"], {"groups": ["it", "all"]}, True),
        (["email:eve@x"], {"email": "eve@x"}, True),
        (["group:it"], {"groups": ["all"]}, False),
        ("group:it", {"groups": ["it"]}, False),  # no list
        (None, {"groups": ["it"]}, False),
    ],
)
def test_only_people_with_a_claim_that_is_listed_have_the_page(
    named: object,
    claims: dict[str, Any],
    is_shown: bool,
    link: Link,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = {} if named is None else {"administrators": named}
    sign_in = administration_page.sign_in
    monkeypatch.setattr(sign_in, "_auth_settings", lambda: settings)
    monkeypatch.setattr(administration_page.st, "user", claims)
    assert bool(administration_pages()) is is_shown
    monkeypatch.setattr(sign_in, "signed_in_person_id", lambda: "")
    assert administration_pages() == []
