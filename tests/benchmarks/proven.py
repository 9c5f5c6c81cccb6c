"""The reference tables, closed: loss, bound and gap of `optimal`, cell by cell.

``python -m tests.benchmarks.proven TABLE K SECONDS [SCALING [LEFT_OUT]]`` runs one cell
and writes it into ``engine/analysis/published/proven.json``; LEFT_OUT names the
table's first column where it is no attribute. ``python -m tests.benchmarks
proven`` prints what is there.
"""

import json
import os
import platform
import resource
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from engine.analysis.published.literature import LossBasis, printed_cells
from engine.core.context import RunContext
from engine.core.parallel import max_run_threads
from engine.core.typing import Values
from engine.methods.search.optimal import Optimal
from engine.pipeline.outcome import library_versions
from engine.points.base import Points
from tests.benchmarks import data
from tests.benchmarks.smoke import size
from tests.casc import information_loss

RESULTS = Path(__file__).parents[2] / "engine/analysis/published/proven.json"

TABLES = ("tarragona", "census", "eia")


def read_values(name: str, basis: LossBasis) -> Values:
    """Return one reference table's attributes on some basis."""
    folder = data.casc_folder()
    assert folder is not None, "set COTERIE_CASC to the folder of the reference tables"
    X = np.loadtxt(folder / f"{name}.csv", delimiter=",", skiprows=1)
    X = X[:, len(basis.without) :]
    X -= X.mean(axis=0)
    return np.ascontiguousarray(X / (X.std(axis=0) if basis.scaling == "zscore" else 1))


def run(name: str, k: int, seconds: float, basis: LossBasis) -> dict[str, Any]:
    """Return what `optimal` comes to on one table in some seconds."""
    X = read_values(name, basis)
    method = Optimal(k, seconds=seconds, gap=0.0)
    wall, cpu = time.monotonic(), _processor_seconds()
    labels = method.partition(Points.from_array(X), RunContext()).labels
    loss_percent, bound = information_loss(X, labels), method.bound_
    assert bound is not None
    return {
        "table": name,
        "k": k,
        "scaling": basis.scaling,
        "without": list(basis.without),
        "loss": loss_percent,
        "bound": min(bound.per_cent, loss_percent),
        "seconds": round(time.monotonic() - wall, 1),
        "processor_seconds": round(_processor_seconds() - cpu, 1),
        "cores": max_run_threads(),
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
    """Return the cells that were run: by basis, table and k."""
    cells: list[dict[str, Any]] = json.loads(RESULTS.read_text(encoding="utf-8"))
    return sorted(cells, key=_key)


def store(cell: dict[str, Any]) -> None:
    """Write a cell, or what is nearer of it than what there is: loss, bound or both."""
    others = [other for other in stored() if _key(other) != _key(cell)]
    for stored_cell in stored():
        if _key(stored_cell) == _key(cell):
            loss, bound = stored_cell["loss"], stored_cell["bound"]
            if cell["loss"] - cell["bound"] > loss - bound:
                cell, loss, bound = stored_cell, cell["loss"], cell["bound"]
            cell |= {
                "loss": min(loss, cell["loss"]),
                "bound": max(bound, cell["bound"]),
            }
    text = json.dumps(sorted([*others, cell], key=_key), indent=1)
    part = RESULTS.with_suffix(f".{os.getpid()}")
    part.write_text(text + "\n", encoding="utf-8")
    part.replace(RESULTS)


def _key(cell: dict[str, Any]) -> tuple[bool, list[str], int, int]:
    place = TABLES.index(cell["table"])
    return cell["scaling"] != "zscore", cell["without"], place, cell["k"]


def lines(cells: list[dict[str, Any]]) -> list[str]:
    """Return cells as a table in Markdown."""
    markdown = [
        "| table | k | on | loss | bound | gap % | least in print | seconds "
        "| processor seconds | cores | groups | nodes |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in cells:
        gap = 100.0 * (row["loss"] - row["bound"]) / row["loss"]
        markdown.append(
            f"| {row['table']} | {row['k']} | {_terms(row).to_message} "
            f"| {row['loss']:.6f} | {row['bound']:.6f} "
            f"| {gap:.4f} | {printed(row)} | {row['seconds']:,.0f} "
            f"| {row['processor_seconds']:,.0f} | {row['cores']} | {row['groups']:,} "
            f"| {row['nodes']:,} |"
        )
    return markdown


def _terms(one: dict[str, Any]) -> LossBasis:
    return LossBasis(one["scaling"], tuple(one["without"]))


def printed(one: dict[str, Any]) -> str:
    """Return the least loss printed for z-scores that is possible, with its method."""
    some = [
        (cell.value, cell.method)
        for cell in printed_cells()
        if (cell.dataset, cell.k) == (one["table"], one["k"])
        and cell.value >= one["bound"]
        and _terms(one) == LossBasis()
    ]
    return "{:g}, {}".format(*min(some)) if some else ""


def main() -> None:
    print("\n".join(lines(stored())))
    X = data.heavy(size(400, 40), 3)
    method = Optimal(3, seconds=size(10.0, 0.1), gap=0.0)
    labels = method.partition(Points.from_array(X)).labels
    assert method.bound_ is not None
    print(
        f"\nTo compare machines: loss {information_loss(X, labels):.6f}, bound ", end=""
    )
    print(f"{method.bound_.per_cent:.6f} of {len(X)} made records.")


if __name__ == "__main__":
    np.seterr(all="raise", under="ignore")
    table, smallest, allowed, *rest = sys.argv[1:]
    asked = LossBasis(*rest[:1], without=tuple(rest[1:]))
    store(run(table, int(smallest), float(allowed), asked))
    main()
