"""Certificates of each kind, built once for all tests."""

import pytest

from tests.engine.certificate.made import KINDS, Made, made, values_of


@pytest.fixture(scope="session")
def certificates() -> Made:
    return {kind: made(values_of(24, 6), kind) for kind in KINDS}
