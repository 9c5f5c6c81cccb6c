"""A messy file of people as a person protects it: words, codes, dates and gaps."""

import csv
import re
import shlex
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, Page, TimeoutError, expect

from tests.browser.conftest import Server
from tests.browser.driver import (
    button,
    chart,
    choose_methods,
    download_release,
    go_to,
    look,
    open_files_to_keep,
    settle,
    tab,
    wait_for_results,
    wait_for_runs,
)
from tests.browser.driver import upload as give_file

QUASI = ("sex", "postcode", "admission", "age")
OWN_DISTANCES = ("CAAT", "KACA", "MDAV, mixed")

HOSPITAL = (
    "information-loss",
    "certainty-penalty",
    "risk-utility",
    "group-sizes",
    "groups-of-one",
    "loss-against-k",
    "groups",
)
"""Charts of a table with numbers and categories."""

GAPS = range(0, 300, 23)
"""Records without an age: enough to be grouped apart."""


def patients(folder: Path) -> Path:
    """Write 300 patients, some without an age or a sex."""
    rng = np.random.default_rng(7)
    path = folder / "patients.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["patient_id", "sex", "postcode", "admission", "age", "remark"])
        for number in range(300):
            sex = "" if number in (11, 12) else rng.choice(["female", "male"])
            code = f"0{rng.integers(1, 4)}{rng.integers(100, 112)}"
            day = np.datetime64("2024-01-01") + rng.integers(0, 300)
            age = "" if number in GAPS else rng.integers(18, 90)
            remark = rng.choice(["ward", "day clinic"])
            writer.writerow([f"P{number:04}", sex, code, day, age, remark])
    return path


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def choose(page: Page, box: str, option: str) -> None:
    """Choose an option in the select box with this label.

    A list closes where the page is drawn anew, and opens with an arrow.
    """
    field = page.get_by_label(box, exact=True).first
    list_entry = page.get_by_role("option", name=option, exact=True)
    field.click()
    for _ in range(20):
        with suppress(TimeoutError):
            list_entry.click(timeout=3_000)
            break
        field.press("ArrowDown")
    settle(page)


def test_a_messy_table_of_people_from_upload_to_download(
    browser: Browser, server: Server, tmp_path: Path
) -> None:
    path = patients(tmp_path)
    with tab(browser, server.url) as page:
        give_file(page, path)
        expect(page.get_by_text("1 question is open").first).to_be_visible()
        button(page, "No, it may leave").click()
        settle(page)
        # The command could not be repeated without the file of a hierarchy.
        button(page, "Undo it").click()
        settle(page)
        standing = page.get_by_role("row", name=re.compile("^Protected in groups of k"))
        expect(standing).to_contain_text("4 columns")
        expect(page.get_by_text("16 records lack a value").first).to_be_visible()
        page.get_by_text("Leave them out (284 of 300 remain)", exact=True).click()
        settle(page)
        page.get_by_text("Another way for single columns").click()
        settle(page)
        choose(page, "age", "Keep missing: group them apart")
        look(page, "mixed-1-data-light-1280")

        button(page, "Choose protection").click()
        choose_methods(page, *OWN_DISTANCES)
        losses = wait_for_results(page, OWN_DISTANCES)
        assert all(0 < loss < 100 for loss in losses.values())
        expect(page.get_by_text("Certainty penalty", exact=True)).to_be_visible()
        look(page, "mixed-2-compare-light-1280")

        go_to(page, "Release")
        expect(
            page.get_by_text("k = 5 verified on the file as written")
        ).to_be_visible()
        look(page, "mixed-3-release-light-1280")
        release = download_release(page, tmp_path)
        page.get_by_text("The same on the command line").click()
        settle(page)
        command = page.get_by_test_id("stCode").last.inner_text()
    check_release(path, check_command(command, release, tmp_path))


def check_release(path: Path, release: Path) -> None:
    """Nobody stands alone, gaps are where they were, and values stay in their range."""
    before = [row for row in rows_of(path) if row["sex"]]
    after = rows_of(release)
    assert list(after[0]) == [*QUASI, "remark"]
    assert len(after) == len(before) == 298
    class_sizes = Counter(tuple(row[name] for name in QUASI) for row in after)
    assert min(class_sizes.values()) >= 5
    codes = {row["postcode"] for row in before}
    span = {
        name: (min(values), max(values))
        for name in ("age", "admission")
        for values in [[row[name] for row in before if row[name]]]
    }
    for old, new in zip(before, after, strict=True):
        assert new["remark"] == old["remark"]
        assert new["sex"] in ("female", "male", "*")
        assert any(code.startswith(new["postcode"].rstrip("*")) for code in codes)
        assert bool(new["age"]) == bool(old["age"])
        for name, (minimum, maximum) in span.items():
            if new[name]:
                low, _, high = new[name].strip("[]").partition(", ")
                assert minimum <= low <= (high or low) <= maximum


def check_command(command: str, release: Path, folder: Path) -> Path:
    """The printed command gives the same bytes.

    Returns
    -------
    Path
        The release in the order of the file, by the same command.
    """
    words = [word for word in shlex.split(command) if word.strip()]
    assert words[:3] == ["coterie", "run", "patients.csv"]
    assert "age=keep" in words
    program = Path(sys.executable).with_name("coterie")

    def repeat(words: list[str], name: str) -> Path:
        words[words.index("--output") + 1] = name
        subprocess.run(
            [program, *words[1:]], cwd=folder, check=True, capture_output=True
        )
        return folder / name

    repetition = repeat(words, "again.csv")
    assert repetition.read_bytes() == release.read_bytes()
    at = words.index("--shuffle")
    assert words[at + 1] == "--shuffle-seed"
    ordered = repeat([*words[:at], *words[at + 3 :]], "ordered.csv")
    lines = [path.read_bytes().splitlines() for path in (ordered, repetition)]
    assert lines[0] != lines[1]
    assert sorted(lines[0]) == sorted(lines[1])
    return ordered


def test_the_hospital_sample_reads_well_in_the_dark(
    browser: Browser, server: Server
) -> None:
    with tab(browser, server.url, dark=True) as page:
        choose(page, "Or a sample", "Hospital discharges (synthetic)")
        protected = page.get_by_role("row", name=re.compile("^Protected"))
        expect(protected).to_contain_text("11 columns")
        page.get_by_text(re.compile(r"^Leave them out \(")).click()
        settle(page)
        look(page, "hospital-1-data-dark-1280")
        go_to(page, "Compare")
        wait_for_runs(page)
        if button(page, "Run").count():  # a busy machine expects to take longer
            button(page, "Run").click()
            wait_for_runs(page)
        for name in HOSPITAL:
            expect(chart(page, name).locator(".trace").first).to_be_attached()
        look(page, "hospital-2-compare-dark-1280")
        go_to(page, "Release")
        open_files_to_keep(page)
        expect(button(page, "Hierarchies (CSV)")).to_be_visible()
        page.keyboard.press("Escape")
        look(page, "hospital-3-release-dark-1280")
