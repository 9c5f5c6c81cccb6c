"""The command line: commands and their options.

One module per command, and what all of them read and write in `parsing` and `writing`.
"""

from __future__ import annotations

import sys

# As in `typing`, which would be imported before a Ctrl-C is answered.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    Modules are imported in here, where a Ctrl-C is answered with one line.
    """
    try:
        import os

        # Where cores are busy, threads of OpenBLAS wait for each other: the axes of
        # 400 categories took 11 s instead of 0.02 s. It heeds this when numpy is
        # imported, and what this starts inherits it.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        from engine.cli.parsing.parser import main as run

        return run(arguments)
    except KeyboardInterrupt:
        print("coterie: stopped; no release was written.", file=sys.stderr)
        return 130
