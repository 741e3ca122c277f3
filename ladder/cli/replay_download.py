"""`santiago replay download`: the replay files of matches on a ladder's site."""

from pathlib import Path

import click

from ladder.cli.client import Site
from ladder.cli.site import site_option


@click.command()
@click.argument("match_ids", metavar="MATCH...", nargs=-1, type=int, required=True)
@click.option(
    "--to",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    help="The folder for them; else this one.",
)
@site_option
def download(match_ids: tuple[int, ...], to: Path, site: Site) -> None:
    """Save the replay files of matches as match-N.santiago."""
    to.mkdir(parents=True, exist_ok=True)
    for match_id in match_ids:
        file = to / f"match-{match_id}.santiago"
        file.write_bytes(site.download(f"/matches/{match_id}/replay"))
        click.echo(str(file))
