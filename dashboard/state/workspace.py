"""The workspace: all choices and findings of one tab, as one frozen object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from dashboard.state.caches.memo import Key, memo_key
from dashboard.state.new_tables import carry_over
from dashboard.state.results.findings import MeasuredTimings, NeedAnswer
from dashboard.state.results.runs import FinishedRun, StartedRun
from dashboard.state.shared_choices import (
    COLUMN_CHOICES,
    SHARED_CHOICES,
    add_fields_shared_by_methods,
    empty_mapping,
    thaw_mappings,
)
from dashboard.state.snapshots.snapshot import TableSource, UndoSnapshots, Upload
from engine.aggregate.defaults import AUTO, low_median_for_rank_columns
from engine.analysis import ModelScores
from engine.analysis.attacks import AttackResult, Knowledge
from engine.analysis.attacks.base import DEFAULT_TARGETS, Exactness
from engine.analysis.curves.suppression_curve import BudgetResult
from engine.analysis.releases.ledger import Ledger
from engine.core.message import Message
from engine.data.propose.persons import propose_person
from engine.data.table import Table
from engine.files.base import STATA_VERSIONS
from engine.methods import methods as all_methods
from engine.methods.default import DEFAULT_NUMERIC_METHODS
from engine.pipeline.compare import Result
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.planning.exclusions import excluded_choices
from engine.pipeline.planning.limits import check_run_count
from engine.pipeline.planning.recommend import MAX_LOSS_PER_CENT
from engine.pipeline.planning.resolve_plan import (
    ResolvedPlan,
    person_conflict,
    resolve_plan,
)
from engine.pipeline.protection.recompute_followers import copy_with_followers
from engine.storage.snapshot import OutcomeSnapshot


@dataclass(frozen=True, eq=False)
@add_fields_shared_by_methods
class Workspace:
    """All choices and findings of one browser tab.

    Attributes
    ----------
    table : Table or None
        Roles and kinds are those of its schema.
    sample : str
        Identifier in :data:`sample_data.SAMPLES`; empty for an upload.
    upload : Upload or None
        The file that the table was read from; None for a sample.
    sizes : tuple of int
        Values of k.
    methods : tuple of str
        Identifiers in :data:`engine.methods.methods`.
    parameters : mapping of str to mapping
        By method; what is left out has its default.
    polish, scaling, aggregation and all others that methods share
        As in :class:`engine.pipeline.plan.Plan`, from whose fields they come; use
        :attr:`shared_plan` to read them. With `polish` each method that allows it runs
        once more. What choices for single columns and `blocks` say of columns
        that are not protected now is kept for when they are, and part of no plan.
    job : str or None
        The run in progress, or the last one; see :mod:`dashboard.jobs.jobs`.
    reading : str or None
        The file that is being read; see :mod:`dashboard.readers.readings`.
    memo : mapping of (fingerprint, digest) to Outcome or Failure
        Use :func:`requested_results`, which leaves out what no longer applies.
    chosen : Plan or None
        The plan whose release is looked at; use
        :func:`selected_or_recommended_outcome`.
    notes : tuple of str
        What the last new table made of earlier choices, in sentences.
    reference : Table or None
        Copy of a reference table, for the published figures; never released.
    reference_job : str or None
        Equal to `job` while that is a run on `reference`.
    analyses : mapping of (Key, str, str) to ModelScores
        By result, target column and model.
    attacks : mapping of (Key, Knowledge) to tuple of AttackResult
        By result and what the intruder knows, the latest one last.
    left_out : mapping of Key to tuple of BudgetResult
        By result, what several budgets for outliers come to.
    ledger : Ledger or None
        The releases of this session, and those of the file that was brought.
    regroup : {"", "same", "coarsen"}
        Whether the groups of an earlier release are released, or unions of them.
    regrouped : mapping of (Key, str) to Outcome
        By result and `regroup`, what was made with such groups.
    known_columns : tuple of str
        Columns that an intruder knows; empty for all that are protected.
    intruder_exactness, intruder_about
        As in :class:`engine.analysis.attacks.Knowledge`.
    timings : mapping of str to MeasuredTimings
        What was timed last against k, records or attributes; under
        :data:`STARTS_TIMING_KEY` means of several starts, as Learn shows them.
    risk_axis, loss_axis : str
        Measures on the axes of the risk-utility map.
    across, up : str
        Attributes along the axes of pictures of groups; empty for components.
    ceilings : mapping of str to float
        By measure, how much risk may be taken at most.
    max_loss : float
        Information loss, per cent, above which a result is not useful.
    asked_loss : float or None
        Information loss, per cent, of which somebody asks whether groups lose less.
    need_said : mapping of str to object
        What is filled into the sentences of the Need page.
    need_answer : NeedAnswer or None
        The last answer to what is needed.
    release_format, shuffle, shuffle_seed, neutralise, stata_version
        As in :class:`engine.release.writing.WritingOptions`.
    overrides, accepted : mapping
        By result and failed checks: why it is to be released all the same, and
        whether that was confirmed.
    pinned : tuple of ResolvedPlan
        Results put side by side, two at most; they stay whatever else is chosen, and
        :func:`results_for_plans` has those that are still known.
    side_by_side : bool
        Whether the Compare page shows the two pinned results alone.
    pointed : str
        What of the chosen result was clicked last: "record", "group" or nothing.
    part : str
        What the Inspect page looks at; empty for its first part.
    record : int
        Row of the table, counted from 1, that is looked at.
    attribute : str
        Attribute whose costliest groups are looked at; empty for all numbers.
    tables_by : str
        Column by whose values tables before and after are made; empty for none.
    groups : mapping of str to int
        By the digest of a plan, the group that is looked at, counted from 1.
    focus : int
        The k that is looked at, if it is among `sizes`; use :attr:`selected_k`.
    automatic : bool
        Whether what takes little time runs without a click.
    stopped : str
        What was running by itself when somebody stopped it or it failed; it does not
        begin again by itself.
    language : str
        One of :data:`dashboard.i18n.language.LANGUAGES`; empty for the browser's.
    history : UndoSnapshots
        Where the choices can go back to.
    runs : tuple of FinishedRun
        Those that are over, the latest one last.
    begun : StartedRun or None
        The run that is not listed yet.
    awaiting : TableSource or None
        The table whose records are asked for; None while there is a table.
    saved_outcomes : mapping of (fingerprint, digest) to OutcomeSnapshot
        Results that come into `memo` when their table is there.
    project : str
        Name of the project; empty before somebody gave it one.
    failed_upload : str or None
        Name of the file that could not be opened, for which the table is set aside;
        empty where nobody knows it. None while the table is in use.
    """

    table: Table | None = None
    sample: str = ""
    upload: Upload | None = None
    sizes: tuple[int, ...] = (3, 5, 10)
    methods: tuple[str, ...] = DEFAULT_NUMERIC_METHODS
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=empty_mapping)
    job: str | None = None
    reading: str | None = None
    memo: Mapping[Key, Result] = field(default_factory=empty_mapping, repr=False)
    chosen: Plan | None = None
    notes: tuple[str, ...] = ()
    reference: Table | None = None
    reference_job: str | None = None
    analyses: Mapping[tuple[Key, str, str], ModelScores] = field(
        default_factory=empty_mapping
    )
    attacks: Mapping[tuple[Key, Knowledge], tuple[AttackResult, ...]] = field(
        default_factory=empty_mapping, repr=False
    )
    left_out: Mapping[Key, tuple[BudgetResult, ...]] = field(
        default_factory=empty_mapping, repr=False
    )
    ledger: Ledger | None = field(default=None, repr=False)
    regroup: str = ""
    regrouped: Mapping[tuple[Key, str], Outcome] = field(
        default_factory=empty_mapping, repr=False
    )
    known_columns: tuple[str, ...] = ()
    intruder_exactness: Exactness = "exact"
    intruder_about: int = DEFAULT_TARGETS
    timings: Mapping[str, MeasuredTimings] = field(
        default_factory=empty_mapping, repr=False
    )
    risk_axis: str = "record-linkage"
    loss_axis: str = "information-loss"
    across: str = ""
    up: str = ""
    ceilings: Mapping[str, float] = field(default_factory=empty_mapping)
    max_loss: float = MAX_LOSS_PER_CENT
    asked_loss: float | None = None
    need_said: Mapping[str, Any] = field(default_factory=empty_mapping)
    need_answer: NeedAnswer | None = field(default=None, repr=False)
    release_format: str = ""
    shuffle: bool = True
    shuffle_seed: int | None = None
    neutralise: bool = True
    stata_version: int = STATA_VERSIONS[-1]
    overrides: Mapping[str, str] = field(default_factory=empty_mapping)
    accepted: Mapping[str, bool] = field(default_factory=empty_mapping)
    pinned: tuple[ResolvedPlan, ...] = ()
    side_by_side: bool = False
    pointed: str = ""
    part: str = ""
    record: int = 1
    attribute: str = ""
    tables_by: str = ""
    groups: Mapping[str, int] = field(default_factory=empty_mapping)
    focus: int = 5
    automatic: bool = True
    stopped: str = ""
    language: str = ""
    history: UndoSnapshots = field(default_factory=UndoSnapshots, repr=False)
    runs: tuple[FinishedRun, ...] = field(default=(), repr=False)
    begun: StartedRun | None = field(default=None, repr=False)
    awaiting: TableSource | None = None
    saved_outcomes: Mapping[Key, OutcomeSnapshot] = field(
        default_factory=empty_mapping, repr=False
    )
    project: str = ""
    failed_upload: str | None = None

    @cached_property
    def requested_plans(self) -> tuple[tuple[ResolvedPlan, Key], ...]:
        """The requested plans, each with its key in `memo`."""
        table = self.table
        if table is None:
            return ()
        check_run_count(len(self.methods), len(self.sizes))
        choices = [
            (name, k, polish)
            for name in dict.fromkeys(map(all_methods.resolve, self.methods))
            for polish in (False, True)[: 2 if self.is_refined(name) else 1]
            for k in dict.fromkeys(self.sizes)
        ]
        cache = self._resolved
        for choice in choices:
            if choice not in cache:
                plan = resolve_plan(make_plan(self, *choice), table)
                cache[choice] = plan, memo_key(table, plan)
        return tuple(cache[choice] for choice in choices)

    @cached_property
    def _resolved(self) -> dict[tuple[str, int, bool], tuple[ResolvedPlan, Key]]:
        """What :attr:`requested_plans` has found, by method, k and polish.

        For all that differ in nothing else; see :func:`reuse_resolved_plans_in_place`.
        """
        return {}

    @property
    def column_choices(self) -> carry_over.ColumnChoices:
        """Choices made column by column, also those that do not apply now."""
        choices = self.shared_plan
        values = {name: getattr(choices, name) for name in COLUMN_CHOICES}
        return carry_over.ColumnChoices(values, choices.blocks)

    @cached_property
    def excluded_choices(self) -> Mapping[str, tuple[str, Message]]:
        """Disabled shared choices, each with the choice that excludes it and why."""
        exclusions = excluded_choices(self.shared_plan)
        return {name: by for name, by in exclusions.items() if name in SHARED_CHOICES}

    @cached_property
    def shared_plan(self) -> Plan:
        """The shared choices as a plan, unvalidated."""
        return Plan.model_construct(
            **{name: getattr(self, name) for name in SHARED_CHOICES}
        )

    @property
    def is_set_aside(self) -> bool:
        """Whether a later upload failed, so that the open table is not released."""
        return self.table is not None and self.failed_upload is not None

    @property
    def selected_k(self) -> int:
        """The chosen k nearest to the k that was last looked at."""
        return min(self.sizes, key=lambda k: (abs(k - self.focus), k), default=0)

    def is_refined(self, name: str) -> bool:
        """Return whether a method's groups will be improved by a local search."""
        return self.shared_plan.polish and all_methods.info(name).can_be_refined


def reuse_resolved_plans_in_place(old: Workspace, new: Workspace) -> Workspace:
    """Share the old resolved plans with the new workspace, if valid; return it.

    Resolving plans takes longer than drawing a chart that has been drawn before.
    """
    same = (getattr(old, name) is getattr(new, name) for name in _RESOLVED_BY)
    if all(same):
        new.__dict__.setdefault("_resolved", old._resolved)
    return new


_RESOLVED_BY = (
    *("table", "parameters"),
    *(name for name in SHARED_CHOICES if name != "polish"),
)
"""Fields that plans depend on, beside methods, k and polish."""


def resolve_plans(ws: Workspace) -> tuple[ResolvedPlan, ...]:
    """Return the requested plans, polished ones too, with all columns resolved.

    Empty while there is no table, method or k.

    Raises
    ------
    EngineError
        One sentence, if a choice is out of range or there is no quasi-identifier.
    """
    return tuple(plan for plan, _key in ws.requested_plans)


def make_plan(ws: Workspace, method: str, k: int, polish: bool = False) -> Plan:
    """Return the plan of one method and k, with the choices that methods share.

    Raises
    ------
    EngineError
    """
    assert ws.table is not None
    columns = ws.column_choices.applicable_to(ws.table)
    choices = {each: thaw_mappings(getattr(ws, each)) for each in SHARED_CHOICES} | {
        "method": method,
        "k": k,
        "parameters": dict(ws.parameters.get(method, {})),
        "polish": polish,
        **{field: dict(values) for field, values in columns.given.items()},
        "blocks": columns.blocks,
    }
    if not ws.sample:
        texts = ws.shared_plan.constraints
        choices["constraints"] = carry_over.rules_for_method(texts, ws.table, method)
    plan = Plan(**choices)
    names = ws.table.schema.quasi_identifiers
    ranks = low_median_aggregations_by_column(ws, ws.table, method, names)
    if ranks:
        plan = plan.replace(aggregations=ranks | dict(plan.aggregations))
    if not plan.follows:
        plan = copy_with_followers(plan, ws.table.schema.followers)
    if plan.person is None:
        proposal = propose_person(ws.table)
        if proposal is not None and proposal.certain and person_conflict(plan) is None:
            return plan.replace(person=proposal.columns)
    return plan


def low_median_aggregations_by_column(
    ws: Workspace, table: Table, method: str, column_names: Sequence[str]
) -> dict[str, str]:
    """Return ``low-median`` for each rank column that would be averaged by default."""
    automatic = ws.shared_plan.aggregation == AUTO
    if not automatic or all_methods.info(method).traits.release != "mean":
        return {}
    kinds = {name: table.schema[name].kind for name in column_names}
    return low_median_for_rank_columns(table, kinds)


def counted_person_columns(ws: Workspace) -> tuple[str, ...]:
    """Return the columns chosen for persons, else those certain to be; or none."""
    person = ws.shared_plan.person
    if person is not None or ws.table is None:
        return person if isinstance(person, tuple) else ()
    proposal = propose_person(ws.table)
    return proposal.columns if proposal is not None and proposal.certain else ()


def copy_with_changes(ws: Workspace, **changes: Any) -> Workspace:
    """Return a workspace with some fields changed, and methods to fit a new table.

    Where the table's roles or kinds change, methods that nobody has chosen follow;
    equal counts are asked for no longer where no whole history is protected.

    Raises
    ------
    TypeError
        If there is no such field: a mistake in the program.
    """
    if "table" in changes and "methods" not in changes:
        methods = carry_over.methods_for_new_table(
            ws.methods, ws.table, changes["table"]
        )
        changes["methods"] = methods
    changed = replace(ws, **changes)
    plan = changed.shared_plan
    if not plan.counts:
        return changed
    is_whole = plan.intruder_knows == "all" and counted_person_columns(changed)
    return changed if is_whole else replace(ws, **changes | {"counts": False})
