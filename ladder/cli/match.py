"""`santiago match`: what organisers and admins do to a match, on a ladder's site."""

import click

from ladder.cli.client import Site
from ladder.cli.site import site_option


@click.group()
def match() -> None:
    """Matches of a ladder that went wrong."""


def _deed(
    word: str, path: str, summary: str, done: str, reason_is: str = "It stands in the audit."
) -> None:
    """Add a command that posts a reason to a path of the API."""

    @match.command(word, help=summary)
    @click.argument("match_id", type=int)
    @click.option("--reason", required=True, help=reason_is)
    @site_option
    def command(match_id: int, reason: str, site: Site) -> None:
        site.post(path.format(match_id), {"reason": reason})
        click.echo(f"Match {match_id} {done}.")


_deed(
    "annul",
    "/matches/{}/annul",
    "Take the result of a match out of all that is counted, for good (organisers).",
    "is annulled: it counts nowhere any more, and its replay stays",
    "Everybody can read it.",
)
_deed(
    "cancel",
    "/operator/matches/{}/cancel",
    "Cancel a match that waits or is played, for good (admins).",
    "is cancelled",
)
_deed(
    "requeue",
    "/operator/matches/{}/requeue",
    "Let a match be played anew that is being played or was given up (admins).",
    "waits to be played anew",
)
