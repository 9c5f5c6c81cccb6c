"""Losses on a table without clusters and on one with clusters, kept for the manual."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from engine import partition
from tests import casc

RESULTS = Path(__file__).parent / "losses.json"

CELLS = [(name, k) for name in ("census", "eia") for k in (5, 10)]
"""Table and k of each column: Census has hardly any clusters, EIA has many."""


@dataclass(frozen=True)
class GroupingWay:
    """A method with parameters and polish, as the manual names it, and its sizes."""

    title: str
    method: str
    sizes: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    polish: bool = False


WAYS = (
    GroupingWay("`mdav`", "mdav", "fixed"),
    GroupingWay("`ldf`", "ldf", "fixed"),
    GroupingWay("`vmdav`", "vmdav", "variable"),
    GroupingWay("`vmdav`, `gamma=auto`", "vmdav", "variable", {"gamma": "auto"}),
    GroupingWay("`mdav-mhm`", "mdav-mhm", "variable"),
    GroupingWay("`dba2`", "dba2", "variable"),
    GroupingWay("`refined`", "refined", "variable"),
    GroupingWay("`dba2`, `--polish`", "dba2", "variable", polish=True),
)


def measure_losses(way: GroupingWay) -> list[float]:
    """Return the information loss of each cell in per cent, on z-scores."""
    return [
        casc.information_loss(
            casc.zscored(name),
            partition(
                casc.raw(name), k, way.method, polish=way.polish, **way.parameters
            ),
        )
        for name, k in CELLS
    ]


def stored_losses() -> dict[str, list[float]]:
    """Return the losses as they were last measured, by title."""
    losses_by_title: dict[str, list[float]] = json.loads(
        RESULTS.read_text(encoding="utf-8")
    )
    return losses_by_title


def main() -> None:
    """Measure all losses and keep them with the digits that the manual shows."""
    losses_by_title = {
        way.title: [round(loss, 4) for loss in measure_losses(way)] for way in WAYS
    }
    RESULTS.write_text(json.dumps(losses_by_title, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
