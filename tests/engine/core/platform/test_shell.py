"""Arguments arrive at a program as they were, through the shell that is there."""

import subprocess
import sys
from types import SimpleNamespace

import pytest

from engine.core.platform import shell
from tests.shells import split_as_powershell, split_as_windows

WORDS = [
    *(
        "plain",
        "a b",
        "a,b",
        "it's",
        "$HOME",
        "`x`",
        "x;y",
        "50%",
        "\u00fc",
        "@x",
        "#1",
    ),
    *('"quoted, name",b', 'in 5" \\ and', "C:\\data\\a.csv", r"\\server\share\a b.csv"),
    *("\u2018curly\u2019", "a'b\"c d", "{x}", "(1)", "a&b|c>d", "x=1,2", "-1.5"),
]


@pytest.mark.parametrize("word", WORDS)
def test_an_argument_arrives_as_it_was(
    word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shell, "sys", SimpleNamespace(platform="win32"))
    command = shell.join_lines([f"run {shell.quote_argument(word)}", "--k 3"])
    assert split_as_powershell(command) == ["run", word, "--k", "3"]
    # What splits it here splits as what Python itself writes for Windows.
    assert split_as_windows(subprocess.list2cmdline(["run", word])) == ["run", word]


@pytest.mark.posix("it asks the shell")
@pytest.mark.parametrize("word", WORDS)
def test_an_argument_arrives_through_the_shell_here(word: str) -> None:
    quoted_words = [
        shell.quote_argument(part) for part in (sys.executable, "-c", _PRINT, word)
    ]
    done = subprocess.run(
        shell.join_lines(quoted_words), shell=True, check=True, capture_output=True
    )
    assert done.stdout.decode() == f"{word}\n"


_PRINT = "import sys; sys.stdout.buffer.write((sys.argv[1] + chr(10)).encode())"
