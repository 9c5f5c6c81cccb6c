"""What many plans on one table share: points, and who may be in a group."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine.aggregate import aggregations
from engine.constraints.condition import meeting
from engine.constraints.rules import Rules, decimals_of, parse_rules
from engine.core.errors import InfeasibleError, ParameterError
from engine.core.message import NOTHING, Message, all_of
from engine.core.partition import check_k
from engine.core.typing import Integers
from engine.data.attributes import Attribute, numbers_of_words
from engine.data.gaps import Sharing
from engine.data.table import Table
from engine.methods.base import methods
from engine.pipeline import households
from engine.pipeline.cells import cells_message, suppressed_with_cells
from engine.pipeline.choices import choices_of
from engine.pipeline.plan import Plan
from engine.pipeline.remarks import on_digits
from engine.pipeline.resolved import ResolvedPlan
from engine.pipeline.suppress import Parts, Suppressed, allowed, suppressed
from engine.points.base import Points
from engine.points.encode import encode


@dataclass(frozen=True, eq=False)
class Block:
    """Attributes that are grouped together, and the records that may share a group.

    Attributes
    ----------
    columns : tuple of int
        Positions among the quasi-identifiers.
    strata : tuple of ndarray of int64
        Records of each stratum; in one stratum all records lack the same cells.
    """

    columns: tuple[int, ...]
    strata: tuple[Integers, ...]


@dataclass(frozen=True, eq=False)
class Prepared:
    """What many plans on one table share.

    Attributes
    ----------
    points : Points
        Its rules are what released values have to satisfy.
    blocks : tuple of Block
        One, unless attributes are grouped apart.
    rules_broken : mapping of str to int
        Records of the input that break each rule.
    decimals : tuple of int
        To how many each released column is rounded; -1 where it is not.
    warnings : tuple of Message
    suppressed : Suppressed or None
        Records that were left out, where that was allowed.
    households : ndarray of int64, shape (n_records,), or None
        Household of each record, where they are grouped whole.
    """

    points: Points
    blocks: tuple[Block, ...]
    rules_broken: Mapping[str, int]
    decimals: tuple[int, ...]
    warnings: tuple[Message, ...]
    suppressed: Suppressed | None = None
    households: Integers | None = None


def check_ties(method: str, points: Points) -> None:
    """Refuse rules between columns where each is grouped on its own.

    Values that keep such a rule differ within a column's groups, so that the k of
    none of them would hold.

    Raises
    ------
    ParameterError
    """
    if points.rules is None or not methods.info(method).traits.per_attribute:
        return
    for columns, _ in points.rules.parts():
        if len(columns) > 1:
            one, other = (points.names[j] for j in sorted(columns)[:2])
            raise ParameterError(
                "A rule ties column {column!r} to {other!r}, but {method} groups each "
                "attribute on its own, and values that keep the rule would break up "
                "its groups: choose another method, or leave the rule out.",
                column=one,
                other=other,
                method=method,
            )


def prepare(plan: ResolvedPlan, table: Table) -> Prepared:
    """Encode the table for a plan.

    Raises
    ------
    InputError, ParameterError, InfeasibleError
    """
    quasi = plan.quasi_identifiers
    rows, chosen = records_to_release(plan.only, table)
    points = encode(
        table.assign(kinds=plan.kinds, hierarchies=plan.trees),
        quasi,
        plan.scaling,
        plan.missing,
        plan.missing_columns,
        plan.weights,
        sharing_of(plan, table),
        plan.attribute_weights,
        plan.transforms,
        rows,
    )
    check_k(plan.k, points.n_records)
    warnings = [*chosen, *points.warnings, *on_digits(table, points.attributes)]
    decimals = decimals_for(plan.rounding, table, points.attributes)
    check_bases(plan, points.attributes)
    broken: dict[str, int] = {}
    if plan.constraints:
        words = numbers_of_words(points.attributes)
        rules = parse_rules(plan.constraints, quasi, table.schema.names, words)
        for name in plan.rounding_base:
            if name in rules.bound_columns:
                raise ParameterError(
                    "A rule names column {column!r}, and multiples of its rounding "
                    "base might break it: leave the column out of one of both.",
                    column=name,
                )
        _check_rules(plan, points, rules)
        least = without_bound(
            plan.rounding, points.attributes, rules.bound_columns, decimals
        )
        decimals = rules.first_roundable(decimals, least)
        there = np.where(points.missing, np.nan, points.values)
        counts = rules.broken(there).sum(axis=0).tolist()
        broken = dict(zip(rules.texts, counts, strict=True))
        warnings += [
            Message(
                "{count:,} record breaks the rule {rule!r}; the release does not.",
                "{count:,} records break the rule {rule!r}; the release does not.",
                count=number,
                rule=text,
            )
            for text, number in broken.items()
            if number
        ]
        points = points.with_rules(rules)
    strata, merged = _strata(plan, table, points.rows)
    codes = None
    if plan.household is not None:
        if points.missing.any():
            raise ParameterError(
                "Households are grouped whole, which does not go together with "
                "missing values that are kept: fill them or drop them."
            )
        codes = households.codes_of(plan, table, points.rows)
        strata, more = households.apart(plan, codes, strata)
        merged += more
    blocks = plan.blocks or (quasi,)
    prepared = Prepared(
        points,
        tuple(_block(plan, points, names, strata) for names in blocks),
        MappingProxyType(broken),
        decimals,
        (*warnings, *merged),
        households=codes,
    )
    if allowed(plan.suppress, points.n_records) == 0:
        return prepared
    return _without_outliers(plan, prepared)


def records_to_release(
    only: str | None, table: Table
) -> tuple[Integers, tuple[Message, ...]]:
    """Return the rows of which a condition is true, and say how many are left out.

    Raises
    ------
    ParameterError
        If the condition cannot be read, or is true of no record.
    """
    everybody = np.arange(table.n_records, dtype=np.int64)
    if only is None:
        return everybody, ()
    rows = everybody[meeting(only, table.frame)]
    if not rows.size:
        raise ParameterError(
            "The records to release cannot be chosen: {condition!r} is true of none of "
            "{count:,} records.",
            condition=only,
            count=table.n_records,
        )
    gone = table.n_records - rows.size
    said = Message(
        "{count:,} record is left out, of which {condition!r} is not true: groups, k "
        "and all figures are about the other {kept:,}.",
        "{count:,} records are left out, of which {condition!r} is not true: groups, k "
        "and all figures are about the other {kept:,}.",
        count=gone,
        condition=only,
        kept=rows.size,
    )
    return rows, (said.about("only"),)


def _without_outliers(plan: ResolvedPlan, prepared: Prepared) -> Prepared:
    """Leave records out whose protection would cost the others most."""
    points = prepared.points
    parts: Parts = [(block.columns, block.strata) for block in prepared.blocks]
    if plan.suppress_cells:
        points, parts, found = suppressed_with_cells(
            points, parts, plan.k, plan.suppress
        )
    else:
        found = suppressed(points, parts, plan.k, plan.suppress)
    said = [found.message] if found.count or not found.cells else []
    if found.cells:
        said.append(cells_message(dict(found.cells), points.n_attributes))
    place = np.full(points.n_records, -1, dtype=np.int64)
    place[found.kept] = np.arange(found.kept.size)
    blocks = tuple(
        Block(
            tuple(columns),
            tuple(place[some][place[some] >= 0] for some in strata),
        )
        for columns, strata in parts
    )
    return replace(
        prepared,
        points=points.subset(found.kept),
        blocks=blocks,
        warnings=(*prepared.warnings, *said),
        suppressed=found,
    )


class Preparations:
    """A table prepared for plans, once for all plans that prepare it alike.

    Parameters
    ----------
    table : Table
    most : int, optional
        How many are remembered, the latest ones; all unless given.
    """

    def __init__(self, table: Table, most: int | None = None) -> None:
        self.table = table
        self._most = most
        self._known: dict[str, Prepared] = {}

    def of(self, plan: ResolvedPlan) -> Prepared:
        """Return what a plan and others share.

        Raises
        ------
        EngineError
        """
        ways = (plan.missing, *plan.missing_columns.values())
        keeps = "keep" in ways or "keep-or-fill" in ways
        by_k = plan.strata or plan.household or keeps or plan.suppress
        key = f"{shared(plan)} {plan.k if by_k else ''}"
        if key not in self._known:
            while self._most is not None and len(self._known) >= self._most:
                del self._known[next(iter(self._known))]
            self._known[key] = prepare(plan, self.table)
        check_ties(plan.method, self._known[key].points)
        return self._known[key]


_PREPARATION = [name for name, one in choices_of(Plan).items() if one.preparation]


def shared(plan: ResolvedPlan) -> str:
    """Return a key for the choices that preparation depends on."""
    return repr([getattr(plan, name) for name in _PREPARATION])


def decimals_for(
    rounding: str,
    table: Table,
    attributes: Sequence[Attribute],
) -> tuple[int, ...]:
    """Return to how many decimals each attribute is rounded; -1 where it is not.

    Words have no decimals; dates are whole days or not rounded at all, and neither
    are numbers that were computed, such as 1 / 3.

    Parameters
    ----------
    rounding : {"types", "precision", "none"}
        See :data:`engine.pipeline.plan.Rounding`.
    table : Table
    attributes : sequence of Attribute
    """
    found = []
    for attribute in attributes:
        if rounding == "none" or attribute.words is not None:
            found.append(-1)
        elif attribute.whole:
            found.append(0)
        elif attribute.dates:
            found.append(-1)
        else:
            column = table.frame[attribute.name]
            single = column.dtype == np.float32
            form = np.float32 if single else np.float64
            found.append(decimals_of(column.to_numpy(dtype=form, na_value=np.nan)))
    return tuple(found)


def check_bases(plan: ResolvedPlan, attributes: Sequence[Attribute]) -> None:
    """Refuse multiples where released values are no numbers.

    Raises
    ------
    ParameterError
    """
    for attribute in attributes:
        name = attribute.name
        if name not in plan.rounding_base:
            continue
        numeric = aggregations.info(plan.aggregations[name]).common.numeric
        if attribute.words is not None or attribute.dates or not numeric:
            raise ParameterError(
                "Column {column!r} has a rounding base, but its released values are no "
                "numbers: leave the base out, or choose the mean for the column.",
                column=name,
            )


def without_bound(
    rounding: str,
    attributes: Sequence[Attribute],
    bound: Collection[str],
    decimals: Sequence[int],
) -> tuple[int, ...]:
    """Return decimals to fall back on where no values with `decimals` keep the rules.

    Parameters
    ----------
    rounding : {"types", "precision", "none"}
        Own decimals are a default of the first alone: others get what they ask for.
    attributes : sequence of Attribute
    bound : collection of str
        Columns that rules bind. They do without, but for whole numbers: types stay.
    decimals : sequence of int
        As :func:`decimals_for` gives them.
    """
    return tuple(
        -1
        if rounding == "types" and attribute.name in bound and not attribute.whole
        else places
        for places, attribute in zip(decimals, attributes, strict=True)
    )


def check_bound(
    plan: ResolvedPlan, attributes: Sequence[Attribute], rules: Rules
) -> None:
    """Refuse rules on columns that are not what they bind, now or after protection.

    Raises
    ------
    ParameterError
    """
    for attribute in attributes:
        name = attribute.name
        if name in rules.word_columns:
            rule = aggregations.info(plan.aggregations[name])
            if not rule.common.numeric:
                raise ParameterError(
                    "A rule compares column {column!r} with a word, but its released "
                    "values are not single words: choose the mode for it, or leave the "
                    "rule out.",
                    column=name,
                )
        if name not in rules.bound_columns:
            continue
        rule = aggregations.info(plan.aggregations[name])
        if attribute.words is not None or not rule.common.numeric:
            raise ParameterError(
                "A rule names column {column!r}, whose released values are no numbers: "
                "leave it out of the rules, or choose the mean for it.",
                column=name,
            )


def _check_rules(plan: ResolvedPlan, points: Points, rules: Rules) -> None:
    """Refuse rules on columns that are no numbers, or between blocks."""
    check_bound(plan, points.attributes, rules)
    for columns, _ in rules.parts():
        names = {points.names[j] for j in columns}
        parts = [names & set(block) for block in plan.blocks if names & set(block)]
        if len(parts) > 1:
            one, other = (min(part, key=points.names.index) for part in parts[:2])
            raise ParameterError(
                "A rule ties column {column!r} to {other!r} of another block, which "
                "would break up both blocks' groups: put them in one block, or leave "
                "the rule out.",
                column=one,
                other=other,
            )


def sharing_of(plan: ResolvedPlan, table: Table) -> Sharing:
    """Return who may share a group, as far as gaps are concerned."""
    names = plan.quasi_identifiers

    def strata(rows: Integers) -> Integers:
        codes = np.empty(rows.size, dtype=np.int64)
        for number, records in enumerate(_strata(plan, table, rows)[0]):
            codes[records] = number
        return codes

    blocks = plan.blocks or (names,)
    places = tuple(tuple(map(names.index, block)) for block in blocks)
    return Sharing(plan.k, places, strata)


def _combinations(
    frame: pd.DataFrame, columns: Sequence[str]
) -> tuple[NDArray[np.intp], list[str]]:
    """Return which values of some columns each record has, and these in words."""
    codes, values = np.zeros(len(frame), dtype=np.intp), [""]
    for name in columns:
        more, found = pd.factorize(frame[name], use_na_sentinel=False)
        codes, pairs = pd.factorize(codes * max(1, len(found)) + more)
        before, own = np.divmod(np.asarray(pairs), max(1, len(found)))
        values = [
            ", ".join(filter(None, [values[a], str(found[b])]))
            for a, b in zip(before.tolist(), own.tolist(), strict=True)
        ]
    return codes, values


def _strata(
    plan: ResolvedPlan, table: Table, rows: Integers
) -> tuple[tuple[Integers, ...], tuple[Message, ...]]:
    """Return the records of each stratum, in order of first appearance; warnings.

    `rows` are those of the table that are left, shape (n_records,).
    """
    if plan.strata is None:
        return (np.arange(rows.size, dtype=np.int64),), ()
    codes, values = _combinations(
        table.frame.iloc[rows], plan.strata_among(table.schema.names)
    )
    sizes = np.bincount(codes)
    small = np.flatnonzero(sizes < plan.k)
    if small.size == 0:
        return _split(codes), ()
    names = [values[code] for code in small]
    if plan.small_strata == "refuse":
        first = small[np.argmin(sizes[small])]
        others = NOTHING
        if small.size > 1:
            others = Message(" ({number} strata are as small)", number=small.size)
        raise InfeasibleError(
            "Stratum {stratum!r} of column {column!r} has {count:,} record, fewer than "
            "k = {k}{others}: choose a smaller k or a coarser column, or let small "
            "strata be merged.",
            "Stratum {stratum!r} of column {column!r} has {count:,} records, fewer "
            "than k = {k}{others}: choose a smaller k or a coarser column, or let "
            "small strata be merged.",
            count=sizes[first],
            stratum=values[first],
            column=plan.strata,
            k=plan.k,
            others=others,
        )
    together = list(small)
    if sizes[together].sum() < plan.k and len(together) < sizes.size:
        # Too few even together: the smallest of the others takes them in.
        large = np.flatnonzero(sizes >= plan.k)
        together.append(large[np.argmin(sizes[large])])
        names.append(values[together[-1]])
    codes = np.where(np.isin(codes, together), together[0], codes)
    shown = Message("{some!r}", some=names[:8])
    if len(names) > 8:
        shown = Message("{some!r}, ...", some=names[:8])
    warning = Message(
        "{strata} strata of column {column!r} are protected together, as some of them "
        "have fewer than k = {k} records: {values}.",
        strata=len(names),
        column=plan.strata,
        k=plan.k,
        values=shown,
    )
    return _split(pd.factorize(codes)[0]), (warning.about("strata"),)


def _split(codes: NDArray[np.intp]) -> tuple[Integers, ...]:
    order = np.argsort(codes, kind="stable").astype(np.int64)
    return tuple(np.split(order, np.cumsum(np.bincount(codes))[:-1]))


def _block(
    plan: ResolvedPlan,
    points: Points,
    names: Sequence[str],
    strata: tuple[Integers, ...],
) -> Block:
    """Divide each stratum further by the cells that its records lack."""
    columns = tuple(points.names.index(name) for name in names)
    lacking = points.missing[:, columns]
    if not lacking.any():
        return Block(columns, strata)
    parts = []
    for records in strata:
        found, codes = np.unique(lacking[records], axis=0, return_inverse=True)
        for pattern, some in zip(found, _split(codes.reshape(-1)), strict=True):
            if some.size < plan.k:
                raise InfeasibleError(_too_few_lack(plan, names, pattern, some.size))
            parts.append(records[some])
    return Block(columns, tuple(parts))


def _too_few_lack(
    plan: ResolvedPlan, names: Sequence[str], pattern: NDArray[np.bool_], size: int
) -> Message:
    lacking = [name for name, lacks in zip(names, pattern, strict=True) if lacks]
    where = NOTHING
    if plan.strata is not None:
        where = Message(" in a stratum of {column!r}", column=plan.strata)
    if lacking:
        records = Message(
            "{count:,} record{where} lacks exactly {columns}",
            "{count:,} records{where} lack exactly {columns}",
            count=size,
            where=where,
            columns=all_of(lacking, quoted=True),
        )
    else:
        records = Message(
            "{count:,} record{where} lacks nothing",
            "{count:,} records{where} lack nothing",
            count=size,
            where=where,
        )
    return Message(
        "Missing values are kept, but only {records}, fewer than k = {k}: keep gaps "
        "where k allows and fill the others (missing = keep-or-fill), drop or fill the "
        "missing values of one of these columns, or choose a smaller k.",
        records=records,
        k=plan.k,
    )
