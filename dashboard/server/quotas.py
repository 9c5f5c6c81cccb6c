"""Limits on a process's uploads and tabs, and messages on refusals."""

from __future__ import annotations

from engine.core.message import NO_MESSAGE, Message

MAX_TABS = 60
"""Tabs of a person, those closed within the last minutes as well."""


def tab_denial_reason(n_tabs: int) -> Message:
    """Return why no further tab may be opened; NO_MESSAGE below the limit."""
    if n_tabs < MAX_TABS:
        return NO_MESSAGE
    return Message(
        "You have {count} tabs of Coterie here, those that you closed within "
        "the last minutes among them, which is as many as one person may have: "
        "close some, and load the page again in two minutes.",
        count=MAX_TABS,
    )


def upload_denial_reason(n_bytes: int, max_bytes: int) -> Message:
    """Return why uploads of n_bytes in all are refused; NO_MESSAGE within the limit."""
    if n_bytes <= max_bytes:
        return NO_MESSAGE
    return Message(
        "The file was not taken: with it you would have more than {most:,.0f} "
        "MB here. Close other tabs of Coterie, or open a smaller file.",
        most=max_bytes / 2**20,
    )


def upload_refusal_message(status: int) -> Message:
    """Return a sentence on why a file was refused, by the HTTP status."""
    if status == 413:
        return Message(
            "The file was not taken: it is larger than files may be here. Open a "
            "smaller one, or ask whoever runs this server."
        )
    return Message(
        "The file was not taken (status {status}): load the page again, and open it "
        "once more.",
        status=status,
    )


def upload_error_message(error: OSError) -> Message:
    """Return a sentence that the disk was full when an upload was written."""
    return Message(
        "The file could not be taken, because the folder for temporary files is full "
        "({reason}): make room there, and open it again.",
        reason=error.strerror,
    )
