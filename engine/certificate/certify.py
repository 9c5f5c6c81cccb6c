"""Check a certificate of Coterie: ``python certify.py CERTIFICATE FILE``.

Needs Python 3.11 alone: one file to copy wherever you trust, which shares no code with
what wrote the certificate, and works in whole numbers and fractions.

Claim. Records have whole numbers a(i, j) in columns j, or gaps. Column j counts f(j),
its weight over the square of its scale; categories are columns of 0 and 1, one a branch
of their hierarchy, that count its length. With d(i, l) = sum of f(j) (a(i, j) - a(l,
j))^2 a group's SSE is the sum of squared distances from its mean, SST that of all
records, in each column of those without a gap, a partition's loss 100 SSE / SST;
records of weight w(i) > 0 count so often there. The label -1 leaves records out but for
scales and fillings, -2 altogether. Named are groups of at least k of the others, each
in one stratum and with the same gaps, and what none of such can lose less.
Theorem and proof.
(1) A group G of s records has SSE(G) = (1/s) sum of d over its pairs (Huygens).
(2) A group of 2k or more divides into two of at least k, whose SSEs together are no
    larger, as each has its own mean: the least SSE is one of sizes k to 2k-1.
(3) For a whole M > 0 let c(j) = floor(M f(j)), and D as d with c in place of f. D is
    whole, D <= M d, and M SSE(G) >= (1/s) sum of D over pairs.
(4) Pairs. Let u(i) >= 0 and 1 <= t < k. In a group of s let each pair count y = t/(s-1)
    <= 1; each record has t pairs in all, so over the group sum y D >= sum y (u(i) +
    u(l)) - sum y e(i, l) >= t sum u - sum e with e(i, l) = max(0, u(i) + u(l) - D(i,
    l)). By (1) and (3) sum y D is at most t s/(s-1) M SSE(G) <= t k/(k-1) M SSE(G).
    Over all groups M SSE >= (k-1)/(t k) (t sum of u - sum of e over all pairs).
(5) Groups. Let W = 2 lcm(k, ..., 2k-1) and cost(G) = (W/s) sum of D over pairs: whole,
    at most W M SSE(G). Let p(i) be whole, and q(T) >= 0 whole for some sets T, each
    with a whole divisor v >= 2; T counts a record once or several times. G pays q(T) as
    often as v goes into what T counts in G: a partition m(T) = floor(|T| / v) times at
    most, as its groups share no record. If every G of k to 2k-1 records has gain(G) =
    p(G) - q(G) - cost(G) <= 0, W M SSE >= sum p(G) - q(G) >= B = sum p - sum m(T) q(T).
(6) Without sets T, G of k records are enough: give each k-subset H of a larger G the
    weight w = 1/C(s-1, k-1). They hold each record with weight 1 in all, so p(G) = sum
    w p(H) <= sum w cost(H) = (k-1) s / (k (s-1)) cost(G) <= cost(G).
(7) All groups that gain more than a floor are found, each from its first record on. Let
    C be chosen, and X, r more of the candidates, still to come. Then gain(C + X) is at
    most value(C) + sum of credit(y) over X, where value(C) has paid what C pays,
    credit(y) = p(y) - (W/s) sum over C of D(i, y) - h(y) - charges, and h(y) is half of
    (W/s) D to the r-1 nearest candidates, as each pair in X counts from both ends. A
    set of divisor 2 with an odd number in C charges its others floor(q/2) each: x of
    them make X pay floor((x+1)/2) q or more. Of a T of divisor v > 2, c of it in C, X
    pays q(T), or holds less than v - (c mod v): then the least credits of T are
    exchanged for the largest of others, or of any where T counts one m > 1 times; each
    takes off m at most. What else X pays is left out. So where value(C) and the r
    largest credits, less what one T takes off, are not above the floor, no group is
    lost; nor where one candidate and the r-1 largest others are not.
(8) Tree. Let B be as in (5), U >= B a target, and L all G with gain(G) > -(U - B). A
    partition with a group outside of L costs W M SSE >= B + (U - B) = U, by the sum in
    (5). Any other consists of groups of L and follows the tree. At some nodes, two
    records are in one group, or apart. At others there are p and q with p(G) - q(G) <=
    cost(G) for the groups that are left: they prove B, as in (5), and below them only
    groups with gain(G) > -(U - B) are left, as before. So U or the least last B holds.
(9) Records of one stratum with the same gaps are a stratum, where a gap is 0 and
    changes no d, mean or SSE. Least SSEs of strata add up. With w the least w(i) of
    one, sum of w(i) d to any point is at least w SSE: no centre beats the mean.
(10) Filled gaps have the column's median or mode, of several modes the least.
(11) Where k counts people, each group has records of k or more, so that a record i pays
    at least (1/2s) sum of D(i, j) over s - 1 others, among them the nearest records of
    the k-1 nearest other people, or k if i is nobody's: replacing others by nearer ones
    leaves as many people. As (1/s) sum over pairs is the sum of what its records pay, M
    SSE >= sum of the least, where each next nearest record counts while it is below the
    mean, each rounded down. Where an intruder knows all records of people, all in a
    group have records in the same groups, which are a class, and some columns take its
    mean: as each group is in one class, that is no less than with means of groups.
"""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import json
import math
import multiprocessing
import os
import re
import sys
import zipfile
from collections import Counter
from fractions import Fraction
from functools import lru_cache
from hashlib import sha256
from itertools import accumulate, combinations
from pathlib import Path
from typing import Any

FORMAT = "coterie-certificate-5"
SHARED: list[Any] = []  # by processes
GAPS = None, "median", "mode"  # one that stays, and what fills the others
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "cp1250", "cp1252", "mac-roman", "gb18030"]
COLUMN = "name weight denominator read categories branches missing values"
NODE, PAIR = "prices cuts total tree", "pair together apart"
TOLD = {  # all names in a certificate, by where they stand
    "": "digest format file reading method versions k scaling columns weights labels"
    " strata persons unit proof loss bound",
    **{"file": "name sha256", "reading": "encoding delimiter decimal header footer"},
    **{"columns": COLUMN, "weights": COLUMN, "strata": "columns of", "pair": PAIR},
    **{"persons": "columns of constant counts", "proof persons": "kind total"},
    **{"together": NODE, "apart": NODE, "proof groups": f"kind target {NODE}"},
    **{"tree": NODE, "proof pairs": "kind neighbours prices excess"},
}
NUMBER = r"\s*[+-]?(?=\.?\d)\d{0,400}(\.\d{0,400})?([eE][+-]?\d{1,3})?\s*"
DAMAGE = LookupError, TypeError, ValueError, ArithmeticError, RuntimeError, csv.Error


class Refused(Exception):
    """A claim of the certificate does not hold; the message says which."""


class InvalidCertificate(Refused):
    """The text is no certificate, or a damaged one."""


def require(condition: bool, otherwise: str) -> None:
    """Raise Refused with the message `otherwise` unless `condition`."""
    if not condition:
        raise Refused(otherwise)


def to_int(value: Any) -> int:
    """Return an integer from JSON, where long ones are text."""
    right = type(value) is str and re.fullmatch(r"-?[0-9]{1,4000}", value)
    short = type(value) is int and abs(value) < 2**53  # as every language reads it
    require(short or bool(right), "a number is not whole")
    return int(value)


def parse_certificate(text: bytes) -> dict[str, Any]:
    """Return the content of a certificate whose digest and format are valid."""
    digest = sha256(text[:12] + b"0" * 64 + text[76:]).hexdigest().encode()
    if digest != text[12:76]:
        raise InvalidCertificate("this is no certificate, or it was changed since")
    content: dict[str, Any] = json.loads(text.decode(), parse_constant=to_int)
    output = json.dumps(content, ensure_ascii=False).encode()  # no name is there twice
    require(output == text, "its text is not as it is written")
    require(content["format"] == FORMAT, f"its format is not {FORMAT}")
    refuse_unknown_keys(content, "")
    versions, remarks = {**content["versions"]}, [content["method"]]
    remarks += [content["file"]["name"], *versions.values()]
    right = all([re.fullmatch("[A-Za-z][A-Za-z._-]*", x) for x in versions])
    require(right and {*map(type, remarks)} == {str}, "a remark in it is no text")
    return content


def refuse_unknown_keys(content: Any, where: str) -> None:
    """Raise Refused for keys of a certificate that the checker does not know."""
    if type(content) is dict and where != "versions":
        kind = f"proof {content['kind']}" if where == "proof" else where
        names = TOLD.get("pair" if "pair" in content else kind, "").split()
        more = [x for x in content if x not in names]
        require(not more, f"{where or 'it'} says {more}, which is not understood")
    for x in content if type(content) in (dict, list) else ():
        refuse_unknown_keys(*(content[x], x) if type(content) is dict else (x, where))


def extract_table_and_note(file: bytes, digest: str) -> tuple[bytes, str]:
    """Return the table out of a gzip or ZIP file, else the file; and a note on it."""
    with contextlib.suppress(Exception), io.BytesIO(file) as stream:  # no whole archive
        if file[:2] == b"\x1f\x8b":
            return gzip.open(stream).read(4 << 30), " out of gzip"
        archive = zipfile.ZipFile(stream)
        for table in (archive.open(x).read(4 << 30) for x in archive.namelist()):
            if sha256(table).hexdigest() == digest:
                return table, f" out of {archive.namelist()}"
    return file, ""


class Records:
    """Integer columns, their factors, record weights, and distances D as in (3)."""

    def __init__(self, columns: Any, factors: Any, weights: Any, unit: int) -> None:
        self.columns, self.factors, self.weights = columns, factors, weights
        self.n, self.unit, self.points = len(weights), unit, list(zip(*columns))
        self.counts = [math.floor(unit * f) for f in factors]  # c of (3)
        self.row, self.who = lru_cache(1500)(self._row), list[int]()
        self.names, self.same = list[str](), set[str]()  # of columns; those of classes

    @classmethod
    def of(cls, content: dict[str, Any]) -> Records:
        """Return the records of a certificate's content."""
        some, weights = content["columns"], content["weights"]
        unit, scaling = to_int(content["unit"]), content["scaling"]
        parts = [part for column in some for part in split_column(column, scaling)]
        names = {x["name"] for x in some if type(x["name"]) is str}
        require(len(names) == len(some), "a column has no name, or that of another")
        plain = {"categories": None, "branches": None, "weight": "1"}
        require(not weights or weights | plain == weights, "weights are no numbers")
        sizes = {len(column["values"]) for column in some}
        w = [1] * min(sizes)
        w = w if weights is None else list(map(to_int, [] + weights["values"]))
        require({len(w)} == sizes and min([unit, *w]) > 0, "lengths or weights differ")
        every = cls([x for x, _ in parts], [f for _, f in parts], w, unit)
        every.names = [x["name"] for x in some for _ in split_column(x, scaling)]
        return every

    def within(self, rows: list[int]) -> Records:
        """Return a subset of records with equal gaps, as records of their own."""
        *columns, w = [[x[i] or 0 for i in rows] for x in (*self.columns, self.weights)]
        subset = Records(columns, self.factors, w, self.unit)
        subset.who = [self.who[i] for i in rows] if self.who else []
        return subset

    def sse(self, groups: Any, classes: Any = ()) -> tuple[Fraction, Fraction]:
        """Return the SSE of groups, rounded up, and the SST of all their records."""
        sse, sst, w = Fraction(0), Fraction(0), self.weights
        names = self.names or [""] * len(self.columns)
        of = [classes if name in self.same else groups for name in names]
        for x, f, each in zip(self.columns, self.factors, of):
            members = [[i for i in group if x[i] is not None] for group in each]
            sizes = [sum([w[i] for i in group]) for group in members if group]
            sums = [sum([w[i] * x[i] for i in group]) for group in members if group]
            squares = sum([w[i] * x[i] ** 2 for group in members for i in group])
            fine = 10**40 * sum(sizes)  # of one group it is exact
            less = sum([y * y * fine // s for y, s in zip(sums, sizes)])
            sse += f * (squares - Fraction(less, fine or 1))
            sst += f * (squares - Fraction(sum(sums) ** 2, sum(sizes) or 1))
        return sse, sst

    def _row(self, i: int) -> list[int]:
        total = [0] * self.n
        for x, c in zip(self.columns, self.counts):
            total = [t + c * (x[i] - y) ** 2 for t, y in zip(total, x)]
        return total

    def _build(self, some: list[int]) -> Any:  # low, high, price, records, halves
        columns = list(zip(*[self.points[i] for i in some]))
        low, high = [min(x) for x in columns], [max(x) for x in columns]
        highest = max([self.prices[i] for i in some])
        if len(some) <= 16:
            self.leaves.append((low, high, highest, some, ()))
            return self.leaves[-1]
        wide = [c * (b - a) ** 2 for c, a, b in zip(self.counts, low, high)]
        j, middle = wide.index(max(wide)), len(some) // 2
        some.sort(key=lambda i: self.points[i][j])
        halves = self._build(some[:middle]), self._build(some[middle:])
        return low, high, highest, [], halves

    def near(self, low: Any, high: Any, price: int, boxes: Any) -> Any:
        """Yield leaves in boxes that may hold partners of a box (low, high, price)."""
        for box in boxes:
            credit = price + box[2]
            for c, a, b, x, y in zip(self.counts, low, high, box[0], box[1]):
                gap = x - b if x > b else a - y if a > y else 0
                credit -= c * gap * gap
            if credit > 0:
                yield from self.near(low, high, price, box[4]) if box[4] else [box]

    @staticmethod
    def of_leaf(number: int) -> int:
        """Return the sum of e in (4) over pairs of a leaf's and cheaper records."""
        self, total, leaf = SHARED[0], 0, SHARED[0].leaves[number]
        near = list(self.near(*leaf[:3], [self.root]))
        for i in leaf[3]:
            price, point = self.prices[i], self.points[i]
            for box in self.near(point, point, price, near):
                for other in box[3]:
                    credit = self.prices[other]
                    if credit < price or (credit == price and other < i):
                        for c, x, y in zip(self.counts, point, self.points[other]):
                            credit -= c * (x - y) ** 2
                        total += max(0, credit + price)
        return total

    def excess(self, prices: list[int], processes: int) -> int:
        """Return the sum of e in (4) over all pairs, in parallel processes."""
        self.prices, self.leaves, SHARED[:] = prices, list[Any](), [self]
        self.root = self._build(list(range(self.n)))
        return sum_parallel(self.of_leaf, len(self.leaves), processes)


def sum_parallel(term: Any, n: int, processes: int) -> int:
    """Return the sum of a function over 0 to n - 1, in processes where it pays."""
    if processes > 1 and SHARED[0].n > 1000 and hasattr(os, "fork"):
        with multiprocessing.get_context("fork").Pool(processes) as pool:
            return sum(pool.imap_unordered(term, range(n), chunksize=64))
    return sum(map(term, range(n)))


def split_column(col: dict[str, Any], scaling: str) -> list[tuple[list[Any], Fraction]]:
    """Return a column as pairs (values, factor f): one, or one for each branch."""
    values: list[Any] = [x if x in GAPS else to_int(x) for x in [] + col["values"]]
    cells, texts = sorted([x for x in values if x not in GAPS]), col["categories"]
    twice = cells[(len(cells) - 1) // 2] + cells[len(cells) // 2]
    right = "median" not in values or (twice % 2 == 0 and texts is None)
    require(right, "a median is no whole number")
    fills = {"median": twice // 2, "mode": Counter(cells).most_common(1)[0][0]}  # (10)
    values, weight = [fills.get(x, x) for x in values], re.split("/", col["weight"])
    some, f = [x for x in values if x is not None], Fraction(*map(to_int, weight))
    parts, n = [({x: x for x in some}, 1)], len(some)
    require(texts is not None or col["branches"] is None, "numbers have branches")
    if texts is not None:
        require(col["denominator"] == "1", "categories have a denominator")
        below = [(to_int(v), {*map(to_int, x)}) for v, x in col["branches"]]
        parts = [({x: int(x in b) for x in some}, v) for v, b in below if b]
    require(f >= 0 <= min([v for _, v in parts], default=0), "a weight is below 0")
    require(scaling in ("zscore", "range", "none"), "its scaling is not known")
    spread = Fraction(to_int(col["denominator"]) ** 2)
    if scaling == "zscore":  # the variance
        each = [([at[x] for x in some], v) for at, v in parts]
        twice = sum([v * (n * sum([y * y for y in x]) - sum(x) ** 2) for x, v in each])
        spread = Fraction(twice, n * n)
    elif scaling == "range":
        two = combinations([min(some), max(some)] if texts is None else {*some}, 2)
        far = [sum([v * (at[a] - at[b]) ** 2 for at, v in parts]) for a, b in two]
        spread = Fraction(max(far, default=0))
    return [([at.get(x) for x in values], v * f / (spread or 1)) for at, v in parts]


def bound_by_pairs(records: Records, k: int, proof: Any, processes: int) -> Fraction:
    """Return the lower bound on SSE that prices of pairs prove, by (4)."""
    prices, t = [to_int(x) for x in [] + proof["prices"]], to_int(proof["neighbours"])
    right = len(prices) == records.n and min(prices) >= 0 and 0 < t < k
    require(right, "there is not one price >= 0 for each record, or t is not below k")
    excess = records.excess(prices, processes)
    require(excess == to_int(proof["excess"]), f"what prices exceed D by is {excess}")
    return Fraction((k - 1) * (t * sum(prices) - excess), t * k * records.unit)


def min_sse_share_of_record(i: int) -> int:
    """Return the least SSE share of record i among k people, rounded down: (11)."""
    self, k = SHARED
    person, mates, paid, others = self.who[i], set[int](), 0, list[int]()
    for d, j in sorted([(d, j) for j, d in enumerate(self.row(i)) if j != i]):
        if len(mates) < k - (person >= 0) and self.who[j] not in (-1, person, *mates):
            mates.add(self.who[j])
            paid += d
        else:
            others.append(d)
    size = 1 + len(mates)
    for d in others:
        if d * size >= paid:
            break
        paid, size = paid + d, size + 1
    return paid // (2 * size)


def bound_by_persons(records: Records, k: int, proof: Any, processes: int) -> Fraction:
    """Return the lower bound on SSE from nearest records of other people, by (11)."""
    require(len(records.who) == records.n, "nobody says who records are about")
    SHARED[:] = [records, k]
    total = sum_parallel(min_sse_share_of_record, records.n, processes)
    require(total == to_int(proof["total"]), f"records pay {total} at least")
    return Fraction(total, records.unit)


class Prices:
    """Prices p of records and q of cuts, as in (5), and gains of groups."""

    def __init__(self, proof: Any, n: int) -> None:
        self.price = [to_int(x) for x in [] + proof["prices"]]
        require(len(self.price) == n, "there is not one price for each record")
        self.cuts: list[tuple[Counter[int], int, int, int]] = []  # T, v, q(T), m
        self.of: list[list[int]] = [[] for _ in range(n)]  # the sets of a record
        self.total = sum(self.price)  # B
        for number, (some, divisor, price) in enumerate([] + proof["cuts"]):
            T, v, q = Counter(map(to_int, some)), to_int(divisor), to_int(price)
            require(type(some) is list and min(T) >= 0 <= q and v > 1, "a cut is wrong")
            self.cuts.append((T, v, q, max(T.values())))
            self.total -= len(some) // v * q
            for i in T.elements():
                self.of[i].append(number)
        require(self.total == to_int(proof["total"]), f"prices add up to {self.total}")

    def gain(self, group: tuple[int, ...], cost: int) -> int:
        """Return p(G) - q(G) - cost(G)."""
        counts = Counter([c for i in group for c in self.of[i]]).items()
        paid = sum([times // self.cuts[c][1] * self.cuts[c][2] for c, times in counts])
        return sum([self.price[i] for i in group]) - paid - cost

    def groups(self, records: Records, s: int, w: int, some: Any, floor: int) -> Any:
        """Yield groups of size s from the first of some, with costs: (7), w = W/s."""
        (first, *later), price, r = some, self.price, s - 1
        self.row, self.s, self.w, row = records.row, s, w, records.row(first)
        self.halves, before = dict.fromkeys(later, [0] * s), len(later)
        pool = [(price[y] - w * row[y], y) for y in later]
        start = (first,), price[first]
        while r > 1 and len(pool := self._kept(*start, pool, r, floor)) < before:
            before = len(pool) * 9 // 10
            for _, y in pool:  # h of (7) among the candidates; w is even
                row = self.row(y)
                near = sorted([w // 2 * row[z] for _, z in pool if z != y])
                sums = list(accumulate(near[: r - 1], initial=0))
                self.halves[y] = sums + sums[-1:] * (s - len(sums))
        yield from self._grown(*start, pool, r, floor)

    def _kept(self, C: Any, value: int, some: Any, r: int, floor: int) -> Any:
        """Return those that r more may be, best first; value is p less cost of C."""
        charged, counts = Counter[int](), Counter([c for i in C for c in self.of[i]])
        for c, times in counts.items():
            T, v, price, _ = self.cuts[c]
            value -= times // v * price
            for y in T if v == 2 and times % 2 else ():
                charged[y] += price // 2
        pool = [(g - self.halves[y][r - 1] - charged[y], g, y) for g, y in some]
        pool.sort(reverse=True)
        best = value + sum([credit for credit, _, _ in pool[:r]])
        if len(pool) < r or best <= floor:
            return []
        for c in {c for _, _, y in pool[:r] for c in self.of[y]}:
            if best - self._off(c, counts[c], pool, r) <= floor:
                return []
        return [x[1:] for x in pool if x[0] > floor - best + pool[r - 1][0]]

    def _off(self, c: int, held: int, credits: list[Any], r: int) -> int:
        """Return what a set with some records in C takes off the r largest credits."""
        T, v, price, m = self.cuts[c]
        more = -((v - 1 - held % v - sum([T[y] for _, _, y in credits[:r]])) // m)
        if v == 2 or more <= 0:  # to be exchanged
            return 0
        inside = [credit for credit, _, y in credits[:r] if y in T]
        others = [credit for credit, _, y in credits[r:] if m > 1 or y not in T][:more]
        loss = sum(inside[-more:]) - sum(others)
        return price if len(others) < more else min(price, loss)

    def _grown(self, C: Any, value: int, some: Any, r: int, floor: int) -> Any:
        """Yield the groups of the chosen C and r of some candidates."""
        pool = self._kept(C, value, some, r, floor)
        for place, (gain, x) in enumerate(pool[: len(pool) - r + 1]):
            group, new, row, w = (*C, x), value + gain, self.row(x), self.w
            if r > 1:
                some = [(g - w * row[y], y) for g, y in pool[place + 1 :]]
                yield from self._grown(group, new, some, r - 1, floor)
            else:
                cost = sum([self.price[i] for i in group]) - new
                yield from [(group, cost)] * (self.gain(group, cost) > floor)


def bound_by_group_prices(records: Records, k: int, proof: Any, _: int) -> Fraction:
    """Return the lower bound on SSE that prices of groups prove: (5), (8)."""
    n, W = records.n, 2 * math.lcm(*range(k, 2 * k))
    prices, listed, target = Prices(proof, n), [], to_int(proof["target"])  # U
    floor = prices.total - target
    require(floor <= 0, "the target lies below what prices prove")
    order = sorted(range(n), key=lambda i: -prices.price[i])
    largest = k if floor == 0 and not prices.cuts else min(2 * k - 1, n)  # (6)
    for s, first in [(s, i) for s in range(k, largest + 1) for i in range(n)]:
        for group, cost in prices.groups(records, s, W // s, order[first:], floor):
            require(prices.gain(group, cost) <= 0, f"records {group} gain")
            listed.append((group, cost))
            require(len(listed) <= 10**6, "too many groups are left open")
    B, tree = prices.total, proof["tree"]
    sure = B if tree is None else min(target, bound_at_node(tree, n, listed, target))
    return Fraction(sure, W * records.unit)


def bound_at_node(node: Any, n: int, groups: list[Any], target: int) -> int:
    """Return the bound that a node of the tree, or all nodes below it, prove: (8)."""
    if "pair" not in node:
        prices = Prices(node, n)
        gains = [prices.gain(*each) for each in groups]
        require(max(gains, default=0) <= 0, "a group gains at a node")
        if node["tree"] is None:
            return prices.total
        groups = [x for gain, x in zip(gains, groups) if gain > prices.total - target]
        return min(target, bound_at_node(node["tree"], n, groups, target))
    i, j = map(to_int, [] + node["pair"])
    together = [x for x in groups if (i in x[0]) == (j in x[0])]
    apart = [x for x in groups if i not in x[0] or j not in x[0]]
    some = ("together", together), ("apart", apart)
    return min([bound_at_node(node[name], n, part, target) for name, part in some])


def table_parts(file: bytes, reading: Any) -> tuple[Any, ...]:
    """Return header, rows above, in and below the table, numbers of empty rows."""
    encoding, sign, point = [reading[x] for x in ("encoding", "delimiter", "decimal")]
    right = encoding in ENCODINGS and sign in [*",;|:\t "] and point in [*".,"]
    first, footer = [to_int(reading[x]) for x in ("header", "footer")]
    require(right and first > 0 <= footer, "it is not known how to read the file")
    text = io.StringIO(file.decode(encoding), newline="")
    limit = csv.field_size_limit(1 << 26)  # of characters in a cell
    try:
        rows = [*csv.reader(text, delimiter=sign)]
    finally:
        csv.field_size_limit(limit)
    above, body = [[x for x in some if x] for some in (rows[: first - 1], rows[first:])]
    end = max(0, len(body) - footer)
    empty = {i for i, x in enumerate(body[:end]) if x[1:] and not "".join(x).strip()}
    return rows[first - 1], above, body[:end], body[end:], empty


def compare_columns(file: bytes, content: Any, columns: list[Any]) -> tuple[Any, Any]:
    """Raise if columns differ from a text; count left-out records and gap codes.

    Records are counted by the reason why they are left out, codes in each column.
    """
    header, _, body, _, empty = table_parts(file, content["reading"])
    labels, point = content["labels"], content["reading"]["decimal"]
    points, gone = {ord(point): ".", 46: point}, dict[str, Counter[str]]()
    require(len(body) == len(labels), "the file has another number of records")
    stay = [(i, row) for i, row in enumerate(body) if labels[i] != -2]
    rejects = [x for i, x in enumerate(body) if labels[i] == -2 and i not in empty]
    nothing = {"", *[x.strip() for column in columns for x in column["missing"]]}
    blanks = [i for i, row in enumerate(rejects) if nothing >= {*map(str.strip, row)}]
    why = dict.fromkeys(blanks, "every cell is called missing")
    for column in columns:
        name, texts, below = [column[x] for x in ("name", "categories", "denominator")]
        require(header.count(name) == 1, f"the file has not one column {name!r}")
        at, values, gaps = header.index(name), column["values"], [] + column["missing"]
        codes, places = {x: i for i, x in enumerate(texts or [])}, len(below) - 1
        right = to_int(below) == 10**places and len(codes) == len(texts or [])
        require(right and len(stay) == len(values), f"{name!r} is not as in the file")
        gone[name] = Counter([row[at] for _, row in stay if row[at] in gaps])
        for (i, row), value in zip(stay, values):
            cell, lacks, number = row[at], value in GAPS, codes.get(row[at])
            if texts is None and re.fullmatch(NUMBER, cell.translate(points), re.ASCII):
                number = Fraction(cell.translate(points)) * 10**places
            right = (cell in gaps) == lacks and (lacks or number == to_int(value))
            require(right, f"record {i + 1} has {cell!r} in {name!r}")
        if not any([x in GAPS for x in values]):  # records that lack it are dropped
            for i in [i for i, row in enumerate(rejects) if row[at] in gaps]:
                why.setdefault(i, f"{name!r} = {rejects[i][at]!r} is called missing")
    unsaid = Counter({"the certificate alone says so": len(rejects) - len(why)})
    return unsaid + Counter(why.values()), gone


def count_uncovered(file: bytes, content: Any, columns: list[Any]) -> tuple[Any, ...]:
    """Return counts of uncovered records by reason, of gap codes, and other lines."""
    labels, beside, gone = content["labels"], list[str](), dict[str, Counter[str]]()
    why = Counter({"the certificate alone says so": [*labels].count(-2)})
    if content["reading"] is not None:
        why, gone = compare_columns(file, content, columns)
        header, above, _, below, empty = table_parts(file, content["reading"])
        for where, rows in ("above the header", above), ("below the table", below):
            *full, n_cells = [sum([c.strip() > "" for c in x]) for x in [*rows, header]]
            many = sum([cells >= n_cells for cells in full])
            why[f"a line {where} is as full as the header"] = many
            lines = [row for row, cells in zip(rows, full) if cells < n_cells]
            beside += [f"{len(lines)} {where}: {lines[:3]}"] * bool(lines)
        beside += [f"{len(empty)} in the table: of empty cells"] * bool(empty)
    why["the run was allowed to leave them out"] = [*labels].count(-1)
    return +why, gone, beside


def can_confirm_persons(file: bytes, content: Any) -> bool:
    """Return whether the file confirms who records are about; raise if it differs."""
    names, of = [] + content["persons"]["columns"], content["persons"]["of"]
    header, _, body, _, _ = table_parts(file, content["reading"])
    if {*map(header.count, names)} != {1}:
        return False
    rows = [row for row, label in zip(body, content["labels"]) if label != -2]
    pairs = {*zip([(*[x[header.index(y)] for y in names],) for x in rows], of)}
    some = [(who, all(map(str.strip, cell))) for cell, who in pairs]
    right = len(dict(pairs)) == len(pairs) and all([full or x < 0 for x, full in some])
    require(right, f"in {', '.join(names)} the file names other people")
    # No two are one person, or nobody: 1 and 1.0 may be one to the run that read them.
    return len({-1, *[x for x, full in some if full]}) == 1 + sum([y for _, y in some])


def to_decimal_text(value: Fraction, round_up: bool) -> str:
    """Return a number as text with 18 decimals, rounded up or down."""
    text = str((math.ceil if round_up else math.floor)(value * 10**18)).zfill(19)
    return f"{text[:-18]}.{text[-18:]}"


def check_proofs(content: Any, processes: int = 1, kinds: Any = None) -> list[Fraction]:
    """Return loss and lower bound, in per cent, after checking groups and proofs."""
    every, by, k = Records.of(content), content["strata"], content["k"]
    classes: list[list[int]] = []
    require({*map(type, content["labels"])} == {int}, "a label is no whole number")
    labels = [x for x in content["labels"] if x != -2]
    right = -2 < min(labels) <= max(labels) < len(labels) == every.n
    require(right, "a record has no label, or that of no group")
    of: Any = [0] * every.n if by is None else list(map(to_int, [] + by["of"]))
    gaps = [[x is None for x in column["values"]] for column in content["columns"]]
    of = list(zip(of, *gaps, strict=True))
    stay = [i for i, x in enumerate(labels) if x != -1]
    groups: list[list[int]] = [[] for _ in range(max(labels) + 1)]
    strata: dict[Any, list[int]] = {of[i]: [] for i in stay}
    for i in stay:
        groups[labels[i]].append(i)
        strata[of[i]].append(i)
    require(type(k) is int and 1 < k <= min(map(len, groups)), f"k = {k} does not hold")
    require(all(len({of[i] for i in x}) == 1 for x in groups), "a group has two strata")
    if "persons" in content:
        who, same = [] + content["persons"]["of"], content["persons"]["constant"]
        counts = content["persons"].get("counts", 0)
        right = {*map(type, who)} == {int} and len(who) == every.n and min(who) >= -1
        require(right and counts in (0, same is not None), "persons are wrong")
        few = min(len({who[i] for i in x} - {-1}) for x in groups)
        require(k <= few, f"a group has {few} persons, fewer than k = {k}")
        classes = records_by_class(groups, who, counts) if same is not None else []
        every.who, every.same = who, {*same} if classes else set()
        require(every.same <= {*every.names}, "a column of classes is none of them")
    usual = {"pairs": bound_by_pairs, "groups": bound_by_group_prices}
    kinds = kinds or {**usual, "persons": bound_by_persons}
    bound, proofs = Fraction(0), [] + content["proof"]
    require(len(proofs) == len(strata), "strata are not those of the proofs")
    for some, proof in zip(map(every.within, strata.values()), proofs):  # (9)
        stratum_bound = kinds[proof["kind"]](some, k, proof, processes)
        bound += min(some.weights) * max(stratum_bound, Fraction(0))
    sse, sst = every.sse(groups, classes)
    require(bound <= sse, "the bound lies above the loss")
    return [100 * sse / sst, 100 * bound / sst]


def records_by_class(groups: Any, of: list[int], counts: Any) -> list[list[int]]:
    """Return the records of each class of persons with the same groups: (11)."""
    groups_of: dict[int, list[int]] = {}
    for g, i in [(g, i) for g, group in enumerate(groups) for i in group]:
        groups_of.setdefault(of[i], []).append(g)
    kind: Any = tuple if counts else frozenset
    classes: dict[Any, list[int]] = {}
    for group in groups:
        sets = {kind(groups_of[of[i]]) for i in group if of[i] >= 0}
        require(len(sets) == 1, "people of a group have records in other groups")
        classes.setdefault(min(sets), []).extend(group)
    return list(classes.values())


def examine(text: bytes, file: bytes, processes: int = 1) -> tuple[list[str], int, int]:
    """Return what is proven, in words, and the counts of uncovered and all records."""
    try:
        return check_all(parse_certificate(text), file, processes)
    except DAMAGE as error:
        why = f"{type(error).__name__}: {error}"[:200]  # some repeat all that they read
        raise InvalidCertificate(f"the certificate is damaged ({why})") from None


def check_all(content: Any, file: bytes, processes: int) -> tuple[list[str], int, int]:
    """Return checks, loss and bound in words, and counts of uncovered, all records."""
    names = ("columns", "weights", "strata", "labels", "k")
    columns, weights, by, labels, k = [content[x] for x in names]
    every = columns if weights is None else [*columns, weights]
    digest = content["file"]["sha256"]
    file, packed = extract_table_and_note(file, digest)
    require(digest == sha256(file).hexdigest(), "the file is not the one it names")
    read, n_ignored = [x for x in every if x["read"] is True], [*labels].count(-2)
    require(not read or content["reading"] is not None, "nothing says how to read it")
    why, gone, beside = count_uncovered(file, content, read)
    sse, below = check_proofs(content, processes)
    loss, bound = to_decimal_text(sse, True), to_decimal_text(below, False)
    right = content["loss"] == loss and content["bound"] == bound
    require(right, f"the loss is {loss} %, the bound {bound} %")
    claims = [repr(x["name"]) for x in every if x not in read] + ["strata"] * bool(by)
    about = content.get("persons", {"columns": [], "constant": None})
    people, shared = [] + about["columns"], about["constant"]
    is_proven = people and content["reading"] and can_confirm_persons(file, content)
    claims += ["who records are about"] * bool(people and not is_proven)
    claims += [f"the hierarchy of {x['name']!r}" for x in every if x["categories"]]
    claims += ["how many records there are"] * (content["reading"] is None)
    gap = "In {!r} {} gaps stay, {} hold the median, {} the mode; read as gaps: {}."
    counts = [[*map(x["values"].count, GAPS)] for x in columns]
    codes = [dict(gone.get(x["name"], {})) or x["missing"] for x in columns]
    gaps = [gap.format(x["name"], *n, c) for x, n, c in zip(columns, counts, codes)]
    some = [f"{x['name']!r} (weight {x['weight']})" for x in columns]
    of = f" within strata of {', '.join(map(repr, [] + by['columns']))}" if by else ""
    whom = f" people of {', '.join(map(repr, people))}" if people else ""
    whom += " who all have records in the same groups" * (shared is not None)
    whom += ", equally many in each" * bool(about.get("counts"))
    wide = f", and of their classes in {', '.join(map(repr, shared))}" if shared else ""
    of += " with the same gaps" * any([n[0] for n in counts])
    how = f", read by {content['reading']}" * (content["reading"] is not None)
    same = [repr(x["name"]) for x in read] + ["who records are about"] * bool(is_proven)
    also = f", records weighted by {weights['name']!r}" if weights else ""
    best, out, n = (sse - below) * 10**9 <= sse, labels.count(-1), len(labels)
    than = " by a billionth part: these are the best" if best else f" than {bound} %"
    uncovered, grouped = sum(why.values()), n - out - n_ignored
    lines = [
        f"Covers {grouped} of {grouped + uncovered} records. Its loss is that of the"
        " groups' means, not of medians or other released values."
        f" Taken from the certificate, not the file: {', '.join(claims) or 'nothing'}.",
        f"The file is the certified one{packed} (SHA-256 {digest}).",
        f"Compared with it{how}: {', '.join(same) or 'nothing'}.",
        *[f"Not covered, as {reason}: {times}." for reason, times in why.items()],
        *[f"Other lines {some}." for some in beside],
        *[x for x, some in zip(gaps, counts) if any(some)],
        f"{grouped} of {n} records are in {max(labels) + 1} groups of at least"
        f" k = {k}{whom}{of}; {out} are left out, {n_ignored} count for nothing.",
        f"Over {', '.join(some)}, scaling {content['scaling']}{also},",
        f"their information loss, with the means of groups{wide}, is {loss} %,",
        f"and no groups of at least k{' people' * bool(people)}{of} lose less{than}.",
    ]
    return lines, uncovered, grouped + uncovered


def max_uncovered(text: str, n_records: float) -> float | Fraction:
    """Return how many records may be uncovered, from a number or a percentage."""
    right = re.fullmatch(r"[0-9]{1,15}|[0-9]{1,3}(\.[0-9]{1,9})?%", text)
    share, limit = Fraction(text.rstrip("%") if right else 0), n_records
    limit = 100 if "%" in text else limit
    if right and share <= limit:
        return share * n_records / 100 if "%" in text else share
    some = "a number of" if math.isinf(n_records) else f"0 to {n_records}"
    takes = f"--allow-left-out takes {some} records, as 3, or 0% to 100% of them"
    raise ValueError(f"{takes}, not {text!r}")


def main(arguments: list[str]) -> int:
    """Print what a certificate proves and return 0, or what fails and return 1 or 2."""
    text, code, allowed = "usage: python certify.py CERTIFICATE FILE", 2, "0"
    text, option = text + " [--allow-left-out N or N%]", "--allow-left-out"
    names = [y for x in arguments for y in x.split("=", x.startswith(f"{option}="))]
    for stream in sys.stdout, sys.stderr:
        if isinstance(stream, io.TextIOWrapper):  # no other that a caller puts there
            stream.reconfigure(errors="backslashreplace")
    while option in names[:-1]:
        at = names.index(option)
        allowed, names[at : at + 2] = names[at + 1], []
    try:
        max_uncovered(allowed, math.inf)
        if len(names) == 2:
            certificate, file = [Path(name).read_bytes() for name in names]
            lines, out, n = examine(certificate, file, os.cpu_count() or 1)
            code = int(out > max_uncovered(allowed, n))
            lines += [f"Does not hold of all: {out} of {n} records are not covered."]
            text = "\n".join(lines[: len(lines) - 1 + code])
    except OSError as error:
        text = f"{error.filename} cannot be read: {error.strerror}."
    except ValueError as problem:
        text = f"{problem}."
    except Refused as problem:
        text = f"Does not hold: {problem}."
        code = 1 + isinstance(problem, InvalidCertificate)
    print(text, file=sys.stderr if code == 2 else sys.stdout)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
