"""Session caches of a table's preparations for methods and of results' explainers."""

from __future__ import annotations

from dashboard.state.caches.idle_values import CacheFreedWhenIdle
from dashboard.state.caches.session_cache import HASH_BY_VALUES, cache_in_session
from engine.analysis.explain import Explainer
from engine.data.table import Table
from engine.pipeline.grouping.prepare import PreparationCache
from engine.pipeline.outcome import Outcome


@cache_in_session(1)
def _values_of(table: Table) -> CacheFreedWhenIdle:
    return CacheFreedWhenIdle(max_entries=3)


def preparation_cache(table: Table) -> PreparationCache:
    """Return the session's cache of a table's preparations."""
    return _values_of(table).get_or_make(
        "preparations", lambda: PreparationCache(table, max_entries=1)
    )


def get_explainer(outcome: Outcome, table: Table) -> Explainer:
    """Return the explainer of a result's groups; cached in the session.

    Raises
    ------
    EngineError
        If its records have no group of their own.
    """
    prepared = preparation_cache(table).get(outcome.plan)
    key = HASH_BY_VALUES[Outcome](outcome)
    return _values_of(table).get_or_make(key, lambda: Explainer(outcome, prepared))
