"""Parser of command lines, version option, and runner that turns errors into codes."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from engine.core.errors import EngineError

NO_MEMORY = (
    "coterie: this takes more memory than there is: close other programs, take a "
    "smaller file, or run it from disk (coterie run --out-of-core)."
)

MAX_ERROR_CHARS = 1_000
"""Characters of what is wrong with a command line."""


class CommandParser(argparse.ArgumentParser):
    """Argument parser that reports an error in one line, with exit code 2."""

    def error(self, message: str) -> NoReturn:
        """Print the error of a command line in one line, and exit."""
        if len(message) > MAX_ERROR_CHARS:  # what was typed, or put in by a shell
            message = message[: MAX_ERROR_CHARS // 2] + "..."
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help\n")


class ShowVersion(argparse.Action):
    """Parser action that prints the version and exits."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        """Look the version up here, as no other command line needs it."""
        from importlib.metadata import version

        print(f"coterie {version('coterie')}")
        parser.exit()


def run_command(
    parser: argparse.ArgumentParser,
    arguments: Sequence[str] | None,
    command: Callable[[argparse.Namespace], int],
) -> int:
    """Parse arguments, run a command with them, return its exit code or an error's.

    Parameters
    ----------
    parser : argparse.ArgumentParser
    arguments : sequence of str, optional
        Those of the process, if none are given.
    command : callable
        Takes the parsed arguments.

    Returns
    -------
    int
        That of the command; 2 for bad input or too little memory, which one line on
        standard error names; 130 after Ctrl-C; 0 where nobody reads the output.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A file or pipe on Windows, in cp1252, has not every letter of a table.
        sys.stdout.reconfigure(errors="backslashreplace")
    options = parser.parse_args(arguments)
    try:
        return command(options)
    except EngineError as error:
        print(f"coterie: {error}", file=sys.stderr)
        return 2
    except MemoryError:  # pyarrow's is one, too
        print(NO_MEMORY, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("coterie: stopped; no release was written.", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of our output has gone, as in ``| head``
        sys.stderr.close()
        return 0
