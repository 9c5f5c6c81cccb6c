"""Questions on how a file is to be read, their answers and undo."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import Any

import streamlit as st

from dashboard.i18n import text_data
from dashboard.i18n.language import _, capitalize_first, n_
from dashboard.i18n.markdown import escape_text
from dashboard.state import session
from dashboard.ui.browser_components.components import make_row
from dashboard.ui.table import open_file
from dashboard.ui.table.open_questions import (
    CodesByColumn,
    OpenQuestions,
    are_certain_missing_codes,
)
from dashboard.ui.table.undecided_groups import MAX_EXAMPLES, abbreviated_columns_text
from engine.core.message import Message
from engine.data import reading
from engine.data.formats.questions import FormatQuestion
from engine.data.kinds import Role
from engine.data.missing_values.missing_codes import MissingCodeEvidence
from engine.data.table import Table


def show_open_reading_question(table: Table, questions: OpenQuestions) -> bool:
    """Show the first open question on reading the file; return whether one is open."""
    if questions.formats:
        _ask_format(table, questions.formats[0])
    elif questions.codes:
        _ask_missing_codes(table, questions.codes)
    return bool(questions.formats or questions.codes)


def _ask_format(table: Table, question: FormatQuestion) -> None:
    """Ask how the dates or numbers of some columns are written."""
    first = question.columns[0]
    with st.container(border=True, key=session.widget_key("how written"), gap="small"):
        st.subheader(escape_text(_(question.asks)), anchor=False)
        examples = ", ".join(table.frame[first].dropna().unique()[:3])
        sentence = _("It holds {values}.").format(values=examples)
        if len(question.columns) > 1:
            sentence = _("{name} holds {values}.").format(name=first, values=examples)
        st.markdown(escape_text(sentence))
        with st.container(horizontal=True, gap="xsmall"):
            for answer, answer_text in question.answers:
                act = _reread_as(table, question.columns, answer)
                is_next = answer == "text" and _is_step_grey(table)
                _show_button(_(answer_text), act, is_next=is_next)
        if len(question.columns) > 1:
            with _answers_beside(_("Only {name}:").format(name=escape_text(first))):
                for answer, _said in question.answers:
                    act = _reread_as(table, question.columns[:1], answer)
                    label = capitalize_first(_(text_data.WRITTEN[answer]))
                    _show_button(label, act)


def _reread_as(table: Table, names: Sequence[str], answer: str) -> Callable[[], None]:
    """Return what reads the file again, with some columns written as was answered."""
    options = table.origin.options
    forms = {**options.get("forms", {}), **options.get("written", {})}
    forms |= dict.fromkeys(names, answer)
    return partial(open_file.reread_upload, forms=forms)


def _is_step_grey(table: Table) -> bool:
    """Return whether the next step waits for answers: the safe one is coloured then."""
    return bool(table.schema.with_role(Role.UNDECIDED))


def _ask_missing_codes(table: Table, groups: Sequence[CodesByColumn]) -> None:
    """Ask whether the codes of the first group of columns stand for missing values."""
    codes = groups[0]
    with st.container(
        border=True, key=session.widget_key("whether missing"), gap="small"
    ):
        _show_missing_codes(codes)
        with st.container(horizontal=True, gap="xsmall"):
            is_next = _is_step_grey(table)
            sure = are_certain_missing_codes(table, codes)
            act = _reread_callback(table, codes)
            _show_button(_("Yes, missing"), act, sure)
            act = _reread_callback(table, dict.fromkeys(codes, ()))
            _show_button(_("No, a value"), act, is_next and not sure)
        if len(codes) > 1:
            name, evidence = next(iter(codes.items()))
            with _answers_beside(_("Only {name}:").format(name=escape_text(name))):
                for label, reasons in (
                    (text_data.ONE_MISSING, evidence),
                    (text_data.ONE_VALUE, ()),
                ):
                    _show_button(_(label), _reread_callback(table, {name: reasons}))
        if len(groups) > 1:
            all_codes = {k: reasons for group in groups for k, reasons in group.items()}
            prompt = _("In all {count} columns:").format(count=f"{len(all_codes):,}")
            with _answers_beside(prompt):
                _show_button(_("All missing"), _reread_callback(table, all_codes))
                none = dict.fromkeys(all_codes, ())
                _show_button(_("All values"), _reread_callback(table, none))


def _show_missing_codes(codes: CodesByColumn) -> None:
    """Show the question on one or several columns, and what each code may mean."""
    name = next(iter(codes))
    n_cells, reasons = Counter[str](), dict[str, Message]()
    for column in codes.values():
        n_cells.update({each.code: each.count for each in column})
        reasons = {each.code: each.reason for each in column} | reasons
    words = n_(
        "{name}: is {codes} a missing value?",
        "{name}: are {codes} missing values?",
        len(reasons),
    )
    several = len(codes) > 1
    if several:
        count = n_("{count} column", "{count} columns", len(codes))
        name = count.format(count=f"{len(codes):,}")
    listed = abbreviated_columns_text([*reasons])
    st.subheader(words.format(name=escape_text(name), codes=listed), anchor=False)
    if several:
        st.caption(abbreviated_columns_text(list(codes)))
    for code, reason in islice(reasons.items(), MAX_EXAMPLES):
        count = n_("{count} record", "{count} records", n_cells[code])
        if several:
            count = n_("{count} cell", "{count} cells", n_cells[code])
        counted = count.format(count=f"{n_cells[code]:,}")
        st.markdown(escape_text(f"{code}: {counted}. {_(reason)}"))


@contextmanager
def _answers_beside(caption: str) -> Iterator[None]:
    """Put what is shown meanwhile in a row that begins with a caption."""
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        st.caption(caption, width="content")
        yield


def _reread_callback(
    table: Table, codes: Mapping[str, Sequence[MissingCodeEvidence]]
) -> Callable[[], None]:
    """Return what reads the file again, with codes of some columns as missing."""
    all_codes = dict(table.origin.options.get("missing", {}))
    all_codes |= {name: [entry.code for entry in some] for name, some in codes.items()}
    return partial(open_file.reread_upload, missing=all_codes)


def _with(
    table: Table, field: str, said_field: str, name: str, answer: str | None
) -> dict[str, Any]:
    """Return what is said of columns, with another answer for one of them."""
    options = table.origin.options
    answers = {**options.get(field, {}), **options.get(said_field, {})}
    answers.pop(name, None)
    return answers if answer is None else {**answers, name: answer}


def _show_button(label: str, act: Callable[[], None], is_next: bool = False) -> None:
    st.button(
        label,
        type="primary" if is_next else "secondary",
        key=session.widget_key("reading", label, open_file.table_reset_count()),
        on_click=act,
    )


def iterate_decisions_and_undo_options(
    table: Table,
) -> Iterator[tuple[str, dict[str, Any] | None]]:
    """Yield each decision on reading as a sentence, with options to undo it or None."""
    origin, options = table.origin, table.origin.options
    sheet = reading.message_on_sheet_read(origin)
    if sheet is not None:
        yield _(sheet), None
    for kind, rows in reading.left_out_row_messages_by_kind(origin).items():
        yield _(rows), reading.options_to_keep_left_out_rows(origin, kind)
    for name, mixed in reading.mixed_date_messages_by_column(origin).items():
        yield _(mixed), {"forms": _with(table, "forms", "written", name, "text")}
    for name, words in reading.missing_word_messages_by_column(origin).items():
        yield _(words), {"forms": _with(table, "forms", "written", name, "text")}
    missing = options.get("missing", {})
    for name in filter(missing.get, missing):
        sentence = _("{name}: {codes} read as missing").format(
            name=name, codes=", ".join(missing[name])
        )
        yield sentence, {"missing": {k: v for k, v in missing.items() if k != name}}
    for name, answer in options.get("written", {}).items():
        sentence = f"{name}: {_(text_data.WRITTEN[answer])}"
        yield sentence, {"forms": _with(table, "forms", "written", name, None)}


def show_reading_decisions(table: Table) -> None:
    """List decisions on reading the file, with a button where one can be undone."""
    is_uploaded = session.workspace().upload is not None
    for sentence, changes in iterate_decisions_and_undo_options(table):
        with make_row(wrap=False, gap="xsmall"):
            st.markdown(escape_text(sentence), help=_(text_data.READING_SETTLED))
            if is_uploaded and changes is not None:
                st.button(
                    _("Undo it"),
                    key=session.widget_key(
                        "reading undo", sentence, open_file.table_reset_count()
                    ),
                    type="tertiary",
                    on_click=open_file.reread_upload,
                    kwargs=changes,
                )
