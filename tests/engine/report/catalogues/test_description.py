"""Descriptions for archives and catalogues: valid by their own schemas, and true."""

import hashlib
import io
import json
import warnings
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
from engine.release.verify import release_bytes_and_checks
from engine.release.writing import WritingOptions
from engine.report import describe_release, to_croissant_bytes, to_ddi_bytes

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
    arguments = ["run", str(folder / "people.csv"), "--k", "4", "--method", "mdav"]
    arguments += ["--quasi-identifiers", "income,age", "--confidential", "sex"]
    for option, name in (
        ("output", "out.csv"),
        ("ddi", "out.xml"),
        ("croissant", "out.json"),
        ("certificate", "proof.json"),
    ):
        arguments += [f"--{option}", str(folder / name)]
    assert main(arguments) == 0
    return folder


def test_xml_is_valid_by_the_published_schema_and_tells_what_is_in_the_file(
    files: Path, schema: etree.XMLSchema
) -> None:
    document = etree.parse(files / "out.xml")
    assert schema.validate(document), schema.error_log
    release = pd.read_csv(files / "out.csv")

    def told(path: str) -> list[str]:
        return [str(match) for match in document.xpath(path, namespaces=DDI)]

    assert told("//d:var/@name") == list(release.columns)
    assert told("//d:caseQnty/text()") == [str(len(release))]
    digest = hashlib.sha256((files / "out.csv").read_bytes()).hexdigest()
    assert told("//d:digitalFingerprintValue/text()") == [digest]
    derived = told("//d:var[d:derivation]/@name")
    assert derived == ["income", "age"]
    proof = hashlib.sha256((files / "proof.json").read_bytes()).hexdigest()
    assert proof in " ".join(told("//d:method/d:notes/text()"))
    smallest_class = release.groupby(["income", "age"]).size().min()
    assert smallest_class >= 4
    assert f"at least {smallest_class - 1} others" in told("//d:confDec/text()")[0]


@pytest.mark.filterwarnings("ignore")
def test_a_loader_of_the_format_finds_the_released_records(files: Path) -> None:
    import mlcroissant

    dataset = mlcroissant.Dataset(str(files / "out.json"))
    assert not list(dataset.metadata.ctx.issues.errors)
    release = pd.read_csv(files / "out.csv")
    for record, truth in zip(
        dataset.records("records"), release.to_dict("records"), strict=True
    ):
        values = [
            cell.decode() if isinstance(cell, bytes) else cell
            for cell in record.values()
        ]
        assert values == list(truth.values())


@pytest.mark.parametrize("name", NAMES)
def test_any_name_stays_text(name: str, schema: etree.XMLSchema) -> None:
    frame = table().rename(columns={"note & <more>": name})
    input_table = read_table(frame)
    input_table = input_table.assign(
        roles=dict.fromkeys(input_table.schema.names, "other")
    )
    outcome = run(Plan(quasi_identifiers=("income",)), input_table)
    written = release_bytes_and_checks(
        outcome, input_table, WritingOptions(format="parquet")
    )
    # File names may hold bytes that are no text.
    release = describe_release(outcome, input_table, written, f"{name}\udcff.parquet")
    document = etree.parse(io.BytesIO(to_ddi_bytes(release)))
    assert schema.validate(document), schema.error_log
    fields = json.loads(to_croissant_bytes(release))["recordSet"][0]["field"]
    assert name in [field["name"] for field in fields]


def every_kind() -> pd.DataFrame:
    rng, n = np.random.default_rng(4), 40
    moments = pd.Timestamp("2024-05-01") + pd.to_timedelta(
        rng.integers(0, 10**6, n), "s"
    )
    return pd.DataFrame(
        {
            "income": rng.lognormal(3.0, 1.0, n).round(2),
            "age": rng.integers(20, 70, n),
            "children": pd.array([None, *rng.integers(0, 5, n - 1)], dtype="Int64"),
            "day": moments.normalize(),
            "moment": moments,
            "hour": [f"{h:02}:15:00" for h in rng.integers(0, 24, n)],
            "works": rng.choice([True, False], n),
            "region": rng.choice(["north & <b>", "süd", "=1+1"], n),
            "words": [f"what {i} said" for i in range(n)],
            '"]]> {{x}}': rng.choice(["", "y"], n),
        }
    )


def test_every_kind_of_column_is_described_as_it_is(
    tmp_path: Path, schema: etree.XMLSchema
) -> None:
    """Where a loader of the format reads it, too."""
    import mlcroissant

    frame = every_kind()
    table = read_table(frame.to_csv(index=False).encode(), name="all.csv")
    table = table.assign(roles=dict.fromkeys(table.schema.names, "other"))
    outcome = run(Plan(quasi_identifiers=("income", "age")), table)
    written = release_bytes_and_checks(outcome, table)
    release = describe_release(outcome, table, written, "all.csv")
    (tmp_path / "all.csv").write_bytes(written.content)
    (tmp_path / "c.json").write_bytes(to_croissant_bytes(release))
    kinds = {one.name: one.type for one in release.variables}
    assert kinds == {
        "income": "number",
        "age": "integer",
        "children": "integer",
        "day": "date",
        "moment": "datetime",
        "hour": "time",
        "works": "boolean",
        "region": "text",
        "words": "text",
        '"]]> {{x}}': "text",
    }
    document = etree.parse(io.BytesIO(to_ddi_bytes(release)))
    assert schema.validate(document), schema.error_log
    back = pd.read_csv(tmp_path / "all.csv")
    for one in document.iterfind(".//d:var", DDI):
        column = back[one.get("name")]
        counted = {
            each.findtext("d:catValu", namespaces=DDI): int(
                each.findtext("d:catStat", namespaces=DDI)
            )
            for each in one.iterfind("d:catgry", DDI)
        }
        if counted:
            truth = column.dropna().astype(str).value_counts().to_dict()
            assert {k: v for k, v in counted.items() if k} == truth
        lacking = one.findtext("d:sumStat", namespaces=DDI)
        assert int(lacking) == column.isna().sum()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dataset = mlcroissant.Dataset(str(tmp_path / "c.json"))
        records = list(dataset.records("records"))
    assert not list(dataset.metadata.ctx.issues.errors)
    assert len(records) == len(frame)
    moments = [one["records/5"] for one in records]
    assert moments == list(pd.to_datetime(back["moment"]))
    assert [one["records/7"] for one in records] == list(back["works"])
    hours = [one["records/6"].isoformat() for one in records]
    assert hours == list(back["hour"])


def test_labels_and_codes_of_missing_values_are_told(
    tmp_path: Path, schema: etree.XMLSchema
) -> None:
    import pyreadstat

    n = 30
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "income": rng.lognormal(3.0, 1.0, n).round(2),
            "sex": rng.integers(1, 3, n).astype(float),
            "health": np.where(np.arange(n) < 4, 99.0, rng.integers(1, 4, n)),
        }
    )
    labels: dict[str, dict[float | int, str]]
    labels = {"sex": {1: "f & <b>", 2: "m"}, "health": {1: "good", 99: "no answer"}}
    pyreadstat.write_sav(
        frame,
        str(tmp_path / "in.sav"),
        variable_value_labels=labels,
        missing_ranges={"health": [99]},
    )
    table = read_table((tmp_path / "in.sav").read_bytes(), name="in.sav")
    table = table.assign(roles=dict.fromkeys(table.schema.names, "other"))
    outcome = run(Plan(quasi_identifiers=("income",)), table)
    written = release_bytes_and_checks(outcome, table)
    release = describe_release(outcome, table, written, "in.sav")
    document = etree.parse(io.BytesIO(to_ddi_bytes(release)))
    assert schema.validate(document), schema.error_log

    def told(path: str) -> list[str]:
        return [str(entry) for entry in document.xpath(path, namespaces=DDI)]

    assert told("//d:var[@name='sex']/d:catgry/d:labl/text()") == ["f & <b>", "m"]
    counts = frame["sex"].value_counts().sort_index().astype(str).tolist()
    assert told("//d:var[@name='sex']/d:catgry/d:catStat/text()") == counts
    assert told("//d:var[@name='health']/d:invalrng/d:item/@VALUE") == ["99"]
    assert told("//d:var[@name='health']/d:sumStat/text()") == ["4"]
    fields = json.loads(to_croissant_bytes(release))["recordSet"][0]["field"]
    descriptions = {entry["name"]: entry["description"] for entry in fields}
    assert "1: f & <b>; 2: m" in descriptions["sex"]
    assert "Missing values are written as 99." in descriptions["health"]


def test_codes_are_categories_and_weights_are_weights(
    schema: etree.XMLSchema,
) -> None:
    frame = table().assign(sex=lambda one: one["sex"].map({"f": 1, "m": 2}))
    frame["factor"] = frame.pop("age") / 10
    input_table = read_table(frame.to_csv(index=False).encode(), name="a.csv")
    input_table = input_table.assign(
        roles=dict.fromkeys(input_table.schema.names, "other")
    )
    input_table = input_table.assign(
        roles={"factor": "weight"}, kinds={"sex": "nominal"}
    )
    plan = Plan(quasi_identifiers=("income", "sex"), weights="factor")
    outcome = run(plan, input_table)
    written = release_bytes_and_checks(outcome, input_table)
    document = etree.parse(
        io.BytesIO(
            to_ddi_bytes(describe_release(outcome, input_table, written, "a.csv"))
        )
    )
    assert schema.validate(document), schema.error_log

    def told(path: str) -> list[str]:
        return [str(one) for one in document.xpath(path, namespaces=DDI)]

    assert told("//d:var[@wgt='wgt']/@name") == ["factor"]
    assert told("//d:var[@intrvl='contin']/@name") == ["income", "factor"]
    counts = outcome.release.frame["sex"].value_counts().sort_index()
    assert told("//d:var[@name='sex']/d:catgry/d:catValu/text()") == [
        *map(str, counts.index)
    ]
    assert told("//d:var[@name='sex']/d:catgry/d:catStat/text()") == [*map(str, counts)]


@pytest.mark.parametrize("delimiter", [";", "\t"])
@pytest.mark.parametrize("encoding", ["cp1252", "utf-8"])
def test_how_delimited_text_is_written_is_told(
    delimiter: str, encoding: str, schema: etree.XMLSchema
) -> None:
    frame = table().rename(columns={"note & <more>": "Größe"})
    text = frame.to_csv(index=False, sep=delimiter, decimal=",")
    input_table = read_table(text.encode(encoding), name="a.csv")
    input_table = input_table.assign(
        roles=dict.fromkeys(input_table.schema.names, "other")
    )
    outcome = run(Plan(quasi_identifiers=("income",)), input_table)
    written = release_bytes_and_checks(outcome, input_table)
    release = describe_release(outcome, input_table, written, "a.csv")
    document = etree.parse(io.BytesIO(to_ddi_bytes(release)))
    assert schema.validate(document), schema.error_log
    (charset,) = document.xpath("//d:fileType/@charset", namespaces=DDI)
    (layout,) = document.xpath("//d:fileTxt/d:format/text()", namespaces=DDI)
    assert layout in json.loads(to_croissant_bytes(release))["description"]
    assert charset in layout
    named = {";": "semicolons", "\t": "tabs"}[delimiter]
    assert f"by {named}, decimals by a comma" in layout
    back = pd.read_csv(
        io.BytesIO(written.content), sep=delimiter, decimal=",", encoding=charset
    )
    assert list(back.columns) == list(frame.columns)
    assert back["income"].dtype == np.float64


def test_codes_of_delimited_text_that_leave_are_told(
    tmp_path: Path, schema: etree.XMLSchema
) -> None:
    text = "age,x\n" + "".join(f"{20 + i},{99 if i % 4 else i}\n" for i in range(12))
    (tmp_path / "in.csv").write_text(text)
    arguments = ["run", str(tmp_path / "in.csv"), "--k", "2", "--method", "mdav"]
    arguments += ["--quasi-identifiers", "age", "--missing-codes", "x=99"]
    arguments += ["--output", str(tmp_path / "o.csv"), "--ddi", str(tmp_path / "o.xml")]
    assert main(arguments) == 0
    document = etree.parse(tmp_path / "o.xml")
    assert schema.validate(document), schema.error_log
    codes = document.xpath("//d:invalrng/d:item/@VALUE", namespaces=DDI)
    assert codes == ["99"]
    assert (pd.read_csv(tmp_path / "o.csv")["x"] == 99).sum() == 9
    assert document.xpath("//d:sumStat/text()", namespaces=DDI) == ["0", "9"]


def test_nothing_is_described_that_is_not_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table().to_csv(tmp_path / "in.csv", index=False)
    arguments = ["run", str(tmp_path / "in.csv"), "--all-numeric"]
    assert main([*arguments, "--ddi", str(tmp_path / "out.xml")]) == 2
    assert "--output" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.csv"]
