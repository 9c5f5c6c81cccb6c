"""Workbooks of Excel and OpenDocument, their sheets and cells."""
