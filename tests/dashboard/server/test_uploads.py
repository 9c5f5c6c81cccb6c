"""Uploads are taken in without detours, and nobody's file is another's."""

from __future__ import annotations

import copy

import pytest
from starlette.formparsers import MultiPartParser
from streamlit.proto.Common_pb2 import FileURLs
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileRec

from dashboard.server import uploads


def test_a_file_is_not_copied_whenever_its_page_is_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(UploadedFile, "__deepcopy__", None, raising=False)
    monkeypatch.setattr(MultiPartParser, "spool_max_size", 1)
    uploads.take_in_directly()
    content = bytes(range(256))
    made = UploadedFile(UploadedFileRec("1", "t.csv", "text/csv", content), FileURLs())
    assert copy.deepcopy([made])[0] is made
    assert made.getvalue() is content
    assert MultiPartParser.spool_max_size == uploads.IN_MEMORY
