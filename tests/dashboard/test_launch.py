"""`coterie` serves on a port that is free, to this machine only, or says why not."""

from __future__ import annotations

import socket
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from dashboard import launch as launching
from dashboard.charts.theme import PALETTE
from dashboard.launch import APP, launch
from engine.errors import ParameterError

CONFIG = APP.parent / ".streamlit" / "config.toml"


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield other.getsockname()[1]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    calls: list[list[str]] = []

    def main(arguments: list[str], standalone_mode: bool) -> None:
        calls.append(arguments)
        raise SystemExit(0)

    monkeypatch.setattr("streamlit.web.cli.main", main)
    monkeypatch.delenv("STREAMLIT_SERVER_ALLOWED_HOSTS", raising=False)
    return calls


def test_a_taken_port_is_told(taken: int, started: list[list[str]]) -> None:
    with pytest.raises(ParameterError, match=f"Port {taken} is taken"):
        launch(port=taken)
    assert started == []


@pytest.mark.parametrize("port", [0, -1, 65536])
def test_a_port_that_cannot_be_is_told(port: int, started: list[list[str]]) -> None:
    with pytest.raises(ParameterError, match="does not exist"):
        launch(port=port)
    assert started == []


@pytest.mark.parametrize("host", ["192.0.2.1", "no.such.host.invalid", "nonsense:"])
def test_an_address_of_another_machine_is_told(
    host: str, started: list[list[str]]
) -> None:
    with pytest.raises(ParameterError, match="Nothing can be served at"):
        launch(host=host)
    assert started == []


def test_the_next_free_port_is_found(
    taken: int, started: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launching, "FIRST_PORT", taken)
    assert launch() == 0
    port = int(started[0][started[0].index("--server.port") + 1])
    assert taken < port < taken + 100


def test_no_free_port_is_told(
    taken: int, started: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launching, "FIRST_PORT", taken)
    monkeypatch.setattr(launching, "_PORTS", 1)
    with pytest.raises(ParameterError, match="are all taken"):
        launch()
    assert started == []


def test_the_address_is_printed(
    started: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    launch()
    port = started[0][started[0].index("--server.port") + 1]
    assert f"http://127.0.0.1:{port} " in capsys.readouterr().out
    assert started[0][:2] == ["run", str(APP)]


def test_a_public_address_may_have_any_name(started: list[list[str]]) -> None:
    launch()
    launch(host="0.0.0.0")
    assert "--server.allowedHosts" not in started[0]
    assert started[1][started[1].index("--server.allowedHosts") + 1] == "*"


def test_names_that_were_set_are_not_overruled(
    started: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STREAMLIT_SERVER_ALLOWED_HOSTS", "stats.example")
    launch(host="0.0.0.0")
    assert "--server.allowedHosts" not in started[0]


def settings() -> dict[str, dict[str, object]]:
    return tomllib.loads(CONFIG.read_text(encoding="utf-8"))


def test_settings_keep_data_on_this_machine() -> None:
    found = settings()
    assert found["browser"]["gatherUsageStats"] is False
    assert found["server"]["address"] == "127.0.0.1"
    assert found["server"]["allowedHosts"] == ["localhost", "127.0.0.1", "::1"]
    assert found["logger"]["hideWelcomeMessage"] is True
    assert found["client"]["showErrorLinks"] is False
    assert found["client"]["showErrorDetails"] == "none"


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


def test_the_app_is_there() -> None:
    assert APP.exists()
    assert Path(CONFIG).exists()
