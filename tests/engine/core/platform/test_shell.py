"""Arguments arrive at a program as they were, through the shell that is there."""

from __future__ import annotations

import re
import subprocess
import sys
from types import SimpleNamespace

import pytest

from engine.core.platform import shell

_TOKEN = re.compile(r"((?:'(?:[^'\u2018-\u201b]|(['\u2018-\u201b])\2)*'|[^\s'])+)")


def split_as_powershell(command: str) -> list[str]:
    """Return what a program gets from a command that is typed into PowerShell 5.

    Texts in single quotes are literal but for doubled quotes. What has blanks is put
    between double quotes, and no double quote is escaped; then the program splits all
    by the rules of Windows.
    """
    line = []
    for token, _ in _TOKEN.findall(command.replace(" `\n", " ")):
        if token.startswith("'"):
            text = re.sub("(['\u2018-\u201b])\\1", r"\1", token[1:-1])
        else:
            assert not set(token) & set('`$;,@#(){}&|<>"'), token
            text = token
        line.append(f'"{text}"' if re.search(r"\s", text) else text)
    return split_as_windows(" ".join(line))


def split_as_windows(line: str) -> list[str]:
    """Return the arguments of a line, as C programs on Windows split it."""
    words, word, quoted = [], "", False
    for slashes, sign in re.findall(r'(\\*)(["]|[^\\]|$)', line):
        if sign == '"':
            word += "\\" * (len(slashes) // 2)
            if len(slashes) % 2:
                word += sign
            else:
                quoted = not quoted
        elif sign == " " and not quoted:
            words, word = [*words, word + slashes], ""
        else:
            word += slashes + sign
    return [*words, word]


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
    said = [shell.quote_argument(part) for part in (sys.executable, "-c", _PRINT, word)]
    done = subprocess.run(
        shell.join_lines(said), shell=True, check=True, capture_output=True
    )
    assert done.stdout.decode() == f"{word}\n"


_PRINT = "import sys; sys.stdout.buffer.write((sys.argv[1] + chr(10)).encode())"
