"""Descriptions for archives and catalogues: valid by their own schemas, and true."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from lxml import etree

from engine.cli import main
from engine.files import read_table
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from engine.release.verify import write_and_check
from engine.release.writing import Writing
from engine.report import described, to_croissant, to_ddi

SCHEMAS = Path(__file__).with_name("ddi-codebook-2.5.1.zip")
"""As the DDI Alliance published them, under the LGPL, which lies beside them."""

DDI = {"d": "ddi:codebook:2_5"}

NAMES = [
    "plain",
    "Löhne & <b>Gehälter</b>",
    '"]]>',
    "bell\x07",
    " {{x}} ",
    "a:b/c#d?e",
]


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> etree.XMLSchema:
    folder = tmp_path_factory.mktemp("ddi")
    with zipfile.ZipFile(SCHEMAS) as archive:
        archive.extractall(folder)
    return etree.XMLSchema(etree.parse(folder / "schemas" / "codebook.xsd"))


def table() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "income": rng.lognormal(3.0, 1.0, 60).round(2),
            "age": rng.integers(20, 70, 60),
            "sex": rng.choice(["f", "m"], 60),
            "note & <more>": rng.choice(["x", "y"], 60),
        }
    )


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the command line writes."""
    folder = tmp_path_factory.mktemp("described")
    table().to_csv(folder / "people.csv", index=False)
    said = ["run", str(folder / "people.csv"), "--k", "4", "--method", "mdav"]
    said += ["--quasi-identifiers", "income,age", "--confidential", "sex"]
    for option, name in (
        ("output", "out.csv"),
        ("ddi", "out.xml"),
        ("croissant", "out.json"),
        ("certificate", "proof.json"),
    ):
        said += [f"--{option}", str(folder / name)]
    assert main(said) == 0
    return folder


def test_xml_is_valid_by_the_published_schema_and_tells_what_is_in_the_file(
    files: Path, schema: etree.XMLSchema
) -> None:
    found = etree.parse(files / "out.xml")
    assert schema.validate(found), schema.error_log
    release = pd.read_csv(files / "out.csv")

    def told(path: str) -> list[str]:
        return [str(one) for one in found.xpath(path, namespaces=DDI)]

    assert told("//d:var/@name") == list(release.columns)
    assert told("//d:caseQnty/text()") == [str(len(release))]
    digest = hashlib.sha256((files / "out.csv").read_bytes()).hexdigest()
    assert told("//d:digitalFingerprintValue/text()") == [digest]
    derived = told("//d:var[d:derivation]/@name")
    assert derived == ["income", "age"]
    proof = hashlib.sha256((files / "proof.json").read_bytes()).hexdigest()
    assert proof in " ".join(told("//d:method/d:notes/text()"))
    kept = release.groupby(["income", "age"]).size().min()
    assert kept >= 4
    assert f"at least {kept - 1} others" in told("//d:confDec/text()")[0]


@pytest.mark.filterwarnings("ignore")
def test_a_loader_of_the_format_finds_the_released_records(files: Path) -> None:
    import mlcroissant

    found = mlcroissant.Dataset(str(files / "out.json"))
    assert not list(found.metadata.ctx.issues.errors)
    release = pd.read_csv(files / "out.csv")
    for record, truth in zip(
        found.records("records"), release.to_dict("records"), strict=True
    ):
        values = [
            one.decode() if isinstance(one, bytes) else one for one in record.values()
        ]
        assert values == list(truth.values())


@pytest.mark.parametrize("name", NAMES)
def test_any_name_stays_text(name: str, schema: etree.XMLSchema) -> None:
    frame = table().rename(columns={"note & <more>": name})
    found = read_table(frame)
    found = found.assign(roles=dict.fromkeys(found.schema.names, "other"))
    outcome = run(Plan(quasi_identifiers=("income",)), found)
    written = write_and_check(outcome, found, Writing(format="parquet"))
    # File names may hold bytes that are no text.
    release = described(outcome, found, written, f"{name}\udcff.parquet")
    document = etree.parse(io.BytesIO(to_ddi(release)))
    assert schema.validate(document), schema.error_log
    fields = json.loads(to_croissant(release))["recordSet"][0]["field"]
    assert name in [one["name"] for one in fields]


def test_nothing_is_described_that_is_not_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table().to_csv(tmp_path / "in.csv", index=False)
    asked = ["run", str(tmp_path / "in.csv"), "--all-numeric"]
    assert main([*asked, "--ddi", str(tmp_path / "out.xml")]) == 2
    assert "--output" in capsys.readouterr().err
    assert sorted(one.name for one in tmp_path.iterdir()) == ["in.csv"]
