"""What tests of jobs share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import sample_data
from dashboard.jobs.registry import JobRegistry
from engine.data.table import Table


@pytest.fixture(scope="module")
def firms() -> Table:
    return sample_data.load("business_survey")


@pytest.fixture
def registry() -> Iterator[JobRegistry]:
    made = JobRegistry(spare=False)
    yield made
    made.close()
