"""Answer errors with a page, and below /api/ with problem+json (RFC 9457)."""

import json
import logging
from collections.abc import Sequence
from http import HTTPStatus
from typing import Final

from flask import Flask, Response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_wtf.csrf import CSRFError  # type: ignore[import-untyped]
from werkzeug.exceptions import BadRequest, HTTPException, SecurityError

from ladder import errors, model
from web.addresses import own_address, way_back
from web.languages import filled, gettext as _, mark, translated
from web.traffic import shown_path

_LOG: Final = logging.getLogger(__name__)
_PAUSE: Final = "5"  # seconds until a client should try again

_CODES: Final[dict[type[errors.LadderError], int]] = {
    errors.NotFound: 404,
    errors.Refused: 409,
    errors.Stale: 409,
    errors.Invalid: 422,
    errors.NotSignedIn: 401,
    errors.Forbidden: 403,
    errors.TooMany: 429,
}
"""The status of each error of the ladder that the client caused; all others are a 500."""


def status_of(error: errors.LadderError | None) -> int:
    """Return the status of an answer with an error of the ladder, or without one."""
    if error is None:
        return 200
    return next((_CODES[kind] for kind in type(error).__mro__ if kind in _CODES), 500)


_TITLES: Final = {
    400: mark("Invalid request"),
    401: mark("Please sign in"),
    403: mark("You don’t have access"),
    404: mark("Not found"),
    405: mark("This method is not allowed here"),
    409: mark("This is not possible now"),
    413: mark("The request is too large"),
    422: mark("Some input is invalid"),
    429: mark("Too many requests"),
    500: mark("Something went wrong on our side"),
    503: mark("The database does not answer"),
}
_OWN_SENTENCES: Final = {
    404: mark("The page may have moved, or the address may be mistyped."),
    405: mark("Go back and try again from the page itself."),
    413: mark("Please send less data at once."),
    500: mark("The error has been logged. Please try again in a moment."),
    503: mark("Please try again in a moment."),
}
_NO_ROOM: Final = mark("There is no room at the moment")
_MAKE_ROOM: Final = mark(
    "Nothing was stored: the disk of the database is full, and the operator has to make room."
)
_NO_PAGE: Final = (404, 405)
_PASSWORDS: Final = frozenset({"password", "old"})
_NO_CALL: Final = "There is no such call: /api/v1/openapi.json describes all that there are."


def init_app(app: Flask) -> None:
    """Handle the ladder's errors and all HTTP errors."""
    for error in _CODES:
        app.register_error_handler(error, _ladder_error)
    app.register_error_handler(errors.NotSignedIn, _not_signed_in)
    app.register_error_handler(CSRFError, _foreign_form)
    app.register_error_handler(HTTPException, _http_error)
    for silence in model.OUT_OF_REACH:
        app.register_error_handler(silence, _away)


def sentence(error: errors.LadderError) -> str:
    """Return the error's message as a sentence in the language of the request."""
    text = filled(error.template, error.fields)
    return errors.as_sentence(text, translated(error.template), error.fields)


def _ladder_error(error: errors.LadderError) -> ResponseReturnValue:
    answer = _answer(status_of(error), sentence(error), field=getattr(error, "field", None))
    if isinstance(error, errors.TooMany):
        answer.headers["Retry-After"] = str(error.retry_after)
    return answer


def _not_signed_in(error: errors.NotSignedIn) -> ResponseReturnValue:
    """Redirect a browser to the sign-in page; answer 401 to programs and forms.

    Who was signed out, maybe in another tab, can sign in there and then send the form again.
    """
    if request.method in ("GET", "HEAD") and not _for_programs():
        return redirect(url_for("entrance.sign_in", next=own_address()))
    sent = _kept_fields()
    detail = (
        _("You are signed out. Sign in in another tab, then send the form again from here.")
        if sent
        else sentence(error)
    )
    answer = _answer(401, detail, sent=sent)
    answer.headers["WWW-Authenticate"] = "Bearer"
    return answer


def _kept_fields() -> Sequence[tuple[str, str]]:
    """Return the fields of the form; none if it has a file or a password."""
    if _for_programs() or request.files or not _PASSWORDS.isdisjoint(request.form):
        return ()
    return [each for each in request.form.items(multi=True) if each[0] != "csrf_token"]


def _foreign_form(_error: CSRFError) -> ResponseReturnValue:
    if _for_programs():
        return _answer(
            400, "The header X-CSRFToken is missing or not good: send it, or a bearer token."
        )
    return _answer(
        400,
        _(
            "The form was open for too long, or does not come from this site. Go back, "
            "reload the page and send it again."
        ),
        title=_("This form has expired"),
    )


def _http_error(error: HTTPException) -> ResponseReturnValue:
    assert error.code is not None  # else Flask answers by itself
    if isinstance(error, SecurityError):  # no page: its links would have the wrong host, too
        return Response("This site has another address.\n", 400, mimetype="text/plain")
    own = _OWN_SENTENCES.get(error.code)
    detail = translated(own) if own else error.description or ""
    if _for_programs() and error.code in _NO_PAGE:
        detail = (
            _NO_CALL if error.description == type(error).description else str(error.description)
        )
    answer = _answer(error.code, detail)
    for name, value in error.get_headers():
        if name != "Content-Type":  # such as Allow
            answer.headers.setdefault(name, value)
    return answer


def unreadable(_error: Exception) -> ResponseReturnValue:
    """Answer 400 to a body in which the server lost its way; what follows cannot be read either."""
    answer = _answer(400, str(BadRequest.description))
    answer.headers["Connection"] = "close"
    return answer


def _away(error: Exception) -> ResponseReturnValue:
    """Answer 503 if the database does not answer, is locked for too long, or has no room."""
    full = model.lacks_room(error)
    path, why = shown_path(request.environ), "has no room" if full else "does not answer"
    said = model.own_words(error)
    _LOG.error("%s %s: the database %s: %s", request.method, path, why, said)
    answer = (
        _answer(503, translated(_MAKE_ROOM), title=translated(_NO_ROOM))
        if full
        else _answer(503, translated(_OWN_SENTENCES[503]))
    )
    answer.headers["Retry-After"] = _PAUSE
    return answer


def _answer(
    code: int,
    detail: str,
    title: str | None = None,
    field: str | None = None,
    sent: Sequence[tuple[str, str]] = (),
) -> Response:
    title = title or _title(code)
    if not _for_programs():
        shown = {"code": code, "title": title, "sentence": detail, "sent": sent}
        page = render_template("site/error.html", **shown, back=way_back())
        return Response(page, status=code)
    problem = {"type": "about:blank", "title": title, "status": code, "detail": detail}
    if field is not None:
        problem["field"] = field
    return Response(json.dumps(problem), status=code, mimetype="application/problem+json")


def _title(code: int) -> str:
    title = _TITLES.get(code)
    return translated(title) if title else HTTPStatus(code).phrase


def _for_programs() -> bool:
    return request.path.startswith("/api/")
