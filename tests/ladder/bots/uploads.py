"""Uploaded versions and their builds, for the tests of hosted bots: no host is asked."""

from hashlib import sha256
from io import BytesIO

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from ladder.bots import building, packages, submitting, versions
from ladder.bots.building import BUILDS
from ladder.bots.builds import BuildClaim, Bundle
from ladder.bots.submitting import Package, Submission
from ladder.bots.versions import BUILD
from ladder.jobs import attempts, dispatch
from ladder.model import HostRow, Version, now
from ladder.people.accounts import Account
from ladder.wiring import KINDS
from tests.ladder.bots.authors import LEASE, checked


def stored(session: Session, account: Account, name: str = "zorro", version: str = "1") -> Package:
    """A package that is stored, with the name of bot and version as all its bytes."""
    data = BytesIO(f"{name} {version}".encode())
    sha256 = packages.store(session, data, user_id=account.id)
    return Package(sha256, f"{name}.zip", name, version, "python")


def uploaded(
    session: Session, account: Account, name: str = "zorro", version: str = "1"
) -> Submission:
    """A version that waits to be built; committed."""
    package = stored(session, account, name, version)
    made = submitting.submit_package(session, account, package)
    session.commit()
    return made


def host(
    session: Session, name: str = "here", lanes: int = 2, *, runtimes: str = '["node", "python"]'
) -> None:
    """A host that is there now; committed."""
    row = session.get(HostRow, name) or HostRow(name=name, address=f"unix:/{name}")
    row.lanes, row.runtimes, row.seen_at = lanes, runtimes, now(session)
    session.add(row)
    session.commit()


def drain(session: Session) -> None:
    """No host takes work any more; committed."""
    session.execute(update(HostRow).values(draining=True))
    session.commit()


def tended(session: Session) -> None:
    """As the scheduler does it again and again; committed."""
    building.tend(session)
    session.commit()


def builds_due(session: Session) -> list[int]:
    """The versions whose build needs a message; committed."""
    found = dispatch.due(session, KINDS, BUILD, limit=9, message_age=0.0)
    session.commit()
    return found


def claimed_build(session: Session, version_id: int) -> BuildClaim:
    """A build that must be there to claim; committed."""
    found = attempts.claim(session, BUILDS, version_id, "tester", lease=LEASE)
    session.commit()
    assert found is not None
    return found


def bundle_of(session: Session, claim: BuildClaim, data: bytes = b"") -> Bundle:
    """A bundle that is stored, as a worker does it; committed."""
    data = data or f"bundle of {claim.package}".encode()
    found = sha256(data).hexdigest()
    packages.store_bundle(session, BytesIO(data), found, user_id=claim.user_id)
    session.commit()
    return Bundle(found)


def built(session: Session, version_id: int, data: bytes = b"") -> str:
    """A version whose build is over; committed. Returns the bundle's hash."""
    claim = claimed_build(session, version_id)
    bundle = bundle_of(session, claim, data)
    building.finish(session, claim, bundle)
    session.commit()
    return bundle.sha256


def active_upload(
    session: Session, account: Account, name: str = "zorro", version: str = "1"
) -> Submission:
    """A hosted bot that has come through all; there are no house bots, so no trial."""
    made = uploaded(session, account, name, version)
    built(session, made.version_id)
    checked(session, made.version_id)
    assert session.get_one(Version, made.version_id).active
    return made


def registered(session: Session, package: Package) -> int:
    """A house bot whose version of a package is active unchecked; committed. Returns its id."""
    bot_id = submitting.register_package(session, package)
    own = select(Version).where(Version.bot_id == bot_id)
    versions.make_active(session, session.scalars(own).one())
    session.commit()
    return bot_id
