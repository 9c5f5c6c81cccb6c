"""What a run is reported as: facts, and pages, scripts and notebooks made of them."""

from engine.report.croissant import to_croissant
from engine.report.ddi import to_ddi
from engine.report.described import Description, described
from engine.report.facts import Audience, report_facts
from engine.report.guide import guide
from engine.report.pages import page, to_html, to_json, to_markdown
from engine.report.script import notebook, script

__all__ = [
    "Audience",
    "Description",
    "described",
    "guide",
    "notebook",
    "page",
    "report_facts",
    "script",
    "to_croissant",
    "to_ddi",
    "to_html",
    "to_json",
    "to_markdown",
]
