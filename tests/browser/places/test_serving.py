"""Coterie for a team: behind a reverse proxy, with a limit, and with signing in."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.cookiejar import CookieJar
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING
from urllib.request import HTTPCookieProcessor, build_opener

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from dashboard.manual.chapters import MANUAL_FOLDER
from dashboard.server.sign_in import sign_out_token
from tests.browser.conftest import Server, free_port, serving, wait_until_healthy
from tests.browser.driver import (
    PATIENCE,
    download_release,
    go_to,
    settle,
    tab,
    upload,
    wait_for_runs,
)
from tests.browser.following import follow

if TYPE_CHECKING:
    from tests.browser.places.identity import Provider

CHAPTER = MANUAL_FOLDER / "serving.md"
NAME = "elsewhere.test"
"""A name that leads to this machine: see the browser's flags."""


def example(language: str, start: str) -> str:
    """Return the manual's example that starts like this."""
    text = CHAPTER.read_text(encoding="utf-8")
    blocks = re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)
    (match,) = [block for block in blocks if block.startswith(start)]
    return str(match)


@contextmanager
def nginx(folder: Path, server: Server, port: int) -> Iterator[None]:
    """Run nginx as the manual says, on a port of ours and without TLS."""
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if program is None:
        pytest.skip("nginx is not installed")
    site = example("nginx", "server {")
    for setting, replacement in (
        ("listen 443 ssl", f"listen 127.0.0.1:{port}"),
        ("server_name stats.example", f"server_name {NAME}"),
        ("127.0.0.1:8501", f"127.0.0.1:{server.port}"),
    ):
        assert setting in site
        site = site.replace(setting, replacement)
    site = re.sub(r".*ssl_certificate.*\n", "", site)
    paths = "\n".join(
        f"{kind}_temp_path {folder}/{kind};"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    configuration = folder / "nginx.conf"
    configuration.write_text(
        f"daemon off; pid {folder}/pid; error_log {folder}/error.log;\n"
        f"events {{}}\nhttp {{ access_log off;\n{paths}\n{site}\n}}\n"
    )
    command = [program, "-e", f"{folder}/error.log", "-c", str(configuration)]
    process = subprocess.Popen(command)
    try:
        wait_until_healthy(
            f"http://127.0.0.1:{port}/coterie", process, folder / "error.log"
        )
        yield
    finally:
        process.terminate()
        process.wait(120)


def table(path: Path, n: int) -> Path:
    rows = [f"{20 + i % 40},{1000 + 37 * i * i % 4001}" for i in range(n)]
    path.write_text("\n".join(["age,wage", *rows]) + "\n")
    return path


def test_the_whole_job_works_behind_a_proxy(browser: Browser, tmp_path: Path) -> None:
    port = free_port()
    arguments = ["--base-path", "/coterie", "--server-name", NAME]
    arguments += ["--upload-limit", "1"]
    (tmp_path / "nginx").mkdir()
    with (
        serving(tmp_path, *arguments, path="/coterie") as server,
        nginx(tmp_path / "nginx", server, port),
        tab(browser, f"http://{NAME}:{port}/coterie/") as page,
    ):
        assert "have them sign in" in server.log.read_text()
        expect(page.get_by_test_id("stFileUploaderDropzone")).to_contain_text("1MB")
        field = page.get_by_test_id("stFileUploaderDropzoneInput")
        field.set_input_files(table(tmp_path / "large.csv", 150_000))
        expect(page.get_by_text("File must be 1.0MB or smaller")).to_be_visible()
        page.reload()
        settle(page)
        upload(page, table(tmp_path / "small.csv", 80))
        expect(page.get_by_text("80 records").first).to_be_visible()
        go_to(page, "Compare")
        assert "/coterie/compare" in page.url
        wait_for_runs(page)
        page.reload()
        settle(page)
        go_to(page, "Release")
        release = download_release(page, tmp_path)
        assert len(release.read_text().splitlines()) == 81


@contextmanager
def signing_in(folder: Path, *more: str) -> Iterator[tuple[Server, Provider]]:
    """Serve people who sign in, as the manual says."""
    pytest.importorskip("authlib")
    from tests.browser.places.identity import CLIENT, provider

    with provider() as identity:
        secrets = folder / "secrets.toml"
        port = free_port()
        secrets.write_text(
            example("toml", "[auth]")
            .replace("https://stats.example/coterie", f"http://127.0.0.1:{port}")
            .replace("https://login.example", identity.url)
            .replace("the identifier that the provider gave you", CLIENT)
            .replace("a long random text of your own", token_hex(16))
            + "\n".join(more)
        )
        with serving(folder, "--sign-in", str(secrets), port=port) as server:
            yield server, identity


class Stranger:
    """A program that keeps its cookies; whoever it is, it has no screen."""

    def __init__(self, server: Server) -> None:
        self.server, self.jar = server, CookieJar()
        self.open = build_opener(HTTPCookieProcessor(self.jar)).open

    def ask(self, path: str, method: str = "GET", body: bytes | None = None) -> int:
        request = urllib.request.Request(self.server.url + path, body, method=method)
        try:
            with self.open(request, timeout=30) as answer:
                self.said = answer.read().decode(errors="replace")
                return int(answer.status)
        except urllib.error.HTTPError as error:
            self.said = error.read().decode(errors="replace")
            return error.code

    def sign_in(self) -> None:
        assert self.ask("/sign-in?provider=") == 200

    def sign_out(self) -> None:
        token = sign_out_token({cookie.name: str(cookie.value) for cookie in self.jar})
        assert self.ask(f"/auth/logout?token={token}", "POST") == 200

    def connect(self, session: str = "") -> str:
        """Return the first line of the answer to a request for a websocket."""
        port = self.server.port
        cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in self.jar)
        lines = [
            "GET /_stcore/stream HTTP/1.1",
            f"Host: 127.0.0.1:{port}",
            f"Origin: http://127.0.0.1:{port}",
            f"Cookie: {cookies}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Protocol: streamlit, , {session}",
        ]
        with socket.create_connection(("127.0.0.1", port), 60) as connection:
            connection.sendall("\r\n".join([*lines, "", ""]).encode())
            return connection.recv(100).decode().splitlines()[0]


EVERYTHING = (
    "/_stcore/host-config",
    "/_stcore/metrics",
    "/_stcore/agent/openapi.json",
    "/_stcore/upload_file/session/file",
    "/_stcore/bidi-components/coterie/x.js",
    "/media/0123.csv",
    "/component/x/y.js",
)


def test_strangers_get_the_page_to_sign_in_on_and_nothing_else(tmp_path: Path) -> None:
    with signing_in(tmp_path, 'allow = ["group:stats"]') as (server, identity):
        stranger = Stranger(server)
        for path in EVERYTHING:
            assert stranger.ask(path) in (401, 404), path
        upload = "/_stcore/upload_file/session/file"
        assert stranger.ask(upload, "PUT", b"x" * 1000) == 401
        assert " 403 " in stranger.connect()
        for path in ("/", "/release", "/learn?show=k"):
            assert stranger.ask(path) == 200
            assert "Sign in" in stranger.said
            assert "<script" not in stranger.said
        identity.person = "eve"
        identity.claims = {"group": ["accounts"]}
        stranger.sign_in()
        assert "not among those" in stranger.said
        (action,) = re.findall('<form method="post" action="(.*?)"', stranger.said)
        assert stranger.ask(action, "POST") == 200
        assert stranger.ask("/") == 200
        assert "not among those" not in stranger.said
        assert " 403 " in stranger.connect()
        ann = Stranger(server)
        identity.person = "ann"
        identity.claims = {"group": ["stats", "all"]}
        ann.sign_in()
        assert "coterie-tab.js" in ann.said
        assert " 101 " in ann.connect()
        assert ann.ask("/_stcore/host-config") == 200
        for path in ("/_stcore/metrics", "/_stcore/agent/openapi.json"):
            assert ann.ask(path) == 404


def test_two_people_reach_nothing_of_each_other(
    browser: Browser, tmp_path: Path
) -> None:
    with signing_in(tmp_path) as (server, identity):

        def enter(person: str) -> tuple[BrowserContext, Page]:
            context = browser.new_context(accept_downloads=True)
            page = context.new_page()
            page.set_default_timeout(PATIENCE)
            follow(page)
            identity.person = person
            page.goto(server.url)
            button = page.get_by_role("button", name="Sign in", exact=True)
            expect(button).to_be_visible()
            assert page.get_by_test_id("stApp").count() == 0
            button.click()
            expect(page.get_by_text("Business survey").first).to_be_visible(
                timeout=PATIENCE
            )
            settle(page)
            return context, page

        hers, ann = enter("ann")
        his, bob = enter("bob")
        urls: list[str] = []
        ann.on("request", lambda request: urls.append(request.url))
        upload(ann, table(tmp_path / "ann.csv", 80))
        expect(ann.get_by_text("80 records").first).to_be_visible()
        go_to(ann, "Compare")
        wait_for_runs(ann)
        go_to(ann, "Release")
        download_release(ann, tmp_path)
        media = [
            entry for entry in urls if "/media/" in entry and entry.endswith(".csv")
        ]
        uploads = [entry for entry in urls if "/upload_file/" in entry]
        assert media
        assert uploads
        for address in media:
            assert ann.request.get(address).status == 200
            assert ann.request.get(address).headers["cache-control"] == "no-store"
            assert bob.request.get(address).status == 404
        for address in uploads:
            for method in ("put", "delete"):
                assert getattr(bob.request, method)(address).status == 400
        name = ann.evaluate("sessionStorage.getItem('coterie')")
        bob.evaluate(f"sessionStorage.setItem('coterie', '{name}')")
        bob.goto(ann.url)
        settle(bob)
        assert bob.get_by_text("80 records").count() == 0
        cookies = [entry for entry in hers.cookies() if entry["name"] == "coterie"]
        his.add_cookies(cookies)  # even with her browser's cookie he is not her
        bob.evaluate(f"sessionStorage.setItem('coterie', '{name}')")
        bob.goto(server.url)
        settle(bob)
        assert bob.get_by_text("80 records").count() == 0
        go_to(ann, "Data")
        expect(ann.get_by_text("80 records").first).to_be_visible()
        go = ann.get_by_test_id("stTopNavLinkContainer")
        go.get_by_text("Sign out", exact=True).click()
        settle(ann)
        ann.get_by_role("button", name="Sign out now").click()
        expect(ann.get_by_role("button", name="Sign in", exact=True)).to_be_visible()
        ann.goto(server.url)
        expect(ann.get_by_role("button", name="Sign in", exact=True)).to_be_visible()
        hers.close()
        his.close()
