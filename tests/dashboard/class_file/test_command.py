"""``coterie class``: one file, the same for the same seed, or one clear sentence."""

import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from babel.messages.extract import extract
from babel.numbers import format_decimal

import sample_data
from dashboard.class_file import __main__ as command
from dashboard.class_file.bundle import SCRIPTS, read_javascript_modules
from dashboard.class_file.own_table import MAX_RECORDS
from dashboard.class_file.page import LESSONS, class_page_html
from dashboard.class_file.words import script_texts_to_translate, script_translations
from dashboard.i18n.language import ENGLISH, LANGUAGES
from engine.cli import main as coterie
from engine.cli.class_file import MAX_SEED

MAX_PAGE_BYTES = 2_000_000


def write_class(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    """Do what the process does that ``coterie class`` becomes."""
    monkeypatch.setattr(sys, "argv", ["coterie class", *words])
    return command.main()


def test_the_same_seed_gives_the_same_bytes_and_another_seed_another_table() -> None:
    assert class_page_html(7) == class_page_html(7)
    assert class_page_html(7) != class_page_html(8)
    assert len(class_page_html(7).encode()) < MAX_PAGE_BYTES


def test_the_command_line_writes_the_page(tmp_path: Path) -> None:
    out = tmp_path / "class.html"
    done = subprocess.run(
        [sys.executable, "-m", "engine", "class", "--out", str(out), "--seed", "3"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert out.read_text(encoding="utf-8") == class_page_html(3)


def test_the_command_starts_without_pandas() -> None:
    code = (
        "import sys; import dashboard.class_file.__main__ as m; m.class_page_html(1); "
        "print([n for n in ('pandas', 'numpy', 'numba', 'babel') if n in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_lessons_of_the_page_are_those_of_the_command() -> None:
    modules = read_javascript_modules()
    scripts = "".join(text for name, text in modules.items() if "lessons_" in name)
    assert re.findall(r'^  id: "([\w-]+)",$', scripts, re.MULTILINE) == list(LESSONS)
    assert len(re.findall(r"^  can: _\(", scripts, re.MULTILINE)) == len(LESSONS)


def test_some_lessons_can_be_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "class.html"
    words = ["--out", str(out), "--lessons", "scaling,mdav"]
    assert write_class(monkeypatch, *words) == 0
    assert '"lessons":["mdav","scaling"]' in out.read_text(encoding="utf-8")


def test_every_language_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [text for forms in script_texts_to_translate() for text in forms]
    assert len(texts) > 400
    out = tmp_path / "class.html"
    for language in set(LANGUAGES) - {ENGLISH}:
        words = script_translations(language)
        assert [text for text in texts if text not in words] == []
        # A number within a text is written as the language writes it.
        point = re.compile(r"\d\.\d")
        sign = format_decimal(1.5, locale=language)[1]
        assert sign == "." or not [
            translation for translation in words.values() if point.search(translation)
        ]
        assert write_class(monkeypatch, "--out", str(out), "--language", language) == 0
        page = out.read_text(encoding="utf-8")
        assert page == class_page_html(language=language, translated_texts=words)
        assert f'<html lang="{language}">' in page


def test_every_text_of_the_scripts_is_seen_by_translators() -> None:
    """What stands within a template's braces is seen by nobody."""
    n_calls = sum(
        len(re.findall(r"\bn?_\(\s*\"", text))
        for text in read_javascript_modules().values()
    )
    n_texts = 0
    for name in read_javascript_modules():
        with (SCRIPTS / name).open("rb") as file:
            n_texts += len(list(extract("javascript", file, {"_": None, "n_": (1, 2)})))
    assert n_texts == n_calls


def test_no_name_in_a_table_becomes_markup() -> None:
    words = {"Lessons": "</script><script>alert(1)</script>"}
    assert "<script>alert" not in class_page_html(translated_texts=words)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "own.csv"
    path.write_bytes(
        pd.DataFrame({"height": [*range(150, 190), None], "weight": range(50, 91)})
        .to_csv(index=False)
        .encode()
    )
    return path


def test_an_own_table_that_is_public_is_drawn(
    table: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = table.with_name("class.html")
    words = ["--out", str(out), "--table", str(table), "--public", "Galton 1886"]
    assert write_class(monkeypatch, *words) == 0
    page = out.read_text(encoding="utf-8")
    assert '"columns":["height","weight"]' in page
    assert '"source":"Galton 1886"' in page
    assert "left out for a gap: 1 record." in capsys.readouterr().err


def test_of_a_long_table_a_sample_is_drawn_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "own.csv"
    frame = sample_data.load("business_survey").frame[["turnover", "wages"]]
    path.write_bytes(frame.to_csv(index=False).encode())
    out = tmp_path / "class.html"
    words = ["--out", str(out), "--table", str(path), "--public", "made up"]
    assert write_class(monkeypatch, *words) == 0
    assert f"{MAX_RECORDS} of 1,200 records" in capsys.readouterr().err
    first = out.read_bytes()
    assert write_class(monkeypatch, *words) == 0
    assert out.read_bytes() == first


def test_a_release_needs_its_own_certificate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    original, release = tmp_path / "ten.csv", tmp_path / "release.csv"
    frame = sample_data.load("business_survey").frame[["turnover", "wages"]].head(40)
    original.write_bytes(frame.to_csv(index=False).encode())
    certificate, out = tmp_path / "c.json", tmp_path / "class.html"
    run = ["run", str(original), "--all-numeric", "--k", "4"]
    run += ["--output", str(release), "--certificate", str(certificate)]
    assert coterie(run) == 0
    arguments = ["--out", str(out), "--certificate", str(certificate)]
    assert write_class(monkeypatch, *arguments, "--table", str(release)) == 0
    assert '"source":"c.json"' in out.read_text(encoding="utf-8")
    out.unlink()
    capsys.readouterr()
    assert write_class(monkeypatch, *arguments, "--table", str(original)) == 2
    assert "not the release that c.json certifies" in capsys.readouterr().err
    certificate.write_text("{}", encoding="utf-8")
    assert write_class(monkeypatch, *arguments, "--table", str(release)) == 2
    assert "c.json is no certificate" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize(
    ("content", "words", "says"),
    [
        (None, ["--lessons", "magic"], "There is no lesson 'magic'"),
        (None, ["--lessons", ","], "--lessons names none"),
        (None, ["--language", "xx"], "no language 'xx'"),
        (None, ["--public", "INE"], "say what a --table is"),
        ("a,b\n1,2\n", [], "must not carry real people's data"),
        ("a,b\n1,2\n", ["--public", " "], "needs the source"),
        ("a,b\n1,2\n", ["--public", "INE", "--certificate", "c.json"], "not both"),
        ("a,b\n1,2\n3,4\n", ["--public", "INE"], "own.csv has too few records, 2"),
        (
            "a,b\n" + "".join(f"town {i % 5},region {i % 3}\n" for i in range(30)),
            ["--public", "INE"],
            "two columns of numbers that vary",
        ),
        (
            "a,b\n1e308,1.5\n" + "".join(f"{-i}e307,{i}.5\n" for i in range(12)),
            ["--public", "INE"],
            "needs two columns of numbers that vary",
        ),
        (
            "a,b\n" + "".join(f"{i}e-200,{i % 7}.5\n" for i in range(12)),
            ["--public", "INE"],
            "No picture can show the numbers of a,",
        ),
        (
            "a,b\n" + "".join(f"{i * i % 23}.5,{i % 7}.5\n" for i in range(11)) + "1,",
            ["--public", "INE"],
            "are known of 11 of own.csv's records",
        ),
        (
            "name,a,b\n" + "".join(f"Ann Smith{i},{i},{i % 7}\n" for i in range(30)),
            ["--public", "INE"],
            "seem to name people",
        ),
    ],
)
def test_bad_input_gives_one_sentence_and_writes_nothing(
    content: str | None,
    words: list[str],
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "class.html"
    if content is not None:
        path = tmp_path / "own.csv"
        path.write_text(content, encoding="utf-8")
        words = [*words, "--table", str(path)]
    assert write_class(monkeypatch, "--out", str(out), *words) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1
    assert not out.exists()


@pytest.mark.parametrize("seed", ["x", "-1", "1.5", str(MAX_SEED + 1)])
def test_a_seed_is_a_whole_number(
    seed: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "class.html"
    with pytest.raises(SystemExit, match="2"):
        write_class(monkeypatch, "--out", str(out), "--seed", seed)
    assert f"{seed} is no seed: name a whole number" in capsys.readouterr().err
    assert not out.exists()


def test_nothing_is_written_over_the_table(
    table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = table.read_bytes()
    words = ["--out", str(table), "--table", str(table), "--public", "INE"]
    assert write_class(monkeypatch, *words) == 2
    assert table.read_bytes() == before


@pytest.mark.parametrize(
    ("place", "says"),
    [
        ("missing/class.html", "class.html does not exist: make it first"),
        (".", "is a folder: name a file to write"),
        ("x" * 300, "cannot be written (file name too long)"),
    ],
)
def test_a_place_that_cannot_be_written_to_is_named(
    place: str,
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert write_class(monkeypatch, "--out", str(tmp_path / place)) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("place", ["folder", "missing/c.json"])
def test_a_certificate_is_read_and_not_a_place_to_write_to(
    place: str,
    table: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = table.with_name("folder")
    folder.mkdir()
    words = ["class", "--out", str(table.with_name("class.html"))]
    words += ["--table", str(table), "--certificate", str(table.parent / place)]
    monkeypatch.setattr(
        "engine.cli.serving.exec_program",
        lambda program: sys.exit(write_class(monkeypatch, *program[3:])),
    )
    with pytest.raises(SystemExit, match="2"):
        coterie(words)
    assert "cannot be read" in capsys.readouterr().err
    assert set(table.parent.iterdir()) == {table, folder}


def test_a_long_name_of_a_column_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, out = tmp_path / "own.csv", tmp_path / "class.html"
    lines = "".join(f"{i}.5,{i % 7}.25\n" for i in range(30))
    path.write_text("x" * 3000 + ",b\n" + lines, encoding="utf-8")
    words = ["--out", str(out), "--table", str(path), "--public", "INE"]
    assert write_class(monkeypatch, *words) == 0
    page = out.read_text(encoding="utf-8")
    assert f'"columns":["{"x" * 39}…","b"]' in page
