"""The class file in a real Chromium, offline: every lesson, every exercise."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page, expect

from dashboard.class_file.page import LESSONS, class_page_html
from dashboard.class_file.people import N_PEOPLE
from dashboard.class_file.words import script_translations


@contextmanager
def opened(
    browser: Browser,
    folder: Path,
    page: str,
    *,
    query: str = "",
    width: int = 1280,
    dark: bool = False,
) -> Iterator[Page]:
    """Open a class file without a network, and see that it asks for none."""
    path = folder / "class.html"
    path.write_text(page, encoding="utf-8")
    scheme = "dark" if dark else "light"
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True
    )
    urls: list[str] = []
    wrong: list[str] = []
    try:
        tab = context.new_page()
        tab.on("request", lambda request: urls.append(request.url))
        tab.on("pageerror", lambda error: wrong.append(str(error)))
        tab.on("console", lambda console_line: wrong.append(console_line.text))
        tab.goto(path.as_uri() + query)
        yield tab
        assert set(urls) == {path.as_uri() + query}
        assert wrong == []
    finally:
        context.close()


def violations(page: Page) -> list[str]:
    rules: list[dict[str, Any]] = Axe().run(page).response["violations"]
    return [f"{rule['id']}: {rule['nodes'][0]['html'][:200]}" for rule in rules]


def answer(exercise: Locator, option: int, reason: int) -> str:
    """Choose an answer and a reason, and return what the page says of both."""
    exercise.locator("[data-answer]").nth(option).check()
    exercise.locator("[data-reason]").nth(reason).check()
    exercise.locator("[data-check]").click()
    feedback = exercise.locator("[data-feedback]")
    return f"{feedback.get_attribute('data-result')}: {feedback.inner_text()}"


def answers_of(exercise: Locator) -> dict[tuple[int, int], str]:
    """Return what the page says of every pair of an answer and a reason."""
    options = exercise.locator("[data-answer]").count()
    reasons = exercise.locator("[data-reason]").count()
    return {
        (option, reason): answer(exercise, option, reason)
        for option in range(options)
        for reason in range(reasons)
    }


def test_every_exercise_is_answered_right_and_wrong(
    browser: Browser, tmp_path: Path
) -> None:
    with opened(browser, tmp_path, class_page_html(7)) as page:
        assert page.locator("[data-lesson]").count() == len(LESSONS)
        exercises = page.locator("[data-exercise]")
        assert exercises.count() >= 12
        badges = page.locator("[data-exercise] .badge").all_inner_texts()
        assert badges == [f"Exercise {i + 1}" for i in range(len(badges))]
        assert page.locator("[data-card] .small-figure > *").count() == len(LESSONS) + 1
        for exercise in exercises.all():
            texts = exercise.locator("[data-answer] + span").all_inner_texts()
            assert len(set(texts)) == len(texts), texts
            exercise.locator("[data-check]").click()
            assert "does not count" in exercise.inner_text()
            answers = answers_of(exercise)
            right = [text for text in answers.values() if text.startswith("right")]
            assert len(right) == 1
            assert "Next question: " in right[0]
            wrong = [text for text in answers.values() if text.startswith("wrong")]
            assert len(wrong) == len(answers) - 1
            assert all("This comes from a belief: " in text for text in wrong)
            # Each wrong answer, and each wrong reason, comes from a belief of its own.
            n_options = exercise.locator("[data-answer]").count()
            n_reasons = exercise.locator("[data-reason]").count()
            assert len(set(wrong)) == n_options - 1 + n_reasons - 1
        done = page.locator("header [role=status]").inner_text()
        assert done == "Exercises right: {0} of {0}".format(exercises.count())


def test_another_seed_has_other_right_answers(browser: Browser, tmp_path: Path) -> None:
    texts = []
    for seed in (7, 8):
        with opened(browser, tmp_path, class_page_html(seed)) as page:
            texts.append(
                {
                    exercise.get_attribute("data-exercise"): sorted(
                        exercise.locator("[data-answer] + span").all_inner_texts()
                    )
                    for exercise in page.locator("[data-exercise]").all()
                }
            )
    different = [name for name in texts[0] if texts[0][name] != texts[1][name]]
    assert len(different) >= 8, different


@pytest.mark.parametrize("width", [390, 1280, 1920])
def test_everybody_can_use_it(browser: Browser, tmp_path: Path, width: int) -> None:
    for dark in (False, True):
        with opened(
            browser, tmp_path, class_page_html(), width=width, dark=dark
        ) as page:
            for exercise in page.locator("[data-exercise]").all():
                answer(exercise, 0, 0)
            assert violations(page) == []
            page.wait_for_function(f"document.documentElement.scrollWidth <= {width}")
            type_px = page.evaluate(
                "parseFloat(getComputedStyle(document.documentElement).fontSize)"
            )
            assert type_px >= (20 if width == 1920 else 16)  # a projector's


def test_groups_are_drawn_by_keyboard(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, class_page_html(lessons=["groups-by-hand"])) as page:
        lesson = page.locator("[data-lesson=groups-by-hand]")
        dots = lesson.locator(".figure-box .dot")
        dots.first.focus()
        page.keyboard.press("Enter")
        assert "group 1" in str(dots.first.get_attribute("aria-label"))
        page.keyboard.press("ArrowRight")
        focused = page.evaluate("document.activeElement.getAttribute('aria-label')")
        assert "in no group" in focused
        page.keyboard.press(" ")
        assert "8 records are in no group" in lesson.inner_text()
        for dot in dots.all():
            if "in no group" in str(dot.get_attribute("aria-label")):
                dot.press("Enter")
        assert "Every group has at least 3" in lesson.inner_text()


def test_a_pointer_draws_over_records(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, class_page_html(lessons=["groups-by-hand"])) as page:
        dots = page.locator("[data-lesson] .figure-box .dot")
        page.emulate_media(reduced_motion="reduce")  # no way is scrolled slowly
        dots.first.scroll_into_view_if_needed()
        boxes = [dots.nth(i).bounding_box() for i in (0, 4)]
        for box, act in zip(boxes, (page.mouse.down, page.mouse.up), strict=True):
            assert box is not None
            x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
            page.mouse.move(x, y, steps=15)
            act()
        for i in (0, 4):
            expect(dots.nth(i)).to_have_attribute("aria-label", re.compile("group 1"))


def test_progress_is_kept_only_where_it_is_wanted(
    browser: Browser, tmp_path: Path
) -> None:
    with opened(browser, tmp_path, class_page_html()) as page:
        exercise = page.locator("[data-exercise]").first
        answers = answers_of(exercise)
        assert any(text.startswith("right") for text in answers.values())
        assert page.evaluate("localStorage.length") == 0
        page.get_by_label("Keep my progress in this browser").check()
        assert page.evaluate("localStorage.length") == 1
        with page.expect_event("load"):
            page.evaluate("location.reload()")
        assert "right: 1 of 12" in page.locator("header [role=status]").inner_text()
        page.get_by_label("Keep my progress in this browser").uncheck()
        assert page.evaluate("localStorage.length") == 0


def test_an_own_table_without_variety_breaks_nothing(
    browser: Browser, tmp_path: Path
) -> None:
    from dashboard.class_file.own_table import OwnTable

    values = tuple((float(i % 3), float(i % 2)) for i in range(12))
    table = OwnTable(("<b>a", "b & c"), values, "a source", 12, 0)
    with opened(browser, tmp_path, class_page_html(own_table=table)) as page:
        assert page.locator("[data-exercise]").count() >= 12
        assert "<b>a" in page.locator("header").inner_text()
        assert violations(page) == []


def play(page: Page, mode: str) -> str:
    """Play a game to its end, and return what the page says of it."""
    game = page.locator("[data-game]")
    game.get_by_role("button", name=mode).click()
    game.get_by_role("button", name="Begin").click()
    if "protect, the file" in mode or mode == "Two teams":
        release = game.get_by_role("button", name="Release it")
        game.get_by_role("slider").fill("15")
        assert release.is_disabled()  # beyond the budget
        game.get_by_role("slider").fill("4")
        release.click()
    if mode == "Two teams":
        game.get_by_role("button", name="We are the intruders").click()
    while (dots := game.locator(".dot[role=button]")).count():
        dots.first.press("Enter")
        game.locator(".choice button").first.click()
    return game.inner_text()


def test_games_are_summed_up_on_the_teachers_page(
    browser: Browser, tmp_path: Path
) -> None:
    codes: list[str] = []
    with opened(browser, tmp_path, class_page_html()) as page:
        for mode in ("I protect", "I intrude", "Two teams"):
            name = f"{mode}, the file" if mode != "Two teams" else mode
            text = play(page, name)
            codes += re.findall(r"Code to read out: (\w{6})", text)
            page.get_by_role("button", name="Play again").click()
    assert len(codes) == 4
    wrong = codes[0][:-1] + ("0" if codes[0][-1] != "0" else "1")
    with opened(browser, tmp_path, class_page_html(), query="?teach") as page:
        teacher = page.locator("#teacher")
        assert "No secret" in teacher.inner_text()
        for code in [*codes, wrong]:
            teacher.get_by_label("Code that was read out").fill(code.lower())
            teacher.get_by_role("button", name="Add").click()
        assert f"{wrong} is no code" in teacher.inner_text()
        lines = teacher.get_by_role("region", name="League table: ").locator("tbody tr")
        assert lines.count() == len(codes)
        assert violations(page) == []


def test_an_interrupted_game_goes_on_where_progress_is_kept(
    browser: Browser, tmp_path: Path
) -> None:
    with opened(browser, tmp_path, class_page_html()) as page:
        page.get_by_label("Keep my progress in this browser").check()
        game = page.locator("[data-game]")
        game.get_by_role("button", name="I intrude").click()
        game.get_by_role("button", name="Begin").click()
        game.locator(".dot[role=button]").first.press("Enter")
        game.locator(".choice button").first.click()
        assert "Person 2 of 5" in game.inner_text()
        with page.expect_event("load"):
            page.evaluate("location.reload()")
        assert "Person 2 of 5" in page.locator("[data-game]").inner_text()


def test_the_teacher_turns_slides_and_prints_a_sheet(
    browser: Browser, tmp_path: Path
) -> None:
    with opened(
        browser, tmp_path, class_page_html(), query="?teach", width=1920
    ) as page:
        page.set_viewport_size({"width": 1920, "height": 1080})
        n_exercises = page.locator("[data-exercise]").count()
        page.get_by_role("button", name="Slides").click()
        visible_slide = page.locator("[data-lesson] > :visible, [data-game]:visible")
        for _slide in range(len(LESSONS) + n_exercises + 1):
            expect(visible_slide).to_have_count(1)
            # Large, and whole without scrolling.
            page.wait_for_function("""() => {
                const root = document.documentElement;
                const type = parseFloat(getComputedStyle(root).fontSize);
                return type >= 20 && root.scrollHeight <= window.innerHeight;
            }""")
            page.keyboard.press("PageDown")
        expect(page.locator("[data-game]")).to_be_visible()
        for _slide in LESSONS[LESSONS.index("attack") :]:
            page.keyboard.press("ArrowLeft")
        last = page.locator("[data-exercise]").last
        expect(last).to_be_visible()
        last.locator("[data-reason]").first.check()
        page.keyboard.press("PageUp")  # a choice has the arrow keys for itself
        expect(page.locator("[data-lesson=attack] > .lesson")).to_be_visible()
        page.keyboard.press("Escape")
        assert page.locator("main > section:visible").count() > len(LESSONS)
        page.emulate_media(media="print")
        sheet = page.locator("#sheet")
        assert sheet.is_visible()
        assert not page.locator("main > section:visible:not(#teacher)").count()
        key = sheet.get_by_role("region", name="Key")
        assert not key.is_visible()
        page.emulate_media(media="screen")
        page.get_by_label("with the key").check()
        page.emulate_media(media="print")
        assert key.is_visible()
        drawing = sheet.locator(".task").filter(has_text="Draw the groups")
        assert drawing.locator(".dot").count() == 10
        assert not drawing.locator("button:visible").count()


def test_the_first_picture_does_not_wait_for_the_last(
    browser: Browser, tmp_path: Path
) -> None:
    """Painting is the browser's; that it can begin early is seen from within."""
    page_text = class_page_html()
    head, _step, _rest = page_text.partition("<script>buildNext();</script>")
    with opened(browser, tmp_path, head + "</body></html>") as page:
        expect(page.locator(".figure-box .picture .dot")).to_have_count(N_PEOPLE)
        expect(page.locator("[data-card], [data-lesson]")).to_have_count(0)


def test_records_step_to_the_mean_of_their_group(
    browser: Browser, tmp_path: Path
) -> None:
    with opened(browser, tmp_path, class_page_html()) as page:
        places = """() => new Set(Array.from(
            document.querySelectorAll("header .lesson .dot"),
            (dot) => dot.getAttribute("transform"))).size"""
        header = page.locator("header")
        page.wait_for_function(f"({places})() === {N_PEOPLE}")
        header.get_by_label("as released", exact=True).check()
        k = int(header.get_by_role("slider").input_value())
        page.wait_for_function(f"({places})() === {N_PEOPLE // k}")
        expect(header.locator(".figure strong").first).to_have_text(str(N_PEOPLE // k))
        assert violations(page) == []


def test_an_attack_is_drawn_a_hundred_times(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, class_page_html(lessons=["attack"])) as page:
        lesson = page.locator("[data-lesson=attack]")
        dots = lesson.locator("svg").nth(1).locator("circle")
        expect(dots).to_have_count(1)
        lesson.get_by_role("button", name="Draw a hundred times").click()
        expect(lesson.locator(".note").last).to_contain_text("101 draws: ")
        expect(dots).to_have_count(101)
        lesson.get_by_role("slider").press("ArrowRight")
        expect(dots).to_have_count(1)


@pytest.mark.parametrize("width", [390, 1280])
def test_long_german_words_fit(browser: Browser, tmp_path: Path, width: int) -> None:
    page_text = class_page_html(
        language="de", translated_texts=script_translations("de")
    )
    with opened(browser, tmp_path, page_text, query="?teach", width=width) as page:
        expect(page.locator("html")).to_have_attribute("lang", "de")
        page.wait_for_function(f"document.documentElement.scrollWidth <= {width}")
        loss = page.locator("[data-lesson=fixed-size] .figure strong").first
        expect(loss).to_have_text("37,626\N{NO-BREAK SPACE}%")
        expect(page.locator("[data-lesson=fixed-size]")).to_contain_text("37,63")
        numbers = page.locator(".figure strong, td, text").all_text_contents()
        assert not [
            number for number in numbers if re.search(r"\d\.\d(?!\d\d)", number)
        ]
        assert violations(page) == []


def test_the_page_speaks_chinese(browser: Browser, tmp_path: Path) -> None:
    words = script_translations("zh")
    page_text = class_page_html(language="zh", translated_texts=words)
    with opened(browser, tmp_path, page_text, query="?teach", width=390) as page:
        page.locator("[data-check]").first.click()
        text = page.locator("body").inner_text()
        assert re.findall(r"[a-z]{3,}(?: [a-z]{2,}){2,}", text) == []
        assert re.findall(r"[^\x00-\x7f][,.;] .*", text) == []
        assert violations(page) == []
