"""Nobody has more here than their share, however they send it."""

from __future__ import annotations

import contextlib
from collections import Counter

from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager

from dashboard.server.adapter.runtime import OwnedRuntime, Owner
from dashboard.server.quotas import Quotas

ANN, BOB = Owner("browser of hers", ""), Owner("browser of his", "")


def test_files_that_are_on_their_way_count() -> None:
    runtime = object.__new__(OwnedRuntime)  # of which no more is needed here
    runtime._arriving, runtime.owners = Counter(), {}
    runtime._uploads = MemoryUploadedFileManager("/upload")
    quotas = Quotas(person=100, all=150)
    assert not quotas.why_not(runtime, ANN, 60)
    with runtime.arriving(ANN, 60):
        assert "you would have more" in quotas.why_not(runtime, ANN, 60)
        assert not quotas.why_not(runtime, BOB, 60)
        with runtime.arriving(BOB, 80):
            assert "everybody together" in quotas.why_not(runtime, BOB, 20)
    assert not quotas.why_not(runtime, ANN, 100)


def test_nobody_opens_tabs_without_end() -> None:
    runtime = object.__new__(OwnedRuntime)
    runtime.open_from, runtime.owners = Counter(), {}
    quotas = Quotas(person_sessions=3, all_sessions=8)

    def why(owner: Owner, address: str = "10.0.0.7") -> str:
        return quotas.why_no_session(runtime, owner, address)

    for number in range(3):
        assert not why(ANN)
        runtime.owners[f"hers {number}"] = ANN
    assert "3 tabs" in why(ANN)
    assert not why(BOB)
    with contextlib.ExitStack() as stack:
        for _ in range(4):
            assert not why(BOB)
            stack.enter_context(runtime.connected("10.0.0.7"))
        assert "this server can have" in why(BOB)
        assert not why(BOB, "10.0.0.8")
        assert not why(BOB, "127.0.0.1")  # a proxy, behind which are all
    assert not runtime.open_from
    # Somebody who has signed in is the same person in every browser.
    runtime.owners |= {f"{one}": Owner(f"browser {one}", "eve") for one in range(3)}
    assert "3 tabs" in why(Owner("another browser", "eve"))
    runtime.owners |= {f"tab {one}": Owner(f"{one}", "") for one in range(2)}
    assert "this server can have" in why(BOB)


def test_who_has_no_cookie_yet_is_let_in_however_many_programs_have_none() -> None:
    runtime = object.__new__(OwnedRuntime)
    runtime.open_from, runtime.owners = Counter(), {}
    quotas = Quotas(person_sessions=3, all_sessions=8)
    nobody = Owner("", "")
    runtime.owners |= {f"{one}": nobody for one in range(7)}
    assert not quotas.why_no_session(runtime, nobody, "10.0.0.7")
    runtime.owners["the last"] = nobody
    assert "this server can have" in quotas.why_no_session(runtime, nobody, "10.0.0.7")
