"""Names of months in several languages, spelled as given names are."""

from __future__ import annotations

from collections.abc import Collection

_MONTH_NAMES = (
    "january february march april may june july august september october november "
    "december",
    "jan feb mar apr may jun jul aug sep oct nov dec",
    "jan feb mar apr may jun jul aug sept oct nov dec",
    "januar februar märz april mai juni juli august september oktober november "
    "dezember",
    "jänner februar märz april mai juni juli august september oktober november "
    "dezember",
    "jan feb mär apr mai jun jul aug sep okt nov dez",
    "jan feb mrz apr mai jun jul aug sep okt nov dez",
    "janvier février mars avril mai juin juillet août septembre octobre novembre "
    "décembre",
    "janv févr mars avr mai juin juil août sept oct nov déc",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
    "diciembre",
    "ene feb mar abr may jun jul ago sep oct nov dic",
    "ene feb mar abr may jun jul ago sept oct nov dic",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre "
    "novembre dicembre",
    "gen feb mar apr mag giu lug ago set ott nov dic",
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro "
    "dezembro",
    "jan fev mar abr mai jun jul ago set out nov dez",
    "januari februari maart april mei juni juli augustus september oktober november "
    "december",
    "jan feb mrt apr mei jun jul aug sep okt nov dec",
    "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września "
    "października listopada grudnia",
    "styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik "
    "listopad grudzień",
    "sty lut mar kwi maj cze lip sie wrz paź lis gru",
    "januari februari mars april maj juni juli augusti september oktober november "
    "december",
    "jan feb mar apr maj jun jul aug sep okt nov dec",
)
MONTH_TABLES = tuple(tuple(names.split()) for names in _MONTH_NAMES)
"""Tuples of twelve month names, in lower case."""


def month_names_in_spelling_of(given_names: Collection[str]) -> tuple[str, ...] | None:
    """Return the twelve month names in language and spelling of given ones, or None.

    Parameters
    ----------
    given_names : collection of str
        With their capitals, and a full stop where they have one.

    Examples
    --------
    >>> month_names_in_spelling_of({"Okt.", "Dez."})[2]
    'Mär.'
    """
    plain = {word.rstrip(".").lower() for word in given_names}
    table = next((months for months in MONTH_TABLES if plain <= set(months)), None)
    if table is None:
        return None
    short = {word.lower() for word in given_names if not word.endswith(".")}
    stop = not short or any(word.endswith(".") for word in given_names)
    if all(word.isupper() for word in given_names):
        cased = [name.upper() for name in table]
    elif any(word[:1].isupper() for word in given_names):
        cased = [name.capitalize() for name in table]
    else:
        cased = list(table)
    # A name that is not cut short, such as May, has no full stop.
    return tuple(
        f"{name}." if stop and name.lower() not in short else name for name in cased
    )
