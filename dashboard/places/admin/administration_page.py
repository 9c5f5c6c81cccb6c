"""Page for administrators: places, people and events of a server, and acts on them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

import pandas as pd
import streamlit as st
from streamlit.navigation.page import StreamlitPage

from dashboard.i18n import text_serving as text
from dashboard.i18n.language import _
from dashboard.places.admin.administration import format_utc_time
from dashboard.places.admin.control import PlaceStatus, ServerStatus
from dashboard.places.sharing.shared_state import SharedServer
from dashboard.places.sharing.supervisor_link import SupervisorLink, supervisor_link
from dashboard.server import sign_in

PLACE_KEY, PERSON_KEY = "administered_place", "administered_person"
"""Keys by which choices stay as they are while people come and go."""

LOOK_SECONDS = 5.0
"""Seconds between two looks of an open page at the server."""


def administration_pages() -> list[StreamlitPage]:
    """Return a list of the page if an administrator is signed in to a place, or []."""
    is_named = sign_in.is_user_allowed(
        st.user, "administrators", default_if_unset=False
    )
    if supervisor_link() is None or not (sign_in.signed_in_person_id() and is_named):
        return []
    return [
        st.Page(
            _show_administration,
            title=_("Administration"),
            url_path="administration",
            icon=":material/admin_panel_settings:",
        )
    ]


def _ask(link: SupervisorLink, method: str, target: str) -> tuple[int, Any]:
    who = sign_in.signed_in_person_id()
    reply = link.ask("administer", method=method, target=target, who=who)
    return reply["status"], json.loads(reply["body"])


def _show_administration() -> None:
    link = supervisor_link()
    assert link is not None
    st.header(_("Administration"), anchor=False)
    _show_status(link)
    _show_acts(link)
    # As texts: what one event lacks is no number in the others.
    lines = [
        {name: str(value) for name, value in event.items()}
        for event in _ask(link, "GET", "/events")[1]
    ]
    if lines:
        with st.expander(_("Last lines of the audit log")):
            st.dataframe(pd.DataFrame(lines).fillna(""), hide_index=True)


@st.fragment(run_every=LOOK_SECONDS)
def _show_status(link: SupervisorLink) -> None:
    status = ServerStatus.from_json(_ask(link, "GET", "/places")[1])
    st.markdown(_(text.SERVER_STATUS).format(**server_status_facts(status)))
    if not status.is_open:
        st.info(_("Nobody is let in any more; the server ends when all have left."))
    st.dataframe(frame_of_places(status), hide_index=True)
    if status.servers:
        st.dataframe(frame_of_servers(status.servers), hide_index=True)
    versions = {"Coterie": status.version, **status.dependencies}
    st.caption(", ".join(map(" ".join, versions.items())))


def server_status_facts(status: ServerStatus) -> dict[str, Any]:
    """Return the counts and amounts of the page's first sentence, by name."""
    return {
        "taken": sum(place.has_person for place in status.places),
        "places": len(status.places),
        "people": status.people_waiting,
        "runs": sum(place.runs.get("waiting", 0) for place in status.places),
        "memory": f"{status.memory_bytes / 2**20:,.0f}",
        "minutes": f"{status.max_processor_minutes:.0f}",
    }


def frame_of_places(status: ServerStatus) -> pd.DataFrame:
    """Return a data frame, for display, with a row for each place in a status."""
    return pd.DataFrame([_place_row(place) for place in status.places])


def _place_row(place: PlaceStatus) -> dict[str, Any]:
    return {
        _("Place of a person"): place.place,
        _("State"): place.state,
        _("Signed in as"): place.person,
        _("Tabs"): place.tabs,
        _("Minutes here"): round(place.taken_seconds / 60),
        _("Minutes without a click"): round(place.idle_seconds / 60),
        _("Memory, MB"): round(place.memory_bytes / 2**20),
        _("Runs"): place.runs.get("running", 0),
        _("Runs that wait"): place.runs.get("waiting", 0),
        _("Files"): sum(place.files.values()),
        _("Minutes of processor"): round(place.processor_minutes),
    }


def frame_of_servers(servers: Sequence[SharedServer]) -> pd.DataFrame:
    """Return a data frame, for display, with a row for each given server."""
    rows = [
        {
            _("Server"): server.name,
            _("Places that are taken"): server.taken,
            _("Places"): server.places,
            _("Lets people in"): server.is_open,
            _("Last seen"): format_utc_time(server.seen),
            _("Last line of its audit log"): server.head,
        }
        for server in servers
    ]
    return pd.DataFrame(rows)


def _show_acts(link: SupervisorLink) -> None:
    """Offer to end places, runs, all of a person, and the server."""
    status = ServerStatus.from_json(_ask(link, "GET", "/places")[1])
    taken_places = [place for place in status.places if place.has_person]
    names = {p.place: f"{p.place} {p.person}".strip() for p in taken_places}
    of_place, of_person, of_server = st.columns([4, 3, 2], border=True)
    with of_place:
        place = st.selectbox(
            _("Place of a person"),
            list(names),
            format_func=names.__getitem__,
            key=PLACE_KEY,
        )
        with st.container(horizontal=True):
            for label, act, warning in (
                (_("End the runs of this place"), "end-runs", text.RUNS_END),
                (_("End this place"), "end", text.CANNOT_BE_UNDONE),
            ):
                target = ["places", str(place), act]
                _offer_act(link, label, target, warning, names.get(place or "", ""))
    with of_person:
        people = sorted({each.person for each in taken_places if each.person})
        person = st.selectbox(_("Signed in as"), people, key=PERSON_KEY)
        target = ["people", quote(person or "", safe=""), "erase"]
        label = _("Erase everything of this person")
        _offer_act(link, label, target, text.CANNOT_BE_UNDONE, person or "")
    with of_server:
        st.markdown(_("This server"))
        label = _("Let nobody in any more")
        _offer_act(link, label, ["drain"], text.SERVER_ENDS, _("This server"))


def _offer_act(
    link: SupervisorLink, label: str, target: Sequence[str], warning: str, subject: str
) -> None:
    """Offer one act on a subject, ask for a confirmation, and say what came of it.

    Who is there changes: a click on a button of another subject must do nothing.
    """
    with st.popover(label, disabled=not subject):
        st.text(subject)
        st.markdown(_(warning))
        if st.button(_("Yes, do it"), key="/".join(target), type="primary"):
            code, _body = _ask(link, "POST", "/".join(["", *target]))
            st.markdown(_("Done.") if code in (200, 202) else _("Nobody is there."))
