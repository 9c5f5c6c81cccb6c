"""Environment variables on who may use the dashboard.

Workers and readers ask as well: they load neither the server nor Streamlit for it.
"""

TEAM_VARIABLE = "COTERIE_TEAM"
"""Set where more than one person is served."""

SIGN_IN_VARIABLE = "COTERIE_SIGN_IN"
"""Set where people must sign in, whatever else is found."""

SERVER_BEGUN = "COTERIE_BEGUN"
"""Set where a server has several processes: when the first began, in seconds."""

UNTIL_CLOSED_VARIABLE = "COTERIE_UNTIL_CLOSED"
"""Set where the server ends once its last tab has been closed."""
