"""Escaping of names given by people or files, for Markdown."""

from __future__ import annotations

import re

_SPECIAL = re.compile(r"([\\`*_\[\]$~<>&|#]|:(?=\w|//)|^\s*(?:[-+]|\d+(?=[.)])))")

_BREAKS = re.compile(r"\s*[\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]\s*")

# What browsers turn into links, icons and arrows after escapes are read: there a sign
# of no width that joins words stands between the letters.
_LATER = re.compile(
    r"(?<=://)(?=\S)|(?<=\bwww)(?=\.)|(?<=\S@)(?=\S)"
    r"|(?<=:)(?=(?:material/|[\w+-]+:))|(?<=[-<>~])(?=[-=>])",
    re.IGNORECASE,
)
_JOINER = "\u2060"


def escape_text(text: str) -> str:
    """Return Markdown that shows a text literally, on one line."""
    text = _LATER.sub(_JOINER, _BREAKS.sub(" ", text))
    return _SPECIAL.sub(_escaped, text)


_RUNS_ON = re.compile(r"^[\W_]|[^\w)\]%°]$|[,;]|\s{2,}")


def quote_name(name: str) -> str:
    """Return Markdown of a column's name inside a sentence, quoted if need be.

    In quotes where its own signs would be taken for those of the sentence.

    Examples
    --------
    >>> [quote_name(name) for name in ("age", "Case no.", "Geh., brutto", "?!")]
    ['age', "'Case no.'", "'Geh., brutto'", "'?!'"]
    """
    return f"'{escape_text(name)}'" if _RUNS_ON.search(name) else escape_text(name)


def _escaped(found: re.Match[str]) -> str:
    # A list begins with a number and a point: it is the point that is to be escaped.
    sign = found[0]
    return sign + "\\" if sign[-1].isdigit() else sign[:-1] + "\\" + sign[-1]
