"""Nothing is told apart by a digest that was cut, but where a reason is given here."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

SHORT = {
    # Names the folder of kernels compiled from the program's own sources.
    ("engine/kernels/compilation/_jit.py", "cut digest"): 1,
    # Compares a record with itself, before and after; nothing is looked up by them.
    ("engine/streaming/records/unprotected_columns.py", "digest_size"): 2,
    ("engine/streaming/records/unprotected_columns.py", "hash_array"): 1,
    # Stands for the time of a change, beside the size: a file is compared with itself.
    ("engine/storage/addresses.py", "cut digest"): 1,
    # Finds damage of a temporary file; nothing is looked up by it.
    ("engine/streaming/blocks/spool.py", "crc32"): 2,
    # Answers how websockets begin, as RFC 6455 has it; nothing is looked up by it.
    ("dashboard/places/entrance/assigner_server.py", "sha1"): 1,
    # Sends records to buckets and blocks, where persons themselves are compared.
    ("engine/streaming/passes/person_codes.py", "hash_array"): 1,
    # With a key that is drawn for each ledger, and stays with who writes it.
    ("engine/analysis/releases/record_hashes.py", "hash_pandas_object"): 1,
    # With a key that is drawn for each process: a file is compared with itself.
    ("engine/release/source.py", "hash"): 1,
}
"""How often a file has a short digest, each with the reason why none is confused."""

NAMES = ("crc32", "adler32", "md5", "sha1", "hash_array", "hash_pandas_object", "hash")


def short_digests(source: str) -> Iterator[str]:
    """Yield what in a module is shorter than a digest of 256 bits."""
    tree = ast.parse(source)
    hash_nodes = {
        id(node)
        for method in ast.walk(tree)
        if isinstance(method, ast.FunctionDef) and method.name == "__hash__"
        for node in ast.walk(method)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
            names = {
                n.attr for n in ast.walk(node.value) if isinstance(n, ast.Attribute)
            }
            if names & {"hexdigest", "digest", "fingerprint"}:
                yield "cut digest"
        if isinstance(node, ast.keyword) and node.arg == "digest_size":
            yield "digest_size"
        if isinstance(node, ast.Call) and id(node) not in hash_nodes:
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in NAMES:
                yield name


@pytest.mark.slow
def test_every_digest_is_whole_or_has_a_reason() -> None:
    counts = Counter(
        (path.relative_to(ROOT).as_posix(), what)
        for folder in ("engine", "dashboard", "sample_data")
        for path in (ROOT / folder).rglob("*.py")
        for what in short_digests(path.read_text(encoding="utf-8"))
    )
    assert counts == SHORT


def test_what_cuts_a_digest_is_found() -> None:
    for source, what in (
        ("x = hashlib.sha256(a).hexdigest()[:16]", "cut digest"),
        ("x = table.fingerprint[:8]", "cut digest"),
        ("x = hashlib.blake2b(a, digest_size=8).digest()", "digest_size"),
        ("x = hash(labels.tobytes())", "hash"),
        ("x = zlib.crc32(a)", "crc32"),
    ):
        assert list(short_digests(source)) == [what]
    assert not list(short_digests("def __hash__(self):\n    return hash(self.rows)"))
    assert not list(short_digests("x = hashlib.sha256(a[:9]).hexdigest()"))
