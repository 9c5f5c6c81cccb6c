"""Diagnoses as in ICD-10, from code to block to chapter, and whom they befall."""

from __future__ import annotations

from typing import NamedTuple


class Diagnosis(NamedTuple):
    """A diagnosis and its typical patient.

    Attributes
    ----------
    code, block, chapter : str
        Levels of the classification, narrow to general.
    stays : int
        Weight among all stays.
    women : int
        Women among 100 patients.
    age, age_spread : int
        Mean and standard deviation, years.
    days : float
        Median length of stay.
    cost : int
        Median cost beside the daily rate, euros.
    planned : int
        Planned admissions among 100.
    youngest, oldest : int
        Limits of age, years.
    """

    code: str
    block: str
    chapter: str
    stays: int
    women: int
    age: int
    age_spread: int
    days: float
    cost: int
    planned: int
    youngest: int = 18
    oldest: int = 101


# The frequencies are invented; they only have to look like a general hospital's.
DIAGNOSES = (
    Diagnosis("A09", "A00-A09", "A00-B99", 12, 52, 42, 27, 2.6, 500, 4, 0),
    Diagnosis("A41", "A30-A49", "A00-B99", 7, 46, 71, 15, 9.5, 4200, 3, 0),
    Diagnosis("B18", "B15-B19", "A00-B99", 2, 40, 50, 13, 3.0, 1800, 55),
    Diagnosis("B20", "B20-B24", "A00-B99", 2, 28, 44, 12, 8.0, 3900, 25),
    Diagnosis("C18", "C15-C26", "C00-D48", 8, 46, 70, 12, 9.0, 6800, 80, 30),
    Diagnosis("C34", "C30-C39", "C00-D48", 9, 38, 68, 10, 6.5, 4800, 70, 35),
    Diagnosis("C50", "C50-C50", "C00-D48", 9, 99, 62, 13, 3.2, 4100, 92),
    Diagnosis("C61", "C60-C63", "C00-D48", 6, 0, 69, 8, 5.0, 4600, 93, 45),
    Diagnosis("C67", "C64-C68", "C00-D48", 6, 26, 73, 10, 4.6, 2900, 84),
    Diagnosis("D50", "D50-D53", "D50-D89", 4, 60, 66, 20, 3.8, 1100, 30, 1),
    Diagnosis("E11", "E10-E14", "E00-E90", 11, 44, 68, 13, 6.5, 1900, 35, 20),
    Diagnosis("E66", "E65-E68", "E00-E90", 3, 70, 42, 11, 3.4, 5200, 97),
    Diagnosis("E86", "E70-E90", "E00-E90", 7, 60, 80, 12, 4.2, 700, 3, 0),
    Diagnosis("F10", "F10-F19", "F00-F99", 12, 27, 47, 12, 3.4, 600, 22, 14),
    Diagnosis("F20", "F20-F29", "F00-F99", 5, 42, 43, 14, 19.0, 1200, 20, 16),
    Diagnosis("F32", "F30-F39", "F00-F99", 8, 61, 48, 17, 21.0, 1300, 60, 14),
    Diagnosis("G35", "G35-G37", "G00-G99", 2, 70, 40, 12, 5.0, 2600, 60),
    Diagnosis("G40", "G40-G47", "G00-G99", 8, 45, 46, 25, 3.1, 1300, 22, 0),
    Diagnosis("G45", "G40-G47", "G00-G99", 6, 52, 72, 12, 3.6, 1500, 4),
    Diagnosis("I10", "I10-I15", "I00-I99", 11, 68, 70, 14, 2.9, 700, 6),
    Diagnosis("I20", "I20-I25", "I00-I99", 10, 33, 67, 11, 2.3, 2800, 50),
    Diagnosis("I21", "I20-I25", "I00-I99", 13, 34, 69, 13, 5.8, 5400, 2),
    Diagnosis("I48", "I30-I52", "I00-I99", 14, 46, 71, 12, 2.6, 2500, 48),
    Diagnosis("I50", "I30-I52", "I00-I99", 23, 51, 80, 10, 8.2, 2300, 10, 35),
    Diagnosis("I63", "I60-I69", "I00-I99", 15, 48, 75, 12, 8.4, 4300, 3, 30),
    Diagnosis("I70", "I70-I79", "I00-I99", 9, 36, 72, 10, 5.2, 4900, 72, 40),
    Diagnosis("J18", "J09-J18", "J00-J99", 15, 45, 69, 23, 7.0, 1900, 3, 0),
    Diagnosis("J35", "J30-J39", "J00-J99", 8, 48, 14, 11, 3.3, 1500, 98, 3),
    Diagnosis("J44", "J40-J47", "J00-J99", 14, 45, 71, 11, 6.4, 1700, 15, 40),
    Diagnosis("K29", "K20-K31", "K00-K93", 8, 58, 56, 23, 2.9, 700, 7, 8),
    Diagnosis("K35", "K35-K38", "K00-K93", 8, 46, 31, 18, 3.2, 3000, 1, 4),
    Diagnosis("K40", "K40-K46", "K00-K93", 11, 11, 59, 18, 1.9, 2500, 93, 0),
    Diagnosis("K57", "K55-K64", "K00-K93", 9, 56, 66, 14, 5.2, 2000, 18),
    Diagnosis("K70", "K70-K77", "K00-K93", 3, 30, 56, 10, 7.8, 2600, 18),
    Diagnosis("K80", "K80-K87", "K00-K93", 16, 60, 58, 18, 3.9, 3300, 45),
    Diagnosis("L03", "L00-L08", "L00-L99", 5, 45, 60, 21, 4.9, 1300, 8, 1),
    Diagnosis("M16", "M15-M19", "M00-M99", 14, 58, 69, 11, 7.4, 6900, 99, 40),
    Diagnosis("M17", "M15-M19", "M00-M99", 14, 62, 68, 10, 7.1, 7000, 99, 40),
    Diagnosis("M51", "M50-M54", "M00-M99", 10, 46, 54, 15, 4.3, 3200, 58),
    Diagnosis("M54", "M50-M54", "M00-M99", 10, 59, 62, 17, 5.4, 900, 45),
    Diagnosis("N13", "N10-N16", "N00-N99", 7, 43, 56, 18, 2.8, 2000, 30, 1),
    Diagnosis("N20", "N20-N23", "N00-N99", 9, 33, 53, 15, 2.0, 2200, 45),
    Diagnosis("N39", "N30-N39", "N00-N99", 11, 64, 71, 20, 4.9, 1200, 17, 1),
    Diagnosis("O42", "O30-O48", "O00-O99", 9, 100, 31, 5, 3.1, 1700, 2, 17, 47),
    Diagnosis("O80", "O80-O84", "O00-O99", 24, 100, 31, 5, 2.7, 1600, 6, 17, 47),
    Diagnosis("R07", "R00-R09", "R00-R99", 8, 47, 57, 17, 1.3, 800, 2, 12),
    Diagnosis("R55", "R50-R69", "R00-R99", 9, 54, 66, 22, 2.8, 900, 2, 6),
    Diagnosis("S06", "S00-S09", "S00-T98", 17, 44, 40, 31, 1.6, 900, 1, 0),
    Diagnosis("S52", "S50-S59", "S00-T98", 11, 64, 53, 26, 2.1, 3100, 12, 2),
    Diagnosis("S72", "S70-S79", "S00-T98", 14, 70, 81, 13, 11.5, 6900, 1, 5),
    Diagnosis("S82", "S80-S89", "S00-T98", 9, 51, 49, 19, 5.0, 4200, 14, 4),
)
"""All diagnoses of the hospital sample, by code."""


def hierarchy_rows() -> list[tuple[str, str, str, str]]:
    """Return one row per diagnosis, narrow to general: code, block, chapter, all."""
    return [(d.code, d.block, d.chapter, "*") for d in DIAGNOSES]
