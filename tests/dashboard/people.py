"""A table of people, all of whose columns are categories; and people who sign in."""

import numpy as np
import pandas as pd
import pytest

from dashboard.server import sign_in
from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from engine.data.table import Table


def people(n: int = 300) -> Table:
    """Return records with three quasi-identifiers and a confidential column."""
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(
        {
            "zip": rng.integers(10000, 10200, n).astype(str),
            "sex": rng.choice(["f", "m"], n),
            "age": rng.integers(20, 90, n),
            "ill": rng.choice(["yes", "no"], n),
        }
    )
    roles = [Role.QUASI_IDENTIFIER] * 3 + [Role.CONFIDENTIAL]
    columns = [
        Column(str(name), Kind.NOMINAL, role)
        for name, role in zip(frame, roles, strict=True)
    ]
    return Table.from_frame(frame, Schema(tuple(columns)))


def require_sign_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have people sign in by cookies that are signed with the secret ``long``."""
    monkeypatch.setenv(sign_in.SIGN_IN_VARIABLE, "1")
    monkeypatch.setattr(sign_in, "_auth_settings", lambda: {"cookie_secret": "long"})
    monkeypatch.setattr(
        "streamlit.web.server.starlette.starlette_websocket.get_cookie_secret",
        lambda: "long",
    )
