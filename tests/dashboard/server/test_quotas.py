"""Nobody has more here than their quota, however they send it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from dashboard.server.adapter.runtime import OwnedRuntime, SessionOwner
from dashboard.server.quotas import UploadQuotas

ANN = SessionOwner("browser of hers", "")


def test_files_that_are_on_their_way_count() -> None:
    runtime = object.__new__(OwnedRuntime)  # of which no more is needed here
    runtime._arriving_bytes = 0
    kept = {"hers": {"1": SimpleNamespace(data=b"x" * 30)}}
    runtime._uploads = cast(Any, SimpleNamespace(file_storage=kept))
    quotas = UploadQuotas(max_bytes=100)
    assert not quotas.upload_denial_reason(runtime, 70)
    with runtime.arriving(40):
        assert runtime.held_bytes() == 70
        assert not quotas.upload_denial_reason(runtime, 30)
        assert "you would have more" in quotas.upload_denial_reason(runtime, 31)
    assert not quotas.upload_denial_reason(runtime, 70)


def test_nobody_opens_tabs_without_end() -> None:
    runtime = object.__new__(OwnedRuntime)
    runtime.owners, quotas = {}, UploadQuotas(max_sessions=3)
    for number in range(3):
        assert not quotas.session_denial_reason(runtime)
        runtime.owners[f"{number}"] = ANN
    assert "3 tabs" in quotas.session_denial_reason(runtime)
