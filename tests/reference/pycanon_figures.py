"""Figures of releases of the sample data by pycanon, an independent implementation.

pycanon 1.3.6 needs older libraries than this project, so it has an environment of its
own, and releases go there as CSV files. From the folder of the project:

    python -m tests.reference.pycanon_figures releases FOLDER
    OTHER/bin/pip install pycanon==1.3.6
    OTHER/bin/python tests/reference/pycanon_figures.py figures FOLDER > \
        tests/reference/pycanon_figures.json

Only complete records go there: pycanon drops those with a missing quasi-identifier.
Its c of recursive (c, l)-diversity is not taken: it divides by the count of the least
frequent value where the definition has the most frequent one.
"""

import json
import sys
from pathlib import Path
from typing import Any

CASES: dict[str, dict[str, Any]] = {
    "hospital-5": {
        "sample": "hospital_discharges",
        "quasi_identifiers": ["age", "height", "length_of_stay", "cost"],
        "confidential": ["diagnosis", "previous_stays", "admission_type"],
        "method": "mdav",
        "k": 5,
    },
    "hospital-40": {
        "sample": "hospital_discharges",
        "quasi_identifiers": ["age", "height", "length_of_stay", "cost"],
        "confidential": ["diagnosis", "care_grade", "sex"],
        "method": "mdav",
        "k": 40,
    },
    "hospital-vmdav": {
        "sample": "hospital_discharges",
        "quasi_identifiers": ["age", "height", "cost"],
        "confidential": ["diagnosis", "length_of_stay", "admission_type"],
        "method": "vmdav",
        "k": 10,
    },
    "business-3": {
        "sample": "business_survey",
        "quasi_identifiers": ["employees", "domestic", "export", "wages"],
        "confidential": ["sector", "bank_debt", "region"],
        "method": "mdav",
        "k": 3,
    },
    "business-25": {
        "sample": "business_survey",
        "quasi_identifiers": ["employees", "wages"],
        "confidential": ["sector", "exporter", "assets"],
        "method": "mdav",
        "k": 25,
    },
}
"""Releases: sample, roles, method and k."""


def release(case: dict[str, Any]) -> Any:
    """Return a case's table of complete records, and its outcome."""
    import sample_data
    from engine import Plan, Schema, Table, run

    table = sample_data.load(case["sample"])
    names = (*case["quasi_identifiers"], *case["confidential"])
    schema = Schema(tuple(table.schema[name] for name in names))
    complete = table.frame[list(names)].dropna().reset_index(drop=True)
    table = Table.from_frame(complete, schema)
    chosen = ("quasi_identifiers", "confidential", "method", "k")
    return table, run(Plan(**{name: case[name] for name in chosen}), table)


def _releases(folder: Path) -> None:
    for name, case in CASES.items():
        release(case)[1].release.frame.to_csv(folder / f"{name}.csv", index=False)


def _figures(folder: Path) -> dict[str, Any]:
    import pandas as pd
    from pycanon import anonymity

    figures: dict[str, Any] = {}
    for name, case in CASES.items():
        frame = pd.read_csv(folder / f"{name}.csv")
        quasi = case["quasi_identifiers"]
        figures[name] = {"k": int(anonymity.k_anonymity(frame, quasi))}
        for column in case["confidential"]:
            figures[name][column] = {
                "l": int(anonymity.l_diversity(frame, quasi, [column])),
                "entropy_l": int(anonymity.entropy_l_diversity(frame, quasi, [column])),
                "t": float(anonymity.t_closeness(frame, quasi, [column])),
                "alpha": float(anonymity.alpha_k_anonymity(frame, quasi, [column])[0]),
            }
    return figures


if __name__ == "__main__":
    if sys.argv[1] == "releases":
        _releases(Path(sys.argv[2]))
    else:
        json.dump(_figures(Path(sys.argv[2])), sys.stdout, indent=1)
        print()
