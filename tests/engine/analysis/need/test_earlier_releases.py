"""A release beside earlier ones of the same records opens nothing with them."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest

from engine.analysis.need import need
from engine.analysis.releases.ledger import Ledger
from engine.cli.parsing.parser import main
from engine.files import read_table
from tests.engine.analysis.need.cases import MODEL, frame_of


def test_two_releases_of_one_file_open_nothing_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A model must hold in one, a table in the other."""
    frame_of().to_csv(tmp_path / "f.csv", index=False)
    ledger = tmp_path / "ledger.json"
    words = ["need", str(tmp_path / "f.csv"), "--quasi-identifiers", "a,b,g"]
    words += ["--rule", "k >= 5", "--trials", "9", "--ledger", str(ledger)]
    groups = []
    for number, keep in enumerate((["--model", MODEL], ["--keep", "table(g,a) <= 1"])):
        paths = {name: tmp_path / f"{number}.{name}" for name in ("csv", "g", "json")}
        files = ["--output", str(paths["csv"]), "--groups", str(paths["g"])]
        assert main([*words, *keep, *files, "--json", str(paths["json"])]) == 0
        groups.append(pd.read_csv(paths["g"])["group"])
    content = json.loads(paths["json"].read_text(encoding="utf-8"))
    (rule, beside) = content["rules"]
    assert rule["asked"] == "k >= 5"
    assert beside["asked"] == "Opens nothing beside earlier releases"
    assert (beside["reached"], beside["held"]) == (0.0, True)
    smallest = pd.crosstab(*groups).to_numpy()
    n_left = int(smallest[smallest > 0].min())
    assert re.search(rf"is left with {n_left} records? at least", content["together"])
    assert content["together"] in capsys.readouterr().out
    assert len(Ledger.read_file(ledger).entries) == 2


def test_a_release_that_opens_records_beside_an_earlier_one_is_none() -> None:
    frame = pd.DataFrame({"a": [0.0, 0.1, 5.0, 5.1, 10.0, 10.1]})
    table = read_table(frame, roles={"a": "quasi-identifier"})
    triples = need(table, ["k >= 3"], ["loss <= 100"], trials=1)
    assert triples.outcome is not None
    ledger = Ledger.new()
    ledger = ledger.with_entry(ledger.entry_for(triples.outcome, table, "1", b"1"))
    # Pairs: of the sums of three, two are known, and so is the third record.
    pairs = need(table, ["k >= 2"], ["loss <= 100"], trials=1, ledger=ledger)
    assert (pairs.answer, pairs.outcome) == ("open", None)
    assert (pairs.rules[-1].reached, pairs.rules[-1].held) == (2.0, False)
    later_triples = need(table, ["k >= 3"], ["loss <= 100"], trials=1, ledger=ledger)
    assert later_triples.answer == "found"
    assert "left with 3 records" in str(later_triples.together)
