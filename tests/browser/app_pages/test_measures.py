"""Risk and utility in a browser: measured, mapped, chosen, released with reports."""

import json
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from playwright.sync_api import Browser, Page, TimeoutError, expect

from tests.browser.conftest import Server
from tests.browser.driver import (
    button,
    chart,
    choose_methods,
    download,
    download_release,
    enter,
    go_to,
    look,
    open_files_to_hand_over,
    open_files_to_keep,
    settle,
    tab,
    traces,
    wait_for_results,
    wait_for_runs,
)

METHODS = ("MDAV", "V-MDAV", "Refined")


def measure(page: Page) -> None:
    """Press the button, where it is not done by itself, and wait for the figures."""
    ask = page.get_by_role("button", name="Measure risk and utility")
    if ask.count():
        ask.click()
    wait_for_runs(page)
    expect(ask).to_have_count(0)  # nothing is left to be measured


WHERE = """(plot, [method, k]) => {
    plot.scrollIntoView({block: 'center'});
    const box = plot.getBoundingClientRect(), layout = plot._fullLayout;
    const data = plot._fullData.find(one => one.name === method);
    const point = data.customdata.findIndex(one => one[1] === k);
    return [
        box.x + layout._size.l + layout.xaxis.d2p(data.x[point]),
        box.y + layout._size.t + layout.yaxis.d2p(data.y[point]),
    ];
}"""


def click_point(page: Page, name: str, method: str, k: int) -> None:
    """Click the point of a result in a chart, wherever it was drawn.

    A chart that is just being drawn anew can miss the pointer, as people know.
    """
    plot = chart(page, name).locator(".js-plotly-plot")
    hover = page.locator(".hoverlayer .hovertext").first
    for _ in range(20):
        place = plot.evaluate(WHERE, [method, k])
        page.mouse.move(place[0] - 5, place[1] - 5)
        page.mouse.move(*place)
        with suppress(TimeoutError):
            # Only a point that is pointed at can be clicked.
            hover.wait_for(timeout=3_000)
            break
    page.mouse.click(*place)
    settle(page)


def follow(page: Page, label: str, title: str) -> None:
    """Press a button until the page that it leads to is there.

    A page that is just being drawn anew can miss a click, as people know.
    """
    heading = page.get_by_role("heading", name=title, exact=True)
    for _ in range(5):
        button(page, label).click()
        settle(page)
        if heading.is_visible():
            break
    expect(heading).to_be_visible()


def open_results(page: Page) -> None:
    go_to(page, "Compare")
    choose_methods(page, *METHODS)
    wait_for_results(page, METHODS)


def test_from_the_map_to_a_released_file_with_its_reports(
    browser: Browser, server: Server, tmp_path: Path
) -> None:
    with tab(browser, server.url) as page:
        open_results(page)
        look(page, "measures-0-offer-light-1280")
        measure(page)
        names = [trace["name"] for trace in traces(chart(page, "risk-utility"))]
        assert sorted(names) == ["Efficient", "MDAV", "Refined", "V-MDAV", "k"]
        ceiling = page.get_by_role("spinbutton", name="Your ceiling for risk")
        note = page.get_by_text("results keep k and stay within 25 %")
        enter(page, ceiling, "25", note)
        expect(note).to_be_visible()
        click_point(page, "risk-utility", "Refined", 10)
        choice = page.get_by_role("combobox", name="Selected result")
        expect(choice).to_have_value(re.compile("^Refined, k = 10"))
        look(page, "measures-1-compare-light-1280")
        follow(page, "Inspect", "Inspect")
        expect(page.get_by_text("Record linkage by distance").first).to_be_visible()
        look(page, "measures-2-inspect-light-1280")
        go_to(page, "Release")
        expect(
            page.get_by_text("k = 10 verified on the file as written")
        ).to_be_visible()
        look(page, "measures-3-release-light-1280")
        inner = download(page, "Report for yourself", tmp_path)
        open_files_to_hand_over(page)
        words = "Report for those who receive it (JSON)"
        outer = download(page, words, tmp_path)
        page.keyboard.press("Escape")
        open_files_to_keep(page)
        script = download(page, "Script (Python)", tmp_path)
        plan = download(page, "Plan (JSON)", tmp_path)
        page.keyboard.press("Escape")
        release = download_release(page, tmp_path)

        go_to(page, "Data")
        button(page, "Open a plan").click()
        page.get_by_test_id("stPopoverBody").get_by_test_id(
            "stFileUploaderDropzoneInput"
        ).set_input_files(plan)
        expect(page.get_by_text("The plan's choices are restored")).to_be_visible()
        go_to(page, "Compare")
        wait_for_results(page, ["Refined"], [10])

    assert "Record linkage by distance" in inner.read_text(encoding="utf-8")
    facts = json.loads(outer.read_text(encoding="utf-8"))
    assert all(check["passed"] for check in facts["checks"])
    assert {"record-linkage", "information-loss"} <= {
        measure["id"] for measure in facts["measures"]
    }
    check_script(script, release, tmp_path)


def check_script(script: Path, release: Path, folder: Path) -> None:
    """The script gives the same file, byte for byte, from the original."""
    import sample_data

    work = folder / "again"
    work.mkdir()
    source = sample_data.SAMPLES[0].path
    (work / source.name).write_bytes(source.read_bytes())
    done = subprocess.run(
        [sys.executable, str(script)], cwd=work, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert (work / release.name).read_bytes() == release.read_bytes()
