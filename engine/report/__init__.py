"""Reports of a run: facts, and pages, scripts and notebooks made from facts."""

from engine.report.catalogues.croissant import to_croissant_bytes
from engine.report.catalogues.ddi import to_ddi_bytes
from engine.report.catalogues.description import ReleaseDescription, describe_release
from engine.report.director import director_page
from engine.report.facts import Audience, report_facts
from engine.report.guide import analysis_guide
from engine.report.pages import (
    facts_to_file,
    facts_to_html,
    facts_to_json,
    facts_to_markdown,
)
from engine.report.script import to_notebook, to_script

__all__ = [
    "Audience",
    "ReleaseDescription",
    "analysis_guide",
    "describe_release",
    "director_page",
    "facts_to_file",
    "facts_to_html",
    "facts_to_json",
    "facts_to_markdown",
    "report_facts",
    "to_croissant_bytes",
    "to_ddi_bytes",
    "to_notebook",
    "to_script",
]
