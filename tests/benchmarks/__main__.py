"""``python -m tests.benchmarks [--smoke] [NAME ...]`` prints the tables named, or all.

With ``--smoke`` everything is tiny: figures mean nothing, but nothing is left out.
``--against FILE`` prints instead what has become slower than a file of ratios says, and
``--write FILE`` writes such a file: see :mod:`tests.benchmarks.ratios`.
"""

import importlib
import os
import sys
from pathlib import Path

from engine.kernels.compilation.small_tables import prefer_kernels
from tests.benchmarks.smoke import VARIABLE

TABLES = (
    "start",
    "proven",
    "costs",
    "ratios",
    "streaming",
    "persons",
    "pages",
    "load",
)


def main(names: list[str]) -> int:
    if "--smoke" in names:
        os.environ[VARIABLE] = "1"  # before the first of them looks at it
        names = [name for name in names if name != "--smoke"]
    if len(names) == 2 and names[0] in ("--against", "--write"):
        return _ratios(names[0], Path(names[1]))
    unknown = [name for name in names if name not in TABLES]
    if unknown:
        print(f"no table called {unknown[0]}; there are {', '.join(TABLES)}")
        return 2
    for name in names or TABLES:
        print(f"\n## {name}\n")
        importlib.import_module(f"tests.benchmarks.{name}").main()
    return 0


def _ratios(option: str, path: Path) -> int:
    """Write ratios to a file, or print what is slower than one says."""
    from tests.benchmarks.ratios import MAX_RATIO_RISE, compare_ratios, write_ratios

    if option == "--write":
        write_ratios(path)
        return 0
    if not path.is_file():
        print(f"there is no file {path}")
        return 2
    slower = compare_ratios(path)
    print("\n".join([f"{len(slower)} above {MAX_RATIO_RISE} times {path}", *slower]))
    return 0


if __name__ == "__main__":
    with prefer_kernels():
        sys.exit(main(sys.argv[1:]))
