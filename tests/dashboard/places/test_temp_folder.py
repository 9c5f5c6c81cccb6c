"""What passes through files goes with the server, however that ends."""

import asyncio
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dashboard.jobs.workers.folders import (
    SCRATCH_VARIABLE,
    remove_scratch_folder_of_ended_server,
)
from dashboard.places import temp_folder
from engine.core.errors import ParameterError
from tests.asynchronous import finish
from tests.benchmarks.visitor import Visitor, visit
from tests.browser import conftest
from tests.browser.conftest import Server, serving


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for name in ("TMPDIR", SCRATCH_VARIABLE):
        monkeypatch.setenv(name, str(tmp_path))
    before = signal.getsignal(signal.SIGTERM)
    yield tmp_path
    signal.signal(signal.SIGTERM, before)


@pytest.mark.posix("no server runs there")
def test_all_temporary_files_are_private_and_in_one_folder(folder: Path) -> None:
    private_folder = temp_folder.use_private_temp_folder()
    assert private_folder.parent == folder
    assert stat.S_IMODE(private_folder.stat().st_mode) == 0o700
    assert Path(tempfile.mkdtemp()).parent == private_folder
    script = "import tempfile; print(tempfile.gettempdir())"
    process = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=True
    )
    assert process.stdout.decode().strip() == str(private_folder)


@pytest.mark.posix("no server runs there")
def test_only_folders_of_servers_that_are_no_more_are_removed(folder: Path) -> None:
    dead, young = folder / "coterie-server-dead", folder / "coterie-server-young"
    other = folder / "another"
    for path in (dead, young, other):
        path.mkdir()
    (dead / "lock").touch()
    (dead / "table.sav").write_text("secret")
    private_folder = temp_folder.use_private_temp_folder()
    tempfile.tempdir = str(folder)
    temp_folder.remove_stale_temp_folders()  # as another server that starts meanwhile
    assert set(folder.iterdir()) == {young, other, private_folder}


def test_a_folder_that_cannot_be_written_to_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(folder / "nowhere"))
    with pytest.raises(ParameterError, match="cannot be written to"):
        temp_folder.use_private_temp_folder()


WRITER = """
import asyncio
import os, sys, tempfile, time
from dashboard.places.temp_folder import use_private_temp_folder
use_private_temp_folder()
with tempfile.TemporaryDirectory() as folder:  # as for SPSS, Stata and SAS
    open(os.path.join(folder, "table.sav"), "w").write("secret")
    print("written", flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGKILL])
def test_texts_of_a_server_that_is_ended_are_erased(folder: Path, sign: int) -> None:
    process = subprocess.Popen([sys.executable, "-c", WRITER], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"written\n"
    process.send_signal(sign)
    process.communicate()
    if sign == signal.SIGKILL:
        assert list(folder.rglob("table.sav"))
        temp_folder.remove_stale_temp_folders()  # as the next server that starts
    assert not list(folder.iterdir())


def test_only_the_folder_of_a_server_that_has_ended_goes_with_its_workers(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with subprocess.Popen([sys.executable, "-c", WRITER], stdout=-1) as process:
        assert process.stdout is not None
        process.stdout.readline()
        (scratch,) = folder.glob("coterie-server-*")
        monkeypatch.setenv(SCRATCH_VARIABLE, str(scratch))
        remove_scratch_folder_of_ended_server()
        assert list(scratch.rglob("table.sav"))
        process.kill()
        remove_scratch_folder_of_ended_server()  # at once, as a worker hears of it
    assert not list(folder.iterdir())
    monkeypatch.setenv(SCRATCH_VARIABLE, str(folder))  # a place's, which has no lock
    remove_scratch_folder_of_ended_server()
    assert folder.exists()


def visiting(server: Server, do: Callable[[Visitor], object]) -> Visitor:
    async def act() -> Visitor:
        async with visit(server.port, Visitor) as visitor:
            await visitor.do("open")
            await do(visitor)  # type: ignore[misc]
            return visitor

    return finish(act())


def table(megabytes: float) -> bytes:
    return b"a,b\n" + b"1.25,2\n" * int(megabytes * 2**20 / 7)


@pytest.mark.slow
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGKILL])
def test_a_server_that_cannot_write_beside_itself_leaves_nothing(
    tmp_path: Path, sign: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    nowhere = tmp_path / "nowhere"
    nowhere.write_text("no folder")  # for what is compiled
    monkeypatch.setenv("XDG_CACHE_HOME", str(nowhere))
    running = Server(tmp_path)
    monkeypatch.setenv("HOME", str(nowhere))
    try:
        running.wait()
        visiting(running, lambda visitor: visitor.turn_to("compare"))
        modes = [
            stat.S_IMODE(path.stat().st_mode) & 0o077
            for path in running.temporary.rglob("*")
        ]
        assert modes
        assert not any(modes)
        running.process.send_signal(sign)
        running.process.wait(120)
        limit = time.monotonic() + 60
        while list(running.temporary.iterdir()):
            assert time.monotonic() < limit, list(running.temporary.rglob("*"))
            time.sleep(0.1)
    finally:
        running.process.kill()
        running.process.wait()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("megabytes", "said"),
    [
        (4, "make room in the folder for temporary files"),
        (20, "folder for temporary files is full"),
    ],
    ids=["read", "taken in"],
)
def test_a_full_disk_during_an_upload_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, megabytes: float, said: str
) -> None:
    full = tmp_path / "full"
    full.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(full)], check=False
    )
    if mounted.returncode:
        pytest.skip("only root may mount a small disk")
    try:
        monkeypatch.setattr(tempfile, "tempdir", str(full))
        with serving(tmp_path, temporary=full) as server:

            def used() -> int:
                return shutil.disk_usage(full).used

            async def bring(visitor: Visitor) -> None:
                # The sample's run writes here, too: what it meets is not the upload.
                await visitor.turn_to("compare")
                await visitor.until(lambda: not visitor.looks_again)
                await visitor.turn_to("")
                before = used()
                try:
                    await visitor.upload(
                        "Another file", "t.csv", table(megabytes), "open"
                    )
                except OSError:  # the answer to the upload
                    await visitor.do("again")
                await visitor.until(lambda: any(said in e for e in visitor.errors))
                await visitor.until(lambda: used() < before + 2**20)  # of six
                visitor.errors.clear()
                await visitor.upload("Another file", "t.csv", table(0.1), "open")
                await visitor.until(
                    lambda: any("records" in text for text in visitor.texts())
                )

            visiting(server, bring)
    finally:
        subprocess.run(["umount", "-l", str(full)], check=False)


BROKEN = """
if any(word.startswith("dashboard.jobs.workers.") for word in sys.orig_argv):
    os._exit(3)
"""


@pytest.mark.slow
def test_workers_that_cannot_start_are_a_sentence_and_few_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conftest, "_WATCH", conftest._WATCH + BROKEN)
    with serving(tmp_path) as server:

        async def run(visitor: Visitor) -> None:
            await visitor.turn_to("compare")
            await visitor.until(lambda: not visitor.looks_again)
            await visitor.do("again")
            assert any("exit code 3" in error for error in visitor.errors), (
                visitor.errors
            )
            await asyncio.sleep(20)

        visiting(server, run)
        log_text = server.log.read_text()
    assert "Traceback" not in log_text
    assert 1 <= log_text.count("no worker can be started") <= 3
    assert "exit code 3" in log_text
