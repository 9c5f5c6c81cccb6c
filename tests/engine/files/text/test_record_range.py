"""Where records are in delimited text."""

import random

from engine.files.text.record_range import find_next_line_start


def test_the_line_found_has_pairs_of_quotation_marks_on_both_sides() -> None:
    drawn = random.Random(0)
    for _ in range(2_000):
        text = bytes(drawn.choices(b'"\na,', k=drawn.randrange(1, 30)))
        begin = drawn.randrange(len(text))
        start = drawn.randrange(begin, len(text))
        lines = [
            place
            for place in range(start + 1, len(text) + 1)
            if text[place - 1] == ord("\n")
            and text.count(b'"', begin, place) % 2 == 0
            and text.count(b'"', place) % 2 == 0
        ]
        assert find_next_line_start(text, begin, start) == next(iter(lines), 0)
