"""Containers start what has been tried: the commands of their files are carried out."""

import json
import re
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest
import yaml

from dashboard.places.__main__ import main
from dashboard.places.admin.metrics import parse_metrics_address
from dashboard.places.proxies import (
    ERASING_OPTION,
    ERASING_TUNABLES,
    ERASING_VARIABLE,
    UNITS,
    choose_proxy_to_start,
)
from tests.browser.conftest import free_port
from tests.dashboard.places.admin.metrics_reader import parse_metrics
from tests.dashboard.places.servers import (
    Person,
    is_listening,
    need_proxy,
    serving_places,
    wait_until,
)

DIGEST = re.compile(r"@sha256:[0-9a-f]{64}$")

CONTAINERFILE = (UNITS / "Containerfile").read_text()


def read_services(places: int) -> dict[str, dict[str, Any]]:
    """Return the services of the compose file, for a number of places."""
    text = (UNITS / "compose.yaml").read_text()
    text = text.replace("${COTERIE_PLACES:-10}", str(places))
    text = re.sub(r"\$\{\w+:-(\w+)\}", r"\1", text)
    services: dict[str, dict[str, Any]] = yaml.safe_load(text)["services"]
    return services


def proxy_words(services: dict[str, dict[str, Any]]) -> list[str]:
    """Return the options of the command that prints the proxy's configuration."""
    (script,) = services["haproxy"]["command"]
    printing, starting = script.split("; ")
    words, _, path = printing.partition(" > ")
    assert starting.endswith(f"haproxy -W -db -q {ERASING_OPTION} -f {path}")
    environment = services["haproxy"]["environment"]
    assert environment == {ERASING_VARIABLE: ERASING_TUNABLES}
    return [str(word) for word in words.split()[2:]]


def value_of(words: list[str], option: str) -> str:
    return words[words.index(option) + 1]


def test_images_have_digests() -> None:
    services = read_services(1)
    built = {service["image"] for service in services.values() if "build" in service}
    bases = re.findall(r"^FROM (\S+)", CONTAINERFILE, re.M)
    images = {service["image"] for service in services.values()} - built
    for image in (*bases, *images):
        assert DIGEST.search(image), image
    # The folder that is built is the whole of the sources.
    build = services["places"]["build"]
    root = (UNITS / build["context"]).resolve()
    assert (root / build["dockerfile"]).samefile(UNITS / "Containerfile")


def test_no_container_writes_or_gains_rights() -> None:
    for service in read_services(1).values():
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert service["ulimits"] == {"core": 0}


def test_prometheus_asks_where_the_metrics_are() -> None:
    services = read_services(1)
    served = value_of(services["places"]["command"].split(), "--metrics")
    (job,) = yaml.safe_load((UNITS / "prometheus.yml").read_text())["scrape_configs"]
    assert job["static_configs"] == [{"targets": [served]}]
    assert job.get("metrics_path", "/metrics") == "/metrics"
    for name in ("haproxy", "prometheus"):
        assert services[name]["network_mode"] == "service:places"


@pytest.mark.slow
def test_what_is_started_serves_people_and_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    need_proxy("haproxy")
    pytest.importorskip("authlib")
    services = read_services(1)
    first = json.loads(CONTAINERFILE.rpartition("ENTRYPOINT ")[2])
    words = [*first[2:], *services["places"]["command"].split()]
    proxy_options = proxy_words(services)
    assert value_of(words, "--processes") == value_of(proxy_options, "--processes")
    assert value_of(words, "--port") == value_of(proxy_options, "--port")
    (mounted,) = services["places"]["secrets"]
    assert value_of(words, "--sign-in") == f"/run/secrets/{mounted['target']}"
    secrets = tmp_path / Path(mounted["target"]).name
    needed = ("redirect_uri", "cookie_secret", "client_id", "client_secret")
    lines = [f'{name} = "http://127.0.0.1/x"' for name in needed]
    lines.append('server_metadata_url = "http://127.0.0.1:9/x"')
    secrets.write_text("\n".join(["[auth]", *lines]))
    front, door, metrics = free_port(), free_port(), free_port()
    check = services["places"]["healthcheck"]["test"][-1]
    moved = {
        "--port": str(door),
        "--metrics": f"127.0.0.1:{metrics}",
        "--sign-in": str(secrets),
        "--audit": str(tmp_path / "audit.jsonl"),
    }
    check = check.replace(value_of(words, "--metrics"), moved["--metrics"])
    for option, value in moved.items():
        words[words.index(option) + 1] = value
    at = words.index("--port")
    proxy_options[proxy_options.index("--port") + 1] = str(door)
    assert main(proxy_options) == 0
    config = tmp_path / "haproxy.cfg"
    printed = capsys.readouterr().out
    assert "bind 0.0.0.0:80\n" in printed
    config.write_text(printed.replace("0.0.0.0:80\n", f"127.0.0.1:{front}\n"))
    proxy_program = choose_proxy_to_start("haproxy")
    assert proxy_program is not None
    rest = words[:at] + words[at + 2 :]
    with serving_places(tmp_path / "places", *rest, port=door):
        subprocess.run([sys.executable, "-c", check], check=True)
        command = [proxy_program.program, *proxy_program.start, str(config)]
        with subprocess.Popen(command) as proxy:
            try:
                wait_until(lambda: is_listening(front), "the proxy does not listen")
                ann = Person(f"http://127.0.0.1:{front}")
                ann.come_in()
                assert ann.place == "p1"
                assert "Sign in" in ann.get()[1]
                address = parse_metrics_address(moved["--metrics"])
                url = f"http://{address.host}:{address.port}/metrics"
                with urllib.request.urlopen(url, timeout=60) as answer:
                    metrics_read = parse_metrics(answer.read().decode())
                assert metrics_read["coterie_places"]['state="taken"'] == 1
            finally:
                proxy.terminate()
