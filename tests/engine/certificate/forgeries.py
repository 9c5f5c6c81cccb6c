"""Forgeries: what somebody would try who wants a false claim to be believed.

Those of the file are made as a forger makes them: an honest certificate of a table that
was tampered with, whose digest is then that of the true file.
"""

import copy
import hashlib
import json
import unicodedata
from collections.abc import Callable
from functools import cache
from typing import Any

from engine.certificate.write import build_certificate
from engine.files import ReadOptions, read_table
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from tests.engine.certificate.made import made, sealed, values_of

Content = dict[str, Any]
Forged = tuple[bytes, bytes]

PLACES = ("Zürich", "bern", "Genf ", "007")
NAMES = ("a", "b", "c", "w")
TRUE = [
    f"{i * i % 17}.{i % 10},{3 * i % 11 - 4},{PLACES[i % 4]},{1 + i % 3}"
    for i in range(20)
]


def as_file(lines: list[str], names: str = ",".join(NAMES)) -> bytes:
    """Return delimited text."""
    return ("\n".join([names, *lines]) + "\n").encode()


def honest(file: bytes, **reading: Any) -> Content:
    """Return the certificate of a file, as the engine writes it."""
    table = read_table(file, name="t.csv", options=ReadOptions(**reading))
    a, b, c, w = table.schema.names
    roles = dict.fromkeys((a, b, c), "quasi-identifier") | {w: "weight"}
    kinds = {a: "continuous", b: "continuous", c: "nominal"}
    table = table.assign(roles=roles, kinds=kinds)
    plan = Plan(method="mdav", k=3, missing="drop", weights=w)
    certificate: Content = json.loads(build_certificate(run(plan, table), table).text)
    return certificate


def changed(row: int, column: int, cell: str) -> list[str]:
    """Return the true lines with one other cell."""
    lines = [line.split(",") for line in TRUE]
    lines[row][column] = cell
    return [",".join(line) for line in lines]


def each(change: Callable[[list[str]], list[str]]) -> list[str]:
    """Return the true lines with every record changed."""
    return [",".join(change(line.split(","))) for line in TRUE]


TAMPERED: dict[str, tuple[list[str], str]] = {
    "another number": (changed(4, 0, "2.25"), "a,b,c,w"),
    "a sign turned": (changed(0, 1, "4"), "a,b,c,w"),
    "an outlier drawn in": (changed(19, 0, "0"), "a,b,c,w"),
    "numbers rounded": (each(lambda r: [r[0].split(".")[0], *r[1:]]), "a,b,c,w"),
    "numbers ten times as large": (
        each(lambda r: [f"{10 * float(r[0]):.0f}", *r[1:]]),
        "a,b,c,w",
    ),
    "all numbers equal but two": (each(lambda r: ["1", *r[1:]]), "a,b,c,w"),
    "weights of one": (each(lambda r: [*r[:3], "1"]), "a,b,c,w"),
    "another weight": (changed(2, 3, "9"), "a,b,c,w"),
    "a category renamed": (each(lambda r: [*r[:2], r[2].lower(), r[3]]), "a,b,c,w"),
    "blanks taken off": (each(lambda r: [*r[:2], r[2].strip(), r[3]]), "a,b,c,w"),
    "zeros taken off": (each(lambda r: [*r[:2], r[2].lstrip("0"), r[3]]), "a,b,c,w"),
    "another normal form": (
        each(lambda r: [*r[:2], unicodedata.normalize("NFD", r[2]), r[3]]),
        "a,b,c,w",
    ),
    "two categories joined": (
        each(lambda r: [*r[:2], r[2].replace("bern", "Zürich"), r[3]]),
        "a,b,c,w",
    ),
    "two records exchanged": ([TRUE[1], TRUE[0], *TRUE[2:]], "a,b,c,w"),
    "records sorted": (sorted(TRUE), "a,b,c,w"),
    "a record removed": (TRUE[:-1], "a,b,c,w"),
    "a record doubled": ([*TRUE, TRUE[0]], "a,b,c,w"),
    "columns exchanged": (TRUE, "b,a,c,w"),
    "a column renamed": (TRUE, "x,b,c,w"),
    "a name in capitals": (TRUE, "A,b,c,w"),
    "a gap made": (changed(3, 0, ""), "a,b,c,w"),
}


def tampered(way: str) -> Forged:
    """Return the certificate of tampered records for the true file."""
    lines, names = TAMPERED[way]
    file, content = as_file(TRUE), honest(as_file(lines, names))
    content["file"]["sha256"] = hashlib.sha256(file).hexdigest()
    return sealed(content), file


FILES: dict[str, Callable[[bytes], bytes]] = {
    "a record more": lambda file: file + b"99,9,bern,1\n",
    "a record after blank lines": lambda file: file + b"\n\n99,9,bern,1\n",
    "a record above the header": lambda file: b"99,9,bern,1\n" + file,
    "a column more of the same name": lambda file: file.replace(b"\n", b",0\n").replace(
        b"c,w,0", b"c,w,a"
    ),
    "a cell cut off": lambda file: file[: file.rindex(b",")] + b"\n",
    "a quotation mark that swallows a line": lambda file: file.replace(
        b"bern,", b'"bern,', 1
    ),
    "a NUL": lambda file: file.replace(b"bern", b"b\0rn", 1),
    "a mark of byte order": lambda file: b"\xef\xbb\xbf" + file,
    "other digits": lambda file: file.replace(b"16.", "１６.".encode()),
    "not a number": lambda file: file.replace(b"16.4", b"nan"),
    "an infinite number": lambda file: file.replace(b"16.4", b"1e999"),
    "a hexadecimal number": lambda file: file.replace(b"16.4", b"0x10.4"),
    "an underscore": lambda file: file.replace(b"16.4", b"1_6.4"),
    "another encoding": lambda file: file.decode().encode("cp1252"),
    "an emptied file": lambda file: b"",
    "a header alone": lambda file: file.split(b"\n")[0] + b"\n",
}


def refiled(way: str) -> Forged:
    """Return an honest certificate whose digest is that of a changed file."""
    file, content = FILES[way](as_file(TRUE)), copy.deepcopy(_true())
    content["file"]["sha256"] = hashlib.sha256(file).hexdigest()
    return sealed(content), file


@cache
def _true() -> Content:
    return honest(as_file(TRUE))


@cache
def _rich() -> tuple[Content, bytes]:
    text, file = made(values_of(24, 6), "gaps of all ways")
    return json.loads(text), file


def _set(*path: Any, to: Any) -> Callable[[Content], None]:
    def change(content: Content) -> None:
        place: Any = content
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = to

    return change


def _first_gap(content: Content) -> tuple[dict[str, Any], int]:
    """Return a column with a gap that stays, and the record."""
    for column in content["columns"]:
        if None in column["values"]:
            return column, column["values"].index(None)
    raise AssertionError("no gap stays")


def _fill_gap(content: Content) -> None:
    column, record = _first_gap(content)
    column["values"][record] = 0


def _join_strata(content: Content) -> None:
    content["strata"]["of"] = [0] * len(content["strata"]["of"])


def _drop_dear_group(content: Content) -> None:
    label = max(content["labels"])
    content["labels"] = [-1 if x == label else x for x in content["labels"]]


def _call_missing(content: Content) -> None:
    column = next(x for x in content["columns"] if x["categories"] is None)
    column["missing"] = "".join(map(str, range(10)))


def _letters_as_categories(content: Content) -> None:
    column = next(x for x in content["columns"] if x["categories"] is not None)
    column["categories"] = "".join(text[:1] for text in column["categories"])


def _weigh(share: str) -> Callable[[Content], None]:
    return lambda content: content["columns"][0].update(weight=share)


CLAIMS: dict[str, Callable[[Content], None]] = {
    "a smaller loss": _set("loss", to="1.000000000000000000"),
    "a loss of fewer digits": _set("loss", to="1"),
    "a larger bound": _set("bound", to="99.000000000000000000"),
    "a larger k": _set("k", to=9),
    "k as text": _set("k", to="3"),
    "k with a point": _set("k", to=3.0),
    "k that is true": _set("k", to=True),
    "another scaling": _set("scaling", to="none"),
    "a scaling nobody knows": _set("scaling", to="zscore "),
    "a unit of nothing": _set("unit", to="0"),
    "a unit below nothing": _set("unit", to="-8"),
    "a weight of a denormal": _weigh("5e-324"),
    "a weight below nothing": _weigh("-1"),
    "a weight divided by nothing": _weigh("1/0"),
    "a weight of three parts": _weigh("1/2/3"),
    "another weight of a column": _weigh("7/2"),
    "a denominator that is no power": _set("columns", 0, "denominator", to="30"),
    "a denominator below nothing": _set("columns", 0, "denominator", to="-100"),
    "weights of nothing": lambda c: c["weights"].update(
        values=[0] * len(c["weights"]["values"])
    ),
    "weights forgotten": _set("weights", to=None),
    "strata joined": _join_strata,
    "strata forgotten": _set("strata", to=None),
    "a gap filled in secret": _fill_gap,
    "digits called missing": _call_missing,
    "letters for categories": _letters_as_categories,
    "a group left out": _drop_dear_group,
    "a label that is no number": _set("labels", 0, to="0"),
    "a label of half a group": _set("labels", 0, to=0.5),
    "a label below all": _set("labels", 0, to=-3),
    "no labels": _set("labels", to=[]),
    "no columns": _set("columns", to=[]),
    "no proofs": _set("proof", to=[]),
    "proofs exchanged": lambda c: c["proof"].reverse(),
    "a proof twice": lambda c: c["proof"].append(c["proof"][0]),
    "a proof of another kind": _set("proof", 0, "kind", to="trust"),
    "nobody says how to read": _set("reading", to=None),
    "read in an encoding that computes": _set("reading", "encoding", to="utf-7"),
    "read with a decimal comma": _set("reading", "decimal", to=","),
    "parted by line ends": _set("reading", "delimiter", to="\n"),
    "a header above the file": _set("reading", "header", to=0),
    "a header far below": _set("reading", "header", to=10**15),
    "a footer of the whole table": _set("reading", "footer", to=10**6),
    "a footer below nothing": _set("reading", "footer", to=-1),
    "people of one": _set("persons", to={"of": [1] * 23, "columns": ["c"]}),
    "a column twice": lambda c: c["columns"].append(c["columns"][0]),
    "an earlier format": _set("format", to="coterie-certificate-4"),
    **{
        f"something more in {path}": _set(*path, "note", to="x")
        for path in (
            (),
            ("file",),
            ("reading",),
            ("columns", 0),
            ("weights",),
            ("strata",),
            ("proof", 0),
        )
    },
    "a branch of three parts": lambda c: next(
        x["branches"] for x in c["columns"] if x["branches"]
    )[0].append(1),
    "numbers that have branches": _set("columns", 0, "branches", to=[]),
    "weights that weigh": _set("weights", "weight", to="2"),
    "people of nobody": _set("persons", to=None),
    "a method of two": _set("method", to=["mdav", "more"]),
    "versions that are numbered": _set("versions", to={"10": "1", "2": "1"}),
    "no versions": _set("versions", to=[]),
    "a file of no name": _set("file", "name", to=None),
    "digits in numbers beyond 2^53": _set("columns", 0, "values", 0, to=2**53 + 1),
}


def claimed(way: str) -> Forged:
    """Return a certificate that claims something else, with a digest that is right."""
    content, file = copy.deepcopy(_rich())
    CLAIMS[way](content)
    return sealed(content), file


FORGERIES: dict[str, Callable[[], Forged]] = {
    **{f"tampered: {way}": lambda way=way: tampered(way) for way in TAMPERED},
    **{f"file: {way}": lambda way=way: refiled(way) for way in FILES},
    **{f"claim: {way}": lambda way=way: claimed(way) for way in CLAIMS},
}
