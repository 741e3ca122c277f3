"""Submitting a bot, or a new version of it, and taking one back. A version is checked first."""

from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder import model
from ladder.bots import addresses, own, packages, trials
from ladder.bots.gateway import gateway_address, note_presence
from ladder.bots.terms import mistakes, package_mistakes
from ladder.bots.versions import (
    BUILD,
    CHECK,
    WITHDRAWN,
    EnteredTournament,
    drop_jobs,
    entered,
    registered_bot,
)
from ladder.config import HostingSettings
from ladder.errors import Invalid, NotFound, Phrase, Refused
from ladder.jobs import attempts
from ladder.matches import lanes
from ladder.model import UNDER_VALIDATION, Bot, BotState, Version, VersionState
from ladder.people.accounts import HOUSE, Account, lock_user, refuse_reserved
from ladder.ratings import ledger
from ladder.secrets import SecretBox
from referee.gateway.credentials import new_token, token_hash
from referee.ways import GATEWAY_PREFIX, HOSTED_PREFIX

MOST_BOTS: Final = 20
"""Bots that one author may have on the ladder, without the retired ones."""


@dataclass(frozen=True, slots=True)
class Submission:
    """A version that was submitted."""

    bot_id: int
    version_id: int
    gateway_token: str | None = field(repr=False)
    """A new token, which is shown only this once; None if the bot needs no new one."""
    state: VersionState
    entered: tuple[EnteredTournament, ...] = ()
    """The tournaments that older versions play to their end, beside this one."""


@dataclass(frozen=True, slots=True)
class Package:
    """An uploaded package: the hash under which it is stored, and what its manifest says.

    `filename`: as its author named the file.
    """

    sha256: str
    filename: str
    name: str
    version: str
    runtime: str


def submit(
    session: Session,
    account: Account,
    *,
    name: str,
    version: str,
    address: str | None,
    slots: int = 2,
    secret: str | None = None,
    language: str | None = None,
) -> Submission:
    """Submit a version of the account's bot of this name; adds the bot if it is new.

    `address`: `host:port` of a bot that listens there; None for one that comes through the gateway.
    `slots`: games that it plays at the same time; a bot behind the gateway says so itself.
    `secret`: what a bot with an address shares with the referee; without one the secret of its
    version before stays. Raises Invalid, NotFound, Refused, SettingsError. The caller commits.
    """
    wrong = mistakes(
        name=name, version=version, address=address, slots=slots, secret=secret, language=language
    )
    if wrong:
        raise wrong[0]
    version = version.strip()
    bot = _entrant(session, account, name.strip(), version)
    if address is None:
        where, sealed, token = gateway_address(bot.id, version), None, _first_token(bot)
    else:
        where, sealed, token = str(addresses.parse(address)), _sealed(session, bot, secret), None
    row = _added(
        session, bot, version, address=where, secret=sealed, language=language or None, slots=slots
    )
    if address is None:
        note_presence(session, row)
    session.flush()
    attempts.enqueue(session, CHECK, CHECK, [row.id])
    return Submission(bot.id, row.id, token, row.state, entered(session, bot.id))


def submit_package(
    session: Session,
    account: Account,
    package: Package,
    *,
    language: str | None = None,
    licence: str | None = None,
) -> Submission:
    """Submit an uploaded package as a version of the account's bot of the name in its manifest.

    It is built first, then checked as any other. Raises what `submit` raises. The caller commits.
    """
    wrong = package_mistakes(name=package.name, version=package.version, language=language)
    if wrong:
        raise wrong[0]
    runtimes = lanes.by_runtime(session)
    if runtimes and package.runtime not in runtimes:
        raise Invalid(
            "package",
            "no host has the runtime %(runtime)s: choose one of %(names)s",
            runtime=package.runtime,
            names=", ".join(sorted(runtimes)),
        )
    bot = _entrant(session, account, package.name, package.version, packed=True)
    row = _hosted_version(session, bot, package, language=language, licence=licence)
    return Submission(bot.id, row.id, None, row.state, entered(session, bot.id))


def register_package(session: Session, package: Package) -> int:
    """Submit a package of the operator's as a version of a house bot; return the bot's id.

    Adds the bot if it is new; the name may be a reserved one. Do nothing if this version is known.
    Raises Refused if it was registered with another package. The caller commits.
    """
    bot = registered_bot(session, name=package.name, author=HOUSE)
    query = select(Version).where(Version.bot_id == bot.id, Version.name == package.version)
    row = session.scalars(query).one_or_none()
    if row is not None and (row.package != package.sha256 or row.state is VersionState.REJECTED):
        _give_up_name(row, bot, packed=True)
        session.flush()
        row = None
    if row is None:
        _hosted_version(session, bot, package)
    return bot.id


def _hosted_version(
    session: Session,
    bot: Bot,
    package: Package,
    *,
    language: str | None = None,
    licence: str | None = None,
) -> Version:
    """Add a version for a package, and have it built."""
    row = _added(
        session,
        bot,
        package.version,
        address=HOSTED_PREFIX,
        language=language or None,
        slots=HostingSettings.from_environment().slots,
        package=package.sha256,
        package_name=package.filename,
        runtime=package.runtime,
        licence=licence or None,
    )
    session.flush()
    row.address = f"{HOSTED_PREFIX}{row.id}"
    session.flush()
    attempts.enqueue(session, BUILD, BUILD, [row.id])
    return row


def submit_again(session: Session, account: Account, bot_id: int, version_id: int) -> Submission:
    """Submit a rejected own version once more, as it was. Raises what `submit` raises."""
    _lock_owner(session, account)  # before the package, as who uploads one does
    version = _rejected(session, account, bot_id, version_id)
    if version.address.startswith(HOSTED_PREFIX):
        removed = version.package_removed_at is not None
        if removed or version.package is None or not packages.has(session, version.package):
            packages.refuse_banned(session, version.package or "")
            raise Refused("the files of this version are no longer kept: upload them again")
        return submit_package(
            session, account, _package(version), language=version.language, licence=version.licence
        )
    behind_gateway = version.address.startswith(GATEWAY_PREFIX)
    return submit(
        session,
        account,
        name=version.bot.name,
        version=version.submitted_name,
        address=None if behind_gateway else version.address,
        slots=version.slots,
        language=version.language,
    )


def _rejected(session: Session, account: Account, bot_id: int, version_id: int) -> Version:
    version = own.version_row(session, account, bot_id, version_id)
    if version.state is not VersionState.REJECTED:
        raise Refused(
            "version %(version)s was not rejected: it is %(state)s",
            version=version.name,
            state=Phrase(version.state),
        )
    return version


def _package(version: Version) -> Package:
    assert version.package is not None
    return Package(
        version.package,
        version.package_name or "",
        version.bot.name,
        version.submitted_name,
        version.runtime or "",
    )


def renew_token(session: Session, account: Account, bot_id: int) -> str:
    """Make a new gateway token for an own bot; the old one is void. Raises NotFound, Refused."""
    model.write(session)
    bot = own.bot_row(session, account, bot_id)
    if bot.state is BotState.RETIRED:
        raise Refused("%(bot)s is retired: it needs no token", bot=bot.name)
    token = new_token()
    bot.gateway_token_hash = token_hash(token)
    return token


def withdraw(session: Session, account: Account, bot_id: int, version_id: int) -> None:
    """Reject an own version that is still being validated. Raises NotFound, Refused."""
    ledger.lock(session)
    version = own.version_row(session, account, bot_id, version_id)
    if version.state not in UNDER_VALIDATION:
        raise Refused(
            "version %(version)s is no longer being checked: it is %(state)s",
            version=version.name,
            state=Phrase(version.state),
        )
    model.move_version(version, VersionState.REJECTED, WITHDRAWN)
    drop_jobs(session, version)
    trials.drop(session, version, f"version {version.name} of {version.bot.name} was withdrawn")


def _entrant(
    session: Session, account: Account, name: str, version: str, *, packed: bool = False
) -> Bot:
    """Return the account's bot of this name, for a new version; add it if it is new."""
    _lock_owner(session, account)
    bot = _bot(session, account, name)
    _refuse_second(session, bot, version, packed=packed)
    return bot


def _added(session: Session, bot: Bot, version: str, **columns: Any) -> Version:
    """Add a version that waits to be built or checked."""
    row = Version(
        bot_id=bot.id,
        name=version,
        state=VersionState.SUBMITTED,
        created_at=model.now(session),
        **columns,
    )
    session.add(row)
    return row


def _lock_owner(session: Session, account: Account) -> None:
    """Let the account submit one version at a time; raises NotFound if it was just deleted."""
    model.write(session)
    if lock_user(session, account.id).deleted_at is not None:
        raise NotFound("there is no user %(name)s", name=account.name)


def _bot(session: Session, account: Account, name: str) -> Bot:
    """Return the bot of this name, locked so that it is not retired meanwhile; add it if new."""
    bots_of_author = select(Bot).where(Bot.user_id == account.id)
    named = bots_of_author.where(Bot.name == name).with_for_update(key_share=True)
    bot = session.scalars(named, execution_options={"populate_existing": True}).one_or_none()
    if bot is not None:
        if bot.state is BotState.RETIRED:
            raise Refused("%(name)s is retired: choose another name", name=name)
        return bot
    if len(session.scalars(bots_of_author.where(Bot.state != BotState.RETIRED)).all()) >= MOST_BOTS:
        raise Refused("you already have %(most)s bots: retire one first", most=MOST_BOTS)
    refuse_reserved(name)
    made = Bot(name=name, user_id=account.id, created_at=model.now(session))
    session.add(made)
    session.flush()
    return made


def _refuse_second(session: Session, bot: Bot, version: str, *, packed: bool) -> None:
    """Raise Refused if this version was submitted before, or another one is being checked."""
    for row in session.scalars(select(Version).where(Version.bot_id == bot.id)):
        if row.state is VersionState.TRIAL and trials.is_heir(session, row):
            raise Refused(
                "version %(version)s of %(bot)s waits until the rated matches of the version "
                "before it are over: wait for it, or withdraw it on its page",
                version=row.name,
                bot=bot.name,
            )
        if row.state in UNDER_VALIDATION:
            raise Refused(
                "version %(version)s of %(bot)s is still being checked: wait for it, "
                "or withdraw it on its page",
                version=row.name,
                bot=bot.name,
            )
        if row.name == version:
            _give_up_name(row, bot, packed=packed)
    session.flush()


def _give_up_name(row: Version, bot: Bot, *, packed: bool) -> None:
    """Free the name of a version that was rejected; raises Refused for any other."""
    if row.state is not VersionState.REJECTED and packed:
        raise Refused(
            "%(bot)s already has a version %(version)s: change `version` in santiago.toml, pack "
            "the folder and upload it again",
            version=row.name,
            bot=bot.name,
        )
    if row.state is not VersionState.REJECTED:
        raise Refused(
            "%(bot)s already has a version %(version)s: change the version here and in the bot",
            version=row.name,
            bot=bot.name,
        )
    row.name = model.name_given_up(row.name, row.id)


def _first_token(bot: Bot) -> str | None:
    """Make a token if the bot has none, which its versions share."""
    if bot.gateway_token_hash is not None:
        return None
    token = new_token()
    bot.gateway_token_hash = token_hash(token)
    return token


def _sealed(session: Session, bot: Bot, secret: str | None) -> bytes:
    """Seal a bot's secret, or find that of the version before; raises Invalid without either.

    A bot that is dialled has to prove that its author asked for it.
    """
    if secret:
        return SecretBox.from_environment().seal(secret)
    secrets = select(Version.secret).where(Version.bot_id == bot.id, Version.secret.is_not(None))
    newest = session.scalar(secrets.order_by(Version.id.desc()).limit(1))
    if newest is None:
        raise Invalid(
            "secret",
            "a bot with an address has to prove that it is the submitted one: give the secret that "
            "it is started with (SANTIAGO_SECRET); `openssl rand -hex 32` makes one",
        )
    return newest
