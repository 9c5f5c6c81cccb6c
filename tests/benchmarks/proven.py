"""The reference tables, closed: loss, bound and gap of `optimal`, cell by cell.

``python -m tests.benchmarks.proven TABLE K SECONDS`` runs one cell, checks its
certificate's numbers against the run, and writes it into ``results/proven.json`` beside
this file; ``python -m tests.benchmarks proven`` prints what is there.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from engine.analysis.literature import printed_cells
from engine.core.context import RunContext
from engine.core.parallel import thread_count
from engine.methods.search.optimal import Optimal
from engine.pipeline.outcome import library_versions
from engine.points.base import Points
from tests.benchmarks import data
from tests.benchmarks.search import loss, zscored
from tests.benchmarks.smoke import size

RESULTS = Path(__file__).parent / "results" / "proven.json"

CELLS = [(name, k) for name in ("tarragona", "census", "eia") for k in (3, 4, 5, 10)]


def run(name: str, k: int, seconds: float) -> dict[str, Any]:
    """Return what `optimal` comes to on one table in some seconds."""
    folder = data.casc_folder()
    assert folder is not None, "set COTERIE_CASC to the folder of the reference tables"
    X = zscored(folder / f"{name}.csv")
    method = Optimal(k, seconds=seconds, gap=0.0)
    wall, cpu = time.monotonic(), _processor_seconds()
    labels = method.partition(Points.from_array(X), RunContext()).labels
    found, bound = loss(X, labels), method.bound_
    assert bound is not None
    return {
        "table": name,
        "k": k,
        "loss": found,
        "bound": min(bound.per_cent, found),
        "seconds": round(time.monotonic() - wall, 1),
        "processor_seconds": round(_processor_seconds() - cpu, 1),
        "cores": thread_count(),
        "asked_seconds": seconds,
        "steps": method.n_iter_,
        "turns": method.n_turns_,
        "groups": method.n_groups_,
        "nodes": method.n_nodes_,
        "versions": library_versions() | {"machine": platform.machine()},
    }


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def stored() -> list[dict[str, Any]]:
    """Return the cells that were run, in the order of :data:`CELLS`."""
    if not RESULTS.exists():
        return []
    found: list[dict[str, Any]] = json.loads(RESULTS.read_text(encoding="utf-8"))
    return sorted(found, key=lambda one: CELLS.index((one["table"], one["k"])))


def store(cell: dict[str, Any]) -> None:
    """Write a cell in place of the one there is."""
    others = [one for one in stored() if (one["table"], one["k"]) != _key(cell)]
    text = json.dumps([*others, cell], indent=1)
    part = RESULTS.with_suffix(f".{os.getpid()}")
    part.write_text(text + "\n", encoding="utf-8")
    part.replace(RESULTS)


def _key(cell: dict[str, Any]) -> tuple[str, int]:
    return cell["table"], cell["k"]


def lines(cells: list[dict[str, Any]]) -> list[str]:
    """Return cells as a table in Markdown."""
    found = [
        "| table | k | loss | bound | gap % | least in print | seconds "
        "| of the processor | cores | groups | nodes |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for one in cells:
        gap = 100.0 * (one["loss"] - one["bound"]) / one["loss"]
        found.append(
            f"| {one['table']} | {one['k']} | {one['loss']:.6f} | {one['bound']:.6f} "
            f"| {gap:.4f} | {printed(one)} | {one['seconds']:,.0f} "
            f"| {one['processor_seconds']:,.0f} | {one['cores']} | {one['groups']:,} "
            f"| {one['nodes']:,} |"
        )
    return found


def printed(one: dict[str, Any]) -> str:
    """Return the least published loss that is possible, with its method."""
    some = [
        (cell.value, cell.method)
        for cell in printed_cells()
        if (cell.dataset, cell.k) == _key(one) and cell.value >= one["bound"]
    ]
    return "{:g}, {}".format(*min(some)) if some else ""


def main() -> None:
    print("\n".join(lines(stored())))
    X = data.heavy(size(400, 40), 3)
    method = Optimal(3, seconds=size(10.0, 0.1), gap=0.0)
    labels = method.partition(Points.from_array(X)).labels
    assert method.bound_ is not None
    print(f"\nTo compare machines: loss {loss(X, labels):.6f}, bound ", end="")
    print(f"{method.bound_.per_cent:.6f} of {len(X)} made records.")


if __name__ == "__main__":
    np.seterr(all="raise", under="ignore")
    store(run(sys.argv[1], int(sys.argv[2]), float(sys.argv[3])))
    main()
