"""Check random files for as long as asked: ``python -m tests.fuzz --minutes 60``.

Half of the time whole commands are tried, half of it releases. A case that fails ends
the run with what is wrong with it, made small, or with the seed of its command.
"""

from __future__ import annotations

import argparse
import time

from tests.fuzz.commands import count_trials
from tests.fuzz.test_releases import FIRST_SEED, count_outcomes, print_outcomes

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=FIRST_SEED, help="where to begin")
    options = parser.parse_args()
    for count in (count_trials, count_outcomes):
        end = time.monotonic() + 30.0 * options.minutes
        print_outcomes(count(options.seed, lambda _, end=end: time.monotonic() > end))
