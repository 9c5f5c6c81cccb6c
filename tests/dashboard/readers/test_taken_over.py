"""What a reading process leaves that a file has taken over harms nobody."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from dashboard.readers import work_kinds
from dashboard.readers.reading import FileReadingJob
from engine.storage.outcomes import write_json

CONTENT = b"a,b\n1,2\n2,3\n3,4\n"


def left(folder: Path, kind: str) -> FileReadingJob:
    """Return a reading whose process has ended, and left what a kind leaves."""
    order = {"name": "t.csv", "ways": [None], "fingerprint": None, "most_bytes": 2**30}
    contents = {"hierarchy": b"x;y;*\nz;y;*\n", "plan": b'{"k": 7, "method": "mdav"}'}
    work_kinds.WORK_KINDS[kind].read(contents.get(kind, CONTENT), order, folder)
    write_json(folder / "answer.json", {})
    reading = FileReadingJob(kind, "t.csv", None, "", folder)
    reading.mark_ready()
    return reading


def replaced(path: Path, content: bytes) -> None:
    path.unlink()
    path.write_bytes(content)


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def link(path: Path) -> None:
    path.unlink()
    path.symlink_to("/etc/hostname")


def edited(path: Path, **changes: object) -> None:
    content = json.loads(path.read_text())
    replaced(path, json.dumps({**content, **changes}).encode())


LAUGH = {"template": "{a}" * 9_999, "values": {"a": "x" * 9_999}}

LIES: dict[str, tuple[str, Callable[[Path], None]]] = {
    "no answer": ("table", lambda at: (at / "answer.json").unlink()),
    "pipe": ("table", lambda at: pipe(at / "answer.json")),
    "link": ("table", lambda at: link(at / "answer.json")),
    "long": ("table", lambda at: replaced(at / "answer.json", b" " * 2**24)),
    "deep": ("table", lambda at: replaced(at / "answer.json", b"[" * 10**6)),
    "list": ("table", lambda at: replaced(at / "answer.json", b"[]")),
    "number": ("table", lambda at: replaced(at / "answer.json", b'{"failed": 1}')),
    "laugh": ("table", lambda at: edited(at / "answer.json", failed=LAUGH)),
    "values gone": ("table", lambda at: (at / "table/values.arrow").unlink()),
    "values": ("table", lambda at: pipe(at / "table/values.arrow")),
    "digits": ("table", lambda at: edited(at / "table/table.json", fingerprint=1)),
    "way out": ("table", lambda at: edited(at / "table/table.json", name="../../x")),
    "another's": (
        "table",
        lambda at: edited(
            at / "table/table.json",
            carried={"name": "x", "digest": "x", "path": "/etc/hostname"},
        ),
    ),
    "schema": ("table", lambda at: replaced(at / "table/schema.json", b"[" * 10**6)),
    "others": (
        "table",
        lambda at: replaced(
            at / "table/schema.json", b'{"columns": [{"name": "c", "kind": "nominal"}]}'
        ),
    ),
    "seen of others": ("table", lambda at: edited(at / "seen.json", suggestions=[])),
    "seen": ("table", lambda at: edited(at / "seen.json", distinct=[-1, -1])),
    "rows": ("hierarchy", lambda at: replaced(at / "rows.json", b"[[1, 2], [3, 4]]")),
    "many": (
        "hierarchy",
        lambda at: replaced(at / "rows.json", b"[" + b'["a"],' * 10**6 + b'["a"]]'),
    ),
    "NaN": ("plan", lambda at: replaced(at / "plan.json", b'"{\\"k\\": NaN}"')),
    "object": ("plan", lambda at: replaced(at / "plan.json", b'{"k": 3}')),
    "long plan": (
        "plan",
        lambda at: replaced(at / "plan.json", b'"' + b" " * 2**26 + b'"'),
    ),
    "preview": ("preview", lambda at: edited(at / "preview.json", layouts=[])),
    "cells": ("preview", lambda at: edited(at / "preview.json", rows=[[1]])),
}


_LINKS = pytest.mark.posix("pipes and links have other names there")


@pytest.mark.parametrize(
    "lie",
    [
        pytest.param(lie, marks=_LINKS) if lie in ("pipe", "link", "values") else lie
        for lie in LIES
    ],
)
def test_lies_of_a_process_are_a_sentence(lie: str, tmp_path: Path) -> None:
    kind, tell = LIES[lie]
    folder = tmp_path / "job"
    folder.mkdir()
    reading = left(folder, kind)
    tell(folder)
    start_seconds = time.process_time()
    reading.fetch_result()
    assert time.process_time() - start_seconds < 2.0
    assert (reading.state, reading.result) == ("failed", None)
    assert 0 < len(reading.message) < 1_000
    assert not folder.exists()


@pytest.mark.parametrize("kind", ["table", "hierarchy", "plan", "preview"])
def test_what_is_left_in_good_faith_is_fetched(kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "job"
    folder.mkdir()
    reading = left(folder, kind)
    reading.fetch_result()
    assert reading.state == "done", reading.message
    assert reading.result is not None


def test_what_would_take_long_to_take_over_is_refused_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work_kinds, "MAX_FETCH_SECONDS", -1.0)
    left(tmp_path, "table")
    with pytest.raises(work_kinds.EngineError, match="nobody else could work"):
        work_kinds.check_fetch_time_in_process(
            tmp_path, {"kind": "table", "name": "t.csv"}
        )
    work_kinds.check_fetch_time_in_process(
        tmp_path, {"kind": "release", "name": "t.csv"}
    )


STAYING = """
import os, time
from dashboard.readers import process, work_kinds

def leave(content, order, folder):
    for _ in range(2):
        if os.fork() == 0:
            os.setsid()  # out of reach of whoever ends a group
            if os.fork():
                os._exit(0)
            os.write(2, b"%d\\n" % os.getpid())  # a line at once
            time.sleep(600)
    time.sleep(0.2)
    return {}

work_kinds.WORK_KINDS = {"plan": work_kinds.WorkKind(leave, lambda folder: None)}
process.main()
"""


@pytest.mark.posix("no process is copied there")
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody can be asked")
def test_nothing_that_a_process_has_started_outlives_it(tmp_path: Path) -> None:
    job = tmp_path / "job"
    job.mkdir()
    (job / "content").write_bytes(b"")
    write_json(job / "order.json", {"kind": "plan", "name": "p.json", "sha256": None})
    with subprocess.Popen(
        [sys.executable, "-c", STAYING],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": tempfile.gettempdir()},
    ) as reader:
        assert reader.stdin is not None
        assert reader.stdout is not None
        assert reader.stderr is not None
        order = {"folder": str(job), "memory": 2**31, "seconds": 60}
        reader.stdin.write(json.dumps(order).encode() + b"\n")
        reader.stdin.flush()
        assert json.loads(reader.stdout.readline()) == {"folder": str(job), "exit": 0}
        started = [int(reader.stderr.readline()) for _ in range(2)]
        for pid in started:
            with pytest.raises(ProcessLookupError):
                os.kill(pid, 0)
        reader.stdin.close()


def test_records_of_a_ledger_check_are_as_many_as_records(tmp_path: Path) -> None:
    from dashboard.readers.releases import fetch_ledger_check

    for n_records, opened in ((2, [0, 1, 2]), (-1, []), (3.5, [])):
        write_json(tmp_path / "found.json", [n_records, 1, 0, 0])
        np.save(tmp_path / "opened.npy", np.array(opened, np.int64))
        with pytest.raises(work_kinds.DamagedFileError):
            fetch_ledger_check(tmp_path)
