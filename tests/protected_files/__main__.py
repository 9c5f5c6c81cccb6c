"""``python -m tests.protected_files FOLDER``: protect its CSV files, and count."""

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

from engine.cli import main as coterie
from tests.protected_files.judge import Judgement, judge_release, read_texts

EXIT_CODES = {0: "protected", 2: "refused", 3: "red"}


def protect_and_judge(path: Path, folder: Path) -> tuple[str, dict, Judgement | None]:
    """Return how protecting a file ended, its figures, and what left.

    A red verdict is accepted, so that what it would let out is judged as well.
    """
    output, figures = folder / path.name, folder / f"{path.stem}.json"
    words = ["protect", str(path), "--output", str(output), "--json", str(figures)]
    words += ["--shuffle-seed", "1", "--accept-red", "to be judged"]
    error_output = StringIO()
    try:
        with redirect_stderr(error_output), redirect_stdout(StringIO()):
            code = coterie(words)
    except Exception as error:  # what is counted
        return "crash", {"error": repr(error)}, None
    if code != 0:
        return EXIT_CODES.get(code, "crash"), {"error": error_output.getvalue()}, None
    summary = json.loads(figures.read_text(encoding="utf-8"))
    quasi = [
        name for name, role in summary["roles"].items() if role == "quasi-identifier"
    ]
    judgement = judge_release(read_texts(path), read_texts(output), quasi)
    ending = "red" if summary["verdict"]["colour"] == "red" else "protected"
    return ending, summary, judgement


def describe(path: Path, ending: str, told: dict, judgement: Judgement | None) -> str:
    """Return one line on a file."""
    if judgement is None:
        return f"{path.stem}: {ending}. {told['error'].strip()}"
    lines = {line["id"]: line["colour"] for line in told["verdict"]["lines"]}
    wrong = {
        "names": judgement.naming,
        "keys": judgement.row_keys,
        "invented": judgement.invented,
    }
    faults = [f"{what} {', '.join(names)}" for what, names in wrong.items() if names]
    colours = [f"{id} {colour}" for id, colour in lines.items() if colour != "green"]
    reasons = {omission["column"]: omission["why"] for omission in told["left_out"]}
    return (
        f"{path.stem}: {ending}, loss {told['information_loss']:.1f} %, "
        f"{judgement.n_leaving} of {judgement.n_ordinary} columns, smallest class "
        f"{judgement.smallest_class}; {', '.join(colours)}; left out {list(reasons)}"
        + "".join(f"\n    !! {fault}" for fault in faults)
    )


def main(arguments: list[str] | None = None) -> int:
    """Print a line on each file and the counts; return 1 where anything is wrong."""
    parser = argparse.ArgumentParser(prog="tests.protected_files", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sample", type=int, help="files drawn (default: all)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="keep releases and figures here")
    options = parser.parse_args(arguments)
    paths = sorted(options.folder.glob("*.csv"))
    if options.sample:
        drawn = random.Random(options.seed).sample(
            paths, min(options.sample, len(paths))
        )
        paths = sorted(drawn)
    endings: Counter[str] = Counter()
    judged: list[Judgement] = []
    losses: list[float] = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.out or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for path in paths:
            start = time.perf_counter()
            ending, summary, judgement = protect_and_judge(path, folder)
            endings[ending] += 1
            if judgement is not None:
                judged.append(judgement)
                losses.append(summary["information_loss"])
            seconds = time.perf_counter() - start
            print(f"{describe(path, ending, summary, judgement)} ({seconds:.0f} s)")
            sys.stdout.flush()
    faults = sum(
        bool(judged_file.naming or judged_file.row_keys or judged_file.invented)
        for judged_file in judged
    )
    few = sum(judged_file.smallest_class < 5 for judged_file in judged)
    shares = [judged_file.leaving_share for judged_file in judged]
    print(
        f"{len(paths)} files: {dict(endings)}; names, keys or invented codes in "
        f"{faults}, fewer than 5 in a class in {few}."
    )
    if shares:
        ordinary = sum(judged_file.n_ordinary for judged_file in judged)
        leaving = sum(judged_file.n_leaving for judged_file in judged)
        print(
            f"Of the other columns leave {leaving:,} of {ordinary:,} "
            f"({100 * leaving / ordinary:.0f} %), 80 % or more in "
            f"{sum(share >= 0.8 for share in shares)} files; median loss "
            f"{statistics.median(losses):.1f} %."
        )
    return int(bool(faults or few or endings["crash"]))


if __name__ == "__main__":
    sys.exit(main())
