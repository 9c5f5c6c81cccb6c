"""What tests of runs out of core share."""

from pathlib import Path

import pytest

from engine.streaming import StreamedOutcome
from tests.engine.streaming.runs import PLAN, run
from tests.engine.streaming.tables import people, written


@pytest.fixture(scope="package")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(people(3000), tmp_path_factory.mktemp("in") / "people.parquet")


@pytest.fixture(scope="package")
def done(
    source: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[StreamedOutcome, Path]:
    target = tmp_path_factory.mktemp("out") / "protected"
    return run(PLAN, source, target), target
