"""Nobody has more here than their quota, however they send it."""

from types import SimpleNamespace
from typing import Any, cast

from dashboard.server.adapter.runtime import OwnedRuntime
from dashboard.server.quotas import MAX_TABS, tab_denial_reason, upload_denial_reason


def test_files_that_are_on_their_way_count() -> None:
    runtime = object.__new__(OwnedRuntime)  # of which no more is needed here
    runtime._arriving_bytes = 0
    files_by_session = {"hers": {"1": SimpleNamespace(data=b"x" * 30)}}
    runtime._uploads = cast(Any, SimpleNamespace(file_storage=files_by_session))
    assert not upload_denial_reason(runtime.held_bytes() + 70, 100)
    with runtime.arriving(40):
        assert runtime.held_bytes() == 70
        assert not upload_denial_reason(runtime.held_bytes() + 30, 100)
        too_much = upload_denial_reason(runtime.held_bytes() + 31, 100)
        assert "you would have more" in too_much
    assert not upload_denial_reason(runtime.held_bytes() + 70, 100)


def test_nobody_opens_tabs_without_end() -> None:
    assert not tab_denial_reason(MAX_TABS - 1)
    assert f"{MAX_TABS} tabs" in tab_denial_reason(MAX_TABS)
