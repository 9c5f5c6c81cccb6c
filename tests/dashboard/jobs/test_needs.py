"""A need is answered in a worker, and the answer comes back as it was."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from dashboard.jobs.needs import (
    NeedRequest,
    is_need_job,
    load_need_answer,
    run_need_job,
    write_need_job,
)
from dashboard.jobs.registry import JobRegistry
from engine.core.context import SILENT
from engine.core.errors import ParameterError
from engine.core.message import Message
from engine.pipeline.plan import Plan
from tests.dashboard.jobs.runs import wait
from tests.dashboard.pages import small_table

BASE = Plan(method="mdav", k=2)
REQUEST = NeedRequest(
    ("k >= 4",), ("overlap >= 0.99",), ("linear debt ~ size + sales",), seconds=2.0
)


@pytest.fixture
def registry() -> Iterator[JobRegistry]:
    job_registry = JobRegistry(parallel=1)
    yield job_registry
    job_registry.close()


def test_an_answer_is_read_back_as_it_was(tmp_path: Path) -> None:
    table = small_table()
    write_need_job(REQUEST, BASE, tmp_path)
    assert is_need_job(tmp_path)
    assert load_need_answer(tmp_path, table) is None
    run_need_job(tmp_path, table, SILENT)
    answer = load_need_answer(tmp_path, table)
    assert answer is not None
    assert answer.outcome is not None
    assert answer.outcome.k_released >= 4
    assert isinstance(answer.sentence, Message)
    assert answer.sentence.values["asked"] == "overlap >= 0.99"
    assert answer.tried[0].plan.quasi_identifiers == ("size", "sales")
    assert len(answer.slopes) == 2


def test_a_worker_reads_no_file_that_a_visitor_names(tmp_path: Path) -> None:
    secret = tmp_path / "secret.toml"
    secret.write_text("title = 'what nobody may see'")
    write_need_job(replace(REQUEST, rules=(str(secret),)), BASE, tmp_path)
    with pytest.raises(ParameterError, match="say one of"):
        run_need_job(tmp_path, small_table(), SILENT)


@pytest.mark.slow
def test_a_search_that_is_stopped_answers_with_its_best(registry: JobRegistry) -> None:
    request = replace(REQUEST, seconds=3600.0)
    job = registry.start(small_table(), (BASE,), None, request)
    wait(registry, job, lambda view: view.search is not None)
    registry.request_early_stop(job)
    view = wait(registry, job)
    assert (view.state, view.search) == ("done", None)
    assert view.answer is not None
    assert view.answer.answer in ("found", "nearest")
    assert view.answer.outcome is not None


@pytest.mark.slow
def test_a_worker_answers_and_says_what_is_wrong(registry: JobRegistry) -> None:
    table = small_table()
    view = wait(registry, registry.start(table, (BASE,), None, REQUEST))
    assert view.state == "done"
    assert view.answer is not None
    assert view.answer.answer == "nearest"
    wrong = NeedRequest(("k >= 4",), ("overlap >= 0.9",), ("logit debt ~ size",))
    view = wait(registry, registry.start(table, (BASE,), None, wrong))
    assert (view.state, view.answer) == ("failed", None)
    assert "its response is not 0 or 1" in view.message
