"""Connection of a place (process) to its supervisor, and the page to erase it."""

from __future__ import annotations

from typing import Any

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from dashboard.audit import events
from dashboard.audit.log import AuditError
from dashboard.i18n.language import _
from dashboard.jobs import jobs
from dashboard.places.sharing import restart_notice
from dashboard.places.sharing.remote_runs import make_remote_sharing
from dashboard.places.sharing.shared_readings import SharedReaderClient
from dashboard.places.sharing.supervisor_link import SupervisorLink, supervisor_link
from dashboard.readers import readings
from dashboard.server import sign_in
from engine.core.message import message_from_json


class RemoteEventWriter:
    """Writer of audit events that sends each event to the supervisor."""

    def __init__(self, link: SupervisorLink) -> None:
        self._link = link

    def write(self, event: str, person: str, **facts: Any) -> None:
        """Have the supervisor write an event, and wait until it is written."""
        answer = self._link.ask("audit", event=event, who=person, facts=facts)
        if answer["why"]:
            raise AuditError(message_from_json(answer["why"]))

    def note_refusal(self, address: str, reason: str, person: str) -> None:
        """Have the supervisor count a refused request."""
        self._link.tell("refused", address=address, reason=reason, who=person)


def connect_to_supervisor(link: SupervisorLink) -> None:
    """Make this place use the supervisor's sign-outs, turns, quotas and audit log."""
    events.set_event_writer(RemoteEventWriter(link))
    jobs.set_shared_job_services(make_remote_sharing(link))
    readings.set_shared_reader(SharedReaderClient(link))

    def hear_sign_out(message: dict[str, Any]) -> None:
        sign_in.add_sign_out_revocation(message["digest"])

    link.register_listener("signed out", hear_sign_out)
    link.register_listener("restart", restart_notice.record_announced_restart)
    for digest in link.ask("signed out")["digests"]:
        sign_in.add_sign_out_revocation(digest)
    sign_in.register_sign_out_listener(
        lambda digest: link.tell("signed out", digest=digest)
    )


def erasure_pages() -> list[StreamlitPage]:
    """Return a list with the page that erases a person's data; empty if in no place."""
    if supervisor_link() is None:
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
    supervisor = supervisor_link()
    if st.button(_("Erase everything now"), type="primary") and supervisor is not None:
        supervisor.tell("leave", why="erased")
