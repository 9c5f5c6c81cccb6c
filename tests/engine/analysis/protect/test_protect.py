"""Protecting without asking: nothing names anybody, nothing is made up, k holds."""

import json

import numpy as np
import pandas as pd
import pytest

from engine.analysis.protect import decide_all_roles, protect
from engine.analysis.protect.rare_values import (
    leave_columns_of_many_categories_undecided,
)
from engine.core.errors import EngineError, InfeasibleError
from engine.data.kinds import Role
from engine.data.propose import suggest_columns
from engine.files import read_table
from engine.measures.classes import smallest_class_size
from tests.engine.analysis.protect.cases import N, people


def test_names_keys_and_free_text_do_not_leave() -> None:
    protection = protect(people())
    assert {"rownames", "name", "notes"} <= {
        omission.column for omission in protection.left_out
    }
    assert not {"rownames", "name", "notes"} & {*protection.release}
    assert all(omission.why for omission in protection.left_out)


def test_codes_are_those_of_the_file_and_k_holds() -> None:
    frame = people()
    protection = protect(frame, k=5)
    for name in ("race", "industry", "disease"):
        assert {*protection.release[name]} <= {*frame[name]}
    names = protection.outcome.plan.quasi_identifiers
    assert smallest_class_size(protection.release, names) >= 5
    assert (
        (protection.release["age"] >= 65) == (protection.release["senior"] == "yes")
    ).all()


def test_gaps_refuse_nothing_and_are_counted() -> None:
    protection = protect(people())
    assert any(warning.topic == "missing" for warning in protection.outcome.warnings)


def test_the_order_is_drawn_and_a_seed_repeats_it() -> None:
    frame = people()
    first, second = protect(frame, shuffle_seed=4), protect(frame, shuffle_seed=4)
    assert first.release.equals(second.release)
    assert first.plan.order_seed == 4
    plain = first.outcome.release.frame.reset_index(drop=True)
    assert not first.release.equals(plain)
    columns = list(plain)
    both = [
        release_frame.sort_values(columns).reset_index(drop=True)
        for release_frame in (plain, first.release)
    ]
    pd.testing.assert_frame_equal(*both)
    assert protect(frame).plan.order_seed != protect(frame).plan.order_seed


def test_two_columns_of_one_name_are_told_apart() -> None:
    frame = people()[["age", "race", "income"]]
    frame.columns = ["a", "race", "a"]
    assert {"a", "a (2)"} <= {*protect(frame).release}


def test_the_summary_is_json_with_all_that_is_promised() -> None:
    content = json.loads(json.dumps(protect(people()).summary()))
    assert {"roles", "left_out", "questions", "verdict", "information_loss"} <= {
        *content
    }
    assert len(content["verdict"]["lines"]) == 5
    for line in content["verdict"]["lines"]:
        assert {"asks", "colour", "says", "mend"} <= {*line}
        assert (line["mend"] is None) == (line["colour"] == "green")


def test_the_verdict_on_a_single_column_that_loses_too_much_names_no_other() -> None:
    share = [(37 * i) % 101 / 101 for i in range(24)]
    party = ["R" if value > 0.5 else "D" for value in share]
    table = pd.DataFrame({"age": [20.0 + 300 * value**9 for value in share]})
    table["district"] = [f"{p}-{i}" for i, p in enumerate(party)]
    verdict = protect(table, k=11).verdict
    (useful,) = [line for line in verdict.lines if line.id == "useful"]
    assert useful.colour == "red"
    assert useful.mend is not None
    assert str(useful.mend.says).startswith("Take a smaller k")


def test_fewer_records_than_k_are_refused() -> None:
    with pytest.raises(InfeasibleError, match="fewer than k"):
        protect(people().head(4))


def test_a_file_of_names_alone_is_refused() -> None:
    with pytest.raises(EngineError, match="Nothing is left to protect"):
        protect(people()[["rownames", "name"]])


def test_every_column_is_decided() -> None:
    role_decisions = decide_all_roles(read_table(people()), 5)
    assert not role_decisions.table.schema.with_role(Role.UNDECIDED)
    assert any("age" not in question.columns for question in role_decisions.questions)


def test_nobody_is_asked_whether_a_postcode_is_a_person() -> None:
    frame = people().drop(columns=["name", "notes"])
    frame["zip_code"] = [f"{100 + j % 60}xx" for j in range(N)]
    assert "zip_code" not in protect(frame).verdict.line("found").says


def test_diagnoses_leave_as_they_are_though_hardly_k_records_share_one() -> None:
    rng = np.random.default_rng(9)
    n = 600
    codes = np.array([f"{a}{i:02d}.{i % 9}" for a in "ABCDEFGHIJKL" for i in range(20)])
    which = np.minimum(rng.geometric(0.02, n) - 1, codes.size - 1)
    frame = pd.DataFrame(
        {
            "born": pd.Timestamp("1950-01-01")
            + pd.to_timedelta(rng.integers(0, 20_000, n), "D"),
            "sex": rng.choice(["f", "m"], n),
            "Hauptdiagnose": codes[which],
            "plain": [code.replace(".", "") for code in codes[which]],
            "in words": [f"disease of the organ {i}, unspecified" for i in which],
        }
    )
    diagnoses = {"Hauptdiagnose", "plain", "in words"}
    done = protect(frame, k=5)
    assert done.outcome.plan.person == "each"
    assert {*done.outcome.plan.confidential} == diagnoses
    assert done.verdict.line("exact").colour == "amber"
    assert {*done.release["Hauptdiagnose"]} == {*frame["Hauptdiagnose"]}
    # the Data page proposes the same
    table = read_table(frame)
    page_table, _ = leave_columns_of_many_categories_undecided(
        table, suggest_columns(frame), 5
    )
    assert {*page_table.schema.with_role(Role.CONFIDENTIAL)} == diagnoses
    # but texts of which most are single ones may name people
    frame["Hauptdiagnose"] = [
        f"{diagnosis} {i}" for i, diagnosis in enumerate(codes[which])
    ]
    frame = frame.drop(columns=["plain", "in words"])
    assert "Hauptdiagnose" not in protect(frame, k=5).release
    table = read_table(frame)
    page_table, _ = leave_columns_of_many_categories_undecided(
        table, suggest_columns(frame), 5
    )
    assert page_table.schema["Hauptdiagnose"].singles_out


def test_roles_that_somebody_stated_are_kept() -> None:
    frame = people()
    stated = {
        "name": "other",
        "age": "identifier",
        "disease": "confidential",
        "race": "quasi-identifier",
    }
    protection = protect(read_table(frame, roles=stated), shuffle_seed=1)
    assert {name: protection.roles[name] for name in stated} == stated
    assert protection.release["name"].nunique() == N  # and that is red, not mended
    assert protection.verdict.line("exact").colour == "red"
    assert [
        omission.why for omission in protection.left_out if omission.column == "age"
    ]
    free = protect(read_table(frame), shuffle_seed=1)
    assert free.roles["name"] == "identifier"
    assert free.roles["age"] == "quasi-identifier"
