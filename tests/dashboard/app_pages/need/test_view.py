"""The Need page asks three sentences, shows one answer, and hands its plan over."""

from dataclasses import replace
from functools import cache
from types import MappingProxyType

import pytest

from dashboard.app_pages.need.need_form import read_need_question
from dashboard.app_pages.need.tried_releases import list_tried_release_points
from dashboard.charts.need_map import ReleasePoint, draw_need_map, efficient_releases
from dashboard.jobs.needs import NeedRequest
from dashboard.state.caches import fitted_models
from dashboard.state.results.findings import NeedAnswer
from dashboard.state.results.requested import requested_outcomes
from engine.analysis.attacks import attacks
from engine.analysis.need import need
from engine.analysis.releases.ledger import Ledger
from engine.data.kinds import Role
from tests.dashboard.pages import (
    button,
    chart,
    labelled,
    open_page,
    press,
    small_table,
    texts,
    with_table,
    workspace,
)
from tests.engine.analysis.need.cases import OWN_RULE_SET

SAID = {
    "own_rules": "k >= 4",
    "family": "linear",
    "response": "debt",
    "regressors": ("size", "sales"),
    "overlap": 0.2,
    "subgroups": ("region",),
}


def filled(ledger=None, **said):
    table, said = small_table(), MappingProxyType({**SAID, **said})
    return with_table(table, need_said=said, ledger=ledger)


@cache
def answered(ledger=None, **said):
    """Return a workspace with an answer, worked out in this process."""
    ws = filled(ledger, **said)
    question = read_need_question(ws, ws.table)
    assert not question.problem
    request = question.request
    answer = need(
        ws.table,
        request.rules,
        request.keeps,
        base=question.base,
        models=request.models,
        held_out=request.held_out,
        subgroups=request.subgroups,
        references=request.references,
        ledger=ledger,
        second_keeps=request.second_keeps,
        second_models=request.second_models,
        trials=12,
    )
    stored_answer = NeedAnswer(ws.table.fingerprint, question.base, request, answer)
    return replace(ws, need_answer=stored_answer)


def test_sentences_become_a_request():
    ws = filled(
        table=("region", "debt"),
        more="poisson size ~ sales\nloss <= 50",
        weights="sales",
        held_out="linear sales ~ size",
        references=True,
        second="sales ~ size\nquantiles(size) <= 0.5",
    )
    question = read_need_question(ws, ws.table)
    assert question.problem == ""
    assert question.request == NeedRequest(
        rules=("k >= 4",),
        keeps=("overlap >= 0.2", "loss <= 50", "table(region,debt) <= 0.05"),
        models=("linear debt ~ size + sales, weights=sales", "poisson size ~ sales"),
        held_out=("linear sales ~ size",),
        subgroups=("region",),
        references=True,
        second_keeps=("quantiles(size) <= 0.5",),
        second_models=("sales ~ size",),
    )
    chosen = replace(
        ws,
        need_said=MappingProxyType({"rule_set": "ema-policy-0070", "suppress": 0.05}),
    )
    question = read_need_question(chosen, ws.table)
    assert question.request.rules == ("ema-policy-0070",)
    assert question.base.suppress == 0.05


@pytest.mark.parametrize(
    ("said", "words", "sentence"),
    [
        ({"own_rules": "k => 3"}, "cannot be read", 1),
        ({"own_rules": ""}, "at least one rule", 1),
        ({"own_rules": __file__ + ".toml"}, "cannot be read: say one of", 1),
        ({"own_rules": "k >= 99999999999"}, "must be at most", 1),
        ({"rule_set": "hipaa-expert"}, "gives no number", 1),
        ({"own_rules": "k >= 100000"}, "No release can keep the rules", 1),
        ({"own_rules": "prosecutor <= 0"}, "cannot be kept by any release", 1),
        ({"own_rules": "l >= 2"}, "about confidential columns", 1),
        ({"own_rules": "kmap >= 20"}, "nothing says how many", 1),
        ({"more": "overlap <= 2"}, "cannot be read", 2),
        ({"more": "linear debt ~ name"}, "the release has no column", 2),
        ({"more": "linear debt ~ (size"}, "no formula", 2),
        ({"more": "linear debt ~ __import__('os')"}, "cannot be fitted", 2),
        ({"held_out": "linear debt ~ name"}, "no column", 2),
        ({"more": "debt ~ size + sales + I(size + sales)"}, "collinear", 2),
        ({"more": "logit debt ~ size"}, "not 0 or 1", 2),
        ({"family": "poisson", "response": "region"}, "in words", 2),
        ({"regressors": ()}, "Choose the column that the model explains", 2),
        ({"more": "mean(nowhere) <= 1"}, "does not leave", 2),
        ({"second": "signs >= 1"}, "is that of a model", 2),
        ({"second": "debt ~ size + I(2 * size)"}, "collinear", 2),
    ],
)
def test_what_cannot_be_asked_is_said(said, words, sentence):
    ws = filled(**said)
    question = read_need_question(ws, ws.table)
    assert question.sentence == sentence
    assert words in question.problem


@pytest.mark.parametrize(
    ("said", "words"),
    [({"own_rules": "k => 3"}, "cannot be read"), ({"more": "overlap <= 2"}, "cannot")],
)
def test_what_is_wrong_with_a_question_stands_once_at_its_field(said, words):
    page = open_page("need", filled(**said))
    assert sum(words in each for each in texts(page.warning)) == 1
    assert button(page, "Find the release").disabled


def test_two_releases_stand_in_one_answer_and_each_can_be_taken():
    ws = answered(second="quantiles(size) <= 9")
    page = open_page("need", ws)
    lines = " ".join(element.proto.body for element in page.get("html"))
    for words in ("first release", "second release", "both together"):
        assert words in lines
    second = ws.need_answer.answer.second_outcome
    page.button(key=button(page, "Take the second release").key).click().run()
    assert requested_outcomes(workspace(page))[0] is second


def test_a_model_is_fitted_once_and_not_on_every_rerun(monkeypatch):
    fitted = []

    class Counted(fitted_models.RefittableModel):
        def __init__(self, model, original):
            fitted.append(model.text)
            super().__init__(model, original)

    monkeypatch.setattr(fitted_models, "RefittableModel", Counted)
    monkeypatch.setattr(fitted_models, "_fits", {})
    ws = filled(more="logit debt ~ sales")  # also what cannot be fitted
    problems = {read_need_question(ws, ws.table).problem for _ in range(3)}
    assert len(problems) == 1
    assert fitted == ["linear debt ~ size + sales", "logit debt ~ sales"]


def test_undecided_columns_are_named_that_cannot_be_picked():
    ws = filled()
    schema = ws.table.schema.assign({"debt": Role.UNDECIDED})
    page = open_page("need", replace(ws, table=replace(ws.table, schema=schema)))
    assert any(
        "Cannot be picked" in text and "debt" in text for text in texts(page.caption)
    )
    page = open_page("need", ws)
    assert not any("Cannot be picked" in text for text in texts(page.caption))


def test_who_pays_is_shown_unasked_and_the_attack_that_gains_most_is_named():
    ws = answered(own_rules="attack <= 1", subgroups=())
    loss = {"column": "size", "value": "7", "n_records": 9, "loss": 12.34}
    new_answer = replace(ws.need_answer.answer, largest_losses=(loss,))
    answer = replace(ws.need_answer, answer=new_answer)
    page = open_page("need", replace(ws, need_answer=answer))
    (subgroups,) = (t.value for t in page.dataframe if t.value.columns[0] == "Subgroup")
    assert list(subgroups.iloc[0]) == ["size = 7", "12.3", "9"]
    title = attacks.info(new_answer.rules[0].weakest).title
    assert any(f"over its control: {title}" in each.body for each in page.get("html"))


def test_a_rule_says_how_many_people_it_means():
    page = open_page("need", filled(rule_set="ema-policy-0070"))
    assert "So: at least **12 people** in each group." in texts(page.markdown)


def test_an_answer_shows_what_holds_what_was_tried_and_who_pays():
    ws = answered(held_out="linear sales ~ size")
    page = open_page("need", ws)
    assert any("linear sales ~ size" in entry.body for entry in page.get("html"))
    assert any(entry.endswith("Found") for entry in texts(page.markdown))
    figure = chart(page, "need-tried")
    points = list_tried_release_points(ws.need_answer.answer)
    drawn = sum(
        len(trace["x"]) for trace in figure["data"] if trace["mode"] == "markers"
    )
    assert drawn == len(points) > 9
    assert sum(point.is_answer for point in points) == 1
    slopes, subgroups = (entry.value for entry in page.dataframe[:2])
    assert list(slopes["Coefficient"]) == ["size", "sales"]
    assert set(subgroups["Subgroup"]) == {"region = north", "region = south"}
    page.session_state["workspace"] = replace(
        ws, need_said=MappingProxyType({**ws.need_said, "overlap": 0.3})
    )
    page.run()
    assert "This answers an earlier question." in texts(page.info)


def test_earlier_releases_of_the_session_are_kept_from_opening_records():
    first = answered()
    outcome, ledger = first.need_answer.answer.outcome, Ledger.new()
    entry = ledger.entry_for(outcome, first.table, "first", b"first")
    ws = answered(ledger=ledger.with_entry(entry))
    assert ws.need_answer.request.ledger
    page = open_page("need", ws)
    body = " ".join(part.body for part in page.get("html"))
    assert "Opens nothing beside earlier releases" in body
    assert any("Whoever knows somebody" in part for part in texts(page.caption))


def test_other_ways_stand_beside_the_answer_here_and_in_compare():
    ws = answered(references=True)
    page = open_page("need", ws)
    marks = [
        trace for trace in chart(page, "need-tried")["data"] if "text" in trace["mode"]
    ]
    names = marks[0]["text"]
    assert {"Mondrian, midpoints", "noise at equal linkage"} <= set(names)
    assert "promise another thing" in " ".join(texts(page.caption))
    (table,) = (t.value for t in page.dataframe if t.value.columns[0] == "Way")
    assert len(table) == 6
    press(page, "Open in Compare")
    assert any(list(element.value.columns[:1]) == ["Way"] for element in page.dataframe)
    assert "promise another thing" in " ".join(texts(page.caption))


@pytest.mark.parametrize("label", ["Open in Compare", "Take this release"])
def test_the_release_that_was_found_is_handed_over(label):
    ws = answered()
    page = open_page("need", ws)
    press(page, label)
    (outcome,) = requested_outcomes(workspace(page))
    answer_outcome = ws.need_answer.answer.outcome
    assert outcome.plan == answer_outcome.plan
    assert outcome.release.frame.equals(answer_outcome.release.frame)


def test_what_would_meet_a_missed_keep_can_be_run_instead():
    ws = answered(overlap=1.0)
    answer = ws.need_answer.answer
    assert answer.answer == "nearest"
    page = open_page("need", ws)
    button(page, "Run it").click().run()
    (plan,) = {p.k for p, _key in workspace(page).requested_plans}
    assert plan == answer.alternatives[0].plan.k


def test_changes_that_no_time_was_left_for_are_named():
    ws = answered(overlap=1.0)
    old_answer = ws.need_answer
    answer = replace(
        old_answer.answer, untried=(old_answer.answer.alternatives[0].change,)
    )
    page = open_page(
        "need", replace(ws, need_answer=replace(old_answer, answer=answer))
    )
    assert str(answer.about_alternatives) in " ".join(texts(page.caption))


def test_names_of_points_next_to_each_other_stand_above_and_below():
    crowded = [
        ReleasePoint(risk, utility, "", reference=f"{risk}")
        for risk, utility in ((0.08, 0.65), (0.13, 0.66), (0.08, 0.51))
    ]
    figure = draw_need_map([*crowded, ReleasePoint(0.08, 0.9, "")], 0.09, 0.9, "kept")
    (marks,) = (t for t in figure.to_dict()["data"] if "text" in t["mode"])
    places = dict(zip(marks["text"], marks["textposition"], strict=True))
    assert marks["y"] == [0.66, 0.65, 0.51]
    assert [place.split()[0] for place in marks["textposition"]] == [
        "top",
        "bottom",
        "top",
    ]
    assert places["0.13"] == "top left"


def test_the_frontier_keeps_ever_more_for_ever_more_risk():
    some = [
        ReleasePoint(*pair, "") for pair in ((3, 5), (1, 2), (2, 1), (1, 1), (4, 5))
    ]
    assert [(point.risk, point.kept) for point in efficient_releases(some, True)] == [
        (1, 2),
        (3, 5),
    ]
    assert [(point.risk, point.kept) for point in efficient_releases(some, False)] == [
        (1, 1)
    ]


def bring_rule_file(page, content):
    uploader = labelled(page.file_uploader, "Rule file")
    uploader.set_value(("rules.toml", content, "application/toml")).run()


def test_a_rule_file_replaces_the_lines_and_a_bad_one_leaves_them():
    page = open_page("need", filled())
    wide = OWN_RULE_SET.replace('">="', '">=' + 100_000 * " " + '"')
    bring_rule_file(page, wide.replace('"7"', '"9"').encode())
    assert workspace(page).need_said["own_rules"] == "k >= 9"
    bring_rule_file(page, OWN_RULE_SET.encode())
    assert workspace(page).need_said["own_rules"] == "k >= 7"
    assert "So: at least **7 people** in each group." in texts(page.markdown)
    no_rule = OWN_RULE_SET.split("[[rule]]")[0].encode()
    for content, reason in (
        (b"k >= 9", "no rule set"),
        (b"\xff\xfe", "cannot be read"),
        (no_rule, "gives no number"),
        (OWN_RULE_SET.encode() + b"[[rule]]\n" * 5, "no rule set"),
        (OWN_RULE_SET.replace('"7"', '"1"').encode(), "cannot be taken"),
        (
            OWN_RULE_SET.encode()
            + b"".join(
                b'[[rule]]\nmeasure="k"\nrelation=">="\nlimit=%d\n' % limit
                for limit in range(2, 102)
            ),
            "101 rules",
        ),
    ):
        bring_rule_file(page, content)
        assert any(reason in each for each in texts(page.error))
        assert workspace(page).need_said["own_rules"] == "k >= 7"
