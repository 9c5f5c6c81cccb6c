"""Methods of other tools that are not here: what they lose, and what to take."""

from __future__ import annotations

from dataclasses import dataclass

from engine.core.message import Message


@dataclass(frozen=True)
class Elsewhere:
    """A method that another tool has.

    Attributes
    ----------
    name, tool : str
        As people know them.
    losses : mapping of str to float
        Information loss that the tool reaches at k = 3, in per cent, by reference
        table.
    instead : str
        Method here that loses less.
    """

    name: str
    tool: str
    losses: tuple[tuple[str, float], ...]
    instead: str = "mdav-generic"

    @property
    def message(self) -> Message:
        """What is said where somebody asks for it."""
        figures = [
            Message(
                "{loss:.1f} % of {table}, where its mdav loses {least:.1f} %",
                loss=loss,
                table=table,
                least=_MDAV[table],
            )
            for table, loss in self.losses
        ]
        return Message(
            "{tool}'s {name} is not among the methods, because it loses {figures} "
            "(k = 3): take {instead}, which is that mdav, or refined, which loses "
            "less still.",
            tool=self.tool,
            name=self.name,
            figures=figures,
            instead=self.instead,
        )


_MDAV = {"Census": 5.692186, "Tarragona": 16.932588}

# sdcMicro 5.8.1, microaggregation(x, method, aggr = 3), loss on z-scores.
ELSEWHERE = {
    one.name: one
    for one in (
        Elsewhere(
            "pppca", "sdcMicro", (("Census", 62.330500), ("Tarragona", 30.170115))
        ),
        Elsewhere(
            "clustpca", "sdcMicro", (("Census", 23.798465), ("Tarragona", 27.806716))
        ),
        Elsewhere("clustmcdpca", "sdcMicro", (("Tarragona", 29.881378),)),
        Elsewhere(
            "clustpppca", "sdcMicro", (("Census", 29.265681), ("Tarragona", 28.665996))
        ),
    )
}
"""Names that people bring, by what they are called there."""


def said_of(name: str) -> Message | None:
    """Return what is said of a name of another tool's; None of one that is unknown."""
    found = ELSEWHERE.get(name)
    return None if found is None else found.message
