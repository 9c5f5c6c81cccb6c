"""The director's page: plain words, nothing that stays inside, one sheet of A4."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from engine.analysis.verdict import verdict_with_acceptance_reasons
from engine.analysis.verdict.judge_release import judge_release
from engine.cli.parsing.parser import main
from engine.core.message import Message
from engine.data.table import Table
from engine.files import read_table
from engine.methods import methods
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from engine.release.verify import release_bytes_and_checks
from engine.release.writing import WritingOptions
from engine.report import director_page
from engine.report.facts import report_facts

TERMS = (
    *("quasi-identifier", "identifier", "anonym", "microaggregation", "aggregat"),
    *("k-", "SSE", "SST", "IL", "MDAV", "V-MDAV", "linkage", "centroid", "attribute"),
    *("diversity", "closeness", "NCP", "lower bound", "seed", "partition", "nominal"),
)
"""Words of the field: nobody who signs need know them."""

SIGNERS = ("Prepared the file", "Allows it to leave", "Receives it, and has read this")


def firms(names: tuple[str, ...] = ("size", "wages", "debt", "firm")) -> Table:
    rng = np.random.default_rng(4)
    n = 60
    values = (
        rng.integers(1, 500, n),
        rng.lognormal(8, 1, n).round(2),
        rng.integers(0, 9, n),
        [f"firm {i}" for i in range(n)],
    )
    roles = ("quasi-identifier", "quasi-identifier", "confidential", "identifier")
    frame = pd.DataFrame(dict(zip(names, values, strict=True)))
    return read_table(frame, roles=dict(zip(names, roles, strict=True)))


def page_of(
    table: Table, reason: str = "", name: str = "firms_protected.csv", **choices: object
) -> str:
    outcome = run(Plan(**{"method": "mdav", "k": 3, "seed": 4711} | choices), table)
    writing = WritingOptions(format="csv", shuffle=True, seed=90210)
    written = release_bytes_and_checks(outcome, table, writing)
    omissions = {one: Message("") for one in outcome.plan.identifiers}
    verdict = judge_release(outcome, table, left_out=omissions, shuffled=True)
    if reason:
        lines = tuple(replace(one, colour="amber") for one in verdict.lines)
        verdict = verdict_with_acceptance_reasons(
            replace(verdict, lines=lines), {one.id: reason for one in lines}
        )
    released = name, written.content
    page = director_page(
        outcome, table, verdict, written.checks, reason, released, True
    )
    return page.decode()


def words_of(page: str) -> str:
    body = page.partition("<body>")[2]
    return " ".join(re.sub(r"<[^>]+>", " ", body).split())


PROBABILISTIC = next(one.id for one in methods.infos() if one.traits.probabilistic)


@pytest.mark.parametrize(
    "choices", [{}, {"person": "none"}, {"method": PROBABILISTIC}], ids=str
)
def test_it_says_what_was_done_in_words_without_terms(choices: dict[str, str]) -> None:
    words = words_of(page_of(firms(), **choices))
    for term in TERMS:
        assert not re.search(rf"\b{re.escape(term)}", words), term
    assert "60 records in 3 columns" in words
    assert "all of a group have one common value: size, wages." in words
    assert "1 column still has the values of the original: debt." in words
    assert "a random order" in words
    for title in ("What the file is", "What was done", "What can still happen"):
        assert title in words
    for signer in SIGNERS:
        assert signer in words
    if "method" not in choices:
        assert "groups of at least 3 records" in words


def test_it_tells_recipients_nothing_that_stays_inside() -> None:
    page = page_of(firms(("size", "wages", "debt", "secret-firm")))
    for secret in ("secret-firm", "4711", "90210"):
        assert secret not in page
    assert "1 column of the original does not leave." in page


@pytest.mark.parametrize(
    "choices",
    [
        *({}, {"person": "none"}, {"person": "patient_id"}),
        {"person": "patient_id", "intruder_knows": "all"},
    ],
    ids=str,
)
def test_no_column_that_stays_is_named_though_it_says_whom_records_are_about(
    choices: dict[str, str],
) -> None:
    frame = firms().frame.drop(columns="firm")
    frame.insert(0, "patient_id", [f"P{1000 + 7 * (i // 3)}" for i in range(60)])
    roles = ("identifier", "quasi-identifier", "quasi-identifier", "confidential")
    table = read_table(frame, roles=dict(zip(frame.columns, roles, strict=True)))
    inside = judge_release(run(Plan(method="mdav", k=3), table), table).summary()
    assert "patient_id" in str(inside)  # who prepares the file is asked
    page = page_of(table, **choices)
    assert "patient_id" not in page
    assert "1 column of the original does not leave." in page
    counts_records = choices in ({}, {"person": "none"})
    assert ("Records were counted, and somebody may" in page) is counts_records
    outcome = run(Plan(method="mdav", k=3, **choices), table)
    verdict = judge_release(outcome, table, left_out={"patient_id": Message("")})
    facts = report_facts(outcome, table, verdict=verdict, audience="external")
    assert "patient_id" not in str(facts)


def test_it_asks_no_server_and_escapes_what_files_say() -> None:
    page = page_of(firms(("size", "<script>alert(1)</script>", "debt", "firm")))
    assert "<script" not in page
    assert "default-src 'none'" in page
    assert not re.search(r"(src|href)=|url\(|@import|https?:", page)


def test_reasons_stand_where_people_decide() -> None:
    words = words_of(page_of(firms(), "Agreed with the board"))
    assert words.count("Agreed with the board") == 6
    assert words.index("Who decided") < words.index("Agreed with the board")


@pytest.mark.parametrize("command", ["run", "protect"])
def test_both_commands_write_it(command: str, tmp_path: Path) -> None:
    source, page = tmp_path / "firms.csv", tmp_path / "page.html"
    firms().frame.to_csv(source, index=False)
    words = [command, str(source), "--output", str(tmp_path / "out.csv")]
    words += ["--director-page", str(page)]
    if command == "run":
        words += ["--quasi-identifiers", "size,wages", "--k", "3"]
    else:
        words += ["--accept-red", "For a test"]
    assert main(words) == 0
    page_text = words_of(page.read_text())
    assert "out.csv" in page_text
    assert "SHA-256" in page_text
