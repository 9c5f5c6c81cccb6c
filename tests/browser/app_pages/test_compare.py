"""Comparing as a person does it: click, see it everywhere, look into it, pin, keep."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, TimeoutError, expect

from tests.browser.conftest import Server
from tests.browser.driver import (
    button,
    chart,
    choose_methods,
    download,
    go_to,
    look,
    settle,
    tab,
    wait_for_results,
)

METHODS = ("MDAV", "V-MDAV", "Refined")

PNG = b"\x89PNG\r\n\x1a\n"

SHOWN = """name => [...document.querySelectorAll(
    `.st-key-widget-chart-${name} .trace`)]
    .filter(each => each.__data__[0].trace.meta?.method)
    .map(each => [each.__data__[0].trace.meta.method, Number(each.style.opacity || 1)])
"""


def open_results(page: Page) -> None:
    go_to(page, "Compare")
    choose_methods(page, *METHODS)
    wait_for_results(page, METHODS)
    expect(chart(page, "groups").locator(".trace").first).to_be_visible()


def expect_faded(page: Page, methods: set[str]) -> None:
    names = ["information-loss", "loss-against-k", "group-sizes", "groups"]
    for name in names:
        page.wait_for_function(
            f"([name, faded]) => JSON.stringify([...new Set(({SHOWN})(name)"
            ".filter(each => each[1] < 0.3).map(each => each[0]))].sort()) === faded",
            arg=[name, str(sorted(methods)).replace("'", '"').replace(", ", ",")],
        )


def point_at(page: Page, place: Callable[[], tuple[float, float]]) -> None:
    """Point at something drawn until the chart says what it is, and click it."""
    label = page.locator(".hoverlayer .hovertext").first
    for _ in range(10):
        x, y = place()
        page.mouse.move(x - 6, y - 3)
        page.mouse.move(x, y, steps=3)
        try:
            label.wait_for(timeout=2_000)
        except TimeoutError:  # not drawn yet, or drawn anew just now
            continue
        page.mouse.click(x, y)
        break
    settle(page)


def middle(place: Locator) -> tuple[float, float]:
    """Return where the middle of something drawn is, in the window."""
    place.evaluate("each => each.scrollIntoView({block: 'center'})")
    box = place.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def in_view(plot: Locator) -> tuple[float, float]:
    """Return where a record is of a chart that shows only the middle of them."""
    plot.evaluate("plot => plot.scrollIntoView({block: 'center'})")
    x, y = plot.evaluate(
        """plot => {
            const {x, y} = plot._fullData.find(trace => trace.meta?.groups);
            const {xaxis, yaxis} = plot._fullLayout;
            const box = plot.querySelector('.nsewdrag').getBoundingClientRect();
            const places = Array.from(x, (at, i) => [
                box.left + xaxis.c2p(at), box.top + yaxis.c2p(y[i])]);
            return places.find(([across, up]) =>
                across > box.left + 20 && across < box.right - 20
                && up > box.top + 20 && up < box.bottom - 20);
        }"""
    )
    return x, y


def groups_of_one(page: Page) -> Locator:
    """Return the chart of one result's groups, once its records are drawn."""
    place = chart(page, "groups-of-one")
    plot = place.locator(".js-plotly-plot")
    expect(plot.locator(".main-svg").first).to_be_visible()
    settle(page)
    return plot


def selected(page: Page, label: str) -> None:
    expect(choice(page)).to_have_value(re.compile(re.escape(label)))


def choice(page: Page) -> Locator:
    return page.get_by_role("combobox", name="Selected result")


def look_at(page: Page, result: str) -> None:
    """Choose a result until the head of the page names it.

    A click is missed where the browser replaces what it hits, as it draws.
    """
    named = page.locator("strong").filter(has_text=re.compile(f"^{result}$"))
    for _ in range(5):
        choice(page).click()
        page.get_by_role("option", name=re.compile(f"^{result}")).click()
        settle(page)
        if named.count():
            return
    expect(named).to_be_visible()


def test_a_click_anywhere_stands_out_everywhere_and_pictures_leave(
    browser: Browser, server: Server, tmp_path: Path
) -> None:
    with tab(browser, server.url) as page:
        open_results(page)
        expect_faded(page, set())
        expect(
            button(page, "Download Information lost by method as PNG")
        ).to_be_visible()
        dots = chart(page, "information-loss").locator(".scatterlayer .trace")
        dot = dots.nth(1).locator("path.point").nth(1)
        point_at(page, lambda: middle(dot))
        selected(page, "V-MDAV, k = 5")
        expect_faded(page, {"MDAV", "Refined"})
        expect(chart(page, "groups-of-one")).to_be_visible()
        look(page, "compare-1-selected-light-1280")

        chart(page, "loss-against-k").locator(".traces", has_text="Refined").locator(
            ".legendtoggle"
        ).click()
        settle(page)
        selected(page, "Refined, k = 5")
        expect_faded(page, {"MDAV", "V-MDAV"})

        for name, title in (
            ("information-loss", "Information lost by method"),
            ("groups", "The groups"),
        ):
            png = download(page, f"Download {title} as PNG", tmp_path)
            svg = download(page, f"Download {title} as SVG", tmp_path)
            assert (png.name, svg.name) == (f"{name}.png", f"{name}.svg")
            content = png.read_bytes()
            assert content.startswith(PNG)
            on_screen = chart(page, name).locator(".main-svg").first.bounding_box()
            assert on_screen is not None
            twice = 2 * on_screen["width"]
            assert int.from_bytes(content[16:20]) == pytest.approx(twice, abs=2)
            drawn = svg.read_text(encoding="utf-8")
            assert drawn.startswith("<svg")
            assert f">{title}</text>" in drawn
            assert "MDAV" in drawn

        button(page, "Clear").click()
        settle(page)
        expect_faded(page, set())


def test_from_a_point_to_why_and_back_and_two_pinned_through_a_reload(
    browser: Browser, server: Server
) -> None:
    with tab(browser, server.url, dark=True) as page:
        open_results(page)
        look_at(page, "MDAV, k = 3")
        large = groups_of_one(page)
        expect(large).to_contain_text("MDAV, k = 3")
        point_at(page, lambda: in_view(large))
        why = page.get_by_role("button", name=re.compile("^Why record"))
        expect(why).to_be_visible()
        record = re.search(r"[\d,]+", why.inner_text())
        assert record is not None
        why.click()
        settle(page)
        expect(page.get_by_text(f"Record {record[0]} is in")).to_be_visible()
        button(page, "Back to all results").click()
        settle(page)

        button(page, "Pin").click()
        expect(page.get_by_text("Pinned: MDAV, k = 3")).to_be_visible()
        look_at(page, "Refined, k = 5")
        button(page, "Pin").click()
        settle(page)
        button(page, "Side by side").click()
        settle(page)
        for name in ("pair-spreads", "pair-correlations", "pair-sizes"):
            expect(chart(page, name).locator(".main-svg").first).to_be_visible()
        expect(page.get_by_text("Records in the same group in both")).to_be_visible()
        look(page, "compare-2-pair-dark-1280")

        page.reload()
        settle(page)
        go_to(page, "Data")
        go_to(page, "Compare")
        expect(page.get_by_role("heading", name="A · MDAV, k = 3")).to_be_visible()
        expect(page.get_by_role("heading", name="B · Refined, k = 5")).to_be_visible()
        page.get_by_test_id("stMain").get_by_role("button", name="Unpin").first.click()
        expect(chart(page, "groups").locator(".trace").first).to_be_visible()


def test_a_group_lights_up_in_every_panel_while_its_record_is_pointed_at(
    browser: Browser, server: Server
) -> None:
    with tab(browser, server.url) as page:
        open_results(page)
        large = groups_of_one(page)
        lit = page.locator(".coterie-lit")
        expect(lit).to_have_count(0)
        page.mouse.move(*in_view(large))
        for name in ("information-loss", "risk-utility", "group-sizes", "groups"):
            expect(chart(page, name).locator(".coterie-lit")).to_have_count(1)
        expect(large.locator(".coterie-lit polygon")).to_have_count(1)
        members = large.locator(".coterie-lit circle")
        assert members.count() >= 3
        panels = chart(page, "groups").locator(".coterie-lit polygon")
        expect(panels).to_have_count(3 * len(METHODS))
        page.mouse.move(5, 5)
        expect(lit).to_have_count(0)
