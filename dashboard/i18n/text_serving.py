"""Texts for people who share a server."""

SIGN_IN_FIRST = "Sign in to protect tables here."

SIGNING_OUT_ERASES = (
    "What you have here is erased when you sign out: files, choices and results of all "
    "your tabs. What you have downloaded stays yours."
)

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

SERVER_STATUS = (
    "{taken} of {places} places are taken. {people} people wait for one, and {runs} "
    "runs for their turn. The server takes {memory} MB beside the places. One person's "
    "runs may take {minutes} minutes of processor within an hour."
)
CANNOT_BE_UNDONE = "What is ended is erased, and cannot be brought back."
RUNS_END = "All runs of this place end at once. The results that are there stay."
SERVER_ENDS = (
    "Nobody can come in any more. Those who are here can finish within the minutes "
    "that a restart gives them; then the server ends."
)
