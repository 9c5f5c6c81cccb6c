"""What follows from the program, written anew: ``python -m tests.regenerate``.

That is tables of the README and the manual, and the catalogues of texts, of which it
names those that nobody has translated.
"""

from dashboard.i18n import catalogue
from tests.dashboard.manual.tables import rewrite_tables

if __name__ == "__main__":
    rewrite_tables()
    catalogue.main()
