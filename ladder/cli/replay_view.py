"""`santiago replay view`: a game in the browser, without a ladder."""

import subprocess
import sys
from pathlib import Path

import click

from ladder.cli.stopping import stoppable
from ladder.local.guardian import Guardian

_LOOK_EVERY = 0.1  # seconds


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    help="Listen on this port of 127.0.0.1.  [default: any free one]",
)
@click.option("--open", "show", is_flag=True, help="Open the browser at once.")
def view(file: Path, port: int, show: bool) -> None:
    """Show a game in the site's own viewer, until Ctrl-C."""
    # The viewer belongs to the site, which the ladder may start but not import.
    command = [sys.executable, "-P", "-m", "web.viewer.local", str(file.absolute()), str(port)]
    if show:
        command.append("--open")
    with stoppable() as pause, Guardian() as guardian:
        with subprocess.Popen(command, start_new_session=True) as viewer:
            guardian.guard(viewer.pid)
            try:
                while viewer.poll() is None:
                    pause(_LOOK_EVERY)
            finally:
                viewer.terminate()
        guardian.forget(viewer.pid)
    sys.exit(viewer.returncode)
