"""The generated files: the same on every machine, and what their texts promise."""

from pathlib import Path

import pytest

import sample_data
from engine.data.schema import Schema
from sample_data.make import main, make

FOLDER = Path(sample_data.__file__).parent


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    return make()


def test_every_committed_file_is_made_again_byte_for_byte(made):
    committed = {
        path.name: path.read_bytes()
        for path in FOLDER.iterdir()
        if path.suffix in {".csv", ".json"}
    }
    assert set(made) == set(committed)
    for name, text in made.items():
        assert text.encode("utf-8") == committed[name], name


def test_main_writes_every_file(made, tmp_path):
    main(tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        name: text.encode("utf-8") for name, text in made.items()
    }


def test_every_schema_is_written_as_the_engine_writes_it(made):
    schemas = [text for name, text in made.items() if name.endswith(".json")]
    assert len(schemas) == len(sample_data.SAMPLES)
    for text in schemas:
        assert Schema.from_json(text).to_json() == text


def test_every_file_is_small(made):
    assert max(len(text.encode("utf-8")) for text in made.values()) < 600_000
