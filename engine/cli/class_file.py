"""Options of ``coterie class``, which writes lessons as one HTML file."""

from __future__ import annotations

import argparse
from pathlib import Path

MAX_SEED = 2**31 - 1


def add_class_options(parser: argparse.ArgumentParser) -> None:
    """Add to a parser the options of `class`, such as output, seed and lessons."""
    parser.add_argument(
        "--out", type=Path, required=True, help="write the HTML file here"
    )
    parser.add_argument(
        "--seed",
        type=_whole_seed,
        default=7,
        metavar="N",
        help="seed of the table and of all right answers (default 7)",
    )
    parser.add_argument(
        "--language", default="en", help="language: de, en or zh (default en)"
    )
    parser.add_argument(
        "--lessons", metavar="A,B", help="lessons to include, with their exercises"
    )
    parser.add_argument(
        "--table",
        type=Path,
        metavar="FILE",
        help="a table of your own, for the pictures: two columns of numbers",
    )
    parser.add_argument("--public", metavar="SOURCE", help="source of a public table")
    parser.add_argument(
        "--certificate",
        type=Path,
        dest="release_certificate",  # read, where other commands write theirs
        metavar="CERTIFICATE",
        help="certificate of the run that wrote the table of --table",
    )


def _whole_seed(text: str) -> int:
    """Return a seed, a whole number from 0."""
    if not text.isdecimal() or int(text) > MAX_SEED:
        raise argparse.ArgumentTypeError(
            f"{text} is no seed: name a whole number from 0 to {MAX_SEED}"
        )
    return int(text)
