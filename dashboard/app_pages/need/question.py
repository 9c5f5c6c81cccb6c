"""Form of a need: three sentences to complete."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from dashboard.app_pages.need.need_form import (
    DEFAULTS,
    OWN,
    list_form_lines,
    list_releasable_columns,
)
from dashboard.i18n import text_need
from dashboard.i18n.language import _, n_
from dashboard.i18n.markdown import escape_text
from dashboard.readers.readings import read_file_and_wait
from dashboard.state import session
from dashboard.ui.browser_components import components
from dashboard.ui.table.undecided_groups import abbreviated_columns_text
from engine.analysis.need import load_rule_sets, read_rules_and_sets
from engine.core.errors import EngineError
from engine.data.kinds import Role
from engine.data.table import Table

MORE_FIELDS = ("more", "weights", "held_out", "second")
"""What is folded away unless it says something."""

_RULE_FILE_PROBLEM_KEY = session.widget_key("need", "rule file problem")

TIMES_SECONDS = (20, 60, 180, 600)
SUPPRESSED_SHARES = (0.0, 0.01, 0.05)


def _bound(name: str, **options: Any) -> dict[str, Any]:
    return session.bind_widget("need_said", name, default=DEFAULTS[name], **options)


def _bound_columns(name: str, columns: Sequence[str]) -> dict[str, Any]:
    """Bind a choice of columns; those that the table has no more are left out."""
    return _bound(
        name,
        to_widget=lambda names: [each for each in names if each in columns],
        from_widget=tuple,
    )


def show_rule_inputs_in_container() -> st.delta_generator.DeltaGenerator:
    """Show the form's first sentence, on privacy rules; return its container."""
    place = st.container(border=True, gap="xsmall")
    with place:
        components.show_heading(
            _("1 · Which rule do you answer to?"), _(text_need.RULE_HELP)
        )
        rule_sets = load_rule_sets()
        rule, file = st.columns([3.2, 1])
        with file:
            _show_rule_file_uploader()
        chosen = rule.selectbox(
            _("Rule"),
            [OWN, *rule_sets],
            format_func=lambda name: (
                _("Rules of your own") if name == OWN else rule_sets[name].title
            ),
            label_visibility="collapsed",
            **_bound("rule_set"),
        )
        if chosen == OWN:
            st.text_area(
                _("Rules, one a line"),
                help=_(
                    'One rule a line, such as "k >= 11", "prosecutor <= 0.09", '
                    '"uniques <= 0", "l >= 2", "t <= 0.3".'
                ),
                height=68,
                **_bound("own_rules"),
            )
        else:
            each = rule_sets[chosen]
            words = [
                escape_text(_(each.assumes)),
                f"[{escape_text(each.source)}]({each.url})",
                escape_text(each.place),
                _(text_need.CHECKED[each.checked]),
            ]
            # A caption's faint ink would leave the link too little contrast.
            st.markdown(f":small[{' · '.join(words)}]")
        form = session.workspace().need_said
        _show_least_size(
            [chosen] if chosen != OWN else list_form_lines(form, "own_rules")
        )
    return place


def _show_rule_file_uploader() -> None:
    """Show the uploader of rule files, and what has come of the last file."""
    key = session.widget_key("need", "rule file")
    with st.popover(
        _("Open a rule file"), icon=":material/upload_file:", width="stretch"
    ):
        problem = st.session_state.pop(_RULE_FILE_PROBLEM_KEY, None)
        if problem:
            st.error(problem, icon=":material/error:")
        elif problem is not None:
            st.success(_(text_need.RULE_FILE_OPENED), icon=":material/check_circle:")
        st.file_uploader(
            _("Rule file"),
            ["toml"],
            help=_(text_need.RULE_FILE_HELP),
            key=key,
            on_change=_write_rules_of_file,
            args=(key,),
        )


def _write_rules_of_file(key: str) -> None:
    """Replace the form's rules by those of a file; an invalid file changes nothing."""
    file = st.session_state[key]
    if file is None:
        return
    try:
        rules = read_file_and_wait("rules", file.getvalue(), file.name)
    except EngineError as error:
        st.session_state[_RULE_FILE_PROBLEM_KEY] = escape_text(_(error.message))
        return
    st.session_state[_RULE_FILE_PROBLEM_KEY] = ""
    form = {**session.workspace().need_said, "own_rules": "\n".join(rules)}
    session.update_workspace(need_said={**form, "rule_set": OWN})


def _show_least_size(rules: Sequence[str]) -> None:
    try:
        limits = read_rules_and_sets(rules)
        least_size = max([2, *(rule.least_k for rule in limits)])
    except EngineError:
        return  # what is wrong with them is said below
    words = n_(
        "So: at least **{count} person** in each group.",
        "So: at least **{count} people** in each group.",
        least_size,
    )
    st.markdown(words.format(count=least_size))


def show_analysis_inputs_in_container(
    table: Table,
) -> st.delta_generator.DeltaGenerator:
    """Show the form's second sentence, on what must be kept; return its container."""
    columns = list_releasable_columns(table)
    place = st.container(border=True, gap="xsmall")
    with place:
        components.show_heading(
            _("2 · What will they do with it?"), _(text_need.OVERLAP_HELP)
        )
        undecided = table.schema.with_role(Role.UNDECIDED)
        if undecided:
            named = abbreviated_columns_text(undecided)
            st.caption(_(text_need.UNDECIDED_SHOW).format(columns=named))
        family, response, regressors, overlap = st.columns([2, 2, 3.6, 1.8])
        family.selectbox(
            _("Model"),
            list(text_need.FAMILIES),
            format_func=lambda name: _(text_need.FAMILIES[name]),
            **_bound("family"),
        )
        response.selectbox(
            _("of"),
            columns,
            placeholder=_("a column"),
            **_bound(
                "response",
                to_widget=lambda name: name if name in columns else None,
            ),
        )
        regressors.multiselect(
            _("by"),
            columns,
            placeholder=_("columns"),
            **_bound_columns("regressors", columns),
        )
        overlap.number_input(
            _("overlap at least"),
            -1.0,
            1.0,
            None,  # a field that is emptied has its default again
            step=0.01,
            help=_(text_need.OVERLAP_HELP),
            **_bound("overlap"),
        )
        table_of, within, pays = st.columns([4, 1.6, 3.8])
        table_of.multiselect(
            _("a table of two or three columns"),
            columns,
            max_selections=3,
            placeholder=_("columns"),
            **_bound_columns("table", columns),
        )
        within.number_input(
            _("within, %"), 0.0, 100.0, None, step=1.0, **_bound("table_limit")
        )
        pays.multiselect(
            _("also within each value of"),
            columns,
            placeholder=_("columns"),
            **_bound_columns("subgroups", columns),
        )
        form = session.workspace().need_said
        is_used = any(form.get(name) for name in MORE_FIELDS)
        with st.expander(_("More models and figures"), is_used):
            st.text_area(
                _("One a line"),
                help=_(
                    'One a line: a model such as "poisson y ~ a * b, weights=w", or a '
                    'keep such as "coverage >= 1", "mean(age) <= 0.01", "loss <= 10", '
                    '"correlation(a,b) <= 0.05".'
                ),
                height=68,
                **_bound("more"),
            )
            weights, held_out = st.columns([1, 2])
            weights.selectbox(
                _("The model's weights"),
                columns,
                placeholder=_("a column"),
                help=_(
                    "Numbers that each record counts by, as R's lm and glm take them. "
                    "They leave with the release."
                ),
                **_bound(
                    "weights",
                    to_widget=lambda name: name if name in columns else None,
                ),
            )
            held_out.text_area(
                _("Models not used in the search"),
                help=_(text_need.HELD_OUT_HELP),
                height=68,
                **_bound("held_out"),
            )
            st.text_area(
                _("A second release of the same people must keep"),
                help=_(text_need.SECOND_HELP),
                height=68,
                **_bound("second"),
            )
    return place


def show_cost_sentence() -> None:
    """Show the form's third sentence: share to suppress, search time, other ways."""
    left, right = st.columns([1, 1])
    left.segmented_control(
        _("leave out at most"),
        SUPPRESSED_SHARES,
        format_func=lambda share: (
            _("nobody")
            if not share
            else _("{share} of the people").format(share=f"{share:.0%}")
        ),
        required=True,
        **_bound("suppress"),
    )
    right.segmented_control(
        _("search for"),
        TIMES_SECONDS,
        format_func=lambda seconds: _("{count} s").format(count=seconds),
        required=True,
        **_bound("seconds"),
    )
    st.checkbox(
        _("Show other ways to protect these columns beside it"),
        help=_(
            "Mondrian, recoding with suppression, synthetic data and noise, made of "
            "the same records and measured in the same way, each with its own risk. It "
            "takes some seconds more."
        ),
        **_bound("references"),
    )
