"""What readings were tried, and the best of each method."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results.json"


def stored_results() -> dict[str, dict[str, Any]]:
    """Return what was tried, by method."""
    text = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else "{}"
    results: dict[str, dict[str, Any]] = json.loads(text)
    return results


def store_result(found: dict[str, Any]) -> None:
    """Write what was tried of one method in place of what there is."""
    results = stored_results() | {found["method"]: found}
    text = json.dumps(dict(sorted(results.items())), indent=1)
    RESULTS.write_text(text + "\n", encoding="utf-8")
