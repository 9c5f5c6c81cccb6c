"""Make all sample files again: ``python -m sample_data.make``."""

from __future__ import annotations

from pathlib import Path

from sample_data.business import business_survey
from sample_data.diagnoses import hierarchy_rows
from sample_data.draw import write_rows
from sample_data.hospital import hospital_discharges
from sample_data.published import EXPENDITURE, TEN_RECORDS, TWELVE_VALUES

SEED = 20261
"""Seed of every generated table."""


def make() -> dict[str, str]:
    """Return the text of every sample file by its name; the same on every call."""
    files = {}
    for name, table in (
        ("business_survey", business_survey(SEED)),
        ("hospital_discharges", hospital_discharges(SEED)),
        ("expenditure", EXPENDITURE),
        ("ten_records", TEN_RECORDS),
        ("twelve_values", TWELVE_VALUES),
    ):
        files[f"{name}.csv"] = table.to_csv()
        files[f"{name}.json"] = table.schema.to_json()
    # ARX's level files have no header and semicolons between the levels.
    files["hospital_diagnosis_hierarchy.csv"] = write_rows(hierarchy_rows(), ";")
    return files


def main(folder: Path = Path(__file__).parent) -> None:
    """Write every sample file into a folder."""
    for name, text in make().items():
        (folder / name).write_bytes(text.encode("utf-8"))


if __name__ == "__main__":
    main()
