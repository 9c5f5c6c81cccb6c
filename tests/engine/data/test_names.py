"""Words of names and labels are spelled as they stand there, however long these are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.data.propose.names import normalised_words, original_spelling


class CountedText(str):
    """Text that counts how often it is compared."""

    n_compared = 0

    def __eq__(self, other: object) -> bool:
        CountedText.n_compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


@given(st.lists(st.sampled_from(["a", "Bc", "é", "-", "7", "§", "日本"]), max_size=8))
def test_every_run_of_parts_is_found_as_it_stands(parts: list[str]) -> None:
    name = " ".join(parts)
    for first in range(len(parts)):
        for last in range(first + 1, len(parts) + 1):
            run = " ".join(normalised_words(" ".join(parts[first:last])))
            found = original_spelling(run, name)
            assert " ".join(normalised_words(found)) == run


@pytest.mark.parametrize("n_parts", [10, 400])
def test_comparisons_grow_with_the_length_of_a_label(n_parts: int) -> None:
    """Not with its square: labels are questions of some hundred letters."""
    CountedText.n_compared = 0
    word = CountedText("missing")
    assert original_spelling(word, "no " * n_parts) == "missing"
    assert 0 < CountedText.n_compared <= 4 * n_parts
