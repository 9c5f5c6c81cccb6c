"""Known methods that are not provided, with reasons and alternatives."""

from __future__ import annotations

from dataclasses import dataclass

from engine.core.message import Message, join_with_or


@dataclass(frozen=True)
class ForeignMethod:
    """A method of another tool, its loss there, and the alternative here.

    Attributes
    ----------
    name, tool : str
        As people know them.
    losses : tuple of (str, float)
        Reference tables, each with the information loss that the tool reaches there at
        k = 3, in per cent.
    instead : str
        Method here that loses less.
    """

    name: str
    tool: str
    losses: tuple[tuple[str, float], ...]
    instead: str = "mdav-generic"

    @property
    def message(self) -> Message:
        """Message for users who ask for the method."""
        figures = [
            Message(
                "{loss:.1f} % of {table}, where its mdav loses {least:.1f} %",
                loss=loss,
                table=table,
                least=_MDAV_LOSSES[table],
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


_MDAV_LOSSES = {"Census": 5.692186, "Tarragona": 16.932588}

# sdcMicro 5.8.1, microaggregation(x, method, aggr = 3), loss on z-scores.
FOREIGN_METHODS = {
    one.name: one
    for one in (
        ForeignMethod(
            "pppca", "sdcMicro", (("Census", 62.330500), ("Tarragona", 30.170115))
        ),
        ForeignMethod(
            "clustpca", "sdcMicro", (("Census", 23.798465), ("Tarragona", 27.806716))
        ),
        ForeignMethod("clustmcdpca", "sdcMicro", (("Tarragona", 29.881378),)),
        ForeignMethod(
            "clustpppca", "sdcMicro", (("Census", 29.265681), ("Tarragona", 28.665996))
        ),
    )
}
"""Methods of other tools that are not provided, by their names there."""


@dataclass(frozen=True)
class UndefinedMethod:
    """A method whose original paper was not available, and alternatives.

    Attributes
    ----------
    title, source : str
        As the papers that name it have them.
    aim : Message
        What it is for.
    instead : tuple of str
        Methods here for the same.
    """

    title: str
    source: str
    aim: Message
    instead: tuple[str, ...]

    @property
    def message(self) -> Message:
        """Message for users who ask for the method, and for the manual."""
        return Message(
            "{title} ({source}) {aim} It is not among the methods: its own paper was "
            "not at hand, and the papers that name it do not say its steps. Take "
            "{instead}.",
            title=self.title,
            source=self.source,
            aim=self.aim,
            instead=join_with_or(self.instead),
        )


UNDEFINED_METHODS = {
    "tbm": UndefinedMethod(
        "TBM",
        "Salari, Jalili & Mortazavi 2017",
        Message("microaggregates large tables of mixed data through a transformation."),
        ("blocked",),
    ),
    "fdm": UndefinedMethod(
        "FDM",
        "Mortazavi & Jalili 2014",
        Message("makes groups of varying size in large tables of numbers."),
        ("blocked", "mdav-mhm"),
    ),
    "ebkc": UndefinedMethod(
        "EBKC",
        "Zhang et al. 2014",
        Message("clusters records for k-anonymity by information entropy."),
        ("kaca", "caat"),
    ),
}
"""Methods of the literature that are not provided, by what people would type."""


def unavailable_method_message(name: str) -> Message | None:
    """Return the message on a known method that is not provided; None if unknown."""
    if name in UNDEFINED_METHODS:
        return UNDEFINED_METHODS[name].message
    method = FOREIGN_METHODS.get(name)
    return None if method is None else method.message
