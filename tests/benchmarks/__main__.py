"""``python -m tests.benchmarks [--smoke] [NAME ...]`` prints the tables named, or all.

With ``--smoke`` everything is tiny: figures mean nothing, but nothing is left out.
"""

from __future__ import annotations

import importlib
import os
import sys

from tests.benchmarks.smoke import VARIABLE

TABLES = (
    "start",
    "speed",
    "univariate",
    "methods",
    "bounds",
    "search",
    "proven",
    "attacks",
    "mixed",
    "points",
    "costs",
    "large",
    "stages",
    "streaming",
    "million",
    "persons",
    "pages",
    "load",
    "sessions",
)


def main(names: list[str]) -> int:
    if "--smoke" in names:
        os.environ[VARIABLE] = "1"  # before the first of them looks at it
        names = [name for name in names if name != "--smoke"]
    unknown = [name for name in names if name not in TABLES]
    if unknown:
        print(f"no table called {unknown[0]}; there are {', '.join(TABLES)}")
        return 2
    for name in names or TABLES:
        print(f"\n## {name}\n")
        importlib.import_module(f"tests.benchmarks.{name}").main()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
