"""Page for the director: one A4 sheet on a release, in plain words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from engine.analysis.verdict import Verdict
from engine.data.table import Table
from engine.pipeline.outcome import Outcome
from engine.release.checks import ReleaseCheck
from engine.report.facts import report_facts
from engine.report.pages import render_page

MAX_NAMES, MAX_NAME_CHARS = 6, 28
"""Columns that a list names, and characters of a name; more would not fit the page."""

MAX_SENTENCE_CHARS, MAX_REASON_CHARS = 200, 70
"""Characters of what the verdict says, and of why somebody leaves it so."""

STATES = {"green": "Nothing to do.", "amber": "To be known.", "red": "Not settled."}
"""What a line's colour means, for whoever prints without colours."""

RISKS = ("found", "guessed", "exact", "left-out")
"""Lines of the verdict about what can still happen."""


def director_page(
    outcome: Outcome,
    table: Table,
    verdict: Verdict,
    checks: Iterable[ReleaseCheck] = (),
    override: str = "",
    released_file: tuple[str, bytes] | None = None,
    shuffled: bool = False,
) -> bytes:
    """Return the director's page as bytes of HTML, with lines to sign.

    It prints on one sheet of A4, asks no server for anything, and has nothing that an
    external report (see :data:`engine.report.facts.Audience`) leaves out.

    Parameters
    ----------
    table : Table
        What was protected.
    verdict : Verdict
    checks : iterable of ReleaseCheck
        Of the release as written.
    override : str
        Why a release that fails a check, or whose verdict is red, leaves all the same.
    released_file : tuple of str and bytes, optional
        Name and content of the file as written.
    shuffled : bool
        Whether records are written in a random order.
    """
    facts = report_facts(
        outcome,
        table,
        checks=checks,
        override=override,
        audience="external",
        released=released_file,
        verdict=verdict,
    )
    columns = facts["columns"]
    exact = [
        entry["name"] for entry in columns if entry["became"] == "released as it is"
    ]
    lines = {line["id"]: line for line in facts["verdict"]["lines"]}
    reasons = [
        (line["asks"], shorten(line["reason"], MAX_REASON_CHARS))
        for line in lines.values()
        if line["reason"]
    ]
    reason = override or verdict.accepted
    page: dict[str, Any] = {
        "title": shorten(facts["title"], 2 * MAX_NAME_CHARS),
        "released": facts["released"],
        "name": shorten(released_file[0], 2 * MAX_NAME_CHARS) if released_file else "",
        "data": facts["data"],
        "k": outcome.plan.k,
        "of_people": bool(outcome.n_persons),
        "n_people": outcome.n_persons,
        "has_sizes": outcome.probabilistic is None,
        "protected": _name_some(list(outcome.plan.quasi_identifiers)),
        "n_protected": len(outcome.plan.quasi_identifiers),
        "exact": _name_some(exact),
        "n_exact": len(exact),
        "shuffled": shuffled,
        "n_checks": len(facts["checks"]),
        "n_failed": sum(not entry["passed"] for entry in facts["checks"]),
        "headline": facts["verdict"]["headline"],
        "risks": [_say_line(lines[name], verdict, outcome.plan.k) for name in RISKS],
        "useful": _say_line(lines["useful"], verdict, outcome.plan.k),
        "reasons": reasons,
        "override": shorten(reason, 2 * MAX_REASON_CHARS),
    }
    return render_page("director.html", page).encode(errors="backslashreplace")


def _say_line(line: dict[str, Any], verdict: Verdict, k: int) -> dict[str, str]:
    """Return a line of the verdict, with its state in words."""
    says = line["says"]
    if line["id"] == "found" and verdict.counts_records:
        says = (
            "Records were counted, and somebody may have several: a group may be of "
            f"fewer than {k} people."
        )
    return {
        "asks": line["asks"],
        "state": STATES[line["colour"]],
        "says": shorten(says, MAX_SENTENCE_CHARS),
        "colour": line["colour"],
    }


def _name_some(names: list[str]) -> str:
    """Return the first of some names, and how many more there are."""
    named = ", ".join(shorten(name, MAX_NAME_CHARS) for name in names[:MAX_NAMES])
    more = len(names) - MAX_NAMES
    return f"{named} and {more:,} more" if more > 0 else named


def shorten(text: str, max_chars: int) -> str:
    """Return text as one line of at most `max_chars` characters.

    Examples
    --------
    >>> shorten("a  long name", 8), shorten("short", 8)
    ('a long …', 'short')
    """
    words = " ".join(text.split())
    return words if len(words) <= max_chars else f"{words[: max_chars - 1]}…"
