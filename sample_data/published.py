"""Tables that are known in full: a published one, and an example made by hand."""

from __future__ import annotations

from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from sample_data.draw import Generated


def _quantity(name: str, description: str) -> Column:
    return Column(name, Kind.CONTINUOUS, Role.QUASI_IDENTIFIER, description)


EXPENDITURE = Generated(
    Schema(
        columns=(
            _quantity("exp16", "Expenditure taxed at 16 %, before tax."),
            _quantity("exp7", "Expenditure taxed at 7 %, before tax."),
            _quantity("total", "Total expenditure, tax included."),
        ),
        title="Expenditure and tax (published example)",
        description=(
            "Twelve records of an example in the literature, in which the total "
            "follows from its parts: 1.16 exp16 + 1.07 exp7 = total. It is invented: "
            "no real person or firm is in it. Source: V. Torra, Fuzzy "
            "clustering-based microaggregation to achieve probabilistic k-anonymity "
            "for data with constraints, Journal of Intelligent & Fuzzy Systems, 2020, "
            "Table 1, doi:10.3233/JIFS-189074. The last record's exp16 is printed "
            "there as 13, which breaks the rule; here it is 16, which keeps it. No "
            "value is missing."
        ),
        constraints=("1.16*exp16 + 1.07*exp7 = total",),
    ),
    (
        ("15", "23", "42.01"),
        ("12", "43", "59.93"),
        ("64", "229", "319.27"),
        ("12", "45", "62.07"),
        ("28", "39", "74.21"),
        ("71", "102", "191.50"),
        ("23", "64", "95.16"),
        ("25", "102", "138.14"),
        ("48", "230", "301.78"),
        ("32", "50", "90.62"),
        ("90", "200", "318.40"),
        ("16", "100", "125.56"),
    ),
)
"""The expenditure table, cell by cell."""

TWELVE_VALUES = Generated(
    Schema(
        columns=(_quantity("value", "The only attribute."),),
        title="Twelve values (published example)",
        description=(
            "Twelve values of one attribute from a figure in the literature: in the "
            "best groups of at least three they become 46, 6 and 26, as printed; "
            "MDAV's groups of exactly three lose twice as much. They are invented: no "
            "real person or firm is in them. Source: M. E. Kabir, H. Wang and Y. "
            "Zhang, A Pairwise Systematic Microaggregation for Statistical Disclosure "
            "Control, ICDM 2010, Figure 1, doi:10.1109/ICDM.2010.111. No value is "
            "missing."
        ),
    ),
    tuple((str(value),) for value in (45, 2, 42, 31, 51, 5, 22, 26, 6, 25, 46, 11)),
)
"""The twelve values of the figure."""

_VALUES = (10, 11, 12, 50, 51, 52, 100, 101, 102, 103)

TEN_RECORDS = Generated(
    Schema(
        columns=(
            _quantity("x", "First attribute."),
            _quantity("y", "Second attribute, equal to the first."),
        ),
        title="Ten records (worked example)",
        description=(
            "Ten invented records in three clear groups of 3, 3 and 4, made to show "
            "what the order in which groups are formed can cost: with k = 3 MDAV "
            "loses 12.60 % of the information, the best groups only 0.063 %. No real "
            "person or firm is in it. No value is missing."
        ),
    ),
    tuple((str(value), str(value)) for value in _VALUES),
)
"""The ten-record example."""
