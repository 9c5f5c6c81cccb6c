"""Input and output in stores: the same bytes as from paths, or one sentence."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pyarrow.csv as pa_csv
import pytest

from engine.core.context import RunContext
from engine.core.errors import Cancelled, EngineError, InputError, ParameterError
from engine.storage import transfers
from engine.storage.addresses import Address, explain_store_errors, to_place
from engine.streaming import StreamedOutcome
from engine.streaming.workspace import UPLOAD_STATE
from tests.engine.streaming.runs import PLAN, run
from tests.engine.streaming.tables import content, people, written

fsspec = pytest.importorskip("fsspec")

Store = Any


@pytest.fixture
def store(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Store]:
    """A store in memory that holds the input in two files; the run is in a new one."""
    found = fsspec.filesystem("memory")
    found.store.clear()
    found.pipe_file("/in/people.parquet", source.read_bytes())
    monkeypatch.chdir(tmp_path)
    yield found
    found.store.clear()
    found.pseudo_dirs[:] = [""]


def stored(store: Store, folder: str) -> dict[str, bytes]:
    """Return all files of a folder of a store, by name."""
    paths = store.find(folder) if store.exists(folder) else []
    return {path.rpartition("/")[2]: store.cat_file(path) for path in paths}


def test_a_store_gives_and_gets_the_bytes_of_a_path(
    store: Store, done: tuple[StreamedOutcome, Path], tmp_path: Path
) -> None:
    outcome = run(PLAN, "memory://in", "memory://out/protected")
    assert stored(store, "/out/protected") == content(done[1])
    assert outcome.fingerprint == done[0].fingerprint
    assert str(outcome.folder) == "memory://out/protected"
    assert not store.exists("/out/protected.partial")
    assert not [*tmp_path.iterdir()]


def test_a_store_on_one_side_only(
    store: Store, source: Path, done: tuple[StreamedOutcome, Path], tmp_path: Path
) -> None:
    run(PLAN, "memory://in/people.parquet", tmp_path / "out")
    assert content(tmp_path / "out") == content(done[1])
    run(PLAN, source, "memory://out")
    assert stored(store, "/out") == content(done[1])


def test_an_address_of_a_file_here_is_its_path(
    source: Path, done: tuple[StreamedOutcome, Path], tmp_path: Path
) -> None:
    outcome = run(PLAN, source.as_uri(), (tmp_path / "o ut").as_uri())
    assert outcome.folder == tmp_path / "o ut"
    assert content(tmp_path / "o ut") == content(done[1])


def test_text_in_a_store_gives_the_bytes_of_a_path(
    store: Store, tmp_path: Path
) -> None:
    table = people(600).select(["name", "height", "income"])
    plan = PLAN.replace(quasi_identifiers=("height", "income"))
    folder = tmp_path / "in"
    folder.mkdir()
    for first in (0, 300):
        path = folder / f"{first}.csv"
        pa_csv.write_csv(table.slice(first, 300), path)
        store.pipe_file(f"/text/{path.name}", path.read_bytes())
    here = run(plan, folder, tmp_path / "out")
    there = run(plan, "memory://text", "memory://out")
    assert stored(store, "/out") == content(tmp_path / "out")
    assert there.fingerprint == here.fingerprint
    assert {path.name for path in tmp_path.iterdir()} == {"in", "out"}


def hidden_folder(tmp_path: Path) -> Path:
    (folder,) = tmp_path.glob(".out-*.partial")
    return folder


@pytest.mark.parametrize("step", ["_upload_file", "_check_same"])
def test_what_fails_on_the_way_leaves_nothing_and_goes_on_when_repeated(
    step: str,
    store: Store,
    done: tuple[StreamedOutcome, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real: Callable[..., None] = getattr(transfers, step)
    calls: list[Path] = []

    def fail_at_the_third(path: Path, *rest: Any) -> None:
        calls.append(path)
        if len(calls) == 3:
            raise OSError("the line is cut")
        real(path, *rest)

    monkeypatch.setattr(transfers, step, fail_at_the_third)
    with pytest.raises(InputError, match="does not answer as it should"):
        run(PLAN, "memory://in", "memory://out")
    assert {*stored(store, "/")} == {"people.parquet"}
    outcome = run(PLAN, "memory://in", "memory://out")
    assert outcome.resumed == len(outcome.blocks)
    assert stored(store, "/out") == content(done[1])
    assert not [*tmp_path.iterdir()]


def test_what_fails_while_files_are_moved_leaves_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, moved = store.mv, []

    def fail_at_the_second(before: str, after: str) -> None:
        moved.append(after)
        if len(moved) == 2:
            raise KeyboardInterrupt
        real(before, after)

    monkeypatch.setattr(store, "mv", fail_at_the_second)
    with pytest.raises(KeyboardInterrupt):
        run(PLAN, "memory://in", "memory://out")
    assert {*stored(store, "/")} == {"people.parquet"}


def test_a_run_that_was_killed_on_the_way_is_finished_when_repeated(
    store: Store,
    done: tuple[StreamedOutcome, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def die(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(transfers, "_upload_file", die)
        with pytest.raises(KeyboardInterrupt):
            run(PLAN, "memory://in", "memory://out")
    # As if nobody had had the time to clean up.
    assert (hidden_folder(tmp_path) / UPLOAD_STATE).exists()
    store.pipe_file("/out.partial/part-00001.parquet", b"ha")
    store.pipe_file("/out/part-00000.parquet", content(done[1])["part-00000.parquet"])
    run(PLAN, "memory://in", "memory://out")
    assert stored(store, "/out") == content(done[1])
    assert not store.exists("/out.partial")


def test_a_run_is_cancelled_while_it_writes(store: Store) -> None:
    writing = threading.Event()

    def report(share: float, stage: str) -> None:
        if stage == "Writing the release":
            writing.set()

    with pytest.raises(Cancelled):
        run(
            PLAN,
            "memory://in",
            "memory://out",
            ctx=RunContext(report, cancelled=writing.is_set),
        )
    assert {*stored(store, "/")} == {"people.parquet"}


def test_other_content_than_was_written_is_found(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = transfers._upload_file

    def write_less(path: Path, to: Store, place: str, *rest: Any) -> None:
        real(path, to, place, *rest)
        to.pipe_file(place, to.cat_file(place)[:-1])

    monkeypatch.setattr(transfers, "_upload_file", write_less)
    with pytest.raises(InputError, match="not what was written there"):
        run(PLAN, "memory://in", "memory://out")
    assert not store.exists("/out")


def test_an_input_that_changes_meanwhile_is_refused(store: Store) -> None:
    def report(share: float, stage: str) -> None:
        if share > 0.1:
            other = store.cat_file("/in/people.parquet") + b" "
            store.pipe_file("/in/people.parquet", other)

    with pytest.raises(InputError, match="changed while it was read"):
        run(PLAN, "memory://in", "memory://out", ctx=RunContext(report))
    assert not store.exists("/out")


@pytest.mark.parametrize(
    ("named", "target", "sentence"),
    [
        ("memory://nowhere", "memory://out", "no file or folder called"),
        ("memory://in", "memory://in", "would replace memory://in"),
        ("memory://in", "memory://in/", "would replace"),
        ("memory://in/people.parquet", "memory://in", "exists already"),
        ("memory://in", "memory://in/out", "is in memory://in, which is read"),
        ("memory://in", "memory://taken", "exists already"),
        ("nothing://in", "memory://out", "no addresses of nothing://"),
        ("memory://in", "nothing://out", "no addresses of nothing://"),
        ("memory://odd/people.xyz", "memory://out", "'people.xyz' is neither"),
        ("memory://broken", "memory://out", "not a whole Parquet file"),
    ],
)
def test_what_cannot_be_is_one_sentence(
    named: str, target: str, sentence: str, store: Store, tmp_path: Path
) -> None:
    store.pipe_file("/taken/part-00000.parquet", b"mine")
    store.pipe_file("/odd/people.xyz", b"a,b\n1,2\n")
    store.pipe_file("/broken/people.parquet", b"PAR1 and no more")
    before = stored(store, "/")
    with pytest.raises(EngineError, match=sentence):
        run(PLAN, named, target)
    assert stored(store, "/") == before
    assert not [*tmp_path.iterdir()]


def test_a_package_that_is_missing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lack_package(text: str) -> None:
        raise ImportError(text)

    monkeypatch.setattr(fsspec.core, "url_to_fs", lack_package)
    with pytest.raises(ParameterError, match=r"pip install 'coterie\[cloud\]'"):
        run(PLAN, "s3://bucket/in", tmp_path / "out")
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (FileNotFoundError("secret"), "There is nothing at"),
        (PermissionError("secret"), "refuses access"),
        (type("NoCredentialsError", (Exception,), {})("secret"), "refuses access"),
        (ConnectionError("secret"), "does not answer"),
        (RuntimeError("secret"), "does not answer"),
    ],
)
def test_errors_of_a_store_are_sentences_without_secrets(
    error: Exception, sentence: str
) -> None:
    address = Address("ftp://me:secret@host/in/people.csv?key=secret")
    with (
        pytest.raises(InputError, match=sentence) as raised,
        explain_store_errors(address),
    ):
        raise error
    assert "secret" not in str(raised.value)
    assert "ftp://host/in/people.csv" in str(raised.value)
    assert "secret" not in repr(address)
    assert (address.name, address.suffix) == ("people.csv", ".csv")


def test_a_store_without_an_answer_shows_no_secret(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not answer") as raised:
        run(PLAN, "ftp://me:secret@127.0.0.1:1/in", tmp_path / "out")
    assert "secret" not in str(raised.value)


def test_places_are_paths_unless_they_have_a_scheme() -> None:
    assert to_place("a/b") == Path("a/b")
    assert to_place(r"C:\data\in.csv") == Path(r"C:\data\in.csv")
    assert to_place("s3://a/b") == Address("s3://a/b")
    assert Address("s3://a/b") / "c" == Address("s3://a/b/c")


# A server that speaks S3


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A client of a server that speaks S3, with a bucket called ``data``."""
    reason = "pip install s3fs 'moto[server]' for a server that speaks S3"
    pytest.importorskip("s3fs", reason=reason)
    moto = pytest.importorskip("moto.server", reason=reason)
    boto3 = pytest.importorskip("boto3", reason=reason)
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    fsspec.get_filesystem_class("s3").clear_instance_cache()
    client = boto3.client("s3")
    client.create_bucket(Bucket="data")
    yield client
    fsspec.get_filesystem_class("s3").clear_instance_cache()
    # What servers of one process hold is the same.
    urlopen(Request(f"http://{host}:{port}/moto-api/reset", method="POST")).close()
    server.stop()


def objects(client: Any, prefix: str) -> dict[str, bytes]:
    """Return all objects of the bucket below a prefix, by the rest of their keys."""
    listed = client.list_objects_v2(Bucket="data", Prefix=prefix).get("Contents", [])
    return {
        each["Key"].removeprefix(prefix): client.get_object(
            Bucket="data", Key=each["Key"]
        )["Body"].read()
        for each in listed
    }


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # of what is not ours
def test_a_server_of_s3_gives_and_gets_the_bytes_of_a_path(
    bucket: Any,
    source: Path,
    done: tuple[StreamedOutcome, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    bucket.upload_file(str(source), "data", "in/people.parquet")
    outcome = run(PLAN, "s3://data/in", "s3://data/out")
    assert objects(bucket, "out/") == content(done[1])
    assert outcome.fingerprint == done[0].fingerprint
    assert {key.partition("/")[0] for key in objects(bucket, "")} == {"in", "out"}
    run(PLAN, "s3://data/in/people.parquet", tmp_path / "here", dask="local")
    assert content(tmp_path / "here") == content(done[1])
    assert {path.name for path in tmp_path.iterdir()} == {"here"}


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(
    ("named", "target", "sentence"),
    [
        ("s3://other/in", "s3://data/out", "no file or folder called 's3://other/in'"),
        ("s3://data/in", "s3://other/out", "nothing at s3://other/out"),
        ("s3://data/in", "s3://data/taken", "exists already"),
        ("s3://data/in", "s3://other", "a whole bucket"),
    ],
)
def test_a_server_of_s3_that_lacks_something_is_one_sentence(
    named: str, target: str, sentence: str, bucket: Any, tmp_path: Path
) -> None:
    path = written(people(300), tmp_path / "people.parquet")
    bucket.upload_file(str(path), "data", "in/people.parquet")
    bucket.put_object(Bucket="data", Key="taken/part", Body=b"mine")
    before = objects(bucket, "")
    with pytest.raises(EngineError, match=sentence):
        run(PLAN, named, target)
    assert objects(bucket, "") == before
