"""Choices that nobody needs are refused, in a sentence and at once."""

import json
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from dashboard.projects.archive import pack_archive, unpack_archive
from dashboard.projects.manifest import parse_manifest
from dashboard.projects.project import project_to_bytes
from dashboard.projects.reader import read_project
from dashboard.state.new_tables.new_table import copy_with_sample
from dashboard.state.workspace import Workspace, resolve_plans
from engine.core.errors import EngineError
from engine.methods import methods
from engine.pipeline.plan import Plan

MANY = [f"column {number}" for number in range(100_000)]

PLANS: dict[str, Callable[[], str]] = {
    "seed": lambda: json.dumps({"seed": 10**400}),
    "longer seed": lambda: '{"seed": 1' + "0" * 5_000 + "}",
    "k": lambda: json.dumps({"k": 10**400}),
    "no number": lambda: '{"k": NaN}',
    "columns": lambda: json.dumps({"quasi_identifiers": MANY}),
    "same columns": lambda: json.dumps({"quasi_identifiers": ["a"] * 100_000}),
    "kinds": lambda: json.dumps({"kinds": dict.fromkeys(MANY, "nominal")}),
    "blocks": lambda: json.dumps({"blocks": [[name] for name in MANY]}),
    "rules": lambda: json.dumps({"constraints": ["a >= 0"] * 100_000}),
    "long rule": lambda: json.dumps({"constraints": ["a" * 10**6]}),
    "parameters": lambda: json.dumps({"parameters": dict.fromkeys(MANY, 1)}),
    "tree": lambda: json.dumps(
        {"hierarchies": {"a": [[str(n), "x"] for n in range(600_000)]}}
    ),
    "deep": lambda: '{"parameters": ' + "[" * 1_000_000 + "]" * 1_000_000 + "}",
    "less deep": lambda: '{"parameters": {"a": ' + "[" * 900 + "]" * 900 + "}}",
    "long": lambda: json.dumps({"quasi_identifiers": ["x" * 2**25]}),
    "p": lambda: json.dumps({"p_sensitive": 10**300}),
}


@pytest.mark.parametrize("what", PLANS)
def test_hostile_plans_are_refused_at_once(what: str) -> None:
    text = PLANS[what]()
    started = time.process_time()
    with pytest.raises(EngineError) as refused:
        Plan.from_json(text)
    assert time.process_time() - started < 1.0
    assert len(str(refused.value)) < 1_000
    assert str(refused.value).endswith(".")


@pytest.mark.parametrize(
    "choices",
    [
        {"sizes": tuple(range(2, 100_002))},
        {"methods": tuple(methods), "sizes": tuple(range(2, 102))},
        {"seed": 10**400},
    ],
)
def test_hostile_choices_of_a_page_are_refused_at_once(choices: dict[str, Any]) -> None:
    ws = replace(copy_with_sample(Workspace()), **choices)
    started = time.process_time()
    with pytest.raises(EngineError) as refused:
        resolve_plans(ws)
    assert time.process_time() - started < 1.0
    assert len(str(refused.value)) < 1_000


def _project(change: dict[str, Any], choices: dict[str, Any] | None = None) -> bytes:
    parts = dict(unpack_archive(project_to_bytes(copy_with_sample(Workspace()), "x")))
    manifest = json.loads(parts["manifest.json"])
    manifest |= change
    manifest["current"]["choices"] |= choices or {}
    parts["manifest.json"] = json.dumps(manifest).encode()
    return pack_archive(parts)


def _with_records(n_records: int) -> bytes:
    parts = dict(unpack_archive(project_to_bytes(copy_with_sample(Workspace()), "x")))
    manifest = json.loads(parts["manifest.json"])
    manifest["sources"][0]["n_records"] = n_records
    parts["manifest.json"] = json.dumps(manifest).encode()
    return pack_archive(parts)


PROJECTS = {
    "version": lambda: _project({"version": -1}),
    "records": lambda: _with_records(10**15),
    "seed": lambda: _project({}, {"seed": 10**400}),
    "shuffle": lambda: _project({}, {"shuffle_seed": 10**400}),
    "sizes": lambda: _project({}, {"sizes": list(range(2, 100_002))}),
    "runs": lambda: _project(
        {}, {"methods": list(methods), "sizes": list(range(2, 102))}
    ),
    "plans": lambda: _project({"plans": ["{}"] * 100_000}),
}


def test_the_project_is_fine_otherwise() -> None:
    assert read_project(_project({})).name == "x"
    assert parse_manifest(unpack_archive(_project({}))["manifest.json"]).version == 1


@pytest.mark.parametrize("what", PROJECTS)
def test_hostile_projects_are_refused_at_once(what: str) -> None:
    content = PROJECTS[what]()
    started = time.process_time()
    with pytest.raises(EngineError) as refused:
        read_project(content)
    assert time.process_time() - started < 1.0
    assert str(refused.value).endswith(".")
