"""The main job as a person does it: a file in, choices, figures, a release out."""

import csv
import json
import subprocess
import sys
from collections import Counter
from operator import mul
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Server
from tests.browser.driver import (
    button,
    chart,
    choose_methods,
    download,
    download_release,
    go_to,
    look,
    open_files_to_keep,
    settle,
    tab,
    traces,
    upload,
    wait_for_results,
)

NAMES = ["Nr", "Größe", "Gewicht", "Einkommen", "Ort", "Befund"]
QUASI = ["Größe", "Gewicht", "Einkommen"]
METHODS = {"MDAV", "CBFS", "LDF"}


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


def give_role(page: Page, role: str, *names: str) -> None:
    """Give several columns a role together."""
    for count, name in enumerate(names, start=1):
        page.get_by_label(f"Tick {name}", exact=True).check()
        expect(page.get_by_text(f"{count} ticked:")).to_be_visible()
    choose(page, "What becomes of them", role)
    button(page, "Untick").click()


def choose(page: Page, label: str, option: str) -> None:
    """Choose in a list of the browser's own, and wait for the page."""
    page.get_by_label(label, exact=True).select_option(label=option)
    settle(page)


def fates(page: Page) -> dict[str, str]:
    """Return what the page says becomes of each column."""
    return {
        name: page.get_by_label(f"What becomes of {name}", exact=True).evaluate(
            "select => select.selectedOptions[0].label"
        )
        for name in NAMES
    }


def test_from_a_file_to_a_protected_file(
    browser: Browser, server: Server, tmp_path: Path
) -> None:
    path = people(tmp_path)
    with tab(browser, server.url) as page:
        try_a_bad_file(page, tmp_path)
        upload(page, path)
        expect(page.get_by_text(path.name).first).to_be_visible()
        expect(page.get_by_text("semicolon · decimal comma")).to_be_visible()
        give_role(page, "Leaves as it is", "Größe", "Gewicht")
        give_role(page, "Protected", "Größe", "Gewicht")
        choose(page, "What becomes of Einkommen", "Protected")
        choose(page, "What becomes of Ort", "Leaves as it is")
        choose(page, "What becomes of Befund", "Confidential")
        look(page, "job-1-data-light-1280")
        fate_by_name = fates(page)
        assert [
            name for name, fate in fate_by_name.items() if fate == "Protected"
        ] == QUASI
        assert fate_by_name["Befund"] == "Confidential"
        assert fate_by_name["Nr"] == "Removed"

        button(page, "Choose protection").click()
        choose_methods(page, "MDAV", "CBFS", "LDF")
        check_losses(page, wait_for_results(page, METHODS))
        check_sizes(page)
        check_groups(page)
        look(page, "job-2-compare-light-1280")

        button(page, "Choose a release").click()
        settle(page)
        page.get_by_test_id("stSelectbox").first.click()
        page.get_by_role("option", name="CBFS, k = 5").click()
        settle(page)
        expect(
            page.get_by_text("k = 5 verified on the file as written")
        ).to_be_visible()
        look(page, "job-3-release-light-1280")
        release = download_release(page, tmp_path)
        open_files_to_keep(page)
        plan = download(page, "Plan (JSON)", tmp_path)
        membership = download(page, "Groups (CSV)", tmp_path)
        go_to(page, "Inspect")
        look(page, "job-4-inspect-light-1280")
        expect(page.get_by_test_id("stException")).to_have_count(0)

    check_plan(path, release, plan, tmp_path)
    check_release(path, release, membership, in_order(path, plan, tmp_path))


def try_a_bad_file(page: Page, folder: Path) -> None:
    """What cannot be read is one sentence, and sets aside the table that is open."""
    bad = folder / "picture.csv"
    bad.write_bytes(bytes(range(256)) * 40)
    upload(page, bad)
    expect(page.get_by_test_id("stAlert").first).to_contain_text("picture.csv")
    expect(page.get_by_text("Business survey (synthetic) is set aside")).to_be_visible()
    look(page, "bad-file-light-1280")
    button(page, "Bring it back").click()
    expect(page.get_by_text("picture.csv")).to_have_count(0)


def check_losses(page: Page, losses: dict[tuple[str, int], float]) -> None:
    """Every method has a loss for each k, none below the bound; charts agree."""
    dots = traces(chart(page, "information-loss"))
    bounds = {
        k: loss
        for trace in dots
        if trace["name"] == "Lower bound"
        for (_key, k), loss in zip(trace["about"], trace["x"], strict=True)
    }
    assert set(bounds) == {3, 5, 10}
    for method in METHODS:
        assert 0 < losses[method, 3] < losses[method, 5] < losses[method, 10] < 100
    assert all(bounds[k] < loss for (_method, k), loss in losses.items())
    lines = {trace["name"]: trace for trace in traces(chart(page, "loss-against-k"))}
    assert set(lines) == {*METHODS, "Lower bound"}
    for (method, k), loss in losses.items():
        line = lines[method]
        assert line["y"][list(line["x"]).index(k)] == pytest.approx(loss)


def check_sizes(page: Page) -> None:
    """The strip of the k that is looked at has every record of every method once."""
    strips = [trace for trace in traces(chart(page, "group-sizes")) if trace["key"]]
    assert len(strips) == len(METHODS)
    for strip in strips:
        assert min(size for size, _last in strip["about"]) >= 5
        # One cell per size: the groups are few enough.
        assert all(first == last for first, last in strip["about"])
        counts = map(int, strip["text"])
        sizes = [size for size, _last in strip["about"]]
        assert sum(map(mul, sizes, counts)) == 240


def check_groups(page: Page) -> None:
    """Every record is in one group of every result."""
    records: dict[str, list[int]] = {}
    for trace in traces(chart(page, "groups")):
        rows = [row for row, _group in trace["about"] if row]
        records.setdefault(trace["key"], []).extend(rows)
    assert len(records) == 3 * len(METHODS)
    for rows in records.values():
        assert sorted(rows) == list(range(1, 241))


def in_order(path: Path, plan: Path, folder: Path) -> Path:
    """Write the same release in the order of the file, as the plan without its seed."""
    content = json.loads(plan.read_text(encoding="utf-8"))
    assert content.pop("order_seed") is not None
    plain, ordered = folder / "plain.json", folder / "ordered.csv"
    plain.write_text(json.dumps(content), encoding="utf-8")
    command = [sys.executable, "-m", "engine", "run", str(path)]
    command += ["--plan", str(plain), "--output", str(ordered)]
    subprocess.run(command, check=True, capture_output=True)
    return ordered


def check_release(path: Path, release: Path, membership: Path, ordered: Path) -> None:
    """The written text is 5-anonymous, in the format that came in, in a random order.

    Groups are in the order of the file.
    """
    assert release.name == "Umfrage 2026_protected.csv"
    before, after = rows_of(path), rows_of(ordered)
    written = rows_of(release)
    assert written != after
    by_values = [
        sorted(tuple(row.items()) for row in rows) for rows in (written, after)
    ]
    assert by_values[0] == by_values[1]
    assert list(after[0]) == [name for name in NAMES if name != "Nr"]
    class_sizes = Counter(tuple(row[name] for name in QUASI) for row in after)
    assert min(class_sizes.values()) >= 5
    assert sum(class_sizes.values()) == 240
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
    repetition = folder / "again.csv"
    command = [sys.executable, "-m", "engine", "run", str(path)]
    command += ["--plan", str(plan), "--output", str(repetition)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert repetition.read_bytes() == release.read_bytes()
