"""Certificates are checked by one file alone, and are refused once spoilt."""

import ast
import hashlib
import io
import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import numpy as np
import pytest

from engine.certificate import certify as checker
from engine.certificate.certify import Refused
from tests.engine.certificate.made import KINDS, Made, certify, made, sealed, values_of
from tests.engine.certificate.spoils import SPOILS


def test_the_checker_is_one_short_file_that_needs_nothing(
    certificates: Made, tmp_path: Path
) -> None:
    source = Path(checker.__file__).read_text(encoding="utf-8")
    assert source.count("\n") < 720
    imported = {
        name.split(".")[0]
        for node in ast.walk(ast.parse(source))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert imported <= sys.stdlib_module_names
    (tmp_path / "certify.py").write_text(source, encoding="utf-8")
    certificate, text = certificates["tree"]
    (tmp_path / "c.json").write_bytes(certificate)
    (tmp_path / "f.csv").write_bytes(text)
    words = [sys.executable, "-I", "certify.py", "c.json", "f.csv"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "these are the best" in done.stdout
    (tmp_path / "f.csv").write_bytes(text.replace(b"1", b"2", 1))
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stdout.startswith("Does not hold: the file is not the one")
    (tmp_path / "f.csv").unlink()
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.parametrize("count", [320, pytest.param(3_000, marks=pytest.mark.slow)])
def test_every_spoilt_certificate_is_refused(certificates: Made, count: int) -> None:
    rng = np.random.default_rng(7)
    names = list(SPOILS)
    for number in range(count):
        kind = KINDS[number % len(KINDS)]
        name = names[number // len(KINDS) % len(names)]
        certificate, text = certificates[kind]
        content = json.loads(certificate)
        SPOILS[name](content, rng)
        spoilt = sealed(content)
        with pytest.raises(Refused):
            certify(spoilt, text)


def test_every_changed_byte_and_cell_is_noticed(certificates: Made) -> None:
    rng = np.random.default_rng(8)
    certificate, text = certificates["groups"]
    for place in rng.integers(len(certificate), size=200).tolist():
        changed = bytearray(certificate)
        changed[place] ^= int(rng.integers(1, 256))
        with pytest.raises(Refused):
            certify(bytes(changed), text)
    digits = [place for place, byte in enumerate(text) if chr(byte).isdigit()]
    for place in rng.choice(digits, 50).tolist():
        file = bytearray(text)
        file[place] = ord("1") if file[place] != ord("1") else ord("2")
        with pytest.raises(Refused, match="not the one"):
            certify(certificate, bytes(file))
        content = json.loads(certificate)
        content["file"]["sha256"] = checker.sha256(bytes(file)).hexdigest()
        with pytest.raises(Refused, match="record"):
            certify(sealed(content), bytes(file))


def test_called_as_a_function_errors_go_to_stderr(
    certificates: Made, tmp_path: Path
) -> None:
    for name, content in zip(("c.json", "f.csv"), certificates["groups"], strict=True):
        (tmp_path / name).write_bytes(content)
    words = [str(tmp_path / name) for name in ("c.json", "f.csv")]
    for arguments, code in (
        (words, 0),
        (words[::-1], 2),
        (words[:1], 2),
        ([*words, "--allow-left-out", "x"], 2),
        ([words[0], str(tmp_path / "none")], 2),
    ):
        answer, errors = io.StringIO(), io.StringIO()
        with redirect_stdout(answer), redirect_stderr(errors):
            assert checker.main(arguments) == code
        assert bool(errors.getvalue()) == (code == 2) != bool(answer.getvalue())


ODD: dict[str, Callable[[str], str]] = {
    "a name twice": lambda text: text.replace('"k": 3', '"k": 4, "k": 3'),
    "an exponent": lambda text: text.replace('"k": 3', '"k": 0.3e1'),
    "an enormous exponent": lambda text: text.replace('"k": 3', '"k": 1e999999'),
    "NaN": lambda text: text.replace('"k": 3', '"k": NaN'),
    "NaN as text": lambda text: text.replace('"k": 3', '"k": "NaN"'),
    "a truth for a number": lambda text: text.replace('"k": 3', '"k": true'),
    "a million digits": lambda text: text.replace('"k": 3', '"k": 3' + "0" * 10**6),
    "other digits": lambda text: text.replace('"unit": "1', '"unit": "\u0661'),
    "a huge share": lambda text: text.replace(
        '"weight": "1"', '"weight": "1e99999999"', 1
    ),
    "a divided share": lambda text: text.replace('"weight": "1"', '"weight": "1/0"', 1),
    "many levels": lambda text: text.replace(
        '"strata": null', '"strata": ' + "[" * 10**5 + "]" * 10**5
    ),
    "spaces": lambda text: text.replace(", ", ",  ", 1),
    "half of a sign": lambda text: text.replace('"name": "a"', '"name": "\\ud800"'),
    "a delimiter that is a digit": lambda text: text.replace(
        '"delimiter": ","', '"delimiter": "1"'
    ),
    "an encoding that computes": lambda text: text.replace('"utf-8"', '"punycode"'),
    "half a digest": lambda text: text[:40],
    "nothing": lambda text: "",
}


@pytest.mark.parametrize("odd", ODD)
def test_odd_texts_are_refused_in_a_sentence(odd: str, certificates: Made) -> None:
    certificate, file = certificates["groups"]
    text = ODD[odd](certificate.decode())
    assert text != certificate.decode()
    text = text.replace(text[12:76], "0" * 64, 1) if len(text) > 76 else text
    digest = hashlib.sha256(text.encode()).hexdigest()
    with pytest.raises(Refused):
        certify(text.replace("0" * 64, digest, 1).encode(), file)


@pytest.mark.parametrize("wrong", [r'"\ud800"', "9" * 5000, "[" * 5000 + "]" * 5000])
def test_damage_is_one_short_sentence_that_repeats_nothing(wrong: str) -> None:
    certificate, file = made(values_of(12, 3), "")
    text = certificate.decode().replace('"k": 3', f'"k": {wrong}')
    text = text[:12] + "0" * 64 + text[76:]
    digest = hashlib.sha256(text.encode()).hexdigest()
    with pytest.raises(
        checker.InvalidCertificate, match="the certificate is damaged"
    ) as error:
        certify((text[:12] + digest + text[76:]).encode(), file)
    assert len(str(error.value)) < 250
    assert '"labels"' not in str(error.value)
