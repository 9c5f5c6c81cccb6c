"""k counts persons where a column says who records are about."""

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest

from engine import InfeasibleError, ParameterError, Plan, Table, read_table, run
from engine.core.context import RunContext
from engine.core.errors import Cancelled
from engine.core.partition import Partition
from engine.methods.base import make_method
from engine.pipeline.grouping.bound import lower_bound
from engine.pipeline.grouping.feasibility import check_feasibility
from engine.pipeline.grouping.persons import check_persons_per_group
from engine.pipeline.grouping.prepare import prepare_table
from engine.pipeline.planning.resolve_plan import resolve_plan
from engine.release.verify import release_bytes_and_checks
from engine.report.command_line import command_line
from engine.report.facts import report_facts

QUASI = ("a", "b")


def panel(n_persons: int = 12, each: int = 3, **columns: object) -> Table:
    """Return records of persons, in waves, all persons alike in each wave."""
    wave, person = np.divmod(np.arange(n_persons * each), n_persons)
    frame = pd.DataFrame(
        {"a": 10.0 * wave + person % 2, "b": person % 2 + wave, "id": person}
        | {"wave": wave, **columns}
    )
    return read_table(frame, roles=dict.fromkeys(QUASI, "quasi-identifier"))


def plan(**choices: object) -> Plan:
    return Plan(
        **{"method": "mdav", "k": 3, "quasi_identifiers": QUASI, **choices}  # type: ignore[arg-type]
    )


def test_an_identifier_that_repeats_is_that_of_persons() -> None:
    table = panel(serial=range(36))
    resolved_plan = resolve_plan(plan(identifiers=("serial", "id")), table)
    assert resolved_plan.person == ("id",)
    assert resolve_plan(resolved_plan, table).person == ("id",)
    assert resolve_plan(plan(identifiers=("serial",)), table).person == "each"
    assert (
        resolve_plan(plan(identifiers=("id",), person="none"), table).person == "none"
    )


@pytest.mark.parametrize("method", ["fuzzy", "mdav"])
def test_what_cannot_count_persons_takes_none_by_itself(method: str) -> None:
    household = None if method == "fuzzy" else "id"
    chosen_plan = plan(method=method, identifiers=("id",), household=household)
    assert resolve_plan(chosen_plan, panel()).person == "each"
    with pytest.raises(ParameterError, match="does not go together"):
        resolve_plan(chosen_plan.replace(person="id"), panel())


def test_what_is_released_is_counted_in_persons() -> None:
    outcome = run(plan(identifiers=("id",)), panel())
    summary = outcome.summary()
    assert (summary["person"], summary["n_persons"]) == ("id", 12)
    classes = outcome.release.frame.groupby(list(QUASI), sort=False).ngroup()
    persons = panel().frame["id"].groupby(classes).nunique()
    assert summary["k_persons"] == persons.min() >= 3
    assert any("12 persons of 'id'" in warning for warning in outcome.warnings)


def test_without_several_records_of_anybody_nothing_is_different() -> None:
    table = panel(serial=range(36))
    serial_outcome, unsaid = (
        run(plan(person=person), table) for person in ("serial", None)
    )
    assert serial_outcome.partition.labels.tolist() == unsaid.partition.labels.tolist()
    assert "n_persons" not in serial_outcome.summary()


def test_none_is_said() -> None:
    outcome = run(plan(person="none", identifiers=("id",)), panel())
    assert outcome.summary()["person"] == "none"
    assert "n_persons" not in outcome.summary()
    assert any("No person is counted" in warning for warning in outcome.warnings)


@pytest.mark.parametrize(
    ("choices", "counted"),
    [
        ({}, "5 people"),
        ({"intruder_knows": "all"}, "5 people with all of their records"),
        ({"person": "none"}, "5 records"),
    ],
)
def test_the_report_says_of_what_groups_its_limit_holds(
    choices: dict[str, str], counted: str
) -> None:
    table = panel(30)
    outcome = run(plan(k=5, identifiers=("id",), **choices), table)
    facts = report_facts(outcome, table)
    assert f"groups of at least {counted} can lose" in facts["bound"]["meaning"]


@pytest.mark.parametrize(
    "choices",
    [{}, {"intruder_knows": "all"}, {"intruder_knows": "all", "counts": True}],
    ids=["one", "all", "counts"],
)
def test_the_bound_of_persons_reports_and_is_cancelled_within_a_run(
    choices: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    table, shares = panel(40), list[float]()
    person_plan = resolve_plan(plan(person="id", **choices), table)
    prepared = prepare_table(person_plan, table)
    monkeypatch.setattr("engine.core.context.VALUES_PER_LOOK", 1)
    lower_bound(
        person_plan, prepared, RunContext(lambda share, _: shares.append(share))
    )
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    in_second_half = [share for share in shares if share > 0.5]
    assert len(in_second_half) >= table.n_records
    answers = iter([False] * (len(shares) - 1) + [True])
    with pytest.raises(Cancelled):
        lower_bound(person_plan, prepared, RunContext(cancelled=lambda: next(answers)))


def test_fewer_than_k_persons_are_refused() -> None:
    with pytest.raises(InfeasibleError, match="4 people, k = 5"):
        run(plan(person="id", k=5), panel(4, 9))


def refusals(asked: Plan, table: Table) -> tuple[str, str]:
    """Return why a run refuses a plan, and why it is refused before; "" if not."""
    reasons = []
    resolved = resolve_plan(asked, table)
    lacks = bool(table.frame[list(QUASI)].isna().any(axis=None))
    for refuse in (
        lambda: run(asked, table),
        lambda: check_feasibility(resolved, table, lacks),
    ):
        try:
            refuse()
            reasons.append("")
        except InfeasibleError as error:
            reasons.append(str(error))
    return reasons[0], reasons[1]


@pytest.mark.parametrize("missing", ["keep", "keep-or-fill", "drop", "median"])
@pytest.mark.parametrize("knows", ["one", "all"])
@pytest.mark.parametrize("strata", [None, "half"])
def test_what_a_run_refuses_is_told_before_it(
    missing: str, knows: str, strata: str | None
) -> None:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        n = 48
        frame = pd.DataFrame(rng.integers(0, 4, size=(n, 2)) * 1.0, columns=[*QUASI])
        frame[rng.random((n, 2)) < (0.02, 0.3)] = np.nan
        frame["id"] = rng.integers(0, 12, n)
        frame["half"] = rng.random(n) < 0.3 * (seed % 3)
        table = read_table(frame, roles=dict.fromkeys(QUASI, "quasi-identifier"))
        chosen_plan = plan(
            person="id", missing=missing, intruder_knows=knows, strata=strata
        )
        by_run, before = refusals(chosen_plan, table)
        assert by_run == before


def test_a_stratum_of_fewer_than_k_persons_is_refused_or_merged() -> None:
    region = ["s"] * 6 + ["n"] * 6
    table = panel(12, 1, region=region)
    frame = pd.concat([table.frame] * 3, ignore_index=True)
    frame.loc[frame["region"] == "s", "id"] %= 2
    table = read_table(frame)
    chosen_plan = plan(person="id", strata="region", k=3)
    reasons = refusals(chosen_plan, table)
    assert "records of 2 people" in reasons[0] == reasons[1]
    merged = resolve_plan(chosen_plan.replace(small_strata="merge"), table)
    assert len(prepare_table(merged, table).blocks[0].strata) == 1


def test_a_pattern_of_gaps_needs_k_persons() -> None:
    table = panel()
    frame = table.frame.copy()
    frame.loc[frame["id"] < 2, "b"] = np.nan  # six records of two persons
    table = read_table(frame)
    reasons = refusals(plan(person="id", missing="keep"), table)
    assert "of 2 people" in reasons[0] == reasons[1]
    resolved_plan = resolve_plan(plan(person="id", missing="keep-or-fill"), table)
    assert not prepare_table(resolved_plan, table).points.missing.any()
    counts_records = resolve_plan(plan(person="none", missing="keep-or-fill"), table)
    assert prepare_table(counts_records, table).points.missing.sum() == 6


def test_gaps_alone_refuse_nothing_where_an_intruder_knows_all() -> None:
    rng = np.random.default_rng(4)
    values = rng.normal(size=(2, 120))
    values[rng.random((2, 120)) < 0.15] = np.nan
    frame = pd.DataFrame({"id": np.arange(120) // 4, "a": values[0], "b": values[1]})
    table = read_table(frame, roles=dict.fromkeys(QUASI, "quasi-identifier"))
    chosen_plan = plan(missing="keep-or-fill", person="id", intruder_knows="all")
    released = run(chosen_plan, table).release.frame
    sets: dict[int, set[str]] = {}
    for person, row in zip(
        frame["id"], released[list(QUASI)].itertuples(index=False), strict=True
    ):
        sets.setdefault(person, set()).add(repr(row))
    assert min(Counter(map(frozenset, sets.values())).values()) >= 3


def test_what_is_odd_about_identifiers_is_said() -> None:
    names = [f"p{number % 12}" for number in range(36)]
    names[0], names[1], names[2] = "P0", " ", ""
    table = panel(name=names)
    warning_text = " ".join(
        prepare_table(resolve_plan(plan(person="name"), table), table).warnings
    )
    assert "1 identifier of 'name' equals another one" in warning_text
    assert "records have nothing in 'name'" in warning_text


def test_one_person_with_half_of_the_records_is_said() -> None:
    owner = [0] * 18 + list(range(1, 19))
    resolved_plan = resolve_plan(plan(person="owner", k=2), panel(owner=owner))
    warning_text = " ".join(prepare_table(resolved_plan, panel(owner=owner)).warnings)
    assert "One person has 18 of the 36 records" in warning_text


@pytest.mark.parametrize("knows", ["one", "all"])
def test_numbers_and_texts_written_alike_are_one_person_everywhere(knows: str) -> None:
    ids = [row % 12 if row < 12 else str(row % 12) for row in range(36)]
    mixed, texts = panel(id=pd.Series(ids, dtype=object)), panel(id=list(map(str, ids)))
    chosen_plan = plan(identifiers=("id",), intruder_knows=knows)
    first, second = run(chosen_plan, mixed), run(chosen_plan, texts)
    pd.testing.assert_frame_equal(first.release.frame, second.release.frame)
    assert (first.n_persons, first.k_released) == (12, second.k_released)
    assert release_bytes_and_checks(first, mixed).failed_checks == ()
    at_home = chosen_plan.replace(person="none", household="id", intruder_knows="one")
    mixed_frame, two = (run(at_home, table).release.frame for table in (mixed, texts))
    pd.testing.assert_frame_equal(mixed_frame, two)


def test_groups_by_which_too_few_can_be_meant_are_refused() -> None:
    """Three persons in each group, but nobody with the same set of groups."""
    persons = np.array([0, 1, 2, 0, 1, 3, 0, 2, 3, 1, 2, 3])
    groups = Partition(np.arange(12) // 3, 3)
    for knows in ("one", "all"):
        chosen_plan = plan(identifiers=("id",), intruder_knows=knows)
        resolved = resolve_plan(chosen_plan, panel())
        if knows == "one":
            check_persons_per_group(resolved, persons, groups)
        else:
            with pytest.raises(InfeasibleError, match="can be of 1 person of 'id'"):
                check_persons_per_group(resolved, persons, groups)


def test_a_person_is_no_quasi_identifier() -> None:
    with pytest.raises(ParameterError, match="quasi-identifier too"):
        resolve_plan(plan(quasi_identifiers=("a", "id"), person="id"), panel())
    both = plan(quasi_identifiers=("a", "wave"), person=("wave", "id"))
    assert resolve_plan(both, panel()).person == ("wave", "id")


@pytest.mark.parametrize(
    ("person", "words"),
    [(None, ""), ("id", ""), ("none", "--person none"), (("wave", "id"), "wave,id")],
)
def test_the_command_line_says_what_it_would_not_find(
    person: object, words: str
) -> None:
    table = panel()
    line = command_line(
        resolve_plan(plan(identifiers=("id",), person=person), table), table
    )
    assert words in line
    assert ("--person" in line) == bool(words)


def test_the_k_of_each_block_is_that_of_persons() -> None:
    table = panel(12, 6)
    outcome = run(plan(identifiers=("id",), blocks=(("a",), ("b",))), table)
    block_warning = next(
        str(warning) for warning in outcome.warnings if "grouped apart" in str(warning)
    )
    for name in QUASI:
        fewest = table.frame["id"].groupby(outcome.release.frame[name]).nunique().min()
        assert f"{fewest} for '{name}'" in block_warning


def test_no_weight_marker_or_name_is_called_an_identifier_that_repeats() -> None:
    """A column is called so where it seems to say who records are about."""
    rng = np.random.default_rng(3)
    n = 120
    table = read_table(
        pd.DataFrame(
            {
                "weight": rng.choice(np.round(rng.uniform(0.5, 3.0, 40), 3), n),
                "marker": rng.choice([f"rs{i}" for i in range(8)], n),
                "Name, Vorname": rng.choice([f"Meier{i}, Anna" for i in range(50)], n),
                "a": rng.normal(size=n),
                "b": rng.normal(size=n),
            }
        )
    )
    names = ("weight", "marker", "Name, Vorname")
    chosen = Plan(
        method="mdav", k=3, quasi_identifiers=("a", "b"), identifiers=names
    ).replace(person="each")
    table = table.assign(roles=dict.fromkeys(names, "identifier"))
    messages = [str(warning) for warning in run(chosen, table).warnings]
    assert not any("repeats like" in warning for warning in messages)
    visits = pd.DataFrame(
        {"patient_id": np.arange(n) // 4, "visit": np.arange(n) % 4}
    ).join(table.frame[["a", "b"]])
    messages = [
        str(warning)
        for warning in run(
            chosen.replace(identifiers=("patient_id",)), read_table(visits)
        ).warnings
    ]
    assert any("'patient_id' repeat like" in warning for warning in messages)


@pytest.mark.parametrize("knows", ["one", "all"])
@pytest.mark.parametrize("nobody", [0, 7])
@pytest.mark.parametrize("strata", [None, "wave"])
def test_a_search_by_the_clock_is_repeated_to_the_byte_or_not_at_all(
    knows: str, nobody: int, strata: str | None
) -> None:
    table = panel(16, 3, c=np.random.default_rng(2).integers(0, 5, 48))
    frame = table.frame.assign(id=table.frame["id"].astype(float))
    frame.loc[: nobody - 1, "id"] = np.nan
    table = read_table(frame)
    search_plan = plan(person="id", intruder_knows=knows, strata=strata)
    search_plan = search_plan.replace(
        quasi_identifiers=("a", "b", "c"), method="iterated"
    )
    first = run(search_plan.replace(parameters={"seconds": 0.1}), table)
    repeatable_plan = first.repeatable_plan
    is_one_part = len(first.iterations) == 1 and first.iterations[0] > 0
    assert (repeatable_plan != first.plan) == is_one_part
    assert len(first.iterations) == 1 or strata is not None
    if repeatable_plan != first.plan:
        second = run(repeatable_plan, table)
        pd.testing.assert_frame_equal(second.release.frame, first.release.frame)
        assert second.iterations == first.iterations


def test_blocks_share_the_seconds_of_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds: list[float] = []

    def record(name: str, k: int, parameters: dict[str, Any], seed: int) -> Any:
        seconds.append(parameters["seconds"])
        return make_method(name, k, parameters, seed)

    monkeypatch.setattr("engine.pipeline.grouping.group.make_method", record)
    choices = {"method": "iterated", "parameters": {"seconds": 0.4}}
    run(plan(**choices, identifiers=("id",), blocks=(("a",), ("b",))), panel())
    assert seconds == [0.2, 0.2]
