"""Messages are English sentences that keep their template and their values."""

import copy
import json
import pickle

import numpy as np
import pytest
from pydantic import TypeAdapter

from engine.core.errors import Cancelled, InputError, ParameterError
from engine.core.message import (
    MAX_VALUE_LENGTH,
    NO_MESSAGE,
    Message,
    join_messages,
    join_with_and,
    join_with_or,
    message_from_json,
    message_to_json,
)

GERMAN = {
    "Column {column!r} holds {what}.": "{what} in Spalte {column!r}.",
    "{count} record": ("{count} Datensatz", "{count} Datensätze"),
    "text": "Text",
    "{most} and {last}": "{most} und {last}",
}


def german(message: Message) -> str:
    def gettext(text: str) -> str:
        return str(GERMAN.get(text, text))

    def ngettext(one: str, many: str, count: int) -> str:
        return GERMAN[one][0 if count == 1 else 1]

    return message.translated(gettext, ngettext)


def test_a_message_is_its_english_sentence() -> None:
    message = Message("Column {column!r} has {n:,} values.", column="age", n=1080)
    assert message == "Column 'age' has 1,080 values."
    assert message.template == "Column {column!r} has {n:,} values."
    assert message.values == {"column": "age", "n": 1080}


@pytest.mark.parametrize("count", [1, np.int64(1), 0, 2, np.int64(5)])
def test_the_count_decides_between_singular_and_plural(count: int) -> None:
    message = Message("{count} record", "{count} records", count=count)
    assert message == ("1 record" if count == 1 else f"{count} records")


def test_several_values_come_with_commas_and_each_as_the_template_says() -> None:
    assert Message("{names!r}", names=["a", "b"]) == "'a', 'b'"
    assert Message("{shares:.1f}", shares=(0.25, 1)) == "0.2, 1.0"


def test_without_values_braces_mean_nothing() -> None:
    assert Message("no {place} here") == "no {place} here"


def test_a_message_of_a_message_is_itself() -> None:
    message = Message("{n} left", n=3)
    assert Message(message) is message
    assert InputError(message).message is message


def test_a_value_that_is_missing_is_refused() -> None:
    with pytest.raises(KeyError):
        Message("{one} and {other}", one=1)


def test_a_text_of_millions_of_characters_is_cut() -> None:
    message = Message(
        "There is no {name!r} beside {others!r}.",
        name="m" * 5_000_000,
        others=["a", "b" * 20_000],
    )
    cut = {letter: letter * MAX_VALUE_LENGTH + "…" for letter in "mb"}
    assert message == f"There is no '{cut['m']}' beside 'a', '{cut['b']}'."
    assert message_from_json(message_to_json(message)) == message


def test_another_language_takes_the_same_values() -> None:
    message = Message(
        "Column {column!r} holds {what}.", column="text", what=Message("text")
    )
    # Only messages are translated: a column may be called like a word.
    assert german(message) == "Text in Spalte 'text'."
    assert german(Message("{count} record", "{count} records", count=2)) == (
        "2 Datensätze"
    )


def test_what_is_nowhere_translated_stays_english() -> None:
    assert german(Message("{n} of {all}", n=1, all=2)) == "1 of 2"
    assert german(NO_MESSAGE) == ""


def test_lists_in_words() -> None:
    assert join_with_and(["a"]) == "a"
    assert join_with_and(["a", "b", "c"]) == "a, b and c"
    assert join_with_and(["a", "b"], quoted=True) == "'a' and 'b'"
    assert join_with_or(["a", "b", "c"]) == "a or b or c"
    assert german(join_with_and(["a", "b"])) == "a und b"


def test_sentences_are_joined_and_empty_ones_left_out() -> None:
    message = join_messages([Message("text"), NO_MESSAGE, Message("{n} more.", n=2)])
    assert message == "text 2 more."
    assert german(message) == "Text 2 more."
    assert join_messages([NO_MESSAGE]) == ""


MESSAGES = [
    Message("plain"),
    Message("{count} record", "{count} records", count=np.int64(7)),
    Message("{a!r} {b:.2f} {c}", a=["x", "y"], b=np.float64(0.5), c=None),
    Message("{where}.", where=join_messages([Message("{n} times", n=2)], "; ")),
    Message("late").with_topic("stopped"),
]


@pytest.mark.parametrize("said", MESSAGES)
def test_a_stored_message_is_the_same_message(said: Message) -> None:
    adapter = TypeAdapter(Message)
    for back in (
        pickle.loads(pickle.dumps(said)),
        copy.deepcopy(said),
        message_from_json(json.loads(json.dumps(message_to_json(said)))),
        adapter.validate_json(adapter.dump_json(said)),
    ):
        assert type(back) is Message
        assert back == said
        assert back.template == said.template
        assert back.plural == said.plural
        assert back.values == said.values
        assert back.topic == said.topic


def test_a_message_among_the_values_is_translated_after_it_was_stored() -> None:
    stage = Message("{owner!r}: {stage}", owner="late", stage=Message("late } night"))
    back = message_from_json(json.loads(json.dumps(message_to_json(stage))))

    def capitals(text: str) -> str:
        return text if "{" in text else text.upper()

    for message in (stage, back):
        in_capitals = message.translated(
            capitals, lambda singular, many, _count: singular
        )
        assert in_capitals == "'late': LATE } NIGHT"


def test_plain_text_can_be_stored_as_well() -> None:
    assert message_to_json("text") == "text"
    assert message_from_json("a {b}") == "a {b}"


@pytest.mark.parametrize(
    "content",
    [
        7,
        {"text": "no template"},
        {"template": 7},
        {"template": "{n}", "values": {"m": 1}},
        {"template": "{n}", "values": [1]},
        {"template": "{n.__class__}", "values": {"n": 1}},
        {"template": "{n[0]}", "values": {"n": "x"}},
        {"template": "{n:99999999}", "values": {"n": 1}},
        {"template": "{n:.2f}", "values": {"n": "x"}},
        {"template": "{n", "values": {"n": 1}},
        {"template": "{count}", "plural": "{count}", "values": {}},
        {"template": "{count}", "plural": "{count}", "values": {"count": "x"}},
    ],
)
def test_stored_content_of_unknown_origin_is_checked(content: object) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        message_from_json(content)


def test_errors_carry_messages_through_processes() -> None:
    error = ParameterError("k is {k}, below {least}.", k=1, least=2)
    back = pickle.loads(pickle.dumps(error))
    assert type(back) is ParameterError
    assert str(back) == str(error) == "k is 1, below 2."
    assert back.message.values == {"k": 1, "least": 2}
    assert str(Cancelled("Stopped.")) == "Stopped."


def laughs(levels: int, times: int = 10) -> dict[str, object]:
    """Return a stored message of few signs that says very many."""
    content: dict[str, object] = {"template": "ha " * 10}
    for _level in range(levels):
        content = {"template": "{a}" * times, "values": {"a": content}}
    return content


def test_a_stored_message_says_little_more_than_is_stored_of_it():
    with pytest.raises(ValueError, match="far more"):
        message_from_json(laughs(9))
    with pytest.raises(ValueError, match="far more"):
        message_from_json({"template": "{a!r}" * 1000, "values": {"a": ["x"] * 1000}})
    assert len(message_from_json(laughs(1))) == 300
    names = [f"column {number}" for number in range(5_000)]
    message = Message("{names!r} and {one!r}: {one!r}", names=names, one="x" * 9_000)
    assert message_from_json(message_to_json(message)) == message
