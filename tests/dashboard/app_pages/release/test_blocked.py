"""A file that breaks a promise leaves only with a reason."""

import pytest

from dashboard.app_pages.release import delivery, downloads, written_file
from dashboard.state import session
from engine.release.checks import ReleaseCheck
from engine.release.verify import WrittenRelease
from tests.dashboard.pages import (
    labelled,
    offers_release,
    open_page,
    small_table,
    texts,
    with_runs,
    workspace,
)


@pytest.fixture
def spoilt(monkeypatch):
    """Return runs of which the file as written has too small a k."""
    # A seed of its own: what was written is kept per session, data and plan.
    ws = with_runs(small_table(), seed=9)
    failed = (
        ReleaseCheck("records", "All records and columns are there", True, "60 and 4."),
        ReleaseCheck(
            "k", "Every record shares its values", passed=False, detail="k = 2."
        ),
    )
    blocked_file = WrittenRelease(b"x", ws.table.origin, failed, 2)
    monkeypatch.setattr(written_file, "read_file_and_wait", lambda *_: blocked_file)
    return ws


def test_a_file_that_does_not_keep_k_is_blocked_with_the_reason(spoilt):
    page = open_page("release", spoilt)
    assert "k = 2, fewer than 5" in page.error[0].value
    assert not offers_release(page)
    assert not page.success


def test_every_check_is_shown_with_what_was_found(spoilt):
    lines = texts(open_page("release", spoilt).markdown)
    (passed,) = [line for line in lines if "All records and columns are there" in line]
    (failed,) = [line for line in lines if "Every record shares its values.**" in line]
    assert ":green[" in passed
    assert "60 and 4." in passed
    assert ":red[" in failed
    assert "k = 2." in failed


def test_a_blocked_file_leaves_only_with_a_reason_that_was_confirmed(spoilt):
    page = open_page("release", spoilt)
    confirm = page.checkbox[0]
    assert confirm.disabled
    reason = labelled(page.text_area, "Reason")
    reason.set_value("Agreed with the board").run()
    assert not offers_release(page)
    page.checkbox[0].check().run()
    assert offers_release(page)
    assert page.error  # what is wrong is said all the same
    outcome = session.selected_or_recommended_outcome(workspace(page))
    another = next(
        o for o in session.requested_outcomes(spoilt) if o.plan != outcome.plan
    )
    page.selectbox[0].set_value(another.plan).run()
    assert not offers_release(page)


def test_the_reason_is_written_into_both_reports(spoilt):
    outcome = session.selected_or_recommended_outcome(spoilt)
    delivered = delivery.make_checked_release(
        written_file.read_file_and_wait(), outcome
    )
    for audience in ("internal", "external"):
        content = downloads.write_report(
            outcome, spoilt.table, delivered, "Agreed with the board", audience, ".html"
        )
        assert b"Agreed with the board" in content
        assert b"1 of 2 checks" in content


def test_blocks_that_break_k_are_not_released_and_the_reason_is_said():
    ws = with_runs(small_table(), methods=("mdav",), sizes=(3,), blocks=(("sales",),))
    page = open_page("release", ws)
    assert "Blocks of columns were grouped apart" in page.error[0].value
    page_text = " ".join(texts(page.markdown))
    assert "shared by 1 record at the least, fewer than k = 3" in page_text
    assert "with at least 0 others" not in page_text
    assert not offers_release(page)
