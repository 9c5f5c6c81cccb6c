"""Nobody has more here than their share, however they send it."""

from __future__ import annotations

from collections import Counter

from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager

from dashboard.server.application import OwnedRuntime, Owner
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
