"""What cannot be kept block by block is refused in one sentence, with nothing read."""

from pathlib import Path
from typing import Annotated, Any

import pyarrow as pa
import pytest

from engine import Plan
from engine.core.errors import EngineError, ParameterError
from engine.pipeline.planning.choices import ChoiceInfo, CommandOption
from engine.streaming import choices, run
from engine.streaming.choices import check_streaming_choices

NOWHERE = Path("no such folder/table.parquet")


@pytest.mark.parametrize(
    ("choices", "says"),
    [
        ({"method": "individual-ranking"}, "individual-ranking"),
        ({"method": "fuzzy"}, "fuzzy"),
        ({"method": "iterated"}, "--param iterations"),
        ({"strata": "s"}, "--strata"),
        (
            {"person": ("p",), "intruder_knows": "all", "counts": True},
            "blocks are protected one by one: leave --counts out",
        ),
        ({"blocks": (("a",), ("b",))}, "--block"),
        ({"p_sensitive": 2}, "--p-sensitive"),
        ({"t_close": 0.2}, "--t-close"),
        ({"interval_columns": True}, "--interval-columns"),
        ({"missing": "median"}, "median"),
        ({"missing": "mode"}, "mode"),
        ({"missing": "keep"}, "keep"),
        ({"missing_columns": {"a": "median"}}, "median"),
    ],
    ids=str,
)
def test_each_choice_is_refused_before_anything_is_read(
    choices: dict[str, Any], says: str, tmp_path: Path
) -> None:
    plan = Plan(**{"quasi_identifiers": ("a", "b"), "k": 3} | choices)
    with pytest.raises(ParameterError, match=says) as raised:
        run(plan, NOWHERE, tmp_path / "out")
    text = str(raised.value)
    assert text.startswith("Out of core, ")
    assert text.count(": ") == 1  # what is wrong, and what to do
    assert text.endswith(".")


def test_a_search_by_steps_is_let_through() -> None:
    plan = Plan(method="iterated", parameters={"iterations": 5})
    check_streaming_choices(plan, 100_000)


def test_blocks_must_have_room_for_groups() -> None:
    with pytest.raises(ParameterError, match="--records-per-block 1000"):
        check_streaming_choices(Plan(k=30), 59)
    check_streaming_choices(Plan(k=30), 60)


def test_a_method_for_few_records_needs_small_blocks() -> None:
    with pytest.raises(ParameterError, match=r"--records-per-block (\d+)") as raised:
        check_streaming_choices(Plan(method="k-ward"), 10**6)
    fewer = int(str(raised.value).split("--records-per-block ")[1].split()[0])
    check_streaming_choices(Plan(method="k-ward"), fewer)


def test_a_choice_that_nobody_has_thought_of_here_is_refused() -> None:
    class Wider(Plan):
        colour: Annotated[
            str,
            ChoiceInfo("colour", CommandOption("--colour"), stage="after"),
        ] = "red"

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(choices, "Plan", Wider)
        check_streaming_choices(Wider(), 100_000)
        with pytest.raises(
            ParameterError, match="'colour' is not supported: leave --col"
        ):
            check_streaming_choices(Wider(colour="blue"), 100_000)


def test_columns_are_checked_before_records_are_read(tmp_path: Path) -> None:
    from tests.engine.streaming.tables import people, written

    gone = pa.array([b"x"] * 50)
    table = people(50).append_column("gone", gone)
    path = written(table, tmp_path / "in.parquet")
    for columns, says in (
        (("gone",), "'gone'"),
        (("nobody",), "'nobody'"),
    ):
        with pytest.raises(EngineError, match=says):
            run(Plan(quasi_identifiers=columns), path, tmp_path / "out")
    with pytest.raises(EngineError, match="weigh"):
        run(Plan(quasi_identifiers=("height",), weights="when"), path, tmp_path / "out")
    with pytest.raises(EngineError, match="nobody"):
        run(
            Plan(quasi_identifiers=("height",), constraints=("nobody > 3",)),
            path,
            tmp_path / "out",
        )
    assert list(tmp_path.iterdir()) == [path]
