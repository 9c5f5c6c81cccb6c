"""Page on which people sign out, if the server asks them to sign in."""

from __future__ import annotations

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from dashboard.i18n import text_serving as text
from dashboard.i18n.language import _
from dashboard.server import sign_in
from dashboard.server.sign_in_page import sign_out_form

_BUTTON_STYLE = """<style>
.sign-out button { border: 0; border-radius: .5rem; padding: .5rem 1rem; font: inherit;
  cursor: pointer; background: #0072b2; color: white }
</style>"""


def sign_out_pages() -> list[StreamlitPage]:
    """Return a list with the sign-out page; empty if no sign-in is required."""
    if not sign_in.is_sign_in_required():
        return []
    title, icon = _("Sign out"), ":material/logout:"
    return [st.Page(_show_sign_out, title=title, url_path="sign-out", icon=icon)]


def _show_sign_out() -> None:
    st.header(_("Sign out"), anchor=False)
    st.markdown(_(text.SIGNING_OUT_ERASES))
    user = sign_in.user_of_request(st.context.cookies.to_dict())
    form = sign_out_form(user, _("Sign out now"))
    st.html(f'{_BUTTON_STYLE}<div class="sign-out">{form}</div>')
