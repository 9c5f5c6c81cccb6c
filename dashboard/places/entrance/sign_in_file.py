"""File by which people sign in: its section [auth], checked before it is required."""

from __future__ import annotations

import importlib.util
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dashboard.server.sign_in import MAX_SIGN_IN_MINUTES, SIGN_IN_VARIABLE
from engine.core.errors import ParameterError

_REQUIRED_SETTINGS = ("redirect_uri", "cookie_secret")
_PROVIDER_SETTINGS = ("client_id", "client_secret", "server_metadata_url")
_ACCESS_SETTINGS = ("allow", "administrators", "sign_in_minutes")
_OTHER_SETTINGS = ("client_kwargs", "expose_tokens")
_EXAMPLE_SECRET = "a long random text of your own"
"""The cookie_secret of the manual, which everybody knows."""

_MIN_SECRET_CHARS = 16


def require_sign_in_and_make_settings(secrets_path: Path) -> dict[str, Any]:
    """Return Streamlit's settings for sign-in by a secrets file; require it from now.

    Raises
    ------
    ParameterError
        If nobody could sign in by it; the sentence repeats none of its values.
    """
    try:
        with secrets_path.open("rb") as file:
            content = tomllib.load(file)
    except OSError as error:
        raise ParameterError(
            "{file} cannot be read ({reason}): name the file that has the section "
            "[auth].",
            file=secrets_path,
            reason=error.strerror,
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        raise ParameterError(
            "{file} is not a TOML file: put text between quotation marks, as in the "
            "manual's example.",
            file=secrets_path,
        ) from None
    if secrets_path.suffix != ".toml":
        raise ParameterError(
            "{file} must end with .toml, or Streamlit does not read it: rename it.",
            file=secrets_path,
        )
    settings = content.get("auth")
    if not isinstance(settings, dict):
        raise ParameterError(
            "{file} has no section [auth]: write one as in the manual's example.",
            file=secrets_path,
        )
    _check_keys(content, secrets_path)
    providers = _provider_sections(settings)
    lacking = {"auth": [key for key in _REQUIRED_SETTINGS if not settings.get(key)]}
    for name, table in (providers or {"auth": settings}).items():
        keys = [key for key in _PROVIDER_SETTINGS if not table.get(key)]
        lacking[name] = [*lacking.get(name, ()), *keys]
        if "_" in name:
            raise ParameterError(
                "The section [{section}] of {file} cannot have an underscore in its "
                "name: rename it, or nobody can sign in by it.",
                section=name,
                file=secrets_path,
            )
    for name, keys in lacking.items():
        if keys:
            raise ParameterError(
                "The section [{section}] of {file} lacks {keys}: without, nobody can "
                "sign in by it.",
                section=name,
                file=secrets_path,
                keys=keys,
            )
    secret = settings["cookie_secret"]
    if secret == _EXAMPLE_SECRET or len(str(secret)) < _MIN_SECRET_CHARS:
        raise ParameterError(
            "cookie_secret in the section [auth] of {file} can be guessed: write a "
            "random text, such as that of: openssl rand -hex 32",
            file=secrets_path,
        )
    minutes = settings.get("sign_in_minutes", MAX_SIGN_IN_MINUTES)
    is_number = isinstance(minutes, int | float) and not isinstance(minutes, bool)
    if not (is_number and 1.0 <= minutes <= MAX_SIGN_IN_MINUTES):
        raise ParameterError(
            "sign_in_minutes in the section [auth] of {file} cannot be: write a "
            "number from 1 to {most:.0f}.",
            file=secrets_path,
            most=MAX_SIGN_IN_MINUTES,
        )
    if importlib.util.find_spec("authlib") is None:
        raise ParameterError(
            "Signing in needs further packages: pip install 'coterie[auth]'."
        )
    # Asked for is asked for, even if the file goes away while we serve.
    os.environ[SIGN_IN_VARIABLE] = "1"
    return {"secrets.files": [str(secrets_path.resolve())]}


def _provider_sections(settings: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the sections of named providers, by their names in the file."""
    return {
        f"auth.{name}": table
        for name, table in settings.items()
        if isinstance(table, dict) and name != "client_kwargs"
    }


def _check_keys(content: Mapping[str, Any], path: Path) -> None:
    """Raise for a key that counts nowhere: a misspelt ``allow`` would admit all."""
    settings = content["auth"]
    in_provider = {*_PROVIDER_SETTINGS, *_OTHER_SETTINGS}
    sections = {
        "auth": (settings, {*in_provider, *_REQUIRED_SETTINGS, *_ACCESS_SETTINGS})
    }
    for name, table in _provider_sections(settings).items():
        sections[name] = table, in_provider
    astray = [key for key, value in content.items() if not isinstance(value, dict)]
    for table in settings.values():
        if isinstance(table, dict):
            astray += [key for key in _ACCESS_SETTINGS if key in table]
    if astray:
        raise ParameterError(
            "{key} of {file} counts in the section [auth] alone: move it there, above "
            "all other sections.",
            file=path,
            key=astray[0],
        )
    for name, (section, allowed_keys) in sections.items():
        for key, value in section.items():
            if key not in allowed_keys and not isinstance(value, dict):
                raise ParameterError(
                    "The section [{section}] of {file} has an unknown key {key!r}: "
                    "mend it, or take it out. There are {known}.",
                    section=name,
                    file=path,
                    key=key,
                    known=sorted(allowed_keys),
                )
