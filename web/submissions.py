"""Submit a bot: the form and its hints, the steps of a version until it plays, another try."""

import secrets
from typing import Any, Final

from flask import Blueprint, jsonify, render_template, request
from flask.typing import ResponseReturnValue

from ladder.bots import addresses, logs, own, packages, submitting, uploads, versions
from ladder.bots.own import OwnBot, OwnVersion
from ladder.bots.submitting import Submission
from ladder.bots.terms import mistakes
from ladder.bots.uploads import LICENCES
from ladder.config import Environment
from ladder.contests import ladders
from ladder.errors import Invalid, LadderError, Refused
from ladder.matches import lanes
from ladder.model import BotState
from ladder.people.accounts import Account
from referee.hosting.packing import USUAL
from referee.ways import GATEWAY_PREFIX
from web import errors, identity, limits, parameters, security
from web.database import commit_and_show, session
from web.languages import gettext as _
from web.parameters import VERSION
from web.reasons import reason

blueprint = Blueprint("submissions", __name__)
blueprint.after_request(security.no_store)

_FIELDS: Final = ("name", "version", "way", "address", "slots", "secret", "language")


@blueprint.get("/bots/submit")
def submission_form() -> ResponseReturnValue:
    """Show the form; ?bot= prefills it for a new version of the bot, ?version= with its name."""
    account, bot_id = identity.signed_in(), parameters.number("bot")
    bot = own.bot(session(), account, bot_id) if bot_id is not None else None
    if bot is not None and bot.state is BotState.RETIRED:
        raise Refused("%(bot)s is retired: submit a bot with another name", bot=bot.name)
    typed = _typed_before(bot)
    return _form(bot, {**typed, "version": request.args.get("version", "")[:40]})


@blueprint.post("/bots/submit")
def submit() -> ResponseReturnValue:
    """Submit a version, then show its steps."""
    account = identity.signed_in()
    typed = {name: parameters.field(name) for name in _FIELDS}
    try:
        made = _submit(account, typed)
    except (Invalid, Refused) as error:
        session().rollback()
        return _form(None, typed, error)
    limits.SUBMISSION.count(account)
    session().commit()
    if made.gateway_token is not None:
        return show_token(own.bot(session(), account, made.bot_id), made.gateway_token)
    return to_steps(made.bot_id, made.version_id)


@blueprint.post("/bots/submit/check")
def check_form() -> ResponseReturnValue:
    """Say what is wrong with the fields as they are typed: a sentence by field, as JSON."""
    identity.signed_in()
    typed = {name: parameters.field(name) for name in _FIELDS}
    wrong = {found.field: errors.sentence(found) for found in mistakes(**_given(typed))}
    if _slots(typed) is None:
        wrong["slots"] = _("give a whole number of games")
    return jsonify(wrong)


@blueprint.get(VERSION)
def steps(bot_id: int, version_id: int) -> ResponseReturnValue:
    """Show the progress of a version, and then its report."""
    account = identity.signed_in()
    bot = own.bot(session(), account, bot_id)
    version = own.version(session(), account, bot_id, version_id)
    waits = _waits(bot, version)
    others = [one for one in versions.entered(session(), bot_id) if one.version != version.name]
    log = uploads.of_build(session(), account, bot_id, version_id) if version.package else None
    return render_template(
        "bots/steps.html",
        bot=bot,
        version=version,
        waits=waits,
        entered=others,
        build=log,
        licences=LICENCES,
        plays_on=ladders_for(hosted=bool(version.package)),
        glance=logs.glances(session(), [bot_id])[bot_id],
    )


@blueprint.post(f"{VERSION}/retry")
def retry(bot_id: int, version_id: int) -> ResponseReturnValue:
    """Submit a rejected version again, as it was, then show its steps."""
    account = identity.signed_in()
    limits.SUBMISSION.count(account)
    made = submitting.submit_again(session(), account, bot_id, version_id)
    return to_steps(made.bot_id, made.version_id)


@blueprint.post(f"{VERSION}/withdraw")
def withdraw(bot_id: int, version_id: int) -> ResponseReturnValue:
    """Withdraw a version that is still being checked."""
    submitting.withdraw(session(), identity.signed_in(), bot_id, version_id)
    return to_steps(bot_id, version_id)


def to_steps(bot_id: int, version_id: int) -> ResponseReturnValue:
    """Commit what a form has changed, and lead to the steps of a version."""
    return commit_and_show("submissions.steps", bot_id=bot_id, version_id=version_id)


def refused_package(error: LadderError) -> ResponseReturnValue:
    """Show the form again, with what is wrong with an upload."""
    return _form(None, _typed_before(None), error, field="package")


def show_token(bot: OwnBot, token: str) -> ResponseReturnValue:
    """Show a gateway token, and what to do next."""
    return render_template("bots/token.html", bot=bot, token=token, gateway=public_gateway())


def public_gateway() -> str:
    """Return the address of the public gateway, `host:port`; empty if there is none."""
    return Environment.from_environment().public_gateway


def require_gateway(field: str) -> None:
    """Raise Invalid, for the field that asked for the gateway, if the site has none."""
    if not public_gateway():
        raise Invalid(
            field,
            "this site has no gateway: give the address (HOST:PORT) at which your bot listens, or "
            "upload the bot as a package",
        )


def _submit(account: Account, typed: dict[str, str]) -> Submission:
    if _slots(typed) is None:
        raise Invalid("slots", "give a whole number of games")
    if typed["way"] not in ("address", "gateway"):
        raise Invalid("way", "choose how the bot is reached")
    if typed["way"] == "gateway":
        require_gateway("way")
    return submitting.submit(session(), account, **_given(typed))


def _given(typed: dict[str, str]) -> dict[str, Any]:
    """Return the arguments for `bots.submit` that the form holds."""
    by_address, slots = typed["way"] == "address", _slots(typed)
    return {
        "name": typed["name"],
        "version": typed["version"],
        "address": typed["address"] if by_address else None,
        "slots": 1 if slots is None else slots,
        "secret": (typed["secret"] or None) if by_address else None,
        "language": typed["language"] or None,
    }


def _slots(typed: dict[str, str]) -> int | None:
    return parameters.whole(typed["slots"] or "2")


def _form(
    bot: OwnBot | None,
    typed: dict[str, str],
    error: LadderError | None = None,
    *,
    field: str | None = None,
) -> ResponseReturnValue:
    """Show the form with what was typed and an error, which may belong to one `field` alone."""
    wrong = {field: errors.sentence(error)} if field and error else _wrong(typed, error)
    page = render_template(
        "bots/submit.html",
        known=bot,
        entered=versions.entered(session(), bot.id) if bot else (),
        typed=typed,
        wrong=wrong,
        gateway=public_gateway(),
        here=addresses.private_allowed(),
        limits=packages.limits(),
        left_out=USUAL,
        quota=packages.quota(session(), identity.signed_in().id),
        hosting=lanes.lanes(session()) > 0,
    )
    return page, errors.status_of(error)


def _typed_before(bot: OwnBot | None) -> dict[str, str]:
    """Return what the empty form is prefilled with."""
    fresh = {"way": "address", "slots": "2", "secret": secrets.token_urlsafe(24)}
    if bot is None or not bot.versions:
        return fresh
    newest = bot.versions[0]
    if newest.package:  # an uploaded version has no address of its author's, and no secret
        return {**fresh, "name": bot.name, "language": newest.language or ""}
    way = "gateway" if bot.behind_gateway else "address"
    return {
        "name": bot.name,
        "way": way,
        "address": newest.address if way == "address" else "",
        "slots": str(bot.slots),
        "secret": "" if way == "address" else fresh["secret"],
        "language": newest.language or "",
    }


def _wrong(typed: dict[str, str], error: LadderError | None) -> dict[str, str]:
    """Return all errors in the form by field, with the one that was raised."""
    if error is None:
        return {}
    first = {getattr(error, "field", "all"): errors.sentence(error)}
    if not isinstance(error, Invalid):
        return first
    others = {found.field: errors.sentence(found) for found in mistakes(**_given(typed))}
    return others | first


def _waits(bot: OwnBot, version: OwnVersion) -> str:
    """Return a sentence about what a submitted version waits for."""
    if version.reason:
        return reason(version.reason)
    if version.package and not version.package.bundle:
        return _("Waiting for a worker and a host. Your uploads are built one at a time.")
    if not version.address.startswith(GATEWAY_PREFIX):
        return _("Waiting for a worker. Your versions are checked one at a time.")
    if bot.joined_version is None:
        return _("It will be checked as soon as it joins the gateway.")
    if not version.joined:
        return _(
            "Version %(joined)s has joined the gateway. This one will be checked as soon as "
            "a program that reports version %(version)s joins.",
            joined=bot.joined_version,
            version=version.name,
        )
    return _("It has joined the gateway and is waiting for a worker.")


def ladders_for(*, hosted: bool) -> list[int]:
    """Return the table sizes of the ladders that make matches for bots, hosted ones or others."""
    if not Environment.from_environment().ladder_pace:
        return []
    return [
        ladder.seats
        for ladder in ladders.every(session())
        if ladder.open and ladder.share and (hosted or not ladder.hosted_only)
    ]
