"""Texts about persons: whom k counts, and what an intruder knows of them."""

from __future__ import annotations

RECORDS_COUNT = (
    "k counts records, although somebody may have several: a group of k records may be "
    "of fewer people."
)
UNDO_HELP = (
    "Let k count records. Then k records may be those of one person, which the badge "
    "and the report say."
)
OF_GROUP = (
    "It may be what several people belong to, such as a household, a firm or a school. "
    "To count its values hides each among at least k; to keep it whole also gives its "
    "members values place by place."
)
KNOWS: dict[str, str] = {"one": "One record", "all": "The whole history"}
EXAMPLES: dict[str, str] = {
    "one": "Of somebody in this file, one of {count} records, such as {record}: at "
    "least k people share its released values.",
    "all": "Of somebody in this file, all {count} records, of which one is {record}: "
    "at least k people have the same set of released values. It costs more.",
    "counts": "Of somebody in this file, all {count} records, of which one is "
    "{record}: at least k people have the same released values, each equally often. Of "
    "whoever has more records than the others, some are left out. It costs most.",
}
"""What an intruder knows, by somebody of the file."""
LINKED = "**k holds, but records can be linked.**"
WHOLE_HELP = (
    "Protect the set of all values that a person has, and not one record alone."
)
