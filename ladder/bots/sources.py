"""Give packages out: to their author, and to everybody if they are published."""

from dataclasses import dataclass
from typing import Final

from sqlalchemy.orm import Session

from ladder import model
from ladder.bots.own import version_row
from ladder.errors import Invalid, NotFound
from ladder.model import Blob, Version
from ladder.people.accounts import Account

LICENCES: Final = {
    "MIT": "MIT",
    "Apache-2.0": "Apache 2.0",
    "BSD-3-Clause": "BSD, 3 clauses",
    "GPL-3.0-or-later": "GPL 3 or later",
    "AGPL-3.0-or-later": "AGPL 3 or later",
    "MPL-2.0": "MPL 2.0",
    "CC0-1.0": "CC0 1.0 (public domain)",
    "Unlicense": "Unlicense",
}
"""The licences under which an author may publish a source: their names by SPDX's identifiers."""


@dataclass(frozen=True, slots=True)
class Download:
    """A package that may be sent; `packages.chunks` yields its `size` bytes by the hash."""

    sha256: str
    size: int
    file_name: str


def download(session: Session, account: Account, bot_id: int, version_id: int) -> Download:
    """Return what was uploaded of an own version. Raises NotFound."""
    return _download(session, version_row(session, account, bot_id, version_id))


def published(session: Session, bot_id: int, version_id: int) -> Download:
    """Return what was uploaded of a version whose author has published it. Raises NotFound."""
    version = session.get(Version, version_id, populate_existing=True)
    if version is None or version.bot_id != bot_id or version.licence is None:
        raise NotFound("the source of version %(version)s is not published", version=version_id)
    return _download(session, version)


def publish(
    session: Session, account: Account, bot_id: int, version_id: int, licence: str | None
) -> None:
    """Let everybody download an own version under a licence; None makes it private again.

    Raises Invalid and NotFound. The caller commits.
    """
    if licence is not None and licence not in LICENCES:
        raise Invalid("licence", "choose one of these: %(names)s", names=", ".join(LICENCES))
    model.write(session)
    version = version_row(session, account, bot_id, version_id)
    if licence is not None:
        _download(session, version)
    version.licence = licence


def _download(session: Session, version: Version) -> Download:
    found = session.get(Blob, version.package, populate_existing=True) if version.package else None
    if found is None or not found.is_here or version.package_removed_at is not None:
        raise NotFound("no package is kept of version %(version)s", version=version.submitted_name)
    return Download(found.sha256, found.size, version.package_name or "package")
