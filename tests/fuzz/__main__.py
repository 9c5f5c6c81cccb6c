"""Check random files for as long as asked: ``python -m tests.fuzz --minutes 60``.

A case that fails is made small and ends the run with what is wrong with it.
"""

from __future__ import annotations

import argparse
import time

from tests.fuzz.test_releases import FIRST_SEED, count_outcomes, print_outcomes

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=FIRST_SEED, help="where to begin")
    options = parser.parse_args()
    end = time.monotonic() + 60.0 * options.minutes
    found = count_outcomes(options.seed, lambda _: time.monotonic() > end)
    print_outcomes(found)
