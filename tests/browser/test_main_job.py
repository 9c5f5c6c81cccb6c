"""The main job as a person does it: a file in, choices, figures, a release out."""

from __future__ import annotations

import contextlib
import csv
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, Page, TimeoutError, expect

from tests.browser.conftest import Server
from tests.browser.driver import (
    button,
    cell,
    download,
    figures,
    go_to,
    look,
    open_files_to_keep,
    settle,
    tab,
    upload,
)

NAMES = ["Nr", "Größe", "Gewicht", "Einkommen", "Ort", "Befund"]
QUASI = ["Größe", "Gewicht", "Einkommen"]
HEADER, ROW = 36, 35
"""Heights in the table of columns, in pixels."""


def people(folder: Path, n: int = 240) -> Path:
    """Write a file as a German spreadsheet exports it."""
    rng = np.random.default_rng(11)
    path = folder / "Umfrage 2026.csv"
    with path.open("w", encoding="cp1252", newline="") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow(NAMES)
        for number in range(n):
            height, weight = rng.normal(172, 9), rng.normal(75, 12)
            income = rng.lognormal(7.8, 0.5)
            row = [f"{height:.1f}", f"{weight:.1f}", f"{income:.2f}"]
            cells = [value.replace(".", ",") for value in row]
            place = rng.choice(["Köln", "Bonn", "Essen"])
            writer.writerow([f"K{number:05}", *cells, place, rng.choice(["A", "B"])])
    return path


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="cp1252", newline="") as file:
        return list(csv.DictReader(file, delimiter=";"))


def point_at(page: Page, row: int, x: int) -> tuple[float, float]:
    box = page.get_by_test_id("stDataFrame").first.bounding_box()
    assert box is not None
    return box["x"] + x, box["y"] + HEADER + ROW * row + ROW / 2


def tick(page: Page, *rows: int) -> None:
    for count, row in enumerate(rows, start=1):
        said = page.get_by_text(f"{count} ticked:")
        for _ in range(5):  # a grid that has just been drawn can miss a click
            page.mouse.click(*point_at(page, row, 18))
            settle(page)
            if said.count():
                break
        expect(said).to_be_visible()


def give_role(page: Page, role: str, *rows: int) -> None:
    """Give several columns a role together."""
    tick(page, *rows)
    button(page, role).click()
    expect(page.get_by_text("Tick columns to change together:")).to_be_visible()
    settle(page)


def choose_role(page: Page, row: int, role: str) -> None:
    """Change a role inside the table, by keyboard after one click."""
    choices = page.locator("#portal").get_by_role("combobox")
    clicked = page.locator(f"#glide-cell-1-{row}[aria-selected=true]")
    for _ in range(5):  # a grid that has just been drawn can miss the first click
        page.mouse.click(*point_at(page, row, 90))
        with contextlib.suppress(TimeoutError):
            clicked.first.wait_for(state="attached", timeout=5_000)
            page.keyboard.press("ArrowRight")
            page.keyboard.press("Enter")
            choices.wait_for(timeout=5_000)
            break
    choices.type(role)
    page.keyboard.press("Enter")
    settle(page)


def roles(page: Page) -> dict[str, str]:
    return {cell(page, 1, row): cell(page, 2, row) for row in range(len(NAMES))}


def choose_methods(page: Page, *titles: str) -> None:
    button(page, "None").click()
    settle(page)
    for title in titles:
        page.get_by_text(title, exact=True).first.click()
        settle(page)


def test_from_a_file_to_a_protected_file(
    browser: Browser, server: Server, tmp_path: Path
) -> None:
    path = people(tmp_path)
    with tab(browser, server.url) as page:
        upload(page, path)
        expect(page.get_by_text(path.name).first).to_be_visible()
        expect(page.get_by_text("semicolon · decimal comma")).to_be_visible()
        give_role(page, "Other", 1, 2)
        give_role(page, "Quasi-identifier", 1, 2)
        choose_role(page, 3, "Quasi")
        choose_role(page, 5, "Confid")
        expect(page.get_by_text("1 confidential").first).to_be_visible()
        look(page, "job-1-data-light-1280")
        found = roles(page)
        assert [name for name, role in found.items() if role == "quasi-identifier"] == (
            QUASI
        )
        assert found["Befund"] == "confidential"
        assert found["Nr"] == "identifier"

        button(page, "Choose protection").click()
        settle(page)
        choose_methods(page, "MDAV", "CBFS", "LDF")
        expect(page.get_by_text("3 methods × 2 values of k = 6 runs")).to_be_visible()
        look(page, "job-2-protect-light-1280")
        button(page, "Run").click()
        expect(page.get_by_text("6 runs done")).to_be_visible()

        button(page, "Compare").click()
        settle(page)
        bars, lines, sizes, groups = figures(page)
        check_losses(bars)
        check_losses(lines)
        for trace in sizes:
            assert min(trace["x"]) >= 3
            records = sum(x * y for x, y in zip(trace["x"], trace["y"], strict=True))
            assert records == 240
        assert len(sizes) == len(groups) == 6
        # A line from each record to the centre of its group, and a gap.
        assert {len(trace["x"]) for trace in groups} == {3 * 240}
        look(page, "job-3-compare-light-1280")

        button(page, "Choose a release").click()
        settle(page)
        page.get_by_test_id("stSelectbox").first.click()
        page.get_by_role("option", name="CBFS, k = 5").click()
        settle(page)
        expect(
            page.get_by_text("k = 5 verified on the file as written")
        ).to_be_visible()
        look(page, "job-4-release-light-1280")
        release = download(page, "Download the protected file", tmp_path)
        open_files_to_keep(page)
        plan = download(page, "Plan (JSON)", tmp_path)
        membership = download(page, "Groups (CSV)", tmp_path)

    check_release(path, release, membership)
    check_plan(path, release, plan, tmp_path)


def check_losses(traces: list[dict[str, object]]) -> None:
    """Every method has a loss for both k, and none is below the bound."""
    by_name = {trace["name"]: trace for trace in traces}
    bound = [y for y in by_name.pop("Lower bound")["y"] if y is not None]
    assert set(by_name) == {"MDAV", "CBFS", "LDF"}
    for trace in by_name.values():
        low, high = trace["y"]
        assert 0 < min(bound) < low < high < 100
        assert high > max(bound)


def check_release(path: Path, release: Path, membership: Path) -> None:
    """The written text is 5-anonymous, in the format that came in, in its order."""
    assert release.name == "Umfrage 2026_protected.csv"
    before, after = rows_of(path), rows_of(release)
    assert list(after[0]) == [name for name in NAMES if name != "Nr"]
    together = Counter(tuple(row[name] for name in QUASI) for row in after)
    assert min(together.values()) >= 5
    assert sum(together.values()) == 240
    assert [row["Ort"] for row in after] == [row["Ort"] for row in before]
    assert any("," in row["Einkommen"] for row in after)
    groups = membership.read_text(encoding="utf-8").split()
    assert groups[0] == "group"
    assert len(groups) == 241
    values = {
        (group, *(row[name] for name in QUASI))
        for group, row in zip(groups[1:], after, strict=True)
    }
    assert len(values) == len(set(groups[1:]))


def check_plan(path: Path, release: Path, plan: Path, folder: Path) -> None:
    """The plan gives the same file, byte for byte, without the dashboard."""
    content = json.loads(plan.read_text(encoding="utf-8"))
    assert (content["method"], content["k"]) == ("cbfs", 5)
    again = folder / "again.csv"
    command = [sys.executable, "-m", "engine", "run", str(path)]
    command += ["--plan", str(plan), "--output", str(again)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert again.read_bytes() == release.read_bytes()


def test_edits_stay_when_the_page_changes(
    browser: Browser, server: Server, tmp_path: Path
) -> None:
    with tab(browser, server.url) as page:
        upload(page, people(tmp_path))
        expect(page.get_by_text("240 records").first).to_be_visible()
        choose_role(page, 4, "Confid")
        expect(page.get_by_text("1 confidential").first).to_be_visible()
        go_to(page, "Protect")
        go_to(page, "Data")
        assert roles(page)["Ort"] == "confidential"
        upload(page, people(tmp_path, 300))
        expect(page.get_by_text("300 records").first).to_be_visible()
        assert roles(page)["Ort"] == "confidential"


def test_a_bad_file_is_one_sentence_and_the_table_stays(
    browser: Browser, server: Server, tmp_path: Path
) -> None:
    bad = tmp_path / "picture.csv"
    bad.write_bytes(bytes(range(256)) * 40)
    with tab(browser, server.url) as page:
        upload(page, bad)
        expect(page.get_by_test_id("stAlert").first).to_contain_text("picture.csv")
        expect(page.get_by_text("Business survey").first).to_be_visible()
        look(page, "bad-file-light-1280")
