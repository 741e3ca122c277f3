"""Whether the site is up and reaches its database."""

from flask import Blueprint, jsonify
from flask.typing import ResponseReturnValue
from sqlalchemy.exc import SQLAlchemyError

from ladder.model import now
from web.database import session

blueprint = Blueprint("health", __name__)


@blueprint.get("/healthz")
def healthz() -> ResponseReturnValue:
    """200 when a page could be served; 503 while the database does not answer."""
    try:
        now(session())
    except SQLAlchemyError:
        return jsonify({"status": "the database does not answer"}), 503
    return jsonify({"status": "ok"})
