"""A rule and a model are asked for, a release is found, and keeps what was asked."""

from pathlib import Path

import numpy as np
import pandas as pd
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Server
from tests.browser.driver import (
    PATIENCE,
    button,
    download_release,
    go_to,
    look,
    settle,
    tab,
    upload,
)

COLUMNS = ["age", "floor_area", "rent"]
OVERLAP = 0.35  # a first release has .23, one of the first dozen this


def rents(folder: Path, n: int = 300) -> Path:
    """Write a file in which the rent follows from two columns, and from chance."""
    rng = np.random.default_rng(37)
    age, area = rng.normal(45.0, 11.0, n), rng.normal(80.0, 19.0, n)
    rent = 300.0 - 3.0 * age + 9.0 * area + rng.normal(0.0, 60.0, n)
    path = folder / "rents.csv"
    frame = pd.DataFrame(dict(zip(COLUMNS, (age, area, rent), strict=True)))
    frame.round(2).to_csv(path, index=False)
    return path


def say_rules(page: Page, rules: str) -> None:
    field = page.get_by_label("Rules, one a line", exact=True)
    field.fill(rules)
    field.press("Control+Enter")
    settle(page)


def choose(page: Page, label: str, *options: str) -> None:
    for option in options:
        page.get_by_role("combobox", name=label, exact=True).click()
        page.get_by_role("option", name=option, exact=True).click()
        settle(page)


def slopes(frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return the slopes of the model by least squares, and their standard errors."""
    X = np.column_stack([np.ones(len(frame)), frame["age"], frame["floor_area"]])
    y = frame["rent"].to_numpy()
    estimate = np.linalg.lstsq(X, y, rcond=None)[0]
    variance = ((y - X @ estimate) ** 2).sum() / (len(y) - X.shape[1])
    errors = np.sqrt(variance * np.diag(np.linalg.inv(X.T @ X)))
    return estimate[1:], errors[1:]


def test_from_a_rule_and_a_model_to_a_release_that_keeps_both(
    browser: Browser, server: Server, tmp_path: Path
) -> None:
    with tab(browser, server.url) as page:
        path = rents(tmp_path)
        upload(page, path)
        expect(page.get_by_text("300 records").first).to_be_visible()
        go_to(page, "Need")
        say_rules(page, "k >= twelve")
        expect(page.get_by_text("Mend first what is marked above.")).to_be_visible()
        expect(button(page, "Find the release")).to_be_disabled()
        look(page, "need-1-wrong-light-1280")
        say_rules(page, "k >= 12")
        expect(page.get_by_text("So: at least 12 people")).to_be_visible()
        choose(page, "Model", "linear regression")
        choose(page, "of", "rent")
        choose(page, "by", "age", "floor_area")
        overlap = page.get_by_label("overlap at least", exact=True)
        overlap.fill(str(OVERLAP))
        overlap.press("Enter")
        settle(page)
        page.get_by_text("20 s", exact=True).click()
        settle(page)
        button(page, "Find the release").click()
        answer = page.get_by_role("table", name="Rules and what must be kept")
        expect(answer).to_be_visible(timeout=PATIENCE)
        expect(answer.get_by_role("cell", name="holds")).to_have_count(2)
        expect(answer.get_by_role("rowheader").first).to_contain_text("k >= 12")
        look(page, "need-2-found-light-1280")
        button(page, "Take this release").click()
        settle(page)
        released = pd.read_csv(download_release(page, tmp_path))
    assert released.groupby(COLUMNS).size().min() >= 12
    before, error_before = slopes(pd.read_csv(path))
    after, error_after = slopes(released)
    half_before, half_after = 1.96 * error_before, 1.96 * error_after
    upper = np.minimum(before + half_before, after + half_after)
    lower = np.maximum(before - half_before, after - half_after)
    shared = 0.5 * (upper - lower) * (0.5 / half_before + 0.5 / half_after)
    assert shared.min() >= OVERLAP - 1e-3
