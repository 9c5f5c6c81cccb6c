"""Projects and plans that are carried from one version to another."""

import json
import random
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from dashboard.projects import archive
from dashboard.projects.project import project_to_bytes
from dashboard.projects.reader import read_project
from dashboard.projects.resume import copy_with_project
from dashboard.state.results.job_results import copy_with_restored_results
from dashboard.state.results.requested import requested_outcomes
from dashboard.state.shared_choices import SHARED_CHOICES
from dashboard.state.workspace import Workspace
from engine.core.errors import EngineError
from engine.pipeline.plan import Plan
from tests.dashboard.projects.firms import UPLOAD, opened
from tests.dashboard.projects.opening import refused
from tests.dashboard.runs import ran
from tests.fuzz.calls import call, refusal

DEFAULTS = {
    name: Plan.model_fields[name].get_default(call_default_factory=True)
    for name in SHARED_CHOICES
}

CHOICES: dict[str, list[Any]] = {
    "sizes": [(3,), (3, 5), (4,)],
    "methods": [("mdav",), ("vmdav", "mdav"), ("kaca",)],
    "scaling": ["zscore", "range", "none"],
    "aggregation": ["auto", "median", "interval"],
    "rounding": ["types", "precision", "none"],
    "strata": [None, "region"],
    "missing": ["refuse", "drop", "keep"],
    "seed": [0, 7],
    "p_sensitive": [0, 2],
    "polish": [False, True],
    "suppress": [0.0, 2.0],
    "attribute_weights": [{}, {"sales": 4.0}],
}


def try_project(seed: int) -> str:
    """Carry work to a later version, from an earlier one, and from one to come."""
    rng = random.Random(seed)
    ws = opened(**{name: rng.choice(values) for name, values in CHOICES.items()})
    try:
        ws = ran(ws)
    except EngineError as error:
        return str(error.message.template)
    whole = project_to_bytes(ws, "Spring", with_data=True)
    restored_workspace = copy_with_restored_results(
        copy_with_project(Workspace(), read_project(whole))
    )
    assert project_to_bytes(restored_workspace, "Spring", with_data=True) == whole
    for outcome, other in zip(
        requested_outcomes(restored_workspace), requested_outcomes(ws), strict=True
    ):
        assert outcome.release.frame.equals(other.release.frame)
        assert outcome.summary() == other.summary()
    parts = dict(archive.unpack_archive(whole))
    manifest = json.loads(parts["manifest.json"])
    # An earlier version had no choice that stands as it is when nobody chooses.
    choices = manifest["current"]["choices"]
    unsaid = [name for name in SHARED_CHOICES if choices[name] == DEFAULTS[name]]
    for name in rng.sample(unsaid, rng.randint(1, len(unsaid))):
        for part in (
            manifest["current"],
            *(run["snapshot"] for run in manifest["runs"]),
        ):
            if part["choices"][name] == DEFAULTS[name]:
                del part["choices"][name]
    manifest["coterie"] = "0.0.9"
    older = archive.pack_archive({**parts, "manifest.json": text_of(manifest)})
    restored_workspace = copy_with_restored_results(
        copy_with_project(Workspace(), read_project(older))
    )
    assert project_to_bytes(restored_workspace, "Spring", with_data=True) == whole
    strange = {**json.loads(parts["manifest.json"]), "more": 1}
    newer = {**strange, "version": 2, "coterie": "99.0.0"}
    for content in (newer, strange):
        wrong = archive.pack_archive({**parts, "manifest.json": text_of(content)})
        assert ("newer" in refused(wrong)) == (content is newer)
    return carry_plan(rng, replace(ws, runs=()))


def text_of(content: dict[str, Any]) -> bytes:
    """Return JSON as projects hold it."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()


def carry_plan(rng: random.Random, ws: Workspace) -> str:
    """Run a plan of an earlier version, which knows fewer choices, and of a later."""
    outcomes = [*requested_outcomes(ws)]
    if not outcomes:
        return "no result"
    plan = json.loads(rng.choice(outcomes).plan.to_json())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "firms.csv").write_bytes(UPLOAD.content)
        unsaid = [x for x in DEFAULTS if plan.get(x) == DEFAULTS[x]]
        fewer = dict(plan)
        for x in rng.sample(unsaid, rng.randint(1, len(unsaid))):
            del fewer[x]
        releases = []
        for i, content in enumerate((plan, fewer)):
            (folder / "p.json").write_bytes(text_of(content))
            words = ["run", str(folder / "firms.csv"), "--plan", str(folder / "p.json")]
            words += ["--output", str(folder / f"{i}.csv")]
            code, _, error = call(words, folder)
            if code:
                return refusal(error)
            releases.append((folder / f"{i}.csv").read_bytes())
        assert releases[0] == releases[1], "a plan of fewer choices"
        (folder / "p.json").write_bytes(text_of(plan | {"of a later version": 1}))
        assert call(words, folder)[0] == 2
    return ""
