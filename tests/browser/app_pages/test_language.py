"""The language of the pages: the browser's at first, then the one that is chosen."""

from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Server
from tests.browser.driver import button, go_to, look, settle, tab, wait_until_whole


def choose(page: Page, now: str, wanted: str) -> None:
    """Choose another language from the menu that is named after the present one."""
    button(page, now).click()
    page.get_by_role("menuitem", name=wanted).or_(
        page.get_by_role("option", name=wanted)
    ).click()
    settle(page)


def test_it_follows_the_browser_until_another_one_is_chosen_and_keeps_that(
    browser: Browser, server: Server
) -> None:
    with tab(browser, server.url, locale="zh-CN") as page:
        expect(page.get_by_role("heading", name="数据", exact=True)).to_be_visible()
        expect(page.locator("html")).to_have_attribute("lang", "zh")
        look(page, "data-in-chinese")
        go_to(page, "比较")
        expect(page.get_by_role("combobox", name="添加方法")).to_be_visible()

        choose(page, "中文", "English")
        expect(page.get_by_role("combobox", name="Add a method")).to_be_visible()
        expect(page.locator("html")).to_have_attribute("lang", "en")
        go_to(page, "Data")
        expect(page.get_by_role("heading", name="Data", exact=True)).to_be_visible()

        page.reload()
        settle(page)
        expect(page.get_by_role("heading", name="Data", exact=True)).to_be_visible()
        choose(page, "English", "中文")
        expect(page.get_by_role("heading", name="数据", exact=True)).to_be_visible()


CUT_OFF = """() => [...document.querySelectorAll(
        'button, label, h1, h2, h3, [role=tab], [role=radio], [role=option]')]
    .filter(each => each.checkVisibility() && each.clientWidth > 1
        && getComputedStyle(each).overflowX !== 'visible'
        && each.scrollWidth > each.clientWidth + 1)
    .map(each => each.innerText)"""


def test_nothing_overflows_in_german(browser: Browser, server: Server) -> None:
    with tab(browser, server.url, locale="de-DE") as page:
        page.set_viewport_size({"width": 1280, "height": 800})
        expect(page.get_by_role("heading", name="Daten", exact=True)).to_be_visible()
        expect(page.locator("html")).to_have_attribute("lang", "de")
        for name in ("data", "need", "compare", "inspect", "release", "learn", "help"):
            page.goto(f"{server.url}/{name}")
            settle(page)
            wait_until_whole(page, "Width")
            page.wait_for_function(f"({CUT_OFF})().length === 0")
            look(page, f"{name}-in-german")
