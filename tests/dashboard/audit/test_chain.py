"""Every line of an audit log that was changed, left out or put in is found."""

import gzip
import hashlib
import io
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import combinations, zip_longest
from pathlib import Path

import pytest

from dashboard.audit.chain import (
    START,
    ChainHead,
    _Checker,
    chained_line_and_new_head,
    check_hash_chain,
    parse_chain_link,
)
from engine.core.errors import ParameterError


def sealed(count: int) -> tuple[list[bytes], ChainHead]:
    """Return lines as a writer makes them, with awkward names, and the last head."""
    head, lines = START, []
    names = ("ann", '", "previous": "' + "0" * 64, "安\n\u2028}", "", "\\")
    for number in range(count):
        facts = {"who": names[number % 5], "event": "open", "records": number}
        line, head = chained_line_and_new_head(head, facts)
        lines.append(line)
    return lines, head


LINES, HEAD = sealed(5)
WHOLE = b"".join(LINES)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "audit.jsonl"


def fault_of(content: bytes) -> str:
    return _Checker(None).add_file(io.BytesIO(content))


def first_difference(content: bytes) -> int:
    """Return the first line, from 1, that is not as it was written."""
    pairs = zip_longest(content.splitlines(True), LINES)
    return next(at for at, (line, other) in enumerate(pairs, 1) if line != other)


def named(fault: str) -> int:
    match = re.search(r"line (\d+) was", fault)
    assert match is not None, fault
    return int(match[1])


def test_a_log_as_written_holds_and_its_end_is_unproven(path: Path) -> None:
    path.write_bytes(WHOLE)
    check = check_hash_chain([path])
    assert (check.n_lines, check.last, check.fault) == (5, HEAD, "")
    assert not check.is_proven
    assert check_hash_chain([path], HEAD).is_proven
    for line in LINES:
        assert json.loads(line)["digest"] == parse_chain_link(line).head.digest


def changes() -> Iterator[bytes]:
    """Every byte flipped in one bit, made a digit or the end of a line, or gone."""
    for at, byte in enumerate(WHOLE):
        rest = WHOLE[at + 1 :]
        for other in {byte ^ 1 << at % 8, ord("0"), ord("\n"), ord(" ")} - {byte}:
            yield WHOLE[:at] + bytes([other]) + rest
        yield WHOLE[:at] + rest


def test_every_change_of_a_byte_is_found_in_its_line() -> None:
    for changed in changes():
        assert named(fault_of(changed)) == first_difference(changed), changed


def test_every_byte_put_in_is_found_in_its_line() -> None:
    for at in range(len(WHOLE) + 1):
        for byte in (b"\n", b"0", b" ", WHOLE[at : at + 1] or b"}"):
            changed = WHOLE[:at] + byte + WHOLE[at:]
            assert named(fault_of(changed)) == first_difference(changed)


def test_lines_left_out_swapped_or_repeated_are_found() -> None:
    for first, last in combinations(range(5), 2):
        without = b"".join([*LINES[:first], *LINES[last:]])
        assert named(fault_of(without)) == first + 1
        swapped = list(LINES)
        swapped[first], swapped[last] = swapped[last], swapped[first]
        assert named(fault_of(b"".join(swapped))) == first + 1
    for at in range(1, 6):
        for line in LINES:
            changed = b"".join([*LINES[:at], line, *LINES[at:]])
            if changed != WHOLE:
                assert named(fault_of(changed)) == first_difference(changed)


def test_a_line_sealed_anew_is_found_by_the_next() -> None:
    for at in range(4):
        before = START if not at else parse_chain_link(LINES[at - 1]).head
        forged, _ = chained_line_and_new_head(
            before, {"who": "nobody", "event": "open"}
        )
        instead = b"".join([*LINES[:at], forged, *LINES[at + 1 :]])
        assert fault_of(instead).endswith(f"line {at + 1} was changed.")
        beside = b"".join([*LINES[:at], forged, *LINES[at:]])
        assert fault_of(beside).endswith(f"line {at + 1} was put in.")


@pytest.mark.parametrize(
    "inner",
    [
        b"nonsense, ",
        b'"a": ' + b"[" * 100_000 + b", ",
        b'"a": "\xff\xfe", ',
        b'"a": ' + b"9" * 100_000 + b", ",
        b'"a": NaN, "b": {, ',
    ],
)
@pytest.mark.parametrize("at", [0, 2])
def test_what_is_no_json_is_found_however_it_is_sealed(inner: bytes, at: int) -> None:
    before = START if not at else parse_chain_link(LINES[at - 1]).head
    raw = b'{"number": %d, %s"previous": "%s"' % (
        *(before.number + 1, inner),
        before.digest.encode(),
    )
    digest = hashlib.sha256(raw).hexdigest().encode()
    forged = b'%s, "digest": "%s"}\n' % (raw, digest)
    changed = b"".join([*LINES[:at], forged, *LINES[at + 1 :]])
    assert fault_of(changed).endswith(f"line {at + 1} was changed or put in.")


def test_a_file_that_a_rotation_has_compressed_is_read(tmp_path: Path) -> None:
    continued, head = chained_line_and_new_head(HEAD, {"event": "continued"})
    first, second = tmp_path / "audit.jsonl.2.gz", tmp_path / "audit.jsonl"
    first.write_bytes(gzip.compress(WHOLE))
    second.write_bytes(continued)
    assert check_hash_chain([first, second], head).is_proven
    first.write_bytes(gzip.compress(WHOLE.replace(b"open", b"Open", 1)))
    assert named(check_hash_chain([first, second]).fault) == 1
    for damaged in (gzip.compress(WHOLE)[:-9], b"\x1f\x8b" + bytes(99)):
        first.write_bytes(damaged)
        with pytest.raises(ParameterError, match="cannot be read"):
            check_hash_chain([first])


def test_an_end_that_is_missing_is_found_by_an_outside_head(path: Path) -> None:
    path.write_bytes(b"".join(LINES[:3]))
    assert check_hash_chain([path]).fault == ""
    assert named(check_hash_chain([path], HEAD).fault) == 4
    new_lines: list[bytes] = []
    last = START
    for number in range(5):
        line, last = chained_line_and_new_head(
            last, {"event": "open", "records": 10 * number}
        )
        new_lines.append(line)
    path.write_bytes(b"".join(new_lines))
    assert check_hash_chain([path]).fault == ""
    assert "line 5, or one before it" in check_hash_chain([path], HEAD).fault


def test_files_follow_each_other_in_their_order_only(tmp_path: Path) -> None:
    continued, head = chained_line_and_new_head(HEAD, {"event": "continued"})
    after, end = chained_line_and_new_head(head, {"event": "open"})
    first, second = tmp_path / "1", tmp_path / "2"
    first.write_bytes(WHOLE)
    second.write_bytes(continued + after)
    assert check_hash_chain([first, second], end).is_proven
    assert check_hash_chain([second], end).is_proven
    assert check_hash_chain([second, first]).fault
    assert check_hash_chain([first, first]).fault
    first.write_bytes(b"".join(LINES[:4]))
    assert named(check_hash_chain([first, second]).fault) == 1
    second.write_bytes(after)
    assert named(check_hash_chain([second]).fault) == 1  # it has lost its beginning


def command(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "engine", "audit", "check", *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("content", "options", "code", "words"),
    [
        (WHOLE, (), 0, "The end is unproven"),
        (WHOLE, ("--head", f"{HEAD.number} {HEAD.digest}"), 0, "the head names"),
        (WHOLE.replace(b"open", b"Open", 1), (), 1, "line 1 was changed"),
        (b"".join(LINES[1:]), (), 1, "line 1 was left out"),
        (WHOLE, ("--head", "5 x"), 2, "is no head of an audit log"),
        (None, (), 2, "cannot be read"),
    ],
)
def test_the_command_says_what_was_found(
    content: bytes | None, options: Sequence[str], code: int, words: str, path: Path
) -> None:
    if content is not None:
        path.write_bytes(content)
    done = command(path, *options)
    assert done.returncode == code, done.stderr
    assert words in (done.stderr if code == 2 else done.stdout)
    assert "Traceback" not in done.stderr
