"""A place joins the others: sign-outs, turns and quotas hold in all of them."""

from __future__ import annotations

from typing import Any

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from dashboard.audit import events
from dashboard.audit.log import AuditError
from dashboard.i18n.language import _
from dashboard.jobs import jobs
from dashboard.places import restart_notice
from dashboard.places.link import Link, link
from dashboard.places.remote_runs import share_runs
from dashboard.places.shared_readings import SharedReaderClient
from dashboard.readers import readings
from dashboard.server import sign_in
from engine.core.message import message_from_json


class RemoteWriter:
    """Has the supervisor write events; see :mod:`dashboard.audit.events`.

    Parameters
    ----------
    link : Link
    """

    def __init__(self, link: Link) -> None:
        self._link = link

    def write(self, event: str, who: str, **facts: Any) -> None:
        """Have an event added, and wait until it is."""
        answer = self._link.ask("audit", event=event, who=who, facts=facts)
        if answer["why"]:
            raise AuditError(message_from_json(answer["why"]))

    def note_refusal(self, address: str, reason: str, who: str) -> None:
        """Have a refusal counted."""
        self._link.tell("refused", address=address, reason=reason, who=who)


def join_places(supervisor: Link) -> None:
    """Have this process share with all others what is everybody's.

    Parameters
    ----------
    supervisor : Link
    """
    events.use_writer(RemoteWriter(supervisor))
    jobs.share(share_runs(supervisor))
    readings.share(SharedReaderClient(supervisor))

    def hear_sign_out(said: dict[str, Any]) -> None:
        sign_in.refuse(bytes.fromhex(said["digest"]))

    supervisor.on("signed out", hear_sign_out)
    supervisor.on("restart", restart_notice.hear_restart)
    for digest in supervisor.ask("signed out")["digests"]:
        sign_in.refuse(bytes.fromhex(digest))
    sign_in.on_sign_out(
        lambda digest: supervisor.tell("signed out", digest=digest.hex())
    )


def erase_pages() -> list[StreamlitPage]:
    """Return the page that erases all that a person has here, in a place."""
    if link() is None:
        return []
    return [
        st.Page(
            _show_erasing,
            title=_("Erase everything"),
            url_path="erase",
            icon=":material/delete_forever:",
        )
    ]


def _show_erasing() -> None:
    st.header(_("Erase everything"), anchor=False)
    st.markdown(
        _(
            "All that you have here is in one process, and goes with it at once: "
            "files, choices and results of all your tabs. What you have downloaded "
            "stays yours."
        )
    )
    supervisor = link()
    if st.button(_("Erase everything now"), type="primary") and supervisor is not None:
        supervisor.tell("leave", why="erased")
