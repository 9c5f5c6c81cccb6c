"""What one person opens, chooses, runs and takes home, no other person sees."""

import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Server, serving
from tests.browser.driver import (
    choose_methods,
    download_release,
    go_to,
    recommended,
    results,
    settle,
    tab,
    upload,
    wait_for_results,
)


def wages(folder: Path, name: str) -> Path:
    path = folder / f"{name}.csv"
    rows = [f"{20 + i % 40},{1000 + 37 * i * i % 4001}" for i in range(60)]
    path.write_text("\n".join([f"age,wage_{name}", *rows]) + "\n")
    return path


def run_of_mdav(page: Page) -> None:
    go_to(page, "Compare")
    choose_methods(page, "MDAV")
    wait_for_results(page, ["MDAV"])


def test_two_people_do_not_see_each_other(
    browser: Browser, server: Server, tmp_path: Path
) -> None:
    with tab(browser, server.url) as ann, tab(browser, server.url) as bob:
        upload(ann, wages(tmp_path, "ann"))
        expect(ann.get_by_text("60 records").first).to_be_visible()
        run_of_mdav(ann)

        bob.reload()
        settle(bob)
        expect(bob.get_by_text("Business survey").first).to_be_visible()
        go_to(bob, "Compare")
        his = wait_for_results(bob, recommended())
        assert not set(his.values()) & set(results(ann).values())
        go_to(bob, "Data")
        upload(bob, wages(tmp_path, "bob"))
        run_of_mdav(bob)
        go_to(bob, "Release")
        bob_release = download_release(bob, tmp_path)

        ann.reload()
        settle(ann)
        go_to(ann, "Release")
        ann_release = download_release(ann, tmp_path)
        assert "wage_ann" in ann_release.read_text()
        assert "wage_bob" in bob_release.read_text()


def test_no_address_holds_a_key_to_the_work(
    browser: Browser, server: Server, tmp_path: Path
) -> None:
    with tab(browser, server.url) as ann:
        upload(ann, wages(tmp_path, "ann"))
        expect(ann.get_by_text("60 records").first).to_be_visible()
        assert urlsplit(ann.url).query == ""
        (cookie,) = (c for c in ann.context.cookies() if c["name"] == "coterie")
        assert cookie["httpOnly"]
        assert cookie["sameSite"] == "Strict"
        name = ann.evaluate("sessionStorage.getItem('coterie')")
        with tab(browser, server.url) as bob:
            # Whoever knows how a tab is called, and even says so, has another cookie.
            bob.evaluate(f"sessionStorage.setItem('coterie', '{name}')")
            bob.goto(ann.url)
            settle(bob)
            expect(bob.get_by_text("Business survey").first).to_be_visible()
        second = ann.context.new_page()
        second.goto(ann.url)
        expect(second.get_by_text("Business survey").first).to_be_visible()
        ann.reload()
        settle(ann)
        expect(ann.get_by_text("60 records").first).to_be_visible()


def test_nothing_leaves_the_machine_and_nothing_stays(
    browser: Browser, tmp_path: Path
) -> None:
    """Neither from the page (see `tab`), nor from the server, nor its workers."""
    with serving(tmp_path) as server:
        with tab(browser, server.url) as page:
            upload(page, wages(tmp_path, "ann"))
            run_of_mdav(page)
            for title in ("Inspect", "Release", "Learn", "Help"):
                go_to(page, title)
        assert server.asked_elsewhere() == []
        prove_the_watch(server)
    assert list(server.temporary.glob("coterie-job-*")) == []


def prove_the_watch(server: Server) -> None:
    """See that a question to another machine would have been seen."""
    ask = (
        "import socket; socket.socket(type=socket.SOCK_DGRAM).connect(('192.0.2.1', 9))"
    )
    done = subprocess.run([sys.executable, "-c", ask], env=server.environment)
    assert done.returncode == 0
    assert server.asked_elsewhere() == ["socket.connect 192.0.2.1"]
    server.asked.write_text("")
