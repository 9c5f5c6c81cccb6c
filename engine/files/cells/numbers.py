"""Human-written numbers: infer formats from a sample, then parse columns.

A column is a number only if every cell is written in one and the same way. Codes stay
text: leading zeros, telephone numbers, and digits in groups that are all of one length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from engine.data.formats.number_format import Negative, NumberFormat
from engine.files.cells.digits import do_all_floats_keep_text_digits
from engine.files.cells.units import PREFIXES, SPACE_SIGNS, SUFFIXES, find_column_units

Text = Any

_MINUS_SIGNS = "\\-\u2212\u2013"
_CELL_PATTERN = re.compile(
    rf"(?P<open>\()?(?P<sign>[-+\u2212\u2013]?)(?P<prefix>(?:{PREFIXES})?[{SPACE_SIGNS}]?)"
    rf"(?P<inner>[-+\u2212]?)(?P<number>\d[\d.,'\u2019{SPACE_SIGNS}]*?|[.,]\d+)"
    rf"(?P<suffix>[{SPACE_SIGNS}]?(?:{SUFFIXES})?)(?P<trailing>[-\u2212]?)(?P<close>\))?"
)


MAX_DIGITS = 15
"""More are not told apart by floating-point numbers: such cells stay text."""


def find_number_formats(cells: Sequence[str]) -> tuple[NumberFormat, ...]:
    """Return the formats in which every sampled cell is a number.

    None for a column that is no numbers; several where a sign may be of decimals or of
    thousands.

    Parameters
    ----------
    cells : sequence of str
        Trimmed, none empty.
    """
    matches = []
    for cell in cells:
        match = _CELL_PATTERN.fullmatch(cell)
        if match is None or bool(match["open"]) != bool(match["close"]):
            return ()
        matches.append(match)
    units = find_column_units(matches) if matches else None
    negative = _negative_style(matches)
    if units is None or negative is None:
        return ()
    plus = any("+" in (m["sign"], m["inner"]) for m in matches)
    numbers = [m["number"] for m in matches]
    if max(sum(map(str.isdigit, number)) for number in numbers) > MAX_DIGITS:
        return ()
    unit = bool(units.prefix.strip() or units.suffix.strip() or units.scales)
    forms = []
    for decimal, group, indian in _separator_candidates(numbers):
        ungrouped = _max_ungrouped_digits(numbers, decimal, group, indian)
        if ungrouped is None:
            continue
        fractions = [number.partition(decimal)[2] for number in numbers]
        decimals = min((len(part) for part in fractions if part), default=0)
        if not unit and not decimals and _are_grouped_codes(numbers, group):
            continue
        whole = min(
            (len(part) for part in fractions if not part.strip("0")), default=decimals
        )
        forms.append(
            NumberFormat(
                decimal,
                group,
                indian,
                ungrouped,
                decimals,
                units.prefix,
                units.suffix,
                negative,
                plus,
                not any(m["inner"] for m in matches),
                units.singular,
                units.scales,
                whole if whole != decimals else -1,
            )
        )
    if plus and not unit:
        # Signs are of numbers in company of decimals or minus signs only.
        below = any(_is_below(m) for m in matches)
        forms = [form for form in forms if below or form.decimals]
    return tuple(forms)


def may_be_number(cell: str) -> bool:
    """Return whether a trimmed cell may be a number in any known format."""
    return _CELL_PATTERN.fullmatch(cell) is not None


def _negative_style(matches: Sequence[re.Match[str]]) -> Negative | None:
    """Return how numbers below zero are written; None if in several ways."""
    styles: set[Negative] = set()
    for match in matches:
        if match["open"]:
            styles.add("parentheses")
        if match["trailing"]:
            styles.add("trailing")
        if "-" in (match["sign"], match["inner"]):
            styles.add("-")
        if {"\u2212", "\u2013"} & {match["sign"], match["inner"]}:
            styles.add("\u2212")
    if len(styles) > 1:
        return None
    style = styles.pop() if styles else "-"
    marked = sum(map(_is_below, matches))
    # A list that is numbered (1), (2), or ends in dashes, has no numbers below zero.
    if style in ("parentheses", "trailing") and marked == len(matches) > 1:
        return None
    return style


def _is_below(match: re.Match[str]) -> bool:
    signs = match["sign"] + match["inner"]
    return bool(match["open"] or match["trailing"] or signs.strip("+"))


def _separator_candidates(numbers: Sequence[str]) -> Iterator[tuple[str, str, bool]]:
    """Yield decimal signs and groups that may be meant."""
    signs = {sign for number in numbers for sign in number if not sign.isdigit()}
    for decimal in (".", ","):
        others = sorted(signs - {decimal})
        if len(others) > 1:
            continue
        group = others[0] if others else ""
        for indian in (False, True) if group == "," else (False,):
            yield decimal, group, indian


def _max_ungrouped_digits(
    numbers: Sequence[str], decimal: str, group: str, indian: bool
) -> int | None:
    """Return the digits up to which there are no groups; None if it does not fit."""
    size = 2 if indian else 3
    mark = re.escape(group)
    shape = re.compile(rf"[1-9]\d{{0,{size - 1}}}(?:{mark}\d{{{size}}})*{mark}\d{{3}}")
    longest, shortest, two = 0, 99, False
    for number in numbers:
        whole, _, fraction = number.partition(decimal)
        if fraction and not fraction.isdigit():
            return None
        if group and group in whole:
            if not shape.fullmatch(whole):
                return None
            shortest = min(shortest, len(whole.replace(group, "")))
            two = two or whole.count(group) > 1
        elif (whole and not whole.isdigit()) or (len(whole) > 1 and whole[0] == "0"):
            return None
        else:
            longest = max(longest, len(whole))
    if group and shortest == 99:
        return None
    if group and longest >= shortest:
        return None
    if indian and not two:
        return None
    return 4 if group and longest == 4 else 3


def _are_grouped_codes(numbers: Sequence[str], group: str) -> bool:
    """Return whether whole numbers in groups are rather codes or telephone numbers."""
    if not group or len(set(numbers)) < 2:
        return False
    lengths = {len(number.replace(group, "")) for number in numbers}
    return len(lengths) == 1 and lengths.pop() >= 6


def try_parse_formatted_numbers(
    column: Text, number_format: NumberFormat
) -> Any | None:
    """Return a column as int64 or double; None if a cell does not fit, or loses digits.

    Parameters
    ----------
    column : pyarrow.ChunkedArray of string
        Trimmed; missing cells are null.
    number_format : NumberFormat
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pc.all(pc.match_substring_regex(column, _shape(number_format))).as_py():
        return None
    below = pc.match_substring_regex(
        column, rf"^[^\d]*[{_MINUS_SIGNS}(]|[{_MINUS_SIGNS}]$"
    )
    power = pa.scalar("")
    for unit, exponent in _by_length(number_format):
        ends = pc.ends_with(column, unit.strip())
        power = pc.if_else(ends, pa.scalar(f"e{exponent}"), power)
    text = pc.replace_substring_regex(column, rf"{_suffix(number_format)}(\W*)$", r"\1")
    if prefix := number_format.prefix.strip():
        text = pc.replace_substring(text, prefix, "")
    if number_format.group:
        text = pc.replace_substring(text, number_format.group, "")
    text = pc.replace_substring_regex(text, rf"[+{_MINUS_SIGNS}(){SPACE_SIGNS}]", "")
    if number_format.decimal != ".":
        text = pc.replace_substring(text, number_format.decimal, ".")
    sign = pc.if_else(below, pa.scalar("-"), pa.scalar(""))
    text = pc.binary_join_element_wise(sign, text.cast(pa.string()), power, "")
    try:
        return text.cast(pa.int64())
    except pa.ArrowInvalid:
        pass
    try:
        numbers = text.cast(pa.float64())
    except pa.ArrowInvalid:
        return None
    start = 0
    for chunk in text.chunks:  # those of the numbers are others
        some = numbers.slice(start, len(chunk)).combine_chunks()
        if not do_all_floats_keep_text_digits(chunk, some):
            return None
        start += len(chunk)
    return numbers


def _shape(form: NumberFormat) -> str:
    """Return the regular expression (RE2) of a cell."""
    group, limit = re.escape(form.group), form.ungrouped - 1
    whole = r"(?:0|[1-9]\d*)?"
    if form.group:
        size = 2 if form.indian else 3
        grouped = rf"[1-9]\d{{0,{size - 1}}}(?:{group}\d{{{size}}})*{group}\d{{3}}"
        whole = rf"(?:{grouped}|(?:0|[1-9]\d{{0,{limit}}})?)"
    number = rf"{whole}(?:{re.escape(form.decimal)}\d*)?"
    sign = rf"[+{_MINUS_SIGNS}]?"
    prefix, suffix = _blank_or_none(form.prefix), _suffix(form)
    core = rf"{sign}{prefix}{sign}{number}{suffix}"
    if form.negative == "parentheses":
        return rf"^(?:\({core}\)|{core})$"
    return (
        rf"^{core}[{_MINUS_SIGNS}]?$" if form.negative == "trailing" else rf"^{core}$"
    )


def _suffix(form: NumberFormat) -> str:
    """Return the regular expression of a column's units, whatever blank is before."""
    if form.scales:
        every = "|".join(_blank_or_none(unit) for unit, _ in _by_length(form)[::-1])
        return rf"(?:{every})"
    if form.singular:
        return rf"(?:{_blank_or_none(form.suffix)}|{_blank_or_none(form.singular)})"
    return _blank_or_none(form.suffix)


def _by_length(form: NumberFormat) -> list[tuple[str, int]]:
    """Return the scales, the shortest unit first: it may be the end of another."""
    return sorted(form.scales, key=lambda scale: len(scale[0].strip()))


def _blank_or_none(unit: str) -> str:
    """Return the regular expression of a unit with any blank beside it, or none."""
    if not unit.strip():
        return re.escape(unit)
    return rf"[{SPACE_SIGNS}]?{re.escape(unit.strip())}[{SPACE_SIGNS}]?"
