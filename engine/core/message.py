"""Messages: translatable templates with named values.

The engine knows English only. A message is the English sentence, a ``str``, and keeps
the template and the values that it was made from, so that a screen can say it in
another language by looking the same template up in a catalogue. Nobody reads a
sentence back.

How a value appears is written in the template, as in an f-string: ``{column!r}`` puts
it in quotation marks, ``{n_records:,}`` and ``{loss:.2f}`` format a number. A value is
text, a number, another message, or a sequence of these, which is shown with commas.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from string import Formatter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self, TypeAlias

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

Value: TypeAlias = "str | float | tuple[Value, ...] | None"
"""Value that a template is filled with: an int is a float, and a Message a str."""

MAX_VALUE_LENGTH = 10_000
"""Characters of a text that a sentence shows: a mistaken one may have millions."""

_FORMAT_SPEC = re.compile(r",?(\.\d{1,2})?[deEfgG%]?")
_parse = Formatter().parse


class Topic(StrEnum):
    """Topic of a warning, which decides where and with which sign it is shown."""

    OTHER = ""
    BLOCKS = "blocks"
    DIGITS = "digits"
    IMPROVING = "improving"
    LOST = "lost"
    MERGED = "merged"
    MISSING = "missing"
    ONLY = "only"
    PERSON = "person"
    SMALL_K = "small-k"
    STOPPED = "stopped"
    STRATA = "strata"
    SUPPRESSED = "suppressed"
    UNDECIDED = "undecided"
    UNIQUENESS = "uniqueness"


class Message(str):
    """An English sentence that keeps its template and values for translation.

    Parameters
    ----------
    template : str
        With names in braces where values go. Without values it is said as it is.
    plural : str, optional
        The template for every ``count`` but 1, as in gettext's ``ngettext``.
    **values
        By name. A quoted value is told by ``!r`` in the template, the digits of a
        number by its format; what is neither text, number, message nor a sequence of
        these becomes text.

    Attributes
    ----------
    template : str
    plural : str or None
    values : mapping of str to Value
    topic : Topic
        What it is about, for those who sort messages.

    Raises
    ------
    KeyError
        If values are given, but not all that the template names.

    Examples
    --------
    >>> Message("{column} has {n:,} values.", column="age", n=1080)
    'age has 1,080 values.'
    >>> Message("{count} record", "{count} records", count=2)
    '2 records'
    """

    template: str
    plural: str | None
    values: Mapping[str, Value]
    topic: Topic = Topic.OTHER

    def __new__(
        cls, template: str, plural: str | None = None, /, **values: object
    ) -> Self:
        """Return the sentence; a message without further values stays itself."""
        if isinstance(template, cls) and plural is None and not values:
            return template
        plain = {name: _plain_value(value) for name, value in values.items()}
        chosen = template if plural is None or plain["count"] == 1 else plural
        self = super().__new__(cls, _fill_template(chosen, plain, str))
        self.template, self.plural = str(template), plural
        self.values = MappingProxyType(plain)
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        values = dict(self.values)
        return _restore, (self.template, self.plural, values, self.topic)

    def with_topic(self, topic: Topic) -> Self:
        """Return the same message with a topic."""
        message = type(self)(self.template, self.plural, **self.values)
        message.topic = topic
        return message

    def translated(
        self, gettext: Callable[[str], str], ngettext: Callable[[str, str, int], str]
    ) -> str:
        """Return the sentence translated by the given gettext functions.

        Parameters
        ----------
        gettext, ngettext : callable
            As in the standard library: they give the template in that language.
        """
        if self.plural is None:
            # Catalogues have their own head filed under the empty text.
            translation = gettext(self.template) if self.template else ""
        else:
            count = self.values["count"]
            assert isinstance(count, int)
            translation = ngettext(self.template, self.plural, count)
        return _fill_template(
            translation, self.values, lambda value: value.translated(gettext, ngettext)
        )

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Have pydantic write template and values, and read them or plain text."""
        from pydantic_core import core_schema

        return core_schema.no_info_plain_validator_function(
            message_from_json,
            serialization=core_schema.plain_serializer_function_ser_schema(
                message_to_json
            ),
        )


def join_messages(parts: Sequence[str], separator: str = " ") -> Message:
    """Return messages joined by a separator as one message, empty ones omitted."""
    messages = [part for part in parts if part]
    if not messages:
        return NO_MESSAGE
    if len(messages) == 1 and isinstance(messages[0], Message):
        return messages[0]
    names = [f"part{number}" for number in range(len(messages))]
    template = separator.join(f"{{{name}}}" for name in names)
    return Message(template, **dict(zip(names, messages, strict=True)))


def join_with_and(parts: Sequence[object], quoted: bool = False) -> Message:
    """Return an enumeration such as ``a, b and c``."""
    *first_parts, last = parts
    if quoted:
        only = Message("{last!r}", last=last)
        many = Message("{most!r} and {last!r}", most=first_parts, last=last)
    else:
        only = Message("{last}", last=last)
        many = Message("{most} and {last}", most=first_parts, last=last)
    return many if first_parts else only


def join_some_with_and(names: Sequence[str], max_names: int = 6) -> Message:
    """Return all names, or `max_names` and how many more if over `max_names` + 1."""
    if len(names) <= max_names + 1:
        return join_with_and(names, quoted=True)
    return Message(
        "{first!r} and {more:,} more",
        first=names[:max_names],
        more=len(names) - max_names,
    )


def join_with_or(parts: Sequence[str]) -> Message:
    """Return parts joined by "or", such as ``a or b or c``."""
    message = Message(parts[0])
    for other in parts[1:]:
        message = Message("{one} or {other}", one=message, other=other)
    return message


def others_message(number: int) -> Message:
    """Return "1 other" or "4 others", for sentences that have a count of their own."""
    return Message("{count} other", "{count} others", count=number)


def message_to_json(text: str) -> str | dict[str, Any]:
    """Return a message as text, or as a dict if it has values, plural or topic."""
    if not isinstance(text, Message):
        return text
    if not (text.plural or text.values or text.topic):
        return text.template
    content: dict[str, Any] = {"template": text.template}
    if text.plural is not None:
        content["plural"] = text.plural
    if text.values:
        content["values"] = {name: _to_plain(v) for name, v in text.values.items()}
    if text.topic:
        content["topic"] = str(text.topic)
    return content


def message_from_json(content: object) -> Message:
    """Return the message that :func:`message_to_json` stored.

    Raises
    ------
    ValueError
        If the content is no stored message, or says far more than was stored.
    """
    match content:
        case str():
            return Message(content)
        case {"template": str() as template, **others} if others.keys() <= {
            "plural",
            "values",
            "topic",
        }:
            plural, values = others.get("plural"), others.get("values", {})
            if isinstance(plural, str | None) and isinstance(values, Mapping):
                plain = {str(name): _read(value) for name, value in values.items()}
                if plural is not None and not isinstance(plain.get("count"), int):
                    raise ValueError("A message with a plural needs a count.")
                _check_growth(template, plural, plain)
                try:
                    return _restore(
                        template, plural, plain, Topic(str(others.get("topic", "")))
                    )
                except (LookupError, TypeError, ValueError):
                    pass
    raise ValueError("This is no message with its values.")


_GROWTH, _LEAST = 3, 2_000
"""How many times as long as it is stored a message may be said, and how long any."""


def _check_growth(
    template: str, plural: str | None, values: Mapping[str, Value]
) -> None:
    """Raise if a stored message would say much more than it was made from.

    A template may name a value any number of times, which is such a message itself: a
    few lines would say more than any memory holds. One without values says itself.
    """
    if not values:
        return
    stored = (
        len(template) + len(plural or "") + sum(map(_stored_length, values.values()))
    )
    length = max(
        sum(
            len(literal) + (0 if name is None else _displayed_length(values.get(name)))
            for literal, name, _spec, _conversion in _parse(text)
        )
        for text in (template, plural or "")
    )
    if length > max(_GROWTH * stored, _LEAST):
        raise ValueError("This message says far more than was stored of it.")


def _stored_length(value: Value) -> int:
    """Estimate how many characters are stored for a value."""
    if isinstance(value, tuple | list):
        return sum(map(_stored_length, value)) + len(value)
    if not isinstance(value, Message):
        return len(value) if isinstance(value, str) else 1
    inner = sum(map(_stored_length, value.values.values()))
    return len(value.template) + len(value.plural or "") + inner


def _displayed_length(value: Value) -> int:
    """Estimate how many characters a value takes in a sentence."""
    if isinstance(value, tuple | list):
        return sum(map(_displayed_length, value)) + 2 * len(value)
    return len(value) if isinstance(value, str) else 1


def _restore(
    template: str, plural: str | None, values: Mapping[str, object], topic: Topic
) -> Message:
    message = Message(template, plural, **values)
    return message.with_topic(topic) if topic else message


def _to_plain(value: Value) -> Any:
    if isinstance(value, tuple):
        return list(map(_to_plain, value))
    if not isinstance(value, Message):
        return value
    plain = message_to_json(value)
    # Among values plain text stays text, which no catalogue translates.
    return {"template": plain} if isinstance(plain, str) else plain


def _read(value: Any) -> Any:
    if isinstance(value, list):
        return list(map(_read, value))
    return message_from_json(value) if isinstance(value, Mapping) else value


def _plain_value(value: Any) -> Value:
    """Return a value that can be stored and compared."""
    if type(value) is str and len(value) > MAX_VALUE_LENGTH:
        return f"{value[:MAX_VALUE_LENGTH]}…"
    if isinstance(value, Message) or type(value) in (str, int, float, bool, type(None)):
        return value  # type: ignore[no-any-return]
    if isinstance(value, tuple | list):
        return tuple(map(_plain_value, value))
    if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
        return _plain_value(value.item())  # a scalar of numpy's
    return str(value)


def _fill_template(
    template: str, values: Mapping[str, Value], translate: Callable[[Message], str]
) -> str:
    """Return a template with its values; `translate` formats messages among them."""
    if not values:
        return template
    return "".join(
        literal
        + (
            ""
            if name is None
            else _format_value(values[name], conversion, spec or "", translate)
        )
        for literal, name, spec, conversion in _parse(template)
    )


def _format_value(
    value: Value, conversion: str | None, spec: str, translate: Callable[[Message], str]
) -> str:
    if isinstance(value, tuple):
        return ", ".join(
            _format_value(part, conversion, spec, translate) for part in value
        )
    if isinstance(value, Message):
        value = translate(value)
    if conversion == "r":
        return repr(value)
    # A stored template must not be able to ask for a gigabyte of blanks.
    if not _FORMAT_SPEC.fullmatch(spec):
        raise ValueError(f"{spec!r} is no format of a number here.")
    return format(value, spec)


NO_MESSAGE = Message("")
"""The empty message."""
