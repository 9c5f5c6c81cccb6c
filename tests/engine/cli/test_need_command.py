"""``coterie need`` names the strongest attack, who pays, and where its time went."""

import json
import re
from pathlib import Path

import pytest

from engine.analysis.attacks import attacks
from engine.cli.parsing.parser import main
from tests.engine.analysis.need.cases import MODEL, frame_of


@pytest.mark.slow
def test_the_command_names_attack_and_who_pays_and_counts_the_guide(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, answer, guide = (tmp_path / name for name in ("f.csv", "n.json", "g.md"))
    frame_of().to_csv(path, index=False)
    words = ["need", str(path), "--quasi-identifiers", "a,b,g", "--model", MODEL]
    words += ["--rule", "k >= 5", "--rule", "attack <= 1", "--keep", "overlap >= 0.2"]
    words += ["--json", str(answer), "--guide", str(guide), "--seconds", "3"]
    assert main(words) == 0
    output = capsys.readouterr().out
    content = json.loads(answer.read_text(encoding="utf-8"))
    attack = content["rules"][1]["weakest"]
    assert attack in attacks
    assert (
        f"holds: attack <= 1: {content['rules'][1]['reached']:.4g} ({attack})" in output
    )
    (worst,) = content["largest_losses"]
    assert f"g = {worst['value']} {worst['loss']:.2f} ({worst['n_records']})" in output
    assert re.search(r"^Time: .*\(asked: 3 s\); then \d+ s for --guide$", output, re.M)
