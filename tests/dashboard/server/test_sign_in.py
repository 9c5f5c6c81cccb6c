"""Nobody sees anything before signing in, where signing in is asked for."""

import json
import re
import time

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from dashboard.i18n import text_serving as text
from dashboard.server import sign_in
from dashboard.server.sign_in import SIGN_IN_VARIABLE, RequestUser
from dashboard.server.sign_in_page import sign_in_page_html
from dashboard.state.tab_store import StoreByTab
from tests.dashboard.pages import APP, Tabs
from tests.dashboard.people import require_sign_in

PROVIDER = {"client_id": "coterie", "client_secret": "sesame"}


@pytest.fixture
def page() -> AppTest:
    return AppTest.from_file(str(APP), default_timeout=60)


def labels(page: AppTest) -> list[str]:
    return [button.label for button in page.button]


def test_nobody_is_asked_where_nothing_is_configured(page: AppTest) -> None:
    page.run()
    assert "Sign in" not in labels(page)
    assert len(page.dataframe) > 0


def test_signed_out_people_see_a_sentence_and_nothing_else(page: AppTest) -> None:
    page.secrets["auth"] = {"cookie_secret": "long", **PROVIDER}
    page.run()
    assert labels(page) == []
    assert [element.value for element in page.error] == [text.SIGN_IN_FIRST]
    assert len(page.dataframe) == 0
    assert "workspace" not in page.session_state
    assert "sesame" not in str(page.main)


def test_a_page_s_own_address_is_no_way_around(page: AppTest) -> None:
    page.secrets["auth"] = {"cookie_secret": "long", **PROVIDER}
    page.query_params["work"] = "a token"
    page.run()
    assert [element.value for element in page.error] == [text.SIGN_IN_FIRST]
    assert len(page.dataframe) == 0


def test_each_provider_has_its_button(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {
        "cookie_secret": "long",
        "client_kwargs": {"prompt": "login"},
        "university": PROVIDER,
        "ministry": PROVIDER,
    }
    monkeypatch.setattr(sign_in, "_auth_settings", lambda: settings)
    page = sign_in_page_html(RequestUser("", admitted=False), "en")
    assert re.findall("Sign in with ([a-zA-Z]+)", page) == ["University", "Ministry"]
    assert "sesame" not in page


def test_settings_that_have_gone_let_nobody_in(
    page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SIGN_IN_VARIABLE, "1")
    page.run()
    assert labels(page) == []
    assert [element.value for element in page.error] == [text.NO_SIGN_IN]


def test_what_one_person_left_is_nobody_else_s(monkeypatch: pytest.MonkeyPatch) -> None:
    Tabs(monkeypatch)
    shelf = StoreByTab()
    monkeypatch.setattr(
        "dashboard.server.sign_in.signed_in_person_id", lambda: "idp ann"
    )
    shelf.put_object("the work of Ann")
    assert shelf.find_object() == "the work of Ann"
    monkeypatch.setattr(
        "dashboard.server.sign_in.signed_in_person_id", lambda: "idp bob"
    )
    assert shelf.find_object() is None


def test_a_cookie_from_before_the_server_began_lets_nobody_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    claims = json.dumps({"is_logged_in": True, "sub": "ann", "iat": time.time()})
    signed = create_signed_value("long", USER_COOKIE_NAME, claims).decode()
    require_sign_in(monkeypatch)
    cookies = {USER_COOKIE_NAME: signed, "other": "x"}
    assert sign_in.user_of_request(cookies).admitted
    assert sign_in.user_of_request(sign_in.select_sign_in_cookies(cookies)).admitted
    monkeypatch.setenv(sign_in.SERVER_BEGUN, str(time.time() + 60))
    assert not sign_in.user_of_request(cookies).admitted


@pytest.mark.parametrize(
    ("setting", "minutes", "holds"),
    [
        *(({}, 719, True), ({}, 721, False), (5, 4, True), (5, 6, False)),
        # A provider's clock may be ahead, but not by as much as sign-outs are kept.
        *((9e9, 721, False), ({}, -9, True), ({}, -11, False)),
    ],
)
def test_a_sign_in_holds_for_as_many_minutes_as_the_settings_say(
    setting: object, minutes: int, holds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {"sign_in_minutes": setting} if setting else {}
    monkeypatch.setattr(sign_in, "_auth_settings", lambda: settings)
    assert sign_in._is_fresh({"iat": time.time() - 60 * minutes}) is holds


@pytest.mark.parametrize(
    ("verified", "admitted"), [(True, True), (None, True), (False, False)]
)
def test_an_address_that_is_known_to_be_unverified_admits_nobody(
    verified: bool | None, admitted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {"allow": ["email:ann@stats.example"]}
    monkeypatch.setattr(sign_in, "_auth_settings", lambda: settings)
    user: dict[str, object] = {"email": "ann@stats.example"}
    if verified is not None:
        user["email_verified"] = verified
    assert sign_in.is_user_allowed(user) is admitted


def test_an_earlier_sign_out_that_is_told_later_undoes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sign_in, "_signed_out", {})
    now = sign_in.time.time()
    for when in (now, now - 9.0):
        sign_in.add_sign_out_revocation(f"{when} idp ann")
    assert sign_in._signed_out == {"idp ann": now}


def test_sign_outs_are_forgotten_when_no_cookie_can_be_about_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    signed_out: dict[str, float] = {}
    monkeypatch.setattr(sign_in, "_signed_out", signed_out)
    monkeypatch.setattr(sign_in.time, "time", lambda: 1e9)
    sign_in.add_sign_out_revocation("digest")
    sign_in.add_sign_out_revocation(
        f"{1e9 - sign_in.MAX_SIGN_OUT_SECONDS - 1.0} idp ann"
    )
    sign_in.add_sign_out_revocation("another")
    assert set(signed_out) == {"digest", "another"}
    last = 1e9 + sign_in.MAX_CLOCK_SECONDS  # when its cookie can have been issued
    later = 1e9 + sign_in.MAX_SIGN_OUT_SECONDS
    monkeypatch.setattr(sign_in.time, "time", lambda: later)
    monkeypatch.setattr(sign_in, "_auth_settings", lambda: {})
    assert not sign_in._is_fresh({"iat": last})
    assert sign_in._is_fresh({"iat": last + 1.0})
