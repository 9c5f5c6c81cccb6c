"""A robot that knows nothing uploads strangers' files and follows what stands out.

It clicks the first coloured button there is, answers with it whatever it is asked, and
takes the file home. Then the file is read without Coterie: nobody's name is in it, k
holds over the columns of the promise, numbers are numbers, and no column is starred in
over half of the records without having been told.

``COTERIE_NEWCOMER=1 pytest tests/browser/test_newcomer.py -m slow -n 0 -s`` tries all
files and says how many clicks and seconds each one took, ``-k mesi_it`` one of them;
``screenshots/newcomer.md`` keeps the table.

And somebody who opens the sample gets a file in five clicks.
"""

import csv
import json
import os
import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import Browser, Download, Locator, Page, expect
from playwright.sync_api import Error as BrowserError

from tests.browser.conftest import Server
from tests.browser.driver import (
    SCREENSHOTS,
    button,
    download,
    look,
    open_files_to_keep,
    settle,
    tab,
    upload,
)
from tests.sample_files.base import SampleFile, sample_files

MOST_CLICKS = 12
"""Clicks after which a newcomer has given up."""

PATIENCE = 120.0
"""Seconds that a newcomer waits for something that runs."""

SAMPLES = {sample.name: sample for sample in sample_files()}

QUICK = ("plain_survey.csv", "call_records.csv")
"""One asks something, the other one does not."""

HEADING = (
    "| file | clicks | seconds | what was clicked, or what went wrong |",
    "| --- | ---: | ---: | --- |",
)

SAFE_ANSWERS = ("Yes, protect it", "Yes, protect them", "No, a value", "Keep as text")
"""What is clicked where a question has no coloured answer: the first safe one."""


@dataclass(frozen=True)
class Journey:
    """What a newcomer did with a file.

    Attributes
    ----------
    clicks : tuple of str
        Names of the buttons.
    seconds : float
        From the upload to the file.
    told : str
        All that the page said before the download.
    release, plan : Path
    """

    clicks: tuple[str, ...]
    seconds: float
    told: str
    release: Path
    plan: Path


def _what_stands_out(page: Page) -> Locator | None:
    """Return the first coloured button that can be clicked, or a safe answer."""
    coloured = page.get_by_test_id("stBaseButton-primary")
    for at in range(coloured.count()):
        candidate = coloured.nth(at)
        if candidate.is_visible() and candidate.is_enabled():
            return candidate
    for words in SAFE_ANSWERS:
        answer = button(page, words)
        if answer.count() and answer.first.is_enabled():
            return answer.first
    return None


def _awaited(page: Page) -> Locator | None:
    """Return what stands out, as soon as anything does: results come by themselves."""
    limit = time.monotonic() + PATIENCE
    while (target := _what_stands_out(page)) is None and time.monotonic() < limit:
        page.wait_for_timeout(200)
        _wait_for_what_runs(page)
    return target


def _wait_for_what_runs(page: Page) -> None:
    limit = time.monotonic() + PATIENCE
    settle(page)
    while page.get_by_test_id("stProgress").count():
        assert time.monotonic() < limit, "it was still running"
        page.wait_for_timeout(100)
    settle(page)


def travel(page: Page, source: Path, folder: Path) -> Journey:
    """Follow what stands out from the upload to the protected file."""
    came: list[Download] = []

    def note(download: Download) -> None:
        came.append(download)

    page.on("download", note)
    clicks: list[str] = []
    clock = time.monotonic()
    upload(page, source)
    _wait_for_what_runs(page)
    page_text = ""
    while not came:
        assert len(clicks) < MOST_CLICKS, f"no file after {clicks}"
        target = _awaited(page)
        main = page.get_by_test_id("stMain")
        page_text = main.inner_text()
        assert target is not None, (
            f"nothing stands out after {clicks}: {page_text[:2000]}"
        )
        lines = target.inner_text().split("\n")  # icons are lines of their own
        clicks.append(next(line for line in lines if line[:1].isupper()))
        target.click()
        _wait_for_what_runs(page)
    seconds = time.monotonic() - clock
    release = folder / came[0].suggested_filename
    came[0].save_as(release)
    page.remove_listener("download", note)
    open_files_to_keep(page)
    plan = download(page, "Plan (JSON)", folder)
    return Journey(tuple(clicks), seconds, page_text, release, plan)


def cells(path: Path, names: list[str]) -> pd.DataFrame:
    """Read a release as text, without Coterie; names may stand below other lines."""
    for rows in _readings(path):
        for at, row in enumerate(rows):
            body = [record for record in rows[at + 1 :] if any(record)]
            if set(names) <= set(row) and all(
                len(record) == len(row) for record in body
            ):
                return pd.DataFrame(body, columns=row)
    raise AssertionError(f"{path.name} has no line with {names}")


def _readings(path: Path) -> Iterator[list[list[str]]]:
    """Yield the rows of a file, as often as there are ways to read it."""
    if path.suffix in (".xlsx", ".xls"):
        for sheet in pd.read_excel(
            path, None, header=None, dtype=object, engine="openpyxl"
        ).values():
            yield [[_text(cell) for cell in row] for row in sheet.to_numpy().tolist()]
    elif path.suffix == ".parquet":
        frame = pd.read_parquet(path)
        rows = frame.to_numpy(dtype=object).tolist()
        yield [list(frame.columns), *([_text(cell) for cell in row] for row in rows)]
    else:
        content = path.read_bytes()
        for encoding in ("utf-8-sig", "utf-16", "cp1252"):
            try:
                text = content.decode(encoding)
            except UnicodeError:
                continue
            for delimiter in ",;\t|":
                yield list(csv.reader(text.splitlines(), delimiter=delimiter))


def _text(cell: object) -> str:
    return "" if cell is None or cell != cell or cell is pd.NaT else str(cell)


_A_NUMBER = re.compile(r"^[^\d\[\]*]{0,4}[-(]?[\d.,'’ \u00a0\u202f]+[^\d\[\]*]{0,4}$")
"""Digits with what people write around and between them; no interval, no star."""


def check(sample: SampleFile, journey: Journey) -> None:
    """See with pandas that the file is one that may leave."""
    plan = json.loads(journey.plan.read_text())
    quasi, k = plan["quasi_identifiers"], plan["k"]
    release = cells(journey.release, quasi)
    expects = sample.expects
    people = {
        name for name, roles in expects.roles.items() if set(roles) == {"identifier"}
    }
    assert not people & set(release.columns), "somebody's identifier has left"
    sizes = release.groupby(quasi, dropna=False).size()
    assert sizes.min() >= k >= 5, "k does not hold over the columns of the promise"
    promised = [name for name in quasi if name not in journey.told]
    assert not promised, f"the page does not say that k covers {promised}"
    leaves = [name for name in release.columns if name not in plan["confidential"]]
    sizes = release.groupby(leaves, dropna=False).size()
    assert sizes.min() >= k, "somebody is singled out by columns that leave as they are"
    for name in expects.numbers:
        if name in release:
            wrong = [
                value for value in release[name] if value and not _A_NUMBER.match(value)
            ]
            assert not wrong, f"{name} holds no numbers: {wrong[:3]}"
    for name in release.columns:
        starred = (release[name] == "*").mean()
        notice = re.search(rf"{re.escape(repr(name))} is gone", journey.told)
        assert starred <= 0.5 or notice, f"{name} is gone, and nobody said so"


def _record(line: str) -> None:
    """Keep the line of a file in the table for those who look; print it as well."""
    SCREENSHOTS.mkdir(exist_ok=True)
    place = SCREENSHOTS / "newcomer.md"
    rows = place.read_text().splitlines()[2:] if place.exists() else []
    others = [row for row in rows if row.split(" | ")[0] != line.split(" | ")[0]]
    place.write_text("\n".join([*HEADING, *sorted([*others, line])]) + "\n")
    print(line, flush=True)


def _try(sample: SampleFile, browser: Browser, server: Server, folder: Path) -> None:
    """Have a newcomer try one file, and see what came of it.

    Raises AssertionError if there is no file, or one that must not leave.
    """
    source = sample.make(folder)
    clicks, seconds, words = "", "", ""
    try:
        with tab(browser, server.url) as page:
            journey = travel(page, source, folder)
        clicks, seconds = str(len(journey.clicks)), f"{journey.seconds:.1f}"
        words = ", ".join(journey.clicks)
        check(sample, journey)
    except (AssertionError, BrowserError) as error:
        words = f"WRONG: {str(error).splitlines()[0]}"
        raise
    finally:
        _record(f"| {sample.name} | {clicks} | {seconds} | {words} |")


@pytest.mark.parametrize("name", QUICK)
def test_a_newcomer_gets_a_file_that_may_leave(
    name: str, browser: Browser, server: Server, tmp_path: Path
) -> None:
    _try(SAMPLES[name], browser, server, tmp_path)


@pytest.mark.skipif(
    "COTERIE_NEWCOMER" not in os.environ,
    reason="takes 20 minutes: set COTERIE_NEWCOMER=1",
)
@pytest.mark.parametrize("name", SAMPLES)
def test_so_does_a_newcomer_with_any_file(
    name: str, browser: Browser, server: Server, tmp_path: Path
) -> None:
    _try(SAMPLES[name], browser, server, tmp_path)


NOT_PROTECTED = ("bank_debt",)


def click_what_stands_out(page: Page) -> str:
    """Click the first coloured button, and return its name."""
    coloured = page.locator("[data-testid=stBaseButton-primary]:enabled").first
    words = coloured.inner_text().split("\n")
    coloured.click()
    settle(page)
    # Whoever sees something running waits for it.
    expect(page.get_by_test_id("stProgress")).to_have_count(0)
    settle(page)
    return next(word for word in words if " " in word or word.istitle())


def test_five_clicks_on_what_stands_out_end_with_a_protected_file(
    browser: Browser, server: Server, tmp_path: Path
) -> None:
    clicked: list[str] = []
    came: list[Download] = []
    with tab(browser, server.url, width=1920, dark=True) as page:
        page.on("download", lambda download: came.append(download))
        page.wait_for_function("() => window.Plotly")  # before there is a chart
        while not came and len(clicked) < 6:
            look(page, f"newcomer-{len(clicked)}-dark-1920")
            clicked.append(click_what_stands_out(page))
        release = tmp_path / "release.csv"
        came[0].save_as(release)
    assert len(clicked) <= 5, clicked
    with release.open(newline="") as file:
        after = list(csv.DictReader(file))
    assert len(after) == 1200
    protected_columns = [name for name in after[0] if name not in NOT_PROTECTED]
    class_sizes = Counter(
        tuple(row[name] for name in protected_columns) for row in after
    )
    assert min(class_sizes.values()) >= 5
