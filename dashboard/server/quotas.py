"""Upload and tab limits of one person's server, and messages on refusals."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.server.adapter.runtime import OwnedRuntime
from engine.core.message import NO_MESSAGE, Message


@dataclass(frozen=True)
class UploadQuotas:
    """How much may be held in uploads, and how many tabs may be open.

    Attributes
    ----------
    max_bytes : int
        Of all uploads together.
    max_sessions : int
        Tabs, those closed within the last minutes as well.
    """

    max_bytes: int = 2**31
    max_sessions: int = 60

    def session_denial_reason(self, runtime: OwnedRuntime) -> Message:
        """Return why no other tab may be opened; nothing if one may."""
        if len(runtime.owners) < self.max_sessions:
            return NO_MESSAGE
        return Message(
            "You have {count} tabs of Coterie here, those that you closed within "
            "the last minutes among them, which is as many as one person may have: "
            "close some, and load the page again in two minutes.",
            count=self.max_sessions,
        )

    def upload_denial_reason(self, runtime: OwnedRuntime, size: int) -> Message:
        """Return why so many bytes may not be uploaded; nothing if they may."""
        if runtime.held_bytes() + size <= self.max_bytes:
            return NO_MESSAGE
        return Message(
            "The file was not taken: with it you would have more than {most:,.0f} "
            "MB here. Close other tabs of Coterie, or open a smaller file.",
            most=self.max_bytes / 2**20,
        )


def upload_refused_message(status: int) -> Message:
    """Return, as a sentence, why a file was not taken, by the answer's status."""
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


def upload_failed_message(error: OSError) -> Message:
    """Return, as a sentence, why a file could not be taken."""
    return Message(
        "The file could not be taken, because the folder for temporary files is full "
        "({reason}): make room there, and open it again.",
        reason=error.strerror,
    )
