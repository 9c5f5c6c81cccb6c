"""A declared parameter takes what it says, from Python and as text; nothing else."""

import numpy as np
import pytest

from engine.core.errors import ParameterError
from engine.core.parameters import (
    Choice,
    Flag,
    Float,
    Int,
    Parameter,
    validate_parameters,
)

rounds = Int("rounds", 5, "Rounds", "How many.", low=1, high=1_000_000)
gain = Float("gain", 0.5, "Gain", "How much.", low=0.0, high=2.0, words=("auto",))
shape = Choice("shape", "round", "Shape", "Which.", options=("round", "square"))
strict = Flag("strict", False, "Strict", "Whether.")


@pytest.mark.parametrize(
    ("parameter", "given", "expected"),
    [
        (rounds, 3, 3),
        (rounds, " 3 ", 3),
        (rounds, 3.0, 3),
        (rounds, np.int32(3), 3),
        (rounds, 1_000_000, 1_000_000),
        (gain, 1, 1.0),
        (gain, "1.5", 1.5),
        (gain, np.float32(0.25), 0.25),
        (gain, " auto ", "auto"),
        (gain, 2.0, 2.0),
        (shape, "square", "square"),
        (strict, True, True),
        (strict, "Yes", True),
        (strict, "0", False),
        (strict, " false ", False),
    ],
)
def test_takes_a_value_in_its_range_in_its_own_type(
    parameter: Parameter, given: object, expected: object
) -> None:
    value = parameter.check(given)
    assert value == expected
    assert type(value) is type(expected)


@pytest.mark.parametrize(
    ("parameter", "given"),
    [
        *((rounds, value) for value in (0, 1_000_001, 2.5, "2.5", "x", True, None)),
        *((rounds, value) for value in (np.inf, np.nan, [3])),
        *((gain, value) for value in (-0.1, 2.1, "2.1", "x", "", True, None, 1j)),
        *((gain, value) for value in (np.inf, np.nan, "nan", "inf")),
        *((shape, value) for value in ("oval", "", None, 1)),
        *((strict, value) for value in ("maybe", "", None, 2, 0.5)),
    ],
)
def test_refuses_any_other_and_says_what_it_takes(
    parameter: Parameter, given: object
) -> None:
    with pytest.raises(ParameterError) as caught:
        parameter.check(given)
    assert f"Parameter {parameter.name} is" in str(caught.value)
    assert f"must be {parameter.describe()}." in str(caught.value)


@pytest.mark.parametrize(
    ("parameter", "words"),
    [
        (rounds, "a whole number from 1 to 1,000,000"),
        (Int("n", 1, "", "", low=1), "a whole number of at least 1"),
        (Int("n", 1, "", "", high=9), "a whole number of at most 9"),
        (Int("n", 1, "", ""), "a whole number"),
        (gain, "a number from 0 to 2, or auto"),
        (Float("x", 1.0, "", "", low=0.5), "a number of at least 0.5"),
        (shape, "one of round, square"),
        (strict, "true or false"),
    ],
)
def test_describes_itself_in_words(parameter: Parameter, words: str) -> None:
    assert parameter.describe() == words


def test_what_is_not_given_has_its_default() -> None:
    declared = (rounds, gain, shape, strict)
    assert validate_parameters(declared, {"gain": "1"}, "it") == {
        "rounds": 5,
        "gain": 1.0,
        "shape": "round",
        "strict": False,
    }


def test_an_unknown_parameter_is_refused_and_the_known_ones_are_named() -> None:
    with pytest.raises(
        ParameterError, match=r"vmdav has no parameter called 'gama'; it takes gain\."
    ):
        validate_parameters((gain,), {"gama": 1.0}, "vmdav")
    with pytest.raises(ParameterError, match=r"it takes no parameters\."):
        validate_parameters((), {"gama": 1.0}, "mdav")


def test_another_name_of_a_parameter_gives_the_same_and_never_both() -> None:
    gain = (Float("gamma", 0.2, "Gain", "How much.", also=("lambda",)),)
    assert validate_parameters(gain, {"lambda": "1.1"}, "m") == {"gamma": 1.1}
    with pytest.raises(ParameterError, match="gamma is given twice, also as lambda"):
        validate_parameters(gain, {"lambda": 1.1, "gamma": 1.0}, "m")
