"""An author's uploads: a package on its way in, its build, its downloads, its published source."""

from collections.abc import Iterator
from typing import BinaryIO, Final, cast

from flask import Blueprint, Response, current_app, jsonify, render_template, request
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session, sessionmaker
from werkzeug.utils import secure_filename

from ladder.bots import clearing, own, packages, submitting, uploads
from ladder.bots.submitting import Package, Submission
from ladder.bots.uploads import Download
from ladder.casual import outputs
from ladder.errors import Invalid, Refused
from ladder.people.accounts import Account
from referee.hosting.packages import BadPackage, read
from web import identity, limits, parameters, security, submissions
from web.database import session, sessions, whole_or_cut
from web.formats import SEATS
from web.parameters import BOT, MOST, VERSION
from web.uploads import FIELD, no_package

blueprint = Blueprint("packages", __name__)
blueprint.after_request(security.no_store)

_LONGEST_NAME: Final = 100


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
        raise no_package()
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
    """Say what is wrong; the sentence itself is English, as all that the referee says."""
    if not error.entry:
        return Invalid(FIELD, "%(why)s", why=error.why)
    return Invalid(FIELD, "%(entry)s: %(why)s", entry=error.entry, why=error.why)
