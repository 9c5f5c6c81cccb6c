"""The manual: chapters in Markdown, the same text in the repository and on Help."""

from dashboard.manual.chapters import Chapter, Section, anchor_of, chapters

__all__ = ["Chapter", "Section", "anchor_of", "chapters"]
