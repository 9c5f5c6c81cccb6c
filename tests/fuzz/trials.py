"""Trials by kind, one after the other, counted by what came of them."""

import itertools
from collections import Counter
from collections.abc import Callable

from tests.fuzz.carried import try_project
from tests.fuzz.commands import try_out_of_core, try_regroup, try_seed
from tests.fuzz.tiny import try_tiny

KINDS: dict[str, Callable[[int], str]] = {
    "command": try_seed,
    "tiny": try_tiny,
    "out of core": try_out_of_core,
    "regroup": try_regroup,
    "project": try_project,
}
"""Each returns why there was no release, or nothing."""

TURNS = ("command", "tiny", "command", "out of core", "tiny", "command", "regroup",
         "command", "tiny", "project")  # fmt: skip
"""Kinds of seeds that follow each other: commands most often, which are most varied."""

Outcomes = Counter[tuple[str, str]]


def count_trials(
    first_seed: int,
    is_over: Callable[[Outcomes], bool],
    failed: Callable[[int, Exception], None] | None = None,
) -> Outcomes:
    """Return how many trials made a release, under "", and why others did not.

    Parameters
    ----------
    first_seed : int
    is_over : callable
        Asked after every trial, with what was counted so far, by kind.
    failed : callable, optional
        Told of what is wrong, and with which seed; without it the first trial that
        fails ends all.
    """
    counts: Outcomes = Counter()
    for seed in itertools.count(first_seed):
        if is_over(counts):
            break
        kind = TURNS[seed % len(TURNS)]
        try:
            counts[kind, KINDS[kind](seed)] += 1
        except Exception as error:
            error.add_note(f"seed {seed}")
            if failed is None:
                raise
            failed(seed, error)
            counts[kind, "WRONG"] += 1
    return counts


def count_releases(counts: Outcomes) -> int:
    """Return how many trials made a release."""
    return sum(count for (_, why), count in counts.items() if not why)


def print_trials(counts: Outcomes) -> None:
    """Say of each kind how many trials were released, and why others were refused."""
    for kind in KINDS:
        some = {why: n for (of, why), n in counts.items() if of == kind}
        done = some.pop("", 0)
        print(f"{kind}: {done:,} released, {sum(some.values()):,} refused")
        for why, count in sorted(some.items(), key=lambda pair: -pair[1]):
            print(f"{count:6,} {why}")
