"""Files that hide records from a certificate, and what may be left out of one."""

from typing import Any

from engine.certificate.write import build_certificate
from engine.files import ReadOptions, read_table
from engine.pipeline.plan import Plan
from engine.pipeline.run import run


def hidden(lines: list[str], **choices: Any) -> tuple[bytes, bytes]:
    """Return the certificate of a file that is read so, and the file."""
    file = "\n".join(lines).encode(choices.get("encoding", "utf-8"))
    table = read_table(file, name="t.csv", options=ReadOptions(**choices))
    roles = {"a": "quasi-identifier", "b": "quasi-identifier"}
    kinds = dict.fromkeys(roles, "continuous")
    table = table.assign(roles=roles, kinds=kinds)
    outcome = run(Plan(method="mdav", k=3, missing="drop"), table)
    return build_certificate(outcome, table).text, file


ROWS = [f"{i},{i * i % 7}" for i in range(12)]

ROWS_WITH_LETTER = [f"{row},ä" for row in ROWS]
"""A letter that each encoding of a file has, other than ASCII."""

HIDDEN: dict[str, tuple[list[str], dict[str, Any], str]] = {
    "a value called missing": (
        ["a,b", *ROWS, "99999,5"],
        {"missing": {"a": ["99999"]}},
        "Not covered, as 'a' = '99999' is called missing: 1.",
    ),
    "two values called missing": (
        ["a,b", "3,88888", *ROWS, "99999,5", "99999,6"],
        {"missing": {"a": ["99999"], "b": ["88888"]}},
        "Not covered, as 'a' = '99999' is called missing: 2.",
    ),
    "every value called missing": (
        ["a,b", *ROWS, "99999,88888"],
        {"missing": {"a": ["99999"], "b": ["88888"]}},
        "Not covered, as every cell is called missing: 1.",
    ),
    "a record above the header": (
        ["99999,5", "a,b", *ROWS],
        {"header_row": "2"},
        "Not covered, as a line above the header is as full as the header: 1.",
    ),
    "a record below the table": (
        ["a,b", *ROWS, "99999,5"],
        {"footer_rows": 1},
        "Not covered, as a line below the table is as full as the header: 1.",
    ),
}

ALLOWED = {
    **dict.fromkeys(["out", "30%", "99.5%", "100%", "0" * 9 + "out", "12"], 0),
    **dict.fromkeys(["fewer", "0", "0%", "1%", "0.000000001%"], 1),
    **dict.fromkeys(
        ["-1", "many", "1%%", "", "\u0661", "1e3", "nan", "inf", "5 %", " 5", "2.5"], 2
    ),
    **dict.fromkeys(["101%", "100.1%", "999999999%", "-5%", "%", "1000000000"], 2),
    **dict.fromkeys(["1" * 400, "0x1", "+3", "1_0", "3\n"], 2),
}
"""What may be left out, and the exit code: 2 of what cannot be."""
