"""Lessons as somebody opens them."""

import json

from dashboard.state import session
from tests.dashboard.pages import open_page


def open_lesson(show="", ws=None, **asked):
    if show:
        asked["show"] = show
    return open_page("learn", ws, **asked)


def class_data(page):
    """What the scripts of the class are given."""
    key = session.widget_key("class", "part")
    (component,) = (
        candidate for candidate in page.get("bidi_component") if candidate.key == key
    )
    return json.loads(json.loads(component.proto.json))


def links(page):
    """Every link to a part of Learn: its label and what it asks for."""
    protos = [link.proto for link in page.get("page_link")]
    return {
        (link.label, link.query_string)
        for link in protos
        if "chapter=" not in link.query_string  # in the manual
    }
