"""Links into Learn, and the lesson, part or term that the address names.

``learn?show=class-intruder`` is a lesson, ``learn?show=glossary`` the glossary, and
``learn?term=mdav`` one of its entries. Links between them change the page and load
nothing anew: what has been chosen and found stays.
"""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

from dashboard.i18n.language import _
from dashboard.i18n.text_glossary import METHOD_LINK_HELP
from dashboard.i18n.text_lessons import LINK_HELP
from dashboard.state import session
from engine.methods import methods

LEARN_PAGE = "app_pages/learn/view.py"

SHOW, TERM = "show", "term"
"""Names of the address's parameters."""

PUBLISHED, OTHER_TOOLS, GLOSSARY = "published", "other-tools", "glossary"
RUN_TIMES_PART = "run-times"
"""What is shown beside the lessons."""

CLASS_PREFIX = "class-"

EARLIER_LESSONS = {"k": "loss", "group-sizes": "fixed-size", "bound": "effort"}
"""Lessons by the names that addresses without the prefix had for them."""


def learn_part_in_address() -> str:
    """Return the part of Learn in the address; empty for its start and for terms."""
    return "" if glossary_term_in_address() else str(st.query_params.get(SHOW, ""))


def glossary_term_in_address() -> str:
    """Return the address's glossary term; empty if it has none."""
    return str(st.query_params.get(TERM, ""))


def write_query_to_address_bar() -> None:
    """Make the browser show the current page's address with its query, for sharing.

    Streamlit tells the page what a link asks for, but leaves the address as it is.
    """
    st.query_params.from_dict(st.query_params.to_dict())


_LEAD_HOME = """
// A click on the page that is open keeps what its address asks for: here it is to lead
// back to the list. Listened to before Streamlit's own navigation hears of it.
export default function ({ setTriggerValue }) {
  const heard = (event) => {
    const link = event.target.closest?.("header nav a");
    if (!link || link.pathname !== window.location.pathname) return;
    event.preventDefault();
    event.stopPropagation();
    setTriggerValue("home", true);
  };
  window.addEventListener("click", heard, true);
  return () => window.removeEventListener("click", heard, true);
}
"""

_home = st.components.v2.component(
    "coterie_learn_home", html="<div hidden></div>", js=_LEAD_HOME
)


def link_navigation_to_learn_start() -> None:
    """Make the navigation's link to Learn lead from its parts back to its start."""
    if learn_part_in_address() or glossary_term_in_address():
        _home(
            key=session.widget_key("learn home"),
            height="content",
            on_home_change=st.query_params.clear,
        )


def is_lesson_page(page_name: str) -> bool:
    """Return whether the address asks for a lesson, which has no page header.

    Parameters
    ----------
    page_name : str
        Name of the page in the address.
    """
    part = learn_part_in_address()
    pages = ("", PUBLISHED, RUN_TIMES_PART, OTHER_TOOLS, GLOSSARY)
    return page_name == "learn" and part not in pages


def class_part_in_address() -> str:
    """Return the address's part of Learn, less prefix, under its present name."""
    part = learn_part_in_address()
    if part.startswith(CLASS_PREFIX):
        return part.removeprefix(CLASS_PREFIX)
    return EARLIER_LESSONS.get(part, part)


def set_class_part_in_address(part_name: str) -> None:
    """Set `show` in the address to a part of the class; empty for Learn's start."""
    st.query_params[SHOW] = CLASS_PREFIX + part_name if part_name else ""


def show_link_to_learn_part(label: str, part_name: str = "", icon: str = "") -> None:
    """Show a link to a part of Learn, by default to its start."""
    query = {SHOW: part_name} if part_name else {}
    st.page_link(LEARN_PAGE, label=label, icon=icon, query_params=query)


def show_link_to_all_lessons() -> None:
    """Show a link to the list of all lessons."""
    show_link_to_learn_part(_("All lessons"), icon=":material/school:")


def show_link_to_term(label: str, entry_id: str, help_: str = "") -> None:
    """Show a link to an entry of the glossary."""
    st.page_link(
        LEARN_PAGE,
        label=label,
        icon=":material/menu_book:",
        help=help_,
        query_params={TERM: entry_id},
    )


def show_link_to_method(method: str) -> None:
    """Show a link to a method's glossary entry, named after the method."""
    title = _(methods.info(method).title)
    show_link_to_term(
        _("About {method}").format(method=title),
        methods.resolve(method),
        help_=_(METHOD_LINK_HELP),
    )


def show_learn_address_button(**query: str) -> None:
    """Show a button that unfolds the address of a part of Learn, to be copied."""
    with st.popover(_("Link"), icon=":material/link:", type="tertiary"):
        st.caption(_(LINK_HELP))
        st.code(learn_address(**query), language=None)


def learn_address(**query: str) -> str:
    """Return the full address of the page with only this query."""
    base = str(st.context.url or "").split("?")[0]
    return f"{base}?{urlencode(query)}"
