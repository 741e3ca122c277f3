"""Start the command `santiago`; Ctrl-C ends it quietly, even while its modules are imported."""

import sys

INTERRUPTED = 130
"""The exit code that shells expect after Ctrl-C (SIGINT); 1 means that something was refused."""


def run() -> None:
    """Run the command with the arguments of the process."""
    try:
        from ladder.cli.main import main

        main()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
