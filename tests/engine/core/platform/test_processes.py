"""Processes are started, watched and ended as on every system."""

import ctypes
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engine.core.platform import limits, memory, processes


@pytest.mark.posix("no process is copied there")
def test_a_copy_has_the_exit_code_of_what_it_does(tmp_path: Path) -> None:
    def write() -> int:
        (tmp_path / "written").write_bytes(b"")
        return 7

    copy = processes.ForkedProcess(write)
    assert copy.wait() == copy.poll() == copy.returncode == 7
    assert (tmp_path / "written").exists()
    killed = processes.ForkedProcess(lambda: time.sleep(600) or 0)
    assert killed.poll() is None
    killed.kill()
    assert killed.wait() in processes.KILLED_EXIT_CODES


def test_a_process_is_seen_until_it_has_ended() -> None:
    program = "import sys; print('begun', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == b"begun"
        assert processes.is_process_alive(process.pid)
        assert memory.resident_bytes(process.pid) > 10**6
        assert memory.processor_seconds(process.pid) is not None
    assert not processes.is_process_alive(process.pid)
    assert memory.resident_bytes(process.pid) == 0
    assert memory.processor_seconds(process.pid) is None


def test_input_is_seen_before_it_is_read() -> None:
    program = (
        "from engine.core.platform.processes import is_stdin_readable\n"
        "print(is_stdin_readable(), flush=True)\n"
        "while not is_stdin_readable(): pass\n"
        "print(input())"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == b"False"
        assert process.communicate(b"something\n")[0].strip() == b"something"


def test_a_program_that_becomes_another_hands_over_its_exit_code() -> None:
    program = (
        "import sys\n"
        "from engine.core.platform.processes import exec_program\n"
        "exec_program([sys.executable, '-c', 'raise SystemExit(5)'])"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 5


def test_limits_of_jobs_are_laid_out_as_windows_reads_them() -> None:
    # https://learn.microsoft.com/windows/win32/api/winnt: offsets of 64-bit programs.
    assert ctypes.sizeof(limits.WindowsJobLimits) == 144
    offsets = {
        name: getattr(limits.WindowsJobLimits, name).offset for name, _ in _fields()
    }
    expected = {"flags": 16, "min_working_set": 24, "active_processes": 40}
    expected |= {"affinity": 48, "scheduling_class": 60, "io_counters": 64}
    expected |= {"process_memory": 112, "job_memory": 120}
    assert {name: offsets[name] for name in expected} == expected
    job_limits = limits.make_windows_job_limits(
        max_memory_bytes=2**32, max_cpu_seconds=3
    )
    assert (job_limits.process_memory, job_limits.process_time) == (2**32, 30_000_000)
    assert (job_limits.active_processes, job_limits.flags) == (1, 0x50A)


def _fields() -> tuple[tuple[str, type], ...]:
    return limits.WindowsJobLimits._fields_  # type: ignore[return-value]


def test_this_process_holds_memory_and_knows_its_peak() -> None:
    block = bytearray(os.urandom(1) * 3 * 10**7)
    resident_memory = memory.resident_bytes()
    assert resident_memory > len(block)
    assert memory.peak_resident_bytes() > 0.9 * resident_memory
    assert memory.total_memory_bytes() > resident_memory
