"""`coterie` serves on a port that is free, to this machine only, or says why not."""

import os
import socket
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import streamlit as st

from dashboard.charts.theme import PALETTE
from dashboard.places import asgi_server
from dashboard.places import launch as launching
from dashboard.places.launch import OPEN_TO_ALL_WARNING, ServerOptions, launch_dashboard
from dashboard.server.adapter import private_names
from dashboard.server.sign_in import SIGN_IN_VARIABLE
from engine.core.errors import ParameterError
from tests.imports import ROOT

CONFIG = ROOT / "dashboard" / ".streamlit" / "config.toml"

Started = list[dict[str, Any]]


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield other.getsockname()[1]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Started:
    calls: Started = []

    def serve(app: st.App, settings: dict[str, Any], listener: socket.socket) -> None:
        assert listener.getsockname()[1] == settings["server.port"]
        calls.append(settings)
        raise SystemExit(0)

    monkeypatch.setattr(asgi_server, "serve_app_until_stopped", serve)
    # It would be that of whatever else is tested in this process.
    monkeypatch.setattr("dashboard.places.launch.use_private_temp_folder", lambda: None)
    monkeypatch.setattr("dashboard.places.running.user_cache_folder", lambda: tmp_path)
    monkeypatch.setattr(
        "dashboard.places.running.open_in_browser_once_served", lambda address: None
    )
    return calls


def test_a_taken_port_is_told(taken: int, started: Started) -> None:
    with pytest.raises(ParameterError, match=f"Port {taken} is taken"):
        launch_dashboard(ServerOptions(port=taken))
    assert started == []


@pytest.mark.parametrize(
    ("options", "told"),
    [
        *(({"port": port}, "does not exist") for port in (0, -1, 65536)),
        *(
            ({"host": host}, "Nothing can be served at")
            for host in ("192.0.2.1", "no.such.host.invalid", "nonsense:")
        ),
        *(
            ({"base_path": path}, "cannot be a base path")
            for path in ("/a b", "//x//y", "../up?", "ä")
        ),
    ],
)
def test_where_nothing_can_be_served_is_told(
    options: dict[str, Any], told: str, started: Started
) -> None:
    with pytest.raises(ParameterError, match=told):
        launch_dashboard(ServerOptions(**options))
    assert started == []


def test_the_next_free_port_is_found(
    taken: int, started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launching, "FIRST_PORT", taken)
    assert launch_dashboard(ServerOptions()) == 0
    port = started[0]["server.port"]
    assert taken < port < taken + 100


def test_a_port_that_is_taken_meanwhile_is_told(
    taken: int, started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launching, "choose_port", lambda options: taken)
    with pytest.raises(ParameterError, match=f"Port {taken} is taken"):
        launch_dashboard(ServerOptions())
    assert started == []


def test_no_free_port_is_told(
    taken: int, started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launching, "FIRST_PORT", taken)
    monkeypatch.setattr(launching, "_N_PORTS", 1)
    with pytest.raises(ParameterError, match="are all taken"):
        launch_dashboard(ServerOptions())
    assert started == []


def test_the_address_is_printed(
    started: Started, capsys: pytest.CaptureFixture[str]
) -> None:
    launch_dashboard(ServerOptions())
    port = started[0]["server.port"]
    assert f"http://127.0.0.1:{port} " in capsys.readouterr().out


def test_a_public_address_may_have_any_name(started: Started) -> None:
    launch_dashboard(ServerOptions())
    launch_dashboard(ServerOptions(host="0.0.0.0"))
    assert "server.allowedHosts" not in started[0]
    assert started[1]["server.allowedHosts"] == ["*"]


def test_behind_a_proxy_only_its_name_and_ours_may_ask(
    started: Started,
) -> None:
    launch_dashboard(
        ServerOptions(names=("stats.example",), base_path="/tools/coterie/")
    )
    hosts = started[0]["server.allowedHosts"]
    assert set(hosts) == {"localhost", "127.0.0.1", "::1", "stats.example"}
    assert started[0]["server.baseUrlPath"] == "tools/coterie"
    assert started[0]["server.address"] == "127.0.0.1"


def test_the_upload_limit_is_in_megabytes(started: Started) -> None:
    launch_dashboard(ServerOptions(upload_limit=50))
    assert started[0]["server.maxUploadSize"] == 50
    with pytest.raises(ParameterError, match="0 MB lets no file in"):
        launch_dashboard(ServerOptions(upload_limit=0))


@pytest.mark.parametrize(
    ("serving", "said"),
    [
        (ServerOptions(), False),
        (ServerOptions(host="0.0.0.0"), True),
        (ServerOptions(names=("stats.example",)), True),
    ],
)
def test_it_is_said_when_others_may_come(
    serving: ServerOptions,
    said: bool,
    started: Started,
    capsys: pytest.CaptureFixture[str],
) -> None:
    launch_dashboard(serving)
    assert (OPEN_TO_ALL_WARNING in capsys.readouterr().out) == said


PROVIDER = """
client_id = "coterie"
client_secret = "sesame"
server_metadata_url = "https://login.example/.well-known/openid-configuration"
"""

AUTH = f"""
[auth]
redirect_uri = "https://stats.example/coterie/oauth2callback"
cookie_secret = "a long random text"
{PROVIDER}"""


@pytest.mark.parametrize(
    "content",
    [AUTH, AUTH.replace(PROVIDER, f"[auth.university]{PROVIDER}")],
    ids=["one provider", "a named provider"],
)
def test_people_sign_in_where_it_is_asked_for(
    content: str,
    started: Started,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("authlib")
    monkeypatch.setenv(SIGN_IN_VARIABLE, "")
    path = tmp_path / "secrets.toml"
    path.write_text(content)
    launch_dashboard(ServerOptions(host="0.0.0.0", sign_in=path))
    assert os.environ[SIGN_IN_VARIABLE] == "1"
    assert started[0]["secrets.files"] == [str(path)]
    assert OPEN_TO_ALL_WARNING not in capsys.readouterr().out


def test_a_file_of_secrets_that_streamlit_would_not_read_is_told(
    started: Started, tmp_path: Path
) -> None:
    path = tmp_path / "secrets"
    path.write_text(AUTH)
    with pytest.raises(ParameterError, match=r"must end with \.toml"):
        launch_dashboard(ServerOptions(sign_in=path))
    assert not started


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "cannot be read"),
        ("[auth", "is not a TOML file"),
        ("[database]\nname = 1", "has no section"),
        (AUTH.replace("client_id", "clientid"), "an unknown key 'clientid'"),
        (f"{AUTH}\nsign_in_minutes = 721", "cannot be: write a number from 1 to 720"),
        (f"{AUTH}\nalow = ['email:ann@stats.example']", "an unknown key 'alow'"),
        (
            f"{AUTH}\n[auth.client_kwargs]\nallow = ['group:it']",
            "allow of .* counts in",
        ),
        (
            f"administrators = ['group:it']\n{AUTH}",
            "administrators of .* counts in the",
        ),
        (f"alow = ['group:it']\n{AUTH}", "alow of .* counts in the section"),
        (f"{AUTH}\n[auth.university]\nalow = ['group:it']", "an unknown key 'alow'"),
        (AUTH.replace("a long random text", "x"), "can be guessed"),
        (
            AUTH.replace("a long random text", "a long random text of your own"),
            "can be guessed",
        ),
        (f"{AUTH}\nsign_in_minutes = true", "cannot be: write a number from 1 to 720"),
        ("[auth]\ncookie_secret = 'sesame'", "lacks redirect_uri, client_id, client_s"),
        (
            f"{AUTH}\n[auth.university]\nclient_id = 'coterie'",
            r"\[auth.university\] of .* lacks client_secret, server_metadata_url",
        ),
        (
            f"{AUTH}\n[auth.university]\n{PROVIDER}\n[auth.hospital]\n"
            + PROVIDER.replace("sesame", ""),
            r"\[auth.hospital\] of .* lacks client_secret: without",
        ),
        (f"{AUTH}\n[auth.my_university]\n{PROVIDER}", "cannot have an underscore"),
    ],
)
def test_settings_by_which_nobody_could_sign_in_are_told(
    content: str | None, told: str, started: Started, tmp_path: Path
) -> None:
    path = tmp_path / "secrets.toml"
    if content is not None:
        path.write_text(content)
    with pytest.raises(ParameterError, match=told) as raised:
        launch_dashboard(ServerOptions(sign_in=path))
    assert "sesame" not in str(raised.value)
    assert started == []


def test_signing_in_without_its_packages_is_told(
    started: Started, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "secrets.toml"
    path.write_text(AUTH)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ParameterError, match=r"pip install 'coterie\[auth\]'"):
        launch_dashboard(ServerOptions(sign_in=path))
    assert started == []


def settings() -> dict[str, dict[str, object]]:
    return tomllib.loads(CONFIG.read_text(encoding="utf-8"))


def test_settings_keep_data_on_this_machine() -> None:
    configuration = settings()
    assert configuration["browser"]["gatherUsageStats"] is False
    assert configuration["server"]["address"] == "127.0.0.1"
    assert configuration["server"]["allowedHosts"] == ["localhost", "127.0.0.1", "::1"]
    assert configuration["logger"]["hideWelcomeMessage"] is True
    assert configuration["client"]["showErrorLinks"] is False
    assert configuration["client"]["showErrorDetails"] == "none"


def test_settings_and_charts_have_the_same_colours() -> None:
    assert tuple(settings()["theme"]["chartCategoricalColors"]) == PALETTE


def test_every_setting_exists() -> None:
    from streamlit import config

    for section, options in settings().items():
        for name, value in options.items():
            deeper = value if isinstance(value, dict) else {}
            for option in [f"{section}.{name}.{inner}" for inner in deeper] or [
                f"{section}.{name}"
            ]:
                config.get_option(option)


def test_what_is_left_out_is_said_when_it_begins(
    started: Started,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(
        private_names,
        "check_private_names_and_list_warnings",
        lambda: ("Coterie may not fly.",),
    )
    launch_dashboard(ServerOptions())
    assert "\nCoterie may not fly.\n" in capsys.readouterr().out


def test_a_streamlit_that_keeps_nobody_apart_is_not_started(
    started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> tuple[str, ...]:
        raise ParameterError("Streamlit is not served.")

    monkeypatch.setattr(private_names, "check_private_names_and_list_warnings", refuse)
    with pytest.raises(ParameterError, match="is not served"):
        launch_dashboard(ServerOptions())
    assert started == []
