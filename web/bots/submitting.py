"""Submitting a bot or a new version, and the steps until it is on the ladder."""

import os
import secrets
from typing import Any, Final

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from ladder import bots
from ladder.bots import OwnBot, OwnVersion, Submission, addresses
from ladder.errors import Invalid, LadderError, Refused
from ladder.people.account import Account
from web import errors, forms, identity, limits, parameters, security
from web.bots import checks
from web.database import session
from web.languages import gettext as _
from web.parameters import MOST

blueprint = Blueprint("submissions", __name__)
blueprint.after_request(security.keep_nothing)
blueprint.add_app_template_filter(checks.sentence, "check_sentence")

PUBLIC_GATEWAY: Final = "SANTIAGO_PUBLIC_GATEWAY"
"""Where authors' bots reach the operator's gateway, `host:port`; shown on pages."""
_BOT: Final = f"/bots/<int(max={MOST}):bot_id>"
_VERSION: Final = f"{_BOT}/versions/<int(max={MOST}):version_id>"
_FIELDS: Final = ("name", "version", "way", "address", "slots", "secret", "language")


@blueprint.get("/bots/submit")
def form() -> ResponseReturnValue:
    """The form; ?bot= fills it in for a new version of an own bot, ?version= for the same again."""
    asking, bot_id = identity.signed_in(), parameters.number("bot")
    known = bots.own(session(), asking, bot_id) if bot_id is not None else None
    typed = _typed_before(known)
    return _form(known, {**typed, "version": request.args.get("version", "")[:40]})


@blueprint.post("/bots/submit")
def submit() -> ResponseReturnValue:
    """Hand it in, then show how it goes on."""
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
        return show_token(bots.own(session(), asking, made.bot_id), made.gateway_token)
    return redirect(url_for(".steps", bot_id=made.bot_id, version_id=made.version_id), 303)


@blueprint.get(_VERSION)
def steps(bot_id: int, version_id: int) -> ResponseReturnValue:
    """How far a version has come, and at last what was found of it."""
    asking = identity.signed_in()
    bot = bots.own(session(), asking, bot_id)
    version = bots.own_version(session(), asking, bot_id, version_id)
    waits = _waits(bot, version)
    return render_template("bots/steps.html", bot=bot, version=version, waits=waits)


@blueprint.post(f"{_VERSION}/withdraw")
def withdraw(bot_id: int, version_id: int) -> ResponseReturnValue:
    """Take a version back that is still being checked."""
    bots.withdraw(session(), identity.signed_in(), bot_id, version_id)
    session().commit()
    return redirect(url_for(".steps", bot_id=bot_id, version_id=version_id), 303)


@blueprint.post(f"{_BOT}/token")
def renew_token(bot_id: int) -> ResponseReturnValue:
    """A new gateway token, shown this once."""
    asking = identity.signed_in()
    token = bots.renew_token(session(), asking, bot_id)
    session().commit()
    return show_token(bots.own(session(), asking, bot_id), token)


def show_token(bot: OwnBot, token: str) -> ResponseReturnValue:
    """The page that shows a gateway token, with what to do next."""
    return render_template("bots/token.html", bot=bot, token=token, gateway=public_gateway())


def _submit(asking: Account, typed: dict[str, str]) -> Submission:
    if not _is_number(typed["slots"]):
        raise Invalid("slots", "give a whole number of games")
    if typed["way"] not in ("address", "gateway"):
        raise Invalid("way", "choose how the bot is reached")
    return bots.submit(session(), asking, **_given(typed))


def _given(typed: dict[str, str]) -> dict[str, Any]:
    """What the form says, for `bots.submit`."""
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
    """What is wrong, by field: all of it at once."""
    if error is None:
        return {}
    first = {getattr(error, "field", "all"): errors.sentence(error)}
    if not isinstance(error, Invalid):
        return first
    others = {found.field: errors.sentence(found) for found in bots.mistakes(**_given(typed))}
    return others | first


def _typed_before(known: OwnBot | None) -> dict[str, str]:
    """What stands in the form at first."""
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
    """What a submitted version waits for."""
    if not version.address.startswith("gateway:"):
        return _("It waits for a worker. One version of yours is checked at a time.")
    if bot.joined_version is None:
        return _("It is checked as soon as it has joined the gateway.")
    if bot.joined_version != version.name:
        return _(
            "Version %(joined)s has joined the gateway. This one is checked as soon as a program "
            "that tells version %(version)s joins.",
            joined=bot.joined_version,
            version=version.name,
        )
    return _("It has joined the gateway, and waits for a worker.")


def public_gateway() -> str:
    """`host:port`; empty where there is none."""
    return os.environ.get(PUBLIC_GATEWAY, "")
