"""Check random files for as long as asked: ``python -m tests.fuzz --minutes 60``.

Two thirds of the time whole commands are tried, the rest releases of random plans. What
fails is said at once, with the seed that repeats it, and the run goes on; then its exit
code is 1.
"""

import argparse
import sys
import time
import traceback

from tests.fuzz.test_releases import FIRST_SEED, count_outcomes, print_outcomes
from tests.fuzz.trials import count_trials, print_trials

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=FIRST_SEED, help="where to begin")
    options = parser.parse_args()
    wrong = list[int]()

    def tell(seed: int, error: Exception) -> None:
        wrong.append(seed)
        traceback.print_exception(error, limit=-3)
        print(f"seed {seed} is wrong", file=sys.stderr, flush=True)

    seconds, start = 60.0 * options.minutes, time.monotonic()
    print_trials(
        count_trials(
            options.seed, lambda _: time.monotonic() > start + seconds * 2 / 3, tell
        )
    )
    sys.stdout.flush()
    print_outcomes(
        count_outcomes(options.seed, lambda _: time.monotonic() > start + seconds, tell)
    )
    sys.exit(bool(wrong))
