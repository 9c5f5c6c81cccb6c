"""Files that are as programs write them: nothing must be found where nothing is."""

from pathlib import Path

import numpy as np

from tests.sample_files.base import Expectation, sample_file, write_rows


@sample_file(
    "plain_survey.csv",
    Expectation(
        n_records=42,
        columns=("age", "income", "started", "region"),
        numbers={"age": (34, 51), "income": (2150.5, 1890.0)},
        dates={"started": ("2019-04-01", "2021-11-15")},
        texts={"region": ("North", "South")},
        left_out=(),
    ),
)
def plain_survey(path: Path, rng: np.random.Generator) -> None:
    rows: list[list[object]] = [
        ["age", "income", "started", "region"],
        [34, 2150.5, "2019-04-01", "North"],
        [51, 1890.0, "2021-11-15", "South"],
    ]
    for _ in range(40):
        year, month = rng.integers(2015, 2025), rng.integers(1, 13)
        rows.append(
            [
                rng.integers(18, 80),
                round(float(rng.normal(2000, 400)), 1),
                f"{year}-{month:02}-{rng.integers(1, 29):02}",
                rng.choice(["North", "South", "West"]),
            ]
        )
    write_rows(path, rows)
