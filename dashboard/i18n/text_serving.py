"""Texts for people who share a server; see :mod:`dashboard.i18n.text`."""

SIGN_IN_FIRST = "Sign in to protect tables here."

SIGNING_OUT_ERASES = (
    "What you have here is erased when you sign out: files, choices and results of all "
    "your tabs. What you have downloaded stays yours."
)
SIGN_OUT_NOW = "Sign out now"

SIGN_IN = "Sign in"
SIGN_IN_WITH = "Sign in with {provider}"

NO_SIGN_IN = (
    "Nobody can sign in here, because the settings for it could not be read: ask "
    "whoever started Coterie to look at the section [auth] of its settings."
)
"""Shown where signing in is asked for and the file has gone or changed since."""

NOT_ALLOWED = (
    "You have signed in, but are not among those who may use Coterie here: ask whoever "
    "runs this server."
)
"""Shown to people whom the settings do not allow."""
