"""The entry point of the command `santiago`: Ctrl-C ends it quietly, even while it is imported."""

import sys

from ladder.cli import INTERRUPTED


def main() -> None:
    """Run the command with the arguments of the process."""
    try:
        from ladder.cli.commands import santiago

        santiago(prog_name="santiago")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
