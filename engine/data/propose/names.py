"""Words of column names, and vocabularies of concepts in many languages."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from engine.core.message import Message
from engine.data.kinds import Kind, Role

_BEGINNING, _END = 6, 7
"""Letters from which a word also counts as the beginning or end of a longer one."""

_MAX_PHRASE_WORDS = 5
"""Words of a name that may stand for one of a concept, as ``date of birth`` does."""


@dataclass(frozen=True)
class Concept:
    """A concept that columns can hold, and its words in many languages.

    Attributes
    ----------
    id : str
    role : Role
    says : Message
        Ends the sentence "Its name tells of ...".
    words : str
        A line per language, as in ``de: vorname rufname``; what is several words in a
        name is written with underscores. Words of six letters and more also count as
        the beginning of a longer word, those of seven as its end; signs of languages
        that do not part words count wherever they stand.
    codes : bool
        Whether numbers in such a column are codes, whose order means nothing.
    kind : Kind or None
        Kind of such a column whatever its values; None: as they suggest.
    needs : tuple of str
        What the values must be for the name to be believed: names of properties of
        :class:`engine.data.propose.values.ColumnValues`.
    """

    id: str
    role: Role
    says: Message
    words: str
    codes: bool = False
    kind: Kind | None = None
    needs: tuple[str, ...] = ()

    @cached_property
    def entries(self) -> frozenset[str]:
        """The concept's words of all languages, normalised as column names are."""
        all_words = set()
        for line in self.words.strip().splitlines():
            language, _, words = line.partition(":")
            line_words = {"".join(normalised_words(word)) for word in words.split()}
            if language.strip() == "de":  # with an umlaut or written out
                line_words |= {re.sub("([aou])e", r"\1", word) for word in line_words}
            all_words |= line_words
        return frozenset(all_words)


@dataclass(frozen=True)
class Hint:
    """A concept suggested by a word or phrase of a column's name.

    Attributes
    ----------
    concept : Concept
    word : str
        The word of the name that tells it, as it is written there.
    """

    concept: Concept
    word: str


class Vocabulary:
    """Concepts in order of priority, looked up by the words of a column name."""

    def __init__(self, concepts: Sequence[Concept]) -> None:
        self.concepts = tuple(concepts)
        self._exact: dict[str, list[int]] = {}
        self._begins: dict[str, list[int]] = {}
        self._ends: dict[str, list[int]] = {}
        self._inside: dict[str, list[int]] = {}
        for place, concept in enumerate(concepts):
            for word in sorted(concept.entries):
                if _is_unsegmented(word):
                    self._inside.setdefault(word, []).append(place)
                    continue
                self._exact.setdefault(word, []).append(place)
                if len(word) >= _BEGINNING:
                    self._begins.setdefault(word, []).append(place)
                if len(word) >= _END:
                    self._ends.setdefault(word, []).append(place)

    def hints(self, name: str) -> tuple[Hint, ...]:
        """Return the concepts that a column name suggests, with the words that do so.

        Returns
        -------
        tuple of Hint
            In the order of the concepts.
        """
        word_by_place: dict[int, str] = {}
        for word, places in self._matches(normalised_words(name)):
            for place in places:
                word_by_place.setdefault(place, word)
        return tuple(
            Hint(self.concepts[at], original_spelling(word_by_place[at], name))
            for at in sorted(word_by_place)
        )

    def _matches(self, words: list[str]) -> Iterator[tuple[str, list[int]]]:
        for many in range(min(_MAX_PHRASE_WORDS, len(words)), 0, -1):
            for first in range(len(words) - many + 1):
                joined = "".join(words[first : first + many])
                if joined in self._exact:
                    yield " ".join(words[first : first + many]), self._exact[joined]
        for word in words:
            for length in range(len(word) - 1, _BEGINNING - 1, -1):
                if word[:length] in self._begins:
                    yield word, self._begins[word[:length]]
                if length >= _END and word[-length:] in self._ends:
                    yield word, self._ends[word[-length:]]
            if _is_unsegmented(word):
                for part, places in self._inside.items():
                    if part in word:
                        yield word, places


def split_into_word_set(text: str) -> frozenset[str]:
    """Return the set of words of a text, split at blanks."""
    return frozenset(text.split())


_WORD_PATTERN = re.compile(r"[^\W\d_]+[0-9]*|[0-9]+")


def normalised_words(name: str) -> list[str]:
    """Return the lower-case words of a column name, without accents."""
    plain = name.translate(_LETTER_MAP)
    if not plain.isascii():
        plain = unicodedata.normalize("NFKD", _NUMBER_SIGN.sub("no ", plain))
        plain = "".join(sign for sign in plain if not unicodedata.combining(sign))
        plain = unicodedata.normalize("NFC", plain)
    if not (plain.isascii() and plain.islower()):
        plain = _WORD_BOUNDARY.sub(" ", plain)
    return _WORD_PATTERN.findall(plain.lower())


def original_spelling(word: str, name: str) -> str:
    """Return a normalised word as a column name spells it, itself if not found there.

    Examples
    --------
    >>> original_spelling("grosse", "Größe (cm)")
    'Größe'
    >>> original_spelling("date of birth", "dateOfBirth")
    'date Of Birth'
    """
    parts = [part for part in _SEPARATORS.split(_WORD_BOUNDARY.sub(" ", name)) if part]
    read = [" ".join(normalised_words(part)) for part in parts]
    for first in range(len(parts)):
        for last in range(first + 1, len(parts) + 1):
            joined = " ".join(read[first:last])
            if joined == word:
                return " ".join(parts[first:last])
            if len(joined) >= len(word):  # more parts are longer still
                break
    return word


_SEPARATORS = re.compile(r"[\W_]+")

_NUMBER_SIGN = re.compile(r"\b[Nn]\s?\.?\s?[\u00ba\u00b0]")
"""Short for number, in languages that write n\u00ba or n\u00b0."""

_WORD_BOUNDARY = re.compile(
    r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"
    r"|(?<=[\u2e80-\u9fff])(?=[A-Za-z])|(?<=[A-Za-z])(?=[\u2e80-\u9fff])"
)
"""Where a word ends without a blank: before capitals, and beside Chinese signs."""

_LETTER_MAP = str.maketrans(
    {"ß": "ss", "ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "æ": "ae", "Æ": "Ae"}
    | {"œ": "oe", "Œ": "Oe", "ı": "i", "đ": "d", "Đ": "D", "’": None, "'": None}
)
"""Letters that no decomposition makes plain ones."""


def _is_unsegmented(word: str) -> bool:
    """Whether a word has signs of a language that does not part its words."""
    return any(
        "\u2e80" <= sign <= "\u9fff" or "\uac00" <= sign <= "\ud7af" for sign in word
    )
