"""Odd words and odd files end in one line that names what to change."""

import argparse
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pandas as pd
import pyarrow as pa
import pytest

from engine.cli.parsing.answer import NO_MEMORY, run_command
from engine.cli.parsing.parser import main
from engine.cli.parsing.path_options import OUTPUT_OPTIONS
from engine.core.errors import ParameterError
from engine.files import read_table
from engine.pipeline.plan import Plan
from engine.pipeline.planning.choices import choice_infos_of

ROOT = Path(__file__).resolve().parents[3]
TEXT = "age,net,sex\n" + "".join(f"{i},{i * i},{'mf'[i % 2]}\n" for i in range(12))


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "in.csv"
    path.write_text(TEXT)
    return path


def refused(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    """Return the one line with which a command is refused."""
    assert main([str(word) for word in words]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    return error


@pytest.mark.parametrize("option", ["--quasi-identifiers", "--strata", "--layout"])
def test_words_longer_than_any_name_are_refused(
    option: str, source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    long = f'"{200_000 * "x"}' if option != "--layout" else f"{200_000 * 'x'} 1-2"
    words = dict.fromkeys(["--quasi-identifiers"], "age") | {option: long}
    error = refused(capsys, "run", source, *(x for pair in words.items() for x in pair))
    assert "no column called" in error or "means nothing" in error


@pytest.mark.parametrize("name", OUTPUT_OPTIONS)
def test_a_dash_is_no_file(
    name: str,
    source: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(source.parent)
    words = ["run", source, "--quasi-identifiers", "age", "--k", "3"]
    if name == "second_output":
        words = ["need", source, "--quasi-identifiers", "age", "--rule", "k >= 3"]
    option = f"--{name.replace('_', '-')}"
    assert "A dash names no file" in refused(capsys, *words, option, "-")
    assert [path.name for path in source.parent.iterdir()] == [source.name]


@pytest.mark.parametrize(
    ("option", "name"),
    [
        ("--groups", "g.xlsx"),
        ("--json", "j.csv"),
        ("--plan", "p.py"),
        ("--director-page", "d.PDF"),
        ("--ddi", "d.json"),
        ("--croissant", "c.xml"),
        ("--script", "s.ipynb"),
        ("--guide", "g.html"),
        ("--certificate", "c.md"),
    ],
)
def test_no_file_has_the_suffix_of_another_format(
    option: str,
    name: str,
    source: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(source.parent)
    words = ["run", source, "--quasi-identifiers", "age", "--output", "o.csv"]
    error = refused(capsys, *words, option, name)
    assert f"file can be written to {name} ({option})" in error
    assert [path.name for path in source.parent.iterdir()] == [source.name]


def test_a_rule_set_that_is_read_is_not_replaced(
    source: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(source.parent)
    rule_file = Path("mine.toml")
    rule_file.write_text("[[rule]]")
    words = ["need", source, "--quasi-identifiers", "age", "--rule", rule_file]
    assert "which is read" in refused(capsys, *words, "--json", "./mine.toml")
    assert rule_file.read_text() == "[[rule]]"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("--shuffle --shuffle-seed -1 --output o.csv", "--shuffle-seed"),
        ("--confidential age", "name it once"),
        ("--confidential net --identifiers net", "name it once"),
        ("--confidential sex,net --identifiers net", "name it once"),
        ("--kind age=tall", "(--kind) must be one of 'continuous'"),
        ("--missing age=lost", "(--missing) must be one of 'refuse'"),
        ("--p-sensitive -1", "(--p-sensitive) must be at least 0"),
        ("--t-close 2", "(--t-close) must be at most 1"),
        ("--seed -1", "(--seed) must be at least 0"),
        ("--output " + 300 * "x" + ".csv", "name too long"),
        ("--json " + 300 * "字", "name too long"),
    ],
)
def test_mistakes_name_the_option(
    words: str,
    says: str,
    source: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    line = ["run", source, "--quasi-identifiers", "age", *words.split()]
    assert says in refused(capsys, *line)
    assert [path.name for path in tmp_path.iterdir()] == [source.name]


@pytest.mark.parametrize("value", [{"a": {}}, [[["x"]]], 1e99, None, "?"], ids=repr)
def test_a_plan_of_wrong_values_is_refused_in_words_of_this_program(
    value: object,
) -> None:
    for name, choice in choice_infos_of(Plan).items():
        try:
            Plan.from_json(json.dumps({name: value}))
        except ParameterError as error:
            error_text = str(error)
            for word in ("valid", "tuple", "dictionary", "input should", "entry"):
                assert word not in error_text.lower()
            if "The choice" in error_text:
                assert choice.option.flag in error_text
        else:
            kind = Plan.model_fields[name].annotation
            assert value == "?" or value is None or kind is not int, get_args(kind)


@pytest.mark.parametrize(
    ("text", "times", "says"),
    [
        ("[", 100_000, "nested too deeply"),
        ('{"a":', 100_000, "nested too deeply"),
        ('[{"k":', 100_000, "nested too deeply"),
        ('{"k": 3, "k": 4}', 1, "twice"),
        ('{"k": 3, "parameters": {"a": 1, "b": 2, "a": 1}}', 1, "twice"),
        ('{"\\ud800": 1}', 1, "no text"),
    ],
)
def test_a_plan_that_is_no_plain_json_is_refused(
    text: str,
    times: int,
    says: str,
    source: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text(text * times)
    assert says in refused(capsys, "run", source, "--plan", plan)


@pytest.mark.parametrize("text", ["7", "-7", "7e", "0.", "7.5e-"])
def test_a_plan_with_a_number_of_very_many_digits_is_refused(
    text: str, source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text(f'{{"k": {text}{"7" * 5_000_000}}}')
    error = refused(capsys, "run", source, "--plan", plan)
    assert "a number of 5,000,00" in error
    assert len(error) < 200


def test_a_number_of_very_many_digits_is_not_repeated(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(["run", str(source), "--k", "7" * 100_000])
    assert end.value.code == 2
    assert len(capsys.readouterr().err) < 1_000


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("check {} --quasi-identifiers height", "no column called 'height'"),
        ("compare {} --quasi-identifiers age --k ,", "whole numbers by commas"),
        ("run {} --quasi-identifiers age --first-row 99999", "cannot begin in row"),
        ("ru {}", "argument COMMAND"),
    ],
)
def test_what_is_not_there_is_named(
    words: str, says: str, source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = [source if word == "{}" else word for word in words.split()]
    try:
        error = refused(capsys, *line)
    except SystemExit:
        error = capsys.readouterr().err
    assert says in error


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b",\n,\n,,\n", "only blank lines"),
        (b"sep=;\n", "only blank lines"),
        (b'"age\n1\n2\n', "never closed"),
        (bytes(100), "not text but binary"),
        (b"age,net\n", "no records"),
    ],
)
def test_files_without_a_table_are_called_what_they_are(
    content: bytes, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "in.csv"
    path.write_bytes(content)
    assert says in refused(capsys, "run", path, "--all-numeric")


def test_plans_may_begin_with_a_byte_order_mark(source: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text('{"quasi_identifiers": ["age"]}', encoding="utf-8-sig")
    assert main(["run", str(source), "--plan", str(plan)]) == 0


def test_a_ledger_that_is_nested_too_deeply_is_none(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ledger = tmp_path / "ledger.json"
    ledger.write_text("[" * 100_000)
    line = ["run", source, "--quasi-identifiers", "age", "--ledger", ledger]
    error = refused(capsys, *line, "--output", tmp_path / "out.csv")
    assert "no ledger" in error


@pytest.mark.parametrize("number", [-1, 0, 1])
def test_a_block_has_records(
    number: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    part = tmp_path / "in.parquet"
    pd.DataFrame({"age": range(20)}).to_parquet(part)
    line = ["run", part, "--out-of-core", "--quasi-identifiers", "age"]
    line += ["--output", tmp_path / "out", "--records-per-block", number]
    assert "--records-per-block" in refused(capsys, *line)
    assert [path.name for path in tmp_path.iterdir()] == [part.name]


@pytest.mark.parametrize(
    "before", ["in.csv", "in.tsv", "in.xlsx", "in.parquet"], ids=lambda text: text[3:]
)
def test_a_file_that_ends_in_tsv_has_tabs(before: str, tmp_path: Path) -> None:
    source, out = tmp_path / before, tmp_path / "out.tsv"
    frame = pd.DataFrame({"age": range(12), "text": ["a, b;c"] * 12})
    if before.endswith("xlsx"):
        frame.to_excel(source, index=False)
    elif before.endswith("parquet"):
        frame.to_parquet(source)
    else:
        frame.to_csv(source, index=False, sep=";")
    line = ["run", source, "--quasi-identifiers", "age", "--output", out]
    assert main([str(word) for word in line]) == 0
    lines = out.read_text().splitlines()
    assert lines[0] == "age\ttext"
    assert {text.count("\t") for text in lines} == {1}
    assert list(read_table(out).frame["text"]) == list(frame["text"])


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"<!DOCTYPE html>\n<html><body><table>\n</table></body></html>", "HTML"),
        (b"\xef\xbb\xbf  <HTML>\n<p>a,b</p>\n</HTML>", "HTML"),
        (b'<?xml version="1.0"?>\n<a>\n</a>', "XML"),
        (b'[{"age": 1, "net": 2},\n {"age": 2, "net": 3}]', "JSON"),
        (b'{"age": [1, 2],\n "net": [2, 3]}', "JSON"),
        (b'{"age": 1}\n{"age": 2}\n', "JSON"),
        (b"[[1, 2],\n [2, 3]]", "JSON"),
        (TEXT.encode("utf-32-le"), "utf-32-le"),
        (TEXT.encode("utf-32-be"), "utf-32-be"),
        ("字,é\n1,2\n".encode("utf-32-be"), "utf-32-be"),
    ],
)
def test_files_are_called_what_they_are(
    content: bytes, says: str, source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source.write_bytes(content)
    assert says in refused(capsys, "run", source, "--quasi-identifiers", "age")


@pytest.mark.parametrize("encoding", ["utf-32", "utf-32-le", "utf-32-be", "utf-16"])
def test_wide_text_is_read_by_its_mark_or_by_its_name(
    encoding: str, source: Path, tmp_path: Path
) -> None:
    source.write_bytes(TEXT.encode(encoding))
    out = tmp_path / "out.csv"
    line = ["run", str(source), "--quasi-identifiers", "age", "--output", str(out)]
    if encoding.endswith(("le", "be")):
        line += ["--encoding", encoding]
    assert main(line) == 0
    assert out.read_bytes().decode(encoding).startswith("age,net,sex\n")


@pytest.mark.parametrize(
    "encoding",
    ["idna", "punycode", "unicode_escape", "raw_unicode_escape", "base64", "rot13"],
)
def test_what_is_no_encoding_of_text_is_refused(
    encoding: str, source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = ["run", source, "--quasi-identifiers", "age", "--encoding", encoding]
    assert f"{encoding!r}" in refused(capsys, *line)


INTERRUPTED = """
import signal, sys

class Interrupt:
    \"\"\"Ctrl-C while a module is looked for, the so-manieth one.\"\"\"

    left = int(sys.argv.pop(1))

    def find_spec(self, name, path=None, target=None):
        self.left -= 1
        if self.left == 0:
            signal.raise_signal(signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)
import engine.cli
sys.meta_path.insert(0, Interrupt())
sys.exit(engine.cli.main())
"""


@pytest.mark.parametrize(
    "module",
    [1, 20, 400, *(pytest.param(n, marks=pytest.mark.slow) for n in (2, 50))],
)
def test_an_interruption_while_modules_are_imported_is_one_line(
    module: int, source: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.csv"
    line = ["run", source, "--quasi-identifiers", "age", "--output", out]
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, str(module), *map(str, line)],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        text=True,
        timeout=60,
    )
    assert done.returncode == 130
    assert done.stderr == "coterie: stopped; no release was written.\n"
    assert not out.exists()


def test_hardly_anything_is_imported_before_an_interruption_is_answered() -> None:
    count = "import sys; n = len(sys.modules); import engine.cli; "
    done = subprocess.run(
        [sys.executable, "-S", "-c", count + "print(len(sys.modules) - n)"],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        text=True,
        check=True,
    )
    assert int(done.stdout) < 10


def test_an_interruption_while_files_are_written_leaves_all_of_them(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = os.replace

    def interrupted(draft: str, path: Path) -> None:
        replace(draft, path)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(os, "replace", interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    outputs = {flag: tmp_path / flag for flag in ("json", "groups", "plan")}
    line = ["run", source, "--quasi-identifiers", "age"]
    for flag, path in outputs.items():
        line += [f"--{flag}", path]
    try:
        assert main([str(word) for word in line]) == 0
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert all(path.stat().st_size for path in outputs.values())


@pytest.mark.parametrize("error", [MemoryError, pa.ArrowMemoryError])
def test_too_little_memory_is_one_line(
    capsys: pytest.CaptureFixture[str], error: type[MemoryError]
) -> None:
    def unfold(options: argparse.Namespace) -> int:
        raise error("malloc of size 2400000000 failed")

    assert run_command(argparse.ArgumentParser(), [], unfold) == 2
    assert capsys.readouterr().err == f"{NO_MEMORY}\n"


def test_letters_that_a_pipe_of_windows_does_not_have_are_written_as_numbers(
    tmp_path: Path,
) -> None:
    (tmp_path / "\u7edf.csv").write_text(
        f"\u5e74,gr\xf6\xdfe,sex\n{TEXT[12:]}", "utf-8"
    )
    done = subprocess.run(
        [sys.executable, "-m", "engine", "propose", "\u7edf.csv"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONIOENCODING": "cp1252", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert b"\\u5e74" in done.stdout
    assert b"gr\xf6\xdfe" in done.stdout
