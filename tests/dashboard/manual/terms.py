"""Terms of the code: each with the object whose docstring's first line defines it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.dashboard.manual.reference import as_markdown, constant, first_sentence

TERMS: dict[str, dict[str, str]] = {
    "Records and tables": {
        "table": "engine.data.table:Table",
        "schema": "engine.data.schema:Schema",
        "column": "engine.data.schema:Column",
        "origin": "engine.data.table:Origin",
        "fingerprint": "engine.data.table:frame_fingerprint",
        "source file": "engine.data.source_file:SourceFile",
        "missing policy": "engine.data.kinds:MissingPolicy",
        "missing code": "engine.data.missing_values.missing_codes:MissingCodeEvidence",
        "suggestion": "engine.data.propose:Suggestion",
        "detector": "engine.data.propose.detectors",
        "concept": "engine.data.propose.names:Concept",
        "record condition": "engine.constraints.parsing.condition",
        "edit": "engine.constraints.edits:EditRule",
        "rounding grid": "engine.constraints.exact_rounding.grid:RoundingGrid",
    },
    "Points and groups": {
        "points": "engine.points.base:Points",
        "space": "engine.points.coordinate_space:CoordinateSpace",
        "transform": "engine.points.transforms:FittedTransform",
        "partition": "engine.core.partition:Partition",
        "block of attributes": "engine.pipeline.grouping.strata:BlockStrata",
        "second stage": "engine.methods.two_stages:SecondStage",
        "registry": "engine.core.registry:Registry",
    },
    "Plans and runs": {
        "choice": "engine.pipeline.planning.choices:ChoiceInfo",
        "exclusion": "engine.pipeline.planning.choices:Exclusion",
        "stage": "engine.pipeline.planning.choices:Stage",
        "resolved plan": "engine.pipeline.planning.resolve_plan:ResolvedPlan",
        "preparation": "engine.pipeline.grouping.prepare:PreparedTable",
        "run context": "engine.core.context:RunContext",
        "early stop": "engine.core.context:RunContext.enough",
        "outcome": "engine.pipeline.outcome:Outcome",
        "failure": "engine.pipeline.compare:Failure",
        "score": "engine.measures.base:Score",
        "survival": "engine.pipeline.column_survival:ColumnSurvival",
        "recommendation": "engine.pipeline.planning.recommend:Recommendation",
        "message": "engine.core.message:Message",
        "topic": "engine.core.message:Topic",
    },
    "Loss and bounds": {
        "dual prices": "engine.bounds.base:DualPrices",
        "dual bound": "engine.bounds.linear_programme.pricing:safe_dual_bound",
        "column generation": "engine.bounds.linear_programme.column_generation",
        "master problem": "engine.bounds.linear_programme.master:MasterProblem",
        "pricing": "engine.bounds.linear_programme.pricing:Pricer",
        "reduced cost": "engine.bounds.linear_programme.pricing:PricedGroups",
        "stability centre": (
            "engine.bounds.linear_programme.column_search:StabilityCentre"
        ),
        "separation": "engine.bounds.linear_programme.cuts",
        "cut": "engine.bounds.linear_programme.cuts:PricedCuts",
        "branch and bound": "engine.bounds.linear_programme.branching:BranchAndBound",
        "node": "engine.bounds.linear_programme.branching:BranchNode",
        "strong branching": (
            "engine.bounds.linear_programme.branching:MAX_BRANCHING_CANDIDATES"
        ),
        "warm start": "engine.bounds.linear_programme.explicit_groups:SimplexBasis",
        "proof tree": "engine.certificate.tree:ProofNode",
    },
    "Search": {
        "incumbent": "engine.methods.search.integer_programmes.proof:OptimalityProof",
        "dive": "engine.methods.search.integer_programmes.dive",
        "ruin and rebuild": "engine.kernels.search.iterated",
        "reassignment": "engine.kernels.search.deal",
        "search state": "engine.kernels.search.refine:SearchState",
        "search region": "engine.kernels.search.regions:Regions",
        "search line": "engine.methods.search.integer_programmes.lines:SearchLine",
        "trace": "engine.core.numerics.trace:SearchTrace",
        "turn": "engine.methods.search.integer_programmes.programme:TurnCounter",
        "tabu search": "engine.kernels.bounds.sets",
        "chromosome": "engine.kernels.search.genetic:Population",
    },
    "Search structures and kernels": {
        "kernel": "engine.kernels.compilation._jit:Kernel",
        "k-d tree": "engine.kernels.index.leaves:LeafTree",
        "permutation, offsets": "engine.neighbours.splitting:kd_tree_order",
        "block of records": "engine.kernels.index.blocks:BlockIndex",
        "neighbour lists": "engine.neighbours.neighbour_lists",
        "gather": "engine.kernels.records.coded_records:gather_member_columns",
        "scratch": "engine.kernels.bounds.prices:PricingScratch",
        "random stream": "engine.kernels.records.random_stream",
    },
    "Privacy and attacks": {
        "attack": "engine.analysis.attacks",
        "knowledge": "engine.analysis.attacks.base:Knowledge",
        "control": "engine.analysis.attacks.base:AttackResult",
        "scene": "engine.analysis.attacks.base:AttackScene",
        "linkage": "engine.measures.reidentification.linkage",
        "composition": "engine.analysis.composition",
        "ledger": "engine.analysis.releases.ledger:Ledger",
        "requirements": "engine.pipeline.grouping.merge:Requirements",
        "outlier suppression": "engine.pipeline.grouping.suppress",
        "cell suppression": "engine.pipeline.protection.cells",
        "need": "engine.analysis.need.parsed_need:ParsedNeed",
        "keep": "engine.analysis.need.keeps:Keep",
        "rule set": "engine.analysis.need.rules:RuleSet",
        "trial": "engine.analysis.need.plan_search.trials:Trial",
        "reference point": "engine.analysis.need.answer:ReferencePoint",
    },
    "People": {
        "person": "engine.data.persons",
        "class of persons": "engine.persons.histories:PersonClasses",
        "history of a person": "engine.kernels.persons.matching:Histories",
        "pool": "engine.kernels.persons.pool:Pool",
        "household": "engine.pipeline.grouping.households:HouseholdUnits",
        "person links": "engine.release.links:PersonLinks",
    },
    "Files and formats": {
        "format": "engine.files.base:Format",
        "read options": "engine.files.input.options:ReadOptions",
        "layout": "engine.files.layout:Layout",
        "dialect": "engine.files.text.detect",
        "locale": "engine.files.cells.locale:DecimalAndDateOrder",
        "number format": "engine.data.formats.number_format:NumberFormat",
        "date format": "engine.data.formats.date_format:DateFormat",
        "format question": "engine.data.formats.questions:FormatQuestion",
        "parse": "engine.files.cells.numbers",
        "coerce": "engine.core.parameters:Parameter.check",
        "validate": "engine.pipeline.fields.checks",
        "serialise": "engine.pipeline.plan:Plan.to_json",
        "written release": "engine.release.verify:WrittenRelease",
        "snapshot of an outcome": "engine.storage.snapshot:OutcomeSnapshot",
    },
    "Streaming": {
        "out-of-core job": "engine.streaming.job:OutOfCoreJob",
        "first pass": "engine.streaming.passes.scan:FirstPassResult",
        "split tree": "engine.streaming.blocks.split:SplitTree",
        "spool": "engine.streaming.blocks.spool:LeafSpool",
        "part": "engine.streaming.blocks.protect:ProtectedPart",
        "checkpoint": "engine.streaming.job:OutOfCoreJob.run",
        "bucket": "engine.streaming.passes.persons:PersonBuckets",
        "memory budget": "engine.streaming.memory:MemoryBudget",
    },
    "Server": {
        "place": "dashboard.places.place",
        "door": "dashboard.places.entrance.place_assigner:PlaceAssigner",
        "supervisor": "dashboard.places.supervision.supervisor:Supervisor",
        "proxy": "dashboard.places.proxies:ProxyProgram",
        "takeover, drain": "dashboard.places.supervision.takeover",
        "shared state": "dashboard.places.sharing.shared_state:SharedState",
        "rate limit": "dashboard.places.entrance.sign_in_rate_limit:"
        "RateLimitMiddleware",
        "job": "dashboard.jobs.job:Job",
        "job folder": "dashboard.jobs.workers.folders",
        "worker": "dashboard.jobs.workers.process:WorkerProcess",
        "spare worker": "dashboard.jobs.workers.spare:SpareWorkerHolder",
        "scheduler": "dashboard.jobs.scheduling.scheduler:FairScheduler",
        "dispatch": "dashboard.jobs.scheduling.scheduler:FairScheduler.dispatch",
        "preempt": "dashboard.jobs.job:Job.preempt",
        "starvation": "dashboard.jobs.scheduling.scheduler:MAX_STARVATION_TURNS",
        "queue estimate": "dashboard.jobs.scheduling.scheduler:QueuePlace",
        "speculative": "dashboard.jobs.job_view:JobView.is_speculative",
        "quota": "dashboard.jobs.scheduling.quota:RunQuota",
        "denial reason": "dashboard.jobs.scheduling.quota:RunQuota.denial_reason",
        "reading": "dashboard.readers.reading:FileReadingJob",
        "audit chain": "dashboard.audit.chain",
        "adapter": "dashboard.server.adapter",
    },
    "Pages": {
        "workspace": "dashboard.state.workspace:Workspace",
        "snapshot": "dashboard.state.snapshots.snapshot:Snapshot",
        "history": "dashboard.state.snapshots.snapshot:UndoSnapshots",
        "coalesce": "dashboard.state.snapshots.history:COALESCE_SECONDS",
        "memo": "dashboard.state.caches.memo",
        "cache key": "dashboard.state.caches.memo:memo_key",
        "evict": "dashboard.state.caches.memo:memo_without_oldest_results",
        "session cache": "dashboard.state.caches.session_cache",
        "widget sync": "dashboard.server.adapter.reruns:patch_to_drop_stale_values",
        "preload": "dashboard.places.preload",
        "lazy figure": "dashboard.ui.browser_components.components:LazyFigure",
        "project": "dashboard.projects.project:Project",
        "manifest": "dashboard.projects.manifest:Manifest",
        "table health": "dashboard.ui.table.table_health:TableHealth",
        "remedy": "dashboard.ui.runs.remedies",
    },
}
"""By area, each term and where it is at home: ``module`` or ``module:object``."""


SYNONYMS = {
    "adversary": "intruder",
    "alert": "warning",
    "attacker": "intruder",
    "center": "centre",
    "champion": "incumbent",
    "color": "colour",
    "dataframe": "frame",
    "directory": "folder",
    "epsilon": "tolerance",
    "filepath": "path",
    "hacker": "intruder",
    "mutex": "lock",
    "neighbor": "neighbour",
    "normalize": "normalise",
    "optimize": "optimise",
    "plunge": "dive",
    "profit": "gain",
    "purge": "evict",
    "throttle": "rate limit",
    "revert": "undo",
    "rollback": "undo",
    "serialize": "serialise",
    "shard": "part",
    "standby": "spare",
    "subproblem": "node",
    "toll": "price",
}
"""Words that no name of ours has, and the term that it has instead."""


def define_term(home: str) -> str:
    """Return the first sentence that documents a module or an object in it.

    Parameters
    ----------
    home : str
        ``module``, or ``module:object``, where a point leads to a class's member.
    """
    module, _colon, path = home.partition(":")
    spec = find_spec(module)  # not imported: a supervisor is on POSIX alone
    assert spec is not None
    node: ast.AST = ast.parse(Path(str(spec.origin)).read_text(encoding="utf-8"))
    for name in filter(None, path.split(".")):
        named = {
            getattr(child, "name", ""): child for child in getattr(node, "body", ())
        }
        if name not in named:
            return first_sentence(constant(home)[1])
        node = named[name]
    assert isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
    return as_markdown(first_sentence(ast.get_docstring(node) or ""))


def terms_tables(table: Callable[[Sequence[str], Any], str]) -> str:
    """Return a heading and a table for each area: term, definition and home."""
    return "\n\n".join(
        f"## {area}\n\n"
        + table(
            ("term", "what it is", "at home in"),
            (
                (f"**{term}**", define_term(home), f"`{home.replace(':', '.')}`")
                for term, home in terms.items()
            ),
        )
        for area, terms in TERMS.items()
    )
