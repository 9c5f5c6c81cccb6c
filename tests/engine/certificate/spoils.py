"""What may be wrong with a certificate, and what is odd in it."""

import itertools
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from typing import Any

import numpy as np

from engine.certificate import certify as checker

Spoil = Callable[[dict[str, Any], np.random.Generator], None]


def _moved_label(content: dict[str, Any], rng: np.random.Generator) -> None:
    labels = content["labels"]
    i = int(rng.integers(len(labels)))
    others = sorted({*labels, -2} - {labels[i]})
    labels[i] = others[int(rng.integers(len(others)))]


def _raised_price(content: dict[str, Any], rng: np.random.Generator) -> None:
    node = _some_prices(_some_proof(content, rng), rng)
    i = int(rng.integers(len(node["prices"])))
    mean = sum(map(int, node["prices"])) // len(node["prices"])
    node["prices"][i] = str(int(node["prices"][i]) + mean // int(rng.integers(1, 6)))


def _some_proof(content: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """Return the proof of a stratum."""
    proofs: list[dict[str, Any]] = content["proof"]
    return proofs[int(rng.integers(len(proofs)))]


def _some_prices(proof: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """Return the proof itself, or a leaf of its tree."""
    node = proof
    while rng.random() < 0.7 and (below := node.get("tree")):
        node = below
        while "pair" in node:
            node = node["together" if rng.random() < 0.5 else "apart"]
    return node


def _dropped_record(content: dict[str, Any], rng: np.random.Generator) -> None:
    labels, of = content["labels"], homes(content)
    i = int(rng.integers(len(labels)))
    place = i - labels[:i].count(-2)
    if (label := labels.pop(i)) == -2:
        return
    if label != -1:
        number = list(dict.fromkeys(x for x in of if x)).index(of[place])
        del content["proof"][number]["prices"][of[:place].count(of[place])]
    if content["strata"] is not None:
        del content["strata"]["of"][place]
    for column in filter(None, [*content["columns"], content["weights"]]):
        del column["values"][place]


def homes(content: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Return the stratum and the gaps of each record that counts, () where left out."""
    gaps = [[x is None for x in column["values"]] for column in content["columns"]]
    labels = [label for label in content["labels"] if label != -2]
    of = [0] * len(labels) if content["strata"] is None else content["strata"]["of"]
    every = zip(labels, of, *gaps, strict=True)
    return [() if record[0] == -1 else record[1:] for record in every]


def _changed_number(content: dict[str, Any], rng: np.random.Generator) -> None:
    columns = [x for x in [*content["columns"], content["weights"]] if x]
    values = columns[int(rng.integers(len(columns)))]["values"]
    numbers = [i for i, value in enumerate(values) if type(value) is int]
    values[numbers[int(rng.integers(len(numbers)))]] += int(rng.integers(1, 100))


def _changed_gap(content: dict[str, Any], rng: np.random.Generator) -> None:
    """Fill a gap, fill it with something else, or make one; in the file or not."""
    columns = [x for x in content["columns"] if x["missing"]] or content["columns"]
    column = columns[int(rng.integers(len(columns)))]
    values = column["values"]
    stay = [i for i, home in enumerate(homes(content)) if home]
    gaps = [i for i in stay if type(values[i]) is not int]
    if not gaps or rng.random() < 0.5:
        gaps = [i for i in stay if type(values[i]) is int]
    i = gaps[int(rng.integers(len(gaps)))]
    others = [None, "median", "mode", values[i - 1], values[i - 2]]
    others = [x for x in others if x != values[i]]
    before = checker.split_column(column, "none")
    values[i] = others[int(rng.integers(len(others)))]
    with suppress(checker.Refused):
        if (
            checker.split_column(column, "none") == before
        ):  # the median, say, as the median
            values[i] = None
    if rng.random() < 0.5:
        column["read"] = False


def _moved_gap(content: dict[str, Any], rng: np.random.Generator) -> None:
    """Let a record have the gaps of another stratum, or of none that there is."""
    columns, of = content["columns"], homes(content)
    i = int(rng.choice([i for i, home in enumerate(of) if home]))
    others = [home for home in dict.fromkeys(of) if home and home[1:] != of[i][1:]]
    gaps = [*map(bool, rng.integers(2, size=len(columns)))]
    if others and rng.random() < 0.5:
        gaps = list(others[int(rng.integers(len(others)))][1:])
    if gaps == list(of[i][1:]):
        gaps[0] = not gaps[0]
    for column, gap in zip(columns, gaps, strict=True):
        numbers = [x for x in column["values"] if type(x) is int]
        if gap != (column["values"][i] is None):
            column["values"][i] = (
                None if gap else numbers[int(rng.integers(len(numbers)))]
            )
            column["read"] = False


def _wrong_cut(content: dict[str, Any], rng: np.random.Generator) -> None:
    """Price a cut without right: negative, of divisor 1, or on no record there is."""
    proof = _some_proof(content, rng)
    n, price = len(proof["prices"]), proof["prices"][0]
    cut = rng.permutation(n)[:3].tolist()
    wrong = [
        [cut, 2, f"-{price}"],
        [[], 2, price],
        [[cut[0], cut[1], n], 2, price],
        [cut, 1, price],
        [[-1, *cut[:2]], 2, price],
    ]
    proof.setdefault("cuts", []).append(wrong[int(rng.integers(5))])
    if proof["kind"] == "pairs":  # which have no cuts at all
        proof["kind"] = "groups"
        proof["tree"] = None


def _claimed(content: dict[str, Any], rng: np.random.Generator) -> None:
    """Claim a smaller loss, a larger bound, or another k."""
    which = ("loss", "bound", "k", "scaling", "unit")[int(rng.integers(5))]
    if which == "k":
        content["k"] = int(rng.choice([0, 1, content["k"] + 1, len(content["labels"])]))
    elif which == "scaling":
        content["scaling"] = "range" if content["scaling"] == "zscore" else "zscore"
    elif which == "unit":
        content["unit"] = str(int(content["unit"]) * 2 // 3)
    else:
        places = int(rng.integers(4, 15))
        sign = -1 if which == "loss" else 1
        whole = int(content[which].replace(".", "")) + sign * 10**places
        text = str(max(whole, 0)).rjust(19, "0")
        content[which] = f"{text[:-18]}.{text[-18:]}"


def _lost_entry(content: dict[str, Any], rng: np.random.Generator) -> None:
    some = content if rng.random() < 0.5 else _some_proof(content, rng)
    needed = [
        name
        for name in some
        if name not in ("digest", "method", "versions", "neighbours")
    ]
    name = needed[int(rng.integers(len(needed)))]
    wrong = (None, -1, "x", {})[int(rng.integers(4))]
    if rng.random() < 0.5 or some[name] is wrong:
        del some[name]
    else:
        some[name] = wrong
    if name == "tree":
        some["tree"] = {"prices": []}


def _changed_column(content: dict[str, Any], rng: np.random.Generator) -> None:
    column = content["columns"][int(rng.integers(len(content["columns"])))]
    name = ("name", "weight", "denominator")[int(rng.integers(3))]
    column[name] = {"name": "elsewhere", "weight": "3/2", "denominator": "1000"}[name]


def _other_part(content: dict[str, Any], rng: np.random.Generator) -> None:
    """Change what categories, strata, weights or a tree are, or another number."""
    column, strata = content["columns"][-1], content["strata"]
    proof = _some_proof(content, rng)
    if column["categories"] is not None:
        branch = column["branches"][int(rng.integers(len(column["branches"])))]
        others = sorted({*range(len(column["categories"]))} - {*branch[1]})
        branch[1].append(others[int(rng.integers(len(others)))])
    elif strata is not None:
        i = int(rng.integers(len(strata["of"])))
        strata["of"][i] = 1 - strata["of"][i]
    elif content["weights"] is not None:
        content["weights"]["values"] = [1] * len(content["labels"])
    elif proof["kind"] == "groups":
        proof["target"] = str(int(proof["target"]) * 9 // 10)
    else:
        proof["excess"] = str(int(proof["excess"]) + int(rng.integers(1, 9)))


SPOILS: dict[str, Spoil] = {
    "a label moved": _moved_label,
    "a price raised": _raised_price,
    "a record dropped": _dropped_record,
    "a number changed": _changed_number,
    "a gap changed": _changed_gap,
    "a gap moved": _moved_gap,
    "a cut that does not hold": _wrong_cut,
    "another claim": _claimed,
    "an entry lost": _lost_entry,
    "another column": _changed_column,
    "another part": _other_part,
}


ODD: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 2**53 - 1, "0", "1", "-1", "01", "10", "1/2"),
    *("1/0", "NaN", "1e9", "7" * 300, "\u0661", "", "a", ".", ",", ";", "utf-16"),
    *(
        "latin-1",
        "pairs",
        "groups",
        "none",
        [],
        {},
        [[]],
        [0],
        [0, 1],
        {"pair": [0, 1]},
    ),
)


def odd(content: dict[str, Any], rng: np.random.Generator) -> None:
    """Put something odd somewhere, or take something away."""
    place: Any = content
    while True:
        some = list(place) if isinstance(place, dict) else range(len(place))
        key = some[int(rng.integers(len(some)))]
        if not isinstance(place[key], (dict, list)) or not place[key]:
            break
        if rng.random() < 0.1:
            break
        place = place[key]
    value = ODD[int(rng.integers(len(ODD)))]
    if rng.random() < 0.1:
        del place[key]
    else:
        place[key] = value


def _exchange_people(content: dict[str, Any], rng: np.random.Generator) -> None:
    of = content["persons"]["of"]
    i = int(rng.integers(len(of)))
    j = int(rng.choice([j for j, who in enumerate(of) if who != of[i]]))
    of[i], of[j] = of[j], of[i]


def _split_person(content: dict[str, Any], rng: np.random.Generator) -> None:
    of = content["persons"]["of"]
    of[int(rng.integers(len(of)))] = max(of) + 1


def _join_people(content: dict[str, Any], rng: np.random.Generator) -> None:
    persons = content["persons"]
    left, right = rng.permutation(max(persons["of"]) + 1)[:2].tolist()
    persons["of"] = [left if who == right else who for who in persons["of"]]


def _forget_person(content: dict[str, Any], rng: np.random.Generator) -> None:
    persons = content["persons"]
    gone = int(rng.integers(max(persons["of"]) + 1))
    persons["of"] = [-1 if who == gone else who for who in persons["of"]]


def _exchange_labels(fewer: bool) -> Spoil:
    """Let two people change groups, one of which then has fewer than k; or none has.

    Where no two can, as each group of equal counts has exactly k, nothing changes.
    """

    def change(content: dict[str, Any], rng: np.random.Generator) -> None:
        labels, of = content["labels"], content["persons"]["of"]
        pairs = list(itertools.combinations(range(len(of)), 2))
        for i, j in rng.permutation(pairs).tolist():
            if labels[i] == labels[j] or of[i] == of[j] or -1 in (of[i], of[j]):
                continue
            new_labels = labels.copy()
            new_labels[i], new_labels[j] = labels[j], labels[i]
            people = [
                {w for w, x in zip(of, new_labels, strict=True) if x == g}
                for g in new_labels
            ]
            few = min(len(some - {-1}) for some in people) < content["k"]
            if few == fewer:
                content["labels"] = new_labels
                return

    return change


PEOPLE_SPOILS: dict[str, Spoil] = {
    "people exchanged": _exchange_people,
    "a person split": _split_person,
    "people joined": _join_people,
    "a person forgotten": _forget_person,
    "k records of fewer people": _exchange_labels(True),
    "sets of groups split": _exchange_labels(False),
}
"""What somebody tampers with who then proves the rest anew."""


def proven_anew(content: dict[str, Any]) -> dict[str, Any]:
    """Return a certificate of people with the loss and the bound that it now has."""

    def pay(records: checker.Records, k: int, proof: Any, processes: int) -> Fraction:
        checker.SHARED[:] = [records, k]
        paid = checker.min_sse_share_of_record
        proof["total"] = str(checker.sum_parallel(paid, records.n, 1))
        return Fraction(int(proof["total"]), records.unit)

    loss, bound = checker.check_proofs(content, kinds={"persons": pay})
    figures = {
        "loss": checker.to_decimal_text(loss, True),
        "bound": checker.to_decimal_text(bound, False),
    }
    return content | figures
