"""`santiago match`: correct matches of a ladder that went wrong.

By its site (the extra `client`), or in its database (the extra `ladder`).
"""

from pathlib import Path

import click

from ladder.cli.client import LOCAL_SITE, SiteClient, site_or_data_options
from ladder.cli.groups import LazyGroup
from ladder.cli.terminal import ROW_ID


@click.group(cls=LazyGroup)
def match() -> None:
    """Correct matches of a ladder that went wrong."""


def _add_command(
    word: str,
    path: str,
    summary: str,
    done: str,
    reason_is: str = "It is recorded in the audit log.",
) -> None:
    """Add a command that posts a reason to a path of the API, or does the same in the database."""

    @match.command(word, help=summary)
    @click.argument("match_id", type=ROW_ID)
    @click.option("--reason", required=True, help=reason_is)
    @site_or_data_options(LOCAL_SITE)
    def command(match_id: int, reason: str, site: SiteClient | None, data: Path) -> None:
        if site:
            site.post(path.format(match_id), {"reason": reason})
        else:
            _operate(data, word, match_id, reason)
        click.echo(f"Match {match_id} {done}.")


def _operate(data: Path, word: str, match_id: int, reason: str) -> None:
    from ladder.cli.database import transaction
    from ladder.operating import match_control

    deeds = {
        "annul": match_control.annul,
        "cancel": match_control.cancel,
        "requeue": match_control.requeue,
    }
    with transaction(data) as session:
        deeds[word](session, None, match_id, reason)


_add_command(
    "annul",
    "/matches/{}/annul",
    "Take the result of a match out of all that is counted, for good (organisers).",
    "is annulled: it counts nowhere any more, and its replay stays",
    "It is public.",
)
_add_command(
    "cancel",
    "/operator/matches/{}/cancel",
    "Cancel a match that waits or is played, for good (admins).",
    "is cancelled",
)
_add_command(
    "requeue",
    "/operator/matches/{}/requeue",
    "Let a match be played anew that is being played or was given up (admins).",
    "waits to be played anew",
)
