"""Pictures of the manual: ``python -m tests.browser.pictures`` takes them anew.

Screens are photographed while the chapter *Ten minutes* is walked, button by button, as
it stands; drawings come from :mod:`tests.drawings`. Both are kept in the repository, in
light and dark, because Help shows them where no browser could take them.
"""

import io
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from dashboard.manual.chapters import DARK, MANUAL_FOLDER
from tests import drawings
from tests.browser.conftest import serving
from tests.browser.driver import (
    FLAGS,
    button,
    find_browser,
    release_button,
    settle,
    tab,
    wait_for_runs,
)

WALKED_CHAPTER = "ten-minutes"

WIDTH_PX, HEIGHT_PX = 1280, 800

N_COLOURS = 48
"""Colours of a picture: text stays sharp, and a picture takes some 30 kB."""

_STEP_PATTERN = re.compile(
    r"Press (?:the blue button,? )?\*([^*]+)\*|!\[[^\]]*\]\(([\w-]+)\.webp\)"
)


def read_walk() -> str:
    """Return the text of the chapter that is walked on screen."""
    chapter = (MANUAL_FOLDER / f"{WALKED_CHAPTER}.md").read_text(encoding="utf-8")
    return chapter.partition("## On screen")[2].partition("\n## ")[0]


def read_steps() -> list[re.Match[str]]:
    """Return buttons to press (group 1) and pictures to take (group 2), in order."""
    return list(_STEP_PATTERN.finditer(read_walk()))


def walk_ten_minutes(page: Page) -> Iterator[str]:
    """Press the buttons of the chapter on screen; give each picture's name in turn."""
    for step in read_steps():
        if step[1]:
            button(page, step[1]).click()
            wait_for_runs(page)
        else:
            yield step[2]
    release_button(page).wait_for()


def save_screen(page: Page, path: Path) -> None:
    """Save what the window shows as WebP with few colours."""
    page.mouse.move(0, 0)
    settle(page)
    screen = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    few = screen.quantize(N_COLOURS, dither=Image.Dither.NONE).convert("RGB")
    few.save(path, "WEBP", lossless=True, method=6)
    print(path.name, path.stat().st_size)


def main() -> None:
    """Take all pictures of the manual."""
    for path, svg in drawings.draw_all():
        path.write_text(svg, encoding="utf-8")
        print(path.name, path.stat().st_size)
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder)) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        for ending, dark in (("", False), (DARK, True)):
            with tab(browser, server.url, dark=dark) as page:
                page.set_viewport_size({"width": WIDTH_PX, "height": HEIGHT_PX})
                settle(page)
                for name in walk_ten_minutes(page):
                    save_screen(page, MANUAL_FOLDER / f"{name}{ending}.webp")
        browser.close()


if __name__ == "__main__":
    main()
