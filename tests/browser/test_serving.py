"""Coterie for a team: behind a reverse proxy, with a limit, and with signing in."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from dashboard.manual.chapters import FOLDER
from tests.browser.conftest import Server, free_port, serving
from tests.browser.driver import button, download, go_to, settle, tab, upload

CHAPTER = FOLDER / "serving.md"
NAME = "elsewhere.test"
"""A name that leads to this machine: see the browser's flags."""


def example(language: str, start: str) -> str:
    """Return the manual's example that starts like this."""
    text = CHAPTER.read_text(encoding="utf-8")
    found = re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)
    (one,) = [block for block in found if block.startswith(start)]
    return str(one)


@contextmanager
def nginx(folder: Path, server: Server, port: int) -> Iterator[None]:
    """Run nginx as the manual says, on a port of ours and without TLS."""
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if program is None:
        pytest.skip("nginx is not installed")
    site = example("nginx", "server {")
    for told, here in (
        ("listen 443 ssl", f"listen 127.0.0.1:{port}"),
        ("server_name stats.example", f"server_name {NAME}"),
        ("127.0.0.1:8501", f"127.0.0.1:{server.port}"),
    ):
        assert told in site
        site = site.replace(told, here)
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
        wait_for(f"http://127.0.0.1:{port}/coterie/_stcore/health", process)
        yield
    finally:
        process.terminate()
        process.wait(30)


def wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    limit = time.monotonic() + 60.0
    while True:
        try:
            urllib.request.urlopen(url, timeout=10).close()
            return
        except OSError:
            assert process.poll() is None
            assert time.monotonic() < limit
            time.sleep(0.1)


def table(path: Path, n: int) -> Path:
    rows = [f"{20 + i % 40},{1000 + 37 * i * i % 4001}" for i in range(n)]
    path.write_text("\n".join(["age,wage", *rows]) + "\n")
    return path


@pytest.mark.slow
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
        go_to(page, "Protect")
        assert "/coterie/protect" in page.url
        button(page, "Run").click()
        expect(page.get_by_text("runs done")).to_be_visible()
        page.reload()
        settle(page)
        go_to(page, "Release")
        release = download(page, "Download the protected file", tmp_path)
        assert len(release.read_text().splitlines()) == 81


@pytest.mark.slow
def test_nobody_sees_anything_before_signing_in(
    browser: Browser, tmp_path: Path
) -> None:
    pytest.importorskip("authlib")
    from tests.browser.identity import CLIENT, provider

    with provider() as identity:
        secrets = tmp_path / "secrets.toml"
        port = free_port()
        secrets.write_text(
            example("toml", "[auth]")
            .replace("https://stats.example/coterie", f"http://127.0.0.1:{port}")
            .replace("https://login.example", identity.url)
            .replace("the identifier that the provider gave you", CLIENT)
        )
        with (
            serving(tmp_path, "--sign-in", str(secrets), port=port) as server,
            tab(browser, server.url) as page,
        ):
            assert "have them sign in" not in server.log.read_text()
            expect(button(page, "Sign in")).to_be_visible()
            assert page.get_by_test_id("stDataFrame").count() == 0
            assert page.get_by_test_id("stTopNavLink").count() == 0
            button(page, "Sign in").click()
            expect(page.get_by_text("Business survey").first).to_be_visible()
            settle(page)
            upload(page, table(tmp_path / "ann.csv", 80))
            work = page.url
            with tab(browser, work) as other:
                expect(button(other, "Sign in")).to_be_visible()
                identity.person = "bob"
                button(other, "Sign in").click()
                expect(other.get_by_text("Business survey").first).to_be_visible()
                other.goto(work)
                settle(other)
                expect(other.get_by_text("Business survey").first).to_be_visible()
                assert other.get_by_text("80 records").count() == 0
            page.reload()
            settle(page)
            expect(page.get_by_text("80 records").first).to_be_visible()
            go = page.get_by_test_id("stTopNavLinkContainer")
            go.get_by_text("Sign out", exact=True).click()
            expect(button(page, "Sign in")).to_be_visible()
            page.goto(work)
            settle(page)
            expect(button(page, "Sign in")).to_be_visible()
            assert page.get_by_text("80 records").count() == 0
