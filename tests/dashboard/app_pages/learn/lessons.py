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
    (shown,) = (one for one in page.get("bidi_component") if one.key == key)
    return json.loads(json.loads(shown.proto.json))


def links(page):
    """Every link to a part of Learn: its label and what it asks for."""
    found = [one.proto for one in page.get("page_link")]
    return {
        (one.label, one.query_string)
        for one in found
        if "chapter=" not in one.query_string  # in the manual
    }
