"""An independent reader of the text format of Prometheus, version 0.0.4."""

import re

_SAMPLE = re.compile(
    r"([a-zA-Z_:][\w:]*)(?:\{([a-zA-Z_]\w*=\"[^\"\\\n]*\")\})? (-?[0-9.e+-]+|NaN)"
)


def parse_metrics(text: str) -> dict[str, dict[str, float]]:
    """Return each metric's samples by label; what is not of the format is an error."""
    assert text.endswith("\n")
    metrics: dict[str, dict[str, float]] = {}
    kind = ""
    for line in text.splitlines():
        if line.startswith("#"):
            word, name, rest = line.removeprefix("# ").split(" ", 2)
            assert word in ("HELP", "TYPE")
            assert name not in metrics
            if word == "TYPE":
                assert rest == "counter" or not name.endswith("_total")
                assert rest in ("counter", "gauge")
                kind = name
            continue
        match = _SAMPLE.fullmatch(line)
        assert match is not None, line
        assert match[1] == kind
        samples = metrics.setdefault(match[1], {})
        assert (match[2] or "") not in samples
        samples[match[2] or ""] = float(match[3])
    return metrics
