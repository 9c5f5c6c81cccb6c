"""Out of core: what a record costs in each step, and what a cluster makes of that."""

import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from engine import Plan
from engine.streaming import StreamedOutcome, run
from engine.streaming.blocks.spool import SpoolWriter
from tests.benchmarks import data
from tests.benchmarks.smoke import size

K = 5
RECORDS, ATTRIBUTES = size(1_000_000, 2_000), 10
BLOCKS = size((20_000, 100_000), (500, 1_000))
METHODS = ("mdav", "blocked")

PLANNED = 10**10
"""Records of the plan on paper."""

MACHINES, CORES = 100, 16


def main() -> None:
    X = data.normal(RECORDS, ATTRIBUTES)
    names = tuple(f"x{j}" for j in range(ATTRIBUTES))
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "in.parquet"
        table = pa.Table.from_arrays(list(X.T), names=list(names))
        pq.write_table(table, source, use_dictionary=False)
        print(f"{RECORDS:,} x {ATTRIBUTES}, k = {K}; us of one core per record.\n")
        words = ("method", "block", "scan", "route", "protect", "verify", "IL %")
        line = "{:8}{:>9}{:>8}{:>8}{:>9}{:>8}{:>9}"
        print(line.format(*words))
        for method in METHODS:
            for block in BLOCKS:
                plan = Plan(method=method, k=K, quasi_identifiers=names, identifiers=())
                target = Path(folder) / f"{method}-{block}"
                _say(run(plan, source, target, records_per_block=block))
        moved = _moved(Path(folder), source)
    print(f"\nBytes moved per record: {moved:.0f}.")


def _say(outcome: StreamedOutcome) -> None:
    cost = {
        step: 1e6 * seconds / outcome.n_records
        for step, seconds in outcome.processor_seconds.items()
    }
    passes = cost["scan"] + cost["route"] + cost["verify"]
    print(
        f"{outcome.plan.method:8}{outcome.records_per_block:9,}{cost['scan']:8.2f}"
        f"{cost['route']:8.2f}{cost['partition']:9.2f}{cost['verify']:8.2f}"
        f"{outcome.information_loss:9.4f}"
    )
    share = PLANNED * 1e-6 / (MACHINES * CORES) / 60
    print(
        f"{'':8}{PLANNED:.0e} records on {MACHINES} x {CORES} cores: passes "
        f"{share * passes:.1f} min, blocks {share * cost['partition']:.1f} min of "
        "processors, without disks and network."
    )


def _moved(folder: Path, source: Path) -> float:
    """Return the bytes of records on their way and of the release, per record."""
    some = pq.read_table(source).slice(0, BLOCKS[-1]).combine_chunks().to_batches()[0]
    place = folder / "spool"
    place.mkdir()
    spool = SpoolWriter(place, 1, 1)
    spool.add_batch(some, np.zeros(some.num_rows, dtype=np.int64))
    spool.finish()
    sent: float = sum(each.stat().st_size for each in place.iterdir()) / some.num_rows
    parts = [path.stat().st_size for path in folder.glob(f"mdav-{BLOCKS[-1]}/part-*")]
    return sent + sum(parts) / RECORDS
