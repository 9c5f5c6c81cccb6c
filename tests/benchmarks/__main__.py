"""``python -m tests.benchmarks [NAME ...]`` prints the tables named, or all of them."""

from __future__ import annotations

import sys

from tests.benchmarks import (
    bounds,
    large,
    methods,
    million,
    mixed,
    pages,
    search,
    serving,
    speed,
    stages,
    start,
    streaming,
    univariate,
)

TABLES = {
    "start": start.main,
    "speed": speed.main,
    "univariate": univariate.main,
    "methods": methods.main,
    "bounds": bounds.main,
    "search": search.main,
    "mixed": mixed.main,
    "large": large.main,
    "stages": stages.main,
    "streaming": streaming.main,
    "million": million.main,
    "pages": pages.main,
    "serving": serving.main,
}


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in TABLES]
    if unknown:
        print(f"no table called {unknown[0]}; there are {', '.join(TABLES)}")
        return 2
    for name in names or TABLES:
        print(f"\n## {name}\n")
        TABLES[name]()
    return 0


sys.exit(main(sys.argv[1:]))
