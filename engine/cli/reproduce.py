"""The command that puts published figures beside ours."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict

from engine.analysis.reproduce import Row, ScalingRow, reproduce, tally
from engine.release.write import write_all


def reproduce_tables(options: argparse.Namespace) -> int:
    """Put published figures beside ours."""
    plain, scaled = reproduce(options.folder)
    _print_rows(plain)
    _print_pairs(scaled)
    counts = tally(plain, scaled)
    words = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    print(f"\n{len(plain) + len(scaled)} cells: {words}.")
    if options.json is not None:
        content = {
            "rows": [_content(row) for row in plain],
            "pairwise_systematic": [
                asdict(pair) | {"impossible": pair.impossible} for pair in scaled
            ],
            "tally": counts,
        }
        text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
        write_all({options.json: text.encode()})
    return 0


def _print_rows(rows: Sequence[Row]) -> None:
    print("Information loss in per cent; lower is better.\n")
    line = "{:10} {:14} {:>3} {:>12} {:>12} {:>9}  {:30} {}"
    head = ("table", "method", "k", "printed", "ours", "diff %", "on", "verdict")
    print(line.format(*head))
    reasons: dict[str, str] = {}
    for row in rows:
        cell = row.printed
        ours = f"{row.ours:.{cell.digits}f}"
        words = (cell.dataset, cell.method, cell.k, cell.text, ours)
        on, away = str(row.terms.text), f"{row.difference:+.2f}"
        print(line.format(*words, away, on, row.verdict))
        if row.reason is not None:
            reasons[cell.method] = row.reason
    if reasons:
        print("\nWhy cells may differ:")
        for method, reason in reasons.items():
            print(f"  {method}: {reason}")


def _print_pairs(pairs: Sequence[ScalingRow]) -> None:
    print("\nPairwise systematic: printed figures beside both scalings, per cent.\n")
    line = "{:10} {:>3} {:>12}" + " {:>9}" * 6 + "  {}"
    print(line.format("", "", "", "raw", "raw", "raw", *3 * ("z-score",), ""))
    names = ("P-S", "MDAV", "bound")
    print(line.format("table", "k", "printed", *names, *names, "on z-scores"))
    for pair in pairs:
        figures = [pair.raw, pair.mdav_raw, pair.bound_raw]
        figures += [pair.zscored, pair.mdav_zscored, pair.bound_zscored]
        cell = pair.printed
        shown = (f"{value:.4f}" for value in figures)
        verdict = pair.on("zscore").verdict
        print(line.format(cell.dataset, cell.k, cell.text, *shown, verdict))


def _content(row: Row) -> dict[str, object]:
    return asdict(row) | {
        "difference": row.difference,
        "verdict": row.verdict,
        "attributes": row.terms.text,
        "reason": row.reason,
    }
