"""The manual: chapters in Markdown, the same text in the repository and on Help."""

from dashboard.manual.chapters import (
    PARTS,
    ManualChapter,
    ManualSection,
    heading_anchor,
    read_manual_chapters_by_name,
    read_tasks_by_matter,
)

__all__ = [
    "PARTS",
    "ManualChapter",
    "ManualSection",
    "heading_anchor",
    "read_manual_chapters_by_name",
    "read_tasks_by_matter",
]
