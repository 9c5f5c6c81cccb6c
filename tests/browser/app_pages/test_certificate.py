"""The checker for browsers says of every certificate what the other checker says."""

import base64
import copy
import gzip
import io
import json
import math
import re
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from itertools import combinations
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

from dashboard.ui.browser_components.check_certificate import (
    CHECK_SCRIPT,
    certificate_check_texts,
    certificate_checker_script,
)
from engine.certificate import certify as checked
from engine.certificate.certify import Refused
from engine.certificate.verify_claim import loss_and_claimed_bound
from tests.browser.conftest import Server
from tests.browser.driver import (
    button,
    download,
    go_to,
    open_files_to_keep,
    tab,
    upload,
    wait_for_runs,
)
from tests.engine.certificate.forgeries import FORGERIES
from tests.engine.certificate.hidden import ALLOWED, HIDDEN, ROWS_WITH_LETTER, hidden
from tests.engine.certificate.made import (
    CLOSED,
    EITHER,
    KINDS,
    certify,
    made,
    made_of_people,
    sealed,
    spoil_people,
    table_of,
    values_of,
)
from tests.engine.certificate.spoils import PEOPLE_SPOILS, SPOILS, odd, proven_anew

CHECK = """async ([source, file, certificates, allowed]) => {
  const bytes = (text) => Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
  const { certify } = await import(`data:text/javascript;base64,${source}`);
  return Promise.all(
    certificates.map((text) => certify(bytes(text), bytes(file), allowed)),
  );
}"""


def encoded(content: bytes) -> str:
    return base64.b64encode(content).decode()


def answers(
    page: Any, certificates: list[bytes], file: bytes, allowed: str = "0"
) -> list[dict[str, Any]]:
    arguments = [
        encoded(certificate_checker_script().encode()),
        encoded(file),
        list(map(encoded, certificates)),
        allowed,
    ]
    verdicts: list[dict[str, Any]] = page.evaluate(CHECK, arguments)
    return verdicts


@pytest.mark.parametrize("kind", KINDS)
def test_both_checkers_agree(browser: Any, kind: str) -> None:
    rng = np.random.default_rng(7)
    certificate, file = made(values_of(24, 6), kind)
    spoilt = []
    for number in range(300):
        content = json.loads(certificate)
        list(SPOILS.values())[number % len(SPOILS)](content, rng)
        spoilt.append(sealed(content))
    page = browser.new_page()
    right, *wrong = answers(page, [certificate, *spoilt], file)
    assert right["holds"], right
    claims = json.loads(certificate)
    assert (right["loss"], right["bound"]) == (claims["loss"], claims["bound"])
    lines, out, n = checked.examine(certificate, file)
    assert right["best"] == ("these are the best" in " ".join(lines))
    assert (right["uncovered"], right["all"]) == (out, n)
    assert kind in EITHER or right["best"] == (kind in CLOSED)
    for number, answer in enumerate(wrong):
        assert not answer["holds"], number
    (changed,) = answers(page, [certificate], file.replace(b"1", b"2", 1))
    assert changed["why"] == "the file is not the one of the certificate"
    page.close()


@pytest.mark.parametrize("kind", KINDS)
def test_both_checkers_agree_about_what_is_odd(browser: Any, kind: str) -> None:
    rng, odd_ones, expected = np.random.default_rng(3), [], []
    certificate, file = made(values_of(24, 6), kind)
    for _ in range(150):
        content = json.loads(certificate)
        odd(content, rng)
        odd_ones.append(sealed(content))
        try:
            expected.append(bool(certify(odd_ones[-1], file)))
        except Refused:
            expected.append(False)
    page = browser.new_page()
    verdicts = [answer["holds"] for answer in answers(page, odd_ones, file)]
    assert verdicts == expected
    assert 0 < sum(verdicts) < 150
    page.close()


@pytest.mark.parametrize("knows", ["one", "all", "counts"])
def test_both_checkers_agree_about_people(browser: Any, knows: str) -> None:
    rng, spoilt, expected = np.random.default_rng(5), [], []
    certificate, file = made_of_people(knows)
    ways = [spoil_people] * 25 + list(PEOPLE_SPOILS.values()) * 4
    for spoil in ways * 3:
        content = json.loads(certificate)
        spoil(content, rng)
        if spoil is not spoil_people:
            with suppress(Refused):
                content = proven_anew(content)
        spoilt.append(sealed(content))
        try:
            is_taken = "file: who records are about" in certify(spoilt[-1], file)[0]
            expected.append((True, is_taken))
        except Refused:
            expected.append((False, False))
    page = browser.new_page()
    right, *verdicts = answers(page, [certificate, *spoilt], file)
    claims = json.loads(certificate)
    assert (right["loss"], right["bound"]) == (claims["loss"], claims["bound"])
    assert (right["histories"], right["counts"]) == {
        "one": (False, False),
        "all": (True, False),
        "counts": (True, True),
    }[knows]
    assert right["taken"] == []
    assert [
        (each["holds"], "id" in each.get("taken", ())) for each in verdicts
    ] == expected
    assert {(True, False), (False, False)} <= {*expected}
    assert ((True, True) in expected) == (knows == "one")
    page.close()


def test_both_checkers_count_what_is_hidden(browser: Any) -> None:
    page = browser.new_page()
    for lines, choices, _ in HIDDEN.values():
        text, file = hidden(lines, **choices)
        (answer,) = answers(page, [text], file)
        _, out, n = checked.examine(text, file)
        assert (answer["holds"], answer["uncovered"], answer["all"]) == (True, out, n)
        assert out > 0
    for allowed, code in ALLOWED.items():
        count = allowed.replace("out", f"{out}").replace("fewer", f"{out - 1}")
        (answer,) = answers(page, [text], file, count)
        assert (answer.get("excused"), "impossible" in answer) == {
            0: (True, False),
            1: (False, False),
            2: (None, True),
        }[code], allowed
    page.close()


def test_both_checkers_read_every_encoding(browser: Any) -> None:
    page = browser.new_page()
    for encoding in checked.ENCODINGS:
        text, file = hidden(["a,b,ä", *ROWS_WITH_LETTER], encoding=encoding)
        (answer,) = answers(page, [text], file)
        assert (answer["holds"], answer["uncovered"], answer["all"]) == (True, 0, 12), (
            answer
        )
    page.close()


def test_both_checkers_agree_about_forgeries(browser: Any) -> None:
    page, passed = browser.new_page(), []
    for way, forge in FORGERIES.items():
        text, file = forge()
        (answer,) = answers(page, [text], file)
        try:
            _, out, n = checked.examine(text, file)
        except Refused:
            assert not answer["holds"], way
        else:
            assert (answer["holds"], answer["uncovered"], answer["all"]) == (
                True,
                out,
                n,
            )
            passed.append(way)
    assert passed == ["tampered: a gap made"]
    page.close()


def packed_with_zip(file: bytes, limit: int) -> bytes:
    """Return a ZIP archive of stored tables: ZIP64 of what is above a limit."""
    stream = io.BytesIO()
    with (
        mock.patch("zipfile.ZIP64_LIMIT", limit),
        zipfile.ZipFile(stream, "w") as archive,
    ):
        archive.writestr("a.csv", b"a,b")
        archive.writestr("f.csv", file)
    return stream.getvalue()


def deflated(file: bytes, **more: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {**more, "é/f.csv": file}.items():
            archive.writestr(name, content)
        archive.comment = b"PK, and more"
    return stream.getvalue()


ARCHIVES: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "gzip of two parts": lambda file: (
        gzip.compress(file[:99]) + gzip.compress(file[99:])
    ),
    "gzip with zeros": lambda file: gzip.compress(file) + bytes(700),
    "gzip of parts with zeros": lambda file: (
        gzip.compress(file) + bytes(9) + gzip.compress(b"") + bytes(3)
    ),
    "gzip that holds gzip": lambda file: gzip.compress(gzip.compress(file)),
    "gzip with other bytes": lambda file: gzip.compress(file) + b"a",
    "gzip cut off": lambda file: gzip.compress(file)[:-9],
    "gzip of another file": lambda file: gzip.compress(file + b"1"),
    "ZIP": deflated,
    "ZIP of two tables": lambda file: deflated(file, **{"other.csv": b"a\n1\n"}),
    "ZIP of the table twice": lambda file: deflated(file, **{"other.csv": file}),
    "ZIP with a folder": lambda file: deflated(file, **{"folder/": b""}),
    "ZIP after a program": lambda file: b"#!python" * 9 + deflated(file),
    "ZIP that is stored": lambda file: packed_with_zip(file, 2**31),
    "ZIP64": lambda file: packed_with_zip(file, 20),
    "ZIP cut off": lambda file: deflated(file)[:-40],
    "ZIP of another file": lambda file: deflated(file + b"1"),
    "ZIP with another sum": lambda file: deflated(file).replace(
        zlib.crc32(file).to_bytes(4, "little"), b"1234"
    ),
    "ZIP that is locked": lambda file: re.sub(
        rb"(PK\x01\x02.{4})\x00",
        lambda match: match[1] + b"\x01",
        deflated(file),
        flags=re.DOTALL,
    ),
    "ZIP in ZIP": lambda file: deflated(deflated(file)),
    "a table that says PK": lambda file: file + b"PK\5\6" + bytes(18),
}


def test_both_checkers_unpack_the_same(browser: Any) -> None:
    text, file = made(values_of(24, 6), "nearest")
    page, passing_ways = browser.new_page(), []
    for way, pack in ARCHIVES.items():
        (answer,) = answers(page, [text], pack(file))
        try:
            lines = checked.examine(text, pack(file))[0]
        except Refused:
            assert answer["why"] == "the file is not the one of the certificate", way
        else:
            assert answer["holds"], (way, answer)
            named = answer["packed"] if answer["packed"] != ["gzip"] else "gzip"
            assert f"is the certified one out of {named} (" in lines[1], way
            passing_ways.append(way)
    assert passing_ways == [*ARCHIVES][:4] + [*ARCHIVES][8:15]
    bzipped = io.BytesIO()
    with zipfile.ZipFile(bzipped, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("f.csv", file)
    (answer,) = answers(page, [text], bzipped.getvalue())
    assert answer["why"] == "this browser cannot unpack the archive"
    page.evaluate("delete window.DecompressionStream")
    for pack in gzip.compress, deflated:
        (answer,) = answers(page, [text], pack(file))
        assert answer["why"] == "this browser cannot unpack the archive"
    page.close()


def test_two_chosen_files_are_checked_without_a_server(
    browser: Any, tmp_path: Path
) -> None:
    certificate, file = made(values_of(24, 6), "tree")
    (tmp_path / "c.json").write_bytes(certificate)
    (tmp_path / "f.csv").write_bytes(file)
    page = browser.new_page()
    page.set_content('<div id="all"><div class="check"></div></div>')
    page.evaluate(
        """async ([source, data]) => {
          const { default: show } = await import(
            `data:text/javascript;base64,${source}`
          );
          show({ data, parentElement: document.getElementById("all") });
        }""",
        [encoded(CHECK_SCRIPT.encode()), certificate_check_texts()],
    )
    page.get_by_label("Certificate").set_input_files(tmp_path / "c.json")
    page.get_by_label("The original file").set_input_files(tmp_path / "f.csv")
    page.get_by_text("Proven best possible.").wait_for()
    status = page.get_by_role("status").inner_text()
    assert status.startswith(
        "Covers 24 of 24 records. 24 records, groups of at least k"
    )
    page.get_by_label("Records that need not be covered").fill("101%")
    page.get_by_label("Records that need not be covered").blur()
    page.get_by_text("not more than there are").wait_for()
    (tmp_path / "g.csv").write_bytes(file.replace(b"1", b"2", 1))
    page.get_by_label("Records that need not be covered").fill("1%")
    page.get_by_label("The original file").set_input_files(tmp_path / "g.csv")
    page.get_by_text("It takes the original, unchanged").wait_for()
    (tmp_path / "c.json").write_bytes(certificate[: len(certificate) // 2])
    page.get_by_label("The original file").set_input_files(tmp_path / "f.csv")
    page.get_by_text("changed after it was chosen").wait_for()
    (tmp_path / "d.json").write_bytes(certificate[: len(certificate) // 2])
    page.get_by_label("Certificate").set_input_files(tmp_path / "d.json")
    page.get_by_text("no certificate, or not all of one").wait_for()
    page.close()


def test_what_was_found_stays_while_the_page_is_drawn_anew(
    browser: Any, tmp_path: Path
) -> None:
    """In the words of another language, and with the result that is chosen by then."""
    certificate, file = made(values_of(24, 6), "tree")
    (tmp_path / "c.json").write_bytes(certificate)
    (tmp_path / "f.csv").write_bytes(file)
    loss, page = float(json.loads(certificate)["loss"]), browser.new_page()
    page.set_content('<div id="all"><div class="check"></div></div>')
    draw = """async ([source, data]) => {
      window.show ??= (await import(`data:text/javascript;base64,${source}`)).default;
      window.show({ data, parentElement: document.getElementById("all") });
    }"""
    chosen = certificate_check_texts() | {"k": 3, "loss": loss}
    page.evaluate(draw, [encoded(CHECK_SCRIPT.encode()), chosen])
    page.get_by_label("Certificate").set_input_files(tmp_path / "c.json")
    page.get_by_label("The original file").set_input_files(tmp_path / "f.csv")
    page.get_by_text("Proven best possible.").wait_for()
    status = page.get_by_role("status")
    assert "another result" not in status.inner_text()
    for k, other in ((3, loss * 1.01), (4, loss)):
        page.evaluate(draw, ["", chosen | {"k": k, "loss": other}])
        assert "Proven best possible." in status.inner_text()
        assert "another result" in status.inner_text()
    page.evaluate(draw, ["", chosen | {"best": "Bewiesen.", "file": "Datei"}])
    assert status.inner_text() == "Covers 24 of 24 records. Bewiesen."
    assert page.get_by_label("Datei").evaluate("one => one.files.length") == 1
    page.close()


@pytest.mark.parametrize("record", [0, 11])
def test_a_gain_of_one_is_found_and_none_is_allowed(browser: Any, record: int) -> None:
    """The browser's checker rounds where it searches, and not where it decides."""
    certificate, file = made(values_of(24, 6), "groups")
    content = json.loads(certificate)
    (proof,), records = content["proof"], checked.Records.of(content)
    prices, whole = checked.Prices(proof, 24), 2 * math.lcm(3, 4, 5)
    gains = [
        prices.gain(group, whole // s * sum(records.row(i)[j] for i, j in pairs))
        for s in (3, 4, 5)
        for group in combinations(range(24), s)
        if record in group
        for pairs in [combinations(group, 2)]
    ]
    texts = []
    for more in 0, 1:
        rise = more - max(gains)
        raised = copy.deepcopy(content)
        (moved,) = raised["proof"]
        moved["prices"][record] = str(int(moved["prices"][record]) + rise)
        for name in "total", "target":
            moved[name] = str(int(moved[name]) + rise)
        raised["bound"] = checked.to_decimal_text(
            loss_and_claimed_bound(raised)[1], False
        )
        texts.append(sealed(raised))
    assert certify(texts[0], file)
    with pytest.raises(Refused, match="gain"):
        certify(texts[1], file)
    page = browser.new_page()
    right, wrong = answers(page, texts, file)
    assert right["holds"], right
    assert "gain" in wrong["why"]
    page.close()


def test_the_release_page_confirms_what_it_gives_of_a_table_with_gaps(
    browser: Any, server: Server, tmp_path: Path
) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(table_of(values_of(60, 6), "gaps kept")[1])
    with tab(browser, server.url) as page:
        upload(page, path)
        button(page, "Keep gaps, choose protection").click()
        wait_for_runs(page)
        go_to(page, "Release")
        open_files_to_keep(page)
        certificate = download(page, "Certificate (JSON)", tmp_path)
        page.keyboard.press("Escape")
        page.get_by_text("Check a certificate").click()
        page.get_by_label("Certificate (JSON)").set_input_files(certificate)
        page.get_by_label("The original file").set_input_files(path)
        page.get_by_text("Gaps stay in b (20): records are grouped only").wait_for()
    assert "with the same gaps" in " ".join(
        certify(certificate.read_bytes(), path.read_bytes())
    )
