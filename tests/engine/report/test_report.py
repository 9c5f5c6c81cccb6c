"""Reports say what was done; the external one nothing that helps an attacker."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from engine.analysis.attacks import attacks
from engine.cli.parsing.parser import main
from engine.core.errors import InputError
from engine.data.propose import suggest_schema
from engine.data.table import Origin, Table
from engine.measures import measures
from engine.pipeline.evaluate import evaluate
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from engine.release.checks import ReleaseCheck
from engine.release.verify import release_bytes_and_checks
from engine.release.writing import WritingOptions
from engine.report import (
    facts_to_file,
    facts_to_html,
    facts_to_json,
    facts_to_markdown,
    report_facts,
)
from engine.report.intruder import run_report_attacks
from engine.report.pages import format_number

NASTY = '<b>wages & "more"|x'


def make_table() -> Table:
    rng = np.random.default_rng(4)
    n = 60
    frame = pd.DataFrame(
        {
            "firm": [f"firm {i}" for i in range(n)],
            "size": rng.integers(1, 500, n),
            NASTY: rng.lognormal(8, 1, n).round(2),
            "debt": rng.integers(0, 9, n),
        }
    )
    table = Table.from_frame(
        frame, suggest_schema(frame), Origin("csv", {}, "secret-name.csv")
    )
    return table.assign(
        roles={
            "firm": "identifier",
            "size": "quasi-identifier",
            NASTY: "quasi-identifier",
            "debt": "confidential",
        },
        kinds={"size": "continuous", NASTY: "continuous"},
    )


@pytest.fixture(scope="module")
def table() -> Table:
    return make_table()


@pytest.fixture(scope="module")
def outcome(table: Table) -> Outcome:
    return run(Plan(method="vmdav", k=4, seed=777, parameters={"gamma": 1.0625}), table)


@pytest.fixture(scope="module")
def pages(outcome: Outcome, table: Table) -> dict[str, str]:
    scores = evaluate(outcome, table)
    checks = release_bytes_and_checks(outcome, table).checks
    texts = {}
    for audience in ("internal", "external"):
        facts = report_facts(outcome, table, scores, checks, audience=audience)
        for make in (facts_to_html, facts_to_markdown, facts_to_json):
            texts[f"{audience} {make.__name__}"] = make(facts)
    return texts


def test_the_internal_report_holds_everything(
    pages: dict[str, str], outcome: Outcome
) -> None:
    for name in (
        "internal facts_to_html",
        "internal facts_to_markdown",
        "internal facts_to_json",
    ):
        text = pages[name]
        for word in (outcome.fingerprint, "777", "1.0625", "secret-name.csv", "V-MDAV"):
            assert word in text, (name, word)
    for info in measures.infos():
        assert info.title in pages["internal facts_to_json"]


def test_the_external_report_tells_nothing_that_helps_to_undo_it(
    pages: dict[str, str], outcome: Outcome
) -> None:
    for name in (
        "external facts_to_html",
        "external facts_to_markdown",
        "external facts_to_json",
    ):
        text = pages[name]
        for word in (outcome.fingerprint, "777", "1.0625", "secret-name", "firm"):
            assert word not in text, (name, word)
        assert "V-MDAV" in text


def test_no_original_identifying_value_is_in_any_report(
    pages: dict[str, str], table: Table
) -> None:
    values = [f"firm {i}" for i in range(60)] + [str(v) for v in table.frame[NASTY]]
    for text in pages.values():
        assert not [value for value in values if value in text]


def test_a_page_needs_no_network_and_escapes_what_files_bring(
    pages: dict[str, str],
) -> None:
    text = pages["internal facts_to_html"]
    assert "<b>wages" not in text
    assert "&lt;b&gt;wages &amp;" in text
    assert not re.findall(r"(?:src|href)=|@import|url\(", text)

    tag_names: set[str] = set()

    class Tags(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            tag_names.add(tag)

    Tags().feed(text)
    assert "table" in tag_names
    assert not tag_names & {"script", "link", "img", "iframe", "object"}


def test_json_holds_plain_values_only(pages: dict[str, str]) -> None:
    facts = json.loads(pages["internal facts_to_json"], parse_constant=pytest.fail)
    assert facts["groups"]["k_verified"] is True
    assert sum(facts["groups"]["sizes"].values()) == facts["groups"]["number"]
    for measure in facts["measures"]:
        assert measure["direction"] in ("lower is better", "higher is better")
        assert measure["reference"]


def test_the_seed_of_a_shuffle_stays_inside(outcome: Outcome, table: Table) -> None:
    checks = release_bytes_and_checks(
        outcome, table, WritingOptions(shuffle=True, seed=4711)
    ).checks
    for audience in ("internal", "external"):
        text = facts_to_html(
            report_facts(outcome, table, checks=checks, audience=audience)
        )
        assert ("4711" in text) == (audience == "internal")


def test_a_failed_check_and_its_override_stand_in_the_report(
    outcome: Outcome, table: Table
) -> None:
    failed = ReleaseCheck("k", "k holds", passed=False, detail="k = 2.")
    facts = report_facts(outcome, table, checks=[failed], override="agreed by A. B.")
    for make in (facts_to_html, facts_to_markdown):
        text = make(facts)
        assert "1 of 1 checks" in text
        assert "agreed by A. B." in text


def test_figures_read_well() -> None:
    texts = [
        format_number(v, "%") for v in (3.0, 1234567.0, 0.12346, 4e-9, 12.3456, 98765.4)
    ]
    assert texts == [
        "3 %",
        "1,234,567 %",
        "0.1235 %",
        "less than 0.001 %",
        "12.35 %",
        "98,765.4 %",
    ]


def test_a_report_with_another_suffix_is_refused(
    outcome: Outcome, table: Table
) -> None:
    with pytest.raises(InputError, match=r"ends in '\.pdf'"):
        facts_to_file(report_facts(outcome, table), ".pdf")


def test_the_command_line_writes_reports_and_a_script(tmp_path, table) -> None:
    source = tmp_path / "in.csv"
    table.frame.to_csv(source, index=False)
    targets = {
        "--report": tmp_path / "r.html",
        "--external-report": tmp_path / "e.md",
        "--script": tmp_path / "again.py",
    }
    words = [word for pair in targets.items() for word in map(str, pair)]
    assert main(["run", str(source), "--quasi-identifiers", "size,debt", *words]) == 0
    assert "Internal protection report" in targets["--report"].read_text()
    assert "To accompany the released file" in targets["--external-report"].read_text()
    compile(targets["--script"].read_text(), "again.py", "exec")


@pytest.mark.parametrize("audience", ["internal", "external"])
def test_a_chapter_says_what_an_intruder_can_do_and_names_nobody(
    outcome: Outcome, table: Table, audience: str
) -> None:
    attacked, knowledge = run_report_attacks(outcome, table)
    facts = report_facts(
        outcome, table, audience=audience, attack_results=attacked, knowledge=knowledge
    )
    assert "fallen" not in facts_to_json(facts)
    for make in (facts_to_html, facts_to_markdown):
        text = make(facts)
        assert "What an intruder can do" in text
        assert "of 60 people" in text
        for info in attacks.infos():
            assert info.does.split("'")[0] in text
        untried = make(report_facts(outcome, table, audience=audience))
        assert "No attack was tried" in untried


@pytest.mark.parametrize("audience", ["internal", "external"])
def test_reports_say_how_many_outliers_were_left_out_and_never_which(
    table: Table, audience: str
) -> None:
    smaller_outcome = run(Plan(k=4, suppress=2), table)
    facts = report_facts(smaller_outcome, table, audience=audience)
    for make in (facts_to_html, facts_to_markdown):
        text = make(facts)
        assert "2 records were left out, within the budget" in text
        assert "missing values" not in text.split("Columns released")[0]
