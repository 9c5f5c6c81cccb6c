"""Where k counts people, certificates say so, and no one tampers with who they are."""

import hashlib
import json
import re

import numpy as np
import pandas as pd
import pytest

from engine.certificate import certify as checker
from engine.certificate.certificate_conditions import reason_not_certifiable
from engine.certificate.certify import Refused
from engine.certificate.write import build_certificate
from engine.files import read_table
from engine.pipeline.plan import Plan
from engine.pipeline.planning.resolve_plan import resolve_plan
from engine.pipeline.run import run
from tests.engine.certificate.made import certify, made_of_people, sealed, values_of
from tests.engine.certificate.spoils import PEOPLE_SPOILS, proven_anew
from tests.reference.persons import least_loss as least_loss_of_people


def test_a_certificate_of_people_says_so_and_counts_them() -> None:
    values = values_of(24, 6)
    frame = pd.DataFrame(values, columns=["a", "b"]).assign(id=np.arange(24) % 8)
    text = frame.to_csv(index=False).encode()
    roles = {"a": "quasi-identifier", "b": "quasi-identifier", "id": "identifier"}
    table = read_table(text, name="table.csv", roles=roles)
    plan = Plan(method="mdav", k=3, person="id", identifiers=("id",))
    outcome = run(plan, table)
    certificate = build_certificate(outcome, table).text
    answer = " ".join(certify(certificate, text))
    assert "at least k = 3 people of 'id'" in answer
    assert "who records are about." in answer
    content = json.loads(certificate)
    assert content["persons"]["of"] == (np.arange(24) % 8).tolist()
    content["persons"]["of"] = [0] * 24
    with pytest.raises(checker.Refused, match="1 persons"):
        checker.check_proofs(content)


@pytest.mark.parametrize("knows", ["one", "all"])
def test_what_people_pay_is_proven_and_no_more_than_the_best_groups_lose(
    knows: str,
) -> None:
    certificate, file = made_of_people(knows, n=8, people=4)
    lines = certify(certificate, file)
    assert "no groups of at least k people" in lines[-1]
    assert ("same groups" in " ".join(lines)) == (knows == "all")
    content = json.loads(certificate)
    assert [proof["kind"] for proof in content["proof"]] == ["persons"]
    assert content["persons"]["constant"] == (["c"] if knows == "all" else None)
    table = read_table(
        file, name="table.csv", roles=dict.fromkeys("abc", "quasi-identifier")
    )
    X = table.frame[list("abc")].to_numpy(dtype=np.float64)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    persons = np.array(content["persons"]["of"])
    minimal_loss = 100.0 * least_loss_of_people(X, persons, 3, knows) / (X**2).sum()
    assert (
        0.0 < float(content["bound"]) <= minimal_loss <= float(content["loss"]) + 1e-9
    )


@pytest.mark.parametrize("knows", ["one", "all"])
def test_a_certificate_of_people_says_what_the_run_says(knows: str) -> None:
    certificate, file = made_of_people(knows)
    table = read_table(
        file, name="table.csv", roles=dict.fromkeys("abc", "quasi-identifier")
    )
    plan = Plan(method="mdav", k=3, person="id", intruder_knows=knows)
    outcome = run(plan.replace(identifiers=("id",)), table)
    content = json.loads(certificate)
    assert float(content["loss"]) == pytest.approx(outcome.information_loss, rel=1e-12)
    assert outcome.bound.kind == "persons"
    assert float(content["bound"]) >= outcome.bound.per_cent * (1.0 - 1e-9)
    content["persons"]["constant"] = ["a"]
    with pytest.raises(checker.Refused):
        certify(sealed(content), file)


@pytest.mark.parametrize("way", PEOPLE_SPOILS)
@pytest.mark.parametrize("knows", ["one", "all"])
def test_who_tampers_with_people_is_refused_or_said_to_be_taken_at_his_word(
    way: str, knows: str
) -> None:
    rng, outcomes = np.random.default_rng(9), set()
    certificate, file = made_of_people(knows)
    for _ in range(20):
        content = json.loads(certificate)
        PEOPLE_SPOILS[way](content, rng)
        try:
            first_line = certify(sealed(proven_anew(content)), file)[0]
        except Refused:
            outcomes.add("refused")
            continue
        is_taken = "not the file: who records are about." in first_line
        outcomes.add("taken" if is_taken else "holds")
    if way == "sets of groups split" and knows == "one":
        assert "holds" in outcomes, "of one record known, sets do not matter"
    else:
        assert "holds" not in outcomes


@pytest.mark.parametrize("knows", ["one", "all"])
def test_a_file_that_names_other_people_is_said_to(knows: str) -> None:
    certificate, file = made_of_people(knows)
    content = json.loads(certificate)
    for old, new in ((b",p1\n", b",p2\n"), (b",p3\n", b",\n")):
        other = file.replace(old, new, 1)
        content["file"]["sha256"] = hashlib.sha256(other).hexdigest()
        with pytest.raises(Refused, match="the file names other people"):
            certify(sealed(content), other)
    numbers = re.sub(rb",p(\d)\n", rb",\1\n", file)
    for text in numbers, numbers.replace(b",1\n", b",1.0\n", 1):
        roles = {**dict.fromkeys("abc", "quasi-identifier"), "id": "identifier"}
        table = read_table(text, name="table.csv", roles=roles)
        plan = Plan(method="mdav", k=3, person="id", intruder_knows=knows)
        outcome = run(plan.replace(identifiers=("id",)), table)
        lines = certify(build_certificate(outcome, table, seconds=0.0).text, text)
        assert ("who records are about" in lines[0]) == (text != numbers)
        assert ("who records are about" in lines[2]) == (text == numbers)


def test_equal_values_of_two_strata_and_a_column_of_one_value_are_certified() -> None:
    person = np.repeat(np.arange(16), 2)
    frame = pd.DataFrame({"a": person // 2 % 4, "b": np.tile([0, 5], 16)})
    frame = frame.assign(c="x", id=person, s=np.where(person < 8, "n", "p"))
    file = frame.to_csv(index=False).encode()
    roles = dict.fromkeys("abc", "quasi-identifier")
    table = read_table(file, name="table.csv", roles=roles)
    plan = Plan(method="mdav", k=4, person="id", intruder_knows="all", strata="s")
    outcome = run(plan.replace(identifiers=("id",)), table)
    assert frame["s"].groupby(outcome.partition.labels).nunique().max() == 2
    certificate = build_certificate(outcome, table)
    assert float(certificate.loss) == pytest.approx(outcome.information_loss)
    certify(certificate.text, file)


def test_records_in_other_groups_than_those_of_others_are_no_class() -> None:
    content = json.loads(made_of_people("all")[0])
    labels = content["labels"]
    i = next(i for i, x in enumerate(labels) if labels.count(x) > 3)
    labels[i] = next(x for x in labels if x != labels[i])
    with pytest.raises(checker.Refused, match=r"other groups|persons"):
        checker.check_proofs(content)


def test_merged_groups_of_histories_are_not_certified() -> None:
    plan = Plan(quasi_identifiers=("a",), person="id", intruder_knows="all")
    table = read_table(pd.DataFrame({"a": [1.0, 2.0] * 6, "id": [*range(6)] * 2}))
    plan = plan.replace(k_map=20, sampling_fraction=0.1)
    assert "history" in str(reason_not_certifiable(resolve_plan(plan, table), table))
