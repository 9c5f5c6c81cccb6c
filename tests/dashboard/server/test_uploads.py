"""Uploads are taken in without detours, and nobody's file is another's."""

from __future__ import annotations

import copy

import pytest
from starlette import formparsers
from starlette.formparsers import MultiPartParser
from streamlit.proto.Common_pb2 import FileURLs
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileRec

from dashboard.server import uploads


def test_a_file_is_not_copied_whenever_its_page_is_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(UploadedFile, "__deepcopy__", None, raising=False)
    monkeypatch.setattr(MultiPartParser, "spool_max_size", 1)
    monkeypatch.setattr(formparsers, "SpooledTemporaryFile", None)
    uploads.take_in_directly()
    content = bytes(range(256))
    made = UploadedFile(UploadedFileRec("1", "t.csv", "text/csv", content), FileURLs())
    assert copy.deepcopy([made])[0] is made
    assert made.getvalue() is content
    assert MultiPartParser.spool_max_size == uploads.IN_MEMORY
    assert formparsers.SpooledTemporaryFile is uploads.Whole


@pytest.mark.parametrize("size", [0, 1, 64, 65, 1000])
def test_what_has_come_is_read_as_from_any_file(size: int) -> None:
    content = bytes(range(256)) * 4
    with uploads.Whole(max_size=64) as file:
        for start in range(0, size, 10):
            file.write(content[start : min(start + 10, size)])
        file.seek(0)
        assert [file.read(), file.read()] == [content[:size], b""]
        file.seek(1)
        assert [file.read(1), file.read()] == [content[1:size][:1], content[2:size]]


def test_what_is_in_memory_is_handed_over_without_a_copy() -> None:
    with uploads.Whole(max_size=2**20) as file:
        file.write(b"record" * 1000)
        file.seek(0)
        found = file.read()
        file.seek(0)
        assert file.read() is found
