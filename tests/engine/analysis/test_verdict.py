"""The verdict is never greener than its worst line, and red where it has to be."""

import dataclasses
import io
from collections import Counter
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.analysis.attacks import AttackResult
from engine.analysis.verdict import (
    Improvement,
    Verdict,
    VerdictLine,
    verdict_with_acceptance_reasons,
)
from engine.analysis.verdict.disclosure import (
    LEARNING,
    LINKING,
    run_verdict_attacks,
)
from engine.analysis.verdict.judge_release import (
    judge_by_attacks,
    judge_release,
    lines_awaiting_attacks,
)
from engine.core.message import Message
from engine.data.table import Table
from engine.files import read_table
from engine.pipeline.evaluate import evaluate
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.run import run

N = 200
RNG = np.random.default_rng(1)
FRAME = pd.DataFrame(
    {
        "name": [f"Maria Lopez {i}" for i in range(N)],
        "age": RNG.integers(18, 90, N),
        "height": RNG.normal(170, 10, N).round(1),
        "region": RNG.choice(list("abc"), N),
        "salary": RNG.lognormal(10, 1, N).round(2),
    }
)


def outcome_of(**choices: object) -> tuple[Outcome, Verdict]:
    table = read_table(FRAME)
    base: dict[str, object] = {
        "k": 5,
        "quasi_identifiers": ("age", "height"),
        "identifiers": ("name", "region", "salary"),
        "confidential": (),
        "person": "none",
    }
    outcome = run(Plan(**{**base, **choices}), table)
    return outcome, judge_release(outcome, table, shuffled=True)


def test_a_file_whose_columns_are_all_protected_is_green() -> None:
    table = read_table(FRAME[["name", "age", "height"]])
    plan = Plan(k=5, quasi_identifiers=("age", "height"), identifiers=("name",))
    assert judge_release(run(plan, table), table, shuffled=True).colour == "green"
    # That nobody counts people is never green.
    assert outcome_of()[1].colour == "amber"


def test_it_is_amber_while_a_column_may_say_who_records_are_about() -> None:
    frame = FRAME[["age", "height"]].assign(
        patient=np.arange(N) // 4, year=2000 + np.arange(N) % 4
    )
    roles = dict.fromkeys(frame, "quasi-identifier")
    table = read_table(frame).assign(roles=roles)
    plan = Plan(k=5, quasi_identifiers=tuple(frame))
    line = judge_release(run(plan, table), table, shuffled=True).line("found")
    assert line.colour == "amber"
    assert line.mend is not None
    assert line.mend.id == "answer"
    assert "'patient'" in str(line.says)


@pytest.mark.parametrize(
    ("knows", "says"),
    [("one", "with those of at least 2 other"), ("all", "everybody has the same set")],
)
def test_what_is_shared_is_said_of_records_or_of_whole_people(
    knows: str, says: str
) -> None:
    frame = pd.DataFrame({"who": np.arange(24) // 4, "age": RNG.integers(18, 90, 24)})
    table = read_table(frame)
    plan = Plan(k=3, quasi_identifiers=("age",), identifiers=("who",), person="who")
    outcome = run(plan.replace(intruder_knows=knows), table)
    line = judge_release(outcome, table, shuffled=True).line("found")
    assert line.colour == "green"
    assert says in str(line.says)


@pytest.mark.parametrize("colours", [("green", "amber"), ("amber", "red"), ("red",)])
def test_the_headline_is_that_of_the_worst_line(colours: tuple[str, ...]) -> None:
    message = Message("x")
    lines = tuple(VerdictLine("found", message, colour, message) for colour in colours)  # type: ignore[arg-type]
    assert Verdict(lines).colour == colours[-1]


def test_a_name_that_leaves_is_red() -> None:
    verdict = outcome_of(identifiers=("region", "salary"))[1]
    line = verdict.line("exact")
    assert line.colour == verdict.colour == "red"
    assert line.mend is not None
    assert line.mend.columns == ("name",)


def test_exact_values_that_single_people_out_are_amber() -> None:
    verdict = outcome_of(identifiers=("name", "region"), confidential=("salary",))[1]
    assert verdict.line("exact").colour == "amber"


def test_exact_values_of_one_person_in_many_records_are_amber() -> None:
    """A value that k records share tells a person apart whose records these are."""
    persons = np.repeat(np.arange(12), 6)
    frame = pd.DataFrame({"age": 20 + persons // 6, "note": persons, "who": persons})
    table = read_table(frame)
    base = Plan(k=3, quasi_identifiers=("age",), identifiers=("who",))
    for person, colour in (("none", "green"), ("who", "amber")):
        outcome = run(base.replace(person=person), table)
        line = judge_release(outcome, table, shuffled=True).line("exact")
        assert line.colour == colour
    assert "with it 12 of 12 people are the only ones" in line.says


def test_digits_that_no_number_holds_do_not_pass_for_equal() -> None:
    rows = [f"{i % 5},{i % 3},{10**18 + i}.5" for i in range(30)]
    text = "\n".join(["a,b,account", *rows]).encode()
    table = read_table(text, name="t.csv")
    assert table.frame["account"].nunique() == 1
    plan = Plan(k=3, method="mdav", quasi_identifiers=("a", "b"), identifiers=())
    outcome = run(plan, table)
    line = judge_release(outcome, table, attack_results=()).line("exact")
    assert line.colour == "amber"
    assert line.mend is not None
    assert line.mend.columns == ("account",)
    assert any("more digits than are compared" in str(x) for x in outcome.warnings)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize("step", ["0.50", "1000.50"])
def test_records_are_counted_exactly_where_no_two_values_are_one_number(
    suffix: str, step: str
) -> None:
    """Near 10^17 they hold those that are 16 apart."""
    exact = [10**17 + Decimal(step) * (i // 3 + 1) for i in range(30)]
    is_told_apart = step == "1000.50"
    if is_told_apart:
        exact[7] += 10**6  # the only one of its kind
    groups = [i % 5 for i in range(30)]
    stream = io.BytesIO()
    if suffix == ".parquet":
        columns = {"a": groups, "account": pa.array(exact, pa.decimal128(30, 2))}
        pq.write_table(pa.table(columns), stream)
    else:
        rows = (f"{a},{x}\n" for a, x in zip(groups, exact, strict=True))
        stream.write("".join(["a,account\n", *rows]).encode())
    table = read_table(stream.getvalue(), name=f"t{suffix}")
    assert table.frame["account"].dtype == np.float64
    plan = Plan(k=2, method="mdav", quasi_identifiers=("a",), identifiers=())
    outcome = run(plan, table)
    assert outcome.uniqueness is not None
    warned = any("more digits than are compared" in str(x) for x in outcome.warnings)
    assert warned is not is_told_apart
    classes = Counter(zip(outcome.release.frame["a"], exact, strict=True))
    n_unique = sum(n == 1 for n in classes.values())
    assert (outcome.uniqueness.unique == n_unique) is is_told_apart


def with_disease(disease: np.ndarray) -> tuple[Outcome, Table]:
    table = read_table(FRAME.assign(disease=disease))
    plan = Plan(
        k=5,
        quasi_identifiers=("height",),
        identifiers=("name", "region", "salary", "age"),
        confidential=("disease",),
        person="none",
    )
    return run(plan, table), table


@pytest.mark.parametrize(
    ("rate", "control", "colour"),
    [(0.9, 0.3, "red"), (0.9, 0.9, "green"), (0.2, 0.0, "green"), (0.35, 0.3, "green")],
)
def test_confidential_values_that_are_learned_are_red(
    rate: float, control: float, colour: str
) -> None:
    """By an attack that beats guessing, and what a file without the person tells."""
    outcome, table = with_disease(np.where(FRAME["age"] > 50, "x", "y"))
    result = AttackResult("attribute-inference", rate, N, control, control_attempts=N)
    line = judge_release(outcome, table, attack_results=[result], shuffled=True).line(
        "guessed"
    )
    assert line.colour == colour
    assert (line.mend is not None) == (colour == "red")


def test_what_is_guessed_is_named_with_the_figures_that_inspect_shows() -> None:
    diseases = np.where(FRAME["age"] > 50, "x", "y")
    table = read_table(FRAME.assign(disease=diseases, wage=RNG.permutation(N)))
    outcome = run(
        Plan(
            k=5,
            quasi_identifiers=("age", "height"),
            confidential=("wage", "disease"),
        ),
        table,
    )
    [attack] = [
        verdict_attack
        for verdict_attack in run_verdict_attacks(outcome, table)
        if verdict_attack.attack == "attribute-inference"
    ]
    says = judge_release(outcome, table, shuffled=True).line("guessed").says
    rate = f"{100 * attack.rate:.0f}"
    assert f"{attack.column!r} is guessed right for {rate} in 100 people" in says
    [measured] = evaluate(outcome, table, ["attribute-disclosure"]).values()
    assert measured.value == measured.per_column["disease"]
    assert f"'disease' right {measured.value:.0f} in 100 times" in says


@pytest.mark.parametrize(
    "choices",
    [
        {},
        {"person": "each"},
        {
            "person": "each",
            "confidential": ("salary",),
            "identifiers": ("name", "region"),
        },
        {"person": "each", "method": "fuzzy"},
        {
            "person": "each",
            "confidential": ("region",),
            "identifiers": ("name", "salary"),
            "k": 40,
        },
    ],
    ids=["nobody", "records", "confidential", "fuzzy", "guessed"],
)
def test_attacks_change_no_line_but_those_that_wait_for_them(
    choices: dict[str, object],
) -> None:
    outcome, table = outcome_of(**choices)[0], read_table(FRAME)
    early = judge_release(outcome, table, attack_results=(), shuffled=True)
    waiting = lines_awaiting_attacks(early)
    for rate in (0.0, 1.0):
        results = [
            AttackResult(name, rate, N, 0.0, np.arange(0), control_attempts=N)
            for name in (*LINKING, *LEARNING)
        ]
        judged = judge_release(outcome, table, attack_results=results, shuffled=True)
        assert judge_by_attacks(early, outcome, table, results) == judged
        changed = {
            a.id for a, b in zip(early.lines, judged.lines, strict=True) if a != b
        }
        assert changed == waiting


def test_what_a_file_without_somebody_tells_as_well_is_not_learned() -> None:
    """All of a group share a value: the others of it tell that without the person."""
    outcome, table = with_disease(np.array(["x"] * N))
    shared = np.array(list("uvw"))[outcome.partition.labels % 3]
    same = read_table(table.frame.assign(disease=shared))
    frame = outcome.release.frame.assign(disease=shared)
    release = dataclasses.replace(outcome.release, frame=frame)
    changed = dataclasses.replace(outcome, release=release)
    [attack_result] = [
        verdict_attack
        for verdict_attack in run_verdict_attacks(changed, same)
        if verdict_attack.control > 0.5
    ]
    assert attack_result.rate == pytest.approx(attack_result.control)
    assert judge_release(changed, same, shuffled=True).line("guessed").colour == "green"


def test_an_amber_line_is_left_so_with_a_reason_and_a_red_one_is_not() -> None:
    message = Message("x")
    lines = (
        VerdictLine("found", message, "red", message, Improvement("larger-k", message)),
        VerdictLine(
            "left-out", message, "amber", message, Improvement("shuffle", message)
        ),
    )
    accepted_verdict = verdict_with_acceptance_reasons(
        Verdict(lines), {"found": "no", "left-out": " agreed "}
    )
    assert [line.reason for line in accepted_verdict.lines] == ["", "agreed"]
    assert [line.is_open for line in accepted_verdict.lines] == [True, False]
    amber = verdict_with_acceptance_reasons(Verdict(lines[1:]), {"left-out": "agreed"})
    assert amber.colour == "amber"
    assert "left it so" in amber.headline
    assert amber.summary()["lines"][0]["reason"] == "agreed"


def test_more_loss_than_is_allowed_is_red_and_names_columns() -> None:
    table = read_table(FRAME)
    outcome, _ = outcome_of(k=40)
    line = judge_release(outcome, table, shuffled=True, max_loss=5.0).line("useful")
    assert line.colour == "red"
    assert line.mend is not None
    third = max(1, len(outcome.plan.quasi_identifiers) // 3)
    assert 1 <= len(line.mend.columns) <= third


@pytest.mark.parametrize("follows", [{}, {"age": "height"}])
def test_a_turned_correlation_names_a_column_that_may_be_left_out(
    follows: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is named can be left out: one that leads the others is left."""
    monkeypatch.setattr(
        "engine.analysis.verdict.usefulness.reversed_correlations",
        lambda *_: (("age", "height"),),
    )
    weights = dict.fromkeys(follows, 0.0)
    _, verdict = outcome_of(follows=follows, attribute_weights=weights)
    line = verdict.line("useful")
    assert line.colour == "amber"
    assert line.mend is not None
    (column,) = line.mend.columns
    assert column in ({*follows} or {"age", "height"})
    assert f"Leave out {column!r}" in str(line.mend.says)


def test_the_order_of_the_file_is_amber() -> None:
    outcome, _ = outcome_of()
    table = read_table(FRAME)
    assert (
        judge_release(outcome, table, shuffled=False).line("left-out").colour == "amber"
    )


def test_what_is_accepted_stays_red() -> None:
    table = read_table(FRAME)
    outcome, _ = outcome_of(k=40)
    verdict = judge_release(
        outcome, table, shuffled=True, max_loss=1.0, acceptance_reason="for a test"
    )
    assert verdict.colour == "red"
    assert verdict.summary()["accepted"] == "for a test"
    rest = judge_release(outcome, table, max_loss=100.0, acceptance_reason="for a test")
    assert (rest.colour, rest.accepted) == ("amber", "")


def test_who_is_not_alone_but_among_too_few_is_counted() -> None:
    frame = pd.DataFrame({"age": np.repeat(np.arange(20, 60), 5), "height": 170.0})
    frame["region"] = np.tile(["a", "a", "b", "b", "b"], 40)
    table = read_table(frame)
    plan = Plan(k=5, quasi_identifiers=("age", "height"), method="md", person="none")
    line = judge_release(run(plan, table), table, shuffled=True).line("exact")
    assert line.colour == "amber"
    assert str(line.says) == (
        "'region' leaves as it is: with it 200 of 200 records share their values "
        "with fewer than 4 others."
    )


def test_ends_of_released_intervals_are_not_exact() -> None:
    table = read_table(FRAME[["age", "height"]])
    plan = Plan(
        k=5,
        quasi_identifiers=("age", "height"),
        aggregations={"height": "interval"},
        interval_columns=True,
    )
    line = judge_release(run(plan, table), table, shuffled=True).line("exact")
    assert str(line.says) == "No: every column that leaves was protected."


@pytest.mark.parametrize("k", [5, 10])
def test_records_of_few_full_names_are_never_green_unless_people_count(k: int) -> None:
    """Also where k people cannot be had: a group may be of one of them."""
    first = ("Anna", "Peter", "Juan", "Maria", "John", "Emily", "Wei", "Olga")
    last = ("Schmidt", "Meier", "Lopez", "Rossi", "Smith", "Clark", "Zhang", "Petrova")
    names = [
        f"{first_name} {other}" for first_name, other in zip(first, last, strict=True)
    ]
    frame = FRAME[["age", "height"]].assign(v1=RNG.choice(names, N))
    table = read_table(frame)
    quasi = ("age", "height")
    plan = Plan(k=k, quasi_identifiers=quasi, identifiers=("v1",), person="each")
    line = judge_release(run(plan, table), table, shuffled=True).line("found")
    assert line.colour == "amber"
    assert "'v1' has 8 values" in line.says
    physicians = read_table(frame.rename(columns={"v1": "physician"}))
    plan = plan.replace(identifiers=("physician",))
    judged = judge_release(run(plan, physicians), physicians, shuffled=True)
    assert judged.line("found").colour == "green"
