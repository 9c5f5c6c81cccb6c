"""What the texts beside the samples promise, read from the files by other means."""

import csv
import re
from datetime import date
from decimal import Decimal
from itertools import pairwise
from statistics import fmean, median, pstdev

import numpy as np
import pytest
from scipy.stats import spearmanr

from engine.core.errors import ParameterError
from engine.data.kinds import Kind, Role
from engine.methods.base import make_method
from engine.points.base import Points
from sample_data import DEFAULT_SAMPLE, SAMPLES, load

BY_ID = {sample.id: sample for sample in SAMPLES}
MISSING = {"hospital_discharges": {"age", "weight", "postcode"}}


def read(sample_id: str) -> dict[str, list[str]]:
    with BY_ID[sample_id].path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert all(len(row) == len(header) for row in rows)
    return dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))


def numbers(sample_id: str, name: str) -> list[float]:
    return [float(cell) for cell in read(sample_id)[name]]


every_sample = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.id)


def test_the_default_is_the_business_survey():
    assert DEFAULT_SAMPLE == "business_survey"


def test_samples_are_frozen():
    with pytest.raises(AttributeError):
        SAMPLES[0].id = "other"


@every_sample
def test_schema_names_every_column_in_order(sample):
    assert sample.schema.names == tuple(read(sample.id))


@every_sample
def test_text_says_that_nobody_real_is_in_the_table(sample):
    assert re.search(r"[Nn]o real (firm|person)", sample.description)
    assert re.search("synthetic|invented", sample.description)
    assert sample.title


@every_sample
def test_every_column_is_explained(sample):
    assert all(column.description for column in sample.schema.columns)


@every_sample
def test_quasi_identifiers_are_numbers_dates_or_categories(sample):
    columns = read(sample.id)
    assert sample.schema.quasi_identifiers
    for name in sample.schema.quasi_identifiers:
        present = [cell for cell in columns[name] if cell]
        if sample.schema[name].kind is Kind.NOMINAL:
            assert 2 <= len(set(present)) <= 50
        elif sample.schema[name].kind is Kind.ORDINAL and "-" in present[0]:
            assert all(date.fromisoformat(cell) for cell in present)
        else:
            assert all(float(cell) < 1e12 for cell in present)


@every_sample
def test_identifiers_are_unique(sample):
    columns = read(sample.id)
    for name in sample.schema.with_role(Role.IDENTIFIER):
        assert len(set(columns[name])) == len(columns[name])


@every_sample
def test_values_are_missing_only_where_the_text_says(sample):
    columns = read(sample.id)
    lacking_columns = {name for name, cells in columns.items() if "" in cells}
    assert lacking_columns == MISSING.get(sample.id, set())
    if lacking_columns:
        for name in lacking_columns:
            assert name in sample.description
            assert "missing" in sample.schema[name].description
            assert 0.005 < columns[name].count("") / len(columns[name]) < 0.03
    else:
        assert "No value is missing." in sample.description


@every_sample
def test_every_constraint_holds_in_every_record_exactly(sample):
    columns = read(sample.id)
    for constraint in sample.schema.constraints:
        left_side, total = constraint.split(" = ")
        terms = [("1*" + term).split("*")[-2:] for term in left_side.split(" + ")]
        for record in range(len(columns[total])):
            cell = {
                name: Decimal(cells[record])
                for name, cells in columns.items()
                if name in constraint
            }
            assert sum(Decimal(f) * cell[name] for f, name in terms) == cell[total]


def test_rules_that_must_add_up_are_stated():
    assert BY_ID["business_survey"].schema.constraints == (
        "domestic + export = turnover",
    )
    assert BY_ID["expenditure"].schema.constraints == (
        "1.16*exp16 + 1.07*exp7 = total",
    )


def test_samples_that_protect_something_have_names_and_secrets():
    for name in ("business_survey", "hospital_discharges"):
        schema = BY_ID[name].schema
        assert schema.with_role(Role.IDENTIFIER)
        assert len(schema.with_role(Role.CONFIDENTIAL)) == 1
        assert len(schema.quasi_identifiers) >= 6


def test_hospital_discharges_are_recognisable_by_numbers_words_and_dates():
    schema = BY_ID["hospital_discharges"].schema
    kinds = {schema[name].kind for name in schema.quasi_identifiers}
    assert kinds == set(Kind)
    tree = schema["postcode"].hierarchy
    cells = set(read("hospital_discharges")["postcode"]) - {""}
    assert cells <= set(tree.leaves)
    assert tree.rows[0] == ("01101", "011**", "01***", "*")


def test_business_survey_has_heavy_tails():
    schema = BY_ID["business_survey"].schema
    for name in schema.quasi_identifiers:
        if schema[name].kind is Kind.NOMINAL:
            continue
        values = sorted(numbers("business_survey", name))
        top = values[-len(values) // 100 :]
        assert sum(top) > 0.14 * sum(values), name  # fourteen times its share


def test_business_survey_is_believable():
    column = read("business_survey")
    sizes = numbers("business_survey", "employees")
    assert len(sizes) == 1200
    assert min(sizes) >= 1
    pay = [
        wages / size
        for wages, size in zip(numbers("business_survey", "wages"), sizes, strict=True)
    ]
    assert 20 < median(pay) < 50
    for name in ("turnover", "wages", "assets"):
        values = numbers("business_survey", name)
        assert spearmanr(sizes, values).statistic > 0.75
    assert min(numbers("business_survey", "profit")) < 0
    export = dict.fromkeys(("yes", "no"), ())
    for flag, cell in zip(column["exporter"], column["export"], strict=True):
        export[flag] += (cell,)
    assert set(export["no"]) == {"0"}
    assert 20 <= export["yes"].count("0") < 0.2 * len(export["yes"])


def test_hospital_discharges_are_believable():
    column = read("hospital_discharges")
    assert len(column["name"]) == 5000
    assert set(column["sex"]) == {"female", "male"}
    assert all(re.fullmatch(r"\d{5}|", cell) for cell in column["postcode"])
    assert any(cell.startswith("0") for cell in column["postcode"])
    assert all(re.fullmatch(r"2023-\d\d-\d\d", cell) for cell in column["admission"])
    assert column["admission"] == sorted(column["admission"])
    nights = numbers("hospital_discharges", "length_of_stay")
    assert min(nights) >= 1
    assert fmean(nights) > median(nights)
    cost = numbers("hospital_discharges", "cost")
    assert spearmanr(nights, cost).statistic > 0.7
    for sex, age, code in zip(
        column["sex"], column["age"], column["diagnosis"], strict=True
    ):
        assert age == "" or 0 <= int(age) <= 101
        assert not (sex == "male" and code.startswith("O"))
        assert not (sex == "female" and code == "C61")


def test_hierarchy_leads_from_every_diagnosis_to_one_root():
    path = BY_ID["hospital_discharges"].path.with_name(
        "hospital_diagnosis_hierarchy.csv"
    )
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter=";"))
    assert all(len(row) == 4 and row[-1] == "*" for row in rows)
    assert [row[0] for row in rows] == sorted({row[0] for row in rows})
    assert {row[0] for row in rows} == set(read("hospital_discharges")["diagnosis"])
    parents: dict[tuple[int, str], str] = {}
    for row in rows:
        for level, (node, parent) in enumerate(pairwise(row)):
            assert parents.setdefault((level, node), parent) == parent
        code, block, chapter, _ = row
        for span in (block, chapter):
            first, last = span.split("-")
            assert first <= code <= last


def test_expenditure_is_the_published_table_but_for_the_misprint():
    column = read("expenditure")
    assert len(column["total"]) == 12
    assert [column[name][-1] for name in column] == ["16", "100", "125.56"]
    assert "10.3233/JIFS-189074" in BY_ID["expenditure"].description


def ten_records() -> list[float]:
    assert read("ten_records")["x"] == read("ten_records")["y"]
    values = numbers("ten_records", "x")
    assert values == [10, 11, 12, 50, 51, 52, 100, 101, 102, 103]
    centre, scale = fmean(values), pstdev(values)
    return [(value - centre) / scale for value in values]


def loss(values: list[float], groups: list[list[int]]) -> float:
    """Per cent; both attributes are equal, so one gives the same ratio as two."""
    within = 0.0
    for group in groups:
        centre = fmean(values[record] for record in group)
        within += sum((values[record] - centre) ** 2 for record in group)
    centre = fmean(values)
    return 100 * within / sum((value - centre) ** 2 for value in values)


def partitions(records: list[int]):
    if not records:
        yield []
        return
    first, *rest = records
    for others in partitions(rest):
        yield [[first], *others]
        for position, group in enumerate(others):
            joined = [first, *group]
            yield [*others[:position], joined, *others[position + 1 :]]


def test_ten_records_lose_0_063_per_cent_at_best():
    values = ten_records()
    losses = [
        loss(values, groups)
        for groups in partitions(list(range(10)))
        if min(map(len, groups)) >= 3
    ]
    # 1 whole, 3+7, 4+6, 5+5, 3+3+4: nothing is left out.
    assert len(losses) == 1 + 120 + 210 + 126 + 2100
    assert round(min(losses), 3) == 0.063


def test_ten_records_lose_12_60_per_cent_by_mdav():
    points = Points.from_array(np.column_stack([ten_records(), ten_records()]))
    labels = make_method("mdav", 3).partition(points).labels.tolist()
    groups = [
        [record for record in range(10) if labels[record] == group]
        for group in set(labels)
    ]
    assert round(loss(ten_records(), groups), 2) == 12.60


@every_sample
def test_load_gives_the_table_with_its_schema(sample):
    columns = read(sample.id)
    table = load(sample.id)
    assert table.schema == sample.schema
    assert tuple(table.frame.columns) == tuple(columns)
    assert table.n_records == len(next(iter(columns.values())))
    for name, cells in columns.items():
        assert table.frame[name].isna().sum() == cells.count("")
    quasi = [sample.schema[name] for name in sample.schema.quasi_identifiers]
    for name in [column.name for column in quasi if column.kind is not Kind.NOMINAL]:
        if table.frame[name].dtype.kind == "M":
            read_back = table.frame[name].dt.strftime("%Y-%m-%d").fillna("").tolist()
            assert read_back == columns[name]
            continue
        read_back = table.frame[name].to_numpy(dtype=float, na_value=-1.0).tolist()
        assert read_back == [float(cell or -1.0) for cell in columns[name]]


def test_load_keeps_leading_zeros_of_postcodes():
    table = load("hospital_discharges")
    cells = table.frame["postcode"].fillna("").tolist()
    assert cells == read("hospital_discharges")["postcode"]


def test_an_unknown_sample_is_refused_in_one_sentence():
    with pytest.raises(ParameterError, match="no sample called 'nothing'"):
        load("nothing")
