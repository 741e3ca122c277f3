"""Signing up, in and out, and the new password behind a reset link."""

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.wrappers import Response

from ladder.errors import Invalid, LadderError, NotSignedIn, TooMany
from ladder.people import passwords, signing, tickets
from ladder.people.signing import SignedIn
from web import errors, guesses, identity, limits, parameters, security
from web.database import session

blueprint = Blueprint("entrance", __name__)
blueprint.after_request(security.no_store)


@blueprint.get("/sign-in")
def sign_in() -> ResponseReturnValue:
    """Show the form; ?next= is the page to show afterwards."""
    if identity.browser() is not None:
        return redirect(_next())
    return _sign_in_page()


@blueprint.post("/sign-in")
def enter() -> ResponseReturnValue:
    """Sign the browser in."""
    name, password = parameters.field("name"), parameters.password("password")
    try:
        signed = _signed_in(name, password)
    except NotSignedIn as error:
        return _sign_in_page(name, error), 422
    except TooMany as error:
        return _sign_in_page(name, error), 429, {"Retry-After": str(error.retry_after)}
    return let_in(signed, _next())


@blueprint.get("/sign-up")
def sign_up() -> ResponseReturnValue:
    """Show the form for a new account."""
    if identity.browser() is not None:
        return redirect(_next())
    return _sign_up_page()


@blueprint.post("/sign-up")
def join() -> ResponseReturnValue:
    """Create the account and sign the browser in.

    If the form comes twice, as by two clicks, the account is there: then its password lets in.
    """
    name, password = parameters.field("name"), parameters.password("password")
    limits.sign_up()
    try:
        made = signing.sign_up(session(), name=name, password=password)
        session().commit()
        signed = signing.sign_in(session(), name=made.name, password=password)
    except Invalid as error:
        session().rollback()
        known = _known(name, password) if error.field == "name" else None
        if known is None:
            return _sign_up_page(name, _all_wrong(name, password, error)), 422
        signed = known
    return let_in(signed, _next())


@blueprint.post("/sign-out")
def sign_out() -> ResponseReturnValue:
    """Sign the browser out."""
    _end_ticket()
    security.forget_visitor()
    answer = redirect(url_for("standings.ladder"), 303)
    identity.forget(answer)
    return answer


def let_in(signed: SignedIn, target: str) -> Response:
    """Give the browser a ticket in place of the one that it may hold; redirect to `target`."""
    _end_ticket()
    security.renew_form_tokens()
    answer = redirect(target, 303)
    identity.remember(answer, signed.secret)
    guesses.remember(answer, signed.account.name)
    return answer


@blueprint.get("/reset/<ticket>")
def reset(ticket: str) -> ResponseReturnValue:
    """Show the form; this does not use the link up."""
    return _reset_page(ticket)


@blueprint.post("/reset/<ticket>")
def use_reset(ticket: str) -> ResponseReturnValue:
    """Set the password. Earlier failures do not keep the user from signing in with it."""
    limits.RESET.count_visitor()
    name = tickets.link_owner(session(), ticket)
    password, end_tokens = parameters.password("password"), "end_tokens" in request.form
    try:
        tickets.use_reset_link(session(), ticket, password, end_tokens=end_tokens)
    except Invalid as error:
        session().rollback()
        return _reset_page(ticket, wrong=errors.sentence(error)), 422
    session().commit()
    security.renew_form_tokens()
    answer = redirect(url_for(".sign_in", password="set"), 303)
    identity.forget(answer)
    guesses.remember(answer, name)
    return answer


def _signed_in(name: str, password: str) -> SignedIn:
    """Sign in, as far as guessing is not slowed down. Raises NotSignedIn, TooMany."""
    with guesses.sign_in(name):
        return signing.sign_in(session(), name=name, password=password)


def _known(name: str, password: str) -> SignedIn | None:
    """Sign in to an account that is there; None if this is not its password."""
    try:
        return _signed_in(name, password)
    except (NotSignedIn, TooMany):
        return None


def _end_ticket() -> None:
    held = identity.secret()
    if held is not None:
        signing.sign_out(session(), held)
    session().commit()


def _sign_in_page(name: str = "", wrong: LadderError | None = None) -> str:
    return render_template(
        "accounts/sign_in.html",
        next=security.next_path(),
        name=name,
        wrong=None if wrong is None else errors.sentence(wrong),
    )


def _all_wrong(name: str, password: str, error: Invalid) -> dict[str, str]:
    """Return all errors in the form by field: the name is looked at first."""
    wrong = {error.field: errors.sentence(error)}
    try:
        passwords.check(password, name)
    except Invalid as other:
        wrong[other.field] = errors.sentence(other)
    return wrong


def _sign_up_page(name: str = "", wrong: dict[str, str] | None = None) -> str:
    return render_template(
        "accounts/sign_up.html",
        next=security.next_path(),
        name=name,
        wrong=wrong or {},
        shortest=passwords.MIN_LENGTH,
    )


def _next() -> str:
    """Return the page to show next: the path ?next=, or else the user's bots."""
    return security.next_path() or url_for("own_bots.mine")


def _reset_page(ticket: str, wrong: str | None = None) -> str:
    return render_template(
        "accounts/reset.html",
        ticket=ticket,
        name=tickets.link_owner(session(), ticket),
        wrong=wrong,
        shortest=passwords.MIN_LENGTH,
    )
