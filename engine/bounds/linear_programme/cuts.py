"""Search for rank-1 Chvátal-Gomory cuts that a fractional solution violates."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np

from engine.core.parallel import max_run_threads
from engine.core.typing import Booleans, Integers, Values
from engine.kernels.bounds.sets import FractionalGroups, improve_cuts_by_tabu_search

if TYPE_CHECKING:  # methods are listed without it
    from scipy.sparse import csr_matrix

Group = tuple[int, ...]
"""Sorted members."""

Cut = tuple[Group, int]
"""Sorted records T and a divisor d of at least 2: as groups share no record, |G and T|
divided by d, rounded down, adds up to |T| / d, rounded down, at most. A record may come
several times, and counts as often, but less often than d."""

MIN_CUT_VIOLATION = 0.02
"""Excess that makes a cut worth its row."""

MAX_FIRST_ROUND_CUTS = 300
"""Cuts of a first round."""

MAX_CUTS_PER_RECORD = 20
"""Cuts of a first round that one record takes part in."""

_TABU_STARTS_PER_THREAD = 64
"""Sets that a thread searches from, one after the other."""

_PATH_SOURCES = 256
"""Groups whose paths are found at once; bounds their memory."""


@dataclass(frozen=True)
class SeparationEffort:
    """Limits of the search for cuts: steps, set size, repetition and divisor.

    Attributes
    ----------
    steps : int
        Steps from each record.
    max_set_size : int
        Records of a set at most.
    max_multiplicity : int
        How often a record comes at most.
    divisor : int
        Divisors up to there at least; up to k in any case.
    """

    steps: int
    max_set_size: int
    max_multiplicity: int = 1
    divisor: int = 2


EFFORTS = (
    SeparationEffort(50, 32),
    SeparationEffort(100, 30, 4, 5),
    SeparationEffort(300, 60, 4, 5),
)
"""Efforts, taken one after the other as the one before finds little."""


@dataclass(frozen=True, eq=False)
class PricedCuts:
    """Cuts, inequalities that every partition satisfies, with their dual prices.

    Attributes
    ----------
    sets : sequence of Cut
    prices : ndarray of float64, shape (n_cuts,)
        At least 0; what a group pays for each multiple of the divisor that it holds.
    """

    sets: Sequence[Cut]
    prices: Values

    @cached_property
    def offsets(self) -> Integers:
        """Offset of each cut's records in :attr:`records`, shape (n_cuts + 1,)."""
        sizes = [0, *(len(some) for some, _ in self.sets)]
        return np.cumsum(np.array(sizes, dtype=np.int64))

    @cached_property
    def records(self) -> Integers:
        """Concatenated records of all cuts."""
        return np.array([i for some, _ in self.sets for i in some], dtype=np.int64)

    @cached_property
    def divisors(self) -> Integers:
        """Divisors of the cuts, shape (n_cuts,)."""
        return np.array([divisor for _, divisor in self.sets], dtype=np.int64)

    @cached_property
    def max_multiplicity(self) -> Integers:
        """Largest multiplicity of a record in each cut, shape (n_cuts,)."""
        multiplicities = [max(map(some.count, some)) for some, _ in self.sets]
        return np.array(multiplicities, dtype=np.int64)

    @property
    def with_positive_price(self) -> PricedCuts:
        """Return the cuts with a positive price."""
        some = np.flatnonzero(self.prices > 0.0)
        if some.size == self.prices.size:
            return self
        return PricedCuts([self.sets[c] for c in some.tolist()], self.prices[some])

    @property
    def right_hand_sides(self) -> Integers:
        """Right-hand side of each cut, shape (n_cuts,)."""
        return np.diff(self.offsets) // self.divisors

    @property
    def total_price(self) -> float:
        """Sum over the cuts of price times right-hand side."""
        return float(self.prices @ self.right_hand_sides)

    def coefficients(self, groups: csr_matrix) -> csr_matrix:
        """Return the coefficient of each group in each cut.

        Parameters
        ----------
        groups : csr_matrix of float64, shape (n_groups, n_records)
            1 for each record that a group holds; see :func:`group_incidence_matrix`.

        Returns
        -------
        csr_matrix of float64, shape (n_groups, n_cuts)
        """
        from scipy.sparse import csr_matrix

        shape = len(self.sets), groups.shape[1]
        ones = np.ones(self.records.size)
        holds = csr_matrix((ones, self.records, self.offsets), shape=shape)
        holds.sum_duplicates()
        terms = (groups @ holds.T).tocsr()
        terms.data = terms.data.astype(np.int64) // self.divisors[terms.indices] * 1.0
        terms.eliminate_zeros()
        return terms


def group_incidence_matrix(
    groups: Sequence[Group] | Integers, n_records: int
) -> csr_matrix:
    """Return the sparse 0-1 matrix of groups by records, (n_groups, n_records)."""
    from scipy.sparse import csr_matrix

    starts = np.cumsum([0, *map(len, groups)])
    rows = np.concatenate([np.empty(0, np.int64), *map(np.asarray, groups)])
    return csr_matrix(
        (np.ones(rows.size), rows, starts), shape=(len(groups), n_records)
    )


def separate_cuts(
    groups: Sequence[Group],
    group_weights: Values,
    known_cuts: Iterable[Cut],
    k: int,
    effort: SeparationEffort = EFFORTS[0],
    record_prices: Values | None = None,
    max_cuts_factor: int = 1,
) -> list[Cut]:
    """Return new cuts that fractional group weights violate, worth most first.

    They are Chvátal-Gomory cuts of rank 1: the rows of the records in T, each divided
    by d, added up and rounded down. In a partition one group at most holds two of three
    records, and seven records give two groups of three at most.

    Parameters
    ----------
    groups : sequence of tuple of int
        Sorted members.
    group_weights : ndarray of float64, shape (n_groups,)
        Share of each group in the solution.
    known_cuts : iterable of Cut
        Cuts that there are already.
    k : int
        The least size of a group.
    effort : SeparationEffort
    record_prices : ndarray of float64, shape (n_records,), optional
        What records count for where cuts are more than a round takes: most of the SSE
        lies with few records.
    max_cuts_factor : int
        How often as many as in a first round are taken.

    Notes
    -----
    All triples are looked at. Larger sets are searched for from each record, and from
    odd rings of groups.

    References
    ----------
    Jepsen M, Petersen B, Spoorendonk S, Pisinger D (2008). Subset-row inequalities
    applied to the vehicle-routing problem with time windows. Operations Research
    56(2), 497-511. doi:10.1287/opre.1070.0449

    Koster AMCA, Zymolka A, Kutschka M (2009). Algorithms to separate {0,1/2}-Chvátal-
    Gomory cuts. Algorithmica 55(2), 375-391. doi:10.1007/s00453-008-9218-7
    """
    some = np.flatnonzero(
        (group_weights > 1e-6) & (group_weights < 1.0 - 1e-6)
    ).tolist()
    parts = [(groups[g], float(group_weights[g])) for g in some]
    excess = dict(_triple_cuts(parts))
    excess.update(_tabu_search_cuts(parts, k, effort))
    for cut in known_cuts:
        excess.pop(cut, None)
    if record_prices is not None:
        paid = np.maximum(record_prices, 0.0)
        excess = {
            cut: value * float(paid[list(cut[0])].mean())
            for cut, value in excess.items()
        }
    return _choose(excess, max_cuts_factor)


def _triple_cuts(parts: Sequence[tuple[Group, float]]) -> Iterator[tuple[Cut, float]]:
    """Yield triples of records that violate their cut, and by how much."""
    pairs: dict[tuple[int, int], float] = defaultdict(float)
    whole: dict[Group, float] = defaultdict(float)
    for group, weight in parts:
        for pair in combinations(group, 2):
            pairs[pair] += weight
        for triple in combinations(group, 3):
            whole[triple] += weight
    beside: dict[int, list[int]] = defaultdict(list)
    for a, b in pairs:
        beside[a].append(b)
        beside[b].append(a)
    for middle, others in beside.items():
        for first, other in combinations(others, 2):
            i, j, m = sorted((middle, first, other))
            if middle == i or (i, j) not in pairs or (i, m) not in pairs:
                total = sum(pairs.get(pair, 0.0) for pair in ((i, j), (i, m), (j, m)))
                # A group that holds all three counts in all three pairs.
                value = total - 2.0 * whole.get((i, j, m), 0.0) - 1.0
                if value > MIN_CUT_VIOLATION:
                    yield ((i, j, m), 2), value


def _tabu_search_cuts(
    parts: Sequence[tuple[Group, float]], k: int, effort: SeparationEffort
) -> Iterator[tuple[Cut, float]]:
    """Yield sets found by tabu search, with their violation."""
    records = sorted({i for group, _ in parts for i in group})
    if not records:
        return
    place = {i: number for number, i in enumerate(records)}
    some = group_incidence_matrix(
        [tuple(place[i] for i in group) for group, _ in parts], len(records)
    )
    of = some.T.tocsr()
    of.sort_indices()
    inner = FractionalGroups(
        member=some.indices.astype(np.int64),
        start=some.indptr.astype(np.int64),
        group=of.indices.astype(np.int64),
        first=of.indptr.astype(np.int64),
        weight=np.array([weight for _, weight in parts]),
    )
    alike = _count_equal_before(inner)
    for divisor in range(2, max(k, effort.divisor) + 1):
        largest = effort.max_multiplicity if divisor <= effort.divisor else 1
        largest = min(largest, divisor - 1)
        # Records of the same groups are of no more use than one that comes as often.
        barred = alike >= (divisor - 1) // largest
        starts = [[i] for i in np.flatnonzero(~barred).tolist()]
        if divisor == 2:
            rings = _shortest_odd_cycles(some, inner.weight)
            starts += [ring for ring in rings if len(ring) <= effort.max_set_size]
        sets = np.full((len(starts), effort.max_set_size), -1, dtype=np.int64)
        for number, begin in enumerate(starts):
            sets[number, : len(begin)] = begin
        excess = _find(inner, divisor, largest, effort.steps, barred, sets)
        for a in np.flatnonzero(excess > MIN_CUT_VIOLATION).tolist():
            members = tuple(sorted(records[i] for i in sets[a].tolist() if i >= 0))
            yield (members, divisor), float(excess[a])


def _find(
    parts: FractionalGroups,
    divisor: int,
    largest: int,
    steps: int,
    barred: Booleans,
    sets: Integers,
) -> Values:
    """Search from some sets on, each on its own, on all cores; return their excess."""
    excess = np.empty(len(sets))

    def search(first: int) -> None:
        some = slice(first, first + _TABU_STARTS_PER_THREAD)
        improve_cuts_by_tabu_search(
            parts, divisor, largest, steps, barred, sets[some], excess[some]
        )

    with ThreadPoolExecutor(max_run_threads()) as threads:
        list(threads.map(search, range(0, len(sets), _TABU_STARTS_PER_THREAD)))
    return excess


def _count_equal_before(parts: FractionalGroups) -> Integers:
    """Return how many earlier records belong to the same groups."""
    before: dict[Group, int] = defaultdict(int)
    counts = np.empty(parts.first.size - 1, dtype=np.int64)
    for i in range(counts.size):
        groups = tuple(parts.group[parts.first[i] : parts.first[i + 1]].tolist())
        counts[i] = before[groups]
        before[groups] += 1
    return counts


def _shortest_odd_cycles(holds: csr_matrix, weights: Values) -> list[list[int]]:
    """Return the records that link shortest odd cycles of groups.

    Two groups that share a record weigh 1 at most. Of an odd ring of groups, each with
    the next, fewer than half are in a partition; shortest paths from each group to
    itself in an odd number of steps find the rings that weigh more (Gerards and
    Schrijver 1986, doi:10.1007/BF02579261).
    """
    from scipy.sparse import csr_array, triu
    from scipy.sparse.csgraph import dijkstra

    m = weights.size
    shared = triu(holds @ holds.T, k=1, format="coo")
    first, other = shared.row.astype(np.int64), shared.col.astype(np.int64)
    # What two groups leave of the record that they share; a little, as 0 is no edge.
    slack = np.maximum(1.0 - weights[first] - weights[other], 0.0) + 1e-9
    # Every group twice, for even and for odd steps.
    ends = np.concatenate([first, first + m]), np.concatenate([other + m, other])
    twice = csr_array((np.tile(slack, 2), ends), shape=(2 * m, 2 * m))
    rings: dict[Group, list[int]] = {}
    for start in range(0, m, _PATH_SOURCES):
        sources = np.arange(start, min(start + _PATH_SOURCES, m))
        lengths, before = dijkstra(
            twice,
            directed=False,
            indices=sources,
            return_predecessors=True,
            limit=1.0 - 2.0 * MIN_CUT_VIOLATION,
        )
        for number, g in enumerate(sources.tolist()):
            if not np.isfinite(lengths[number, g + m]):
                continue
            path, at = [g], g + m
            while at != g:
                at = int(before[number, at])
                path.append(at % m)
            rows = [holds.getrow(each) for each in path]
            links = [int(a.multiply(b).indices[0]) for a, b in pairwise(rows)]
            ring = sorted({i for i in links if links.count(i) % 2 == 1})
            rings.setdefault(tuple(ring), ring)
    return list(rings.values())


def _choose(worth: dict[Cut, float], times: int) -> list[Cut]:
    """Return the cuts that are worth most, few for each record."""
    used: dict[int, int] = defaultdict(int)
    chosen: list[Cut] = []
    for cut in sorted(worth, key=lambda cut: (-worth[cut], cut)):
        if len(chosen) == times * MAX_FIRST_ROUND_CUTS:
            break
        if all(used[i] < times * MAX_CUTS_PER_RECORD for i in cut[0]):
            chosen.append(cut)
            for i in cut[0]:
                used[i] += 1
    return chosen
