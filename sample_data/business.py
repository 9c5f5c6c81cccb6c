"""A business survey: heavy tails, a few giants, and totals that add up."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from sample_data.draw import (
    Flags,
    Floats,
    Generated,
    Integers,
    choose,
    generator,
    lognormal,
    shuffled,
    whole,
)

N_FIRMS = 1200
N_GIANTS = 10


class Sector(NamedTuple):
    """A branch of business and its typical accounts.

    Attributes
    ----------
    code : str
    firms : int
        Weight in the survey.
    wage : float
        Thousand euros per employee and year.
    value_added : float
        Share of turnover that the firm itself creates.
    capital : float
        Assets per euro of turnover.
    export_odds : float
        Logarithm of the odds that a firm of median size exports.
    export_share : float
        Typical share of turnover that an exporter sells abroad.
    """

    code: str
    firms: int
    wage: float
    value_added: float
    capital: float
    export_odds: float
    export_share: float


SECTORS = (
    Sector("C10", 11, 29.0, 0.26, 0.65, -0.6, 0.25),  # food
    Sector("C25", 13, 36.0, 0.38, 0.75, 0.4, 0.45),  # metal products
    Sector("C28", 7, 44.0, 0.36, 0.80, 1.2, 0.70),  # machinery
    Sector("F41", 17, 33.0, 0.34, 0.55, -3.0, 0.10),  # building
    Sector("G46", 16, 38.0, 0.13, 0.40, 0.1, 0.30),  # wholesale trade
    Sector("G47", 15, 24.0, 0.16, 0.38, -2.4, 0.10),  # retail trade
    Sector("H49", 8, 31.0, 0.42, 0.90, -0.8, 0.30),  # land transport
    Sector("I55", 6, 21.0, 0.48, 1.60, -3.0, 0.10),  # hotels
    Sector("J62", 7, 56.0, 0.60, 0.50, 0.3, 0.40),  # software
)

REGIONS = tuple(f"R{number:02d}" for number in range(1, 9))
REGION_WEIGHTS = (24, 17, 14, 12, 11, 9, 8, 5)


def _quantity(name: str, description: str) -> Column:
    return Column(name, Kind.CONTINUOUS, Role.QUASI_IDENTIFIER, description)


SCHEMA = Schema(
    columns=(
        Column(
            "firm_number",
            Kind.NOMINAL,
            Role.IDENTIFIER,
            "Number of the firm in the invented register; unique.",
        ),
        Column(
            "region",
            Kind.NOMINAL,
            Role.QUASI_IDENTIFIER,
            "Region of the head office, R01 to R08.",
        ),
        Column(
            "sector",
            Kind.NOMINAL,
            Role.QUASI_IDENTIFIER,
            "Main activity, a letter and two digits as in NACE.",
        ),
        Column(
            "exporter",
            Kind.NOMINAL,
            Role.QUASI_IDENTIFIER,
            "Whether the firm is registered as an exporter (yes or no); some "
            "exporters sold nothing abroad this year.",
        ),
        _quantity("employees", "Persons employed at the end of the year."),
        _quantity("domestic", "Sales at home, thousand euros."),
        _quantity("export", "Sales abroad, thousand euros."),
        _quantity("turnover", "All sales, thousand euros: domestic plus export."),
        _quantity("wages", "Wages and salaries of the year, thousand euros."),
        _quantity("investment", "Investment of the year, thousand euros."),
        _quantity("assets", "Total of the balance sheet, thousand euros."),
        _quantity("profit", "Profit before tax, thousand euros; negative for a loss."),
        Column(
            "bank_debt",
            Kind.CONTINUOUS,
            Role.CONFIDENTIAL,
            "Debt to banks, thousand euros: what nobody should learn about a firm.",
        ),
    ),
    title="Business survey (synthetic)",
    description=(
        f"{N_FIRMS:,} invented firms with heavy tails: most are small and a few are "
        "giants. Sales at home and abroad add up to turnover. The table is "
        "synthetic, made by a program with a fixed seed: no real firm is in it. "
        "No value is missing."
    ),
    constraints=("domestic + export = turnover",),
)


def _employees(rng: np.random.Generator) -> Integers:
    """Draw sizes: lognormal, and a Pareto tail for the giants."""
    size = 18.0 * lognormal(rng, 1.05, N_FIRMS)
    giants = shuffled(rng, N_FIRMS)[:N_GIANTS]
    size[giants] = 400.0 * (1.0 - rng.random(N_GIANTS)) ** (-1.0 / 4.0)
    return whole(size, 1)


def _exports(
    rng: np.random.Generator, sector: Integers, employees: Integers, turnover: Integers
) -> tuple[Flags, Integers]:
    """Draw who exports and how much of the turnover; larger firms do so more often."""
    odds = np.array([s.export_odds for s in SECTORS])[sector]
    odds = odds + 0.6 * np.log(employees / 18.0)
    exporter = rng.random(N_FIRMS) < 1.0 / (1.0 + np.exp(-odds))
    typical = np.array([s.export_share for s in SECTORS])[sector]
    share = np.minimum(typical * lognormal(rng, 0.5, N_FIRMS), 0.98)
    idle = rng.random(N_FIRMS) < 0.09
    sold = np.where(exporter & ~idle, share, 0.0)
    return exporter, whole(turnover.astype(np.float64) * sold)


def _accounts(
    rng: np.random.Generator, sector: Integers, employees: Integers
) -> dict[str, Integers]:
    """Draw accounts from the bottom up: wages, value added, turnover, assets."""

    def typical(field: str) -> Floats:
        return np.array([getattr(s, field) for s in SECTORS])[sector]

    n = N_FIRMS
    # Larger firms pay a little more per head.
    pay = typical("wage") * (employees / 18.0) ** 0.06 * lognormal(rng, 0.18, n)
    wages = employees * pay
    value_added = wages * 1.4 * lognormal(rng, 0.2, n)
    turnover = value_added / (typical("value_added") * lognormal(rng, 0.45, n))
    assets = turnover * typical("capital") * lognormal(rng, 0.7, n)
    profit = (
        value_added - wages - 0.05 * assets + 0.02 * turnover * rng.standard_normal(n)
    )
    # Investment comes in lumps: every seventh firm makes none in a year.
    invests = rng.random(n) >= 1.0 / 7.0
    investment = np.where(invests, 0.05 * assets * lognormal(rng, 0.9, n), 0.0)
    borrows = rng.random(n) >= 0.2
    debt = np.where(borrows, assets * 0.75 * rng.random(n), 0.0)
    return {
        "turnover": whole(turnover, 1),
        "wages": whole(wages, 1),
        "investment": whole(investment),
        "assets": whole(assets, 1),
        "profit": whole(profit),
        "bank_debt": whole(debt),
    }


def business_survey(seed: int) -> Generated:
    """Return the survey that belongs to a seed."""
    rng = generator(seed)
    number = shuffled(rng, N_FIRMS) * 731 + 104_729
    region = choose(rng, REGION_WEIGHTS, N_FIRMS)
    sector = choose(rng, [s.firms for s in SECTORS], N_FIRMS)
    employees = _employees(rng)
    accounts = _accounts(rng, sector, employees)
    exporter, export = _exports(rng, sector, employees, accounts["turnover"])
    numbers = {
        "employees": employees,
        "domestic": accounts["turnover"] - export,
        "export": export,
        **accounts,
    }
    columns = {
        "firm_number": [f"F{value}" for value in number],
        "region": [REGIONS[code] for code in region],
        "sector": [SECTORS[code].code for code in sector],
        "exporter": ["yes" if flag else "no" for flag in exporter],
        **{name: [str(value) for value in column] for name, column in numbers.items()},
    }
    cells = [columns[name] for name in SCHEMA.names]
    return Generated(SCHEMA, tuple(zip(*cells, strict=True)))
