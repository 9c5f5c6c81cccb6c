"""Environment variables that say whom the dashboard is served to.

Workers and readers ask as well: they load neither the server nor Streamlit for it.
"""

TEAM = "COTERIE_TEAM"
"""Set where more than one person is served."""

REQUIRED = "COTERIE_SIGN_IN"
"""Set where people must sign in, whatever else is found."""

SERVER_BEGUN = "COTERIE_BEGUN"
"""Set where a server has several processes: when the first began, in seconds."""
