"""A Ctrl-C keeps the best of a search."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from engine.cli.parsing.interrupts import context_stopped_by_interrupt
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from tests.engine.cli.lines import CHOICES, run_line


def interrupt() -> None:
    signal.raise_signal(signal.SIGINT)


@pytest.fixture
def hearing() -> Iterator[None]:
    """Hear of interrupts, also where tests run in the background and hear of none."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("hearing")
def test_the_first_interrupt_keeps_the_best_of_a_search_and_the_second_stops(
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = signal.getsignal(signal.SIGINT)
    with context_stopped_by_interrupt(Plan(method="iterated")) as ctx:
        assert not ctx.enough()
        interrupt()
        assert ctx.enough()
        with pytest.raises(KeyboardInterrupt):
            interrupt()
    assert signal.getsignal(signal.SIGINT) is before
    assert capsys.readouterr().err == "Keeping the best so far; once more to stop.\n"
    with context_stopped_by_interrupt(Plan(method="mdav")) as ctx:
        with pytest.raises(KeyboardInterrupt):
            interrupt()
        assert not ctx.enough()


def test_an_interrupted_search_is_written(
    firms: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*arguments: Any, **choices: Any) -> Outcome:
        interrupt()
        return run(*arguments, **choices)

    monkeypatch.setattr("engine.pipeline.run.run", interrupted)
    out, figures = tmp_path / "out.csv", tmp_path / "outcome.json"
    words = ["--method", "iterated", "--param", "seconds=600"]
    words += ["--output", str(out), "--json", str(figures)]
    assert run_line("run", firms, *CHOICES, *words) == 0
    assert pd.read_csv(out).groupby(["staff", "sales"]).size().min() >= 4
    content = json.loads(figures.read_text())
    assert content["iterations"][0] > 0
    loss = content["trace"][-1]["information_loss"]
    assert loss == pytest.approx(content["information_loss"])
    assert any("stopped early" in warning for warning in content["warnings"])
