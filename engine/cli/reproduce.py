"""``coterie reproduce``: published losses and centres beside this program's."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from engine.analysis.published import edited_centres
from engine.analysis.published.literature import cells_apart, printed_cells
from engine.analysis.published.reproduce import (
    ComparisonRow,
    RawAndZscoreRow,
    count_verdicts,
    count_verdicts_by_table,
    read_reference_tables,
    run_and_compare_cells_apart,
    run_and_compare_published_cells,
    unjudged_cell_messages,
)
from engine.cli.writing.figures import to_json_bytes
from engine.release.write import write_all


def execute_reproduce(options: argparse.Namespace) -> int:
    """Print published losses and centres beside this program's; return exit code 0."""
    tables = read_reference_tables(options.folder)
    scaled: tuple[RawAndZscoreRow, ...] = ()
    if options.apart:
        cells, plain = cells_apart(), run_and_compare_cells_apart(tables)
        _print_rows(plain)
    else:
        cells, (plain, scaled) = (
            printed_cells(),
            run_and_compare_published_cells(tables),
        )
        _print_rows(plain)
        _print_pairs(scaled)
        _print_centres()
    unjudged = unjudged_cell_messages(tables, cells)
    counts = count_verdicts(plain, scaled)
    by_table = count_verdicts_by_table(plain, scaled)
    print()
    for name, some in by_table.items():
        print(f"{name}: {_counts_text(some)}.")
    print(f"{len(plain) + len(scaled)} cells: {_counts_text(counts)}.")
    for reason in unjudged:
        print(f"Note: {reason}")
    if options.json is not None:
        content = {
            "rows": [_row_content(row) for row in plain],
            "pairwise_systematic": [
                asdict(pair)
                | {
                    "impossible": pair.is_impossible,
                    "printed_excess": pair.row_on("none").printed_excess,
                }
                for pair in scaled
            ],
            "not_judged": unjudged,
            "tally": counts,
            "tally_by_table": by_table,
        }
        write_all({options.json: to_json_bytes(content)})
    return 0


def _counts_text(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in counts.items())


def _print_rows(rows: Sequence[ComparisonRow]) -> None:
    print("Information loss in per cent; lower is better. Best: the least loss known,")
    print(
        "with the proven bound; above %: how far the printed loss is above the best.\n"
    )
    line = "{:10} {:22} {:>3} {:>12} {:>12} {:>9} {:>9} {:>9} {:>7}  {:30} {}"
    head = ("table", "method", "k", "printed", "ours", "diff %", "best", "bound")
    print(line.format(*head, "above %", "on", "verdict"))
    reasons: dict[str, str] = {}
    for row in rows:
        cell = row.printed
        loss_text = f"{row.ours:.{cell.decimals}f}"
        choice = " ".join((cell.method, *map("=".join, cell.parameters)))
        words = (cell.dataset, choice, cell.k, cell.text, loss_text)
        on, percent = str(row.basis.to_message), f"{row.relative_difference:+.2f}"
        print(line.format(*words, percent, *_optimum_texts(row), on, row.verdict_text))
        if row.difference_reason is not None:
            reasons[cell.method] = row.difference_reason
    if reasons:
        print("\nWhy cells may differ:")
        for method, reason in reasons.items():
            print(f"  {method}: {reason}")


def _optimum_texts(row: ComparisonRow) -> tuple[str, str, str]:
    """Return best, bound and how far the printed loss is above the best."""
    if row.optimum is None:
        return "", f"{row.bound:.4f}", ""
    excess = row.optimum.excess(row.printed.value)
    return f"{row.optimum.loss:.4f}", f"{row.strongest_bound:.4f}", f"{excess:.1f}"


def _print_pairs(pairs: Sequence[RawAndZscoreRow]) -> None:
    print("\nPairwise systematic: printed figures beside both scalings, per cent.\n")
    line = "{:10} {:>3} {:>12}" + " {:>9}" * 8 + "  {}"
    print(line.format("", "", "", *5 * ("raw",), *3 * ("z-score",), ""))
    names = ("P-S", "MDAV", "bound")
    raw = ("P-S", "MDAV", "best", "bound", "above %")
    print(line.format("table", "k", "printed", *raw, *names, "on z-scores"))
    for pair in pairs:
        figures = [pair.zscored, pair.mdav_zscored, pair.bound_zscored]
        cell = pair.printed
        figure_texts = (
            *(f"{value:.4f}" for value in (pair.raw, pair.mdav_raw)),
            *_optimum_texts(pair.row_on("none")),
            *(f"{value:.4f}" for value in figures),
        )
        verdict = pair.row_on("zscore").verdict_text
        print(line.format(cell.dataset, cell.k, cell.text, *figure_texts, verdict))


def _print_centres() -> None:
    print("\nFuzzy centres of noisy data, without and with 1.16*v1 + 1.07*v2 = v3")
    print("(Torra 2020): distances from the centres of the clean data. Table 1 prints")
    print("13 in the last record, which breaks the rule; 16 keeps it.\n")
    line = "{:28}" + " {:>8}" * edited_centres.N_CENTRES
    for deviation, printed in edited_centres.PRINTED_DISTANCES.items():
        spread = edited_centres.summarise_centres_over_draws(deviation)
        for way, row, figures in zip(
            ("without", "with"), printed, (spread.free, spread.ruled), strict=True
        ):
            noise = f"N(0, {deviation}) {way}"
            print(line.format(f"{noise}, printed", *(f"{value:.4f}" for value in row)))
            means = figures.mean(axis=0)
            label = f"  mean of {len(figures)} draws"
            print(line.format(label, *(f"{value:.4f}" for value in means)))
        print(
            f"  the rule brings them nearer in {spread.share_nearer:.1%} of the draws"
        )
    fits = edited_centres.fit_centres_with_and_without_rule(
        edited_centres.NOISY_RECORDS
    )
    for way, figures in (
        ("without", fits.free_distances),
        ("with", fits.constrained_distances),
    ):
        texts = (f"{value:.4f}" for value in figures)
        print(line.format(f"Table 2 as printed, {way}", *texts))
    imputed = edited_centres.distances_of_imputed_centres().mean(axis=0)
    print(line.format("Table 2, edit-imputed", *(f"{value:.4f}" for value in imputed)))
    print("  by Kim et al. (2015), mean of 20 copies: it redraws about one value of")
    print("  each record that breaks the rule, as if few values were grossly wrong.")
    print("\nCentres of Table 2, printed beside ours. With the rule, the printed ones")
    print("are those without it moved onto the rule once; ours are sought under it.\n")
    line = "{:8}" + " {:>9}" * 6
    print(line.format("rule", *2 * ("v1", "v2", "v3")))
    printed_centres = edited_centres.PRINTED_NOISY[1.5]
    for way, place, figures in (("without", 0, fits.free), ("with", 1, fits.ruled)):
        for both, fit in zip(printed_centres, figures, strict=True):
            print(line.format(way, *(f"{value:.4f}" for value in (*both[place], *fit))))


def _row_content(row: ComparisonRow) -> dict[str, object]:
    return asdict(row) | {
        "difference": row.relative_difference,
        "printed_excess": row.printed_excess,
        "verdict": row.verdict_text,
        "attributes": row.basis.to_message,
        "reason": row.difference_reason,
    }
