"""Check the form of what authors submit, as far as it shows without the database."""

import re
from collections.abc import Callable
from typing import Final

from ladder.bots import addresses
from ladder.errors import Invalid, Phrase
from referee.proof import SHORTEST_SECRET

MOST_SLOTS: Final = 64
"""Games that a bot may be asked to play at the same time."""
LONGEST_SECRET: Final = 200
_NAME: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9 ._+-]{0,38}[A-Za-z0-9])?")
"""The form of the names of bots and versions."""
_LANGUAGE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9 .#+-]{0,29}")
_FORM: Final = Phrase(
    "letters a to z, digits, and between them also spaces, dots, hyphens, plus signs and "
    "underscores"
)


def mistakes(
    *,
    name: str,
    version: str,
    address: str | None,
    slots: int,
    secret: str | None,
    language: str | None,
) -> list[Invalid]:
    """Return all errors in the arguments of `submit` that show without the database."""
    return _found(
        lambda: _name(name.strip()),
        lambda: _version(version.strip()),
        lambda: _language(language),
        lambda: _slots(slots),
        lambda: _dialled(address),
        lambda: _secret(secret),
    )


def package_mistakes(*, name: str, version: str, language: str | None) -> list[Invalid]:
    """Return all errors of a package's manifest that show without the database."""
    return _found(lambda: _name(name), lambda: _version(version), lambda: _language(language))


def _name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise Invalid("name", "a name has 1 to 40 characters: %(allowed)s", allowed=_FORM)


def _version(version: str) -> None:
    if not _NAME.fullmatch(version):
        raise Invalid("version", "a version has 1 to 40 characters: %(allowed)s", allowed=_FORM)


def _language(language: str | None) -> None:
    if language and not _LANGUAGE.fullmatch(language):
        raise Invalid("language", "a language has at most 30 characters, such as Python or C++")


def _slots(slots: int) -> None:
    if not 1 <= slots <= MOST_SLOTS:
        raise Invalid("slots", "a bot plays 1 to %(most)s games at the same time", most=MOST_SLOTS)


def _dialled(address: str | None) -> None:
    if address is not None:
        addresses.refuse_private_literal(addresses.parse(address))


def _secret(secret: str | None) -> None:
    if secret and not (SHORTEST_SECRET <= len(secret) <= LONGEST_SECRET and secret.isprintable()):
        raise Invalid(
            "secret",
            "a secret has %(least)s to %(most)s printable characters: `openssl rand -hex 32` "
            "makes one",
            least=SHORTEST_SECRET,
            most=LONGEST_SECRET,
        )


def _found(*checks: Callable[[], None]) -> list[Invalid]:
    errors = []
    for check in checks:
        try:
            check()
        except Invalid as error:
            errors.append(error)
    return errors
