"""Naive ruin and rebuild: one step after the other, on lists of records."""

import math
from collections import deque

import numpy as np

from engine.core.typing import Values
from tests.reference.mdav import mdav
from tests.reference.refined import refine
from tests.reference.regroup import Groups, join_rest, settle, start_part
from tests.reference.steps import Labels

PARAMETERS = {"iterations": 40}
"""What the comparison runs with: a loop has no time for more."""

NEAR, TRIES, IDLE = 6, 20, 256
FEWEST, STEPS_PER_GROUP, MAX_SQ_K_STEPS, GROWTH = 45, 50, 6_400, 1.01
WARMING, HOTTEST, COLDEST = 0.1, 2.5, (0.01, 0.1)
BESIDE, ROUNDS = 8, 6
MASK = 2**64 - 1


class Stream:
    """SplitMix64 in whole numbers."""

    def __init__(self, state: int) -> None:
        self.state = state

    def bits(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def below(self, n: int) -> int:
        return ((self.bits() >> 32) * n) >> 32

    def share(self) -> float:
        return ((self.bits() >> 11) + 1) * 2.0**-53


class Region:
    """Some records, whole groups of them, with numbers and a stream of their own."""

    def __init__(self) -> None:
        self.records: list[int] = []
        self.unused: list[int] = []
        self.stream = Stream(0)

    def join(self, groups: Groups, i: int) -> int:
        g = groups.label(i)
        self.records += groups.members[g]
        return g


def divide(groups: Groups, count: int, stream: Stream) -> list[Region]:
    """Regions that grow from a random group by the records near to theirs."""
    n = len(groups.near)
    free = [g for g, members in enumerate(groups.members) if not members]
    regions: list[Region] = []
    used_records: set[int] = set()
    for r in range(count):
        region, waiting, joined = Region(), deque[int](), 0
        fresh, target_size = stream.below(n), (r + 1) * n // count - len(used_records)
        while len(region.records) < target_size:
            if not waiting:
                order = [(fresh + step) % n for step in range(n)]
                fresh = next(
                    i for i in order if i not in used_records | set(region.records)
                )
                waiting.append(region.join(groups, fresh))
                joined += 1
            for i in list(groups.members[waiting.popleft()]):
                for j in groups.near[i]:
                    new = j not in used_records and j not in region.records
                    if new and len(region.records) < target_size:
                        waiting.append(region.join(groups, j))
                        joined += 1
        spare = len(region.records) // groups.k - joined
        region.unused, free = free[:spare][::-1], free[spare:]
        region.stream = Stream(stream.bits())
        used_records |= set(region.records)
        regions.append(region)
    return regions


def choose(groups: Groups, m: int, region: Region) -> list[int]:
    """A random group of the region and some of it that neighbour it."""
    stream = region.stream
    chosen_groups = [groups.label(region.records[stream.below(len(region.records))])]
    for _ in range(TRIES):
        if len(chosen_groups) == m:
            break
        members = groups.members[chosen_groups[stream.below(len(chosen_groups))]]
        i = members[stream.below(len(members))]
        j = groups.near[i][stream.below(len(groups.near[i]))]
        b = groups.label(j)
        if j in region.records and b not in chosen_groups:
            chosen_groups.append(b)
    return chosen_groups


def step(groups: Groups, most: int, temperature: float, region: Region) -> None:
    """Ruin some groups of a region, rebuild, accept by Metropolis' rule."""
    k, stream = groups.k, region.stream
    share = stream.share()
    chosen_groups = choose(
        groups, min(most, 4 if share < 0.15 else 3 if share < 0.5 else 2), region
    )
    m = len(chosen_groups)
    if m < 2:
        return
    union = [i for g in chosen_groups for i in groups.members[g]]
    fewest = -(-len(union) // groups.most)
    n_parts = fewest + stream.below(len(union) // k - fewest + 1)
    n_parts = max(m - 1, min(n_parts, m + 1))
    pool = list(union)
    parts = [
        start_part(groups, pool, pool[stream.below(len(pool))]) for _ in range(n_parts)
    ]
    join_rest(groups, parts, pool)
    change = settle(groups, parts, union)
    change -= sum(groups.sse(groups.members[g]) for g in chosen_groups)
    if change <= -temperature * math.log(stream.share()):
        groups.adopt(chosen_groups, parts)


def better_parts(
    groups: Groups, old: list[list[int]], new: list[list[int]]
) -> list[list[int]]:
    """The better groups of each part that is whole groups of both."""
    better: list[list[int]] = []
    while open_groups := [m for m in old if not any(set(m) & set(g) for g in better)]:
        part, size = set(open_groups[0]), 0
        while size < len(part):
            size = len(part)
            part = part.union(*(m for m in old + new if part & set(m)))
        before = [m for m in old if part & set(m)]
        after = [m for m in new if part & set(m)]
        change = sum(map(groups.sse, after)) - sum(map(groups.sse, before))
        better += after if change < -groups.noise else before
    return better


def anneal(groups: Groups, most: int, steps: int, region: Region) -> None:
    """Cool the region once; where a part of it got no better it is as before."""
    before, unit = list(groups.members), groups.total(region.records)
    region_records = set(region.records)
    numbers = [
        g for g, m in enumerate(before) if region_records & set(m)
    ] + region.unused
    coldest, warmest = COLDEST
    cold = coldest * (warmest / coldest) ** region.stream.share()
    hot = HOTTEST * unit / len(region.records)
    groups.unused = region.unused
    for s in range(steps):
        step(groups, most, hot * (cold / HOTTEST) ** (s / steps), region)
    old, new = (
        [m for m in members if region_records & set(m)]
        for members in (before, groups.members)
    )
    better = better_parts(groups, old, new)
    for g in numbers:
        groups.members[g] = better.pop() if better else []


def cool(
    groups: Groups, most: int, turn: int, count: int, steps: int, stream: Stream
) -> int:
    """Cool all groups once and keep the best there were; return the steps taken."""
    n, k = len(groups.near), groups.k
    best, lowest_loss, done = list(groups.members), groups.total(), 0
    stretch = max(16, min(8 * n, 64_000 // k**2), n // (8 * k))
    stretches, hot = -(-n // stretch) * 2**turn, min(HOTTEST, WARMING * 2**turn)
    unit = lowest_loss / n
    for s in range(stretches):
        some = min(stretch, steps - done)
        temperature = unit * hot * (COLDEST[0] / hot) ** (s / stretches)
        if some == 0:
            break
        for r, region in enumerate(divide(groups, count, stream)):
            groups.unused = region.unused
            for _ in range(some * (r + 1) // count - some * r // count):
                step(groups, most, temperature, region)
        done += some
        if groups.total() < lowest_loss - groups.noise:
            best, lowest_loss = list(groups.members), groups.total()
    groups.members = best
    return done


def iterated(X: Values, k: int, seed: int, iterations: int) -> Labels:
    """Rounds over all groups, then sweeps over regions that keep what is better."""
    n = len(X)
    stream = Stream(int(np.random.default_rng(seed).integers(2**64, dtype=np.uint64)))
    groups = Groups(X, refine(X, mdav(X, k), k), k, NEAR)
    count = max(1, n // k // FEWEST)
    max_groups = max(2, min(4, 512 // groups.most))
    whole = min(STEPS_PER_GROUP, MAX_SQ_K_STEPS / k**2) * (n // k)
    done, last, turn = 0, whole, 0
    while groups.total() > groups.noise and done < min(iterations, IDLE * last):
        before = groups.total()
        if turn < ROUNDS:
            large = min(count, BESIDE)
            done += cool(groups, max_groups, turn, large, iterations - done, stream)
        else:
            regions = max(1, count // (1 + turn % 2))
            for region in divide(groups, regions, stream):
                steps = min(max(1, int(whole / regions)), iterations - done)
                anneal(groups, max_groups, steps, region)
                done += steps
            whole *= GROWTH
        if groups.total() < before - groups.noise:
            last = max(last, done)
        turn += 1
    return groups.labels()
