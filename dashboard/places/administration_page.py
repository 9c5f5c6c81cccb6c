"""Page on which administrators see who is there, and end what has to end."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import pandas as pd
import streamlit as st
from streamlit.navigation.page import StreamlitPage

from dashboard.i18n import text_serving as text
from dashboard.i18n.language import _
from dashboard.places.control import PlaceStatus, ServerStatus
from dashboard.places.supervisor_link import SupervisorLink, supervisor_link
from dashboard.server import sign_in

LOOK_SECONDS = 5.0
"""Seconds between two looks of an open page at the server."""


def administration_pages() -> list[StreamlitPage]:
    """Return the page in a list; empty outside a place, and for all others."""
    is_named = sign_in.is_user_allowed(st.user, "administrators", unless_set=False)
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
    with st.expander(_("Last lines of the audit log")):
        st.dataframe(pd.DataFrame(_ask(link, "GET", "/events")[1]).astype(str))


@st.fragment(run_every=LOOK_SECONDS)
def _show_status(link: SupervisorLink) -> None:
    status = ServerStatus.from_json(_ask(link, "GET", "/places")[1])
    st.markdown(_(text.SERVER_STATUS).format(**status_facts(status)))
    if not status.is_open:
        st.info(_(text.SERVER_DRAINS))
    st.dataframe(place_table(status), hide_index=True)
    versions = {"Coterie": status.version, **status.dependencies}
    st.caption(", ".join(map(" ".join, versions.items())))


def status_facts(status: ServerStatus) -> dict[str, Any]:
    """Return the numbers of the page's first sentence, by their names."""
    return {
        "taken": sum(place.has_person for place in status.places),
        "places": len(status.places),
        "people": status.people_waiting,
        "runs": sum(place.runs.get("waiting", 0) for place in status.places),
        "memory": f"{status.memory_bytes / 2**20:,.0f}",
        "minutes": f"{status.max_processor_minutes:.0f}",
    }


def place_table(status: ServerStatus) -> pd.DataFrame:
    """Return a row for each place: who has it, and what is going on there."""
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


def _show_acts(link: SupervisorLink) -> None:
    """Offer to end places, runs, all of a person, and the server."""
    status = ServerStatus.from_json(_ask(link, "GET", "/places")[1])
    taken = [place for place in status.places if place.has_person]
    names = {p.place: f"{p.place} {p.person}".strip() for p in taken}
    place = st.selectbox(
        _("Place of a person"), list(names), format_func=names.__getitem__
    )
    people = sorted({each.person for each in taken if each.person})
    person = st.selectbox(_("Signed in as"), people)
    acts = (
        (
            _("End the runs of this place"),
            "/".join(["", "places", str(place), "end-runs"]),
            place,
        ),
        (_("End this place"), "/".join(["", "places", str(place), "end"]), place),
        (
            _("Erase everything of this person"),
            "/".join(["", "people", quote(person or "", safe=""), "erase"]),
            person,
        ),
        (_("Let nobody in any more"), "/drain", "all"),
    )
    for column, (label, target, subject) in zip(st.columns(4), acts, strict=True):
        with column.popover(label, disabled=not subject):
            st.markdown(_(text.CANNOT_BE_UNDONE))
            if st.button(_("Yes, do it"), key=label, type="primary"):
                code, _body = _ask(link, "POST", target)
                st.markdown(_("Done.") if code == 200 else _("Nobody is there."))
