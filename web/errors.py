"""Pages for what went wrong; below /api/ the same as JSON."""

from http import HTTPStatus

from flask import Flask, jsonify, render_template, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import HTTPException

from ladder.errors import NotFound

_TITLES = {
    400: "This address makes no sense",
    404: "There is nothing here",
    500: "Something broke on our side",
}
_OWN_SENTENCES = {
    404: "The page may have moved, or the address has a typing error.",
    500: "It has been logged. Please try again in a moment.",
}


def init_app(app: Flask) -> None:
    """Handle the ladder's NotFound and all HTTP errors."""
    app.register_error_handler(NotFound, _not_found)
    app.register_error_handler(HTTPException, _http_error)


def _not_found(error: NotFound) -> ResponseReturnValue:
    sentence = str(error)
    return _answer(404, sentence[:1].upper() + sentence[1:] + ".")


def _http_error(error: HTTPException) -> ResponseReturnValue:
    if error.code is None or error.code < 400:
        return error.get_response()
    return _answer(error.code, _OWN_SENTENCES.get(error.code) or error.description or "")


def _answer(code: int, sentence: str) -> ResponseReturnValue:
    title = _TITLES.get(code) or HTTPStatus(code).phrase
    if request.path.startswith("/api/"):
        return jsonify({"error": {"status": code, "title": title, "sentence": sentence}}), code
    return render_template("site/error.html", code=code, title=title, sentence=sentence), code
