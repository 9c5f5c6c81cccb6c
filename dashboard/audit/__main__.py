"""``python -m dashboard.audit``: the process that ``coterie audit`` becomes."""

import argparse
import sys

from dashboard.audit.chain import ChainHead, check_hash_chain
from engine.cli.parsing.answer import CommandParser, run_command
from engine.cli.serving import add_audit_actions
from engine.core.errors import ParameterError


def _find_head(text: str) -> ChainHead:
    """Return the head that a file has, or the option itself."""
    content = text.encode()[:200]
    if " " not in text:
        try:
            with open(text, "rb") as file:
                content = file.read(200)
        except OSError as error:
            raise ParameterError(
                "{file} cannot be read ({reason}): name the file of a head, or write "
                "its number and digest.",
                file=text,
                reason=error.strerror,
            ) from None
    head = ChainHead.from_bytes(content)
    if head is None:
        raise ParameterError(
            "{file} is no head of an audit log: it is a number and a digest of 64 "
            "hexadecimal digits.",
            file=text,
        )
    return head


def _check(options: argparse.Namespace) -> int:
    outside = None if options.head is None else _find_head(options.head)
    check = check_hash_chain(options.files, outside)
    if check.fault:
        print(check.fault)
        return 1
    print(
        f"{check.n_lines} lines, up to number {check.last.number}: none was changed, "
        "left out or put in."
    )
    if check.is_proven:
        print("The last line is the one that the head names.")
    elif outside is not None:
        print(f"The end, after line {outside.number}, is unproven.")
    else:
        print(
            "The end is unproven: without --head, a head that was kept elsewhere, "
            "nobody can tell whether lines are missing there or all were written anew."
        )
    return 0


_parser = CommandParser(prog="coterie audit", description="Check an audit log.")
add_audit_actions(_parser)
sys.exit(run_command(_parser, None, _check))
