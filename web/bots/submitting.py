"""Submitting a bot or a new version, and its steps until it plays on the ladder.

A report holds the English sentence of each check. What the suite found out about the bot stays in
English.
"""

import secrets
from collections.abc import Mapping
from typing import Any, Final

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from ladder.bots import addresses, own, submitting
from ladder.bots.own import OwnBot, OwnVersion
from ladder.bots.submitting import Submission
from ladder.config import Environment
from ladder.errors import Invalid, LadderError, Refused
from ladder.people.accounts import Account
from web import errors, forms, identity, limits, parameters, security
from web.database import session
from web.languages import gettext as _
from web.languages import mark, translated
from web.parameters import MOST

blueprint = Blueprint("submissions", __name__)
blueprint.after_request(security.no_store)

"""The setting for the address of the public gateway, `host:port`, that pages show to authors."""
_BOT: Final = f"/bots/<int(max={MOST}):bot_id>"
_VERSION: Final = f"{_BOT}/versions/<int(max={MOST}):version_id>"
_FIELDS: Final = ("name", "version", "way", "address", "slots", "secret", "language")
CHECKS: Final[Mapping[str, str]] = {
    # Translators: what a bot does that passes a check; "it" is the bot.
    "describe": mark("It describes itself and speaks this version of the protocol."),
    "accept": mark("It accepts a game, then waits for a request."),
    "in-time": mark("It answers each decision within its time."),
    "message": mark("It sends messages of the protocol, in the right order."),
    "message-size": mark("It sends no message larger than 64 KB."),
    "decision-id": mark("Its choice repeats the id of the decision."),
    "legal-index": mark("Its choice is the index of a legal move."),
    "one-answer": mark("It answers once and sends nothing without a request."),
    "stays": mark("It keeps the stream open until the game is over."),
    "drive": mark("It chooses how far it drives."),
    "visit": mark("It chooses the building that its pawn goes to."),
    "function": mark("It chooses how it uses each of the buildings."),
    "deliver": mark("It chooses what it delivers to the ship."),
    "pick": mark("It chooses what it takes from Pablo."),
    "lawyer": mark("It chooses what it does at Alonso's."),
    "tribute": mark("It chooses what it gives to El Zorro."),
    "demand": mark("It chooses which good the ship does not want."),
    "many-moves": mark("It chooses among a hundred legal moves."),
    "game-of-2": mark("It plays a whole game at a table of 2."),
    "game-of-3": mark("It plays a whole game at a table of 3."),
    "game-of-4": mark("It plays a whole game at a table of 4."),
    "several-games": mark("It plays 4 games at once."),
    "against-itself": mark("It plays all seats of one game."),
    "late-start": mark("It waits if a game starts late."),
    "slow-opponent": mark("It waits while others think."),
    "short-time": mark("It answers within a second if it has no more time."),
    "unknown-fields": mark("It ignores unknown fields."),
    "unknown-message": mark("It ignores unknown messages."),
    "game-end": mark("It does not answer the end of the game, and closes the stream."),
    "fault": mark("After a fault message, it closes the stream and plays the next game."),
    "hang-up": mark("If the referee closes the connection, it plays the next game."),
    "line-back": mark("After a lost connection, it continues the same game."),
    "line-back-mid-decision": mark(
        "If the connection is lost while it thinks, it answers the same decision again."
    ),
    "still-there": mark("After all of this, it still describes itself."),
    "first-call": mark(
        "Called once, it accepts a game, proves that it knows its secret, and is the "
        "submitted version."
    ),
}
"""The sentences of the conformance suite, by the names of its checks."""

_TRANSLATED: Final = frozenset(CHECKS.values())


@blueprint.app_template_filter("check_sentence")
def check_sentence(stored: str) -> str:
    """Translate the sentence of a check; one that the suite no longer has stays in English."""
    return translated(stored) if stored in _TRANSLATED else stored


@blueprint.get("/bots/submit")
def form() -> ResponseReturnValue:
    """Show the form; ?bot= prefills it for a new version of the bot, ?version= with its name."""
    asking, bot_id = identity.signed_in(), parameters.number("bot")
    known = own.bot(session(), asking, bot_id) if bot_id is not None else None
    typed = _typed_before(known)
    return _form(known, {**typed, "version": request.args.get("version", "")[:40]})


@blueprint.post("/bots/submit")
def submit() -> ResponseReturnValue:
    """Submit a version, then show its steps."""
    asking = identity.signed_in()
    limits.submission(asking)
    typed = {name: forms.text(name) for name in _FIELDS}
    try:
        made = _submit(asking, typed)
    except (Invalid, Refused) as error:
        session().rollback()
        return _form(None, typed, error)
    session().commit()
    if made.gateway_token is not None:
        return _show_token(own.bot(session(), asking, made.bot_id), made.gateway_token)
    return redirect(url_for(".steps", bot_id=made.bot_id, version_id=made.version_id), 303)


@blueprint.get(_VERSION)
def steps(bot_id: int, version_id: int) -> ResponseReturnValue:
    """Show the progress of a version, and then its report."""
    asking = identity.signed_in()
    bot = own.bot(session(), asking, bot_id)
    version = own.version(session(), asking, bot_id, version_id)
    waits = _waits(bot, version)
    return render_template("bots/steps.html", bot=bot, version=version, waits=waits)


@blueprint.post(f"{_VERSION}/withdraw")
def withdraw(bot_id: int, version_id: int) -> ResponseReturnValue:
    """Withdraw a version that is still being checked."""
    submitting.withdraw(session(), identity.signed_in(), bot_id, version_id)
    session().commit()
    return redirect(url_for(".steps", bot_id=bot_id, version_id=version_id), 303)


@blueprint.post(f"{_BOT}/token")
def renew_token(bot_id: int) -> ResponseReturnValue:
    """Create a new gateway token and show it, once."""
    asking = identity.signed_in()
    token = submitting.renew_token(session(), asking, bot_id)
    session().commit()
    return _show_token(own.bot(session(), asking, bot_id), token)


def _show_token(bot: OwnBot, token: str) -> ResponseReturnValue:
    """Show a gateway token, and what to do next."""
    return render_template("bots/token.html", bot=bot, token=token, gateway=public_gateway())


def public_gateway() -> str:
    """Return the address of the public gateway, `host:port`; empty if there is none."""
    return Environment.from_environment().public_gateway


def _submit(asking: Account, typed: dict[str, str]) -> Submission:
    if not _is_number(typed["slots"]):
        raise Invalid("slots", "give a whole number of games")
    if typed["way"] not in ("address", "gateway"):
        raise Invalid("way", "choose how the bot is reached")
    return submitting.submit(session(), asking, **_given(typed))


def _given(typed: dict[str, str]) -> dict[str, Any]:
    """Return the arguments for `bots.submit` that the form holds."""
    by_address, slots = typed["way"] == "address", typed["slots"] or "2"
    return {
        "name": typed["name"],
        "version": typed["version"],
        "address": typed["address"] if by_address else None,
        "slots": int(slots[:9]) if _is_number(slots) else 1,
        "secret": (typed["secret"] or None) if by_address else None,
        "language": typed["language"] or None,
    }


def _is_number(slots: str) -> bool:
    return not slots or (slots.isascii() and slots.isdigit())


def _wrong(typed: dict[str, str], error: LadderError | None) -> dict[str, str]:
    """Return all errors in the form by field, with the one that was raised."""
    if error is None:
        return {}
    first = {getattr(error, "field", "all"): errors.sentence(error)}
    if not isinstance(error, Invalid):
        return first
    others = {found.field: errors.sentence(found) for found in submitting.mistakes(**_given(typed))}
    return others | first


def _typed_before(known: OwnBot | None) -> dict[str, str]:
    """Return what the empty form is prefilled with."""
    fresh = {"way": "address", "slots": "2", "secret": secrets.token_urlsafe(24)}
    if known is None or not known.versions:
        return fresh
    newest = known.versions[0]
    way = "gateway" if known.behind_gateway else "address"
    return {
        "name": known.name,
        "way": way,
        "address": newest.address if way == "address" else "",
        "slots": str(known.slots),
        "secret": "" if way == "address" else fresh["secret"],
        "language": newest.language or "",
    }


def _form(
    known: OwnBot | None, typed: dict[str, str], error: LadderError | None = None
) -> ResponseReturnValue:
    page = render_template(
        "bots/submit.html",
        known=known,
        typed=typed,
        wrong=_wrong(typed, error),
        gateway=public_gateway(),
        here=addresses.private_allowed(),
    )
    return page, 200 if error is None else errors.CODES[type(error)]


def _waits(bot: OwnBot, version: OwnVersion) -> str:
    """Return a sentence about what a submitted version waits for."""
    if not version.address.startswith("gateway:"):
        return _("Waiting for a worker. Your versions are checked one at a time.")
    if bot.joined_version is None:
        return _("It will be checked as soon as it joins the gateway.")
    if bot.joined_version != version.name:
        return _(
            "Version %(joined)s has joined the gateway. This one will be checked as soon as "
            "a program that reports version %(version)s joins.",
            joined=bot.joined_version,
            version=version.name,
        )
    return _("It has joined the gateway and is waiting for a worker.")
