"""Pictures of the manual: in light and dark, small, and drawn as they would be now."""

from __future__ import annotations

import re

from PIL import Image

from dashboard.manual.chapters import DARK, MANUAL_FOLDER
from tests import drawings
from tests.browser.pictures import read_steps, read_walk

MAX_KB = 300
"""What all pictures together may add to the repository and the wheel."""

PICTURES = {*MANUAL_FOLDER.glob("*.webp"), *MANUAL_FOLDER.glob("*.svg")}


def test_every_picture_is_shown_and_has_a_twin_for_dark_pages() -> None:
    chapters = "\n".join(
        path.read_text(encoding="utf-8") for path in MANUAL_FOLDER.glob("*.md")
    )
    named = set(re.findall(r"\]\(([\w.-]+\.(?:webp|svg))\)", chapters))
    light = {path.name for path in PICTURES if not path.stem.endswith(DARK)}
    assert light == named
    assert {path.name.replace(DARK, "") for path in PICTURES} == named
    assert len(PICTURES) == 2 * len(named)


def test_every_step_of_the_ten_minutes_can_be_walked() -> None:
    text, steps = read_walk(), read_steps()
    assert sum(bool(step[1]) for step in steps) == len(re.findall(r"\bPress\b", text))
    assert sum(bool(step[2]) for step in steps) == text.count(".webp)")
    assert steps


def test_pictures_are_small() -> None:
    assert sum(path.stat().st_size for path in PICTURES) < MAX_KB * 1024


def test_screens_are_light_and_dark() -> None:
    for path in MANUAL_FOLDER.glob("*.webp"):
        corner = Image.open(path).convert("L").getpixel((0, 0))
        assert isinstance(corner, int)
        assert (corner < 64) == path.stem.endswith(DARK), path.name


def test_drawings_are_those_of_the_script() -> None:
    for path, svg in drawings.draw_all():
        assert path.read_text(encoding="utf-8") == svg, "tests.browser.pictures"
