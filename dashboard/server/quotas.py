"""Quotas of people who share a server: how much each may have here."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.server.adapter.runtime import OwnedRuntime, Owner
from engine.core.message import NOTHING, Message


@dataclass(frozen=True)
class Quotas:
    """How much may be held in uploads, and how many tabs may be open.

    Attributes
    ----------
    person, all : int
        Bytes of one person, or browser where nobody signs in, and of all together.
    person_sessions, all_sessions : int
        Tabs, those closed within the last minutes as well. Of one address at most half
        of all are open at a time: where nobody signs in, a program that forgets its
        cookie is somebody else each time.
    """

    person: int = 2**31
    all: int = 2**33
    person_sessions: int = 60
    all_sessions: int = 1_000

    def why_no_session(
        self, runtime: OwnedRuntime, owner: Owner, address: str
    ) -> Message:
        """Return why somebody may not open another tab; nothing if they may."""
        # Without a cookie, as whoever comes for the first time, one is not known.
        known = owner.browser or owner.person
        if known and runtime.session_count(owner) >= self.person_sessions:
            return Message(
                "You have {count} tabs of Coterie here, those that you closed within "
                "the last minutes among them, which is as many as one person may have: "
                "close some, and load the page again in two minutes.",
                count=self.person_sessions,
            )
        here = address not in ("", "127.0.0.1", "::1") and runtime.open_from[address]
        if here >= self.all_sessions // 2 or (
            runtime.session_count() >= self.all_sessions
        ):
            return Message(
                "As many tabs of Coterie are open as this server can have: load the "
                "page again in two minutes."
            )
        return NOTHING

    def why_not(self, runtime: OwnedRuntime, owner: Owner, size: int) -> Message:
        """Return why somebody may not upload so many bytes; nothing if they may."""
        if runtime.held_bytes(owner) + size > self.person:
            return Message(
                "The file was not taken: with it you would have more than {most:,.0f} "
                "MB here. Close other tabs of Coterie, or open a smaller file.",
                most=self.person / 2**20,
            )
        if runtime.held_bytes() + size > self.all:
            return Message(
                "The file was not taken: everybody together has as much here as this "
                "server holds. Try again later, or open a smaller file."
            )
        return NOTHING


def too_much(status: int) -> Message:
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


def no_room(error: OSError) -> Message:
    """Return, as a sentence, why a file could not be taken."""
    return Message(
        "The file could not be taken, because the folder for temporary files is full "
        "({reason}): make room there, and open it again.",
        reason=error.strerror,
    )
