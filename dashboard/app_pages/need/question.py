"""Form of a need: three sentences to complete, and the request read from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from dashboard.i18n import text_need
from dashboard.i18n.language import _, n_
from dashboard.i18n.markdown import escape_text
from dashboard.jobs.needs import NeedRequest
from dashboard.readers.readings import read_file_and_wait
from dashboard.state import session
from dashboard.state.caches.fitted_models import MAX_FITTED_RECORDS, fit_or_reuse_model
from dashboard.state.workspace import Workspace, make_plan
from dashboard.ui.browser_components import components
from dashboard.ui.table.undecided_groups import abbreviated_columns_text
from engine.analysis.need import Keep, ModelFormula, load_rule_sets, read_rules_and_sets
from engine.analysis.need.models.formula import quote_column
from engine.analysis.need.parsed_need import make_base_plan, parse_need
from engine.analysis.need.proofs import prove_rules_impossible
from engine.analysis.need.rules import Rule
from engine.core.errors import EngineError
from engine.data.kinds import Role
from engine.data.table import Table
from engine.pipeline.plan import Plan
from engine.pipeline.planning.resolve_plan import resolve_plan

OWN = "own"
"""In the place of a rule set: rules that people write themselves."""

DEFAULTS: Mapping[str, Any] = {
    "rule_set": OWN,
    "own_rules": "k >= 11",
    "family": "",
    "response": None,
    "regressors": (),
    "overlap": 0.9,
    "table": (),
    "table_limit": 5.0,
    "more": "",
    "weights": None,
    "held_out": "",
    "subgroups": (),
    "suppress": 0.0,
    "seconds": 60,
    "references": False,
    "second": "",
}
"""What the sentences say before somebody fills them."""

MORE_FIELDS = ("more", "weights", "held_out", "second")
"""What is folded away unless it says something."""

_RULE_FILE_PROBLEM_KEY = session.widget_key("need", "rule file problem")

TIMES_SECONDS = (20, 60, 180, 600)
SUPPRESSED_SHARES = (0.0, 0.01, 0.05)


@dataclass(frozen=True)
class NeedQuestion:
    """Request that the form's sentences make and its base plan, or what is wrong.

    Attributes
    ----------
    request : NeedRequest or None
        None where something is wrong.
    base : Plan or None
        The choices that stay.
    problem : str
        What is wrong, in one sentence; empty where nothing is.
    sentence : int
        Which of the form's sentences it is about: 1, rules, or 2, analysis.
    """

    request: NeedRequest | None
    base: Plan | None
    problem: str = ""
    sentence: int = 1


def read_need_question(ws: Workspace, table: Table) -> NeedQuestion:
    """Return the request that the form's sentences make, or what is wrong with it."""
    form = {**DEFAULTS, **ws.need_said}
    keeps, models = _keeps_and_models(_lines_of(form, "more"))
    second_keeps, second_models = _keeps_and_models(_lines_of(form, "second"))
    if form["family"] and not (form["response"] and form["regressors"]):
        return NeedQuestion(None, None, _(text_need.MODEL_INCOMPLETE), 2)
    rules = (
        _lines_of(form, "own_rules") if form["rule_set"] == OWN else [form["rule_set"]]
    )
    if not rules:
        return NeedQuestion(None, None, _("Say at least one rule."))
    try:
        if form["family"]:
            models.insert(0, _formula_text(form))
        if models:
            keeps.insert(0, Keep.build("overlap", form["overlap"]).text)
        if form["table"]:
            limit = form["table_limit"] / 100.0
            keeps.append(Keep.build("table", limit, form["table"]).text)
        keeps = keeps or [Keep.build("loss", 100.0).text]
    except EngineError as error:
        return NeedQuestion(None, None, escape_text(_(error.message)), 2)
    held_out = _lines_of(form, "held_out")
    request = NeedRequest(
        tuple(rules),
        tuple(keeps),
        tuple(models),
        tuple(held_out),
        subgroups=tuple(form["subgroups"]),
        seconds=float(form["seconds"]),
        seed=int(ws.shared_plan.seed),
        references=bool(form["references"]),
        ledger=ws.ledger.to_bytes().decode() if ws.ledger and ws.ledger.entries else "",
        second_keeps=tuple(second_keeps),
        second_models=tuple(second_models),
    )
    try:
        base = make_plan(ws, "mdav", 2).replace(suppress=form["suppress"])
        limits = read_rules_and_sets(request.rules)
        plan = make_base_plan(table, base, limits, request.seed)
        proof = None
        if plan.quasi_identifiers:  # or it is said elsewhere
            resolve_plan(plan, table)
            proof = prove_rules_impossible(table, plan, limits)
    except EngineError as error:
        return NeedQuestion(None, None, escape_text(_(error.message)))
    try:
        _check_analysis(request, plan, limits, table)
    except EngineError as error:
        return NeedQuestion(None, None, escape_text(_(error.message)), 2)
    if proof is not None:
        return NeedQuestion(None, None, escape_text(_(proof)))
    return NeedQuestion(request, base)


def _keeps_and_models(lines: Sequence[str]) -> tuple[list[str], list[str]]:
    models = [line for line in lines if "~" in line]
    return [line for line in lines if line not in models], models


def _check_analysis(
    request: NeedRequest, plan: Plan, rules: tuple[Rule, ...], table: Table
) -> None:
    """Raise for what a search would refuse: nobody has to start one to be told.

    Raises
    ------
    EngineError
        If a model or a keep cannot judge a release.
    """
    for model in (*request.models, *request.held_out, *request.second_models):
        ModelFormula.parse(model).columns(_releasable_columns(table))
    if plan.quasi_identifiers and table.n_records <= MAX_FITTED_RECORDS:
        parse_need(
            table,
            plan,
            rules,
            request.keeps,
            request.models,
            request.held_out,
            request.subgroups,
            request.second_keeps,
            request.second_models,
            fit_or_reuse_model,
        )


def _formula_text(values: Mapping[str, Any]) -> str:
    response, *regressors = map(
        quote_column, (values["response"], *values["regressors"])
    )
    regressors_text = " + ".join(regressors)
    return ModelFormula(
        values["family"], response, regressors_text, values["weights"] or ""
    ).text


def _releasable_columns(table: Table) -> list[str]:
    gone = (Role.IDENTIFIER, Role.UNDECIDED)
    return [column.name for column in table.schema.columns if column.role not in gone]


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
        _show_least_size([chosen] if chosen != OWN else _lines_of(form, "own_rules"))
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


def _lines_of(values: Mapping[str, Any], name: str) -> list[str]:
    text = str(values.get(name, DEFAULTS[name]))
    return [line.strip() for line in text.splitlines() if line.strip()]


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
    columns = _releasable_columns(table)
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
