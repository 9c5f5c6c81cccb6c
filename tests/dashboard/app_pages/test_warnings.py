"""What the engine warns of is told on some page, whatever it is about."""

from dataclasses import replace

from dashboard.app_pages.compare import overview
from dashboard.app_pages.release.checklist import column_checklist
from dashboard.state.results.job_results import copy_with_results
from dashboard.state.workspace import resolve_plans
from engine.core.message import Message, Topic
from engine.pipeline.run import run
from tests.dashboard.pages import open_page, small_table, texts, with_table

IN_OTHER_WORDS = {
    Topic.IMPROVING: "Still improving: MDAV, k = 3",
    Topic.UNDECIDED: "Left out, because nobody has decided: **region**.",
    Topic.UNIQUENESS: "60 of 60 records are the only ones with their values",
}
"""Topics that pages tell from the result itself."""


def test_every_topic_of_a_warning_is_told_on_some_page() -> None:
    table = small_table().assign(roles={"name": "other"})
    ws = with_table(table, methods=("mdav",), sizes=(3,))
    outcome = run(*resolve_plans(ws), table)
    warned = (
        Message("About {name}.", name=subject.name).with_topic(subject)
        for subject in Topic
    )
    outcome = replace(outcome, warnings=tuple(warned))
    page = open_page(
        "release", copy_with_results(ws, table, [outcome.plan], {0: outcome})
    )
    kinds = page.markdown, page.caption, page.warning, page.info
    sentences = [sentence for kind in kinds for sentence in texts(kind)]
    sentences.append(overview._improving_text([outcome]))
    undecided = table.assign(roles={"region": "undecided"})
    lines = column_checklist(run(outcome.plan, undecided), undecided)
    sentences += [sentence for _sign, sentence in lines]
    for topic in Topic:
        words = IN_OTHER_WORDS.get(topic, f"About {topic.name}.")
        assert words in " ".join(sentences).replace("\\_", "_"), topic
