"""Uploaded versions: submit a package, follow its build, download and publish it, read outputs."""

from flask import Response
from pydantic import Field

from ladder.bots import packages, uploads
from ladder.bots.uploads import BuildLog
from ladder.people.accounts import Account
from web.api.bots import OwnBot, Submission, changed, own_bot, submitted
from web.api.operations import Answer, CallGroup, Input, QueryNumber, Raw, Text
from web.database import session
from web.formats import written
from web.packages import FIELD, file_answer, receive, removed

group = CallGroup("packages", "Uploaded versions of your bots, which run on the ladder's hosts.")

_FILE = Raw("application/octet-stream", "The package, a .zip or .tar.gz.")


class LinesQuery(Input):
    """Which lines of a log to return."""

    after: QueryNumber | None = None
    """Only lines after the one with this number."""


class MatchOutput(Answer):
    """The output of a hosted bot in a match, as far as it is kept, and what the bot used."""

    match_id: int
    seat: int
    output: str
    """From stdout, then from stderr; bytes that are no UTF-8 are replaced."""
    stdout: str
    """From stdout alone."""
    stderr: str
    """From stderr alone."""
    peak_memory: int | None
    """In bytes."""
    cpu_ms: int | None
    """For all its decisions together."""


class Quota(Answer):
    """How much room uploads and their builds have, in bytes."""

    used: int
    most: int


class Publishing(Input):
    """The licence under which everybody may download and use what you uploaded."""

    licence: Text = Field(json_schema_extra={"enum": list(uploads.LICENCES)}, examples=["MIT"])


@group.post("/bots/upload", status=201, scope="bots", file=FIELD)
def upload(account: Account) -> Submission:
    """Submit a package: a .zip or .tar.gz of your bot's folder, with a santiago.toml.

    The bot and the version are named there. It is built, checked, and plays a trial match before it
    plays for the ladder.
    """
    return submitted(receive(account), hosted=True)


@group.get("/account/quota", scope="read")
def quota(account: Account) -> Quota:
    """The space that your uploads, and what was built of them, take here, and your quota."""
    found = packages.quota(session(), account.id)
    return Quota(used=found.used, most=found.most)


@group.get("/account/bots/{bot_id}/versions/{version_id}/build", scope="read")
def build(bot_id: int, version_id: int, account: Account, query: LinesQuery) -> BuildLog:
    """The log of the build of an upload, line by line; ask again until it is over."""
    return uploads.of_build(session(), account, bot_id, version_id, after=query.after)


@group.get("/account/bots/{bot_id}/versions/{version_id}/package", scope="read", raw=_FILE)
def package(bot_id: int, version_id: int, account: Account) -> Response:
    """The package that you uploaded, byte by byte."""
    return file_answer(uploads.download(session(), account, bot_id, version_id))


@group.get("/bots/{bot_id}/log/{match_id}/output", scope="read")
def output(bot_id: int, match_id: int, account: Account) -> MatchOutput:
    """The output of your hosted bot in a match."""
    found = uploads.of_match(session(), account, bot_id, match_id)
    return MatchOutput(
        match_id=match_id,
        seat=found.seat,
        output=written(found.output + found.errors),
        stdout=written(found.output),
        stderr=written(found.errors),
        peak_memory=found.peak_memory,
        cpu_ms=found.cpu_ms,
    )


@group.get("/bots/{bot_id}/versions/{version_id}/source", raw=_FILE)
def source(bot_id: int, version_id: int) -> Response:
    """The source of a version whose author has published it."""
    return file_answer(uploads.published(session(), bot_id, version_id))


@group.post(
    "/bots/{bot_id}/versions/{version_id}/publish", scope="bots", example={"licence": "MIT"}
)
def publish(bot_id: int, version_id: int, account: Account, body: Publishing) -> OwnBot:
    """Publish the source of an uploaded version of yours under a licence."""
    uploads.publish(session(), account, bot_id, version_id, body.licence)
    return changed(account, bot_id)


@group.post("/bots/{bot_id}/versions/{version_id}/unpublish", scope="bots")
def unpublish(bot_id: int, version_id: int, account: Account) -> OwnBot:
    """Make the source of a version of yours private again."""
    uploads.publish(session(), account, bot_id, version_id, None)
    return changed(account, bot_id)


@group.post("/bots/{bot_id}/versions/{version_id}/remove", scope="bots", may_fail=(409,))
def remove(bot_id: int, version_id: int, account: Account) -> OwnBot:
    """Remove what you uploaded of a version that no longer plays; that makes room in your quota."""
    removed(account, bot_id, version_id)
    return own_bot(bot_id, account)
