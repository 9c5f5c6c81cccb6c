"""Amounts of memory are read as they are said, and shared out."""

import pytest

from engine.core.errors import ParameterError
from engine.core.platform.memory import peak_resident_bytes, resident_bytes
from engine.streaming.memory import (
    BlockShape,
    MemoryBudget,
    default_memory_limit,
    parse_memory_size,
)


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("2GB", 2 * 10**9),
        ("500 MB", 5 * 10**8),
        ("1.5GiB", 3 * 2**29),
        ("800m", 8 * 10**8),
        ("1000000", 10**6),
    ],
)
def test_amounts_are_read(text: str, amount: int) -> None:
    assert parse_memory_size(text) == amount


@pytest.mark.parametrize("text", ["", "much", "-2GB", "2XB", "GB"])
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(ParameterError, match="2GB"):
        parse_memory_size(text)


def test_this_process_has_a_size() -> None:
    assert 10**7 < resident_bytes() <= 1.1 * peak_resident_bytes()
    assert peak_resident_bytes() < default_memory_limit() * 4


def test_a_block_that_came_out_too_large_is_refused() -> None:
    shape = BlockShape(10**8, 10**5, 10)
    fits = MemoryBudget(shape.required_bytes + 10**8, 10**8)
    fits.check_block_limit(shape, 10**5)
    with pytest.raises(ParameterError, match="--memory"):
        MemoryBudget(fits.limit - 1, fits.base).check_block_limit(shape, 10**5)
