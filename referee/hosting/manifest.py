"""The manifest of a package: its `santiago.toml`, which says what it is and how it is started.

`santiago.toml` stands at the top of the archive, or in the only folder there:

    name = "my-bot"           # of the bot
    version = "1.0"
    runtime = "python"        # python, node, native, lines, or one that the operator has added
    entry = "bot:MyBot"       # what the runtime starts
    build = "make"            # optional: a command for the shell, or a list of words
    language = "Python"       # optional: what the pages say
"""

import re
import tomllib
from dataclasses import dataclass
from typing import Any, Final

from referee.hosting.archives import BadPackage

MANIFEST: Final = "santiago.toml"
LARGEST: Final = 1 << 14
"""Bytes of a manifest, at most."""
_NAME: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9 ._+-]{0,38}[A-Za-z0-9])?")
"""The form of names of bots and versions on a ladder."""
_RUNTIME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")
_LANGUAGE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9 .#+-]{0,29}")
_LONGEST_COMMAND: Final = 2000  # characters
_NEEDED: Final = ("name", "version", "runtime", "entry")
_KEYS: Final = frozenset((*_NEEDED, "build", "language"))


@dataclass(frozen=True, slots=True)
class Manifest:
    """The contents of a `santiago.toml`."""

    name: str
    version: str
    runtime: str
    entry: str
    build: tuple[str, ...] = ()
    """The command of the build step; empty if there is none."""
    language: str | None = None


def manifest_of(data: bytes, name: str = MANIFEST) -> Manifest:
    """Read a manifest; raises BadPackage, for the entry of this `name`."""
    if len(data) > LARGEST:
        raise BadPackage(name, f"It has more than {LARGEST:,} bytes.")
    try:
        found = tomllib.loads(data.decode())
    except (ValueError, RecursionError) as error:
        raise BadPackage(name, f"It is not TOML in UTF-8: {error}.") from None
    if missing := [key for key in _NEEDED if key not in found]:
        raise BadPackage(name, f"It lacks {missing[0]}.")
    if unknown := sorted(found.keys() - _KEYS):
        raise BadPackage(name, f"It has {unknown[0]!r}, which is not known here.")
    return Manifest(
        name=_text(name, found, "name", _NAME),
        version=_text(name, found, "version", _NAME),
        runtime=_text(name, found, "runtime", _RUNTIME),
        entry=_command(name, "entry", found["entry"]),
        build=_build(name, found.get("build", [])),
        language=_text(name, found, "language", _LANGUAGE) if "language" in found else None,
    )


def _text(name: str, found: dict[str, Any], key: str, form: re.Pattern[str]) -> str:
    value = found[key]
    if not isinstance(value, str):
        raise BadPackage(name, f'{key} is not a text: put it in quotes, as {key} = "1.0".')
    if not form.fullmatch(value):
        raise BadPackage(
            name, f"{key} is {value[:60]!r}: take up to 40 letters, digits and, between them, ._+-"
        )
    return value


def _command(name: str, key: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise BadPackage(name, f"{key} is not a line of text.")
    if len(value) > _LONGEST_COMMAND:
        raise BadPackage(name, f"{key} is longer than {_LONGEST_COMMAND:,} characters.")
    return value.strip()


def _build(name: str, value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return ("sh", "-c", _command(name, "build", value))
    if not isinstance(value, list):
        raise BadPackage(name, "build is neither a text nor a list of texts.")
    return tuple(_command(name, "build", word) for word in value)
