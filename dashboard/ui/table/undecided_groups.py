"""Groups of undecided columns of similar content, to ask few questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from dashboard.i18n import text_data
from dashboard.i18n.language import _, n_
from dashboard.i18n.markdown import escape_text
from dashboard.state.caches.session_cache import cache_in_session
from dashboard.ui.table.table_health import inspect_table
from engine.data.kinds import Role
from engine.data.propose.relations.survey_weights import find_replicate_weights_by_name
from engine.data.table import Table

MIN_ALIKE_COLUMNS = 3
"""Columns of one kind from which they are one question, however few there are."""

FAMILIES = {
    "answers": "figures",
    "few-numbers": "figures",
    "numbers": "figures",
    "dates": "figures",
    "two": "words-of-any-kind",
    "few-words": "words-of-any-kind",
    "words": "words-of-any-kind",
}
"""Words for several kinds of values at once, where kinds would be many questions."""

MAX_FEW_VALUES = 12
"""Different values up to which whole numbers are answers, and words are few."""

MAX_EXAMPLES = 6
"""Columns of a group that are named."""


@dataclass(frozen=True)
class UndecidedGroup:
    """One or more undecided columns of similar content, which share one question.

    Attributes
    ----------
    names : tuple of str
    holds : str
        What they hold, in the language in use; empty for a column of its own.
    singles_out : bool
        Whether they name somebody or number records: then they leave only where
        somebody says so of each.
    weighs : bool
        Whether they are some of many weights, which single somebody out together.
    """

    names: tuple[str, ...]
    holds: str = ""
    singles_out: bool = False
    weighs: bool = False

    @property
    def can_leave_together(self) -> bool:
        """Whether one answer may let all columns leave."""
        return not (self.singles_out and self.holds)

    @property
    def heading(self) -> str:
        """Number of columns and kind of their content, as text."""
        words = n_("{count} column: {kind}", "{count} columns: {kind}", len(self.names))
        return words.format(count=f"{len(self.names):,}", kind=self.holds)

    @property
    def examples(self) -> str:
        """First names of the columns, with the number of further ones."""
        return abbreviated_columns_text(self.names)


def abbreviated_columns_text(names: Sequence[str]) -> str:
    """Return the first columns' names, and how many more there are, as text."""
    named = ", ".join(map(escape_text, names[:MAX_EXAMPLES]))
    more = len(names) - MAX_EXAMPLES
    if more <= 0:
        return named
    return _("{named} and {count} more").format(named=named, count=f"{more:,}")


def topics_by_undecided_column(
    table: Table, column_names: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Return each undecided column's topics to group it by, the finest first.

    A column of its own unless several hold values of its kind; then the kind of its
    values; then whether these are words. What names somebody or numbers records is a
    kind of its own, and so are many weights.

    Parameters
    ----------
    column_names : sequence of str
        Undecided columns of the table.
    """
    kinds = _kinds_of_values(table)
    topics = {name: kinds[name][0] for name in column_names}
    for name in filter(lambda name: table.schema[name].singles_out, topics):
        topics[name] = "weights" if name in _replicate_weights(table) else "singling"
    counts = Counter(topics.values())
    return {
        name: (
            # No column has such a name.
            name if counts[kind] < MIN_ALIKE_COLUMNS else f"\0{kind}",
            f"\0{kind}",
            f"\0{FAMILIES.get(kind, kind)}",
        )
        for name, kind in topics.items()
    }


def make_undecided_group(table: Table, column_names: tuple[str, ...]) -> UndecidedGroup:
    """Return undecided columns as a group, with what they hold.

    Parameters
    ----------
    column_names : tuple of str
        Undecided columns that share a topic.
    """
    singles_out = table.schema[column_names[0]].singles_out
    weighs = singles_out and column_names[0] in _replicate_weights(table)
    if len(column_names) == 1:
        return UndecidedGroup(column_names, "", singles_out, weighs)
    if singles_out:
        holds = _("names, numbers of records, or what hardly two share")
        if weighs:
            holds = _("weights of one survey")
        return UndecidedGroup(column_names, holds, singles_out, weighs)
    kinds = _kinds_of_values(table)
    kind, low, high = kinds[column_names[0]]
    if any(kinds[name][0] != kind for name in column_names):
        kind = FAMILIES[kind]
    holds = _(text_data.UNDECIDED_KINDS[kind]).format(low=low, high=high)
    return UndecidedGroup(column_names, holds)


@cache_in_session(2)
def _kinds_of_values(table: Table) -> dict[str, tuple[str, int, int]]:
    """Return the kind of each column's values, and the ends of what are answers.

    Of all columns and not only of those that are undecided: an answer about some
    changes no question about others.
    """
    ranges = {name: _range_of_answers(table, name) for name in table.schema.names}
    intervals = [interval for interval in ranges.values() if interval]
    commonest = max(intervals, key=intervals.count, default=None)
    kinds = {}
    for name, interval in ranges.items():
        low, high = interval or (0, 0)
        kind = "answers" if interval == commonest else "few-numbers"
        kinds[name] = kind if interval else _kind_of_values(table, name), low, high
    return kinds


@cache_in_session(2)
def _replicate_weights(table: Table) -> frozenset[str]:
    """Return the columns that are some of many weights, whatever their roles are."""
    is_numeric = pd.api.types.is_numeric_dtype
    numbers = [n for n in table.schema.names if is_numeric(table.frame[n].dtype)]
    weights = table.schema.with_role(Role.WEIGHT)
    return frozenset(find_replicate_weights_by_name(table.frame, weights, numbers))


def _range_of_answers(table: Table, name: str) -> tuple[int, int] | None:
    """Return smallest and largest of few whole numbers; None of other values."""
    column, types = table.frame[name], pd.api.types
    if not types.is_numeric_dtype(column.dtype) or types.is_bool_dtype(column.dtype):
        return None
    if not 2 < inspect_table(table).count_distinct(name) <= MAX_FEW_VALUES:
        return None
    values = column.dropna().unique()
    if any(value % 1 for value in values):
        return None
    return int(min(values)), int(max(values))


def _kind_of_values(table: Table, name: str) -> str:
    """Return what values are that are no few whole numbers."""
    count, types = inspect_table(table).count_distinct(name), pd.api.types
    column = table.frame[name]
    if types.is_datetime64_any_dtype(column.dtype):
        return "dates"
    if count <= 2:
        return "two"
    if types.is_numeric_dtype(column.dtype):
        return "numbers"
    return "few-words" if count <= MAX_FEW_VALUES else "words"


def copy_with_role(table: Table, column_names: tuple[str, ...], role: Role) -> Table:
    """Return a table with a role set; of several columns, naming ones are identifiers.

    Of several that are to leave, protected or not, those that name somebody or number
    records are removed: they leave only where it is said of each.
    """
    roles = dict.fromkeys(column_names, role)
    if len(column_names) > 1 and role is not Role.IDENTIFIER:
        for name in column_names:
            if table.schema[name].singles_out:
                roles[name] = Role.IDENTIFIER
    return table.assign(roles)
