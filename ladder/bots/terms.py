"""Check the form of what authors submit, as far as it shows without the database."""

import re
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
    wrong = package_mistakes(name=name.strip(), version=version.strip(), language=language)
    if not 1 <= slots <= MOST_SLOTS:
        wrong.append(
            Invalid("slots", "a bot plays 1 to %(most)s games at the same time", most=MOST_SLOTS)
        )
    if address is not None:
        try:
            addresses.refuse_private_literal(addresses.parse(address))
        except Invalid as error:
            wrong.append(error)
    if secret and not (SHORTEST_SECRET <= len(secret) <= LONGEST_SECRET and secret.isprintable()):
        wrong.append(
            Invalid(
                "secret",
                "a secret has %(least)s to %(most)s printable characters: `openssl rand -hex 32` "
                "makes one",
                least=SHORTEST_SECRET,
                most=LONGEST_SECRET,
            )
        )
    return wrong


def package_mistakes(*, name: str, version: str, language: str | None) -> list[Invalid]:
    """Return all errors of a package's manifest that show without the database."""
    wrong = []
    if not _NAME.fullmatch(name):
        wrong.append(Invalid("name", "a name has 1 to 40 characters: %(allowed)s", allowed=_FORM))
    if not _NAME.fullmatch(version):
        wrong.append(
            Invalid("version", "a version has 1 to 40 characters: %(allowed)s", allowed=_FORM)
        )
    if language and not _LANGUAGE.fullmatch(language):
        wrong.append(
            Invalid(
                "language",
                "a language has at most 30 characters: letters a to z, digits, spaces, dots, "
                "hyphens, plus signs and #, such as Python or C++",
            )
        )
    return wrong
