"""What many plans on one table share: points, and who may be in a group."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from engine.core.errors import ParameterError
from engine.core.message import Message
from engine.core.partition import check_k
from engine.core.typing import Integers
from engine.data.table import Table
from engine.pipeline import households
from engine.pipeline.cells import cells_message, suppressed_with_cells
from engine.pipeline.choices import choices_of
from engine.pipeline.only import records_to_release
from engine.pipeline.persons import (
    check_persons,
    on_left_out,
    persons_of,
    remarks_on_persons,
)
from engine.pipeline.plan import Plan
from engine.pipeline.remarks import on_broken, on_digits
from engine.pipeline.resolved import ResolvedPlan
from engine.pipeline.rounding import check_bases, decimals_for, without_bound
from engine.pipeline.rules import check_ties, records_that_break, rules_of
from engine.pipeline.strata import Block, block_of, sharing_of, strata_of
from engine.pipeline.suppress import Parts, Suppressed, allowed, suppressed
from engine.points.base import Points
from engine.points.encode import encode


@dataclass(frozen=True, eq=False)
class Prepared:
    """What many plans on one table share.

    Attributes
    ----------
    points : Points
        With :func:`settle_values`, its rules are what released values have to satisfy.
    blocks : tuple of Block
        One, unless attributes are grouped apart.
    rules_broken : mapping of str to int
        Records of the input that break each rule.
    decimals : tuple of int
        To how many each released column is rounded, -1 where it is not; as
        :func:`settle_values` says.
    warnings : tuple of Message
    suppressed : Suppressed or None
        Records that were left out, where that was allowed.
    households : ndarray of int64, shape (n_records,), or None
        Household of each record, where they are grouped whole.
    persons : ndarray of int64, shape (n_records,), or None
        Person of each record, -1 where nobody is named, where k counts persons; see
        :mod:`engine.data.persons`.
    encoded : Points or None
        Points of all records, where some were left out.
    """

    points: Points
    blocks: tuple[Block, ...]
    rules_broken: Mapping[str, int]
    decimals: tuple[int, ...]
    warnings: tuple[Message, ...]
    suppressed: Suppressed | None = None
    households: Integers | None = None
    persons: Integers | None = None
    encoded: Points | None = None

    def points_of(self, block: Block) -> Points:
        """Return the points as a block's attributes see them."""
        if len(self.blocks) == 1:
            return self.points
        return self.points.columns(block.columns)


def prepare(plan: ResolvedPlan, table: Table) -> Prepared:
    """Encode the table for a plan, and say who may be in a group.

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
    persons = persons_of(plan, table, points.rows)
    if persons is not None:
        check_persons(plan, persons)
    about = remarks_on_persons(plan, table, points.rows, persons)
    warnings = [*about, *chosen, *points.warnings]
    warnings += on_digits(table, points.attributes)
    strata, merged = strata_of(plan, table, points.rows)
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
        tuple(block_of(plan, points, names, strata, persons) for names in blocks),
        MappingProxyType({}),
        (),
        (*warnings, *merged),
        households=codes,
        persons=persons,
    )
    if allowed(plan.suppress, points.n_records) == 0:
        return prepared
    return _without_outliers(plan, prepared)


def _without_outliers(plan: ResolvedPlan, prepared: Prepared) -> Prepared:
    """Leave records out whose protection would cost the others most."""
    points = encoded = prepared.points
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
    persons = prepared.persons
    if persons is not None:
        said += on_left_out(persons, found.kept)
        persons = persons[found.kept]
        check_persons(plan, persons)
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
        encoded=encoded,
        persons=persons,
    )


def settle_values(plan: ResolvedPlan, table: Table, prepared: Prepared) -> Prepared:
    """Add the rules and decimals of the values that a plan is to release.

    Raises
    ------
    InputError, ParameterError
    """
    encoded = prepared.encoded or prepared.points
    decimals = decimals_for(plan.rounding, table, encoded.attributes)
    check_bases(plan, encoded.attributes)
    if not plan.constraints:
        return replace(prepared, decimals=decimals)
    rules = rules_of(plan, table, encoded)
    least = without_bound(
        plan.rounding, encoded.attributes, rules.bound_columns, decimals
    )
    broken = records_that_break(rules, encoded)
    return replace(
        prepared,
        points=prepared.points.with_rules(rules),
        rules_broken=MappingProxyType(broken),
        decimals=rules.first_roundable(decimals, least),
        warnings=(*prepared.warnings, *on_broken(broken)),
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
        self._prepared: dict[str, Prepared] = {}
        self._settled: dict[str, Prepared] = {}

    def of(self, plan: ResolvedPlan) -> Prepared:
        """Return what a plan and others share.

        Raises
        ------
        EngineError
        """
        ways = (plan.missing, *plan.missing_columns.values())
        keeps = "keep" in ways or "keep-or-fill" in ways
        people = plan.household or plan.person_columns
        by_k = plan.strata or people or keeps or plan.suppress
        key = f"{shared(plan)} {plan.k if by_k else ''}"
        whole = f"{key} {[getattr(plan, name) for name in _LATER]}"

        def settled() -> Prepared:
            prepared = self._get(self._prepared, key, lambda: prepare(plan, self.table))
            return settle_values(plan, self.table, prepared)

        found = self._get(self._settled, whole, settled)
        check_ties(plan.method, found.points)
        return found

    def _get(
        self, known: dict[str, Prepared], key: str, make: Callable[[], Prepared]
    ) -> Prepared:
        if key not in known:
            # What goes makes room first.
            while self._most is not None and len(known) >= self._most:
                del known[next(iter(known))]
            known[key] = make()
        return known[key]


_PREPARATION, _LATER = (
    [
        name
        for name, choice in choices_of(Plan).items()
        if (choice.stage == "prepare") is early and choice.shown != "methods"
    ]
    for early in (True, False)
)


def shared(plan: ResolvedPlan) -> str:
    """Return a key for the choices that preparation depends on."""
    return repr([getattr(plan, name) for name in _PREPARATION])
