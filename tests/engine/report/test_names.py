"""Names from files become neither code nor markup in what a run leaves behind."""

import ast
import io
import json
import re
import tokenize
from functools import cache
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from engine.data.table import Origin, Table
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from engine.report import facts_to_file, report_facts, to_notebook, to_script
from engine.report.command_line import protected_file_name
from engine.report.guide import analysis_guide
from tests.properties import share_of_examples

HOSTILE = st.lists(
    st.sampled_from(
        [
            '"',
            '"""',
            "'",
            "'''",
            "\\",
            "\n",
            "\r",
            "\x0b",
            "\x0c",
            "\x85",
            "\u2028",
            "\u2029",
            "\x00",
            "\u202e",
            "#",
            "{",
            "}",
            "%s",
            "{0}",
            "{name!r}",
            "import os",
            "a",
            "é",
            "<script>",
            "</code>",
            "[x](javascript:1)",
            "`",
            "```",
            "|",
            "&lt;",
        ]
    ),
    min_size=1,
    max_size=8,
).map("".join)
NAMES = HOSTILE | st.text(min_size=1, max_size=40)
FILES = (
    st.lists(HOSTILE | st.text(st.characters(), max_size=10) | st.just("\udcff"))
    .map("".join)
    .map(lambda text: f"{text.replace('/', '')}.csv")
)
WORST = '"""\nimport os\n"""', "'''\\\u2028'''", '\udcff"""\n#.csv'


def made(first: str, second: str, file: str) -> tuple[Outcome, Table]:
    """Protect a small table whose columns and file have these names."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({first: rng.normal(size=8), second: list("abcdabcd")})
    # Said, not proposed: what is proposed depends on the names.
    columns = (
        Column(first, Kind.CONTINUOUS, Role.QUASI_IDENTIFIER),
        Column(second, Kind.NOMINAL, Role.CONFIDENTIAL),
    )
    table = Table.from_frame(frame, Schema(columns), Origin("csv", {}, file))
    plan = Plan(
        k=3,
        quasi_identifiers=(first,),
        identifiers=(),
        confidential=(second,),
        strata=None,
        kinds={first: "continuous"},
        aggregations={first: "median"},
    )
    return run(plan, table), table


def shape(code: str) -> str:
    """Return code without what its texts say."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
    return ast.dump(tree)


def source_of(text: str, kind: str) -> str:
    cells = json.loads(text)["cells"]
    return "\n".join(
        "".join(cell["source"]) for cell in cells if cell["cell_type"] == kind
    )


def comments_of(text: str) -> list[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    comments = [token.string for token in tokens if token.type == tokenize.COMMENT]
    return [token.removeprefix("# ") for token in comments]


@cache
def plainly_made() -> tuple[Outcome, Table]:
    return made("first", "second", "file.csv")


PROSE = 2
"""Lines of words, after which code to go on with is commented out."""


@settings(max_examples=share_of_examples(0.5))
@given(first=NAMES, second=NAMES, file=FILES)
@example(first=WORST[0], second=WORST[1], file=WORST[2])
def test_names_are_constants_of_the_code_and_nothing_else(
    first: str, second: str, file: str
) -> None:
    if first == second:
        second += "2"
    outcome, table = made(first, second, file)
    for make in (to_script, to_notebook):
        text, plain = make(outcome, table), make(*plainly_made())
        text.encode()
        if make is to_notebook:
            assert source_of(text, "markdown") == source_of(plain, "markdown")
            text, plain = source_of(text, "code"), source_of(plain, "code")
        assert shape(text) == shape(plain)
        assert len(text.splitlines()) == len(text.split("\n")) - text.endswith("\n")
        comments, plain_comments = comments_of(text), comments_of(plain)
        assert comments[:PROSE] == plain_comments[:PROSE]
        assert shape("\n".join(comments[PROSE:])) == shape(
            "\n".join(plain_comments[PROSE:])
        )
        calls = {
            node.func.id: node
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        planned = ast.literal_eval(calls["Plan"].keywords[0].value)
        assert Plan(**planned) == outcome.repeatable_plan
        assert ast.literal_eval(calls["read_table"].args[0]) == file
        assert ast.literal_eval(calls["Path"].args[0]) == protected_file_name(file)


@pytest.mark.parametrize("name", ["../x.csv", "/etc/x.csv", "a/../../x.csv"])
def test_code_reads_and_writes_where_it_is_run(name: str) -> None:
    text = to_script(*made("first", "second", name))
    assert "read_table('x.csv'" in text
    assert "Path('x_protected.csv')" in text


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(tag + "".join(sorted(name for name, _ in attrs)))

    def handle_endtag(self, tag: str) -> None:
        self.found.append(f"/{tag}")


def tags(page: bytes) -> list[str]:
    reader = Tags()
    reader.feed(page.decode())
    return reader.found


def begins(page: bytes) -> list[str]:
    """Return how the lines of Markdown begin: what makes them headings and so on."""
    return [line[:2].strip() for line in page.decode().splitlines()]


def signs(text: str) -> list[str]:
    """Return the signs around code in the prose of Markdown."""
    return re.findall("`+", re.sub(r"(?ms)^```.*?^```$", "", text))


@settings(max_examples=share_of_examples(0.5))
@given(first=NAMES, second=NAMES, file=FILES)
@example(first=WORST[0], second=WORST[1], file=WORST[2])
@example(first="`", second="\n", file=".csv")
def test_names_are_text_in_reports(first: str, second: str, file: str) -> None:
    if first == second:
        second += "2"
    outcome, table = made(first, second, file)
    facts, plain = report_facts(outcome, table), report_facts(*plainly_made())
    handed_over = report_facts(outcome, table, audience="external")
    plainly = report_facts(*plainly_made(), audience="external")
    assert tags(facts_to_file(handed_over, ".html")) == tags(
        facts_to_file(plainly, ".html")
    )
    guided, guided_plainly = (
        analysis_guide(each_outcome) for each_outcome in (outcome, plainly_made()[0])
    )
    assert begins(guided.encode()) == begins(guided_plainly.encode())
    assert signs(guided) == signs(guided_plainly)
    assert tags(facts_to_file(facts, ".html")) == tags(facts_to_file(plain, ".html"))
    markdown = facts_to_file(facts, ".md")
    assert len(begins(markdown)) == len(begins(facts_to_file(plain, ".md")))
    for mark in (b"<", b"[", b"`"):
        unmarked = facts_to_file(plain, ".md").replace(b"\\" + mark, b"").count(mark)
        assert markdown.replace(b"\\" + mark, b"").count(mark) == unmarked
    assert json.loads(facts_to_file(facts, ".json"))["columns"][0]["name"] == first


def test_a_released_file_has_a_name_that_every_system_and_header_takes() -> None:
    assert protected_file_name('a "b": c?.csv') == "a _b__ c__protected.csv"
