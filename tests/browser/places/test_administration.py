"""An administrator sees who has a place, and ends what has to end, in a browser."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from tests.browser.driver import PATIENCE, button, go_to, look, settle, start_search
from tests.browser.following import follow
from tests.dashboard.places.servers import Served, need_proxy, serving_places

SECRET = "long random text of our own"

SETTINGS = f"""
[auth]
redirect_uri = "http://127.0.0.1/oauth2callback"
cookie_secret = "{SECRET}"
client_id = "us"
client_secret = "ours"
server_metadata_url = "http://127.0.0.1:9/.well-known/openid-configuration"
administrators = ["email:eve@stats.example"]
"""


@contextmanager
def signed_in(browser: Browser, served: Served, name: str) -> Iterator[Page]:
    """Open the dashboard as somebody who has signed in."""
    claims = {
        "iss": "https://login.example",
        "sub": name,
        "email": f"{name}@stats.example",
        "is_logged_in": True,
        "iat": time.time(),
        "origin": served.address,
    }
    signed = create_signed_value(SECRET, USER_COOKIE_NAME, json.dumps(claims))
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    cookie = {"name": USER_COOKIE_NAME, "value": signed.decode()}
    context.add_cookies([{**cookie, "url": served.address}])
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    expect.set_options(timeout=PATIENCE)
    follow(page)
    page.goto(served.address)
    expect(page.get_by_text("Business survey").first).to_be_visible()
    settle(page)
    try:
        yield page
    finally:
        context.close()


def choose(page: Page, label: str, option: str) -> None:
    """Choose what an act is about."""
    page.get_by_role("combobox", name=label).click()
    page.get_by_role("option").filter(has_text=option).click()
    settle(page)


def act(page: Page, name: str) -> None:
    """Open what asks whether somebody is sure, say yes, and read the answer."""
    button(page, name).click()
    look(page, f"administration-{name.split()[0].lower()}")
    page.get_by_role("button", name="Yes, do it").locator("visible=true").click()
    settle(page)
    expect(page.get_by_text("Done.", exact=True)).to_be_visible()
    page.keyboard.press("Escape")


def test_an_administrator_sees_who_is_there_and_ends_it(
    browser: Browser, tmp_path: Path, short_folder: Path
) -> None:
    need_proxy("haproxy")
    pytest.importorskip("authlib")
    secrets = tmp_path / "secrets.toml"
    secrets.write_text(SETTINGS)
    words = ["--processes", "3", "--proxy", "haproxy", "--sign-in", str(secrets)]
    log = tmp_path / "audit.jsonl"
    words += ["--audit", str(log)]
    with (
        serving_places(short_folder, *words) as served,
        signed_in(browser, served, "ben") as ben,
        signed_in(browser, served, "eve") as eve,
    ):
        expect(ben.get_by_text("Administration")).to_have_count(0)
        start_search(ben)
        go_to(eve, "Administration")
        expect(eve.get_by_text("2 of 3 places are taken")).to_be_visible()
        look(eve, "administration")
        choose(eve, "Place of a person", "ben")
        act(eve, "End the runs of this place")
        expect(button(ben, "Stop and keep the best")).to_have_count(0)
        act(eve, "End this place")
        notice = ben.get_by_text("The administrator has ended your session")
        expect(notice).to_be_visible()
        expect(ben.get_by_text("Connecting")).to_have_count(0)
    entries = [json.loads(line) for line in log.read_text().splitlines()]
    acts = [
        (entry["act"], entry["who"])
        for entry in entries
        if entry["event"] == "administer"
    ]
    eve_is = "https://login.example eve"
    assert acts == [("end-runs", eve_is), ("end", eve_is)]
