"""Split commands as shells do."""

import re
import shlex

from engine.core.platform import shell


def split_command(command: str) -> list[str]:
    """Return the arguments of a command for the shell here, of one line or several."""
    if shell.sys.platform == "win32":
        return split_as_powershell(command)
    return shlex.split(command.replace("\\\n", " "))


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
