"""Files of others: taken apart with distrust, whole or not at all."""

import contextlib
import io
import json
import zipfile
from importlib.metadata import version
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.projects import archive
from dashboard.projects.project import project_to_bytes
from dashboard.projects.reader import read_project
from dashboard.projects.resume import copy_with_awaited_table, copy_with_project
from dashboard.state.new_tables.new_table import copy_with_table
from dashboard.state.results.job_results import copy_with_restored_results
from dashboard.state.results.requested import requested_results
from dashboard.state.snapshots.snapshot import Upload
from dashboard.state.workspace import Workspace, resolve_plans
from engine.core.errors import EngineError
from engine.files import read_table
from tests.dashboard.projects.firms import CSV
from tests.dashboard.projects.opening import parts, refused, reopened


def with_manifest(content: bytes, change) -> bytes:
    members = parts(content)
    manifest = json.loads(members["manifest.json"])
    change(manifest)
    members["manifest.json"] = json.dumps(manifest).encode()
    return archive.pack_archive(members)


def test_what_is_no_project_is_said(done: Workspace) -> None:
    whole = project_to_bytes(done, "x")
    assert "not a whole Coterie project" in refused(b"")
    assert "not a whole Coterie project" in refused(b"PK\x03\x04 but no zip")
    assert "not a whole Coterie project" in refused(whole[: len(whole) // 2])
    assert "no Coterie project" in refused(archive.pack_archive({"a.txt": b"hello"}))
    assert "another version of Coterie" in refused(
        with_manifest(whole, lambda manifest: manifest.update(version=99))
    )


@pytest.mark.parametrize(
    "change",
    [
        {"version": 99},
        {"a part": "that only the newer one knows"},
        {"plans": ['{"version": "9.1.0", "wish": 1}']},
    ],
)
def test_of_a_newer_project_that_is_not_understood_both_versions_are_named(
    done: Workspace, change: dict[str, object]
) -> None:
    content = with_manifest(
        project_to_bytes(done, "x"),
        lambda manifest: manifest.update(coterie="9.1.0", **change),
    )
    message = refused(content)
    assert "Coterie 9.1.0 has written" in message
    assert f"Coterie {version('coterie')} here" in message


@given(st.data())
def test_a_damaged_file_is_one_sentence_and_never_an_error(
    done: Workspace, data: st.DataObject
) -> None:
    whole = project_to_bytes(done, "x", with_data=True)
    at = data.draw(st.integers(0, len(whole) - 1))
    broken = bytearray(whole)
    broken[at : at + 4] = data.draw(st.binary(max_size=8))
    # What was hit may also say nothing, such as a date.
    with contextlib.suppress(EngineError):
        copy_with_restored_results(
            copy_with_project(Workspace(), read_project(bytes(broken)))
        )


def test_what_singles_somebody_out_is_proposed_anew_where_a_file_lacks_it() -> None:
    rows = [f"{90 - row};{'abcdefghijk'[row % 11] * 3} {row} over" for row in range(60)]
    upload = Upload("things.csv", "\n".join(["size;thing", *rows]).encode())
    table = read_table(upload.content, name=upload.name)
    assert table.schema["thing"].singles_out
    ws = copy_with_table(Workspace(), table, upload)

    def forget(manifest: Any) -> None:
        for source in manifest["sources"]:
            schema = json.loads(source["table_schema"])
            for column in schema["columns"]:
                column.pop("singles_out", None)
            source["table_schema"] = json.dumps(schema)

    for with_data in (True, False):
        content = with_manifest(project_to_bytes(ws, "x", with_data), forget)
        workspace = copy_with_project(Workspace(), read_project(content))
        if not with_data:
            workspace = copy_with_awaited_table(workspace, table, upload)
        assert workspace.table is not None
        assert workspace.table.schema["thing"].singles_out


WRONG = {
    "a method": lambda one: one["current"]["choices"].update(methods=["magic"]),
    "a scaling": lambda one: one["current"]["choices"].update(scaling="magic"),
    "a k": lambda one: one["current"]["choices"].update(sizes=[1]),
    "a format": lambda one: one["current"]["choices"].update(release_format="exe"),
    "a measure": lambda one: one["current"]["choices"].update(ceilings={"x": 1.0}),
    "a parameter": lambda one: one["current"]["choices"].update(
        parameters={"vmdav": {"gamma": "now"}}
    ),
    "a table's number": lambda one: one["current"].update(source=7),
    "a schema": lambda one: one["sources"][0].update(table_schema="{"),
    "a folder": lambda one: one["sources"][0]["origin"].update(name="../data.csv"),
    "a root": lambda one: one["sources"][0]["origin"].update(name="/etc/data.csv"),
    "a dot": lambda one: one["sources"][0]["origin"].update(name=".."),
    "an encoding": lambda one: one["sources"][0]["origin"]["options"].update(
        encoding="nonsense"
    ),
    "a plan": lambda one: one["plans"].__setitem__(0, '{"method": "magic"}'),
    "a key": lambda one: one["results"][0].update(key=["a", "b"]),
    "a length": lambda one: one["results"][0].update(n_released=10**12),
    "an entry": lambda one: one.update(more=1),
    "a number of plans": lambda one: one["runs"][0].update(plans=[0]),
    "a part": lambda one: one["results"].append(
        {
            "key": one["results"][0]["key"],
            "digest": "",
            "n_released": 1,
            "n_seeds": None,
        }
    ),
    "figures of another result": lambda one: one["results"].reverse(),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_entries_are_refused(done: Workspace, what: str) -> None:
    refused(with_manifest(project_to_bytes(done, "x"), WRONG[what]))


def test_data_of_another_table_are_refused(done: Workspace) -> None:
    members = parts(project_to_bytes(done, "x", with_data=True))
    members["data/0"] = CSV.replace(b"firm 7;", b"firm x;")
    refused(archive.pack_archive(members))


def test_groups_that_were_changed_do_not_come_back(done: Workspace) -> None:
    members = parts(project_to_bytes(done, "x", with_data=True))
    labels = np.frombuffer(members["results/0/labels"], dtype="<i4")
    members["results/0/labels"] = np.roll(labels, 1).tobytes()
    ws = reopened(Workspace(), archive.pack_archive(members))
    assert list(requested_results(ws)) == list(resolve_plans(ws))[1:]


def test_a_zip_bomb_is_refused_before_it_is_unpacked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(archive, "MAX_UNPACKED_BYTES", 10_000_000)
    bomb = archive.pack_archive({"manifest.json": bytes(20_000_000)})
    assert len(bomb) < 100_000
    assert "more than a gigabyte" in refused(bomb)
    monkeypatch.setattr(archive, "MAX_PARTS", 3)
    assert "more than" in refused(archive.pack_archive(dict.fromkeys("abcd", b"")))


def test_a_locked_file_is_said() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("manifest.json", b"{}")
    content = bytearray(buffer.getvalue())
    for mark in (b"PK\x03\x04", b"PK\x01\x02"):
        at = content.index(mark) + (6 if mark == b"PK\x03\x04" else 8)
        content[at] |= 1
    assert "locked" in refused(bytes(content))


def test_no_part_can_run_code(done: Workspace) -> None:
    """Only JSON, whole numbers and the file that a person could have opened."""
    names = parts(project_to_bytes(done, "x", with_data=True))
    kinds = {name.split("/")[-1] for name in names if not name.startswith("data/")}
    assert kinds <= {"manifest.json", "facts.json", "labels", "rows", "seeds"}


def test_a_manifest_deeper_than_the_stack_is_refused() -> None:
    deep = b"[" * 200_000
    refused(archive.pack_archive({"manifest.json": deep}))
    refused(archive.pack_archive({"manifest.json": b'{"format": ' + deep}))
