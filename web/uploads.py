"""Admit uploads of packages, the only requests with large bodies.

An upload is admitted before its body is read: its author is signed in, uploads nothing too often
and nothing else meanwhile. The body goes to a temporary file without a name, so half an
upload leaves nothing. It has to arrive at a least pace, or the server cuts it.
"""

from threading import Lock
from typing import Any, Final

from flask import Flask, current_app, g, request

from ladder.bots import packages
from ladder.errors import Invalid, Refused, TooMany
from ladder.people.accounts import Account
from referee.hosting.settings import MB
from web import identity, limits
from web.database import session

_ENDPOINTS: Final = {"packages.upload": None, "api_packages.upload": "bots"}
"""The views that take uploads, and the scope that a token needs there."""
FIELD: Final = "package"
"""The field of a form, or of a call of the API, that holds a package."""
AT_ONCE: Final = 8
"""Uploads that one process of the site takes in at the same time."""
OF_ONE: Final = 2
"""The most of them that come from one visitor's address: each may take half an hour."""
LEAST_PACE: Final = 16 * 1024
"""Bytes that have to arrive each second; who falls behind has the time of any request."""
_FIELDS: Final = 64 * 1024  # bytes for what stands around the package in the body
_PAUSE: Final = 10  # seconds until another try
_MULTIPART: Final = "multipart/form-data"
_EXTENSION: Final = "santiago.uploads"


class Uploads:
    """The uploads that this process takes in now, one of each author and few of an address."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._visitors: dict[int, str] = {}  # by author
        self._places = limits.Places(AT_ONCE, OF_ONE)

    def enter(self, author_id: int, visitor: str) -> None:
        """Count an upload in. Raises Refused, TooMany."""
        with self._lock:
            if author_id in self._visitors:
                raise Refused("another upload of yours is still running: wait until it is done")
            if not self._places.take(visitor):
                raise TooMany("too many uploads are running: try again in a moment", _PAUSE)
            self._visitors[author_id] = visitor

    def leave(self, author_id: int) -> None:
        """Count an upload out."""
        with self._lock:
            self._places.leave(self._visitors.pop(author_id))


def init_app(app: Flask) -> None:
    """Admit uploads from now on. Call it before anything that reads forms is set up."""
    app.extensions[_EXTENSION] = Uploads()
    app.before_request(_admit)
    app.teardown_request(_leave)


def _admit() -> None:
    if request.endpoint not in _ENDPOINTS:
        return
    scope = _ENDPOINTS[request.endpoint]
    account = identity.may(scope) if scope else identity.signed_in()
    if request.mimetype != _MULTIPART:  # a form as large as a package takes 40 bytes for each
        raise no_package()
    most = packages.limits().packed
    size = request.content_length or most
    if size > most + _FIELDS:
        raise Invalid("package", "a package has at most %(most)s MB", most=most // MB)
    request.max_content_length = most + _FIELDS
    _begin(account)
    _allow_time()
    with packages.room_on_disk():
        _ = request.files  # reads the body
    identity.look_again()  # meanwhile it may have signed out, or its token may have been revoked


def no_package() -> Invalid:
    """Return the error that says that a request brings no package."""
    return Invalid(FIELD, "choose a package: a .zip or .tar.gz of the bot's folder")


def _begin(account: Account) -> None:
    _, visitor = limits.visitor()
    current_app.extensions[_EXTENSION].enter(account.id, visitor)
    g.uploading = account.id
    limits.UPLOAD.count(account)
    session().commit()  # no transaction stays open while the body arrives


def _allow_time() -> None:
    """Give the body its time; our own server knows no better than that of a small request."""
    client: Any = request.environ.get("gunicorn.socket")
    if hasattr(client, "await_large_body"):
        client.await_large_body(LEAST_PACE)


def _leave(_error: BaseException | None) -> None:
    if (author_id := g.pop("uploading", None)) is not None:
        current_app.extensions[_EXTENSION].leave(author_id)
