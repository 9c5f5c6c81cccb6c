"""Certificates on the command line: written by run, checked by certify."""

import gc
import gzip
import json
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.cli.parsing.parser import EXIT_CODES, main
from tests.engine.certificate.made import sealed, values_of

COLUMNS = ["--quasi-identifiers", "a,b", "--k", "3"]


def write_table(folder: Path) -> Path:
    path = folder / "table.csv"
    lines = [f"{a},{b},{i % 2}" for i, (a, b) in enumerate(values_of(24, 6).tolist())]
    path.write_text("a,b,s\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_table(tmp_path)


def test_what_run_writes_certify_confirms(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    proof = file.with_name("c.json")
    words = ["run", str(file), *COLUMNS, "--certificate", str(proof)]
    assert main(words) == 0
    output = capsys.readouterr().out
    assert "Certified, to be checked with coterie certify: no groups" in output
    assert main(["certify", str(proof), str(file)]) == 0
    output = capsys.readouterr().out
    assert (
        "24 of 24 records are in 8 groups of at least k = 3; 0 are left out" in output
    )
    file.write_text(file.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert main(["certify", str(proof), str(file)]) == 1
    assert capsys.readouterr().out.startswith("Does not hold: the file is not the one")
    assert main(["certify", str(proof), str(file.with_name("none"))]) == 2


def test_what_cannot_be_certified_writes_nothing(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    proof, output = file.with_name("c.json"), file.with_name("out.csv")
    words = ["run", str(file), *COLUMNS, "--transform", "a=log"]
    words += ["--output", str(output)]
    assert main([*words, "--certificate", str(proof)]) == 2
    assert "No certificate can be written of a run with transforms" in (
        capsys.readouterr().err
    )
    assert not proof.exists()
    assert not output.exists()
    words = ["run", str(file), *COLUMNS, "--certificate", str(file)]
    assert main(words) == 2  # never over what is read


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    file = write_table(tmp_path_factory.mktemp("certified"))
    path = file.with_name("c.json")
    assert main(["run", str(file), *COLUMNS, "--certificate", str(path)]) == 0
    return path.read_bytes()


@pytest.fixture
def proof(certificate: bytes, file: Path) -> Path:
    path = file.with_name("c.json")
    path.write_bytes(certificate)
    return path


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda text: b"",
    "one byte": lambda text: text[:1],
    "half": lambda text: text[: len(text) // 2],
    "all but the last byte": lambda text: text[:-1],
    "twice": lambda text: text + text,
    "in a list": lambda text: b"[" + text + b"]",
    "by the names": lambda text: json.dumps(
        json.loads(text), sort_keys=True, ensure_ascii=False
    ).encode(),
    "with a mark in front": lambda text: b"\xef\xbb\xbf" + text,
    "a line end behind": lambda text: text + b"\n",
    "in other letters": lambda text: text.decode().encode("utf-16"),
    "packed": gzip.compress,
    "another k": lambda text: text.replace(b'"k": 3', b'"k": 2', 1),
    "another digest": lambda text: text.replace(text[70:76], b"aaaaaa", 1),
    "endless lists": lambda text: b"[" * 100_000,
    "null": lambda text: b"null",
    "no columns": lambda text: sealed({**json.loads(text), "columns": None}),
    "no proof": lambda text: sealed({**json.loads(text), "proof": None}),
}


@pytest.mark.parametrize("way", DAMAGES)
def test_what_is_no_certificate_is_bad_input(
    way: str, proof: Path, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written = proof.read_bytes()
    proof.write_bytes(DAMAGES[way](written))
    assert proof.read_bytes() != written
    assert main(["certify", str(proof), str(file)]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.count("\n") == 1


def test_files_whose_digests_begin_alike_are_told_apart(
    proof: Path, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = json.loads(proof.read_bytes())
    digest = content["file"]["sha256"]
    content["file"]["sha256"] = digest[:-1] + "01"[digest[-1] == "0"]
    proof.write_bytes(sealed(content))
    assert main(["certify", str(proof), str(file)]) == 1
    assert "the file is not the one it names" in capsys.readouterr().out


@pytest.mark.parametrize("suffix", ["csv.gz", "zip"])
def test_a_packed_file_is_certified_as_it_is(
    suffix: str, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    packed, proof = file.with_name(f"t.{suffix}"), file.with_name("c.json")
    if suffix == "zip":
        with zipfile.ZipFile(packed, "w") as archive:
            archive.write(file, "t.csv")
            archive.writestr("licence.pdf", "a note")
    else:
        packed.write_bytes(gzip.compress(file.read_bytes()))
    words = ["run", str(packed), *COLUMNS, "--certificate", str(proof)]
    assert main(words) == 0
    capsys.readouterr()
    assert main(["certify", str(proof), str(packed)]) == 0
    output = capsys.readouterr().out
    assert "The file is the certified one out of " in output
    assert ("'t.csv', 'licence.pdf'" in output) is (suffix == "zip")
    packed.write_bytes(packed.read_bytes()[:-9])
    assert main(["certify", str(proof), str(packed)]) == 1
    assert "the file is not the one it names" in capsys.readouterr().out


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.skipif(sys.platform == "win32", reason="no limit of a file's size")
@pytest.mark.parametrize(
    "suffix",
    [
        ".csv",
        ".xlsx",
        *(
            pytest.param(each, marks=pytest.mark.slow)
            for each in (".parquet", ".sav", ".dta")
        ),
    ],
)
def test_on_a_full_disk_nothing_is_written(
    suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import resource

    path, output = tmp_path / "table.csv", tmp_path / f"out{suffix}"
    rows = [f"{a},{b},{'x' * 300}" for a, b in values_of(90, 6).tolist()]
    path.write_text("a,b,t\n" + "\n".join(rows) + "\n", encoding="utf-8")
    words = ["run", str(path), *COLUMNS]
    assert main(words) == 0  # with kernels compiled
    words += ["--output", str(output), "--json", str(tmp_path / "j.json")]
    capsys.readouterr()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (3000, before[1]))
    try:
        assert main(words) == 2
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        gc.collect()  # files that the workbook's writer leaves open
    error_lines = capsys.readouterr().err.splitlines()
    (error,) = [line for line in error_lines if not line.startswith("Note:")]
    assert "cannot be written" in error
    assert [each.name for each in tmp_path.iterdir()] == ["table.csv"]


def test_help_says_which_code_a_changed_certificate_has(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        main(["certify", "--help"])
    help_text = " ".join(capsys.readouterr().out.split())
    assert "with 2 if the certificate is none, or was changed since" in help_text
    assert "changed certificate" in EXIT_CODES[2]
