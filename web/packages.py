"""An author's uploads: a package on its way in, its build, its downloads, its published source.

Uploads are the only requests with large bodies, so each is admitted before its body is read: its
author is signed in, uploads nothing too often and nothing else meanwhile. The body goes to a
temporary file without a name, so half an upload leaves nothing. It has to arrive at a least pace,
or the server cuts it.
"""

from collections.abc import Iterator
from threading import Lock
from typing import Any, BinaryIO, Final, cast

from flask import Blueprint, Flask, Response, current_app, g, jsonify, render_template, request
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session, sessionmaker
from werkzeug.utils import secure_filename

from ladder.bots import clearing, own, packages, submitting, uploads
from ladder.bots.submitting import Package, Submission
from ladder.bots.uploads import Download
from ladder.casual import outputs
from ladder.errors import Invalid, Refused, TooMany
from ladder.people.accounts import Account
from referee.hosting.archives import BadPackage
from referee.hosting.packages import read
from referee.hosting.settings import MB
from web import identity, limits, parameters, security, submissions
from web.database import session, sessions, whole_or_cut
from web.formats import SEATS
from web.parameters import BOT, MOST, VERSION
from web.reasons import reason

blueprint = Blueprint("packages", __name__)
blueprint.after_request(security.no_store)

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
_LONGEST_NAME: Final = 100


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


@blueprint.post("/bots/upload")
def upload() -> ResponseReturnValue:
    """Submit a package, then show the steps of its version."""
    try:
        made = receive(identity.signed_in())
    except (Invalid, Refused) as error:
        session().rollback()
        return submissions.refused_package(error)
    return submissions.to_steps(made.bot_id, made.version_id)


@blueprint.get(f"{VERSION}/build")
def build(bot_id: int, version_id: int) -> ResponseReturnValue:
    """Return the lines of the build's log as JSON, after the number in ?after=."""
    account, after = identity.signed_in(), parameters.whole(parameters.text("after"))
    found = uploads.of_build(session(), account, bot_id, version_id, after=after)
    lines = [{"number": line.number, "text": line.text} for line in found.lines]
    return jsonify({"lines": lines, "over": found.over})


@blueprint.get(f"{VERSION}/package")
def download(bot_id: int, version_id: int) -> ResponseReturnValue:
    """Send its author what was uploaded."""
    return file_answer(uploads.download(session(), identity.signed_in(), bot_id, version_id))


@blueprint.get(f"{VERSION}/source")
def source(bot_id: int, version_id: int) -> ResponseReturnValue:
    """Send everybody what was uploaded, if it is published."""
    return file_answer(uploads.published(session(), bot_id, version_id))


@blueprint.post(f"{VERSION}/publish")
def publish(bot_id: int, version_id: int) -> ResponseReturnValue:
    """Publish the source under the chosen licence."""
    licence = parameters.field("licence")
    uploads.publish(session(), identity.signed_in(), bot_id, version_id, licence)
    return submissions.to_steps(bot_id, version_id)


@blueprint.post(f"{VERSION}/unpublish")
def unpublish(bot_id: int, version_id: int) -> ResponseReturnValue:
    """Make the source private again."""
    uploads.publish(session(), identity.signed_in(), bot_id, version_id, None)
    return submissions.to_steps(bot_id, version_id)


@blueprint.post(f"{VERSION}/remove")
def remove(bot_id: int, version_id: int) -> ResponseReturnValue:
    """Remove what was uploaded, which makes room in the author's quota."""
    removed(identity.signed_in(), bot_id, version_id)
    return submissions.to_steps(bot_id, version_id)


@blueprint.get(f"{BOT}/log/<int(max={MOST}):match_id>")
def output(bot_id: int, match_id: int) -> ResponseReturnValue:
    """Show what a bot wrote in a match."""
    account = identity.signed_in()
    return render_template(
        "bots/output.html",
        bot=own.bot(session(), account, bot_id),
        output=uploads.of_match(session(), account, bot_id, match_id),
    )


@blueprint.get(f"{BOT}/log/casual/<int(max={MOST}):game_id>")
def casual_output(bot_id: int, game_id: int) -> ResponseReturnValue:
    """Show what a bot wrote in a casual game, at the seat ?seat= (from 0, the first by default)."""
    account, seat = identity.signed_in(), parameters.number_among("seat", range(max(SEATS))) or 0
    return render_template(
        "bots/output.html",
        bot=own.bot(session(), account, bot_id),
        output=outputs.of_game(session(), account, bot_id, game_id, seat),
        casual=True,
    )


def receive(account: Account) -> Submission:
    """Read the package in the request, store it, submit it, and commit.

    Raises Invalid, Refused, NotFound, TooMany, SettingsError.
    """
    sent = request.files.get(FIELD)
    if sent is None or not sent.filename:
        raise _no_package()
    stream = cast(BinaryIO, sent.stream)  # a temporary file, once it is larger than 500 KB
    try:
        manifest = read(stream, packages.limits())
    except BadPackage as error:
        raise _refusal(error) from None
    limits.SUBMISSION.count(account)
    sha256 = packages.store(session(), stream, user_id=account.id)
    name = secure_filename(sent.filename)[-_LONGEST_NAME:] or FIELD
    package = Package(sha256, name, manifest.name, manifest.version, manifest.runtime)
    made = submitting.submit_package(session(), account, package, language=manifest.language)
    with packages.room_on_disk():
        session().commit()
    return made


def removed(account: Account, bot_id: int, version_id: int) -> None:
    """Remove what was uploaded of an own version, and commit. Raises NotFound, Refused."""
    clearing.remove(session(), account, bot_id, version_id)
    session().commit()
    clearing.drop_unneeded(session())
    session().commit()


def file_answer(file: Download) -> Response:
    """Return a stored package as a download, read from the database bit by bit."""
    pieces = whole_or_cut(_pieces(sessions(current_app), file.sha256))
    answer = Response(pieces, mimetype="application/octet-stream")
    answer.content_length = file.size
    answer.headers["Content-Disposition"] = f'attachment; filename="{file.file_name}"'
    return answer


def _pieces(made: sessionmaker[Session], sha256: str) -> Iterator[bytes]:
    """Read the chunks; no transaction stays open while a slow reader takes one."""
    with made() as reading:
        for piece in packages.chunks(reading, sha256):
            reading.rollback()
            yield piece


def _refusal(error: BadPackage) -> Invalid:
    """Say what is wrong, in the language of the request."""
    why = reason(error.why)
    if not error.entry:
        return Invalid(FIELD, "%(why)s", why=why)
    return Invalid(FIELD, "%(entry)s: %(why)s", entry=error.entry, why=why)


def _admit() -> None:
    if request.endpoint not in _ENDPOINTS:
        return
    scope = _ENDPOINTS[request.endpoint]
    account = identity.may(scope) if scope else identity.signed_in()
    if request.mimetype != _MULTIPART:  # a form as large as a package takes 40 bytes for each
        raise _no_package()
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


def _no_package() -> Invalid:
    """Return the error that says that a request brings no package."""
    return Invalid(FIELD, "choose a package: a .zip or .tar.gz of the bot's folder")
