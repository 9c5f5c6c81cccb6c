"""``coterie attack``: its options, and what releases reveal, alone and together."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.cli.parsing.options import (
    quasi_identifiers_from_options,
    split_names,
    table_from_options,
)
from engine.cli.writing.figures import format_count, to_json_bytes
from engine.core.errors import InputError, ParameterError
from engine.core.message import Message

if TYPE_CHECKING:
    from engine.analysis.attacks import AttackResult, AttackScene
    from engine.analysis.attacks.base import Matching
    from engine.analysis.releases.attacked_release import ReleaseWithOrigins
    from engine.core.typing import Integers
    from engine.data.table import Table


def add_attack_options(parser: argparse.ArgumentParser) -> None:
    """Add to a parser the releases and the options particular to `attack`."""
    parser.add_argument(
        "releases", metavar="RELEASE", type=Path, nargs="+", help="of the same records"
    )
    parser.add_argument(
        "--groups",
        dest="group_files",
        metavar="GROUPS",
        type=Path,
        nargs="+",
        action="extend",
        default=[],
        help="group files, one for each release (default: records with equal values "
        "form a group)",
    )
    parser.add_argument(
        "--match",
        metavar="A,B",
        help="unprotected columns by which records are matched (default: the order of "
        "the records)",
    )
    parser.add_argument(
        "--confidential", metavar="S,T", help="columns that somebody wants to learn"
    )
    parser.add_argument(
        "--person",
        metavar="COL[,COL]",
        help="columns of the original that say who a record is about: a match is a "
        "person",
    )
    parser.add_argument(
        "--known",
        metavar="A,B",
        help="columns that an intruder knows (default: all quasi-identifiers)",
    )
    parser.add_argument(
        "--exactness",
        choices=("exact", "rounded", "near"),
        default="exact",
        help="how exactly the intruder knows numbers: exact (default), rounded to two "
        "digits, or near, up to 5 per cent off",
    )
    parser.add_argument(
        "--about",
        type=int,
        metavar="N",
        default=2_000,
        help="largest number of people that an intruder looks for (default 2000)",
    )
    parser.add_argument(
        "--control",
        metavar="FILE",
        type=Path,
        help="records of people who are not in the original file",
    )
    parser.add_argument(
        "--seed", type=int, default=0, help="seed of samples (default 0)"
    )
    parser.add_argument("--json", type=Path, help="write the figures here")


def merge_group_file_options(arguments: Sequence[str]) -> list[str]:
    """Return the words of `attack` with any group files behind a single ``--groups``.

    One file for each release may follow each ``--groups``, or all of them one; they may
    stand before FILE and the releases. There are as many as releases, so that what
    follows is told apart by counting.

    Parameters
    ----------
    arguments : sequence of str
        What stands behind the program's name, ``attack`` first.
    """
    lists: list[list[str]] = []
    files, options, rest = list[str](), list[str](), iter(arguments[1:])
    target = files
    for word in rest:
        name, _, value = word.partition("=")
        if len(name) > 2 and "--groups".startswith(name):
            target = [value] if value else []
            lists.append(target)
        elif word == "--":
            files += rest
        elif word.startswith("-") and word != "-":
            options.append(word)
            takes_a_value = word not in FLAGS and "=" not in word
            options += [next(rest, "")] if takes_a_value else []
            target = files
        else:
            target.append(word)
    total = len(files) + sum(map(len, lists))
    n_releases = (total - 1) // 2
    is_uneven = total % 2 == 0  # not one for each release, as will be said
    whole = sum(map(len, lists)) == n_releases or (is_uneven and len(files) > 1)
    if whole or not lists:
        group_lists = lists
    elif is_uneven or len(lists) == n_releases:
        group_lists = [each[:1] for each in lists]
    else:
        group_lists = [lists[0][: max(1, n_releases - len(lists) + 1)]]
        group_lists += [each[:1] for each in lists[1:]]
    for each, names in zip(lists, group_lists, strict=True):
        files += each[len(names) :]
    groups = [name for names in group_lists for name in names]
    return [
        arguments[0],
        *options,
        *(["--groups", *groups] if lists else []),
        "--",
        *files,
    ]


FLAGS = ("--all-numeric", "--number-names", "-h", "--help")
"""Options of the command that take no value."""


def execute_attack(options: argparse.Namespace) -> int:
    """Attack each release and matched ones together, print findings, and return 0."""
    from engine.analysis.composition.compose import find_jointly_revealed_records
    from engine.release.write import write_all

    if options.about < 1 or options.seed < 0:
        raise ParameterError(
            "--about is {about} and --seed {seed}, but there must be 1 person at least "
            "and a seed of 0 or more.",
            about=options.about,
            seed=options.seed,
        )
    table = table_from_options(options)
    original = table.without_empty_rows()
    columns = quasi_identifiers_from_options(options, original)
    for name in (*columns, *split_names(options.confidential)):
        original.schema[name]  # raises where there is no such column
    releases = _read_releases(options, table)
    scenes = [
        _attack_scene(options, original, release, columns) for release in releases
    ]
    findings = [
        _strongest_per_attack(results)
        for results in zip(*map(_run_attacks, scenes), strict=True)
    ]
    for scene in scenes:
        if scene.matching == "values":
            unclear = (
                Message(
                    "name columns that both keep (--match), or the groups (--groups)"
                )
                if scene.release.groups is None
                else Message(
                    "its groups do not say whose class is whose, so name columns that "
                    "both keep (--match)"
                )
            )
            sentence = Message(
                "{name} seems to be in another order than the original, so that "
                "records do not meet their own: {what}.",
                name=scene.release.name,
                what=unclear,
            )
            print(f"Note: {sentence}", file=sys.stderr)
    matched = [scene.release for scene in scenes if scene.matching != "values"]
    composition = None
    if matched:
        whose = _persons(options, original)
        composition = find_jointly_revealed_records(
            original, matched, columns, persons=whose
        )
    counted = [_count_classes(scene, columns) for scene in scenes]
    for figures in counted:
        print(_describe_classes(figures))
    for figures in findings:
        print(f"{figures['title']}: {figures['verdict']}")
    if composition is not None:
        print(composition.to_message)
    if options.json is not None:
        content = {
            "n_records": original.n_records,
            "quasi_identifiers": list(columns),
            "releases": counted,
            "attacks": findings,
            "composition": composition and composition.summary(),
        }
        write_all({options.json: to_json_bytes(content)})
    return 0


def _describe_classes(counted: dict[str, Any]) -> str:
    """Return the sizes of a release's classes and its uniques in a sentence."""
    noun = ("person", "people") if counted["counted"] == "people" else ("record",)
    are = "is" if counted["unique"] == 1 else "are"
    classes = format_count(counted["n_classes"], "class", "classes")
    smallest = format_count(counted["smallest"], *noun)
    return (
        f"{counted['release']}: {classes} of at least {smallest}; "
        f"{counted['unique']:,} of {counted['n']:,} {are} unique."
    )


def _count_classes(scene: AttackScene, columns: Sequence[str]) -> dict[str, Any]:
    """Return sizes of classes and uniques, for which no order has to be known."""
    from engine.measures.reidentification.uniqueness import count_unique

    names = [name for name in columns if name in scene.release.frame]
    persons = scene.released_persons if scene.matching != "values" else None
    counts = count_unique(scene.release.frame, names, 2, names, persons)
    return {
        "release": scene.release.name,
        "matching": scene.matching,
        "counted": "people" if counts.n_persons else "records",
        "n": counts.n_counted,
        "n_classes": int(scene.release.equivalence_classes(names).max()) + 1,
        "smallest": counts.least,
        "unique": counts.unique,
    }


def _run_attacks(scene: AttackScene) -> list[tuple[str, AttackResult]]:
    from engine.analysis.attacks.run import run_attacks

    return [(scene.release.name, result) for result in run_attacks(scene)]


def _strongest_per_attack(
    results: Sequence[tuple[str, AttackResult]],
) -> dict[str, Any]:
    """Return the release on which an attack gains most, and its rate on each."""

    def gain(named_result: tuple[str, AttackResult]) -> float:
        return (
            named_result[1].rate - named_result[1].control
            if named_result[1].attempts
            else -1.0
        )

    name, worst = max(results, key=gain)
    rates = [
        {"release": each, "rate": result.rate if result.attempts else None}
        for each, result in results
    ]
    return {**worst.summary(), "release": name, "rates": rates}


def _attack_scene(
    options: argparse.Namespace,
    original: Table,
    release: ReleaseWithOrigins,
    columns: Sequence[str],
) -> AttackScene:
    from engine.analysis.attacks import AttackScene, Knowledge
    from engine.analysis.releases.order import matched_release_and_matching
    from engine.analysis.releases.own_groups import (
        foreign_groups_error,
        foreign_groups_reason,
    )

    known_columns = split_names(options.known) or tuple(columns)
    for name in known_columns:
        original.schema[name]
    matching: Matching = "records"
    if not options.match:
        release, matching = matched_release_and_matching(original, release, columns)
    elif reason := foreign_groups_reason(
        original, release, columns, is_same_order=True
    ):
        raise foreign_groups_error(release.name, reason)
    outsiders = None
    if options.control is not None:
        outsiders = table_from_options(options, options.control).without_empty_rows()
        for name in known_columns:
            outsiders.schema[name]
    return AttackScene(
        original,
        release,
        Knowledge(known_columns, options.exactness, options.about),
        split_names(options.confidential),
        outsiders,
        options.seed,
        matching=matching,
        persons=_persons(options, original),
        outside_persons=None if outsiders is None else _persons(options, outsiders),
    )


def _persons(options: argparse.Namespace, original: Table) -> Integers | None:
    """Return the person of each record, where columns say who they are."""
    from engine.data.persons import code_persons

    who = split_names(options.person)
    for name in who:
        original.schema[name]  # raises where there is no such column
    return code_persons(original.frame, who) if who else None


def _read_releases(
    options: argparse.Namespace, original: Table
) -> list[ReleaseWithOrigins]:
    from engine.analysis.releases.attacked_release import match_release_to_original

    files = options.group_files
    if files and len(files) != len(options.releases):
        raise ParameterError(
            "Group files: {groups}; releases: {releases}. Name one group file for each "
            "release, in the same order, or none.",
            groups=len(files),
            releases=len(options.releases),
        )
    releases, names = [], [path.name for path in options.releases]
    for place, path in enumerate(options.releases):
        groups = _read_groups(files[place]) if files else None
        if groups is not None and len(groups) == original.n_records:
            groups = [groups[row] for row in original.record_rows.tolist()]
        table = table_from_options(options, path)
        name = path.name if names.count(path.name) == 1 else path
        match = split_names(options.match)
        records, released = original.without_empty_rows(), table.without_empty_rows()
        releases.append(
            match_release_to_original(records, released, str(name), match, groups)
        )
    return releases


def _read_groups(path: Path) -> list[str | None]:
    """Return each input row's group; None where it has none."""
    import pandas as pd

    from engine.files import read_table

    table = read_table(path)
    if "group" not in table.schema:
        raise InputError(
            "{file} has no column 'group': name a file that coterie run --groups has "
            "written, one row for each record.",
            file=path.name,
        )
    column = table.frame["group"]
    return [None if pd.isna(cell) else str(cell) for cell in column]
