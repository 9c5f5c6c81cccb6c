"""Plan fields for random numbers."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from engine.pipeline.fields.base import PlanFields
from engine.pipeline.planning import limits
from engine.pipeline.planning.choices import ChoiceInfo, CommandOption


class SeedFields(PlanFields):
    """First seed and number of seeds of methods, and the seed of the released order.

    Attributes
    ----------
    seed : int
        Seed of every random number drawn.
    seeds : int
        With how many seeds, from `seed` on, a method that draws lots is run: the
        release is that of the first, and the others say how far figures are luck.
    order_seed : int or None
        Seed of the random order in which records are written; None where they stay in
        the order of the table. Whoever knows it can undo the order, so that no file to
        be passed on says it.
    """

    seed: Annotated[
        int,
        Field(ge=0, le=limits.MAX_SEED),
        ChoiceInfo(
            "seed",
            CommandOption(
                "--seed",
                "start of the random numbers (default 0)",
                "whole",
                always=True,
            ),
            stage="group",
            out_of_core=True,
            help="Methods that draw random numbers give the same groups for the same "
            "seed; the others ignore it.",
        ),
    ] = 0
    seeds: Annotated[
        int,
        Field(ge=1, le=limits.MAX_SEEDS),
        ChoiceInfo(
            "number of seeds",
            CommandOption(
                "--seeds",
                "run methods that draw random numbers with this many seeds, and report "
                "mean and spread (default 1)",
                "whole",
            ),
            stage="after",
            help="Methods that draw random numbers are run with so many seeds: charts "
            "and tables then have mean and spread. The release is that of the first "
            "seed. All other methods run once.",
        ),
    ] = 1
    order_seed: Annotated[
        int | None,
        Field(ge=0, le=limits.MAX_SEED),
        ChoiceInfo(
            "seed of the order",
            CommandOption(
                "--shuffle-seed",
                "write records in the random order of this seed",
                "whole",
            ),
            stage="after",
            widget="own",
            reported=False,
        ),
    ] = None
