"""Released values are such as the file has: amounts, dates, codes, ends of scales."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import engine
from engine.analysis.protect import decide_all_roles, protect
from engine.analysis.protect.settle import protect_confidential_columns
from engine.core.errors import EngineError
from engine.data.kinds import Kind, Role
from engine.files import read_table
from engine.measures.classes import smallest_class_size
from tests.engine.analysis.protect.cases import RNG, N, people


def test_dates_of_waves_are_those_of_the_file_and_births_may_be_between() -> None:
    frame = people()[["age", "race"]]
    waves = pd.to_datetime(["2017-05-13", "2018-05-12", "2019-05-11"])
    frame["visited"] = RNG.choice(waves, N)
    frame["seen"] = frame["visited"].dt.strftime("%Y-%m-%dT%H:%M:%SZ")
    frame["born"] = pd.Timestamp("1990-01-01") + pd.to_timedelta(9 * np.arange(N), "D")
    release = protect(frame, k=5).release
    for name in ("visited", "seen"):
        assert {*release[name]} <= {*frame[name]}
        assert release[name].nunique() > 1
    assert not {*release["born"]} <= {*frame["born"]}


AMOUNTS = {
    "worth": lambda x: f"${x / 1e3:.1f}M" if x > 1e4 else f"${x:.0f}K",
    "paid": lambda x: f"{x:,.2f} \u20ac".translate(str.maketrans(",.", ".,")),
    "height": lambda x: f"{150 + x % 40:.0f} cm",
    "change": lambda x: f"({x:,.0f})" if x % 3 < 1 else f"{x:,.0f}",
}


def test_amounts_as_text_are_amounts_in_frames_and_files(tmp_path: Path) -> None:
    values = RNG.lognormal(9, 1, N)
    texts = {name: [*map(form, values)] for name, form in AMOUNTS.items()}
    frame = pd.DataFrame({"sex": RNG.choice(["f", "m"], N), **texts})
    path = tmp_path / "firms.csv"
    frame.to_csv(path, index=False, sep="|")
    for protection in (protect(frame, shuffle_seed=1), protect(path, shuffle_seed=1)):
        assert {*AMOUNTS} <= {*protection.outcome.plan.quasi_identifiers}
        for name in AMOUNTS:
            assert protection.outcome.plan.kinds[name] in ("continuous", "ordinal")
    released = protect(frame, shuffle_seed=1).release
    assert released["worth"].str.fullmatch(r"\$\d+(\.\d+)?[KM]").all()
    assert released["paid"].str.fullmatch(r"[\d.]+,\d\d+ \u20ac").all()
    assert released["height"].str.fullmatch(r"\d+(\.\d+)? cm").all()
    assert released["change"].str.contains("(", regex=False).any()


def test_codes_of_missing_amounts_are_no_amounts_and_are_counted() -> None:
    frame = people()
    frame.loc[::40, "age"] = 999
    frame.loc[::15, "income"] = -9
    frame["school"] = RNG.choice(["N", *map(str, range(1, 13))], N)
    frame["children"] = RNG.choice([0, 1, 2, 3, 99], N, p=[0.3, 0.3, 0.2, 0.15, 0.05])
    protection = protect(frame, shuffle_seed=1)
    assert protection.release["age"].max() < 100
    assert protection.release["income"].min() > 0
    if "children" in protection.release:
        assert {*protection.release["children"].dropna()} <= {0, 1, 2, 3}
    code_questions = [
        question for question in protection.questions if "-9" in str(question.asks)
    ]
    count = int((frame == 999).sum().sum() + (frame[["income"]] == -9).sum().sum())
    count += int((frame["children"] == 99).sum())
    assert [f"{count:,}" in str(question.took) for question in code_questions] == [True]
    assert "N" in {*protection.table.frame["school"]}


def test_a_code_among_codes_is_one_of_them() -> None:
    frame = people()
    frame["race"] = frame["race"].replace(9, 99)
    protection = protect(frame, shuffle_seed=1)
    assert 99 in {*protection.release["race"]}


def test_missing_codes_of_a_confidential_column_are_read_if_it_is_protected() -> None:
    rng = np.random.default_rng(6)
    ward, more = rng.integers(0, 6, 1200), rng.choice([0, 10, 20, 30], 1200)
    wage = np.where(rng.random(1200) < 0.03, -9, 1000 * (ward + 1) + more)
    frame = pd.DataFrame({"age": rng.integers(18, 80, 1200), "salary": wage})
    role_decisions = decide_all_roles(read_table(frame), 5)
    assert role_decisions.table.schema["salary"].role is Role.CONFIDENTIAL
    assert (role_decisions.table.frame["salary"] == -9).any()  # it leaves as it is
    guessed = protect_confidential_columns(role_decisions, ["salary"], "guessed", 5)
    assert (guessed.table.frame["salary"].isna() == (wage == -9)).all()
    (code_question,) = (
        question for question in guessed.questions if question.about == "read-codes"
    )
    assert code_question.columns == ("salary",)
    protected = protect(frame.assign(band=pd.Series(ward).map("band {}".format)), k=5)
    assert {"salary", "band"} <= {*protected.plan.quasi_identifiers}
    assert protected.release["salary"].dropna().between(1000, 6030).all()


@pytest.mark.parametrize("end", [np.inf, -np.inf, 1.7e308])
def test_a_scale_without_end_keeps_it_and_nothing_is_made_up(
    end: float, tmp_path: Path
) -> None:
    rng = np.random.default_rng(7)
    upto = rng.choice([5.0, 10.0, 20.0, end], N)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, N),
            "upto": upto,
            "ratio": np.where(upto == end, end, rng.lognormal(0, 1, N).round(3)),
            "all": end,
        }
    )
    path = tmp_path / "ends.csv"
    frame.to_csv(path, index=False)
    for protection in (protect(frame, k=5), protect(path, k=5)):
        assert {"upto", "ratio"} <= {*protection.outcome.plan.quasi_identifiers}
        for name in ("upto", "ratio"):
            assert end in {*protection.release[name]} <= {*frame[name]}
        ratio_questions = [
            question for question in protection.questions if "ratio" in question.columns
        ]
        assert [*map(str, (question.took for question in ratio_questions))] == [
            "Kept as its end: nothing that the file does not have is made up."
        ]
        classes = [*protection.outcome.plan.quasi_identifiers]
        assert smallest_class_size(protection.release, classes) >= 5
    # Who names the columns of a run is exact about them.
    table = read_table(path)
    named = engine.Plan(k=5, quasi_identifiers=("age", "ratio"))
    with pytest.raises(EngineError, match=r"'ratio' (has|holds)"):
        engine.run(named, table)
    ordinal = named.replace(kinds={"ratio": Kind.ORDINAL})
    assert end in {*engine.run(ordinal, table).release.frame["ratio"]}
