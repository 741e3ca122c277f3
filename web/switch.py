"""The switch of the language: a link for each, which works without JavaScript as well."""

from typing import Final

from flask import Blueprint, redirect, request, url_for
from flask.typing import ResponseReturnValue

from ladder.errors import NotFound
from web import parameters
from web.languages import COOKIE, LANGUAGES

blueprint = Blueprint("languages", __name__)

_LASTS: Final = 365 * 24 * 3600  # seconds


@blueprint.get("/language/<code>")
def switch(code: str) -> ResponseReturnValue:
    """Show the site in this language from now on; ?next= is the page to go back to."""
    if code not in LANGUAGES:
        raise NotFound(
            "the site does not speak that language, but these: %(codes)s",
            codes=", ".join(LANGUAGES),
        )
    answer = redirect(parameters.own_path("next") or url_for("standings.ladder"), 303)
    answer.set_cookie(
        COOKIE, code, max_age=_LASTS, secure=request.is_secure, httponly=True, samesite="Lax"
    )
    answer.headers["Cache-Control"] = "no-store"
    return answer
