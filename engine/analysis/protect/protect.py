"""Protection of a table in one call, without asking questions."""

from __future__ import annotations

import dataclasses
import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from engine.aggregate.defaults import low_median_for_rank_columns
from engine.analysis.costly_columns import (
    columns_to_drop_for_loss,
    questionnaire_columns,
)
from engine.analysis.protect.person_columns import reasons_to_leave_out_person
from engine.analysis.protect.rare_values import leaves_though_varied
from engine.analysis.protect.settle import (
    LeftOutColumn,
    SettledTable,
    decide_all_roles,
    leave_out_columns,
    protect_columns_of_rare_values,
    protect_confidential_columns,
)
from engine.analysis.protect.unasked_questions import (
    UnaskedQuestion,
    merge_unasked_questions,
)
from engine.analysis.verdict import Verdict
from engine.analysis.verdict.judge_release import judge_release
from engine.analysis.verdict.usefulness import standard_deviation_ratios
from engine.core.arguments import check_arguments
from engine.core.context import SILENT, RunContext
from engine.core.errors import InfeasibleError, ParameterError
from engine.core.message import Message
from engine.data.formats.display import format_special_columns
from engine.data.kinds import Role
from engine.data.propose.detectors.words import SUBJECT_WORDS, has_numbering_word
from engine.data.propose.names import normalised_words
from engine.data.propose.person_words import EPISODES
from engine.data.propose.persons import (
    MAX_RECORDS_EACH,
    MIN_PERSONS,
    PersonProposal,
    has_unique_person_numbers,
)
from engine.data.schema import COSTLY, Schema
from engine.data.table import Origin, Table
from engine.files import ReadOptions, read_table
from engine.files.input.names import make_column_names_unique
from engine.files.input.reading import convert_text_and_find_formats
from engine.methods.default import default_method
from engine.pipeline.fields.records import EACH_RECORD, NO_PERSON
from engine.pipeline.grouping.persons import too_few_persons_error
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.planning.recommend import (
    DEFAULT_K,
    MAX_LOSS_PER_CENT,
    MIN_SPREAD,
    ranking_loss,
)
from engine.pipeline.protection.recompute_followers import copy_with_followers
from engine.pipeline.run import run
from engine.release.writing import WritingOptions

MAX_DROPPED_SHARES = (0.1, 0.2, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95)
"""Shares of the columns that may be left out in all, run by run, for the others' sake.

Of a questionnaire of a hundred items few can be released together.
"""

MAX_POLISHED_RECORDS = 12_000
"""Records up to which groups are polished: it takes seconds.

Not of people, whose groups are searched for: four times the steps gain 0.4 % at most.
"""

MAX_SEED = 2**31
"""Above every seed that is drawn for the order."""


IntruderKnows = Literal["one", "all"]
"""How many records of a person an intruder knows."""


@dataclass(frozen=True)
class PersonChoice:
    """Who records are about, by columns or not, and how many of each intruders know.

    Attributes
    ----------
    person : str or tuple of str
        Columns that say it, or :data:`EACH_RECORD` or :data:`NO_PERSON`.
    intruder_knows : {"one", "all"}
    counts : bool
        Whether they also know how often each is there.
    """

    person: str | tuple[str, ...] = EACH_RECORD
    intruder_knows: IntruderKnows = "one"
    counts: bool = False


@dataclass(frozen=True, eq=False)
class Protected:
    """A table protected without questions: release, plan, verdict and decisions.

    Attributes
    ----------
    release : pandas.DataFrame
        Released records, in a random order, with a new index. Amounts and dates that
        are text in the source keep their form.
    plan : Plan
        Every choice, including the seed of the random order.
    outcome : Outcome
        With the records in the order of the input.
    verdict : Verdict
    left_out : tuple of LeftOutColumn
        Columns that are removed, and why.
    questions : tuple of UnaskedQuestion
        Questions that the Data page would ask, with the safe answers that were taken.
    table : Table
        The table before protection, with the roles that were decided.
    """

    release: pd.DataFrame
    plan: Plan
    outcome: Outcome
    verdict: Verdict
    left_out: tuple[LeftOutColumn, ...]
    questions: tuple[UnaskedQuestion, ...]
    table: Table

    @property
    def roles(self) -> Mapping[str, str]:
        """The role of each column."""
        return {column.name: str(column.role) for column in self.table.schema.columns}

    @property
    def writing(self) -> WritingOptions:
        """Writing options for the release, in its own order of records."""
        return WritingOptions(shuffle=True, seed=self.plan.order_seed or 0)

    def summary(self) -> dict[str, Any]:
        """Return all figures and decisions as plain values, ready for JSON."""
        return {
            **self.outcome.summary(),
            "roles": dict(self.roles),
            "left_out": [dataclasses.asdict(each) for each in self.left_out],
            "questions": [each.summary() for each in self.questions],
            "verdict": self.verdict.summary(),
        }


@check_arguments
def protect(
    source: str | os.PathLike[str] | pd.DataFrame | Table,
    k: int = DEFAULT_K,
    *,
    options: ReadOptions | None = None,
    person: str | Sequence[str] | None = None,
    intruder_knows: IntruderKnows = "one",
    counts: bool = False,
    max_loss: float = MAX_LOSS_PER_CENT,
    shuffle_seed: int | None = None,
    accept_red: str = "",
    ctx: RunContext = SILENT,
) -> Protected:
    """Protect a table without asking questions; return its release and verdict.

    Every doubt gets the safe answer. Gaps are kept where k allows and filled
    elsewhere; columns with one name are told apart. Columns that cost the others most
    are left out where more than `max_loss` is lost otherwise. Nothing is written.

    Parameters
    ----------
    source : path, pandas.DataFrame or Table
        Roles that :func:`engine.read_table` was given, or that were assigned to a
        table, are kept.
    k : int
        Fewest people in a group.
    options : ReadOptions, optional
        How a file is read.
    person : str or sequence of str, optional
        Columns that say who a record is about, or ``"none"`` to count records; the
        finest identifier whose values repeat unless given.
    intruder_knows : {"one", "all"}
        How many records of a person an intruder knows.
    counts : bool
        With all, whether k people also have each combination of values equally often.
        Records of whoever has more are left out.
    max_loss : float
        Per cent of loss: above it columns are left out, else the verdict is red.
    shuffle_seed : int, optional
        Seed of the order of the records; drawn unless given.
    accept_red : str
        Why the release may leave though its verdict is red.
    ctx : RunContext

    Raises
    ------
    EngineError
        With one sentence that says what to change.
    """
    table = _table(source, options)
    n_records = table.record_rows.size
    if not max_loss >= 0:
        raise ParameterError(
            "The most loss allowed is {max_loss} per cent, but must be 0 or more.",
            max_loss=max_loss,
        )
    if k > n_records:
        raise InfeasibleError(
            "There is {count:,} record, fewer than k = {k}: choose a smaller k or "
            "another file.",
            "There are {count:,} records, fewer than k = {k}: choose a smaller k or "
            "another file.",
            count=n_records,
            k=k,
        )
    settlement = decide_all_roles(table, k, leaves_out_person=person is None)
    person, settlement = _settle_person(person, settlement, k)
    about = PersonChoice(person, intruder_knows, counts)
    seed = secrets.randbelow(MAX_SEED) if shuffle_seed is None else shuffle_seed
    outcome, settlement = _rounds(settlement, k, about, seed, max_loss, ctx)
    final_settlement = _with_last_questions(settlement)
    verdict = _verdict(outcome, final_settlement, max_loss, accept_red, ctx)
    for spares_varied in (True, False):  # what can be guessed is rarely varied
        columns = tuple(
            name
            for name in outcome.plan.confidential
            if name not in settlement.stated
            and not (spares_varied and leaves_though_varied(settlement.table, name, k))
        )
        if verdict.line("guessed").colour != "red" or not columns:
            continue
        settlement = protect_confidential_columns(settlement, columns, "guessed", k)
        outcome, settlement = _rounds(settlement, k, about, seed, max_loss, ctx)
        final_settlement = _with_last_questions(settlement)
        verdict = _verdict(outcome, final_settlement, max_loss, accept_red, ctx)
    settlement = final_settlement
    order = np.random.default_rng(seed).permutation(len(outcome.release.frame))
    release = outcome.release.frame.iloc[order].reset_index(drop=True)
    if table.carried is None:  # a frame, whose texts stay texts
        release = format_special_columns(release, table.origin)
    return Protected(
        release,
        outcome.plan,
        outcome,
        verdict,
        settlement.left_out,
        settlement.questions,
        settlement.table,
    )


def _table(
    source: str | os.PathLike[str] | pd.DataFrame | Table, options: ReadOptions | None
) -> Table:
    if isinstance(source, Table):
        return source
    if isinstance(source, pd.DataFrame):
        names = make_column_names_unique([str(name) for name in source.columns])
        frame, written = convert_text_and_find_formats(
            source.set_axis(names, axis="columns")
        )
        return dataclasses.replace(read_table(frame), origin=Origin("", written))
    options = options or ReadOptions()
    try:
        return read_table(
            source, options=dataclasses.replace(options, number_names=True)
        )
    except ParameterError:  # a format in which names never come twice
        return read_table(source, options=options)


def _settle_person(
    person_columns: str | Sequence[str] | None, settled: SettledTable, k: int
) -> tuple[str | tuple[str, ...], SettledTable]:
    """Return who records are about, and the same table without any part of it.

    Who was said, else what seems to say it: a column whose values repeat as those of
    people do, or the finest of names. In doubt people are counted, unless a number of
    its own marks each record as another person's.
    """
    schema = settled.table.schema
    if person_columns == NO_PERSON:
        return NO_PERSON, settled
    if person_columns is not None:
        named = (
            (person_columns,)
            if isinstance(person_columns, str)
            else tuple(person_columns)
        )
        if not named:
            raise ParameterError(
                "No column is named that says who records are about: name one, or "
                "'none' to count records."
            )
        if set(named) <= {*schema.names}:
            settled = _without_person(settled, named, k)
        return named, settled
    person = settled.person
    if person is None:
        return EACH_RECORD, settled
    if person.n_persons < k:
        words = normalised_words(person.columns[0])
        is_called = bool((SUBJECT_WORDS - EPISODES) & {*words})
        if is_called and (person.occasion or has_numbering_word(words)):
            raise too_few_persons_error(person.n_persons, k, person.columns)
        return EACH_RECORD, settled  # places or sorts rather than people
    if not person.certain and (
        not _is_called_person(person)
        or has_unique_person_numbers(_as_proposed(settled), person.columns)
    ):
        return EACH_RECORD, settled
    settled = _without_person(settled, person.columns, k)
    if not person.certain:
        took = Message("Yes: k counts these people.")
        question = UnaskedQuestion(person.columns, person.question, took, "person")
        questions = (*settled.questions, question)
        settled = dataclasses.replace(settled, questions=questions)
    return person.columns, settled


def _without_person(
    settled: SettledTable, person: tuple[str, ...], k: int
) -> SettledTable:
    """Return the table without the columns that say who records are about.

    What leaves exactly is judged anew, by the people who have each value.
    """
    reasons = reasons_to_leave_out_person(settled.table.schema, person)
    settled = leave_out_columns(settled, reasons)
    return protect_columns_of_rare_values(settled, person, k)


def _is_called_person(proposal: PersonProposal) -> bool:
    """Return whether a name is that of a number, or of many whom records are about."""
    words = normalised_words(proposal.columns[0])
    many = max(MIN_PERSONS, proposal.n_records / MAX_RECORDS_EACH) <= proposal.n_persons
    return has_numbering_word(words) or (many and bool(SUBJECT_WORDS & {*words}))


def _as_proposed(settled: SettledTable) -> Table:
    """Return the table with the roles that were proposed, before any was settled."""
    columns = tuple(suggestion.column for suggestion in settled.proposed.values())
    return dataclasses.replace(settled.table, schema=Schema(columns))


def _verdict(
    outcome: Outcome,
    settled: SettledTable,
    max_loss: float,
    accepted: str,
    ctx: RunContext,
) -> Verdict:
    return judge_release(
        outcome,
        settled.table,
        column_suggestions=settled.proposed,
        left_out={column.column: column.why for column in settled.left_out},
        n_unasked=len(settled.questions),
        shuffled=True,
        max_loss=max_loss,
        acceptance_reason=accepted,
        ctx=ctx,
    )


def plan_for_settled_table(
    settled: SettledTable,
    k: int,
    persons: PersonChoice | None = None,
    shuffle_seed: int | None = None,
) -> Plan:
    """Return the plan that protects a table with all columns decided.

    Parameters
    ----------
    settled : SettledTable
    persons : PersonChoice, optional
        Whom records are about: each about another person unless given.
    shuffle_seed : int, optional
    """
    persons = persons or PersonChoice()
    table = settled.table
    schema = table.schema
    quasi = schema.quasi_identifiers
    kinds = {name: schema[name].kind for name in quasi}
    n = table.record_rows.size
    method = default_method(n)
    has_persons = persons.person not in (EACH_RECORD, NO_PERSON)
    plan = Plan(
        method=method,
        k=k,
        polish=method == "mdav" and not has_persons and n <= MAX_POLISHED_RECORDS,
        quasi_identifiers=quasi,
        identifiers=schema.with_role(Role.IDENTIFIER),
        confidential=schema.with_role(Role.CONFIDENTIAL),
        kinds=kinds,
        aggregations=low_median_for_rank_columns(table, kinds),
        constraints=settled.rules,
        missing="keep-or-fill",
        person=persons.person,
        intruder_knows=persons.intruder_knows,
        counts=persons.counts,
        order_seed=shuffle_seed,
    )
    return copy_with_followers(plan, schema.followers)


def _rounds(
    settled: SettledTable,
    k: int,
    person_choice: PersonChoice,
    seed: int,
    max_loss: float,
    ctx: RunContext,
) -> tuple[Outcome, SettledTable]:
    """Protect, and leave out what costs most while too much is lost."""
    whole, dropped = settled, list[str]()
    n_wide = len(whole.table.schema.quasi_identifiers)
    outcome = _run(settled, k, person_choice, seed, ctx)
    for share in MAX_DROPPED_SHARES:
        columns = _narrow_columns(outcome, settled)
        if ranking_loss(outcome) > max_loss:
            room = max(0, int(share * n_wide) - len(dropped))
            dear = columns_to_drop_for_loss(
                outcome, settled.table, max_loss, room, settled.stated
            )
            # What is narrow beside too many others need not be so beside few.
            columns = dear or columns[:room]
        if columns and {*settled.table.schema.quasi_identifiers} - {*columns}:
            dropped += columns
            settled = leave_out_columns(whole, dict.fromkeys(dropped, COSTLY))
            outcome = _run(settled, k, person_choice, seed, ctx)
    if ranking_loss(outcome) > max_loss:
        return outcome, settled

    # Steps are long where columns are many: what is below the limit has room for some.
    answers = questionnaire_columns(whole.table, dropped)
    order = sorted(reversed(dropped), key=lambda name: name in answers)
    n_back, n_at_most = 0, len(order) - 1
    while n_back < n_at_most:
        tried = (n_back + n_at_most + 1) // 2
        reasons = dict.fromkeys(order[tried:], COSTLY)
        fuller = leave_out_columns(whole, reasons)
        result = _run(fuller, k, person_choice, seed, ctx)
        if ranking_loss(result) > max_loss or _narrow_columns(result, fuller):
            n_at_most = tried - 1
        else:
            n_back, outcome, settled = tried, result, fuller
    return outcome, settled


def _narrow_columns(outcome: Outcome, settled: SettledTable) -> tuple[str, ...]:
    """Return amounts that lose too much of their spread, but those somebody wants."""
    spread = standard_deviation_ratios(outcome, settled.table)
    return tuple(
        name
        for name, ratio in spread.items()
        if ratio < MIN_SPREAD and name not in settled.stated
    )


def _with_last_questions(settled: SettledTable) -> SettledTable:
    """Return the table with merged questions, one of them on the columns too costly."""
    columns = tuple(entry.column for entry in settled.left_out if entry.why == COSTLY)
    asks = Message("Which columns are needed most?")
    took = Message("Left out: they lost most, and made the others lose more.")
    needed = (UnaskedQuestion(columns, asks, took, "needed"),) if columns else ()
    questions = merge_unasked_questions((*settled.questions, *needed))
    return dataclasses.replace(settled, questions=questions)


def _run(
    settled: SettledTable,
    k: int,
    person_choice: PersonChoice,
    seed: int,
    ctx: RunContext,
) -> Outcome:
    """Carry the plan out, without its rules where no release can keep them."""
    plan = plan_for_settled_table(settled, k, person_choice, seed)
    try:
        return run(plan, settled.table, ctx)
    except InfeasibleError:
        if not plan.constraints:
            raise
        return run(plan.replace(constraints=()), settled.table, ctx)
