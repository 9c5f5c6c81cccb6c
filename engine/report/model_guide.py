"""Section of a guide on what a release makes of one model's slopes."""

from __future__ import annotations

from engine.analysis.need.models.coverage import ModelCoverage, SlopeCoverage

MIN_TOLD_BIAS = 0.1
"""Mean error, in standard errors, from which a bias is told."""

_ADVICE_TEXTS = {
    "use": "fit it as it is",
    "care": "its interval is too narrow: say so beside it",
    "avoid": "do not use it: ask whoever released the file",
}


def describe_interval_coverage(coverage: ModelCoverage) -> str:
    """Return in Markdown how well a model's intervals hold, and what to do."""
    title = " ".join(coverage.model.replace("`", "'").split())
    lines = [f"## Your model: `{title}`", ""]
    if coverage.problem is not None:
        return "\n".join(
            [
                *lines,
                f"What to expect of it was not simulated: {coverage.problem}. Go by "
                "the next section, or ask whoever released the file.",
            ]
        )
    formed = (
        "The response took part in forming the groups. "
        if coverage.is_grouped
        else "The response took no part in forming the groups. "
    )
    lines += [
        f"{formed}Whoever released the file drew {coverage.n_draws} responses from "
        "this model, as it is fitted to the original, protected each as this file was, "
        "and fitted the model again in the ordinary way. Errors of linear models are "
        "drawn from its residuals, of the same spread everywhere.",
        "",
        "| coefficient | 95 % intervals hold | bias | what to do |",
        "| --- | --- | --- | --- |",
        *map(_line, coverage.slopes),
    ]
    avoided = [each.name for each in coverage.slopes if each.advice == "avoid"]
    if avoided:
        names = ", ".join(f"`{_plain(name)}`" for name in avoided)
        lines += ["", f"Do not run this model for what it says of {names}."]
    return "\n".join(lines)


def _plain(name: str) -> str:
    return " ".join(name.replace("`", "'").replace("|", "/").split())


def _line(slope: SlopeCoverage) -> str:
    return (
        f"| `{_plain(slope.name)}` | {slope.coverage} % | {_bias_text(slope)} | "
        f"{_ADVICE_TEXTS[slope.advice]} |"
    )


def _bias_text(slope: SlopeCoverage) -> str:
    if abs(slope.bias) < MIN_TOLD_BIAS:
        return "none to be seen"
    if slope.share <= -100:
        return f"beyond 0: its sign turns ({abs(slope.bias):.1f} standard errors)"
    side = "too near to 0" if slope.bias < 0 else "too far from 0"
    return f"{side}, by {abs(slope.share)} % ({abs(slope.bias):.1f} standard errors)"
