"""Printed claims on run times of CAAT and KACA, compared with run times here.

Jiang's figures 1 and 2 draw them for k = 3 and k = 6, each time the mean of ten random
starts. Their axes have no numbers that could be compared with other machines'; what the
text reads from them is put beside one's own times.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from engine.analysis.curves.timing import MethodTiming
from engine.core.message import Message

TIMES_REFERENCE = "Jiang, Clustering-anonymity method, fig. 1 and 2"

COMPARED_METHODS = ("caat", "kaca")
"""The method that was proposed, and the method that it was compared with."""

PRINTED_K_VALUES = (3, 6)
"""The k of the two figures."""

N_STARTS = 10
"""Random starts whose mean counts."""

NOISE_FACTOR = 1.1
"""Quotient from which a time is longer: the machine's noise is some per cent."""

_Times = Mapping[tuple[str, int], Mapping[int, float]]
"""Seconds by number of attributes, by method and k."""


@dataclass(frozen=True)
class TimeClaim:
    """A published claim about run times, and whether times measured here bear it out.

    Attributes
    ----------
    printed : Message
    holds : bool
        Whether it comes out so here.
    found : Message
        In figures.
    """

    printed: Message
    holds: bool
    found: Message

    @property
    def verdict_text(self) -> Message:
        """Whether the claim holds here, in words."""
        return (
            Message("as printed") if self.holds else Message("otherwise than printed")
        )


def compare_time_claims(timings: Sequence[MethodTiming]) -> tuple[TimeClaim, ...]:
    """Return the printed claims on run times that the given timings can judge.

    Parameters
    ----------
    timings : sequence of MethodTiming
        Against the number of attributes; of other methods nothing was printed.

    Returns
    -------
    tuple of TimeClaim
        Empty where not both methods were timed.
    """
    times: dict[tuple[str, int], dict[int, float]] = {}
    for timing in timings:
        if (
            timing.method in COMPARED_METHODS
            and not timing.polish
            and timing.representative_seconds is not None
        ):
            times.setdefault((timing.method, timing.k), {})[timing.value] = (
                timing.representative_seconds
            )
    if {method for method, _ in times} != set(COMPARED_METHODS):
        return ()
    return (*_claims_on_speed(times), *_with_attributes(times), *_with_k(times))


def _claims_on_speed(times: _Times) -> Iterator[TimeClaim]:
    """Yield for each k whether CAAT is faster, and where it is not."""
    method, other = COMPARED_METHODS
    for k in sorted({k for _, k in times}):
        first, second = times.get((method, k), {}), times.get((other, k), {})
        both = sorted(first.keys() & second.keys())
        if not both:
            continue
        slower = [value for value in both if first[value] >= second[value]]
        printed = Message("For k = {k}, CAAT takes less time than KACA.", k=k)
        if not slower:
            finding = Message(
                "So it is here with any number of attributes: {least:.1f} to "
                "{most:.1f} times less.",
                least=min(second[value] / first[value] for value in both),
                most=max(second[value] / first[value] for value in both),
            )
        elif len(slower) == len(both):
            finding = Message("Here KACA is faster throughout.")
        else:
            finding = Message(
                "Here KACA is faster with {values} attributes.", values=slower
            )
        yield TimeClaim(printed, not slower, finding)


def _with_attributes(times: _Times) -> Iterator[TimeClaim]:
    """Yield for each method whether more attributes take more time."""
    for method in COMPARED_METHODS:
        series = {k: each for (name, k), each in times.items() if name == method}
        rises = {
            k: each[max(each)] / each[min(each)]
            for k, each in sorted(series.items())
            if len(each) > 1
        }
        if not rises:
            continue
        ends = next(iter(series.values()))
        yield TimeClaim(
            Message(
                "{method} takes longer the more quasi-identifiers there are.",
                method=method.upper(),
            ),
            min(rises.values()) >= NOISE_FACTOR,
            Message(
                "From {fewest} to {most} attributes it takes {times} times as long "
                "(k = {sizes}).",
                fewest=min(ends),
                most=max(ends),
                times=[f"{factor:.1f}" for factor in rises.values()],
                sizes=list(rises),
            ),
        )


def _with_k(times: _Times) -> Iterator[TimeClaim]:
    """Yield for each method whether a larger k takes more time."""
    for method in COMPARED_METHODS:
        series = {k: each for (name, k), each in times.items() if name == method}
        if len(series) < 2:
            continue
        low, high = min(series), max(series)
        both = series[low].keys() & series[high].keys()
        if not both:
            continue
        factor = sum(series[high][v] for v in both) / sum(series[low][v] for v in both)
        yield TimeClaim(
            Message("{method} takes longer with a larger k.", method=method.upper()),
            factor >= NOISE_FACTOR,
            Message(
                "With k = {high} it takes {factor:.2f} times as long as with k = "
                "{low}, all numbers of attributes together.",
                high=high,
                factor=factor,
                low=low,
            ),
        )
