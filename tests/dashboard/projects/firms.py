"""A file of firms as somebody has opened it."""

from dataclasses import replace

from dashboard.state.new_tables.new_table import copy_with_table
from dashboard.state.snapshots.snapshot import Upload
from dashboard.state.workspace import Workspace
from engine.files import read_table
from tests.dashboard.pages import small_table

CSV = small_table(90).frame.to_csv(index=False, sep=";").encode()


UPLOAD = Upload("firms.csv", CSV)


def opened(**choices: object) -> Workspace:
    """Return a workspace with a file of its own, and roles that nobody proposes."""
    table = read_table(CSV, name="firms.csv").assign(
        roles={
            "name": "identifier",
            "size": "quasi-identifier",
            "sales": "quasi-identifier",
            "region": "other",
            "debt": "confidential",
        }
    )
    ws = copy_with_table(Workspace(), table, UPLOAD)
    fields = {"methods": ("mdav", "individual-ranking"), "sizes": (3, 5)} | choices
    return replace(ws, table=table, **fields)
