"""What was interrupted goes on where it was, or leaves nothing."""

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from engine.core.context import RunContext
from engine.core.errors import Cancelled, EngineError, InputError
from engine.streaming import StreamedOutcome
from tests.engine.streaming.runs import PLAN, run
from tests.engine.streaming.tables import content, people, written


def interrupt(
    monkeypatch: pytest.MonkeyPatch, blocks: int, error: BaseException
) -> None:
    """Let a run fail once so many blocks are kept."""
    from engine.streaming.workspace import RunWorkspace

    keep, saved_parts = RunWorkspace.save_part, []

    def failing(self: RunWorkspace, part: Any) -> None:
        if len(saved_parts) == blocks:
            raise error
        keep(self, part)
        saved_parts.append(part)

    monkeypatch.setattr(RunWorkspace, "save_part", failing)


def stop(
    source: Path, target: Path, blocks: int = 2, error: Exception | None = None
) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        interrupt(monkeypatch, blocks, error or KeyboardInterrupt())
        with pytest.raises((KeyboardInterrupt, EngineError)):
            run(PLAN, source, target)
    assert not target.exists()


def test_an_interrupted_run_goes_on_with_its_finished_blocks(
    source: Path, done: tuple[StreamedOutcome, Path], tmp_path: Path
) -> None:
    target = tmp_path / "out"
    stop(source, target)
    outcome = run(PLAN, source, target)
    assert outcome.resumed == 2
    assert content(target) == content(done[1])
    assert list(tmp_path.iterdir()) == [target]
    assert outcome.information_loss == done[0].information_loss


def test_what_is_unfinished_belongs_to_one_plan_and_input(
    source: Path, done: tuple[StreamedOutcome, Path], tmp_path: Path
) -> None:
    target = tmp_path / "out"
    stop(source, target)
    before = sorted(tmp_path.rglob("*"))
    other = written(people(3000, seed=6), tmp_path / "other.parquet")
    for plan, path, how in (
        (PLAN.replace(k=5), source, {}),
        (PLAN, other, {}),
        (PLAN, source, {"records_per_block": 600}),
    ):
        with pytest.raises(InputError, match="unfinished run of another plan"):
            run(plan, path, target, **how)
    other.unlink()
    assert sorted(tmp_path.rglob("*")) == before
    run(PLAN, source, target)
    assert content(target) == content(done[1])


def test_a_run_without_a_finished_block_leaves_nothing(
    source: Path, tmp_path: Path
) -> None:
    stop(source, tmp_path / "out", blocks=0)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_one_sentence_and_what_is_finished_stays(
    source: Path, done: tuple[StreamedOutcome, Path], tmp_path: Path
) -> None:
    target = tmp_path / "out"
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    with pytest.MonkeyPatch.context() as monkeypatch:
        interrupt(monkeypatch, 3, full)
        with pytest.raises(InputError, match="no space left") as raised:
            run(PLAN, source, target)
    assert "repeat the run" in str(raised.value)
    assert run(PLAN, source, target).resumed == 3
    assert content(target) == content(done[1])


@pytest.mark.parametrize(
    ("code", "file", "sentence"),
    [
        (errno.EIO, "{folder}/spool/x", "work folder {folder} cannot be used"),
        (errno.ENOENT, "{folder}", "work folder {folder} cannot be used"),
        (errno.EDQUOT, "{folder}/spool/x", "no room for {folder}/spool/x"),
        (errno.ENOSPC, None, "no room for {folder}"),
        (errno.EIO, "{source}", "{source} cannot be read or written"),
        (errno.EACCES, "{folder}2/x", "{folder}2/x cannot be read or written"),
        (errno.EMFILE, "{folder}/spool/x", "No more files can be opened"),
        (errno.ECONNRESET, None, "refused something that the run needs"),
    ],
)
def test_only_errors_of_the_work_folder_are_said_to_be_its_own(
    code: int, file: str | None, sentence: str, source: Path, tmp_path: Path
) -> None:
    places = {"folder": str(tmp_path / ".out.partial"), "source": str(source)}
    error = OSError(code, os.strerror(code))
    if file is not None:
        error = OSError(code, os.strerror(code), str(Path(file.format(**places))))
    with pytest.MonkeyPatch.context() as monkeypatch:
        interrupt(monkeypatch, 0, error)
        with pytest.raises(InputError) as raised:
            run(PLAN, source, tmp_path / "out")
    expected = sentence.format(**places).replace("/spool/x", str(Path("/spool/x")))
    assert expected in str(raised.value)
    assert os.strerror(code).lower() in str(raised.value)
    assert ("work folder" in str(raised.value)) == ("work folder" in sentence)


def test_an_error_that_names_no_file_is_said_of_the_file_that_was_written(
    source: Path, tmp_path: Path
) -> None:
    def fail(descriptor: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr("engine.streaming.blocks.spool.os.fsync", fail)
        with pytest.raises(InputError, match=r"work folder .*\.partial cannot be used"):
            run(PLAN, source, tmp_path / "out")


@pytest.mark.posix("an open file stays there")
def test_a_text_that_goes_while_it_is_read_is_said_to_be_that_text(
    tmp_path: Path,
) -> None:
    text = tmp_path / "people.csv"
    people(3000).to_pandas().to_csv(text, index=False)

    def remove(share: float, stage: str) -> None:
        text.unlink(missing_ok=True)

    with pytest.raises(InputError, match=r"people\.csv") as raised:
        run(PLAN, text, tmp_path / "out", ctx=RunContext(remove))
    assert "work folder" not in str(raised.value)
    assert list(tmp_path.iterdir()) == []


def test_a_run_can_be_cancelled_at_any_tick(source: Path, tmp_path: Path) -> None:
    for share in (0.05, 0.15, 0.5, 0.97):
        reached = [0.0]

        def report(now: float, stage: str, reached: list[float] = reached) -> None:
            reached[0] = now

        def cancelled(reached: list[float] = reached, share: float = share) -> bool:
            return reached[0] >= share

        with pytest.raises(Cancelled):
            run(PLAN, source, tmp_path / "out", ctx=RunContext(report, cancelled))
        assert not (tmp_path / "out").exists()


def test_a_damaged_part_is_found_and_made_again(
    source: Path, done: tuple[StreamedOutcome, Path], tmp_path: Path
) -> None:
    target = tmp_path / "out"
    stop(source, target)
    part = next((tmp_path / ".out.partial" / "release").glob("part-*.parquet"))
    part.write_bytes(part.read_bytes()[:-1] + b"x")
    with pytest.raises(EngineError, match="not what was made"):
        run(PLAN, source, target)
    assert not target.exists()
    run(PLAN, source, target)
    assert content(target) == content(done[1])
